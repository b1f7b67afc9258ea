// Layer norm of rows by blocks of no more warps than a row needs. GPUs of sm_90 and later; not emulated. Arguments as in
// kernels.cuh.

// Every row begins at a multiple of 16 bytes and holds whole packs, at most blockDim.x * kPacks of them. A block for
// each row; blockDim.x: a multiple of 32, kMostThreads at most. A multiprocessor's registers are enough for kBlocks blocks
// of kMostThreads threads.
//
// Compared with layer_norm_overlap: more rows are under way at once. No warp is without packs, and no thread holds weights
// and biases: each pack of them is loaded when it is needed, and L1 is to keep it for the blocks beside this one.
//
// Launches overlap, and blocks prefetch, as there. A kernel that prefetches nothing lets the next one in at once, which
// finds no room before a block has ended: of 48 MB, up to 4 % faster than to let it in when a block has asked for its row,
// but of 134 MB up to 3 % slower (H100). kPastL1: L1 does not keep what is read.
template <class T, int kPacks, int kMostThreads, int kBlocks, bool kPastL1>
__global__ void __launch_bounds__(kMostThreads, kBlocks)
    layer_norm_fitted(const T* in, const T* weight, const T* bias, T* out, long long rows, int columns, float epsilon,
                      int blocks_ahead) {
  constexpr int kPack = kPackOf<T>;
  __shared__ float warp_sums[32];
  __shared__ float warp_squares[32];
  const int threads = blockDim.x;
  const int packs = columns / kPack;
  const long long first = (long long)blockIdx.x * packs;
  const uint4* row = reinterpret_cast<const uint4*>(in) + first;
  uint4* result = reinterpret_cast<uint4*>(out) + first;
  const BlockRows<1> all = {in, rows, columns * (int)sizeof(T)};
  const bool prefetches = blocks_ahead > 0;
  if (!prefetches) cudaTriggerProgrammaticLaunchCompletion();
  if (prefetches && threadIdx.x == 0 && (int)blockIdx.x < blocks_ahead) all.prefetch(blockIdx.x);
  cudaGridDependencySynchronize();
  uint4 held[kPacks];   // 0 outside of the row
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * threads + threadIdx.x;
    held[p] = make_uint4(0, 0, 0, 0);
    if (index < packs) held[p] = kPastL1 ? load_once(row + index) : row[index];
  }
  if (prefetches && threadIdx.x == 0) all.prefetch(blockIdx.x + (long long)blocks_ahead);
  if (prefetches) cudaTriggerProgrammaticLaunchCompletion();
  float sum = 0.0f;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const T* values = reinterpret_cast<const T*>(&held[p]);
#pragma unroll
    for (int k = 0; k < kPack; ++k) sum += widened(values[k]);
  }
  sum = block_sum(sum, warp_sums);
  const float mean = sum / (float)columns;
  float squares = 0.0f;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    keep_packed<T>(held[p]);
    const T* values = reinterpret_cast<const T*>(&held[p]);
    if (p * threads + (int)threadIdx.x < packs) {
#pragma unroll
      for (int k = 0; k < kPack; ++k) {
        const float deviation = widened(values[k]) - mean;
        squares = fmaf(deviation, deviation, squares);
      }
    }
  }
  squares = block_sum(squares, warp_squares);
  const float scale = scale_of(squares / (float)columns, epsilon);
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * threads + threadIdx.x;
    keep_packed<T>(held[p]);
    if (index >= packs) continue;
    const uint4 weights = load_to_stay_in_l1(reinterpret_cast<const uint4*>(weight) + index);
    const uint4 biases = load_to_stay_in_l1(reinterpret_cast<const uint4*>(bias) + index);
    const T* weighed = reinterpret_cast<const T*>(&weights);
    const T* shifted = reinterpret_cast<const T*>(&biases);
    T* values = reinterpret_cast<T*>(&held[p]);
#pragma unroll
    for (int k = 0; k < kPack; ++k) values[k] = normalized(values[k], mean, scale, weighed[k], shifted[k]);
    result[index] = held[p];
  }
}

