// Layer norm of rows that begin anywhere, by blocks of no more warps than a row needs. GPUs of sm_90 and later; not
// emulated. Arguments as in kernels.cuh; in and out lie equally far past a multiple of 16 bytes, and weight and bias
// begin at one.

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

// The same of values and squares, by one meeting.
template <int kRows>
__device__ __forceinline__ void block_sums(Sums (&rows)[kRows], float (&warp_sums)[kRows][32],
                                           float (&warp_squares)[kRows][32]) {
#pragma unroll
  for (int r = 0; r < kRows; ++r) rows[r] = {warp_sum(rows[r].values), warp_sum(rows[r].squares)};
  const int warps = blockDim.x / 32;
  if (warps == 1) return;
  if (threadIdx.x % 32 == 0) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      warp_sums[r][threadIdx.x / 32] = rows[r].values;
      warp_squares[r][threadIdx.x / 32] = rows[r].squares;
    }
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    rows[r] = {warp_sum(lane < warps ? warp_sums[r][lane] : 0.0f), warp_sum(lane < warps ? warp_squares[r][lane] : 0.0f)};
  }
}

// As cut_of(), but without the last whole pack where the pack of weights or biases in which it ends reaches past
// theirs. Head and tail are at most 2 * kPack - 1 values together.
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

// The weights or biases of pack `index` of a row with `head` values before its first pack, of which kWords words are
// whole: cut from two packs of the vector.
template <int kWords, class T>
__device__ __forceinline__ Pack<T> load_cut(const T* weight, int head, int index) {
  const uint4* const packs = reinterpret_cast<const uint4*>(weight) + index;
  uint4 words = load_to_stay_in_l1(packs);
  if (kWords > 0 || head > 0) {
    words = cut_words<kWords>(words, load_to_stay_in_l1(packs + 1), head * (int)sizeof(T) % 4 * 8);
  }
  return *reinterpret_cast<const Pack<T>*>(&words);
}

// Rows that a group of threads works on together, a thread's packs of them, where their results go, and their means and
// scales. Packs: which ones a thread has, as LanePacks.
template <class T, int kRows, class Packs>
struct RowsTogether {
  int count;   // of them, that there are
  int step;    // values from one to the next
  uint4 held[kRows][Packs::kMost];
  T* result;   // of the first one
  float means[kRows], scales[kRows];

  // Puts out all whole packs: of rows with so many values before the first one, of which kWords words are whole. Means
  // of 16-bit values are near 0.
  template <int kWords>
  __device__ __forceinline__ void put_out(const T* weight, const T* bias, const Packs& its, int head) {
    unsigned last = 0;   // of the results so far
    its.each([&](int p) {
      const int index = its.first + p * Packs::kStep;
#pragma unroll
      for (int r = 0; r < kRows; ++r) keep_packed_until<T>(held[r][p], last);
      Pack<T> weights = load_cut<kWords>(weight, head, index);
      Pack<T> biases = load_cut<kWords>(bias, head, index);
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        keep_packed<T>(weights);
        keep_packed<T>(biases);
        const Pack<T>& values = *reinterpret_cast<const Pack<T>*>(&held[r][p]);
        const Pack<T> pack = sizeof(T) == 4 ? normalized(values, means[r], scales[r], weights, biases)
                                            : normalized_near(values, means[r], scales[r], weights, biases);
        if (r < count) reinterpret_cast<Pack<T>*>(result + r * step + head)[index] = pack;
        last = reinterpret_cast<const uint4*>(&pack)->w;
      }
    });
  }
  // The same, whatever lies before the first one.
  __device__ __forceinline__ void put_out_packs(const T* weight, const T* bias, const Packs& its, int head) {
    switch (head * (int)sizeof(T) / 4) {
      case 0:
        put_out<0>(weight, bias, its, head);
        break;
      case 1:
        put_out<1>(weight, bias, its, head);
        break;
      case 2:
        put_out<2>(weight, bias, its, head);
        break;
      default:
        put_out<3>(weight, bias, its, head);
    }
  }
  // The same where a mean is not near 0.
  __device__ __forceinline__ void put_out_far(const T* weight, const T* bias, const Packs& its, int head) {
    its.each([&](int p) {
      const int index = its.first + p * Packs::kStep;
      const int next = index + (head > 0);
      const Pack<T> weights = part_of(pack_at(weight, index), pack_at(weight, next), head);
      const Pack<T> biases = part_of(pack_at(bias, index), pack_at(bias, next), head);
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        keep_packed<T>(held[r][p]);
        const Pack<T> pack =
            normalized(*reinterpret_cast<const Pack<T>*>(&held[r][p]), means[r], scales[r], weights, biases);
        if (r < count) reinterpret_cast<Pack<T>*>(result + r * step + head)[index] = pack;
      }
    });
  }
};

// A row has at most blockDim.x * kPacks whole packs; blockDim.x: a multiple of 32, and blockDim.y above 1 only where it
// is 32; kMostThreads threads at most. The block's threads with the same threadIdx.y work on kRows rows that lie as
// many rows apart as a pack has values, and so begin at the same place of a pack: kPackOf<T> such groups take
// kRows * kPackOf<T> rows that follow each other. A multiprocessor's registers are enough for kBlocks blocks of
// kMostThreads threads.
//
// Compared with layer_norm_anywhere: more rows are under way at once, since no thread holds a second
// one, and a block makes nothing ready first. Each pack of weights and biases is loaded when it is
// needed, and cut to fit for kRows rows. A warp's packs lie beside each other. Values of 16 bits are read once for mean
// and variance where the mean is near 0, else twice, as floats are. kPastL1: L1 does not keep what is read.
//
// Launches overlap. The next kernel is let in at once: it finds no room before a block has ended.
template <class T, int kRows, int kPacks, int kMostThreads, int kBlocks, bool kPastL1>
__global__ void __launch_bounds__(kMostThreads, kBlocks)
    layer_norm_fitted_anywhere(const T* in, const T* weight, const T* bias, T* out, long long rows, int columns,
                               float epsilon) {
  constexpr int kPack = kPackOf<T>;
  __shared__ float warp_sums[kRows][32];
  __shared__ float warp_squares[kRows][32];
  __shared__ float warp_m2s[kRows][32];
  cudaTriggerProgrammaticLaunchCompletion();
  const unsigned group = blockIdx.x * blockDim.y + threadIdx.y;
  const long long number = group / kPack * (long long)(kPack * kRows) + group % kPack;
  if (number >= rows) return;   // the whole group
  const long long start = number * columns;
  const Cut cut = cut_within_vectors(in + start, columns);
  const LanePacks<kPacks, false> its(cut.packs);
  const int behind = threadIdx.x - cut.head;
  const int column = behind < 0 ? threadIdx.x : behind < cut.tail ? columns - cut.tail + behind : -1;   // in no pack
  RowsTogether<T, kRows, LanePacks<kPacks, false>> together = {};
  together.step = kPack * columns;
  together.result = out + start;
  together.count = 1;
  for (int r = 1; r < kRows; ++r) together.count += number + r * kPack < rows;
  cudaGridDependencySynchronize();
  const float edge_weight = column >= 0 ? widened(weight[column]) : 0.0f;
  const float edge_bias = column >= 0 ? widened(bias[column]) : 0.0f;
  float edges[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    // A row that is not there is read as the first one.
    const T* const from = in + start + (r < together.count ? r * together.step : 0);
    const uint4* const row = reinterpret_cast<const uint4*>(from + cut.head) + its.first;
    its.each([&](int p) { together.held[r][p] = kPastL1 ? load_once(row + p * 32) : row[p * 32]; });
    edges[r] = column >= 0 ? widened(from[column]) : 0.0f;
  }
  const auto squares_about_mean = [&](int r) {   // of this thread's values
    const float apart = column >= 0 ? edges[r] - together.means[r] : 0.0f;
    float squares = apart * apart;
    its.each([&](int p) {
      keep_packed<T>(together.held[r][p]);
      squares = add_squares(squares, *reinterpret_cast<const Pack<T>*>(&together.held[r][p]), together.means[r]);
    });
    return squares;
  };
  bool near = true;   // are all means?
  float m2s[kRows];
  if constexpr (sizeof(T) == 4) {
    float sums[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      sums[r] = edges[r];
#pragma unroll
      for (int p = 0; p < kPacks; ++p) {
        sums[r] = add_values(sums[r], *reinterpret_cast<const Pack<T>*>(&together.held[r][p]));
      }
    }
    block_sums(sums, warp_sums);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      together.means[r] = sums[r] / (float)columns;
      m2s[r] = squares_about_mean(r);
    }
    block_sums(m2s, warp_squares);
#pragma unroll
    for (int r = 0; r < kRows; ++r) together.scales[r] = scale_of(m2s[r] / (float)columns, epsilon);
  } else {
    Sums sums[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      sums[r] = {edges[r], edges[r] * edges[r]};
      its.each([&](int p) {
        keep_packed_until<T>(together.held[r][p], sums[r].squares);
        add_to(sums[r], *reinterpret_cast<const Pack<T>*>(&together.held[r][p]));
      });
    }
    block_sums(sums, warp_sums, warp_squares);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      together.means[r] = __fdividef(sums[r].values, (float)columns);
      m2s[r] = m2_by_squares(sums[r], together.means[r]);
      near = near && mean_is_near(m2s[r], sums[r]);
    }
    if (!near) {   // for all threads of a row, whose sums are the same
#pragma unroll
      for (int r = 0; r < kRows; ++r) m2s[r] = squares_about_mean(r);
      block_sums(m2s, warp_m2s);
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      together.scales[r] = quick_scale({(float)columns, together.means[r], m2s[r]}, epsilon);
    }
  }
  // Values in no pack are put out first, and then take no registers.
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    if (column >= 0 && r < together.count) {
      together.result[r * together.step + column] =
          narrowed<T>(normalized(edges[r], together.means[r], together.scales[r], edge_weight, edge_bias));
    }
  }
  if (near) {
    together.put_out_packs(weight, bias, its, cut.head);
  } else {
    together.put_out_far(weight, bias, its, cut.head);
  }
}
