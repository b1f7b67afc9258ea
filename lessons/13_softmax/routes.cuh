// The fast routes: each row is read from global memory once, 16 bytes a load, where it has room on the chip. Which
// route is best depends on the length of a row alone.
//
// in, out, columns as in kernels.cuh. With __expf, right to (2 + 1.2 |x|) * 2^-23, the relative error is (6.8 d + 10 +
// k) u to first order (softmax_two_reads: 4 k), and that of narrowing.

// ---- Rows that begin at a multiple of 16 bytes, and hold whole packs ------------------------------------------------

// A warp for each row, kBlock / 32 rows a block: no shared memory and no barrier. A row has at most 32 * kPacks packs.
template <class T, int kBlock, int kPacks>
__global__ void __launch_bounds__(kBlock) softmax_row_a_warp(const T* in, T* out, long long rows, int columns) {
  constexpr int kHeld = kPacks * kPackOf<T>;
  const int lane = threadIdx.x % 32;
  const int packs = columns / kPackOf<T>;
  const long long number = (long long)blockIdx.x * (kBlock / 32) + threadIdx.x / 32;
  if (number >= rows) return;   // the whole warp
  float held[kHeld];
  load_row<T, 32, kPacks>(in + number * columns, packs, lane, held);
  float largest = largest_of<kHeld>(held);
  largest = max_xor<32>(largest);
  float sum = exponentials<kHeld>(held, largest);
  sum = sum_xor<32>(sum);
  store_row<T, 32, kPacks>(out + number * columns, packs, lane, held, 1.0f / sum);
}

// A block for each row, of at most kBlock * kPacks packs. Compared with softmax_row_a_warp: longer rows, for two
// barriers.
template <class T, int kBlock, int kPacks>
__global__ void __launch_bounds__(kBlock) softmax_registers(const T* in, T* out, int columns) {
  constexpr int kHeld = kPacks * kPackOf<T>;
  __shared__ float warp_maxima[kBlock / 32];
  __shared__ float warp_sums[kBlock / 32];
  const int thread = threadIdx.x;
  const int packs = columns / kPackOf<T>;
  const long long start = blockIdx.x * (long long)columns;
  float held[kHeld];
  load_row<T, kBlock, kPacks>(in + start, packs, thread, held);
  float largest = largest_of<kHeld>(held);
  largest = block_max<kBlock>(largest, warp_maxima);
  float sum = exponentials<kHeld>(held, largest);
  sum = block_sum<kBlock>(sum, warp_sums);
  store_row<T, kBlock, kPacks>(out + start, packs, thread, held, 1.0f / sum);
}

// ---- A row in shared memory ------------------------------------------------------------------------------------

// Rows as above. Dynamic shared memory: columns values. Compared with softmax_registers: longer rows. A thread reads
// only what it wrote itself, so the copy needs no barrier.
template <class T, int kBlock>
__global__ void __launch_bounds__(kBlock) softmax_shared(const T* in, T* out, int columns) {
  constexpr int kPack = kPackOf<T>;
  extern __shared__ uint4 kept[];
  __shared__ float warp_maxima[kBlock / 32];
  __shared__ float warp_sums[kBlock / 32];
  const T* row = in + (long long)blockIdx.x * columns;
  T* result = out + (long long)blockIdx.x * columns;
  const int packs = columns / kPack;
  float largest = -INFINITY;
#pragma unroll 4
  for (int i = threadIdx.x; i < packs; i += kBlock) {
    const uint4 pack = reinterpret_cast<const uint4*>(row)[i];
    kept[i] = pack;
    const T* values = reinterpret_cast<const T*>(&pack);
#pragma unroll
    for (int k = 0; k < kPack; ++k) largest = fmaxf(largest, widened(values[k]));
  }
  largest = block_max<kBlock>(largest, warp_maxima);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < packs; i += kBlock) {
    const uint4 pack = kept[i];
    const T* values = reinterpret_cast<const T*>(&pack);
#pragma unroll
    for (int k = 0; k < kPack; ++k) sum += __expf(widened(values[k]) - largest);
  }
  sum = block_sum<kBlock>(sum, warp_sums);
  const float scale = 1.0f / sum;
  for (int i = threadIdx.x; i < packs; i += kBlock) {
    uint4 pack = kept[i];
    T* values = reinterpret_cast<T*>(&pack);
#pragma unroll
    for (int k = 0; k < kPack; ++k) values[k] = narrowed<T>(__expf(widened(values[k]) - largest) * scale);
    reinterpret_cast<uint4*>(result)[i] = pack;
  }
}

// ---- Rows that begin anywhere ----------------------------------------------------------------------------------

// A row for each block, then another one: block b takes rows b, b + blocks, … A row has at most blockDim.x * kPacks
// whole packs; blockDim.x: a multiple of 32, to 512. in and out lie equally far past a multiple of 16 bytes.
template <class T, int kPacks>
__global__ void __launch_bounds__(512) softmax_anywhere(const T* in, T* out, long long rows, int columns) {
  __shared__ float warp_maxima[32];
  __shared__ float warp_sums[32];
  const auto join = [](const MaxSum& pair, int) { return pair; };
  softmax_rows<T, kPacks>(in, out, rows, columns, blockIdx.x, gridDim.x, 0, 1, warp_maxima, warp_sums, join);
}

// A block for each row, of any length: compared with the others the row is read twice. Online: each pack's largest value
// first, so that the sum is rescaled once a pack and not once a value. in and out lie equally far past a multiple of 16
// bytes.
template <class T, int kBlock>
__global__ void __launch_bounds__(kBlock) softmax_two_reads(const T* in, T* out, int columns) {
  constexpr int kPack = kPackOf<T>;
  __shared__ float warp_maxima[kBlock / 32];
  __shared__ float warp_sums[kBlock / 32];
  const T* row = in + (long long)blockIdx.x * columns;
  T* result = out + (long long)blockIdx.x * columns;
  const Cut cut = cut_of(row, columns, 0, 1);
  const int column = edge_column<T>(cut, columns);
  MaxSum pair = {-INFINITY, 0.0f};
  if (column >= 0) pair = {widened(row[column]), 1.0f};
#pragma unroll 4
  for (int i = threadIdx.x; i < cut.packs; i += kBlock) {
    const Pack<T> pack = pack_at(row + cut.head, i);
    float largest = widened(pack.values[0]);
#pragma unroll
    for (int k = 1; k < kPack; ++k) largest = fmaxf(largest, widened(pack.values[k]));
    largest = fmaxf(largest, pair.max);
    float sum = pair.sum * rescale(pair.max, largest);
#pragma unroll
    for (int k = 0; k < kPack; ++k) sum += rescale(widened(pack.values[k]), largest);
    pair = {largest, sum};
  }
  pair = block_merge<kBlock>(pair, warp_maxima, warp_sums);
  const float scale = 1.0f / pair.sum;
#pragma unroll 4
  for (int i = threadIdx.x; i < cut.packs; i += kBlock) {
    Pack<T> pack = pack_at(row + cut.head, i);
#pragma unroll
    for (int k = 0; k < kPack; ++k) pack.values[k] = narrowed<T>(__expf(widened(pack.values[k]) - pair.max) * scale);
    reinterpret_cast<Pack<T>*>(result + cut.head)[i] = pack;
  }
  if (column >= 0) result[column] = narrowed<T>(__expf(widened(row[column]) - pair.max) * scale);
}
