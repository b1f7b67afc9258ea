// Lanes of a warp can read each other's registers. These kernels add 32 numbers that way, then a block's, rung by
// rung. All of them take any n >= 1 and pad the last slice or block with a value that changes nothing.

constexpr unsigned kFullWarp = 0xffffffffu;

// The mask that names lanes 0 to kWidth - 1.
template <int kWidth>
constexpr unsigned kFirstLanes = kFullWarp >> (32 - kWidth);

// The least power of two that is not below kCount, for kCount of 1 to 32.
template <int kCount>
constexpr int kPowerOfTwo =
    kCount > 16 ? 32 : kCount > 8 ? 16 : kCount > 4 ? 8 : kCount > 2 ? 4 : kCount > 1 ? 2 : 1;

// ---- One warp --------------------------------------------------------------------------------------------------
//
// in: (n). out: (slices), one result for each slice of kWidth values. lanes: (slices * kWidth), what each lane holds
// at the end. One block of kWidth threads for each slice; kWidth is a power of two, at most 32.

// The sum. Lane 0 holds it; the other lanes hold sums in which some values stand more than once.
template <int kWidth>
__global__ void warp_sum_down(const float* in, float* out, float* lanes, int n) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * kWidth + lane;
  float value = index < n ? in[index] : 0.0f;
#pragma unroll
  for (int delta = kWidth / 2; delta > 0; delta /= 2) {
    value += __shfl_down_sync(kFirstLanes<kWidth>, value, delta, kWidth);
  }
  lanes[index] = value;
  if (lane == 0) out[blockIdx.x] = value;
}

// The sum, in every lane of `mask`, of each group of kWidth lanes.
template <int kWidth>
__device__ __forceinline__ float sum_xor(unsigned mask, float value) {
#pragma unroll
  for (int lane_mask = kWidth / 2; lane_mask > 0; lane_mask /= 2) {
    value += __shfl_xor_sync(mask, value, lane_mask);
  }
  return value;
}

// The sum. Against warp_sum_down: as many rounds, and every lane holds it.
template <int kWidth>
__global__ void warp_sum_xor(const float* in, float* out, float* lanes, int n) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * kWidth + lane;
  float value = index < n ? in[index] : 0.0f;
  value = sum_xor<kWidth>(kFirstLanes<kWidth>, value);
  lanes[index] = value;
  if (lane == 0) out[blockIdx.x] = value;
}

// The sum. Against warp_sum_down: the mirror image, the last lane holds it.
template <int kWidth>
__global__ void warp_sum_up(const float* in, float* out, float* lanes, int n) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * kWidth + lane;
  float value = index < n ? in[index] : 0.0f;
#pragma unroll
  for (int delta = kWidth / 2; delta > 0; delta /= 2) {
    value += __shfl_up_sync(kFirstLanes<kWidth>, value, delta, kWidth);
  }
  lanes[index] = value;
  if (lane == kWidth - 1) out[blockIdx.x] = value;
}

// The sum, as warp_sum_xor, but the loop stays a loop: its first mask is known only at run time (kWidth / 2).
template <int kWidth>
__global__ void warp_sum_xor_rolled(const float* in, float* out, float* lanes, int n, int first_mask) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * kWidth + lane;
  float value = index < n ? in[index] : 0.0f;
#pragma unroll 1
  for (int lane_mask = first_mask; lane_mask > 0; lane_mask /= 2) {
    value += __shfl_xor_sync(kFirstLanes<kWidth>, value, lane_mask);
  }
  lanes[index] = value;
  if (lane == 0) out[blockIdx.x] = value;
}

// One lane's value for all: every lane holds what lane `source` of its slice had. out: (slices), that value.
template <int kWidth>
__global__ void warp_broadcast(const float* in, float* out, float* lanes, int n, int source) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * kWidth + lane;
  float value = index < n ? in[index] : 0.0f;
  value = __shfl_sync(kFirstLanes<kWidth>, value, source, kWidth);
  lanes[index] = value;
  if (lane == 0) out[blockIdx.x] = value;
}

// The largest value. Lane 0 holds it. A value met twice does no harm here, but lanes to the right still miss some.
template <int kWidth>
__global__ void warp_max_down(const float* in, float* out, float* lanes, int n) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * kWidth + lane;
  float value = index < n ? in[index] : -INFINITY;
#pragma unroll
  for (int delta = kWidth / 2; delta > 0; delta /= 2) {
    value = fmaxf(value, __shfl_down_sync(kFirstLanes<kWidth>, value, delta, kWidth));
  }
  lanes[index] = value;
  if (lane == 0) out[blockIdx.x] = value;
}

// The largest value, in every lane.
template <int kWidth>
__global__ void warp_max_xor(const float* in, float* out, float* lanes, int n) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * kWidth + lane;
  float value = index < n ? in[index] : -INFINITY;
#pragma unroll
  for (int lane_mask = kWidth / 2; lane_mask > 0; lane_mask /= 2) {
    value = fmaxf(value, __shfl_xor_sync(kFirstLanes<kWidth>, value, lane_mask));
  }
  lanes[index] = value;
  if (lane == 0) out[blockIdx.x] = value;
}

// The largest value. The last lane holds it.
template <int kWidth>
__global__ void warp_max_up(const float* in, float* out, float* lanes, int n) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * kWidth + lane;
  float value = index < n ? in[index] : -INFINITY;
#pragma unroll
  for (int delta = kWidth / 2; delta > 0; delta /= 2) {
    value = fmaxf(value, __shfl_up_sync(kFirstLanes<kWidth>, value, delta, kWidth));
  }
  lanes[index] = value;
  if (lane == kWidth - 1) out[blockIdx.x] = value;
}

// The smallest value. Lane 0 holds it.
template <int kWidth>
__global__ void warp_min_down(const float* in, float* out, float* lanes, int n) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * kWidth + lane;
  float value = index < n ? in[index] : INFINITY;
#pragma unroll
  for (int delta = kWidth / 2; delta > 0; delta /= 2) {
    value = fminf(value, __shfl_down_sync(kFirstLanes<kWidth>, value, delta, kWidth));
  }
  lanes[index] = value;
  if (lane == 0) out[blockIdx.x] = value;
}

// The smallest value, in every lane.
template <int kWidth>
__global__ void warp_min_xor(const float* in, float* out, float* lanes, int n) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * kWidth + lane;
  float value = index < n ? in[index] : INFINITY;
#pragma unroll
  for (int lane_mask = kWidth / 2; lane_mask > 0; lane_mask /= 2) {
    value = fminf(value, __shfl_xor_sync(kFirstLanes<kWidth>, value, lane_mask));
  }
  lanes[index] = value;
  if (lane == 0) out[blockIdx.x] = value;
}

// The smallest value. The last lane holds it.
template <int kWidth>
__global__ void warp_min_up(const float* in, float* out, float* lanes, int n) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * kWidth + lane;
  float value = index < n ? in[index] : INFINITY;
#pragma unroll
  for (int delta = kWidth / 2; delta > 0; delta /= 2) {
    value = fminf(value, __shfl_up_sync(kFirstLanes<kWidth>, value, delta, kWidth));
  }
  lanes[index] = value;
  if (lane == kWidth - 1) out[blockIdx.x] = value;
}

// ---- A block ---------------------------------------------------------------------------------------------------
//
// in: (n). out: (1), zeroed by the caller. One block for each kBlock values; each adds its sum to out by one atomic,
// so the order of blocks may change the last bits. Error: at most (additions deep in the block + blocks - 1) * 2^-24
// * sum|x|, to first order.

// The rung before: a tree in shared memory, a barrier each round. kBlock is a power of two.
template <int kBlock>
__global__ void block_sum_shared(const float* in, float* out, int n) {
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

// Against block_sum_shared: the last 32 values are added by shuffles, with five barriers fewer. kBlock is a power of
// two, at least 64.
template <int kBlock>
__global__ void block_sum_tree_shuffle(const float* in, float* out, int n) {
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
#pragma unroll
    for (int delta = 16; delta > 0; delta /= 2) {
      value += __shfl_down_sync(kFullWarp, value, delta);
    }
    if (thread == 0) atomicAdd(out, value);
  }
}

// Against block_sum_tree_shuffle: every warp adds its own 32 first, so that shared memory holds one sum a warp and one
// barrier is enough. kBlock is a multiple of 32, at most 1024: the second level is padded with zeros. At the end only
// the first lanes of warp 0 (as many as there are warps, rounded up to a power of two) hold the block's sum.
template <int kBlock>
__global__ void block_sum_two_level(const float* in, float* out, int n) {
  constexpr int kWarps = kBlock / 32;
  __shared__ float warp_sums[kWarps];
  const int thread = threadIdx.x;
  const int index = blockIdx.x * kBlock + thread;
  float value = index < n ? in[index] : 0.0f;
  value = sum_xor<32>(kFullWarp, value);
  if (thread % 32 == 0) warp_sums[thread / 32] = value;
  __syncthreads();
  if (thread < 32) {
    value = thread < kWarps ? warp_sums[thread] : 0.0f;
    value = sum_xor<kPowerOfTwo<kWarps>>(kFullWarp, value);
    if (thread == 0) atomicAdd(out, value);
  }
}

// Against block_sum_two_level: every warp does the second level, and lane 0 gives the sum to the other lanes, so that
// every thread holds it. totals: (blocks * kBlock), what each thread holds.
template <int kBlock>
__global__ void block_sum_two_level_broadcast(const float* in, float* out, float* totals, int n) {
  constexpr int kWarps = kBlock / 32;
  __shared__ float warp_sums[kWarps];
  const int thread = threadIdx.x;
  const int lane = thread % 32;
  const int index = blockIdx.x * kBlock + thread;
  float value = index < n ? in[index] : 0.0f;
  value = sum_xor<32>(kFullWarp, value);
  if (lane == 0) warp_sums[thread / 32] = value;
  __syncthreads();
  value = lane < kWarps ? warp_sums[lane] : 0.0f;
  value = sum_xor<kPowerOfTwo<kWarps>>(kFullWarp, value);
  // The lanes past the last warp sum hold the sum of zeros only.
  value = __shfl_sync(kFullWarp, value, 0);
  totals[index] = value;
  if (thread == 0) atomicAdd(out, value);
}
