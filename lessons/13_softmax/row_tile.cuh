// Softmax of many short rows that begin anywhere: a tile of them in shared memory. GPUs of sm_90 and later; not
// emulated. Arguments as in kernels.cuh; in and out begin at a multiple of 16 bytes.

// The larger values of two words.
template <class T>
__device__ __forceinline__ unsigned larger_word(unsigned a, unsigned b);
template <>
__device__ __forceinline__ unsigned larger_word<float>(unsigned a, unsigned b) {
  return __float_as_uint(fmaxf(__uint_as_float(a), __uint_as_float(b)));
}
template <>
__device__ __forceinline__ unsigned larger_word<__half>(unsigned a, unsigned b) {
  const __half2 larger = __hmax2(*reinterpret_cast<const __half2*>(&a), *reinterpret_cast<const __half2*>(&b));
  return *reinterpret_cast<const unsigned*>(&larger);
}
template <>
__device__ __forceinline__ unsigned larger_word<__nv_bfloat16>(unsigned a, unsigned b) {
  const __nv_bfloat162 larger =
      __hmax2(*reinterpret_cast<const __nv_bfloat162*>(&a), *reinterpret_cast<const __nv_bfloat162*>(&b));
  return *reinterpret_cast<const unsigned*>(&larger);
}

// The pair of a whole row from those of its parts, in each of their threads. all: shared memory, a place for each thread of
// the block. The sum of a part without values is 0, or NaN where it has nothing but NaN: it needs no scale.
template <class T, int kRows, int kParts>
__device__ __forceinline__ MaxSum join_parts(MaxSum mine, MaxSum* all) {
  if (kParts == 1) return mine;
  all[threadIdx.x] = mine;
  __syncthreads();
  MaxSum parts[kParts];
  float largest = -INFINITY;
#pragma unroll
  for (int part = 0; part < kParts; ++part) {
    parts[part] = all[part * kRows + threadIdx.x % kRows];
    largest = fmaxf(largest, parts[part].max);
  }
  float sum = 0.0f;
#pragma unroll
  for (int part = 0; part < kParts; ++part) {
    const float scale = parts[part].max > -INFINITY ? RelativeExp<T>{largest}.of_scale(parts[part].max) : 1.0f;
    sum = fmaf(parts[part].sum, scale, sum);
  }
  return {largest, sum};
}

// For how many threads of a multiprocessor there are to be registers.
constexpr int row_tile_threads_at_once(int words) { return words <= 16 ? 1280 : 1024; }

// A block takes kRows rows that lie one after the other, kParts threads each, of which each has kWords of a row's whole
// words at most. kWithin: each second row begins within a word. Dynamic shared memory: the rows.
//
// Compared with softmax_short_anywhere and softmax_few_lanes: threads neither load nor store, but whole packs come
// and go, however short rows are; and a row is one thread's or a few threads', which need no shuffles. While rows of one
// block are worked on, those of others come and go. Places are worked out while the rows come.
//
// Launches overlap. The next kernel is let in at once.
template <class T, int kRows, int kParts, bool kWithin, int kWords>
__global__ void __launch_bounds__(kRows* kParts, row_tile_threads_at_once(kWords) / (kRows * kParts))
    softmax_row_tile(const T* in, T* out, int rows, int columns) {
  constexpr int kValues = kValuesOfWord<T>;
  constexpr int kStep = 4;   // words without a question between: in a thread's last step some may be no words of the row
  static_assert(kWords % kStep == 0);
  extern __shared__ __align__(128) uint4 tiles[];
  __shared__ unsigned long long arrival;
  __shared__ MaxSum parts[kParts > 1 ? kRows * kParts : 1];
  cudaTriggerProgrammaticLaunchCompletion();
  const long long first = (long long)blockIdx.x * kRows;
  const int here = rows - first < kRows ? (int)(rows - first) : kRows;
  const Tile<T> tile = {reinterpret_cast<T*>(tiles), here * columns / kPackOf<T>, here * columns % kPackOf<T>};
  cudaGridDependencySynchronize();
  tile.load(in + first * columns, &arrival);
  const TilePart its = TilePart::of<T, kRows, kParts, kWithin>(columns);
  const bool there = its.row < here;
  const int count = there ? its.count : 0;
  __syncthreads();
  wait_for(&arrival, 0);
  unsigned* const words = reinterpret_cast<unsigned*>(tiles) + its.first_word;
  const bool has_single = there && its.single_place >= 0;
  const float single = has_single ? widened(tile.values[its.single_place]) : -INFINITY;
  unsigned held[kWords];
  unsigned larger = as_words(minus_infinities<T>()).x;
#pragma unroll
  for (int step = 0; step < kWords; step += kStep) {
    if (step >= count) continue;
#pragma unroll
    for (int k = step; k < step + kStep; ++k) {
      held[k] = k < count ? words[k] : as_words(minus_infinities<T>()).x;
      larger = larger_word<T>(larger, held[k]);
    }
  }
  const float2 both = widened_word<T>(larger);
  const float largest = fmaxf(single, kValues > 1 ? fmaxf(both.x, both.y) : both.x);
  const RelativeExp<T> exp_of = {finite_or_zero(largest)};
  const float exp_of_single = exp_of(single);
  float kept[kWords][kValues];
  float sums[kValues] = {exp_of_single};   // of each word's first value, and of its second
#pragma unroll
  for (int step = 0; step < kWords; step += kStep) {
    if (step >= count) continue;
#pragma unroll
    for (int k = step; k < step + kStep; ++k) {
      const float2 values = widened_word<T>(held[k]);
      kept[k][0] = exp_of(values.x);
      sums[0] += kept[k][0];
      if (kValues > 1) {
        kept[k][kValues - 1] = exp_of(values.y);
        sums[kValues - 1] += kept[k][kValues - 1];
      }
    }
  }
  const MaxSum of_row = join_parts<T, kRows, kParts>({largest, kValues > 1 ? sums[0] + sums[kValues - 1] : sums[0]}, parts);
  const bool rescaled = kParts > 1 && largest > -INFINITY;
  const float scale = __fdividef(rescaled ? RelativeExp<T>{of_row.max}.of_scale(largest) : 1.0f, of_row.sum);
  if (has_single) tile.values[its.single_place] = narrowed<T>(exp_of_single * scale);
#pragma unroll
  for (int step = 0; step < kWords; step += kStep) {
    if (step >= count) continue;
#pragma unroll
    for (int k = step; k < step + kStep; ++k) {
      const float2 results = make_float2(kept[k][0] * scale, kept[k][kValues - 1] * scale);
      if (k < count) words[k] = narrowed_word<T>(results);
    }
  }
  tile.store(out + first * columns);
}
