// Softmax of rows that outgrow a block: the blocks of a cluster share a row. GPUs of sm_90 and later; not emulated.
// Arguments as in kernels.cuh.

#include <cooperative_groups.h>

#include "rows.cuh"
#include "cluster.cuh"

// Every row begins at a multiple of 16 bytes and holds whole packs, at most kCluster * kThreads * kPacks of them. A
// cluster of kCluster blocks for each row. Against softmax_registers: longer rows. Each block takes the
// pair of its share, and stores it into the shared memory of all blocks of the cluster.
template <class T, int kThreads, int kPacks, int kCluster>
__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kThreads, kPacks == 4 ? 4 : 1)
    softmax_cluster(const T* in, T* out, int columns) {
  constexpr int kPack = kPackOf<T>;
  constexpr int kWarps = kThreads / 32;
  constexpr int kHeld = kPacks * kPack;
  __shared__ ClusterPair<kCluster> parts;
  __shared__ float warp_maxima[kWarps];
  __shared__ float warp_sums[kWarps];
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  const int rank = cluster.block_rank();
  const int thread = threadIdx.x;
  // This block's share of a row: mine values from number first on.
  const int share = (columns / kPack + kCluster - 1) / kCluster * kPack;
  const int first = rank * share < columns ? rank * share : columns;
  const int mine = columns - first < share ? columns - first : share;
  const long long start = blockIdx.x / kCluster * (long long)columns + first;
  if (thread == 0) parts.init();
  // Another block's shared memory is there once that block has started: arrive here, wait before the first store.
  cooperative_groups::cluster_group::arrival_token started = cluster.barrier_arrive();
  float held[kHeld];
  load_row<T, kThreads, kPacks>(in + start, mine, thread, true, held);
  MaxSum pair;
  pair.max = largest_of<kHeld>(held);
  pair.max = block_max<kThreads>(pair.max, warp_maxima);
  // A share may hold nothing but minus infinity while its row does not: exp then makes each 0.
  const bool has_some = pair.max > -INFINITY;
  const float largest = has_some ? pair.max : 0.0f;
  pair.sum = exponentials<kHeld>(held, largest);
  pair.sum = block_sum<kThreads>(pair.sum, warp_sums);
  cluster.barrier_wait(static_cast<cooperative_groups::cluster_group::arrival_token&&>(started));
  if (thread < kCluster) parts.tell(pair, rank);
  pair = parts.wait();
  // From the share's scale to the row's.
  const float scale = (has_some ? __expf(largest - pair.max) : 1.0f) / pair.sum;
  store_row<T, kThreads, kPacks>(out + start, mine, thread, true, held, scale);
}
