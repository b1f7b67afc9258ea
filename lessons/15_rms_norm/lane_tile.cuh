// RMS norm of many rows of a few hundred values: a tile of them in shared memory, a warp or two for a few of them.
// GPUs of sm_90 and later; not emulated. Arguments as in kernels.cuh; in, out and weight begin at a multiple of 16
// bytes, and the kernel before does not write weight.

// Weights of a thread's words, kThreads apart, packed as values are, on their way from memory to `kept`.
template <int kWords, int kThreads>
struct WeightWordsOnTheirWay {
  unsigned words[kWords];

  template <class T>
  __device__ __forceinline__ void load(const T* weight, int count) {
#pragma unroll
    for (int k = 0; k < kWords; ++k) {
      const int place = k * kThreads + threadIdx.x;
      if (place < count) words[k] = reinterpret_cast<const unsigned*>(weight)[place];
    }
  }
  // Those of a row that begins with a word.
  __device__ __forceinline__ void keep(unsigned* kept, int count) const {
#pragma unroll
    for (int k = 0; k < kWords; ++k) {
      const int place = k * kThreads + threadIdx.x;
      if (place < count) kept[place] = words[k];
    }
  }
  // Those of a row that begins within a word: its first word is that of the second and third value. `last`: of the last
  // value.
  __device__ __forceinline__ void keep_within(unsigned* kept, int count, unsigned short last) const {
    ushort2* const halves = reinterpret_cast<ushort2*>(kept);
#pragma unroll
    for (int k = 0; k < kWords; ++k) {
      const int place = k * kThreads + threadIdx.x;
      if (place >= count) continue;
      halves[place].x = words[k] >> 16;
      if (place > 0) halves[place - 1].y = words[k];
    }
    if (threadIdx.x == 0) halves[count - 1].y = last;
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
// bytes more; then weights of a row's words, twice where rows begin within words.
//
// Compared with rms_norm_row_tile: longer rows, of which few fill a tile. Lanes hold their words, and read those of
// weights once for all rows of a warp. Compared with rms_norm_few_lanes: whole packs come and go, wherever rows begin.
//
// A tile of 16-bit values lies as far past a multiple of 128 bytes as it does in global memory: else the copy engine is
// slower. Launches overlap. The next kernel is let in at once. Weights are asked for while the kernel before still
// stores: it does not write them. Rows wait for its end.
template <class T, int kWarps, int kChunks, bool kWithin, int kWords, int kTogether, int kBlocks>
__global__ void __launch_bounds__(32 * kWarps, kBlocks)
    rms_norm_lane_tile(const T* in, const T* weight, T* out, int rows, int columns, float epsilon) {
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
  unsigned* const weights = reinterpret_cast<unsigned*>(tile.values + kRows * columns);
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
  const unsigned* const its_weights = weights + (within ? words : 0) + first_of_row;
  WeightWordsOnTheirWay<(kWords * kChunks + kWarps - 1) / kWarps, 32 * kWarps> on_their_way;
  on_their_way.load(weight, words);
  unsigned short last = 0;
  float its_weight = 0.0f;   // of the value in no whole word
  if constexpr (kWithin) {
    last = reinterpret_cast<const unsigned short*>(weight)[columns - 1];
    its_weight = widened(weight[apart_column]);
  }
  cudaGridDependencySynchronize();
  tile.load(in + first * columns, &arrival);
  on_their_way.keep(weights, words);
  if (kWithin) on_their_way.keep_within(weights + words, words, last);
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
  float squares[kTogether], scales[kTogether];
  const bool has_single = kWithin && chunk == 0 && lane < kTogether;
  const float value = has_single ? widened(tile.values[single]) : 0.0f;
#pragma unroll
  for (int r = 0; r < kTogether; ++r) {
    squares[r] = kWithin && lane == r ? value * value : 0.0f;
#pragma unroll
    for (int k = 0; k < kWords; ++k) {
      const float2 pair = widened_word<T>(held[r][k]);
      squares[r] = fmaf(pair.x, pair.x, squares[r]);
      if (kValuesOfWord<T> > 1) squares[r] = fmaf(pair.y, pair.y, squares[r]);
    }
  }
  float sum = add_up_apart<32>(squares);
  if constexpr (kChunks > 1) {
    __shared__ float sums_of_chunks[kGroups][kChunks][kTogether];
    sum = add_up_chunks(sum, chunk, sums_of_chunks[group]);
  }
  const float scale =
      sizeof(T) == 2 ? rsqrtf(__fdividef(sum, (float)columns) + epsilon) : scale_of(sum, columns, epsilon);
  hand_out<32, 32 / kTogether>(scale, scales);
  if constexpr (kWithin) {
    float its_scale = scales[0];
#pragma unroll
    for (int r = 1; r < kTogether; ++r) its_scale = lane % kTogether == r ? scales[r] : its_scale;
    if (has_single) tile.values[single] = narrowed<T>(value * its_scale * its_weight);
  }
  // No scale is below 0, which the compiler does not know. It would else find that words were widened before, and keep
  // what they gave: two registers for each.
  const unsigned zero = scale < 0.0f;
#pragma unroll
  for (int k = 0; k < kWords; ++k) {
    if (k * 32 >= left) continue;
    const float2 factors = widened_word<T>(its_weights[k * 32]);
#pragma unroll
    for (int r = 0; r < kTogether; ++r) {
      const float2 values = widened_word<T>(sizeof(T) == 2 ? held[r][k] ^ zero : held[r][k]);
      mine[r * apart + k * 32] =
          narrowed_word<T>(make_float2(values.x * scales[r] * factors.x, values.y * scales[r] * factors.y));
    }
  }
  tile.store(out + first * columns);
}
