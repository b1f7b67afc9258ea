// What the kernels of this folder share. A row is `columns` values beside each other, and rows follow each other
// without a gap; columns is at least 1. Values are floats, halves or bfloat16s; all arithmetic is in float.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

constexpr unsigned kFullWarp = 0xffffffffu;

// The least power of two that is not below kCount, for kCount of 1 to 32.
template <int kCount>
constexpr int kPowerOfTwo =
    kCount > 16 ? 32 : kCount > 8 ? 16 : kCount > 4 ? 8 : kCount > 2 ? 4 : kCount > 1 ? 2 : 1;

// ---- Values ----------------------------------------------------------------------------------------------------

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

// ---- The largest value, and a sum ------------------------------------------------------------------------------

// In every lane, of each group of kWidth lanes. fmaxf passes a NaN over, unless there is nothing else.
template <int kWidth>
__device__ __forceinline__ float max_xor(float value) {
#pragma unroll
  for (int lane_mask = kWidth / 2; lane_mask > 0; lane_mask /= 2) {
    value = fmaxf(value, __shfl_xor_sync(kFullWarp, value, lane_mask));
  }
  return value;
}
template <int kWidth>
__device__ __forceinline__ float sum_xor(float value) {
#pragma unroll
  for (int lane_mask = kWidth / 2; lane_mask > 0; lane_mask /= 2) {
    value += __shfl_xor_sync(kFullWarp, value, lane_mask);
  }
  return value;
}

// The block's, in every thread. Each warp has its own first; then every warp joins all warps' results, so that nothing
// need be handed back: one barrier. kBlock is a multiple of 32, at most 1024. The array is shared memory, a float for
// each warp; a second call takes another array, since a warp may still be reading the first.
template <int kBlock>
__device__ __forceinline__ float block_max(float value, float* warp_maxima) {
  constexpr int kWarps = kBlock / 32;
  const int lane = threadIdx.x % 32;
  value = max_xor<32>(value);
  if (lane == 0) warp_maxima[threadIdx.x / 32] = value;
  __syncthreads();
  value = lane < kWarps ? warp_maxima[lane] : -INFINITY;
  value = max_xor<32>(value);
  return value;
}
template <int kBlock>
__device__ __forceinline__ float block_sum(float value, float* warp_sums) {
  constexpr int kWarps = kBlock / 32;
  const int lane = threadIdx.x % 32;
  value = sum_xor<32>(value);
  if (lane == 0) warp_sums[threadIdx.x / 32] = value;
  __syncthreads();
  value = lane < kWarps ? warp_sums[lane] : 0.0f;
  value = sum_xor<32>(value);
  return value;
}

// The same for a block of any multiple of 32 threads, to 1024.
__device__ __forceinline__ float block_max(float value, float* warp_maxima) {
  const int lane = threadIdx.x % 32;
  const int warps = blockDim.x / 32;
  value = max_xor<32>(value);
  if (warps == 1) return value;
  if (lane == 0) warp_maxima[threadIdx.x / 32] = value;
  __syncthreads();
  value = lane < warps ? warp_maxima[lane] : -INFINITY;
  value = max_xor<32>(value);
  return value;
}
__device__ __forceinline__ float block_sum(float value, float* warp_sums) {
  const int lane = threadIdx.x % 32;
  const int warps = blockDim.x / 32;
  value = sum_xor<32>(value);
  if (warps == 1) return value;
  if (lane == 0) warp_sums[threadIdx.x / 32] = value;
  __syncthreads();
  value = lane < warps ? warp_sums[lane] : 0.0f;
  value = sum_xor<32>(value);
  return value;
}

// ---- Both at once: a pair --------------------------------------------------------------------------------------

// The largest of some values, and the sum of exp(value - max) over them. Of no values: -infinity and 0.
struct alignas(8) MaxSum {
  float max;
  float sum;
};

// What a sum of exp(value - from) is multiplied by to become one of exp(value - to). Equal ones need nothing, and of
// two minus infinities exp would make a NaN; of two plus infinities it must, so that a row with one is NaN throughout.
__device__ __forceinline__ float rescale(float from, float to) {
  return from == to && to < INFINITY ? 1.0f : expf(from - to);
}

// The pair of two lots of values taken together: the sum on the smaller maximum's scale is brought to the larger
// one's. merge(a, b) and merge(b, a) have the same bits as long as nothing is contracted to an FMA (here:
// -fmad=false), so the lanes of a butterfly agree; compiled with FMAs they differ in the last bits.
__device__ __forceinline__ MaxSum merge(MaxSum a, MaxSum b) {
  const float max = fmaxf(a.max, b.max);
  return {max, a.sum * rescale(a.max, max) + b.sum * rescale(b.max, max)};
}

// In every lane, of each group of kWidth lanes. A shuffle moves 4 bytes: a pair takes two.
template <int kWidth>
__device__ __forceinline__ MaxSum merge_xor(MaxSum pair) {
#pragma unroll
  for (int lane_mask = kWidth / 2; lane_mask > 0; lane_mask /= 2) {
    MaxSum other;
    other.max = __shfl_xor_sync(kFullWarp, pair.max, lane_mask);
    other.sum = __shfl_xor_sync(kFullWarp, pair.sum, lane_mask);
    pair = merge(pair, other);
  }
  return pair;
}

// The block's, in every thread, as block_sum. Each array is shared memory, a float for each warp.
template <int kBlock>
__device__ __forceinline__ MaxSum block_merge(MaxSum pair, float* warp_maxima, float* warp_sums) {
  constexpr int kWarps = kBlock / 32;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  pair = merge_xor<32>(pair);
  if (lane == 0) {
    warp_maxima[warp] = pair.max;
    warp_sums[warp] = pair.sum;
  }
  __syncthreads();
  pair.max = lane < kWarps ? warp_maxima[lane] : -INFINITY;
  pair.sum = lane < kWarps ? warp_sums[lane] : 0.0f;
  pair = merge_xor<32>(pair);
  return pair;
}

// ---- A row in registers ----------------------------------------------------------------------------------------

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
__device__ __forceinline__ Pack<T> minus_infinities() {
  Pack<T> pack;
#pragma unroll
  for (int k = 0; k < kPackOf<T>; ++k) pack.values[k] = narrowed<T>(-INFINITY);
  return pack;
}

// Fills `held` with a thread's values of a row of at most kThreads * kPacks packs, minus infinity where the row has
// ended: exp makes it 0.
template <class T, int kThreads, int kPacks>
__device__ __forceinline__ void load_row(const T* row, int packs, int thread, float* held) {
  constexpr int kPack = kPackOf<T>;
  Pack<T> read[kPacks];
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * kThreads + thread;
    read[p] = minus_infinities<T>();
    if (index < packs) read[p] = pack_at(row, index);
  }
#pragma unroll
  for (int k = 0; k < kPacks * kPack; ++k) held[k] = widened(read[k / kPack].values[k % kPack]);
}

// kPack of the values, each times scale.
template <class T>
__device__ __forceinline__ Pack<T> scaled(const float* values, float scale) {
  Pack<T> results;
#pragma unroll
  for (int k = 0; k < kPackOf<T>; ++k) results.values[k] = narrowed<T>(values[k] * scale);
  return results;
}

// Writes held[k] * scale.
template <class T, int kThreads, int kPacks>
__device__ __forceinline__ void store_row(T* row, int packs, int thread, const float* held, float scale) {
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * kThreads + thread;
    if (index < packs) reinterpret_cast<Pack<T>*>(row)[index] = scaled<T>(held + p * kPackOf<T>, scale);
  }
}

// The largest of kCount values, and their exponentials' sum; the values become the exponentials.
template <int kCount>
__device__ __forceinline__ float largest_of(const float* held) {
  float largest = held[0];
#pragma unroll
  for (int k = 1; k < kCount; ++k) largest = fmaxf(largest, held[k]);
  return largest;
}
template <int kCount>
__device__ __forceinline__ float exponentials(float* held, float largest) {
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    held[k] = __expf(held[k] - largest);
    sum += held[k];
  }
  return sum;
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

// What a thread holds of a row: packs, and at most one value of head and tail.
template <class T, int kPacks>
struct Piece {
  Pack<T> packs[kPacks];
  T edge;
};

// A thread's piece of a row, minus infinity outside of it.
template <class T, int kPacks>
__device__ __forceinline__ void load_piece(Piece<T, kPacks>& piece, const T* row, const Cut& cut, int columns) {
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * blockDim.x + threadIdx.x;
    piece.packs[p] = minus_infinities<T>();
    if (index < cut.packs) piece.packs[p] = pack_at(first_pack(row, cut), index);
  }
  const int column = edge_column<T>(cut, columns);
  piece.edge = narrowed<T>(-INFINITY);
  if (column >= 0) piece.edge = row[column];
}

// Rows number first, first + step, … of this block, or those that it shares with others, of which it is number `rank`.
// join(pair, turn) is that of all that share a row. warp_maxima and warp_sums: shared memory, a float for each warp.
//
// What lies outside of whole packs is taken value by value, a thread each. The next row is on its way while one is
// worked on.
template <class T, int kPacks, class Join>
__device__ __forceinline__ void softmax_rows(const T* in, T* out, long long rows, int columns, long long first, int step,
                                             int rank, int blocks, float* warp_maxima, float* warp_sums,
                                             const Join& join) {
  constexpr int kPack = kPackOf<T>;
  constexpr int kHeld = kPacks * kPack + 1;   // the last one: of head or tail
  Piece<T, kPacks> next;
  int turn = 0;
  load_piece(next, in + first * columns, cut_of(in + first * columns, columns, rank, blocks), columns);
  for (long long number = first; number < rows; number += step, ++turn) {
    T* const result = out + number * columns;
    const Cut cut = cut_of(result, columns, rank, blocks);
    float held[kHeld];
#pragma unroll
    for (int k = 0; k < kHeld - 1; ++k) held[k] = widened(next.packs[k / kPack].values[k % kPack]);
    held[kHeld - 1] = widened(next.edge);
    if (number + step < rows) {
      const T* const row = in + (number + step) * columns;
      load_piece(next, row, cut_of(row, columns, rank, blocks), columns);
    }
    MaxSum pair;
    pair.max = largest_of<kHeld>(held);
    pair.max = block_max(pair.max, warp_maxima);
    // A share may hold nothing but minus infinity while its row does not: exp then makes each 0.
    const bool has_some = pair.max > -INFINITY;
    const float largest = has_some ? pair.max : 0.0f;
    pair.sum = exponentials<kHeld>(held, largest);
    pair.sum = block_sum(pair.sum, warp_sums);
    pair = join(pair, turn);
    // From this share's scale to the row's.
    const float scale = (has_some ? __expf(largest - pair.max) : 1.0f) / pair.sum;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const int index = p * blockDim.x + threadIdx.x;
      if (index < cut.packs) {
        reinterpret_cast<Pack<T>*>(first_pack(result, cut))[index] = scaled<T>(held + p * kPack, scale);
      }
    }
    const int column = edge_column<T>(cut, columns);
    if (column >= 0) result[column] = narrowed<T>(held[kHeld - 1] * scale);
  }
}
