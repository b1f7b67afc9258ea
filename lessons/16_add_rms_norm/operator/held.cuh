// Whole rows that a thread keeps as residual_out holds them, in few registers, with loads that say how long L2 is to keep
// what they bring.

// What L2 is asked of the lines that a load brings, as load() takes it: to evict them last, or as usual. Inline PTX (PTX
// ISA: createpolicy, ld.global.L2::cache_hint). Before sm_90 it is left to the GPU: clusters need that one too.
__device__ __forceinline__ unsigned long long eviction(bool last) {
  unsigned long long policy = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if (last) asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  else asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy));
#endif
  return policy;
}

template <class T>
__device__ __forceinline__ Pack<T> load(const T* row, int index, unsigned long long policy) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  uint4 bits;
  asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
               : "l"(reinterpret_cast<const uint4*>(row) + index), "l"(policy)
               : "memory");
  return *reinterpret_cast<const Pack<T>*>(&bits);
#else
  (void)policy;
  return load(row, index);
#endif
}

// Against row_in_registers: what is kept of the row is what residual_out holds of it, and each pack's weights are loaded
// when they are needed, so that few registers do. evict_last: L2 is asked to evict what is read last. Not with kUnrounded,
// unless T is float.
template <class T, class W, int kPacks, class Join>
__device__ __forceinline__ void row_packed(const Row<T, W>& row, const Options& options, int thread, int threads,
                                           bool evict_last, const Join& join) {
  constexpr int kValues = Pack<T>::kValues;
  const unsigned long long policy = eviction(evict_last);
  const int packs = row.dim / kValues;
  Pack<T> held[kPacks];
  Pack<T> b[kPacks];
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int index = thread + k * threads;
    if (index < packs) {
      held[k] = load(row.a, index, policy);
      b[k] = load(row.b, index, policy);
    }
  }
  float squares = 0.0f;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int index = thread + k * threads;
    if (index < packs) {
#pragma unroll
      for (int v = 0; v < kValues; ++v) {
        const float sum = widened(held[k].values[v]) + widened(b[k].values[v]);
        held[k].values[v] = narrowed<T>(sum);
        const float squared = in_square(sum, held[k].values[v], options);
        squares = fmaf(squared, squared, squares);
      }
      keep_packed(held[k]);
      store(row.residual_out, index, held[k]);
    }
  }
  const float total = join(squares);
  const float scale = scale_of(total, row.dim, options.epsilon);
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int index = thread + k * threads;
    if (index < packs) {
      keep_packed(held[k]);
      const Weights<T, W> weights = load_weights<T, W>(row.weight, index);
      Pack<T> y;
#pragma unroll
      for (int v = 0; v < kValues; ++v) {
        y.values[v] = normalized<T>(widened(held[k].values[v]), scale, weights.values[v], options);
      }
      store(row.y, index, y);
    }
  }
}
