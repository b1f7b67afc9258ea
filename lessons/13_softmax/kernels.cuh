// Softmax of each row: out[i] = exp(in[i] - m) / sum of exp(in[j] - m), where m is the row's largest value (or 0,
// where a kernel says so). It is two reductions, a largest value and a sum, of which the second needs the first.
//
// Unless a kernel says otherwise: in, out: (rows, columns) of T, without gaps, beginning at any element; any columns
// >= 1. One block of kBlock threads for each row; kBlock is a multiple of 32, at most 1024. A row that holds a NaN,
// plus infinity, or minus infinity alone is NaN throughout, as torch has it; minus infinity beside finite values gives
// 0.
//
// Error of out[i], relative, to first order, with u = 2^-24, d the distance from the row's largest value to its least
// and k the additions that a term of the sum goes through: (2 d + 6 + k) u, for in[i] - m is rounded (d u, twice: in
// the term itself and in the sum) and expf is right to 2 u; where pairs are merged, 4 k in place of k: a merge also
// rounds a difference, an exp and a product. 2^-11 (half) or 2^-8 (bfloat16) more where the result is narrowed. d
// counts up to 104 only: beyond, exp is 0. (Higham, Accuracy and Stability of Numerical Algorithms, chapter 4, for the
// sum.)

#include "rows.cuh"

// ---- Without the largest value ---------------------------------------------------------------------------------

// m is 0. Right only while neither an exp nor their sum is infinite in float: infinity / infinity is NaN.
template <int kBlock>
__global__ void softmax_f32(const float* in, float* out, int columns) {
  __shared__ float warp_sums[kBlock / 32];
  const float* row = in + (long long)blockIdx.x * columns;
  float* result = out + (long long)blockIdx.x * columns;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    sum += expf(row[i]);
  }
  sum = block_sum<kBlock>(sum, warp_sums);
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    result[i] = expf(row[i]) / sum;
  }
}

// ---- Safe: the largest value first -----------------------------------------------------------------------------

// Compared with softmax_f32: no exponent is above 0, so nothing overflows, for one more pass over the row.
template <class T, int kBlock>
__global__ void safe_softmax(const T* in, T* out, int columns) {
  __shared__ float warp_maxima[kBlock / 32];
  __shared__ float warp_sums[kBlock / 32];
  const T* row = in + (long long)blockIdx.x * columns;
  T* result = out + (long long)blockIdx.x * columns;
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    largest = fmaxf(largest, widened(row[i]));
  }
  largest = block_max<kBlock>(largest, warp_maxima);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    sum += expf(widened(row[i]) - largest);
  }
  sum = block_sum<kBlock>(sum, warp_sums);
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    result[i] = narrowed<T>(expf(widened(row[i]) - largest) / sum);
  }
}

// Compared with safe_softmax: __expf, one multiplication and the hardware's power of two, and __fdividef, which
// multiplies by an approximate reciprocal. The relative error is (6.8 d + 12 + k) u.
template <int kBlock>
__global__ void safe_softmax_fast_f32(const float* in, float* out, int columns) {
  __shared__ float warp_maxima[kBlock / 32];
  __shared__ float warp_sums[kBlock / 32];
  const float* row = in + (long long)blockIdx.x * columns;
  float* result = out + (long long)blockIdx.x * columns;
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    largest = fmaxf(largest, row[i]);
  }
  largest = block_max<kBlock>(largest, warp_maxima);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    sum += __expf(row[i] - largest);
  }
  sum = block_sum<kBlock>(sum, warp_sums);
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    result[i] = __fdividef(__expf(row[i] - largest), sum);
  }
}

// Compared with safe_softmax of halves: __float2half_rd always rounds down. An error of up to a whole step, 2^-10
// relative, and all to one side: the row's results add up to less than 1.
template <int kBlock>
__global__ void safe_softmax_round_down_f16(const __half* in, __half* out, int columns) {
  __shared__ float warp_maxima[kBlock / 32];
  __shared__ float warp_sums[kBlock / 32];
  const __half* row = in + (long long)blockIdx.x * columns;
  __half* result = out + (long long)blockIdx.x * columns;
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    largest = fmaxf(largest, __half2float(row[i]));
  }
  largest = block_max<kBlock>(largest, warp_maxima);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    sum += expf(__half2float(row[i]) - largest);
  }
  sum = block_sum<kBlock>(sum, warp_sums);
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    result[i] = __float2half_rd(expf(__half2float(row[i]) - largest) / sum);
  }
}

// Compared with safe_softmax: 16 bytes a load and a store, 4 floats or 8 halves. A row that does not begin at a
// multiple of 16 bytes, or does not hold whole packs, is taken value by value.
template <class T, int kBlock>
__global__ void safe_softmax_packs(const T* in, T* out, int columns) {
  constexpr int kPack = kPackOf<T>;
  __shared__ float warp_maxima[kBlock / 32];
  __shared__ float warp_sums[kBlock / 32];
  const T* row = in + (long long)blockIdx.x * columns;
  T* result = out + (long long)blockIdx.x * columns;
  const bool packed = in_packs(row, columns) && in_packs(result, columns);
  const int packs = packed ? columns / kPack : 0;
  const int first = packs * kPack;   // what is left is taken value by value: nothing, or the whole row
  const uint4* row_packs = reinterpret_cast<const uint4*>(row);
  uint4* result_packs = reinterpret_cast<uint4*>(result);
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < packs; i += kBlock) {
    const uint4 pack = row_packs[i];
    const T* values = reinterpret_cast<const T*>(&pack);
#pragma unroll
    for (int k = 0; k < kPack; ++k) largest = fmaxf(largest, widened(values[k]));
  }
  for (int i = first + threadIdx.x; i < columns; i += kBlock) {
    largest = fmaxf(largest, widened(row[i]));
  }
  largest = block_max<kBlock>(largest, warp_maxima);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < packs; i += kBlock) {
    const uint4 pack = row_packs[i];
    const T* values = reinterpret_cast<const T*>(&pack);
#pragma unroll
    for (int k = 0; k < kPack; ++k) sum += expf(widened(values[k]) - largest);
  }
  for (int i = first + threadIdx.x; i < columns; i += kBlock) {
    sum += expf(widened(row[i]) - largest);
  }
  sum = block_sum<kBlock>(sum, warp_sums);
  for (int i = threadIdx.x; i < packs; i += kBlock) {
    uint4 pack = row_packs[i];
    T* values = reinterpret_cast<T*>(&pack);
#pragma unroll
    for (int k = 0; k < kPack; ++k) values[k] = narrowed<T>(expf(widened(values[k]) - largest) / sum);
    result_packs[i] = pack;
  }
  for (int i = first + threadIdx.x; i < columns; i += kBlock) {
    result[i] = narrowed<T>(expf(widened(row[i]) - largest) / sum);
  }
}

// ---- Online: both in one pass ----------------------------------------------------------------------------------

// Compared with safe_softmax: the largest value and the sum come from one pass, as a pair; when a larger value turns
// up, the sum so far is brought to its scale. Two passes over the row instead of three, for two calls of exp a value
// instead of one.
template <class T, int kBlock>
__global__ void online_softmax(const T* in, T* out, int columns) {
  __shared__ float warp_maxima[kBlock / 32];
  __shared__ float warp_sums[kBlock / 32];
  const T* row = in + (long long)blockIdx.x * columns;
  T* result = out + (long long)blockIdx.x * columns;
  MaxSum pair = {-INFINITY, 0.0f};
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    const float value = widened(row[i]);
    pair = merge(pair, {value, 1.0f});
  }
  pair = block_merge<kBlock>(pair, warp_maxima, warp_sums);
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    result[i] = narrowed<T>(expf(widened(row[i]) - pair.max) / pair.sum);
  }
}

// ---- One row over many blocks ----------------------------------------------------------------------------------
//
// in, out: (n). partials: (blocks), a pair from each block. Any grid of blocks of kBlock threads; a thread takes every
// stride-th value, where the stride is the number of threads in the grid. A block may finish only when all have told
// their pair.

// This thread's share of a vector.
template <int kBlock>
__device__ __forceinline__ MaxSum vector_pair(const float* in, int n) {
  const int stride = gridDim.x * kBlock;
  MaxSum pair = {-INFINITY, 0.0f};
  for (int i = blockIdx.x * kBlock + threadIdx.x; i < n; i += stride) {
    const float value = in[i];
    pair = merge(pair, {value, 1.0f});
  }
  return pair;
}

// All blocks' pairs, merged by this thread: every kBlock-th.
template <int kBlock>
__device__ __forceinline__ MaxSum partial_pairs(const MaxSum* partials, int count) {
  MaxSum pair = {-INFINITY, 0.0f};
  for (int i = threadIdx.x; i < count; i += kBlock) {
    const MaxSum partial = partials[i];
    pair = merge(pair, partial);
  }
  return pair;
}

template <int kBlock>
__device__ __forceinline__ void write_vector(const float* in, float* out, MaxSum pair, int n) {
  const int stride = gridDim.x * kBlock;
  for (int i = blockIdx.x * kBlock + threadIdx.x; i < n; i += stride) {
    out[i] = expf(in[i] - pair.max) / pair.sum;
  }
}

// Two launches, the first: each block's pair.
template <int kBlock>
__global__ void vector_pairs(const float* in, MaxSum* partials, int n) {
  __shared__ float warp_maxima[kBlock / 32];
  __shared__ float warp_sums[kBlock / 32];
  MaxSum pair = vector_pair<kBlock>(in, n);
  pair = block_merge<kBlock>(pair, warp_maxima, warp_sums);
  if (threadIdx.x == 0) partials[blockIdx.x] = pair;
}

// Two launches, the second: each block merges all `count` pairs and writes its share. A launch begins when the one
// before it has ended: that is the barrier.
template <int kBlock>
__global__ void vector_write(const float* in, float* out, const MaxSum* partials, int count, int n) {
  __shared__ float warp_maxima[kBlock / 32];
  __shared__ float warp_sums[kBlock / 32];
  MaxSum pair = partial_pairs<kBlock>(partials, count);
  pair = block_merge<kBlock>(pair, warp_maxima, warp_sums);
  write_vector<kBlock>(in, out, pair, n);
}

// Wrong: one launch, and a fence taken for a barrier of the grid. __threadfence orders what this thread wrote before
// what it writes later; it waits for no other thread. A block merges whatever the others have told by then.
template <int kBlock>
__global__ void vector_fence(const float* in, float* out, MaxSum* partials, int n) {
  __shared__ float warp_maxima[kBlock / 32];
  __shared__ float warp_sums[kBlock / 32];
  __shared__ float all_maxima[kBlock / 32];
  __shared__ float all_sums[kBlock / 32];
  MaxSum pair = vector_pair<kBlock>(in, n);
  pair = block_merge<kBlock>(pair, warp_maxima, warp_sums);
  if (threadIdx.x == 0) partials[blockIdx.x] = pair;
  __threadfence();
  __syncthreads();
  pair = partial_pairs<kBlock>(partials, gridDim.x);
  pair = block_merge<kBlock>(pair, all_maxima, all_sums);
  write_vector<kBlock>(in, out, pair, n);
}

// ---- Three parts: what attention accumulates -------------------------------------------------------------------

// The largest of some scores, the sum of exp(score - max), and the sum of exp(score - max) * value.
struct MaxSumWeighted {
  float max;
  float sum;
  float weighted;
};

__device__ __forceinline__ MaxSumWeighted merge(MaxSumWeighted a, MaxSumWeighted b) {
  const float max = fmaxf(a.max, b.max);
  const float scale_a = rescale(a.max, max);
  const float scale_b = rescale(b.max, max);
  return {max, a.sum * scale_a + b.sum * scale_b, a.weighted * scale_a + b.weighted * scale_b};
}

// in: (rows, columns), scores. weights: (columns), one value for each score. out: (rows), the sum of softmax(in)[i] *
// weights[i] over a row. The softmax itself is never written. One warp for each row. A row of minus infinity alone is
// NaN, as above. Error: that of softmax and k u more, times the sum of softmax(in)[i] * |weights[i]|.
__global__ void attention_f32(const float* in, const float* weights, float* out, int columns) {
  const float* row = in + (long long)blockIdx.x * columns;
  MaxSumWeighted triple = {-INFINITY, 0.0f, 0.0f};
  for (int i = threadIdx.x; i < columns; i += 32) {
    const float score = row[i];
    const float weight = weights[i];
    triple = merge(triple, {score, 1.0f, weight});
  }
#pragma unroll
  for (int lane_mask = 16; lane_mask > 0; lane_mask /= 2) {
    MaxSumWeighted other;
    other.max = __shfl_xor_sync(kFullWarp, triple.max, lane_mask);
    other.sum = __shfl_xor_sync(kFullWarp, triple.sum, lane_mask);
    other.weighted = __shfl_xor_sync(kFullWarp, triple.weighted, lane_mask);
    triple = merge(triple, other);
  }
  if (threadIdx.x == 0) out[blockIdx.x] = triple.max > -INFINITY ? triple.weighted / triple.sum : NAN;
}

// ---- Wrong kernels, each with one mistake ----------------------------------------------------------------------

// merge() without the test for equal maxima: of two lots of no values, (-infinity) - (-infinity) is NaN.
__device__ __forceinline__ MaxSum merge_unguarded(MaxSum a, MaxSum b) {
  const float max = fmaxf(a.max, b.max);
  return {max, a.sum * expf(a.max - max) + b.sum * expf(b.max - max)};
}

// Lanes past the end of the row hold (empty, 0). With kLowest 0 `empty` is minus infinity. Wrong: where two such lanes
// meet they make NaN, which reaches every lane. With kLowest 1 it is -FLT_MAX. Right, without a test: of two of them
// the difference is 0, exp makes it 1, and 1 * 0 adds nothing. One warp for each row.
template <int kLowest>
__global__ void online_softmax_unguarded(const float* in, float* out, int columns) {
  const float* row = in + (long long)blockIdx.x * columns;
  float* result = out + (long long)blockIdx.x * columns;
  MaxSum pair = {kLowest ? -3.402823466e+38f : -INFINITY, 0.0f};
  for (int i = threadIdx.x; i < columns; i += 32) {
    const float value = row[i];
    pair = merge_unguarded(pair, {value, 1.0f});
  }
#pragma unroll
  for (int lane_mask = 16; lane_mask > 0; lane_mask /= 2) {
    MaxSum other;
    other.max = __shfl_xor_sync(kFullWarp, pair.max, lane_mask);
    other.sum = __shfl_xor_sync(kFullWarp, pair.sum, lane_mask);
    pair = merge_unguarded(pair, other);
  }
  for (int i = threadIdx.x; i < columns; i += 32) {
    result[i] = expf(row[i] - pair.max) / pair.sum;
  }
}

// Wrong: the parts are reduced apart. Each lane's sum is on the scale of its own largest value, and the sums are added
// as if they were on one. One warp for each row.
__global__ void online_softmax_apart(const float* in, float* out, int columns) {
  const float* row = in + (long long)blockIdx.x * columns;
  float* result = out + (long long)blockIdx.x * columns;
  MaxSum pair = {-INFINITY, 0.0f};
  for (int i = threadIdx.x; i < columns; i += 32) {
    const float value = row[i];
    pair = merge(pair, {value, 1.0f});
  }
  const float largest = max_xor<32>(pair.max);
  const float sum = sum_xor<32>(pair.sum);
  for (int i = threadIdx.x; i < columns; i += 32) {
    result[i] = expf(row[i] - largest) / sum;
  }
}

// Wrong: one shared array for both reductions. A fast warp writes its sum where a slow one still reads maxima.
template <int kBlock>
__global__ void safe_softmax_one_array(const float* in, float* out, int columns) {
  __shared__ float warp_results[kBlock / 32];
  const float* row = in + (long long)blockIdx.x * columns;
  float* result = out + (long long)blockIdx.x * columns;
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    largest = fmaxf(largest, row[i]);
  }
  largest = block_max<kBlock>(largest, warp_results);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    sum += expf(row[i] - largest);
  }
  sum = block_sum<kBlock>(sum, warp_results);
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    result[i] = expf(row[i] - largest) / sum;
  }
}

#include "routes.cuh"
