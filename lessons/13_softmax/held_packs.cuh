// Packs of a row that begins anywhere, which a thread holds: their largest value, and their exponentials.

template <class T>
__device__ __forceinline__ uint4 as_words(const Pack<T>& pack) {
  return *reinterpret_cast<const uint4*>(&pack);
}
template <class T>
__device__ __forceinline__ Pack<T> as_pack(const uint4& words) {
  return *reinterpret_cast<const Pack<T>*>(&words);
}

// The larger one of each two values of packs.
template <class T>
__device__ __forceinline__ unsigned larger_of(unsigned a, unsigned b) {
  return __float_as_uint(fmaxf(__uint_as_float(a), __uint_as_float(b)));
}
template <>
__device__ __forceinline__ unsigned larger_of<__half>(unsigned a, unsigned b) {
  const __half2 larger = __hmax2(*reinterpret_cast<const __half2*>(&a), *reinterpret_cast<const __half2*>(&b));
  return *reinterpret_cast<const unsigned*>(&larger);
}
template <>
__device__ __forceinline__ unsigned larger_of<__nv_bfloat16>(unsigned a, unsigned b) {
  const __nv_bfloat162 larger =
      __hmax2(*reinterpret_cast<const __nv_bfloat162*>(&a), *reinterpret_cast<const __nv_bfloat162*>(&b));
  return *reinterpret_cast<const unsigned*>(&larger);
}
template <class T>
__device__ __forceinline__ uint4 larger_of(const uint4& a, const uint4& b) {
  return make_uint4(larger_of<T>(a.x, b.x), larger_of<T>(a.y, b.y), larger_of<T>(a.z, b.z), larger_of<T>(a.w, b.w));
}

// The largest value of so many packs. Packs are compared value by value first.
template <class T, int kPacks>
__device__ __forceinline__ float largest_in(const uint4 (&packs)[kPacks]) {
  uint4 larger = packs[0];
#pragma unroll
  for (int p = 1; p < kPacks; ++p) larger = larger_of<T>(larger, packs[p]);
  return largest_in<T>(larger);
}

template <class T>
__device__ __forceinline__ float sum_of_exponentials(const Pack<T>& pack, float largest) {
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < kPackOf<T>; k += 2) {
    const float2 pair = widened_pair<T>(pack.values + k);
    sum += flushed_exp(pair.x - largest);
    sum += flushed_exp(pair.y - largest);
  }
  return sum;
}

// The exponentials, each times scale.
template <class T>
__device__ __forceinline__ Pack<T> exponentials(const Pack<T>& pack, float largest, float scale) {
  Pack<T> results;
#pragma unroll
  for (int k = 0; k < kPackOf<T>; k += 2) {
    const float2 pair = widened_pair<T>(pack.values + k);
    narrow_pair<T>(make_float2(flushed_exp(pair.x - largest) * scale, flushed_exp(pair.y - largest) * scale),
                   results.values + k);
  }
  return results;
}

// The exponentials of a pack's values as floats: of 16 bits, twice as many registers.
template <class T>
struct Exponentials {
  float2 pairs[kPackOf<T> / 2];

  // exp_of: of a value. Each of them is added to sum.
  template <class Exponential>
  __device__ __forceinline__ void take(const Pack<T>& pack, const Exponential& exp_of, float& sum) {
#pragma unroll
    for (int k = 0; k < kPackOf<T> / 2; ++k) {
      const float2 pair = widened_pair<T>(pack.values + 2 * k);
      pairs[k] = make_float2(exp_of(pair.x), exp_of(pair.y));
      sum += pairs[k].x;
      sum += pairs[k].y;
    }
  }
  // Each of them times scale.
  __device__ __forceinline__ Pack<T> times(float scale) const {
    Pack<T> results;
#pragma unroll
    for (int k = 0; k < kPackOf<T> / 2; ++k) {
      narrow_pair<T>(make_float2(pairs[k].x * scale, pairs[k].y * scale), results.values + 2 * k);
    }
    return results;
  }
};
