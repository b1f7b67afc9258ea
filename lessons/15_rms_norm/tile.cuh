// Short rows that begin anywhere, as a tile in shared memory: how they come and go, and what a thread has of them. GPUs
// of sm_90 and later.

// Copies whole packs of 16 bytes, at multiples of 16, from shared to global memory, and waits until they have been
// read.
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

// Words that a thread takes at once: how many.
template <int kCount>
struct Lot {
  static constexpr int count = kCount;
};

// Has a number worked out before what follows, such as a wait, and not when it is needed.
__device__ __forceinline__ void work_out(int& number) { asm volatile("" : "+r"(number)); }
__device__ __forceinline__ void work_out(float& number) { asm volatile("" : "+f"(number)); }

// What a thread has of a row: one of kParts parts, which threads of different warps take. Of two rows of an odd number
// of 16-bit values one ends within a word and the next one begins there: that value goes apart. A warp takes only rows
// of one kind, so its lanes do alike; and they read words that are as many apart as a row has values: in different
// banks. Where a tile has 32 rows, that holds for half a warp.
struct TilePart {
  int row;              // of the tile
  int start;            // where it begins, in values of the tile
  bool begins_within;   // a word: its words begin with its second value
  int words;            // whole words of the row
  int first, count;     // and which of them are the thread's
  int first_word;       // of the tile, the first of them
  int single_place;     // the value apart, of the tile, or -1
  int turned;           // 1: it takes the second of each two words first

  // kWithin: each second row begins within a word. Worked out before what follows.
  template <class T, int kRows, int kParts, bool kWithin>
  static __device__ __forceinline__ TilePart of(int columns) {
    constexpr int kValues = kValuesOfWord<T>;
    constexpr int kAlike = kRows > 32 ? 32 : 16;   // threads beside each other that take rows of one kind
    const int thread = threadIdx.x % kRows;
    const int part = threadIdx.x / kRows;
    TilePart its;
    its.begins_within = kWithin && thread / kAlike % 2 == 1;
    its.row = kWithin ? thread / (2 * kAlike) * (2 * kAlike) + thread % kAlike * 2 + its.begins_within : thread;
    its.start = its.row * columns;
    its.words = columns / kValues;
    its.first = part * its.words / kParts;
    its.count = (part + 1) * its.words / kParts - its.first;
    its.first_word = (its.start + its.begins_within) / kValues + its.first;
    its.single_place = !kWithin || part > 0 ? -1 : its.begins_within ? its.start : its.start + columns - 1;
    // Rows an even number of words apart, which is no multiple of four: the 16 upper lanes would read the lower ones'
    // banks.
    its.turned = !kWithin && its.words % 4 == 2 ? threadIdx.x / 16 % 2 : 0;
    if (!kWithin) work_out(its.turned);
    work_out(its.count);
    work_out(its.first_word);
    if (kWithin) work_out(its.single_place);
    return its;
  }
  // Does take(lot, k) for each lot of the thread's words, which begins with word k of them.
  template <int kLot, class Take>
  __device__ __forceinline__ void each_lot(const Take& take) const {
    int k = 0;
#pragma unroll 1
    for (; k + kLot <= count; k += kLot) take(Lot<kLot>(), k);
    if (kLot > 4 && count % 8 >= 4) {
      take(Lot<4>(), k);
      k += 4;
    }
    if (count % 4 >= 2) {
      take(Lot<2>(), k);
      k += 2;
    }
    if (count % 2 == 1) take(Lot<1>(), k);
  }
  // The j-th word of a lot from word k on.
  template <int kCount>
  __device__ __forceinline__ int word_of(Lot<kCount>, int k, int j) const {
    return kCount == 1 ? k : j % 2 == 0 ? k + j + turned : k + j - turned;
  }
};

// Whole packs of rows of kColumns values: what a thread has of a tile whose columns are known when it is compiled. The
// fewest rows that are whole packs, or three times as many, where that is one pack, or one row of up to three. Mostly
// their packs are odd in number: then a warp's lanes read from different banks.
template <class T, int kColumns>
struct RowsInPacks {
  static constexpr int kAlike = kColumns & -kColumns;   // the largest power of two that divides it
  static constexpr int kFewest = kAlike < kPackOf<T> ? kPackOf<T> / kAlike : 1;
  static constexpr int kLeast = kFewest * kColumns / kPackOf<T>;
  static constexpr int kRows = kLeast == 1 || (kFewest == 1 && kLeast <= 3) ? 3 * kFewest : kFewest;
  static constexpr int kPacks = kRows * kColumns / kPackOf<T>;
  static constexpr int kThreads = kPacks <= 3 ? 128 : kPacks <= 20 ? 64 : 32;   // of a block

  // Does replace(values) for one row after the other, which puts results in the place of its values. They are widened.
  template <class Replace>
  static __device__ __forceinline__ void each_row(uint4* packs, const Replace& replace) {
    constexpr int kPack = kPackOf<T>, kValues = kValuesOfWord<T>;
    uint4 pack, results;
    float before = 0.0f;   // the result before the one at hand
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      float values[kColumns];
#pragma unroll
      for (int k = 0; k < kColumns; ++k) {
        const int place = r * kColumns + k;
        if (place % kPack == 0) pack = packs[place / kPack];
        const float2 both = widened_word<T>(reinterpret_cast<const unsigned*>(&pack)[place % kPack / kValues]);
        values[k] = place % kValues == 0 ? both.x : both.y;
      }
      replace(values);
#pragma unroll
      for (int k = 0; k < kColumns; ++k) {
        const int place = r * kColumns + k;
        const float2 both = kValues == 1 ? make_float2(values[k], 0.0f) : make_float2(before, values[k]);
        if ((place + 1) % kValues == 0) {
          reinterpret_cast<unsigned*>(&results)[place % kPack / kValues] = narrowed_word<T>(both);
        }
        if ((place + 1) % kPack == 0) packs[place / kPack] = results;
        before = values[k];
      }
    }
  }
};

// For how many blocks of RowsInPacks::kThreads there are to be registers, where a thread keeps so many floats for each
// column besides its values. Blocks of one warp have registers for twelve.
template <class T, int kColumns>
constexpr int few_columns_blocks(int floats) {
  constexpr int kThreads = RowsInPacks<T, kColumns>::kThreads;
  const int registers = ((floats + 1) * kColumns + (kThreads == 128 ? 36 : 44 + 4 * floats)) / 8 * 8;
  return kThreads == 32 ? 12 : 65536 / (kThreads * registers);
}
