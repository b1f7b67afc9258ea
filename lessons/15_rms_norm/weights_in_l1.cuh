// RMS norm of rows that begin anywhere and that L2 holds, by blocks that first bring weights into L1. GPUs of sm_90 and
// later; not emulated. Arguments as in kernels.cuh; in and out lie equally far past a multiple of 16 bytes, and weight
// begins at one.

// Reads a word of each sector, 32 bytes, of so many packs of weights, from the first one on: L1 holds them afterwards. By all
// threads of a block, for at most kPacks + 1 packs each. What it returns must be used, or the compiler leaves the loads out;
// and soon, or it moves them to where that is.
template <int kPacks, class T>
__device__ __forceinline__ unsigned bring_into_l1(const T* weight, int packs) {
  unsigned words[kPacks / 2 + 1] = {};
#pragma unroll
  for (int k = 0; k < kPacks / 2 + 1; ++k) {
    const int sector = k * blockDim.x + threadIdx.x;
    const T* const from = weight + sector * (32 / (int)sizeof(T));
    if (2 * sector < packs) asm volatile("ld.global.u32 %0, [%1];" : "=r"(words[k]) : "l"(from));
  }
  unsigned any = 0;
#pragma unroll
  for (int k = 0; k < kPacks / 2 + 1; ++k) any |= words[k];
  return any;
}

// Turns kCount numbers into their sums over all threads of a block of up to 16 warps, in each of them. sums: shared
// memory.
template <int kCount>
__device__ __forceinline__ void add_up_in_block(float (&numbers)[kCount], float (&sums)[kCount][16]) {
  constexpr int kLanes = 32 / kCount;   // work on each number
  const int lane = threadIdx.x % kLanes;
  float (&its_sums)[16] = sums[threadIdx.x % 32 / kLanes];
  const float mine = add_up_apart<32>(numbers);
  if (lane == 0) its_sums[threadIdx.x / 32] = mine;
  __syncthreads();
  float sum[1] = {0.0f};
#pragma unroll
  for (int first = 0; first < 16; first += kLanes) {
    if (first + lane < (int)blockDim.x / 32) sum[0] += its_sums[first + lane];
  }
  hand_out<32, kLanes>(add_up_apart<kLanes>(sum), numbers);
}

// Rows that a block works on, one or two, and what a thread has of them: packs, and a value in none.
template <class T, int kRows, int kPacks>
struct RowsOfABlock {
  LanePacks<kPacks> its;
  int head;     // values of a row before its first whole pack
  int apart;    // bytes from the first row to the second; 0 where there is no second
  int column;   // of the value in no pack, below 0 where the thread has none
  uint4 held[kRows][kPacks];
  T edges[kRows], edge_weight;   // that value, and its weight
  float scales[kRows];

  __device__ __forceinline__ bool is_there(int r) const { return r == 0 || apart > 0; }

  // Puts out all whole packs: of rows with kWords whole words before the first one. zero: 0, which the compiler does not
  // know. It would else find that values of 16 bits were widened before, and keep the floats, in twice as many registers.
  template <int kWords>
  __device__ __forceinline__ void put_out(const T* weight, T* result, unsigned zero) {
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      if (p * 32 >= its.left) continue;
      const int index = its.first + p * 32;
      Pack<T> weights = load_cut<kWords>(weight, head, index);
      keep_packed<T>(weights);
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        uint4& words = held[r][p];
        words = make_uint4(words.x ^ zero, words.y ^ zero, words.z ^ zero, words.w ^ zero);
        keep_packed<T>(words);
        const Pack<T> pack = normalized(*reinterpret_cast<const Pack<T>*>(&words), scales[r], weights);
        if (is_there(r)) reinterpret_cast<Pack<T>*>(past(result + head, r * apart))[index] = pack;
      }
    }
  }
  // Puts out the values in no pack.
  __device__ __forceinline__ void put_out_edges(T* result) const {
    if (column < 0) return;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const float value = widened(edges[r]) * scales[r] * widened(edge_weight);
      if (is_there(r)) *past(result + column, r * apart) = narrowed<T>(value);
    }
  }
};

// A row has at least one whole pack; blockDim.x: the fewest whole warps, up to 16, whose threads hold it with kPacks packs
// each, kMostThreads at most. A multiprocessor's registers are enough for kBlocks blocks of kMostThreads threads. A block's
// two rows, if it has two, lie as many rows apart as a pack has values, and so begin at the same place of a pack: kPackOf<T>
// blocks take twice as many rows that follow each other.
//
// Compared with rms_norm_fitted_anywhere: a word of each sector of weights is read with the rows. Their packs are then in L1
// when a thread needs them, and take no registers before. Lanes of the last warp take the values in no pack, and put them out
// last, but of two rows first: 34 MB of 5001 halves ran at 87 % of a copy's bandwidth so and 82 else, of 2501 by two rows at
// 88 and 80 (H200, an earlier form of this kernel by itself). Launches overlap. The next kernel is let in at once.
template <class T, int kRows, int kPacks, int kMostThreads, int kBlocks>
__global__ void __launch_bounds__(kMostThreads, kBlocks)
    rms_norm_weights_in_l1(const T* in, const T* weight, T* out, int rows, int columns, float epsilon) {
  constexpr int kApart = kRows > 1 ? kPackOf<T> : 1;   // rows from a block's first one to its second
  __shared__ float warp_sums[kRows][16];
  cudaTriggerProgrammaticLaunchCompletion();
  const int number = blockIdx.x / kApart * (kRows * kApart) + blockIdx.x % kApart;
  if (number >= rows) return;   // the whole block
  const T* const row = in + (long long)number * columns;
  T* const result = out + (long long)number * columns;
  const Cut cut = cut_within_vectors(row, columns);
  RowsOfABlock<T, kRows, kPacks> all = {LanePacks<kPacks>(cut.packs), cut.head};
  all.apart = kRows > 1 && number + kApart < rows ? kApart * columns * (int)sizeof(T) : 0;
  const int place = threadIdx.x % 32 - cut.head;
  const bool in_last_warp = threadIdx.x + 32 >= blockDim.x;
  all.column = !in_last_warp ? -1 : place < 0 ? place + cut.head : place < cut.tail ? columns - cut.tail + place : -1;
  cudaGridDependencySynchronize();
  // Not widened before packs are asked for: a warp would wait for it.
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    all.edges[r] = narrowed<T>(0.0f);
    if (all.column >= 0) all.edges[r] = *past(row + all.column, r * all.apart);
  }
  if (all.column >= 0) all.edge_weight = weight[all.column];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const uint4* const from = reinterpret_cast<const uint4*>(past(row + cut.head, r * all.apart)) + all.its.first;
    all.its.each([&](int p) { all.held[r][p] = load_here(from + p * 32); });
  }
  const unsigned any = bring_into_l1<kPacks>(weight, cut.packs + (cut.head > 0));
  // No row has fewer than 0 columns, which the compiler does not know: it must have that word before the last sum.
  all.held[0][kPacks - 1].x ^= columns < 0 ? any : 0;
  float squares[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    squares[r] = widened(all.edges[r]) * widened(all.edges[r]);
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      keep_packed<T>(all.held[r][p]);
      squares[r] = add_squares(squares[r], *reinterpret_cast<const Pack<T>*>(&all.held[r][p]));
    }
  }
  add_up_in_block(squares, warp_sums);
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    all.scales[r] = sizeof(T) == 4 ? scale_of(squares[r], columns, epsilon)
                                   : rsqrtf(__fdividef(squares[r], (float)columns) + epsilon);
  }
  if (kRows > 1) all.put_out_edges(result);
  const unsigned zero = all.scales[0] < 0.0f;   // no scale is below 0
  switch (cut.head * (int)sizeof(T) / 4) {
    case 0:
      all.template put_out<0>(weight, result, zero);
      break;
    case 1:
      all.template put_out<1>(weight, result, zero);
      break;
    case 2:
      all.template put_out<2>(weight, result, zero);
      break;
    default:
      all.template put_out<3>(weight, result, zero);
  }
  if (kRows == 1) all.put_out_edges(result);
}
