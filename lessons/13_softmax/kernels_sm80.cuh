// Softmax on GPUs of sm_80 and later, not emulated: over one vector, with a barrier of the whole grid, and over rows of
// arrays that outgrow L2, with loads that say how long caches are to keep what they bring.

#include <cooperative_groups.h>

#include "rows.cuh"
#include "cache_hints.cuh"
#include "held.cuh"

// ---- One vector ------------------------------------------------------------------------------------------------

// Launched cooperatively; the emulator runs one block after the other.
//
// in, out: (n). partials: (blocks), a pair from each block. All blocks must fit on the GPU at once, and the launch is
// refused where they do not. A thread takes every stride-th value, where the stride is the number of threads in the
// grid. Compared with vector_pairs and vector_write: one launch. The grid's barrier waits for all blocks and orders
// what they wrote; a fence would only order.
template <int kBlock>
__global__ void vector_grid_barrier(const float* in, float* out, MaxSum* partials, int n) {
  __shared__ float warp_maxima[kBlock / 32];
  __shared__ float warp_sums[kBlock / 32];
  __shared__ float all_maxima[kBlock / 32];
  __shared__ float all_sums[kBlock / 32];
  const int first = blockIdx.x * kBlock + threadIdx.x;
  const int stride = gridDim.x * kBlock;
  const int blocks = gridDim.x;
  MaxSum pair = {-INFINITY, 0.0f};
  for (int i = first; i < n; i += stride) {
    const float value = in[i];
    pair = merge(pair, {value, 1.0f});
  }
  pair = block_merge<kBlock>(pair, warp_maxima, warp_sums);
  if (threadIdx.x == 0) partials[blockIdx.x] = pair;
  cooperative_groups::this_grid().sync();
  pair = {-INFINITY, 0.0f};
  for (int i = threadIdx.x; i < blocks; i += kBlock) {
    const MaxSum partial = partials[i];
    pair = merge(pair, partial);
  }
  pair = block_merge<kBlock>(pair, all_maxima, all_sums);
  for (int i = first; i < n; i += stride) {
    out[i] = expf(in[i] - pair.max) / pair.sum;
  }
}

// ---- Rows ------------------------------------------------------------------------------------------------------

// Arguments as in kernels.cuh. Every row begins at a multiple of 16 bytes and holds whole packs. With kHinted false the
// loads are plain ones.

// A block for each row of at most kThreads * 4 packs. Compared with softmax_registers: values stay packed, in no more
// than 32 registers a thread, so that a multiprocessor runs 2048 threads.
template <class T, int kThreads, bool kHinted>
__global__ void __launch_bounds__(kThreads, 2048 / kThreads)
softmax_high_occupancy(const T* in, T* out, int columns) {
  constexpr int kPacks = 4;
  __shared__ float warp_maxima[kThreads / 32];
  __shared__ float warp_sums[kThreads / 32];
  const int packs = columns / kPackOf<T>;
  const long long first = (long long)blockIdx.x * packs;
  uint4 held[kPacks];
  float largest =
      load_largest<T, kPacks, kHinted>(reinterpret_cast<const uint4*>(in) + first, packs, kThreads, held);
  largest = block_max_of<kThreads>(largest, warp_maxima);
  float sum = held_exponentials<T, kPacks>(packs, kThreads, held, largest);
  sum = block_sum_of<kThreads>(sum, warp_sums);
  const float scale = 1.0f / sum;
  store_held<T, kPacks>(reinterpret_cast<uint4*>(out) + first, packs, kThreads, held, largest, scale);
}
