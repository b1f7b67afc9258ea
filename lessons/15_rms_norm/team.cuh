// What a team of blocks, anywhere on the GPU, needs to share rows: parts that its blocks tell each other through global
// memory, and the rows in the order in which it takes them. Inline PTX (PTX ISA, memory consistency model, mbarrier).

constexpr int kTeamPacks = 7;      // that a thread has of a share, at most
constexpr int kBatch = 3;          // of those, that a thread loads before it puts one out
constexpr int kTeamParts = 5;      // blocks of a team for each lane of a warp, at most
constexpr int kMostRowsKept = 12;  // of which a block has its shares in shared memory, at most
// Rows of which a block has told and does not yet know the team's result, at most. With 3, 134 MB of 1048576 halves ran
// on an H200 at 76 % of a copy's bandwidth (softmax), and at 91 with 4.
constexpr int kMostTold = 6;
constexpr int kTurnsTold = 2 * kMostTold;   // whose parts stay in memory: told, or still to be read
// Rows that a block asks for before the first of them has come. With one, an H200 moved 1638 rows of 20480 halves 5 %
// slower (layer norm).
constexpr int kRowsUnderWay = 2;
// Warps whose portions come in one copy.
constexpr int kWarpsOfACopy = 3;

// What a block tells of a row: a float with the turn's number, in one store. Who reads it sees whether it is this
// turn's, and needs no counter.
struct __align__(8) TeamPart {
  unsigned turn;
  float sum;
  __device__ __forceinline__ bool is_of(unsigned wanted) const { return turn == wanted; }
};

// Past L1, which other multiprocessors do not see.
__device__ __forceinline__ void store_part(TeamPart* place, const TeamPart& part) {
  const unsigned long long word = *reinterpret_cast<const unsigned long long*>(&part);
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(place), "l"(word) : "memory");
}
__device__ __forceinline__ void load_part(TeamPart& part, const TeamPart* place) {
  unsigned long long word = 0;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(place) : "memory");
  part = *reinterpret_cast<const TeamPart*>(&word);
}

// By a warp: waits for a turn's parts of all blocks of a team. Lane l gets those of blocks l, l + 32, …; it asks for
// all that are missing before it looks at one.
__device__ __forceinline__ void wait_for_parts(TeamPart (&its)[kTeamParts], const TeamPart* parts, int blocks,
                                               unsigned turn) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < kTeamParts; ++i) its[i].turn = turn - 1;
  bool missing = true;
  while (missing) {
    missing = false;
#pragma unroll
    for (int i = 0; i < kTeamParts; ++i) {
      if (i * 32 >= blocks) break;
      if (i * 32 + lane < blocks && !its[i].is_of(turn)) load_part(its[i], parts + i * 32 + lane);
    }
#pragma unroll
    for (int i = 0; i < kTeamParts; ++i) {
      if (i * 32 >= blocks) break;
      missing = missing || (i * 32 + lane < blocks && !its[i].is_of(turn));
    }
  }
  __syncwarp();
}

// Of the launches before this one, the turns that a team took; of this one, the blocks that have ended.
struct TeamHistory {
  unsigned turns, ended;

  __device__ __forceinline__ unsigned turns_before() const {
    unsigned count = 0;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(count) : "l"(&turns) : "memory");
    return count;
  }
  // By one thread of each block, when its block has ended: the last one counts the turns.
  __device__ __forceinline__ void end(unsigned blocks, unsigned turns_of_this) {
    if (atomicAdd(&ended, 1u) < blocks - 1) return;
    ended = 0;
    turns += turns_of_this;
  }
};

// Arrives at a barrier of shared memory: who has waited for it sees what this thread has written.
__device__ __forceinline__ void arrive(unsigned long long* barrier) {
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" : : "r"(shared_address(barrier)) : "memory");
}

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

// How many of so many packs are in part `number`, if each but the last takes `most`.
__device__ __forceinline__ int packs_of_part(int packs, int number, int most) {
  const int left = packs - number * most;
  return left < 0 ? 0 : left < most ? left : most;
}

constexpr int kPacksOfALine = 8;   // 128 bytes

// Where packs of a row lie among places of a pack each. A row's first place begins a line of 128 bytes, so that copies
// and warps move whole lines; places before the row hold no pack. An H200 moved 512 rows of 65536 halves 4 to 6 % faster
// than 511 of 65544, where shares began as rows do.
struct Places {
  int first, end;
  __device__ __forceinline__ int packs() const { return end > first ? end - first : 0; }
  __device__ __forceinline__ bool has(int place) const { return place >= first && place < end; }
  // In part `number` of them, if each but the last has `most` places, a line at least.
  __device__ __forceinline__ Places part(int number, int most) const {
    return {number == 0 ? first : 0, packs_of_part(end, number, most)};
  }
};

// What a block's warps need to know of a row.
struct TeamShare {
  long long first_value;   // of its first place, counted from the first row's first one
  Places places;           // of its packs, in this block
  int head;                // values before its first pack
  int first_weight;        // pack of this block's weights that belongs to its first place
};

// What belongs to one of the rows that a block keeps: barriers, where its share lies, the sums of squares that its warps
// tell, and the row's scale.
template <int kWarps>
struct KeptRow {
  static constexpr int kCopies = (kWarps + kWarpsOfACopy - 1) / kWarpsOfACopy;
  unsigned long long arrived[kCopies];   // barriers: a copy has come
  unsigned long long summed;             // sums and edges are there
  unsigned long long known;              // the scale is there
  unsigned long long freed;              // nobody reads it any more
  TeamShare share;
  float scale;
  float sums[kWarps];

  // By a thread, before any other use. with_edges: the block has values of the row that lie in no pack.
  __device__ __forceinline__ void init(bool with_edges) {
    for (int copy = 0; copy < kCopies; ++copy) init_barrier(&arrived[copy], 1);
    init_barrier(&summed, (kWarps + with_edges) * 32);
    init_barrier(&known, 1);
    init_barrier(&freed, (kWarps + 1 + with_edges) * 32);
  }
  // By one thread.
  __device__ __forceinline__ void tell_known(float its_scale) {
    scale = its_scale;
    arrive(&known);
  }
};

// The rows that a team takes, `step` values apart, and one of them: where it begins, how many are left with it, and how
// many values lie between the last line of 128 bytes and it. Teams take rows in turns.
template <class T, bool kWhole>
struct TeamRow {
  long long step;
  int columns;
  long long begin;
  int left;
  int past;

  __device__ __forceinline__ TeamRow(const T* in, int rows, int columns, int team, int teams)
      : step(teams * (long long)columns), columns(columns), begin(team * (long long)columns),
        left(team < rows ? (unsigned)(rows - team - 1) / (unsigned)teams + 1 : 0),
        past(reinterpret_cast<size_t>(in + begin) / sizeof(T) % (kPacksOfALine * kPackOf<T>)) {}
  __device__ __forceinline__ void next() {
    begin += step;
    --left;
    past = (past + (int)step) & (kPacksOfALine * kPackOf<T> - 1);
  }
  __device__ __forceinline__ Cut cut() const {
    constexpr int kPack = kPackOf<T>;
    if (kWhole) return {0, columns / kPack, 0};
    const int head = -past & (kPack - 1);
    const int before = head < columns ? head : columns;
    const int packs = (unsigned)(columns - before) / kPack;
    return {before, packs, columns - before - packs * kPack};
  }
  // The row's packs among its places.
  __device__ __forceinline__ Places places(const Cut& cut) const {
    const int first = (unsigned)(past + cut.head) / kPackOf<T> % kPacksOfALine;
    return {first, first + cut.packs};
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
