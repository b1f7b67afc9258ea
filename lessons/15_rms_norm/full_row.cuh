// RMS norm of long rows that fill a block. GPUs of sm_90 and later; not emulated. Arguments as in kernels.cuh.

// Keeps a pack as it is until `value` is there: what is computed from the pack comes after what that was computed from.
__device__ __forceinline__ void keep_until(uint4& pack, float& value) {
  asm volatile("" : "+r"(pack.x), "+r"(pack.y), "+r"(pack.z), "+r"(pack.w), "+f"(value));
}

// Every row begins at a multiple of 16 bytes and holds 8 * blockDim.x packs; blockDim.x: a multiple of 32, 1024 at most.
// A block for each row.
//
// Compared with rms_norm_cluster: the row is all one block's, so that no block waits for another, neither to start nor
// for its sum. The price: a multiprocessor runs one such block at a time, and reads all weights for each row.
//
// Launches overlap, as those of rms_norm_overlap. The first blocks_at_once blocks may start before the kernel before has
// ended: until then they prefetch their rows, each warp as much as it holds.
template <class T>
__global__ void __launch_bounds__(1024, 1)
    rms_norm_full_row(const T* in, const T* weight, T* out, int columns, float epsilon, int blocks_at_once) {
  constexpr int kPack = kPackOf<T>;
  constexpr int kHeld = 8;
  __shared__ float warp_sums[32];
  const int thread = threadIdx.x;
  const int threads = blockDim.x;
  const long long first = (long long)blockIdx.x * (columns / kPack);
  const uint4* row = reinterpret_cast<const uint4*>(in) + first;
  uint4* result = reinterpret_cast<uint4*>(out) + first;
  const uint4* weights = reinterpret_cast<const uint4*>(weight);
  if (thread % 32 == 0 && (int)blockIdx.x < blocks_at_once) prefetch_into_l2(row + thread * kHeld, 32 * kHeld * 16);
  cudaGridDependencySynchronize();
  uint4 held[kHeld];
#pragma unroll
  for (int p = 0; p < kHeld; ++p) held[p] = load_past_l1(row + p * threads + thread);
  cudaTriggerProgrammaticLaunchCompletion();
  float squares = 0.0f;
#pragma unroll
  for (int p = 0; p < kHeld; ++p) {
    keep_until(held[p], squares);
    const T* values = reinterpret_cast<const T*>(&held[p]);
#pragma unroll
    for (int k = 0; k < kPack; k += 2) {
      const float2 pair = widened_pair<T>(values + k);
      squares = fmaf(pair.x, pair.x, squares);
      squares = fmaf(pair.y, pair.y, squares);
    }
  }
  squares = block_sum(squares, warp_sums);
  float scale = scale_of(squares, columns, epsilon);
#pragma unroll
  for (int p = 0; p < kHeld; ++p) {
    keep_until(held[p], scale);
    const uint4 words = load_to_stay_in_l1(weights + p * threads + thread);
    const T* weighed = reinterpret_cast<const T*>(&words);
    T* values = reinterpret_cast<T*>(&held[p]);
#pragma unroll
    for (int k = 0; k < kPack; k += 2) {
      const float2 pair = widened_pair<T>(values + k);
      const float2 factors = widened_pair<T>(weighed + k);
      narrow_pair<T>(make_float2(pair.x * scale * factors.x, pair.y * scale * factors.y), values + k);
    }
    result[p * threads + thread] = held[p];
  }
}
