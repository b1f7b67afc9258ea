// Layer norm of rows that outgrow a block: the blocks of a cluster share a row. GPUs of sm_90 and later; not emulated.
// Arguments as in kernels.cuh.

#include <cooperative_groups.h>

#include "rows.cuh"
#include "cluster.cuh"

// Every row begins at a multiple of 16 bytes and holds whole packs, at most kCluster * kThreads * kPacks of them. A
// cluster of kCluster blocks for each row. Against layer_norm_registers: longer rows. Each block takes the
// moments of its share in two passes over registers, and stores them into the shared memory of all blocks of the
// cluster: the blocks meet once, not twice.
template <class T, int kThreads, int kPacks, int kCluster>
__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kThreads, kPacks == 4 ? 4 : 1)
    layer_norm_cluster(const T* in, const T* weight, const T* bias, T* out, int columns, float epsilon) {
  constexpr int kPack = kPackOf<T>;
  constexpr int kWarps = kThreads / 32;
  __shared__ ClusterMoments<kCluster> parts;
  __shared__ float warp_sums[kWarps];
  __shared__ float warp_squares[kWarps];
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
  const Row<T> row = {in + start, weight + first, bias + first, out + start, mine, thread, kThreads, true};
  Held<T, kPacks> held;
  float sum = load_row<T, kPacks>(row, held);
  sum = block_sum(sum, warp_sums);
  const float mean = mine > 0 ? sum / (float)mine : 0.0f;
  float squares = squares_of<T, kPacks>(row, held, mean);
  squares = block_sum(squares, warp_squares);
  cluster.barrier_wait(static_cast<cooperative_groups::cluster_group::arrival_token&&>(started));
  if (thread < kCluster) parts.tell(mean, squares, rank);
  const Moments moments = parts.wait(columns, share);
  store_row<T, kPacks>(row, held, moments.mean, scale_of(moments.m2 / (float)columns, epsilon));
}
