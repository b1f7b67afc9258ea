// Layer norm of many rows, each of which a few lanes or a few warps hold in registers. GPUs of sm_90 and later; not
// emulated. Arguments as in kernels.cuh; in and out lie equally far past a multiple of 16 bytes, weight and bias begin
// at one.

#include "units.cuh"

// The threads of a block of the kernel below, for so many lanes a row, and for how many blocks a multiprocessor's
// registers are to be enough, where a thread holds so many words of rows. near: as few_lanes_near() has it.
__host__ __device__ constexpr int few_lanes_block(int lanes) { return lanes > 32 ? lanes : 128; }
__host__ __device__ constexpr int few_lanes_blocks(int lanes, int words, int near) {
  return (words <= 8 ? 40 : words <= 16 ? near > 1 ? 28 : 32 : words <= 24 ? 20 : 16) / (few_lanes_block(lanes) / 32);
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

// Turns kCount numbers into their sums over the kLanes neighbouring threads that share a row. warp_sums: shared memory;
// beyond a warp, all threads of the block are such neighbours.
template <int kLanes, int kCount>
__device__ __forceinline__ void add_up(float (&numbers)[kCount], float (&warp_sums)[kCount][kLanes / 32 + 1]) {
  constexpr int kLanesOfWarp = kLanes < 32 ? kLanes : 32;
  constexpr int kLanesANumber = kLanesOfWarp / kCount;
  const float sum = add_up_apart<kLanesOfWarp>(numbers);
  if constexpr (kLanes <= 32) {
    hand_out<kLanes, kLanesANumber>(sum, numbers);
  } else {
    if (threadIdx.x % kLanesANumber == 0) warp_sums[threadIdx.x % 32 / kLanesANumber][threadIdx.x / 32] = sum;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kCount; ++k) {
      numbers[k] = warp_sums[k][0];
#pragma unroll
      for (int w = 1; w < kLanes / 32; ++w) numbers[k] += warp_sums[k][w];
    }
  }
}

// A value of a row, taken to mean 0 and variance 1. centre: of floats, the row's mean. Of 16-bit values, -mean * scale,
// where the mean is near 0: as in normalized_near().
template <class T>
__device__ __forceinline__ float scaled(float value, float centre, float scale) {
  return sizeof(T) == 4 ? (value - centre) * scale : fmaf(value, scale, centre);
}

// From the sums of a row of 16-bit values: what scaled() takes. Is its mean near 0?
__device__ __forceinline__ bool work_out_row(const Sums& both, int columns, float epsilon, float& centre, float& scale) {
  const float mean = __fdividef(both.values, columns);
  const float m2 = m2_by_squares(both, mean);
  scale = quick_scale({(float)columns, mean, m2}, epsilon);
  centre = -mean * scale;
  return mean_is_near(m2, both);
}

// The same of kRows rows, from what add_up_apart() gives kLanes neighbouring lanes of a warp: sums of all rows' values,
// then of their squares. A lane works out one row and says whether its mean is near 0.
template <int kLanes, int kRows>
__device__ __forceinline__ bool work_out_rows(float sum, int columns, float epsilon, float (&centres)[kRows],
                                              float (&scales)[kRows]) {
  const float other = __shfl_xor_sync(kFullWarp, sum, kLanes / 2);
  const bool upper = threadIdx.x & (kLanes / 2);   // the upper lanes have sums of squares
  float centre, scale;
  const bool near = work_out_row({upper ? other : sum, upper ? sum : other}, columns, epsilon, centre, scale);
  hand_out<kLanes, kLanes / (2 * kRows)>(centre, centres);
  hand_out<kLanes, kLanes / (2 * kRows)>(scale, scales);
  return near;
}

// Puts out the units that a lane holds of rows, `mine` being the place of its first one, and `left` the units of a row
// from there on. Lanes without a unit take part, so that they never go apart, and store nothing. centres, scales: as in
// scaled().
template <int kWords, int kLanes, class T, class Unit, int kRows, int kUnits>
__device__ __forceinline__ void put_out_units(Unit (&held)[kRows][kUnits], const float (&centres)[kRows],
                                              const float (&scales)[kRows], const T* weight, const T* bias, T* mine,
                                              const int (&shifts)[kRows], int head, int lane, int left) {
  constexpr int kValues = sizeof(Unit) / sizeof(T);
  constexpr bool kInTurn = kRows * kUnits * sizeof(Unit) > 64;   // units are widened one after the other, for registers
  unsigned last = 0;   // of the results so far
#pragma unroll
  for (int u = 0; u < kUnits; ++u) {
    const bool has_it = u * kLanes < left;
    const int index = has_it ? lane + u * kLanes : 0;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      keep_unit<T>(held[r][u]);
      if (kInTurn) asm volatile("" : "+r"(*reinterpret_cast<unsigned*>(&held[r][u])), "+r"(last));
    }
    Unit weights = load_unit<kWords, Unit>(weight, head, index);
    Unit biases = load_unit<kWords, Unit>(bias, head, index);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      keep_unit<T>(weights);
      keep_unit<T>(biases);
      Unit results;
#pragma unroll
      for (int k = 0; k < kValues; k += 2) {
        const float2 values = widened_pair<T>(reinterpret_cast<const T*>(&held[r][u]) + k);
        const float2 factors = widened_pair<T>(reinterpret_cast<const T*>(&weights) + k);
        const float2 terms = widened_pair<T>(reinterpret_cast<const T*>(&biases) + k);
        narrow_pair<T>(make_float2(fmaf(scaled<T>(values.x, centres[r], scales[r]), factors.x, terms.x),
                                   fmaf(scaled<T>(values.y, centres[r], scales[r]), factors.y, terms.y)),
                       reinterpret_cast<T*>(&results) + k);
      }
      if (has_it) *reinterpret_cast<Unit*>(past(mine, shifts[r] + u * kLanes * sizeof(Unit))) = results;
      last = *reinterpret_cast<const unsigned*>(&results);
    }
  }
}

// Puts out a row of 16-bit values whose mean is far from 0, value by value: after two walks for the mean and for squares
// about it. Of a row that is not there, `columns` is 0. warp_sums: shared memory that no other row uses.
template <int kLanes, class T>
__device__ void put_out_far(const T* row, const T* weight, const T* bias, T* result, int columns, float epsilon,
                            float (&warp_sums)[2][1][kLanes / 32 + 1]) {
  float mean[1] = {0.0f};
#pragma unroll 1
  for (int column = threadIdx.x % kLanes; column < columns; column += kLanes) mean[0] += widened(row[column]);
  add_up<kLanes>(mean, warp_sums[0]);
  mean[0] /= (float)columns;
  float squares[1] = {0.0f};
#pragma unroll 1
  for (int column = threadIdx.x % kLanes; column < columns; column += kLanes) {
    const float apart = widened(row[column]) - mean[0];
    squares[0] = fmaf(apart, apart, squares[0]);
  }
  add_up<kLanes>(squares, warp_sums[1]);
  const float scale = quick_scale({(float)columns, mean[0], squares[0]}, epsilon);
#pragma unroll 1
  for (int column = threadIdx.x % kLanes; column < columns; column += kLanes) {
    result[column] = normalized(row[column], mean[0], scale, weight[column], bias[column]);
  }
}

// kLanes neighbouring threads, of a warp or of several warps, work on kRows rows. A row has at most kLanes * kUnits
// whole units of kBytes. kWhole: each row begins with a unit and has nothing but whole ones. Else a lane has a few of
// the values before and behind them, too, units have 16 bytes, a row has at least two, and the rows of a thread lie a
// multiple of a unit's values apart: they begin at the same place of a unit, and weights and biases are cut there once for
// all. Groups of lanes with a unit each take rows that follow each other, and cut each at its own place: the last values
// of one and the first of the next are then stored by one instruction, to the same sector.
//
// Compared with layer_norm_short_rows: rows may begin anywhere, values stay packed, and launches overlap. The next
// kernel is let in at once: it finds no room before a block has ended. Compared with layer_norm_short_anywhere: a
// row's units do not go through shared memory; but of a very short row most is in none, and goes value by value. Mean
// and variance as in layer_norm_fitted_anywhere.
template <class T, int kBytes, int kLanes, int kUnits, int kRows, bool kWhole>
__global__ void __launch_bounds__(few_lanes_block(kLanes), few_lanes_blocks(kLanes, kRows * kUnits * (kBytes / 4),
                                                                few_lanes_near(kLanes, kUnits, kWhole)))
    layer_norm_few_lanes(const T* in, const T* weight, const T* bias, T* out, int rows, int columns, float epsilon) {
  using Unit = typename UnitOf<kBytes>::Type;
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
  float centres[kRows], scales[kRows];   // as in scaled()
  if constexpr (sizeof(T) == 4) {
    __shared__ float warp_sums[kRows][kLanes / 32 + 1], warp_squares[kRows][kLanes / 32 + 1];
    float squares[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      centres[r] = 0.0f;
#pragma unroll
      for (int e = 0; e < kEdges; ++e) centres[r] += edges[r][e];
#pragma unroll
      for (int u = 0; u < kUnits; ++u) {
#pragma unroll
        for (int k = 0; k < kValues; ++k) centres[r] += reinterpret_cast<const T*>(&held[r][u])[k];
      }
    }
    add_up<kLanes>(centres, warp_sums);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      centres[r] /= (float)columns;
      squares[r] = 0.0f;
#pragma unroll
      for (int e = 0; e < kEdges; ++e) {
        const float apart = edge_columns[e] >= 0 ? edges[r][e] - centres[r] : 0.0f;
        squares[r] = fmaf(apart, apart, squares[r]);
      }
#pragma unroll
      for (int u = 0; u < kUnits; ++u) {
#pragma unroll
        for (int k = 0; k < kValues; ++k) {
          const float apart = u * kLanes < left ? reinterpret_cast<const T*>(&held[r][u])[k] - centres[r] : 0.0f;
          squares[r] = fmaf(apart, apart, squares[r]);
        }
      }
    }
    add_up<kLanes>(squares, warp_squares);
#pragma unroll
    for (int r = 0; r < kRows; ++r) scales[r] = scale_of(squares[r] / (float)columns, epsilon);
  } else {
    float sums[2 * kRows];   // of all rows' values, then of their squares
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      sums[r] = sums[kRows + r] = 0.0f;
#pragma unroll
      for (int e = 0; e < kEdges; ++e) {
        sums[r] += widened(edges[r][e]);
        sums[kRows + r] = fmaf(widened(edges[r][e]), widened(edges[r][e]), sums[kRows + r]);
      }
#pragma unroll
      for (int u = 0; u < kUnits; ++u) {
        keep_unit<T>(held[r][u]);
#pragma unroll
        for (int k = 0; k < kValues; k += 2) {
          const float2 pair = widened_pair<T>(reinterpret_cast<const T*>(&held[r][u]) + k);
          sums[r] += pair.x + pair.y;
          sums[kRows + r] = fmaf(pair.x, pair.x, sums[kRows + r]);
          sums[kRows + r] = fmaf(pair.y, pair.y, sums[kRows + r]);
        }
      }
    }
    bool near = true;   // are all means of the rows of a warp, or of a block that has one team?
    if constexpr (kLanes <= 32) {
      near = work_out_rows<kLanes>(add_up_apart<kLanes>(sums), columns, epsilon, centres, scales);
    } else {
      __shared__ float warp_sums[2 * kRows][kLanes / 32 + 1];
      add_up<kLanes>(sums, warp_sums);
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        near = work_out_row({sums[r], sums[kRows + r]}, columns, epsilon, centres[r], scales[r]) && near;
      }
    }
    if (!__all_sync(kFullWarp, near)) {
      __shared__ float warp_sums[kRows][2][1][kLanes / 32 + 1];
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        put_out_far<kLanes>(past(in, shifts[r]), weight, bias, past(out, shifts[r]),
                            there && (r == 0 || shifts[r] > 0) ? columns : 0, epsilon, warp_sums[r]);
      }
      return;
    }
  }
#pragma unroll
  for (int e = 0; e < kEdges; ++e) {
    if (edge_columns[e] < 0) continue;
    const float edge_weight = widened(weight[edge_columns[e]]);
    const float edge_bias = widened(bias[edge_columns[e]]);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const float result = fmaf(scaled<T>(widened(edges[r][e]), centres[r], scales[r]), edge_weight, edge_bias);
      *past(out + edge_columns[e], shifts[r]) = narrowed<T>(result);
    }
  }
  // Weights and biases are loaded after sums are known: earlier, they would only take registers. An instruction that
  // does nothing, but might have changed both.
  int first = lane;
  asm volatile("" : "+r"(first), "+f"(scales[kRows - 1]));
  if constexpr (kWhole) {
    put_out_units<-1, kLanes>(held, centres, scales, weight, bias, out + mine, shifts, 0, first, left);
  } else if constexpr (kNear > 1) {
    put_out_units<kAnyWords, kLanes>(held, centres, scales, weight, bias, out + mine, shifts, cut.head, first, left);
  } else {
    switch (cut.head * (int)sizeof(T) / 4) {
      case 0:
        put_out_units<0, kLanes>(held, centres, scales, weight, bias, out + mine, shifts, cut.head, first, left);
        break;
      case 1:
        put_out_units<1, kLanes>(held, centres, scales, weight, bias, out + mine, shifts, cut.head, first, left);
        break;
      case 2:
        put_out_units<2, kLanes>(held, centres, scales, weight, bias, out + mine, shifts, cut.head, first, left);
        break;
      default:
        put_out_units<3, kLanes>(held, centres, scales, weight, bias, out + mine, shifts, cut.head, first, left);
    }
  }
}
