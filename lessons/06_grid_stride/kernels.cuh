// With one value a thread, a tree that halves its active threads each round leaves most of them idle. Here each thread
// first adds many values of the input on its own, and the block adds its threads' sums once.
//
// in: (n). out: (1), zeroed by the caller; each block adds its sum to it by one atomic. Blocks of kBlock threads; the
// caller chooses the grid, and the number of values a thread adds follows from it.

constexpr unsigned kFullWarp = 0xffffffffu;

// The smallest power of two that is at least kCount, for kCount of 1 to 32.
template <int kCount>
constexpr int kPowerOfTwo =
    kCount > 16 ? 32 : kCount > 8 ? 16 : kCount > 4 ? 8 : kCount > 2 ? 4 : kCount > 1 ? 2 : 1;

// One value a thread, then a tree in shared memory, without shuffles, so that idle lanes are easy to see. One block for
// each kBlock values, the last padded with zeros; kBlock is a power of two. Error: at most (log2(kBlock) + blocks - 1)
// * 2^-24 * sum|x|, to first order.
template <int kBlock>
__global__ void tree_one_value(const float* in, float* out, int n) {
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

// Compared with tree_one_value: each thread first adds every stride-th value, where the stride is the number of threads
// in the grid; then the same tree, once a block instead of once for each kBlock values. Any grid; kBlock is a power of
// two. Error: at most (values a thread + log2(kBlock) + blocks - 1) * 2^-24 * sum|x|, to first order; so for the two
// kernels below.
template <int kBlock>
__global__ void grid_stride_tree(const float* in, float* out, int n) {
  __shared__ float tree[kBlock];
  const int thread = threadIdx.x;
  const int stride = gridDim.x * kBlock;
  float sum = 0.0f;
  for (int i = blockIdx.x * kBlock + thread; i < n; i += stride) {
    sum += in[i];
  }
  tree[thread] = sum;
  __syncthreads();
  for (int offset = kBlock / 2; offset > 0; offset /= 2) {
    if (thread < offset) tree[thread] += tree[thread + offset];
    __syncthreads();
  }
  if (thread == 0) atomicAdd(out, tree[0]);
}

// The sum, in every lane, of each group of kWidth lanes.
template <int kWidth>
__device__ __forceinline__ float sum_xor(float value) {
#pragma unroll
  for (int lane_mask = kWidth / 2; lane_mask > 0; lane_mask /= 2) {
    value += __shfl_xor_sync(kFullWarp, value, lane_mask);
  }
  return value;
}

// Adds the values of a block's kBlock threads to *out: every warp adds its own 32, then warp 0 the warp sums. kBlock is
// a multiple of 32, at most 1024.
template <int kBlock>
__device__ __forceinline__ void add_block_sum(float value, float* out) {
  constexpr int kWarps = kBlock / 32;
  __shared__ float warp_sums[kWarps];
  const int thread = threadIdx.x;
  value = sum_xor<32>(value);
  if (thread % 32 == 0) warp_sums[thread / 32] = value;
  __syncthreads();
  if (thread < 32) {
    value = thread < kWarps ? warp_sums[thread] : 0.0f;
    value = sum_xor<kPowerOfTwo<kWarps>>(value);
    if (thread == 0) atomicAdd(out, value);
  }
}

// Compared with grid_stride_tree: the same loop; the block's sum takes two levels of shuffles, with one barrier instead
// of log2(kBlock) + 1. Any grid; kBlock is a multiple of 32.
template <int kBlock>
__global__ void grid_stride_shuffle(const float* in, float* out, int n) {
  const int stride = gridDim.x * kBlock;
  float sum = 0.0f;
  for (int i = blockIdx.x * kBlock + threadIdx.x; i < n; i += stride) {
    sum += in[i];
  }
  add_block_sum<kBlock>(sum, out);
}

// Compared with grid_stride_shuffle: as many values a thread, but a contiguous run of them. The result is right, but
// the lanes of a warp read words that are a whole run apart: the loads are not coalesced. Any grid; kBlock is a
// multiple of 32.
template <int kBlock>
__global__ void contiguous_runs(const float* in, float* out, int n) {
  const int threads = gridDim.x * kBlock;
  const int run = (n + threads - 1) / threads;
  const int first = (blockIdx.x * kBlock + threadIdx.x) * run;
  const int end = min(first + run, n);
  float sum = 0.0f;
  for (int i = first; i < end; ++i) {
    sum += in[i];
  }
  add_block_sum<kBlock>(sum, out);
}
