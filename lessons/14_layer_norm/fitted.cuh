// Layer norm of rows by blocks of no more warps than a row needs. GPUs of sm_90 and later; not emulated. Arguments as in
// kernels.cuh.

// Every row begins at a multiple of 16 bytes and holds whole packs. A block for each row;
// blockDim.x: the fewest whole warps whose threads hold the row with kPacks packs each, kMostThreads
// at most. A multiprocessor's registers are enough for kBlocks blocks of kMostThreads threads.
//
// Compared with layer_norm_overlap: more rows are under way at once. No warp is without packs, and no
// thread holds weights and biases: each pack of them is loaded when it is needed, and L1 is to keep it for
// the blocks beside this one. And a row takes fewer instructions: a warp's packs lie beside each other,
// and values of 16 bits, whose every use widens them again, are read once for their moments; floats twice. With three
// packs a thread a multiprocessor runs 1536 threads of 40 registers, which are not enough for two paths.
//
// Launches overlap, and blocks prefetch if kPrefetches, as there. A kernel that prefetches nothing lets the next
// one in at once, which finds no room before a block has ended: of 48 MB, up to 4 % faster than to let it in
// when a block has asked for its row, but of 134 MB up to 3 % slower (H100). It does so first of all: 34 MB of
// 5000 halves took an H200 7.6 us where addresses came before, and 7.2. kPastL1: L1 does not keep what is read.
template <class T, int kPacks, int kMostThreads, int kBlocks, bool kPastL1, bool kPrefetches>
__global__ void __launch_bounds__(kMostThreads, kBlocks)
    layer_norm_fitted(const T* in, const T* weight, const T* bias, T* out, long long rows, int columns, float epsilon,
                      int blocks_ahead) {
  constexpr int kPack = kPackOf<T>;
  __shared__ float warp_sums[1][32];
  __shared__ float warp_squares[1][32];
  if (!kPrefetches) cudaTriggerProgrammaticLaunchCompletion();
  const int packs = columns / kPack;
  const LanePacks<kPacks, (kPacks > 4)> its(packs);
  const long long first = (long long)blockIdx.x * packs + its.first;
  const uint4* row = reinterpret_cast<const uint4*>(in) + first;
  uint4* result = reinterpret_cast<uint4*>(out) + first;
  const uint4* weight_packs = reinterpret_cast<const uint4*>(weight) + its.first;
  const uint4* bias_packs = reinterpret_cast<const uint4*>(bias) + its.first;
  const BlockRows<1> all = {in, rows, columns * (int)sizeof(T)};
  if (kPrefetches && threadIdx.x == 0 && (int)blockIdx.x < blocks_ahead) all.prefetch(blockIdx.x);
  cudaGridDependencySynchronize();
  uint4 held[kPacks] = {};   // 0 outside of the row
  its.each([&](int p) { held[p] = kPastL1 ? load_once(row + p * 32) : row[p * 32]; });
  if (kPrefetches && threadIdx.x == 0) all.prefetch(blockIdx.x + (long long)blocks_ahead);
  if (kPrefetches) cudaTriggerProgrammaticLaunchCompletion();
  float mean, scale;
  if constexpr (sizeof(T) == 4) {
    float sum = 0.0f;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) sum = add_values(sum, *reinterpret_cast<const Pack<T>*>(&held[p]));
    mean = block_sum(sum, warp_sums[0]) / (float)columns;
    float squares = 0.0f;
    its.each([&](int p) { squares = add_squares(squares, *reinterpret_cast<const Pack<T>*>(&held[p]), mean); });
    scale = scale_of(block_sum(squares, warp_squares[0]) / (float)columns, epsilon);
  } else {
    const Moments moments =
        block_moments(lane_moments<T>(its, held), packs_of_warp<kPacks>(packs, threadIdx.x / 32) * kPack,
                      packs_of_warp<kPacks>(packs, threadIdx.x % 32) * kPack, columns, warp_sums[0], warp_squares[0]);
    mean = moments.mean;
    scale = quick_scale(moments, epsilon);
  }
  unsigned last = 0;   // of the results so far
  its.each([&](int p) {
    keep_packed_until<T>(held[p], last);
    const uint4 weights = load_to_stay_in_l1(weight_packs + p * 32);
    const uint4 biases = load_to_stay_in_l1(bias_packs + p * 32);
    const Pack<T> pack =
        normalized(*reinterpret_cast<const Pack<T>*>(&held[p]), mean, scale,
                   *reinterpret_cast<const Pack<T>*>(&weights), *reinterpret_cast<const Pack<T>*>(&biases));
    const uint4 words = *reinterpret_cast<const uint4*>(&pack);
    result[p * 32] = words;
    last = words.w;
  });
}
