// RMS norm of short rows that begin anywhere: many rows a block, by way of shared memory. Arguments as in kernels.cuh;
// in and out lie equally far past a multiple of 16 bytes.

// The sum of `lanes` neighbouring lanes, a power of two up to 32, in each of them. All lanes of the warp take part.
__device__ __forceinline__ float group_sum(float value, int lanes) {
  for (int lane_mask = lanes / 2; lane_mask > 0; lane_mask /= 2) {
    value += __shfl_xor_sync(kFullWarp, value, lane_mask);
  }
  return value;
}

// Weights as words, once for each place in a word at which a row may begin: copy `p` is that of rows that
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
// of 16 bytes: for each warp a lot and two more packs; then kValuesOfWord<T> vectors of words_a_row words.
//
// Compared with rms_norm_short_rows: rows that begin anywhere. A lot begins and ends anywhere, too, but what lies
// between is whole packs: 16 bytes a load and a store, by way of shared memory. The next lot is on its way while one is
// normalized.
template <class T, int kWords, int kRows>
__global__ void __launch_bounds__(128, kWords > 7 ? 6 : 8)
    rms_norm_short_anywhere(const T* in, const T* weight, T* out, long long rows, int columns, float epsilon,
                            int lanes) {
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
  __syncthreads();
  const int thread = threadIdx.x % 32;
  const int group = thread / lanes;
  const int first_word = thread % lanes * kWords;
  const unsigned* const weights = reinterpret_cast<const unsigned*>(kept) + first_word;
  const long long step = gridDim.x * (long long)(blockDim.x / 32) * lot;
  long long first = (blockIdx.x * (long long)(blockDim.x / 32) + threadIdx.x / 32) * lot;
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
      float squares = 0.0f;
#pragma unroll
      for (int k = 0; k < kWords; ++k) {
        const float2 pair = widened_word<T>(k * kWord < inside ? row[k] : 0u);
        held[k * kWord] = k > 0 || begins ? pair.x : 0.0f;
        squares = fmaf(held[k * kWord], held[k * kWord], squares);
        if (kWord > 1) {
          const float high = k * kWord + 1 < inside ? pair.y : 0.0f;
          held[k * kWord + kWord - 1] = high;
          squares = fmaf(high, high, squares);
        }
      }
      squares = group_sum(squares, lanes);
      const float scale = scale_of(squares, columns, epsilon);
      __syncwarp();
#pragma unroll
      for (int k = 0; k < kWords; ++k) {
        if (k * kWord < inside) {
          const float2 factors = widened_word<T>(weights[place * words_a_row + k]);
          const float low = held[k * kWord] * scale * factors.x;
          if (kWord == 1) {
            row[k] = __float_as_uint(low);
          } else {
            const float high = held[k * kWord + kWord - 1] * scale * factors.y;
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
