// The fast routes: each row is read from global memory once, 16 bytes a load, where it has room on the chip. Which
// route is best depends on the length of a row alone. Arguments as in kernels.cuh; weight begins at a multiple of 16
// bytes.

// ---- Rows that begin at a multiple of 16 bytes, and hold whole packs ------------------------------------------------

// A warp for each row, several rows a block: no shared memory and no barrier. A row lies in at most 32 * kPacks packs;
// blockDim.x is a multiple of 32.
template <class T, int kPacks>
__global__ void __launch_bounds__(512) rms_norm_row_a_warp(const T* in, const T* weight, T* out, long long rows,
                                                           int columns, float epsilon) {
  const int lane = threadIdx.x % 32;
  const int packs = columns / kPackOf<T>;
  const long long number = (long long)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (number >= rows) return;   // the whole warp
  Pack<T> held[kPacks];
  Pack<T> weights[kPacks];
  float squares = load_row<T, kPacks>(in + number * columns, weight, packs, lane, 32, held, weights);
  squares = warp_sum(squares);
  const float scale = scale_of(squares, columns, epsilon);
  store_row<T, kPacks>(out + number * columns, packs, lane, 32, held, weights, scale);
}

// A block for each row, in at most blockDim.x * kPacks packs; blockDim.x: a multiple of 32, to 1024, of 16 bits to 512.
// Compared with rms_norm_row_a_warp: longer rows, for one barrier.
template <class T, int kPacks>
__global__ void __launch_bounds__(sizeof(T) == 4 ? 1024 : 512)
rms_norm_registers(const T* in, const T* weight, T* out, int columns, float epsilon) {
  __shared__ float warp_sums[32];
  const int thread = threadIdx.x;
  const int threads = blockDim.x;
  const int packs = columns / kPackOf<T>;
  const long long start = blockIdx.x * (long long)columns;
  Pack<T> held[kPacks];
  Pack<T> weights[kPacks];
  float squares = load_row<T, kPacks>(in + start, weight, packs, thread, threads, held, weights);
  squares = block_sum(squares, warp_sums);
  const float scale = scale_of(squares, columns, epsilon);
  store_row<T, kPacks>(out + start, packs, thread, threads, held, weights, scale);
}

// ---- Rows that begin anywhere --------------------------------------------------------------------------------------

// A row for each block, then another one: block b takes rows b, b + blocks, … A row has at most blockDim.x * kPacks
// whole packs; blockDim.x: a multiple of 32, to 512. in and out lie equally far past a multiple of 16 bytes. Dynamic
// shared memory: blockDim.x * kPacks packs.
template <class T, int kPacks>
__global__ void __launch_bounds__(512, 2)
rms_norm_anywhere(const T* in, const T* weight, T* out, long long rows, int columns, float epsilon) {
  extern __shared__ uint4 kept[];
  __shared__ float warp_sums[2][32];   // two: a warp may still read the row's before
  const int blocks = in_turns<T>(gridDim.x);
  if (blockIdx.x >= blocks) return;
  const auto join = [&](float squares, int turn) { return block_sum(squares, warp_sums[turn % 2]); };
  normalize_rows<T, kPacks>(in, weight, out, rows, columns, epsilon, blockIdx.x, blocks, 0, 1,
                            reinterpret_cast<Pack<T>*>(kept), join);
}

// A block for each row, of any length that begins anywhere: compared with the others the row is read twice. blockDim.x
// is a multiple of 32, at most 1024. in and out lie equally far past a multiple of 16 bytes.
template <class T>
__global__ void __launch_bounds__(1024) rms_norm_two_reads(const T* in, const T* weight, T* out, int columns,
                                                           float epsilon) {
  __shared__ float warp_sums[32];
  const int threads = blockDim.x;
  const T* row = in + (long long)blockIdx.x * columns;
  T* result = out + (long long)blockIdx.x * columns;
  const Cut cut = cut_of(row, columns, 0, 1);
  const int column = edge_column<T>(cut, columns);
  float squares = 0.0f;
  if (column >= 0) squares = widened(row[column]) * widened(row[column]);
#pragma unroll 4
  for (int i = threadIdx.x; i < cut.packs; i += threads) squares = add_squares(squares, pack_at(row + cut.head, i));
  squares = block_sum(squares, warp_sums);
  const float scale = scale_of(squares, columns, epsilon);
#pragma unroll 4
  for (int i = threadIdx.x; i < cut.packs; i += threads) {
    const Pack<T> weights = pack_from(weight, cut.head + i * kPackOf<T>, columns);
    reinterpret_cast<Pack<T>*>(result + cut.head)[i] = normalized(pack_at(row + cut.head, i), scale, weights);
  }
  if (column >= 0) result[column] = normalized(row[column], scale, weight[column]);
}
