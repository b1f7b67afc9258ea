// The fastest sums we know how to write. Each thread adds its share of the input with loads of 16 bytes, and each block
// adds its threads' sums, as in the previous lessons. The kernels differ in how the blocks' sums are added in one
// launch.
//
// in: (n) floats, halves or bfloat16s, beginning at any address that is a multiple of their size; n at least 1, counted
// in 64 bits. out: (1) float; additions are in float. Any grid of blocks of kBlock threads, kBlock a multiple of 32
// from 32 to 1024. Error: at most (values a thread + 5 + log2(warps) + the additions that join the blocks) * 2^-24 *
// sum|x|, to first order.

#include "sums.cuh"

// ---- One block -------------------------------------------------------------------------------------------------
//
// A grid of one block. out need not be zeroed; the same bits every run.
template <class T, int kBlock, int kLoads>
__global__ void __launch_bounds__(kBlock) one_block(const T* in, float* out, long long n) {
  __shared__ float warp_sums[kBlock / 32];
  float sum = thread_sum<T, kBlock, kLoads>(in, n);
  sum = block_sum<kBlock>(sum, warp_sums);
  if (threadIdx.x == 0) *out = sum;
}

// The grid is one block, and n at most kBlock * kLoads * 16 bytes of values. out need not be zeroed; the same bits
// every run. Compared with one_block: no loop. Each thread issues all its loads, head and tail too, before its first
// addition. So the block waits for memory only once. n changes only which lanes load.
template <class T, int kBlock, int kLoads>
__global__ void __launch_bounds__(kBlock) one_turn(const T* in, float* out, int n) {
  __shared__ float warp_sums[kBlock / 32];
  const int thread = threadIdx.x;
  const Packs<T> packs(in, n);
  const int count = (int)packs.count;
  float4 pack[kLoads];
#pragma unroll
  for (int k = 0; k < kLoads; ++k) {
    pack[k] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (thread + k * kBlock < count) pack[k] = packs.first[thread + k * kBlock];
  }
  T before = T(0.0f);
  T behind = T(0.0f);
  if (thread < packs.head) before = in[thread];
  if (thread < packs.tail) behind = in[n - packs.tail + thread];
  float sum = widened(before) + widened(behind);
#pragma unroll
  for (int k = 0; k < kLoads; ++k) sum += pack_sum<T>(pack[k]);
  sum = block_sum<kBlock>(sum, warp_sums);
  if (thread == 0) *out = sum;
}

// ---- One atomic a block ----------------------------------------------------------------------------------------
//
// out: zeroed by the caller. The blocks' sums are added in the order in which the blocks finish: the last bits may
// differ from run to run.
template <class T, int kBlock, int kLoads>
__global__ void __launch_bounds__(kBlock) atomic_per_block(const T* in, float* out, long long n) {
  __shared__ float warp_sums[kBlock / 32];
  float sum = thread_sum<T, kBlock, kLoads>(in, n);
  sum = block_sum<kBlock>(sum, warp_sums);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

// ---- The last block finishes, with fences ----------------------------------------------------------------------
//
// partials: (blocks). ticket: (1), zero before the first launch; each launch leaves it zero. Compared with
// atomic_per_block: out need not be zeroed, and the bits are the same every run, whichever block is the last: it adds
// the partial sums in the order of their indices. Three barriers in the last block, two in the others.
template <class T, int kBlock, int kLoads>
__global__ void __launch_bounds__(kBlock)
    last_block_fences(const T* in, float* out, float* partials, unsigned* ticket, long long n) {
  __shared__ float warp_sums[kBlock / 32];
  __shared__ float last_sums[kBlock / 32];
  __shared__ bool is_last;
  const int thread = threadIdx.x;
  const int blocks = gridDim.x;
  float sum = thread_sum<T, kBlock, kLoads>(in, n);
  sum = block_sum<kBlock>(sum, warp_sums);
  if (thread == 0) {
    partials[blockIdx.x] = sum;
    // Other blocks must see the partial sum before the ticket. __threadfence orders this thread's accesses only.
    __threadfence();
    const unsigned before = atomicInc(ticket, blocks - 1);
    is_last = before == blocks - 1;
    // A thread that sees all tickets taken must also see all partial sums.
    __threadfence();
  }
  __syncthreads();
  if (!is_last) return;
  float total = 0.0f;
  for (int i = thread; i < blocks; i += kBlock) {
    total += partials[i];
  }
  total = block_sum<kBlock>(total, last_sums);
  if (thread == 0) *out = total;
}

// ---- One block polls -------------------------------------------------------------------------------------------

// A block's sum in the low 32 bits and a flag in the high 32 bits: 1 once the sum is stored, 0 before. One store writes
// both and one load reads both, so no fence has to order them.
__device__ __forceinline__ unsigned long long filled(float sum) { return 1ull << 32 | __float_as_uint(sum); }
__device__ __forceinline__ bool is_filled(unsigned long long slot) { return slot >> 32 != 0; }
__device__ __forceinline__ float sum_in(unsigned long long slot) { return __uint_as_float((unsigned)slot); }

// slots: (blocks - 1), zero before the first launch; each launch leaves them zero. Compared with last_block_fences: no
// ticket and no fence, and one barrier in all blocks but the last. The last block is the collector, and it polls: each
// of its threads loads its slots again and again until they are filled. It adds the sums in the order of their indices,
// so the bits are the same every run. No block waits for the collector, so only one other block must fit on the GPU
// with it. `volatile`: the compiler keeps every access, and makes it one access of 64 bits.
template <class T, int kBlock, int kLoads>
__global__ void __launch_bounds__(kBlock) poll(const T* in, float* out, volatile unsigned long long* slots, long long n) {
  __shared__ float warp_sums[kBlock / 32];
  __shared__ float slot_sums[kBlock / 32];
  const int thread = threadIdx.x;
  const int collector = gridDim.x - 1;
  float sum = thread_sum<T, kBlock, kLoads>(in, n);
  sum = block_sum<kBlock>(sum, warp_sums);
  if (blockIdx.x != collector) {
    if (thread == 0) slots[blockIdx.x] = filled(sum);
    return;
  }
  float total = 0.0f;
  for (int i = thread; i < collector; i += kBlock) {
    unsigned long long slot = slots[i];
    while (!is_filled(slot)) slot = slots[i];
    slots[i] = 0;
    total += sum_in(slot);
  }
  total = block_sum<kBlock>(total, slot_sums);
  total += sum;
  if (thread == 0) *out = total;
}

// slots: ((blocks - 1) * warps of a block), as above. Compared with poll: each warp has a slot of its own, so the other
// blocks have no barrier at all. The collector reads one slot for each warp instead of one for each block.
template <class T, int kBlock, int kLoads>
__global__ void __launch_bounds__(kBlock)
    poll_warps(const T* in, float* out, volatile unsigned long long* slots, long long n) {
  constexpr int kWarps = kBlock / 32;
  __shared__ float slot_sums[kWarps];
  const int thread = threadIdx.x;
  const int others = (gridDim.x - 1) * kWarps;
  const int warp = blockIdx.x * kWarps + thread / 32;
  float sum = thread_sum<T, kBlock, kLoads>(in, n);
  sum = sum_xor<32>(sum);
  if (warp < others) {
    if (thread % 32 == 0) slots[warp] = filled(sum);
    return;
  }
  float total = 0.0f;
  for (int i = thread; i < others; i += kBlock) {
    unsigned long long slot = slots[i];
    while (!is_filled(slot)) slot = slots[i];
    slots[i] = 0;
    total += sum_in(slot);
  }
  total = sum_xor<32>(total);
  total += sum;
  total = join_warps<kBlock>(total, slot_sums);
  if (thread == 0) *out = total;
}
