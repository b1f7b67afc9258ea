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

// As keep_packed(), of a unit.
template <class T, class Unit>
__device__ __forceinline__ void keep_unit(Unit& unit) {
  if (sizeof(T) == 4) return;
  unsigned* const words = reinterpret_cast<unsigned*>(&unit);
#pragma unroll
  for (int k = 0; k < static_cast<int>(sizeof(Unit) / 4); ++k) asm volatile("" : "+r"(words[k]));
}

// As load_to_stay_in_l1() of a pack.
__device__ __forceinline__ uint2 load_to_stay_in_l1(const uint2* from) {
  uint2 words;
  asm volatile("ld.global.nc.L1::evict_last.v2.u32 {%0, %1}, [%2];" : "=r"(words.x), "=r"(words.y) : "l"(from));
  return words;
}
__device__ __forceinline__ unsigned load_to_stay_in_l1(const unsigned* from) {
  unsigned word;
  asm volatile("ld.global.nc.L1::evict_last.u32 %0, [%1];" : "=r"(word) : "l"(from));
  return word;
}

// As cut_words(), of a number of words below 4 that is known at run time only: lanes of a warp may differ.
__device__ __forceinline__ uint4 pick_words(const uint4& low, const uint4& high, int words, int bits) {
  unsigned from[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  if (words & 2) {
#pragma unroll
    for (int k = 0; k < 6; ++k) from[k] = from[k + 2];
  }
  if (words & 1) {
#pragma unroll
    for (int k = 0; k < 5; ++k) from[k] = from[k + 1];
  }
  uint4 results;
#pragma unroll
  for (int k = 0; k < 4; ++k) reinterpret_cast<unsigned*>(&results)[k] = __funnelshift_r(from[k], from[k + 1], bits);
  return results;
}

// Unit `index` of a vector as long as a row: of its units as they lie in memory (kWords: -1), or of a row with `head`
// values before its first unit, of which kWords words are whole (kAnyWords: that depends on the lane).
constexpr int kAnyWords = 4;
template <int kWords, class Unit, class T>
__device__ __forceinline__ Unit load_unit(const T* vector, int head, int index) {
  if constexpr (kWords < 0) {
    return load_to_stay_in_l1(reinterpret_cast<const Unit*>(vector) + index);
  } else if constexpr (kWords == kAnyWords) {
    const uint4* const packs = reinterpret_cast<const uint4*>(vector) + index;
    const uint4 low = load_to_stay_in_l1(packs);
    const int bytes = head * (int)sizeof(T);
    return pick_words(low, head > 0 ? load_to_stay_in_l1(packs + 1) : low, bytes / 4, bytes % 4 * 8);
  } else {
    const Pack<T> pack = load_cut<kWords>(vector, head, index);
    return *reinterpret_cast<const Unit*>(&pack);
  }
}

// As cut_within_vectors(), of a row that has at least two packs.
template <class T>
__device__ __forceinline__ Cut cut_of_long(const T* row, int columns) {
  constexpr int kPack = kPackOf<T>;
  const int head = -(static_cast<int>(reinterpret_cast<size_t>(row)) / static_cast<int>(sizeof(T))) & (kPack - 1);
  Cut cut = {head, (columns - head) / kPack, (columns - head) % kPack};
  if (head > 0 && head + cut.tail < kPack) {
    --cut.packs;
    cut.tail += kPack;
  }
  return cut;
}

// The address so many bytes past another one. Values would take an instruction more, to multiply them by their size.
template <class T>
__device__ __forceinline__ const T* past(const T* from, int bytes) {
  return reinterpret_cast<const T*>(reinterpret_cast<const char*>(from) + bytes);
}
template <class T>
__device__ __forceinline__ T* past(T* from, int bytes) {
  return reinterpret_cast<T*>(reinterpret_cast<char*>(from) + bytes);
}
