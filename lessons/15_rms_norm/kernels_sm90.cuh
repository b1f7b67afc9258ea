// RMS norm of rows that outgrow a block: the blocks of a cluster share a row. GPUs of sm_90 and later; not emulated.
// Arguments as in kernels.cuh.

#include <cooperative_groups.h>

#include "rows.cuh"
#include "anywhere.cuh"
#include "cache_hints.cuh"
#include "cluster.cuh"
#include "team.cuh"

// ---- Rows a cluster ----------------------------------------------------------------------------------------------

// Every row begins at a multiple of 16 bytes and holds whole packs, at most kCluster * blockDim.x * kPacks of them, and
// just as many if kWhole; blockDim.x: a multiple of 32, 1024 at most. A cluster of kCluster blocks for every kRows rows.
//
// Compared with rms_norm_registers: longer rows. Each warp adds up its squares and tells the sum to all blocks of the
// cluster, where one warp adds those of a row. A thread holds the same columns of kRows rows, so that weights are read
// once for all of them. A thread without a pack reads the share's first one: loads that depend on no condition are all
// asked for at once.
//
// Launches overlap, as those of the kernel below.
template <class T, bool kWhole, int kRows, int kPacks, int kCluster>
__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(1024)
    rms_norm_cluster(const T* in, const T* weight, T* out, long long rows, int columns, float epsilon) {
  constexpr int kPack = kPackOf<T>;
  __shared__ WarpSums<kRows, kCluster> all;
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  const int rank = cluster.block_rank();
  const int thread = threadIdx.x;
  const int threads = blockDim.x;
  const int packs = columns / kPack;
  const Share mine = share_of<kCluster>(packs, rank);
  const long long first_row = blockIdx.x / kCluster * (long long)kRows;
  const int count = rows - first_row < kRows ? (int)(rows - first_row) : kRows;
  const uint4* share_in = reinterpret_cast<const uint4*>(in) + first_row * packs + mine.first;
  uint4* share_out = reinterpret_cast<uint4*>(out) + first_row * packs + mine.first;
  const uint4* share_weights = reinterpret_cast<const uint4*>(weight) + mine.first;
  const auto has = [&](int index) { return kWhole || index < mine.packs; };
  const auto place_of = [&](int index) { return has(index) ? index : 0; };
  if (thread == 0) {
    all.init();
    publish_barriers();
  }
  // Another block's shared memory is there once that block has started: arrive here, wait before the first store.
  __syncwarp();
  arrive_at_cluster();
  cudaGridDependencySynchronize();
  uint4 held[kRows][kPacks];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const int index = p * threads + thread;
      held[r][p] = load_past_l1(share_in + (r < count ? r * packs : 0) + place_of(index));
      if (!has(index)) held[r][p] = make_uint4(0, 0, 0, 0);
    }
  }
  cudaTriggerProgrammaticLaunchCompletion();
  float squares[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    squares[r] = 0.0f;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      keep_packed_until<T>(held[r][p], squares[r]);
      const T* pack = reinterpret_cast<const T*>(&held[r][p]);
#pragma unroll
      for (int k = 0; k < kPack; ++k) {
        const float value = widened(pack[k]);
        squares[r] = fmaf(value, value, squares[r]);
      }
    }
    squares[r] = warp_sum(squares[r]);
  }
  wait_at_cluster();
  all.tell(squares, rank);
  // The first weights come while this warp waits for the others.
  uint4 weights = load_to_stay_in_l1(share_weights + place_of(thread));
  all.join();
  float scales[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) scales[r] = scale_of(all.rows[r], columns, epsilon);
  unsigned last = 0;   // of the results so far
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * threads + thread;
    if (p > 0) weights = load_to_stay_in_l1(share_weights + place_of(index));
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      keep_packed_until<T>(held[r][p], last);
      keep_packed<T>(weights);
      const T* weighed = reinterpret_cast<const T*>(&weights);
      T* pack = reinterpret_cast<T*>(&held[r][p]);
#pragma unroll
      for (int k = 0; k < kPack; ++k) pack[k] = narrowed<T>(widened(pack[k]) * scales[r] * widened(weighed[k]));
      last = held[r][p].w;
      if (r < count && has(index)) share_out[r * packs + index] = held[r][p];
    }
  }
}

// ---- Launches that overlap ---------------------------------------------------------------------------------------

// Rows as blocks take them, kRows each: rows of row_bytes bytes at `in`.
template <int kRows>
struct BlockRows {
  const void* in;
  long long rows;
  int row_bytes;
  // By one thread: prefetches the rows of a block into L2, or none if there is no such block.
  __device__ __forceinline__ void prefetch(long long block) const {
    const long long left = rows - block * kRows;
    const int count = left < kRows ? (int)left : kRows;
    if (count > 0) prefetch_into_l2(static_cast<const char*>(in) + block * kRows * row_bytes, count * row_bytes);
  }
};

// Every row begins at a multiple of 16 bytes and holds whole packs, at most kThreads * kPacks of them. A block for each
// row; two rows for a block of 64 where a warp takes each.
//
// Launched so that it may start before the kernel before it has ended (programmatic dependent launch). Compared with
// rms_norm_registers: blocks find their places and get their arguments while that kernel's last blocks still store.
// Nothing is read or written until it has ended. As soon as all blocks have asked for their row, the next kernel may
// start in the same way. Launched as usual, both calls do nothing.
//
// kPrefetches: each block also prefetches, into L2, the rows of the block that comes blocks_ahead blocks later. Memory
// then works while blocks add up and wait for each other.
template <class T, int kThreads, int kPacks, bool kPrefetches>
__global__ void __launch_bounds__(kThreads < 64 ? 64 : kThreads)
    rms_norm_overlap(const T* in, const T* weight, T* out, long long rows, int columns, float epsilon,
                     int blocks_ahead) {
  constexpr int kRows = kThreads < 64 ? 64 / kThreads : 1;
  __shared__ float warp_sums[32];
  const int thread = threadIdx.x % kThreads;
  const long long number = (long long)blockIdx.x * kRows + threadIdx.x / kThreads;
  const BlockRows<kRows> all = {in, rows, columns * (int)sizeof(T)};
  if (kPrefetches && threadIdx.x == 0 && (int)blockIdx.x < blocks_ahead) all.prefetch(blockIdx.x);
  cudaGridDependencySynchronize();
  if (number >= rows) return;   // the whole warp
  const long long start = number * columns;
  const PackRow<T, true> row = {in + start, out + start, 0, columns, false, false, thread, kThreads};
  Pack<T> held[kPacks];
  Pack<T> weights[kPacks];
  load_packs<T, kPacks>(row, held);
  load_weights<T, kPacks>(row, weight, weights);
  if (kPrefetches && threadIdx.x == 0) all.prefetch(blockIdx.x + (long long)blocks_ahead);
  cudaTriggerProgrammaticLaunchCompletion();
  float squares = squares_of<T, kPacks>(held);
  squares = kThreads > 32 ? block_sum_of(kThreads / 32, squares, warp_sums) : warp_sum(squares);
  store_row<T, kPacks>(row, weight, held, weights, scale_of(squares, columns, epsilon));
}

#include "lane_packs.cuh"
#include "fitted.cuh"
#include "fitted_anywhere.cuh"
#include "few_lanes.cuh"
#include "fitted_cluster.cuh"
#include "weights_in_l1.cuh"
#include "two_rows_a_cluster.cuh"
#include "tile.cuh"
#include "row_tile.cuh"
#include "lane_tile.cuh"
#include "few_columns.cuh"

// ---- Rows that follow each other ---------------------------------------------------------------------------------

// Every row begins at a multiple of 16 bytes and holds whole packs, at most kCluster * kThreads * kPacks of them. The
// grid is a multiple of kCluster blocks, no more than run at once; cluster c takes rows c, c + clusters, … Dynamic
// shared memory: kTilesUnderWay<kPacks> * kThreads packs.
//
// Compared with rms_norm_cluster: the weights are read once and stay in registers from row to row, and loads hardly
// pause. A copy engine brings this block's share of the next row while the warps work on the row before; a thread moves
// its packs from shared memory to registers, and the next copies start into the same place.
//
// May start before the kernel before it has ended, as the kernel above: until then it only prefetches its first row.
// In a cluster's last row it lets the next kernel come.
template <class T, int kThreads, int kPacks, int kCluster>
__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kThreads, 1024 / kThreads)
    rms_norm_bulk_copies(const T* in, const T* weight, T* out, long long rows, int columns, float epsilon) {
  constexpr int kPack = kPackOf<T>;
  constexpr int kWarps = kThreads / 32;
  constexpr int kTiles = kTilesUnderWay<kPacks>;
  extern __shared__ __align__(128) uint4 tiles[];
  __shared__ TileRing<kThreads, kTiles> ring;
  __shared__ ClusterSum<kCluster> cluster_sum;
  __shared__ float warp_sums[kWarps];
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  const int rank = cluster.block_rank();
  const int thread = threadIdx.x;
  const int lane = thread % 32;
  const long long clusters = gridDim.x / kCluster;
  const long long first_row = blockIdx.x / kCluster;
  // This block's share of a row: packs first to first + mine - 1.
  const int packs = columns / kPack;
  const int share = (packs + kCluster - 1) / kCluster;
  const int first = rank * share < packs ? rank * share : packs;
  const int mine = packs - first < share ? packs - first : share;
  const uint4* all = reinterpret_cast<const uint4*>(in) + first;
  uint4* results = reinterpret_cast<uint4*>(out) + first;

  // Tiles are counted through all rows of this cluster, kPacks for each.
  const auto start = [&](int number) {
    const long long row = first_row + number / kPacks * clusters;
    if (row >= rows) return;
    const int from = number % kPacks * kThreads;
    const int left = mine - from;
    ring.start(tiles, number, all + row * packs + from, left < 0 ? 0 : left < kThreads ? left : kThreads);
  };
  if (thread == 0) {
    ring.init();
    cluster_sum.init();
    publish_barriers();
    if (mine > 0) prefetch_into_l2(all + first_row * packs, mine * 16);
  }
  cudaGridDependencySynchronize();
  if (thread == 0) {
    for (int number = 0; number < kTiles; ++number) start(number);
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
  for (long long row = first_row; row < rows; row += clusters, ++turn) {
    if (row + clusters >= rows) cudaTriggerProgrammaticLaunchCompletion();
    uint4 held[kPacks];
    float squares = 0.0f;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const uint4* tile = ring.wait(tiles, turn * kPacks + p);
      held[p] = make_uint4(0, 0, 0, 0);
      if (p * kThreads + thread < mine) held[p] = tile[thread];
      const T* values = reinterpret_cast<const T*>(&held[p]);
#pragma unroll
      for (int k = 0; k < kPack; ++k) squares = fmaf(widened(values[k]), widened(values[k]), squares);
    }
    squares = warp_sum(squares);
    if (lane == 0) warp_sums[thread / 32] = squares;
    // All warps have told their sums, and have taken the row's tiles.
    __syncthreads();
    if (thread < 32) {
      if (thread == 0) {
        for (int p = 0; p < kPacks; ++p) start(turn * kPacks + p + kTiles);
      }
      squares = lane < kWarps ? warp_sums[lane] : 0.0f;
      squares = warp_sum(squares);
      if (lane < kCluster) cluster_sum.tell(squares, rank, turn);
    }
    squares = cluster_sum.wait(turn);
    const float scale = scale_of(squares, columns, epsilon);
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const int index = p * kThreads + thread;
      keep_packed<T>(held[p]);
      keep_packed<T>(weights[p]);
      const T* values = reinterpret_cast<const T*>(&held[p]);
      const T* weighed = reinterpret_cast<const T*>(&weights[p]);
      uint4 words;
      T* normalized = reinterpret_cast<T*>(&words);
#pragma unroll
      for (int k = 0; k < kPack; ++k) {
        normalized[k] = narrowed<T>(widened(values[k]) * scale * widened(weighed[k]));
      }
      if (index < mine) results[row * packs + index] = words;
    }
  }
}

#include "full_row.cuh"
#include "long_rows.cuh"
#include "rows_on_demand.cuh"
#include "rows_a_team.cuh"
