// RMS norm of long rows that L2 holds, two of them by a cluster of small blocks. GPUs of sm_90 and later; not emulated.
// Arguments as in kernels.cuh.

// Every row begins at a multiple of 16 bytes and holds whole packs. A cluster of kCluster blocks for two rows that follow each
// other, or for the last one alone; blockDim.x: the fewest whole warps whose threads hold a block's share of a row with kPacks
// packs each, kMostThreads at most, and no more than 16. A multiprocessor's registers are enough for kBlocks blocks of
// kMostThreads threads.
//
// Compared with rms_norm_fitted_cluster: the two rows share weights. A word of each sector of those is read once the rows have
// been asked for: their packs are then in L1 when a thread needs them, and take no registers before. All warps wait for the
// cluster's blocks to have started before they ask for anything: L1 forgets what it holds when a thread does that. Shares
// begin with the row's first pack, not with a line of 128 bytes. Launches overlap. The next kernel is let in at once.
template <class T, int kPacks, int kMostThreads, int kBlocks, int kCluster>
__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kMostThreads, kBlocks)
    rms_norm_two_rows_a_cluster(const T* in, const T* weight, T* out, int rows, int columns, float epsilon) {
  __shared__ ClusterMeeting<2, kCluster> meeting;
  cudaTriggerProgrammaticLaunchCompletion();
  if (threadIdx.x == 0) {
    meeting.init();
    publish_barriers();
  }
  __syncwarp();
  arrive_at_cluster();
  wait_at_cluster();
  const unsigned rank = cooperative_groups::this_cluster().block_rank();
  const int packs = columns / kPackOf<T>;
  const Share share = share_of<kCluster>(packs, rank);
  const LanePacks<kPacks> its(share.packs);
  const int number = blockIdx.x / kCluster * 2;
  const bool has_second = number + 1 < rows;
  const long long start = (long long)number * packs + share.first + its.first;
  const uint4* const row = reinterpret_cast<const uint4*>(in) + start;
  uint4* const result = reinterpret_cast<uint4*>(out) + start;
  const uint4* const weight_packs = reinterpret_cast<const uint4*>(weight) + share.first + its.first;
  cudaGridDependencySynchronize();
  uint4 held[2][kPacks] = {};   // 0 outside of the row
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const uint4* const from = row + (r == 1 && has_second ? packs : 0);
    its.each([&](int p) { held[r][p] = load_here(from + p * 32); });
  }
  const unsigned any = bring_into_l1<kPacks>(weight + share.first * kPackOf<T>, share.packs);
  // No row has fewer than 0 columns, which the compiler does not know: it must have that word before the first sum.
  held[0][0].x ^= columns < 0 ? any : 0;
  float squares[2];
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    squares[r] = 0.0f;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      keep_packed<T>(held[r][p]);
      squares[r] = add_squares(squares[r], *reinterpret_cast<const Pack<T>*>(&held[r][p]));
    }
  }
  meeting.add_up(squares, rank);
  float scales[2];
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    scales[r] = sizeof(T) == 4 ? scale_of(squares[r], columns, epsilon)
                               : rsqrtf(__fdividef(squares[r], (float)columns) + epsilon);
  }
  // No scale is below 0, which the compiler does not know. It would else find that values were widened before, and keep
  // the floats, in twice as many registers.
  const unsigned zero = scales[0] < 0.0f;
  its.each([&](int p) {
    uint4 weights = load_to_stay_in_l1(weight_packs + p * 32);
    keep_packed<T>(weights);
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      uint4& words = held[r][p];
      words = make_uint4(words.x ^ zero, words.y ^ zero, words.z ^ zero, words.w ^ zero);
      keep_packed<T>(words);
      const Pack<T> pack = normalized(*reinterpret_cast<const Pack<T>*>(&words), scales[r],
                                      *reinterpret_cast<const Pack<T>*>(&weights));
      if (r == 0 || has_second) result[r * packs + p * 32] = *reinterpret_cast<const uint4*>(&pack);
    }
  });
}
