// The kernels that the operator launches, on top of row.cuh. kWhole: rows begin at multiples of 16 bytes and hold whole
// packs; else all four tensors' rows begin equally far past such a multiple. The weight begins at one.

#include <cooperative_groups.h>

#include "row.cuh"
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

// Threads of a block that takes several rows.
constexpr int kMostGroupThreads = 256;

// A row for each `lanes` threads. blockDim.x is a multiple of 32.
template <class T, class W, int kPacks, bool kWhole>
__global__ void __launch_bounds__(kMostGroupThreads)
    group_kernel(const __grid_constant__ Arguments<T, W> args, int lanes) {
  begin_after_previous();
  const unsigned index = blockIdx.x * (blockDim.x / lanes) + threadIdx.x / lanes;
  const bool there = index < args.rows;
  Row<T, W> row = row_of(args, there ? index : 0);
  if (!there) row.dim = 0;
  row_in_registers<T, W, kPacks, kWhole>(row, args.options, threadIdx.x % lanes, lanes, JoinLanes{lanes});
}

// A row for each block.
template <class T, class W, int kPacks, bool kWhole>
__global__ void __launch_bounds__(most_threads(kPacks)) block_kernel(const __grid_constant__ Arguments<T, W> args) {
  __shared__ float warp_sums[32];
  begin_after_previous();
  row_in_registers<T, W, kPacks, kWhole>(row_of(args, blockIdx.x), args.options, threadIdx.x, blockDim.x,
                                         JoinBlock{warp_sums});
}

// Threads of a block that shares a row with others, and that streams rows.
constexpr int kMostStreamThreads = 512;
// Tiles that a block has in its ring, at most.
constexpr int kMostTiles = 16;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
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
    if (threadIdx.x < 32) {
      value = lane < blockDim.x / 32 ? warp_sums[lane] : 0.0f;
      value = warp_sum(value);
      cluster_sum->tell(value, cluster.block_rank(), blocks, 0);
    }
    return cluster_sum->wait(blocks, 0);
  }
};

// A row for each cluster: rows that no copy engine takes, since they do not begin at multiples of 16 bytes.
template <class T, class W, int kPacks>
__global__ void __launch_bounds__(kMostStreamThreads)
    cluster_kernel(const __grid_constant__ Arguments<T, W> args) {
  __shared__ ClusterSum cluster_sum;
  __shared__ float warp_sums[32];
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) {
    cluster_sum.init();
    publish_barriers();
  }
  cooperative_groups::cluster_group::arrival_token started = cluster.barrier_arrive();
  begin_after_previous();
  const int blocks = cluster.num_blocks();
  const int thread = cluster.block_rank() * blockDim.x + threadIdx.x;
  row_in_registers<T, W, kPacks, false>(row_of(args, blockIdx.x / blocks), args.options, thread, blockDim.x * blocks,
                                        JoinCluster{&cluster_sum, warp_sums, &started});
}

// The packs that one block takes of each of its rows, number first to first + count - 1.
struct Share {
  int first, count;
};

// Starts copying packs of a and b from global to shared memory, if there is such a row: tile number `tile` of a block's,
// counted from row `number` on, kPacks tiles a row. A tile is blockDim.x packs of a, then as many of b. All threads have taken what they
// want of what lay there.
template <int kPacks, class T, class W>
__device__ __forceinline__ void feed_tile(const Arguments<T, W>& args, const Share& share, unsigned number,
                                          unsigned clusters, unsigned tile, uint4* to, unsigned long long* arrived) {
  const long long its_row = number + static_cast<long long>(tile / kPacks) * clusters;
  if (its_row >= args.rows) return;
  const int threads = blockDim.x;
  const int from = tile % kPacks * threads;
  const int left = share.count - from;
  const int packs = left < 0 ? 0 : left < threads ? left : threads;
  arrive_expecting(arrived, packs * 32);
  if (packs > 0) {
    const Row<T, W> row = row_of(args, static_cast<unsigned>(its_row));
    const int first = (share.first + from) * Pack<T>::kValues;
    start_copy(to, row.a + first, packs * 16, arrived);
    start_copy(to + threads, row.b + first, packs * 16, arrived);
  }
}

// The same number, computed anew: what is derived from it need not be kept in registers until here.
__device__ __forceinline__ unsigned anew(unsigned number) {
  asm volatile("" : "+r"(number));
  return number;
}

// Keeps weights of 16 bits as they are: the compiler would else hold on to the floats that they are widened to, twice
// as many registers.
template <class T, class W>
__device__ __forceinline__ void keep_packed(Weights<T, W>& weights) {
  if (sizeof(W) == 2) {
    unsigned* words = reinterpret_cast<unsigned*>(&weights);
    asm volatile("" : "+r"(words[0]), "+r"(words[1]), "+r"(words[2]), "+r"(words[3]));
  }
}

// Blocks of a stream kernel that shall share a multiprocessor: their registers must do for two, unless a thread holds
// four packs of 16 bits, widened.
template <class T>
constexpr int stream_blocks(int packs) {
  return packs == 4 && sizeof(T) == 2 ? 1 : 2;
}

// Row after row: cluster c of the grid takes rows c, c + clusters, … A cluster may be a single block. Rows are whole
// packs, at most kPacks a thread. The weights stay in registers from row to row, and loads hardly pause: a copy engine
// brings the next rows while the warps work on the row before. Dynamic shared memory: tiles * 2 * blockDim.x packs.
template <class T, class W, int kPacks>
__global__ void __launch_bounds__(kMostStreamThreads, stream_blocks<T>(kPacks))
    stream_kernel(const __grid_constant__ Arguments<T, W> args, int tiles) {
  constexpr int kValues = Pack<T>::kValues;
  extern __shared__ uint4 ring[];
  __shared__ unsigned long long arrived[kMostTiles];
  __shared__ ClusterSum cluster_sum;
  __shared__ float warp_sums[2][32];
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  const int blocks = cluster.num_blocks();
  const int rank = cluster.block_rank();
  const int threads = blockDim.x;
  const int thread = threadIdx.x;
  const int lane = thread % 32;
  const int packs = args.first.dim / kValues;
  const int each = (packs + blocks - 1) / blocks;
  const int first = rank * each < packs ? rank * each : packs;
  const Share share{first, packs - first < each ? packs - first : each};
  // Not in warp 0, which joins the sums.
  const bool feeds = thread == threads - 32;

  unsigned number = blockIdx.x / blocks;
  const unsigned clusters = gridDim.x / blocks;
  if (feeds) {
    for (int tile = 0; tile < tiles; ++tile) init_barrier(&arrived[tile], 1);
    cluster_sum.init();
    publish_barriers();
  }
  begin_after_previous();
  if (feeds) {
    for (int tile = 0; tile < tiles; ++tile) {
      feed_tile<kPacks>(args, share, number, clusters, tile, ring + tile * 2 * threads, &arrived[tile]);
    }
  }
  Weights<T, W> weights[kPacks];
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int index = thread + k * threads;
    if (index < share.count) weights[k] = load_weights<T, W>(args.first.weight, share.first + index);
  }
  // No block stores into another one that has not started.
  cluster.sync();

  int at = 0;   // of the next tile: places 0 to tiles - 1, and once more in the other phase
  int turn = 0;
  for (; number < args.rows; number += clusters, ++turn) {
    T* residual_out = row_of(args, anew(number)).residual_out;
    float x[kPacks][kValues];
    float squares = 0.0f;
    float* sums = warp_sums[turn & 1];
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      const int index = thread + k * threads;
      const int place = at < tiles ? at : at - tiles;
      uint4* tile = ring + place * 2 * threads;
      wait_for(&arrived[place], at >= tiles);
      if (index < share.count) {
        const Pack<T> a = load(reinterpret_cast<const T*>(tile), thread);
        const Pack<T> b = load(reinterpret_cast<const T*>(tile + threads), thread);
        store(residual_out, share.first + index, add_pack(a, b, args.options, x[k], squares));
      }
      if (k == kPacks - 1) {
        squares = warp_sum(squares);
        if (lane == 0) sums[thread / 32] = squares;
      }
      // All warps have taken the tile; in the end, all have told their sums.
      __syncthreads();
      if (thread == threads - 32) {
        feed_tile<kPacks>(args, share, number, clusters, k + tiles, tile, &arrived[place]);
      }
      at = at + 1 == 2 * tiles ? 0 : at + 1;
    }
    if (blocks == 1 || thread < 32) {
      squares = lane < threads / 32 ? sums[lane] : 0.0f;
      squares = warp_sum(squares);
    }
    if (blocks > 1) {
      if (thread < 32) cluster_sum.tell(squares, rank, blocks, turn);
      squares = cluster_sum.wait(blocks, turn);
    }
    const float scale = scale_of(squares, args.first.dim, args.options.epsilon);
    T* y = row_of(args, anew(number)).y;
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      const int index = thread + k * threads;
      if (index < share.count) {
        keep_packed(weights[k]);
        store(y, share.first + index, normalized_pack(x[k], scale, weights[k], args.options));
      }
    }
  }
}
#else
template <class T, class W, int kPacks>
__global__ void cluster_kernel(const __grid_constant__ Arguments<T, W>) {}
template <class T, class W, int kPacks>
__global__ void stream_kernel(const __grid_constant__ Arguments<T, W>, int) {}
#endif

// Any row: a block takes one after the other.
template <class T, class W>
__global__ void __launch_bounds__(512) element_kernel(const __grid_constant__ Arguments<T, W> args) {
  extern __shared__ float shared_row[];
  __shared__ float warp_sums[32];
  begin_after_previous();
  float* kept = args.keeps_in_shared ? shared_row : nullptr;
  if (args.workspace) kept = args.workspace + (long long)blockIdx.x * args.first.dim;
  for (unsigned index = blockIdx.x; index < args.rows; index += gridDim.x) {
    row_by_element<T, W>(row_of(args, index), args.options, threadIdx.x, blockDim.x, kept, JoinBlock{warp_sums});
    __syncthreads();   // all have read the warp sums
  }
}
