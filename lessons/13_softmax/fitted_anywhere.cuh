// Softmax of rows that begin anywhere, by blocks of no more warps than a row needs. GPUs of sm_90 and later; not
// emulated. Arguments as in kernels.cuh; in and out lie equally far past a multiple of 16 bytes.

// A row has at most blockDim.x * kPacks whole packs; blockDim.x: a multiple of 32, and blockDim.y above 1 only where it
// is 32; kMostThreads threads at most. The block's threads with the same threadIdx.y take a row. A multiprocessor's
// registers are enough for kBlocks blocks of kMostThreads threads.
//
// Compared with softmax_anywhere: more rows are under way at once, since no thread holds a second one, and values stay
// packed. Exponentials are taken twice.
//
// Launches overlap. The next kernel is let in at once: it finds no room before a block has ended.
template <class T, int kPacks, int kMostThreads, int kBlocks>
__global__ void __launch_bounds__(kMostThreads, kBlocks)
    softmax_fitted_anywhere(const T* in, T* out, long long rows, int columns) {
  __shared__ float warp_maxima[kMostThreads / 32];
  __shared__ float warp_sums[kMostThreads / 32];
  cudaTriggerProgrammaticLaunchCompletion();
  const long long number = blockIdx.x * (long long)blockDim.y + threadIdx.y;
  if (number >= rows) return;   // the whole group
  const long long start = number * columns;
  const Cut cut = cut_of(in + start, columns);
  const int column = edge_column<T>(cut, columns);
  cudaGridDependencySynchronize();
  uint4 held[kPacks];
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * blockDim.x + threadIdx.x;
    held[p] = as_words(minus_infinities<T>());
    if (index < cut.packs) held[p] = load_once(reinterpret_cast<const uint4*>(in + start + cut.head) + index);
  }
  const float edge = column >= 0 ? widened(in[start + column]) : -INFINITY;
  // Each warp by its own largest value; then the warps' pairs are joined.
  MaxSum pair = {max_xor<32>(fmaxf(edge, largest_in<T>(held))), 0.0f};
  const bool has_some = pair.max > -INFINITY;
  const float largest = finite_or_zero(pair.max);
  pair.sum = flushed_exp(edge - largest);
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    keep_packed(held[p]);
    pair.sum += sum_of_exponentials(as_pack<T>(held[p]), largest);
  }
  pair.sum = sum_xor<32>(pair.sum);
  if (blockDim.x > 32) pair = join_warps(blockDim.x / 32, pair, warp_maxima, warp_sums);
  const float scale = (has_some ? flushed_exp(largest - pair.max) : 1.0f) / pair.sum;
  if (column >= 0) out[start + column] = narrowed<T>(flushed_exp(edge - largest) * scale);
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * blockDim.x + threadIdx.x;
    keep_packed(held[p]);
    if (index >= cut.packs) continue;
    reinterpret_cast<Pack<T>*>(out + start + cut.head)[index] = exponentials(as_pack<T>(held[p]), largest, scale);
  }
}
