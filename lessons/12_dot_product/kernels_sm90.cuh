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

// told: (blocks), launches: (1), zero before the first launch; each launch leaves them as the next needs them. At least
// two blocks of the grid must be able to run at once. Compared with dot_product_last_block: no fence, which waits until
// the sum can be seen, and no ticket, which waits for an answer from memory. Here each block stores one word, and the
// last block of the grid looks at all words until each bears this launch's number. The sums are added in the order of
// their indices: the same bits every run.
//
// Launched so that it may start before the kernel before it has ended (programmatic dependent launch): nothing is read
// or written until it has. As soon as all blocks have read their values, the next kernel may come early in the same
// way.
template <class T, int kBlock, int kLoads>
__global__ void __launch_bounds__(kBlock)
    dot_product_told(const T* a, const T* b, float* out, unsigned long long* told, unsigned* launches, long long n) {
  __shared__ float warp_sums[kBlock / 32];
  __shared__ float last_sums[kBlock / 32];
  const int thread = threadIdx.x;
  const int blocks = gridDim.x;
  cudaGridDependencySynchronize();
  const unsigned launch = *launches + 1;
  float sum = thread_sum<T, kBlock, kLoads>(a, b, n);
  cudaTriggerProgrammaticLaunchCompletion();
  sum = block_sum<kBlock>(sum, warp_sums);
  // The sum in the lower half of a word, the launch in the upper half: seen together, or not at all.
  if (thread == 0) store_relaxed(told + blockIdx.x, (unsigned long long)launch << 32 | __float_as_uint(sum));
  if (blockIdx.x != blocks - 1) return;
  float total = 0.0f;
  for (int i = thread; i < blocks; i += kBlock) {
    unsigned long long word;
    do {
      word = load_relaxed(told + i);
    } while (word >> 32 != launch);
    total += __uint_as_float((unsigned)word);
  }
  total = block_sum<kBlock>(total, last_sums);
  // All blocks have told, and so have read the number.
  if (thread == 0) {
    *out = total;
    *launches = launch;
  }
}
