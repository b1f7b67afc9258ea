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

template <class T>
__device__ __forceinline__ Pack<T> pack_at(const T* values, int index) {
  return reinterpret_cast<const Pack<T>*>(values)[index];
}

// A row, or a part of one, and how threads share it.
template <class T>
struct Row {
  const T* in;
  const T* weight;
  const T* bias;
  T* out;
  int columns;
  int thread, threads;
  bool packed;   // everything begins at multiples of 16 bytes, in whole packs
};

template <class T>
__device__ __forceinline__ Row<T> row_at(const T* in, const T* weight, const T* bias, T* out, long long number,
                                         int columns, int thread, int threads) {
  Row<T> row = {in + number * columns, weight, bias, out + number * columns, columns, thread, threads, false};
  row.packed = in_packs(row.in, columns) && in_packs(row.out, columns) && in_packs(weight, columns) &&
               in_packs(bias, columns);
  return row;
}

// Where value number k of a thread lies in the row. Packs, or values where it is not packed, are dealt out in turn.
template <class T>
__device__ __forceinline__ int column_of(const Row<T>& row, int k) {
  constexpr int kPack = kPackOf<T>;
  return row.packed ? (k / kPack * row.threads + row.thread) * kPack + k % kPack : k * row.threads + row.thread;
}

// What a thread keeps of a row of at most threads * kPacks packs.
template <class T, int kPacks>
struct Held {
  Pack<T> values[kPacks];   // 0 past the end of the row
  Pack<T> weights[kPacks];
  Pack<T> biases[kPacks];
};

// Fills `held`, and returns the sum of the values. Weights and biases are asked for at once, so that they come while
// the row's threads wait for each other.
template <class T, int kPacks>
__device__ __forceinline__ float load_row(const Row<T>& row, Held<T, kPacks>& held) {
  constexpr int kPack = kPackOf<T>;
  if (row.packed) {
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const int index = p * row.threads + row.thread;
#pragma unroll
      for (int k = 0; k < kPack; ++k) held.values[p].values[k] = narrowed<T>(0.0f);
      if (index * kPack < row.columns) held.values[p] = pack_at(row.in, index);
    }
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const int index = p * row.threads + row.thread;
      if (index * kPack < row.columns) {
        held.weights[p] = pack_at(row.weight, index);
        held.biases[p] = pack_at(row.bias, index);
      }
    }
  } else {
#pragma unroll
    for (int k = 0; k < kPacks * kPack; ++k) {
      const int column = k * row.threads + row.thread;
      held.values[k / kPack].values[k % kPack] = narrowed<T>(0.0f);
      if (column < row.columns) {
        held.values[k / kPack].values[k % kPack] = row.in[column];
        held.weights[k / kPack].values[k % kPack] = row.weight[column];
        held.biases[k / kPack].values[k % kPack] = row.bias[column];
      }
    }
  }
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < kPacks * kPack; ++k) sum += widened(held.values[k / kPack].values[k % kPack]);
  return sum;
}

// The sum of the squared deviations. What is past the end of the row has none.
template <class T, int kPacks>
__device__ __forceinline__ float squares_of(const Row<T>& row, const Held<T, kPacks>& held, float mean) {
  constexpr int kPack = kPackOf<T>;
  float squares = 0.0f;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    // A pack is inside or outside as a whole; single values are asked one by one.
    const bool whole = row.packed && column_of(row, p * kPack) < row.columns;
#pragma unroll
    for (int k = 0; k < kPack; ++k) {
      if (whole || (!row.packed && column_of(row, p * kPack + k) < row.columns)) {
        const float deviation = widened(held.values[p].values[k]) - mean;
        squares = fmaf(deviation, deviation, squares);
      }
    }
  }
  return squares;
}

// The product is rounded once, with the sum.
template <class T>
__device__ __forceinline__ T normalized(T value, float mean, float scale, T weight, T bias) {
  return narrowed<T>(fmaf((widened(value) - mean) * scale, widened(weight), widened(bias)));
}

template <class T, int kPacks>
__device__ __forceinline__ void store_row(const Row<T>& row, const Held<T, kPacks>& held, float mean, float scale) {
  constexpr int kPack = kPackOf<T>;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    Pack<T> results;
#pragma unroll
    for (int k = 0; k < kPack; ++k) {
      results.values[k] = normalized(held.values[p].values[k], mean, scale, held.weights[p].values[k],
                                     held.biases[p].values[k]);
    }
    if (row.packed) {
      const int index = p * row.threads + row.thread;
      if (index * kPack < row.columns) reinterpret_cast<Pack<T>*>(row.out)[index] = results;
    } else {
#pragma unroll
      for (int k = 0; k < kPack; ++k) {
        const int column = column_of(row, p * kPack + k);
        if (column < row.columns) row.out[column] = results.values[k];
      }
    }
  }
}
