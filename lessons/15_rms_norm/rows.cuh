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
// need be handed back: one barrier. warp_sums: shared memory, a float for each warp, of which there are 32 at most.
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

// What each value is multiplied by. Epsilon is added to the mean square, inside the root.
__device__ __forceinline__ float scale_of(float squares, int columns, float epsilon) {
  return 1.0f / sqrtf(squares / (float)columns + epsilon);
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
__device__ __forceinline__ float add_squares(float squares, const Pack<T>& pack) {
#pragma unroll
  for (int k = 0; k < kPackOf<T>; ++k) squares = fmaf(widened(pack.values[k]), widened(pack.values[k]), squares);
  return squares;
}

template <class T>
__device__ __forceinline__ T normalized(T value, float scale, T weight) {
  return narrowed<T>(widened(value) * scale * widened(weight));
}
template <class T>
__device__ __forceinline__ Pack<T> normalized(const Pack<T>& pack, float scale, const Pack<T>& weights) {
  Pack<T> results;
#pragma unroll
  for (int k = 0; k < kPackOf<T>; ++k) results.values[k] = normalized(pack.values[k], scale, weights.values[k]);
  return results;
}

// Fills `held` with a thread's packs of a row of `packs`, at most threads * kPacks, 0 behind it, and returns the sum of
// their squares. The weights are asked for at once, so that they come while the row's threads wait for each other.
template <class T, int kPacks>
__device__ __forceinline__ float load_row(const T* row, const T* weight, int packs, int thread, int threads,
                                          Pack<T>* held, Pack<T>* weights) {
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * threads + thread;
    held[p] = zeros<T>();
    if (index < packs) held[p] = pack_at(row, index);
  }
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * threads + thread;
    if (index < packs) weights[p] = pack_at(weight, index);
  }
  float squares = 0.0f;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) squares = add_squares(squares, held[p]);
  return squares;
}

// Writes held * scale * weights.
template <class T, int kPacks>
__device__ __forceinline__ void store_row(T* row, int packs, int thread, int threads, Pack<T>* held,
                                          const Pack<T>* weights, float scale) {
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * threads + thread;
    if (index < packs) {
      keep_packed<T>(held[p]);
      reinterpret_cast<Pack<T>*>(row)[index] = normalized(held[p], scale, weights[p]);
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

// The weights of a thread's packs, cut to fit, into shared memory: kPacks packs a thread, which reads what it wrote
// itself. Returns that of head or tail.
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
// join(squares, turn) is the sum over all that share a row. kept: shared memory, a pack for each of the thread's kPacks.
//
// What lies outside of whole packs is taken value by value, a thread each. All these rows begin at the same place of a
// pack, so the weights, which do not, are cut to fit once. The next row is on its way while one is normalized.
template <class T, int kPacks, class Join>
__device__ __forceinline__ void normalize_rows(const T* in, const T* weight, T* out, long long rows, int columns,
                                               float epsilon, long long first, int step, int rank, int blocks,
                                               Pack<T>* kept, const Join& join) {
  Piece<T, kPacks> next;
  T edge_weight = narrowed<T>(0.0f);
  int head = -1;
  int turn = 0;
  load_piece(next, in + first * columns, cut_of(in + first * columns, columns, rank, blocks), columns);
  for (long long number = first; number < rows; number += step, ++turn) {
    Piece<T, kPacks> piece = next;
    T* const result = out + number * columns;
    const Cut cut = cut_of(result, columns, rank, blocks);
    if (cut.head != head) edge_weight = keep_weights<T, kPacks>(kept, weight, cut, columns);
    head = cut.head;
    float squares = widened(piece.edge) * widened(piece.edge);
#pragma unroll
    for (int p = 0; p < kPacks; ++p) squares = add_squares(squares, piece.packs[p]);
    if (number + step < rows) {
      const T* const row = in + (number + step) * columns;
      load_piece(next, row, cut_of(row, columns, rank, blocks), columns);
    }
    squares = join(squares, turn);
    const float scale = scale_of(squares, columns, epsilon);
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const int index = p * blockDim.x + threadIdx.x;
      keep_packed<T>(piece.packs[p]);
      if (index < cut.packs) {
        reinterpret_cast<Pack<T>*>(first_pack(result, cut))[index] = normalized(piece.packs[p], scale, kept[index]);
      }
    }
    const int column = edge_column<T>(cut, columns);
    if (column >= 0) result[column] = normalized(piece.edge, scale, edge_weight);
  }
}
