// The tree of the previous lesson, in shared memory: each value is loaded from global memory once, and all later
// accesses of the tree stay on the multiprocessor.
//
// in: (n), n >= 1. out: (blocks), the sum of each slice of kBlock values, the last padded with zeros; the caller adds
// these partial sums. One block of kBlock threads for each slice; kBlock is a power of two. Error of a slice's sum: at
// most log2(kBlock) * 2^-24 * sum|x|, to first order.

// The previous lesson's kernel: the tree is in scratch: (blocks * kBlock), in global memory.
template <int kBlock>
__global__ void global_tree(const float* in, float* scratch, float* out, int n) {
  const int thread = threadIdx.x;
  const int index = blockIdx.x * kBlock + thread;
  float* tree = scratch + blockIdx.x * kBlock;
  tree[thread] = index < n ? in[index] : 0.0f;
  __syncthreads();
  for (int offset = kBlock / 2; offset > 0; offset /= 2) {
    if (thread < offset) tree[thread] += tree[thread + offset];
    __syncthreads();
  }
  if (thread == 0) out[blockIdx.x] = tree[0];
}

// Compared with global_tree: the tree is in shared memory. The same additions in the same order, so the same bits.
template <int kBlock>
__global__ void shared_tree(const float* in, float* out, int n) {
  __shared__ float tree[kBlock];
  const int thread = threadIdx.x;
  const int index = blockIdx.x * kBlock + thread;
  tree[thread] = index < n ? in[index] : 0.0f;
  __syncthreads();
  for (int offset = kBlock / 2; offset > 0; offset /= 2) {
    if (thread < offset) tree[thread] += tree[thread + offset];
    __syncthreads();
  }
  if (thread == 0) out[blockIdx.x] = tree[0];
}

// Compared with shared_tree: neighbouring words are added first. The active threads are still neighbours, but their
// words are 2 * stride apart and so share banks.
template <int kBlock>
__global__ void shared_tree_interleaved(const float* in, float* out, int n) {
  __shared__ float tree[kBlock];
  const int thread = threadIdx.x;
  const int index = blockIdx.x * kBlock + thread;
  tree[thread] = index < n ? in[index] : 0.0f;
  __syncthreads();
  for (int stride = 1; stride < kBlock; stride *= 2) {
    const int left = 2 * stride * thread;
    if (left < kBlock) tree[left] += tree[left + stride];
    __syncthreads();
  }
  if (thread == 0) out[blockIdx.x] = tree[0];
}

// Compared with shared_tree_interleaved: the same additions, each by the thread that owns the left word. No two lanes
// of a warp share a bank, but the active threads are 2 * stride apart: many warps stay active with few active lanes
// each.
template <int kBlock>
__global__ void shared_tree_divergent(const float* in, float* out, int n) {
  __shared__ float tree[kBlock];
  const int thread = threadIdx.x;
  const int index = blockIdx.x * kBlock + thread;
  tree[thread] = index < n ? in[index] : 0.0f;
  __syncthreads();
  for (int stride = 1; stride < kBlock; stride *= 2) {
    if (thread % (2 * stride) == 0) tree[thread] += tree[thread + stride];
    __syncthreads();
  }
  if (thread == 0) out[blockIdx.x] = tree[0];
}

// The index of value `i` when one word is left free after every 32: words 32 apart are then in different banks.
__device__ __forceinline__ int padded(int i) { return i + i / 32; }

// Compared with shared_tree_interleaved: the same additions by the same threads, and no bank conflict in any round, at
// the cost of kBlock / 32 more words and an index computation.
template <int kBlock>
__global__ void shared_tree_padded(const float* in, float* out, int n) {
  __shared__ float tree[kBlock + kBlock / 32];
  const int thread = threadIdx.x;
  const int index = blockIdx.x * kBlock + thread;
  tree[padded(thread)] = index < n ? in[index] : 0.0f;
  __syncthreads();
  for (int stride = 1; stride < kBlock; stride *= 2) {
    const int left = 2 * stride * thread;
    if (left < kBlock) tree[padded(left)] += tree[padded(left + stride)];
    __syncthreads();
  }
  if (thread == 0) out[blockIdx.x] = tree[0];
}

// ---- The same loops, not unrolled ------------------------------------------------------------------------------
//
// Above, nvcc unrolls the loops completely, knows each stride, and turns `thread % (2 * stride)` into a mask. Here the
// stride is known only at run time, as in older kernels, and % is an integer remainder.

// As shared_tree_interleaved.
template <int kBlock>
__global__ void shared_tree_interleaved_rolled(const float* in, float* out, int n) {
  __shared__ float tree[kBlock];
  const int thread = threadIdx.x;
  const int index = blockIdx.x * kBlock + thread;
  tree[thread] = index < n ? in[index] : 0.0f;
  __syncthreads();
#pragma unroll 1
  for (int stride = 1; stride < kBlock; stride *= 2) {
    const int left = 2 * stride * thread;
    if (left < kBlock) tree[left] += tree[left + stride];
    __syncthreads();
  }
  if (thread == 0) out[blockIdx.x] = tree[0];
}

// As shared_tree_divergent.
template <int kBlock>
__global__ void shared_tree_divergent_rolled(const float* in, float* out, int n) {
  __shared__ float tree[kBlock];
  const int thread = threadIdx.x;
  const int index = blockIdx.x * kBlock + thread;
  tree[thread] = index < n ? in[index] : 0.0f;
  __syncthreads();
#pragma unroll 1
  for (int stride = 1; stride < kBlock; stride *= 2) {
    if (thread % (2 * stride) == 0) tree[thread] += tree[thread + stride];
    __syncthreads();
  }
  if (thread == 0) out[blockIdx.x] = tree[0];
}
