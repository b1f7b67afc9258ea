// Programs that people write and copy, right ones and those with one thing wrong.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// ---- tiles in two dimensions ----------------------------------------------------------------------------------------

// verdict clean: transpose_by_tiles<<<2x2, 16x8>>>(ramp_f32(1024), zeros_f32(1024))
__global__ void transpose_by_tiles(const float* in, float* out) {
  __shared__ float tile[16][17];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  for (int row = 0; row < 16; row += 8) tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * 32 + x];
  __syncthreads();
  const int u = blockIdx.y * 16 + threadIdx.x, v = blockIdx.x * 16 + threadIdx.y;
  for (int row = 0; row < 16; row += 8) out[(v + row) * 32 + u] = tile[threadIdx.x][threadIdx.y + row];
}

// verdict wrong race (uninitialised_read): transpose_by_tiles_at_once<<<2x2, 16x8>>>(ramp_f32(1024), zeros_f32(1024))
__global__ void transpose_by_tiles_at_once(const float* in, float* out) {
  __shared__ float tile[16][17];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  for (int row = 0; row < 16; row += 8) tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * 32 + x];  // !
  const int u = blockIdx.y * 16 + threadIdx.x, v = blockIdx.x * 16 + threadIdx.y;
  for (int row = 0; row < 16; row += 8) out[(v + row) * 32 + u] = tile[threadIdx.x][threadIdx.y + row];  // !
}

// verdict wrong race: transpose_in_place<<<2x2, 16x16>>>(ramp_f32(1024))
__global__ void transpose_in_place(float* data) {
  __shared__ float tile[16][17];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = data[y * 32 + x];     // !
  __syncthreads();
  data[(blockIdx.x * 16 + threadIdx.y) * 32 + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];  // !
}

// verdict clean: product_by_tiles<<<2x2, 8x8>>>(ramp_f32(256), ramp_f32(256), zeros_f32(256), 16)
__global__ void product_by_tiles(const float* a, const float* b, float* c, int n) {
  __shared__ float left[8][8], right[8][8];
  const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += 8) {
    left[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
    __syncthreads();
    for (int i = 0; i < 8; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  c[y * n + x] = sum;
}

// verdict wrong race: product_by_tiles_loaded_too_early<<<2x2, 8x8>>>(ramp_f32(256), ramp_f32(256), zeros_f32(256), 16)
__global__ void product_by_tiles_loaded_too_early(const float* a, const float* b, float* c, int n) {
  __shared__ float left[8][8], right[8][8];
  const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += 8) {
    left[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];           // !
    right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];        // !
    __syncthreads();
    for (int i = 0; i < 8; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];  // !
  }
  c[y * n + x] = sum;
}

// verdict wrong out_of_bounds: product_of_a_size_that_is_no_multiple<<<2x2, 8x8>>>(ramp_f32(144), ramp_f32(144), zeros_f32(144), 12)
__global__ void product_of_a_size_that_is_no_multiple(const float* a, const float* b, float* c, int n) {
  const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];          // !
  if (x < n && y < n) c[y * n + x] = sum;
}

// verdict clean: product_with_guards<<<2x2, 8x8>>>(ramp_f32(144), ramp_f32(144), zeros_f32(144), 12)
__global__ void product_with_guards(const float* a, const float* b, float* c, int n) {
  const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= n || y >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

// verdict clean: blur_with_a_halo<<<2x2, 8x8>>>(ramp_f32(256), zeros_f32(256), 16)
__global__ void blur_with_a_halo(const float* in, float* out, int n) {
  __shared__ float tile[10][10];
  const int x0 = blockIdx.x * 8 - 1, y0 = blockIdx.y * 8 - 1;
  for (int i = threadIdx.y * 8 + threadIdx.x; i < 100; i += 64) {
    const int x = x0 + i % 10, y = y0 + i / 10;
    tile[i / 10][i % 10] = x >= 0 && x < n && y >= 0 && y < n ? in[y * n + x] : 0.0f;
  }
  __syncthreads();
  float sum = 0;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) sum += tile[threadIdx.y + dy][threadIdx.x + dx];
  out[(blockIdx.y * 8 + threadIdx.y) * n + blockIdx.x * 8 + threadIdx.x] = sum / 9;
}

// verdict wrong uninitialised_read: blur_without_the_corners<<<2x2, 8x8>>>(ramp_f32(324), zeros_f32(256), 16)
__global__ void blur_without_the_corners(const float* in, float* out, int n) {
  __shared__ float tile[10][10];
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int x = blockIdx.x * 8 + tx, y = blockIdx.y * 8 + ty, pitch = n + 2;
  tile[ty][tx] = in[y * pitch + x];
  if (tx == 1) tile[ty][0] = in[y * pitch + x - 1];
  if (tx == 8) tile[ty][9] = in[y * pitch + x + 1];
  if (ty == 1) tile[0][tx] = in[(y - 1) * pitch + x];
  if (ty == 8) tile[9][tx] = in[(y + 1) * pitch + x];
  __syncthreads();
  float sum = 0;
  for (int dy = -1; dy < 2; ++dy)
    for (int dx = -1; dx < 2; ++dx) sum += tile[ty + dy][tx + dx];           // !
  out[(y - 1) * n + x - 1] = sum / 9;
}

// verdict wrong race: rows_of_threads_share_a_word<<<2, 16x8>>>(ramp_f32(256), zeros_f32(32))
__global__ void rows_of_threads_share_a_word(const float* in, float* out) {
  __shared__ float sums[16];
  sums[threadIdx.x] = in[(blockIdx.x * 8 + threadIdx.y) * 16 + threadIdx.x];  // !
  __syncthreads();
  if (threadIdx.y == 0) out[blockIdx.x * 16 + threadIdx.x] = sums[threadIdx.x];
}

// ---- sorts and scans ------------------------------------------------------------------------------------------------

// verdict clean: bitonic_sort<<<2, 64>>>(ramp_i32(256))
__global__ void bitonic_sort(int* data) {
  __shared__ int keys[128];
  int* const mine = data + blockIdx.x * 128;
  keys[threadIdx.x] = (mine[threadIdx.x] * 37) % 128;
  keys[threadIdx.x + 64] = (mine[threadIdx.x + 64] * 37) % 128;
  for (int size = 2; size <= 128; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const int low = 2 * threadIdx.x - (threadIdx.x & (stride - 1)), high = low + stride;
      const bool up = (low & size) == 0;
      if ((keys[low] > keys[high]) == up) {
        const int key = keys[low];
        keys[low] = keys[high];
        keys[high] = key;
      }
    }
  }
  __syncthreads();
  mine[threadIdx.x] = keys[threadIdx.x];
  mine[threadIdx.x + 64] = keys[threadIdx.x + 64];
}

// verdict wrong race: bitonic_sort_with_one_barrier_a_size<<<2, 64>>>(ramp_i32(256))
__global__ void bitonic_sort_with_one_barrier_a_size(int* data) {
  __shared__ int keys[128];
  int* const mine = data + blockIdx.x * 128;
  keys[threadIdx.x] = (mine[threadIdx.x] * 37) % 128;
  keys[threadIdx.x + 64] = (mine[threadIdx.x + 64] * 37) % 128;
  for (int size = 2; size <= 128; size *= 2) {
    __syncthreads();
    for (int stride = size / 2; stride > 0; stride /= 2) {
      const int low = 2 * threadIdx.x - (threadIdx.x & (stride - 1)), high = low + stride;
      const bool up = (low & size) == 0;
      if ((keys[low] > keys[high]) == up) {             // !
        const int key = keys[low];                      // !
        keys[low] = keys[high];                         // !
        keys[high] = key;                               // !
      }
    }
  }
  __syncthreads();
  mine[threadIdx.x] = keys[threadIdx.x];
  mine[threadIdx.x + 64] = keys[threadIdx.x + 64];
}

// verdict clean: odd_even_sort<<<1, 32>>>(ramp_i32(64))
__global__ void odd_even_sort(int* data) {
  for (int round = 0; round < 64; ++round) {
    const int i = 2 * threadIdx.x + round % 2;
    if (i + 1 < 64 && data[i] < data[i + 1]) {
      const int value = data[i];
      data[i] = data[i + 1];
      data[i + 1] = value;
    }
    __syncthreads();
  }
}

// verdict wrong race: odd_even_sort_of_overlapping_pairs<<<1, 32>>>(ramp_i32(64))
__global__ void odd_even_sort_of_overlapping_pairs(int* data) {
  for (int round = 0; round < 4; ++round) {
    const int i = threadIdx.x + round % 2;
    if (i + 1 < 64 && data[i] < data[i + 1]) {          // !
      const int value = data[i];                        // !
      data[i] = data[i + 1];                            // !
      data[i + 1] = value;                              // !
    }
    __syncthreads();
  }
}

__device__ void sweep_up_and_down(int* words, bool barrier_between) {
  const int tid = threadIdx.x;
  int offset = 1;
  for (int d = 32; d > 0; d /= 2) {
    __syncthreads();
    if (tid < d) words[offset * (2 * tid + 2) - 1] += words[offset * (2 * tid + 1) - 1];  // !
    offset *= 2;
  }
  if (tid == 0) words[63] = 0;                          // !
  for (int d = 1; d < 64; d *= 2) {
    offset /= 2;
    if (barrier_between) __syncthreads();
    if (tid < d) {
      const int a = offset * (2 * tid + 1) - 1, b = offset * (2 * tid + 2) - 1;
      const int value = words[a];                       // !
      words[a] = words[b];                              // !
      words[b] += value;                                // !
    }
  }
  __syncthreads();
}

// verdict clean: scan_up_and_down<<<2, 32>>>(ramp_i32(128))
__global__ void scan_up_and_down(int* data) {
  __shared__ int words[64];
  for (int i = threadIdx.x; i < 64; i += 32) words[i] = data[blockIdx.x * 64 + i];
  sweep_up_and_down(words, true);
  for (int i = threadIdx.x; i < 64; i += 32) data[blockIdx.x * 64 + i] = words[i];
}

// verdict wrong race: scan_up_and_down_without_barriers<<<2, 32>>>(ramp_i32(128))
__global__ void scan_up_and_down_without_barriers(int* data) {
  __shared__ int words[64];
  for (int i = threadIdx.x; i < 64; i += 32) words[i] = data[blockIdx.x * 64 + i];
  sweep_up_and_down(words, false);
  for (int i = threadIdx.x; i < 64; i += 32) data[blockIdx.x * 64 + i] = words[i];
}

// ---- sums in lockstep -----------------------------------------------------------------------------------------------

// verdict wrong assumes_lockstep: last_warp_unrolled_volatile<<<2, 64>>>(ramp_f32(256), zeros_f32(2))
__global__ void last_warp_unrolled_volatile(const float* in, float* out) {
  extern __shared__ float unused[];
  __shared__ float sums[64];
  const int tid = threadIdx.x;
  sums[tid] = in[blockIdx.x * 128 + tid] + in[blockIdx.x * 128 + tid + 64];
  __syncthreads();
  if (tid < 32) {
    volatile float* const words = sums;
    words[tid] += words[tid + 32];                      // !
    words[tid] += words[tid + 16];                      // !
    words[tid] += words[tid + 8];                       // !
    words[tid] += words[tid + 4];                       // !
    words[tid] += words[tid + 2];                       // !
    words[tid] += words[tid + 1];                       // !
  }
  if (tid == 0) out[blockIdx.x] = sums[0];
}

// verdict clean: last_warp_unrolled_with_syncs<<<2, 64>>>(ramp_f32(256), zeros_f32(2))
__global__ void last_warp_unrolled_with_syncs(const float* in, float* out) {
  __shared__ float sums[64];
  const int tid = threadIdx.x;
  sums[tid] = in[blockIdx.x * 128 + tid] + in[blockIdx.x * 128 + tid + 64];
  __syncthreads();
  if (tid < 32) {
    volatile float* const words = sums;
    float sum = words[tid] + words[tid + 32];
    for (int offset = 16; offset > 0; offset /= 2) {
      words[tid] = sum;
      __syncwarp();
      sum += words[tid + offset];
      __syncwarp();
    }
    if (tid == 0) out[blockIdx.x] = sum;
  }
}

// verdict wrong assumes_lockstep: warp_scan_volatile<<<1, 32>>>(ramp_i32(32), zeros_i32(32))
__global__ void warp_scan_volatile(const int* in, int* out) {
  __shared__ volatile int words[64];
  const int lane = threadIdx.x;
  words[lane] = 0;
  words[lane + 32] = in[lane];
  __syncwarp();
  for (int offset = 1; offset < 32; offset *= 2) words[lane + 32] += words[lane + 32 - offset];  // !
  out[lane] = words[lane + 32];
}

// ---- buffers that change places -------------------------------------------------------------------------------------

// verdict clean: two_buffers_and_one_barrier<<<2, 64>>>(ramp_f32(512), zeros_f32(128))
__global__ void two_buffers_and_one_barrier(const float* in, float* out) {
  __shared__ float buffers[2][64];
  const float* const mine = in + blockIdx.x * 256;
  float sum = 0;
  buffers[0][threadIdx.x] = mine[threadIdx.x];
  for (int tile = 0; tile < 4; ++tile) {
    __syncthreads();
    if (tile + 1 < 4) buffers[(tile + 1) % 2][threadIdx.x] = mine[(tile + 1) * 64 + threadIdx.x];
    sum += buffers[tile % 2][63 - threadIdx.x];
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// verdict wrong race: two_buffers_that_do_not_change_places<<<2, 64>>>(ramp_f32(512), zeros_f32(128))
__global__ void two_buffers_that_do_not_change_places(const float* in, float* out) {
  __shared__ float buffers[2][64];
  const float* const mine = in + blockIdx.x * 256;
  float sum = 0;
  buffers[0][threadIdx.x] = mine[threadIdx.x];
  buffers[1][threadIdx.x] = 0;
  for (int tile = 0; tile < 4; ++tile) {
    __syncthreads();
    if (tile + 1 < 4) buffers[0][threadIdx.x] = mine[(tile + 1) * 64 + threadIdx.x];  // !
    sum += buffers[0][63 - threadIdx.x];                // !
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// verdict clean: three_arrays_of_one_piece<<<2, 32, 640>>>(ramp_f32(64), zeros_f32(64))
__global__ void three_arrays_of_one_piece(const float* in, float* out) {
  extern __shared__ double piece[];
  double* const wide = piece;
  float* const words = reinterpret_cast<float*>(wide + 32);
  short* const shorts = reinterpret_cast<short*>(words + 32);
  const int i = blockIdx.x * 32 + threadIdx.x;
  wide[threadIdx.x] = in[i];
  words[threadIdx.x] = in[i] * 2;
  shorts[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[i] = wide[31 - threadIdx.x] + words[31 - threadIdx.x] + shorts[31 - threadIdx.x];
}

// verdict wrong race,out_of_bounds: three_arrays_that_count_bytes_as_elements<<<2, 32, 640>>>(ramp_f32(64), zeros_f32(64))
__global__ void three_arrays_that_count_bytes_as_elements(const float* in, float* out) {
  extern __shared__ double piece[];
  double* const wide = piece;
  float* const words = reinterpret_cast<float*>(wide + 16);  // half of it: the arrays overlap
  const int i = blockIdx.x * 32 + threadIdx.x;
  wide[threadIdx.x] = in[i];                            // !
  words[threadIdx.x] = in[i] * 2;                       // !
  __syncthreads();
  out[i] = wide[31 - threadIdx.x] + words[31 - threadIdx.x];
}

// ---- parts of words -------------------------------------------------------------------------------------------------

struct Particle {
  float x, y;
  int cell;
  unsigned flags : 4;
  unsigned kind : 4;
};

// verdict clean: fields_of_one_struct<<<2, 64>>>(zeros_u32(512))
__global__ void fields_of_one_struct(Particle* particles) {
  Particle& mine = particles[blockIdx.x * 32 + threadIdx.x / 2];
  if (threadIdx.x % 2 == 0) mine.x = threadIdx.x;
  else mine.cell = threadIdx.x;
}

// verdict wrong race: bit_fields_of_one_word<<<2, 64>>>(zeros_u32(512))
__global__ void bit_fields_of_one_word(Particle* particles) {
  Particle& mine = particles[blockIdx.x * 32 + threadIdx.x / 2];
  if (threadIdx.x % 2 == 0) mine.flags = 3;             // !
  else mine.kind = 5;                                   // !
}

// verdict wrong race: bits_of_one_word<<<1, 64>>>(zeros_u32(2))
__global__ void bits_of_one_word(unsigned* bits) {
  bits[threadIdx.x / 32] |= 1u << threadIdx.x % 32;     // !
}

// verdict clean: bits_of_one_word_by_atomics<<<1, 64>>>(zeros_u32(2))
__global__ void bits_of_one_word_by_atomics(unsigned* bits) { atomicOr(&bits[threadIdx.x / 32], 1u << threadIdx.x % 32); }

// verdict clean: a_byte_each_and_a_word_later<<<1, 64>>>(zeros_u8(64), zeros_u32(16))
__global__ void a_byte_each_and_a_word_later(unsigned char* bytes, unsigned* out) {
  bytes[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < 16) out[threadIdx.x] = reinterpret_cast<unsigned*>(bytes)[threadIdx.x];
}

// verdict wrong race: a_byte_each_and_a_word_at_once<<<1, 64>>>(zeros_u8(64), zeros_u32(16))
__global__ void a_byte_each_and_a_word_at_once(unsigned char* bytes, unsigned* out) {
  bytes[threadIdx.x] = threadIdx.x;                     // !
  if (threadIdx.x < 16) out[threadIdx.x] = reinterpret_cast<unsigned*>(bytes)[threadIdx.x];  // !
}

// verdict wrong race: a_short_of_two_chars<<<1, 64>>>(zeros_u8(130))
__global__ void a_short_of_two_chars(char* bytes) {
  char* const mine = bytes + 2 * threadIdx.x;
  mine[0] = 1;                                          // !
  mine[2] = 2;                                          // !
}

// verdict wrong misaligned_access: four_floats_from_the_second_on<<<1, 16>>>(ramp_f32(80), zeros_f32(16))
__global__ void four_floats_from_the_second_on(const float* in, float* out) {
  const float4 v = reinterpret_cast<const float4*>(in + 1)[threadIdx.x];  // !
  out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

// verdict clean: four_floats_from_the_fifth_on<<<1, 16>>>(ramp_f32(80), zeros_f32(16))
__global__ void four_floats_from_the_fifth_on(const float* in, float* out) {
  const float4 v = reinterpret_cast<const float4*>(in + 4)[threadIdx.x];
  out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

// ---- graphs ---------------------------------------------------------------------------------------------------------

// Each vertex has neighbours (v * 5 + 1) % n and (v + n / 2) % n; `begin` has one entry more than there are vertices.

// verdict wrong out_of_bounds: degrees_of_all_vertices<<<2, 32>>>(ramp_i32(64), zeros_i32(64), 64)
__global__ void degrees_of_all_vertices(const int* begin, int* degrees, int n) {
  const int v = blockIdx.x * 32 + threadIdx.x;
  if (v < n) degrees[v] = begin[v + 1] - begin[v];      // !
}

// verdict clean: degrees_of_all_vertices_and_an_end<<<2, 32>>>(ramp_i32(65), zeros_i32(64), 64)
__global__ void degrees_of_all_vertices_and_an_end(const int* begin, int* degrees, int n) {
  const int v = blockIdx.x * 32 + threadIdx.x;
  if (v < n) degrees[v] = begin[v + 1] - begin[v];
}

// verdict wrong race: push_to_neighbours<<<2, 32>>>(ramp_i32(64), zeros_i32(64), 64)
__global__ void push_to_neighbours(const int* value, int* most, int n) {
  const int v = blockIdx.x * 32 + threadIdx.x;
  for (const int other : {(v * 5 + 1) % n, (v + n / 2) % n})
    if (most[other] < value[v]) most[other] = value[v];  // !
}

// verdict clean: push_to_neighbours_by_atomics<<<2, 32>>>(ramp_i32(64), zeros_i32(64), 64)
__global__ void push_to_neighbours_by_atomics(const int* value, int* most, int n) {
  const int v = blockIdx.x * 32 + threadIdx.x;
  for (const int other : {(v * 5 + 1) % n, (v + n / 2) % n}) atomicMax(&most[other], value[v]);
}

// verdict wrong atomic_race: push_by_atomics_after_a_plain_look<<<2, 32>>>(ramp_i32(64), zeros_i32(64), 64)
__global__ void push_by_atomics_after_a_plain_look(const int* value, int* most, int n) {
  const int v = blockIdx.x * 32 + threadIdx.x;
  for (const int other : {(v * 5 + 1) % n, (v + n / 2) % n})
    if (most[other] < value[v]) atomicMax(&most[other], value[v]);  // !
}

// verdict clean: pull_from_neighbours<<<2, 32>>>(ramp_i32(64), zeros_i32(64), 64)
__global__ void pull_from_neighbours(const int* value, int* most, int n) {
  const int v = blockIdx.x * 32 + threadIdx.x;
  int best = value[v];
  for (const int other : {(v * 5 + 1) % n, (v + n / 2) % n}) best = max(best, value[other]);
  most[v] = best;
}

// verdict wrong race: pull_from_neighbours_in_place<<<2, 32>>>(ramp_i32(64), 64)
__global__ void pull_from_neighbours_in_place(int* value, int n) {
  const int v = blockIdx.x * 32 + threadIdx.x;
  int best = value[v];                                  // !
  for (const int other : {(v * 5 + 1) % n, (v + n / 2) % n}) best = max(best, value[other]);  // !
  value[v] = best;                                      // !
}

// verdict clean: frontier_by_an_atomic_tail<<<2, 32>>>(zeros_i32(64), zeros_i32(64), zeros_i32(1), 64)
__global__ void frontier_by_an_atomic_tail(int* visited, int* frontier, int* tail, int n) {
  const int v = blockIdx.x * 32 + threadIdx.x;
  const int other = (v / 2 * 5 + 1) % n;
  if (atomicCAS(&visited[other], 0, 1) == 0) frontier[atomicAdd(tail, 1)] = other;
}

// verdict wrong race (out_of_bounds): frontier_without_atomics<<<2, 32>>>(zeros_i32(64), zeros_i32(64), zeros_i32(1), 64)
__global__ void frontier_without_atomics(int* visited, int* frontier, int* tail, int n) {
  const int v = blockIdx.x * 32 + threadIdx.x;
  const int other = (v / 2 * 5 + 1) % n;
  if (visited[other]) return;                           // !
  visited[other] = 1;                                   // !
  frontier[(*tail)++] = other;                          // !
}

// ---- groups ---------------------------------------------------------------------------------------------------------

// verdict clean: lanes_add_together<<<2, 64>>>(ramp_i32(128), zeros_i32(1), zeros_i32(128))
__global__ void lanes_add_together(const int* in, int* count, int* out) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (in[i] % 3 != 0) return;
  const cg::coalesced_group active = cg::coalesced_threads();
  int first = 0;
  if (active.thread_rank() == 0) first = atomicAdd(count, static_cast<int>(active.size()));
  out[active.shfl(first, 0) + active.thread_rank()] = in[i];
}

// verdict wrong race: lanes_add_together_by_a_plain_word<<<2, 64>>>(ramp_i32(128), zeros_i32(1), zeros_i32(128))
__global__ void lanes_add_together_by_a_plain_word(const int* in, int* count, int* out) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (in[i] % 3 != 0) return;
  const cg::coalesced_group active = cg::coalesced_threads();
  int first = 0;
  if (active.thread_rank() == 0) first = (*count += static_cast<int>(active.size())) - active.size();  // !
  out[active.shfl(first, 0) + active.thread_rank()] = in[i];  // !
}

// verdict clean: tiles_of_eight_swap<<<2, 32>>>(ramp_f32(64), zeros_f32(64))
__global__ void tiles_of_eight_swap(const float* in, float* out) {
  __shared__ float words[32];
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int i = blockIdx.x * 32 + threadIdx.x;
  words[threadIdx.x] = in[i];
  tile.sync();
  out[i] = words[threadIdx.x ^ 7];
}

// verdict wrong race (uninitialised_read): tiles_of_eight_swap_beyond<<<2, 32>>>(ramp_f32(64), zeros_f32(64))
__global__ void tiles_of_eight_swap_beyond(const float* in, float* out) {
  __shared__ float words[32];
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int i = blockIdx.x * 32 + threadIdx.x;
  words[threadIdx.x] = in[i];                           // !
  tile.sync();
  out[i] = words[threadIdx.x ^ 15];                     // !
}

// verdict clean: one_tile_works_while_others_wait<<<2, 64>>>(ramp_f32(128), zeros_f32(2))
__global__ void one_tile_works_while_others_wait(const float* in, float* out) {
  __shared__ float sums[4];
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  float value = in[blockIdx.x * 64 + threadIdx.x];
  for (int offset = 8; offset > 0; offset /= 2) value += tile.shfl_down(value, offset);
  if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = value;
  block.sync();
  if (tile.meta_group_rank() == 0) {
    float total = tile.thread_rank() < 4 ? sums[tile.thread_rank()] : 0.0f;
    for (int offset = 8; offset > 0; offset /= 2) total += tile.shfl_down(total, offset);
    if (tile.thread_rank() == 0) out[blockIdx.x] = total;
  }
}

// verdict wrong uninitialised_read,out_of_bounds: one_tile_reads_more_sums_than_there_are<<<2, 64>>>(ramp_f32(128), zeros_f32(2))
__global__ void one_tile_reads_more_sums_than_there_are(const float* in, float* out) {
  __shared__ float sums[16];
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  float value = in[blockIdx.x * 64 + threadIdx.x];
  for (int offset = 8; offset > 0; offset /= 2) value += tile.shfl_down(value, offset);
  if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = value;
  block.sync();
  if (tile.meta_group_rank() == 0) {
    float total = sums[tile.thread_rank()];             // !
    for (int offset = 8; offset > 0; offset /= 2) total += tile.shfl_down(total, offset);
    if (tile.thread_rank() == 0) out[blockIdx.x] = total;
  }
}
