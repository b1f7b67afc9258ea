// Rows that begin anywhere, and short rows, on any GPU. Arguments as in kernels.cuh; in and out lie equally far past
// a multiple of 16 bytes.
//
// What lies outside of whole packs is taken value by value, a thread each.

#include "rows.cuh"
#include "anywhere.cuh"
#include "short_anywhere.cuh"

// A row for each block, then another one: block b takes rows b, b + blocks, … A row has at most blockDim.x * kPacks
// whole packs; blockDim.x: a multiple of 32, to 512. Dynamic shared memory: blockDim.x * kPacks packs, for weights.
//
// Rows of one block begin at the same place of a pack, so the weights, which do not, are cut to fit once. The next row
// is on its way while one is normalized.
template <class T, int kPacks>
__global__ void __launch_bounds__(512, 2)
rms_norm_anywhere(const T* in, const T* weight, T* out, long long rows, int columns, float epsilon) {
  extern __shared__ uint4 shared_weights[];
  __shared__ float warp_sums[2][32];   // two: a warp may still read the row's before
  Pack<T>* const weights = reinterpret_cast<Pack<T>*>(shared_weights);
  const int blocks = in_turns<T>(gridDim.x);
  if (blockIdx.x >= blocks) return;
  Piece<T, kPacks> next;
  T edge_weight = narrowed<T>(0.0f);
  int head = -1;
  int turn = 0;
  load_piece(next, in + blockIdx.x * (long long)columns, columns);
  for (long long number = blockIdx.x; number < rows; number += blocks, ++turn) {
    Piece<T, kPacks> piece = next;
    T* const result = out + number * columns;
    const Cut cut = cut_of(result, columns);
    if (cut.head != head) edge_weight = keep_weights<T, kPacks>(weights, weight, cut, columns);
    head = cut.head;
    float squares = widened(piece.edge) * widened(piece.edge);
#pragma unroll
    for (int p = 0; p < kPacks; ++p) squares = add_squares(squares, piece.packs[p]);
    if (number + blocks < rows) load_piece(next, in + (number + blocks) * columns, columns);
    squares = blockDim.x == 32 ? warp_sum(squares) : block_sum(squares, warp_sums[turn % 2]);
    const float scale = scale_of(squares, columns, epsilon);
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const int index = p * blockDim.x + threadIdx.x;
      keep_packed<T>(piece.packs[p]);
      if (index < cut.packs) {
        reinterpret_cast<Pack<T>*>(result + cut.head)[index] = normalized(piece.packs[p], scale, kept_pack(weights, index));
      }
    }
    const int column = edge_column<T>(cut, columns);
    if (column >= 0) result[column] = normalized(piece.edge, scale, edge_weight);
  }
}

// A block for each row, of any length: compared with rms_norm_anywhere the row is read twice, and its weights are cut to
// fit for each row. blockDim.x is a multiple of 32, at most 1024.
template <class T>
__global__ void __launch_bounds__(1024)
rms_norm_anywhere_two_reads(const T* in, const T* weight, T* out, int columns, float epsilon) {
  __shared__ float warp_sums[32];
  const int threads = blockDim.x;
  const T* row = in + (long long)blockIdx.x * columns;
  T* result = out + (long long)blockIdx.x * columns;
  const Cut cut = cut_of(row, columns);
  const int column = edge_column<T>(cut, columns);
  float squares = 0.0f;
  if (column >= 0) squares = widened(row[column]) * widened(row[column]);
#pragma unroll 4
  for (int i = threadIdx.x; i < cut.packs; i += threads) squares = add_squares(squares, pack_at(row + cut.head, i));
  squares = block_sum(squares, warp_sums);
  const float scale = scale_of(squares, columns, epsilon);
#pragma unroll 4
  for (int i = threadIdx.x; i < cut.packs; i += threads) {
    const Pack<T> weights = weights_at(weight, cut.head + i * kPackOf<T>, columns);
    reinterpret_cast<Pack<T>*>(result + cut.head)[i] = normalized(pack_at(row + cut.head, i), scale, weights);
  }
  if (column >= 0) result[column] = normalized(row[column], scale, weight[column]);
}

// ---- Short rows ------------------------------------------------------------------------------------------------

// Short whole rows: `lanes` neighbouring lanes take a row, a power of two of them, so that hardly one is left over. A
// row has at most lanes * kPacks packs; blockDim.x is a multiple of 32, at most 256. Compared with rms_norm_row_a_warp:
// more rows a warp.
template <class T, int kPacks>
__global__ void __launch_bounds__(256) rms_norm_short_rows(const T* in, const T* weight, T* out, long long rows,
                                                           int columns, float epsilon, int lanes) {
  const long long number = blockIdx.x * (long long)(blockDim.x / lanes) + threadIdx.x / lanes;
  auto row = row_at<true>(in, out, number, rows, columns, threadIdx.x % lanes, lanes);
  if (number >= rows) row.end = 0;   // nothing to load or store, but a part in the shuffles
  Pack<T> held[kPacks];
  Pack<T> weights[kPacks];
  float squares = load_row<T, kPacks>(row, weight, held, weights);
  squares = group_sum(squares, lanes);
  store_row<T, kPacks>(row, weight, held, weights, scale_of(squares, columns, epsilon));
}
