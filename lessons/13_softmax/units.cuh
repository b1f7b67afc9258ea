// What a lane loads and stores of a row at once: 16, 8 or 4 bytes of neighbouring values.

template <int kBytes>
struct UnitOf;
template <>
struct UnitOf<16> {
  using Type = uint4;
};
template <>
struct UnitOf<8> {
  using Type = uint2;
};
template <>
struct UnitOf<4> {
  using Type = unsigned;
};

// The address so many bytes past another one. Values would take an instruction more, to multiply them by their size.
template <class T>
__device__ __forceinline__ const T* past(const T* from, int bytes) {
  return reinterpret_cast<const T*>(reinterpret_cast<const char*>(from) + bytes);
}
template <class T>
__device__ __forceinline__ T* past(T* from, int bytes) {
  return reinterpret_cast<T*>(reinterpret_cast<char*>(from) + bytes);
}

// The larger one of the values in a word.
template <class T>
__device__ __forceinline__ float larger_in(unsigned word) {
  const float2 pair = widened_pair<T>(reinterpret_cast<const T*>(&word));
  return fmaxf(pair.x, pair.y);
}
template <>
__device__ __forceinline__ float larger_in<float>(unsigned word) {
  return __uint_as_float(word);
}

// The largest value of so many units.
template <class T, class Unit, int kUnits>
__device__ __forceinline__ float largest_of(const Unit (&units)[kUnits]) {
  const unsigned* const words = reinterpret_cast<const unsigned*>(&units);
  unsigned larger = words[0];
#pragma unroll
  for (int k = 1; k < kUnits * static_cast<int>(sizeof(Unit) / 4); ++k) larger = larger_of<T>(larger, words[k]);
  return larger_in<T>(larger);
}
