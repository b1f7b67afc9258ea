// Softmax of rows by clusters of small blocks, of no more warps than a row needs. GPUs of sm_90 and later; not emulated.
// Arguments as in kernels.cuh.

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

// A cluster of kCluster blocks for each row; blockDim.x: the fewest whole warps whose threads hold a block's share of it
// with kPacks packs each, kMostThreads at most. A cluster has 32 warps at most. A multiprocessor's registers are enough
// for kBlocks blocks of kMostThreads threads. kWhole: every row begins at a multiple of 16 bytes and holds whole packs.
// Else rows begin anywhere; in and out lie equally far past such a multiple.
//
// Compared with softmax_fitted_anywhere: a row's threads wait once, for the pairs of all its warps, which each warp tells
// every block of the cluster. Blocks are smaller: the next one begins when half a row, or less, has been put out. Compared
// with softmax_cluster: exponentials of kKept packs a thread are kept, as floats. The other packs are held as they are, in
// half as many registers, and their exponentials worked out twice: so more blocks run at once.
//
// Launches overlap. The next kernel is let in at once.
template <class T, int kPacks, int kMostThreads, int kBlocks, int kCluster, bool kWhole, int kKept>
__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kMostThreads, kBlocks)
    softmax_fitted_cluster(const T* in, T* out, int columns) {
  static_assert(kCluster * kMostThreads <= 1024, "a lane of each warp joins the pair of one warp");
  __shared__ WarpPairs<kCluster> all;
  cudaTriggerProgrammaticLaunchCompletion();
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  const unsigned rank = cluster.block_rank();
  if (threadIdx.x == 0) {
    all.init();
    publish_barriers();
  }
  __syncwarp();
  // Another block's shared memory is there once that block has started: arrive here, wait before the first store.
  arrive_at_cluster();
  const long long start = (long long)(blockIdx.x / kCluster) * columns;
  Cut cut = {0, columns / kPackOf<T>, 0};
  if constexpr (!kWhole) cut = cut_of(in + start, columns);
  const int column = kWhole || rank > 0 ? -1 : edge_column<T>(cut, columns);
  const LinePacks<kPacks, kCluster> its(in + start + cut.head, cut.packs, rank);
  const long long first = start + cut.head + its.first * kPackOf<T>;
  const uint4* const row = reinterpret_cast<const uint4*>(in + first);
  uint4* const result = reinterpret_cast<uint4*>(out + first);
  cudaGridDependencySynchronize();
  uint4 held[kPacks];
#pragma unroll
  for (int p = 0; p < kPacks; ++p) held[p] = as_words(minus_infinities<T>());
  its.each([&](int p) { held[p] = row[p * 32]; });
  float edge = column >= 0 ? widened(in[start + column]) : -INFINITY;
  // Each warp by its own largest value; then the warps' pairs are joined.
  MaxSum pair = {max_of_warp(fmaxf(edge, largest_in<T>(held))), 0.0f};
  const bool has_some = pair.max > -INFINITY;
  const RelativeExp<T> exp_of = {finite_or_zero(pair.max)};
  edge = exp_of(edge);
  pair.sum = edge;
  Exponentials<T> kept[kKept];
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    if (p < kKept) {
      kept[p].take(as_pack<T>(held[p]), exp_of, pair.sum);
    } else {
      keep_packed(held[p]);
      Exponentials<T>().take(as_pack<T>(held[p]), exp_of, pair.sum);
    }
  }
  pair.sum = sum_xor<32>(pair.sum);
  wait_at_cluster();
  all.tell(pair, rank);
  pair = all.template wait_for_few<T>();
  const float scale = (has_some ? RelativeExp<T>{pair.max}.of_scale(exp_of.largest) : 1.0f) * __fdividef(1.0f, pair.sum);
  if (column >= 0) out[start + column] = narrowed<T>(edge * scale);
  // No scale is below 0, which the compiler does not know. It would else find that the exponentials were worked out before,
  // and keep them.
  const unsigned zero = scale < 0.0f;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    Exponentials<T> of_pack = kept[p < kKept ? p : 0];
    if (p >= kKept) {
      held[p] = make_uint4(held[p].x ^ zero, held[p].y ^ zero, held[p].z ^ zero, held[p].w ^ zero);
      float sum = 0.0f;   // as before
      of_pack.take(as_pack<T>(held[p]), exp_of, sum);
    }
    const uint4 words = as_words(of_pack.times(scale));   // worked out by all lanes: else those of a warp would part
    if (its.has(p)) result[p * 32] = words;
  }
}
