// Softmax of rows by blocks of no more warps than a row needs. GPUs of sm_90 and later; not emulated. Arguments as in
// kernels.cuh.

// Every row begins at a multiple of 16 bytes and holds whole packs. A block for each row;
// blockDim.x: the fewest whole warps whose threads hold the row with kPacks packs each, kMostThreads
// at most. A multiprocessor's registers are enough for kBlocks blocks of kMostThreads threads.
//
// Compared with softmax_overlap: more rows are under way at once. No warp is without packs, and values stay
// packed, in half the registers that 16 bits take as floats. The price: exponentials, for which 16 bits are
// too few, are taken twice. And a row takes fewer instructions: a warp's packs lie beside each other.
//
// Launches overlap, and blocks prefetch if kPrefetches, as there. A kernel that prefetches nothing lets the next
// one in at once, which finds no room before a block has ended: of 48 MB, up to 2 % faster than to let it in when
// a block has asked for its row, but of 134 MB up to 5 % slower (H100). kPastL1: L1 does not keep what is read.
template <class T, int kPacks, int kMostThreads, int kBlocks, bool kPastL1, bool kPrefetches>
__global__ void __launch_bounds__(kMostThreads, kBlocks)
    softmax_fitted(const T* in, T* out, long long rows, int columns, int blocks_ahead) {
  __shared__ float warp_maxima[kMostThreads / 32];
  __shared__ float warp_sums[kMostThreads / 32];
  if (!kPrefetches) cudaTriggerProgrammaticLaunchCompletion();
  const int packs = columns / kPackOf<T>;
  const LanePacks<kPacks, true> its(packs);
  const long long first = (long long)blockIdx.x * packs + its.first;
  const uint4* row = reinterpret_cast<const uint4*>(in) + first;
  const BlockRows<1> all = {in, rows, columns * (int)sizeof(T)};
  if (kPrefetches && threadIdx.x == 0 && (int)blockIdx.x < blocks_ahead) all.prefetch(blockIdx.x);
  cudaGridDependencySynchronize();
  uint4 held[kPacks];
#pragma unroll
  for (int p = 0; p < kPacks; ++p) held[p] = as_words(minus_infinities<T>());
  its.each([&](int p) { held[p] = kPastL1 ? load_once(row + p * 32) : row[p * 32]; });
  if (kPrefetches && threadIdx.x == 0) all.prefetch(blockIdx.x + (long long)blocks_ahead);
  if (kPrefetches) cudaTriggerProgrammaticLaunchCompletion();
  // Each warp by its own largest value; then the warps' pairs are joined.
  MaxSum pair = {max_of_warp(largest_in<T>(held)), 0.0f};
  const bool has_some = pair.max > -INFINITY;
  const float largest = finite_or_zero(pair.max);
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    keep_packed(held[p]);
    pair.sum += sum_of_exponentials(as_pack<T>(held[p]), largest);
  }
  pair.sum = sum_xor<32>(pair.sum);
  pair = join_warps(blockDim.x / 32, pair, warp_maxima, warp_sums);
  const float scale = (has_some ? flushed_exp(largest - pair.max) : 1.0f) / pair.sum;
  uint4* result = reinterpret_cast<uint4*>(out) + first;
  its.each([&](int p) {
    keep_packed(held[p]);
    result[p * 32] = as_words(exponentials(as_pack<T>(held[p]), largest, scale));
  });
}
