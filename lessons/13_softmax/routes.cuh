// The fast routes: each row is read from global memory once, 16 bytes a load, where it has room on the chip. Which
// route is best depends on the length of a row alone. A row that does not begin at a multiple of 16 bytes, or does not
// hold whole packs, is read and written value by value instead, by the same kernels.
//
// in, out, columns as in kernels.cuh. With __expf, right to (2 + 1.2 |x|) * 2^-23, the relative error is (6.8 d + 10 +
// k) u to first order (softmax_two_reads: 4 k), and that of narrowing.

// A warp for each row, kBlock / 32 rows a block: no shared memory and no barrier. columns is at most 32 * kPacks
// packs.
template <class T, int kBlock, int kPacks>
__global__ void __launch_bounds__(kBlock) softmax_row_a_warp(const T* in, T* out, long long rows, int columns) {
  constexpr int kHeld = kPacks * kPackOf<T>;
  const int lane = threadIdx.x % 32;
  const long long number = (long long)blockIdx.x * (kBlock / 32) + threadIdx.x / 32;
  if (number >= rows) return;   // the whole warp
  const T* row = in + number * columns;
  T* result = out + number * columns;
  const bool packed = in_packs(row, columns) && in_packs(result, columns);
  float held[kHeld];
  load_row<T, 32, kPacks>(row, columns, lane, packed, held);
  float largest = largest_of<kHeld>(held);
  largest = max_xor<32>(largest);
  float sum = exponentials<kHeld>(held, largest);
  sum = sum_xor<32>(sum);
  store_row<T, 32, kPacks>(result, columns, lane, packed, held, 1.0f / sum);
}

// A block for each row. columns is at most kBlock * kPacks packs. Compared with softmax_row_a_warp: longer rows, for
// two barriers.
template <class T, int kBlock, int kPacks>
__global__ void __launch_bounds__(kBlock) softmax_registers(const T* in, T* out, int columns) {
  constexpr int kHeld = kPacks * kPackOf<T>;
  __shared__ float warp_maxima[kBlock / 32];
  __shared__ float warp_sums[kBlock / 32];
  const int thread = threadIdx.x;
  const T* row = in + (long long)blockIdx.x * columns;
  T* result = out + (long long)blockIdx.x * columns;
  const bool packed = in_packs(row, columns) && in_packs(result, columns);
  float held[kHeld];
  load_row<T, kBlock, kPacks>(row, columns, thread, packed, held);
  float largest = largest_of<kHeld>(held);
  largest = block_max_of<kBlock>(largest, warp_maxima);
  float sum = exponentials<kHeld>(held, largest);
  sum = block_sum_of<kBlock>(sum, warp_sums);
  store_row<T, kBlock, kPacks>(result, columns, thread, packed, held, 1.0f / sum);
}

// ---- A row in shared memory ------------------------------------------------------------------------------------

// Dynamic shared memory: columns values, rounded up to 16 bytes. Compared with softmax_registers: longer rows. A thread
// reads only what it wrote itself, so the copy needs no barrier.
template <class T, int kBlock>
__global__ void __launch_bounds__(kBlock) softmax_shared(const T* in, T* out, int columns) {
  constexpr int kPack = kPackOf<T>;
  extern __shared__ uint4 kept[];
  __shared__ float warp_maxima[kBlock / 32];
  __shared__ float warp_sums[kBlock / 32];
  const T* row = in + (long long)blockIdx.x * columns;
  T* result = out + (long long)blockIdx.x * columns;
  const bool packed = in_packs(row, columns) && in_packs(result, columns);
  const int packs = packed ? columns / kPack : 0;
  const int first = packs * kPack;
  T* kept_values = reinterpret_cast<T*>(kept);
  float largest = -INFINITY;
#pragma unroll 4
  for (int i = threadIdx.x; i < packs; i += kBlock) {
    const uint4 pack = reinterpret_cast<const uint4*>(row)[i];
    kept[i] = pack;
    const T* values = reinterpret_cast<const T*>(&pack);
#pragma unroll
    for (int k = 0; k < kPack; ++k) largest = fmaxf(largest, widened(values[k]));
  }
  for (int i = first + threadIdx.x; i < columns; i += kBlock) {
    const T value = row[i];
    kept_values[i] = value;
    largest = fmaxf(largest, widened(value));
  }
  largest = block_max_of<kBlock>(largest, warp_maxima);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < packs; i += kBlock) {
    const uint4 pack = kept[i];
    const T* values = reinterpret_cast<const T*>(&pack);
#pragma unroll
    for (int k = 0; k < kPack; ++k) sum += __expf(widened(values[k]) - largest);
  }
  for (int i = first + threadIdx.x; i < columns; i += kBlock) {
    sum += __expf(widened(kept_values[i]) - largest);
  }
  sum = block_sum_of<kBlock>(sum, warp_sums);
  const float scale = 1.0f / sum;
  for (int i = threadIdx.x; i < packs; i += kBlock) {
    uint4 pack = kept[i];
    T* values = reinterpret_cast<T*>(&pack);
#pragma unroll
    for (int k = 0; k < kPack; ++k) values[k] = narrowed<T>(__expf(widened(values[k]) - largest) * scale);
    reinterpret_cast<uint4*>(result)[i] = pack;
  }
  for (int i = first + threadIdx.x; i < columns; i += kBlock) {
    result[i] = narrowed<T>(__expf(widened(kept_values[i]) - largest) * scale);
  }
}

// ---- A row that fits nowhere -----------------------------------------------------------------------------------

// Compared with softmax_shared: any length, for reading the row twice. Online: each pack's largest value first, so that
// the sum is rescaled once a pack and not once a value.
template <class T, int kBlock>
__global__ void __launch_bounds__(kBlock) softmax_two_reads(const T* in, T* out, int columns) {
  constexpr int kPack = kPackOf<T>;
  __shared__ float warp_maxima[kBlock / 32];
  __shared__ float warp_sums[kBlock / 32];
  const T* row = in + (long long)blockIdx.x * columns;
  T* result = out + (long long)blockIdx.x * columns;
  const bool packed = in_packs(row, columns) && in_packs(result, columns);
  const int packs = packed ? columns / kPack : 0;
  const int first = packs * kPack;
  MaxSum pair = {-INFINITY, 0.0f};
#pragma unroll 4
  for (int i = threadIdx.x; i < packs; i += kBlock) {
    const uint4 pack = reinterpret_cast<const uint4*>(row)[i];
    const T* values = reinterpret_cast<const T*>(&pack);
    float largest = widened(values[0]);
#pragma unroll
    for (int k = 1; k < kPack; ++k) largest = fmaxf(largest, widened(values[k]));
    largest = fmaxf(largest, pair.max);
    float sum = pair.sum * rescale(pair.max, largest);
#pragma unroll
    for (int k = 0; k < kPack; ++k) sum += rescale(widened(values[k]), largest);
    pair = {largest, sum};
  }
  for (int i = first + threadIdx.x; i < columns; i += kBlock) {
    const float value = widened(row[i]);
    pair = merge(pair, {value, 1.0f});
  }
  pair = block_merge<kBlock>(pair, warp_maxima, warp_sums);
  const float scale = 1.0f / pair.sum;
#pragma unroll 4
  for (int i = threadIdx.x; i < packs; i += kBlock) {
    uint4 pack = reinterpret_cast<const uint4*>(row)[i];
    T* values = reinterpret_cast<T*>(&pack);
#pragma unroll
    for (int k = 0; k < kPack; ++k) values[k] = narrowed<T>(__expf(widened(values[k]) - pair.max) * scale);
    reinterpret_cast<uint4*>(result)[i] = pack;
  }
  for (int i = first + threadIdx.x; i < columns; i += kBlock) {
    result[i] = narrowed<T>(__expf(widened(row[i]) - pair.max) * scale);
  }
}
