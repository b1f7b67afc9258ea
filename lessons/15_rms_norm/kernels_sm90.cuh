// RMS norm of rows that outgrow a block: the blocks of a cluster share a row. GPUs of sm_90 and later; not emulated.
// Arguments as in kernels.cuh.

#include <cooperative_groups.h>

#include "rows.cuh"
#include "cluster.cuh"

// ---- A row a cluster ---------------------------------------------------------------------------------------------

// Every row begins at a multiple of 16 bytes and holds whole packs, at most kCluster * kThreads * kPacks of them. A
// cluster of kCluster blocks for each row. Against rms_norm_registers: longer rows. Each block adds up its share of the
// squares and stores the sum into the shared memory of all blocks of the cluster.
template <class T, int kThreads, int kPacks, int kCluster>
__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kThreads)
    rms_norm_cluster(const T* in, const T* weight, T* out, int columns, float epsilon) {
  constexpr int kPack = kPackOf<T>;
  constexpr int kWarps = kThreads / 32;
  __shared__ ClusterSum<kCluster> cluster_sum;
  __shared__ float warp_sums[kWarps];
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  const int rank = cluster.block_rank();
  const int thread = threadIdx.x;
  const int lane = thread % 32;
  // This block's share of a row: mine values from number first on.
  const int share = (columns / kPack + kCluster - 1) / kCluster * kPack;
  const int first = rank * share < columns ? rank * share : columns;
  const int mine = columns - first < share ? columns - first : share;
  const long long start = blockIdx.x / kCluster * (long long)columns + first;
  if (thread == 0) {
    cluster_sum.init();
    publish_barriers();
  }
  // Another block's shared memory is there once that block has started: arrive here, wait before the first store.
  cooperative_groups::cluster_group::arrival_token started = cluster.barrier_arrive();
  Pack<T> held[kPacks];
  Pack<T> weights[kPacks];
  float squares = load_row<T, kPacks>(in + start, weight + first, mine, thread, kThreads, true, held, weights);
  squares = warp_sum(squares);
  if (lane == 0) warp_sums[thread / 32] = squares;
  __syncthreads();
  cluster.barrier_wait(static_cast<cooperative_groups::cluster_group::arrival_token&&>(started));
  if (thread < 32) {
    squares = lane < kWarps ? warp_sums[lane] : 0.0f;
    squares = warp_sum(squares);
    if (lane < kCluster) cluster_sum.tell(squares, rank, 0);
  }
  squares = cluster_sum.wait(0);
  const float scale = scale_of(squares, columns, epsilon);
  store_row<T, kPacks>(out + start, mine, thread, kThreads, true, held, weights, scale);
}

// ---- Rows that follow each other ---------------------------------------------------------------------------------

constexpr int kMostStages = 8;

// Every row begins at a multiple of 16 bytes and holds whole packs, at most kCluster * kThreads * kPacks of them. The
// grid is a multiple of kCluster blocks; cluster c takes rows c, c + clusters, … Dynamic shared memory: `stages`
// shares of a row, 16 bytes for each of its packs; 1 to kMostStages.
//
// Against rms_norm_cluster: loads that never pause. A copy engine brings this block's share of the
// next rows while the warps work on the row before; a thread moves its packs from shared memory to registers, and the
// next copy starts into the same place. The weights stay in registers from row to row.
template <class T, int kThreads, int kPacks, int kCluster>
__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kThreads)
    rms_norm_bulk_copies(const T* in, const T* weight, T* out, long long rows, int columns, float epsilon, int stages) {
  constexpr int kPack = kPackOf<T>;
  constexpr int kWarps = kThreads / 32;
  extern __shared__ uint4 tiles[];
  __shared__ unsigned long long arrived[kMostStages];
  __shared__ ClusterSum<kCluster> cluster_sum;
  __shared__ float warp_sums[kWarps];
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  const int rank = cluster.block_rank();
  const int thread = threadIdx.x;
  const int lane = thread % 32;
  const long long clusters = gridDim.x / kCluster;
  // This block's share of a row: packs first to first + mine - 1.
  const int packs = columns / kPack;
  const int share = (packs + kCluster - 1) / kCluster;
  const int first = rank * share < packs ? rank * share : packs;
  const int mine = packs - first < share ? packs - first : share;
  const uint4* all = reinterpret_cast<const uint4*>(in) + first;
  uint4* results = reinterpret_cast<uint4*>(out) + first;

  // Starts copying this block's share of the row that this cluster takes in turn number `turn`.
  const auto start = [&](long long turn) {
    const long long row = blockIdx.x / kCluster + turn * clusters;
    if (row >= rows) return;
    unsigned long long* barrier = &arrived[turn % stages];
    arrive_expecting(barrier, mine * 16);
    if (mine > 0) start_copy(tiles + turn % stages * share, all + row * packs, mine * 16, barrier);
  };
  if (thread == 0) {
    for (int stage = 0; stage < stages; ++stage) init_barrier(&arrived[stage], 1);
    cluster_sum.init();
    publish_barriers();
    for (int turn = 0; turn < stages; ++turn) start(turn);
  }
  uint4 weights[kPacks];
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * kThreads + thread;
    if (index < mine) weights[p] = reinterpret_cast<const uint4*>(weight)[first + index];
  }
  // No block stores into another one that has not started.
  cluster.sync();

  int turn = 0;
  for (long long row = blockIdx.x / kCluster; row < rows; row += clusters) {
    const uint4* tile = tiles + turn % stages * share;
    uint4 held[kPacks];
    float squares = 0.0f;
    wait_for(&arrived[turn % stages], turn / stages % 2);
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const int index = p * kThreads + thread;
      held[p] = make_uint4(0, 0, 0, 0);
      if (index < mine) held[p] = tile[index];
      const T* values = reinterpret_cast<const T*>(&held[p]);
#pragma unroll
      for (int k = 0; k < kPack; ++k) squares = fmaf(widened(values[k]), widened(values[k]), squares);
    }
    squares = warp_sum(squares);
    if (lane == 0) warp_sums[thread / 32] = squares;
    // All warps have told their sums, and have read the tile.
    __syncthreads();
    if (thread < 32) {
      if (thread == 0) start(turn + stages);
      squares = lane < kWarps ? warp_sums[lane] : 0.0f;
      squares = warp_sum(squares);
      if (lane < kCluster) cluster_sum.tell(squares, rank, turn);
    }
    squares = cluster_sum.wait(turn);
    const float scale = scale_of(squares, columns, epsilon);
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const int index = p * kThreads + thread;
      if (index < mine) {
        const T* values = reinterpret_cast<const T*>(&held[p]);
        const T* weighed = reinterpret_cast<const T*>(&weights[p]);
        uint4 words;
        T* normalized = reinterpret_cast<T*>(&words);
#pragma unroll
        for (int k = 0; k < kPack; ++k) {
          normalized[k] = narrowed<T>(widened(values[k]) * scale * widened(weighed[k]));
        }
        results[row * packs + index] = words;
      }
    }
    ++turn;
  }
}
