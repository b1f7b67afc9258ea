// What the kernels of this folder share: the sum of a block, and the products that one thread adds. a, b, n, kBlock as
// in kernels.cuh.

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

// Adds to a thread's sum the products outside of the packs, those before them first: every stride-th, from `thread` on.
template <class T>
__device__ __forceinline__ float add_outside(const Packs<T>& packs, const T* a, const T* b, long long n,
                                             long long thread, long long stride, float sum) {
  for (long long i = thread; i < packs.head; i += stride) {
    sum = fmaf(widened(a[i]), widened(b[i]), sum);
  }
  for (long long i = packs.tail + thread; i < n; i += stride) {
    sum = fmaf(widened(a[i]), widened(b[i]), sum);
  }
  return sum;
}

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
  return add_outside(packs, a, b, n, thread, stride, sum);
}
