// Layer norm of many rows of a few hundred values: a tile of them in shared memory, a warp or two for a few of them.
// GPUs of sm_90 and later; not emulated. Arguments as in kernels.cuh; in, out, weight and bias begin at a multiple of 16
// bytes, and the kernel before does not write weight or bias.

// Weights and biases of a word's values, packed as values are.
struct alignas(8) FactorWords {
  unsigned weights;
  unsigned biases;
};

// Weights and biases of a thread's words, kThreads apart, on their way from memory to `kept`.
template <int kWords, int kThreads>
struct FactorWordsOnTheirWay {
  FactorWords words[kWords];

  template <class T>
  __device__ __forceinline__ void load(const T* weight, const T* bias, int count) {
#pragma unroll
    for (int k = 0; k < kWords; ++k) {
      const int place = k * kThreads + threadIdx.x;
      if (place >= count) continue;
      words[k] = {reinterpret_cast<const unsigned*>(weight)[place], reinterpret_cast<const unsigned*>(bias)[place]};
    }
  }
  // Those of a row that begins with a word.
  __device__ __forceinline__ void keep(FactorWords* kept, int count) const {
#pragma unroll
    for (int k = 0; k < kWords; ++k) {
      const int place = k * kThreads + threadIdx.x;
      if (place < count) kept[place] = words[k];
    }
  }
  // Those of a row that begins within a word: its first word is that of the second and third value. `last`: of the last
  // value.
  __device__ __forceinline__ void keep_within(FactorWords* kept, int count, ushort2 last) const {
    ushort2* const halves = reinterpret_cast<ushort2*>(kept);   // of weights, then of biases, of each word
#pragma unroll
    for (int k = 0; k < kWords; ++k) {
      const int place = k * kThreads + threadIdx.x;
      if (place >= count) continue;
      halves[2 * place].x = words[k].weights >> 16;
      halves[2 * place + 1].x = words[k].biases >> 16;
      if (place == 0) continue;
      halves[2 * place - 2].y = words[k].weights;
      halves[2 * place - 1].y = words[k].biases;
    }
    if (threadIdx.x == 0) {
      halves[2 * count - 2].y = last.x;
      halves[2 * count - 1].y = last.y;
    }
  }
};

// The sum of what kChunks warps have, in the same lane of each. sums: shared memory, a place for each of kLanes lanes of
// each warp, which are 32 / kLanes apart. All threads of the block meet.
template <int kChunks, int kLanes>
__device__ __forceinline__ float add_up_chunks(float mine, int chunk, float (&sums)[kChunks][kLanes]) {
  constexpr int kApart = 32 / kLanes;
  const int place = threadIdx.x % 32 / kApart;
  if (threadIdx.x % kApart == 0) sums[chunk][place] = mine;
  __syncthreads();
  float sum = sums[0][place];
#pragma unroll
  for (int c = 1; c < kChunks; ++c) sum += sums[c][place];
  return sum;
}

// A block of kWarps warps. A group of kChunks of them takes kTogether rows; a warp has a chunk of their words, and a
// lane each 32nd word of that, kWords at most. kWithin: each second row begins within a word; then each second group
// takes those. A multiprocessor has registers for kBlocks blocks. Dynamic shared memory: the rows, of 16-bit values 112
// bytes more; then FactorWords of a row's words, twice where rows begin within words.
//
// Compared with layer_norm_row_tile: longer rows, of which few fill a tile. Lanes hold their words, and read those of
// weights and biases once for all rows of a warp. Compared with layer_norm_few_lanes: whole packs come and go, wherever
// rows begin. Mean and variance as there.
//
// A tile of 16-bit values lies as far past a multiple of 128 bytes as it does in global memory: else the copy engine is
// slower. Launches overlap. The next kernel is let in at once. Weights and biases are asked for while the kernel before
// still stores, which does not write them: 34 MB of 1101 halves ran on an H200 at 78 % of a copy's bandwidth so, and at
// 73 where they were asked for after its end (this kernel by itself). Rows wait for it.
template <class T, int kWarps, int kChunks, bool kWithin, int kWords, int kTogether, int kBlocks>
__global__ void __launch_bounds__(32 * kWarps, kBlocks)
    layer_norm_lane_tile(const T* in, const T* weight, const T* bias, T* out, int rows, int columns, float epsilon) {
  static_assert(sizeof(T) == 2 || kChunks == 1, "floats are added up within a warp");
  constexpr int kGroups = kWarps / kChunks;
  constexpr int kRows = kGroups * kTogether;
  constexpr int kApart = kWithin ? 2 : 1;   // from one row of a group to its next
  extern __shared__ __align__(128) uint4 tiles[];
  __shared__ unsigned long long arrival;
  cudaTriggerProgrammaticLaunchCompletion();
  const long long first = (long long)blockIdx.x * kRows;
  const int here = rows - first < kRows ? (int)(rows - first) : kRows;
  const int shift = sizeof(T) == 2 ? reinterpret_cast<size_t>(in + first * columns) % 128 / 16 : 0;
  const Tile<T> tile = {reinterpret_cast<T*>(tiles + shift), here * columns / kPackOf<T>, here * columns % kPackOf<T>};
  FactorWords* const factors = reinterpret_cast<FactorWords*>(tile.values + kRows * columns);
  const int words = columns / kValuesOfWord<T>;
  const int lane = threadIdx.x % 32;
  const int group = threadIdx.x / 32 % kGroups;
  const int chunk = threadIdx.x / 32 / kGroups;
  const bool within = kWithin && group % 2 == 1;   // its rows begin within a word, and words with their second value
  const int first_row = kWithin ? group / 2 * (2 * kTogether) + within : group * kTogether;
  const int apart = kWithin ? columns : words;   // words from one row of the group to its next
  const int first_of_row = chunk * (32 * kWords) + lane;   // of a row's words, this lane's first one
  int left = words - first_of_row;   // from that one on
  int first_word = (first_row * columns + within) / kValuesOfWord<T> + first_of_row;
  const int apart_column = within ? 0 : columns - 1;   // of the value in no whole word
  // Its place in a row of the group: lane r of the first chunk has row r's.
  int single = (first_row + lane % kTogether * kApart) * columns + apart_column;
  const FactorWords* const its_factors = factors + (within ? words : 0) + first_of_row;
  FactorWordsOnTheirWay<(kWords * kChunks + kWarps - 1) / kWarps, 32 * kWarps> on_their_way;
  on_their_way.load(weight, bias, words);
  ushort2 last = {};
  float its_weight = 0.0f, its_bias = 0.0f;   // of the value in no whole word
  if constexpr (kWithin) {
    last.x = reinterpret_cast<const unsigned short*>(weight)[columns - 1];
    last.y = reinterpret_cast<const unsigned short*>(bias)[columns - 1];
    its_weight = widened(weight[apart_column]);
    its_bias = widened(bias[apart_column]);
  }
  cudaGridDependencySynchronize();
  tile.load(in + first * columns, &arrival);
  on_their_way.keep(factors, words);
  if (kWithin) on_their_way.keep_within(factors + words, words, last);
  work_out(left);
  if (kWithin) work_out(single);
  work_out(first_word);
  __syncthreads();
  wait_for(&arrival, 0);
  // In the last tile, what lies behind its rows is worked on as well, and not stored.
  unsigned* const mine = reinterpret_cast<unsigned*>(tile.values) + first_word;
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
    const bool has_single = kWithin && chunk == 0 && lane < kTogether;
    const float value = has_single ? widened(tile.values[single]) : 0.0f;
#pragma unroll
    for (int r = 0; r < kTogether; ++r) {
      sums[r] = kWithin && lane == r ? value : 0.0f;
      sums[kTogether + r] = sums[r] * sums[r];
#pragma unroll
      for (int k = 0; k < kWords; ++k) {
        const float2 pair = widened_word<T>(held[r][k]);
        sums[r] += pair.x + pair.y;
        sums[kTogether + r] = fmaf(pair.x, pair.x, sums[kTogether + r]);
        sums[kTogether + r] = fmaf(pair.y, pair.y, sums[kTogether + r]);
      }
    }
    float sum = add_up_apart<32>(sums);
    if constexpr (kChunks > 1) {
      __shared__ float sums_of_chunks[kGroups][kChunks][2 * kTogether];
      sum = add_up_chunks(sum, chunk, sums_of_chunks[group]);
    }
    const bool near = work_out_rows<32>(sum, columns, epsilon, centres, scales);
    if (!__all_sync(kFullWarp, near)) {   // then in their places, from there, by the first chunk's warp
      __shared__ float unused[2][1][2];
#pragma unroll 1
      for (int r = 0; r < kTogether; ++r) {
        const int number = first_row + r * kApart;
        T* const row = tile.values + number * columns;
        put_out_far<32>(row, weight, bias, row, chunk == 0 && number < here ? columns : 0, epsilon, unused);
      }
      left = 0;   // nothing is to be put out any more
    } else if (kWithin) {
      float centre = centres[0], scale = scales[0];
#pragma unroll
      for (int r = 1; r < kTogether; ++r) {
        if (lane % kTogether != r) continue;
        centre = centres[r];
        scale = scales[r];
      }
      const T result = narrowed<T>(fmaf(scaled<T>(value, centre, scale), its_weight, its_bias));
      if (has_single) tile.values[single] = result;
    }
  }
#pragma unroll
  for (int k = 0; k < kWords; ++k) {
    if (k * 32 >= left) continue;
    const FactorWords both = its_factors[k * 32];
    const float2 factors_of_word = widened_word<T>(both.weights);
    const float2 terms = widened_word<T>(both.biases);
#pragma unroll
    for (int r = 0; r < kTogether; ++r) {
      asm volatile("" : "+r"(held[r][k]));   // kept as it is, not as two floats
      const float2 values = widened_word<T>(held[r][k]);
      mine[r * apart + k * 32] =
          narrowed_word<T>(make_float2(fmaf(scaled<T>(values.x, centres[r], scales[r]), factors_of_word.x, terms.x),
                                       fmaf(scaled<T>(values.y, centres[r], scales[r]), factors_of_word.y, terms.y)));
    }
  }
  tile.store(out + first * columns);
}
