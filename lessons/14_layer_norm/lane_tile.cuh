// Layer norm of many rows of a few hundred values: a tile of them in shared memory, a warp for a few of them. GPUs of
// sm_90 and later; not emulated. Arguments as in kernels.cuh; in, out, weight and bias begin at a multiple of 16 bytes.

// Turns the words that this lane has of a vector, each 32nd, into those that begin with the vector's second value and
// not with its first. left: words from this lane's first one on; last: the vector's last value, which follows them.
template <int kWords>
__device__ __forceinline__ void begin_with_second(unsigned (&words)[kWords], int left, unsigned last) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int k = 0; k < kWords; ++k) {
    const unsigned mine = lane == 0 && k + 1 < kWords ? words[k + 1 < kWords ? k + 1 : k] : words[k];
    const unsigned next = __shfl_sync(kFullWarp, mine, (lane + 1) % 32);
    words[k] = __byte_perm(words[k], left - k * 32 == 1 ? last : next, 0x5432);
  }
}

// A block of kWarps warps takes kTogether rows a warp, which lie one after the other; a lane each 32nd word of them, kWords
// at most. kWithin: each second row begins within a word; then each second warp takes those. A multiprocessor has
// registers for kBlocks blocks. Dynamic shared memory: the rows, best whole sectors of 32 bytes.
//
// Compared with layer_norm_row_tile: longer rows, of which few fill a tile. Lanes hold their words, and have those of
// weights and biases once for all rows of a warp. Compared with layer_norm_few_lanes: whole packs come and go, wherever
// rows begin, and weights and biases are asked for before rows are. Mean and variance as there.
//
// Launches overlap. The next kernel is let in at once.
template <class T, int kWarps, bool kWithin, int kWords, int kTogether, int kBlocks>
__global__ void __launch_bounds__(32 * kWarps, kBlocks)
    layer_norm_lane_tile(const T* in, const T* weight, const T* bias, T* out, int rows, int columns, float epsilon) {
  constexpr int kRows = kWarps * kTogether;
  constexpr int kApart = kWithin ? 2 : 1;   // from one row of a warp to its next
  extern __shared__ __align__(128) uint4 tiles[];
  __shared__ unsigned long long arrival;
  cudaTriggerProgrammaticLaunchCompletion();
  const long long first = (long long)blockIdx.x * kRows;
  const int here = rows - first < kRows ? (int)(rows - first) : kRows;
  const Tile<T> tile = {reinterpret_cast<T*>(tiles), here * columns / kPackOf<T>, here * columns % kPackOf<T>};
  const int words = columns / kValuesOfWord<T>;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const bool within = kWithin && warp % 2 == 1;   // its rows begin within a word, and words with their second value
  const int first_row = kWithin ? warp / 2 * (2 * kTogether) + within : warp * kTogether;
  const int apart = kWithin ? columns : words;   // words from one row of the warp to its next
  int left = words - lane;   // of a row, from this lane's first word on
  int first_word = (first_row * columns + within) / kValuesOfWord<T> + lane;
  int single = first_row * columns + (within ? 0 : columns - 1);   // place of the first row's value in no whole word
  cudaGridDependencySynchronize();
  unsigned weights[kWords], biases[kWords];   // asked for before rows, not after them
#pragma unroll
  for (int k = 0; k < kWords; ++k) {
    weights[k] = biases[k] = 0;
    if (k * 32 >= left) continue;
    weights[k] = reinterpret_cast<const unsigned*>(weight)[k * 32 + lane];
    biases[k] = reinterpret_cast<const unsigned*>(bias)[k * 32 + lane];
  }
  unsigned last_weight = 0, last_bias = 0;
  if (kWithin) {
    last_weight = reinterpret_cast<const unsigned short*>(weight)[columns - 1];
    last_bias = reinterpret_cast<const unsigned short*>(bias)[columns - 1];
  }
  tile.load(in + first * columns, &arrival);
  if (within) {
    begin_with_second(weights, left, last_weight);
    begin_with_second(biases, left, last_bias);
  }
  work_out(left);
  if (kWithin) work_out(single);
  work_out(first_word);
  __syncthreads();
  wait_for(&arrival, 0);
  // In the last tile, what lies behind its rows is worked on as well, and not stored.
  unsigned* const mine = reinterpret_cast<unsigned*>(tiles) + first_word;
  unsigned held[kTogether][kWords];
#pragma unroll
  for (int r = 0; r < kTogether; ++r) {
#pragma unroll
    for (int k = 0; k < kWords; ++k) {
      held[r][k] = 0;
      if (k * 32 < left) held[r][k] = mine[r * apart + k * 32];
    }
  }
  float centres[kTogether], scales[kTogether];   // as in scaled()
  if constexpr (sizeof(T) == 4) {
    __shared__ float unused[kTogether][2];   // rows are a warp's
    float squares[kTogether];
#pragma unroll
    for (int r = 0; r < kTogether; ++r) {
      centres[r] = 0.0f;
#pragma unroll
      for (int k = 0; k < kWords; ++k) centres[r] += __uint_as_float(held[r][k]);
    }
    add_up<32>(centres, unused);
#pragma unroll
    for (int r = 0; r < kTogether; ++r) {
      centres[r] /= (float)columns;
      squares[r] = 0.0f;
#pragma unroll
      for (int k = 0; k < kWords; ++k) {
        const float apart = k * 32 < left ? __uint_as_float(held[r][k]) - centres[r] : 0.0f;
        squares[r] = fmaf(apart, apart, squares[r]);
      }
    }
    add_up<32>(squares, unused);
#pragma unroll
    for (int r = 0; r < kTogether; ++r) scales[r] = scale_of(squares[r] / (float)columns, epsilon);
  } else {
    float sums[2 * kTogether];   // of all rows' values, then of their squares
#pragma unroll
    for (int r = 0; r < kTogether; ++r) {
      sums[r] = 0.0f;
      if (kWithin && lane == 0) sums[r] = widened(tile.values[single + r * kApart * columns]);
      sums[kTogether + r] = sums[r] * sums[r];
#pragma unroll
      for (int k = 0; k < kWords; ++k) {
        const float2 pair = widened_word<T>(held[r][k]);
        sums[r] += pair.x + pair.y;
        sums[kTogether + r] = fmaf(pair.x, pair.x, sums[kTogether + r]);
        sums[kTogether + r] = fmaf(pair.y, pair.y, sums[kTogether + r]);
      }
    }
    const bool near = work_out_rows<32>(sums, columns, epsilon, centres, scales);
    if (!__all_sync(kFullWarp, near)) {   // then in their places, from there
      __shared__ float unused[2][1][2];
#pragma unroll 1
      for (int r = 0; r < kTogether; ++r) {
        const int number = first_row + r * kApart;
        T* const row = tile.values + number * columns;
        put_out_far<32>(row, weight, bias, row, number < here ? columns : 0, epsilon, unused);
      }
      left = 0;   // nothing is to be put out any more
      single = -1;
    }
  }
#pragma unroll
  for (int k = 0; k < kWords; ++k) {
    if (k * 32 >= left) continue;
    const float2 factors = widened_word<T>(weights[k]);
    const float2 terms = widened_word<T>(biases[k]);
#pragma unroll
    for (int r = 0; r < kTogether; ++r) {
      const float2 values = widened_word<T>(held[r][k]);
      mine[r * apart + k * 32] =
          narrowed_word<T>(make_float2(fmaf(scaled<T>(values.x, centres[r], scales[r]), factors.x, terms.x),
                                       fmaf(scaled<T>(values.y, centres[r], scales[r]), factors.y, terms.y)));
    }
  }
  if (kWithin && lane == 0 && single >= 0) {
    const float its_weight = widened(weight[within ? 0 : columns - 1]);
    const float its_bias = widened(bias[within ? 0 : columns - 1]);
#pragma unroll
    for (int r = 0; r < kTogether; ++r) {
      T& value = tile.values[single + r * kApart * columns];
      value = narrowed<T>(fmaf(scaled<T>(widened(value), centres[r], scales[r]), its_weight, its_bias));
    }
  }
  tile.store(out + first * columns);
}
