// A softmax over one vector that needs a barrier of the whole grid: launched cooperatively, on GPUs of sm_80 and
// later. Not emulated: the emulator runs one block after the other.

#include <cooperative_groups.h>

#include "rows.cuh"

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
