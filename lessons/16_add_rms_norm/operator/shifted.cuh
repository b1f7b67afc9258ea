// Rows that begin anywhere, in registers: row.cuh's row_in_registers() for rows with ends.

// The whole packs of a row, from the first multiple of 16 bytes in it on; the values before and behind them are its
// ends. Rows may begin anywhere, if all four tensors' rows begin equally many values past a multiple of 16 bytes.
struct Span {
  int head;    // values before the first pack
  int packs;
  int ends;    // values that are in no pack: fewer than two packs
};

template <class T, class W>
__device__ __forceinline__ Span span_of(const Row<T, W>& row) {
  constexpr int kValues = Pack<T>::kValues;
  const int shift = static_cast<int>(reinterpret_cast<size_t>(row.a) % 16 / sizeof(T));
  const int before = (kValues - shift) % kValues;
  const int head = before < row.dim ? before : row.dim;
  const int packs = (row.dim - head) / kValues;
  return {head, packs, row.dim - packs * kValues};
}

// The column of the end that a thread takes, or -1. There are at least 16 threads, which is enough for all ends.
__device__ __forceinline__ int end_of(const Span& span, int dim, int thread) {
  if (thread >= span.ends) return -1;
  return thread < span.head ? thread : dim - span.ends + thread;
}

// The weights of a pack, from column `first` on. The weight begins at a multiple of 16 bytes; where column `first` does
// not, they are cut from one load more, unless that went past the last weight.
template <class T, class W>
__device__ __forceinline__ Weights<T, W> cut_weights(const Row<T, W>& row, int first) {
  constexpr int kLoads = sizeof(Weights<T, W>) / 16;
  constexpr int kPerLoad = 16 / sizeof(W);
  constexpr int kWords = 4 * (kLoads + 1);
  Weights<T, W> weights;
  const int from = first & (kPerLoad - 1);
  const int index = (first - from) / kPerLoad;
  if ((index + kLoads + 1) * kPerLoad <= row.dim) {
    uint4 loads[kLoads + 1];
#pragma unroll
    for (int k = 0; k <= kLoads; ++k) loads[k] = reinterpret_cast<const uint4*>(row.weight)[index + k];
    unsigned* words = reinterpret_cast<unsigned*>(loads);
    unsigned* results = reinterpret_cast<unsigned*>(&weights);
    const int bytes = from * static_cast<int>(sizeof(W));
#pragma unroll
    for (int k = 0; k < kWords - 2; ++k) words[k] = bytes & 8 ? words[k + 2] : words[k];
#pragma unroll
    for (int k = 0; k < kWords - 3; ++k) words[k] = bytes & 4 ? words[k + 1] : words[k];
#pragma unroll
    for (int k = 0; k < 4 * kLoads; ++k) results[k] = __funnelshift_r(words[k], words[k + 1], bytes % 4 * 8);
    return weights;
  }
#pragma unroll
  for (int v = 0; v < Pack<T>::kValues; ++v) weights.values[v] = row.weight[first + v];
  return weights;
}

// The sums of a pack, in float for y and rounded for residual_out; and their squares, added to `squares`.
template <class T>
__device__ __forceinline__ Pack<T> add_pack(const Pack<T>& a, const Pack<T>& b, const Options& options, float* x,
                                            float& squares) {
  Pack<T> rounded;
#pragma unroll
  for (int v = 0; v < Pack<T>::kValues; ++v) {
    const float sum = widened(a.values[v]) + widened(b.values[v]);
    rounded.values[v] = narrowed<T>(sum);
    const float squared = in_square(sum, rounded.values[v], options);
    squares = fmaf(squared, squared, squares);
    x[v] = in_y(sum, rounded.values[v], options);
  }
  return rounded;
}

template <class T, class W>
__device__ __forceinline__ Pack<T> normalized_pack(const float* x, float scale, const Weights<T, W>& weights,
                                                   const Options& options) {
  Pack<T> y;
#pragma unroll
  for (int v = 0; v < Pack<T>::kValues; ++v) y.values[v] = normalized<T>(x[v], scale, weights.values[v], options);
  return y;
}

// The value of one column, from its reading to its writing: as add_pack() and normalized_pack() do it.
template <class T>
struct End {
  T a, b;
  float x;
};

template <class T, class W>
__device__ __forceinline__ void load_end(const Row<T, W>& row, int column, End<T>& end) {
  if (column < 0) return;
  end.a = row.a[column];
  end.b = row.b[column];
}

template <class T, class W>
__device__ __forceinline__ void add_end(const Row<T, W>& row, int column, const Options& options, End<T>& end,
                                        float& squares) {
  if (column < 0) return;
  const float sum = widened(end.a) + widened(end.b);
  const T rounded = narrowed<T>(sum);
  const float squared = in_square(sum, rounded, options);
  squares = fmaf(squared, squared, squares);
  end.x = in_y(sum, rounded, options);
  row.residual_out[column] = rounded;
}

template <class T, class W>
__device__ __forceinline__ void store_end(const Row<T, W>& row, int column, const Options& options, const End<T>& end,
                                          float scale) {
  if (column >= 0) row.y[column] = normalized<T>(end.x, scale, row.weight[column], options);
}

// As row_in_registers, for rows that begin anywhere: of at most threads * kPacks whole packs, and of ends. At least 16
// threads.
template <class T, class W, int kPacks, class Join>
__device__ __forceinline__ void shifted_in_registers(const Row<T, W>& row, const Options& options, int thread,
                                                     int threads, const Join& join) {
  constexpr int kValues = Pack<T>::kValues;
  const Span span = span_of(row);
  const int column = end_of(span, row.dim, thread);
  Pack<T> a[kPacks];
  Pack<T> b[kPacks];
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int index = thread + k * threads;
    if (index < span.packs) {
      a[k] = load(row.a + span.head, index);
      b[k] = load(row.b + span.head, index);
    }
  }
  End<T> end;
  load_end(row, column, end);
  float x[kPacks][kValues];
  float squares = 0.0f;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int index = thread + k * threads;
    if (index < span.packs) {
      store(row.residual_out + span.head, index, add_pack(a[k], b[k], options, x[k], squares));
    }
  }
  add_end(row, column, options, end, squares);
  // Asked for before the sum is there: they come while the row's threads wait for each other.
  Weights<T, W> weights[kPacks];
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int index = thread + k * threads;
    if (index < span.packs) weights[k] = cut_weights(row, span.head + index * kValues);
  }
  const float total = join(squares);
  const float scale = scale_of(total, row.dim, options.epsilon);
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int index = thread + k * threads;
    if (index < span.packs) store(row.y + span.head, index, normalized_pack(x[k], scale, weights[k], options));
  }
  store_end(row, column, options, end, scale);
}

// No load that follows is asked for before those above: registers that all of them would need at once have no room.
__device__ __forceinline__ void hold_loads() {
#ifdef __CUDA_ARCH__
  asm volatile("" : : : "memory");
#endif
}

// Against shifted_in_registers: what is kept of the row is what residual_out holds of it, so that twice as many values of
// 16 bits have room. Not with kUnrounded, unless T is float.
template <class T, class W, int kPacks, class Join>
__device__ __forceinline__ void shifted_packed(const Row<T, W>& row, const Options& options, int thread, int threads,
                                               const Join& join) {
  constexpr int kValues = Pack<T>::kValues;
  const Span span = span_of(row);
  const int column = end_of(span, row.dim, thread);
  End<T> end;
  load_end(row, column, end);
  Pack<T> held[kPacks];
  float squares = 0.0f;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int index = thread + k * threads;
    if (index < span.packs) {
      float x[kValues];
      held[k] = add_pack(load(row.a + span.head, index), load(row.b + span.head, index), options, x, squares);
      keep_packed(held[k]);
    }
    if (k == kPacks / 2 - 1) hold_loads();
  }
  // Behind all loads: where a store may change what a load reads, the load must wait.
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int index = thread + k * threads;
    if (index < span.packs) store(row.residual_out + span.head, index, held[k]);
  }
  add_end(row, column, options, end, squares);
  Weights<T, W> weights[kPacks];
  // Of floats for 16 bits there is room for half while the threads wait for each other.
  constexpr int kEarly = sizeof(W) > sizeof(T) ? kPacks / 2 : kPacks;
#pragma unroll
  for (int k = 0; k < kEarly; ++k) {
    const int index = thread + k * threads;
    if (index < span.packs) weights[k] = cut_weights(row, span.head + index * kValues);
  }
  const float total = join(squares);
  const float scale = scale_of(total, row.dim, options.epsilon);
#pragma unroll
  for (int k = kEarly; k < kPacks; ++k) {
    const int index = thread + k * threads;
    if (index < span.packs) weights[k] = cut_weights(row, span.head + index * kValues);
  }
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int index = thread + k * threads;
    if (index < span.packs) {
      keep_packed(held[k]);
      keep_packed(weights[k]);
      float x[kValues];
#pragma unroll
      for (int v = 0; v < kValues; ++v) x[v] = widened(held[k].values[v]);
      store(row.y + span.head, index, normalized_pack(x, scale, weights[k], options));
    }
  }
  store_end(row, column, options, end, scale);
}
