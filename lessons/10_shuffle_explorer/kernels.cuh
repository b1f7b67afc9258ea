// Shuffles: a lane reads another lane's register. First the four intrinsics with all their arguments. Then small
// kernels that are made of them. All of them take any n >= 1, one value a thread, and pad the last warp with zeros. One
// block of 32 threads for each 32 values.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

constexpr unsigned kFullWarp = 0xffffffffu;

// The value at `index`; zero beyond the end.
template <class T>
__device__ __forceinline__ T value_or_zero(const T* in, int index, int n) {
  T zero = {};
  return index < n ? in[index] : zero;
}

// ---- One shuffle -----------------------------------------------------------------------------------------------
//
// in: (n). arg: (32), each lane's argument. out: (32 * blocks), what each lane holds afterwards: the value that it
// received, or its own value if `mask` does not name the lane. width: 1, 2, 4, 8, 16 or 32. A value from a source lane
// that `mask` does not name is undefined.

// Reads lane arg % width of its group of `width` lanes.
template <class T>
__global__ void shuffle_idx(const T* in, const int* arg, T* out, int n, unsigned mask, int width) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * 32 + lane;
  T value = value_or_zero(in, index, n);
  const int source = arg[lane];
  if (mask >> lane & 1) {
    value = __shfl_sync(mask, value, source, width);
  }
  out[index] = value;
}

// Reads lane - arg, or itself if that is before its group.
template <class T>
__global__ void shuffle_up(const T* in, const int* arg, T* out, int n, unsigned mask, int width) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * 32 + lane;
  T value = value_or_zero(in, index, n);
  const unsigned delta = arg[lane];
  if (mask >> lane & 1) {
    value = __shfl_up_sync(mask, value, delta, width);
  }
  out[index] = value;
}

// Reads lane + arg, or itself if that is past its group.
template <class T>
__global__ void shuffle_down(const T* in, const int* arg, T* out, int n, unsigned mask, int width) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * 32 + lane;
  T value = value_or_zero(in, index, n);
  const unsigned delta = arg[lane];
  if (mask >> lane & 1) {
    value = __shfl_down_sync(mask, value, delta, width);
  }
  out[index] = value;
}

// Reads lane ^ arg, or itself if that is past its group.
template <class T>
__global__ void shuffle_xor(const T* in, const int* arg, T* out, int n, unsigned mask, int width) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * 32 + lane;
  T value = value_or_zero(in, index, n);
  const int lane_mask = arg[lane];
  if (mask >> lane & 1) {
    value = __shfl_xor_sync(mask, value, lane_mask, width);
  }
  out[index] = value;
}

// ---- Trees -----------------------------------------------------------------------------------------------------
//
// in: (n). out: (32 * blocks), what each lane holds at the end.

// The butterfly: every lane holds the sum.
__global__ void tree_xor(const int* in, int* out, int n) {
  const int index = blockIdx.x * 32 + threadIdx.x;
  int value = value_or_zero(in, index, n);
#pragma unroll
  for (int lane_mask = 16; lane_mask > 0; lane_mask /= 2) {
    value += __shfl_xor_sync(kFullWarp, value, lane_mask);
  }
  out[index] = value;
}

// Lane 0 holds the sum. Past the edge a lane adds its own value again.
__global__ void tree_down(const int* in, int* out, int n) {
  const int index = blockIdx.x * 32 + threadIdx.x;
  int value = value_or_zero(in, index, n);
#pragma unroll
  for (int delta = 16; delta > 0; delta /= 2) {
    value += __shfl_down_sync(kFullWarp, value, delta);
  }
  out[index] = value;
}

// Lane 31 holds the sum.
__global__ void tree_up(const int* in, int* out, int n) {
  const int index = blockIdx.x * 32 + threadIdx.x;
  int value = value_or_zero(in, index, n);
#pragma unroll
  for (int delta = 16; delta > 0; delta /= 2) {
    value += __shfl_up_sync(kFullWarp, value, delta);
  }
  out[index] = value;
}

// The sum of each group of kWidth lanes, in the group's first lane: tree_down with `width` as the last argument.
template <int kWidth>
__global__ void segmented_sums(const int* in, int* out, int n) {
  const int index = blockIdx.x * 32 + threadIdx.x;
  int value = value_or_zero(in, index, n);
#pragma unroll
  for (int delta = kWidth / 2; delta > 0; delta /= 2) {
    value += __shfl_down_sync(kFullWarp, value, delta, kWidth);
  }
  out[index] = value;
}

// ---- A prefix sum ----------------------------------------------------------------------------------------------

// in: (n). out: (32 * blocks): each lane holds the sum of its own value and those of the lanes below it (Hillis and
// Steele). As tree_up, but with the shortest offset first, and a lane that would read itself adds nothing.
__global__ void prefix_sum(const int* in, int* out, int n) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * 32 + lane;
  int value = value_or_zero(in, index, n);
#pragma unroll
  for (int delta = 1; delta < 32; delta *= 2) {
    const int below = __shfl_up_sync(kFullWarp, value, delta);
    if (lane >= delta) value += below;
  }
  out[index] = value;
}

// ---- A transpose in registers ----------------------------------------------------------------------------------

// in, out: (128 * blocks); in is padded by zeros from n on: matrices of 4 rows and 4 columns, one after the other. A
// lane holds a row in four registers; four neighbouring lanes hold a matrix. Afterwards a lane holds a column. Two
// rounds of two exchanges: in each, a lane sends a value that its partner needs.
__global__ void transpose(const int* in, int* out, int n) {
  const int lane = threadIdx.x;
  const int first = (blockIdx.x * 32 + lane) * 4;
  int a = value_or_zero(in, first, n);
  int b = value_or_zero(in, first + 1, n);
  int c = value_or_zero(in, first + 2, n);
  int d = value_or_zero(in, first + 3, n);
  const bool odd = lane & 1;
  int given = odd ? a : b;
  given = __shfl_xor_sync(kFullWarp, given, 1);
  if (odd) a = given; else b = given;
  given = odd ? c : d;
  given = __shfl_xor_sync(kFullWarp, given, 1);
  if (odd) c = given; else d = given;
  const bool upper = lane & 2;
  given = upper ? a : c;
  given = __shfl_xor_sync(kFullWarp, given, 2);
  if (upper) a = given; else c = given;
  given = upper ? b : d;
  given = __shfl_xor_sync(kFullWarp, given, 2);
  if (upper) b = given; else d = given;
  out[first] = a;
  out[first + 1] = b;
  out[first + 2] = c;
  out[first + 3] = d;
}
