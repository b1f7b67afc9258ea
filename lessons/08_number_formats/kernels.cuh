// The same sum over six number formats: f32, f16, bf16, two kinds of fp8, and int8. The kernels differ in how many
// values one load brings, in which type a thread and its warp add (the accumulator), and in which type the warp sums
// are added (the second stage). The names say so: block_all_reduce_sum_f16x8_pack_f32 loads eight f16 values at once
// and adds them in f32; pack is one load of 16 bytes.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

// The mask that names lanes 0 to kWidth - 1.
template <int kWidth>
constexpr unsigned kFirstLanes = 0xffffffffu >> (32 - kWidth);

// Lanes of a block's first warp.
template <int kThreads>
constexpr int kLanes = kThreads < 32 ? kThreads : 32;

// Warps of a block.
template <int kThreads>
constexpr int kWarps = (kThreads + 31) / 32;

// ---- One warp --------------------------------------------------------------------------------------------------
//
// The sum, in each of lanes 0 to kWidth - 1, of one value a lane. Those lanes call together and no other lane with
// them; kWidth is a power of two, at most 32. A value goes through log2(kWidth) additions, each rounded to the
// accumulator: the error is at most log2(kWidth) * u * sum|x| to first order, where u is half the distance from 1 to
// the next number: 2^-24 in f32, 2^-11 in f16, 2^-8 in bf16. (Higham, Accuracy and Stability of Numerical Algorithms,
// chapter 4.) Beyond the largest number, 65504 in f16, a sum is infinite.

// f32 in f32.
template <int kWidth>
__device__ __forceinline__ float warp_reduce_sum_f32(float value) {
#pragma unroll
  for (int lane_mask = kWidth / 2; lane_mask > 0; lane_mask /= 2) {
    value += __shfl_xor_sync(kFirstLanes<kWidth>, value, lane_mask);
  }
  return value;
}

// f16 in f16.
template <int kWidth>
__device__ __forceinline__ half warp_reduce_sum_f16(half value) {
#pragma unroll
  for (int lane_mask = kWidth / 2; lane_mask > 0; lane_mask /= 2) {
    value += __shfl_xor_sync(kFirstLanes<kWidth>, value, lane_mask);
  }
  return value;
}

// bf16 in bf16.
template <int kWidth>
__device__ __forceinline__ __nv_bfloat16 warp_reduce_sum_bf16(__nv_bfloat16 value) {
#pragma unroll
  for (int lane_mask = kWidth / 2; lane_mask > 0; lane_mask /= 2) {
    value += __shfl_xor_sync(kFirstLanes<kWidth>, value, lane_mask);
  }
  return value;
}

// fp8 in f16: fp8 has no arithmetic of its own. Every fp8 number is an f16 number, so widening is exact.
template <int kWidth>
__device__ __forceinline__ half warp_reduce_sum_fp8_e4m3_f16(__nv_fp8_e4m3 value) {
  const half widened = static_cast<half>(value);
  return warp_reduce_sum_f16<kWidth>(widened);
}
template <int kWidth>
__device__ __forceinline__ half warp_reduce_sum_fp8_e5m2_f16(__nv_fp8_e5m2 value) {
  const half widened = static_cast<half>(value);
  return warp_reduce_sum_f16<kWidth>(widened);
}

// int in int: exact, as long as the sum fits.
template <int kWidth>
__device__ __forceinline__ int warp_reduce_sum_i32_i32(int value) {
#pragma unroll
  for (int lane_mask = kWidth / 2; lane_mask > 0; lane_mask /= 2) {
    value += __shfl_xor_sync(kFirstLanes<kWidth>, value, lane_mask);
  }
  return value;
}

// int8 in int: exact; a warp's sum is at most 32 * 128.
template <int kWidth>
__device__ __forceinline__ int warp_reduce_sum_i8_i32(signed char value) {
  const int widened = value;
  return warp_reduce_sum_i32_i32<kWidth>(widened);
}

// Kernels that store those sums. in: (n), any n >= 1. out: (slices), the sum of each slice of kWidth values, the last
// padded with zeros, in the accumulator's type. One block of kWidth threads a slice; kWidth is a power of two, at most
// 32.
template <int kWidth>
__global__ void warp_sums_f32(const float* in, float* out, int n) {
  const int index = blockIdx.x * kWidth + threadIdx.x;
  float value = index < n ? in[index] : 0.0f;
  value = warp_reduce_sum_f32<kWidth>(value);
  if (threadIdx.x == 0) out[blockIdx.x] = value;
}
template <int kWidth>
__global__ void warp_sums_f16(const half* in, half* out, int n) {
  const int index = blockIdx.x * kWidth + threadIdx.x;
  half value = index < n ? in[index] : half(0.0f);
  value = warp_reduce_sum_f16<kWidth>(value);
  if (threadIdx.x == 0) out[blockIdx.x] = value;
}
template <int kWidth>
__global__ void warp_sums_bf16(const __nv_bfloat16* in, __nv_bfloat16* out, int n) {
  const int index = blockIdx.x * kWidth + threadIdx.x;
  __nv_bfloat16 value = index < n ? in[index] : __nv_bfloat16(0.0f);
  value = warp_reduce_sum_bf16<kWidth>(value);
  if (threadIdx.x == 0) out[blockIdx.x] = value;
}
template <int kWidth>
__global__ void warp_sums_fp8_e4m3_f16(const __nv_fp8_e4m3* in, half* out, int n) {
  const int index = blockIdx.x * kWidth + threadIdx.x;
  const __nv_fp8_e4m3 value = index < n ? in[index] : __nv_fp8_e4m3(0.0f);
  const half sum = warp_reduce_sum_fp8_e4m3_f16<kWidth>(value);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
template <int kWidth>
__global__ void warp_sums_fp8_e5m2_f16(const __nv_fp8_e5m2* in, half* out, int n) {
  const int index = blockIdx.x * kWidth + threadIdx.x;
  const __nv_fp8_e5m2 value = index < n ? in[index] : __nv_fp8_e5m2(0.0f);
  const half sum = warp_reduce_sum_fp8_e5m2_f16<kWidth>(value);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
template <int kWidth>
__global__ void warp_sums_i8_i32(const signed char* in, int* out, int n) {
  const int index = blockIdx.x * kWidth + threadIdx.x;
  const signed char value = index < n ? in[index] : 0;
  const int sum = warp_reduce_sum_i8_i32<kWidth>(value);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
template <int kWidth>
__global__ void warp_sums_i32_i32(const int* in, int* out, int n) {
  const int index = blockIdx.x * kWidth + threadIdx.x;
  int value = index < n ? in[index] : 0;
  value = warp_reduce_sum_i32_i32<kWidth>(value);
  if (threadIdx.x == 0) out[blockIdx.x] = value;
}

// ---- One block, for every thread -------------------------------------------------------------------------------
//
// One value from each of a block's kThreads threads; every thread gets the result. kThreads is a multiple of 32, at
// most 1024. All calls share one array of warp results: put a barrier between two calls.

// The sum, in f32: at most 10 roundings deep, an error of at most 10 * 2^-24 * sum|x|.
template <int kThreads>
__device__ __forceinline__ float block_reduce_sum_f32(float value) {
  __shared__ float warp_sums[kThreads / 32];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  value = warp_reduce_sum_f32<32>(value);
  if (lane == 0) warp_sums[warp] = value;
  __syncthreads();
  value = lane < kThreads / 32 ? warp_sums[lane] : 0.0f;
  value = warp_reduce_sum_f32<32>(value);
  return value;
}

// The largest value: comparing rounds nothing. A NaN is ignored, as by fmaxf, unless all values are NaN.
template <int kThreads>
__device__ __forceinline__ float block_reduce_max_f32(float value) {
  __shared__ float warp_maxima[kThreads / 32];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int lane_mask = 16; lane_mask > 0; lane_mask /= 2) {
    value = fmaxf(value, __shfl_xor_sync(kFirstLanes<32>, value, lane_mask));
  }
  if (lane == 0) warp_maxima[warp] = value;
  __syncthreads();
  value = lane < kThreads / 32 ? warp_maxima[lane] : -INFINITY;
#pragma unroll
  for (int lane_mask = 16; lane_mask > 0; lane_mask /= 2) {
    value = fmaxf(value, __shfl_xor_sync(kFirstLanes<32>, value, lane_mask));
  }
  return value;
}

// in: (n), any n >= 1. out: (blocks * kThreads), what each thread holds: the result of its block. The last block is
// padded with 0, or with minus infinity for the largest.
template <int kThreads>
__global__ void block_sums_f32(const float* in, float* out, int n) {
  const int index = blockIdx.x * kThreads + threadIdx.x;
  float value = index < n ? in[index] : 0.0f;
  value = block_reduce_sum_f32<kThreads>(value);
  out[index] = value;
}
template <int kThreads>
__global__ void block_maxima_f32(const float* in, float* out, int n) {
  const int index = blockIdx.x * kThreads + threadIdx.x;
  float value = index < n ? in[index] : -INFINITY;
  value = block_reduce_max_f32<kThreads>(value);
  out[index] = value;
}

// ---- The second stage ------------------------------------------------------------------------------------------
//
// Adds the warp sums of a block of kThreads threads, and the result to *out. sum: lane 0 of each warp holds the warp's.
// kThreads is a power of two, at most 1024. log2(warps) additions, each rounded to the stage's type, which need not be
// the accumulator; then one atomic a block, in f32 (or int, which is exact).

template <int kThreads>
__device__ __forceinline__ void add_warp_sums_f32(float sum, float* out) {
  __shared__ float warp_sums[kWarps<kThreads>];
  const int thread = threadIdx.x;
  if (thread % 32 == 0) warp_sums[thread / 32] = sum;
  __syncthreads();
  if (thread < kWarps<kThreads>) {
    sum = warp_sums[thread];
    sum = warp_reduce_sum_f32<kWarps<kThreads>>(sum);
    if (thread == 0) atomicAdd(out, sum);
  }
}
template <int kThreads>
__device__ __forceinline__ void add_warp_sums_f16(half sum, float* out) {
  __shared__ half warp_sums[kWarps<kThreads>];
  const int thread = threadIdx.x;
  if (thread % 32 == 0) warp_sums[thread / 32] = sum;
  __syncthreads();
  if (thread < kWarps<kThreads>) {
    sum = warp_sums[thread];
    sum = warp_reduce_sum_f16<kWarps<kThreads>>(sum);
    if (thread == 0) atomicAdd(out, __half2float(sum));
  }
}
template <int kThreads>
__device__ __forceinline__ void add_warp_sums_bf16(__nv_bfloat16 sum, float* out) {
  __shared__ __nv_bfloat16 warp_sums[kWarps<kThreads>];
  const int thread = threadIdx.x;
  if (thread % 32 == 0) warp_sums[thread / 32] = sum;
  __syncthreads();
  if (thread < kWarps<kThreads>) {
    sum = warp_sums[thread];
    sum = warp_reduce_sum_bf16<kWarps<kThreads>>(sum);
    if (thread == 0) atomicAdd(out, __bfloat162float(sum));
  }
}
template <int kThreads>
__device__ __forceinline__ void add_warp_sums_i32(int sum, int* out) {
  __shared__ int warp_sums[kWarps<kThreads>];
  const int thread = threadIdx.x;
  if (thread % 32 == 0) warp_sums[thread / 32] = sum;
  __syncthreads();
  if (thread < kWarps<kThreads>) {
    sum = warp_sums[thread];
    sum = warp_reduce_sum_i32_i32<kWarps<kThreads>>(sum);
    if (thread == 0) atomicAdd(out, sum);
  }
}

// ---- All blocks: one sum ---------------------------------------------------------------------------------------
//
// in: (n), any n >= 1, beginning at any element. out: (1), zeroed by the caller; int for i8, f32 for all others. One
// block for each kValues values, by one atomic; kValues is 256, 512 or 1024. A block has kValues threads if a load
// brings one value, kValues / 2 if it brings two (x2), kValues / 16 for x16.
//
// A load of several values needs an address that is a multiple of its bytes. Values before the first such address (the
// head) and those after the last whole load (the tail) are loaded one by one: a thread takes at most one value of each.
//
// Error: with k1 additions on the longest path in the accumulator, of unit roundoff u1, k2 in the second stage, of u2,
// and blocks - 1 atomics in f32, at most (k1 * u1 + k2 * u2 + (blocks - 1) * 2^-24) * sum|x|, to first order. k1 counts
// a thread's own additions (0 for one value, 1 for x2, 2 for x4, 7 for x8, 15 for x16, one more for a value of the head
// and one for a value of the tail) and the rounds of its warp; k2 is log2(warps). Below, "u:" gives u1 and u2. (Values
// added one after another: Rump, Error estimation of floating-point summation and dot product, BIT 52, 2012; in a tree:
// Higham, as above.) Where a partial sum leaves the range of its type it is infinite; where infinities of both signs
// meet, or a NaN comes in, the sum is NaN.

// How the values divide into loads of kWide values each.
struct Split {
  int head;
  int packs;
  int tail;
};
template <int kWide, class T>
__device__ __forceinline__ Split split(const T* in, int n) {
  const int past = reinterpret_cast<size_t>(in) / sizeof(T) % kWide;
  const int head = min((kWide - past) % kWide, n);
  const int packs = (n - head) / kWide;
  return {head, packs, n - head - packs * kWide};
}

// f32, 1 value a load, accumulator f32, second stage f32. u: 2^-24, 2^-24.
template <int kValues>
__global__ void block_all_reduce_sum_f32_f32(const float* in, float* out, int n) {
  const int index = blockIdx.x * kValues + threadIdx.x;
  float sum = index < n ? in[index] : 0.0f;
  sum = warp_reduce_sum_f32<32>(sum);
  add_warp_sums_f32<kValues>(sum, out);
}

// As f32_f32, but any number of blocks, of kThreads threads: a thread takes one value a turn of a grid-stride loop. k1
// is a thread's turns - 1 and 5 more.
template <int kThreads>
__global__ void block_all_reduce_sum_f32x1_f32(const float* in, float* out, int n) {
  const int stride = gridDim.x * kThreads;
  float sum = 0.0f;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += stride) {
    sum += in[i];
  }
  sum = warp_reduce_sum_f32<32>(sum);
  add_warp_sums_f32<kThreads>(sum, out);
}

// f32, 4 values a load, accumulator f32, second stage f32. u: 2^-24, 2^-24. The four are added in pairs.
template <int kValues>
__global__ void block_all_reduce_sum_f32x4_f32(const float* in, float* out, int n) {
  constexpr int kThreads = kValues / 4;
  const int thread = blockIdx.x * kThreads + threadIdx.x;
  const Split parts = split<4>(in, n);
  float sum = 0.0f;
  if (thread < parts.packs) {
    const float4 pack = reinterpret_cast<const float4*>(in + parts.head)[thread];
    sum += (pack.x + pack.y) + (pack.z + pack.w);
  }
  if (thread < parts.head) sum += in[thread];
  if (thread < parts.tail) sum += in[n - parts.tail + thread];
  sum = warp_reduce_sum_f32<32>(sum);
  add_warp_sums_f32<kThreads>(sum, out);
}

// ---- f16 -------------------------------------------------------------------------------------------------------

// f16, 1 value a load, accumulator f16, second stage f32. u: 2^-11, 2^-24.
template <int kValues>
__global__ void block_all_reduce_sum_f16_f16(const half* in, float* out, int n) {
  const int index = blockIdx.x * kValues + threadIdx.x;
  half sum = index < n ? in[index] : half(0.0f);
  sum = warp_reduce_sum_f16<32>(sum);
  add_warp_sums_f32<kValues>(__half2float(sum), out);
}

// f16, 1 value a load, accumulator f32, second stage f32. u: 2^-24, 2^-24. Compared with f16_f16: widened first,
// exactly.
template <int kValues>
__global__ void block_all_reduce_sum_f16_f32(const half* in, float* out, int n) {
  const int index = blockIdx.x * kValues + threadIdx.x;
  float sum = index < n ? __half2float(in[index]) : 0.0f;
  sum = warp_reduce_sum_f32<32>(sum);
  add_warp_sums_f32<kValues>(sum, out);
}

// f16, 2 values a load (4 bytes), accumulator f16, second stage f32. u: 2^-11, 2^-24.
template <int kValues>
__global__ void block_all_reduce_sum_f16x2_f16(const half* in, float* out, int n) {
  constexpr int kThreads = kValues / 2;
  const int thread = blockIdx.x * kThreads + threadIdx.x;
  const Split parts = split<2>(in, n);
  half sum = half(0.0f);
  if (thread < parts.packs) {
    const half2 pair = reinterpret_cast<const half2*>(in + parts.head)[thread];
    sum += pair.x + pair.y;
  }
  if (thread < parts.head) sum += in[thread];
  if (thread < parts.tail) sum += in[n - parts.tail + thread];
  sum = warp_reduce_sum_f16<32>(sum);
  add_warp_sums_f32<kThreads>(__half2float(sum), out);
}

// f16, 2 values a load, accumulator f32, second stage f32. u: 2^-24, 2^-24, and 2^-11 once: the pair is added in f16,
// and only its sum is widened. No later f32 addition restores what this one rounds away.
template <int kValues>
__global__ void block_all_reduce_sum_f16x2_f32(const half* in, float* out, int n) {
  constexpr int kThreads = kValues / 2;
  const int thread = blockIdx.x * kThreads + threadIdx.x;
  const Split parts = split<2>(in, n);
  float sum = 0.0f;
  if (thread < parts.packs) {
    const half2 pair = reinterpret_cast<const half2*>(in + parts.head)[thread];
    sum += __half2float(pair.x + pair.y);
  }
  if (thread < parts.head) sum += __half2float(in[thread]);
  if (thread < parts.tail) sum += __half2float(in[n - parts.tail + thread]);
  sum = warp_reduce_sum_f32<32>(sum);
  add_warp_sums_f32<kThreads>(sum, out);
}

// f16, 2 values a load, accumulator f32, second stage f32. u: 2^-24, 2^-24. Compared with f16x2_f32: both values of
// a pair are widened first, and added in f32.
template <int kValues>
__global__ void block_all_reduce_sum_f16x2_f32_widened(const half* in, float* out, int n) {
  constexpr int kThreads = kValues / 2;
  const int thread = blockIdx.x * kThreads + threadIdx.x;
  const Split parts = split<2>(in, n);
  float sum = 0.0f;
  if (thread < parts.packs) {
    const half2 pair = reinterpret_cast<const half2*>(in + parts.head)[thread];
    sum += __half2float(pair.x) + __half2float(pair.y);
  }
  if (thread < parts.head) sum += __half2float(in[thread]);
  if (thread < parts.tail) sum += __half2float(in[n - parts.tail + thread]);
  sum = warp_reduce_sum_f32<32>(sum);
  add_warp_sums_f32<kThreads>(sum, out);
}

// f16, 8 values a load (16 bytes), accumulator f16, second stage f32. u: 2^-11, 2^-24. One by one, in order.
template <int kValues>
__global__ void block_all_reduce_sum_f16x8_pack_f16(const half* in, float* out, int n) {
  constexpr int kThreads = kValues / 8;
  const int thread = blockIdx.x * kThreads + threadIdx.x;
  const Split parts = split<8>(in, n);
  half sum = half(0.0f);
  if (thread < parts.packs) {
    const uint4 pack = reinterpret_cast<const uint4*>(in + parts.head)[thread];
    const half* values = reinterpret_cast<const half*>(&pack);
#pragma unroll
    for (int i = 0; i < 8; ++i) sum += values[i];
  }
  if (thread < parts.head) sum += in[thread];
  if (thread < parts.tail) sum += in[n - parts.tail + thread];
  sum = warp_reduce_sum_f16<kLanes<kThreads>>(sum);
  add_warp_sums_f32<kThreads>(__half2float(sum), out);
}

// f16, 8 values a load, accumulator f32, second stage f32. u: 2^-24, 2^-24.
template <int kValues>
__global__ void block_all_reduce_sum_f16x8_pack_f32(const half* in, float* out, int n) {
  constexpr int kThreads = kValues / 8;
  const int thread = blockIdx.x * kThreads + threadIdx.x;
  const Split parts = split<8>(in, n);
  float sum = 0.0f;
  if (thread < parts.packs) {
    const uint4 pack = reinterpret_cast<const uint4*>(in + parts.head)[thread];
    const half* values = reinterpret_cast<const half*>(&pack);
#pragma unroll
    for (int i = 0; i < 8; ++i) sum += __half2float(values[i]);
  }
  if (thread < parts.head) sum += __half2float(in[thread]);
  if (thread < parts.tail) sum += __half2float(in[n - parts.tail + thread]);
  sum = warp_reduce_sum_f32<kLanes<kThreads>>(sum);
  add_warp_sums_f32<kThreads>(sum, out);
}

// f16, 1 value a turn of a grid-stride loop, accumulator f16, second stage f32. u: 2^-11, 2^-24. Any number of
// blocks, of kThreads threads. k1 is a thread's turns - 1 and 5 more: a long run can stop growing.
template <int kThreads>
__global__ void block_all_reduce_sum_f16x1_f16(const half* in, float* out, int n) {
  const int stride = gridDim.x * kThreads;
  half sum = half(0.0f);
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += stride) {
    sum += in[i];
  }
  sum = warp_reduce_sum_f16<32>(sum);
  add_warp_sums_f32<kThreads>(__half2float(sum), out);
}

// As f16x1_f16, but accumulator f32. u: 2^-24, 2^-24.
template <int kThreads>
__global__ void block_all_reduce_sum_f16x1_f32(const half* in, float* out, int n) {
  const int stride = gridDim.x * kThreads;
  float sum = 0.0f;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += stride) {
    sum += __half2float(in[i]);
  }
  sum = warp_reduce_sum_f32<32>(sum);
  add_warp_sums_f32<kThreads>(sum, out);
}

// ---- bf16 ------------------------------------------------------------------------------------------------------
//
// As for f16, in the same order. The second stage of a bf16 accumulator is bf16, too.

// bf16, 1 value a load, accumulator bf16, second stage bf16. u: 2^-8, 2^-8.
template <int kValues>
__global__ void block_all_reduce_sum_bf16_bf16(const __nv_bfloat16* in, float* out, int n) {
  const int index = blockIdx.x * kValues + threadIdx.x;
  __nv_bfloat16 sum = index < n ? in[index] : __nv_bfloat16(0.0f);
  sum = warp_reduce_sum_bf16<32>(sum);
  add_warp_sums_bf16<kValues>(sum, out);
}

// bf16, 1 value a load, accumulator f32, second stage f32. u: 2^-24, 2^-24. Compared with bf16_bf16: widened first,
// exactly.
template <int kValues>
__global__ void block_all_reduce_sum_bf16_f32(const __nv_bfloat16* in, float* out, int n) {
  const int index = blockIdx.x * kValues + threadIdx.x;
  float sum = index < n ? __bfloat162float(in[index]) : 0.0f;
  sum = warp_reduce_sum_f32<32>(sum);
  add_warp_sums_f32<kValues>(sum, out);
}

// bf16, 2 values a load (4 bytes), accumulator bf16, second stage bf16. u: 2^-8, 2^-8.
template <int kValues>
__global__ void block_all_reduce_sum_bf16x2_bf16(const __nv_bfloat16* in, float* out, int n) {
  constexpr int kThreads = kValues / 2;
  const int thread = blockIdx.x * kThreads + threadIdx.x;
  const Split parts = split<2>(in, n);
  __nv_bfloat16 sum = __nv_bfloat16(0.0f);
  if (thread < parts.packs) {
    const __nv_bfloat162 pair = reinterpret_cast<const __nv_bfloat162*>(in + parts.head)[thread];
    sum += pair.x + pair.y;
  }
  if (thread < parts.head) sum += in[thread];
  if (thread < parts.tail) sum += in[n - parts.tail + thread];
  sum = warp_reduce_sum_bf16<32>(sum);
  add_warp_sums_bf16<kThreads>(sum, out);
}

// bf16, 2 values a load, accumulator f32, second stage f32. u: 2^-24, 2^-24, and 2^-8 once: the pair is added in bf16,
// and only its sum is widened. No later f32 addition restores what this one rounds away.
template <int kValues>
__global__ void block_all_reduce_sum_bf16x2_f32(const __nv_bfloat16* in, float* out, int n) {
  constexpr int kThreads = kValues / 2;
  const int thread = blockIdx.x * kThreads + threadIdx.x;
  const Split parts = split<2>(in, n);
  float sum = 0.0f;
  if (thread < parts.packs) {
    const __nv_bfloat162 pair = reinterpret_cast<const __nv_bfloat162*>(in + parts.head)[thread];
    sum += __bfloat162float(pair.x + pair.y);
  }
  if (thread < parts.head) sum += __bfloat162float(in[thread]);
  if (thread < parts.tail) sum += __bfloat162float(in[n - parts.tail + thread]);
  sum = warp_reduce_sum_f32<32>(sum);
  add_warp_sums_f32<kThreads>(sum, out);
}

// bf16, 2 values a load, accumulator f32, second stage f32. u: 2^-24, 2^-24. Compared with bf16x2_f32: both values of
// a pair are widened first, and added in f32.
template <int kValues>
__global__ void block_all_reduce_sum_bf16x2_f32_widened(const __nv_bfloat16* in, float* out, int n) {
  constexpr int kThreads = kValues / 2;
  const int thread = blockIdx.x * kThreads + threadIdx.x;
  const Split parts = split<2>(in, n);
  float sum = 0.0f;
  if (thread < parts.packs) {
    const __nv_bfloat162 pair = reinterpret_cast<const __nv_bfloat162*>(in + parts.head)[thread];
    sum += __bfloat162float(pair.x) + __bfloat162float(pair.y);
  }
  if (thread < parts.head) sum += __bfloat162float(in[thread]);
  if (thread < parts.tail) sum += __bfloat162float(in[n - parts.tail + thread]);
  sum = warp_reduce_sum_f32<32>(sum);
  add_warp_sums_f32<kThreads>(sum, out);
}

// bf16, 8 values a load (16 bytes), accumulator bf16, second stage bf16. u: 2^-8, 2^-8. One by one, in order.
template <int kValues>
__global__ void block_all_reduce_sum_bf16x8_pack_bf16(const __nv_bfloat16* in, float* out, int n) {
  constexpr int kThreads = kValues / 8;
  const int thread = blockIdx.x * kThreads + threadIdx.x;
  const Split parts = split<8>(in, n);
  __nv_bfloat16 sum = __nv_bfloat16(0.0f);
  if (thread < parts.packs) {
    const uint4 pack = reinterpret_cast<const uint4*>(in + parts.head)[thread];
    const __nv_bfloat16* values = reinterpret_cast<const __nv_bfloat16*>(&pack);
#pragma unroll
    for (int i = 0; i < 8; ++i) sum += values[i];
  }
  if (thread < parts.head) sum += in[thread];
  if (thread < parts.tail) sum += in[n - parts.tail + thread];
  sum = warp_reduce_sum_bf16<kLanes<kThreads>>(sum);
  add_warp_sums_bf16<kThreads>(sum, out);
}

// bf16, 8 values a load, accumulator f32, second stage f32. u: 2^-24, 2^-24.
template <int kValues>
__global__ void block_all_reduce_sum_bf16x8_pack_f32(const __nv_bfloat16* in, float* out, int n) {
  constexpr int kThreads = kValues / 8;
  const int thread = blockIdx.x * kThreads + threadIdx.x;
  const Split parts = split<8>(in, n);
  float sum = 0.0f;
  if (thread < parts.packs) {
    const uint4 pack = reinterpret_cast<const uint4*>(in + parts.head)[thread];
    const __nv_bfloat16* values = reinterpret_cast<const __nv_bfloat16*>(&pack);
#pragma unroll
    for (int i = 0; i < 8; ++i) sum += __bfloat162float(values[i]);
  }
  if (thread < parts.head) sum += __bfloat162float(in[thread]);
  if (thread < parts.tail) sum += __bfloat162float(in[n - parts.tail + thread]);
  sum = warp_reduce_sum_f32<kLanes<kThreads>>(sum);
  add_warp_sums_f32<kThreads>(sum, out);
}

// bf16, 1 value a turn of a grid-stride loop, accumulator bf16, second stage bf16. u: 2^-8, 2^-8. Any number of
// blocks, of kThreads threads. k1 is a thread's turns - 1 and 5 more: a long run can stop growing.
template <int kThreads>
__global__ void block_all_reduce_sum_bf16x1_bf16(const __nv_bfloat16* in, float* out, int n) {
  const int stride = gridDim.x * kThreads;
  __nv_bfloat16 sum = __nv_bfloat16(0.0f);
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += stride) {
    sum += in[i];
  }
  sum = warp_reduce_sum_bf16<32>(sum);
  add_warp_sums_bf16<kThreads>(sum, out);
}

// ---- fp8 -------------------------------------------------------------------------------------------------------
//
// e4m3 reaches 448 and has no infinity; e5m2 reaches 57344, has f16's exponent range and an infinity. f16 represents
// every number of both.

// fp8 e4m3, 1 value a load, accumulator f16, second stage f16. u: 2^-11, 2^-11.
template <int kValues>
__global__ void block_all_reduce_sum_fp8_e4m3_f16(const __nv_fp8_e4m3* in, float* out, int n) {
  const int index = blockIdx.x * kValues + threadIdx.x;
  const __nv_fp8_e4m3 value = index < n ? in[index] : __nv_fp8_e4m3(0.0f);
  const half sum = warp_reduce_sum_fp8_e4m3_f16<32>(value);
  add_warp_sums_f16<kValues>(sum, out);
}

// fp8 e4m3, 16 values a load (16 bytes), accumulator f16, second stage f16. u: 2^-11, 2^-11. One by one, in order.
template <int kValues>
__global__ void block_all_reduce_sum_fp8_e4m3x16_pack_f16(const __nv_fp8_e4m3* in, float* out, int n) {
  constexpr int kThreads = kValues / 16;
  const int thread = blockIdx.x * kThreads + threadIdx.x;
  const Split parts = split<16>(in, n);
  half sum = half(0.0f);
  if (thread < parts.packs) {
    const uint4 pack = reinterpret_cast<const uint4*>(in + parts.head)[thread];
    const __nv_fp8_e4m3* values = reinterpret_cast<const __nv_fp8_e4m3*>(&pack);
#pragma unroll
    for (int i = 0; i < 16; ++i) sum += static_cast<half>(values[i]);
  }
  if (thread < parts.head) sum += static_cast<half>(in[thread]);
  if (thread < parts.tail) sum += static_cast<half>(in[n - parts.tail + thread]);
  sum = warp_reduce_sum_f16<kLanes<kThreads>>(sum);
  add_warp_sums_f16<kThreads>(sum, out);
}

// fp8 e5m2, 1 value a load, accumulator f16, second stage f16. u: 2^-11, 2^-11.
template <int kValues>
__global__ void block_all_reduce_sum_fp8_e5m2_f16(const __nv_fp8_e5m2* in, float* out, int n) {
  const int index = blockIdx.x * kValues + threadIdx.x;
  const __nv_fp8_e5m2 value = index < n ? in[index] : __nv_fp8_e5m2(0.0f);
  const half sum = warp_reduce_sum_fp8_e5m2_f16<32>(value);
  add_warp_sums_f16<kValues>(sum, out);
}

// fp8 e5m2, 16 values a load (16 bytes), accumulator f16, second stage f16. u: 2^-11, 2^-11. One by one, in order.
template <int kValues>
__global__ void block_all_reduce_sum_fp8_e5m2x16_pack_f16(const __nv_fp8_e5m2* in, float* out, int n) {
  constexpr int kThreads = kValues / 16;
  const int thread = blockIdx.x * kThreads + threadIdx.x;
  const Split parts = split<16>(in, n);
  half sum = half(0.0f);
  if (thread < parts.packs) {
    const uint4 pack = reinterpret_cast<const uint4*>(in + parts.head)[thread];
    const __nv_fp8_e5m2* values = reinterpret_cast<const __nv_fp8_e5m2*>(&pack);
#pragma unroll
    for (int i = 0; i < 16; ++i) sum += static_cast<half>(values[i]);
  }
  if (thread < parts.head) sum += static_cast<half>(in[thread]);
  if (thread < parts.tail) sum += static_cast<half>(in[n - parts.tail + thread]);
  sum = warp_reduce_sum_f16<kLanes<kThreads>>(sum);
  add_warp_sums_f16<kThreads>(sum, out);
}

// ---- int8 ------------------------------------------------------------------------------------------------------

// int8, 1 value a load, accumulator int, second stage int: exact while the sum fits an int.
template <int kValues>
__global__ void block_all_reduce_sum_i8_i32(const signed char* in, int* out, int n) {
  const int index = blockIdx.x * kValues + threadIdx.x;
  const signed char value = index < n ? in[index] : 0;
  const int sum = warp_reduce_sum_i8_i32<32>(value);
  add_warp_sums_i32<kValues>(sum, out);
}

// int8, 16 values a load (16 bytes), accumulator int, second stage int: exact while the sum fits an int.
template <int kValues>
__global__ void block_all_reduce_sum_i8x16_pack_i32(const signed char* in, int* out, int n) {
  constexpr int kThreads = kValues / 16;
  const int thread = blockIdx.x * kThreads + threadIdx.x;
  const Split parts = split<16>(in, n);
  int sum = 0;
  if (thread < parts.packs) {
    const uint4 pack = reinterpret_cast<const uint4*>(in + parts.head)[thread];
    const signed char* values = reinterpret_cast<const signed char*>(&pack);
#pragma unroll
    for (int i = 0; i < 16; ++i) sum += values[i];
  }
  if (thread < parts.head) sum += in[thread];
  if (thread < parts.tail) sum += in[n - parts.tail + thread];
  sum = warp_reduce_sum_i32_i32<kLanes<kThreads>>(sum);
  add_warp_sums_i32<kThreads>(sum, out);
}

// ---- Where the bytes decide ------------------------------------------------------------------------------------
//
// One 16-byte load a turn of a grid-stride loop, unrolled by four; accumulator f32 for all floating-point formats, int
// for int8. Few blocks, all of them resident at once, one atomic each: over many values the time is that of the loads.
// in, out and error as above; any number of blocks of kThreads threads, a power of two from 32 to 1024. k1 is a
// thread's values - 1 (f32: two for each load and its turns - 1), one more each for a value of the head and of the
// tail, and the rounds of its warp. u: 2^-24, 2^-24.

// f32, 4 values a load: the four are added in pairs.
template <int kThreads>
__global__ void block_all_reduce_sum_f32x4_runs_f32(const float* in, float* out, int n) {
  const Split parts = split<4>(in, n);
  const int thread = blockIdx.x * kThreads + threadIdx.x;
  const int stride = gridDim.x * kThreads;
  float sum = 0.0f;
#pragma unroll 4
  for (int i = thread; i < parts.packs; i += stride) {
    const float4 pack = reinterpret_cast<const float4*>(in + parts.head)[i];
    sum += (pack.x + pack.y) + (pack.z + pack.w);
  }
  if (thread < parts.head) sum += in[thread];
  if (thread < parts.tail) sum += in[n - parts.tail + thread];
  sum = warp_reduce_sum_f32<32>(sum);
  add_warp_sums_f32<kThreads>(sum, out);
}

// f16, 8 values a load, each widened first.
template <int kThreads>
__global__ void block_all_reduce_sum_f16x8_pack_runs_f32(const half* in, float* out, int n) {
  const Split parts = split<8>(in, n);
  const int thread = blockIdx.x * kThreads + threadIdx.x;
  const int stride = gridDim.x * kThreads;
  float sum = 0.0f;
#pragma unroll 4
  for (int i = thread; i < parts.packs; i += stride) {
    const uint4 pack = reinterpret_cast<const uint4*>(in + parts.head)[i];
    const half* values = reinterpret_cast<const half*>(&pack);
#pragma unroll
    for (int k = 0; k < 8; ++k) sum += __half2float(values[k]);
  }
  if (thread < parts.head) sum += __half2float(in[thread]);
  if (thread < parts.tail) sum += __half2float(in[n - parts.tail + thread]);
  sum = warp_reduce_sum_f32<32>(sum);
  add_warp_sums_f32<kThreads>(sum, out);
}

// bf16, 8 values a load, each widened first.
template <int kThreads>
__global__ void block_all_reduce_sum_bf16x8_pack_runs_f32(const __nv_bfloat16* in, float* out, int n) {
  const Split parts = split<8>(in, n);
  const int thread = blockIdx.x * kThreads + threadIdx.x;
  const int stride = gridDim.x * kThreads;
  float sum = 0.0f;
#pragma unroll 4
  for (int i = thread; i < parts.packs; i += stride) {
    const uint4 pack = reinterpret_cast<const uint4*>(in + parts.head)[i];
    const __nv_bfloat16* values = reinterpret_cast<const __nv_bfloat16*>(&pack);
#pragma unroll
    for (int k = 0; k < 8; ++k) sum += __bfloat162float(values[k]);
  }
  if (thread < parts.head) sum += __bfloat162float(in[thread]);
  if (thread < parts.tail) sum += __bfloat162float(in[n - parts.tail + thread]);
  sum = warp_reduce_sum_f32<32>(sum);
  add_warp_sums_f32<kThreads>(sum, out);
}

// fp8 e4m3, 16 values a load, each widened first.
template <int kThreads>
__global__ void block_all_reduce_sum_fp8_e4m3x16_pack_runs_f32(const __nv_fp8_e4m3* in, float* out, int n) {
  const Split parts = split<16>(in, n);
  const int thread = blockIdx.x * kThreads + threadIdx.x;
  const int stride = gridDim.x * kThreads;
  float sum = 0.0f;
#pragma unroll 4
  for (int i = thread; i < parts.packs; i += stride) {
    const uint4 pack = reinterpret_cast<const uint4*>(in + parts.head)[i];
    const __nv_fp8_e4m3* values = reinterpret_cast<const __nv_fp8_e4m3*>(&pack);
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += static_cast<float>(values[k]);
  }
  if (thread < parts.head) sum += static_cast<float>(in[thread]);
  if (thread < parts.tail) sum += static_cast<float>(in[n - parts.tail + thread]);
  sum = warp_reduce_sum_f32<32>(sum);
  add_warp_sums_f32<kThreads>(sum, out);
}

// int8, 16 values a load, accumulator and second stage int: exact while the sum fits an int.
template <int kThreads>
__global__ void block_all_reduce_sum_i8x16_pack_runs_i32(const signed char* in, int* out, int n) {
  const Split parts = split<16>(in, n);
  const int thread = blockIdx.x * kThreads + threadIdx.x;
  const int stride = gridDim.x * kThreads;
  int sum = 0;
#pragma unroll 4
  for (int i = thread; i < parts.packs; i += stride) {
    const uint4 pack = reinterpret_cast<const uint4*>(in + parts.head)[i];
    const signed char* values = reinterpret_cast<const signed char*>(&pack);
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += values[k];
  }
  if (thread < parts.head) sum += in[thread];
  if (thread < parts.tail) sum += in[n - parts.tail + thread];
  sum = warp_reduce_sum_i32_i32<32>(sum);
  add_warp_sums_i32<kThreads>(sum, out);
}
