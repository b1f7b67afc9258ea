// RMS norm of rows by clusters of small blocks, of no more warps than a row needs. GPUs of sm_90 and later; not emulated.
// Arguments as in kernels.cuh.

// A meeting of all warps of a cluster's blocks, 16 warps a block at most, in which numbers are added up; for one use. In
// shared memory, at the same place in each block.
template <int kNumbers, int kCluster>
struct ClusterMeeting {
  unsigned long long told;
  float sums[kNumbers][kCluster * 16];   // of warps

  // By one thread, before any other use; then all blocks of the cluster must have arrived.
  __device__ __forceinline__ void init() {
    init_barrier(&told, 1);
    arrive_expecting(&told, blockDim.x / 32 * kCluster * kNumbers * sizeof(float));
  }
  // Turns the numbers of all threads into their sums, in each of them. Every warp tells all blocks its own.
  __device__ __forceinline__ void add_up(float (&numbers)[kNumbers], unsigned rank) {
    constexpr int kLanes = 32 / kNumbers;   // work on each number
    const int lane = threadIdx.x % kLanes;
    const int warps = blockDim.x / 32;
    float (&its_sums)[kCluster * 16] = sums[threadIdx.x % 32 / kLanes];
    const float mine = add_up_apart<32>(numbers);
    if (lane < kCluster) store_in_block(&its_sums[rank * warps + threadIdx.x / 32], mine, &told, lane);
    wait_and_keep_l1(&told, 0);
    float sum[1] = {0.0f};
#pragma unroll
    for (int first = 0; first < kCluster * 16; first += kLanes) {
      if (first + lane < warps * kCluster) sum[0] += its_sums[first + lane];
    }
    hand_out<32, kLanes>(add_up_apart<kLanes>(sum), numbers);
  }
};

// Packs of a row that a lane of a cluster's block has: its first one, and every 32nd from there on, kPacks at most. A
// block's packs begin with a line of 128 bytes, so those of a warp lie in the fewest lines: the lanes of places between a
// line's beginning and the row's first pack have no first one.
template <int kPacks, int kCluster>
struct LinePacks {
  int first;   // number in the row of the first one; below 0 where there is none
  int left;    // packs of the block's share from there on

  // row: where its first pack lies, of so many.
  __device__ __forceinline__ LinePacks(const void* row, int packs, unsigned rank) {
    const int before = (unsigned)reinterpret_cast<size_t>(row) / 16 % 8;
    const Share share = share_of<kCluster>(before + packs, rank);
    const int place = threadIdx.x / 32 * (32 * kPacks) + threadIdx.x % 32;
    first = share.first + place - before;
    left = share.packs - place;
  }
  // Has it number p, of 0 to kPacks - 1?
  __device__ __forceinline__ bool has(int p) const { return p * 32 < left && (p > 0 || first >= 0); }
  // Acts on the number of each that it has.
  template <class Action>
  __device__ __forceinline__ void each(const Action& act) const {
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      if (has(p)) act(p);
    }
  }
};

// A pack at `from`, asked for where this stands: before what is written after it.
__device__ __forceinline__ uint4 load_here(const uint4* from) {
  uint4 words;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w) : "l"(from));
  return words;
}

// Every row begins at a multiple of 16 bytes and holds whole packs. A cluster of kCluster blocks for each row; blockDim.x:
// the fewest whole warps whose threads hold a block's share of it with kPacks packs each, kMostThreads at most, and no more
// than 16. A multiprocessor's registers are enough for kBlocks blocks of kMostThreads threads.
//
// Compared with rms_norm_fitted: a row's threads wait once, for the sums of all its warps, which each warp tells every
// block of the cluster. Blocks are smaller: the next one begins when half a row, or less, has been put out. Weights are
// asked for with the row, and come while its warps wait.
//
// L1 forgets what it holds, weights too, when a thread waits for its cluster's blocks to have started (in SASS, CCTL.IVALL).
// So one warp alone does that, before it asks for its packs, and the others wait for it when they have their sums. Of 34 MB
// of 14336 halves 88 % of a copy's bandwidth on an H200 so, 84 where that warp waits once it has asked for its packs, and 83
// where all warps do, when they have their sums (this kernel by itself, in one run; what of that is L1's, no run separates).
//
// Launches overlap. The next kernel is let in at once.
template <class T, int kPacks, int kMostThreads, int kBlocks, int kCluster>
__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kMostThreads, kBlocks)
    rms_norm_fitted_cluster(const T* in, const T* weight, T* out, int columns, float epsilon) {
  __shared__ ClusterMeeting<1, kCluster> meeting;
  cudaTriggerProgrammaticLaunchCompletion();
  const unsigned rank = cooperative_groups::this_cluster().block_rank();
  const int packs = columns / kPackOf<T>;
  const long long start = (long long)(blockIdx.x / kCluster) * packs;
  const uint4* const from = reinterpret_cast<const uint4*>(in) + start;
  const LinePacks<kPacks, kCluster> its(from, packs, rank);
  const uint4* const row = from + its.first;
  uint4* const result = reinterpret_cast<uint4*>(out) + start + its.first;
  const uint4* const weight_packs = reinterpret_cast<const uint4*>(weight) + its.first;
  // Another block's shared memory is there once that block has started.
  if (threadIdx.x == 0) {
    meeting.init();
    publish_barriers();
  }
  __syncwarp();
  arrive_at_cluster();
  if (threadIdx.x < 32) wait_at_cluster();
  cudaGridDependencySynchronize();
  uint4 held[kPacks] = {}, weights[kPacks] = {};   // 0 outside of the row
  its.each([&](int p) { held[p] = load_here(row + p * 32); });
  its.each([&](int p) { weights[p] = load_to_stay_in_l1(weight_packs + p * 32); });
  float squares[1] = {0.0f};
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    keep_packed<T>(held[p]);
    squares[0] = add_squares(squares[0], *reinterpret_cast<const Pack<T>*>(&held[p]));
  }
  __syncthreads();   // with the warp that has waited
  meeting.add_up(squares, rank);
  const float scale = sizeof(T) == 4 ? scale_of(squares[0], columns, epsilon)
                                     : rsqrtf(__fdividef(squares[0], (float)columns) + epsilon);
  // No scale is below 0, which the compiler does not know. It would else find that values were widened before, and keep
  // the floats, in twice as many registers.
  const unsigned zero = scale < 0.0f;
  its.each([&](int p) {
    if (sizeof(T) == 2) held[p] = make_uint4(held[p].x ^ zero, held[p].y ^ zero, held[p].z ^ zero, held[p].w ^ zero);
    keep_packed<T>(held[p]);
    keep_packed<T>(weights[p]);
    const Pack<T> pack = normalized(*reinterpret_cast<const Pack<T>*>(&held[p]), scale,
                                    *reinterpret_cast<const Pack<T>*>(&weights[p]));
    result[p * 32] = *reinterpret_cast<const uint4*>(&pack);
  });
}
