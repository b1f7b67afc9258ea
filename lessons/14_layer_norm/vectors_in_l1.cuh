// Layer norm of rows that L2 holds, by blocks, or clusters of them, that first bring weights and biases into L1. GPUs of
// sm_90 and later; not emulated. Arguments as in kernels.cuh; in and out lie equally far past a multiple of 16 bytes, and
// weight and bias begin at one.

// Reads a word of each sector, 32 bytes, of so many packs of weights and of biases, from the first ones on: L1 holds them
// afterwards. By all threads of a block, for at most kPacks + 1 packs each. What it returns must be used, or the compiler
// leaves the loads out; and soon, or it moves them to where that is.
template <int kPacks, class T>
__device__ __forceinline__ unsigned bring_into_l1(const T* weight, const T* bias, int packs) {
  constexpr int kSector = 32 / sizeof(T);
  unsigned words[2][kPacks / 2 + 1] = {};
#pragma unroll
  for (int k = 0; k < kPacks / 2 + 1; ++k) {
    const int sector = k * blockDim.x + threadIdx.x;
    if (2 * sector >= packs) continue;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(words[0][k]) : "l"(weight + sector * kSector));
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(words[1][k]) : "l"(bias + sector * kSector));
  }
  unsigned any = 0;
#pragma unroll
  for (int k = 0; k < kPacks / 2 + 1; ++k) any |= words[0][k] | words[1][k];
  return any;
}

// Puts out columns `from` to `to` - 1 of a row whose mean is far from 0, or from its pivot, value by value: after two walks
// over all of it, for the mean and for squares about it. By all threads of a block. warp_sums: shared memory that no other
// row uses.
template <class T>
__device__ void put_out_far_by_block(const T* row, const T* weight, const T* bias, T* result, int columns, int from, int to,
                                     float epsilon, float (&warp_sums)[2][32]) {
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
  for (int column = from + threadIdx.x; column < to; column += blockDim.x) {
    result[column] = normalized(row[column], mean, scale, weight[column], bias[column]);
  }
}

// Rows that a block, or a cluster, works on, one or two, and what a thread has of them: packs, and a value in none.
template <class T, int kRows, int kPacks>
struct RowsOfABlock {
  LanePacks<kPacks, false> its;   // of the block's share of a row
  int head;     // values of a row before its first whole pack
  int apart;    // bytes from the first row to the second; 0 where there is no second
  int column;   // of the value in no pack, below 0 where the thread has none
  uint4 held[kRows][kPacks];
  float centres[kRows], scales[kRows];   // as in scaled()

  __device__ __forceinline__ bool is_there(int r) const { return r == 0 || apart > 0; }

  // Puts out all whole packs: of rows with kWords whole words before the first one. zero: 0, which the compiler does not
  // know. It would else find that values of 16 bits were widened before, and keep the floats, in twice as many registers.
  template <int kWords>
  __device__ __forceinline__ void put_out(const T* weight, const T* bias, T* result, unsigned zero) {
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      if (p * 32 >= its.left) continue;
      const int index = its.first + p * 32;
      Pack<T> weights = load_cut<kWords>(weight, head, index);
      Pack<T> biases = load_cut<kWords>(bias, head, index);
      keep_packed<T>(weights);
      keep_packed<T>(biases);
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        uint4& words = held[r][p];
        words = make_uint4(words.x ^ zero, words.y ^ zero, words.z ^ zero, words.w ^ zero);
        keep_packed<T>(words);
        Pack<T> pack;
#pragma unroll
        for (int k = 0; k < kPackOf<T>; k += 2) {
          const float2 values = widened_pair<T>(reinterpret_cast<const T*>(&words) + k);
          const float2 factors = widened_pair<T>(weights.values + k);
          const float2 terms = widened_pair<T>(biases.values + k);
          narrow_pair<T>(make_float2(fmaf(scaled<T>(values.x, centres[r], scales[r]), factors.x, terms.x),
                                     fmaf(scaled<T>(values.y, centres[r], scales[r]), factors.y, terms.y)),
                         pack.values + k);
        }
        if (is_there(r)) reinterpret_cast<Pack<T>*>(past(result + head, r * apart))[index] = pack;
      }
    }
  }
  // Puts out the values in no pack. They are read again, and so take no registers before.
  __device__ __forceinline__ void put_out_edges(const T* row, const T* weight, const T* bias, T* result) const {
    if (column < 0) return;
    const float edge_weight = widened(weight[column]), edge_bias = widened(bias[column]);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const float value = scaled<T>(widened(*past(row + column, r * apart)), centres[r], scales[r]);
      if (is_there(r)) *past(result + column, r * apart) = narrowed<T>(fmaf(value, edge_weight, edge_bias));
    }
  }
};

// The same as add_to(), of each value less the pivot.
template <class T>
__device__ __forceinline__ void add_about(float pivot, Sums& sums, const Pack<T>& pack) {
#pragma unroll
  for (int k = 0; k < kPackOf<T>; ++k) {
    const float value = widened(pack.values[k]) - pivot;
    sums.values += value;
    sums.squares = fmaf(value, value, sums.squares);
  }
}

// As work_out_row(), of a row of floats, from sums about a pivot. Is the mean near that?
__device__ __forceinline__ bool work_out_row_about(float pivot, const Sums& both, int columns, float epsilon, float& centre,
                                                   float& scale) {
  const float apart = __fdividef(both.values, columns);
  const float m2 = m2_by_squares(both, apart);
  centre = pivot + apart;
  scale = scale_of(m2 / (float)columns, epsilon);
  return mean_is_near(m2, both);
}

// What the two kernels below do, by a block, or by kCluster blocks of a cluster.
template <class T, int kRows, int kPacks, int kCluster, bool kWhole>
__device__ __forceinline__ void normalize_by_vectors_in_l1(const T* in, const T* weight, const T* bias, T* out, int rows,
                                                           int columns, float epsilon) {
  constexpr int kApart = kRows > 1 && !kWhole ? kPackOf<T> : 1;   // rows from a block's first one to its second
  [[maybe_unused]] __shared__ ClusterMeeting<2 * kRows, kCluster> meeting;
  cudaTriggerProgrammaticLaunchCompletion();
  const int group = blockIdx.x / kCluster;
  const unsigned rank = blockIdx.x % kCluster;
  const int number = group / kApart * (kRows * kApart) + group % kApart;
  if (number >= rows) return;   // the whole block, and its cluster
  if constexpr (kCluster > 1) {
    if (threadIdx.x == 0) {
      meeting.init();
      publish_barriers();
    }
    __syncwarp();
    arrive_at_cluster();
    wait_at_cluster();
  }
  const T* const row = in + (long long)number * columns;
  T* const result = out + (long long)number * columns;
  Cut cut = {0, columns / kPackOf<T>, 0};
  if constexpr (!kWhole) cut = cut_within_vectors(row, columns);
  const Share share = kCluster > 1 ? share_of<kCluster>(cut.packs, rank) : Share{0, cut.packs};
  RowsOfABlock<T, kRows, kPacks> all = {LanePacks<kPacks, false>(share.packs)};
  all.its.first += share.first;
  all.head = kWhole ? 0 : cut.head;
  all.apart = kRows > 1 && number + kApart < rows ? kApart * columns * (int)sizeof(T) : 0;
  const int place = threadIdx.x % 32 - cut.head;
  const bool in_last_warp = !kWhole && rank == 0 && threadIdx.x + 32 >= blockDim.x;
  all.column = !in_last_warp ? -1 : place < 0 ? place + cut.head : place < cut.tail ? columns - cut.tail + place : -1;
  cudaGridDependencySynchronize();
  float pivots[kRows];   // of floats: the row's first value
#pragma unroll
  for (int r = 0; r < kRows; ++r) pivots[r] = sizeof(T) == 4 ? widened(*past(row, r * all.apart)) : 0.0f;
  T edges[kRows];   // not widened before packs are asked for: a warp would wait for them
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    edges[r] = narrowed<T>(0.0f);
    if (all.column >= 0) edges[r] = *past(row + all.column, r * all.apart);
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const uint4* const from = reinterpret_cast<const uint4*>(past(row + cut.head, r * all.apart)) + all.its.first;
    all.its.each([&](int p) { all.held[r][p] = load_here(from + p * 32); });
  }
  const int before = share.first * kPackOf<T>;   // weights of other blocks' packs
  const unsigned any = bring_into_l1<kPacks>(weight + before, bias + before, share.packs + (all.head > 0));
  // No row has fewer than 0 columns, which the compiler does not know: it must have that word before the first sum, or, where
  // that is faster, before warps meet.
  constexpr bool kLate = kWhole && sizeof(T) == 2 && kCluster == 1;
  if (!kLate) all.held[0][0].x ^= columns < 0 ? any : 0;
  __shared__ float warp_sums[2 * kRows][16], sums_far[kRows][2][32];
  float sums[2 * kRows];   // of values of all rows, then of their squares
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const float edge = all.column >= 0 ? widened(edges[r]) - pivots[r] : 0.0f;
    Sums its_sums = {edge, edge * edge};
    if constexpr (sizeof(T) == 4) {
      all.its.template each<true>([&](int p) {
        keep_packed<T>(all.held[r][p]);
        add_about(pivots[r], its_sums, *reinterpret_cast<const Pack<T>*>(&all.held[r][p]));
      });
    } else {
#pragma unroll
      for (int p = 0; p < kPacks; ++p) {   // those outside of the row are 0
        keep_packed<T>(all.held[r][p]);
        add_to(its_sums, *reinterpret_cast<const Pack<T>*>(&all.held[r][p]));
      }
    }
    sums[r] = its_sums.values;
    sums[kRows + r] = its_sums.squares;
  }
  if (kLate && columns < 0) sums[0] += (float)any;
  if constexpr (kCluster > 1) {
    meeting.add_up(sums, rank);
  } else {
    add_up_in_block(sums, warp_sums);
  }
  bool near = true;
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const Sums both = {sums[r], sums[kRows + r]};
    near = (sizeof(T) == 4 ? work_out_row_about(pivots[r], both, columns, epsilon, all.centres[r], all.scales[r])
                           : work_out_row(both, columns, epsilon, all.centres[r], all.scales[r])) && near;
  }
  if (!near) {   // for all threads of the rows, whose sums are the same
    const int from = kCluster == 1 ? 0 : columns * rank / kCluster;
    const int to = kCluster == 1 ? columns : columns * (rank + 1) / kCluster;
    for (int r = 0; r < (all.apart > 0 ? kRows : 1); ++r) {
      put_out_far_by_block(past(row, r * all.apart), weight, bias, past(result, r * all.apart), columns, from, to, epsilon,
                           sums_far[r]);
    }
    return;
  }
  const unsigned zero = all.scales[0] < 0.0f;   // no scale is below 0
  if constexpr (kWhole) {
    all.template put_out<0>(weight, bias, result, zero);
    return;
  }
  switch (all.head * (int)sizeof(T) / 4) {
    case 0:
      all.template put_out<0>(weight, bias, result, zero);
      break;
    case 1:
      all.template put_out<1>(weight, bias, result, zero);
      break;
    case 2:
      all.template put_out<2>(weight, bias, result, zero);
      break;
    default:
      all.template put_out<3>(weight, bias, result, zero);
  }
  all.put_out_edges(row, weight, bias, result);
}

// A row has at least one whole pack; blockDim.x: the fewest whole warps, up to 16, whose threads hold it with kPacks packs
// each, kMostThreads at most. A multiprocessor's registers are enough for kBlocks blocks of kMostThreads threads. kWhole:
// every row begins at a multiple of 16 bytes and holds whole packs. Else rows begin anywhere. A block's two rows, if it has
// two, then lie as many rows apart as a pack has values, and so begin at the same place of a pack: kPackOf<T> blocks take
// twice as many rows that follow each other.
//
// Compared with layer_norm_fitted and layer_norm_fitted_anywhere: a word of each sector of weights and biases is read once
// the rows have been asked for. Their packs are then in L1 when a thread needs them, and take no registers before. Warps meet
// once: by sums of values and of their squares, where the mean is near 0; of floats by those of values less the row's first
// one, where it is near that. Lanes of the last warp take the values in no pack. Launches overlap. The next kernel is let in
// at once.
template <class T, int kRows, int kPacks, int kMostThreads, int kBlocks, bool kWhole>
__global__ void __launch_bounds__(kMostThreads, kBlocks)
    layer_norm_vectors_in_l1(const T* in, const T* weight, const T* bias, T* out, int rows, int columns, float epsilon) {
  normalize_by_vectors_in_l1<T, kRows, kPacks, 1, kWhole>(in, weight, bias, out, rows, columns, epsilon);
}

// The same by a cluster of kCluster blocks for each row, or for two; blockDim.x: the fewest whole warps whose threads hold a
// block's share of a row. The last warp of the first block takes the values in no pack.
//
// Compared with layer_norm_fitted_cluster: L1 forgets what it holds when a thread waits for its cluster's blocks to have
// started (in SASS, CCTL.IVALL). So that is done before rows are asked for. And two rows share weights and biases.
template <class T, int kRows, int kPacks, int kMostThreads, int kBlocks, int kCluster, bool kWhole>
__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kMostThreads, kBlocks)
    layer_norm_vectors_in_l1_cluster(const T* in, const T* weight, const T* bias, T* out, int rows, int columns,
                                     float epsilon) {
  normalize_by_vectors_in_l1<T, kRows, kPacks, kCluster, kWhole>(in, weight, bias, out, rows, columns, epsilon);
}
