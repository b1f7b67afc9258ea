// The kernels that the operator launches, on top of row.cuh.

#include <cooperative_groups.h>

#include "row.cuh"

constexpr int kMostCluster = 8;

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

// A row for each `lanes` threads. blockDim.x is a multiple of 32.
template <class T, class W, int kPacks>
__global__ void __launch_bounds__(most_threads(kPacks))
    group_kernel(const __grid_constant__ Arguments<T, W> args, int lanes) {
  const unsigned index = blockIdx.x * (blockDim.x / lanes) + threadIdx.x / lanes;
  const bool there = index < args.rows;
  Row<T, W> row = row_of(args, there ? index : 0);
  if (!there) row.dim = 0;
  row_in_registers<T, W, kPacks>(row, args.options, threadIdx.x % lanes, lanes, JoinLanes{lanes});
}

// A row for each block.
template <class T, class W, int kPacks>
__global__ void __launch_bounds__(most_threads(kPacks)) block_kernel(const __grid_constant__ Arguments<T, W> args) {
  __shared__ float warp_sums[32];
  row_in_registers<T, W, kPacks>(row_of(args, blockIdx.x), args.options, threadIdx.x, blockDim.x, JoinBlock{warp_sums});
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// The blocks of a cluster: each warp writes its sum into the shared memory of all of them, and one barrier later every
// warp adds what came. `slots`: shared, 32 floats for each block of the cluster.
struct JoinCluster {
  float* slots;
  __device__ __forceinline__ float operator()(float value) const {
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    const int blocks = cluster.num_blocks();
    const int warps = blockDim.x / 32;
    const int lane = threadIdx.x % 32;
    value = warp_sum(value);
    // Another block's shared memory is there once that block has started.
    cluster.sync();
    if (lane < blocks) {
      cluster.map_shared_rank(slots, lane)[cluster.block_rank() * warps + threadIdx.x / 32] = value;
    }
    cluster.sync();
    value = 0.0f;
    for (int i = lane; i < blocks * warps; i += 32) value += slots[i];
    return warp_sum(value);
  }
};

// A row for each cluster.
template <class T, class W, int kPacks>
__global__ void __launch_bounds__(most_threads(kPacks)) cluster_kernel(const __grid_constant__ Arguments<T, W> args) {
  __shared__ float slots[32 * kMostCluster];
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  const int blocks = cluster.num_blocks();
  const int thread = cluster.block_rank() * blockDim.x + threadIdx.x;
  row_in_registers<T, W, kPacks>(row_of(args, blockIdx.x / blocks), args.options, thread, blockDim.x * blocks,
                                 JoinCluster{slots});
}
#else
template <class T, class W, int kPacks>
__global__ void cluster_kernel(const __grid_constant__ Arguments<T, W>) {}
#endif

// Any row: a block takes one after the other.
template <class T, class W>
__global__ void __launch_bounds__(512) element_kernel(const __grid_constant__ Arguments<T, W> args) {
  extern __shared__ float shared_row[];
  __shared__ float warp_sums[32];
  float* kept = args.keeps_in_shared ? shared_row : nullptr;
  if (args.workspace) kept = args.workspace + (long long)blockIdx.x * args.first.dim;
  for (unsigned index = blockIdx.x; index < args.rows; index += gridDim.x) {
    row_by_element<T, W>(row_of(args, index), args.options, threadIdx.x, blockDim.x, kept, JoinBlock{warp_sums});
    __syncthreads();   // all have read the warp sums
  }
}
