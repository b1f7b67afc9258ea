// RMS norm of many short rows that begin anywhere: a tile of them in shared memory. GPUs of sm_90 and later; not
// emulated. Arguments as in kernels.cuh; in and out begin at a multiple of 16 bytes.

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

// Weights of a word's values, widened.
template <int kValues>
struct alignas(4 * kValues) Factors {
  float weights[kValues];
};

// Weights of a thread's columns, which lie kThreads apart: of one for floats, else of two.
template <class T, int kThreads>
struct FactorsOnTheirWay {
  static constexpr int kCount = kValuesOfWord<T>;
  T weights[kCount];

  __device__ __forceinline__ void load(const T* weight, int columns) {
#pragma unroll
    for (int k = 0; k < kCount; ++k) {
      const int column = k * kThreads + threadIdx.x;
      if (column < columns) weights[k] = weight[column];
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
      const auto keep_at = [&](int word, int value) { kept[word].weights[value] = widened(weights[k]); };
      if (!kWithin || column < columns - 1) keep_at(column / kValues, column % kValues);
      if (kWithin && column > 0) keep_at(words + (column - 1) / kValues, (column - 1) % kValues);
      if (kWithin && column == columns - 1) keep_at(2 * words, 0);
      if (kWithin && column == 0) keep_at(2 * words + 1, 0);
    }
  }
};

// A block takes kRows rows that lie one after the other, kParts threads each, which take kLot words at a time. Dynamic
// shared memory: the rows; then as many Factors as a row has values, and four more; and more, where fewer blocks are to
// run at once. kWithin: each second row begins within a word. A multiprocessor has registers for kAtOnce threads.
//
// Compared with rms_norm_short_anywhere and rms_norm_few_lanes: threads neither load nor store, but whole packs come
// and go, however short rows are; and a row is one thread's or a few threads', which need no shuffles. While rows of
// one block are normalized, those of others come and go. No thread holds words: it reads them again, and so few
// registers are enough, and many blocks run at once. Its rows have the same words in the same places, and share what
// is read of weights: these are asked for before rows are, and kept while those come. Places are worked out then, too;
// and of a lot all results before the first of them is put back, which the compiler could not tell from the next word.
//
// Launches overlap. The next kernel is let in at once.
template <class T, int kRows, int kParts, bool kWithin, int kLot, int kAtOnce>
__global__ void __launch_bounds__(kRows* kParts, kAtOnce / (kRows * kParts))
    rms_norm_row_tile(const T* in, const T* weight, T* out, int rows, int columns, float epsilon) {
  using FactorsOfWord = Factors<kValuesOfWord<T>>;
  constexpr int kValues = kValuesOfWord<T>;
  constexpr bool kQuick = sizeof(T) < sizeof(float);   // mean and root, right to a few roundings more
  extern __shared__ __align__(128) uint4 tiles[];
  __shared__ unsigned long long arrival;
  __shared__ float sums_of_parts[kParts > 1 ? kRows * kParts : 1];
  cudaTriggerProgrammaticLaunchCompletion();
  const long long first = (long long)blockIdx.x * kRows;
  const int here = rows - first < kRows ? (int)(rows - first) : kRows;
  const Tile<T> tile = {reinterpret_cast<T*>(tiles), here * columns / kPackOf<T>, here * columns % kPackOf<T>};
  FactorsOfWord* const factors = reinterpret_cast<FactorsOfWord*>(tile.values + kRows * columns);
  cudaGridDependencySynchronize();
  FactorsOnTheirWay<T, kRows * kParts> on_their_way;
  on_their_way.load(weight, columns);
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
  float sums[2] = {single * single, 0.0f};   // of each second word
  its.each_lot<kLot>([&](auto lot, int k) {
#pragma unroll
    for (int j = 0; j < lot.count; ++j) {
      const float2 values = widened_word<T>(words[its.word_of(lot, k, j)]);
      sums[j % 2] = fmaf(values.x, values.x, sums[j % 2]);
      if (kValues > 1) sums[j % 2] = fmaf(values.y, values.y, sums[j % 2]);
    }
  });
  const float sum = add_parts<kRows, kParts>(sums[0] + sums[1], sums_of_parts);
  const float scale = kQuick ? rsqrtf(fmaf(sum, share, epsilon)) : scale_of(sum, columns, epsilon);
  if (its.single_place >= 0) {
    const float its_weight = factors[2 * its.words + its.begins_within].weights[0];
    tile.values[its.single_place] = narrowed<T>(single * scale * its_weight);
  }
  const FactorsOfWord* const mine = factors + first_factors;
  its.each_lot<kLot>([&](auto lot, int k) {
    unsigned results[lot.count];
#pragma unroll
    for (int j = 0; j < lot.count; ++j) {
      const int word = its.word_of(lot, k, j);
      const FactorsOfWord f = mine[word];
      const float2 values = widened_word<T>(words[word]);
      const float2 scaled = make_float2(values.x * scale, values.y * scale);
      results[j] = narrowed_word<T>(make_float2(scaled.x * f.weights[0], scaled.y * f.weights[kValues - 1]));
    }
#pragma unroll
    for (int j = 0; j < lot.count; ++j) words[its.word_of(lot, k, j)] = results[j];
  });
  tile.store(out + first * columns);
}
