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

// The same of a block of that many warps, whose sums take no more rounds than they need. Each group of lanes as large as
// the next power of two adds all of them.
__device__ __forceinline__ float block_sum_of(int warps, float value, float* warp_sums) {
  int lanes = 1;
  while (lanes < warps) lanes *= 2;
  value = warp_sum(value);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = value;
  __syncthreads();
  const int lane = threadIdx.x & (lanes - 1);
  value = lane < warps ? warp_sums[lane] : 0.0f;
  for (int lane_mask = lanes / 2; lane_mask > 0; lane_mask /= 2) {
    value += __shfl_xor_sync(kFullWarp, value, lane_mask);
  }
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

// The same, until `value` is there: what is computed from this pack comes after what that was computed from.
template <class T, class AnyPack, class Value>
__device__ __forceinline__ void keep_packed_until(AnyPack& pack, Value& value) {
#ifdef __CUDA_ARCH__
  static_assert(sizeof(Value) == 4);
  if (sizeof(T) == 2) {
    unsigned* words = reinterpret_cast<unsigned*>(&pack);
    unsigned* bits = reinterpret_cast<unsigned*>(&value);
    asm volatile("" : "+r"(words[0]), "+r"(words[1]), "+r"(words[2]), "+r"(words[3]), "+r"(*bits));
  }
#endif
}

// A row as packs of 16 bytes, from the pack in which it begins to the one in which it ends. Unless it is kWhole, values
// of the rows beside it may lie in those two.
template <class T, bool kWhole>
struct PackRow {
  const T* in;   // the first pack
  T* out;
  int shift;     // values of the first pack that lie before the row
  int end;       // shift + columns
  bool first;    // of its array: nothing before the row may be read
  bool last;     // … or past it
  int thread, threads;   // who shares the row
};

// Row `number` of rows that follow each other. in and out lie equally far past a multiple of 16 bytes. kWhole: each row
// begins at such a multiple, and holds whole packs.
template <bool kWhole, class T>
__device__ __forceinline__ PackRow<T, kWhole> row_at(const T* in, T* out, long long number, long long rows, int columns,
                                                     int thread, int threads) {
  const long long start = number * columns;
  const int shift = kWhole ? 0 : reinterpret_cast<size_t>(in + start) % 16 / sizeof(T);
  return {in + start - shift, out + start - shift, shift, shift + columns, number == 0, number == rows - 1, thread,
          threads};
}

// Is the pack that begins with value i, counted from the first pack, the row's own as a whole?
template <class T, bool kWhole>
__device__ __forceinline__ bool is_whole(const PackRow<T, kWhole>& row, int i) {
  if (kWhole) return i < row.end;
  return i >= row.shift && i + kPackOf<T> <= row.end;
}
template <class T, bool kWhole>
__device__ __forceinline__ bool is_inside(const PackRow<T, kWhole>& row, int i) {
  return i >= row.shift && i < row.end;
}

// A thread's packs of a row, 0 outside of it. The row has at most threads * kPacks packs.
template <class T, int kPacks, bool kWhole>
__device__ __forceinline__ void load_packs(const PackRow<T, kWhole>& row, Pack<T>* held) {
  constexpr int kPack = kPackOf<T>;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * row.threads + row.thread;
    const int i = index * kPack;
    uint4 words = make_uint4(0, 0, 0, 0);
    const bool ends_array = !kWhole && ((row.first && i < row.shift) || (row.last && i + kPack > row.end));
    if (i < row.end && !ends_array) words = reinterpret_cast<const uint4*>(row.in)[index];
    held[p] = *reinterpret_cast<const Pack<T>*>(&words);
  }
  if constexpr (!kWhole) {
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const int i = (p * row.threads + row.thread) * kPack;
      if (i < row.end && !is_whole(row, i)) {
        // Where the array begins or ends, the row's own values alone; else what is not the row's is put out.
        const bool ends_array = (row.first && i < row.shift) || (row.last && i + kPack > row.end);
#pragma unroll
        for (int k = 0; k < kPack; ++k) {
          if (!is_inside(row, i + k)) {
            held[p].values[k] = narrowed<T>(0.0f);
          } else if (ends_array) {
            held[p].values[k] = row.in[i + k];
          }
        }
      }
    }
  }
}

// Writes a pack that begins with value i, or what the row has of it.
template <class T, bool kWhole>
__device__ __forceinline__ void store_pack(const PackRow<T, kWhole>& row, int i, const Pack<T>& pack) {
  constexpr int kPack = kPackOf<T>;
  if (is_whole(row, i)) {
    reinterpret_cast<uint4*>(row.out)[i / kPack] = *reinterpret_cast<const uint4*>(&pack);
  } else if (i < row.end) {
#pragma unroll
    for (int k = 0; k < kPack; ++k) {
      if (is_inside(row, i + k)) row.out[i + k] = pack.values[k];
    }
  }
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

// kPack weights from column `first` on, 0 where the row has no such column. weight begins at a multiple of 16 bytes;
// where first does not, the weights are cut from two packs.
template <class T>
__device__ __forceinline__ Pack<T> weights_at(const T* weight, int first, int columns) {
  constexpr int kPack = kPackOf<T>;
  const Pack<T>* packs = reinterpret_cast<const Pack<T>*>(weight);
  const int from = first & (kPack - 1);
  const int index = (first - from) / kPack;
  if (first >= 0 && from == 0 && first + kPack <= columns) return packs[index];
  if (first >= 0 && (index + 2) * kPack <= columns) return part_of(packs[index], packs[index + 1], from);
  Pack<T> weights;
#pragma unroll
  for (int k = 0; k < kPack; ++k) {
    weights.values[k] = first + k >= 0 && first + k < columns ? weight[first + k] : narrowed<T>(0.0f);
  }
  return weights;
}

// The weights of a thread's packs. The row is a whole one, and weight begins at a multiple of 16 bytes.
template <class T, int kPacks>
__device__ __forceinline__ void load_weights(const PackRow<T, true>& row, const T* weight, Pack<T>* weights) {
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * row.threads + row.thread;
    if (index * kPackOf<T> < row.end) weights[p] = reinterpret_cast<const Pack<T>*>(weight)[index];
  }
}

template <class T, int kPacks>
__device__ __forceinline__ float squares_of(const Pack<T>* held) {
  constexpr int kPack = kPackOf<T>;
  float squares = 0.0f;
#pragma unroll
  for (int k = 0; k < kPacks * kPack; ++k) {
    const float value = widened(held[k / kPack].values[k % kPack]);
    squares = fmaf(value, value, squares);
  }
  return squares;
}

// Fills `held`, and returns the sum of squares. The weights of whole rows are asked for at once, so that they come
// while the row's threads wait for each other.
template <class T, int kPacks, bool kWhole>
__device__ __forceinline__ float load_row(const PackRow<T, kWhole>& row, const T* weight, Pack<T>* held,
                                          Pack<T>* weights) {
  load_packs<T, kPacks>(row, held);
  if constexpr (kWhole) load_weights<T, kPacks>(row, weight, weights);
  return squares_of<T, kPacks>(held);
}

// Writes held * scale * weights.
template <class T, int kPacks, bool kWhole>
__device__ __forceinline__ void store_row(const PackRow<T, kWhole>& row, const T* weight, Pack<T>* held,
                                          Pack<T>* weights, float scale) {
  constexpr int kPack = kPackOf<T>;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int i = (p * row.threads + row.thread) * kPack;
    if (i < row.end) {
      keep_packed<T>(held[p]);
      if (kWhole) keep_packed<T>(weights[p]);
      const Pack<T> weighed = kWhole ? weights[p] : weights_at(weight, i - row.shift, row.end - row.shift);
      Pack<T> results;
#pragma unroll
      for (int k = 0; k < kPack; ++k) {
        results.values[k] = narrowed<T>(widened(held[p].values[k]) * scale * widened(weighed.values[k]));
      }
      store_pack(row, i, results);
    }
  }
}

// May everything be read and written 16 bytes at a time?
template <class T>
__device__ __forceinline__ bool all_in_packs(const T* row, const T* weight, const T* result, int columns) {
  return in_packs(row, columns) && in_packs(weight, columns) && in_packs(result, columns);
}
