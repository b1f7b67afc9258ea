// Rows that begin anywhere, and short rows, on any GPU. Arguments as in kernels.cuh; in and out lie equally far past
// a multiple of 16 bytes.
//
// What lies outside of whole packs is taken value by value, a thread each.

#include "rows.cuh"
#include "anywhere.cuh"

// ---- Short rows that begin anywhere: many a block, by way of shared memory ----------------------------------------

// The sum of `lanes` neighbouring lanes, a power of two up to 32, in each of them. All lanes of the warp take part.
__device__ __forceinline__ float group_sum(float value, int lanes) {
  for (int lane_mask = lanes / 2; lane_mask > 0; lane_mask /= 2) {
    value += __shfl_xor_sync(kFullWarp, value, lane_mask);
  }
  return value;
}

// Weights or biases as words, once for each place in a word at which a row may begin: copy `p` is that of rows that
// begin with value number p of a word. Each has words_a_row words.
template <class T>
__device__ __forceinline__ void keep_words(T* kept, const T* weight, int columns, int words_a_row) {
  const int values = words_a_row * kValuesOfWord<T>;
  for (int i = threadIdx.x; i < values * kValuesOfWord<T>; i += blockDim.x) {
    const int column = i % values - i / values;
    kept[i] = column >= 0 && column < columns ? weight[column] : narrowed<T>(0.0f);
  }
}

// `lanes` neighbouring lanes take a row, a power of two of them; each has kWords neighbouring words of it, an odd number:
// lanes then read different banks. A warp takes lots of 32 / lanes * kRows rows, which follow each other in memory: one
// lot, and then others, by as many blocks as run at once. blockDim.x: a multiple of 32. Dynamic shared memory, in packs
// of 16 bytes: for each warp a lot and two more packs; then 2 * kValuesOfWord<T> vectors of words_a_row words.
//
// Compared with layer_norm_short_rows: rows that begin anywhere. A lot begins and ends anywhere, too, but what lies
// between is whole packs: 16 bytes a load and a store, by way of shared memory. The next lot is on its way while one is
// normalized.
template <class T, int kWords, int kRows>
__global__ void __launch_bounds__(128, kWords > 7 ? 6 : 8)
    layer_norm_short_anywhere(const T* in, const T* weight, const T* bias, T* out, long long rows, int columns,
                              float epsilon, int lanes) {
  constexpr int kWord = kValuesOfWord<T>;
  constexpr int kPacks = kWords * kRows / 4 + 1;   // a lane, of all rows of a warp
  extern __shared__ uint4 shared_packs[];
  const int groups = 32 / lanes;   // rows at a time
  const int lot = kRows * groups;
  const int words_a_row = (columns + kWord - 2) / kWord + 1;
  const int room = (lot * columns + kPackOf<T> - 1) / kPackOf<T> + 2;
  uint4* const packs = shared_packs + threadIdx.x / 32 * room;
  T* const kept = reinterpret_cast<T*>(shared_packs + blockDim.x / 32 * room);
  keep_words(kept, weight, columns, words_a_row);
  keep_words(kept + kWord * kWord * words_a_row, bias, columns, words_a_row);
  __syncthreads();
  const int thread = threadIdx.x % 32;
  const int group = thread / lanes;
  const int first_word = thread % lanes * kWords;
  const unsigned* const weights = reinterpret_cast<const unsigned*>(kept) + first_word;
  const unsigned* const biases = weights + kWord * words_a_row;
  const long long step = gridDim.x * (long long)(blockDim.x / 32) * lot;
  long long first = (blockIdx.x * (long long)(blockDim.x / 32) + threadIdx.x / 32) * lot;
  const float part = 1.0f / (float)columns;
  // How a lot lies in memory, this thread's value before or after its whole packs, and what it loads.
  struct Next {
    Cut cut;
    int edge_place;
    T edge;
    uint4 packs[kPacks];
  } next;
  const auto load = [&](long long first) {
    const T* const from = in + first * columns;
    const int values = (rows - first < lot ? (int)(rows - first) : lot) * columns;
    next.cut = cut_of(from, values);
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const int index = p * 32 + thread;
      if (index < next.cut.packs) next.packs[p] = reinterpret_cast<const uint4*>(from + next.cut.head)[index];
    }
    const int behind = thread - kPackOf<T>;
    next.edge_place = thread < next.cut.head                   ? thread
                       : behind >= 0 && behind < next.cut.tail ? values - next.cut.tail + behind
                                                               : -1;
    if (next.edge_place >= 0) next.edge = from[next.edge_place];
  };
  if (first < rows) load(first);
  for (; first < rows; first += step) {
    T* const to = out + first * columns;
    const Cut cut = next.cut;
    const int edge_place = next.edge_place;
    const int before = cut.head > 0 ? 1 : 0;   // the pack in which the lot begins
    const int shift = before * (kPackOf<T> - cut.head);
    T* const staged = reinterpret_cast<T*>(packs) + shift;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      if (p * 32 + thread < cut.packs) packs[before + p * 32 + thread] = next.packs[p];
    }
    if (edge_place >= 0) staged[edge_place] = next.edge;
    __syncwarp();
    if (first + step < rows) load(first + step);

#pragma unroll 1
    for (int turn = 0; turn < kRows; ++turn) {
      const int start = shift + (turn * groups + group) * columns;
      const int place = start % kWord;   // of the row in its first word
      unsigned* const row = reinterpret_cast<unsigned*>(packs) + start / kWord + first_word;
      const int column = first_word * kWord - place;   // of this thread's first value
      const int inside = first + turn * groups + group < rows ? columns - column : 0;   // values from there on
      const bool begins = column >= 0;
      float held[kWords * kWord];
      float sum = 0.0f;
#pragma unroll
      for (int k = 0; k < kWords; ++k) {
        const float2 pair = widened_word<T>(k * kWord < inside ? row[k] : 0u);
        held[k * kWord] = k > 0 || begins ? pair.x : 0.0f;
        sum += held[k * kWord];
        if (kWord > 1) {
          held[k * kWord + kWord - 1] = k * kWord + 1 < inside ? pair.y : 0.0f;
          sum += held[k * kWord + kWord - 1];
        }
      }
      const float mean = group_sum(sum, lanes) * part;
      float squares = 0.0f;
#pragma unroll
      for (int k = 0; k < kWords; ++k) {
        const float low = held[k * kWord] - mean;
        if (k * kWord < inside && (k > 0 || begins)) squares = fmaf(low, low, squares);
        if (kWord > 1) {
          const float high = held[k * kWord + kWord - 1] - mean;
          if (k * kWord + 1 < inside) squares = fmaf(high, high, squares);
        }
      }
      squares = group_sum(squares, lanes);
      const float scale = scale_of(squares * part, epsilon);
      __syncwarp();
#pragma unroll
      for (int k = 0; k < kWords; ++k) {
        if (k * kWord < inside) {
          const float2 factors = widened_word<T>(weights[place * words_a_row + k]);
          const float2 terms = widened_word<T>(biases[place * words_a_row + k]);
          const float low = normalized(held[k * kWord], mean, scale, factors.x, terms.x);
          if (kWord == 1) {
            row[k] = __float_as_uint(low);
          } else {
            const float high = normalized(held[k * kWord + kWord - 1], mean, scale, factors.y, terms.y);
            unsigned both = 0;
            T* const results = reinterpret_cast<T*>(&both);
            narrow_pair<T>(make_float2(low, high), results);
            T* const places = reinterpret_cast<T*>(row + k);
            if ((k > 0 || begins) && k * kWord + 1 < inside) {
              row[k] = both;
            } else if (k > 0 || begins) {
              places[0] = results[0];
            } else {
              places[kWord - 1] = results[kWord - 1];
            }
          }
        }
      }
      __syncwarp();
    }
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      if (p * 32 + thread < cut.packs) {
        reinterpret_cast<uint4*>(to + cut.head)[p * 32 + thread] = packs[before + p * 32 + thread];
      }
    }
    if (edge_place >= 0) to[edge_place] = staged[edge_place];
    __syncwarp();
  }
}

// ---- Rows that begin anywhere, a block for each -------------------------------------------------------------------

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

// ---- Short whole rows ---------------------------------------------------------------------------------------------

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
