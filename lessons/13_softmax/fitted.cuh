// Softmax of rows by blocks of no more warps than a row needs. GPUs of sm_90 and later; not emulated. Arguments as in
// kernels.cuh.

// Every row begins at a multiple of 16 bytes and holds whole packs, at most blockDim.x * kPacks of them. A block for
// each row; blockDim.x: a multiple of 32, kMostThreads at most. A multiprocessor's registers are enough for kBlocks blocks
// of kMostThreads threads.
//
// Compared with softmax_overlap: more rows are under way at once. No warp is without packs, and values stay packed, in
// half the registers that 16 bits take as floats. The price: 16 bits are too few to keep an exponential, which is taken
// twice.
//
// Launches overlap, and blocks prefetch, as there. A kernel that prefetches nothing lets the next one in at once, which
// finds no room before a block has ended: of 48 MB, up to 2 % faster than to let it in when a block has asked for its row,
// but of 134 MB up to 5 % slower (H100). kPastL1: L1 does not keep what is read.
template <class T, int kPacks, int kMostThreads, int kBlocks, bool kPastL1>
__global__ void __launch_bounds__(kMostThreads, kBlocks)
    softmax_fitted(const T* in, T* out, long long rows, int columns, int blocks_ahead) {
  __shared__ float warp_maxima[kMostThreads / 32];
  __shared__ float warp_sums[kMostThreads / 32];
  const int threads = blockDim.x;
  const int packs = columns / kPackOf<T>;
  const long long first = (long long)blockIdx.x * packs;
  const uint4* row = reinterpret_cast<const uint4*>(in) + first;
  const BlockRows<1> all = {in, rows, columns * (int)sizeof(T)};
  const bool prefetches = blocks_ahead > 0;
  if (!prefetches) cudaTriggerProgrammaticLaunchCompletion();
  if (prefetches && threadIdx.x == 0 && (int)blockIdx.x < blocks_ahead) all.prefetch(blockIdx.x);
  cudaGridDependencySynchronize();
  uint4 held[kPacks];
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * threads + threadIdx.x;
    held[p] = make_uint4(0, 0, 0, 0);
    if (index < packs) held[p] = kPastL1 ? load_once(row + index) : row[index];
  }
  if (prefetches && threadIdx.x == 0) all.prefetch(blockIdx.x + (long long)blocks_ahead);
  if (prefetches) cudaTriggerProgrammaticLaunchCompletion();
  // Each warp by its own largest value; then the warps' pairs are joined.
  MaxSum pair;
  pair.max = held_largest<T, kPacks>(packs, threads, held);
  pair.max = max_xor<32>(pair.max);
  const bool has_some = pair.max > -INFINITY;
  const float largest = finite_or_zero(pair.max);
  pair.sum = held_exponentials<T, kPacks>(packs, threads, held, largest);
  pair.sum = sum_xor<32>(pair.sum);
  pair = join_warps(threads / 32, pair, warp_maxima, warp_sums);
  const float scale = (has_some ? flushed_exp(largest - pair.max) : 1.0f) / pair.sum;
  store_held<T, kPacks>(reinterpret_cast<uint4*>(out) + first, packs, threads, held, largest, scale);
}

