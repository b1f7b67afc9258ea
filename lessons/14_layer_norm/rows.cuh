// What the kernels of this folder share. A row is `columns` values beside each other, and rows follow each other
// without a gap; columns is at least 1. Values are floats, halves or bfloat16s; all arithmetic is in float.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

constexpr unsigned kFullWarp = 0xffffffffu;

// Every number of 16 bits is a float: exact.
__device__ __forceinline__ float widened(float value) { return value; }
__device__ __forceinline__ float widened(__half value) { return __half2float(value); }
__device__ __forceinline__ float widened(__nv_bfloat16 value) { return __bfloat162float(value); }

// The nearest number of the type; of two as near, the even one.
template <class T>
__device__ __forceinline__ T narrowed(float value);
template <>
__device__ __forceinline__ float narrowed<float>(float value) { return value; }
template <>
__device__ __forceinline__ __half narrowed<__half>(float value) { return __float2half_rn(value); }
template <>
__device__ __forceinline__ __nv_bfloat16 narrowed<__nv_bfloat16>(float value) { return __float2bfloat16_rn(value); }

// Values in 16 bytes: 4 floats, 8 halves or bfloat16s.
template <class T>
constexpr int kPackOf = 16 / sizeof(T);

// May a row be read 16 bytes at a time? It must begin at a multiple of 16 and hold whole packs.
template <class T>
__device__ __forceinline__ bool in_packs(const T* row, int columns) {
  return columns % kPackOf<T> == 0 && reinterpret_cast<size_t>(row) % 16 == 0;
}

// A warp's sum, in every lane.
__device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
  for (int lane_mask = 16; lane_mask > 0; lane_mask /= 2) {
    value += __shfl_xor_sync(kFullWarp, value, lane_mask);
  }
  return value;
}

// The block's sum, in every thread. Each warp has its own first; then every warp adds all warps' sums, so that nothing
// need be handed back: one barrier. warp_sums: shared memory, a float for each warp, of which there are 32 at most; a
// second call takes another array, since a warp may still be reading the first.
__device__ __forceinline__ float block_sum(float value, float* warp_sums) {
  const int lane = threadIdx.x % 32;
  const int warps = blockDim.x / 32;
  value = warp_sum(value);
  if (warps == 1) return value;
  if (lane == 0) warp_sums[threadIdx.x / 32] = value;
  __syncthreads();
  value = lane < warps ? warp_sums[lane] : 0.0f;
  value = warp_sum(value);
  return value;
}

// What a deviation is multiplied by. Epsilon is added to the variance, inside the root.
__device__ __forceinline__ float scale_of(float variance, float epsilon) { return 1.0f / sqrtf(variance + epsilon); }

// ---- Three numbers that say where values lie and how far they spread -----------------------------------------------

// How many values, their mean, and the sum of their squared deviations from it. Of no values: three zeros.
struct Moments {
  float count;
  float mean;
  float m2;
};

// One more value (Welford, Note on a method for calculating corrected sums of squares and products, 1962).
__device__ __forceinline__ Moments with_value(Moments a, float value) {
  const float count = a.count + 1.0f;
  const float delta = value - a.mean;
  const float mean = a.mean + delta / count;
  return {count, mean, a.m2 + delta * (value - mean)};
}

// Two lots of values taken together (Chan, Golub, LeVeque, Updating formulae and a pairwise algorithm for computing
// sample variances, 1979). Of two lots of no values the quotients would be 0 / 0; of one such, delta * delta may be
// infinite and its factor 0. merge(a, b) and merge(b, a) have the
// same bits as long as nothing is contracted to an FMA (here: -fmad=false), so the lanes of a butterfly agree. The mean
// in its better-known form, a.mean + delta * b.count / count, is not the same from both sides.
__device__ __forceinline__ Moments merge(Moments a, Moments b) {
  if (b.count == 0.0f) return a;
  if (a.count == 0.0f) return b;
  const float count = a.count + b.count;
  const float delta = b.mean - a.mean;
  const float m2 = a.m2 + b.m2 + delta * delta * (a.count * b.count / count);
  return {count, (a.count * a.mean + b.count * b.mean) / count, m2};
}

// A warp's, in every lane. A shuffle moves 4 bytes: three numbers take three.
__device__ __forceinline__ Moments merge_xor(Moments moments) {
#pragma unroll
  for (int lane_mask = 16; lane_mask > 0; lane_mask /= 2) {
    Moments other;
    other.count = __shfl_xor_sync(kFullWarp, moments.count, lane_mask);
    other.mean = __shfl_xor_sync(kFullWarp, moments.mean, lane_mask);
    other.m2 = __shfl_xor_sync(kFullWarp, moments.m2, lane_mask);
    moments = merge(moments, other);
  }
  return moments;
}

// The block's, in every thread, as block_sum. Each array is shared memory, a float for each warp.
__device__ __forceinline__ Moments block_merge(Moments moments, float* counts, float* means, float* m2s) {
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int warps = blockDim.x / 32;
  moments = merge_xor(moments);
  if (lane == 0) {
    counts[warp] = moments.count;
    means[warp] = moments.mean;
    m2s[warp] = moments.m2;
  }
  __syncthreads();
  moments.count = lane < warps ? counts[lane] : 0.0f;
  moments.mean = lane < warps ? means[lane] : 0.0f;
  moments.m2 = lane < warps ? m2s[lane] : 0.0f;
  moments = merge_xor(moments);
  return moments;
}

// ---- A row in registers --------------------------------------------------------------------------------------------

// The values of one 16-byte load.
template <class T>
struct alignas(16) Pack {
  T values[kPackOf<T>];
};

// Keeps the values of a pack as they are: of 16 bits, the compiler would else hold on to the floats that they were
// widened to, twice as many registers. An instruction that does nothing, but might have changed them.
template <class T, class AnyPack>
__device__ __forceinline__ void keep_packed(AnyPack& pack) {
#ifdef __CUDA_ARCH__
  if (sizeof(T) == 2) {
    unsigned* words = reinterpret_cast<unsigned*>(&pack);
    asm volatile("" : "+r"(words[0]), "+r"(words[1]), "+r"(words[2]), "+r"(words[3]));
  }
#endif
}

template <class T>
__device__ __forceinline__ Pack<T> pack_at(const T* values, int index) {
  return reinterpret_cast<const Pack<T>*>(values)[index];
}

template <class T>
__device__ __forceinline__ Pack<T> zeros() {
  const uint4 words = make_uint4(0, 0, 0, 0);
  return *reinterpret_cast<const Pack<T>*>(&words);
}

template <class T>
__device__ __forceinline__ float add_values(float sum, const Pack<T>& pack) {
#pragma unroll
  for (int k = 0; k < kPackOf<T>; ++k) sum += widened(pack.values[k]);
  return sum;
}

// Adds the squared deviations from the mean.
template <class T>
__device__ __forceinline__ float add_squares(float squares, const Pack<T>& pack, float mean) {
#pragma unroll
  for (int k = 0; k < kPackOf<T>; ++k) {
    const float deviation = widened(pack.values[k]) - mean;
    squares = fmaf(deviation, deviation, squares);
  }
  return squares;
}

// The product is rounded once, with the sum.
template <class T>
__device__ __forceinline__ T normalized(T value, float mean, float scale, T weight, T bias) {
  return narrowed<T>(fmaf((widened(value) - mean) * scale, widened(weight), widened(bias)));
}
template <class T>
__device__ __forceinline__ Pack<T> normalized(const Pack<T>& pack, float mean, float scale, const Pack<T>& weights,
                                              const Pack<T>& biases) {
  Pack<T> results;
#pragma unroll
  for (int k = 0; k < kPackOf<T>; ++k) {
    results.values[k] = normalized(pack.values[k], mean, scale, weights.values[k], biases.values[k]);
  }
  return results;
}

// What a thread keeps of a row of at most threads * kPacks packs.
template <class T, int kPacks>
struct Held {
  Pack<T> values[kPacks];   // 0 behind the row
  Pack<T> weights[kPacks];
  Pack<T> biases[kPacks];
};

// Fills `held` with a thread's share of a row of `packs`, and returns the sum of the values. Weights and biases are
// asked for at once, so that they come while the row's threads wait for each other.
template <class T, int kPacks>
__device__ __forceinline__ float load_row(const T* row, const T* weight, const T* bias, int packs, int thread,
                                          int threads, Held<T, kPacks>& held) {
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * threads + thread;
    held.values[p] = zeros<T>();
    if (index < packs) held.values[p] = pack_at(row, index);
  }
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * threads + thread;
    if (index < packs) {
      held.weights[p] = pack_at(weight, index);
      held.biases[p] = pack_at(bias, index);
    }
  }
  float sum = 0.0f;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) sum = add_values(sum, held.values[p]);
  return sum;
}

// The sum of the squared deviations. What is behind the row has none.
template <class T, int kPacks>
__device__ __forceinline__ float squares_of(int packs, int thread, int threads, Held<T, kPacks>& held, float mean) {
  float squares = 0.0f;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    keep_packed<T>(held.values[p]);
    if (p * threads + thread < packs) squares = add_squares(squares, held.values[p], mean);
  }
  return squares;
}

template <class T, int kPacks>
__device__ __forceinline__ void store_row(T* row, int packs, int thread, int threads, Held<T, kPacks>& held, float mean,
                                          float scale) {
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * threads + thread;
    if (index < packs) {
      keep_packed<T>(held.values[p]);
      reinterpret_cast<Pack<T>*>(row)[index] =
          normalized(held.values[p], mean, scale, held.weights[p], held.biases[p]);
    }
  }
}

// ---- A row that begins anywhere ------------------------------------------------------------------------------------

// How a row lies in memory: `head` values before the first multiple of 16 bytes, whole packs, `tail` values behind them.
// Of a row that blocks share, each has its part of the packs, and block 0 has head and tail, too.
struct Cut {
  int head, tail;
  int first, packs;   // this block's: packs first to first + packs - 1
  bool has_edges;
};
template <class T>
__device__ __forceinline__ Cut cut_of(const T* row, int columns, int rank, int blocks) {
  constexpr int kPack = kPackOf<T>;
  const int before = reinterpret_cast<size_t>(row) % 16 / sizeof(T);
  const int head = before == 0 ? 0 : kPack - before < columns ? kPack - before : columns;
  const int all = (columns - head) / kPack;
  const int share = (all + blocks - 1) / blocks;
  const int first = rank * share < all ? rank * share : all;
  return {head, columns - head - all * kPack, first, all - first < share ? all - first : share, rank == 0};
}

// The column of head or tail that a thread takes, or -1. A block has 2 * kPack threads or more.
template <class T>
__device__ __forceinline__ int edge_column(const Cut& cut, int columns) {
  const int thread = threadIdx.x;
  const int behind = thread - kPackOf<T>;
  if (cut.has_edges && thread < cut.head) return thread;
  return cut.has_edges && behind >= 0 && behind < cut.tail ? columns - cut.tail + behind : -1;
}

// Where this block's packs begin.
template <class T>
__device__ __forceinline__ T* first_pack(T* row, const Cut& cut) {
  return row + cut.head + cut.first * kPackOf<T>;
}

// The values number `from` to from + kPack - 1 of two packs that follow each other.
template <class T>
__device__ __forceinline__ Pack<T> part_of(const Pack<T>& low, const Pack<T>& high, int from) {
  const unsigned* lows = reinterpret_cast<const unsigned*>(&low);
  const unsigned* highs = reinterpret_cast<const unsigned*>(&high);
  unsigned words[8] = {lows[0], lows[1], lows[2], lows[3], highs[0], highs[1], highs[2], highs[3]};
  const int bytes = from * (int)sizeof(T);
#pragma unroll
  for (int k = 0; k < 6; ++k) words[k] = bytes & 8 ? words[k + 2] : words[k];
#pragma unroll
  for (int k = 0; k < 5; ++k) words[k] = bytes & 4 ? words[k + 1] : words[k];
  Pack<T> part;
  unsigned* results = reinterpret_cast<unsigned*>(&part);
#pragma unroll
  for (int k = 0; k < 4; ++k) results[k] = __funnelshift_r(words[k], words[k + 1], bytes % 4 * 8);
  return part;
}

// Columns first to first + kPack - 1 of `values`, of which there are `columns`, and which begin at a multiple of 16
// bytes; where `first` does not, they are cut from two packs.
template <class T>
__device__ __forceinline__ Pack<T> pack_from(const T* values, int first, int columns) {
  constexpr int kPack = kPackOf<T>;
  const int from = first % kPack;
  const int index = first / kPack;
  if (from == 0) return pack_at(values, index);
  if ((index + 2) * kPack <= columns) return part_of(pack_at(values, index), pack_at(values, index + 1), from);
  Pack<T> part;   // the second pack would end behind the array
#pragma unroll
  for (int k = 0; k < kPack; ++k) part.values[k] = values[first + k];
  return part;
}

// What a thread holds of a row: packs, and at most one value of head and tail.
template <class T, int kPacks>
struct Piece {
  Pack<T> packs[kPacks];
  T edge;
};

// A thread's piece of a row, 0 outside of it.
template <class T, int kPacks>
__device__ __forceinline__ void load_piece(Piece<T, kPacks>& piece, const T* row, const Cut& cut, int columns) {
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * blockDim.x + threadIdx.x;
    piece.packs[p] = zeros<T>();
    if (index < cut.packs) piece.packs[p] = pack_at(first_pack(row, cut), index);
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
    const int column = cut.head + (cut.first + index) * kPackOf<T>;
    if (index < cut.packs) kept[index] = pack_from(weight, column, columns);
  }
  const int column = edge_column<T>(cut, columns);
  return column >= 0 ? weight[column] : narrowed<T>(0.0f);
}

// Of so many blocks or clusters, those that take rows in turns: a multiple of a pack's values, if there are as many.
// Rows that lie such a multiple apart begin at the same place of a pack.
template <class T>
__device__ __forceinline__ int in_turns(int groups) {
  return groups < kPackOf<T> ? groups : groups / kPackOf<T> * kPackOf<T>;
}

// Rows number first, first + step, … of this block, or those that it shares with others, of which it is number `rank`.
// join(moments, cut, turn) are those of all that share a row. kept: shared memory, 2 * kPacks packs for each thread;
// warp_sums and warp_squares: a float for each warp.
//
// What lies outside of whole packs is taken value by value, a thread each. All these rows begin at the same place of a
// pack, so weights and biases, which do not, are cut to fit once. The next row is on its way while one is normalized.
template <class T, int kPacks, class Join>
__device__ __forceinline__ void normalize_rows(const T* in, const T* weight, const T* bias, T* out, long long rows,
                                               int columns, float epsilon, long long first, int step, int rank,
                                               int blocks, Pack<T>* kept, float* warp_sums, float* warp_squares,
                                               const Join& join) {
  Pack<T>* const kept_biases = kept + kPacks * blockDim.x;
  Piece<T, kPacks> next;
  T edge_weight = narrowed<T>(0.0f);
  T edge_bias = narrowed<T>(0.0f);
  int head = -1;
  int turn = 0;
  load_piece(next, in + first * columns, cut_of(in + first * columns, columns, rank, blocks), columns);
  for (long long number = first; number < rows; number += step, ++turn) {
    Piece<T, kPacks> piece = next;
    T* const result = out + number * columns;
    const Cut cut = cut_of(result, columns, rank, blocks);
    const int column = edge_column<T>(cut, columns);
    if (cut.head != head) {
      edge_weight = keep_weights<T, kPacks>(kept, weight, cut, columns);
      edge_bias = keep_weights<T, kPacks>(kept_biases, bias, cut, columns);
    }
    head = cut.head;
    float sum = widened(piece.edge);
#pragma unroll
    for (int p = 0; p < kPacks; ++p) sum = add_values(sum, piece.packs[p]);
    if (number + step < rows) {
      const T* const row = in + (number + step) * columns;
      load_piece(next, row, cut_of(row, columns, rank, blocks), columns);
    }
    sum = block_sum(sum, warp_sums);
    const int count = cut.packs * kPackOf<T> + (cut.has_edges ? cut.head + cut.tail : 0);
    const float mean = count > 0 ? sum / (float)count : 0.0f;
    const float deviation = column >= 0 ? widened(piece.edge) - mean : 0.0f;
    float squares = deviation * deviation;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      keep_packed<T>(piece.packs[p]);
      if (p * blockDim.x + threadIdx.x < cut.packs) squares = add_squares(squares, piece.packs[p], mean);
    }
    squares = block_sum(squares, warp_squares);
    const Moments moments = join({(float)count, mean, squares}, cut, turn);
    const float scale = scale_of(moments.m2 / (float)columns, epsilon);
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const int index = p * blockDim.x + threadIdx.x;
      keep_packed<T>(piece.packs[p]);
      if (index < cut.packs) {
        reinterpret_cast<Pack<T>*>(first_pack(result, cut))[index] =
            normalized(piece.packs[p], moments.mean, scale, kept[index], kept_biases[index]);
      }
    }
    if (column >= 0) result[column] = normalized(piece.edge, moments.mean, scale, edge_weight, edge_bias);
  }
}
