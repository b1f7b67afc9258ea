// Barriers that not all threads reach, or not all in the same place.

// verdict wrong barrier_divergence: two_barriers_in_one_warp<<<1, 32>>>(zeros_i32(32))
__global__ void two_barriers_in_one_warp(int* out) {
  if (threadIdx.x < 16) {
    __syncthreads();                                 // !
  } else {
    __syncthreads();                                 // !
  }
  out[threadIdx.x] = 1;
}

// verdict note barrier_divergence: two_barriers_by_whole_warps<<<1, 64>>>(zeros_i32(64))
__global__ void two_barriers_by_whole_warps(int* out) {
  if (threadIdx.x < 32) {
    __syncthreads();                                 // !
  } else {
    __syncthreads();                                 // !
  }
  out[threadIdx.x] = 1;
}

// verdict wrong barrier_divergence: half_a_warp_skips_one<<<1, 64>>>(zeros_i32(64))
__global__ void half_a_warp_skips_one(int* out) {
  if (threadIdx.x % 32 < 16) __syncthreads();        // !
  out[threadIdx.x] = 1;
  __syncthreads();                                   // !
  out[threadIdx.x] += 1;
}

// verdict clean: no_thread_skips_one<<<1, 64>>>(zeros_i32(64))
__global__ void no_thread_skips_one(int* out) {
  __syncthreads();
  if (threadIdx.x % 32 < 16) out[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] += 1;
}

// verdict wrong barrier_divergence: unequal_turns<<<1, 32>>>(zeros_i32(32))
__global__ void unequal_turns(int* out) {
  for (int turn = 0; turn < (threadIdx.x < 8 ? 2 : 3); ++turn) {
    out[threadIdx.x] += turn;
    __syncthreads();                                 // !
  }
  __syncthreads();                                   // !
}

// verdict clean: equal_turns<<<1, 32>>>(zeros_i32(32))
__global__ void equal_turns(int* out) {
  for (int turn = 0; turn < 3; ++turn) {
    if (turn < (threadIdx.x < 8 ? 2 : 3)) out[threadIdx.x] += turn;
    __syncthreads();
  }
  __syncthreads();
}

// verdict wrong barrier_divergence: a_vote_beside_a_barrier<<<1, 32>>>(zeros_i32(32))
__global__ void a_vote_beside_a_barrier(int* out) {
  int count = 0;
  if (threadIdx.x < 16) count = __syncthreads_count(1);  // !
  else __syncthreads();                                  // !
  out[threadIdx.x] = count;
}

// verdict clean: a_vote_of_all<<<1, 48>>>(zeros_i32(48))
__global__ void a_vote_of_all(int* out) { out[threadIdx.x] = __syncthreads_count(threadIdx.x < 16); }

// verdict wrong deadlock: a_barrier_against_a_shuffle<<<1, 32>>>(zeros_i32(32))
__global__ void a_barrier_against_a_shuffle(int* out) {
  int value = threadIdx.x;
  if (threadIdx.x < 16) value = __shfl_sync(0xffffffffu, value, 3);  // !
  __syncthreads();
  out[threadIdx.x] = value;
}

// verdict clean: a_shuffle_before_a_barrier<<<1, 32>>>(zeros_i32(32))
__global__ void a_shuffle_before_a_barrier(int* out) {
  const int value = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x), 3);
  __syncthreads();
  out[threadIdx.x] = value;
}

// verdict clean: lanes_that_returned_early<<<1, 64>>>(zeros_i32(64), 20)
__global__ void lanes_that_returned_early(int* out, int n) {
  if (threadIdx.x >= n) return;
  __syncthreads();
  out[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] += 1;
}

// verdict clean: a_warp_that_returned_early<<<2, 96>>>(zeros_i32(192))
__global__ void a_warp_that_returned_early(int* out) {
  if (threadIdx.x / 32 == blockIdx.x) return;
  __syncthreads();
  out[blockIdx.x * 96 + threadIdx.x] = 1;
}

// verdict clean: a_branch_of_whole_blocks<<<2, 64>>>(zeros_i32(128))
__global__ void a_branch_of_whole_blocks(int* out) {
  if (blockIdx.x == 0) __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = 1;
  __syncthreads();
}

// verdict wrong deadlock: two_halves_wait_for_each_other<<<1, 32>>>(zeros_i32(32))
__global__ void two_halves_wait_for_each_other(int* out) {
  if (threadIdx.x < 16) __syncwarp();                // !
  else __syncthreads();
  out[threadIdx.x] = 1;
}

// ---- threads that leave a loop with a barrier in it -----------------------------------------------------------------

// verdict wrong barrier_divergence: strided_loop_with_a_barrier<<<2, 64>>>(ramp_i32(100), zeros_i32(100), 100)
__global__ void strided_loop_with_a_barrier(const int* in, int* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    if (blockIdx.x == 0) out[i] = in[i];
    __syncthreads();                                    // !
  }
}

// verdict clean: strided_loop_of_equal_turns<<<2, 64>>>(ramp_i32(100), zeros_i32(100), 100)
__global__ void strided_loop_of_equal_turns(const int* in, int* out, int n) {
  for (int first = 0; first < n; first += blockDim.x) {
    const int i = first + threadIdx.x;
    if (i < n && blockIdx.x == 0) out[i] = in[i];
    __syncthreads();
  }
}

__device__ int sum_of_four(int* words, int value) {
  words[threadIdx.x] = value;
  __syncthreads();
  const int sum = words[0] + words[1] + words[2] + words[3];
  __syncthreads();
  return sum;
}

// verdict clean: a_warp_returns_between_two_calls<<<1, 64>>>(ramp_i32(64), zeros_i32(64))
__global__ void a_warp_returns_between_two_calls(const int* in, int* out) {
  __shared__ int words[64];
  const int sum = sum_of_four(words, in[threadIdx.x]);
  out[threadIdx.x] = sum;
  if (threadIdx.x >= 32) return;
  out[threadIdx.x] = sum_of_four(words, sum);
}

// verdict wrong division_by_zero: a_share_of_nobody<<<1, 32>>>(ramp_i32(32), zeros_i32(32), 0)
__global__ void a_share_of_nobody(const int* in, int* out, int people) { out[threadIdx.x] = in[threadIdx.x] / people; }  // !

// verdict clean: a_share_of_somebody<<<1, 32>>>(ramp_i32(32), zeros_i32(32), 3)
__global__ void a_share_of_somebody(const int* in, int* out, int people) { out[threadIdx.x] = in[threadIdx.x] / people; }
