// in: (n). out: (slices), the sum of each slice of kWidth values, the last padded with zeros. One block of kWidth
// threads for each slice; kWidth is a power of two, at most 32.
template <int kWidth>
__global__ void slice_sum(const float* in, float* out, int n) {
  constexpr unsigned kLanes = 0xffffffffu >> (32 - kWidth);
  const int lane = threadIdx.x;
  const int index = blockIdx.x * kWidth + lane;
  float value = index < n ? in[index] : 0.0f;
#pragma unroll
  for (int delta = kWidth / 2; delta > 0; delta /= 2) {
    value += __shfl_down_sync(kLanes, value, delta, kWidth);
  }
  if (lane == 0) out[blockIdx.x] = value;
}
