// The dot product: the sum of a[i] * b[i]. Two streams come in, one number goes out: a multiplication before the same
// reduction.
//
// a, b: (n) each of T, beginning at any element; any n >= 1. out: (1), float. Any grid of blocks of kBlock threads,
// kBlock a multiple of 32 from 32 to 1024. The build contracts nothing: a multiplication and an addition that should
// round once are written as fmaf.
//
// Error: with k roundings on the longest path of a product (a thread's products, 5 + log2(warps), and the additions
// that join the blocks) at most k * 2^-24 * sum|a[i] * b[i]|, to first order: fmaf rounds once, and a product of two
// halves or two bfloat16s is exact in float. Further roundings are named at the kernel. A product or sum beyond the
// range of its type is infinite. If infinities of both signs are added, or an input is NaN, the result is NaN.

#include "streams.cuh"

// ---- One value of each a turn ----------------------------------------------------------------------------------
//
// out: zeroed by the caller; each block adds its sum to it by one atomic.

// f32, f16 or bf16, widened to f32 before the product: the product of two halves is exact.
template <class T, int kBlock>
__global__ void dot_product(const T* a, const T* b, float* out, long long n) {
  __shared__ float warp_sums[kBlock / 32];
  const long long stride = (long long)gridDim.x * kBlock;
  float sum = 0.0f;
  for (long long i = (long long)blockIdx.x * kBlock + threadIdx.x; i < n; i += stride) {
    sum = fmaf(widened(a[i]), widened(b[i]), sum);
  }
  sum = block_sum<kBlock>(sum, warp_sums);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

// Compared with dot_product of halves: the product is made in f16, and then widened. f32 cannot restore what this
// rounds away, up to 2^-11 of each product. A product beyond 65504 is infinite, one below 2^-25 is 0.
template <int kBlock>
__global__ void dot_product_rounded_f16(const __half* a, const __half* b, float* out, long long n) {
  __shared__ float warp_sums[kBlock / 32];
  const long long stride = (long long)gridDim.x * kBlock;
  float sum = 0.0f;
  for (long long i = (long long)blockIdx.x * kBlock + threadIdx.x; i < n; i += stride) {
    sum += __half2float(__hmul(a[i], b[i]));
  }
  sum = block_sum<kBlock>(sum, warp_sums);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

// ---- 16 bytes of each a turn -----------------------------------------------------------------------------------

// Compared with dot_product: 4 floats, 8 halves or 8 bfloat16s of each stream a load. out: zeroed by the caller.
template <class T, int kBlock>
__global__ void dot_product_packs(const T* a, const T* b, float* out, long long n) {
  __shared__ float warp_sums[kBlock / 32];
  float sum = thread_sum<T, kBlock, 1>(a, b, n);
  sum = block_sum<kBlock>(sum, warp_sums);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

// ---- One launch, the last block finishes -----------------------------------------------------------------------

// partials: (blocks). ticket: (1), zero before the first launch; each launch leaves it zero. Compared with
// dot_product_packs: kLoads packs of each stream in flight, and a grid of as many blocks as run at once. out need not
// be zeroed. The partial sums are added in the order of their indices: the same bits every run.
template <class T, int kBlock, int kLoads>
__global__ void __launch_bounds__(kBlock)
    dot_product_last_block(const T* a, const T* b, float* out, float* partials, unsigned* ticket, long long n) {
  __shared__ float warp_sums[kBlock / 32];
  __shared__ float last_sums[kBlock / 32];
  __shared__ bool is_last;
  const int thread = threadIdx.x;
  const int blocks = gridDim.x;
  float sum = thread_sum<T, kBlock, kLoads>(a, b, n);
  sum = block_sum<kBlock>(sum, warp_sums);
  if (thread == 0) {
    partials[blockIdx.x] = sum;
    // Other blocks must see the partial sum before the ticket. __threadfence orders this thread's accesses only.
    __threadfence();
    const unsigned before = atomicInc(ticket, blocks - 1);
    is_last = before == blocks - 1;
    // A thread that sees all tickets taken must also see all partial sums.
    __threadfence();
  }
  __syncthreads();
  if (!is_last) return;
  float total = 0.0f;
  for (int i = thread; i < blocks; i += kBlock) {
    total += partials[i];
  }
  total = block_sum<kBlock>(total, last_sums);
  if (thread == 0) *out = total;
}
