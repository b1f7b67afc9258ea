// RMS norm of rows by blocks of no more warps than a row needs. GPUs of sm_90 and later; not emulated. Arguments as in
// kernels.cuh.

// Every row begins at a multiple of 16 bytes and holds whole packs, at most blockDim.x * kPacks of them. A block for
// each row; blockDim.x: a multiple of 32, kMostThreads at most. A multiprocessor's registers are enough for kBlocks blocks
// of kMostThreads threads.
//
// Compared with rms_norm_overlap: more rows are under way at once, since no warp is without packs. kAsksEarly: weights
// are asked for with the row, and come while its warps wait for each other; they take as many registers. Else each pack of
// them is loaded when it is needed, and L1 is to keep it for the blocks beside this one.
//
// Launches overlap, and blocks prefetch if kPrefetches, as there. One that does not, and asks for weights late, lets the
// next in at once, which finds no room before a block has ended: of 48 MB, 1 % faster than to let it in when a block has
// asked for its row, but of 134 MB 2 % slower, and early 4 and 3 % (H100). kPastL1: L1 does not keep what is read.
template <class T, int kPacks, int kMostThreads, int kBlocks, bool kAsksEarly, bool kPastL1, bool kPrefetches>
__global__ void __launch_bounds__(kMostThreads, kBlocks)
    rms_norm_fitted(const T* in, const T* weight, T* out, long long rows, int columns, float epsilon, int blocks_ahead) {
  constexpr int kPack = kPackOf<T>;
  constexpr int kEarly = kAsksEarly ? kPacks : 1;
  constexpr bool kLetsInAtOnce = !kPrefetches && !kAsksEarly;
  __shared__ float warp_sums[32];
  if (kLetsInAtOnce) cudaTriggerProgrammaticLaunchCompletion();
  const int threads = blockDim.x;
  const int packs = columns / kPack;
  const long long first = (long long)blockIdx.x * packs;
  const uint4* row = reinterpret_cast<const uint4*>(in) + first;
  uint4* result = reinterpret_cast<uint4*>(out) + first;
  const uint4* weight_packs = reinterpret_cast<const uint4*>(weight);
  const BlockRows<1> all = {in, rows, columns * (int)sizeof(T)};
  if (kPrefetches && threadIdx.x == 0 && (int)blockIdx.x < blocks_ahead) all.prefetch(blockIdx.x);
  cudaGridDependencySynchronize();
  uint4 held[kPacks];   // 0 outside of the row
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * threads + threadIdx.x;
    held[p] = make_uint4(0, 0, 0, 0);
    if (index < packs) held[p] = kPastL1 ? load_once(row + index) : row[index];
  }
  uint4 early[kEarly];
#pragma unroll
  for (int p = 0; p < kEarly; ++p) {
    const int index = p * threads + threadIdx.x;
    if (kAsksEarly && index < packs) early[p] = load_to_stay_in_l1(weight_packs + index);
  }
  if (kPrefetches && threadIdx.x == 0) all.prefetch(blockIdx.x + (long long)blocks_ahead);
  if (!kLetsInAtOnce) cudaTriggerProgrammaticLaunchCompletion();
  float squares = 0.0f;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const T* values = reinterpret_cast<const T*>(&held[p]);
#pragma unroll
    for (int k = 0; k < kPack; ++k) {
      const float value = widened(values[k]);
      squares = fmaf(value, value, squares);
    }
  }
  squares = block_sum(squares, warp_sums);
  const float scale = scale_of(squares, columns, epsilon);
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * threads + threadIdx.x;
    keep_packed<T>(held[p]);
    if (index >= packs) continue;
    uint4 weights = kAsksEarly ? early[p % kEarly] : load_to_stay_in_l1(weight_packs + index);
    if (kAsksEarly) keep_packed<T>(weights);
    const T* weighed = reinterpret_cast<const T*>(&weights);
    T* values = reinterpret_cast<T*>(&held[p]);
#pragma unroll
    for (int k = 0; k < kPack; ++k) values[k] = narrowed<T>(widened(values[k]) * scale * widened(weighed[k]));
    result[index] = held[p];
  }
}

