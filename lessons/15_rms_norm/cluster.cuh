// What blocks of a cluster need to stream rows: copies that a copy engine makes, barriers in shared memory that wait
// for bytes, and stores to the shared memory of the cluster's other blocks. Inline PTX of sm_90 (PTX ISA, mbarrier,
// cp.async.bulk, st.async).

// What one block of a cluster takes of a row of whole packs: number `first` to first + packs - 1. Of none, first is 0.
// Shares are whole lines of 128 bytes, but for the last: where the row begins with a line, so does each of them.
struct Share {
  int first, packs;
};
template <int kCluster>
__device__ __forceinline__ Share share_of(int packs, int rank) {
  const int most = (packs + kCluster * 8 - 1) / (kCluster * 8) * 8;
  const int first = rank * most;
  if (first >= packs) return {0, 0};
  return {first, packs - first < most ? packs - first : most};
}

__device__ __forceinline__ unsigned shared_address(const void* place) {
  return static_cast<unsigned>(__cvta_generic_to_shared(place));
}

// A barrier's phase is over when `arrivals` have arrived and all bytes that they announced are there.
__device__ __forceinline__ void init_barrier(unsigned long long* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

// Makes initialized barriers visible to the copy engine and to the cluster's other blocks, once all have met.
__device__ __forceinline__ void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
  asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

// Arrives, and announces so many bytes.
__device__ __forceinline__ void arrive_expecting(unsigned long long* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               : : "r"(shared_address(barrier)), "r"(bytes) : "memory");
}

// Waits for the end of a phase, and for what this block's copies have brought; phases count 0, 1, 0, 1, …
__device__ __forceinline__ void wait_for(unsigned long long* barrier, unsigned phase) {
  unsigned done = 0;
  while (!done) {
    asm volatile("{ .reg .pred over; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 over, [%1], %2; "
                 "selp.u32 %0, 1, 0, over; }"
                 : "=r"(done) : "r"(shared_address(barrier)), "r"(phase) : "memory");
  }
}

// The same, and for what the cluster's other blocks have stored. Slower: with it for copies, too, bulk copies of 65536
// bfloat16s took 1 to 2 % longer on an H200 (layer norm).
__device__ __forceinline__ void wait_for_cluster(unsigned long long* barrier, unsigned phase) {
  unsigned done = 0;
  while (!done) {
    asm volatile("{ .reg .pred over; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 over, [%1], %2; "
                 "selp.u32 %0, 1, 0, over; }"
                 : "=r"(done) : "r"(shared_address(barrier)), "r"(phase) : "memory");
  }
}

// The same by a fence for shared memory only, where the compiler has it: wait_for_cluster() also makes L1 forget what it
// holds (in SASS, CCTL.IVALL). Of 34 MB of 28672 halves by rms_norm_fitted_cluster 83.3 % of a copy's bandwidth so and 82.6
// by that; of 14336 88.4 and 88.0 (H200, that kernel by itself).
__device__ __forceinline__ void wait_and_keep_l1(unsigned long long* barrier, unsigned phase) {
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1208
  unsigned done = 0;
  while (!done) {
    asm volatile("{ .reg .pred over; mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 over, [%1], %2; "
                 "selp.u32 %0, 1, 0, over; }"
                 : "=r"(done) : "r"(shared_address(barrier)), "r"(phase) : "memory");
  }
  asm volatile("fence.acquire.sync_restrict::shared::cluster.cluster;" : : : "memory");
#else
  wait_for_cluster(barrier, phase);
#endif
}

// Arrives where all threads of a cluster meet, and waits there; by all threads of a block. What was stored before is not
// announced so, but for barriers that are published. An arrival that announces it has memory barriers (in SASS, MEMBAR).
__device__ __forceinline__ void arrive_at_cluster() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" : : : "memory");
}
__device__ __forceinline__ void wait_at_cluster() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" : : : "memory");
}

// Starts a copy from global to shared memory, of whole packs of 16 bytes, at multiples of 16. The barrier counts it. L2
// is asked to evict what was read last, or what `policy` says.
__device__ __forceinline__ void start_copy(void* to, const void* from, unsigned bytes, unsigned long long* barrier,
                                           unsigned long long policy = evict_last()) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
               "[%0], [%1], %2, [%3], %4;"
               : : "r"(shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(barrier)), "l"(policy)
               : "memory");
}

// Asks for whole packs of 16 bytes, at multiples of 16, to be brought into L2, and does not wait. L2 sees what every
// kernel writes, so this may be done even while another kernel still writes there.
__device__ __forceinline__ void prefetch_into_l2(const void* from, unsigned bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;"
               : : "l"(__cvta_generic_to_global(from)), "r"(bytes) : "memory");
}

// Stores 4 bytes where block `rank` of the cluster has `place`, and counts them at its `barrier`. Both are this block's
// own addresses of what lies at the same place in every block.
__device__ __forceinline__ void store_in_block(float* place, float value, unsigned long long* barrier, unsigned rank) {
  unsigned there = 0;
  unsigned its_barrier = 0;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(place)), "r"(rank));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(its_barrier) : "r"(shared_address(barrier)), "r"(rank));
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];"
               : : "r"(there), "f"(value), "r"(its_barrier) : "memory");
}

// A number that all blocks of a cluster of kCluster add up, again and again. In shared memory, at the same place in
// each; a second sum may come while slow warps still read the first, so there are two of everything.
template <int kCluster>
struct ClusterSum {
  unsigned long long joined[2];
  float sums[2][kCluster];

  // By one thread, before any other use; then all blocks of the cluster must meet.
  __device__ __forceinline__ void init() {
    init_barrier(&joined[0], 1);
    init_barrier(&joined[1], 1);
  }
  // By the first kCluster lanes of warp 0: tells all blocks this block's part of sum number `turn`.
  __device__ __forceinline__ void tell(float part, unsigned rank, int turn) {
    const int slot = turn % 2;
    if (threadIdx.x == 0) arrive_expecting(&joined[slot], kCluster * sizeof(float));
    store_in_block(&sums[slot][rank], part, &joined[slot], threadIdx.x);
  }
  // By all threads.
  __device__ __forceinline__ float wait(int turn) {
    const int slot = turn % 2;
    wait_for_cluster(&joined[slot], turn / 2 % 2);
    float sum = 0.0f;
#pragma unroll
    for (int block = 0; block < kCluster; ++block) sum += sums[slot][block];
    return sum;
  }
};

// The sums of all warps of a cluster, of kRows rows, for one use, and what they come to. In shared memory, at the same
// place in each block.
template <int kRows, int kCluster>
struct WarpSums {
  unsigned long long joined;
  float sums[kRows][kCluster * 32];
  float rows[kRows];

  // By one thread, before any other use; then all blocks of the cluster must meet.
  __device__ __forceinline__ void init() {
    init_barrier(&joined, 1);
    arrive_expecting(&joined, blockDim.x / 32 * kCluster * kRows * sizeof(float));
  }
  // By all lanes of a warp: tells all blocks of the cluster the warp's sums.
  __device__ __forceinline__ void tell(const float* warp_sums, unsigned rank) {
    const unsigned lane = threadIdx.x % 32;
    const int place = rank * (blockDim.x / 32) + threadIdx.x / 32;
    if (lane < kCluster) {
#pragma unroll
      for (int r = 0; r < kRows; ++r) store_in_block(&sums[r][place], warp_sums[r], &joined, lane);
    }
  }
  // By all threads: afterwards rows[r] is the sum of row r. Warp r adds it up once all warps of the cluster have told
  // theirs, so there must be kRows warps.
  __device__ __forceinline__ void join() {
    const int r = threadIdx.x / 32;
    if (r < kRows) {
      wait_for_cluster(&joined, 0);
      float sum = 0.0f;
      for (int place = threadIdx.x % 32; place < blockDim.x / 32 * kCluster; place += 32) sum += sums[r][place];
      sum = warp_sum(sum);
      if (threadIdx.x % 32 == 0) rows[r] = sum;
    }
    __syncthreads();
  }
};

// Packs of 16 bytes on their way from global to shared memory, in the order in which they will be used: tile after tile
// of kThreads packs, kTiles of them at a time. In shared memory, beside kTiles * kThreads packs for the tiles.
template <int kThreads, int kTiles>
struct TileRing {
  unsigned long long arrived[kTiles];

  // By one thread, before any other use; then all blocks of the cluster must meet.
  __device__ __forceinline__ void init() {
    for (int tile = 0; tile < kTiles; ++tile) init_barrier(&arrived[tile], 1);
  }
  // By one thread: starts copying tile `number`, of `packs` packs, 0 to kThreads. All threads have taken what they want
  // of tile number - kTiles, and have met since.
  __device__ __forceinline__ void start(uint4* tiles, int number, const uint4* from, int packs) {
    const int place = number % kTiles;
    arrive_expecting(&arrived[place], packs * 16);
    if (packs > 0) start_copy(tiles + place * kThreads, from, packs * 16, &arrived[place]);
  }
  // By any thread: waits for tile `number`, and returns where it lies.
  __device__ __forceinline__ const uint4* wait(const uint4* tiles, int number) {
    const int place = number % kTiles;
    wait_for(&arrived[place], number / kTiles % 2);
    return tiles + place * kThreads;
  }
};

// Tiles on their way, for rows whose share of a block is kPacks tiles: a little more than one row. With fewer, loads
// pause while a row is normalized; with more, reads and writes of many rows compete for memory, and both slow down.
template <int kPacks>
constexpr int kTilesUnderWay = kPacks < 4 ? 2 * kPacks : kPacks + kPacks / 4;
