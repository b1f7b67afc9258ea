// Threads that wait for others, of their block and of another one, and what they may read then.

// ---- blocks that wait for blocks ------------------------------------------------------------------------------------

// verdict clean: consumer_waits_for_producer<<<2, 64>>>(zeros_i32(64), zeros_i32(1), zeros_i32(64))
__global__ void consumer_waits_for_producer(int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 1) {
    data[threadIdx.x] = threadIdx.x * 3;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
  } else {
    if (threadIdx.x == 0)
      while (*flag == 0) __nanosleep(20);
    __syncthreads();
    __threadfence();
    out[threadIdx.x] = data[63 - threadIdx.x];
  }
}

// verdict wrong race: consumer_waits_and_reads_unfenced<<<2, 64>>>(zeros_i32(64), zeros_i32(1), zeros_i32(64))
__global__ void consumer_waits_and_reads_unfenced(int* data, int* flag, int* out) {
  if (blockIdx.x == 1) {
    data[threadIdx.x] = threadIdx.x * 3;                // !
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(flag, 1);
  } else {
    if (threadIdx.x == 0)
      while (atomicAdd(flag, 0) == 0) {
      }
    __syncthreads();
    out[threadIdx.x] = data[63 - threadIdx.x];          // !
  }
}

// verdict wrong race: each_thread_fences_but_nobody_waits<<<2, 64>>>(zeros_i32(64), zeros_i32(1), zeros_i32(64))
__global__ void each_thread_fences_but_nobody_waits(int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x * 3;                // !
    __threadfence();
    if (threadIdx.x == 0) *flag = 1;                    // the other threads may not have stored yet
  } else {
    if (threadIdx.x == 0)
      while (*flag == 0) {
      }
    __syncthreads();
    __threadfence();
    out[threadIdx.x] = data[63 - threadIdx.x];          // !
  }
}

__device__ void grid_barrier(unsigned* arrived, unsigned round, bool fence) {
  __syncthreads();
  if (threadIdx.x == 0) {
    if (fence) __threadfence();
    atomicAdd(arrived, 1u);
    while (atomicAdd(arrived, 0u) < gridDim.x * round) {
    }
    if (fence) __threadfence();
  }
  __syncthreads();
}

// verdict clean: stencil_in_two_steps<<<6, 32>>>(ramp_f32(194), zeros_f32(194), zeros_f32(192), zeros_u32(1))
__global__ void stencil_in_two_steps(const float* in, float* middle, float* out, unsigned* arrived) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  middle[i + 1] = in[i] + in[i + 1] + in[i + 2];
  grid_barrier(arrived, 1, true);
  out[i] = middle[i] + middle[i + 1] + middle[i + 2];
}

// verdict wrong race: stencil_in_two_steps_unfenced<<<6, 32>>>(ramp_f32(194), zeros_f32(194), zeros_f32(192), zeros_u32(1))
__global__ void stencil_in_two_steps_unfenced(const float* in, float* middle, float* out, unsigned* arrived) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  middle[i + 1] = in[i] + in[i + 1] + in[i + 2];         // !
  grid_barrier(arrived, 1, false);
  out[i] = middle[i] + middle[i + 1] + middle[i + 2];    // !
}

// verdict clean: ping_pong_in_many_steps<<<4, 64>>>(ramp_f32(258), ramp_f32(258), zeros_u32(1), 5)
__global__ void ping_pong_in_many_steps(float* a, float* b, unsigned* arrived, int steps) {
  const int i = blockIdx.x * 64 + threadIdx.x + 1;
  for (int step = 0; step < steps; ++step) {
    b[i] = 0.5f * a[i] + 0.25f * (a[i - 1] + a[i + 1]);
    grid_barrier(arrived, step + 1, true);
    float* const other = a;
    a = b;
    b = other;
  }
}

// verdict wrong race: relaxation_in_place_in_many_steps<<<4, 64>>>(ramp_f32(258), zeros_u32(1), 3)
__global__ void relaxation_in_place_in_many_steps(float* a, unsigned* arrived, int steps) {
  const int i = blockIdx.x * 64 + threadIdx.x + 1;
  for (int step = 0; step < steps; ++step) {
    a[i] = 0.5f * a[i] + 0.25f * (a[i - 1] + a[i + 1]);  // !
    grid_barrier(arrived, step + 1, true);
  }
}

// verdict clean: chained_scan<<<8, 32>>>(ramp_i32(256), zeros_i32(8), zeros_i32(8), zeros_i32(256))
__global__ void chained_scan(const int* in, volatile int* prefixes, volatile int* flags, int* out) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  int value = in[i];
  for (int offset = 1; offset < 32; offset *= 2) {
    const int below = __shfl_up_sync(0xffffffffu, value, offset);
    if (threadIdx.x >= offset) value += below;
  }
  __shared__ int before;
  if (threadIdx.x == 31) {
    int prefix = 0;
    if (blockIdx.x > 0) {
      while (flags[blockIdx.x - 1] == 0) {
      }
      __threadfence();
      prefix = prefixes[blockIdx.x - 1];
    }
    prefixes[blockIdx.x] = prefix + value;
    __threadfence();
    flags[blockIdx.x] = 1;
    before = prefix;
  }
  __syncwarp();
  out[i] = value + before;
}

// Decoupled look-back: a block's aggregate and its inclusive prefix, told by one word of status. Blocks take their
// numbers as they begin.
__device__ int look_back(int tile, int sum, int* aggregates, int* prefixes, int* status, bool fence) {
  aggregates[tile] = sum;                               // !
  if (fence) __threadfence();
  atomicExch(&status[tile], 1);
  int before = 0;
  for (int at = tile - 1; at >= 0;) {
    const int is = atomicAdd(&status[at], 0);
    if (is == 0) continue;
    __threadfence();
    if (is == 2) {
      before += prefixes[at];                           // !
      break;
    }
    before += aggregates[at];                           // !
    --at;
  }
  prefixes[tile] = before + sum;                        // !
  if (fence) __threadfence();
  atomicExch(&status[tile], 2);
  return before;
}

// verdict clean: scan_that_looks_back<<<6, 32>>>(zeros_i32(6), raw_i32(6), raw_i32(6), zeros_i32(6), zeros_i32(1))
__global__ void scan_that_looks_back(int* out, int* aggregates, int* prefixes, int* status, int* next) {
  if (threadIdx.x != 0) return;
  const int tile = atomicAdd(next, 1);
  out[tile] = look_back(tile, tile + 1, aggregates, prefixes, status, true);
}

// verdict wrong race: scan_that_looks_back_unfenced<<<6, 32>>>(zeros_i32(6), raw_i32(6), raw_i32(6), zeros_i32(6), zeros_i32(1))
__global__ void scan_that_looks_back_unfenced(int* out, int* aggregates, int* prefixes, int* status, int* next) {
  if (threadIdx.x != 0) return;
  const int tile = atomicAdd(next, 1);
  out[tile] = look_back(tile, tile + 1, aggregates, prefixes, status, false);
}

// verdict wrong hang: nobody_sets_the_flag<<<2, 32>>>(zeros_i32(1))
__global__ void nobody_sets_the_flag(volatile int* flag) {
  while (*flag == 0) {                                  // !
  }
}

// ---- warps that wait for warps --------------------------------------------------------------------------------------

// verdict clean: ring_of_four_slots<<<1, 64>>>(ramp_i32(40), zeros_i32(40))
__global__ void ring_of_four_slots(const int* in, int* out) {
  __shared__ int slots[4];
  __shared__ volatile int head, tail;
  if (threadIdx.x == 0) head = tail = 0;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int i = 0; i < 40; ++i) {
      while (head - tail == 4) {
      }
      __threadfence_block();
      slots[i % 4] = in[i];
      __threadfence_block();
      head = i + 1;
    }
  if (threadIdx.x == 32)
    for (int i = 0; i < 40; ++i) {
      while (head == i) {
      }
      __threadfence_block();
      out[i] = slots[i % 4];
      __threadfence_block();
      tail = i + 1;
    }
}

// verdict wrong race: ring_that_is_freed_too_early<<<1, 64>>>(ramp_i32(40), zeros_i32(40))
__global__ void ring_that_is_freed_too_early(const int* in, int* out) {
  __shared__ int slots[4];
  __shared__ volatile int head, tail;
  if (threadIdx.x == 0) head = tail = 0;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int i = 0; i < 40; ++i) {
      while (head - tail == 4) {
      }
      __threadfence_block();
      slots[i % 4] = in[i];                             // !
      __threadfence_block();
      head = i + 1;
    }
  if (threadIdx.x == 32)
    for (int i = 0; i < 40; ++i) {
      while (head == i) {
      }
      __threadfence_block();
      tail = i + 1;
      out[i] = slots[i % 4];                            // !
    }
}

// verdict wrong race (uninitialised_read): warp_zero_prepares_and_raises_a_flag<<<2, 96>>>(ramp_i32(64), zeros_i32(192))
__global__ void warp_zero_prepares_and_raises_a_flag(const int* in, int* out) {
  __shared__ int table[32];
  __shared__ int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    table[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];  // !
    if (threadIdx.x == 0) atomicExch(&ready, 1);
  } else {
    while (atomicAdd(&ready, 0) == 0) {
    }
  }
  out[blockIdx.x * 96 + threadIdx.x] = table[31 - threadIdx.x % 32];  // !
}

// verdict clean: warp_zero_prepares_fences_and_raises_a_flag<<<2, 96>>>(ramp_i32(64), zeros_i32(192))
__global__ void warp_zero_prepares_fences_and_raises_a_flag(const int* in, int* out) {
  __shared__ int table[32];
  __shared__ int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    table[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
    __syncwarp();
    if (threadIdx.x == 0) {
      __threadfence_block();
      atomicExch(&ready, 1);
    }
  } else {
    while (atomicAdd(&ready, 0) == 0) {
    }
    __threadfence_block();
  }
  out[blockIdx.x * 96 + threadIdx.x] = table[31 - threadIdx.x % 32];
}

// verdict clean: lanes_take_a_lock_one_by_one<<<2, 64>>>(zeros_i32(1), zeros_i32(1))
__global__ void lanes_take_a_lock_one_by_one(int* lock, int* sum) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *sum += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

// verdict wrong race: two_locks_for_one_bucket<<<2, 64>>>(zeros_i32(16), zeros_i32(8))
__global__ void two_locks_for_one_bucket(int* locks, int* buckets) {
  const int bucket = threadIdx.x % 8;
  int* const lock = &locks[threadIdx.x % 16];
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      buckets[bucket] += 1;                             // !
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

// verdict clean: one_lock_for_each_bucket<<<2, 64>>>(zeros_i32(8), zeros_i32(8))
__global__ void one_lock_for_each_bucket(int* locks, int* buckets) {
  const int bucket = threadIdx.x % 8;
  bool done = false;
  while (!done) {
    if (atomicCAS(&locks[bucket], 0, 1) == 0) {
      __threadfence();
      buckets[bucket] += 1;
      __threadfence();
      atomicExch(&locks[bucket], 0);
      done = true;
    }
  }
}

// verdict wrong race: the_lock_is_given_back_before_the_last_store<<<4, 32>>>(zeros_i32(1), zeros_i32(2))
__global__ void the_lock_is_given_back_before_the_last_store(int* lock, int* pair) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  pair[0] += 1;
  __threadfence();
  atomicExch(lock, 0);
  pair[1] += 1;                                         // !
}

// verdict wrong race,atomic_scope: a_lock_by_cas_of_block_scope<<<4, 32>>>(zeros_i32(1), zeros_i32(1))
__global__ void a_lock_by_cas_of_block_scope(int* lock, int* count) {
  if (threadIdx.x != 0) return;
  while (atomicCAS_block(lock, 0, 1) != 0) {            // !
  }
  __threadfence();
  *count += 1;                                          // !
  __threadfence();
  atomicExch(lock, 0);                                  // !
}

// verdict clean: a_ticket_lock<<<4, 64>>>(zeros_u32(2), zeros_i32(1))
__global__ void a_ticket_lock(unsigned* lock, int* count) {
  if (threadIdx.x % 32 != 0) return;
  const unsigned mine = atomicAdd(&lock[0], 1u);
  while (atomicAdd(&lock[1], 0u) != mine) {
  }
  __threadfence();
  *count += 1;
  __threadfence();
  atomicAdd(&lock[1], 1u);
}

// verdict wrong race: a_ticket_lock_that_does_not_wait<<<4, 64>>>(zeros_u32(2), zeros_i32(1))
__global__ void a_ticket_lock_that_does_not_wait(unsigned* lock, int* count) {
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(&lock[0], 1u);
  __threadfence();
  *count += 1;                                          // !
  __threadfence();
  atomicAdd(&lock[1], 1u);
}

// verdict clean: work_is_taken_from_a_queue<<<3, 32>>>(ramp_i32(20), zeros_i32(20), zeros_i32(1), 20)
__global__ void work_is_taken_from_a_queue(const int* work, int* out, int* next, int n) {
  for (;;) {
    int at = 0;
    if (threadIdx.x == 0) at = atomicAdd(next, 1);
    at = __shfl_sync(0xffffffffu, at, 0);
    if (at >= n) return;
    if (threadIdx.x == at % 32) out[at] = work[at] * 2;
  }
}

// verdict wrong race: work_is_taken_from_a_queue_without_atomics<<<3, 32>>>(ramp_i32(20), zeros_i32(20), zeros_i32(1), 20)
__global__ void work_is_taken_from_a_queue_without_atomics(const int* work, int* out, int* next, int n) {
  for (;;) {
    int at = 0;
    if (threadIdx.x == 0) at = (*next)++;               // !
    at = __shfl_sync(0xffffffffu, at, 0);
    if (at >= n) return;
    if (threadIdx.x == at % 32) out[at] = work[at] * 2;  // !
  }
}

// ---- volatile words: no race among themselves, and no order either -----------------------------------------------------

// verdict wrong unfenced_volatile: volatile_data_behind_a_block_fence<<<2, 32>>>(zeros_i32(1), zeros_i32(1), zeros_i32(1))
__global__ void volatile_data_behind_a_block_fence(volatile int* data, int* flag, int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 42;                                         // !
    __threadfence_block();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
    *out = *data;                                       // !
  }
}

// verdict clean: volatile_data_behind_a_fence<<<2, 32>>>(zeros_i32(1), zeros_i32(1), zeros_i32(1))
__global__ void volatile_data_behind_a_fence(volatile int* data, int* flag, int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
    *out = *data;
  }
}

// verdict wrong unfenced_volatile: a_lock_over_a_volatile_word<<<4, 32>>>(zeros_i32(1), zeros_i32(1))
__global__ void a_lock_over_a_volatile_word(int* lock, volatile int* count) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *count = *count + 1;                                  // !
  atomicExch(lock, 0);
}

// verdict clean: a_lock_over_a_volatile_word_with_fences<<<4, 32>>>(zeros_i32(1), zeros_i32(1))
__global__ void a_lock_over_a_volatile_word_with_fences(int* lock, volatile int* count) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *count = *count + 1;
  __threadfence();
  atomicExch(lock, 0);
}

// verdict wrong lock_not_taken: set_back_beside_the_lock<<<4, 32>>>(zeros_i32(1), zeros_i32(1), zeros_i32(4))
__global__ void set_back_beside_the_lock(int* lock, volatile int* count, int* out) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  out[blockIdx.x] = *count;                             // !
  __threadfence();
  atomicExch(lock, 0);
  *count = 0;                                           // !
}

// verdict wrong lost_update: volatile_is_no_atomic<<<4, 32>>>(zeros_i32(1))
__global__ void volatile_is_no_atomic(volatile int* count) {
  if (threadIdx.x == 0) *count += 1;                    // !
}

// verdict clean: blocks_take_turns<<<4, 32>>>(zeros_i32(1), zeros_i32(1))
__global__ void blocks_take_turns(volatile int* turn, int* count) {
  if (threadIdx.x != 0) return;
  while (*turn != static_cast<int>(blockIdx.x)) {
  }
  __threadfence();
  *count += 1;
  __threadfence();
  *turn = *turn + 1;
}

// verdict clean: stops_where_one_has_found_it<<<4, 32>>>(ramp_i32(1024), zeros_i32(1), zeros_i32(1))
__global__ void stops_where_one_has_found_it(const int* in, volatile int* stop, int* tried) {
  for (int i = blockIdx.x * 32 + threadIdx.x; i < 1024; i += 128) {
    if (*stop) break;
    atomicAdd(tried, 1);
    if (in[i] == 500) *stop = 1;
  }
}

// verdict wrong atomic_race: any_block_clears_a_counter<<<4, 32>>>(zeros_i32(1))
__global__ void any_block_clears_a_counter(int* count) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x % 2 == 0) *static_cast<volatile int*>(count) = 0;  // !
  if (blockIdx.x % 2 == 1) atomicAdd(count, 1);         // !
  if (blockIdx.x == 2) *static_cast<volatile int*>(count) = 0;      // !
}

// verdict clean: the_last_block_clears_a_counter<<<4, 32>>>(zeros_u32(1), zeros_i32(1))
__global__ void the_last_block_clears_a_counter(unsigned* ticket, int* rounds) {
  if (threadIdx.x != 0) return;
  if (atomicAdd(ticket, 1u) != gridDim.x - 1) return;
  *static_cast<volatile unsigned*>(ticket) = 0;
  *rounds += 1;
}
