// Softmax of many short rows that begin anywhere: a tile of them in shared memory. GPUs of sm_90 and later; not
// emulated. Arguments as in kernels.cuh; in and out begin at a multiple of 16 bytes.

// Values in a word of 4 bytes, and those of one, widened; of a float's, y is 0.
template <class T>
constexpr int kValuesOfWord = 4 / sizeof(T);
template <class T>
__device__ __forceinline__ float2 widened_word(unsigned word) {
  return widened_pair<T>(reinterpret_cast<const T*>(&word));
}
template <>
__device__ __forceinline__ float2 widened_word<float>(unsigned word) {
  return make_float2(__uint_as_float(word), 0.0f);
}
template <class T>
__device__ __forceinline__ unsigned narrowed_word(float2 values) {
  unsigned word;
  narrow_pair<T>(values, reinterpret_cast<T*>(&word));
  return word;
}
template <>
__device__ __forceinline__ unsigned narrowed_word<float>(float2 values) {
  return __float_as_uint(values.x);
}

// Copies whole packs of 16 bytes, at multiples of 16, from shared to global memory, and waits until they have been read.
__device__ __forceinline__ void copy_back(void* to, const void* from, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
               : : "l"(__cvta_generic_to_global(to)), "r"(shared_address(from)), "r"(bytes) : "memory");
  asm volatile("cp.async.bulk.commit_group;" : : : "memory");
  asm volatile("cp.async.bulk.wait_group.read 0;" : : : "memory");
}

// Rows that follow each other, in shared memory as they lie in global memory. They begin with a pack. A copy engine
// brings whole packs and takes them back; values after the last one, of the last tile only, go by threads.
template <class T>
struct Tile {
  T* values;
  int packs;
  int rest;

  // By all threads of a block, which then meet, wait for `arrival`, and find the values there.
  __device__ __forceinline__ void load(const T* from, unsigned long long* arrival) const {
    if (threadIdx.x == 0) {
      init_barrier(arrival, 1);
      publish_barriers();
      arrive_expecting(arrival, packs * 16);
      if (packs > 0) start_copy(values, from, packs * 16, arrival);
    }
    const int place = packs * kPackOf<T> + threadIdx.x;
    if (static_cast<int>(threadIdx.x) < rest) values[place] = from[place];
  }
  // By all threads of a block, once each has put its results where values were.
  __device__ __forceinline__ void store(T* to) const {
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");   // the copy engine is to see them
    __syncthreads();
    const int place = packs * kPackOf<T> + threadIdx.x;
    if (static_cast<int>(threadIdx.x) < rest) to[place] = values[place];
    if (threadIdx.x == 0 && packs > 0) copy_back(to, values, packs * 16);
  }
};

constexpr int kRowsInParts = 64;   // of a tile, where threads share rows

// What a thread has of a row: one of kParts parts, which threads of different warps take. Of two rows of an odd number of
// 16-bit values one ends within a word and the next one begins there: that value goes apart. A warp takes only rows of one
// kind, so its lanes do alike; and they read words that are as many apart as a row has values: in different banks.
struct TilePart {
  int row;
  bool begins_within;   // the row begins within a word, and words with its second value
  int words;            // whole words of the row
  int first, count;     // and which of them are the thread's
  int single;           // the value apart: its column, or -1

  // A tile has a multiple of 64 rows.
  template <class T, int kParts>
  static __device__ __forceinline__ TilePart of(int columns, int row_before) {
    constexpr int kValues = kValuesOfWord<T>;
    const int thread = row_before + (kParts > 1 ? threadIdx.x % kRowsInParts : threadIdx.x);
    const int part = kParts > 1 ? threadIdx.x / kRowsInParts : 0;
    const bool halved = columns % kValues != 0;
    TilePart its;
    its.begins_within = halved && thread / 32 % 2 == 1;
    its.row = halved ? thread / 64 * 64 + thread % 32 * 2 + its.begins_within : thread;
    its.words = columns / kValues;
    its.first = part * its.words / kParts;
    its.count = (part + 1) * its.words / kParts - its.first;
    its.single = !halved || part > 0 ? -1 : its.begins_within ? 0 : columns - 1;
    return its;
  }
};

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
template <class T, int kParts>
__device__ __forceinline__ MaxSum join_parts(MaxSum mine, MaxSum* all) {
  if (kParts == 1) return mine;
  all[threadIdx.x] = mine;
  __syncthreads();
  MaxSum parts[kParts];
  float largest = -INFINITY;
#pragma unroll
  for (int part = 0; part < kParts; ++part) {
    parts[part] = all[part * kRowsInParts + threadIdx.x % kRowsInParts];
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

// For how many blocks of kRowTileThreads threads a multiprocessor's registers are to be enough.
constexpr int kRowTileThreads = 256;
constexpr int row_tile_blocks(int words) { return words <= 8 ? 8 : words <= 12 ? 6 : words <= 16 ? 5 : 4; }

// A block takes rows_a_tile rows, a multiple of 64, which lie one after the other. kParts threads share each of 64; or each
// thread has one, or one after the other where kWords is 4: else exponentials would not fit in registers. A thread has kWords
// of a row's whole words at most. Dynamic shared memory: the rows.
//
// Compared with softmax_short_anywhere and softmax_few_lanes: threads neither load nor store, but whole packs come
// and go, however short rows are; and a row is one thread's or a few threads', which need no shuffles. While rows of one
// block are worked on, those of others come and go.
//
// Launches overlap. The next kernel is let in at once: it finds no room before a block has ended.
template <class T, int kWords, int kParts>
__global__ void __launch_bounds__(kRowTileThreads, row_tile_blocks(kWords))
    softmax_row_tile(const T* in, T* out, int rows, int columns, int rows_a_tile) {
  constexpr int kValues = kValuesOfWord<T>;
  constexpr int kStep = 4;   // words without a question between: in a thread's last step some may be no words of the row
  static_assert(kWords % kStep == 0);
  extern __shared__ __align__(128) uint4 tiles[];
  __shared__ unsigned long long arrival;
  __shared__ MaxSum parts[kParts > 1 ? kRowTileThreads : 1];
  cudaTriggerProgrammaticLaunchCompletion();
  const long long first = (long long)blockIdx.x * rows_a_tile;
  const int here = rows - first < rows_a_tile ? (int)(rows - first) : rows_a_tile;
  const Tile<T> tile = {reinterpret_cast<T*>(tiles), here * columns / kPackOf<T>, here * columns % kPackOf<T>};
  cudaGridDependencySynchronize();
  tile.load(in + first * columns, &arrival);
  __syncthreads();
  wait_for(&arrival, 0);
  int turn = 0;
  do {
    const TilePart its = TilePart::of<T, kParts>(columns, turn);
    const bool there = its.row < here;
    T* const row = tile.values + its.row * columns;
    unsigned* const words = reinterpret_cast<unsigned*>(row + its.begins_within) + its.first;
    const int count = there ? its.count : 0;
    const bool has_single = there && its.single >= 0;
    const float single = has_single ? widened(row[its.single]) : -INFINITY;
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
    const MaxSum of_row = join_parts<T, kParts>({largest, kValues > 1 ? sums[0] + sums[kValues - 1] : sums[0]}, parts);
    const bool rescaled = kParts > 1 && largest > -INFINITY;
    const float scale = __fdividef(rescaled ? RelativeExp<T>{of_row.max}.of_scale(largest) : 1.0f, of_row.sum);
    if (has_single) row[its.single] = narrowed<T>(exp_of_single * scale);
#pragma unroll
    for (int step = 0; step < kWords; step += kStep) {
      if (step >= count) continue;
#pragma unroll
      for (int k = step; k < step + kStep; ++k) {
        const float2 results = make_float2(kept[k][0] * scale, kept[k][kValues - 1] * scale);
        if (k < count) words[k] = narrowed_word<T>(results);
      }
    }
    turn += blockDim.x;
  } while (kWords <= 4 && turn < rows_a_tile);
  tile.store(out + first * columns);
}
