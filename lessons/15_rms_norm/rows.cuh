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

// Fills `held` with a thread's values of a row, 0 past its end, and `weights` with what belongs to them: packs, or
// values where the row is not `packed`. `threads` threads share the row, which has at most threads * kPacks packs. Weights
// are asked for at once, so that they come while the row's threads wait for each other. Returns the sum of squares.
template <class T, int kPacks>
__device__ __forceinline__ float load_row(const T* row, const T* weight, int columns, int thread, int threads,
                                          bool packed, Pack<T>* held, Pack<T>* weights) {
  constexpr int kPack = kPackOf<T>;
  if (packed) {
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const int index = p * threads + thread;
#pragma unroll
      for (int k = 0; k < kPack; ++k) held[p].values[k] = narrowed<T>(0.0f);
      if (index * kPack < columns) held[p] = reinterpret_cast<const Pack<T>*>(row)[index];
    }
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const int index = p * threads + thread;
      if (index * kPack < columns) weights[p] = reinterpret_cast<const Pack<T>*>(weight)[index];
    }
  } else {
#pragma unroll
    for (int k = 0; k < kPacks * kPack; ++k) {
      const int column = k * threads + thread;
      held[k / kPack].values[k % kPack] = narrowed<T>(0.0f);
      if (column < columns) {
        held[k / kPack].values[k % kPack] = row[column];
        weights[k / kPack].values[k % kPack] = weight[column];
      }
    }
  }
  float squares = 0.0f;
#pragma unroll
  for (int k = 0; k < kPacks * kPack; ++k) {
    const float value = widened(held[k / kPack].values[k % kPack]);
    squares = fmaf(value, value, squares);
  }
  return squares;
}

// Writes held * scale * weights.
template <class T, int kPacks>
__device__ __forceinline__ void store_row(T* row, int columns, int thread, int threads, bool packed,
                                          const Pack<T>* held, const Pack<T>* weights, float scale) {
  constexpr int kPack = kPackOf<T>;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    Pack<T> results;
#pragma unroll
    for (int k = 0; k < kPack; ++k) {
      results.values[k] = narrowed<T>(widened(held[p].values[k]) * scale * widened(weights[p].values[k]));
    }
    if (packed) {
      const int index = p * threads + thread;
      if (index * kPack < columns) reinterpret_cast<Pack<T>*>(row)[index] = results;
    } else {
#pragma unroll
      for (int k = 0; k < kPack; ++k) {
        const int column = (p * kPack + k) * threads + thread;
        if (column < columns) row[column] = results.values[k];
      }
    }
  }
}

// May everything be read and written 16 bytes at a time?
template <class T>
__device__ __forceinline__ bool all_in_packs(const T* row, const T* weight, const T* result, int columns) {
  return in_packs(row, columns) && in_packs(weight, columns) && in_packs(result, columns);
}
