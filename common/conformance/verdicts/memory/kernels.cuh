// Accesses out of bounds, pointers that lead nowhere, and reads of what nothing wrote.

// verdict wrong out_of_bounds: no_guard_on_reads<<<4, 32>>>(ramp_f32(100), zeros_f32(128))
__global__ void no_guard_on_reads(const float* in, float* out) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  out[i] = in[i];                                    // !
}

// verdict wrong out_of_bounds: no_guard_on_writes<<<4, 32>>>(ramp_f32(128), zeros_f32(100))
__global__ void no_guard_on_writes(const float* in, float* out) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  out[i] = in[i];                                    // !
}

// verdict clean: guarded<<<4, 32>>>(ramp_f32(100), zeros_f32(100), 100)
__global__ void guarded(const float* in, float* out, int n) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  if (i < n) out[i] = in[i];
}

// verdict wrong out_of_bounds: guarded_one_too_late<<<4, 32>>>(ramp_f32(100), zeros_f32(101), 100)
__global__ void guarded_one_too_late(const float* in, float* out, int n) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  if (i <= n) out[i] = in[i];                        // !
}

// verdict wrong out_of_bounds: before_the_first<<<2, 32>>>(ramp_f32(64), zeros_f32(64))
__global__ void before_the_first(const float* in, float* out) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  out[i] = in[i] - in[i - 1];                        // !
}

// verdict clean: from_the_second_on<<<2, 32>>>(ramp_f32(64), zeros_f32(64))
__global__ void from_the_second_on(const float* in, float* out) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  if (i > 0) out[i] = in[i] - in[i - 1];
}

// verdict wrong out_of_bounds: far_away<<<1, 32>>>(ramp_f32(64), zeros_f32(64))
__global__ void far_away(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x + 500000000];    // !
}

// verdict wrong out_of_bounds: shared_one_past_the_end<<<1, 64>>>(ramp_f32(64), zeros_f32(64))
__global__ void shared_one_past_the_end(const float* in, float* out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x + 1];          // !
}

// verdict clean: shared_with_a_word_more<<<1, 64>>>(ramp_f32(64), zeros_f32(64))
__global__ void shared_with_a_word_more(const float* in, float* out) {
  __shared__ float tile[65];
  tile[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x == 0) tile[64] = 0;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x + 1];
}

// verdict wrong out_of_bounds: a_warp_reads_eight_sums<<<1, 256>>>(ramp_f32(256), zeros_f32(1))
__global__ void a_warp_reads_eight_sums(const float* in, float* out) {
  __shared__ float sums[8];
  __shared__ float others[64];
  if (threadIdx.x < 64) others[threadIdx.x] = 0;
  float value = in[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = sums[threadIdx.x];                       // !
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
    if (threadIdx.x == 0) out[0] = value;
  }
}

__device__ float joined(float* sums, int count) {
  float value = sums[threadIdx.x];                   // !
  for (int offset = count / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}

// verdict wrong out_of_bounds: a_warp_reads_eight_sums_by_a_pointer<<<1, 256>>>(ramp_f32(256), zeros_f32(1))
__global__ void a_warp_reads_eight_sums_by_a_pointer(const float* in, float* out) {
  __shared__ float sums[8];
  float value = in[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) value = joined(sums, 32);
  if (threadIdx.x == 0) out[0] = value;
}

// verdict clean: a_warp_reads_the_sums_there_are<<<1, 256>>>(ramp_f32(256), zeros_f32(1))
__global__ void a_warp_reads_the_sums_there_are(const float* in, float* out) {
  __shared__ float sums[8];
  float value = in[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < 8 ? sums[threadIdx.x] : 0.0f;
    for (int offset = 4; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
    if (threadIdx.x == 0) out[0] = value;
  }
}

// verdict wrong out_of_bounds: no_dynamic_memory_requested<<<1, 64>>>(ramp_f32(64), zeros_f32(64))
__global__ void no_dynamic_memory_requested(const float* in, float* out) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = in[threadIdx.x];               // !
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

// verdict wrong out_of_bounds: bytes_taken_for_floats<<<1, 64, 64>>>(ramp_f32(64), zeros_f32(64))
__global__ void bytes_taken_for_floats(const float* in, float* out) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = in[threadIdx.x];               // !
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

// verdict clean: dynamic_memory_requested<<<1, 64, 256>>>(ramp_f32(64), zeros_f32(64))
__global__ void dynamic_memory_requested(const float* in, float* out) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

// verdict clean: dynamic_memory_declared_and_not_used<<<1, 64>>>(ramp_f32(64), zeros_f32(64), 0)
__global__ void dynamic_memory_declared_and_not_used(const float* in, float* out, int use) {
  extern __shared__ float tile[];
  if (use) tile[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = in[threadIdx.x];
}

// verdict wrong foreign_pointer: a_null_pointer<<<1, 32>>>(ramp_f32(32), zeros_f32(32), 16)
__global__ void a_null_pointer(const float* in, float* out, int n) {
  const float* const first = n > 16 ? in : nullptr;
  out[threadIdx.x] = first[threadIdx.x];             // !
}

// verdict clean: a_null_pointer_that_is_asked<<<1, 32>>>(ramp_f32(32), zeros_f32(32), 16)
__global__ void a_null_pointer_that_is_asked(const float* in, float* out, int n) {
  const float* const first = n > 16 ? in : nullptr;
  out[threadIdx.x] = first ? first[threadIdx.x] : 1.0f;
}

// verdict wrong out_of_bounds: four_at_a_time_past_the_tail<<<1, 32>>>(ramp_f32(126), zeros_f32(32))
__global__ void four_at_a_time_past_the_tail(const float* in, float* out) {
  const float4 four = reinterpret_cast<const float4*>(in)[threadIdx.x];  // !
  out[threadIdx.x] = four.x + four.y + four.z + four.w;
}

// verdict clean: four_at_a_time_and_a_tail<<<1, 32>>>(ramp_f32(126), zeros_f32(32), 126)
__global__ void four_at_a_time_and_a_tail(const float* in, float* out, int n) {
  float sum = 0;
  if (threadIdx.x < n / 4) {
    const float4 four = reinterpret_cast<const float4*>(in)[threadIdx.x];
    sum = four.x + four.y + four.z + four.w;
  } else if (n / 4 * 4 + static_cast<int>(threadIdx.x) - n / 4 < n) {
    sum = in[n / 4 * 4 + threadIdx.x - n / 4];
  }
  out[threadIdx.x] = sum;
}

// verdict clean: a_row_read_on_into_the_next<<<1, 64>>>(ramp_f32(64), zeros_f32(64))
__global__ void a_row_read_on_into_the_next(const float* in, float* out) {
  __shared__ float tile[2][32];
  tile[0][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[0][63 - threadIdx.x];
}

// verdict wrong out_of_bounds: a_row_too_many<<<1, 64>>>(ramp_f32(64), zeros_f32(64))
__global__ void a_row_too_many(const float* in, float* out) {
  __shared__ float tile[2][32];
  tile[threadIdx.x / 32 + 1][threadIdx.x % 32] = in[threadIdx.x];  // !
  __syncthreads();
  out[threadIdx.x] = in[threadIdx.x];
}

// verdict wrong out_of_bounds: rows_and_columns_mixed_up<<<1, 64>>>(ramp_f32(64), zeros_f32(64), 4, 16)
__global__ void rows_and_columns_mixed_up(const float* in, float* out, int rows, int columns) {
  const int row = threadIdx.x / columns, column = threadIdx.x % columns;
  if (row < rows) out[column * columns + row] = in[row * columns + column];  // !
}

// verdict clean: rows_and_columns<<<1, 64>>>(ramp_f32(64), zeros_f32(64), 4, 16)
__global__ void rows_and_columns(const float* in, float* out, int rows, int columns) {
  const int row = threadIdx.x / columns, column = threadIdx.x % columns;
  out[column * rows + row] = in[row * columns + column];
}

// verdict wrong out_of_bounds: an_atomic_out_of_bounds<<<1, 32>>>(ramp_i32(32), zeros_i32(8))
__global__ void an_atomic_out_of_bounds(const int* in, int* bins) {
  atomicAdd(&bins[in[threadIdx.x]], 1);              // !
}

// verdict clean: an_atomic_in_bounds<<<1, 32>>>(ramp_i32(32), zeros_i32(8))
__global__ void an_atomic_in_bounds(const int* in, int* bins) { atomicAdd(&bins[in[threadIdx.x] % 8], 1); }

// verdict wrong local_of_another_lane: the_address_of_a_local<<<1, 32>>>(zeros_f32(32))
__global__ void the_address_of_a_local(float* out) {
  __shared__ float* where;
  float mine[4] = {1, 2, 3, 4};
  if (threadIdx.x == 0) where = mine;
  __syncthreads();
  out[threadIdx.x] = where[threadIdx.x % 4];         // !
  __syncthreads();
  out[threadIdx.x] += mine[threadIdx.x % 4];
}

// verdict clean: the_address_of_shared_memory<<<1, 32>>>(zeros_f32(32))
__global__ void the_address_of_shared_memory(float* out) {
  __shared__ float* where;
  __shared__ float values[4];
  if (threadIdx.x < 4) values[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) where = values;
  __syncthreads();
  out[threadIdx.x] = where[threadIdx.x % 4];
}

// verdict wrong out_of_bounds: into_the_array_behind_it<<<1, 64>>>(ramp_f32(64), zeros_f32(64))
__global__ void into_the_array_behind_it(const float* in, float* out) {
  __shared__ float first[64], second[64];
  first[threadIdx.x] = in[threadIdx.x];
  second[threadIdx.x] = 1;
  __syncthreads();
  const float* const words = first;
  out[threadIdx.x] = *(words + threadIdx.x + 1);       // !
}

// verdict clean: from_each_of_two_arrays<<<1, 64>>>(ramp_f32(64), zeros_f32(64))
__global__ void from_each_of_two_arrays(const float* in, float* out) {
  __shared__ float first[64], second[64];
  first[threadIdx.x] = in[threadIdx.x];
  second[threadIdx.x] = 1;
  __syncthreads();
  const float* const words = threadIdx.x == 63 ? second : first + 1;
  out[threadIdx.x] = *(words + threadIdx.x % 63);
}

template <int kCount>
__device__ float sum_of_a_copy(const float* in) {
  __shared__ float4 parts[kCount];
  __shared__ float sums[kCount];
  reinterpret_cast<float*>(parts)[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x <= kCount) sums[threadIdx.x % kCount] = reinterpret_cast<const float*>(parts)[threadIdx.x * 4];  // !
  __syncthreads();
  return sums[threadIdx.x % kCount];
}

// verdict wrong out_of_bounds (race): one_vector_too_many<<<1, 64>>>(ramp_f32(64), zeros_f32(64))
__global__ void one_vector_too_many(const float* in, float* out) { out[threadIdx.x] = sum_of_a_copy<16>(in); }

// ---- uninitialised --------------------------------------------------------------------------------------------------

// verdict wrong uninitialised_read: a_tail_that_is_not_padded<<<1, 64>>>(ramp_f32(40), zeros_f32(1), 40)
__global__ void a_tail_that_is_not_padded(const float* in, float* out, int n) {
  __shared__ float tree[64];
  const int thread = threadIdx.x;
  if (thread < n) tree[thread] = in[thread];
  __syncthreads();
  for (int offset = 32; offset > 0; offset /= 2) {
    if (thread < offset) tree[thread] += tree[thread + offset];  // !
    __syncthreads();
  }
  if (thread == 0) out[0] = tree[0];
}

// verdict clean: a_tail_padded_with_zeros<<<1, 64>>>(ramp_f32(40), zeros_f32(1), 40)
__global__ void a_tail_padded_with_zeros(const float* in, float* out, int n) {
  __shared__ float tree[64];
  const int thread = threadIdx.x;
  tree[thread] = thread < n ? in[thread] : 0.0f;
  __syncthreads();
  for (int offset = 32; offset > 0; offset /= 2) {
    if (thread < offset) tree[thread] += tree[thread + offset];
    __syncthreads();
  }
  if (thread == 0) out[0] = tree[0];
}

// verdict wrong uninitialised_read: added_to_nothing<<<2, 32>>>(ramp_f32(64), zeros_f32(64))
__global__ void added_to_nothing(const float* in, float* out) {
  __shared__ float sums[32];
  sums[threadIdx.x] += in[blockIdx.x * 32 + threadIdx.x];  // !
  out[blockIdx.x * 32 + threadIdx.x] = sums[threadIdx.x];
}

// verdict wrong uninitialised_read: an_atomic_on_nothing<<<1, 32>>>(ramp_i32(32), zeros_i32(1))
__global__ void an_atomic_on_nothing(const int* in, int* out) {
  __shared__ int sum;
  atomicAdd(&sum, in[threadIdx.x]);                  // !
  __syncthreads();
  if (threadIdx.x == 0) out[0] = sum;
}

// verdict clean: an_atomic_on_zero<<<2, 32>>>(ramp_i32(32), zeros_i32(2))
__global__ void an_atomic_on_zero(const int* in, int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// verdict wrong uninitialised_read: scratch_is_not_zero<<<1, 32>>>(ramp_f32(32), raw_f32(32), zeros_f32(32))
__global__ void scratch_is_not_zero(const float* in, float* scratch, float* out) {
  scratch[threadIdx.x] += in[threadIdx.x];           // !
  out[threadIdx.x] = scratch[threadIdx.x];
}

// verdict clean: scratch_written_first<<<1, 32>>>(ramp_f32(32), raw_f32(32), zeros_f32(32))
__global__ void scratch_written_first(const float* in, float* scratch, float* out) {
  scratch[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = scratch[threadIdx.x];
}

// verdict clean: an_output_begins_as_zero<<<1, 32>>>(ramp_f32(32), zeros_f32(32))
__global__ void an_output_begins_as_zero(const float* in, float* out) { out[threadIdx.x] += in[threadIdx.x]; }

// verdict wrong uninitialised_read: only_two_of_the_sums<<<1, 64>>>(ramp_f32(64), zeros_f32(1))
__global__ void only_two_of_the_sums(const float* in, float* out) {
  __shared__ float sums[32];
  float value = in[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = sums[threadIdx.x];                       // !
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
    if (threadIdx.x == 0) out[0] = value;
  }
}

// verdict wrong uninitialised_read: the_other_byte_of_a_word<<<1, 32>>>(zeros_u8(32))
__global__ void the_other_byte_of_a_word(unsigned char* out) {
  __shared__ unsigned char bytes[64];
  bytes[2 * threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = bytes[2 * threadIdx.x + 1];     // !
}

// verdict clean: the_bytes_that_were_written<<<1, 32>>>(zeros_u8(32))
__global__ void the_bytes_that_were_written(unsigned char* out) {
  __shared__ unsigned char bytes[64];
  bytes[2 * threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = bytes[2 * (31 - threadIdx.x)];
}

struct Padded {
  double value;
  int index;
};

// verdict clean: a_struct_with_padding<<<1, 32>>>(zeros_f64(32))
__global__ void a_struct_with_padding(double* out) {
  __shared__ Padded all[32];
  all[threadIdx.x].value = threadIdx.x;
  all[threadIdx.x].index = 1;
  __syncthreads();
  const Padded other = all[31 - threadIdx.x];
  out[threadIdx.x] = other.value + other.index;
}

// verdict wrong uninitialised_read: only_the_first_block_clears<<<2, 32>>>(ramp_f32(64), zeros_f32(64))
__global__ void only_the_first_block_clears(const float* in, float* out) {
  __shared__ float kept[32];
  const int i = blockIdx.x * 32 + threadIdx.x;
  if (blockIdx.x == 0) kept[threadIdx.x] = 0;
  kept[threadIdx.x] += in[i];                        // !
  out[i] = kept[threadIdx.x];
}

// verdict clean: an_exchange_writes<<<1, 32>>>(zeros_i32(32))
__global__ void an_exchange_writes(int* out) {
  __shared__ int words[32];
  atomicExch(&words[threadIdx.x], 5);
  __syncthreads();
  out[threadIdx.x] = words[31 - threadIdx.x];
}

// ---- memory of the kernel's own -------------------------------------------------------------------------------------

// verdict clean: a_list_from_malloc<<<2, 32>>>(zeros_i32(64))
__global__ void a_list_from_malloc(int* out) {
  int* const words = static_cast<int*>(malloc(8 * sizeof(int)));
  if (words == nullptr) return;
  for (int i = 0; i < 8; ++i) words[i] = i * threadIdx.x;
  int sum = 0;
  for (int i = 0; i < 8; ++i) sum += words[i];
  out[blockIdx.x * 32 + threadIdx.x] = sum;
  free(words);
}

// verdict clean: one_block_for_all_by_new<<<2, 64>>>(zeros_f32(128))
__global__ void one_block_for_all_by_new(float* out) {
  __shared__ float* words;
  if (threadIdx.x == 0) words = new float[64];
  __syncthreads();
  words[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = words[63 - threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) delete[] words;
}

// verdict wrong use_after_free: freed_before_the_others_read<<<2, 64>>>(zeros_f32(128))
__global__ void freed_before_the_others_read(float* out) {
  __shared__ float* words;
  if (threadIdx.x == 0) words = new float[64];
  __syncthreads();
  words[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) delete[] words;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = words[63 - threadIdx.x];  // !
}

// verdict wrong foreign_pointer: one_word_more_than_malloc_gave<<<1, 32>>>(zeros_i32(32))
__global__ void one_word_more_than_malloc_gave(int* out) {
  int* const words = static_cast<int*>(malloc(8 * sizeof(int)));
  for (int i = 0; i <= 8; ++i) words[i] = i;             // !
  out[threadIdx.x] = words[3];
  free(words);
}

// verdict wrong uninitialised_read: malloc_gives_no_zeros<<<1, 32>>>(zeros_i32(32))
__global__ void malloc_gives_no_zeros(int* out) {
  int* const words = static_cast<int*>(malloc(8 * sizeof(int)));
  words[0] = 1;
  out[threadIdx.x] = words[0] + words[1];                // !
  free(words);
}

// verdict wrong invalid_free: freed_by_every_thread<<<1, 64>>>(zeros_f32(64))
__global__ void freed_by_every_thread(float* out) {
  __shared__ float* words;
  if (threadIdx.x == 0) words = new float[64];
  __syncthreads();
  words[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = words[threadIdx.x];
  __syncthreads();
  if (threadIdx.x % 32 == 0) delete[] words;             // !
}

struct Node {
  int value;
  Node* next;
};

// verdict clean: a_chain_of_nodes<<<2, 32>>>(zeros_i32(64))
__global__ void a_chain_of_nodes(int* out) {
  Node* first = nullptr;
  for (int i = 0; i < 4; ++i) first = new Node{i, first};
  int sum = 0;
  while (first != nullptr) {
    Node* const node = first;
    sum += node->value;
    first = node->next;
    delete node;
  }
  out[blockIdx.x * 32 + threadIdx.x] = sum;
}

__constant__ float weights[32] = {1, 2, 3};

// verdict wrong write_to_constant: stores_its_weights<<<1, 32>>>(ramp_f32(32), zeros_f32(32))
__global__ void stores_its_weights(const float* in, float* out) {
  weights[threadIdx.x] = in[threadIdx.x];            // !
  out[threadIdx.x] = 2 * weights[threadIdx.x];
}

// verdict clean: reads_its_weights<<<1, 32>>>(ramp_f32(32), zeros_f32(32))
__global__ void reads_its_weights(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x] * weights[threadIdx.x];
}
