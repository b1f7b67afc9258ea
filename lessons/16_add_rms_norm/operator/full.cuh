// Long rows that threads keep as residual_out holds them, eight packs each.

// Keeps a pack as keep_packed() does, until `value` is there: what is computed from this pack comes after what that was
// computed from. So one pack after the other is widened to floats.
template <class AnyPack>
__device__ __forceinline__ void keep_packed_until(AnyPack& pack, float& value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  unsigned* words = reinterpret_cast<unsigned*>(&pack);
  asm volatile("" : "+r"(words[0]), "+r"(words[1]), "+r"(words[2]), "+r"(words[3]), "+f"(value));
#else
  (void)pack;
  (void)value;
#endif
}

// Two neighbouring values of a pack or of weights, as floats. Values of 16 bits are taken from their word and put into it
// two at a time: one by one, the compiler gives each a register of its own.
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

// normalized(), of two values.
template <class T>
__device__ __forceinline__ void normalize_pair(float2 pair, float scale, float2 weights, const Options& options, T* y) {
  pair = make_float2(pair.x * scale, pair.y * scale);
  if (options.cast) {
    narrow_pair<T>(pair, y);
    pair = widened_pair<T>(y);
  }
  narrow_pair<T>(make_float2(pair.x * weights.x, pair.y * weights.y), y);
}

// Against row_packed: eight packs a thread, four of each input under way at once, and the threads have exactly as many as
// the row: kFullPacks * threads, of which this thread takes number thread, thread + threads, …
constexpr int kFullPacks = 8;
template <class T, class W, class Join>
__device__ __forceinline__ void row_full(const Row<T, W>& row, const Options& options, int thread, int threads,
                                         bool evict_last, const Join& join) {
  constexpr int kValues = Pack<T>::kValues;
  constexpr int kAtOnce = 4;
  const unsigned long long policy = eviction(evict_last);
  Pack<T> held[kFullPacks];
  float squares = 0.0f;
#pragma unroll
  for (int first = 0; first < kFullPacks; first += kAtOnce) {
    Pack<T> b[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      held[first + k] = load_hinted<true>(row.a, thread + (first + k) * threads, policy);
      b[k] = load_hinted<true>(row.b, thread + (first + k) * threads, policy);
    }
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      Pack<T>& pack = held[first + k];
      keep_packed_until(pack, squares);
#pragma unroll
      for (int v = 0; v < kValues; v += 2) {
        const float2 x = widened_pair<T>(pack.values + v);
        const float2 z = widened_pair<T>(b[k].values + v);
        const float2 sum = make_float2(x.x + z.x, x.y + z.y);
        narrow_pair<T>(sum, pack.values + v);
        const float2 squared = options.sum == kRounded ? widened_pair<T>(pack.values + v) : sum;
        squares = fmaf(squared.x, squared.x, squares);
        squares = fmaf(squared.y, squared.y, squares);
      }
      keep_packed_until(pack, squares);
      store(row.residual_out, thread + (first + k) * threads, pack);
    }
  }
  const float total = join(squares);
  float scale = scale_of(total, row.dim, options.epsilon);
#pragma unroll
  for (int k = 0; k < kFullPacks; ++k) {
    keep_packed_until(held[k], scale);
    const Weights<T, W> weights = load_weights_to_stay<T, W>(row.weight, thread + k * threads);
    Pack<T> y;
#pragma unroll
    for (int v = 0; v < kValues; v += 2) {
      normalize_pair<T>(widened_pair<T>(held[k].values + v), scale, widened_pair<W>(weights.values + v), options,
                        y.values + v);
    }
    store(row.y, thread + k * threads, y);
  }
}
