// Sums in which blocks access each other's shared memory, or a copy engine fills it: GPUs of sm_90 and later. None of
// this is emulated.
//
// in, out, n, kBlock, kLoads as in kernels.cuh.

#include <cooperative_groups.h>

#include "sums.cuh"

// ---- The collector's side of poll ------------------------------------------------------------------------------

// A block's sum in the low 32 bits and a flag in the high 32 bits: 1 once the sum is stored, 0 before. One store writes
// both and one load reads both, so no fence has to order them.
__device__ __forceinline__ unsigned long long filled(float sum) { return 1ull << 32 | __float_as_uint(sum); }
__device__ __forceinline__ bool is_filled(unsigned long long slot) { return slot >> 32 != 0; }
__device__ __forceinline__ float sum_in(unsigned long long slot) { return __uint_as_float((unsigned)slot); }

// Waits until this thread's part of slots[0] to slots[count - 1] is filled, adds it up, and leaves these slots zero.
template <int kBlock>
__device__ __forceinline__ float collected(volatile unsigned long long* slots, int count) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < count; i += kBlock) {
    unsigned long long slot = slots[i];
    while (!is_filled(slot)) slot = slots[i];
    slots[i] = 0;
    sum += sum_in(slot);
  }
  return sum;
}

// ---- Clusters --------------------------------------------------------------------------------------------------

constexpr int kCluster = 4;

// The grid is a multiple of kCluster blocks. slots: (blocks / kCluster - 1), zero before the first launch; each launch
// leaves them zero. Compared with poll: the blocks of a cluster first add their sums in the shared memory of one of
// them. So the collector reads kCluster times fewer slots. But a cluster starts only where kCluster blocks fit at once,
// and its blocks wait for each other twice.
template <class T, int kBlock, int kLoads>
__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kBlock)
    cluster(const T* in, float* out, volatile unsigned long long* slots, long long n) {
  __shared__ float warp_sums[kBlock / 32];
  __shared__ float block_sums[kCluster];
  const int thread = threadIdx.x;
  const cooperative_groups::cluster_group blocks = cooperative_groups::this_cluster();
  const int rank = blocks.block_rank();
  // Another block's shared memory exists once that block has started: arrive here, wait just before the first access.
  cooperative_groups::cluster_group::arrival_token started = blocks.barrier_arrive();
  float sum = thread_sum<T, kBlock, kLoads>(in, n);
  if (rank != 0) sum = block_sum<kBlock>(sum, warp_sums);
  blocks.barrier_wait(static_cast<cooperative_groups::cluster_group::arrival_token&&>(started));
  if (rank != 0 && thread == 0) *blocks.map_shared_rank(block_sums + rank, 0) = sum;
  blocks.sync();
  if (rank != 0) return;
  if (thread > 0 && thread < kCluster) sum += block_sums[thread];
  const int index = blockIdx.x / kCluster;
  const int collector = gridDim.x / kCluster - 1;
  if (index == collector) sum += collected<kBlock>(slots, collector);
  sum = block_sum<kBlock>(sum, warp_sums);
  if (thread != 0) return;
  if (index == collector) {
    *out = sum;
  } else {
    slots[index] = filled(sum);
  }
}

// ---- Bulk copies -----------------------------------------------------------------------------------------------

__device__ __forceinline__ unsigned shared_address(const void* place) {
  return static_cast<unsigned>(__cvta_generic_to_shared(place));
}

// Starts a copy of `bytes` into `tile`. The barrier `arrived`, in shared memory, counts the bytes as they arrive.
__device__ __forceinline__ void start_copy(float4* tile, const float4* from, unsigned bytes, unsigned long long* arrived) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" : : "r"(shared_address(arrived)), "r"(bytes) : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
               : : "r"(shared_address(tile)), "l"(from), "r"(bytes), "r"(shared_address(arrived)) : "memory");
}

__device__ __forceinline__ void wait_for(unsigned long long* arrived, unsigned parity) {
  unsigned done = 0;
  while (!done) {
    asm volatile(
        "{ .reg .pred there; mbarrier.try_wait.parity.shared::cta.b64 there, [%1], %2; selp.u32 %0, 1, 0, there; }"
        : "=r"(done) : "r"(shared_address(arrived)), "r"(parity) : "memory");
  }
}

// slots as in poll: (blocks - 1), zero before the first launch; each launch leaves them zero. Compared with poll: one
// thread starts the copies of kStages tiles of kBlock packs at once, so loads in flight need no registers. But each
// value is written to shared memory and read from it again, and each tile needs a block barrier.
template <class T, int kBlock, int kStages>
__global__ void __launch_bounds__(kBlock)
    bulk_copy(const T* in, float* out, volatile unsigned long long* slots, long long n) {
  __shared__ alignas(128) float4 tiles[kStages][kBlock];
  __shared__ unsigned long long arrived[kStages];
  __shared__ float warp_sums[kBlock / 32];
  const int thread = threadIdx.x;
  const Packs<T> packs(in, n);
  const long long index = (long long)blockIdx.x * kBlock + thread;
  T before = T(0.0f);
  T behind = T(0.0f);
  if (index < packs.head) before = in[index];
  if (index < packs.tail) behind = in[n - packs.tail + index];
  float sum = 0.0f;
  // Tile t of this block holds the packs from (blockIdx.x + t * gridDim.x) * kBlock on.
  const long long first = (long long)blockIdx.x * kBlock;
  const long long stride = (long long)gridDim.x * kBlock;
  const auto start = [&](long long tile) {
    const long long at = first + tile * stride;
    if (at >= packs.count) return;
    const long long whole = packs.count - at < kBlock ? packs.count - at : kBlock;
    start_copy(tiles[tile % kStages], packs.first + at, static_cast<unsigned>(whole * sizeof(float4)), &arrived[tile % kStages]);
  };
  if (thread == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(shared_address(&arrived[stage])) : "memory");
    }
    // The copy engine must see the initialized barriers.
    asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
  }
  __syncthreads();
  if (thread == 0) {
    for (int tile = 0; tile < kStages; ++tile) start(tile);
  }
  for (long long tile = 0; first + tile * stride < packs.count; ++tile) {
    wait_for(&arrived[tile % kStages], tile / kStages % 2);
    if (first + tile * stride + thread < packs.count) {
      const float4 pack = tiles[tile % kStages][thread];
      sum += pack_sum<T>(pack);
    }
    // The barrier: all threads have read the tile before the next copy overwrites it.
    __syncthreads();
    if (thread == 0) start(tile + kStages);
  }
  sum += widened(before) + widened(behind);
  const int collector = gridDim.x - 1;
  if (blockIdx.x == collector) sum += collected<kBlock>(slots, collector);
  sum = block_sum<kBlock>(sum, warp_sums);
  if (thread != 0) return;
  if (blockIdx.x == collector) {
    *out = sum;
  } else {
    slots[blockIdx.x] = filled(sum);
  }
}
