// Warp and block intrinsics, one by one: each thread calls with its own value, mask and arguments, and writes down the
// answer. A mask of 0 keeps a thread out of the call.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ int thread_number() {
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  return block * blockDim.x * blockDim.y * blockDim.z +
         (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

// arg, width, out: four for each thread, by idx, up, down, xor.
template <class T>
__global__ void shuffles(const T* in, const unsigned* mask, const int* arg, const int* width, T* out) {
  const int thread = thread_number();
  if (mask[thread] == 0) return;
  const T value = in[thread];
  const int first = 4 * thread;
  out[first + 0] = __shfl_sync(mask[thread], value, arg[first + 0], width[first + 0]);
  out[first + 1] = __shfl_up_sync(mask[thread], value, arg[first + 1], width[first + 1]);
  out[first + 2] = __shfl_down_sync(mask[thread], value, arg[first + 2], width[first + 2]);
  out[first + 3] = __shfl_xor_sync(mask[thread], value, arg[first + 3], width[first + 3]);
}

// out: (3 for each thread) any, all, ballot.
__global__ void votes(const int* in, const unsigned* mask, unsigned* out) {
  const int thread = thread_number();
  if (mask[thread] == 0) return;
  out[3 * thread + 0] = __any_sync(mask[thread], in[thread]);
  out[3 * thread + 1] = __all_sync(mask[thread], in[thread]);
  out[3 * thread + 2] = __ballot_sync(mask[thread], in[thread]);
}

// out: (3 for each thread) match_any, match_all, its predicate.
template <class T>
__global__ void matches(const T* in, const unsigned* mask, unsigned* out) {
  const int thread = thread_number();
  if (mask[thread] == 0) return;
  int same = -1;
  out[3 * thread + 0] = __match_any_sync(mask[thread], in[thread]);
  out[3 * thread + 1] = __match_all_sync(mask[thread], in[thread], &same);
  out[3 * thread + 2] = same;
}

// signed_out: (3 for each thread) add, min, max of the values taken as int. out: (6) add, min, max, and, or, xor.
__global__ void reductions(const unsigned* in, const unsigned* mask, int* signed_out, unsigned* out) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  const int thread = thread_number();
  if (mask[thread] == 0) return;
  const unsigned value = in[thread];
  signed_out[3 * thread + 0] = __reduce_add_sync(mask[thread], static_cast<int>(value));
  signed_out[3 * thread + 1] = __reduce_min_sync(mask[thread], static_cast<int>(value));
  signed_out[3 * thread + 2] = __reduce_max_sync(mask[thread], static_cast<int>(value));
  out[6 * thread + 0] = __reduce_add_sync(mask[thread], value);
  out[6 * thread + 1] = __reduce_min_sync(mask[thread], value);
  out[6 * thread + 2] = __reduce_max_sync(mask[thread], value);
  out[6 * thread + 3] = __reduce_and_sync(mask[thread], value);
  out[6 * thread + 4] = __reduce_or_sync(mask[thread], value);
  out[6 * thread + 5] = __reduce_xor_sync(mask[thread], value);
#endif
}

// Threads that leave are not asked. out: (3 for each thread) count, and, or.
__global__ void block_votes(const int* in, const int* leaves, int* out) {
  const int thread = thread_number();
  if (leaves[thread]) return;
  out[3 * thread + 0] = __syncthreads_count(in[thread]);
  out[3 * thread + 1] = __syncthreads_and(in[thread]);
  out[3 * thread + 2] = __syncthreads_or(in[thread]);
}

__global__ void active(const int* in, unsigned* out) {
  const int thread = thread_number();
  if (in[thread]) {
    out[thread] = __activemask();
  }
}

// Each lane writes a word for its partner, a lane named in the same mask.
__global__ void warp_barrier(const int* in, const unsigned* mask, const int* partner, int* out) {
  __shared__ int words[1024];
  const int thread = thread_number();
  const int own = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  if (mask[thread] == 0) return;
  words[own] = in[thread];
  __syncwarp(mask[thread]);
  out[thread] = words[own / 32 * 32 + partner[thread]];
}

// The block that comes last adds what all have published before their fence. kScope: 1 device, 2 system.
template <int kScope>
__global__ void last_block(const int* in, int* partial, unsigned* arrived, int* out, int n) {
  __shared__ bool last;
  const int block = blockIdx.x;
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int i = block; i < n; i += gridDim.x) sum += in[i];
    partial[block] = sum;
    if constexpr (kScope == 1) __threadfence();
    if constexpr (kScope == 2) __threadfence_system();
    last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < static_cast<int>(gridDim.x); ++i) sum += static_cast<volatile int*>(partial)[i];
    out[0] = sum;
  }
}

// One thread of a block publishes a value and then a flag; the others wait for the flag.
__global__ void flagged(const int* in, int* out) {
  __shared__ volatile int value;
  __shared__ int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1) {
    value = in[blockIdx.x];
    __threadfence_block();
    atomicExch(&flag, 1);
  }
  __syncthreads();
  if (atomicAdd(&flag, 0) == 1) out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

// out: (10 for each thread) the value by six ways of loading and four of storing.
template <class T>
__global__ void loads_and_stores(const T* in, T* out) {
  const int thread = thread_number();
  T* mine = out + 10 * thread;
  mine[0] = __ldg(&in[thread]);
  mine[1] = __ldca(&in[thread]);
  mine[2] = __ldcg(&in[thread]);
  mine[3] = __ldcs(&in[thread]);
  mine[4] = __ldlu(&in[thread]);
  mine[5] = __ldcv(&in[thread]);
  __stwb(&mine[6], in[thread]);
  __stcg(&mine[7], in[thread]);
  __stcs(&mine[8], in[thread]);
  __stwt(&mine[9], in[thread]);
}
