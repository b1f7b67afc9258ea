// Sums that need inline PTX, for the memory model and for the cache, or a barrier of the whole grid, on GPUs of sm_80
// and later. None of this is emulated.
//
// in, out, n, kBlock, kLoads as in kernels.cuh.

#include <cooperative_groups.h>

#include "sums.cuh"

// ---- The last block finishes, with one barrier -----------------------------------------------------------------

// Memory operations of GPU scope (PTX ISA, memory consistency model). relaxed: one whole access that all threads of the
// GPU see, but no order. acquire-release: also orders the thread's accesses before and after it.
__device__ __forceinline__ void store_relaxed(float* place, float value) {
  asm volatile("st.relaxed.gpu.global.f32 [%0], %1;" : : "l"(place), "f"(value) : "memory");
}
__device__ __forceinline__ float load_relaxed(const float* place) {
  float value;
  asm volatile("ld.relaxed.gpu.global.f32 %0, [%1];" : "=f"(value) : "l"(place) : "memory");
  return value;
}
// Takes a ticket: the number before, counted up to `last` and then from 0.
__device__ __forceinline__ unsigned take_ticket(unsigned* ticket, unsigned last) {
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;" : "=r"(before) : "l"(ticket), "r"(last) : "memory");
  return before;
}

// partials: (blocks). ticket: (1), zero before the first launch; each launch leaves it zero. Compared with
// last_block_fences: two fences and two block barriers fewer. The ticket itself orders the partial sums. The warp that
// takes the last ticket adds them. The same bits every run.
template <class T, int kBlock, int kLoads>
__global__ void __launch_bounds__(kBlock)
    last_block_ticket(const T* in, float* out, float* partials, unsigned* ticket, long long n) {
  __shared__ float warp_sums[kBlock / 32];
  const int thread = threadIdx.x;
  const unsigned last = gridDim.x - 1;
  float sum = thread_sum<T, kBlock, kLoads>(in, n);
  sum = block_sum<kBlock>(sum, warp_sums);
  if (thread >= 32) return;
  unsigned before = 0;
  if (thread == 0) {
    store_relaxed(partials + blockIdx.x, sum);
    before = take_ticket(ticket, last);
  }
  before = __shfl_sync(kFullWarp, before, 0);
  // Lane 0 acquired the partial sums. The shuffle orders no memory; __syncwarp does, for the other lanes.
  __syncwarp();
  if (before != last) return;
  float total = 0.0f;
  for (unsigned i = thread; i <= last; i += 32) {
    total += load_relaxed(partials + i);
  }
  total = sum_xor<32>(total);
  if (thread == 0) *out = total;
}

// ---- A barrier of the grid -------------------------------------------------------------------------------------
//
// partials: (blocks). Launched cooperatively: all blocks must fit on the GPU at once, and the launch is refused where
// they do not. Compared with last_block_ticket: every block waits for every other, though only one has work after the
// barrier.
template <class T, int kBlock, int kLoads>
__global__ void __launch_bounds__(kBlock) grid_barrier(const T* in, float* out, float* partials, long long n) {
  __shared__ float warp_sums[kBlock / 32];
  __shared__ float last_sums[kBlock / 32];
  const int thread = threadIdx.x;
  const int blocks = gridDim.x;
  float sum = thread_sum<T, kBlock, kLoads>(in, n);
  sum = block_sum<kBlock>(sum, warp_sums);
  if (thread == 0) partials[blockIdx.x] = sum;
  cooperative_groups::this_grid().sync();
  if (blockIdx.x != 0) return;
  float total = 0.0f;
  for (int i = thread; i < blocks; i += kBlock) {
    total += partials[i];
  }
  total = block_sum<kBlock>(total, last_sums);
  if (thread == 0) *out = total;
}

// ---- One block polls, with cache hints ------------------------------------------------------------------------

// A block's sum in the low 32 bits and a flag in the high 32 bits: 1 once the sum is stored, 0 before. One store writes
// both and one load reads both, so no fence has to order them.
__device__ __forceinline__ unsigned long long filled(float sum) { return 1ull << 32 | __float_as_uint(sum); }
__device__ __forceinline__ bool is_filled(unsigned long long slot) { return slot >> 32 != 0; }
__device__ __forceinline__ float sum_in(unsigned long long slot) { return __uint_as_float((unsigned)slot); }

__device__ __forceinline__ void store_relaxed(unsigned long long* place, unsigned long long value) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(place), "l"(value) : "memory");
}
__device__ __forceinline__ unsigned long long load_relaxed(const unsigned long long* place) {
  unsigned long long value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(place) : "memory");
  return value;
}

// Loads a pack that is read only once: L1 does not keep it. With kPolicy, L2 keeps or evicts it as `policy` says. The
// asm is not volatile, because the input does not change. So the compiler may issue the next turn's loads before it
// adds this turn's packs.
template <bool kPolicy>
__device__ __forceinline__ float4 load_once(const float4* place, unsigned long long policy) {
  float4 pack;
  if constexpr (kPolicy) {
    asm("ld.global.nc.L1::no_allocate.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
        : "=f"(pack.x), "=f"(pack.y), "=f"(pack.z), "=f"(pack.w)
        : "l"(place), "l"(policy));
  } else {
    asm("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
        : "=f"(pack.x), "=f"(pack.y), "=f"(pack.z), "=f"(pack.w)
        : "l"(place));
  }
  return pack;
}

// As thread_sum, but each load in flight has a sum of its own, so that no addition waits for another. The values of
// head and tail are loaded first and added last. kLoads: a power of two. The grid has fewer than 2^32 threads. With
// kPolicy the first `keep` packs should stay in L2 for the next launch, and the rest should be evicted first. Without
// it, an input larger than L2 that is read again and again evicts each of its lines just before that line is read
// again.
template <class T, int kBlock, int kLoads, bool kPolicy>
__device__ __forceinline__ float thread_sum_once(const T* in, long long n, long long keep) {
  const Packs<T> packs(in, n);
  const unsigned stride = gridDim.x * kBlock;
  const unsigned thread = blockIdx.x * kBlock + threadIdx.x;
  unsigned long long stays = 0;
  unsigned long long leaves = 0;
  if constexpr (kPolicy) {
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(stays));
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(leaves));
  }
  T before = T(0.0f);
  T behind = T(0.0f);
  if (thread < packs.head) before = in[thread];
  if (thread < packs.tail) behind = in[n - packs.tail + thread];
  float sums[kLoads] = {};
  long long i = thread;
  for (; i + (kLoads - 1ll) * stride < packs.count; i += (long long)kLoads * stride) {
    float4 pack[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      const long long at = i + (long long)k * stride;
      pack[k] = load_once<kPolicy>(packs.first + at, at < keep ? stays : leaves);
    }
#pragma unroll
    for (int k = 0; k < kLoads; ++k) sums[k] += pack_sum<T>(pack[k]);
  }
  if (i < packs.count) {
    float4 pack[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      const long long at = i + (long long)k * stride;
      pack[k] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
      if (at < packs.count) pack[k] = load_once<kPolicy>(packs.first + at, at < keep ? stays : leaves);
    }
#pragma unroll
    for (int k = 0; k < kLoads; ++k) sums[k] += pack_sum<T>(pack[k]);
  }
#pragma unroll
  for (int width = kLoads / 2; width > 0; width /= 2) {
#pragma unroll
    for (int k = 0; k < width; ++k) sums[k] += sums[k + width];
  }
  return sums[0] + (widened(before) + widened(behind));
}

// slots as in poll: (blocks - 1), zero before the first launch; each launch leaves them zero. keep: how many packs of
// 16 bytes L2 should keep; used only with kPolicy. Compared with poll: the loads bypass L1. The slots are accessed with
// relaxed accesses of GPU scope; volatile ones have system scope. The collector's threads add the slots to their own
// sums first, so its block adds up only once.
template <class T, int kBlock, int kLoads, bool kPolicy>
__global__ void __launch_bounds__(kBlock)
    poll_hints(const T* in, float* out, unsigned long long* slots, long long n, long long keep) {
  __shared__ float warp_sums[kBlock / 32];
  const int thread = threadIdx.x;
  const int collector = gridDim.x - 1;
  float sum = thread_sum_once<T, kBlock, kLoads, kPolicy>(in, n, keep);
  if (blockIdx.x != collector) {
    sum = block_sum<kBlock>(sum, warp_sums);
    if (thread == 0) store_relaxed(slots + blockIdx.x, filled(sum));
    return;
  }
  for (int i = thread; i < collector; i += kBlock) {
    unsigned long long slot = load_relaxed(slots + i);
    while (!is_filled(slot)) slot = load_relaxed(slots + i);
    store_relaxed(slots + i, 0ull);
    sum += sum_in(slot);
  }
  sum = block_sum<kBlock>(sum, warp_sums);
  if (thread == 0) *out = sum;
}
