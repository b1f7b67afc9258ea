// Layer norm of many short rows that begin anywhere: a tile of them in shared memory. GPUs of sm_90 and later; not
// emulated. Arguments as in kernels.cuh; in and out begin at a multiple of 16 bytes.

// Values in a word of 4 bytes, and those of one, widened; of a float's, y is 0.
template <class T>
constexpr int kValuesOfWord = 4 / sizeof(T);
template <class T>
__device__ __forceinline__ float2 widened_word(unsigned word) {
  return widened_pair<T>(reinterpret_cast<const T*>(&word));
}
template <>
__device__ __forceinline__ float2 widened_word<float>(unsigned word) {
  return make_float2(__uint_as_float(word), 0.0f);
}
template <class T>
__device__ __forceinline__ unsigned narrowed_word(float2 values) {
  unsigned word;
  narrow_pair<T>(values, reinterpret_cast<T*>(&word));
  return word;
}
template <>
__device__ __forceinline__ unsigned narrowed_word<float>(float2 values) {
  return __float_as_uint(values.x);
}

// Copies whole packs of 16 bytes, at multiples of 16, from shared to global memory, and waits until they have been read.
__device__ __forceinline__ void copy_back(void* to, const void* from, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
               : : "l"(__cvta_generic_to_global(to)), "r"(shared_address(from)), "r"(bytes) : "memory");
  asm volatile("cp.async.bulk.commit_group;" : : : "memory");
  asm volatile("cp.async.bulk.wait_group.read 0;" : : : "memory");
}

// Rows that follow each other, in shared memory as they lie in global memory. They begin with a pack. A copy engine
// brings whole packs and takes them back; values after the last one, of the last tile only, go by threads.
template <class T>
struct Tile {
  T* values;
  int packs;
  int rest;

  // By all threads of a block, which then meet, wait for `arrival`, and find the values there.
  __device__ __forceinline__ void load(const T* from, unsigned long long* arrival) const {
    if (threadIdx.x == 0) {
      init_barrier(arrival, 1);
      publish_barriers();
      arrive_expecting(arrival, packs * 16);
      if (packs > 0) start_copy(values, from, packs * 16, arrival);
    }
    const int place = packs * kPackOf<T> + threadIdx.x;
    if (static_cast<int>(threadIdx.x) < rest) values[place] = from[place];
  }
  // By all threads of a block, once each has put its results where values were.
  __device__ __forceinline__ void store(T* to) const {
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");   // the copy engine is to see them
    __syncthreads();
    const int place = packs * kPackOf<T> + threadIdx.x;
    if (static_cast<int>(threadIdx.x) < rest) to[place] = values[place];
    if (threadIdx.x == 0 && packs > 0) copy_back(to, values, packs * 16);
  }
};

constexpr int kRowsInParts = 64;   // of a tile, where threads share rows

// What a thread has of a row: one of kParts parts, which threads of different warps take. Of two rows of an odd number of
// 16-bit values one ends within a word and the next one begins there: that value goes apart. A warp takes only rows of one
// kind, so its lanes do alike; and they read words that are as many apart as a row has values: in different banks.
struct TilePart {
  int row;
  bool begins_within;   // the row begins within a word, and words with its second value
  int words;            // whole words of the row
  int first, count;     // and which of them are the thread's
  int single;           // the value apart: its column, or -1

  // A tile has a multiple of 64 rows.
  template <class T, int kParts>
  static __device__ __forceinline__ TilePart of(int columns, int row_before) {
    constexpr int kValues = kValuesOfWord<T>;
    const int thread = row_before + (kParts > 1 ? threadIdx.x % kRowsInParts : threadIdx.x);
    const int part = kParts > 1 ? threadIdx.x / kRowsInParts : 0;
    const bool halved = columns % kValues != 0;
    TilePart its;
    its.begins_within = halved && thread / 32 % 2 == 1;
    its.row = halved ? thread / 64 * 64 + thread % 32 * 2 + its.begins_within : thread;
    its.words = columns / kValues;
    its.first = part * its.words / kParts;
    its.count = (part + 1) * its.words / kParts - its.first;
    its.single = !halved || part > 0 ? -1 : its.begins_within ? 0 : columns - 1;
    return its;
  }
};

__device__ __forceinline__ void add_to(Sums& sums, float value) {
  sums.values += value;
  sums.squares = fmaf(value, value, sums.squares);
}
__device__ __forceinline__ Sums operator+(const Sums& a, const Sums& b) {
  return {a.values + b.values, a.squares + b.squares};
}

// The sum over a row's parts, in each of their threads. all: shared memory, a place for each thread of the block.
template <int kParts, class Sum>
__device__ __forceinline__ Sum add_parts(const Sum& mine, Sum* all) {
  if (kParts == 1) return mine;
  all[threadIdx.x] = mine;
  __syncthreads();
  Sum sum = all[threadIdx.x % kRowsInParts];
#pragma unroll
  for (int part = 1; part < kParts; ++part) sum = sum + all[part * kRowsInParts + threadIdx.x % kRowsInParts];
  return sum;
}

// Weights and biases of a word's values, widened.
template <int kValues>
struct alignas(8 * kValues) Factors {
  float weights[kValues];
  float biases[kValues];
};

// Those of the words of a row that begins with a word; then, where a row may begin within one, of such a row's words, and
// of the value apart of either row.
template <class T>
__device__ __forceinline__ void keep_factors(Factors<kValuesOfWord<T>>* kept, const T* weight, const T* bias,
                                             int columns) {
  constexpr int kValues = kValuesOfWord<T>;
  const int words = columns / kValues;
  const int all = columns % kValues == 0 ? words : 2 * words + 2;
  for (int i = threadIdx.x; i < all; i += blockDim.x) {
    const int apart = i == 2 * words ? columns - 1 : 0;
    const int column = i < words ? i * kValues : i < 2 * words ? (i - words) * kValues + 1 : apart;
#pragma unroll
    for (int k = 0; k < kValues; ++k) {
      const bool there = k == 0 || column + k < columns;
      kept[i].weights[k] = there ? widened(weight[column + k]) : 0.0f;
      kept[i].biases[k] = there ? widened(bias[column + k]) : 0.0f;
    }
  }
}

// Puts results in the place of a row of 16-bit values whose mean is far from 0, by one thread: after two walks for the
// mean and for squares about it.
template <class T>
__device__ void put_out_far_alone(T* row, const T* weight, const T* bias, int columns, float epsilon) {
  float mean = 0.0f;
#pragma unroll 1
  for (int column = 0; column < columns; ++column) mean += widened(row[column]);
  mean /= (float)columns;
  float squares = 0.0f;
#pragma unroll 1
  for (int column = 0; column < columns; ++column) {
    const float apart = widened(row[column]) - mean;
    squares = fmaf(apart, apart, squares);
  }
  const float scale = quick_scale({(float)columns, mean, squares}, epsilon);
#pragma unroll 1
  for (int column = 0; column < columns; ++column) {
    row[column] = normalized(row[column], mean, scale, weight[column], bias[column]);
  }
}

// Does take(k, is_there) for each word k of a thread's `count`, in steps of a few: only in the last one there may be fewer,
// and is_there is known else.
template <int kWords, class Take>
__device__ __forceinline__ void each_word(int count, const Take& take) {
  constexpr int kStep = 4;
  static_assert(kWords % kStep == 0);
#pragma unroll
  for (int step = 0; step < kWords; step += kStep) {
    if (step + kStep <= count) {
#pragma unroll
      for (int k = step; k < step + kStep; ++k) take(k, true);
    } else if (step < count) {
#pragma unroll
      for (int k = step; k < step + kStep; ++k) take(k, k < count);
    }
  }
}

// For how many blocks of kRowTileThreads threads a multiprocessor's registers are to be enough.
constexpr int kRowTileThreads = 256;
constexpr int row_tile_blocks(int words) { return words <= 8 ? 8 : 6; }

// A block takes rows_a_tile rows, a multiple of 64, which lie one after the other. kParts threads share each of 64; or each
// thread has one, or one after the other. A thread has kWords of a row's whole words at most. Dynamic shared memory: the
// rows; then as many Factors as a row has values, and four more.
//
// Compared with layer_norm_short_anywhere and layer_norm_few_lanes: threads neither load nor store, but whole packs come
// and go, however short rows are; and a row is one thread's or a few threads', which need no shuffles. While rows of one
// block are normalized, those of others come and go. Mean and variance as in layer_norm_fitted_anywhere.
//
// Launches overlap. The next kernel is let in at once: it finds no room before a block has ended.
template <class T, int kWords, int kParts>
__global__ void __launch_bounds__(kRowTileThreads, row_tile_blocks(kWords))
    layer_norm_row_tile(const T* in, const T* weight, const T* bias, T* out, int rows, int columns, float epsilon,
                    int rows_a_tile) {
  using FactorsOfWord = Factors<kValuesOfWord<T>>;
  constexpr int kValues = kValuesOfWord<T>;
  extern __shared__ __align__(128) uint4 tiles[];
  __shared__ unsigned long long arrival;
  __shared__ Sums sums_of_parts[kParts > 1 ? kRowTileThreads : 1];
  cudaTriggerProgrammaticLaunchCompletion();
  const long long first = (long long)blockIdx.x * rows_a_tile;
  const int here = rows - first < rows_a_tile ? (int)(rows - first) : rows_a_tile;
  const Tile<T> tile = {reinterpret_cast<T*>(tiles), here * columns / kPackOf<T>, here * columns % kPackOf<T>};
  FactorsOfWord* const factors = reinterpret_cast<FactorsOfWord*>(tile.values + rows_a_tile * columns);
  cudaGridDependencySynchronize();
  tile.load(in + first * columns, &arrival);
  keep_factors(factors, weight, bias, columns);
  __syncthreads();
  wait_for(&arrival, 0);
  for (int turn = 0; turn < rows_a_tile; turn += kParts > 1 ? kRowsInParts : blockDim.x) {
    const TilePart its = TilePart::of<T, kParts>(columns, turn);
    const bool there = its.row < here;
    T* const row = tile.values + its.row * columns;
    unsigned* const words = reinterpret_cast<unsigned*>(row + its.begins_within) + its.first;
    int count = there ? its.count : 0;
    bool has_single = there && its.single >= 0;
    unsigned held[kWords];
    const float single = has_single ? widened(row[its.single]) : 0.0f;
    Sums sums = {single, single * single};
    each_word<kWords>(count, [&](int k, bool is_there) {
      held[k] = is_there ? words[k] : 0u;
      const float2 values = widened_word<T>(held[k]);
      add_to(sums, values.x);
      if (kValues > 1) add_to(sums, values.y);
    });
    sums = add_parts<kParts>(sums, sums_of_parts);
    float mean, scale;
    if constexpr (sizeof(T) == 4) {
      __shared__ float squares_of_parts[kParts > 1 ? kRowTileThreads : 1];
      mean = sums.values / (float)columns;
      float squares = 0.0f;
#pragma unroll
      for (int k = 0; k < kWords; ++k) {
        const float apart = k < count ? __uint_as_float(held[k]) - mean : 0.0f;
        squares = fmaf(apart, apart, squares);
      }
      scale = scale_of(add_parts<kParts>(squares, squares_of_parts) / (float)columns, epsilon);
    } else {
      mean = __fdividef(sums.values, columns);
      const float m2 = m2_by_squares(sums, mean);
      if (there && !mean_is_near(m2, sums)) {   // as it then is for all threads of the row
        if (its.first == 0) put_out_far_alone(row, weight, bias, columns, epsilon);
        count = 0;
        has_single = false;
      }
      scale = quick_scale({(float)columns, mean, m2}, epsilon);
    }
    const float centre = sizeof(T) == 4 ? mean : -mean * scale;   // as in scaled()
    if (has_single) {
      const FactorsOfWord its_factors = factors[2 * its.words + its.begins_within];
      row[its.single] =
          narrowed<T>(fmaf(scaled<T>(single, centre, scale), its_factors.weights[0], its_factors.biases[0]));
    }
    const FactorsOfWord* const mine = factors + (its.begins_within ? its.words : 0) + its.first;
    each_word<kWords>(count, [&](int k, bool is_there) {
      keep_unit<T>(held[k]);
      const FactorsOfWord f = mine[k];
      const float2 values = widened_word<T>(held[k]);
      float2 results = make_float2(fmaf(scaled<T>(values.x, centre, scale), f.weights[0], f.biases[0]), 0.0f);
      if (kValues > 1) {
        results.y = fmaf(scaled<T>(values.y, centre, scale), f.weights[kValues - 1], f.biases[kValues - 1]);
      }
      if (is_there) words[k] = narrowed_word<T>(results);
    });
  }
  tile.store(out + first * columns);
}
