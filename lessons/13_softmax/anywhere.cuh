// A row that begins anywhere: what the kernels of kernels_sm75.cuh and long_rows.cuh share.

#include "pairs.cuh"

// The block's largest value, and its sum, in every thread: as in rows.cuh, but for any multiple of 32 threads, to 1024.
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

// The values of one 16-byte load.
template <class T>
struct alignas(16) Pack {
  T values[kPackOf<T>];
};

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

// kPack of the values, each times scale.
template <class T>
__device__ __forceinline__ Pack<T> scaled(const float* values, float scale) {
  Pack<T> results;
#pragma unroll
  for (int k = 0; k < kPackOf<T>; k += 2) {
    narrow_pair<T>(make_float2(values[k] * scale, values[k + 1] * scale), results.values + k);
  }
  return results;
}

// A pack of shared memory in one load: the compiler would else read 16 bits at a time.
template <class T>
__device__ __forceinline__ Pack<T> kept_pack(const uint4* kept, int index) {
  const uint4 words = kept[index];
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

// A thread's piece of a row, minus infinity outside of it.
template <class T, int kPacks>
__device__ __forceinline__ void load_piece(Piece<T, kPacks>& piece, const T* row, int columns) {
  const Cut cut = cut_of(row, columns);
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * blockDim.x + threadIdx.x;
    piece.packs[p] = minus_infinities<T>();
    if (index < cut.packs) piece.packs[p] = pack_at(row + cut.head, index);
  }
  const int column = edge_column<T>(cut, columns);
  piece.edge = narrowed<T>(-INFINITY);
  if (column >= 0) piece.edge = row[column];
}
