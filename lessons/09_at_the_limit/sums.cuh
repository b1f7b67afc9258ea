// What the kernels of this folder share: the sum of a thread's share of the input, and the sum of a block.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

constexpr unsigned kFullWarp = 0xffffffffu;

// The smallest power of two that is at least kCount, for kCount of 1 to 32.
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

// The sum of the values that lane 0 of each warp holds, in the lanes of warp 0. One barrier. warp_sums: shared, a float
// for each warp. A kernel that calls this twice needs two arrays: warp 0 may still read the first.
template <int kBlock>
__device__ __forceinline__ float join_warps(float value, float* warp_sums) {
  constexpr int kWarps = kBlock / 32;
  const int thread = threadIdx.x;
  if (thread % 32 == 0) warp_sums[thread / 32] = value;
  __syncthreads();
  if (thread < 32) {
    value = thread < kWarps ? warp_sums[thread] : 0.0f;
    value = sum_xor<kPowerOfTwo<kWarps>>(value);
  }
  return value;
}

// The sum of a block's kBlock values, in the lanes of warp 0.
template <int kBlock>
__device__ __forceinline__ float block_sum(float value, float* warp_sums) {
  value = sum_xor<32>(value);
  return join_warps<kBlock>(value, warp_sums);
}

__device__ __forceinline__ float widened(float value) { return value; }
__device__ __forceinline__ float widened(__half value) { return __half2float(value); }
__device__ __forceinline__ float widened(__nv_bfloat16 value) { return __bfloat162float(value); }

// The sum in float of the 16 bytes that one load brings: 4 floats, or 8 halves or bfloat16s, each widened first.
template <class T>
__device__ __forceinline__ float pack_sum(float4 pack);

template <>
__device__ __forceinline__ float pack_sum<float>(float4 pack) {
  return (pack.x + pack.y) + (pack.z + pack.w);
}

template <>
__device__ __forceinline__ float pack_sum<__half>(float4 pack) {
  const __half2* pairs = reinterpret_cast<const __half2*>(&pack);
  const float2 a = __half22float2(pairs[0]);
  const float2 b = __half22float2(pairs[1]);
  const float2 c = __half22float2(pairs[2]);
  const float2 d = __half22float2(pairs[3]);
  return ((a.x + a.y) + (b.x + b.y)) + ((c.x + c.y) + (d.x + d.y));
}

template <>
__device__ __forceinline__ float pack_sum<__nv_bfloat16>(float4 pack) {
  const __nv_bfloat162* pairs = reinterpret_cast<const __nv_bfloat162*>(&pack);
  const float2 a = __bfloat1622float2(pairs[0]);
  const float2 b = __bfloat1622float2(pairs[1]);
  const float2 c = __bfloat1622float2(pairs[2]);
  const float2 d = __bfloat1622float2(pairs[3]);
  return ((a.x + a.y) + (b.x + b.y)) + ((c.x + c.y) + (d.x + d.y));
}

// Where the whole packs of 16 bytes lie in n values that may begin anywhere.
template <class T>
struct Packs {
  const float4* first;
  long long count;
  int head;  // values before the first pack, fewer than a pack holds
  int tail;  // values after the last
  __device__ __forceinline__ Packs(const T* in, long long n) {
    constexpr int kPack = 16 / sizeof(T);
    const int past = reinterpret_cast<size_t>(in) / sizeof(T) % kPack;
    head = min((long long)((kPack - past) % kPack), n);
    count = (n - head) / kPack;
    tail = n - head - count * kPack;
    first = reinterpret_cast<const float4*>(in + head);
  }
};

// The sum of one thread of the grid: every stride-th pack, where the stride is the number of threads. The first threads
// also take a value of the head and one of the tail. kLoads loads are in flight before the first value is added.
template <class T, int kBlock, int kLoads>
__device__ __forceinline__ float thread_sum(const T* in, long long n) {
  const Packs<T> packs(in, n);
  const long long stride = (long long)gridDim.x * kBlock;
  const long long thread = (long long)blockIdx.x * kBlock + threadIdx.x;
  float sum = 0.0f;
  if (thread < packs.head) sum += widened(in[thread]);
  if (thread < packs.tail) sum += widened(in[n - packs.tail + thread]);
  long long i = thread;
  for (; i + (kLoads - 1) * stride < packs.count; i += kLoads * stride) {
    float4 pack[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) pack[k] = packs.first[i + k * stride];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) sum += pack_sum<T>(pack[k]);
  }
  // Fewer than kLoads packs are left. They too are all loaded before the first is added.
  if (i < packs.count) {
    float4 pack[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      pack[k] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
      if (i + k * stride < packs.count) pack[k] = packs.first[i + k * stride];
    }
#pragma unroll
    for (int k = 0; k < kLoads; ++k) sum += pack_sum<T>(pack[k]);
  }
  return sum;
}
