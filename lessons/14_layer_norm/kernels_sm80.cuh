// Layer norm of arrays that outgrow L2, with loads that say how long caches are to keep what they bring. GPUs of sm_80
// and later; not emulated. Arguments as in kernels.cuh. Every row begins at a multiple of 16 bytes and holds whole packs.
// With kHinted false the loads are plain ones.

#include "rows.cuh"
#include "cache_hints.cuh"

// Fills `held` with a thread's packs of a row, 0 outside of it, and returns the sum of their values.
template <class T, int kThreads, int kPacks, bool kHinted>
__device__ __forceinline__ float load_sum(const uint4* row, int packs, uint4* held) {
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * kThreads + threadIdx.x;
    held[p] = make_uint4(0, 0, 0, 0);
    if (index < packs) held[p] = load_to_stay<kHinted>(row + index);
  }
  float sum = 0.0f;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const T* values = reinterpret_cast<const T*>(&held[p]);
#pragma unroll
    for (int k = 0; k < kPackOf<T>; ++k) sum += widened(values[k]);
  }
  return sum;
}

// The sum of the squared deviations. What is outside of the row has none.
template <class T, int kThreads, int kPacks>
__device__ __forceinline__ float held_squares(int packs, uint4* held, float mean) {
  float squares = 0.0f;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    keep_packed<T>(held[p]);
    const T* values = reinterpret_cast<const T*>(&held[p]);
    const int index = p * kThreads + threadIdx.x;
    if (index < packs) {
#pragma unroll
      for (int k = 0; k < kPackOf<T>; ++k) {
        const float deviation = widened(values[k]) - mean;
        squares = fmaf(deviation, deviation, squares);
      }
    }
  }
  return squares;
}

template <class T>
__device__ __forceinline__ uint4 normalized_words(const uint4& words, float mean, float scale, const uint4& weights,
                                                  const uint4& biases) {
  const T* values = reinterpret_cast<const T*>(&words);
  const T* weighed = reinterpret_cast<const T*>(&weights);
  const T* moved = reinterpret_cast<const T*>(&biases);
  uint4 results;
  T* found = reinterpret_cast<T*>(&results);
#pragma unroll
  for (int k = 0; k < kPackOf<T>; ++k) found[k] = normalized(values[k], mean, scale, weighed[k], moved[k]);
  return results;
}

// A block for each row of at most kThreads * 4 packs. Compared with layer_norm_registers: no more than 40 registers a
// thread, so that a multiprocessor runs 1536 threads (with blocks of 1024, one of them). There is no room to ask for
// weights and biases early: each pack of them is loaded when it is needed.
template <class T, int kThreads, bool kHinted>
__global__ void __launch_bounds__(kThreads, 1536 / kThreads)
layer_norm_high_occupancy(const T* in, const T* weight, const T* bias, T* out, int columns, float epsilon) {
  constexpr int kPacks = 4;
  __shared__ float warp_sums[kThreads / 32];
  __shared__ float warp_squares[kThreads / 32];
  const int packs = columns / kPackOf<T>;
  const long long first = (long long)blockIdx.x * packs;
  uint4 held[kPacks];
  float sum = load_sum<T, kThreads, kPacks, kHinted>(reinterpret_cast<const uint4*>(in) + first, packs, held);
  sum = block_sum_of(kThreads / 32, sum, warp_sums);
  const float mean = sum / (float)columns;
  float squares = held_squares<T, kThreads, kPacks>(packs, held, mean);
  squares = block_sum_of(kThreads / 32, squares, warp_squares);
  const float scale = scale_of(squares / (float)columns, epsilon);
  uint4* result = reinterpret_cast<uint4*>(out) + first;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * kThreads + threadIdx.x;
    keep_packed<T>(held[p]);
    if (index < packs) {
      uint4 weights = reinterpret_cast<const uint4*>(weight)[index];
      uint4 biases = reinterpret_cast<const uint4*>(bias)[index];
      keep_packed<T>(weights);
      keep_packed<T>(biases);
      result[index] = normalized_words<T>(held[p], mean, scale, weights, biases);
    }
  }
}
