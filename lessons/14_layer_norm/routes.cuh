// The fast routes: each row is read from global memory once, 16 bytes a load, where it has room on the chip. Which
// route is best depends on the length of a row alone. A row that does not begin at a multiple of 16 bytes, or does not
// hold whole packs, is read and written value by value instead, by the same kernels. Arguments as in kernels.cuh.

// A warp for each row, several rows a block: no shared memory and no barrier. columns is at most 32 * kPacks packs;
// blockDim.x is a multiple of 32.
template <class T, int kPacks>
__global__ void __launch_bounds__(512) layer_norm_row_a_warp(const T* in, const T* weight, const T* bias, T* out,
                                                             long long rows, int columns, float epsilon) {
  const long long number = (long long)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (number >= rows) return;   // the whole warp
  const Row<T> row = row_at(in, weight, bias, out, number, columns, threadIdx.x % 32, 32);
  Held<T, kPacks> held;
  float sum = load_row<T, kPacks>(row, held);
  sum = warp_sum(sum);
  const float mean = sum / (float)columns;
  float squares = squares_of<T, kPacks>(row, held, mean);
  squares = warp_sum(squares);
  store_row<T, kPacks>(row, held, mean, scale_of(squares / (float)columns, epsilon));
}

// A block for each row. columns is at most blockDim.x * kPacks packs; blockDim.x: a multiple of 32, to 1024, of 16
// bits to 512 (with 64 registers values would spill). Against layer_norm_row_a_warp: longer rows, for two barriers.
template <class T, int kPacks>
__global__ void __launch_bounds__(sizeof(T) == 4 ? 1024 : 512)
layer_norm_registers(const T* in, const T* weight, const T* bias, T* out, int columns, float epsilon) {
  __shared__ float warp_sums[32];
  __shared__ float warp_squares[32];
  const Row<T> row = row_at<T>(in, weight, bias, out, blockIdx.x, columns, threadIdx.x, blockDim.x);
  Held<T, kPacks> held;
  float sum = load_row<T, kPacks>(row, held);
  sum = block_sum(sum, warp_sums);
  const float mean = sum / (float)columns;
  float squares = squares_of<T, kPacks>(row, held, mean);
  squares = block_sum(squares, warp_squares);
  store_row<T, kPacks>(row, held, mean, scale_of(squares / (float)columns, epsilon));
}

// A block for each row, of any length: against layer_norm_registers the row is read twice. Each pack's moments are
// taken in registers, and merged into those of the packs before. blockDim.x is a multiple of 32, at most 1024.
template <class T>
__global__ void __launch_bounds__(1024) layer_norm_two_reads(const T* in, const T* weight, const T* bias, T* out,
                                                             int columns, float epsilon) {
  constexpr int kPack = kPackOf<T>;
  __shared__ float counts[32];
  __shared__ float means[32];
  __shared__ float m2s[32];
  const Row<T> row = row_at<T>(in, weight, bias, out, blockIdx.x, columns, threadIdx.x, blockDim.x);
  const int packs = row.packed ? columns / kPack : 0;
  const int first = packs * kPack;   // what is left is taken value by value: nothing, or the whole row
  Moments moments = {0.0f, 0.0f, 0.0f};
#pragma unroll 4
  for (int i = row.thread; i < packs; i += row.threads) {
    const Pack<T> pack = pack_at(row.in, i);
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
  for (int i = first + row.thread; i < columns; i += row.threads) {
    const float value = widened(row.in[i]);
    moments = with_value(moments, value);
  }
  moments = block_merge(moments, counts, means, m2s);
  const float scale = scale_of(moments.m2 / (float)columns, epsilon);
#pragma unroll 4
  for (int i = row.thread; i < packs; i += row.threads) {
    const Pack<T> pack = pack_at(row.in, i);
    const Pack<T> weights = pack_at(row.weight, i);
    const Pack<T> biases = pack_at(row.bias, i);
    Pack<T> results;
#pragma unroll
    for (int k = 0; k < kPack; ++k) {
      results.values[k] = normalized(pack.values[k], moments.mean, scale, weights.values[k], biases.values[k]);
    }
    reinterpret_cast<uint4*>(row.out)[i] = *reinterpret_cast<const uint4*>(&results);
  }
#pragma unroll 4
  for (int i = first + row.thread; i < columns; i += row.threads) {
    row.out[i] = normalized(row.in[i], moments.mean, scale, row.weight[i], row.bias[i]);
  }
}
