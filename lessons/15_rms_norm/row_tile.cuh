// RMS norm of many short rows that begin anywhere: a tile of them in shared memory. GPUs of sm_90 and later; not
// emulated. Arguments as in kernels.cuh; in and out begin at a multiple of 16 bytes.


// The sum over the parts of a thread's row, in each of their threads. all: shared memory, a place for each thread of
// the block.
template <int kParts, class Sum>
__device__ __forceinline__ Sum add_parts(Sum mine, Sum* all) {
  if (kParts == 1) return mine;
  all[threadIdx.x] = mine;
  __syncthreads();
  const Sum* const parts = all + threadIdx.x % kRowsOfTile<kParts>;
  Sum sum = parts[0];
#pragma unroll
  for (int part = 1; part < kParts; ++part) sum = sum + parts[part * kRowsOfTile<kParts>];
  return sum;
}

// Weights of a word's values, widened.
template <int kValues>
struct alignas(4 * kValues) Factors {
  float weights[kValues];
};

// Those of the words of a row that begins with a word; then, where a row may begin within one, of such a row's words, and
// of the value apart of either row.
template <class T>
__device__ __forceinline__ void keep_factors(Factors<kValuesOfWord<T>>* kept, const T* weight, int columns) {
  constexpr int kValues = kValuesOfWord<T>;
  const int words = columns / kValues;
  const int all = columns % kValues == 0 ? words : 2 * words + 2;
  for (int i = threadIdx.x; i < all; i += blockDim.x) {
    const int apart = i == 2 * words ? columns - 1 : 0;
    const int column = i < words ? i * kValues : i < 2 * words ? (i - words) * kValues + 1 : apart;
#pragma unroll
    for (int k = 0; k < kValues; ++k) {
      kept[i].weights[k] = k == 0 || column + k < columns ? widened(weight[column + k]) : 0.0f;
    }
  }
}

// A block takes kRowsOfTile rows that lie one after the other, kParts threads each. Dynamic shared memory: the rows;
// then as many Factors as a row has values, and four more; and more, where fewer blocks are to run at once.
//
// Compared with rms_norm_short_anywhere and rms_norm_few_lanes: threads neither load nor store, but whole packs come
// and go, however short rows are; and a row is one thread's or a few threads', which need no shuffles. While rows of
// one block are normalized, those of others come and go. No thread holds words: it reads them again, and so 32
// registers are enough, and as many blocks run at once as threads and shared memory allow. Its rows have the same words
// in the same places, and share what is read of weights.
//
// Launches overlap. The next kernel is let in at once.
template <class T, int kParts>
__global__ void __launch_bounds__(kRowTileThreads<kParts>, 2048 / kRowTileThreads<kParts>)
    rms_norm_row_tile(const T* in, const T* weight, T* out, int rows, int columns, float epsilon) {
  using FactorsOfWord = Factors<kValuesOfWord<T>>;
  constexpr int kValues = kValuesOfWord<T>, kRows = kRowsOfTile<kParts>;
  constexpr bool kQuick = sizeof(T) < sizeof(float);   // mean and root, right to a few roundings more
  extern __shared__ __align__(128) uint4 tiles[];
  __shared__ unsigned long long arrival;
  __shared__ float sums_of_parts[kParts > 1 ? kRowTileThreads<kParts> : 1];
  cudaTriggerProgrammaticLaunchCompletion();
  const long long first = (long long)blockIdx.x * kRows;
  const int here = rows - first < kRows ? (int)(rows - first) : kRows;
  const Tile<T> tile = {reinterpret_cast<T*>(tiles), here * columns / kPackOf<T>, here * columns % kPackOf<T>};
  FactorsOfWord* const factors = reinterpret_cast<FactorsOfWord*>(tile.values + kRows * columns);
  cudaGridDependencySynchronize();
  tile.load(in + first * columns, &arrival);
  keep_factors(factors, weight, columns);
  __syncthreads();
  wait_for(&arrival, 0);
  // In the last tile, what lies behind its rows is worked on as well, and not stored.
  const TilePart its = TilePart::of<T, kParts>(columns);
  T* const row = tile.values + its.row * columns;
  unsigned* const words = reinterpret_cast<unsigned*>(row + its.begins_within) + its.first;
  const float single = its.single >= 0 ? widened(row[its.single]) : 0.0f;
  float sum = single * single;
  its.each_word([&](int k) {
    const float2 values = widened_word<T>(words[k]);
    sum = fmaf(values.x, values.x, sum);
    if (kValues > 1) sum = fmaf(values.y, values.y, sum);
  });
  sum = add_parts<kParts>(sum, sums_of_parts);
  const float scale =
      kQuick ? rsqrtf(fmaf(sum, __fdividef(1.0f, columns), epsilon)) : scale_of(sum, columns, epsilon);
  if (its.single >= 0) {
    row[its.single] = narrowed<T>(single * scale * factors[2 * its.words + its.begins_within].weights[0]);
  }
  const FactorsOfWord* const mine = factors + (its.begins_within ? its.words : 0) + its.first;
  its.each_word([&](int k) {
    const FactorsOfWord f = mine[k];
    const float2 values = widened_word<T>(words[k]);
    const float2 scaled = make_float2(values.x * scale, values.y * scale);
    words[k] = narrowed_word<T>(make_float2(scaled.x * f.weights[0], scaled.y * f.weights[kValues - 1]));
  });
  tile.store(out + first * columns);
}
