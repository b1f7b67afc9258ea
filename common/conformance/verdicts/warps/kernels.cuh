// Lanes of one warp: what orders their memory and what does not, and masks.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

constexpr unsigned kFull = 0xffffffffu;

// verdict wrong race (uninitialised_read): a_shuffle_orders_nothing<<<1, 32>>>(ramp_f32(32), zeros_f32(32))
__global__ void a_shuffle_orders_nothing(const float* in, float* out) {
  __shared__ float tile[32];
  const int lane = threadIdx.x;
  float value = in[lane];
  tile[lane] = value;                                // !
  value = __shfl_xor_sync(kFull, value, 1);
  out[lane] = value + tile[lane ^ 2];                // !
}

// verdict clean: a_syncwarp_orders<<<1, 32>>>(ramp_f32(32), zeros_f32(32))
__global__ void a_syncwarp_orders(const float* in, float* out) {
  __shared__ float tile[32];
  const int lane = threadIdx.x;
  float value = in[lane];
  tile[lane] = value;
  value = __shfl_xor_sync(kFull, value, 1);
  __syncwarp();
  out[lane] = value + tile[lane ^ 2];
}

// verdict wrong race (uninitialised_read): a_ballot_orders_nothing<<<1, 32>>>(ramp_f32(32), zeros_f32(32))
__global__ void a_ballot_orders_nothing(const float* in, float* out) {
  __shared__ float tile[32];
  const int lane = threadIdx.x;
  tile[lane] = in[lane];                             // !
  const unsigned ones = __ballot_sync(kFull, in[lane] > 3);
  out[lane] = tile[31 - lane] + __popc(ones);        // !
}

// verdict wrong race (uninitialised_read): a_match_orders_nothing<<<1, 32>>>(ramp_i32(32), zeros_i32(32))
__global__ void a_match_orders_nothing(const int* in, int* out) {
  __shared__ int tile[32];
  const int lane = threadIdx.x;
  tile[lane] = in[lane];                             // !
  const unsigned same = __match_any_sync(kFull, in[lane] / 4);
  out[lane] = tile[__ffs(static_cast<int>(same)) - 1];  // !
}

// verdict wrong race (uninitialised_read): a_reduction_orders_nothing<<<1, 32>>>(ramp_i32(32), zeros_i32(32))
__global__ void a_reduction_orders_nothing(const int* in, int* out) {
  __shared__ int tile[32];
  const int lane = threadIdx.x;
  tile[lane] = in[lane];                             // !
  const int sum = __reduce_add_sync(kFull, in[lane]);
  out[lane] = tile[(lane + 1) % 32] + sum;           // !
}

// verdict wrong race: an_activemask_orders_nothing<<<1, 32>>>(ramp_f32(32), zeros_f32(32))
__global__ void an_activemask_orders_nothing(const float* in, float* out) {
  __shared__ float tile[32];
  const int lane = threadIdx.x;
  tile[lane] = 0;
  __syncthreads();
  tile[lane] = in[lane];                             // !
  const unsigned lanes = __activemask();
  out[lane] = tile[31 - lane] + __popc(lanes);       // !
}

// verdict wrong race: warp_tree_in_lockstep<<<1, 32>>>(ramp_f32(32), zeros_f32(1))
__global__ void warp_tree_in_lockstep(const float* in, float* out) {
  __shared__ float tree[64];
  const int lane = threadIdx.x;
  tree[lane] = in[lane];
  tree[lane + 32] = 0;
  __syncwarp();
  for (int offset = 16; offset > 0; offset /= 2) tree[lane] += tree[lane + offset];  // !
  if (lane == 0) out[0] = tree[0];
}

// verdict wrong race: warp_tree_of_one_sync<<<1, 32>>>(ramp_f32(32), zeros_f32(1))
__global__ void warp_tree_of_one_sync(const float* in, float* out) {
  __shared__ float tree[64];
  const int lane = threadIdx.x;
  float value = in[lane];
  tree[lane] = value;
  tree[lane + 32] = 0;
  __syncwarp();
  for (int offset = 16; offset > 0; offset /= 2) {
    value += tree[lane + offset];                    // !
    tree[lane] = value;                              // !
    __syncwarp();
  }
  if (lane == 0) out[0] = value;
}

// verdict clean: warp_tree_of_two_syncs<<<1, 32>>>(ramp_f32(32), zeros_f32(1))
__global__ void warp_tree_of_two_syncs(const float* in, float* out) {
  __shared__ float tree[64];
  const int lane = threadIdx.x;
  float value = in[lane];
  tree[lane] = value;
  tree[lane + 32] = 0;
  __syncwarp();
  for (int offset = 16; offset > 0; offset /= 2) {
    value += tree[lane + offset];
    __syncwarp();
    tree[lane] = value;
    __syncwarp();
  }
  if (lane == 0) out[0] = value;
}

// verdict clean: warp_tree_of_halves<<<1, 32>>>(ramp_f32(32), zeros_f32(1))
__global__ void warp_tree_of_halves(const float* in, float* out) {
  __shared__ float tree[32];
  const int lane = threadIdx.x;
  tree[lane] = in[lane];
  __syncwarp();
  for (int offset = 16; offset > 0; offset /= 2) {
    if (lane < offset) tree[lane] += tree[lane + offset];
    __syncwarp();
  }
  if (lane == 0) out[0] = tree[0];
}

// verdict wrong race (uninitialised_read): half_of_a_warp_syncs<<<1, 32>>>(ramp_f32(32), zeros_f32(32))
__global__ void half_of_a_warp_syncs(const float* in, float* out) {
  __shared__ float tile[32];
  const int lane = threadIdx.x;
  tile[lane] = in[lane];                             // !
  if (lane < 16) __syncwarp(0x0000ffffu);
  out[lane] = tile[lane < 16 ? 15 - lane : lane - 16];  // !
}

// verdict clean: each_half_syncs_for_itself<<<1, 32>>>(ramp_f32(32), zeros_f32(32))
__global__ void each_half_syncs_for_itself(const float* in, float* out) {
  __shared__ float tile[32];
  const int lane = threadIdx.x;
  tile[lane] = in[lane];
  if (lane < 16) {
    __syncwarp(0x0000ffffu);
    out[lane] = tile[15 - lane];
  } else {
    __syncwarp(0xffff0000u);
    out[lane] = tile[47 - lane];
  }
}

// verdict clean: a_chain_of_syncs<<<1, 32>>>(ramp_f32(32), zeros_f32(32))
__global__ void a_chain_of_syncs(const float* in, float* out) {
  __shared__ float word;
  const int lane = threadIdx.x;
  if (lane < 8) {
    if (lane == 0) word = in[5];
    __syncwarp(0x0000ffffu);
  } else if (lane < 16) {
    __syncwarp(0x0000ffffu);
    __syncwarp(0x00ffff00u);
  } else if (lane < 24) {
    __syncwarp(0x00ffff00u);
    out[lane] = word;
  }
}

// verdict wrong race (uninitialised_read): a_chain_with_a_link_missing<<<1, 32>>>(ramp_f32(32), zeros_f32(32))
__global__ void a_chain_with_a_link_missing(const float* in, float* out) {
  __shared__ float word;
  const int lane = threadIdx.x;
  if (lane == 0) word = in[5];                       // !
  if (lane >= 8 && lane < 24) __syncwarp(0x00ffff00u);
  if (lane >= 16 && lane < 24) out[lane] = word;     // !
}

// verdict clean: exited_lanes_in_a_full_mask<<<1, 32>>>(ramp_f32(32), zeros_f32(32))
__global__ void exited_lanes_in_a_full_mask(const float* in, float* out) {
  __shared__ float tile[32];
  const int lane = threadIdx.x;
  tile[lane] = in[lane];
  if (lane >= 16) return;
  __syncwarp();
  out[lane] = tile[31 - lane];
}

// verdict clean: a_tile_syncs<<<1, 64>>>(ramp_f32(64), zeros_f32(64))
__global__ void a_tile_syncs(const float* in, float* out) {
  __shared__ float tile[64];
  const int thread = threadIdx.x;
  const auto group = cg::tiled_partition<16>(cg::this_thread_block());
  tile[thread] = in[thread];
  group.sync();
  out[thread] = tile[thread ^ 15];
}

// verdict wrong race (uninitialised_read): a_tile_is_too_small<<<1, 64>>>(ramp_f32(64), zeros_f32(64))
__global__ void a_tile_is_too_small(const float* in, float* out) {
  __shared__ float tile[64];
  const int thread = threadIdx.x;
  const auto group = cg::tiled_partition<16>(cg::this_thread_block());
  tile[thread] = in[thread];                         // !
  group.sync();
  out[thread] = tile[thread ^ 16];                   // !
}

// verdict wrong race (uninitialised_read): a_tiles_shuffle_orders_nothing<<<1, 32>>>(ramp_f32(32), zeros_f32(32))
__global__ void a_tiles_shuffle_orders_nothing(const float* in, float* out) {
  __shared__ float tile[32];
  const int thread = threadIdx.x;
  const auto group = cg::tiled_partition<32>(cg::this_thread_block());
  tile[thread] = in[thread];                         // !
  const float value = group.shfl_down(in[thread], 1);
  out[thread] = value + tile[31 - thread];           // !
}

// verdict clean: a_block_group_syncs<<<1, 64>>>(ramp_f32(64), zeros_f32(64))
__global__ void a_block_group_syncs(const float* in, float* out) {
  __shared__ float tile[64];
  const int thread = threadIdx.x;
  const auto block = cg::this_thread_block();
  tile[thread] = in[thread];
  block.sync();
  out[thread] = tile[63 - thread];
}

// verdict clean: a_coalesced_group_syncs<<<1, 32>>>(ramp_f32(32), zeros_f32(32))
__global__ void a_coalesced_group_syncs(const float* in, float* out) {
  __shared__ float tile[32];
  const int lane = threadIdx.x;
  if (lane % 2 == 0) {
    const auto group = cg::coalesced_threads();
    tile[lane] = in[lane];
    group.sync();
    out[lane] = group.size() == 16 ? tile[30 - lane] : 0;
  }
}

// verdict clean: volatile_words_are_relaxed<<<1, 32>>>(ramp_f32(32), zeros_f32(32))
__global__ void volatile_words_are_relaxed(const float* in, float* out) {
  __shared__ volatile float tile[32];
  const int lane = threadIdx.x;
  tile[lane] = in[lane];
  __syncwarp();
  out[lane] = tile[31 - lane];
}

// verdict wrong race (uninitialised_read): one_side_is_volatile<<<1, 32>>>(ramp_f32(32), zeros_f32(32))
__global__ void one_side_is_volatile(const float* in, float* out) {
  __shared__ float tile[32];
  const int lane = threadIdx.x;
  tile[lane] = in[lane];                                       // !
  out[lane] = static_cast<volatile float*>(tile)[31 - lane];   // !
}

// ---- masks ----------------------------------------------------------------------------------------------------------

// verdict wrong inactive_source: full_mask_in_a_branch<<<1, 32>>>(ramp_f32(32), zeros_f32(32))
__global__ void full_mask_in_a_branch(const float* in, float* out) {
  float value = in[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) {
    if (threadIdx.x < offset) value += __shfl_down_sync(kFull, value, offset);  // !
  }
  out[threadIdx.x] = value;
}

// verdict clean: full_mask_outside_the_branch<<<1, 32>>>(ramp_f32(32), zeros_f32(32))
__global__ void full_mask_outside_the_branch(const float* in, float* out) {
  float value = in[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) {
    const float other = __shfl_down_sync(kFull, value, offset);
    if (threadIdx.x < offset) value += other;
  }
  out[threadIdx.x] = value;
}

// verdict wrong mask_without_caller: a_lane_that_is_not_named<<<1, 32>>>(ramp_f32(32), zeros_f32(32))
__global__ void a_lane_that_is_not_named(const float* in, float* out) {
  out[threadIdx.x] = __shfl_sync(0x0000ffffu, in[threadIdx.x], 0);  // !
}

// verdict clean: only_lanes_that_are_named<<<1, 32>>>(ramp_f32(32), zeros_f32(32))
__global__ void only_lanes_that_are_named(const float* in, float* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0x0000ffffu, in[threadIdx.x], 0);
}

// verdict wrong mask_mismatch: two_masks_that_overlap<<<1, 32>>>(ramp_f32(32), zeros_f32(32))
__global__ void two_masks_that_overlap(const float* in, float* out) {
  float value = in[threadIdx.x];
  if (threadIdx.x < 8) value = __shfl_sync(kFull, value, 1);     // !
  else value = __shfl_sync(0xfffffff0u, value, 9);               // !
  out[threadIdx.x] = value;
}

// verdict wrong intrinsic_mismatch: up_and_down_in_one_mask<<<1, 32>>>(ramp_f32(32), zeros_f32(32))
__global__ void up_and_down_in_one_mask(const float* in, float* out) {
  float value = in[threadIdx.x];
  if (threadIdx.x < 8) value = __shfl_up_sync(kFull, value, 1);  // !
  else value = __shfl_down_sync(kFull, value, 1);                // !
  out[threadIdx.x] = value;
}

// verdict clean: a_float_and_an_int_in_one_mask<<<1, 32>>>(ramp_f32(32), zeros_f32(32))
__global__ void a_float_and_an_int_in_one_mask(const float* in, float* out) {
  float value = in[threadIdx.x];
  if (threadIdx.x < 8) value = __shfl_sync(kFull, value, 3);
  else value = __int_as_float(__shfl_sync(kFull, __float_as_int(value), 4));
  out[threadIdx.x] = value;
}

// verdict wrong bad_width: a_width_of_twelve<<<1, 32>>>(ramp_f32(32), zeros_f32(32))
__global__ void a_width_of_twelve(const float* in, float* out) {
  out[threadIdx.x] = __shfl_sync(kFull, in[threadIdx.x], 0, 12);  // !
}

// verdict wrong inactive_source: a_block_of_half_a_warp<<<1, 16>>>(ramp_f32(16), zeros_f32(16))
__global__ void a_block_of_half_a_warp(const float* in, float* out) {
  float value = in[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(kFull, value, offset);  // !
  out[threadIdx.x] = value;
}

// verdict clean: a_block_of_half_a_warp_named_so<<<1, 16>>>(ramp_f32(16), zeros_f32(16))
__global__ void a_block_of_half_a_warp_named_so(const float* in, float* out) {
  float value = in[threadIdx.x];
  for (int offset = 8; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffu, value, offset);
  out[threadIdx.x] = value;
}

// verdict wrong inactive_source: a_tail_that_returned<<<1, 64>>>(ramp_f32(64), zeros_f32(64), 40)
__global__ void a_tail_that_returned(const float* in, float* out, int n) {
  if (threadIdx.x >= n) return;
  float value = in[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(kFull, value, offset);  // !
  out[threadIdx.x] = value;
}

// verdict clean: a_tail_that_brings_zeros<<<1, 64>>>(ramp_f32(64), zeros_f32(64), 40)
__global__ void a_tail_that_brings_zeros(const float* in, float* out, int n) {
  float value = threadIdx.x < n ? in[threadIdx.x] : 0.0f;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(kFull, value, offset);
  if (threadIdx.x < n) out[threadIdx.x] = value;
}
