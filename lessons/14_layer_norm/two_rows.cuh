// Layer norm of rows of 16-bit values that begin anywhere and that L2 holds, two by a block of no more warps than one needs.
// GPUs of sm_90 and later; not emulated. Arguments as in kernels.cuh; in and out lie equally far past a multiple of 16 bytes,
// and weight and bias begin at one.

// Packs of weights and biases on their way: the two of each vector in which those of one pack of a row lie.
struct VectorPacks {
  uint4 weights[2], biases[2];

  // index: of the pack in the row. next: 1, or 0 where the row begins with a pack.
  template <class T>
  __device__ __forceinline__ void ask(const T* weight, const T* bias, int index, int next) {
    const uint4* const weight_packs = reinterpret_cast<const uint4*>(weight) + index;
    const uint4* const bias_packs = reinterpret_cast<const uint4*>(bias) + index;
    weights[0] = load_to_stay_in_l1(weight_packs);
    weights[1] = load_to_stay_in_l1(weight_packs + next);
    biases[0] = load_to_stay_in_l1(bias_packs);
    biases[1] = load_to_stay_in_l1(bias_packs + next);
  }
};

// Puts out a row whose mean is far from 0, value by value: after two walks for the mean and for squares about it. By all
// threads of a block. Of a row that is not there, `columns` is 0. warp_sums: shared memory that no other row uses.
template <class T>
__device__ void put_out_far_by_block(const T* row, const T* weight, const T* bias, T* result, int columns, float epsilon,
                                     float (&warp_sums)[2][32]) {
  float sum = 0.0f;
#pragma unroll 1
  for (int column = threadIdx.x; column < columns; column += blockDim.x) sum += widened(row[column]);
  const float mean = block_sum(sum, warp_sums[0]) / (float)columns;
  float squares = 0.0f;
#pragma unroll 1
  for (int column = threadIdx.x; column < columns; column += blockDim.x) {
    const float apart = widened(row[column]) - mean;
    squares = fmaf(apart, apart, squares);
  }
  const float scale = quick_scale({(float)columns, mean, block_sum(squares, warp_sums[1])}, epsilon);
#pragma unroll 1
  for (int column = threadIdx.x; column < columns; column += blockDim.x) {
    result[column] = normalized(row[column], mean, scale, weight[column], bias[column]);
  }
}

// Two rows that a block works on, and what a thread has of them: packs, and a value in none.
template <class T, int kPacks>
struct TwoRows {
  LanePacks<kPacks, false> its;
  int head;     // values of a row before its first whole pack
  int apart;    // bytes from the first row to the second; 0 where there is no second
  int column;   // of the value in no pack, below 0 where it has none
  uint4 held[2][kPacks];
  float edges[2];
  float centres[2], scales[2];   // as in scaled()

  // Puts out all whole packs: of rows with kWords whole words before the first one. vectors: of the first pack; those of
  // the next come while one is worked out.
  template <int kWords>
  __device__ __forceinline__ void put_out(VectorPacks vectors, const T* weight, const T* bias, T* result) {
    const int bits = head * (int)sizeof(T) % 4 * 8;
    // No scale is below 0, which the compiler does not know. It would else find that values were widened before, and keep
    // the floats, in twice as many registers.
    const unsigned zero = scales[0] < 0.0f;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      if (p * 32 >= its.left) continue;
      uint4 weights = cut_words<kWords>(vectors.weights[0], vectors.weights[1], bits);
      uint4 biases = cut_words<kWords>(vectors.biases[0], vectors.biases[1], bits);
      keep_packed<T>(weights);
      keep_packed<T>(biases);
      if (p + 1 < kPacks) vectors.ask(weight, bias, (p + 1) * 32 < its.left ? its.first + (p + 1) * 32 : 0, head > 0);
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        uint4& words = held[r][p];
        words = make_uint4(words.x ^ zero, words.y ^ zero, words.z ^ zero, words.w ^ zero);
        keep_packed<T>(words);
        Pack<T> pack;
#pragma unroll
        for (int k = 0; k < kPackOf<T>; k += 2) {
          const float2 values = widened_pair<T>(reinterpret_cast<const T*>(&words) + k);
          const float2 factors = widened_pair<T>(reinterpret_cast<const T*>(&weights) + k);
          const float2 terms = widened_pair<T>(reinterpret_cast<const T*>(&biases) + k);
          narrow_pair<T>(make_float2(fmaf(scaled<T>(values.x, centres[r], scales[r]), factors.x, terms.x),
                                     fmaf(scaled<T>(values.y, centres[r], scales[r]), factors.y, terms.y)),
                         pack.values + k);
        }
        T* const its_result = past(result + head, r * apart);
        if (r == 0 || apart > 0) reinterpret_cast<Pack<T>*>(its_result)[its.first + p * 32] = pack;
      }
    }
  }
};

// A row has at least one whole pack; blockDim.x: the fewest whole warps whose threads hold it with kPacks packs each,
// kMostThreads at most. A multiprocessor's registers are enough for kBlocks blocks of kMostThreads threads. A block's two
// rows lie as many rows apart as a pack has values, and so begin at the same place of a pack: kPackOf<T> blocks take twice
// as many rows that follow each other.
//
// Compared with layer_norm_fitted_anywhere by two rows: the packs of weights and biases for a thread's first pack are on
// their way before its warps meet, and then always those for the next one. Lanes of the last warp take the values in no
// pack. Launches overlap. The next kernel is let in at once.
template <class T, int kPacks, int kMostThreads, int kBlocks>
__global__ void __launch_bounds__(kMostThreads, kBlocks)
    layer_norm_two_rows(const T* in, const T* weight, const T* bias, T* out, int rows, int columns, float epsilon) {
  static_assert(sizeof(T) == 2, "mean and variance by one meeting");
  constexpr int kPack = kPackOf<T>;
  __shared__ float warp_sums[4][16];
  cudaTriggerProgrammaticLaunchCompletion();
  const int number = blockIdx.x / kPack * (2 * kPack) + blockIdx.x % kPack;
  if (number >= rows) return;   // the whole block
  const T* const row = in + (long long)number * columns;
  T* const result = out + (long long)number * columns;
  const Cut cut = cut_within_vectors(row, columns);
  TwoRows<T, kPacks> both = {LanePacks<kPacks, false>(cut.packs), cut.head};
  both.apart = number + kPack < rows ? kPack * columns * (int)sizeof(T) : 0;
  const int place = threadIdx.x % 32 - cut.head;
  const bool in_last_warp = threadIdx.x + 32 >= blockDim.x;
  both.column = !in_last_warp ? -1 : place < 0 ? place + cut.head : place < cut.tail ? columns - cut.tail + place : -1;
  cudaGridDependencySynchronize();
  float edge_weight = 0.0f, edge_bias = 0.0f;
  if (both.column >= 0) {
#pragma unroll
    for (int r = 0; r < 2; ++r) both.edges[r] = widened(*past(row + both.column, r * both.apart));
    edge_weight = widened(weight[both.column]);
    edge_bias = widened(bias[both.column]);
  }
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const uint4* const from = reinterpret_cast<const uint4*>(past(row + cut.head, r * both.apart)) + both.its.first;
    both.its.each([&](int p) { both.held[r][p] = load_here(from + p * 32); });
  }
  float sums[4];   // of values of both rows, then of their squares
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    Sums its_sums = {both.edges[r], both.edges[r] * both.edges[r]};
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      keep_packed<T>(both.held[r][p]);
      add_to(its_sums, *reinterpret_cast<const Pack<T>*>(&both.held[r][p]));
    }
    sums[r] = its_sums.values;
    sums[2 + r] = its_sums.squares;
  }
  VectorPacks vectors;
  vectors.ask(weight, bias, both.its.left > 0 ? both.its.first : 0, cut.head > 0);
  add_up_in_block(sums, warp_sums);
  bool near = true;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    near = work_out_row({sums[r], sums[2 + r]}, columns, epsilon, both.centres[r], both.scales[r]) && near;
  }
  if (!near) {   // for all threads of the block, whose sums are the same
    __shared__ float sums_far[2][2][32];
    for (int r = 0; r < (both.apart > 0 ? 2 : 1); ++r) {
      put_out_far_by_block(past(row, r * both.apart), weight, bias, past(result, r * both.apart), columns, epsilon,
                           sums_far[r]);
    }
    return;
  }
  // Values in no pack are put out first, and then take no registers.
  if (both.column >= 0) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const float value = fmaf(scaled<T>(both.edges[r], both.centres[r], both.scales[r]), edge_weight, edge_bias);
      if (r == 0 || both.apart > 0) *past(result + both.column, r * both.apart) = narrowed<T>(value);
    }
  }
  switch (cut.head * (int)sizeof(T) / 4) {
    case 0:
      both.template put_out<0>(vectors, weight, bias, result);
      break;
    case 1:
      both.template put_out<1>(vectors, weight, bias, result);
      break;
    case 2:
      both.template put_out<2>(vectors, weight, bias, result);
      break;
    default:
      both.template put_out<3>(vectors, weight, bias, result);
  }
}
