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

// The same in as few rounds at the second level as so many warps need: each group of lanes as large as the next power of
// two joins all of them.
template <int kBlock>
__device__ __forceinline__ float block_max_of(float value, float* warp_maxima) {
  constexpr int kWarps = kBlock / 32;
  const int lane = threadIdx.x % kPowerOfTwo<kWarps>;
  value = max_xor<32>(value);
  if (threadIdx.x % 32 == 0) warp_maxima[threadIdx.x / 32] = value;
  __syncthreads();
  value = lane < kWarps ? warp_maxima[lane] : -INFINITY;
  value = max_xor<kPowerOfTwo<kWarps>>(value);
  return value;
}
template <int kBlock>
__device__ __forceinline__ float block_sum_of(float value, float* warp_sums) {
  constexpr int kWarps = kBlock / 32;
  const int lane = threadIdx.x % kPowerOfTwo<kWarps>;
  value = sum_xor<32>(value);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = value;
  __syncthreads();
  value = lane < kWarps ? warp_sums[lane] : 0.0f;
  value = sum_xor<kPowerOfTwo<kWarps>>(value);
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

// Where value number k of a thread lies in its row: pack after pack, or value after value.
template <class T, int kThreads>
__device__ __forceinline__ int column_of(bool packed, int thread, int k) {
  constexpr int kPack = kPackOf<T>;
  return packed ? (k / kPack * kThreads + thread) * kPack + k % kPack : k * kThreads + thread;
}

// Fills `held` with this thread's values of a row, minus infinity where the row has ended: exp makes it 0.
template <class T, int kThreads, int kPacks>
__device__ __forceinline__ void load_row(const T* row, int columns, int thread, bool packed, float* held) {
  constexpr int kPack = kPackOf<T>;
  if (packed) {
    uint4 packs[kPacks];
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const int pack = p * kThreads + thread;
      packs[p] = make_uint4(0, 0, 0, 0);
      if (pack * kPack < columns) packs[p] = reinterpret_cast<const uint4*>(row)[pack];
    }
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const T* values = reinterpret_cast<const T*>(&packs[p]);
      const bool inside = (p * kThreads + thread) * kPack < columns;
#pragma unroll
      for (int k = 0; k < kPack; ++k) held[p * kPack + k] = inside ? widened(values[k]) : -INFINITY;
    }
  } else {
#pragma unroll
    for (int k = 0; k < kPacks * kPack; ++k) {
      const int column = k * kThreads + thread;
      held[k] = column < columns ? widened(row[column]) : -INFINITY;
    }
  }
}

// Writes held[k] * scale.
template <class T, int kThreads, int kPacks>
__device__ __forceinline__ void store_row(T* row, int columns, int thread, bool packed, const float* held,
                                          float scale) {
  constexpr int kPack = kPackOf<T>;
  if (packed) {
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const int pack = p * kThreads + thread;
      uint4 words;
      T* values = reinterpret_cast<T*>(&words);
#pragma unroll
      for (int k = 0; k < kPack; ++k) values[k] = narrowed<T>(held[p * kPack + k] * scale);
      if (pack * kPack < columns) reinterpret_cast<uint4*>(row)[pack] = words;
    }
  } else {
#pragma unroll
    for (int k = 0; k < kPacks * kPack; ++k) {
      const int column = k * kThreads + thread;
      if (column < columns) row[column] = narrowed<T>(held[k] * scale);
    }
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
