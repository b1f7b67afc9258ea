// A block's sum by a tree in shared memory. The variants differ only in their barriers. Each round of a tree reads
// words that other threads wrote in the previous round, so a barrier must separate the rounds. In the last six rounds
// only warp 0 adds, and __syncwarp makes the lanes of one warp wait for each other without the rest of the block.
//
// in: (n). out: (1), zeroed by the caller. One block of kBlock threads for each kBlock values, the last padded with
// zeros; each block adds its sum to out by one atomic. kBlock is a power of two, from 64 to 1024. Error of the correct
// variants: at most (log2(kBlock) + blocks - 1) * 2^-24 * sum|x|, to first order.

// The previous lesson's kernel: a block barrier after every round.
template <int kBlock>
__global__ void block_sum_barriers(const float* in, float* out, int n) {
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

// Compared with block_sum_barriers: in the last five rounds only warp 0 runs, with warp barriers. All its lanes add, so
// lane 16 writes the word that lane 0 reads in the same round. Hence: read, sync, write, sync. Five block barriers
// fewer. Lanes `offset` and above add words that are not part of the result; no lane uses their sums.
template <int kBlock>
__global__ void block_sum_warp_sync(const float* in, float* out, int n) {
  __shared__ float tree[kBlock];
  const int thread = threadIdx.x;
  const int index = blockIdx.x * kBlock + thread;
  tree[thread] = index < n ? in[index] : 0.0f;
  __syncthreads();
  for (int offset = kBlock / 2; offset >= 32; offset /= 2) {
    if (thread < offset) tree[thread] += tree[thread + offset];
    __syncthreads();
  }
  if (thread < 32) {
    float value = tree[thread];
    for (int offset = 16; offset > 0; offset /= 2) {
      value += tree[thread + offset];
      __syncwarp();  // all have read
      tree[thread] = value;
      __syncwarp();  // all have written
    }
    if (thread == 0) atomicAdd(out, value);
  }
}

// Compared with block_sum_warp_sync: only the lower half of the lanes adds. The words that these lanes read from the
// upper half are not written in this round, so one __syncwarp a round is enough.
template <int kBlock>
__global__ void block_sum_warp_sync_halves(const float* in, float* out, int n) {
  __shared__ float tree[kBlock];
  const int thread = threadIdx.x;
  const int index = blockIdx.x * kBlock + thread;
  tree[thread] = index < n ? in[index] : 0.0f;
  __syncthreads();
  for (int offset = kBlock / 2; offset >= 32; offset /= 2) {
    if (thread < offset) tree[thread] += tree[thread + offset];
    __syncthreads();
  }
  if (thread < 32) {
    for (int offset = 16; offset > 0; offset /= 2) {
      if (thread < offset) tree[thread] += tree[thread + offset];
      __syncwarp();
    }
    if (thread == 0) atomicAdd(out, tree[0]);
  }
}

// Compared with block_sum_warp_sync_halves: warp 0 also runs the round with offset 32 alone, since only threads 0 to 31
// add in it. Six block barriers fewer than block_sum_barriers.
template <int kBlock>
__global__ void block_sum_last_six(const float* in, float* out, int n) {
  __shared__ float tree[kBlock];
  const int thread = threadIdx.x;
  const int index = blockIdx.x * kBlock + thread;
  tree[thread] = index < n ? in[index] : 0.0f;
  __syncthreads();
  for (int offset = kBlock / 2; offset >= 64; offset /= 2) {
    if (thread < offset) tree[thread] += tree[thread + offset];
    __syncthreads();
  }
  if (thread < 32) {
    for (int offset = 32; offset > 0; offset /= 2) {
      if (thread < offset) tree[thread] += tree[thread + offset];
      __syncwarp();
    }
    if (thread == 0) atomicAdd(out, tree[0]);
  }
}

// ---- Without the atomic ----------------------------------------------------------------------------------------
//
// The same block sums, but each block stores its sum as a partial sum, so that no atomics on one address hide how long
// the blocks themselves take. in: (n). out: (blocks), one partial sum for each kBlock values; the caller adds them.
// kBlock is a power of two, from 64 to 1024. Error of each partial sum: at most log2(kBlock) * 2^-24 * sum|x| of its
// values, to first order.

// Loads a block's values into `tree` and adds halves, with a block barrier after each round, until kLeft are left.
template <int kBlock, int kLeft>
__device__ __forceinline__ void add_down_to(float* tree, const float* in, int n) {
  const int thread = threadIdx.x;
  const int index = blockIdx.x * kBlock + thread;
  tree[thread] = index < n ? in[index] : 0.0f;
  __syncthreads();
  for (int offset = kBlock / 2; offset >= kLeft; offset /= 2) {
    if (thread < offset) tree[thread] += tree[thread + offset];
    __syncthreads();
  }
}

// As block_sum_barriers.
template <int kBlock>
__global__ void partial_barriers(const float* in, float* out, int n) {
  __shared__ float tree[kBlock];
  add_down_to<kBlock, 1>(tree, in, n);
  if (threadIdx.x == 0) out[blockIdx.x] = tree[0];
}

// As block_sum_warp_sync_halves: the last five rounds by warp 0 alone.
template <int kBlock>
__global__ void partial_last_five(const float* in, float* out, int n) {
  __shared__ float tree[kBlock];
  add_down_to<kBlock, 32>(tree, in, n);
  const int thread = threadIdx.x;
  if (thread < 32) {
    for (int offset = 16; offset > 0; offset /= 2) {
      if (thread < offset) tree[thread] += tree[thread + offset];
      __syncwarp();
    }
    if (thread == 0) out[blockIdx.x] = tree[0];
  }
}

// As block_sum_last_six: the last six rounds by warp 0 alone.
template <int kBlock>
__global__ void partial_last_six(const float* in, float* out, int n) {
  __shared__ float tree[kBlock];
  add_down_to<kBlock, 64>(tree, in, n);
  const int thread = threadIdx.x;
  if (thread < 32) {
    for (int offset = 32; offset > 0; offset /= 2) {
      if (thread < offset) tree[thread] += tree[thread + offset];
      __syncwarp();
    }
    if (thread == 0) out[blockIdx.x] = tree[0];
  }
}

// Compared with partial_last_five: the last five rounds by shuffles, as in the next lesson.
template <int kBlock>
__global__ void partial_tree_shuffle(const float* in, float* out, int n) {
  __shared__ float tree[kBlock];
  add_down_to<kBlock, 32>(tree, in, n);
  const int thread = threadIdx.x;
  if (thread < 32) {
    float value = tree[thread];
#pragma unroll
    for (int delta = 16; delta > 0; delta /= 2) {
      value += __shfl_down_sync(0xffffffffu, value, delta);
    }
    if (thread == 0) out[blockIdx.x] = value;
  }
}

// Compared with partial_tree_shuffle: every warp first adds its own 32 values by shuffles, then warp 0 adds the warp
// sums, as in the next lesson. One block barrier, whatever kBlock is.
template <int kBlock>
__global__ void partial_two_level(const float* in, float* out, int n) {
  constexpr int kWarps = kBlock / 32;
  __shared__ float warp_sums[kWarps];
  const int thread = threadIdx.x;
  const int index = blockIdx.x * kBlock + thread;
  float value = index < n ? in[index] : 0.0f;
#pragma unroll
  for (int delta = 16; delta > 0; delta /= 2) {
    value += __shfl_down_sync(0xffffffffu, value, delta);
  }
  if (thread % 32 == 0) warp_sums[thread / 32] = value;
  __syncthreads();
  if (thread < 32) {
    value = thread < kWarps ? warp_sums[thread] : 0.0f;
#pragma unroll
    for (int delta = kWarps / 2; delta > 0; delta /= 2) {
      value += __shfl_down_sync(0xffffffffu, value, delta);
    }
    if (thread == 0) out[blockIdx.x] = value;
  }
}

// ---- Wrong on purpose ------------------------------------------------------------------------------------------

// WRONG. Compared with block_sum_warp_sync: the __syncwarp between read and write is missing. A lane may then write its
// word before a lower lane has read it, and that lane adds a sum that already holds more values.
template <int kBlock>
__global__ void block_sum_write_after_read(const float* in, float* out, int n) {
  __shared__ float tree[kBlock];
  const int thread = threadIdx.x;
  const int index = blockIdx.x * kBlock + thread;
  tree[thread] = index < n ? in[index] : 0.0f;
  __syncthreads();
  for (int offset = kBlock / 2; offset >= 32; offset /= 2) {
    if (thread < offset) tree[thread] += tree[thread + offset];
    __syncthreads();
  }
  if (thread < 32) {
    float value = tree[thread];
    for (int offset = 16; offset > 0; offset /= 2) {
      value += tree[thread + offset];
      tree[thread] = value;
      __syncwarp();  // all have written
    }
    if (thread == 0) atomicAdd(out, value);
  }
}

// WRONG. Compared with block_sum_write_after_read: no __syncwarp at all. The kernel assumes lockstep.
template <int kBlock>
__global__ void block_sum_no_warp_sync(const float* in, float* out, int n) {
  __shared__ float tree[kBlock];
  const int thread = threadIdx.x;
  const int index = blockIdx.x * kBlock + thread;
  tree[thread] = index < n ? in[index] : 0.0f;
  __syncthreads();
  for (int offset = kBlock / 2; offset >= 32; offset /= 2) {
    if (thread < offset) tree[thread] += tree[thread + offset];
    __syncthreads();
  }
  if (thread < 32) {
    float value = tree[thread];
    for (int offset = 16; offset > 0; offset /= 2) {
      value += tree[thread + offset];
      tree[thread] = value;
    }
    if (thread == 0) atomicAdd(out, value);
  }
}

// WRONG. Compared with block_sum_barriers: no barrier at all, neither after the loads nor between the rounds.
template <int kBlock>
__global__ void block_sum_no_barrier(const float* in, float* out, int n) {
  __shared__ float tree[kBlock];
  const int thread = threadIdx.x;
  const int index = blockIdx.x * kBlock + thread;
  tree[thread] = index < n ? in[index] : 0.0f;
  for (int offset = kBlock / 2; offset > 0; offset /= 2) {
    if (thread < offset) tree[thread] += tree[thread + offset];
  }
  if (thread == 0) atomicAdd(out, tree[0]);
}

// WRONG. Compared with block_sum_warp_sync_halves: the block barrier is inside the branch. Threads that no longer add
// skip it and wait at the barrier after the loop, so the two halves of the block wait at different barriers. Here the
// branch splits the block between whole warps. If it split a warp, a GPU could hang.
template <int kBlock>
__global__ void block_sum_barrier_in_branch(const float* in, float* out, int n) {
  __shared__ float tree[kBlock];
  const int thread = threadIdx.x;
  const int index = blockIdx.x * kBlock + thread;
  tree[thread] = index < n ? in[index] : 0.0f;
  __syncthreads();
  for (int offset = kBlock / 2; offset >= 32; offset /= 2) {
    if (thread < offset) {
      tree[thread] += tree[thread + offset];
      __syncthreads();
    }
  }
  __syncthreads();
  if (thread < 32) {
    for (int offset = 16; offset > 0; offset /= 2) {
      if (thread < offset) tree[thread] += tree[thread + offset];
      __syncwarp();
    }
    if (thread == 0) atomicAdd(out, tree[0]);
  }
}
