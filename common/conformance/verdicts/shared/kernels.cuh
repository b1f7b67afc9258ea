// Threads of one block and shared memory: wrong kernels and right ones that look alike. Above each stands what the checks
// must say of it, in every order of lanes and blocks; "// !" marks the lines that a finding may name.

#include <cooperative_groups.h>
#include <cub/cub.cuh>

// verdict wrong race (uninitialised_read): load_then_read<<<2, 64>>>(ramp_f32(128), zeros_f32(128))
__global__ void load_then_read(const float* in, float* out) {
  __shared__ float tile[64];
  const int thread = threadIdx.x, i = blockIdx.x * 64 + thread;
  tile[thread] = in[i];          // !
  out[i] = tile[63 - thread];    // !
}

// verdict clean: load_sync_read<<<2, 64>>>(ramp_f32(128), zeros_f32(128))
__global__ void load_sync_read(const float* in, float* out) {
  __shared__ float tile[64];
  const int thread = threadIdx.x, i = blockIdx.x * 64 + thread;
  tile[thread] = in[i];
  __syncthreads();
  out[i] = tile[63 - thread];
}

// verdict wrong race (uninitialised_read): syncwarp_for_two_warps<<<2, 64>>>(ramp_f32(128), zeros_f32(128))
__global__ void syncwarp_for_two_warps(const float* in, float* out) {
  __shared__ float tile[64];
  const int thread = threadIdx.x, i = blockIdx.x * 64 + thread;
  tile[thread] = in[i];          // !
  __syncwarp();
  out[i] = tile[63 - thread];    // !
}

// verdict clean: syncwarp_for_one_warp<<<2, 32>>>(ramp_f32(64), zeros_f32(64))
__global__ void syncwarp_for_one_warp(const float* in, float* out) {
  __shared__ float tile[32];
  const int thread = threadIdx.x, i = blockIdx.x * 32 + thread;
  tile[thread] = in[i];
  __syncwarp();
  out[i] = tile[31 - thread];
}

// verdict clean: own_word_only<<<2, 64>>>(ramp_f32(128), zeros_f32(128))
__global__ void own_word_only(const float* in, float* out) {
  __shared__ float tile[64];
  const int thread = threadIdx.x, i = blockIdx.x * 64 + thread;
  tile[thread] = in[i];
  tile[thread] *= 2;
  out[i] = tile[thread];
}

// verdict wrong race: tree_without_barriers<<<1, 128>>>(ramp_f32(128), zeros_f32(1))
__global__ void tree_without_barriers(const float* in, float* out) {
  __shared__ float tree[128];
  const int thread = threadIdx.x;
  tree[thread] = in[thread];
  __syncthreads();
  for (int offset = 64; offset > 0; offset /= 2) {
    if (thread < offset) tree[thread] += tree[thread + offset];  // !
  }
  if (thread == 0) out[0] = tree[0];
}

// verdict clean: tree_with_barriers<<<1, 128>>>(ramp_f32(128), zeros_f32(1))
__global__ void tree_with_barriers(const float* in, float* out) {
  __shared__ float tree[128];
  const int thread = threadIdx.x;
  tree[thread] = in[thread];
  __syncthreads();
  for (int offset = 64; offset > 0; offset /= 2) {
    if (thread < offset) tree[thread] += tree[thread + offset];
    __syncthreads();
  }
  if (thread == 0) out[0] = tree[0];
}

// verdict wrong race: tree_stops_waiting_too_early<<<1, 128>>>(ramp_f32(128), zeros_f32(1))
__global__ void tree_stops_waiting_too_early(const float* in, float* out) {
  __shared__ float tree[128];
  const int thread = threadIdx.x;
  tree[thread] = in[thread];
  __syncthreads();
  for (int offset = 64; offset > 0; offset /= 2) {
    if (thread < offset) tree[thread] += tree[thread + offset];  // !
    if (offset > 32) __syncthreads();
  }
  if (thread == 0) out[0] = tree[0];
}

// verdict clean: tree_with_interleaved_pairs<<<1, 128>>>(ramp_f32(128), zeros_f32(1))
__global__ void tree_with_interleaved_pairs(const float* in, float* out) {
  __shared__ float tree[128];
  const int thread = threadIdx.x;
  tree[thread] = in[thread];
  for (int stride = 1; stride < 128; stride *= 2) {
    __syncthreads();
    if (thread % (2 * stride) == 0) tree[thread] += tree[thread + stride];
  }
  if (thread == 0) out[0] = tree[0];
}

// The scratch array of a block's sum, used again before all have read the first sum.
__device__ float block_total(float value, float* sums, bool last_barrier) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;  // !
  __syncthreads();
  float total = 0;
  for (int warp = 0; warp < blockDim.x / 32; ++warp) total += sums[warp];  // !
  if (last_barrier) __syncthreads();
  return total;
}

// verdict wrong race: sum_used_twice<<<1, 128>>>(ramp_f32(128), zeros_f32(128))
__global__ void sum_used_twice(const float* in, float* out) {
  __shared__ float sums[4];
  const float value = in[threadIdx.x];
  const float mean = block_total(value, sums, false) / 128;
  out[threadIdx.x] = block_total((value - mean) * (value - mean), sums, false);
}

// verdict clean: sum_used_twice_with_barrier<<<1, 128>>>(ramp_f32(128), zeros_f32(128))
__global__ void sum_used_twice_with_barrier(const float* in, float* out) {
  __shared__ float sums[4];
  const float value = in[threadIdx.x];
  const float mean = block_total(value, sums, true) / 128;
  out[threadIdx.x] = block_total((value - mean) * (value - mean), sums, false);
}

// verdict clean: sum_used_twice_in_two_arrays<<<1, 128>>>(ramp_f32(128), zeros_f32(128))
__global__ void sum_used_twice_in_two_arrays(const float* in, float* out) {
  __shared__ float sums[4], squares[4];
  const float value = in[threadIdx.x];
  const float mean = block_total(value, sums, false) / 128;
  out[threadIdx.x] = block_total((value - mean) * (value - mean), squares, false);
}

// verdict wrong race: shift_in_place<<<1, 64>>>(ramp_f32(64), zeros_f32(64))
__global__ void shift_in_place(const float* in, float* out) {
  __shared__ float tile[64];
  const int thread = threadIdx.x;
  tile[thread] = in[thread];
  __syncthreads();
  if (thread < 63) tile[thread] = tile[thread + 1];  // !
  __syncthreads();
  out[thread] = tile[thread];
}

// verdict clean: shift_read_sync_write<<<1, 64>>>(ramp_f32(64), zeros_f32(64))
__global__ void shift_read_sync_write(const float* in, float* out) {
  __shared__ float tile[64];
  const int thread = threadIdx.x;
  tile[thread] = in[thread];
  __syncthreads();
  const float next = tile[thread < 63 ? thread + 1 : 63];
  __syncthreads();
  tile[thread] = next;
  __syncthreads();
  out[thread] = tile[63 - thread];
}

// verdict wrong race (uninitialised_read): broadcast_at_once<<<2, 64>>>(ramp_f32(128), zeros_f32(128))
__global__ void broadcast_at_once(const float* in, float* out) {
  __shared__ float first;
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (threadIdx.x == 0) first = in[i];  // !
  out[i] = in[i] - first;               // !
}

// verdict clean: broadcast_after_barrier<<<2, 64>>>(ramp_f32(128), zeros_f32(128))
__global__ void broadcast_after_barrier(const float* in, float* out) {
  __shared__ float first;
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (threadIdx.x == 0) first = in[i];
  __syncthreads();
  out[i] = in[i] - first;
}

// verdict wrong race: broadcast_in_a_loop<<<1, 64>>>(ramp_f32(64), zeros_f32(64))
__global__ void broadcast_in_a_loop(const float* in, float* out) {
  __shared__ float pivot;
  float value = in[threadIdx.x];
  for (int round = 0; round < 4; ++round) {
    if (threadIdx.x == 0) pivot = in[round];  // !
    __syncthreads();
    value -= pivot;                           // !
  }
  out[threadIdx.x] = value;
}

// verdict clean: broadcast_in_a_loop_of_two_barriers<<<1, 64>>>(ramp_f32(64), zeros_f32(64))
__global__ void broadcast_in_a_loop_of_two_barriers(const float* in, float* out) {
  __shared__ float pivot;
  float value = in[threadIdx.x];
  for (int round = 0; round < 4; ++round) {
    if (threadIdx.x == 0) pivot = in[round];
    __syncthreads();
    value -= pivot;
    __syncthreads();
  }
  out[threadIdx.x] = value;
}

// verdict clean: broadcast_in_two_words<<<1, 64>>>(ramp_f32(64), zeros_f32(64))
__global__ void broadcast_in_two_words(const float* in, float* out) {
  __shared__ float pivot[2];
  float value = in[threadIdx.x];
  for (int round = 0; round < 6; ++round) {
    if (threadIdx.x == 0) pivot[round % 2] = in[round];
    __syncthreads();
    value -= pivot[round % 2];
  }
  out[threadIdx.x] = value;
}

// verdict wrong race: scan_in_place<<<1, 64>>>(ramp_f32(64), zeros_f32(64))
__global__ void scan_in_place(const float* in, float* out) {
  __shared__ float scan[64];
  const int thread = threadIdx.x;
  scan[thread] = in[thread];
  __syncthreads();
  for (int offset = 1; offset < 64; offset *= 2) {
    if (thread >= offset) scan[thread] += scan[thread - offset];  // !
    __syncthreads();
  }
  out[thread] = scan[thread];
}

// verdict clean: scan_in_two_buffers<<<1, 64>>>(ramp_f32(64), zeros_f32(64))
__global__ void scan_in_two_buffers(const float* in, float* out) {
  __shared__ float scan[2][64];
  const int thread = threadIdx.x;
  int now = 0;
  scan[0][thread] = in[thread];
  __syncthreads();
  for (int offset = 1; offset < 64; offset *= 2) {
    float value = scan[now][thread];
    if (thread >= offset) value += scan[now][thread - offset];
    now = 1 - now;
    scan[now][thread] = value;
    __syncthreads();
  }
  out[thread] = scan[now][thread];
}

// verdict wrong race: histogram_without_atomics<<<1, 64>>>(ramp_i32(64), zeros_i32(8))
__global__ void histogram_without_atomics(const int* in, int* out) {
  __shared__ int bins[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  ++bins[in[threadIdx.x] % 8];  // !
  __syncthreads();
  if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];
}

// verdict clean: histogram_with_atomics<<<1, 64>>>(ramp_i32(64), zeros_i32(8))
__global__ void histogram_with_atomics(const int* in, int* out) {
  __shared__ int bins[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[threadIdx.x] % 8], 1);
  __syncthreads();
  if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];
}

// verdict wrong atomic_race (uninitialised_read): histogram_cleared_too_late<<<1, 64>>>(ramp_i32(64), zeros_i32(8))
__global__ void histogram_cleared_too_late(const int* in, int* out) {
  __shared__ int bins[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;  // !
  atomicAdd(&bins[in[threadIdx.x] % 8], 1);    // !
  __syncthreads();
  if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];
}

// verdict wrong atomic_race: histogram_read_too_early<<<1, 64>>>(ramp_i32(64), zeros_i32(8))
__global__ void histogram_read_too_early(const int* in, int* out) {
  __shared__ int bins[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[threadIdx.x] % 8], 1);                   // !
  if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];  // !
}

// verdict clean: bytes_of_one_word<<<1, 64>>>(zeros_u8(64))
__global__ void bytes_of_one_word(unsigned char* out) {
  __shared__ unsigned char bytes[64];
  bytes[threadIdx.x] = threadIdx.x;
  bytes[threadIdx.x] += 1;
  out[threadIdx.x] = bytes[threadIdx.x];
}

// verdict wrong race: a_byte_of_two_threads<<<1, 64>>>(zeros_u8(64))
__global__ void a_byte_of_two_threads(unsigned char* out) {
  __shared__ unsigned char bytes[64];
  bytes[threadIdx.x / 2] = threadIdx.x;  // !
  __syncthreads();
  out[threadIdx.x] = bytes[threadIdx.x / 2];
}

// verdict clean: halves_of_one_word<<<1, 64>>>(zeros_u16(64))
__global__ void halves_of_one_word(unsigned short* out) {
  __shared__ unsigned short halves[64];
  halves[63 - threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = halves[threadIdx.x];
}

// verdict note same_value_stores: found_by_several<<<1, 64>>>(ramp_f32(64), zeros_i32(1))
__global__ void found_by_several(const float* in, int* out) {
  __shared__ bool found;
  if (threadIdx.x == 0) found = false;
  __syncthreads();
  if (in[threadIdx.x] > 10) found = true;  // !
  __syncthreads();
  if (threadIdx.x == 0) out[0] = found;
}

// verdict wrong race: found_where<<<1, 64>>>(ramp_f32(64), zeros_i32(1))
__global__ void found_where(const float* in, int* out) {
  __shared__ int found;
  if (threadIdx.x == 0) found = -1;
  __syncthreads();
  if (in[threadIdx.x] > 10) found = threadIdx.x;  // !
  __syncthreads();
  if (threadIdx.x == 0) out[0] = found;
}

// verdict clean: found_least<<<1, 64>>>(ramp_f32(64), zeros_i32(1))
__global__ void found_least(const float* in, int* out) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 64;
  __syncthreads();
  if (in[threadIdx.x] > 10) atomicMin(&found, static_cast<int>(threadIdx.x));
  __syncthreads();
  if (threadIdx.x == 0) out[0] = found;
}

// verdict wrong race (uninitialised_read): sums_of_warps_unsynced<<<1, 128>>>(ramp_f32(128), zeros_f32(1))
__global__ void sums_of_warps_unsynced(const float* in, float* out) {
  __shared__ float sums[4];
  float value = in[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;  // !
  if (threadIdx.x < 4) {
    value = sums[threadIdx.x];                                // !
    for (int offset = 2; offset > 0; offset /= 2) value += __shfl_xor_sync(0xfu, value, offset);
    if (threadIdx.x == 0) out[0] = value;
  }
}

// verdict clean: sums_of_warps<<<1, 128>>>(ramp_f32(128), zeros_f32(1))
__global__ void sums_of_warps(const float* in, float* out) {
  __shared__ float sums[4];
  float value = in[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 4) {
    value = sums[threadIdx.x];
    for (int offset = 2; offset > 0; offset /= 2) value += __shfl_xor_sync(0xfu, value, offset);
    if (threadIdx.x == 0) out[0] = value;
  }
}

// verdict wrong race: total_read_too_early<<<1, 128>>>(ramp_f32(128), zeros_f32(128))
__global__ void total_read_too_early(const float* in, float* out) {
  __shared__ float sums[4];
  float value = in[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0) sums[0] = sums[0] + sums[1] + sums[2] + sums[3];  // !
  out[threadIdx.x] = sums[0];                                             // !
}

// verdict clean: total_read_after_barrier<<<1, 128>>>(ramp_f32(128), zeros_f32(128))
__global__ void total_read_after_barrier(const float* in, float* out) {
  __shared__ float sums[4];
  float value = in[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0) sums[0] = sums[0] + sums[1] + sums[2] + sums[3];
  __syncthreads();
  out[threadIdx.x] = sums[0];
}

// verdict wrong race (uninitialised_read): two_arrays_overlap<<<1, 64, 512>>>(ramp_f32(64), zeros_f32(64))
__global__ void two_arrays_overlap(const float* in, float* out) {
  extern __shared__ float memory[];
  float* const first = memory;
  float* const second = memory + 32;  // the first has 64
  first[threadIdx.x] = in[threadIdx.x];        // !
  second[threadIdx.x] = in[63 - threadIdx.x];  // !
  __syncthreads();
  out[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}

// verdict clean: two_arrays_side_by_side<<<1, 64, 512>>>(ramp_f32(64), zeros_f32(64))
__global__ void two_arrays_side_by_side(const float* in, float* out) {
  extern __shared__ float memory[];
  float* const first = memory;
  float* const second = memory + 64;
  first[threadIdx.x] = in[threadIdx.x];
  second[threadIdx.x] = in[63 - threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = first[63 - threadIdx.x] + second[threadIdx.x];
}

// verdict wrong race: tile_loaded_over_its_readers<<<1, 64>>>(ramp_f32(256), zeros_f32(64))
__global__ void tile_loaded_over_its_readers(const float* in, float* out) {
  __shared__ float tile[64];
  float sum = 0;
  for (int first = 0; first < 256; first += 64) {
    tile[threadIdx.x] = in[first + threadIdx.x];            // !
    __syncthreads();
    for (int k = 0; k < 64; ++k) sum += tile[k];            // !
  }
  out[threadIdx.x] = sum;
}

// verdict clean: tile_loaded_when_all_have_read<<<1, 64>>>(ramp_f32(256), zeros_f32(64))
__global__ void tile_loaded_when_all_have_read(const float* in, float* out) {
  __shared__ float tile[64];
  float sum = 0;
  for (int first = 0; first < 256; first += 64) {
    tile[threadIdx.x] = in[first + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 64; ++k) sum += tile[k];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// verdict clean: early_return_before_a_barrier<<<1, 64>>>(ramp_f32(64), zeros_f32(64), 40)
__global__ void early_return_before_a_barrier(const float* in, float* out, int n) {
  __shared__ float tile[64];
  const int thread = threadIdx.x;
  tile[thread] = in[thread];
  if (thread >= n) return;
  __syncthreads();
  out[thread] = tile[63 - thread];
}

// verdict wrong race (uninitialised_read): reverse_of_a_warp_beside_another<<<1, 64>>>(ramp_f32(64), zeros_f32(64))
__global__ void reverse_of_a_warp_beside_another(const float* in, float* out) {
  __shared__ float tile[65];
  const int thread = threadIdx.x, lane = thread % 32, base = thread - lane;
  if (thread == 0) tile[64] = 0;
  __syncthreads();
  tile[thread] = in[thread];              // !
  __syncwarp();
  out[thread] = tile[base + 32 - lane];   // ! lane 0 reads the other warp's first word
}

// verdict clean: reverse_of_each_warp<<<1, 64>>>(ramp_f32(64), zeros_f32(64))
__global__ void reverse_of_each_warp(const float* in, float* out) {
  __shared__ float tile[64];
  const int thread = threadIdx.x, lane = thread % 32, base = thread - lane;
  tile[thread] = in[thread];
  __syncwarp();
  out[thread] = tile[base + 31 - lane];
}

// verdict clean: barrier_in_a_uniform_branch<<<2, 64>>>(ramp_f32(128), zeros_f32(128), 1)
__global__ void barrier_in_a_uniform_branch(const float* in, float* out, int reversed) {
  __shared__ float tile[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  tile[threadIdx.x] = in[i];
  if (reversed && blockIdx.x == 1) {
    __syncthreads();
    out[i] = tile[63 - threadIdx.x];
  } else {
    out[i] = tile[threadIdx.x];
  }
}

// verdict wrong race: counter_in_a_loop<<<1, 64>>>(ramp_f32(64), zeros_i32(64))
__global__ void counter_in_a_loop(const float* in, int* out) {
  __shared__ int done;
  if (threadIdx.x == 0) done = 0;
  __syncthreads();
  int rounds = 0;
  while (done == 0 && rounds < 3) {                  // !
    if (in[threadIdx.x] == rounds) done = 1;         // !
    ++rounds;
    __syncthreads();
  }
  out[threadIdx.x] = rounds;
}

// verdict clean: vote_in_a_loop<<<1, 64>>>(ramp_f32(64), zeros_i32(64))
__global__ void vote_in_a_loop(const float* in, int* out) {
  int rounds = 0;
  while (!__syncthreads_or(in[threadIdx.x] == rounds - 1) && rounds < 3) ++rounds;
  out[threadIdx.x] = rounds;
}

struct Larger {
    __device__ float operator()(float a, float b) const { return a > b ? a : b; }
};

// verdict wrong race: storage_used_again<<<2, 64>>>(ramp_f32(128), zeros_f32(2))
__global__ void storage_used_again(const float* in, float* out) {
  using Reduce = cub::BlockReduce<float, 64>;
  __shared__ Reduce::TempStorage storage;
  const float value = in[blockIdx.x * 64 + threadIdx.x];
  const float sum = Reduce(storage).Sum(value);                 // !
  const float most = Reduce(storage).Reduce(value, Larger());  // !
  if (threadIdx.x == 0) out[blockIdx.x] = sum + most;
}

// verdict clean: storage_used_again_later<<<2, 64>>>(ramp_f32(128), zeros_f32(2))
__global__ void storage_used_again_later(const float* in, float* out) {
  using Reduce = cub::BlockReduce<float, 64>;
  __shared__ Reduce::TempStorage storage;
  const float value = in[blockIdx.x * 64 + threadIdx.x];
  const float sum = Reduce(storage).Sum(value);
  __syncthreads();
  const float most = Reduce(storage).Reduce(value, Larger());
  if (threadIdx.x == 0) out[blockIdx.x] = sum + most;
}

// verdict clean: reverse_of_a_wide_tile<<<2, 128>>>(ramp_f32(256), zeros_f32(256))
__global__ void reverse_of_a_wide_tile(const float* in, float* out) {
  __shared__ cooperative_groups::block_tile_memory<128> memory;
  __shared__ float words[128];
  const auto tile = cooperative_groups::tiled_partition<64>(cooperative_groups::this_thread_block(memory));
  const int thread = threadIdx.x, i = blockIdx.x * 128 + thread;
  words[thread] = in[i];
  tile.sync();
  out[i] = words[thread / 64 * 64 + 63 - thread % 64];
}

// verdict wrong race (uninitialised_read): reverse_across_wide_tiles<<<2, 128>>>(ramp_f32(256), zeros_f32(256))
__global__ void reverse_across_wide_tiles(const float* in, float* out) {
  __shared__ cooperative_groups::block_tile_memory<128> memory;
  __shared__ float words[128];
  const auto tile = cooperative_groups::tiled_partition<64>(cooperative_groups::this_thread_block(memory));
  const int thread = threadIdx.x, i = blockIdx.x * 128 + thread;
  words[thread] = in[i];       // !
  tile.sync();
  out[i] = words[127 - thread];  // !
}

// One warp clears the words that each warp then sets one of.
// verdict wrong race: cleared_by_one_warp_set_by_all<<<1, 128>>>(ramp_f32(128), zeros_f32(1))
__global__ void cleared_by_one_warp_set_by_all(const float* in, float* out) {
  __shared__ float sums[32];
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  if (warp == 0) sums[lane] = 0;  // !
  float value = in[thread] + 1;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
  if (lane == 0) sums[warp] = value;  // !
  __syncthreads();
  if (thread == 0) *out = sums[0] + sums[1] + sums[2] + sums[3];
}

// verdict clean: cleared_before_all_set_one<<<1, 128>>>(ramp_f32(128), zeros_f32(1))
__global__ void cleared_before_all_set_one(const float* in, float* out) {
  __shared__ float sums[32];
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  if (warp == 0) sums[lane] = 0;
  __syncthreads();
  float value = in[thread] + 1;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
  if (lane == 0) sums[warp] = value;
  __syncthreads();
  if (thread == 0) *out = sums[0] + sums[1] + sums[2] + sums[3];
}
