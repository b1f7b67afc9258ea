// CUDA's own types and functions, each thread on numbers of its own.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>
#include <device_launch_parameters.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <math_constants.h>
#include <vector_types.h>
#include <vector_functions.h>
#include <sm_20_intrinsics.h>
#include <sm_30_intrinsics.h>
#include <sm_61_intrinsics.h>
#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <float.h>
#include <limits>
#include <stdint.h>
#include <stdio.h>
#include <type_traits>

// a * b + c, rounded once. CUDA has no such intrinsic for bfloat16 before sm_80: there it is rounded to a float first,
// which differs only where that falls halfway between two bfloat16s.
template <class T>
__device__ T fused(T a, T b, T c) {
  return __hfma(a, b, c);
}
template <class T>
__device__ T fused_pair(T a, T b, T c) {
  return __hfma2(a, b, c);
}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
template <>
__device__ inline __nv_bfloat16 fused(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return __float2bfloat16_rn(fmaf(__bfloat162float(a), __bfloat162float(b), __bfloat162float(c)));
}
template <>
__device__ inline __nv_bfloat162 fused_pair(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return __halves2bfloat162(fused(__low2bfloat16(a), __low2bfloat16(b), __low2bfloat16(c)),
                            fused(__high2bfloat16(a), __high2bfloat16(b), __high2bfloat16(c)));
}
#endif

// in: 3 for each thread. out: 12.
template <class T>
__global__ void arithmetic(const T* in, T* out, unsigned* holds) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const T a = in[3 * thread], b = in[3 * thread + 1], c = in[3 * thread + 2];
  T* mine = out + 12 * thread;
  mine[0] = a + b;
  mine[1] = a - b;
  mine[2] = a * b;
  mine[3] = a / b;
  mine[4] = fused(a, b, c);
  mine[5] = __hmax(a, b);
  mine[6] = __hmin(a, b);
  mine[7] = __hmax_nan(a, b);
  mine[8] = __hmin_nan(a, b);
  mine[9] = __habs(a);
  mine[10] = c;
  mine[10] += a;
  mine[11] = __hadd_sat(a, b);
  holds[thread] = (a == b) | (a != b) << 1 | (a < b) << 2 | (a <= b) << 3 | (a > b) << 4 | (a >= b) << 5 |
                  __hltu(a, b) << 6 | __hequ(a, b) << 7 | __hisnan(a) << 8 | __hne(a, b) << 9;
}

// in: 2 for each thread. out: 4.
template <class T>
__global__ void pair_arithmetic(const T* in, T* out, unsigned* masks) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const T a = in[2 * thread], b = in[2 * thread + 1];
  T* mine = out + 4 * thread;
  mine[0] = a + b;
  mine[1] = fused_pair(a, b, a);
  mine[2] = __hmax2(a, b);
  mine[3] = __lowhigh2highlow(a * b);
  masks[thread] = __hlt2_mask(a, b);
}

// in: floats. out: 8 halves for each. ints: 8 for each of those halves' first.
__global__ void half_conversions(const float* in, __half* out, int* ints, float* back) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = in[thread];
  __half* mine = out + 8 * thread;
  mine[0] = __float2half_rn(v);
  mine[1] = __float2half_rz(v);
  mine[2] = __float2half_rd(v);
  mine[3] = __float2half_ru(v);
  mine[4] = __double2half(v * 1.0000001);
  mine[5] = __int2half_rn(__float_as_int(v) >> 12);
  mine[6] = __int2half_rd(__float_as_int(v) >> 12);
  mine[7] = __ll2half_rz(__float_as_int(v));
  int* whole = ints + 8 * thread;
  const __half h = mine[0];
  whole[0] = __half2int_rn(h);
  whole[1] = __half2int_rz(h);
  whole[2] = __half2int_rd(h);
  whole[3] = __half2int_ru(h);
  whole[4] = __half2short_rn(h);
  whole[5] = __half2ushort_rz(h);
  whole[6] = static_cast<int>(h);
  whole[7] = __half_as_ushort(h);
  const float2 both = __half22float2(__floats2half2_rn(v, -v));
  back[2 * thread] = __half2float(h);
  back[2 * thread + 1] = both.y;
}

__global__ void bfloat16_conversions(const float* in, __nv_bfloat16* out, int* ints, float* back) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = in[thread];
  __nv_bfloat16* mine = out + 8 * thread;
  mine[0] = __float2bfloat16_rn(v);
  mine[1] = __float2bfloat16_rz(v);
  mine[2] = __float2bfloat16_rd(v);
  mine[3] = __float2bfloat16_ru(v);
  mine[4] = __double2bfloat16(v * 1.0000001);
  mine[5] = __int2bfloat16_rn(__float_as_int(v));
  mine[6] = __int2bfloat16_rd(__float_as_int(v));
  mine[7] = __ll2bfloat16_rz(__float_as_int(v) * 3000000001ll);
  int* whole = ints + 8 * thread;
  const __nv_bfloat16 h = mine[0];
  whole[0] = __bfloat162int_rn(h);
  whole[1] = __bfloat162int_rz(h);
  whole[2] = __bfloat162int_rd(h);
  whole[3] = __bfloat162int_ru(h);
  whole[4] = __bfloat162short_rn(h);
  whole[5] = __bfloat162ushort_rz(h);
  whole[6] = static_cast<int>(h);
  whole[7] = __bfloat16_as_ushort(h);
  const float2 both = __bfloat1622float2(__floats2bfloat162_rn(v, -v));
  back[2 * thread] = __bfloat162float(h);
  back[2 * thread + 1] = both.y;
}

// out: 8 codes for each float; back: 2.
__global__ void fp8_conversions(const float* in, unsigned char* out, float* back) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = in[thread];
  unsigned char* mine = out + 8 * thread;
  mine[0] = __nv_cvt_float_to_fp8(v, __NV_SATFINITE, __NV_E4M3);
  mine[1] = __nv_cvt_float_to_fp8(v, __NV_NOSAT, __NV_E4M3);
  mine[2] = __nv_cvt_float_to_fp8(v, __NV_SATFINITE, __NV_E5M2);
  mine[3] = __nv_cvt_float_to_fp8(v, __NV_NOSAT, __NV_E5M2);
  mine[4] = __nv_cvt_halfraw_to_fp8(__float2half(v), __NV_SATFINITE, __NV_E4M3);
  mine[5] = __nv_fp8_e5m2(__float2bfloat16(v)).__x;
  const __nv_fp8x4_e4m3 four(make_float4(v, -v, v * 2, 1.0f));
  mine[6] = four.__x >> 16 & 0xff;
  const __nv_fp8x2_e5m2 two(__floats2half2_rn(v, v * 4));
  mine[7] = two.__x >> 8;
  back[2 * thread] = float(__nv_fp8_e4m3(v));
  back[2 * thread + 1] = __half2float(__half(__nv_cvt_fp8_to_halfraw(mine[2], __NV_E5M2)));
}

// in: 3 floats for each thread. out: 24.
__global__ void float_intrinsics(const float* in, float* out) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const float a = in[3 * thread], b = in[3 * thread + 1], c = in[3 * thread + 2];
  float* mine = out + 24 * thread;
  mine[0] = __fadd_rn(a, b);
  mine[1] = __fadd_rz(a, b);
  mine[2] = __fadd_rd(a, b);
  mine[3] = __fadd_ru(a, b);
  mine[4] = __fmul_rz(a, b);
  mine[5] = __fmul_ru(a, b);
  mine[6] = __fmaf_rn(a, b, c);
  mine[7] = __fmaf_rd(a, b, c);
  mine[8] = __fdiv_rn(a, b);
  mine[9] = __fdiv_ru(a, b);
  mine[10] = __frcp_rz(b);
  mine[11] = __fsqrt_rn(fabsf(a));
  mine[12] = __fsqrt_rd(fabsf(a));
  mine[13] = __fsub_rd(a, b);
  mine[14] = __saturatef(a);
  mine[15] = min(a, b);
  mine[16] = max(a, b);
  mine[17] = __double2float_rd(static_cast<double>(a) * b);
  mine[18] = __int2float_rz(__float_as_int(a));
  mine[19] = __uint2float_ru(__float_as_uint(a));
  mine[20] = __ull2float_rn(__float_as_uint(a) * 4294967311ull);
  mine[21] = __frsqrt_rn(fabsf(a));
  mine[22] = static_cast<float>(__dadd_rz(a, b) - __dadd_ru(a, b));
  mine[23] = fmaf(a, b, c);
}

// out: 8 for each float.
__global__ void float_to_integer(const float* in, long long* out) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = in[thread];
  long long* mine = out + 8 * thread;
  mine[0] = __float2int_rn(v);
  mine[1] = __float2int_rd(v);
  mine[2] = __float2uint_ru(v);
  mine[3] = __float2ll_rz(v);
  mine[4] = static_cast<long long>(__float2ull_rn(v));
  mine[5] = __double2int_ru(v);
  mine[6] = __double2uint_rn(v);
  mine[7] = __double2ll_rd(v);
}

// in: 3 for each thread. out: 32.
__global__ void integer_intrinsics(const unsigned* in, unsigned* out) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = in[3 * thread], b = in[3 * thread + 1], c = in[3 * thread + 2];
  const int i = a, j = b;
  const unsigned long long wide = static_cast<unsigned long long>(a) << 32 | b;
  unsigned* mine = out + 32 * thread;
  mine[0] = __popc(a);
  mine[1] = __popcll(wide);
  mine[2] = __clz(i);
  mine[3] = __clzll(wide);
  mine[4] = __ffs(i);
  mine[5] = __ffsll(wide);
  mine[6] = __brev(a);
  mine[7] = __brevll(wide) >> 32;
  mine[8] = __byte_perm(a, b, c);
  mine[9] = __funnelshift_l(a, b, c);
  mine[10] = __funnelshift_r(a, b, c);
  mine[11] = __funnelshift_lc(a, b, c % 64);
  mine[12] = __funnelshift_rc(a, b, c % 64);
  mine[13] = __mul24(i, j);
  mine[14] = __umul24(a, b);
  mine[15] = __mulhi(i, j);
  mine[16] = __umulhi(a, b);
  mine[17] = __mul64hi(wide, static_cast<long long>(wide) * 3) >> 7;
  mine[18] = __umul64hi(wide, wide);
  mine[19] = __sad(i, j, c);
  mine[20] = __usad(a, b, c);
  mine[21] = __hadd(i, j);
  mine[22] = __rhadd(i, j);
  mine[23] = __uhadd(a, b);
  mine[24] = __urhadd(a, b);
  mine[25] = __dp4a(i, j, static_cast<int>(c));
  mine[26] = __dp4a(a, b, c);
  mine[27] = __dp2a_lo(i, j, static_cast<int>(c));
  mine[28] = __dp2a_hi(a, b, c);
  mine[29] = min(a, b);
  mine[30] = max(i, j);
  mine[31] = abs(i / 2) + __dp4a(make_char4(1, -2, 3, -4), make_char4(i, j, 5, 6), 7);
}

__device__ float both(__half2 pair) { return __low2float(pair) + __high2float(pair); }
__device__ __half doubled(__half value) { return value + value; }

// Structs that go straight from memory into calls and back.
__global__ void half_memory(const __half* in, __half* out, const __half2* pairs, float* sums) {
  __shared__ __half tile[32];
  const int thread = threadIdx.x;
  tile[thread] = in[thread];
  __syncthreads();
  out[thread] = doubled(tile[31 - thread]);
  sums[thread] = both(pairs[thread]);
  out[thread] += in[thread];
}

// Halves that an intrinsic, and a function of ours, take by value, in loops.
__global__ void half_loops(const __half* in, float* out) {
  float widened = 0;
  for (int i = threadIdx.x; i < 96; i += 32) {
    widened += __half2float(in[i]);
  }
  float twice = 0;
  for (int i = threadIdx.x; i < 96; i += 32) {
    twice += __half2float(doubled(in[i]));
  }
  __half plain = 0;
  for (int i = threadIdx.x; i < 96; i += 32) {
    plain = __hadd(plain, in[i]);
  }
  out[threadIdx.x] = widened + twice + __half2float(plain);
}

struct alignas(16) Pack {
  __half v[8];
};

// 16 bytes at once, then eight halves.
__global__ void pack_memory(const __half* in, float* out) {
  const Pack pack = reinterpret_cast<const Pack*>(in)[threadIdx.x];
  const float4 again = reinterpret_cast<const float4*>(in)[threadIdx.x];
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += __half2float(pack.v[i]);
  const __half2 first = *reinterpret_cast<const __half2*>(&again.x);
  out[threadIdx.x] = sum + __low2float(first);
}

struct alignas(16) Wide {
  float v[8];
};

// A struct's copy in one statement, of 16 bytes and of 32; and a sum in place, in a loop.
__global__ void copies(const float4* in, float4* out, const Wide* from, Wide* to, float* sum) {
  out[threadIdx.x] = in[threadIdx.x];
  to[threadIdx.x] = from[threadIdx.x];
  for (int i = 0; i < 3; ++i) sum[threadIdx.x + 32 * i] += sum[threadIdx.x + 32 * (i + 1)];
}

__device__ float total(float4 v) { return v.x + v.y + v.z + v.w; }

__global__ void vector_memory(const float4* in, float* sums, float4* out, uchar4* bytes) {
  __shared__ int2 pairs[32];
  const int thread = threadIdx.x;
  sums[thread] = total(in[thread]);
  out[thread] = make_float4(sums[thread], 1, 2, 3);
  bytes[thread] = make_uchar4(thread, 2, 3, 4);
  pairs[thread] = make_int2(thread, -thread);
  __syncthreads();
  sums[thread] += __ldg(&in[thread]).y + pairs[thread ^ 1].x;
  __stcs(&out[thread], __ldcs(&in[thread]));
}

// A warp's sum in two bytes.
template <class T>
__global__ void half_tree(const T* in, T* out) {
  T value = in[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
  if (threadIdx.x == 0) atomicAdd(out, value);
}

__global__ void vector_atomics(__half2* pairs, __nv_bfloat162* brains, unsigned short* lock) {
  __shared__ __half2 sum;
  if (threadIdx.x == 0) sum = __float2half2_rn(0.5f);
  __syncthreads();
  atomicAdd(&sum, __floats2half2_rn(1.0f, threadIdx.x));
  __syncthreads();
  atomicAdd(pairs, sum);
  atomicAdd(brains, __floats2bfloat162_rn(threadIdx.x, -1.0f));
  atomicCAS(lock, static_cast<unsigned short>(threadIdx.x), static_cast<unsigned short>(threadIdx.x + 1));
}
