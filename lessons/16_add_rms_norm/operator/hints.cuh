// Loads that say how long caches are to keep what they bring.

// What L2 is asked of the lines that load_hinted() brings: to evict them last, or as usual. Inline PTX (PTX ISA:
// createpolicy, ld.global.L2::cache_hint). Before sm_90 it is left to the GPU: clusters need that one too.
__device__ __forceinline__ unsigned long long eviction(bool last) {
  unsigned long long policy = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if (last) asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  else asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy));
#endif
  return policy;
}

// A pack that L2 is asked to keep as `policy` says. kPastL1: it is not to stay in L1, which is left to the weights.
template <bool kPastL1, class T>
__device__ __forceinline__ Pack<T> load_hinted(const T* row, int index, unsigned long long policy) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  const uint4* place = reinterpret_cast<const uint4*>(row) + index;
  uint4 bits;
  if (kPastL1) {
    asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
                 : "l"(place), "l"(policy)
                 : "memory");
  } else {
    asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
                 : "l"(place), "l"(policy)
                 : "memory");
  }
  return *reinterpret_cast<const Pack<T>*>(&bits);
#else
  (void)policy;
  return load(row, index);
#endif
}

// The weights of a pack, which are to stay in L1 for the rows to come. No kernel writes them.
template <class T, class W>
__device__ __forceinline__ Weights<T, W> load_weights_to_stay(const W* weight, int index) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  constexpr int kLoads = sizeof(Weights<T, W>) / 16;
  Weights<T, W> weights;
  uint4* bits = reinterpret_cast<uint4*>(&weights);
#pragma unroll
  for (int k = 0; k < kLoads; ++k) {
    asm volatile("ld.global.nc.L1::evict_last.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(bits[k].x), "=r"(bits[k].y), "=r"(bits[k].z), "=r"(bits[k].w)
                 : "l"(reinterpret_cast<const uint4*>(weight) + index * kLoads + k));
  }
  return weights;
#else
  return load_weights<T, W>(weight, index);
#endif
}
