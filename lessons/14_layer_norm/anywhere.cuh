// A row that begins anywhere: what the kernels of kernels_sm75.cuh and long_rows.cuh share.

#include "pairs.cuh"

template <class T>
__device__ __forceinline__ Pack<T> zeros() {
  const uint4 words = make_uint4(0, 0, 0, 0);
  return *reinterpret_cast<const Pack<T>*>(&words);
}

template <class T>
__device__ __forceinline__ float add_values(float sum, const Pack<T>& pack) {
#pragma unroll
  for (int k = 0; k < kPackOf<T>; k += 2) {
    const float2 pair = widened_pair<T>(pack.values + k);
    sum += pair.x;
    sum += pair.y;
  }
  return sum;
}

// Adds the squared deviations from the mean.
template <class T>
__device__ __forceinline__ float add_squares(float squares, const Pack<T>& pack, float mean) {
#pragma unroll
  for (int k = 0; k < kPackOf<T>; k += 2) {
    const float2 pair = widened_pair<T>(pack.values + k);
    squares = fmaf(pair.x - mean, pair.x - mean, squares);
    squares = fmaf(pair.y - mean, pair.y - mean, squares);
  }
  return squares;
}

template <class T>
__device__ __forceinline__ Pack<T> normalized(const Pack<T>& pack, float mean, float scale, const Pack<T>& weights,
                                              const Pack<T>& biases) {
  Pack<T> results;
#pragma unroll
  for (int k = 0; k < kPackOf<T>; k += 2) {
    const float2 values = widened_pair<T>(pack.values + k);
    const float2 factors = widened_pair<T>(weights.values + k);
    const float2 terms = widened_pair<T>(biases.values + k);
    narrow_pair<T>(make_float2(normalized(values.x, mean, scale, factors.x, terms.x),
                               normalized(values.y, mean, scale, factors.y, terms.y)),
                   results.values + k);
  }
  return results;
}

// A pack of shared memory in one load: the compiler would else read 16 bits at a time.
template <class T>
__device__ __forceinline__ Pack<T> kept_pack(const Pack<T>* kept, int index) {
  const uint4 words = reinterpret_cast<const uint4*>(kept)[index];
  return *reinterpret_cast<const Pack<T>*>(&words);
}

// How a row lies in memory: `head` values before the first multiple of 16 bytes, whole packs, `tail` values behind them.
struct Cut {
  int head, packs, tail;
};
template <class T>
__device__ __forceinline__ Cut cut_of(const T* row, int columns) {
  constexpr int kPack = kPackOf<T>;
  const int before = reinterpret_cast<size_t>(row) % 16 / sizeof(T);
  const int head = before == 0 ? 0 : kPack - before < columns ? kPack - before : columns;
  const int packs = (columns - head) / kPack;
  return {head, packs, columns - head - packs * kPack};
}

// The column of head or tail that a thread takes, or -1. There are 2 * kPack threads or more.
template <class T>
__device__ __forceinline__ int edge_column(const Cut& cut, int columns, int thread = threadIdx.x) {
  const int behind = thread - kPackOf<T>;
  if (thread < cut.head) return thread;
  return behind >= 0 && behind < cut.tail ? columns - cut.tail + behind : -1;
}

// What a thread holds of a row: packs, and at most one value of head and tail.
template <class T, int kPacks>
struct Piece {
  Pack<T> packs[kPacks];
  T edge;
};

// A thread's piece of a row, 0 outside of it.
template <class T, int kPacks>
__device__ __forceinline__ void load_piece(Piece<T, kPacks>& piece, const T* row, int columns) {
  const Cut cut = cut_of(row, columns);
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * blockDim.x + threadIdx.x;
    piece.packs[p] = zeros<T>();
    if (index < cut.packs) piece.packs[p] = pack_at(row + cut.head, index);
  }
  const int column = edge_column<T>(cut, columns);
  piece.edge = narrowed<T>(0.0f);
  if (column >= 0) piece.edge = row[column];
}

// The weights or biases of a thread's packs, cut to fit, into shared memory: kPacks packs a thread, which reads what it
// wrote itself. Returns that of head or tail.
template <class T, int kPacks>
__device__ __forceinline__ T keep_weights(Pack<T>* kept, const T* weight, const Cut& cut, int columns) {
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * blockDim.x + threadIdx.x;
    const int column = cut.head + index * kPackOf<T>;
    if (index < cut.packs) kept[index] = weights_at(weight, column, columns);
  }
  const int column = edge_column<T>(cut, columns);
  return column >= 0 ? weight[column] : narrowed<T>(0.0f);
}

// Of so many blocks, those that take rows in turns: a multiple of a pack's values, if there are as many.
// Rows that lie such a multiple apart begin at the same place of a pack.
template <class T>
__device__ __forceinline__ int in_turns(int blocks) {
  return blocks < kPackOf<T> ? blocks : blocks / kPackOf<T> * kPackOf<T>;
}
