// Softmax of rows that outgrow a block: the blocks of a cluster share a row. GPUs of sm_90 and later; not emulated.
// Arguments as in kernels.cuh.

#include <cooperative_groups.h>

#include "rows.cuh"
#include "anywhere.cuh"
#include "cache_hints.cuh"
#include "held.cuh"
#include "held_packs.cuh"
#include "cluster.cuh"
#include "team.cuh"

// ---- A row a cluster ---------------------------------------------------------------------------------------------

// Every row begins at a multiple of 16 bytes and holds whole packs, at most kCluster * blockDim.x * kPacks of them;
// blockDim.x: a multiple of 32, 1024 at most. A cluster of kCluster blocks for each row.
//
// Compared with softmax_high_occupancy: longer rows. A thread keeps its own pair as its packs arrive, on the scale of the
// largest value so far, and does not wait for the largest of all. Each warp tells its pair to all blocks of the cluster:
// threads wait once, for all warps of the row. Floats become their exponentials, each pack on its own scale; 16 bits are
// too few to keep an exponential, which is taken again. A thread without a pack reads the share's first one: loads that
// depend on no condition are all asked for at once.
//
// Launches overlap, as those of softmax_overlap.
template <class T, int kPacks, int kCluster>
__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(1024)
    softmax_cluster(const T* in, T* out, int columns) {
  constexpr bool kKeeps = sizeof(T) == sizeof(float);
  __shared__ WarpPairs<kCluster> all;
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  const int rank = cluster.block_rank();
  const int thread = threadIdx.x;
  const int threads = blockDim.x;
  const int packs = columns / kPackOf<T>;
  const Share mine = share_of<kCluster>(packs, rank);
  const long long start = blockIdx.x / kCluster * (long long)packs + mine.first;
  const uint4* share_in = reinterpret_cast<const uint4*>(in) + start;
  uint4* share_out = reinterpret_cast<uint4*>(out) + start;
  if (thread == 0) {
    all.init();
    publish_barriers();
  }
  // Another block's shared memory is there once that block has started: arrive here, wait before the first store.
  __syncwarp();
  arrive_at_cluster();
  cudaGridDependencySynchronize();
  uint4 held[kPacks];
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * threads + thread;
    held[p] = load_to_stay<true>(share_in + (index < mine.packs ? index : 0));
  }
  cudaTriggerProgrammaticLaunchCompletion();
  MaxSum pair = {-INFINITY, 0.0f};
  float scales[kPacks];   // of each pack's exponentials
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    if (p * threads + thread < mine.packs) pair = with_pack<T>(pair, held[p]);
    scales[p] = pair.max;
  }
  pair = join_lanes(pair);
  wait_at_cluster();
  all.tell(pair, rank);
  pair = all.wait();
  const float largest = finite_or_zero(pair.max);
  const float factor = 1.0f / pair.sum;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = p * threads + thread;
    keep_packed(held[p]);
    T* values = reinterpret_cast<T*>(&held[p]);
    const float to_row = kKeeps ? flushed_exp(scales[p] - pair.max) * factor : factor;
#pragma unroll
    for (int k = 0; k < kPackOf<T>; ++k) {
      const float value = widened(values[k]);
      values[k] = narrowed<T>((kKeeps ? value : flushed_exp(value - largest)) * to_row);
    }
    if (index < mine.packs) share_out[index] = held[p];
  }
}

// ---- A row in registers and in shared memory ----------------------------------------------------------------------

// Every row begins at a multiple of 16 bytes and holds whole packs, at most kThreads * (kHeld + kShared) of them. A
// block for each row. Dynamic shared memory: the packs past the first kThreads * kHeld.
//
// Compared with softmax_cluster: no other block is waited for, and twice as much is on its way. A thread holds kHeld
// packs in registers, and copies kShared more to shared memory, for itself alone: no barrier is needed to read them.
// Two blocks share a multiprocessor. Starts early, as softmax_overlap.
template <class T, int kThreads, int kHeld, int kShared>
__global__ void __launch_bounds__(kThreads, 2) softmax_split_row(const T* in, T* out, int columns) {
  extern __shared__ __align__(128) uint4 copied[];
  __shared__ float warp_maxima[kThreads / 32];
  __shared__ float warp_sums[kThreads / 32];
  const int packs = columns / kPackOf<T>;
  const int rest = packs - kThreads * kHeld;   // in shared memory
  const long long start = blockIdx.x * (long long)packs;
  const uint4* row = reinterpret_cast<const uint4*>(in) + start;
  uint4* result = reinterpret_cast<uint4*>(out) + start;
  cudaGridDependencySynchronize();
#pragma unroll
  for (int p = 0; p < kShared; ++p) {
    const int index = p * kThreads + threadIdx.x;
    if (index < rest) start_pack_copy(&copied[index], row + kThreads * kHeld + index);
  }
  cudaTriggerProgrammaticLaunchCompletion();
  uint4 held[kHeld];
  MaxSum pair;
  pair.max = load_largest<T, kHeld, true>(row, packs, kThreads, held);
  wait_for_pack_copies();
#pragma unroll
  for (int p = 0; p < kShared; ++p) {
    const int index = p * kThreads + threadIdx.x;
    if (index < rest) pair.max = fmaxf(pair.max, largest_in<T>(copied[index]));
  }
  pair.max = max_xor<32>(pair.max);
  const bool has_some = pair.max > -INFINITY;
  const float largest = finite_or_zero(pair.max);
  pair.sum = held_exponentials<T, kHeld>(packs, kThreads, held, largest);
#pragma unroll
  for (int p = 0; p < kShared; ++p) {
    const int index = p * kThreads + threadIdx.x;
    if (index < rest) {
      uint4 pack = copied[index];
      pair.sum += held_exponentials<T, 1>(kThreads, kThreads, &pack, largest);
      if (sizeof(T) == sizeof(float)) copied[index] = pack;
    }
  }
  pair.sum = sum_xor<32>(pair.sum);
  pair = join_warps(kThreads / 32, pair, warp_maxima, warp_sums);
  // From the warp's scale to the row's.
  const float scale = (has_some ? flushed_exp(largest - pair.max) : 1.0f) / pair.sum;
  store_held<T, kHeld>(result, packs, kThreads, held, largest, scale);
#pragma unroll
  for (int p = 0; p < kShared; ++p) {
    const int first = p * kThreads;
    if (first + (int)threadIdx.x < rest) {
      uint4 pack = copied[first + threadIdx.x];
      store_held<T, 1>(result + kThreads * kHeld + first, kThreads, kThreads, &pack, largest, scale);
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
// softmax_registers: blocks find their places and get their arguments while that kernel's last blocks still store.
// Nothing is read or written until it has ended. As soon as all blocks have asked for their row, the next kernel may
// start in the same way. Launched as usual, both calls do nothing.
//
// kPrefetches: each block also prefetches, into L2, the rows of the block that comes blocks_ahead blocks later. Memory
// then works while blocks add up and wait for each other.
template <class T, int kThreads, int kPacks, bool kPrefetches>
__global__ void __launch_bounds__(kThreads < 64 ? 64 : kThreads)
    softmax_overlap(const T* in, T* out, long long rows, int columns, int blocks_ahead) {
  constexpr int kHeld = kPacks * kPackOf<T>;
  constexpr int kRows = kThreads < 64 ? 64 / kThreads : 1;
  __shared__ float warp_maxima[32];
  __shared__ float warp_sums[32];
  const int thread = threadIdx.x % kThreads;
  const long long number = (long long)blockIdx.x * kRows + threadIdx.x / kThreads;
  const BlockRows<kRows> all = {in, rows, columns * (int)sizeof(T)};
  if (kPrefetches && threadIdx.x == 0 && (int)blockIdx.x < blocks_ahead) all.prefetch(blockIdx.x);
  cudaGridDependencySynchronize();
  if (number >= rows) return;   // the whole warp
  float held[kHeld];
  load_row<T, kThreads, kPacks>(in + number * columns, columns, thread, true, held);
  if (kPrefetches && threadIdx.x == 0) all.prefetch(blockIdx.x + (long long)blocks_ahead);
  cudaTriggerProgrammaticLaunchCompletion();
  // Each warp by its own largest value; then the warps' pairs are joined.
  MaxSum pair;
  pair.max = largest_of<kHeld>(held);
  pair.max = max_xor<32>(pair.max);
  const float largest = finite_or_zero(pair.max);
  pair.sum = 0.0f;
#pragma unroll
  for (int k = 0; k < kHeld; ++k) {
    held[k] = flushed_exp(held[k] - largest);
    pair.sum += held[k];
  }
  pair.sum = sum_xor<32>(pair.sum);
  float scale = 1.0f;
  if (kThreads > 32) {
    const bool has_some = pair.max > -INFINITY;
    pair = join_warps(kThreads / 32, pair, warp_maxima, warp_sums);
    if (has_some) scale = flushed_exp(largest - pair.max);
  }
  store_row<T, kThreads, kPacks>(out + number * columns, columns, thread, true, held, scale / pair.sum);
}

#include "lane_packs.cuh"
#include "fitted.cuh"
#include "fitted_anywhere.cuh"
#include "fitted_cluster.cuh"
#include "few_lanes.cuh"
#include "tile.cuh"
#include "row_tile.cuh"
#include "few_columns.cuh"

// ---- Rows that follow each other ---------------------------------------------------------------------------------

// Every row begins at a multiple of 16 bytes and holds whole packs, at most kCluster * kThreads * kPacks of them. The
// grid is a multiple of kCluster blocks, no more than run at once; cluster c takes rows c, c + clusters, … Dynamic
// shared memory: kTilesUnderWay<kPacks> * kThreads packs.
//
// Compared with softmax_cluster: loads hardly pause. A copy engine brings this block's share of the next row while the
// warps work on the row before; a thread moves its packs from shared memory to registers, and the next copies start
// into the same place. Floats become their exponentials there; 16 bits are too few to keep an exponential, which is
// taken twice.
//
// May start before the kernel before it has ended, as the kernel above: until then it only prefetches its first row.
// In a cluster's last row it lets the next kernel come.
template <class T, int kThreads, int kPacks, int kCluster>
__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kThreads, 1024 / kThreads)
    softmax_bulk_copies(const T* in, T* out, long long rows, int columns) {
  constexpr int kPack = kPackOf<T>;
  constexpr int kWarps = kThreads / 32;
  constexpr int kTiles = kTilesUnderWay<kPacks>;
  constexpr bool kKeeps = sizeof(T) == sizeof(float);
  extern __shared__ __align__(128) uint4 tiles[];
  __shared__ TileRing<kThreads, kTiles> ring;
  __shared__ ClusterPair<kCluster> parts;
  __shared__ float warp_maxima[kWarps];
  __shared__ float warp_sums[kWarps];
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  const int rank = cluster.block_rank();
  const int thread = threadIdx.x;
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
    parts.init();
    publish_barriers();
    if (mine > 0) prefetch_into_l2(all + first_row * packs, mine * 16);
  }
  cudaGridDependencySynchronize();
  if (thread == 0) {
    for (int number = 0; number < kTiles; ++number) start(number);
  }
  // No block stores into another one that has not started.
  cluster.sync();

  int turn = 0;
  for (long long row = first_row; row < rows; row += clusters, ++turn) {
    if (row + clusters >= rows) cudaTriggerProgrammaticLaunchCompletion();
    uint4 held[kPacks];
    MaxSum pair = {-INFINITY, 0.0f};
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const uint4* tile = ring.wait(tiles, turn * kPacks + p);
      held[p] = make_uint4(0, 0, 0, 0);
      if (p * kThreads + thread < mine) {
        held[p] = tile[thread];
        pair.max = fmaxf(pair.max, largest_in<T>(held[p]));
      }
    }
    pair.max = block_max_of<kThreads>(pair.max, warp_maxima);
    // All warps have taken the row's tiles.
    if (thread == 0) {
      for (int p = 0; p < kPacks; ++p) start(turn * kPacks + p + kTiles);
    }
    // A share may hold nothing but minus infinity while its row does not: exp then makes each 0.
    const bool has_some = pair.max > -INFINITY;
    const float largest = has_some ? pair.max : 0.0f;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      T* values = reinterpret_cast<T*>(&held[p]);
      if (p * kThreads + thread < mine) {
#pragma unroll
        for (int k = 0; k < kPack; ++k) {
          const float exponential = flushed_exp(widened(values[k]) - largest);
          if (kKeeps) values[k] = narrowed<T>(exponential);
          pair.sum += exponential;
        }
      }
    }
    pair.sum = block_sum_of<kThreads>(pair.sum, warp_sums);
    if (thread < kCluster) parts.tell(pair, rank, turn);
    pair = parts.wait(turn);
    // From the share's scale to the row's.
    const float scale = (has_some ? flushed_exp(largest - pair.max) : 1.0f) / pair.sum;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const int index = p * kThreads + thread;
      T* values = reinterpret_cast<T*>(&held[p]);
#pragma unroll
      for (int k = 0; k < kPack; ++k) {
        const float value = widened(values[k]);
        values[k] = narrowed<T>((kKeeps ? value : flushed_exp(value - largest)) * scale);
      }
      if (index < mine) results[row * packs + index] = held[p];
    }
  }
}

#include "long_rows.cuh"
#include "rows_on_demand.cuh"
#include "rows_a_team.cuh"
