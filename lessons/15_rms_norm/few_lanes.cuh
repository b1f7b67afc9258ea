// RMS norm of many rows, each of which a few lanes or a few warps hold in registers. GPUs of sm_90 and later; not
// emulated. Arguments as in kernels.cuh; in and out lie equally far past a multiple of 16 bytes, and weight begins at
// one.

#include "units.cuh"

// The threads of a block of the kernel below, for so many lanes a row, and for how many blocks a multiprocessor's
// registers are to be enough, where a thread holds so many words of rows.
__host__ __device__ constexpr int few_lanes_block(int lanes) { return lanes > 32 ? lanes : 128; }
__host__ __device__ constexpr int few_lanes_blocks(int lanes, int words) {
  return (words <= 8 ? 40 : words <= 16 ? 32 : words <= 24 ? 20 : 16) / (few_lanes_block(lanes) / 32);
}

// How many neighbouring groups of lanes of a warp take rows that follow each other, so that each begins at its own place
// of a unit: all where a lane has one unit of rows that are not of whole ones, else each goes by itself.
__host__ __device__ constexpr int few_lanes_near(int lanes, int units, bool whole) {
  return !whole && units == 1 && lanes < 32 ? 32 / lanes : 1;
}

// The sums of kCount numbers over kLanes neighbouring lanes, at most a warp: the first lanes get the first one, the
// next as many lanes the next. At each step a lane hands over half of the numbers that it still adds up: kCount - 1
// exchanges and one for each further step, where one number after the other would take all steps for each.
template <int kLanes, int kCount>
__device__ __forceinline__ float add_up_apart(const float (&numbers)[kCount]) {
  if constexpr (kCount == 1) {
    float sum = numbers[0];
#pragma unroll
    for (int lane_mask = kLanes / 2; lane_mask > 0; lane_mask /= 2) sum += __shfl_xor_sync(kFullWarp, sum, lane_mask);
    return sum;
  } else {
    const bool upper = threadIdx.x & (kLanes / 2);
    float half[kCount / 2];
#pragma unroll
    for (int k = 0; k < kCount / 2; ++k) {
      const float mine = upper ? numbers[k + kCount / 2] : numbers[k];
      const float others = upper ? numbers[k] : numbers[k + kCount / 2];
      half[k] = mine + __shfl_xor_sync(kFullWarp, others, kLanes / 2);
    }
    return add_up_apart<kLanes / 2>(half);
  }
}

// Gives all of kLanes neighbouring lanes kCount numbers, of which one lane after each kApart has the next.
template <int kLanes, int kApart, int kCount>
__device__ __forceinline__ void hand_out(float number, float (&numbers)[kCount]) {
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    numbers[k] = kCount == 1 ? number : __shfl_sync(kFullWarp, number, k * kApart, kLanes);
  }
}

// Turns kCount numbers into their sums over the threads of a block of kThreads. warp_sums: shared memory.
template <int kThreads, int kCount>
__device__ __forceinline__ void add_up_in_block(float (&numbers)[kCount], float (&warp_sums)[kCount][kThreads / 32 + 1]) {
  constexpr int kLanesANumber = 32 / kCount;
  const float sum = add_up_apart<32>(numbers);
  if (threadIdx.x % kLanesANumber == 0) warp_sums[threadIdx.x % 32 / kLanesANumber][threadIdx.x / 32] = sum;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    numbers[k] = warp_sums[k][0];
#pragma unroll
    for (int w = 1; w < kThreads / 32; ++w) numbers[k] += warp_sums[k][w];
  }
}

// Puts out the units that a lane holds of rows, `mine` being the place of its first one, and `left` the units of a row
// from there on. Lanes without a unit take part, so that they never go apart, and store nothing.
template <int kWords, int kLanes, class T, class Unit, int kRows, int kUnits>
__device__ __forceinline__ void put_out_units(Unit (&held)[kRows][kUnits], const float (&scales)[kRows],
                                              const T* weight, T* mine, const int (&shifts)[kRows], int head, int lane,
                                              int left) {
  constexpr int kValues = sizeof(Unit) / sizeof(T);
#pragma unroll
  for (int u = 0; u < kUnits; ++u) {
    const bool has_it = u * kLanes < left;
    const int index = has_it ? lane + u * kLanes : 0;
#pragma unroll
    for (int r = 0; r < kRows; ++r) keep_unit<T>(held[r][u]);
    Unit weights = load_unit<kWords, Unit>(weight, head, index);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      keep_unit<T>(weights);
      Unit results;
#pragma unroll
      for (int k = 0; k < kValues; k += 2) {
        const float2 values = widened_pair<T>(reinterpret_cast<const T*>(&held[r][u]) + k);
        const float2 factors = widened_pair<T>(reinterpret_cast<const T*>(&weights) + k);
        narrow_pair<T>(make_float2(values.x * scales[r] * factors.x, values.y * scales[r] * factors.y),
                       reinterpret_cast<T*>(&results) + k);
      }
      if (has_it) *reinterpret_cast<Unit*>(past(mine, shifts[r] + u * kLanes * sizeof(Unit))) = results;
    }
  }
}

// kLanes neighbouring threads, of a warp or of several warps, work on kRows rows. A row has at most kLanes * kUnits
// whole units of kBytes. kWhole: each row begins with a unit and has nothing but whole ones. Else a lane has a few of
// the values before and behind them, too, units have 16 bytes, a row has at least two, and the rows of a thread lie a
// multiple of a unit's values apart: they begin at the same place of a unit, and weights are cut there once for
// all. Groups of lanes with a unit each take rows that follow each other, and cut each at its own place: the last values
// of one and the first of the next are then stored by one instruction, to the same sector.
//
// Compared with rms_norm_short_rows: rows may begin anywhere, values stay packed, and launches overlap. The next
// kernel is let in at once: it finds no room before a block has ended. Compared with rms_norm_short_anywhere: a row's
// units do not go through shared memory; but of a very short row most is in none, and goes value by value.
template <class T, int kBytes, int kLanes, int kUnits, int kRows, bool kWhole>
__global__ void __launch_bounds__(few_lanes_block(kLanes), few_lanes_blocks(kLanes, kRows * kUnits * (kBytes / 4)))
    rms_norm_few_lanes(const T* in, const T* weight, T* out, int rows, int columns, float epsilon) {
  using Unit = typename UnitOf<kBytes>::Type;
  constexpr bool kQuick = sizeof(T) < sizeof(float);   // mean and root, right to a few roundings more
  constexpr int kValues = kBytes / sizeof(T);
  constexpr int kBlock = few_lanes_block(kLanes);
  constexpr int kTeam = kLanes < 32 ? 32 : kLanes;
  constexpr int kGroups = kTeam / kLanes;
  constexpr int kNear = few_lanes_near(kLanes, kUnits, kWhole);
  constexpr int kAlike = kWhole ? 1 : kValues;   // rows so far apart begin at the same place of a unit
  constexpr int kApart = kAlike > kNear ? kAlike : kNear;   // from one of a thread's rows to its next
  constexpr int kTeams = kApart / kNear;   // that take the rows between
  constexpr int kEdges = kWhole ? 0 : (2 * kValues + kLanes - 1) / kLanes;   // a lane, of values in no unit
  constexpr int kRoom = kEdges > 0 ? kEdges : 1;
  cudaTriggerProgrammaticLaunchCompletion();
  const int lane = threadIdx.x % kLanes;
  const int team = blockIdx.x * (kBlock / kTeam) + threadIdx.x / kTeam;
  const int group = threadIdx.x % kTeam / kLanes;
  const int number = team / kTeams * (kApart * kRows * (kGroups / kNear)) + team % kTeams * kNear + group % kNear +
                     group / kNear * (kApart * kRows);
  const bool there = number < rows;   // no row: nothing to load, but a part in the sums
  const long long start = there ? (long long)number * columns : 0;
  in += start;
  out += start;
  Cut cut = {0, columns / kValues, 0};
  if constexpr (!kWhole) cut = cut_of_long(in, columns);
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
  Unit held[kRows][kUnits] = {};
  T edges[kRows][kRoom];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
#pragma unroll
    for (int u = 0; u < kUnits; ++u) {
      const T* const from = past(in + mine, shifts[r] + u * kLanes * kBytes);
      if (u * kLanes < left) held[r][u] = *reinterpret_cast<const Unit*>(from);
    }
#pragma unroll
    for (int e = 0; e < kEdges; ++e) {
      edges[r][e] = narrowed<T>(0.0f);
      if (edge_columns[e] >= 0) edges[r][e] = *past(in + edge_columns[e], shifts[r]);
    }
  }
  float sums[kRows];   // of squares
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    sums[r] = 0.0f;
#pragma unroll
    for (int e = 0; e < kEdges; ++e) sums[r] = fmaf(widened(edges[r][e]), widened(edges[r][e]), sums[r]);
#pragma unroll
    for (int u = 0; u < kUnits; ++u) {
      keep_unit<T>(held[r][u]);
#pragma unroll
      for (int k = 0; k < kValues; k += 2) {
        const float2 pair = widened_pair<T>(reinterpret_cast<const T*>(&held[r][u]) + k);
        sums[r] = fmaf(pair.x, pair.x, sums[r]);
        sums[r] = fmaf(pair.y, pair.y, sums[r]);
      }
    }
  }
  float scales[kRows];
  const float share = __fdividef(1.0f, columns);
  const auto scale_by = [&](float sum) {
    return kQuick ? rsqrtf(fmaf(sum, share, epsilon)) : scale_of(sum, columns, epsilon);
  };
  if constexpr (kLanes <= 32) {
    hand_out<kLanes, kLanes / kRows>(scale_by(add_up_apart<kLanes>(sums)), scales);   // a lane works out one row's
  } else {
    __shared__ float warp_sums[kRows][kLanes / 32 + 1];
    add_up_in_block<kLanes>(sums, warp_sums);
#pragma unroll
    for (int r = 0; r < kRows; ++r) scales[r] = scale_by(sums[r]);
  }
#pragma unroll
  for (int e = 0; e < kEdges; ++e) {
    if (edge_columns[e] < 0) continue;
    const float edge_weight = widened(weight[edge_columns[e]]);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      *past(out + edge_columns[e], shifts[r]) = narrowed<T>(widened(edges[r][e]) * scales[r] * edge_weight);
    }
  }
  // Weights are loaded after sums are known: earlier, they would only take registers. An instruction that does nothing,
  // but might have changed both.
  int first = lane;
  asm volatile("" : "+r"(first), "+f"(scales[kRows - 1]));
  if constexpr (kWhole) {
    put_out_units<-1, kLanes>(held, scales, weight, out + mine, shifts, 0, first, left);
  } else if constexpr (kNear > 1) {
    put_out_units<kAnyWords, kLanes>(held, scales, weight, out + mine, shifts, cut.head, first, left);
  } else {
    switch (cut.head * (int)sizeof(T) / 4) {
      case 0:
        put_out_units<0, kLanes>(held, scales, weight, out + mine, shifts, cut.head, first, left);
        break;
      case 1:
        put_out_units<1, kLanes>(held, scales, weight, out + mine, shifts, cut.head, first, left);
        break;
      case 2:
        put_out_units<2, kLanes>(held, scales, weight, out + mine, shifts, cut.head, first, left);
        break;
      default:
        put_out_units<3, kLanes>(held, scales, weight, out + mine, shifts, cut.head, first, left);
    }
  }
}
