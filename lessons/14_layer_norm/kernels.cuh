// Layer norm of each row: out[i] = (in[i] - m) * weight[i] / sqrt(v + epsilon) + bias[i], where m is the row's mean and
// v the mean of (in[j] - m)^2. Two reductions, of which the second needs the first, or one of three numbers at once.
//
// Unless a kernel says otherwise: in, out: (rows, columns) of T, without gaps, beginning at any element; weight, bias:
// (columns) of T; any columns >= 1; epsilon >= 0. One block of kBlock threads for each row; kBlock is a multiple of 32,
// at most 1024. A row with a NaN or an infinity is NaN throughout, as torch has it; so is a row of equal values with
// epsilon 0, if its mean is exact. Squared deviations that add up to more than the largest float make the row its bias.
//
// Error, with u = 2^-24, k the additions that a value goes through, a the mean of |in[j]|, s = 1 / sqrt(v + epsilon):
// m is off by dm = (k + 1) u a at most. The deviations from a mean that is off by dm have the mean square v + dm^2, and
// their sum rounds as any sum, so v is off by dv = (k + 4) u v + dm^2. Then out[i] is off by
//     |weight[i]| s ((|in[i] - m| + dm) (dv / (2 (v + epsilon)) + 6 u) + dm) + u |out[i]|
// to first order, and by 2^-11 (half) or 2^-8 (bfloat16) of itself where it is narrowed. (Higham, Accuracy and
// Stability of Numerical Algorithms, 1.9 and 3.1.) For other ways to v, dm and dv are others: case.hpp says which.

#include "rows.cuh"

// ---- The mean, then the deviations -------------------------------------------------------------------------------

// Three passes over the row, two block reductions.
template <class T, int kBlock>
__global__ void layer_norm(const T* in, const T* weight, const T* bias, T* out, int columns, float epsilon) {
  __shared__ float warp_sums[kBlock / 32];
  __shared__ float warp_squares[kBlock / 32];
  const T* row = in + (long long)blockIdx.x * columns;
  T* result = out + (long long)blockIdx.x * columns;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    sum += widened(row[i]);
  }
  sum = block_sum(sum, warp_sums);
  const float mean = sum / (float)columns;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    const float deviation = widened(row[i]) - mean;
    squares = fmaf(deviation, deviation, squares);
  }
  squares = block_sum(squares, warp_squares);
  const float scale = scale_of(squares / (float)columns, epsilon);
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    result[i] = narrowed<T>((widened(row[i]) - mean) * scale * widened(weight[i]) + widened(bias[i]));
  }
}

// ---- Both in one pass --------------------------------------------------------------------------------------------

// The sum of values and that of their squares.
struct Sums {
  float sum;
  float squares;
};

// v as E[x^2] - E[x]^2. Compared with layer_norm: one pass and one reduction for both. Two large numbers are taken from
// each other: where the mean is large beside the spread, little of the difference is right, and it may even be
// negative.
template <int kBlock>
__global__ void layer_norm_squares(const float* in, const float* weight, const float* bias, float* out, int columns,
                                   float epsilon) {
  __shared__ float warp_sums[kBlock / 32];
  __shared__ float warp_squares[kBlock / 32];
  const int lane = threadIdx.x % 32;
  const float* row = in + (long long)blockIdx.x * columns;
  float* result = out + (long long)blockIdx.x * columns;
  Sums sums = {0.0f, 0.0f};
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    const float value = row[i];
    sums = {sums.sum + value, fmaf(value, value, sums.squares)};
  }
  sums.sum = warp_sum(sums.sum);
  sums.squares = warp_sum(sums.squares);
  if (lane == 0) {
    warp_sums[threadIdx.x / 32] = sums.sum;
    warp_squares[threadIdx.x / 32] = sums.squares;
  }
  __syncthreads();
  sums.sum = lane < kBlock / 32 ? warp_sums[lane] : 0.0f;
  sums.squares = lane < kBlock / 32 ? warp_squares[lane] : 0.0f;
  sums.sum = warp_sum(sums.sum);
  sums.squares = warp_sum(sums.squares);
  const float mean = sums.sum / (float)columns;
  const float scale = scale_of(sums.squares / (float)columns - mean * mean, epsilon);
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    result[i] = (row[i] - mean) * scale * weight[i] + bias[i];
  }
}

// Welford's update in each thread, then Chan's merge. One pass for both, unlike layer_norm; and unlike in
// layer_norm_squares nothing large is taken from anything large. A value costs a division, a round three shuffles.
template <int kBlock>
__global__ void layer_norm_welford(const float* in, const float* weight, const float* bias, float* out, int columns,
                                   float epsilon) {
  __shared__ float counts[kBlock / 32];
  __shared__ float means[kBlock / 32];
  __shared__ float m2s[kBlock / 32];
  const float* row = in + (long long)blockIdx.x * columns;
  float* result = out + (long long)blockIdx.x * columns;
  Moments moments = {0.0f, 0.0f, 0.0f};
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    const float value = row[i];
    moments = with_value(moments, value);
  }
  moments = block_merge(moments, counts, means, m2s);
  const float scale = scale_of(moments.m2 / moments.count, epsilon);
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    result[i] = (row[i] - moments.mean) * scale * weight[i] + bias[i];
  }
}

// ---- Wrong kernels, each with one mistake ------------------------------------------------------------------------

// Wrong: a lane past the end of the row holds 0, takes part in the second sum as well, and adds (0 - mean)^2. One warp
// for each row.
__global__ void layer_norm_idle_lanes(const float* in, const float* weight, const float* bias, float* out, int columns,
                                      float epsilon) {
  const float* row = in + (long long)blockIdx.x * columns;
  float* result = out + (long long)blockIdx.x * columns;
  float sum = 0.0f;
  for (int first = 0; first < columns; first += 32) {
    const int i = first + threadIdx.x;
    const float value = i < columns ? row[i] : 0.0f;
    sum += value;
  }
  sum = warp_sum(sum);
  const float mean = sum / (float)columns;
  float squares = 0.0f;
  for (int first = 0; first < columns; first += 32) {
    const int i = first + threadIdx.x;
    const float value = i < columns ? row[i] : 0.0f;
    const float deviation = value - mean;
    squares += deviation * deviation;
  }
  squares = warp_sum(squares);
  const float scale = scale_of(squares / (float)columns, epsilon);
  for (int i = threadIdx.x; i < columns; i += 32) {
    result[i] = (row[i] - mean) * scale * weight[i] + bias[i];
  }
}

// merge() without the test for no values: 0 / 0.
__device__ __forceinline__ Moments merge_unguarded(Moments a, Moments b) {
  const float count = a.count + b.count;
  const float delta = b.mean - a.mean;
  const float m2 = a.m2 + b.m2 + delta * delta * (a.count * b.count / count);
  return {count, (a.count * a.mean + b.count * b.mean) / count, m2};
}

// Wrong: two lanes past the end of the row merge to NaN, which reaches every lane. One warp for each row.
__global__ void layer_norm_merge_unguarded(const float* in, const float* weight, const float* bias, float* out,
                                           int columns, float epsilon) {
  const float* row = in + (long long)blockIdx.x * columns;
  float* result = out + (long long)blockIdx.x * columns;
  Moments moments = {0.0f, 0.0f, 0.0f};
  for (int i = threadIdx.x; i < columns; i += 32) {
    const float value = row[i];
    moments = with_value(moments, value);
  }
#pragma unroll
  for (int lane_mask = 16; lane_mask > 0; lane_mask /= 2) {
    Moments other;
    other.count = __shfl_xor_sync(kFullWarp, moments.count, lane_mask);
    other.mean = __shfl_xor_sync(kFullWarp, moments.mean, lane_mask);
    other.m2 = __shfl_xor_sync(kFullWarp, moments.m2, lane_mask);
    moments = merge_unguarded(moments, other);
  }
  const float scale = scale_of(moments.m2 / moments.count, epsilon);
  for (int i = threadIdx.x; i < columns; i += 32) {
    result[i] = (row[i] - moments.mean) * scale * weight[i] + bias[i];
  }
}

// Wrong: epsilon is added to the number of columns. It then protects from nothing: a row of equal values has v = 0.
template <int kBlock>
__global__ void layer_norm_epsilon_in_count(const float* in, const float* weight, const float* bias, float* out,
                                            int columns, float epsilon) {
  __shared__ float warp_sums[kBlock / 32];
  __shared__ float warp_squares[kBlock / 32];
  const float* row = in + (long long)blockIdx.x * columns;
  float* result = out + (long long)blockIdx.x * columns;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    sum += row[i];
  }
  sum = block_sum(sum, warp_sums);
  const float mean = sum / (float)columns;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    const float deviation = row[i] - mean;
    squares = fmaf(deviation, deviation, squares);
  }
  squares = block_sum(squares, warp_squares);
  const float scale = 1.0f / sqrtf(squares / ((float)columns + epsilon));
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    result[i] = (row[i] - mean) * scale * weight[i] + bias[i];
  }
}

#include "routes.cuh"
