// The kernels that the operator launches, on top of row.cuh. kWhole: rows begin at multiples of 16 bytes and hold whole
// packs; else all four tensors' rows begin equally far past such a multiple. The weight begins at one.

#include <cooperative_groups.h>

#include "row.cuh"
#include "hints.cuh"
#include "held.cuh"
#include "full.cuh"
#include "shifted.cuh"
#include "cluster.cuh"

// Threads of a block that has room for so many packs in registers.
constexpr int most_threads(int packs) { return packs == 4 ? 512 : 1024; }

struct Strides {
  long long batch, head;   // in elements
};

template <class T, class W>
struct Arguments {
  Row<T, W> first;         // of the first batch and head
  Strides y, residual_out, a, b;
  unsigned rows, heads;
  Options options;
  float* workspace;        // dim floats for each block of the element route, or null
  int keeps_in_shared;     // … or these are in shared memory
  bool evict_last;         // by held_kernel: L2 is asked to evict what is read last
  // Of whole rows alone:
  unsigned rows_first;     // so many of the first are prefetched before the kernel before has ended
  unsigned rows_ahead;     // a block prefetches the row so many rows ahead of its own; 0: none
};

// The rows of batch * heads, one after the other.
template <class T, class W>
__device__ __forceinline__ Row<T, W> row_of(const Arguments<T, W>& args, unsigned index) {
  long long batch = index, head = 0;
  if (args.heads > 1) {
    batch = index / args.heads;
    head = index % args.heads;
  }
  const auto at = [&](const Strides& strides) { return batch * strides.batch + head * strides.head; };
  Row<T, W> row = args.first;
  row.y += at(args.y);
  row.residual_out += at(args.residual_out);
  row.a += at(args.a);
  row.b += at(args.b);
  return row;
}

// By one thread of each of `parts` blocks, of which this is number `part`: prefetches row number `index`, of whole
// packs, into L2, if there is one.
template <class T, class W>
__device__ __forceinline__ void prefetch_row(const Arguments<T, W>& args, unsigned index, int part, int parts) {
  if (index >= args.rows) return;
  const Row<T, W> row = row_of(args, index);
  const int packs = row.dim / Pack<T>::kValues;
  const int share = (packs + parts - 1) / parts;
  const int first = part * share;
  const int mine = packs - first < share ? packs - first : share;
  if (mine <= 0) return;
  prefetch_into_l2(row.a + first * Pack<T>::kValues, mine * 16);
  prefetch_into_l2(row.b + first * Pack<T>::kValues, mine * 16);
}

// begin_after_previous() for thread `thread` of those that take row number `index`, or part of it. Memory works on the
// rows that come next while blocks add up and wait for each other; the first rows are prefetched while the kernel
// before still runs: an input that it writes is read from L2 all the same, after it has ended.
template <class T, class W>
__device__ __forceinline__ void begin_with_row(const Arguments<T, W>& args, unsigned index, int part, int parts,
                                               int thread) {
  if (thread == 0 && index < args.rows_first) prefetch_row(args, index, part, parts);
  begin_after_previous();
  if (thread == 0 && args.rows_ahead > 0) prefetch_row(args, index + args.rows_ahead, part, parts);
}

// Threads of a block that takes several rows.
constexpr int kMostGroupThreads = 256;

// A row for each `lanes` threads. blockDim.x is a multiple of 32.
template <class T, class W, int kPacks, bool kWhole>
__global__ void __launch_bounds__(kMostGroupThreads)
    group_kernel(const __grid_constant__ Arguments<T, W> args, int lanes) {
  const unsigned index = blockIdx.x * (blockDim.x / lanes) + threadIdx.x / lanes;
  if (kWhole) begin_with_row(args, index, 0, 1, threadIdx.x % lanes);
  else begin_after_previous();
  const bool there = index < args.rows;
  Row<T, W> row = row_of(args, there ? index : 0);
  if (!there) row.dim = 0;
  const int lane = threadIdx.x % lanes;
  const JoinAndLetNextBegin<JoinLanes> join{{lanes}};
  if constexpr (kWhole) row_in_registers<T, W, kPacks>(row, args.options, lane, lanes, join);
  else shifted_in_registers<T, W, kPacks>(row, args.options, lane, lanes, join);
}

// A row for each block.
template <class T, class W, int kPacks, bool kWhole>
__global__ void __launch_bounds__(most_threads(kPacks)) block_kernel(const __grid_constant__ Arguments<T, W> args) {
  __shared__ float warp_sums[32];
  if (kWhole) begin_with_row(args, blockIdx.x, 0, 1, threadIdx.x);
  else begin_after_previous();
  const Row<T, W> row = row_of(args, blockIdx.x);
  const JoinAndLetNextBegin<JoinBlock> join{{warp_sums}};
  if constexpr (kWhole) row_in_registers<T, W, kPacks>(row, args.options, threadIdx.x, blockDim.x, join);
  else shifted_in_registers<T, W, kPacks>(row, args.options, threadIdx.x, blockDim.x, join);
}

// Threads of a block of packed_kernel, of held_kernel, and of others for whole rows in clusters.
constexpr int kMostPackedThreads = 1024;
constexpr int kMostHeldThreads = 1024;
constexpr int kMostClusterThreads = 512;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// The blocks of a cluster; or, if kMayBeOne, a single block.
template <bool kMayBeOne>
struct JoinCluster {
  ClusterSum* cluster_sum;   // shared, and initialized; the block has arrived at the cluster's barrier since
  float* warp_sums;          // shared, 32 floats
  cooperative_groups::cluster_group::arrival_token* started;
  __device__ __forceinline__ float operator()(float value) const {
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    const int blocks = cluster.num_blocks();
    const int lane = threadIdx.x % 32;
    value = warp_sum(value);
    if (lane == 0) warp_sums[threadIdx.x / 32] = value;
    __syncthreads();
    // Another block's shared memory is there once that block has started.
    cluster.barrier_wait(static_cast<cooperative_groups::cluster_group::arrival_token&&>(*started));
    if ((kMayBeOne && blocks == 1) || threadIdx.x < 32) {
      value = lane < blockDim.x / 32 ? warp_sums[lane] : 0.0f;
      value = warp_sum(value);
    }
    if (kMayBeOne && blocks == 1) return value;
    if (threadIdx.x < 32) cluster_sum->tell(value, cluster.block_rank(), blocks, lane);
    return cluster_sum->wait(blocks);
  }
};

// How many blocks of cluster_kernel are to share a multiprocessor: while one loads, another waits or stores.
template <class W>
constexpr int cluster_blocks(int packs) {
  return packs == 2 && sizeof(W) == 2 ? 3 : 2;
}

// A whole row for each cluster, or for each block: kept as residual_out holds it, two packs a thread. 32 registers do,
// so that a multiprocessor runs 2048 threads.
template <class T, class W>
__global__ void __launch_bounds__(kMostHeldThreads, 2048 / kMostHeldThreads)
    held_kernel(const __grid_constant__ Arguments<T, W> args) {
  __shared__ ClusterSum cluster_sum;
  __shared__ float warp_sums[32];
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) cluster_sum.init();
  cooperative_groups::cluster_group::arrival_token started = cluster.barrier_arrive();
  const int blocks = cluster.num_blocks();
  begin_with_row(args, blockIdx.x / blocks, cluster.block_rank(), blocks, threadIdx.x);
  const int thread = cluster.block_rank() * blockDim.x + threadIdx.x;
  row_packed<T, W, 2>(row_of(args, blockIdx.x / blocks), args.options, thread, blockDim.x * blocks, args.evict_last,
                      JoinAndLetNextBegin<JoinCluster<true>>{{&cluster_sum, warp_sums, &started}});
}

// A row for each cluster: whole rows too long for held_kernel, and those of which the unrounded sums are wanted.
template <class T, class W, int kPacks>
__global__ void __launch_bounds__(kMostClusterThreads, cluster_blocks<W>(kPacks))
    cluster_kernel(const __grid_constant__ Arguments<T, W> args) {
  __shared__ ClusterSum cluster_sum;
  __shared__ float warp_sums[32];
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) cluster_sum.init();
  cooperative_groups::cluster_group::arrival_token started = cluster.barrier_arrive();
  const int blocks = cluster.num_blocks();
  begin_with_row(args, blockIdx.x / blocks, cluster.block_rank(), blocks, threadIdx.x);
  const int thread = cluster.block_rank() * blockDim.x + threadIdx.x;
  row_in_registers<T, W, kPacks>(row_of(args, blockIdx.x / blocks), args.options, thread, blockDim.x * blocks,
                                 JoinAndLetNextBegin<JoinCluster<false>>{{&cluster_sum, warp_sums, &started}});
}

// Any long row of which the unrounded sums are wanted: the same for rows that begin anywhere.
template <class T, class W>
__global__ void __launch_bounds__(kMostClusterThreads) wide_kernel(const __grid_constant__ Arguments<T, W> args) {
  __shared__ ClusterSum cluster_sum;
  __shared__ float warp_sums[32];
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) cluster_sum.init();
  cooperative_groups::cluster_group::arrival_token started = cluster.barrier_arrive();
  begin_after_previous();
  const int blocks = cluster.num_blocks();
  const int thread = cluster.block_rank() * blockDim.x + threadIdx.x;
  shifted_in_registers<T, W, 4>(row_of(args, blockIdx.x / blocks), args.options, thread, blockDim.x * blocks,
                                JoinAndLetNextBegin<JoinCluster<false>>{{&cluster_sum, warp_sums, &started}});
}
#else
template <class T, class W>
__global__ void __launch_bounds__(kMostHeldThreads) held_kernel(const __grid_constant__ Arguments<T, W> args) {
  __shared__ float warp_sums[32];
  row_packed<T, W, 2>(row_of(args, blockIdx.x), args.options, threadIdx.x, blockDim.x, args.evict_last,
                      JoinBlock{warp_sums});
}
template <class T, class W, int kPacks>
__global__ void cluster_kernel(const __grid_constant__ Arguments<T, W>) {}
template <class T, class W>
__global__ void wide_kernel(const __grid_constant__ Arguments<T, W>) {}
#endif

// A long row for each kBlocks blocks, which it fills: eight packs a thread.
constexpr int kMostFullThreads = 1024;
template <class T, class W, int kBlocks>
__global__ void __launch_bounds__(kMostFullThreads, 1) full_kernel(const __grid_constant__ Arguments<T, W> args) {
  __shared__ float warp_sums[32];
  Row<T, W> row = row_of(args, blockIdx.x / kBlocks);
  const int from = blockIdx.x % kBlocks * blockDim.x * kFullPacks * Pack<T>::kValues;   // of this block's part
  row.a += from;
  row.b += from;
  row.y += from;
  row.residual_out += from;
  row.weight += from;
  if constexpr (kBlocks == 1) {
    begin_after_previous();
    row_full<T, W>(row, args.options, threadIdx.x, blockDim.x, args.evict_last,
                   JoinAndLetNextBegin<JoinBlock>{{warp_sums}});
  } else {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    __shared__ ClusterSum cluster_sum;
    if (threadIdx.x == 0) cluster_sum.init();
    cooperative_groups::cluster_group::arrival_token started = cooperative_groups::this_cluster().barrier_arrive();
    begin_after_previous();
    row_full<T, W>(row, args.options, threadIdx.x, blockDim.x, args.evict_last,
                   JoinAndLetNextBegin<JoinCluster<false>>{{&cluster_sum, warp_sums, &started}});
#endif
  }
}

// Any other long row: by a cluster where there are such, or by one block, kept as residual_out holds it. By two packs a
// thread, three blocks of kMostClusterThreads share a multiprocessor; by four it has one of kMostPackedThreads.
template <class T, class W, int kPacks>
__global__ void __launch_bounds__(kPacks == 2 ? kMostClusterThreads : kMostPackedThreads, kPacks == 2 ? 3 : 1)
    packed_kernel(const __grid_constant__ Arguments<T, W> args) {
  __shared__ float warp_sums[32];
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  __shared__ ClusterSum cluster_sum;
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) cluster_sum.init();
  cooperative_groups::cluster_group::arrival_token started = cluster.barrier_arrive();
  begin_after_previous();
  const int blocks = cluster.num_blocks();
  const int thread = cluster.block_rank() * blockDim.x + threadIdx.x;
  const JoinAndLetNextBegin<JoinCluster<true>> join{{&cluster_sum, warp_sums, &started}};
#else
  const int blocks = 1;
  const int thread = threadIdx.x;
  const JoinAndLetNextBegin<JoinBlock> join{{warp_sums}};
#endif
  shifted_packed<T, W, kPacks>(row_of(args, blockIdx.x / blocks), args.options, thread, blockDim.x * blocks, join);
}

// Any row: a block takes one after the other.
template <class T, class W>
__global__ void __launch_bounds__(512) element_kernel(const __grid_constant__ Arguments<T, W> args) {
  extern __shared__ float shared_row[];
  __shared__ float warp_sums[32];
  begin_after_previous();
  float* kept = args.keeps_in_shared ? shared_row : nullptr;
  if (args.workspace) kept = args.workspace + (long long)blockIdx.x * args.first.dim;
  for (unsigned index = blockIdx.x; index < args.rows; index += gridDim.x) {
    row_by_element<T, W>(row_of(args, index), args.options, threadIdx.x, blockDim.x, kept,
                         JoinAndLetNextBegin<JoinBlock>{{warp_sums}});
    __syncthreads();   // all have read the warp sums
  }
}

#include "on_demand.cuh"
