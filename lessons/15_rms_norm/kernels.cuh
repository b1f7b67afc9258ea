// RMS norm of each row: out[i] = in[i] * weight[i] / sqrt(mean of in[j]^2 + epsilon). One reduction, a sum of squares,
// and one number that every thread of the row then needs.
//
// Unless a kernel says otherwise: in, out: (rows, columns) of T, without gaps, beginning at any element; weight:
// (columns) of T; any columns >= 1; epsilon >= 0. One block of kBlock threads for each row; kBlock is a multiple of 32,
// at most 1024. A row of zeros with epsilon 0 is NaN (0 * infinity), as torch has it. Squares that add up to more than
// the largest float make the root infinite and the row 0.
//
// Error of out[i], relative, with u = 2^-24 and k the additions that a square goes through: (k / 2 + 5) u to first
// order. All squares are positive, so their sum is right to k u; the division by columns and the sum with epsilon round
// once each, and the root halves what came in; the root, the quotient and two products round once each. 2^-11 (half) or
// 2^-8 (bfloat16) more where the result is narrowed. (Higham, Accuracy and Stability of Numerical Algorithms, 3.1.)

#include "rows.cuh"

// ---- Who needs the sum, and how it gets there --------------------------------------------------------------------

// One thread computes the scale and tells all: two barriers, before the warp sums are read and before the scale is.
template <int kBlock>
__global__ void rms_norm_one_thread(const float* in, const float* weight, float* out, int columns, float epsilon) {
  constexpr int kWarps = kBlock / 32;
  __shared__ float warp_sums[kWarps];
  __shared__ float told;
  const float* row = in + (long long)blockIdx.x * columns;
  float* result = out + (long long)blockIdx.x * columns;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    const float value = row[i];
    squares = fmaf(value, value, squares);
  }
  squares = warp_sum(squares);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = squares;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (int warp = 0; warp < kWarps; ++warp) total += warp_sums[warp];
    told = scale_of(total, columns, epsilon);
  }
  __syncthreads();
  const float scale = told;
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    result[i] = row[i] * scale * weight[i];
  }
}

// Compared with rms_norm_one_thread: every warp adds the warp sums, so that none has to be told. One barrier.
template <class T, int kBlock>
__global__ void rms_norm(const T* in, const T* weight, T* out, int columns, float epsilon) {
  __shared__ float warp_sums[kBlock / 32];
  const T* row = in + (long long)blockIdx.x * columns;
  T* result = out + (long long)blockIdx.x * columns;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    const float value = widened(row[i]);
    squares = fmaf(value, value, squares);
  }
  squares = block_sum(squares, warp_sums);
  const float scale = scale_of(squares, columns, epsilon);
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    result[i] = narrowed<T>(widened(row[i]) * scale * widened(weight[i]));
  }
}

// ---- Wrong kernels, each with one mistake ------------------------------------------------------------------------

// Wrong: no barrier between the store of the scale and its loads. Lane 0 of warp 0 is right, since it wrote it itself;
// all others read whatever is there.
template <int kBlock>
__global__ void rms_norm_no_barrier(const float* in, const float* weight, float* out, int columns, float epsilon) {
  constexpr int kWarps = kBlock / 32;
  __shared__ float warp_sums[kWarps];
  __shared__ float told;
  const float* row = in + (long long)blockIdx.x * columns;
  float* result = out + (long long)blockIdx.x * columns;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    const float value = row[i];
    squares = fmaf(value, value, squares);
  }
  squares = warp_sum(squares);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = squares;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (int warp = 0; warp < kWarps; ++warp) total += warp_sums[warp];
    told = scale_of(total, columns, epsilon);
  }
  const float scale = told;
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    result[i] = row[i] * scale * weight[i];
  }
}

// Wrong: epsilon outside the root. It is then compared with the root of the mean square, not with the mean square.
template <int kBlock>
__global__ void rms_norm_epsilon_outside(const float* in, const float* weight, float* out, int columns,
                                         float epsilon) {
  __shared__ float warp_sums[kBlock / 32];
  const float* row = in + (long long)blockIdx.x * columns;
  float* result = out + (long long)blockIdx.x * columns;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    const float value = row[i];
    squares = fmaf(value, value, squares);
  }
  squares = block_sum(squares, warp_sums);
  const float scale = 1.0f / (sqrtf(squares / (float)columns) + epsilon);
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    result[i] = row[i] * scale * weight[i];
  }
}

// Wrong: the number of warps that have values is rounded down. 36 values take two warps, and 36 / 32 is 1: the squares
// of the last four are left out.
template <int kBlock>
__global__ void rms_norm_warps_floored(const float* in, const float* weight, float* out, int columns, float epsilon) {
  __shared__ float warp_sums[kBlock / 32];
  const int lane = threadIdx.x % 32;
  const int warps = columns < kBlock ? columns / 32 : kBlock / 32;   // (columns + 31) / 32 would be right
  const float* row = in + (long long)blockIdx.x * columns;
  float* result = out + (long long)blockIdx.x * columns;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    const float value = row[i];
    squares = fmaf(value, value, squares);
  }
  squares = warp_sum(squares);
  if (lane == 0) warp_sums[threadIdx.x / 32] = squares;
  __syncthreads();
  squares = lane < warps ? warp_sums[lane] : 0.0f;
  squares = warp_sum(squares);
  const float scale = scale_of(squares, columns, epsilon);
  for (int i = threadIdx.x; i < columns; i += kBlock) {
    result[i] = row[i] * scale * weight[i];
  }
}

#include "routes.cuh"
