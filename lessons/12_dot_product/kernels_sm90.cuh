// The dot product where blocks hand on their sums without a fence. GPUs of sm_90 and later; not emulated. Arguments as
// in kernels.cuh.

#include "streams.cuh"

// Memory operations of GPU scope, relaxed: one whole access that all threads of the GPU see, but no order (PTX ISA,
// memory consistency model).
__device__ __forceinline__ void store_relaxed(unsigned long long* place, unsigned long long word) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(place), "l"(word) : "memory");
}
__device__ __forceinline__ unsigned long long load_relaxed(const unsigned long long* place) {
  unsigned long long word;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(place) : "memory");
  return word;
}

// Loads a pack of 16 bytes that is read only once: L1 does not keep it, and L2 keeps or evicts it as `policy` says.
// `volatile`, so that it is not moved to before the kernel before has ended.
__device__ __forceinline__ uint4 load_by(unsigned long long policy, const uint4* place) {
  uint4 pack;
  asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(pack.x), "=r"(pack.y), "=r"(pack.z), "=r"(pack.w)
               : "l"(place), "l"(policy));
  return pack;
}

// As thread_sum, but the first `keep` packs of each stream should stay in L2 for the next launch, and the rest should be
// evicted first. Without it, streams larger than L2 that are read again and again evict each of their lines just before
// that line is read again.
template <class T, int kBlock, int kLoads>
__device__ __forceinline__ float thread_sum_kept(const T* a, const T* b, long long n, long long keep) {
  const Packs<T> packs(a, b, n);
  const long long stride = (long long)gridDim.x * kBlock;
  const long long thread = (long long)blockIdx.x * kBlock + threadIdx.x;
  const uint4* packs_a = reinterpret_cast<const uint4*>(a + packs.head);
  const uint4* packs_b = reinterpret_cast<const uint4*>(b + packs.head);
  unsigned long long stays;
  unsigned long long leaves;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(stays));
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(leaves));
  float sum = 0.0f;
  for (long long i = thread; i < packs.count; i += kLoads * stride) {
    uint4 pack_a[kLoads];
    uint4 pack_b[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      const long long at = i + k * stride;
      const unsigned long long policy = at < keep ? stays : leaves;
      pack_a[k] = make_uint4(0, 0, 0, 0);
      pack_b[k] = make_uint4(0, 0, 0, 0);
      if (at < packs.count) pack_a[k] = load_by(policy, packs_a + at);
      if (at < packs.count) pack_b[k] = load_by(policy, packs_b + at);
    }
#pragma unroll
    for (int k = 0; k < kLoads; ++k) sum = add_products<T>(pack_a[k], pack_b[k], sum);
  }
  return add_outside(packs, a, b, n, thread, stride, sum);
}

// told: (blocks), launches: (1), zero before the first launch; each launch leaves them as the next needs them. At least
// two blocks of the grid must be able to run at once. keep: how many packs of 16 bytes of each stream L2 should keep;
// used only with kKept. Compared with dot_product_last_block: no fence, which waits until the sum can be seen, and no
// ticket, which waits for an answer from memory. Here each block stores one word, and the last block of the grid looks
// at all words until each bears this launch's number; eight at once where there may be many. The sums are added in the
// order of their indices: the same bits every run.
//
// Launched so that it may start before the kernel before it has ended (programmatic dependent launch): nothing is read
// or written until it has. As soon as all blocks have read their values, the next kernel may come early in the same
// way.
template <class T, int kBlock, int kLoads, bool kKept>
__global__ void __launch_bounds__(kBlock)
    dot_product_told(const T* a, const T* b, float* out, unsigned long long* told, unsigned* launches, long long n,
                     long long keep) {
  constexpr int kWords = kLoads > 1 ? 8 : 1;
  __shared__ float warp_sums[kBlock / 32];
  __shared__ float last_sums[kBlock / 32];
  const int thread = threadIdx.x;
  const int blocks = gridDim.x;
  cudaGridDependencySynchronize();
  const unsigned launch = *launches + 1;
  float sum = kKept ? thread_sum_kept<T, kBlock, kLoads>(a, b, n, keep) : thread_sum<T, kBlock, kLoads>(a, b, n);
  cudaTriggerProgrammaticLaunchCompletion();
  sum = block_sum<kBlock>(sum, warp_sums);
  // The sum in the lower half of a word, the launch in the upper half: seen together, or not at all.
  if (thread == 0) store_relaxed(told + blockIdx.x, (unsigned long long)launch << 32 | __float_as_uint(sum));
  if (blockIdx.x != blocks - 1) return;
  float total = 0.0f;
  for (int first = thread; first < blocks; first += kWords * kBlock) {
    unsigned long long words[kWords];
#pragma unroll
    for (int k = 0; k < kWords; ++k) {
      words[k] = (unsigned long long)launch << 32;   // where there is no such block: 0
      if (first + k * kBlock < blocks) words[k] = load_relaxed(told + first + k * kBlock);
    }
#pragma unroll
    for (int k = 0; k < kWords; ++k) {
      while (words[k] >> 32 != launch) words[k] = load_relaxed(told + first + k * kBlock);
      total += __uint_as_float((unsigned)words[k]);
    }
  }
  total = block_sum<kBlock>(total, last_sums);
  // All blocks have told, and so have read the number.
  if (thread == 0) {
    *out = total;
    *launches = launch;
  }
}
