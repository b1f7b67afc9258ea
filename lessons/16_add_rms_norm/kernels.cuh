// residual_out = a + b;  y = residual_out * weight / sqrt(mean(residual_out^2) + epsilon), row by row.
//
// a, b, residual_out, y: (rows, dim) without gaps; weight: (dim). Arithmetic in float; residual_out is narrowed to T,
// and both the mean square and y are made of what it then holds. One block of kBlock threads for each row unless a
// kernel says otherwise; kBlock is a multiple of 32. Error of y, relative: (additions a value of the row goes through
// / 2 + 4) * 2^-24, and half a step of T.
//
// What takes a row in registers, and who adds the threads' sums, is the operator's own: operator/row.cuh.

#include "operator/row.cuh"

template <class T, class W>
__device__ __forceinline__ Row<T, W> row_at(T* y, T* residual_out, const T* a, const T* b, const W* weight, int dim,
                                            int index) {
  const long long first = (long long)index * dim;
  return {y + first, residual_out + first, a + first, b + first, weight, dim};
}

// ---- Two kernels ---------------------------------------------------------------------------------------------------

// residual_out = a + b: two reads and a write a value.
template <int kBlock>
__global__ void add_rows(const float* a, const float* b, float* residual_out, int dim) {
  const long long first = (long long)blockIdx.x * dim;
  for (int i = threadIdx.x; i < dim; i += kBlock) {
    residual_out[first + i] = a[first + i] + b[first + i];
  }
}

// y from residual_out: it is read for the mean square, and read again.
template <int kBlock>
__global__ void norm_rows(const float* residual_out, const float* weight, float* y, int dim, float epsilon) {
  __shared__ float warp_sums[32];
  const long long first = (long long)blockIdx.x * dim;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < dim; i += kBlock) {
    const float x = residual_out[first + i];
    squares = fmaf(x, x, squares);
  }
  const float total = JoinBlock{warp_sums}(squares);
  const float scale = scale_of(total, dim, epsilon);
  for (int i = threadIdx.x; i < dim; i += kBlock) {
    y[first + i] = residual_out[first + i] * scale * weight[i];
  }
}

// ---- One kernel ----------------------------------------------------------------------------------------------------

// Against add_rows and norm_rows: one launch, and the mean square is made while the sum is in a register; but the row
// is read again for y.
template <int kBlock>
__global__ void fused_read_again(const float* a, const float* b, const float* weight, float* y, float* residual_out,
                                 int dim, float epsilon) {
  __shared__ float warp_sums[32];
  const long long first = (long long)blockIdx.x * dim;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < dim; i += kBlock) {
    const float x = a[first + i] + b[first + i];
    residual_out[first + i] = x;
    squares = fmaf(x, x, squares);
  }
  const float total = JoinBlock{warp_sums}(squares);
  const float scale = scale_of(total, dim, epsilon);
  for (int i = threadIdx.x; i < dim; i += kBlock) {
    y[first + i] = residual_out[first + i] * scale * weight[i];
  }
}

// Against fused_read_again: 16 bytes a load, and the row stays in registers: nothing is read twice. dim is a multiple
// of 16 / sizeof(T), at most kBlock * kPacks of these packs. y and residual_out may be a and b.
template <class T, class W, int kBlock, int kPacks>
__global__ void fused_in_registers(const T* a, const T* b, const W* weight, T* y, T* residual_out, int dim,
                                   float epsilon) {
  __shared__ float warp_sums[32];
  const Row<T, W> row = row_at(y, residual_out, a, b, weight, dim, blockIdx.x);
  row_in_registers<T, W, kPacks>(row, {epsilon, kRounded, false}, threadIdx.x, kBlock, JoinBlock{warp_sums});
}

// Against fused_in_registers: a warp takes a row, so no shared memory and no barrier; kBlock / 32 rows a block. rows:
// in all. dim is at most 32 * kPacks packs.
template <int kBlock, int kPacks>
__global__ void fused_by_warp(const float* a, const float* b, const float* weight, float* y, float* residual_out,
                              int dim, float epsilon, int rows) {
  const int index = blockIdx.x * (kBlock / 32) + threadIdx.x / 32;
  const bool there = index < rows;
  Row<float, float> row = row_at(y, residual_out, a, b, weight, dim, there ? index : 0);
  if (!there) row.dim = 0;
  row_in_registers<float, float, kPacks>(row, {epsilon, kRounded, false}, threadIdx.x % 32, 32, JoinLanes{32});
}

// Against fused_in_registers: a value a load, so that any dim at any address will do. keep: the row is kept in dim
// floats of dynamic shared memory; else it is read again from residual_out.
template <class T, class W, int kBlock>
__global__ void fused_by_element(const T* a, const T* b, const W* weight, T* y, T* residual_out, int dim, float epsilon,
                                 int keep) {
  extern __shared__ float kept[];
  __shared__ float warp_sums[32];
  const Row<T, W> row = row_at(y, residual_out, a, b, weight, dim, blockIdx.x);
  row_by_element<T, W>(row, {epsilon, kRounded, false}, threadIdx.x, kBlock, keep ? kept : nullptr,
                       JoinBlock{warp_sums});
}
