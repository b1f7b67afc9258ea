// Long rows that clusters take as they have room for them, kept as residual_out holds them. A row fills all threads of
// a cluster. Bulk copies bring a and b into shared memory ahead of time, weights stay in registers from row to row. For
// sm_90 and later.

constexpr int kOnDemandThreads = 512;   // of a block, at most
constexpr int kOnDemandCluster = 8;
constexpr int kOnDemandTiles = 8;   // of kOnDemandThreads packs each, in a block's shared memory

// Of a row's packs in a thread, as detail::on_demand_packs() says.
template <class T>
constexpr int kOnDemandPacks = sizeof(T) == 4 ? 4 : 2;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

// Waits for the end of a phase, and for what this block's copies have brought. Inline PTX (PTX ISA: mbarrier,
// cp.async.bulk, atom).
__device__ __forceinline__ void wait_for_copies(unsigned long long* barrier, unsigned phase) {
  unsigned done = 0;
  while (!done) {
    asm volatile("{ .reg .pred over; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 over, [%1], %2; "
                 "selp.u32 %0, 1, 0, over; }"
                 : "=r"(done) : "r"(shared_address(barrier)), "r"(phase) : "memory");
  }
}

// Starts a copy of whole packs, at multiples of 16 bytes, from global to shared memory. The barrier counts it.
__device__ __forceinline__ void start_copy(void* to, const void* from, unsigned bytes, unsigned long long* barrier,
                                           unsigned long long policy) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
               "[%0], [%1], %2, [%3], %4;"
               : : "r"(shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(barrier)), "l"(policy)
               : "memory");
}

// Counts a warp that has read a tile, and returns how many had before. What they all read is read before the last one
// goes on.
__device__ __forceinline__ unsigned count_reader(unsigned* readers) {
  unsigned before = 0;
  asm volatile("atom.acq_rel.cta.shared::cta.add.u32 %0, [%1], 1;"
               : "=r"(before) : "r"(shared_address(readers)) : "memory");
  return before;
}

// Tiles on their way from global to shared memory, in the order in which warps read them. The warp that reads one last
// starts the next copy into its place: no barrier of the block.
struct TileRing {
  unsigned long long arrived[kOnDemandTiles];
  unsigned readers[kOnDemandTiles];

  // By one thread, before any other use; then all blocks of the cluster must meet.
  __device__ __forceinline__ void init() {
    for (int tile = 0; tile < kOnDemandTiles; ++tile) {
      init_barrier(&arrived[tile], 1);
      readers[tile] = 0;
    }
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");   // the copies see the barriers
  }
  // By one thread: starts copying tile `number`, a pack for each thread.
  __device__ __forceinline__ void start(uint4* tiles, int number, const void* from, unsigned long long policy) {
    const int tile = number % kOnDemandTiles;
    arrive_expecting(&arrived[tile], blockDim.x * 16);
    start_copy(tiles + tile * kOnDemandThreads, from, blockDim.x * 16, &arrived[tile], policy);
  }
  // By all threads of a warp: waits for tile `number`, and returns the thread's pack of it.
  __device__ __forceinline__ uint4 read(const uint4* tiles, int number) {
    const int tile = number % kOnDemandTiles;
    wait_for_copies(&arrived[tile], number / kOnDemandTiles % 2);
    return tiles[tile * kOnDemandThreads + threadIdx.x];
  }
  // By all threads of a warp that have read tile `number`: one thread of the last warp does `start`.
  template <class Start>
  __device__ __forceinline__ void after_last_reader(int number, const Start& start) {
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
      unsigned* count = &readers[number % kOnDemandTiles];
      if (count_reader(count) == blockDim.x / 32 - 1) {
        *count = 0;
        start();
      }
    }
  }
};

// A counter in the workspace, which may hold anything before: its upper half says whether it counts.
constexpr unsigned long long kCounterAtZero = 0x6164646eull << 32;
__device__ __forceinline__ bool counts(unsigned long long word) { return word >> 32 == kCounterAtZero >> 32; }
// Adds 1 and returns what was there before, when it is used: atomicAdd, by one thread alone, would wait for it at once.
__device__ __forceinline__ unsigned long long count_on(unsigned long long* counter) {
  unsigned long long before = 0;
  asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], 1;" : "=l"(before) : "l"(counter) : "memory");
  return before;
}
// The same where that did not count: of those that find it so, one sets the counter to 0.
__device__ __noinline__ unsigned long long count_from_zero(unsigned long long* counter) {
  while (true) {
    const unsigned long long seen = *static_cast<volatile unsigned long long*>(counter);
    if (counts(seen)) return count_on(counter);
    atomicCAS(counter, seen, kCounterAtZero);
  }
}

// Which row a cluster takes in which turn. Four rows of each cluster are fixed; queue[0] counts the rows taken beyond
// them, and queue[1] the clusters that ask for no more. One thread asks, for a row four turns ahead, and uses the
// answer at the end of its turn, so that it hardly waits.
struct RowQueue {
  unsigned long long* queue;
  unsigned rows;
  unsigned clusters;
  unsigned told;                   // the row of three turns ahead
  unsigned long long answer = 0;   // of the counter that `asked` names: 1, rows; 2, clusters; 0, none
  unsigned asked = 0;
  bool asks = true;

  __device__ __forceinline__ RowQueue(unsigned long long* queue, unsigned rows, unsigned clusters, unsigned first_row)
      : queue(queue), rows(rows), clusters(clusters), told(first_row + 3 * clusters) {}
  // In each turn before told is used, by the thread that asks.
  __device__ __forceinline__ void ask() {
    asked = told < rows ? 1 : asks ? 2 : 0;
    asks = told < rows;
    if (asked != 0) answer = count_on(&queue[asked - 1]);
  }
  // And after. The last cluster that ends leaves the counters at 0.
  __device__ __forceinline__ void turn() {
    if (asked != 0 && !counts(answer)) answer = count_from_zero(&queue[asked - 1]);
    const unsigned number = static_cast<unsigned>(answer);
    told = asked == 1 ? 4 * clusters + number : rows;
    if (asked == 2 && number == clusters - 1) queue[0] = queue[1] = kCounterAtZero;
  }
};

// What warps of a cluster tell each other in a turn: the sum of each, and the row of three turns ahead. In shared
// memory, at the same place in each block; the next turn's may come while slow warps still read this one's.
struct TurnSums {
  static constexpr int kMostWarps = kOnDemandThreads / 32;
  static constexpr int kParts = kOnDemandCluster * kMostWarps;
  unsigned long long joined[2];
  float sums[2][kParts];
  unsigned rows[4];

  // By all threads, before any other use; then all blocks of the cluster must meet. There are no warps for some parts.
  __device__ __forceinline__ void init(unsigned first_row, unsigned clusters) {
    for (int part = threadIdx.x; part < 2 * kParts; part += blockDim.x) sums[part / kParts][part % kParts] = 0.0f;
    if (threadIdx.x > 0) return;
    init_barrier(&joined[0], 1);
    init_barrier(&joined[1], 1);
    for (unsigned turn = 0; turn < 3; ++turn) rows[turn] = first_row + turn * clusters;
  }
  __device__ __forceinline__ unsigned row(int turn) const { return rows[turn % 4]; }
  // By a whole warp: tells all blocks its sum. One thread of each block announces what will come.
  __device__ __forceinline__ void tell(float sum, int rank, int turn) {
    const int slot = turn % 2;
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
      arrive_expecting(&joined[slot], (kOnDemandCluster * (blockDim.x / 32) + 1) * sizeof(float));
    }
    if (lane < kOnDemandCluster) {
      store_in_block(&sums[slot][rank * kMostWarps + threadIdx.x / 32], sum, &joined[slot], lane);
    }
  }
  // By one warp of the cluster, whose lane 0 has the row.
  __device__ __forceinline__ void tell_row(unsigned row, int turn) {
    row = __shfl_sync(kFullWarp, row, 0);
    float* place = reinterpret_cast<float*>(&rows[(turn + 3) % 4]);
    const int lane = threadIdx.x % 32;
    if (lane < kOnDemandCluster) store_in_block(place, __uint_as_float(row), &joined[turn % 2], lane);
  }
  // By all threads: the sum of all parts.
  __device__ __forceinline__ float wait(int turn) {
    const int slot = turn % 2;
    wait_for(&joined[slot], turn / 2 % 2);
    float sum = 0.0f;
#pragma unroll
    for (int part = 0; part < kParts; part += 32) sum += sums[slot][part + threadIdx.x % 32];
    return warp_sum(sum);
  }
};

// A row has kOnDemandCluster * blockDim.x * kOnDemandPacks<T> packs; blockDim.x is a multiple of 32. The grid is a
// multiple of kOnDemandCluster blocks, best as many as run at once, and no more clusters than rows. Dynamic shared
// memory: kOnDemandTiles * kOnDemandThreads packs. queue: two words of the workspace. Two blocks with 16-bit rows share
// a multiprocessor: while one waits for a sum, the other loads and stores.
//
// The next kernel is let in at once: it finds no room before a block has ended.
template <class T, class W>
__global__ void __cluster_dims__(kOnDemandCluster, 1, 1) __launch_bounds__(kOnDemandThreads, sizeof(T) == 4 ? 1 : 2)
    on_demand_kernel(const __grid_constant__ Arguments<T, W> args, unsigned long long* queue) {
  constexpr int kPacks = kOnDemandPacks<T>;
  constexpr int kTiles = 2 * kPacks;   // of a row's share of a block: a's and b's by turns
  constexpr int kValues = Pack<T>::kValues;
  extern __shared__ __align__(128) uint4 tiles[];
  __shared__ TileRing ring;
  __shared__ TurnSums parts;
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  const int rank = cluster.block_rank();
  const int thread = threadIdx.x;
  const int threads = blockDim.x;
  const unsigned clusters = gridDim.x / kOnDemandCluster;
  const unsigned first_row = blockIdx.x / kOnDemandCluster;
  const int first = rank * threads * kPacks;   // this block's first pack of a row
  const unsigned long long policy = eviction(args.evict_last);

  // Tiles are counted through all turns.
  const auto start = [&](int number) {
    const unsigned index = parts.row(number / kTiles);
    if (index >= args.rows) return;
    const Row<T, W> row = row_of(args, index);
    const T* values = number % 2 == 0 ? row.a : row.b;
    ring.start(tiles, number, values + (first + number % kTiles / 2 * threads) * kValues, policy);
  };
  parts.init(first_row, clusters);
  if (thread == 0) {
    ring.init();
    publish_barriers();
    const Row<T, W> row = row_of(args, first_row);
    prefetch_into_l2(row.a + first * kValues, threads * kPacks * 16);
    prefetch_into_l2(row.b + first * kValues, threads * kPacks * 16);
  }
  asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
  begin_after_previous();
  if (thread == 0) {
    for (int number = 0; number < kOnDemandTiles; ++number) start(number);
  }
  Weights<T, W> weights[kPacks];
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    weights[k] = load_weights<T, W>(args.first.weight, first + k * threads + thread);
  }
  // No block stores into another one that has not started.
  cluster.sync();

  const bool asks = rank == 0 && thread == 0;
  RowQueue coming(queue, args.rows, clusters, first_row);
  int turn = 0;
  for (unsigned index = first_row; index < args.rows; ++turn, index = parts.row(turn)) {
    if (asks) coming.ask();
    const Row<T, W> row = row_of(args, index);
    Pack<T> held[kPacks];
    float squares = 0.0f;
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      Pack<T> inputs[2];
#pragma unroll
      for (int input = 0; input < 2; ++input) {
        const int number = turn * kTiles + 2 * k + input;
        const uint4 words = ring.read(tiles, number);
        inputs[input] = *reinterpret_cast<const Pack<T>*>(&words);
        keep_packed_until(inputs[input], squares);
        ring.after_last_reader(number, [&] { start(number + kOnDemandTiles); });
      }
#pragma unroll
      for (int v = 0; v < kValues; v += 2) {
        const float2 x = widened_pair<T>(inputs[0].values + v);
        const float2 z = widened_pair<T>(inputs[1].values + v);
        const float2 sum = make_float2(x.x + z.x, x.y + z.y);
        narrow_pair<T>(sum, held[k].values + v);
        const float2 squared = args.options.sum == kRounded ? widened_pair<T>(held[k].values + v) : sum;
        squares = fmaf(squared.x, squared.x, squares);
        squares = fmaf(squared.y, squared.y, squares);
      }
      keep_packed_until(held[k], squares);
      store(row.residual_out, first + k * threads + thread, held[k]);
    }
    parts.tell(warp_sum(squares), rank, turn);
    if (rank == 0 && thread < 32) parts.tell_row(coming.told, turn);
    if (asks) coming.turn();
    float scale = scale_of(parts.wait(turn), row.dim, args.options.epsilon);
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      keep_packed_until(held[k], scale);
      Pack<T> y;
#pragma unroll
      for (int v = 0; v < kValues; v += 2) {
        normalize_pair<T>(widened_pair<T>(held[k].values + v), scale, widened_pair<W>(weights[k].values + v),
                          args.options, y.values + v);
      }
      store(row.y, first + k * threads + thread, y);
    }
  }
}

#else

template <class T, class W>
__global__ void on_demand_kernel(const __grid_constant__ Arguments<T, W>, unsigned long long*) {}

#endif
