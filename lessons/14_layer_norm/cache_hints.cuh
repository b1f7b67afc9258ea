// Loads that say how long caches are to keep what they bring, of 16 bytes, on GPUs of sm_80 and later. Inline PTX (PTX
// ISA, createpolicy, ld.global with .L1:: and .L2:: eviction priorities).

// Lines that L2 is to evict last, or first.
__device__ __forceinline__ unsigned long long evict_last() {
  unsigned long long policy = 0;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
__device__ __forceinline__ unsigned long long evict_first() {
  unsigned long long policy = 0;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

// The pack at `from`, which is to stay as long as possible.
template <bool kHinted>
__device__ __forceinline__ uint4 load_to_stay(const uint4* from) {
  if (!kHinted) return *from;
  uint4 words;
  asm volatile("ld.global.L1::evict_last.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w) : "l"(from), "l"(evict_last()));
  return words;
}

// The pack at `from`, past L1; L2 is to evict it last.
__device__ __forceinline__ uint4 load_past_l1(const uint4* from) {
  uint4 words;
  asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w) : "l"(from), "l"(evict_last()));
  return words;
}
// The pack at `from`, which is read once: L1 does not keep it.
__device__ __forceinline__ uint4 load_once(const uint4* from) {
  uint4 words;
  asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w) : "l"(from));
  return words;
}
// The pack at `from`, which other blocks of the multiprocessor read as well, and no kernel writes.
__device__ __forceinline__ uint4 load_to_stay_in_l1(const uint4* from) {
  uint4 words;
  asm volatile("ld.global.nc.L1::evict_last.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w) : "l"(from));
  return words;
}
