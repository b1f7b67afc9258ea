// Loads and copies of 16 bytes that say how long caches are to keep what they bring, on GPUs of sm_80 and later. Inline
// PTX (PTX ISA, createpolicy; ld.global and cp.async with eviction priorities).

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

// The pack at `from`, which is read once: L1 does not keep it.
__device__ __forceinline__ uint4 load_once(const uint4* from) {
  uint4 words;
  asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w) : "l"(from));
  return words;
}

// Starts copying a pack to shared memory, past L1 and the registers. L2 is asked to evict last what was read.
__device__ __forceinline__ void start_pack_copy(uint4* to, const uint4* from) {
  asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;"
               : : "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "l"(from), "l"(evict_last()) : "memory");
}

// Waits for all packs that this thread copies.
__device__ __forceinline__ void wait_for_pack_copies() { asm volatile("cp.async.wait_all;" : : : "memory"); }
