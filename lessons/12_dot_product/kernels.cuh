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

#include <cuda_bf16.h>
#include <cuda_fp16.h>

constexpr unsigned kFullWarp = 0xffffffffu;

// The least power of two that is not below kCount, for kCount of 1 to 32.
template <int kCount>
constexpr int kPowerOfTwo =
    kCount > 16 ? 32 : kCount > 8 ? 16 : kCount > 4 ? 8 : kCount > 2 ? 4 : kCount > 1 ? 2 : 1;

// The sum, in every lane, of each group of kWidth lanes.
template <int kWidth>
__device__ __forceinline__ float sum_xor(float value) {
#pragma unroll
  for (int lane_mask = kWidth / 2; lane_mask > 0; lane_mask /= 2) {
    value += __shfl_xor_sync(kFullWarp, value, lane_mask);
  }
  return value;
}

// The sum of a block's kBlock values, in the lanes of warp 0. warp_sums: shared memory, a float for each warp.
template <int kBlock>
__device__ __forceinline__ float block_sum(float value, float* warp_sums) {
  constexpr int kWarps = kBlock / 32;
  const int thread = threadIdx.x;
  value = sum_xor<32>(value);
  if (thread % 32 == 0) warp_sums[thread / 32] = value;
  __syncthreads();
  if (thread < 32) {
    value = thread < kWarps ? warp_sums[thread] : 0.0f;
    value = sum_xor<kPowerOfTwo<kWarps>>(value);
  }
  return value;
}

__device__ __forceinline__ float widened(float value) { return value; }
__device__ __forceinline__ float widened(__half value) { return __half2float(value); }
__device__ __forceinline__ float widened(__nv_bfloat16 value) { return __bfloat162float(value); }

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

// Adds the products of two packs of 16 bytes to a sum, in the order of their values.
template <class T>
__device__ __forceinline__ float add_products(const uint4& pack_a, const uint4& pack_b, float sum) {
  const T* a = reinterpret_cast<const T*>(&pack_a);
  const T* b = reinterpret_cast<const T*>(&pack_b);
#pragma unroll
  for (int k = 0; k < 16 / sizeof(T); ++k) sum = fmaf(widened(a[k]), widened(b[k]), sum);
  return sum;
}

// Where both streams have whole packs of 16 bytes: only if both begin equally far after a multiple of 16 bytes. Else
// there are no packs, and every value is taken by itself.
template <class T>
struct Packs {
  long long head;   // values before the first pack
  long long count;
  long long tail;   // the first value after the last pack
  __device__ __forceinline__ Packs(const T* a, const T* b, long long n) {
    constexpr int kPack = 16 / sizeof(T);
    const int past_a = reinterpret_cast<size_t>(a) / sizeof(T) % kPack;
    const int past_b = reinterpret_cast<size_t>(b) / sizeof(T) % kPack;
    head = past_a == past_b ? min((long long)((kPack - past_a) % kPack), n) : n;
    count = (n - head) / kPack;
    tail = head + count * kPack;
  }
};

// The sum of one thread of the grid: every stride-th pack of each stream, where the stride is the number of threads;
// then its values outside of the packs. kLoads packs of each stream are in flight before the first is used.
template <class T, int kBlock, int kLoads>
__device__ __forceinline__ float thread_sum(const T* a, const T* b, long long n) {
  const Packs<T> packs(a, b, n);
  const long long stride = (long long)gridDim.x * kBlock;
  const long long thread = (long long)blockIdx.x * kBlock + threadIdx.x;
  const uint4* packs_a = reinterpret_cast<const uint4*>(a + packs.head);
  const uint4* packs_b = reinterpret_cast<const uint4*>(b + packs.head);
  float sum = 0.0f;
  for (long long i = thread; i < packs.count; i += kLoads * stride) {
    uint4 pack_a[kLoads];
    uint4 pack_b[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      pack_a[k] = make_uint4(0, 0, 0, 0);
      pack_b[k] = make_uint4(0, 0, 0, 0);
      if (i + k * stride < packs.count) pack_a[k] = packs_a[i + k * stride];
      if (i + k * stride < packs.count) pack_b[k] = packs_b[i + k * stride];
    }
#pragma unroll
    for (int k = 0; k < kLoads; ++k) sum = add_products<T>(pack_a[k], pack_b[k], sum);
  }
  for (long long i = thread; i < packs.head; i += stride) {
    sum = fmaf(widened(a[i]), widened(b[i]), sum);
  }
  for (long long i = packs.tail + thread; i < n; i += stride) {
    sum = fmaf(widened(a[i]), widened(b[i]), sum);
  }
  return sum;
}

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
