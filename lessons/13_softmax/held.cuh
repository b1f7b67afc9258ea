// A row whose values stay packed in registers, and softmax in fewer instructions. GPUs of sm_80 and later.

constexpr float kLog2OfE = 1.44269504f;

// 2 to the power x, right to 2^-22; what is below 2^-126 is 0 (PTX ISA, ex2.approx.ftz.f32).
__device__ __forceinline__ float flushed_power_of_two(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}
// exp(x), right to (2 + 1.2 |x|) * 2^-23. __expf does not flush small results to 0, and takes more instructions.
__device__ __forceinline__ float flushed_exp(float x) { return flushed_power_of_two(x * kLog2OfE); }

// exp(value - largest) of the values of one row, in one operation fewer for halves: largest * log2(e) is rounded first, so
// all of them are off by the same factor, which their sum has too. Where values are as large as a float's, that product
// may be infinite. of_scale(): what a sum of such exponentials relative to another largest value is multiplied by.
template <class T>
struct RelativeExp {
  float largest;

  __device__ __forceinline__ float operator()(float value) const { return flushed_exp(value - largest); }
  __device__ __forceinline__ float of_scale(float other) const { return flushed_exp(other - largest); }
};
template <>
struct RelativeExp<__half> {
  float largest;

  __device__ __forceinline__ float operator()(float value) const {
    return flushed_power_of_two(fmaf(value, kLog2OfE, -(largest * kLog2OfE)));
  }
  // Both products are rounded, as they were for the exponentials: nothing is to be fused.
  __device__ __forceinline__ float of_scale(float other) const {
    return flushed_power_of_two(__fmul_rn(other, kLog2OfE) - __fmul_rn(largest, kLog2OfE));
  }
};

// The largest value of a pack. 16-bit values are compared two at a time, before they are widened. NaNs are passed over,
// as by fmaxf.
template <class T>
__device__ __forceinline__ float largest_in(const uint4& pack) {
  const float* values = reinterpret_cast<const float*>(&pack);
  return fmaxf(fmaxf(values[0], values[1]), fmaxf(values[2], values[3]));
}
template <>
__device__ __forceinline__ float largest_in<__half>(const uint4& pack) {
  const __half2* pairs = reinterpret_cast<const __half2*>(&pack);
  const __half2 larger = __hmax2(__hmax2(pairs[0], pairs[1]), __hmax2(pairs[2], pairs[3]));
  return fmaxf(__low2float(larger), __high2float(larger));
}
template <>
__device__ __forceinline__ float largest_in<__nv_bfloat16>(const uint4& pack) {
  const __nv_bfloat162* pairs = reinterpret_cast<const __nv_bfloat162*>(&pack);
  const __nv_bfloat162 larger = __hmax2(__hmax2(pairs[0], pairs[1]), __hmax2(pairs[2], pairs[3]));
  return fmaxf(__low2float(larger), __high2float(larger));
}

// What exponentials are taken relative to: the largest value, or 0 where there is none but minus infinity. Each of them
// is then 0, where (-infinity) - (-infinity) would make it NaN.
__device__ __forceinline__ float finite_or_zero(float largest) { return largest > -INFINITY ? largest : 0.0f; }

// The largest value of a warp's lanes, in each of them, by one instruction in place of five shuffles. It compares
// integers: floats that are not negative are in the order of their bits, and negative ones are once all bits but the
// sign are turned. A NaN counts as more or less than every number.
__device__ __forceinline__ float max_of_warp(float value) {
  const auto turned = [](int bits) { return bits ^ (bits >> 31 & 0x7fffffff); };
  return __int_as_float(turned(__reduce_max_sync(kFullWarp, turned(__float_as_int(value)))));
}

// The pair of a warp's lanes, in every lane. The sum of a lane without values is 0, or NaN where it has nothing but NaN:
// it needs no scale. Sums are of RelativeExp<T>.
template <class T = float>
__device__ __forceinline__ MaxSum join_lanes(MaxSum pair) {
  const float largest = max_of_warp(pair.max);
  if (pair.max > -INFINITY) pair.sum *= RelativeExp<T>{largest}.of_scale(pair.max);
  return {largest, sum_xor<32>(pair.sum)};
}

// The pair of a block's values, in every thread, from one pair of each warp that all its lanes have. One barrier. The
// arrays are shared memory, a float for each warp. Sums are of RelativeExp<T>.
template <class T = float>
__device__ __forceinline__ MaxSum join_warps(int warps, MaxSum pair, float* warp_maxima, float* warp_sums) {
  const int lane = threadIdx.x % 32;
  if (lane == 0) {
    warp_maxima[threadIdx.x / 32] = pair.max;
    warp_sums[threadIdx.x / 32] = pair.sum;
  }
  __syncthreads();
  MaxSum part = {-INFINITY, 0.0f};
  if (lane < warps) part = {warp_maxima[lane], warp_sums[lane]};
  return join_lanes<T>(part);
}

// Keeps the values of a pack as they are: the compiler would else hold on to the floats that they were widened to,
// twice as many registers. An instruction that does nothing, but might have changed them.
__device__ __forceinline__ void keep_packed(uint4& pack) {
  asm volatile("" : "+r"(pack.x), "+r"(pack.y), "+r"(pack.z), "+r"(pack.w));
}

// The largest value of a thread's packs of a row, of which each of `threads` threads has every threads-th.
template <class T, int kPacks>
__device__ __forceinline__ float held_largest(int packs, int threads, const uint4* held) {
  float largest = -INFINITY;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * threads + threadIdx.x;
    if (index < packs) largest = fmaxf(largest, largest_in<T>(held[p]));
  }
  return largest;
}

// Fills `held` with a thread's packs, and returns their largest value.
template <class T, int kPacks, bool kHinted>
__device__ __forceinline__ float load_largest(const uint4* row, int packs, int threads, uint4* held) {
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * threads + threadIdx.x;
    held[p] = make_uint4(0, 0, 0, 0);
    if (index < packs) held[p] = load_to_stay<kHinted>(row + index);
  }
  return held_largest<T, kPacks>(packs, threads, held);
}

// A pair that takes one more pack in, on the scale of the largest value so far. Floats become their exponentials on that
// scale; 16 bits are too few to keep an exponential.
template <class T>
__device__ __forceinline__ MaxSum with_pack(MaxSum pair, uint4& pack) {
  const float largest = fmaxf(pair.max, largest_in<T>(pack));
  const float from = finite_or_zero(largest);
  MaxSum both = {largest, pair.sum * flushed_exp(pair.max - from)};
  keep_packed(pack);
  T* values = reinterpret_cast<T*>(&pack);
#pragma unroll
  for (int k = 0; k < kPackOf<T>; ++k) {
    const float exponential = flushed_exp(widened(values[k]) - from);
    if (sizeof(T) == sizeof(float)) values[k] = narrowed<T>(exponential);
    both.sum += exponential;
  }
  return both;
}

// The sum of a thread's exponentials. Floats become them; 16 bits are too few to keep an exponential, which is taken
// again.
template <class T, int kPacks>
__device__ __forceinline__ float held_exponentials(int packs, int threads, uint4* held, float largest) {
  float sum = 0.0f;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    keep_packed(held[p]);
    T* values = reinterpret_cast<T*>(&held[p]);
    const int index = p * threads + threadIdx.x;
    if (index < packs) {
#pragma unroll
      for (int k = 0; k < kPackOf<T>; ++k) {
        const float exponential = flushed_exp(widened(values[k]) - largest);
        if (sizeof(T) == sizeof(float)) values[k] = narrowed<T>(exponential);
        sum += exponential;
      }
    }
  }
  return sum;
}

// Writes the exponentials, each times scale.
template <class T, int kPacks>
__device__ __forceinline__ void store_held(uint4* result, int packs, int threads, uint4* held, float largest,
                                           float scale) {
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * threads + threadIdx.x;
    keep_packed(held[p]);
    T* values = reinterpret_cast<T*>(&held[p]);
#pragma unroll
    for (int k = 0; k < kPackOf<T>; ++k) {
      const float value = widened(values[k]);
      values[k] = narrowed<T>((sizeof(T) == sizeof(float) ? value : flushed_exp(value - largest)) * scale);
    }
    if (index < packs) result[index] = held[p];
  }
}
