// Layer norm of short rows, each by a few lanes that hold it in registers. GPUs of sm_90 and later; not emulated.
// Arguments as in kernels.cuh; in and out lie equally far past a multiple of 16 bytes, weight and bias begin at one.

// The threads of a block of the kernel below, and for how many of them a multiprocessor's registers are to be enough.
constexpr int kFewLanesBlock = 128;
constexpr int few_lanes_blocks(int packs, int rows) {
  return packs * rows <= 2 ? 12 : packs * rows == 3 ? 10 : packs * rows < 6 ? 8 : 6;
}

// The sum of kLanes neighbouring lanes, in each of them. All lanes of the warp take part.
template <int kLanes>
__device__ __forceinline__ float sum_of_few(float value) {
#pragma unroll
  for (int lane_mask = kLanes / 2; lane_mask > 0; lane_mask /= 2) {
    value += __shfl_xor_sync(kFullWarp, value, lane_mask);
  }
  return value;
}

// Leaves a number as it is, but what is loaded by it is loaded after `value` is known: earlier, it would only take
// registers. An instruction that does nothing, but might have changed both.
__device__ __forceinline__ void keep_until_known(int& number, float& value) {
  asm volatile("" : "+r"(number), "+f"(value));
}

// Packs of a row that one of kLanes lanes has: its first one, and every kLanes-th from there on, kPacks at most.
template <int kLanes, int kPacks>
struct PacksOfFew {
  static constexpr int kMost = kPacks;
  static constexpr int kStep = kLanes;   // from one to the next
  int first;   // number of the first one
  int left;    // packs of the row from there on

  __device__ __forceinline__ explicit PacksOfFew(int packs) : first(threadIdx.x % kLanes), left(packs - first) {}
  // Acts on the number of each, from 0 on.
  template <class Action>
  __device__ __forceinline__ void each(const Action& act) const {
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      if (p * kLanes < left) act(p);
    }
  }
};

// A row has at most kLanes * kPacks whole packs, and kLanes neighbouring lanes work on kRows rows. kWhole: each row
// begins at a multiple of 16 bytes and has nothing but whole packs. Else a lane has a few of the values before and
// behind them, too, and the rows of a warp lie a multiple of a pack's values apart: they begin at the same place of a
// pack, and weights and biases are cut there.
//
// Compared with layer_norm_short_rows: rows may begin anywhere, values stay packed, and launches overlap. The next
// kernel is let in at once: it finds no room before a block has ended. Compared with layer_norm_short_anywhere: a row's
// packs do not go through shared memory; but of a very short row most is not in whole packs, and goes value by value.
// Mean and variance as in layer_norm_fitted_anywhere.
template <class T, int kLanes, int kPacks, int kRows, bool kWhole>
__global__ void __launch_bounds__(kFewLanesBlock, few_lanes_blocks(kPacks, kRows))
    layer_norm_few_lanes(const T* in, const T* weight, const T* bias, T* out, long long rows, int columns,
                          float epsilon) {
  constexpr int kPack = kPackOf<T>;
  constexpr int kApart = kWhole ? 1 : kPack;   // rows that follow each other, and which as many warps take
  constexpr int kEdges = (2 * kPack + kLanes - 1) / kLanes;   // a lane, of values in no pack
  cudaTriggerProgrammaticLaunchCompletion();
  const unsigned warp = blockIdx.x * (kFewLanesBlock / 32) + threadIdx.x / 32;
  const int lane = threadIdx.x % kLanes;
  const int group = threadIdx.x % 32 / kLanes;
  const long long number = warp / kApart * (long long)(kApart * kRows * (32 / kLanes)) + warp % kApart +
                           group * (kApart * kRows);
  const bool there = number < rows;   // no row: nothing to load, but a part in the shuffles
  const long long start = there ? number * columns : 0;
  Cut cut = {0, 0, 0};
  if (there && kWhole) cut.packs = columns / kPack;
  if (there && !kWhole) cut = cut_within_vectors(in + start, columns);
  const auto edge_column = [&](int e) {   // or -1
    const int place = e * kLanes + lane;
    const int behind = place - cut.head;
    return kWhole ? -1 : behind < 0 ? place : behind < cut.tail ? columns - cut.tail + behind : -1;
  };
  using Packs = PacksOfFew<kLanes, kPacks>;
  Packs its(cut.packs);
  RowsTogether<T, kRows, Packs> together = {};
  together.step = kApart * columns;
  together.result = out + start;
#pragma unroll
  for (int r = 0; r < kRows; ++r) together.count += number + r * kApart < rows;
  cudaGridDependencySynchronize();
  float edges[kRows][kEdges];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    // A row that is not there is read as the first one.
    const T* const from = in + start + (r < together.count ? r * together.step : 0);
    const uint4* const row = reinterpret_cast<const uint4*>(from + cut.head) + its.first;
    its.each([&](int p) { together.held[r][p] = row[p * kLanes]; });
#pragma unroll
    for (int e = 0; e < kEdges; ++e) edges[r][e] = edge_column(e) >= 0 ? widened(from[edge_column(e)]) : 0.0f;
  }
  const auto squares_about_mean = [&](int r) {   // of the row
    const float mean = together.means[r];
    float squares = 0.0f;
#pragma unroll
    for (int e = 0; e < kEdges; ++e) {
      if (edge_column(e) >= 0) squares = fmaf(edges[r][e] - mean, edges[r][e] - mean, squares);
    }
    its.each([&](int p) {
      keep_packed<T>(together.held[r][p]);
      squares = add_squares(squares, *reinterpret_cast<const Pack<T>*>(&together.held[r][p]), mean);
    });
    return sum_of_few<kLanes>(squares);
  };
  bool near = true;   // are all means of the warp's rows?
  if constexpr (sizeof(T) == 4) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      float sum = 0.0f;
#pragma unroll
      for (int e = 0; e < kEdges; ++e) sum += edges[r][e];
#pragma unroll
      for (int p = 0; p < kPacks; ++p) sum = add_values(sum, *reinterpret_cast<const Pack<T>*>(&together.held[r][p]));
      together.means[r] = sum_of_few<kLanes>(sum) / (float)columns;
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) together.scales[r] = scale_of(squares_about_mean(r) / (float)columns, epsilon);
  } else {
    float m2s[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      Sums sums = {0.0f, 0.0f};
#pragma unroll
      for (int e = 0; e < kEdges; ++e) {
        sums.values += edges[r][e];
        sums.squares = fmaf(edges[r][e], edges[r][e], sums.squares);
      }
#pragma unroll
      for (int p = 0; p < kPacks; ++p) {
        keep_packed<T>(together.held[r][p]);
        add_to(sums, *reinterpret_cast<const Pack<T>*>(&together.held[r][p]));
      }
      sums = {sum_of_few<kLanes>(sums.values), sum_of_few<kLanes>(sums.squares)};
      together.means[r] = __fdividef(sums.values, columns);
      m2s[r] = m2_by_squares(sums, together.means[r]);
      near = near && mean_is_near(m2s[r], sums);
    }
    near = __all_sync(kFullWarp, near);
    if (!near) {
#pragma unroll
      for (int r = 0; r < kRows; ++r) m2s[r] = squares_about_mean(r);
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      together.scales[r] = quick_scale({(float)columns, together.means[r], m2s[r]}, epsilon);
    }
  }
#pragma unroll
  for (int e = 0; e < kEdges; ++e) {
    if (edge_column(e) < 0) continue;
    const float edge_weight = widened(weight[edge_column(e)]);
    const float edge_bias = widened(bias[edge_column(e)]);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const float result = normalized(edges[r][e], together.means[r], together.scales[r], edge_weight, edge_bias);
      if (r < together.count) together.result[r * together.step + edge_column(e)] = narrowed<T>(result);
    }
  }
  keep_until_known(its.first, together.scales[kRows - 1]);
  if (near) {
    together.put_out_packs(weight, bias, its, cut.head);
  } else {
    together.put_out_far(weight, bias, its, cut.head);
  }
}
