// Layer norm of many short rows that begin anywhere: a tile of them in shared memory. GPUs of sm_90 and later; not
// emulated. Arguments as in kernels.cuh; in and out begin at a multiple of 16 bytes.

__device__ __forceinline__ void add_to(Sums& sums, float value) {
  sums.values += value;
  sums.squares = fmaf(value, value, sums.squares);
}
__device__ __forceinline__ Sums operator+(const Sums& a, const Sums& b) {
  return {a.values + b.values, a.squares + b.squares};
}

// The sum over the parts of a thread's row, in each of their threads. all: shared memory, a place for each thread of
// the block.
template <int kRows, int kParts, class Sum>
__device__ __forceinline__ Sum add_parts(Sum mine, Sum* all) {
  if (kParts == 1) return mine;
  all[threadIdx.x] = mine;
  __syncthreads();
  const Sum* const parts = all + threadIdx.x % kRows;
  Sum sum = parts[0];
#pragma unroll
  for (int part = 1; part < kParts; ++part) sum = sum + parts[part * kRows];
  return sum;
}

// Weights and biases of a word's values, widened.
template <int kValues>
struct alignas(8 * kValues) Factors {
  float weights[kValues];
  float biases[kValues];
};

// Weights and biases of a thread's columns, which lie kThreads apart: of one for floats, else of two.
template <class T, int kThreads>
struct FactorsOnTheirWay {
  static constexpr int kCount = kValuesOfWord<T>;
  T weights[kCount];
  T biases[kCount];

  __device__ __forceinline__ void load(const T* weight, const T* bias, int columns) {
#pragma unroll
    for (int k = 0; k < kCount; ++k) {
      const int column = k * kThreads + threadIdx.x;
      if (column >= columns) continue;
      weights[k] = weight[column];
      biases[k] = bias[column];
    }
  }
  // Those of the words of a row that begins with a word; then, where a row may begin within one, of such a row's words,
  // and of the value apart of either row.
  template <bool kWithin>
  __device__ __forceinline__ void keep(Factors<kValuesOfWord<T>>* kept, int columns) const {
    constexpr int kValues = kValuesOfWord<T>;
    const int words = columns / kValues;
#pragma unroll
    for (int k = 0; k < kCount; ++k) {
      const int column = k * kThreads + threadIdx.x;
      if (column >= columns) continue;
      const float its_weight = widened(weights[k]);
      const float its_bias = widened(biases[k]);
      const auto keep_at = [&](int word, int value) {
        kept[word].weights[value] = its_weight;
        kept[word].biases[value] = its_bias;
      };
      if (!kWithin || column < columns - 1) keep_at(column / kValues, column % kValues);
      if (kWithin && column > 0) keep_at(words + (column - 1) / kValues, (column - 1) % kValues);
      if (kWithin && column == columns - 1) keep_at(2 * words, 0);
      if (kWithin && column == 0) keep_at(2 * words + 1, 0);
    }
  }
};

// Puts results in the place of a row of 16-bit values whose mean is far from 0, by one thread: after two walks for the
// mean and for squares about it.
template <class T>
__device__ __noinline__ void put_out_far_alone(T* row, const T* weight, const T* bias, int columns, float epsilon) {
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

// A block takes kRows rows that lie one after the other, kParts threads each, which take kLot words at a time. Dynamic
// shared memory: the rows; then as many Factors as a row has values, and four more; and more, where fewer blocks are to
// run at once. kWithin: each second row begins within a word. A multiprocessor has registers for kAtOnce threads.
//
// Compared with layer_norm_short_anywhere and layer_norm_few_lanes: threads neither load nor store, but whole packs
// come and go, however short rows are; and a row is one thread's or a few threads', which need no shuffles. While rows
// of one block are normalized, those of others come and go. No thread holds words: it reads them again, and so few
// registers are enough, and many blocks run at once. Its rows have the same words in the same places, and share what
// is read of weights and biases: these are asked for before rows are, and kept while those come. Places are worked out
// then, too; and of a lot all results before the first of them is put back, which the compiler could not tell from the
// next word. Mean and variance as in layer_norm_fitted_anywhere.
//
// Launches overlap. The next kernel is let in at once.
template <class T, int kRows, int kParts, bool kWithin, int kLot, int kAtOnce>
__global__ void __launch_bounds__(kRows* kParts, kAtOnce / (kRows * kParts))
    layer_norm_row_tile(const T* in, const T* weight, const T* bias, T* out, int rows, int columns, float epsilon) {
  using FactorsOfWord = Factors<kValuesOfWord<T>>;
  constexpr int kValues = kValuesOfWord<T>;
  constexpr int kPlaces = kParts > 1 ? kRows * kParts : 1;   // of sums of parts
  extern __shared__ __align__(128) uint4 tiles[];
  __shared__ unsigned long long arrival;
  __shared__ Sums sums_of_parts[kPlaces];
  cudaTriggerProgrammaticLaunchCompletion();
  const long long first = (long long)blockIdx.x * kRows;
  const int here = rows - first < kRows ? (int)(rows - first) : kRows;
  const Tile<T> tile = {reinterpret_cast<T*>(tiles), here * columns / kPackOf<T>, here * columns % kPackOf<T>};
  FactorsOfWord* const factors = reinterpret_cast<FactorsOfWord*>(tile.values + kRows * columns);
  cudaGridDependencySynchronize();
  FactorsOnTheirWay<T, kRows * kParts> on_their_way;
  on_their_way.load(weight, bias, columns);
  tile.load(in + first * columns, &arrival);
  on_their_way.template keep<kWithin>(factors, columns);
  const TilePart its = TilePart::of<T, kRows, kParts, kWithin>(columns);
  int first_factors = (its.begins_within ? its.words : 0) + its.first;
  float share = 1.0f / (float)columns;   // of a value in the mean
  work_out(first_factors);
  work_out(share);
  __syncthreads();
  wait_for(&arrival, 0);
  // In the last tile, what lies behind its rows is worked on as well, and not stored.
  unsigned* const words = reinterpret_cast<unsigned*>(tiles) + its.first_word;
  const float single = its.single_place >= 0 ? widened(tile.values[its.single_place]) : 0.0f;
  Sums two_sums[2] = {{single, single * single}, {0.0f, 0.0f}};   // of each second word
  its.each_lot<kLot>([&](auto lot, int k) {
#pragma unroll
    for (int j = 0; j < lot.count; ++j) {
      const float2 values = widened_word<T>(words[its.word_of(lot, k, j)]);
      add_to(two_sums[j % 2], values.x);
      if (kValues > 1) add_to(two_sums[j % 2], values.y);
    }
  });
  const Sums sums = add_parts<kRows, kParts>(two_sums[0] + two_sums[1], sums_of_parts);
  float centre, scale;   // as in scaled()
  bool done = false;     // put out by one thread alone
  if constexpr (sizeof(T) == 4) {
    __shared__ float squares_of_parts[kPlaces];
    centre = sums.values / (float)columns;
    float squares[2] = {0.0f, 0.0f};
    its.each_lot<kLot>([&](auto lot, int k) {
#pragma unroll
      for (int j = 0; j < lot.count; ++j) {
        const float apart_from_mean = __uint_as_float(words[its.word_of(lot, k, j)]) - centre;
        squares[j % 2] = fmaf(apart_from_mean, apart_from_mean, squares[j % 2]);
      }
    });
    const float m2 = add_parts<kRows, kParts>(squares[0] + squares[1], squares_of_parts);
    scale = scale_of(m2 / (float)columns, epsilon);
  } else {
    const float mean = sums.values * share;
    const float m2 = m2_by_squares(sums, mean);
    scale = rsqrtf(fmaf(m2, share, epsilon));
    centre = -mean * scale;
    done = its.row < here && !mean_is_near(m2, sums);   // as for all threads of the row
    if (done && its.first == 0) put_out_far_alone(tile.values + its.start, weight, bias, columns, epsilon);
  }
  if (its.single_place >= 0 && !done) {
    const FactorsOfWord f = factors[2 * its.words + its.begins_within];
    tile.values[its.single_place] = narrowed<T>(fmaf(scaled<T>(single, centre, scale), f.weights[0], f.biases[0]));
  }
  const FactorsOfWord* const mine = factors + first_factors;
  if (!done) {
    its.each_lot<kLot>([&](auto lot, int k) {
      unsigned results[lot.count];
#pragma unroll
      for (int j = 0; j < lot.count; ++j) {
        const int word = its.word_of(lot, k, j);
        const FactorsOfWord f = mine[word];
        const float2 values = widened_word<T>(words[word]);
        float2 both = make_float2(fmaf(scaled<T>(values.x, centre, scale), f.weights[0], f.biases[0]), 0.0f);
        if (kValues > 1) {
          both.y = fmaf(scaled<T>(values.y, centre, scale), f.weights[kValues - 1], f.biases[kValues - 1]);
        }
        results[j] = narrowed_word<T>(both);
      }
#pragma unroll
      for (int j = 0; j < lot.count; ++j) words[its.word_of(lot, k, j)] = results[j];
    });
  }
  tile.store(out + first * columns);
}
