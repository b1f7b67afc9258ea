// One row of add-RMS-norm, by some threads: r = a + b, y = r * weight / sqrt(mean(r^2) + epsilon). Plain CUDA that
// any GPU runs; who adds the threads' sums is given as `join`, a function that returns the row's sum to each of its
// threads.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

constexpr unsigned kFullWarp = 0xffffffffu;

__device__ __forceinline__ float widened(float value) { return value; }
__device__ __forceinline__ float widened(__half value) { return __half2float(value); }
__device__ __forceinline__ float widened(__nv_bfloat16 value) { return __bfloat162float(value); }

template <class T>
__device__ __forceinline__ T narrowed(float value);
template <>
__device__ __forceinline__ float narrowed<float>(float value) { return value; }
template <>
__device__ __forceinline__ __half narrowed<__half>(float value) { return __float2half_rn(value); }
template <>
__device__ __forceinline__ __nv_bfloat16 narrowed<__nv_bfloat16>(float value) { return __float2bfloat16_rn(value); }

// What the mean square is made of, and what is normalized.
constexpr int kRounded = 0;     // both of what residual_out holds
constexpr int kUnrounded = 1;   // both of a + b in float
constexpr int kRoundedInY = 2;  // the mean square of a + b in float, y of what residual_out holds

struct Options {
  float epsilon;
  int sum;
  bool cast;   // the normalized value is rounded to T before the weight
};

// Where one row lies. Outputs may be a or b: a thread has read what it overwrites, and no other thread reads it. So
// nothing here is __restrict__, and inputs are not read as constants.
template <class T, class W>
struct Row {
  T* y;
  T* residual_out;
  const T* a;
  const T* b;
  const W* weight;
  int dim;
};

// ---- Arithmetic: every route does this, so that all give the same but for the order of the sum ---------------------

// 1 / sqrt(mean + epsilon), correctly rounded in each operation: once a row, so that it costs nothing.
__device__ __forceinline__ float scale_of(float squares, int dim, float epsilon) {
  return 1.0f / sqrtf(squares / static_cast<float>(dim) + epsilon);
}

template <class T>
__device__ __forceinline__ float in_square(float sum, T rounded, const Options& options) {
  return options.sum == kRounded ? widened(rounded) : sum;
}

template <class T>
__device__ __forceinline__ float in_y(float sum, T rounded, const Options& options) {
  return options.sum == kUnrounded ? sum : widened(rounded);
}

template <class T, class W>
__device__ __forceinline__ T normalized(float value, float scale, W weight, const Options& options) {
  float x = value * scale;
  if (options.cast) x = widened(narrowed<T>(x));
  return narrowed<T>(x * widened(weight));
}

// ---- Rows in registers ---------------------------------------------------------------------------------------------

// The 16 bytes of one load.
template <class T>
struct alignas(16) Pack {
  static constexpr int kValues = 16 / sizeof(T);
  T values[kValues];
};

// The weights for a pack of T, which may take two loads.
template <class T, class W>
struct alignas(16) Weights {
  W values[Pack<T>::kValues];
};

template <class T>
__device__ __forceinline__ Pack<T> load(const T* row, int index) {
  const uint4 bits = reinterpret_cast<const uint4*>(row)[index];
  return *reinterpret_cast<const Pack<T>*>(&bits);
}

template <class T>
__device__ __forceinline__ void store(T* row, int index, const Pack<T>& pack) {
  reinterpret_cast<uint4*>(row)[index] = *reinterpret_cast<const uint4*>(&pack);
}

template <class T, class W>
__device__ __forceinline__ Weights<T, W> load_weights(const W* weight, int index) {
  constexpr int kLoads = sizeof(Weights<T, W>) / 16;
  Weights<T, W> weights;
  uint4* bits = reinterpret_cast<uint4*>(&weights);
#pragma unroll
  for (int k = 0; k < kLoads; ++k) {
    bits[k] = reinterpret_cast<const uint4*>(weight)[index * kLoads + k];
  }
  return weights;
}

// The whole packs of a row, from the first multiple of 16 bytes in it on; the values before and behind them are its ends.
// If not kWhole, rows may begin anywhere, if all four tensors' rows begin equally many values past a multiple of 16 bytes.
struct Span {
  int head;    // values before the first pack
  int packs;
  int ends;    // values that are in no pack: fewer than two packs
};

template <bool kWhole, class T, class W>
__device__ __forceinline__ Span span_of(const Row<T, W>& row) {
  constexpr int kValues = Pack<T>::kValues;
  if (kWhole) return {0, row.dim / kValues, 0};
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

template <bool kWhole, class T, class W>
__device__ __forceinline__ Weights<T, W> weights_of(const Row<T, W>& row, const Span& span, int index) {
  return kWhole ? load_weights<T, W>(row.weight, index) : cut_weights(row, span.head + index * Pack<T>::kValues);
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

// `threads` threads, of which this is number `thread`, take a row of at most threads * kPacks whole packs: number
// thread, thread + threads, … Everything is read once and written once. kWhole: the row begins at a multiple of 16 bytes
// and has no ends; else there are at least 16 threads. A thread with no row passes one of dim 0: it must come to `join`
// as well.
template <class T, class W, int kPacks, bool kWhole, class Join>
__device__ __forceinline__ void row_in_registers(const Row<T, W>& row, const Options& options, int thread, int threads,
                                                 const Join& join) {
  constexpr int kValues = Pack<T>::kValues;
  const Span span = span_of<kWhole>(row);
  const int column = kWhole ? -1 : end_of(span, row.dim, thread);
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
  if (!kWhole) load_end(row, column, end);
  float x[kPacks][kValues];
  float squares = 0.0f;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int index = thread + k * threads;
    if (index < span.packs) {
      store(row.residual_out + span.head, index, add_pack(a[k], b[k], options, x[k], squares));
    }
  }
  if (!kWhole) add_end(row, column, options, end, squares);
  // Asked for before the sum is there: they come while the row's threads wait for each other.
  Weights<T, W> weights[kPacks];
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int index = thread + k * threads;
    if (index < span.packs) weights[k] = weights_of<kWhole>(row, span, index);
  }
  const float total = join(squares);
  const float scale = scale_of(total, row.dim, options.epsilon);
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int index = thread + k * threads;
    if (index < span.packs) store(row.y + span.head, index, normalized_pack(x[k], scale, weights[k], options));
  }
  if (!kWhole) store_end(row, column, options, end, scale);
}

// Keeps a pack as it is: of 16 bits, the compiler would else hold on to the floats that it was made of, twice as many
// registers. An instruction that does nothing, but might have changed it.
template <class AnyPack>
__device__ __forceinline__ void keep_packed(AnyPack& pack) {
#ifdef __CUDA_ARCH__
  if (sizeof(pack.values[0]) == 2) {
    unsigned* words = reinterpret_cast<unsigned*>(&pack);
    asm volatile("" : "+r"(words[0]), "+r"(words[1]), "+r"(words[2]), "+r"(words[3]));
  }
#endif
}

// No load that follows is asked for before those above: registers that all of them would need at once have no room.
__device__ __forceinline__ void hold_loads() {
#ifdef __CUDA_ARCH__
  asm volatile("" : : : "memory");
#endif
}

// Against row_in_registers: what is kept of the row is what residual_out holds of it, so that twice as many values of 16
// bits have room. Not with kUnrounded, unless T is float.
template <class T, class W, int kPacks, bool kWhole, class Join>
__device__ __forceinline__ void row_packed(const Row<T, W>& row, const Options& options, int thread, int threads,
                                           const Join& join) {
  constexpr int kValues = Pack<T>::kValues;
  const Span span = span_of<kWhole>(row);
  const int column = kWhole ? -1 : end_of(span, row.dim, thread);
  End<T> end;
  if (!kWhole) load_end(row, column, end);
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
  if (!kWhole) add_end(row, column, options, end, squares);
  Weights<T, W> weights[kPacks];
  // Of floats for 16 bits there is room for half while the threads wait for each other.
  constexpr int kEarly = sizeof(W) > sizeof(T) ? kPacks / 2 : kPacks;
#pragma unroll
  for (int k = 0; k < kEarly; ++k) {
    const int index = thread + k * threads;
    if (index < span.packs) weights[k] = weights_of<kWhole>(row, span, index);
  }
  const float total = join(squares);
  const float scale = scale_of(total, row.dim, options.epsilon);
#pragma unroll
  for (int k = kEarly; k < kPacks; ++k) {
    const int index = thread + k * threads;
    if (index < span.packs) weights[k] = weights_of<kWhole>(row, span, index);
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
  if (!kWhole) store_end(row, column, options, end, scale);
}

// ---- Rows of any length, at any address ----------------------------------------------------------------------------

// Value by value. `kept`: dim floats of the row's own, in shared memory or, where that is too small, in global
// memory; or null: what is normalized is then read again from residual_out, which must hold it (not with kUnrounded,
// unless T is float). A thread reads only what it has written.
template <class T, class W, class Join>
__device__ __forceinline__ void row_by_element(const Row<T, W>& row, const Options& options, int thread, int threads,
                                               float* kept, const Join& join) {
  constexpr int kLoads = 4;
  float squares = 0.0f;
  for (int first = thread; first < row.dim; first += kLoads * threads) {
    T a[kLoads];
    T b[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      const int i = first + k * threads;
      if (i < row.dim) {
        a[k] = row.a[i];
        b[k] = row.b[i];
      }
    }
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      const int i = first + k * threads;
      if (i < row.dim) {
        const float sum = widened(a[k]) + widened(b[k]);
        const T rounded = narrowed<T>(sum);
        const float squared = in_square(sum, rounded, options);
        squares = fmaf(squared, squared, squares);
        if (kept) kept[i] = in_y(sum, rounded, options);
        row.residual_out[i] = rounded;
      }
    }
  }
  const float total = join(squares);
  const float scale = scale_of(total, row.dim, options.epsilon);
  for (int first = thread; first < row.dim; first += kLoads * threads) {
    float x[kLoads];
    W weights[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      const int i = first + k * threads;
      if (i < row.dim) {
        x[k] = kept ? kept[i] : widened(row.residual_out[i]);
        weights[k] = row.weight[i];
      }
    }
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      const int i = first + k * threads;
      if (i < row.dim) row.y[i] = normalized<T>(x[k], scale, weights[k], options);
    }
  }
}

// ---- Who adds the threads' sums ------------------------------------------------------------------------------------

// Groups of `lanes` neighbouring lanes, a power of two up to 32; all lanes of the warp come. No memory, no barrier.
struct JoinLanes {
  int lanes;
  __device__ __forceinline__ float operator()(float value) const {
    for (int lane_mask = lanes / 2; lane_mask > 0; lane_mask /= 2) {
      value += __shfl_xor_sync(kFullWarp, value, lane_mask);
    }
    return value;
  }
};

// The sum of a warp, in each lane.
__device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
  for (int lane_mask = 16; lane_mask > 0; lane_mask /= 2) {
    value += __shfl_xor_sync(kFullWarp, value, lane_mask);
  }
  return value;
}

// The block, of whole warps: every warp adds its lanes', then every warp adds the warp sums. One barrier. Who joins
// twice needs another barrier between: a warp may still read the first sums. warp_sums: shared, 32 floats.
struct JoinBlock {
  float* warp_sums;
  __device__ __forceinline__ float operator()(float value) const {
    const int warps = blockDim.x / 32;
    const int lane = threadIdx.x % 32;
    value = warp_sum(value);
    if (lane == 0) warp_sums[threadIdx.x / 32] = value;
    __syncthreads();
    value = lane < warps ? warp_sums[lane] : 0.0f;
    return warp_sum(value);
  }
};
