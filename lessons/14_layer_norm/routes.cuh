// The fast routes: each row is read from global memory once, 16 bytes a load, where it has room on the chip. Which
// route is best depends on the length of a row alone. Arguments as in kernels.cuh; in and out lie equally far past a
// multiple of 16 bytes, and weight and bias begin at one. kWhole: each row begins at such a multiple, and holds whole
// packs; else a row may share its first and its last pack with the rows beside it, which are read as a whole, and
// written value by value.

// A warp for each row, several rows a block: no shared memory and no barrier. A row lies in at most 32 * kPacks packs;
// blockDim.x is a multiple of 32.
template <class T, int kPacks, bool kWhole>
__global__ void __launch_bounds__(512) layer_norm_row_a_warp(const T* in, const T* weight, const T* bias, T* out,
                                                             long long rows, int columns, float epsilon) {
  const long long number = (long long)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (number >= rows) return;   // the whole warp
  const auto row = row_at<kWhole>(in, out, number, rows, columns, threadIdx.x % 32, 32);
  Held<T, kPacks> held;
  float sum = load_row<T, kPacks>(row, weight, bias, held);
  sum = warp_sum(sum);
  const float mean = sum / (float)columns;
  float squares = squares_of<T, kPacks>(row, held, mean);
  squares = warp_sum(squares);
  store_row<T, kPacks>(row, weight, bias, held, mean, scale_of(squares / (float)columns, epsilon));
}

// A block for each row, in at most blockDim.x * kPacks packs; blockDim.x: a multiple of 32, to 1024, of 16
// bits to 512 (with 64 registers values would spill). Compared with layer_norm_row_a_warp: longer rows, for two
// barriers.
template <class T, int kPacks, bool kWhole>
__global__ void __launch_bounds__(sizeof(T) == 4 ? 1024 : 512)
layer_norm_registers(const T* in, const T* weight, const T* bias, T* out, int columns, float epsilon) {
  __shared__ float warp_sums[32];
  __shared__ float warp_squares[32];
  const auto row = row_at<kWhole>(in, out, blockIdx.x, gridDim.x, columns, threadIdx.x, blockDim.x);
  Held<T, kPacks> held;
  float sum = load_row<T, kPacks>(row, weight, bias, held);
  sum = block_sum_of(blockDim.x / 32, sum, warp_sums);
  const float mean = sum / (float)columns;
  float squares = squares_of<T, kPacks>(row, held, mean);
  squares = block_sum_of(blockDim.x / 32, squares, warp_squares);
  store_row<T, kPacks>(row, weight, bias, held, mean, scale_of(squares / (float)columns, epsilon));
}

// A block for each row, of any length: compared with layer_norm_registers the row is read twice; value by value, unless
// it begins at a multiple of 16 bytes and holds whole packs. Each pack's moments are taken in registers, and merged
// into those of the packs before. blockDim.x is a multiple of 32, at most 1024.
template <class T>
__global__ void __launch_bounds__(1024) layer_norm_two_reads(const T* in, const T* weight, const T* bias, T* out,
                                                             int columns, float epsilon) {
  constexpr int kPack = kPackOf<T>;
  __shared__ float counts[32];
  __shared__ float means[32];
  __shared__ float m2s[32];
  const int thread = threadIdx.x;
  const int threads = blockDim.x;
  const T* row = in + (long long)blockIdx.x * columns;
  T* result = out + (long long)blockIdx.x * columns;
  const bool packed = in_packs(row, columns) && in_packs(result, columns);
  const int packs = packed ? columns / kPack : 0;
  const int first = packs * kPack;   // what is left is taken value by value: nothing, or the whole row
  Moments moments = {0.0f, 0.0f, 0.0f};
#pragma unroll 4
  for (int i = thread; i < packs; i += threads) {
    const Pack<T> pack = pack_at(row, i);
    Moments of_pack = {(float)kPack, 0.0f, 0.0f};
#pragma unroll
    for (int k = 0; k < kPack; ++k) of_pack.mean += widened(pack.values[k]);
    of_pack.mean *= 1.0f / kPack;
#pragma unroll
    for (int k = 0; k < kPack; ++k) {
      const float deviation = widened(pack.values[k]) - of_pack.mean;
      of_pack.m2 = fmaf(deviation, deviation, of_pack.m2);
    }
    moments = merge(moments, of_pack);
  }
  for (int i = first + thread; i < columns; i += threads) {
    const float value = widened(row[i]);
    moments = with_value(moments, value);
  }
  moments = block_merge(moments, counts, means, m2s);
  const float scale = scale_of(moments.m2 / (float)columns, epsilon);
#pragma unroll 4
  for (int i = thread; i < packs; i += threads) {
    const Pack<T> pack = pack_at(row, i);
    const Pack<T> weights = pack_at(weight, i);
    const Pack<T> biases = pack_at(bias, i);
    Pack<T> results;
#pragma unroll
    for (int k = 0; k < kPack; ++k) {
      results.values[k] = normalized(pack.values[k], moments.mean, scale, weights.values[k], biases.values[k]);
    }
    reinterpret_cast<uint4*>(result)[i] = *reinterpret_cast<const uint4*>(&results);
  }
#pragma unroll 4
  for (int i = first + thread; i < columns; i += threads) {
    result[i] = normalized(row[i], moments.mean, scale, weight[i], bias[i]);
  }
}
