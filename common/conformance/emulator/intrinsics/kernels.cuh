// What else kernels are made of: each kernel puts some of CUDA's intrinsics and declarations through the emulator.
#include <assert.h>
#include <cstdio>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/cub.cuh>

extern __shared__ float dynamic_floats[];
extern __shared__ int dynamic_ints[];
extern __shared__ double dynamic_rows[][4];

__device__ int counter;
__device__ float weights[2][3] = {{1, 2, 3}, {4, 5, 6}};
__constant__ int table[4] = {3, 1, 4, 1};

struct Pair {
  float a;
  int b;
};

// out: 4 a thread: the three votes at the barrier, and the line's order.
__global__ void block_votes(const int* in, int* out) {
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int value = in[thread];
  out[4 * thread] = __syncthreads_count(value);
  out[4 * thread + 1] = __syncthreads_and(value);
  out[4 * thread + 2] = __syncthreads_or(value);
  if (value == 7) return;
  out[4 * thread + 3] = __syncthreads_count(value == 1);
}

// Wrong: two kinds of barrier meet.
__global__ void mixed_barriers(int* out) {
  int voted = -1;
  if (threadIdx.x < 32) {
    voted = __syncthreads_count(threadIdx.x < 5);
  } else {
    __syncthreads();
  }
  out[threadIdx.x] = voted;
}

template <class T>
__global__ void matches(const T* in, unsigned* out, unsigned mask) {
  const int lane = threadIdx.x;
  if (!(mask >> lane & 1)) return;
  int all = -1;
  out[lane * 3] = __match_any_sync(mask, in[lane]);
  out[lane * 3 + 1] = __match_all_sync(mask, in[lane], &all);
  out[lane * 3 + 2] = all;
}

template <class T>
__global__ void reductions(const T* in, T* out, unsigned mask) {
  const int lane = threadIdx.x;
  if (!(mask >> lane & 1)) return;
  T* mine = out + lane * 6;
  T sum = in[lane];
  sum = __reduce_add_sync(mask, sum);
  mine[0] = sum;
  mine[1] = __reduce_min_sync(mask, in[lane]);
  mine[2] = __reduce_max_sync(mask, in[lane]);
  mine[3] = __reduce_and_sync(mask, in[lane]);
  mine[4] = __reduce_or_sync(mask, in[lane]);
  mine[5] = __reduce_xor_sync(mask, in[lane]);
}

// Wrong: see the finding's name.
__global__ void reduce_not_named(int* out) { out[threadIdx.x] = __reduce_add_sync(0xffffu, static_cast<int>(threadIdx.x)); }
__global__ void reduce_other_intrinsic(int* out) {
  if (threadIdx.x < 8) out[threadIdx.x] = __reduce_min_sync(0xffffffffu, 1);
  else out[threadIdx.x] = __reduce_max_sync(0xffffffffu, 1);
}
__global__ void match_other_mask(int* out) {
  const unsigned mask = threadIdx.x < 8 ? 0xffffffffu : 0xfffffff0u;
  out[threadIdx.x] = __match_any_sync(mask, 1);
}
__global__ void match_waits(int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __match_any_sync(0xffffffffu, 1);
  __syncthreads_or(1);
}

// Who is active in each branch, then together again.
__global__ void active(unsigned* out) {
  const int lane = threadIdx.x;
  if (lane == 31) return;
  if (lane % 3 == 0) {
    out[lane] = __activemask();
  } else if (lane % 3 == 1) {
    __syncwarp(0x12492492u);
    out[lane] = __activemask();
  } else {
    out[lane] = __activemask() | 1u << 31;
  }
}

__global__ void fences(int* out) {
  __shared__ int words[32];
  words[threadIdx.x] = threadIdx.x;
  __threadfence_block();
  __threadfence();
  __threadfence_system();
  out[threadIdx.x] = words[threadIdx.x];
}

// Lane 0 of the last warp releases those that sleep; a lane that only asks by atomics is let wait, too.
__global__ void sleepers(int* out) {
  volatile int* flag = out;
  if (threadIdx.x == 40) {
    out[1] = 5;
    __threadfence();
    *flag = 1;
  } else if (threadIdx.x < 8) {
    while (*flag == 0) __nanosleep(100);
    atomicAdd(&out[2], out[1]);
  } else if (threadIdx.x == 9) {
    while (atomicAdd(&out[0], 0) == 0) {
    }
    atomicAdd(&out[2], 100);
  }
}

__global__ void sleeps_for_ever(int* out) {
  while (out[0] == 0) __nanosleep(1);
}

__global__ void __maxnreg__(64) clocks(long long* out) {
  const long long begin = clock64();
  const auto shorter = clock();
  out[threadIdx.x] = clock64() - begin;
  if (shorter <= begin) out[threadIdx.x] = -1;
}

__global__ void prints(const float* in, int* out) {
  const int lane = threadIdx.x;
  if (lane > 1) return;
  out[lane] = printf("%d %u %5.2f %g %x %s %lld %zu %c%%\n", -lane, 7u, in[lane], 0.5, 255, "text", 1ll << 40, sizeof(Pair), 'c');
  printf("plain\n");
}

__global__ void asserts(const int* in, int* out) {
  out[threadIdx.x] = 1;
  __syncthreads();
  assert(in[threadIdx.x] < 5);
  out[threadIdx.x] = 2;
}

__global__ void traps(int* out) {
  out[threadIdx.x] = 3;
  __syncthreads();
  if (threadIdx.x == 3) __trap();
  __syncthreads();
  out[threadIdx.x] = 4;
}

// Lanes in the order of a three-dimensional block: x fastest; the last warp partly filled.
__global__ void lanes(int* out) {
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned present = __ballot_sync(0xffffffffu, 1);
  const int first = __shfl_sync(0xffffffffu, thread, 0);
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  int* mine = out + 4 * (block * blockDim.x * blockDim.y * blockDim.z + thread);
  mine[0] = first;
  mine[1] = __popc(present);
  mine[2] = warpSize;
  mine[3] = block;
}

__device__ __forceinline__ int first_int() { return dynamic_ints[0]; }
__noinline__ static __device__ float second_float() { return dynamic_floats[1]; }
#define LAST_OF(row) dynamic_rows[row][3]
__device__ double last_of_row() { return LAST_OF(0); }

// Dynamic shared memory under several names and types is one piece of memory.
__global__ void aliases(int* out) {
  extern __shared__ __align__(16) unsigned char raw[];
  extern __shared__ unsigned words[];
  if (threadIdx.x == 0) {
    dynamic_floats[0] = 1.0f;
    dynamic_floats[1] = 2.5f;
    reinterpret_cast<double*>(raw)[3] = 6.5;
  }
  __syncthreads();
  out[0] = first_int();
  out[1] = static_cast<int>(second_float() * 10);
  out[2] = raw[3];
  out[3] = static_cast<int>(words[0]);
  out[4] = static_cast<int>(last_of_row() * 10);
}

// Declarations of every kind.
__global__ void __launch_bounds__(64, 2) declares(const __grid_constant__ int n, const int* __restrict__ in, int* __restrict__ out) {
  static __shared__ Pair pairs[2][32];
  __shared__ volatile int single;
  const int lane = threadIdx.x;
  __builtin_assume(n > 0);
  if (__builtin_expect(n < 0, 0)) __builtin_unreachable();
  pairs[1][lane].a = weights[lane % 2][lane % 3];
  pairs[0][lane].b = table[lane % 4];
  if (lane == 0) single = n;
  __syncthreads();
  float sum = 0;
#pragma unroll 4
  for (int i = 0; i < 4; ++i) sum += pairs[1][(lane + i) % 32].a;
#pragma unroll
  for (int i = 0; i < 2; ++i) sum += pairs[0][lane].b;
  auto doubled = [=](int v) { return 2 * v; };
  atomicAdd(&counter, 1);
#if __CUDA_ARCH__ >= 800
  out[lane] = doubled(in[lane]) + static_cast<int>(sum) + single;
#else
  asm volatile("mov.u32 %0, %laneid;" : "=r"(out[lane]));
#endif
  asm volatile("" ::: "memory");
}

// The last bits depend on the order of the blocks; so does who comes first.
__global__ void in_turn(int* turn, int* order) {
  if (threadIdx.x == 0) order[atomicAdd(turn, 1)] = static_cast<int>(blockIdx.x);
}

// The sum of a warp of kWarp lanes, and what they see of their warp.
template <int kWarp>
__global__ void small_warps(const int* in, int* out) {
  const int thread = threadIdx.x;
  const int lane = thread % kWarp;
  int value = in[thread];
  for (int offset = kWarp / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
  const int above = __shfl_down_sync(0xffffffffu, lane, 1, 32);
  int* mine = out + 5 * thread;
  mine[0] = value;
  mine[1] = static_cast<int>(__ballot_sync(0xffffffffu, 1));
  mine[2] = warpSize;
  mine[3] = above;
  mine[4] = static_cast<int>(__activemask());
  __syncthreads();
}

// Gives 100, 200, … to one tile of a block after the other.
struct Tens {
  int next;
  __device__ int operator()(int all) {
    const int before = next;
    next += 100 + 0 * all;
    return before;
  }
};

// in: kBlock. out: 6 a thread. kBlock may leave the last warp in part.
template <int kBlock>
__global__ void cub_block(const int* in, int* out, int valid) {
  using Reduce = cub::BlockReduce<int, kBlock>;
  using Scan = cub::BlockScan<int, kBlock, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ union {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
  } storage;
  const int thread = threadIdx.x, value = in[thread];
  int results[6] = {};
  results[0] = Reduce(storage.reduce).Sum(value);
  __syncthreads();
  results[1] = Reduce(storage.reduce).Reduce(value, cub::Max(), valid);
  __syncthreads();
  int all = 0;
  Scan(storage.scan).ExclusiveSum(value, results[2], all);
  results[3] = all;
  __syncthreads();
  Scan(storage.scan).InclusiveScan(value, results[4], cub::Min());
  __syncthreads();
  int pair[2] = {value, 1};
  Tens tens{100};
  Scan(storage.scan).ExclusiveSum(pair, pair, tens);
  results[5] = pair[1];
  for (int i = 0; i < 6; ++i) out[6 * thread + i] = results[i];
}

// in: 32. out: 6 a lane, by logical warps of kThreads lanes.
template <int kThreads>
__global__ void cub_warp(const double* in, double* out) {
  using Reduce = cub::WarpReduce<double, kThreads>;
  using Scan = cub::WarpScan<double, kThreads>;
  __shared__ typename Reduce::TempStorage reduce;
  __shared__ typename Scan::TempStorage scan;
  const int lane = threadIdx.x;
  const double value = in[lane];
  double results[6] = {};
  results[0] = Reduce(reduce).Sum(value);
  results[1] = Reduce(reduce).Reduce(value, cub::Min(), 3);
  results[2] = Reduce(reduce).HeadSegmentedSum(value, lane % 3 == 0);
  Scan(scan).ExclusiveSum(value, results[3], results[4]);
  results[5] = Scan(scan).Broadcast(value, 1);
  for (int i = 0; i < 6; ++i) out[6 * lane + i] = results[i];
}

// out: global, static shared, dynamic shared, local; 4 answers each.
__global__ void address_spaces(unsigned* out) {
  __shared__ int fixed[4];
  int own[4] = {};
  const void* places[4] = {out, &fixed[1], &dynamic_ints[0], &own[2]};
  for (int i = 0; i < 4; ++i) {
    out[3 * i] = __isGlobal(places[i]);
    out[3 * i + 1] = __isShared(places[i]);
    out[3 * i + 2] = __isLocal(places[i]);
  }
}

// in: one a thread. out: 4 a thread: the tile's sum, its any, a word that the tile's last thread wrote, its rank.
template <int kTile>
__global__ void wide_tiles(const int* in, int* out) {
  namespace cg = cooperative_groups;
  __shared__ cg::block_tile_memory<256> memory;
  __shared__ int words[256];
  const auto block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<kTile>(block);
  const int thread = threadIdx.x, value = in[thread];
  out[4 * thread] = cg::reduce(tile, value, cg::plus<int>());
  out[4 * thread + 1] = tile.any(value == 5) + 2 * tile.all(value >= 0);
  words[thread] = value;
  tile.sync();
  out[4 * thread + 2] = words[thread / kTile * kTile + kTile - 1];
  out[4 * thread + 3] = tile.shfl(value, 33) + 1000 * cg::tiled_partition<32>(tile).meta_group_rank();
}
