// RMS norm of rows that begin anywhere, by blocks of no more warps than a row needs. GPUs of sm_90 and later; not
// emulated. Arguments as in kernels.cuh; in and out lie equally far past a multiple of 16 bytes, and weight begins at
// one.

// The sums of so many values of the threads that share a row, in each of them, as block_sum(): of a warp, or of a
// block. warp_sums: shared memory.
template <int kRows>
__device__ __forceinline__ void block_sums(float (&values)[kRows], float (&warp_sums)[kRows][32]) {
#pragma unroll
  for (int r = 0; r < kRows; ++r) values[r] = warp_sum(values[r]);
  const int warps = blockDim.x / 32;
  if (warps == 1) return;
  if (threadIdx.x % 32 == 0) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) warp_sums[r][threadIdx.x / 32] = values[r];
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int r = 0; r < kRows; ++r) values[r] = warp_sum(lane < warps ? warp_sums[r][lane] : 0.0f);
}

// As cut_of(), but without the last whole pack where the pack of weights in which it ends reaches past theirs. Head and
// tail are at most 2 * kPack - 1 values together.
template <class T>
__device__ __forceinline__ Cut cut_within_vectors(const T* row, int columns) {
  constexpr int kPack = kPackOf<T>;
  Cut cut = cut_of(row, columns);
  if (cut.packs > 0 && cut.head > 0 && cut.head + cut.tail < kPack) {
    --cut.packs;
    cut.tail += kPack;
  }
  return cut;
}

// The 16 bytes of two packs that begin `bits` bits after word kWords.
template <int kWords>
__device__ __forceinline__ uint4 cut_words(const uint4& low, const uint4& high, int bits) {
  const unsigned words[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  uint4 results;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    reinterpret_cast<unsigned*>(&results)[k] = __funnelshift_r(words[k + kWords], words[k + kWords + 1], bits);
  }
  return results;
}

// The weights of pack `index` of a row with `head` values before its first pack, of which kWords words are whole: cut
// from two packs of the vector.
template <int kWords, class T>
__device__ __forceinline__ Pack<T> load_cut(const T* weight, int head, int index) {
  const uint4* const packs = reinterpret_cast<const uint4*>(weight) + index;
  uint4 words = load_to_stay_in_l1(packs);
  if (kWords > 0 || head > 0) {
    words = cut_words<kWords>(words, load_to_stay_in_l1(packs + 1), head * (int)sizeof(T) % 4 * 8);
  }
  return *reinterpret_cast<const Pack<T>*>(&words);
}

// Rows that a group of threads works on together, a thread's packs of them, where their results go, and their scales.
// Packs: which ones a thread has, as LanePacks. kAllWork: what a lane has no pack for, it works out from the first weights,
// and does not store. Lanes of a warp then never part, but a row must have a pack.
template <class T, int kRows, class Packs, bool kAllWork = false>
struct RowsTogether {
  int count;   // of them, that there are
  int step;    // values from one to the next
  uint4 held[kRows][Packs::kMost];
  T* result;   // of the first one
  float scales[kRows];

  // Puts out all whole packs: of rows with so many values before the first one, of which kWords words are whole.
  template <int kWords>
  __device__ __forceinline__ void put_out(const T* weight, const Packs& its, int head) {
    if constexpr (kAllWork) {
#pragma unroll
      for (int p = 0; p < Packs::kMost; ++p) {
        const bool has_it = p * Packs::kStep < its.left;
        put_out_pack<kWords>(weight, p, has_it ? its.first + p * Packs::kStep : 0, head, has_it);
      }
    } else {
      its.each([&](int p) { put_out_pack<kWords>(weight, p, its.first + p * Packs::kStep, head, true); });
    }
  }
  // Number p of a thread's packs, which is number `index` of its row, if it has it.
  template <int kWords>
  __device__ __forceinline__ void put_out_pack(const T* weight, int p, int index, int head, bool has_it) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) keep_packed<T>(held[r][p]);
    Pack<T> weights = load_cut<kWords>(weight, head, index);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      keep_packed<T>(weights);
      const Pack<T> pack = normalized(*reinterpret_cast<const Pack<T>*>(&held[r][p]), scales[r], weights);
      if (has_it && r < count) reinterpret_cast<Pack<T>*>(result + r * step + head)[index] = pack;
    }
  }
  // The same, whatever lies before the first one.
  __device__ __forceinline__ void put_out_packs(const T* weight, const Packs& its, int head) {
    switch (head * (int)sizeof(T) / 4) {
      case 0:
        put_out<0>(weight, its, head);
        break;
      case 1:
        put_out<1>(weight, its, head);
        break;
      case 2:
        put_out<2>(weight, its, head);
        break;
      default:
        put_out<3>(weight, its, head);
    }
  }
};

// A row has at most blockDim.x * kPacks whole packs; blockDim.x: a multiple of 32, and blockDim.y above 1 only where it
// is 32; kMostThreads threads at most. The block's threads with the same threadIdx.y work on kRows rows that lie as
// many rows apart as a pack has values, and so begin at the same place of a pack: kPackOf<T> such groups take
// kRows * kPackOf<T> rows that follow each other. A multiprocessor's registers are enough for kBlocks blocks of
// kMostThreads threads. By one row and four packs or more: a row has a pack.
//
// Compared with rms_norm_anywhere: more rows are under way at once, since no thread holds a second one,
// and a block makes nothing ready first. Each pack of weights is loaded when it is needed, and cut to
// fit for kRows rows. A warp's packs lie beside each other. kPastL1: L1 does not keep what is read.
//
// Launches overlap. The next kernel is let in at once: it finds no room before a block has ended.
template <class T, int kRows, int kPacks, int kMostThreads, int kBlocks, bool kPastL1>
__global__ void __launch_bounds__(kMostThreads, kBlocks)
    rms_norm_fitted_anywhere(const T* in, const T* weight, T* out, long long rows, int columns, float epsilon) {
  constexpr int kPack = kPackOf<T>;
  __shared__ float warp_sums[kRows][32];
  cudaTriggerProgrammaticLaunchCompletion();
  const unsigned group = blockIdx.x * blockDim.y + threadIdx.y;
  const long long number = group / kPack * (long long)(kPack * kRows) + group % kPack;
  if (number >= rows) return;   // the whole group
  const long long start = number * columns;
  const Cut cut = cut_within_vectors(in + start, columns);
  const int behind = threadIdx.x - cut.head;
  const int column = behind < 0 ? threadIdx.x : behind < cut.tail ? columns - cut.tail + behind : -1;   // in no pack
  const LanePacks<kPacks> its(cut.packs);
  RowsTogether<T, kRows, LanePacks<kPacks>, kRows == 1 && kPacks >= 4> together = {};
  together.step = kPack * columns;
  together.result = out + start;
  together.count = 1;
  for (int r = 1; r < kRows; ++r) together.count += number + r * kPack < rows;
  cudaGridDependencySynchronize();
  const float edge_weight = column >= 0 ? widened(weight[column]) : 0.0f;
  float edges[kRows], squares[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    // A row that is not there is read as the first one.
    const T* const from = in + start + (r < together.count ? r * together.step : 0);
    const uint4* const row = reinterpret_cast<const uint4*>(from + cut.head) + its.first;
    its.each([&](int p) { together.held[r][p] = kPastL1 ? load_once(row + p * 32) : row[p * 32]; });
    edges[r] = column >= 0 ? widened(from[column]) : 0.0f;
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    squares[r] = edges[r] * edges[r];
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      squares[r] = add_squares(squares[r], *reinterpret_cast<const Pack<T>*>(&together.held[r][p]));
    }
  }
  block_sums(squares, warp_sums);
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    together.scales[r] = scale_of(squares[r], columns, epsilon);
    if (column >= 0 && r < together.count) {
      together.result[r * together.step + column] = narrowed<T>(edges[r] * together.scales[r] * edge_weight);
    }
  }
  together.put_out_packs(weight, its, cut.head);
}
