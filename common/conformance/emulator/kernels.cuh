// Kernels that put the emulator through its paces: right ones, and one for each thing that can be wrong.

// One shuffle of each lane's value with its own argument. op: 0 idx, 1 up, 2 down, 3 xor.
template <class T, int kOp>
__global__ void shuffle_once(const T* in, const int* args, T* out, unsigned mask, int width) {
  const int lane = threadIdx.x;
  if (!(mask >> lane & 1)) return;
  T value = in[lane];
  if constexpr (kOp == 0) value = __shfl_sync(mask, value, args[lane], width);
  if constexpr (kOp == 1) value = __shfl_up_sync(mask, value, args[lane], width);
  if constexpr (kOp == 2) value = __shfl_down_sync(mask, value, args[lane], width);
  if constexpr (kOp == 3) value = __shfl_xor_sync(mask, value, args[lane], width);
  out[lane] = value;
}

__global__ void votes(const int* in, unsigned* out, unsigned mask) {
  const int lane = threadIdx.x;
  if (!(mask >> lane & 1)) return;
  out[lane * 3 + 0] = __any_sync(mask, in[lane]);
  out[lane * 3 + 1] = __all_sync(mask, in[lane]);
  out[lane * 3 + 2] = __ballot_sync(mask, in[lane]);
}

// Both halves meet for themselves, in different turns of a loop, then together.
__global__ void half_masks(const int* in, int* out) {
  const int lane = threadIdx.x % 32;
  int value = in[threadIdx.x];
  if (lane < 16) {
    for (int offset = 8; offset > 0; offset /= 2) value += __shfl_xor_sync(0x0000ffffu, value, offset);
  } else {
    for (int offset = 1; offset < 16; offset *= 2) value -= __shfl_xor_sync(0xffff0000u, value, offset);
  }
  out[threadIdx.x] = value * __shfl_sync(0xffffffffu, value, 31 - lane);
}

template <int kBlock>
__global__ void sum_tree(const float* in, float* out, int n) {
  __shared__ float tree[kBlock];
  const int thread = threadIdx.x;
  const int index = blockIdx.x * kBlock + thread;
  tree[thread] = index < n ? in[index] : 0.0f;
  __syncthreads();
  for (int offset = kBlock / 2; offset > 0; offset /= 2) {
    if (thread < offset) tree[thread] += tree[thread + offset];
    __syncthreads();
  }
  if (thread == 0) atomicAdd(out, tree[0]);
}

template <int kWidth>
__device__ __forceinline__ float warp_total(float value) {
#pragma unroll
  for (int mask = kWidth / 2; mask > 0; mask /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, mask);
  }
  return value;
}

template <int kBlock>
__global__ void sum_two_level(const float* in, float* out, int n) {
  constexpr int kWarps = kBlock / 32;
  __shared__ float warp_sums[kWarps];
  const int thread = threadIdx.x;
  const int index = blockIdx.x * kBlock + thread;
  float value = index < n ? in[index] : 0.0f;
  value = warp_total<32>(value);
  if (thread % 32 == 0) warp_sums[thread / 32] = value;
  __syncthreads();
  if (thread < 32) {
    value = thread < kWarps ? warp_sums[thread] : 0.0f;
    value = warp_total<kWarps>(value);
    if (thread == 0) atomicAdd(out, value);
  }
}

// Where each thread of a three-dimensional launch says it stands.
__global__ void places(int* out) {
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] += 1000 * block + thread;
}

// Lane l adds what lane l+1 wrote, with a warp barrier between (right), or without (wrong).
template <bool kBarrier>
__global__ void neighbour(int* out) {
  __shared__ int words[32];
  const int lane = threadIdx.x;
  words[lane] = 0;
  __syncthreads();
  words[lane] = lane + 1;
  if (kBarrier) __syncwarp();
  out[lane] = words[(lane + 1) % 32];
}

__global__ void atomics(int* sums, unsigned* bits) {
  atomicAdd(&sums[0], static_cast<int>(threadIdx.x));
  atomicSub(&sums[1], 1);
  atomicMax(&sums[2], static_cast<int>(threadIdx.x));
  atomicMin(&sums[3], -static_cast<int>(threadIdx.x));
  atomicOr(&bits[0], 1u << threadIdx.x % 32);
  atomicXor(&bits[1], 1u << threadIdx.x % 32);
  atomicAnd(&bits[2], ~(1u << threadIdx.x % 32));
  atomicCAS(&bits[3], 0u, 7u);
  atomicExch(&bits[4], 9u);
}

// Wrong: lanes named in the mask never arrive, or arrive elsewhere.

__global__ void half_calls(const float* in, float* out) {  // the sum's published mistake
  float value = in[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) {
    if (threadIdx.x < offset) value += __shfl_down_sync(0xffffffffu, value, offset);
  }
  out[threadIdx.x] = value;
}

__global__ void not_named(int* out) { out[threadIdx.x] = __shfl_sync(0x0000ffffu, static_cast<int>(threadIdx.x), 0); }

__global__ void other_mask(int* out) {
  int value = threadIdx.x;
  if (threadIdx.x < 8) value = __shfl_sync(0xffffffffu, value, 1);
  else value = __shfl_sync(0xfffffff0u, value, 9);
  out[threadIdx.x] = value;
}

__global__ void other_intrinsic(int* out) {
  int value = threadIdx.x;
  if (threadIdx.x < 8) value = __shfl_up_sync(0xffffffffu, value, 1);
  else value = __shfl_down_sync(0xffffffffu, value, 1);
  out[threadIdx.x] = value;
}

__global__ void waits_elsewhere(int* out) {
  int value = threadIdx.x;
  if (threadIdx.x < 16) value = __shfl_sync(0xffffffffu, value, 3);
  __syncthreads();
  out[threadIdx.x] = value;
}

__global__ void two_barriers(int* out) {
  if (threadIdx.x < 32) {
    __syncthreads();
  } else {
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}

__global__ void odd_width(int* out) { out[threadIdx.x] = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x), 0, 12); }

__global__ void never_ends(int* out) {
  int value = 1;
  for (int offset = 16; offset >= 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  out[threadIdx.x] = value;
}

// What the emulator means by a GPU.

// The order in which lanes write after each of three collectives.
__global__ void order_of_lanes(int* out) {
  __shared__ int next;
  const int lane = threadIdx.x;
  if (lane == 0) next = 0;
  int value = lane;
  for (int round = 0; round < 3; ++round) {
    if (round == 0) __syncthreads();
    if (round == 1) value = __shfl_xor_sync(0xffffffffu, value, 1);
    if (round == 2) __syncwarp();
    out[round * 32 + atomicAdd(&next, 1) % 32] = lane;
  }
}

// One shuffle for all lanes: an int to some, a float to others. On a GPU both are shfl.sync.b32.
__global__ void one_shuffle_of_two_types(int* out) {
  const int lane = threadIdx.x;
  if (lane < 16) out[lane] = __shfl_xor_sync(0xffffffffu, lane, 16);
  else out[lane] = __float_as_int(__shfl_xor_sync(0xffffffffu, __int_as_float(lane), 16));
}

__device__ int visits = 5;
__device__ int more_visits;

// Both counters go on from launch to launch of a plan.
__global__ void counts_visits(int* out) {
  static __device__ int own = 7;
  out[0] = ++visits;
  out[1] = ++more_visits;
  out[2] = ++own;
}

// What shared memory holds before the block writes it.
__global__ void reads_shared(unsigned* out) {
  __shared__ unsigned fixed[32];
  extern __shared__ unsigned sized[];
  const int thread = threadIdx.x;
  out[blockIdx.x * 64 + thread] = fixed[thread];
  out[blockIdx.x * 64 + 32 + thread] = sized[thread];
  __syncthreads();
  fixed[thread] = sized[thread] = 1;
}

template <int kBytes>
__global__ void needs_shared(int* out) {
  __shared__ char fixed[kBytes];
  fixed[threadIdx.x] = 1;
  out[threadIdx.x] = fixed[threadIdx.x];
}
