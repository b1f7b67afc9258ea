// libcu++'s atomics: memory orders and thread scopes.
#include <cuda/atomic>

using device_ref = cuda::atomic_ref<int, cuda::thread_scope_device>;
using block_ref = cuda::atomic_ref<int, cuda::thread_scope_block>;
using device_atomic = cuda::atomic<int, cuda::thread_scope_device>;

// ---- a message of one block to another, which takes it where it is there already -------------------------------------

// verdict clean: message_released_and_acquired<<<2, 32>>>(zeros_i32(32), zeros_i32(1), zeros_i32(32))
__global__ void message_released_and_acquired(int* data, int* flag, int* out) {
  if (threadIdx.x != 0) return;
  device_ref ready(*flag);
  if (blockIdx.x == 0) {
    data[3] = 42;
    ready.store(1, cuda::memory_order_release);
  } else if (ready.load(cuda::memory_order_acquire)) {
    out[0] = data[3];
  }
}

// verdict wrong race: message_of_relaxed_flag<<<2, 32>>>(zeros_i32(32), zeros_i32(1), zeros_i32(32))
__global__ void message_of_relaxed_flag(int* data, int* flag, int* out) {
  if (threadIdx.x != 0) return;
  device_ref ready(*flag);
  if (blockIdx.x == 0) {
    data[3] = 42;                                       // !
    ready.store(1, cuda::memory_order_relaxed);
  } else {
    while (ready.load(cuda::memory_order_relaxed) == 0) {
    }
    out[0] = data[3];                                   // !
  }
}

// verdict wrong race: message_never_acquired<<<2, 32>>>(zeros_i32(32), zeros_i32(1), zeros_i32(32))
__global__ void message_never_acquired(int* data, int* flag, int* out) {
  if (threadIdx.x != 0) return;
  device_ref ready(*flag);
  if (blockIdx.x == 0) {
    data[3] = 42;                                       // !
    ready.store(1, cuda::memory_order_release);
  } else {
    while (ready.load(cuda::memory_order_relaxed) == 0) {
    }
    out[0] = data[3];                                   // !
  }
}

// verdict wrong race: message_never_released<<<2, 32>>>(zeros_i32(32), zeros_i32(1), zeros_i32(32))
__global__ void message_never_released(int* data, int* flag, int* out) {
  if (threadIdx.x != 0) return;
  device_ref ready(*flag);
  if (blockIdx.x == 0) {
    data[3] = 42;                                       // !
    ready.store(1, cuda::memory_order_relaxed);
  } else {
    while (ready.load(cuda::memory_order_acquire) == 0) {
    }
    out[0] = data[3];                                   // !
  }
}

// verdict wrong race,atomic_scope: message_of_block_scope<<<2, 32>>>(zeros_i32(32), zeros_i32(1), zeros_i32(32))
__global__ void message_of_block_scope(int* data, int* flag, int* out) {
  if (threadIdx.x != 0) return;
  block_ref ready(*flag);
  if (blockIdx.x == 0) {
    data[3] = 42;                                       // !
    ready.store(1, cuda::memory_order_release);         // !
  } else {
    while (ready.load(cuda::memory_order_acquire) == 0) {  // !
    }
    out[0] = data[3];                                   // !
  }
}

// verdict clean: message_within_a_block<<<2, 64>>>(zeros_i32(2), zeros_i32(2), zeros_i32(2))
__global__ void message_within_a_block(int* data, int* flag, int* out) {
  block_ref ready(flag[blockIdx.x]);
  if (threadIdx.x == 0) {
    data[blockIdx.x] = 42;
    ready.store(1, cuda::std::memory_order_release);
  }
  if (threadIdx.x == 32) {
    while (ready.load(cuda::std::memory_order_acquire) == 0) {
    }
    out[blockIdx.x] = data[blockIdx.x];
  }
}

// verdict wrong race: message_to_the_whole_warp<<<2, 64>>>(zeros_i32(2), zeros_i32(2), zeros_i32(128))
__global__ void message_to_the_whole_warp(int* data, int* flag, int* out) {
  block_ref ready(flag[blockIdx.x]);
  if (threadIdx.x == 0) {
    data[blockIdx.x] = 42;                              // !
    ready.store(1, cuda::memory_order_release);
  }
  if (threadIdx.x < 32) return;
  if (threadIdx.x == 32) ready.wait(0, cuda::memory_order_acquire);
  __shfl_sync(0xffffffffu, 0, 0);
  out[blockIdx.x * 64 + threadIdx.x] = data[blockIdx.x];  // !
}

// verdict clean: message_to_the_whole_warp_that_syncs<<<2, 64>>>(zeros_i32(2), zeros_i32(2), zeros_i32(128))
__global__ void message_to_the_whole_warp_that_syncs(int* data, int* flag, int* out) {
  block_ref ready(flag[blockIdx.x]);
  if (threadIdx.x == 0) {
    data[blockIdx.x] = 42;
    ready.store(1, cuda::memory_order_release);
    ready.notify_all();
  }
  if (threadIdx.x < 32) return;
  if (threadIdx.x == 32) ready.wait(0, cuda::memory_order_acquire);
  __syncwarp();
  out[blockIdx.x * 64 + threadIdx.x] = data[blockIdx.x];
}

// verdict clean: message_between_fences<<<2, 32>>>(zeros_i32(32), zeros_i32(1), zeros_i32(32))
__global__ void message_between_fences(int* data, int* flag, int* out) {
  if (threadIdx.x != 0) return;
  device_ref ready(*flag);
  if (blockIdx.x == 0) {
    data[3] = 42;
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
    ready.store(1, cuda::memory_order_relaxed);
  } else {
    while (ready.load(cuda::memory_order_relaxed) == 0) {
    }
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    out[0] = data[3];
  }
}

// verdict wrong race: message_between_fences_the_wrong_way_round<<<2, 32>>>(zeros_i32(32), zeros_i32(1), zeros_i32(32))
__global__ void message_between_fences_the_wrong_way_round(int* data, int* flag, int* out) {
  if (threadIdx.x != 0) return;
  device_ref ready(*flag);
  if (blockIdx.x == 0) {
    data[3] = 42;                                       // !
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    ready.store(1, cuda::memory_order_relaxed);
  } else {
    while (ready.load(cuda::memory_order_relaxed) == 0) {
    }
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
    out[0] = data[3];                                   // !
  }
}

// verdict wrong race: message_with_a_fence_of_the_block<<<2, 32>>>(zeros_i32(32), zeros_i32(1), zeros_i32(32))
__global__ void message_with_a_fence_of_the_block(int* data, int* flag, int* out) {
  if (threadIdx.x != 0) return;
  device_ref ready(*flag);
  if (blockIdx.x == 0) {
    data[3] = 42;                                       // !
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_block);
    ready.store(1, cuda::memory_order_relaxed);
  } else {
    while (ready.load(cuda::memory_order_relaxed) == 0) {
    }
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_block);
    out[0] = data[3];                                   // !
  }
}

// verdict clean: message_mixed_with_cudas_fence<<<2, 32>>>(zeros_i32(32), zeros_i32(1), zeros_i32(32))
__global__ void message_mixed_with_cudas_fence(int* data, int* flag, int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    data[3] = 42;
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (device_ref(*flag).load(cuda::memory_order_acquire) == 0) {
    }
    out[0] = data[3];
  }
}

// verdict clean: message_passed_on<<<3, 32>>>(zeros_i32(32), zeros_i32(3), zeros_i32(32))
__global__ void message_passed_on(int* data, int* flags, int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) data[0] = 7;
  else
    while (device_ref(flags[blockIdx.x - 1]).load(cuda::memory_order_acquire) == 0) {
    }
  device_ref(flags[blockIdx.x]).store(1, cuda::memory_order_release);
  if (blockIdx.x == 2) out[0] = data[0];
}

// verdict wrong race: message_passed_on_without_a_link<<<3, 32>>>(zeros_i32(32), zeros_i32(3), zeros_i32(32))
__global__ void message_passed_on_without_a_link(int* data, int* flags, int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) data[0] = 7;                     // !
  else
    while (device_ref(flags[blockIdx.x - 1]).load(blockIdx.x == 1 ? cuda::memory_order_relaxed : cuda::memory_order_acquire) == 0) {
    }
  device_ref(flags[blockIdx.x]).store(1, cuda::memory_order_release);
  if (blockIdx.x == 2) out[0] = data[0];                // !
}

// ---- locks ----------------------------------------------------------------------------------------------------------

// verdict clean: a_lock_of_acquire_and_release<<<4, 64>>>(zeros_i32(1), zeros_i32(1))
__global__ void a_lock_of_acquire_and_release(int* word, int* count) {
  if (threadIdx.x % 32 != 0) return;
  device_ref lock(*word);
  int expected = 0;
  while (!lock.compare_exchange_strong(expected, 1, cuda::memory_order_acquire)) expected = 0;
  *count += 1;
  lock.store(0, cuda::memory_order_release);
}

// verdict clean: a_lock_by_exchange<<<4, 32>>>(zeros_i32(1), zeros_i32(1))
__global__ void a_lock_by_exchange(int* word, int* count) {
  if (threadIdx.x != 0) return;
  device_ref lock(*word);
  while (lock.exchange(1, cuda::memory_order_acquire) == 1) {
  }
  *count += 1;
  lock.exchange(0, cuda::memory_order_release);
}

// verdict wrong race: a_lock_given_back_relaxed<<<4, 32>>>(zeros_i32(1), zeros_i32(1))
__global__ void a_lock_given_back_relaxed(int* word, int* count) {
  if (threadIdx.x != 0) return;
  device_ref lock(*word);
  int expected = 0;
  while (!lock.compare_exchange_weak(expected, 1, cuda::memory_order_acquire, cuda::memory_order_relaxed)) expected = 0;
  *count += 1;                                          // !
  lock.store(0, cuda::memory_order_relaxed);
}

// verdict wrong race: a_lock_taken_relaxed<<<4, 32>>>(zeros_i32(1), zeros_i32(1))
__global__ void a_lock_taken_relaxed(int* word, int* count) {
  if (threadIdx.x != 0) return;
  device_ref lock(*word);
  while (lock.exchange(1, cuda::memory_order_relaxed) == 1) {
  }
  *count += 1;                                          // !
  lock.store(0, cuda::memory_order_release);
}

// verdict wrong race,atomic_scope: a_lock_of_the_block_between_blocks<<<4, 32>>>(zeros_i32(1), zeros_i32(1))
__global__ void a_lock_of_the_block_between_blocks(int* word, int* count) {
  if (threadIdx.x != 0) return;
  block_ref lock(*word);
  while (lock.exchange(1, cuda::memory_order_acquire) == 1) {  // !
  }
  *count += 1;                                          // !
  lock.store(0, cuda::memory_order_release);            // !
}

// verdict clean: a_lock_of_the_block_in_each_block<<<4, 96>>>(zeros_i32(4), zeros_i32(4))
__global__ void a_lock_of_the_block_in_each_block(int* words, int* counts) {
  if (threadIdx.x % 32 != 0) return;
  block_ref lock(words[blockIdx.x]);
  while (lock.exchange(1, cuda::memory_order_acquire) == 1) {
  }
  counts[blockIdx.x] += 1;
  lock.store(0, cuda::memory_order_release);
}

// ---- the last block -------------------------------------------------------------------------------------------------

// verdict clean: last_block_of_acq_rel<<<4, 32>>>(ramp_i32(4), raw_i32(4), zeros_i32(1), zeros_i32(1))
__global__ void last_block_of_acq_rel(const int* in, int* parts, int* ticket, int* out) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = in[blockIdx.x] * 2;
  if (device_ref(*ticket).fetch_add(1, cuda::memory_order_acq_rel) != gridDim.x - 1) return;
  int total = 0;
  for (int block = 0; block < gridDim.x; ++block) total += parts[block];
  out[0] = total;
}

// verdict wrong race: last_block_of_a_relaxed_ticket<<<4, 32>>>(ramp_i32(4), raw_i32(4), zeros_i32(1), zeros_i32(1))
__global__ void last_block_of_a_relaxed_ticket(const int* in, int* parts, int* ticket, int* out) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = in[blockIdx.x] * 2;               // !
  if (device_ref(*ticket).fetch_add(1, cuda::memory_order_relaxed) != gridDim.x - 1) return;
  int total = 0;
  for (int block = 0; block < gridDim.x; ++block) total += parts[block];  // !
  out[0] = total;
}

// verdict wrong race: last_block_of_a_released_ticket<<<4, 32>>>(ramp_i32(4), raw_i32(4), zeros_i32(1), zeros_i32(1))
__global__ void last_block_of_a_released_ticket(const int* in, int* parts, int* ticket, int* out) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = in[blockIdx.x] * 2;               // !
  if (device_ref(*ticket).fetch_add(1, cuda::memory_order_release) != gridDim.x - 1) return;
  int total = 0;
  for (int block = 0; block < gridDim.x; ++block) total += parts[block];  // !
  out[0] = total;
}

// verdict wrong race,atomic_scope: last_block_of_a_ticket_of_the_block<<<4, 32>>>(ramp_i32(4), raw_i32(4), zeros_i32(1), zeros_i32(1))
__global__ void last_block_of_a_ticket_of_the_block(const int* in, int* parts, int* ticket, int* out) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = in[blockIdx.x] * 2;               // !
  if (block_ref(*ticket).fetch_add(1) != gridDim.x - 1) return;  // !
  int total = 0;
  for (int block = 0; block < gridDim.x; ++block) total += parts[block];  // !
  out[0] = total;
}

// ---- counters and more ----------------------------------------------------------------------------------------------

// verdict clean: a_shared_counter<<<2, 64>>>(zeros_i32(2))
__global__ void a_shared_counter(int* out) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> count;
  if (threadIdx.x == 0) count.store(0, cuda::memory_order_relaxed);
  __syncthreads();
  if (threadIdx.x % 3 == 0) ++count;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = count;
}

// verdict wrong uninitialised_read: a_shared_counter_never_cleared<<<1, 64>>>(zeros_i32(2))
__global__ void a_shared_counter_never_cleared(int* out) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> count;
  if (threadIdx.x % 3 == 0) count.fetch_add(1, cuda::memory_order_relaxed);  // !
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = count.load();
}

// verdict clean: slots_by_a_relaxed_counter<<<4, 32>>>(zeros_i32(1), zeros_i32(128))
__global__ void slots_by_a_relaxed_counter(device_atomic* next, int* out) {
  const int slot = next->fetch_add(1, cuda::memory_order_relaxed);
  out[slot] = blockIdx.x;
}

// verdict wrong atomic_race: a_counter_read_as_a_plain_word<<<4, 32>>>(zeros_i32(1), zeros_i32(4))
__global__ void a_counter_read_as_a_plain_word(int* count, int* out) {
  device_ref(*count) += 1;                              // !
  if (threadIdx.x == 0) out[blockIdx.x] = *count;       // !
}

// verdict clean: a_counter_read_by_a_load<<<4, 32>>>(zeros_i32(1), zeros_i32(4))
__global__ void a_counter_read_by_a_load(int* count, int* out) {
  device_ref(*count)++;
  if (threadIdx.x == 0) out[blockIdx.x] = device_ref(*count).load(cuda::memory_order_relaxed);
}

// verdict wrong race: an_atomic_of_the_thread_alone<<<4, 32>>>(zeros_i32(1))
__global__ void an_atomic_of_the_thread_alone(int* count) {
  cuda::atomic_ref<int, cuda::thread_scope_thread>(*count).fetch_add(1);  // !
}

// verdict clean: every_kind_of_number<<<4, 32>>>(zeros_u64(1), zeros_f32(1), zeros_u8(4), zeros_f64(1), zeros_i16(2))
__global__ void every_kind_of_number(unsigned long long* a, float* b, unsigned char* c, double* d, short* e) {
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(*a).fetch_max(threadIdx.x);
  cuda::atomic_ref<float, cuda::thread_scope_device>(*b).fetch_add(1.5f, cuda::memory_order_relaxed);
  cuda::atomic_ref<unsigned char, cuda::thread_scope_device>(c[threadIdx.x % 4]).fetch_add(1);
  cuda::std::atomic_ref<double>(*d).fetch_add(-1.0);
  cuda::atomic_ref<short, cuda::thread_scope_device>(e[threadIdx.x % 2]).fetch_xor(3);
}

// verdict wrong out_of_bounds: an_atomic_ref_behind_the_array<<<1, 32>>>(zeros_i32(16))
__global__ void an_atomic_ref_behind_the_array(int* bins) {
  device_ref(bins[threadIdx.x]).fetch_add(1);           // !
}

// verdict clean: a_flag_that_is_tested<<<2, 64>>>(zeros_i32(2), zeros_i32(128))
__global__ void a_flag_that_is_tested(int* data, int* out) {
  __shared__ cuda::std::atomic_flag done;
  if (threadIdx.x == 0) done.clear();
  __syncthreads();
  if (threadIdx.x == 0) {
    data[blockIdx.x] = 5;
    done.test_and_set(cuda::std::memory_order_release);
  }
  while (!done.test(cuda::std::memory_order_acquire)) {
  }
  out[blockIdx.x * 64 + threadIdx.x] = data[blockIdx.x];
}

// verdict wrong race: two_words_one_flag_too_early<<<2, 64>>>(zeros_i32(4), zeros_i32(2), zeros_i32(128))
__global__ void two_words_one_flag_too_early(int* data, int* flags, int* out) {
  block_ref ready(flags[blockIdx.x]);
  if (threadIdx.x == 0) {
    data[blockIdx.x * 2] = 5;
    ready.store(1, cuda::memory_order_release);
    data[blockIdx.x * 2 + 1] = 6;                       // !
  } else if (threadIdx.x >= 32) {
    while (ready.load(cuda::memory_order_acquire) == 0) {
    }
    out[blockIdx.x * 64 + threadIdx.x] = data[blockIdx.x * 2] + data[blockIdx.x * 2 + 1];  // !
  }
}
