// The fast routes: each row is read from global memory once, 16 bytes a load, where it has room on the chip. Which
// route is best depends on the length of a row alone. Arguments as in kernels.cuh; weight and bias begin at a multiple
// of 16 bytes.

// ---- Rows that begin at a multiple of 16 bytes, and hold whole packs ------------------------------------------------

// A warp for each row, several rows a block: no shared memory and no barrier. A row lies in at most 32 * kPacks packs;
// blockDim.x is a multiple of 32.
template <class T, int kPacks>
__global__ void __launch_bounds__(512) layer_norm_row_a_warp(const T* in, const T* weight, const T* bias, T* out,
                                                             long long rows, int columns, float epsilon) {
  const int lane = threadIdx.x % 32;
  const int packs = columns / kPackOf<T>;
  const long long number = (long long)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (number >= rows) return;   // the whole warp
  Held<T, kPacks> held;
  float sum = load_row(in + number * columns, weight, bias, packs, lane, 32, held);
  sum = warp_sum(sum);
  const float mean = sum / (float)columns;
  float squares = squares_of(packs, lane, 32, held, mean);
  squares = warp_sum(squares);
  const float scale = scale_of(squares / (float)columns, epsilon);
  store_row(out + number * columns, packs, lane, 32, held, mean, scale);
}

// A block for each row, in at most blockDim.x * kPacks packs; blockDim.x: a multiple of 32, to 1024, of 16 bits to 512.
// Compared with layer_norm_row_a_warp: longer rows, for two barriers.
template <class T, int kPacks>
__global__ void __launch_bounds__(sizeof(T) == 4 ? 1024 : 512)
layer_norm_registers(const T* in, const T* weight, const T* bias, T* out, int columns, float epsilon) {
  __shared__ float warp_sums[32];
  __shared__ float warp_squares[32];
  const int thread = threadIdx.x;
  const int threads = blockDim.x;
  const int packs = columns / kPackOf<T>;
  const long long start = blockIdx.x * (long long)columns;
  Held<T, kPacks> held;
  float sum = load_row(in + start, weight, bias, packs, thread, threads, held);
  sum = block_sum(sum, warp_sums);
  const float mean = sum / (float)columns;
  float squares = squares_of(packs, thread, threads, held, mean);
  squares = block_sum(squares, warp_squares);
  const float scale = scale_of(squares / (float)columns, epsilon);
  store_row(out + start, packs, thread, threads, held, mean, scale);
}

// ---- Rows that begin anywhere --------------------------------------------------------------------------------------

// A row for each block, then another one: block b takes rows b, b + blocks, … A row has at most blockDim.x * kPacks
// whole packs; blockDim.x: a multiple of 32, to 512. in and out lie equally far past a multiple of 16 bytes. Dynamic
// shared memory: blockDim.x * 2 * kPacks packs.
template <class T, int kPacks>
__global__ void __launch_bounds__(512, 2)
layer_norm_anywhere(const T* in, const T* weight, const T* bias, T* out, long long rows, int columns, float epsilon) {
  extern __shared__ uint4 kept[];
  __shared__ float warp_sums[32];
  __shared__ float warp_squares[32];
  const int blocks = in_turns<T>(gridDim.x);
  if (blockIdx.x >= blocks) return;
  const auto join = [](const Moments& moments, const Cut&, int) { return moments; };
  normalize_rows<T, kPacks>(in, weight, bias, out, rows, columns, epsilon, blockIdx.x, blocks, 0, 1,
                            reinterpret_cast<Pack<T>*>(kept), warp_sums, warp_squares, join);
}

// A block for each row, of any length that begins anywhere: compared with the others the row is read twice. Each pack's
// moments are taken in registers, and merged into those of the packs before. blockDim.x is a multiple of 32, at most
// 1024. in and out lie equally far past a multiple of 16 bytes.
template <class T>
__global__ void __launch_bounds__(1024) layer_norm_two_reads(const T* in, const T* weight, const T* bias, T* out,
                                                             int columns, float epsilon) {
  constexpr int kPack = kPackOf<T>;
  __shared__ float counts[32];
  __shared__ float means[32];
  __shared__ float m2s[32];
  const int threads = blockDim.x;
  const T* row = in + (long long)blockIdx.x * columns;
  T* result = out + (long long)blockIdx.x * columns;
  const Cut cut = cut_of(row, columns, 0, 1);
  const int column = edge_column<T>(cut, columns);
  Moments moments = {0.0f, 0.0f, 0.0f};
  if (column >= 0) moments = with_value(moments, widened(row[column]));
#pragma unroll 4
  for (int i = threadIdx.x; i < cut.packs; i += threads) {
    const Pack<T> pack = pack_at(row + cut.head, i);
    Moments of_pack = {(float)kPack, 0.0f, 0.0f};
    of_pack.mean = add_values(0.0f, pack) * (1.0f / kPack);
    of_pack.m2 = add_squares(0.0f, pack, of_pack.mean);
    moments = merge(moments, of_pack);
  }
  moments = block_merge(moments, counts, means, m2s);
  const float scale = scale_of(moments.m2 / (float)columns, epsilon);
#pragma unroll 4
  for (int i = threadIdx.x; i < cut.packs; i += threads) {
    const int first = cut.head + i * kPack;
    reinterpret_cast<Pack<T>*>(result + cut.head)[i] =
        normalized(pack_at(row + cut.head, i), moments.mean, scale, pack_from(weight, first, columns),
                   pack_from(bias, first, columns));
  }
  if (column >= 0) result[column] = normalized(row[column], moments.mean, scale, weight[column], bias[column]);
}
