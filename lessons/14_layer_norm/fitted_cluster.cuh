// Layer norm of rows by clusters of small blocks, of no more warps than a row needs. GPUs of sm_90 and later; not emulated.
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

// Every row begins at a multiple of 16 bytes and holds whole packs. A cluster of kCluster blocks for each row; blockDim.x:
// the fewest whole warps, up to 16, whose threads hold a block's share of it with kPacks packs each; kMostThreads at most. A
// multiprocessor's registers are enough for kBlocks blocks of kMostThreads threads.
//
// Compared with layer_norm_fitted: a row's threads wait once, for the sums of all its warps, which each warp tells every
// block of the cluster. Of floats they wait twice. Blocks are smaller: the next one begins when half a row, or less, has been
// put out. kAsksEarly: weights and biases are asked for with the row, and come while its warps wait; else each pack
// of them is loaded when it is needed. Mean and variance of 16-bit values as in layer_norm_fitted_anywhere.
//
// Launches overlap. The next kernel is let in at once.
template <class T, int kPacks, int kMostThreads, int kBlocks, int kCluster, bool kAsksEarly>
__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kMostThreads, kBlocks)
    layer_norm_fitted_cluster(const T* in, const T* weight, const T* bias, T* out, int columns, float epsilon) {
  constexpr bool kNear = sizeof(T) == 2;   // values are read once for mean and variance, where the mean is near 0
  constexpr int kVectorPacks = kAsksEarly ? kPacks : 1;
  __shared__ ClusterMeeting<kNear ? 2 : 1, kCluster> first_meeting;
  __shared__ ClusterMeeting<1, kCluster> second_meeting;
  cudaTriggerProgrammaticLaunchCompletion();
  const unsigned rank = cooperative_groups::this_cluster().block_rank();
  const int packs = columns / kPackOf<T>;
  const Share share = share_of<kCluster>(packs, rank);
  const LanePacks<kPacks, false> its(share.packs);
  const int index = share.first + its.first;   // of its first pack in the row
  const long long first = (long long)(blockIdx.x / kCluster) * packs + index;
  const uint4* const row = reinterpret_cast<const uint4*>(in) + first;
  uint4* const result = reinterpret_cast<uint4*>(out) + first;
  const uint4* const weight_packs = reinterpret_cast<const uint4*>(weight) + index;
  const uint4* const bias_packs = reinterpret_cast<const uint4*>(bias) + index;
  cudaGridDependencySynchronize();
  uint4 held[kPacks] = {}, weights[kVectorPacks] = {}, biases[kVectorPacks] = {};   // 0 outside of the row
  its.each([&](int p) { held[p] = load_here(row + p * 32); });
  if constexpr (kAsksEarly) {
    its.each([&](int p) { weights[p] = load_to_stay_in_l1(weight_packs + p * 32); });
    its.each([&](int p) { biases[p] = load_to_stay_in_l1(bias_packs + p * 32); });
  }
  // Another block's shared memory is there once that block has started: arrive here, wait before the first store.
  if (threadIdx.x == 0) {
    first_meeting.init();
    second_meeting.init();
    publish_barriers();
  }
  __syncwarp();
  arrive_at_cluster();
  float mean, scale;
  if constexpr (kNear) {
    Sums sums = {};
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      keep_packed<T>(held[p]);
      add_to(sums, *reinterpret_cast<const Pack<T>*>(&held[p]));
    }
    float both[2] = {sums.values, sums.squares};
    wait_at_cluster();
    first_meeting.add_up(both, rank);
    sums = {both[0], both[1]};
    mean = __fdividef(sums.values, (float)columns);
    const float m2 = m2_by_squares(sums, mean);
    if (!mean_is_near(m2, sums)) {   // for all threads of the row, whose sums are the same
      const Pack<T>* const values = reinterpret_cast<const Pack<T>*>(row);
      float squares[1] = {0.0f};
#pragma unroll 1
      for (int p = 0; p < kPacks * 32 && p < its.left; p += 32) squares[0] = add_squares(squares[0], values[p], mean);
      second_meeting.add_up(squares, rank);
      scale = quick_scale({(float)columns, mean, squares[0]}, epsilon);
#pragma unroll 1
      for (int p = 0; p < kPacks * 32 && p < its.left; p += 32) {
        reinterpret_cast<Pack<T>*>(result)[p] =
            normalized(values[p], mean, scale, reinterpret_cast<const Pack<T>*>(weight_packs)[p],
                       reinterpret_cast<const Pack<T>*>(bias_packs)[p]);
      }
      return;
    }
    scale = quick_scale({(float)columns, mean, m2}, epsilon);
  } else {
    float sum[1] = {0.0f};
#pragma unroll
    for (int p = 0; p < kPacks; ++p) sum[0] = add_values(sum[0], *reinterpret_cast<const Pack<T>*>(&held[p]));
    wait_at_cluster();
    first_meeting.add_up(sum, rank);
    mean = sum[0] / (float)columns;
    float squares[1] = {0.0f};
    its.each([&](int p) { squares[0] = add_squares(squares[0], *reinterpret_cast<const Pack<T>*>(&held[p]), mean); });
    second_meeting.add_up(squares, rank);
    scale = scale_of(squares[0] / (float)columns, epsilon);
  }
  // No scale is below 0, which the compiler does not know. It would else find that values were widened before, and keep
  // the floats, in twice as many registers.
  const unsigned zero = scale < 0.0f;
  its.each([&](int p) {
    if (kNear) held[p] = make_uint4(held[p].x ^ zero, held[p].y ^ zero, held[p].z ^ zero, held[p].w ^ zero);
    keep_packed<T>(held[p]);
    uint4& its_weights = weights[p % kVectorPacks];
    uint4& its_biases = biases[p % kVectorPacks];
    if constexpr (!kAsksEarly) {
      its_weights = load_to_stay_in_l1(weight_packs + p * 32);
      its_biases = load_to_stay_in_l1(bias_packs + p * 32);
    }
    keep_packed<T>(its_weights);
    keep_packed<T>(its_biases);
    const Pack<T>& values = *reinterpret_cast<const Pack<T>*>(&held[p]);
    const Pack<T>& factors = *reinterpret_cast<const Pack<T>*>(&its_weights);
    const Pack<T>& terms = *reinterpret_cast<const Pack<T>*>(&its_biases);
    const Pack<T> pack = kNear ? normalized_near(values, mean, scale, factors, terms)
                               : normalized(values, mean, scale, factors, terms);
    result[p * 32] = *reinterpret_cast<const uint4*>(&pack);
  });
}
