// Layer norm of many rows of a few columns, whose number is known when the kernel is compiled: a tile of them in shared
// memory. GPUs of sm_90 and later; not emulated. Arguments as in kernels.cuh; in and out begin at a multiple of 16
// bytes.

// value / kDivisor, rounded once: a product with its reciprocal, mended by what that leaves (Markstein, Computation of
// elementary functions on the IBM RISC System/6000 processor, 1990).
template <int kDivisor>
__device__ __forceinline__ float divided(float value) {
  const float quotient = value * (1.0f / kDivisor);
  return fmaf(fmaf(quotient, -(float)kDivisor, value), 1.0f / kDivisor, quotient);
}

// A block takes RowsInPacks::kRows rows for each of its kThreads threads, which lie one after the other. Dynamic shared
// memory: the rows, and more, where fewer blocks are to run at once.
//
// Compared with layer_norm_row_tile: every place of a value is known when the kernel is compiled. A thread reads and
// puts back whole packs, and has the values of a row in registers at once, whichever of them a row begins or ends
// within. The variance is that of deviations from the mean, wherever it lies.
//
// Launches overlap. The next kernel is let in at once.
template <class T, int kColumns>
__global__ void __launch_bounds__(RowsInPacks<T, kColumns>::kThreads, few_columns_blocks<T, kColumns>(2))
    layer_norm_few_columns(const T* in, const T* weight, const T* bias, T* out, int rows, float epsilon) {
  using Its = RowsInPacks<T, kColumns>;
  constexpr int kRows = Its::kThreads * Its::kRows;
  extern __shared__ __align__(128) uint4 tiles[];
  __shared__ unsigned long long arrival;
  cudaTriggerProgrammaticLaunchCompletion();
  const long long first = (long long)blockIdx.x * kRows;
  const int here = rows - first < kRows ? (int)(rows - first) : kRows;
  const Tile<T> tile = {reinterpret_cast<T*>(tiles), here * kColumns / kPackOf<T>, here * kColumns % kPackOf<T>};
  cudaGridDependencySynchronize();
  tile.load(in + first * kColumns, &arrival);
  float weights[kColumns], biases[kColumns];
#pragma unroll
  for (int k = 0; k < kColumns; ++k) {
    weights[k] = widened(weight[k]);
    biases[k] = widened(bias[k]);
  }
  __syncthreads();
  wait_for(&arrival, 0);
  // In the last tile, what lies behind its rows is worked on as well, and not stored.
  Its::each_row(tiles + threadIdx.x * Its::kPacks, [&](float(&values)[kColumns]) {
    const float mean = divided<kColumns>(sum_of<kColumns>(values));
    float squares[2] = {};
#pragma unroll
    for (int k = 0; k < kColumns; ++k) {
      values[k] -= mean;
      squares[k % 2] = fmaf(values[k], values[k], squares[k % 2]);
    }
    const float variance = divided<kColumns>(squares[0] + squares[1]);
    const float scale = sizeof(T) < sizeof(float) ? rsqrtf(variance + epsilon) : scale_of(variance, epsilon);
#pragma unroll
    for (int k = 0; k < kColumns; ++k) values[k] = fmaf(values[k] * scale, weights[k], biases[k]);
  });
  tile.store(out + first * kColumns);
}
