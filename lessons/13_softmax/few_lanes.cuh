// Softmax of short rows, each by a few lanes that hold it in registers. GPUs of sm_90 and later; not emulated.
// Arguments as in kernels.cuh; in and out lie equally far past a multiple of 16 bytes.

#include "units.cuh"

// The threads of a block of the kernel below, and for how many of them a multiprocessor's registers are to be enough,
// where a thread holds so many words of rows.
constexpr int kFewLanesBlock = 128;
constexpr int few_lanes_blocks(int words) {
  return words <= 8 ? 12 : words <= 12 ? 10 : words <= 20 ? 8 : words <= 24 ? 6 : 5;
}

// kLanes neighbouring lanes work on kRows rows. A row has at most kLanes * kUnits whole units of kBytes. kWhole: each row
// begins with a unit and has nothing but whole ones. Else a lane has a few of the values before and behind them, too, and
// units have 16 bytes.
//
// The groups of lanes of a warp take rows that follow each other: one's last values and the next one's first ones are
// then stored by one instruction, to the same sector. A thread's rows lie so far apart that they begin at the same place
// of a unit, and warps take the rows between.
//
// Compared with softmax_short_rows: rows may begin anywhere, and launches overlap. The next kernel is let in at once: it
// finds no room before a block has ended. Compared with softmax_short_anywhere: a row's units do not go through shared
// memory; but of a very short row most is in none, and goes value by value. Exponentials are kept as floats: an H100
// moved 34 MB of 161 halves at 63 % of a copy's bandwidth where each was taken twice, and at 71 so.
template <class T, int kBytes, int kLanes, int kUnits, int kRows, bool kWhole>
__global__ void __launch_bounds__(kFewLanesBlock, few_lanes_blocks(kRows * kUnits * (kBytes / 4)))
    softmax_few_lanes(const T* in, T* out, int rows, int columns) {
  using Unit = typename UnitOf<kBytes>::Type;
  constexpr int kValues = kBytes / sizeof(T);
  constexpr int kGroups = 32 / kLanes;
  constexpr int kAlike = kWhole ? 1 : kValues;   // rows so far apart begin at the same place of a unit
  constexpr int kApart = kAlike > kGroups ? kAlike : kGroups;   // from one of a thread's rows to its next
  constexpr int kWarps = kApart / kGroups;   // that take the rows between
  constexpr int kEdges = kWhole ? 0 : (2 * kValues + kLanes - 1) / kLanes;   // a lane, of values in no unit
  constexpr int kRoom = kEdges > 0 ? kEdges : 1;
  cudaTriggerProgrammaticLaunchCompletion();
  const int lane = threadIdx.x % kLanes;
  const int warp = blockIdx.x * (kFewLanesBlock / 32) + threadIdx.x / 32;
  const int number = warp / kWarps * (kApart * kRows) + warp % kWarps * kGroups + threadIdx.x % 32 / kLanes;
  const bool there = number < rows;   // no row: nothing to load, but a part in the shuffles
  const long long start = there ? (long long)number * columns : 0;
  in += start;
  out += start;
  Cut cut = {0, columns / kValues, 0};
  if constexpr (!kWhole) cut = cut_of(in, columns);
  const int left = there ? cut.packs - lane : 0;
  const int mine = cut.head + lane * kValues;   // where in a row its first unit begins
  int edge_columns[kRoom];   // or -1
#pragma unroll
  for (int e = 0; e < kEdges; ++e) {
    const int place = e * kLanes + lane;
    const int behind = place - cut.head;
    edge_columns[e] = !there ? -1 : behind < 0 ? place : behind < cut.tail ? columns - cut.tail + behind : -1;
  }
  int shifts[kRows];   // bytes from the first row to each. One that is not there is the first one, once more
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    shifts[r] = r > 0 && number + r * kApart < rows ? r * kApart * columns * (int)sizeof(T) : 0;
  }
  cudaGridDependencySynchronize();
  Unit held[kRows][kUnits];
  float edges[kRows][kRoom];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
#pragma unroll
    for (int u = 0; u < kUnits; ++u) {
#pragma unroll
      for (int k = 0; k < kBytes / 4; ++k) {
        reinterpret_cast<unsigned*>(&held[r][u])[k] = as_words(minus_infinities<T>()).x;
      }
      const T* const from = past(in + mine, shifts[r] + u * kLanes * kBytes);
      if (u * kLanes < left) held[r][u] = *reinterpret_cast<const Unit*>(from);
    }
#pragma unroll
    for (int e = 0; e < kEdges; ++e) {
      edges[r][e] = edge_columns[e] >= 0 ? widened(*past(in + edge_columns[e], shifts[r])) : -INFINITY;
    }
  }
  float kept[kRows][kUnits][kValues], scales[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    float largest = largest_of<T>(held[r]);
#pragma unroll
    for (int e = 0; e < kEdges; ++e) largest = fmaxf(largest, edges[r][e]);
    largest = finite_or_zero(kLanes == 32 ? max_of_warp(largest) : max_xor<kLanes>(largest));
    const RelativeExp<T> exp_of = {largest};
    float sum = 0.0f;
#pragma unroll
    for (int e = 0; e < kEdges; ++e) {
      edges[r][e] = exp_of(edges[r][e]);
      sum += edges[r][e];
    }
#pragma unroll
    for (int u = 0; u < kUnits; ++u) {
#pragma unroll
      for (int k = 0; k < kValues; ++k) {
        kept[r][u][k] = exp_of(widened(reinterpret_cast<const T*>(&held[r][u])[k]));
        sum += kept[r][u][k];
      }
    }
    scales[r] = __fdividef(1.0f, sum_xor<kLanes>(sum));   // off by two units in the last place at most
  }
#pragma unroll
  for (int e = 0; e < kEdges; ++e) {
    if (edge_columns[e] < 0) continue;
#pragma unroll
    for (int r = 0; r < kRows; ++r) *past(out + edge_columns[e], shifts[r]) = narrowed<T>(edges[r][e] * scales[r]);
  }
#pragma unroll
  for (int u = 0; u < kUnits; ++u) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      Unit results;   // worked out by all lanes: else those of a warp would part
#pragma unroll
      for (int k = 0; k < kValues; k += 2) {
        T* const pair = reinterpret_cast<T*>(&results) + k;
        narrow_pair<T>(make_float2(kept[r][u][k] * scales[r], kept[r][u][k + 1] * scales[r]), pair);
      }
      if (u * kLanes < left) *reinterpret_cast<Unit*>(past(out + mine, shifts[r] + u * kLanes * kBytes)) = results;
    }
  }
}
