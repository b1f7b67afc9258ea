// Softmax of long rows, taken by clusters as they have room for them. GPUs of sm_90 and later; not emulated.
// Arguments as in kernels.cuh.

// Counts a warp that has read a tile, and returns how many had before. What they all read is read before the last one
// goes on. Inline PTX (PTX ISA, atom).
__device__ __forceinline__ unsigned count_reader(unsigned* readers) {
  unsigned before = 0;
  asm volatile("atom.acq_rel.cta.shared::cta.add.u32 %0, [%1], 1;"
               : "=r"(before) : "r"(shared_address(readers)) : "memory");
  return before;
}

// Keeps a pack as it is until `value` is there: what is computed from this pack comes after what that was computed
// from.
__device__ __forceinline__ void keep_until(uint4& pack, float& value) {
  asm volatile("" : "+r"(pack.x), "+r"(pack.y), "+r"(pack.z), "+r"(pack.w), "+f"(value));
}

// Where a warp is in a ring of kTiles tiles, and how often it has been around, modulo 2.
template <int kTiles>
struct Place {
  int tile = 0;
  unsigned phase = 0;
  __device__ __forceinline__ void advance() {
    if (++tile == kTiles) {
      tile = 0;
      phase ^= 1;
    }
  }
};

// As TileRing, but no barrier says that a tile may be overwritten: the warp that reads it last starts the next copy.
template <int kThreads, int kTiles>
struct WarpRing {
  unsigned long long arrived[kTiles];
  unsigned readers[kTiles];

  // By one thread, before any other use; then all blocks of the cluster must meet.
  __device__ __forceinline__ void init() {
    for (int tile = 0; tile < kTiles; ++tile) {
      init_barrier(&arrived[tile], 1);
      readers[tile] = 0;
    }
  }
  // By one thread: starts copying a tile.
  __device__ __forceinline__ void start(uint4* tiles, int tile, const uint4* from) {
    arrive_expecting(&arrived[tile], kThreads * 16);
    start_copy(tiles + tile * kThreads, from, kThreads * 16, &arrived[tile]);
  }
  // By all threads of a warp: waits for the tile at `place`, and returns the thread's pack of it.
  __device__ __forceinline__ uint4 read(const uint4* tiles, Place<kTiles> place) {
    wait_for(&arrived[place.tile], place.phase);
    return tiles[place.tile * kThreads + threadIdx.x];
  }
  // By all threads of a warp that have read it: one thread of the last warp does `start`.
  template <class Start>
  __device__ __forceinline__ void after_last_reader(Place<kTiles> place, const Start& start) {
    constexpr unsigned kWarps = kThreads / 32;
    __syncwarp();
    if (threadIdx.x % 32 == 0 && count_reader(&readers[place.tile]) % kWarps == kWarps - 1) start();
  }
};

// Adds 1 and returns what was there before, when it is used: atomicAdd, by one thread alone, would wait for it at once.
// Inline PTX (PTX ISA, atom).
__device__ __forceinline__ unsigned count_on(unsigned* counter) {
  unsigned before = 0;
  asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(counter) : "memory");
  return before;
}

// Which row a cluster takes in which turn. Four rows of each cluster are fixed; queue[0], in global memory, counts the
// rows taken beyond them, and queue[1] the clusters that ask for no more. Both are 0 before a launch and after it. One
// thread asks, for a row four turns ahead, and uses the answer at the end of its turn, so that it hardly waits.
struct RowQueue {
  unsigned* queue;
  int rows;
  int clusters;
  int told;              // the row of three turns ahead
  unsigned answer = 0;   // of the counter that `asked` names: 1, rows; 2, clusters; 0, none
  int asked = 0;
  bool asks = true;

  __device__ __forceinline__ RowQueue(unsigned* queue, int rows, int clusters, int first_row)
      : queue(queue), rows(rows), clusters(clusters), told(first_row + 3 * clusters) {}
  // In each turn before told is used, by the thread that asks.
  __device__ __forceinline__ void ask() {
    asked = told < rows ? 1 : asks ? 2 : 0;
    asks = told < rows;
    if (asked != 0) answer = count_on(&queue[asked - 1]);
  }
  // And after. The last cluster that ends leaves the queue as it was.
  __device__ __forceinline__ void turn() {
    told = asked == 1 ? 4 * clusters + static_cast<int>(answer) : rows;
    if (asked == 2 && static_cast<int>(answer) == clusters - 1) queue[0] = queue[1] = 0;
  }
};

// What warps of a cluster tell each other in a turn: the largest value of each of kParts warps and the sum of its
// exponentials, and the row of three turns ahead. In shared memory, at the same place in each block; the next turn's
// may come while slow warps still read this one's.
template <int kParts>
struct TurnPairs {
  unsigned long long joined[2];
  float maxima[2][kParts];
  float sums[2][kParts];
  int rows[4];

  // By one thread, before any other use; then all blocks of the cluster must meet.
  __device__ __forceinline__ void init(int first_row, int clusters) {
    init_barrier(&joined[0], 1);
    init_barrier(&joined[1], 1);
    for (int turn = 0; turn < 3; ++turn) rows[turn] = first_row + turn * clusters;
  }
  __device__ __forceinline__ int row(int turn) const { return rows[turn % 4]; }
  // By a whole warp, number `part`: tells all blocks its pair. One thread of each block announces what will come.
  __device__ __forceinline__ void tell(MaxSum pair, int part, int blocks, int turn) {
    const int slot = turn % 2;
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) arrive_expecting(&joined[slot], (2 * kParts + 1) * sizeof(float));
    if (lane < blocks) {
      store_in_block(&maxima[slot][part], pair.max, &joined[slot], lane);
      store_in_block(&sums[slot][part], pair.sum, &joined[slot], lane);
    }
  }
  // By one warp of the cluster, whose lane 0 has the row.
  __device__ __forceinline__ void tell_row(int row, int blocks, int turn) {
    row = __shfl_sync(0xffffffffu, row, 0);
    float* place = reinterpret_cast<float*>(&rows[(turn + 3) % 4]);
    if (threadIdx.x % 32 < blocks) store_in_block(place, __int_as_float(row), &joined[turn % 2], threadIdx.x % 32);
  }
  // By all threads: the pair of the row.
  __device__ __forceinline__ MaxSum wait(int turn) {
    const int slot = turn % 2;
    const int lane = threadIdx.x % 32;
    wait_for_cluster(&joined[slot], turn / 2 % 2);
    MaxSum pair = {-INFINITY, 0.0f};
#pragma unroll
    for (int part = 0; part < kParts; part += 32) {
      if (part + 32 <= kParts || part + lane < kParts) pair.max = fmaxf(pair.max, maxima[slot][part + lane]);
    }
    pair.max = max_xor<32>(pair.max);
    const float largest = finite_or_zero(pair.max);
#pragma unroll
    for (int first = 0; first < kParts; first += 32) {
      const int part = first + lane;
      if (first + 32 <= kParts || part < kParts) {
        pair.sum = fmaf(sums[slot][part], flushed_exp(maxima[slot][part] - largest), pair.sum);
      }
    }
    pair.sum = sum_xor<32>(pair.sum);
    return pair;
  }
};

// A block's share of a row, and two tiles of the next one.
template <int kPacks>
constexpr int kTilesOnDemand = kPacks + 2;

// Every row begins at a multiple of 16 bytes and holds kCluster * kThreads * kPacks packs. The grid is a multiple of
// kCluster blocks, no more than run at once, and no more clusters than rows. Dynamic shared memory:
// kTilesOnDemand<kPacks> * kThreads packs. queue: see RowQueue.
//
// Compared with softmax_bulk_copies: a cluster that is done sooner takes more rows. And warps do not wait for their
// block: each tells its pair, relative to its own largest value, to all warps of the cluster, and the last one that has
// read a tile starts the next copy.
//
// The next kernel is let in at once: it finds no room before a block has ended.
template <class T, int kThreads, int kPacks, int kCluster>
__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kThreads, 1024 / kThreads)
    softmax_rows_on_demand(const T* in, T* out, int rows, unsigned* queue) {
  constexpr int kPack = kPackOf<T>;
  constexpr int kWarps = kThreads / 32;
  constexpr int kTiles = kTilesOnDemand<kPacks>;
  // Where tiles began elsewhere, past a multiple of 128 bytes, rows took 2 to 15 % longer on an H200.
  extern __shared__ __align__(128) uint4 tiles[];
  __shared__ WarpRing<kThreads, kTiles> ring;
  __shared__ TurnPairs<kCluster * kWarps> parts;
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  const int rank = cluster.block_rank();
  const int thread = threadIdx.x;
  const int warp = thread / 32;
  const int clusters = gridDim.x / kCluster;
  const int first_row = blockIdx.x / kCluster;
  // This block's share of a row begins with pack number first.
  constexpr int kRowPacks = kCluster * kThreads * kPacks;
  const int first = rank * kThreads * kPacks;
  const uint4* all = reinterpret_cast<const uint4*>(in) + first;
  uint4* results = reinterpret_cast<uint4*>(out) + first + thread;

  // Into a tile, number p of those that a turn's row needs.
  const auto start = [&](int tile, int turn, int p) {
    const int row = parts.row(turn);
    if (row < rows) ring.start(tiles, tile, all + (long long)row * kRowPacks + p * kThreads);
  };
  if (thread == 0) {
    ring.init();
    parts.init(first_row, clusters);
    publish_barriers();
    prefetch_into_l2(all + (long long)first_row * kRowPacks, kThreads * kPacks * 16);
  }
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
  if (thread == 0) {
    for (int tile = 0; tile < kTiles; ++tile) start(tile, tile / kPacks, tile % kPacks);
  }
  // No block stores into another one that has not started.
  cluster.sync();

  const bool asks = rank == 0 && thread == 0;
  RowQueue coming(queue, rows, clusters, first_row);
  Place<kTiles> place;
  int turn = 0;
  for (int row = first_row; row < rows; ++turn, row = parts.row(turn)) {
    if (asks) coming.ask();
    uint4 held[kPacks];
    MaxSum pair = {-INFINITY, 0.0f};
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      held[p] = ring.read(tiles, place);
      keep_until(held[p], pair.max);
      ring.after_last_reader(place, [&] { start(place.tile, turn + (p + kTiles) / kPacks, (p + kTiles) % kPacks); });
      place.advance();
      pair.max = fmaxf(pair.max, largest_in<T>(held[p]));
    }
    pair.max = max_xor<32>(pair.max);
    // A warp may hold nothing but minus infinity while its row does not: exp then makes each 0.
    const bool has_some = pair.max > -INFINITY;
    const float largest = finite_or_zero(pair.max);
    // Taken once, and kept as floats.
    float exponentials[kPacks][kPack];
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      keep_until(held[p], pair.sum);
      const T* values = reinterpret_cast<const T*>(&held[p]);
#pragma unroll
      for (int k = 0; k < kPack; ++k) {
        exponentials[p][k] = flushed_exp(widened(values[k]) - largest);
        pair.sum += exponentials[p][k];
      }
    }
    pair.sum = sum_xor<32>(pair.sum);
    parts.tell(pair, rank * kWarps + warp, kCluster, turn);
    if (rank == 0 && warp == 0) parts.tell_row(coming.told, kCluster, turn);
    if (asks) coming.turn();
    pair = parts.wait(turn);
    // From the warp's scale to the row's.
    const float scale = (has_some ? flushed_exp(largest - pair.max) : 1.0f) / pair.sum;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      uint4 words;
      T* results_of_pack = reinterpret_cast<T*>(&words);
#pragma unroll
      for (int k = 0; k < kPack; ++k) results_of_pack[k] = narrowed<T>(exponentials[p][k] * scale);
      results[(long long)row * kRowPacks + p * kThreads] = words;
    }
  }
}
