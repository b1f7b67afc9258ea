// Rows that begin anywhere, and short rows, on any GPU. Arguments as in kernels.cuh; in and out lie equally far past
// a multiple of 16 bytes.
//
// What lies outside of whole packs is taken value by value, a thread each.

#include "rows.cuh"
#include "anywhere.cuh"
#include "short_anywhere.cuh"

// A row for each block, then another one: block b takes rows b, b + blocks, … A row has at most blockDim.x * kPacks
// whole packs; blockDim.x: a multiple of 32, to 512. The next row is on its way while one is worked on.
template <class T, int kPacks>
__global__ void __launch_bounds__(512) softmax_anywhere(const T* in, T* out, long long rows, int columns) {
  constexpr int kPack = kPackOf<T>;
  constexpr int kHeld = kPacks * kPack + 1;   // the last one: of head or tail
  __shared__ float warp_maxima[32];
  __shared__ float warp_sums[32];
  Piece<T, kPacks> next;
  load_piece(next, in + blockIdx.x * (long long)columns, columns);
  for (long long number = blockIdx.x; number < rows; number += gridDim.x) {
    T* const result = out + number * columns;
    const Cut cut = cut_of(result, columns);
    float held[kHeld];
#pragma unroll
    for (int k = 0; k < kHeld - 1; ++k) held[k] = widened(next.packs[k / kPack].values[k % kPack]);
    held[kHeld - 1] = widened(next.edge);
    if (number + gridDim.x < rows) load_piece(next, in + (number + gridDim.x) * columns, columns);
    float largest = largest_of<kHeld>(held);
    largest = block_max(largest, warp_maxima);
    float sum = exponentials<kHeld>(held, largest);
    sum = block_sum(sum, warp_sums);
    const float scale = 1.0f / sum;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const int index = p * blockDim.x + threadIdx.x;
      if (index < cut.packs) {
        reinterpret_cast<Pack<T>*>(result + cut.head)[index] = scaled<T>(held + p * kPack, scale);
      }
    }
    const int column = edge_column<T>(cut, columns);
    if (column >= 0) result[column] = narrowed<T>(held[kHeld - 1] * scale);
  }
}

// A block for each row, of any length: compared with softmax_anywhere the row is read twice. Online: each pack's largest
// value first, so that the sum is rescaled once a pack and not once a value.
template <class T, int kBlock>
__global__ void __launch_bounds__(kBlock) softmax_anywhere_two_reads(const T* in, T* out, int columns) {
  constexpr int kPack = kPackOf<T>;
  __shared__ float warp_maxima[kBlock / 32];
  __shared__ float warp_sums[kBlock / 32];
  const T* row = in + (long long)blockIdx.x * columns;
  T* result = out + (long long)blockIdx.x * columns;
  const Cut cut = cut_of(row, columns);
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

// ---- Short rows ------------------------------------------------------------------------------------------------

// Short whole rows: `lanes` neighbouring lanes take a row, a power of two of them, so that hardly one is left over. A
// row has at most lanes * kPacks packs; blockDim.x is a multiple of 32, at most 256. Compared with softmax_row_a_warp:
// more rows a warp.
template <class T, int kPacks>
__global__ void __launch_bounds__(256) softmax_short_rows(const T* in, T* out, long long rows, int columns, int lanes) {
  constexpr int kPack = kPackOf<T>;
  constexpr int kHeld = kPacks * kPack;
  const long long number = blockIdx.x * (long long)(blockDim.x / lanes) + threadIdx.x / lanes;
  const int lane = threadIdx.x % lanes;
  const int packs = number < rows ? columns / kPack : 0;   // no row: nothing to load, but a part in the shuffles
  const T* row = in + number * columns;
  T* result = out + number * columns;
  Pack<T> loaded[kPacks];
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    if (p * lanes + lane < packs) loaded[p] = pack_at(row, p * lanes + lane);
  }
  float held[kHeld];
#pragma unroll
  for (int k = 0; k < kHeld; ++k) {
    held[k] = k / kPack * lanes + lane < packs ? widened(loaded[k / kPack].values[k % kPack]) : -INFINITY;
  }
  float largest = largest_of<kHeld>(held);
  largest = group_max(largest, lanes);
  float sum = exponentials<kHeld>(held, largest);
  sum = group_sum(sum, lanes);
  const float scale = 1.0f / sum;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    Pack<T> results;
#pragma unroll
    for (int k = 0; k < kPack; ++k) results.values[k] = narrowed<T>(held[p * kPack + k] * scale);
    if (p * lanes + lane < packs) reinterpret_cast<Pack<T>*>(result)[p * lanes + lane] = results;
  }
}
