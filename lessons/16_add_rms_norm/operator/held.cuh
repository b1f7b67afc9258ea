// Whole rows that a thread keeps as residual_out holds them, in few registers.

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
      held[k] = load_hinted<false>(row.a, index, policy);
      b[k] = load_hinted<false>(row.b, index, policy);
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
