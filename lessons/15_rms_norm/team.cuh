// What a team of blocks, anywhere on the GPU, needs to share rows: parts and counters in global memory, and the rows in
// the order in which it takes them. Inline PTX (PTX ISA, memory consistency model, mbarrier).

// Adds 1: who has read a sum with count_of() sees what was stored before the count_up()s that made it.
__device__ __forceinline__ void count_up(unsigned* counter) {
  asm volatile("red.release.gpu.global.add.u32 [%0], 1;" : : "l"(counter) : "memory");
}
__device__ __forceinline__ unsigned count_of(const unsigned* counter) {
  unsigned count = 0;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(count) : "l"(counter) : "memory");
  return count;
}

// What a block tells its team of a row, through global memory: past L1, which other blocks do not see.
__device__ __forceinline__ void store_part(float* place, float part) {
  asm volatile("st.relaxed.gpu.global.f32 [%0], %1;" : : "l"(place), "f"(part) : "memory");
}
__device__ __forceinline__ float load_part(const float* place) {
  float part = 0.0f;
  asm volatile("ld.relaxed.gpu.global.f32 %0, [%1];" : "=f"(part) : "l"(place) : "memory");
  return part;
}

// Arrives at a barrier of shared memory: who has waited for it sees what this thread has written.
__device__ __forceinline__ void arrive(unsigned long long* barrier) {
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" : : "r"(shared_address(barrier)) : "memory");
}

constexpr int kTeamPacks = 3;      // that a thread has of a share, at most
constexpr int kTeamParts = 5;      // blocks of a team for each lane of a warp, at most
// By how many turns a part is told before it is needed. With one, 335 rows of 100000 floats took an H100 120 us instead of
// 103 (layer norm).
constexpr int kTurnsAhead = 2;
constexpr int kTurnsTold = 2 * kTurnsAhead + 2;   // whose parts stay in memory: told, or still to be read
constexpr int kMostRowsKept = 12;  // of which a block has its shares in shared memory, at most

// A place in a ring, and the phase of its barrier.
struct RingPlace {
  int place;
  unsigned phase;
  __device__ __forceinline__ void next(int places) {
    if (++place < places) return;
    place = 0;
    phase ^= 1;
  }
};

// What warps of a block tell each other: their sums of squares in each turn, and the row's scale.
template <int kWarps>
struct TeamTurns {
  unsigned long long summed[kTurnsTold];   // barriers: all warps have told theirs
  unsigned long long known[kTurnsTold];
  float sums[kTurnsTold][kWarps];
  float scale[kTurnsTold];

  // By one thread, before any other use.
  __device__ __forceinline__ void init() {
    for (int turn = 0; turn < kTurnsTold; ++turn) {
      init_barrier(&summed[turn], kWarps);
      init_barrier(&known[turn], 1);
    }
  }
};

// Number `number` of parts of `most` packs, of so many packs: how many it has.
__device__ __forceinline__ int packs_of_part(int packs, int number, int most) {
  const int left = packs - number * most;
  return left < 0 ? 0 : left < most ? left : most;
}

// The rows that a team takes, `step` values apart, and one of them: where it begins, how many are left with it, and its
// values before the first multiple of 16 bytes.
template <class T, bool kWhole>
struct TeamRow {
  long long step;
  int columns;
  long long begin;
  int left;
  int head;

  __device__ __forceinline__ TeamRow(const T* in, long long rows, int columns, int team, int teams)
      : step(teams * (long long)columns), columns(columns), begin(team * (long long)columns),
        left(team < rows ? (int)((rows - team + teams - 1) / teams) : 0),
        head(kWhole ? 0 : -(reinterpret_cast<size_t>(in + begin) / sizeof(T)) & (kPackOf<T> - 1)) {}
  // The row so many turns later.
  __device__ __forceinline__ TeamRow ahead(int turns) const {
    TeamRow row = *this;
    row.begin += turns * step;
    row.left -= turns;
    if (!kWhole) row.head = (head - turns * (int)step) & (kPackOf<T> - 1);
    return row;
  }
  __device__ __forceinline__ Cut cut() const {
    constexpr int kPack = kPackOf<T>;
    if (kWhole) return {0, columns / kPack, 0};
    const int before = head < columns ? head : columns;
    const int packs = (columns - before) / kPack;
    return {before, packs, columns - before - packs * kPack};
  }
};

// Weights of columns that may lie outside of whole packs: the first ones and the last ones of a row.
template <class T>
struct EdgeWeights {
  T first[kPackOf<T>], last[kPackOf<T>];

  // By a warp.
  __device__ __forceinline__ void init(const T* weight, int columns, int lane) {
    const int behind = columns - kPackOf<T> + lane;
    if (lane < kPackOf<T> && lane < columns) first[lane] = weight[lane];
    if (lane < kPackOf<T> && behind >= 0) last[lane] = weight[behind];
  }
  __device__ __forceinline__ T at(int column, int columns) const {
    return column < kPackOf<T> ? first[column] : last[column - columns + kPackOf<T>];
  }
};

// A block's share of weights, from pack `first` on, by all its threads; 0 past the last column. They begin at a multiple
// of 16 bytes.
template <class T>
__device__ __forceinline__ void load_share(Pack<T>* kept, const T* weight, int first, int packs, int columns) {
  constexpr int kPack = kPackOf<T>;
#pragma unroll 4
  for (int i = threadIdx.x; i < packs; i += blockDim.x) {
    const int column = (first + i) * kPack;
    uint4 words = make_uint4(0, 0, 0, 0);
    if (column + kPack <= columns) words = reinterpret_cast<const uint4*>(weight)[first + i];
    Pack<T> pack = *reinterpret_cast<const Pack<T>*>(&words);
    if (column + kPack > columns) {
#pragma unroll
      for (int k = 0; k < kPack; ++k) {
        if (column + k < columns) pack.values[k] = weight[column + k];
      }
    }
    kept[i] = pack;
  }
}
