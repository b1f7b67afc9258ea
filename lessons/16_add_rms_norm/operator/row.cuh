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

// `threads` threads, of which this is number `thread`, take a row of at most threads * kPacks whole packs: number
// thread, thread + threads, … Everything is read once and written once. A thread with no row passes one of dim 0: it
// must come to `join` as well.
template <class T, class W, int kPacks, class Join>
__device__ __forceinline__ void row_in_registers(const Row<T, W>& row, const Options& options, int thread, int threads,
                                                 const Join& join) {
  constexpr int kValues = Pack<T>::kValues;
  const int packs = row.dim / kValues;
  Pack<T> a[kPacks];
  Pack<T> b[kPacks];
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int index = thread + k * threads;
    if (index < packs) {
      a[k] = load(row.a, index);
      b[k] = load(row.b, index);
    }
  }
  float x[kPacks][kValues];
  float squares = 0.0f;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int index = thread + k * threads;
    if (index < packs) {
      Pack<T> rounded;
#pragma unroll
      for (int v = 0; v < kValues; ++v) {
        const float sum = widened(a[k].values[v]) + widened(b[k].values[v]);
        rounded.values[v] = narrowed<T>(sum);
        const float squared = in_square(sum, rounded.values[v], options);
        squares = fmaf(squared, squared, squares);
        x[k][v] = in_y(sum, rounded.values[v], options);
      }
      store(row.residual_out, index, rounded);
    }
  }
  // Asked for before the sum is there: they come while the row's threads wait for each other.
  Weights<T, W> weights[kPacks];
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int index = thread + k * threads;
    if (index < packs) weights[k] = load_weights<T, W>(row.weight, index);
  }
  const float total = join(squares);
  const float scale = scale_of(total, row.dim, options.epsilon);
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int index = thread + k * threads;
    if (index < packs) {
      Pack<T> y;
#pragma unroll
      for (int v = 0; v < kValues; ++v) {
        y.values[v] = normalized<T>(x[k][v], scale, weights[k].values[v], options);
      }
      store(row.y, index, y);
    }
  }
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
