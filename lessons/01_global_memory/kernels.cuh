// A sum as a tree in global memory: each round adds the upper half of the remaining values to the lower half.
//
// in: (n), n >= 1; not changed. scratch: (blocks * kBlock), overwritten. out: (blocks), the sum of each slice of kBlock
// values, the last padded with zeros; the caller adds these partial sums. One block of kBlock threads for each slice;
// kBlock is a power of two. Error of a slice's sum: at most log2(kBlock) * 2^-24 * sum|x|, to first order.

// Thread t adds the word `offset` above its own, with offsets kBlock / 2, …, 2, 1. The active threads are neighbours,
// and so are the words that they read: each request is coalesced.
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

// Compared with global_tree: neighbouring words are added first, with strides 1, 2, …, kBlock / 2. As many rounds,
// barriers and additions, but the words of neighbouring threads lie 2 * stride apart: more sectors per request.
template <int kBlock>
__global__ void global_tree_interleaved(const float* in, float* scratch, float* out, int n) {
  const int thread = threadIdx.x;
  const int index = blockIdx.x * kBlock + thread;
  float* tree = scratch + blockIdx.x * kBlock;
  tree[thread] = index < n ? in[index] : 0.0f;
  __syncthreads();
  for (int stride = 1; stride < kBlock; stride *= 2) {
    const int left = 2 * stride * thread;
    if (left < kBlock) tree[left] += tree[left + stride];
    __syncthreads();
  }
  if (thread == 0) out[blockIdx.x] = tree[0];
}
