// Many blocks add to one sum. atomicAdd reads a word, adds and writes it back in one operation: no addition is lost.
//
// in: (n), n >= 1. out: (1), zeroed by the caller; every block adds to it. One block of kBlock threads for each kBlock
// values. The order of the blocks is not defined, and each addition rounds, so the last bits may differ from run to
// run. Error, to first order: at most (the most additions that any value goes through) * 2^-24 * sum|x|.

// Compared with shared_tree of the previous lesson: the block's sum goes to out by one atomicAdd, so no partial sums
// are left to add. kBlock is a power of two. A value goes through log2(kBlock) + blocks - 1 additions at most.
template <int kBlock>
__global__ void atomic_tree(const float* in, float* out, int n) {
  __shared__ float tree[kBlock];
  const int thread = threadIdx.x;
  const int index = blockIdx.x * kBlock + thread;
  tree[thread] = index < n ? in[index] : 0.0f;
  __syncthreads();
  for (int offset = kBlock / 2; offset > 0; offset /= 2) {
    if (thread < offset) tree[thread] += tree[thread + offset];
    __syncthreads();
  }
  if (thread == 0) atomicAdd(out, tree[0]);
}

// Compared with atomic_tree: no tree. Every thread adds its own value to one word in global memory. The additions run
// one after another. kBlock is any size. A value goes through at most n - 1 additions.
template <int kBlock>
__global__ void atomic_each(const float* in, float* out, int n) {
  const int index = blockIdx.x * kBlock + threadIdx.x;
  if (index < n) atomicAdd(out, in[index]);
}

// Compared with atomic_each: the threads of a block add to one word in shared memory; each block then adds once to out.
// kBlock is any size. A value goes through at most kBlock + blocks - 2 additions.
template <int kBlock>
__global__ void atomic_shared(const float* in, float* out, int n) {
  __shared__ float block_sum;
  const int index = blockIdx.x * kBlock + threadIdx.x;
  if (threadIdx.x == 0) block_sum = 0.0f;
  __syncthreads();
  if (index < n) atomicAdd(&block_sum, in[index]);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, block_sum);
}
