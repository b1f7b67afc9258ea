// A thread may load 8 or 16 bytes in one instruction instead of 4: a float2 or a float4, from an address that is a
// multiple of its size. The same bytes then take half or a quarter of the requests.
//
// in: (first + n), of which in[first] to in[first + n - 1] are added; out: (1), zeroed by the caller; each block adds
// its sum to it by one atomic. Any grid of blocks of kBlock threads, kBlock a multiple of 32; stride is the number of
// threads in the grid. Error: at most (values a thread + log2(kBlock) + blocks - 1) * 2^-24 * sum|x|, to first order.

constexpr unsigned kFullWarp = 0xffffffffu;

// The smallest power of two that is at least kCount, for kCount of 1 to 32.
template <int kCount>
constexpr int kPowerOfTwo =
    kCount > 16 ? 32 : kCount > 8 ? 16 : kCount > 4 ? 8 : kCount > 2 ? 4 : kCount > 1 ? 2 : 1;

// The sum, in every lane, of each group of kWidth lanes.
template <int kWidth>
__device__ __forceinline__ float sum_xor(float value) {
#pragma unroll
  for (int lane_mask = kWidth / 2; lane_mask > 0; lane_mask /= 2) {
    value += __shfl_xor_sync(kFullWarp, value, lane_mask);
  }
  return value;
}

// Adds the values of a block's kBlock threads to *out: every warp adds its own 32, then warp 0 the warp sums. kBlock is
// a multiple of 32, at most 1024.
template <int kBlock>
__device__ __forceinline__ void add_block_sum(float value, float* out) {
  constexpr int kWarps = kBlock / 32;
  __shared__ float warp_sums[kWarps];
  const int thread = threadIdx.x;
  value = sum_xor<32>(value);
  if (thread % 32 == 0) warp_sums[thread / 32] = value;
  __syncthreads();
  if (thread < 32) {
    value = thread < kWarps ? warp_sums[thread] : 0.0f;
    value = sum_xor<kPowerOfTwo<kWarps>>(value);
    if (thread == 0) atomicAdd(out, value);
  }
}

// The previous lesson's kernel: 4 bytes a lane, 128 a request. nvcc unrolls the loop by four on its own.
template <int kBlock>
__global__ void grid_stride_f32(const float* in, float* out, int first, int n) {
  const float* values = in + first;
  const int stride = gridDim.x * kBlock;
  float sum = 0.0f;
  for (int i = blockIdx.x * kBlock + threadIdx.x; i < n; i += stride) {
    sum += values[i];
  }
  add_block_sum<kBlock>(sum, out);
}

// As grid_stride_f32, but not unrolled: one load in flight a thread.
template <int kBlock>
__global__ void grid_stride_f32_unroll_1(const float* in, float* out, int first, int n) {
  const float* values = in + first;
  const int stride = gridDim.x * kBlock;
  float sum = 0.0f;
#pragma unroll 1
  for (int i = blockIdx.x * kBlock + threadIdx.x; i < n; i += stride) {
    sum += values[i];
  }
  add_block_sum<kBlock>(sum, out);
}

// As grid_stride_f32_unroll_1, but unrolled by four: as many load instructions, four of them in flight a thread.
template <int kBlock>
__global__ void grid_stride_f32_unroll_4(const float* in, float* out, int first, int n) {
  const float* values = in + first;
  const int stride = gridDim.x * kBlock;
  float sum = 0.0f;
#pragma unroll 4
  for (int i = blockIdx.x * kBlock + threadIdx.x; i < n; i += stride) {
    sum += values[i];
  }
  add_block_sum<kBlock>(sum, out);
}

// How many values come before the first whose address is a multiple of kValues * 4 bytes: 0 to kValues - 1.
template <int kValues>
__device__ __forceinline__ int values_before_aligned(const float* values) {
  const int past = reinterpret_cast<size_t>(values) / sizeof(float) % kValues;
  return (kValues - past) % kValues;
}

// Compared with grid_stride_f32: 8 bytes a lane, 256 a request, half of the requests. A float2 needs an address that is
// a multiple of 8, so a value before the first such address is added on its own, and so is one left at the end.
template <int kBlock>
__global__ void grid_stride_f32x2(const float* in, float* out, int first, int n) {
  const float* values = in + first;
  const int head = min(values_before_aligned<2>(values), n);
  const int packs = (n - head) / 2;
  const int tail = n - head - packs * 2;
  const float2* packed = reinterpret_cast<const float2*>(values + head);
  const int thread = blockIdx.x * kBlock + threadIdx.x;
  const int stride = gridDim.x * kBlock;
  float sum = 0.0f;
  for (int i = thread; i < packs; i += stride) {
    const float2 pack = packed[i];
    sum += pack.x + pack.y;
  }
  if (thread < head) sum += values[thread];
  if (thread < tail) sum += values[n - tail + thread];
  add_block_sum<kBlock>(sum, out);
}

// Compared with grid_stride_f32x2: 16 bytes a lane, 512 a request, a quarter of the requests of grid_stride_f32. Up to
// three values before the first address that is a multiple of 16, and up to three at the end, are added one by one.
template <int kBlock>
__global__ void grid_stride_f32x4(const float* in, float* out, int first, int n) {
  const float* values = in + first;
  const int head = min(values_before_aligned<4>(values), n);
  const int packs = (n - head) / 4;
  const int tail = n - head - packs * 4;
  const float4* packed = reinterpret_cast<const float4*>(values + head);
  const int thread = blockIdx.x * kBlock + threadIdx.x;
  const int stride = gridDim.x * kBlock;
  float sum = 0.0f;
  for (int i = thread; i < packs; i += stride) {
    const float4 pack = packed[i];
    sum += (pack.x + pack.y) + (pack.z + pack.w);
  }
  if (thread < head) sum += values[thread];
  if (thread < tail) sum += values[n - tail + thread];
  add_block_sum<kBlock>(sum, out);
}

// As grid_stride_f32x4, but not unrolled: one load of 16 bytes in flight a thread, as many bytes as the four loads of
// grid_stride_f32_unroll_4, in a quarter of the load instructions.
template <int kBlock>
__global__ void grid_stride_f32x4_unroll_1(const float* in, float* out, int first, int n) {
  const float* values = in + first;
  const int head = min(values_before_aligned<4>(values), n);
  const int packs = (n - head) / 4;
  const int tail = n - head - packs * 4;
  const float4* packed = reinterpret_cast<const float4*>(values + head);
  const int thread = blockIdx.x * kBlock + threadIdx.x;
  const int stride = gridDim.x * kBlock;
  float sum = 0.0f;
#pragma unroll 1
  for (int i = thread; i < packs; i += stride) {
    const float4 pack = packed[i];
    sum += (pack.x + pack.y) + (pack.z + pack.w);
  }
  if (thread < head) sum += values[thread];
  if (thread < tail) sum += values[n - tail + thread];
  add_block_sum<kBlock>(sum, out);
}

// ---- Where loads are not the limit -----------------------------------------------------------------------------
//
// in: (n), at an address that is a multiple of 16. out: (1), zeroed by the caller. One block, and so one atomic, for
// each kValues values, the last padded with zeros.

// One value a thread: kValues threads a block. kValues is a multiple of 32, at most 1024.
template <int kValues>
__global__ void one_value_f32(const float* in, float* out, int n) {
  const int index = blockIdx.x * kValues + threadIdx.x;
  const float value = index < n ? in[index] : 0.0f;
  add_block_sum<kValues>(value, out);
}

// Compared with one_value_f32: four values a thread in one load, and a quarter of the threads; but as many blocks, and
// as many atomics. kValues is a multiple of 128, at most 4096.
template <int kValues>
__global__ void one_pack_f32x4(const float* in, float* out, int n) {
  const int index = blockIdx.x * kValues + threadIdx.x * 4;
  float sum = 0.0f;
  if (index + 3 < n) {
    const float4 pack = *reinterpret_cast<const float4*>(in + index);
    sum += (pack.x + pack.y) + (pack.z + pack.w);
  } else {
    for (int i = index; i < n; ++i) {
      sum += in[i];
    }
  }
  add_block_sum<kValues / 4>(sum, out);
}
