// Lanes of a warp can read each other's registers. These kernels add 32 values that way, then those of a block. All of
// them take any n >= 1 and pad the last slice or block with the identity: 0 for a sum, -inf for a maximum, +inf for a
// minimum.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

constexpr unsigned kFullWarp = 0xffffffffu;

// The mask that names lanes 0 to kWidth - 1.
template <int kWidth>
constexpr unsigned kFirstLanes = kFullWarp >> (32 - kWidth);

// The smallest power of two that is at least kCount, for kCount of 1 to 32.
template <int kCount>
constexpr int kPowerOfTwo =
    kCount > 16 ? 32 : kCount > 8 ? 16 : kCount > 4 ? 8 : kCount > 2 ? 4 : kCount > 1 ? 2 : 1;

// ---- One warp --------------------------------------------------------------------------------------------------
//
// in: (n). out: (slices), one result for each slice of kWidth values. lanes: (slices * kWidth), what each lane holds
// at the end. One block of kWidth threads for each slice; kWidth is a power of two, at most 32.

// The sum. Lane 0 holds it; the other lanes hold sums in which some values are counted more than once.
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

// The sum. Compared with warp_sum_down: as many rounds, and every lane holds it.
template <int kWidth>
__global__ void warp_sum_xor(const float* in, float* out, float* lanes, int n) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * kWidth + lane;
  float value = index < n ? in[index] : 0.0f;
  value = sum_xor<kWidth>(kFirstLanes<kWidth>, value);
  lanes[index] = value;
  if (lane == 0) out[blockIdx.x] = value;
}

// The sum. Compared with warp_sum_down: lanes read downwards, and the last lane holds it.
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

// The sum, as warp_sum_xor, but the loop is not unrolled: its first mask is known only at run time (kWidth / 2).
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

// As warp_sum_xor_rolled with `#pragma unroll`. The trip count is still unknown, but an int can be halved at most 32
// times. So the compiler writes 32 rounds, each with a jump to the end.
template <int kWidth>
__global__ void warp_sum_xor_pragma(const float* in, float* out, float* lanes, int n, int first_mask) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * kWidth + lane;
  float value = index < n ? in[index] : 0.0f;
#pragma unroll
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

// The largest value. Lane 0 holds it. Using a value twice does not change a maximum, but higher lanes miss some values.
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
// in: (n). out: (1), zeroed by the caller. One block for each kBlock values; each block adds its sum to out by one
// atomic, so the order of blocks may change the last bits. Error: at most (additions deep in the block + blocks - 1) *
// 2^-24 * sum|x|, to first order.

// The previous lesson's first kernel: a tree in shared memory, a barrier each round. kBlock is a power of two.
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

// Compared with block_sum_shared: the last 32 values are added by shuffles, with five barriers fewer. kBlock is a power
// of two, at least 64.
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

// Compared with block_sum_tree_shuffle: every warp adds its own values first (the first level), so shared memory holds
// one sum a warp and one barrier is enough; warp 0 adds the warp sums (the second level). kBlock is a multiple of
// kWarp, at most kWarp * kWarp: the second level is padded with zeros. At the end only the first lanes of warp 0 (as
// many as there are warps, rounded up to a power of two) hold the block's sum. kWarp is 32 on a GPU; the emulator has
// smaller teaching warps as well.
template <int kBlock, int kWarp = 32>
__global__ void block_sum_two_level(const float* in, float* out, int n) {
  constexpr int kWarps = kBlock / kWarp;
  __shared__ float warp_sums[kWarps];
  const int thread = threadIdx.x;
  const int index = blockIdx.x * kBlock + thread;
  float value = index < n ? in[index] : 0.0f;
  value = sum_xor<kWarp>(kFirstLanes<kWarp>, value);
  if (thread % kWarp == 0) warp_sums[thread / kWarp] = value;
  __syncthreads();
  if (thread < kWarp) {
    value = thread < kWarps ? warp_sums[thread] : 0.0f;
    value = sum_xor<kPowerOfTwo<kWarps>>(kFirstLanes<kWarp>, value);
    if (thread == 0) atomicAdd(out, value);
  }
}

// Compared with block_sum_two_level: every warp runs the second level, and lane 0 broadcasts the sum to the other
// lanes, so every thread holds it. totals: (blocks * kBlock), what each thread holds.
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

// Compared with block_sum_two_level_broadcast: every warp runs the second level over all 32 lanes, padded with zeros,
// so every lane holds the sum without a broadcast. The usual form where all threads need the total. totals as above.
template <int kBlock>
__global__ void block_sum_every_warp(const float* in, float* out, float* totals, int n) {
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
  value = sum_xor<32>(kFullWarp, value);
  totals[index] = value;
  if (thread == 0) atomicAdd(out, value);
}

// Compared with block_sum_two_level: the same two levels, each by CUDA's library function. cooperative_groups::reduce
// runs the xor rounds of sum_xor<32>. kBlock is a multiple of 32.
template <int kBlock>
__global__ void block_sum_library(const float* in, float* out, int n) {
  constexpr int kWarps = kBlock / 32;
  __shared__ float warp_sums[kWarps];
  const auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  const int thread = threadIdx.x;
  const int index = blockIdx.x * kBlock + thread;
  float value = index < n ? in[index] : 0.0f;
  value = cooperative_groups::reduce(warp, value, cooperative_groups::plus<float>());
  if (thread % 32 == 0) warp_sums[thread / 32] = value;
  __syncthreads();
  if (thread < 32) {
    value = thread < kWarps ? warp_sums[thread] : 0.0f;
    value = cooperative_groups::reduce(warp, value, cooperative_groups::plus<float>());
    if (thread == 0) atomicAdd(out, value);
  }
}
