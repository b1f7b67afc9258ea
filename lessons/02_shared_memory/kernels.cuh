// The tree of the rung before, in shared memory: a slice is loaded once, and what the threads hand each other never
// leaves the multiprocessor.
//
// in: (n), n >= 1. out: (blocks), the sum of each slice of kBlock values, the last padded with zeros; whoever called
// adds these up. One block of kBlock threads for each slice; kBlock is a power of two. Error of a slice's sum: at most
// log2(kBlock) * 2^-24 * sum|x|, to first order.

// The rung before: the tree lies in scratch: (blocks * kBlock), in global memory.
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

// Against global_tree: the tree lies in shared memory. The same additions in the same order, so the same bits.
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

// Against shared_tree: neighbouring words are added first. The threads at work are neighbours still, but their words
// lie 2 * stride apart and so share banks.
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

// Against shared_tree_interleaved: the same additions, each by the thread that owns the left word. No two lanes of a
// warp share a bank, but the threads at work lie 2 * stride apart: every warp is kept, for few of its lanes.
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

// Where value `i` stands when one word is left free after every 32: words 32 apart then lie in different banks.
__device__ __forceinline__ int padded(int i) { return i + i / 32; }

// Against shared_tree_interleaved: the same additions by the same threads, and no bank conflict in any round, for
// kBlock / 32 words more and an index to work out.
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
