// Rows that begin anywhere, and short rows, on any GPU. Arguments as in kernels.cuh; in and out lie equally far past
// a multiple of 16 bytes.
//
// What lies outside of whole packs is taken value by value, a thread each.

#include "rows.cuh"
#include "anywhere.cuh"
#include "short_anywhere.cuh"

// A row for each block, then another one: block b takes rows b, b + blocks, … A row has at most blockDim.x * kPacks
// whole packs; blockDim.x: a multiple of 32, to 512. Dynamic shared memory: blockDim.x * 2 * kPacks packs, for weights and
// biases.
//
// Rows of one block begin at the same place of a pack, so weights and biases, which do not, are cut to fit once. The next
// row is on its way while one is normalized.
template <class T, int kPacks>
__global__ void __launch_bounds__(512, 2)
layer_norm_anywhere(const T* in, const T* weight, const T* bias, T* out, long long rows, int columns, float epsilon) {
  extern __shared__ uint4 shared_packs[];
  __shared__ float warp_sums[32];
  __shared__ float warp_squares[32];
  Pack<T>* const weights = reinterpret_cast<Pack<T>*>(shared_packs);
  Pack<T>* const biases = weights + kPacks * blockDim.x;
  const int blocks = in_turns<T>(gridDim.x);
  if (blockIdx.x >= blocks) return;
  Piece<T, kPacks> next;
  T edge_weight = narrowed<T>(0.0f);
  T edge_bias = narrowed<T>(0.0f);
  int head = -1;
  load_piece(next, in + blockIdx.x * (long long)columns, columns);
  for (long long number = blockIdx.x; number < rows; number += blocks) {
    Piece<T, kPacks> piece = next;
    T* const result = out + number * columns;
    const Cut cut = cut_of(result, columns);
    const int column = edge_column<T>(cut, columns);
    if (cut.head != head) {
      edge_weight = keep_weights<T, kPacks>(weights, weight, cut, columns);
      edge_bias = keep_weights<T, kPacks>(biases, bias, cut, columns);
    }
    head = cut.head;
    float sum = widened(piece.edge);
#pragma unroll
    for (int p = 0; p < kPacks; ++p) sum = add_values(sum, piece.packs[p]);
    if (number + blocks < rows) load_piece(next, in + (number + blocks) * columns, columns);
    sum = blockDim.x == 32 ? warp_sum(sum) : block_sum(sum, warp_sums);
    const float mean = sum / (float)columns;
    const float deviation = column >= 0 ? widened(piece.edge) - mean : 0.0f;
    float squares = deviation * deviation;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      keep_packed<T>(piece.packs[p]);
      if (p * blockDim.x + threadIdx.x < cut.packs) squares = add_squares(squares, piece.packs[p], mean);
    }
    squares = blockDim.x == 32 ? warp_sum(squares) : block_sum(squares, warp_squares);
    const float scale = scale_of(squares / (float)columns, epsilon);
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const int index = p * blockDim.x + threadIdx.x;
      keep_packed<T>(piece.packs[p]);
      if (index < cut.packs) {
        reinterpret_cast<Pack<T>*>(result + cut.head)[index] =
            normalized(piece.packs[p], mean, scale, kept_pack(weights, index), kept_pack(biases, index));
      }
    }
    if (column >= 0) result[column] = normalized(piece.edge, mean, scale, edge_weight, edge_bias);
  }
}

// A block for each row, of any length: compared with layer_norm_anywhere the row is read twice. Each pack's moments are
// taken in registers, and merged into those of the packs before. blockDim.x is a multiple of 32, at most 1024.
template <class T>
__global__ void __launch_bounds__(1024) layer_norm_anywhere_two_reads(const T* in, const T* weight, const T* bias, T* out,
                                                                      int columns, float epsilon) {
  constexpr int kPack = kPackOf<T>;
  __shared__ float counts[32];
  __shared__ float means[32];
  __shared__ float m2s[32];
  const int threads = blockDim.x;
  const T* row = in + (long long)blockIdx.x * columns;
  T* result = out + (long long)blockIdx.x * columns;
  const Cut cut = cut_of(row, columns);
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
        normalized(pack_at(row + cut.head, i), moments.mean, scale, weights_at(weight, first, columns),
                   weights_at(bias, first, columns));
  }
  if (column >= 0) result[column] = normalized(row[column], moments.mean, scale, weight[column], bias[column]);
}

// ---- Short rows ------------------------------------------------------------------------------------------------

// Short whole rows: `lanes` neighbouring lanes take a row, a power of two of them, so that hardly one is left over. A
// row has at most lanes * kPacks packs; blockDim.x is a multiple of 32, at most 256. Compared with
// layer_norm_row_a_warp: more rows a warp.
template <class T, int kPacks>
__global__ void __launch_bounds__(256) layer_norm_short_rows(const T* in, const T* weight, const T* bias, T* out,
                                                             long long rows, int columns, float epsilon, int lanes) {
  const long long number = blockIdx.x * (long long)(blockDim.x / lanes) + threadIdx.x / lanes;
  auto row = row_at<true>(in, out, number, rows, columns, threadIdx.x % lanes, lanes);
  if (number >= rows) row.end = 0;   // nothing to load or store, but a part in the shuffles
  Held<T, kPacks> held;
  float sum = load_row<T, kPacks>(row, weight, bias, held);
  sum = group_sum(sum, lanes);
  const float mean = sum / (float)columns;
  float squares = squares_of<T, kPacks>(row, held, mean);
  squares = group_sum(squares, lanes);
  store_row<T, kPacks>(row, weight, bias, held, mean, scale_of(squares / (float)columns, epsilon));
}
