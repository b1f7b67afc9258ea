// The fast routes: each row is read from global memory once, 16 bytes a load, where it has room on the chip. Which
// route is best depends on the length of a row alone. Arguments as in kernels.cuh; in and out lie equally far past a
// multiple of 16 bytes, and weight begins at one. kWhole: each row begins at such a multiple, and holds whole packs;
// else a row may share its first and its last pack with the rows beside it, which are read as a whole, and written
// value by value.

// A warp for each row, several rows a block: no shared memory and no barrier. A row lies in at most 32 * kPacks packs;
// blockDim.x is a multiple of 32.
template <class T, int kPacks, bool kWhole>
__global__ void __launch_bounds__(512) rms_norm_row_a_warp(const T* in, const T* weight, T* out, long long rows,
                                                           int columns, float epsilon) {
  const int lane = threadIdx.x % 32;
  const long long number = (long long)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (number >= rows) return;   // the whole warp
  const auto row = row_at<kWhole>(in, out, number, rows, columns, lane, 32);
  Pack<T> held[kPacks];
  Pack<T> weights[kPacks];
  float squares = load_row<T, kPacks>(row, weight, held, weights);
  squares = warp_sum(squares);
  store_row<T, kPacks>(row, weight, held, weights, scale_of(squares, columns, epsilon));
}

// A block for each row, in at most blockDim.x * kPacks packs; blockDim.x: a multiple of 32, to 1024, of 16 bits
// to 512 (with 64 registers values would spill). Compared with rms_norm_row_a_warp: longer rows, for one barrier.
template <class T, int kPacks, bool kWhole>
__global__ void __launch_bounds__(sizeof(T) == 4 ? 1024 : 512)
rms_norm_registers(const T* in, const T* weight, T* out, int columns, float epsilon) {
  __shared__ float warp_sums[32];
  const auto row = row_at<kWhole>(in, out, blockIdx.x, gridDim.x, columns, threadIdx.x, blockDim.x);
  Pack<T> held[kPacks];
  Pack<T> weights[kPacks];
  float squares = load_row<T, kPacks>(row, weight, held, weights);
  squares = block_sum_of(blockDim.x / 32, squares, warp_sums);
  store_row<T, kPacks>(row, weight, held, weights, scale_of(squares, columns, epsilon));
}

// A block for each row, of any length: compared with rms_norm_registers the row is read twice; value by value, unless
// it begins at a multiple of 16 bytes and holds whole packs. blockDim.x is a multiple of 32, at most 1024.
template <class T>
__global__ void __launch_bounds__(1024) rms_norm_two_reads(const T* in, const T* weight, T* out, int columns,
                                                           float epsilon) {
  constexpr int kPack = kPackOf<T>;
  __shared__ float warp_sums[32];
  const int threads = blockDim.x;
  const T* row = in + (long long)blockIdx.x * columns;
  T* result = out + (long long)blockIdx.x * columns;
  const bool packed = all_in_packs(row, weight, result, columns);
  const int packs = packed ? columns / kPack : 0;
  const int first = packs * kPack;   // what is left is taken value by value: nothing, or the whole row
  float squares = 0.0f;
#pragma unroll 4
  for (int i = threadIdx.x; i < packs; i += threads) {
    const Pack<T> pack = reinterpret_cast<const Pack<T>*>(row)[i];
#pragma unroll
    for (int k = 0; k < kPack; ++k) squares = fmaf(widened(pack.values[k]), widened(pack.values[k]), squares);
  }
#pragma unroll 4
  for (int i = first + threadIdx.x; i < columns; i += threads) {
    squares = fmaf(widened(row[i]), widened(row[i]), squares);
  }
  squares = block_sum(squares, warp_sums);
  const float scale = scale_of(squares, columns, epsilon);
#pragma unroll 4
  for (int i = threadIdx.x; i < packs; i += threads) {
    const Pack<T> pack = reinterpret_cast<const Pack<T>*>(row)[i];
    const Pack<T> weights = reinterpret_cast<const Pack<T>*>(weight)[i];
    Pack<T> results;
#pragma unroll
    for (int k = 0; k < kPack; ++k) {
      results.values[k] = narrowed<T>(widened(pack.values[k]) * scale * widened(weights.values[k]));
    }
    reinterpret_cast<uint4*>(result)[i] = *reinterpret_cast<const uint4*>(&results);
  }
#pragma unroll 4
  for (int i = first + threadIdx.x; i < columns; i += threads) {
    result[i] = narrowed<T>(widened(row[i]) * scale * widened(weight[i]));
  }
}
