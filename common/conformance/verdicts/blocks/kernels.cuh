// Threads of different blocks, and global memory: fences, scopes, atomics, tickets and locks.

// verdict wrong race: halo_in_place<<<4, 32>>>(ramp_f32(129))
__global__ void halo_in_place(float* data) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  data[i] = data[i] + data[i + 1];  // !
}

// verdict clean: halo_to_another_array<<<4, 32>>>(ramp_f32(129), zeros_f32(128))
__global__ void halo_to_another_array(const float* data, float* out) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  out[i] = data[i] + data[i + 1];
}

// verdict wrong race: global_tree_without_barriers<<<2, 64>>>(ramp_f32(128))
__global__ void global_tree_without_barriers(float* data) {
  float* const mine = data + blockIdx.x * 64;
  for (int offset = 32; offset > 0; offset /= 2) {
    if (threadIdx.x < offset) mine[threadIdx.x] += mine[threadIdx.x + offset];  // !
  }
}

// verdict clean: global_tree_with_barriers<<<2, 64>>>(ramp_f32(128))
__global__ void global_tree_with_barriers(float* data) {
  float* const mine = data + blockIdx.x * 64;
  for (int offset = 32; offset > 0; offset /= 2) {
    if (threadIdx.x < offset) mine[threadIdx.x] += mine[threadIdx.x + offset];
    __syncthreads();
  }
}

// verdict wrong race: a_barrier_holds_one_block_only<<<4, 32>>>(ramp_f32(128), zeros_f32(128), zeros_f32(128))
__global__ void a_barrier_holds_one_block_only(const float* in, float* middle, float* out) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  middle[i] = in[i] * 2;                             // !
  __syncthreads();
  out[i] = middle[127 - i];                          // !
}

// verdict wrong race: a_fence_is_no_grid_barrier<<<4, 32>>>(ramp_f32(128), zeros_f32(4), zeros_f32(128))
__global__ void a_fence_is_no_grid_barrier(const float* in, float* sums, float* out) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  float value = in[i];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  if (threadIdx.x == 0) sums[blockIdx.x] = value;    // !
  __threadfence();
  float total = 0;
  for (int block = 0; block < 4; ++block) total += sums[block];  // !
  out[i] = in[i] / total;
}

// verdict wrong race: count_without_atomics<<<4, 32>>>(zeros_i32(1))
__global__ void count_without_atomics(int* count) {
  if (threadIdx.x == 0) count[0] += 1;               // !
}

// verdict clean: count_with_atomics<<<4, 32>>>(zeros_i32(1))
__global__ void count_with_atomics(int* count) { atomicAdd(count, 1); }

// verdict wrong atomic_race: cleared_by_one_block<<<4, 32>>>(zeros_i32(1))
__global__ void cleared_by_one_block(int* count) {
  if (blockIdx.x == 0 && threadIdx.x == 0) count[0] = 0;  // !
  __syncthreads();
  atomicAdd(count, 1);                                    // !
}

// verdict wrong atomic_race: read_beside_atomics<<<4, 32>>>(zeros_i32(1), zeros_i32(4))
__global__ void read_beside_atomics(int* count, int* out) {
  atomicAdd(count, 1);                               // !
  if (threadIdx.x == 0) out[blockIdx.x] = count[0];  // !
}

// verdict clean: read_by_an_atomic<<<4, 32>>>(zeros_i32(1), zeros_i32(4))
__global__ void read_by_an_atomic(int* count, int* out) {
  atomicAdd(count, 1);
  if (threadIdx.x == 0) out[blockIdx.x] = atomicAdd(count, 0);
}

// verdict wrong atomic_scope: block_scope_between_blocks<<<4, 32>>>(zeros_i32(1))
__global__ void block_scope_between_blocks(int* count) { atomicAdd_block(count, 1); }  // !

// verdict clean: block_scope_in_each_block<<<4, 32>>>(zeros_i32(4))
__global__ void block_scope_in_each_block(int* count) { atomicAdd_block(count + blockIdx.x, 1); }

// verdict wrong atomic_scope: one_side_of_block_scope<<<4, 32>>>(zeros_i32(1))
__global__ void one_side_of_block_scope(int* count) {
  if (blockIdx.x == 0) atomicAdd_block(count, 1);    // !
  else atomicAdd(count, 1);                          // !
}

// verdict clean: system_scope_is_wide_enough<<<4, 32>>>(zeros_i32(1))
__global__ void system_scope_is_wide_enough(int* count) {
  if (blockIdx.x == 0) atomicAdd_system(count, 1);
  else atomicAdd(count, 1);
}

// ---- the last block finishes ----------------------------------------------------------------------------------------

__device__ float sum_of_block(const float* in) {
  float value = in[blockIdx.x * 32 + threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}

// verdict clean: last_block<<<4, 32>>>(ramp_f32(128), raw_f32(4), zeros_u32(1), zeros_f32(1))
__global__ void last_block(const float* in, float* partials, unsigned* ticket, float* out) {
  __shared__ bool is_last;
  const float sum = sum_of_block(in);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    float total = 0;
    for (int block = 0; block < gridDim.x; ++block) total += partials[block];
    out[0] = total;
  }
}

// verdict note missing_fence: last_block_as_in_the_guide<<<4, 32>>>(ramp_f32(128), raw_f32(4), zeros_u32(1), zeros_f32(1))
__global__ void last_block_as_in_the_guide(const float* in, float* partials, unsigned* ticket, float* out) {
  __shared__ bool is_last;
  const float sum = sum_of_block(in);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;                      // !
    __threadfence();
    is_last = atomicInc(ticket, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    float total = 0;
    for (int block = 0; block < gridDim.x; ++block) total += partials[block];  // !
    out[0] = total;
  }
}

// verdict clean: last_block_with_volatile_partials<<<4, 32>>>(ramp_f32(128), raw_f32(4), zeros_u32(1), zeros_f32(1))
__global__ void last_block_with_volatile_partials(const float* in, volatile float* partials, unsigned* ticket, float* out) {
  __shared__ bool is_last;
  const float sum = sum_of_block(in);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicInc(ticket, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    float total = 0;
    for (int block = 0; block < gridDim.x; ++block) total += partials[block];
    out[0] = total;
  }
}

// verdict clean: last_block_puts_its_ticket_back<<<4, 32>>>(ramp_f32(128), raw_f32(4), zeros_u32(1), zeros_f32(1))
__global__ void last_block_puts_its_ticket_back(const float* in, float* partials, unsigned* ticket, float* out) {
  __shared__ bool is_last;
  const float sum = sum_of_block(in);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    float total = 0;
    for (int block = 0; block < gridDim.x; ++block) total += partials[block];
    out[0] = total;
    *ticket = 0;   // no other block takes one any more
  }
}

// verdict wrong atomic_race (race): any_block_puts_the_ticket_back<<<4, 32>>>(ramp_f32(128), raw_f32(4), zeros_u32(1))
__global__ void any_block_puts_the_ticket_back(const float* in, float* partials, unsigned* ticket) {
  const float sum = sum_of_block(in);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;
    __threadfence();
    if (atomicAdd(ticket, 1u) < gridDim.x) *ticket = 0;  // !
  }
}

// verdict wrong race: last_block_without_a_fence<<<4, 32>>>(ramp_f32(128), raw_f32(4), zeros_u32(1), zeros_f32(1))
__global__ void last_block_without_a_fence(const float* in, float* partials, unsigned* ticket, float* out) {
  __shared__ bool is_last;
  const float sum = sum_of_block(in);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;                      // !
    is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    float total = 0;
    for (int block = 0; block < gridDim.x; ++block) total += partials[block];  // !
    out[0] = total;
  }
}

// verdict wrong race: last_block_with_a_block_fence<<<4, 32>>>(ramp_f32(128), raw_f32(4), zeros_u32(1), zeros_f32(1))
__global__ void last_block_with_a_block_fence(const float* in, float* partials, unsigned* ticket, float* out) {
  __shared__ bool is_last;
  const float sum = sum_of_block(in);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;                      // !
    __threadfence_block();
    is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    float total = 0;
    for (int block = 0; block < gridDim.x; ++block) total += partials[block];  // !
    out[0] = total;
  }
}

// verdict wrong race: last_block_of_another_writer<<<4, 64>>>(ramp_f32(256), raw_f32(8), zeros_u32(1), zeros_f32(1))
__global__ void last_block_of_another_writer(const float* in, float* partials, unsigned* ticket, float* out) {
  __shared__ bool is_last;
  float value = in[blockIdx.x * 64 + threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  if (threadIdx.x % 32 == 0) partials[blockIdx.x * 2 + threadIdx.x / 32] = value;  // ! the fence is before no barrier
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    float total = 0;
    for (int i = 0; i < gridDim.x * 2; ++i) total += partials[i];  // !
    out[0] = total;
  }
}

// verdict clean: last_block_after_a_barrier<<<4, 64>>>(ramp_f32(256), raw_f32(8), zeros_u32(1), zeros_f32(1))
__global__ void last_block_after_a_barrier(const float* in, float* partials, unsigned* ticket, float* out) {
  __shared__ bool is_last;
  float value = in[blockIdx.x * 64 + threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  if (threadIdx.x % 32 == 0) partials[blockIdx.x * 2 + threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (is_last && threadIdx.x < 8) {
    float total = partials[threadIdx.x];
    for (int offset = 4; offset > 0; offset /= 2) total += __shfl_xor_sync(0xffu, total, offset);
    if (threadIdx.x == 0) out[0] = total;
  }
}

// verdict clean: last_block_where_all_fence<<<4, 64>>>(ramp_f32(256), raw_f32(8), zeros_u32(1), zeros_f32(1))
__global__ void last_block_where_all_fence(const float* in, float* partials, unsigned* ticket, float* out) {
  __shared__ bool is_last;
  float value = in[blockIdx.x * 64 + threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  if (threadIdx.x % 32 == 0) partials[blockIdx.x * 2 + threadIdx.x / 32] = value;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  __threadfence();
  if (is_last && threadIdx.x == 0) {
    float total = 0;
    for (int i = 0; i < gridDim.x * 2; ++i) total += partials[i];
    out[0] = total;
  }
}

// verdict wrong race: last_block_by_a_shuffle<<<4, 32>>>(ramp_f32(128), raw_f32(4), zeros_u32(1), zeros_f32(1))
__global__ void last_block_by_a_shuffle(const float* in, float* partials, unsigned* ticket, float* out) {
  const float sum = sum_of_block(in);
  unsigned before = 0;
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;                      // !
    __threadfence();
    before = atomicInc(ticket, gridDim.x - 1);
    __threadfence();
  }
  before = __shfl_sync(0xffffffffu, before, 0);      // lane 0 acquired; a shuffle hands on no memory
  if (before != gridDim.x - 1) return;
  float total = threadIdx.x < 4 ? partials[threadIdx.x] : 0;  // !
  for (int offset = 16; offset > 0; offset /= 2) total += __shfl_xor_sync(0xffffffffu, total, offset);
  if (threadIdx.x == 0) out[0] = total;
}

// verdict clean: last_block_by_a_shuffle_and_syncwarp<<<4, 32>>>(ramp_f32(128), raw_f32(4), zeros_u32(1), zeros_f32(1))
__global__ void last_block_by_a_shuffle_and_syncwarp(const float* in, float* partials, unsigned* ticket, float* out) {
  const float sum = sum_of_block(in);
  unsigned before = 0;
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;
    __threadfence();
    before = atomicInc(ticket, gridDim.x - 1);
    __threadfence();
  }
  before = __shfl_sync(0xffffffffu, before, 0);
  __syncwarp();
  if (before != gridDim.x - 1) return;
  float total = threadIdx.x < 4 ? partials[threadIdx.x] : 0;
  for (int offset = 16; offset > 0; offset /= 2) total += __shfl_xor_sync(0xffffffffu, total, offset);
  if (threadIdx.x == 0) out[0] = total;
}

// verdict wrong atomic_scope,race: last_block_by_a_block_ticket<<<4, 32>>>(ramp_f32(128), raw_f32(4), zeros_u32(1), zeros_f32(1))
__global__ void last_block_by_a_block_ticket(const float* in, float* partials, unsigned* ticket, float* out) {
  const float sum = sum_of_block(in);
  if (threadIdx.x != 0) return;
  partials[blockIdx.x] = sum;                                               // !
  __threadfence();
  const bool is_last = atomicInc_block(ticket, gridDim.x - 1) == gridDim.x - 1;  // !
  __threadfence();
  if (!is_last) return;
  float total = 0;
  for (int block = 0; block < gridDim.x; ++block) total += partials[block];  // !
  out[0] = total;
}

// ---- locks ----------------------------------------------------------------------------------------------------------

// verdict clean: a_lock_with_fences<<<4, 32>>>(zeros_i32(1), zeros_i32(1))
__global__ void a_lock_with_fences(int* lock, int* count) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  count[0] += 1;
  __threadfence();
  atomicExch(lock, 0);
}

// verdict wrong race: a_lock_without_fences<<<4, 32>>>(zeros_i32(1), zeros_i32(1))
__global__ void a_lock_without_fences(int* lock, int* count) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  count[0] += 1;                                     // !
  atomicExch(lock, 0);
}

// verdict wrong race: a_lock_released_without_a_fence<<<4, 32>>>(zeros_i32(1), zeros_i32(1))
__global__ void a_lock_released_without_a_fence(int* lock, int* count) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  count[0] += 1;                                     // !
  atomicExch(lock, 0);
}

// verdict wrong race: a_lock_taken_without_a_fence<<<4, 32>>>(zeros_i32(1), zeros_i32(1))
__global__ void a_lock_taken_without_a_fence(int* lock, int* count) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  count[0] += 1;                                     // !
  __threadfence();
  atomicExch(lock, 0);
}

// verdict wrong race: a_lock_with_block_fences<<<4, 32>>>(zeros_i32(1), zeros_i32(1))
__global__ void a_lock_with_block_fences(int* lock, int* count) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence_block();
  count[0] += 1;                                     // !
  __threadfence_block();
  atomicExch(lock, 0);
}

// verdict wrong race,atomic_race: a_lock_released_by_a_store<<<4, 32>>>(zeros_i32(1), zeros_i32(1))
__global__ void a_lock_released_by_a_store(int* lock, int* count) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {               // !
  }
  __threadfence();
  count[0] += 1;                                     // !
  __threadfence();
  lock[0] = 0;                                       // !
}

// verdict clean: a_lock_in_a_block<<<2, 128>>>(zeros_i32(2))
__global__ void a_lock_in_a_block(int* count) {
  __shared__ int lock;
  if (threadIdx.x == 0) lock = 0;
  __syncthreads();
  if (threadIdx.x % 32 != 0) return;
  while (atomicCAS(&lock, 0, 1) != 0) {
  }
  __threadfence_block();
  count[blockIdx.x] += 1;
  __threadfence_block();
  atomicExch(&lock, 0);
}

// ---- more ways to share ---------------------------------------------------------------------------------------------

// verdict wrong race: scatter_with_duplicates<<<4, 32>>>(zeros_i32(64))
__global__ void scatter_with_duplicates(int* out) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  out[i / 2] = i;                                    // !
}

// verdict clean: scatter_of_a_permutation<<<4, 32>>>(zeros_i32(128))
__global__ void scatter_of_a_permutation(int* out) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  out[(i * 5 + 3) % 128] = i;
}

// verdict note same_value_stores: a_flag_set_by_many_blocks<<<4, 32>>>(ramp_f32(128), zeros_i32(1))
__global__ void a_flag_set_by_many_blocks(const float* in, int* found) {
  if (in[blockIdx.x * 32 + threadIdx.x] > 3) found[0] = 1;  // !
}

// verdict wrong race: overlapping_slices<<<4, 32>>>(zeros_i32(128))
__global__ void overlapping_slices(int* out) {
  const int i = blockIdx.x * 16 + threadIdx.x;       // 32 threads, but slices of 16
  out[i] = blockIdx.x;                               // !
}

// verdict clean: a_grid_stride_loop<<<4, 32>>>(ramp_f32(1000), zeros_f32(1000), 1000)
__global__ void a_grid_stride_loop(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i] * 2;
}

// verdict wrong race: suppression_reads_what_others_write<<<2, 32>>>(ramp_f32(64), ones_i32(64))
__global__ void suppression_reads_what_others_write(const float* score, int* keep) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  for (int other = 0; other < 64; ++other)
    if (keep[other] && score[other] > score[i] + 60) keep[i] = 0;  // !
}

// verdict clean: suppression_from_a_copy<<<2, 32>>>(ramp_f32(64), ones_i32(64), zeros_i32(64))
__global__ void suppression_from_a_copy(const float* score, const int* keep, int* kept) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  int mine = keep[i];
  for (int other = 0; other < 64; ++other)
    if (keep[other] && score[other] > score[i] + 60) mine = 0;
  kept[i] = mine;
}

__device__ int visitors;

// verdict wrong race: a_device_variable_is_shared_by_all<<<4, 32>>>(zeros_i32(128))
__global__ void a_device_variable_is_shared_by_all(int* out) {
  out[blockIdx.x * 32 + threadIdx.x] = visitors++;   // !
}

// verdict clean: a_device_variable_by_atomics<<<4, 32>>>(zeros_i32(128))
__global__ void a_device_variable_by_atomics(int* out) {
  out[atomicAdd(&visitors, 1)] = threadIdx.x;
}

// verdict clean: slots_of_eight_bytes<<<4, 32>>>(ramp_f32(128), zeros_u64(4), zeros_f32(4))
__global__ void slots_of_eight_bytes(const float* in, volatile unsigned long long* slots, float* out) {
  const float sum = sum_of_block(in);
  if (threadIdx.x != 0) return;
  slots[blockIdx.x] = 1ull << 32 | __float_as_uint(sum);
  float total = 0;
  for (int block = 0; block < 4; ++block) {
    const unsigned long long slot = slots[block];
    if (slot >> 32) total += __uint_as_float(static_cast<unsigned>(slot));
  }
  out[blockIdx.x] = total;
}

// verdict wrong race: a_volatile_flag_orders_nothing<<<4, 32>>>(ramp_f32(128), zeros_f32(4), zeros_i32(4), zeros_f32(4))
__global__ void a_volatile_flag_orders_nothing(const float* in, float* sums, volatile int* ready, float* out) {
  const float sum = sum_of_block(in);
  if (threadIdx.x != 0) return;
  sums[blockIdx.x] = sum;                            // !
  ready[blockIdx.x] = 1;
  float total = 0;
  for (int block = 0; block < 4; ++block)
    if (ready[block]) total += sums[block];          // !
  out[blockIdx.x] = total;
}

// verdict clean: a_volatile_flag_between_fences<<<4, 32>>>(ramp_f32(128), zeros_f32(4), zeros_i32(4), zeros_f32(4))
__global__ void a_volatile_flag_between_fences(const float* in, float* sums, volatile int* ready, float* out) {
  const float sum = sum_of_block(in);
  if (threadIdx.x != 0) return;
  sums[blockIdx.x] = sum;
  __threadfence();
  ready[blockIdx.x] = 1;
  float total = 0;
  for (int block = 0; block < 4; ++block) {
    const int is_ready = ready[block];
    __threadfence();
    if (is_ready) total += sums[block];
  }
  out[blockIdx.x] = total;
}

// verdict clean: an_atomic_maximum<<<4, 32>>>(ramp_i32(128), zeros_i32(1))
__global__ void an_atomic_maximum(const int* in, int* most) { atomicMax(most, in[blockIdx.x * 32 + threadIdx.x]); }

// verdict wrong race: a_maximum_without_atomics<<<4, 32>>>(ramp_i32(128), zeros_i32(1))
__global__ void a_maximum_without_atomics(const int* in, int* most) {
  const int value = in[blockIdx.x * 32 + threadIdx.x];
  if (value > most[0]) most[0] = value;              // !
}
