// Two neighbouring values of a pack as floats, and back. Values of 16 bits are taken from their word, and put into it,
// two at a time: that takes fewer instructions, and one by one the compiler gives each a register of its own.
template <class T>
__device__ __forceinline__ float2 widened_pair(const T* values) {
  return make_float2(widened(values[0]), widened(values[1]));
}
template <>
__device__ __forceinline__ float2 widened_pair<__half>(const __half* values) {
  return __half22float2(*reinterpret_cast<const __half2*>(values));
}
template <>
__device__ __forceinline__ float2 widened_pair<__nv_bfloat16>(const __nv_bfloat16* values) {
  const unsigned word = *reinterpret_cast<const unsigned*>(values);
  return make_float2(__uint_as_float(word << 16), __uint_as_float(word & 0xffff0000u));
}
template <class T>
__device__ __forceinline__ void narrow_pair(float2 pair, T* values) {
  values[0] = narrowed<T>(pair.x);
  values[1] = narrowed<T>(pair.y);
}
template <>
__device__ __forceinline__ void narrow_pair<__half>(float2 pair, __half* values) {
  *reinterpret_cast<__half2*>(values) = __floats2half2_rn(pair.x, pair.y);
}
template <>
__device__ __forceinline__ void narrow_pair<__nv_bfloat16>(float2 pair, __nv_bfloat16* values) {
  *reinterpret_cast<__nv_bfloat162*>(values) = __floats2bfloat162_rn(pair.x, pair.y);
}

// Values in a word of 4 bytes, and those of one, widened; of a float's, y is 0. And back.
template <class T>
constexpr int kValuesOfWord = 4 / sizeof(T);
template <class T>
__device__ __forceinline__ float2 widened_word(unsigned word) {
  return widened_pair<T>(reinterpret_cast<const T*>(&word));
}
template <>
__device__ __forceinline__ float2 widened_word<float>(unsigned word) {
  return make_float2(__uint_as_float(word), 0.0f);
}
template <class T>
__device__ __forceinline__ unsigned narrowed_word(float2 values) {
  unsigned word;
  narrow_pair<T>(values, reinterpret_cast<T*>(&word));
  return word;
}
template <>
__device__ __forceinline__ unsigned narrowed_word<float>(float2 values) {
  return __float_as_uint(values.x);
}
