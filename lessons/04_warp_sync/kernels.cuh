// A block's sum by a tree in shared memory, again; what changes is who waits for whom, and when. Each round of a tree
// reads what other threads wrote in the round before, so somebody has to wait. The last five rounds of it belong to
// one warp, and a warp can wait for itself alone.
//
// in: (n). out: (1), zeroed by the caller. One block of kBlock threads for each kBlock values, the last padded with
// zeros; each adds its sum to out by one atomic. kBlock is a power of two, from 64 to 1024. Error of those that are
// right: at most (log2(kBlock) + blocks - 1) * 2^-24 * sum|x|, to first order.

// The rung before: a block barrier after every round.
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

// Against block_sum_barriers: once 32 values are left, only warp 0 works and only warp 0 waits. All its lanes add, so
// lane 16 writes the word that lane 0 reads in the same round: read, sync, write, sync. Five block barriers fewer. The
// lanes from `offset` on add words that no longer mean anything, and nobody reads what comes of it.
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

// Against block_sum_warp_sync: only the lower half of the lanes adds. The words it reads and the words it writes are
// then different ones, and one __syncwarp a round is enough.
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

// ---- Wrong on purpose ------------------------------------------------------------------------------------------

// WRONG. Against block_sum_warp_sync: the __syncwarp between read and write is missing. A lane may then write its word
// before the lane below has read it, and that lane adds a sum that is already too large.
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

// WRONG. Against block_sum_write_after_read: no __syncwarp at all, as if the lanes of a warp moved in step.
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

// WRONG. Against block_sum_barriers: nobody waits, neither for the words to be written nor for a round to end.
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

// WRONG. Against block_sum_warp_sync_halves: the block barrier stands inside the branch, so the threads that no longer
// add go on to the next barrier, and half of the block waits at another place than the rest. The branch splits the
// block between whole warps only: where it splits a warp, the GPU may wait for ever.
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
