// RMS norm of arrays that outgrow L2, with loads that say how long caches are to keep what they bring. GPUs of sm_80 and
// later; not emulated. Arguments as in kernels.cuh. Every row begins at a multiple of 16 bytes and holds whole packs.
// With kHinted false the loads are plain ones.

#include "rows.cuh"
#include "cache_hints.cuh"

template <class T>
__device__ __forceinline__ float squares_in(const uint4& words, float squares) {
  const T* values = reinterpret_cast<const T*>(&words);
#pragma unroll
  for (int k = 0; k < kPackOf<T>; ++k) squares = fmaf(widened(values[k]), widened(values[k]), squares);
  return squares;
}

template <class T>
__device__ __forceinline__ uint4 normalized_words(const uint4& words, float scale, const uint4& weights) {
  const T* values = reinterpret_cast<const T*>(&words);
  const T* weighed = reinterpret_cast<const T*>(&weights);
  uint4 results;
  T* normalized = reinterpret_cast<T*>(&results);
#pragma unroll
  for (int k = 0; k < kPackOf<T>; ++k) {
    normalized[k] = narrowed<T>(widened(values[k]) * scale * widened(weighed[k]));
  }
  return results;
}

// A block for each row of at most kThreads * 4 packs. Compared with rms_norm_registers: no more than 32 registers a thread,
// so that a multiprocessor runs 2048 threads. There is no room to ask for the weights early: each pack of them is loaded
// when it is needed.
template <class T, int kThreads, bool kHinted>
__global__ void __launch_bounds__(kThreads, 2048 / kThreads)
rms_norm_high_occupancy(const T* in, const T* weight, T* out, int columns, float epsilon) {
  constexpr int kPacks = 4;
  __shared__ float warp_sums[kThreads / 32];
  const int packs = columns / kPackOf<T>;
  const long long first = (long long)blockIdx.x * packs;
  const uint4* row = reinterpret_cast<const uint4*>(in) + first;
  uint4* result = reinterpret_cast<uint4*>(out) + first;
  uint4 held[kPacks];
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * kThreads + threadIdx.x;
    held[p] = make_uint4(0, 0, 0, 0);
    if (index < packs) held[p] = load_to_stay<kHinted>(row + index);
  }
  float squares = 0.0f;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) squares = squares_in<T>(held[p], squares);
  squares = block_sum_of(kThreads / 32, squares, warp_sums);
  const float scale = scale_of(squares, columns, epsilon);
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * kThreads + threadIdx.x;
    keep_packed<T>(held[p]);
    if (index < packs) {
      const uint4 weights = reinterpret_cast<const uint4*>(weight)[index];
      result[index] = normalized_words<T>(held[p], scale, weights);
    }
  }
}

// A block of 1024 threads for each row of at most 8192 packs, 128 KB. Compared with rms_norm_two_reads: the first reading
// asks for all packs of a thread at once and asks caches to keep them; the second one lets them go.
template <class T, bool kHinted>
__global__ void __launch_bounds__(1024)
rms_norm_read_again(const T* in, const T* weight, T* out, int columns, float epsilon) {
  constexpr int kThreads = 1024;
  constexpr int kPacks = 8;
  constexpr int kAtOnce = 4;
  __shared__ float warp_sums[32];
  const int packs = columns / kPackOf<T>;
  const long long first = (long long)blockIdx.x * packs;
  const uint4* row = reinterpret_cast<const uint4*>(in) + first;
  uint4* result = reinterpret_cast<uint4*>(out) + first;
  uint4 words[kPacks];
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * kThreads + threadIdx.x;
    words[p] = make_uint4(0, 0, 0, 0);
    if (index < packs) words[p] = load_to_stay<kHinted>(row + index);
  }
  float squares = 0.0f;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    keep_packed<T>(words[p]);
    squares = squares_in<T>(words[p], squares);
  }
  squares = block_sum(squares, warp_sums);
  const float scale = scale_of(squares, columns, epsilon);
#pragma unroll 1
  for (int from = threadIdx.x; from < packs; from += kAtOnce * kThreads) {
    uint4 again[kAtOnce];
    uint4 weights[kAtOnce];
#pragma unroll
    for (int p = 0; p < kAtOnce; ++p) {
      const int index = from + p * kThreads;
      if (index < packs) {
        again[p] = load_for_the_last_time<kHinted>(row + index);
        weights[p] = load_to_stay<kHinted>(reinterpret_cast<const uint4*>(weight) + index);
      }
    }
#pragma unroll
    for (int p = 0; p < kAtOnce; ++p) {
      const int index = from + p * kThreads;
      keep_packed<T>(again[p]);
      keep_packed<T>(weights[p]);
      if (index < packs) result[index] = normalized_words<T>(again[p], scale, weights[p]);
    }
  }
}
