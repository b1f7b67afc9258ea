// Votes: a warp intrinsic asks all lanes of a warp one question. The kernels show what the 32 answers are good for.
// Each kernel takes any n >= 1: one block of 32 threads for each 32 values, one value a thread.
//
// predicate, key: (32 * blocks), a number for each thread; from n on they are zero. mask: the lanes that take part, at
// least one; the other lanes do nothing.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

constexpr unsigned kFullWarp = 0xffffffffu;

// The bits of the lanes below `lane`.
__device__ __forceinline__ unsigned lanes_below(int lane) { return (1u << lane) - 1; }

// ---- The intrinsics --------------------------------------------------------------------------------------------

// any, all: (32 * blocks), 0 or 1. ballot: (32 * blocks), a bit for each lane whose predicate is not zero.
__global__ void votes(const int* predicate, int* any, int* all, unsigned* ballot, unsigned mask) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * 32 + lane;
  const int mine = predicate[index];
  if (mask >> lane & 1) {
    any[index] = __any_sync(mask, mine);
    all[index] = __all_sync(mask, mine);
    ballot[index] = __ballot_sync(mask, mine);
  }
}

// peers: (32 * blocks), the lanes whose key equals the lane's own. every: (32 * blocks), all lanes if all keys are
// equal, else 0.
__global__ void matches(const int* key, unsigned* peers, unsigned* every, unsigned mask) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * 32 + lane;
  const int mine = key[index];
  if (mask >> lane & 1) {
    int equal;
    peers[index] = __match_any_sync(mask, mine);
    every[index] = __match_all_sync(mask, mine, &equal);
  }
}

// The sum of `value` over the lanes of `lanes`, in each of these lanes. From sm_80 on this is one intrinsic. On older
// GPUs it is a shuffle for each lane of `lanes`.
__device__ __forceinline__ int sum_over(unsigned lanes, int value) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  const int sum = __reduce_add_sync(lanes, value);
#else
  int sum = 0;
  for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
    const int other = __shfl_sync(lanes, value, __ffs(rest) - 1);
    sum += other;
  }
#endif
  return sum;
}

// sum: (32 * blocks), in each lane that takes part: the sum over all lanes that take part.
__global__ void reduction(const int* key, int* sum, unsigned mask) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * 32 + lane;
  const int mine = key[index];
  if (mask >> lane & 1) {
    sum[index] = sum_over(mask, mine);
  }
}

// ---- 32 answers in one number ----------------------------------------------------------------------------------

// rank: (32 * blocks), how many lanes below this one vote yes; -1 if the lane votes no. count: (blocks). leader:
// (blocks), the first lane that votes yes; -1 if no lane does.
__global__ void ranks(const int* predicate, int* rank, int* count, int* leader) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * 32 + lane;
  const int mine = predicate[index];
  const unsigned yes = __ballot_sync(kFullWarp, mine);
  rank[index] = mine ? __popc(yes & lanes_below(lane)) : -1;
  if (lane == 0) count[blockIdx.x] = __popc(yes);
  if (lane == 0) leader[blockIdx.x] = __ffs(yes) - 1;
}

// sums: (32 * blocks), the sum of key % 16 over the lanes up to this one. One ballot for each of the four bits: a lane
// counts the ones at and below itself, and multiplies the count by the value of the bit.
__global__ void prefix_sum_of_bits(const int* key, int* sums) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * 32 + lane;
  const int mine = key[index] & 15;
  const unsigned up_to_here = lanes_below(lane) | 1u << lane;
  int sum = 0;
#pragma unroll
  for (int bit = 0; bit < 4; ++bit) {
    const unsigned ones = __ballot_sync(kFullWarp, mine >> bit & 1);
    sum += __popc(ones & up_to_here) << bit;
  }
  sums[index] = sum;
}

// out: (32 * blocks): each warp's kept values without gaps, in their order, then zeros. count: (blocks). A lane that
// keeps its value stores it at its rank among the lanes that keep theirs.
__global__ void compact(const int* in, const int* predicate, int* out, int* count, int n) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * 32 + lane;
  const int first = blockIdx.x * 32;
  const bool keep = index < n && predicate[index] != 0;
  const unsigned kept = __ballot_sync(kFullWarp, keep);
  const int total = __popc(kept);
  if (keep) out[first + __popc(kept & lanes_below(lane))] = in[index];
  if (lane >= total) out[index] = 0;
  if (lane == 0) count[blockIdx.x] = total;
}

// ---- Counting with atomics -------------------------------------------------------------------------------------
//
// total: (1), zeroed by the caller; the kernels add the number of predicates that are not zero.

// One atomic for each lane that votes yes.
__global__ void count_each(const int* predicate, int* total) {
  const int mine = predicate[blockIdx.x * 32 + threadIdx.x];
  if (mine) atomicAdd(total, 1);
}

// One atomic for each warp: after a ballot, the first lane that votes yes adds for all of them.
__global__ void count_aggregated(const int* predicate, int* total) {
  const int lane = threadIdx.x;
  const int mine = predicate[blockIdx.x * 32 + lane];
  const unsigned yes = __ballot_sync(kFullWarp, mine);
  const int leader = __ffs(yes) - 1;
  if (lane == leader) atomicAdd(total, __popc(yes));
}

// Wrong: lane 0 adds for the whole warp. But if lane 0 votes no, it is not in the branch, and the count is lost.
__global__ void count_by_lane_zero(const int* predicate, int* total) {
  const int lane = threadIdx.x;
  const int mine = predicate[blockIdx.x * 32 + lane];
  const unsigned yes = __ballot_sync(kFullWarp, mine);
  if (mine) {
    if (lane == 0) atomicAdd(total, __popc(yes));
  }
}

// Wrong: the full mask of the ballot also names lanes that are not in the branch; those wait at the barrier.
__global__ void count_full_mask(const int* predicate, int* total) {
  const int lane = threadIdx.x;
  const int mine = predicate[blockIdx.x * 32 + lane];
  if (mine) {
    const unsigned yes = __ballot_sync(kFullWarp, 1);
    const int leader = __ffs(yes) - 1;
    if (lane == leader) atomicAdd(total, __popc(yes));
  }
  __syncwarp();
}

// Wrong: assumes that the active mask names all lanes in the branch. Lanes 0-15 and 16-31 call it on different lines,
// so each half has a leader of its own, and each leader adds the count of the whole warp.
__global__ void count_by_active_mask(const int* predicate, int* total) {
  const int lane = threadIdx.x;
  const int mine = predicate[blockIdx.x * 32 + lane];
  const unsigned yes = __ballot_sync(kFullWarp, mine);
  if (mine) {
    unsigned here = 0;
    if (lane < 16) here = __activemask();
    else here = __activemask();
    const int leader = __ffs(here) - 1;
    if (lane == leader) atomicAdd(total, __popc(yes));
  }
}

// ---- Groups of equal keys --------------------------------------------------------------------------------------

// in: (n). sums: (16), zeroed by the caller: each value is added to element key % 16. The lanes of one key first add
// their values. So a warp makes one atomic for each different key.
__global__ void sums_by_key(const int* in, const int* key, int* sums, int n) {
  const int lane = threadIdx.x;
  const int index = blockIdx.x * 32 + lane;
  const int value = index < n ? in[index] : 0;
  const int mine = key[index] & 15;
  const unsigned peers = __match_any_sync(kFullWarp, mine);
  const int sum = sum_over(peers, value);
  if (lane == __ffs(peers) - 1) atomicAdd(&sums[mine], sum);
}

// The same with one atomic for each lane.
__global__ void sums_by_key_each(const int* in, const int* key, int* sums, int n) {
  const int index = blockIdx.x * 32 + threadIdx.x;
  const int value = index < n ? in[index] : 0;
  const int mine = key[index] & 15;
  atomicAdd(&sums[mine], value);
}

// ---- The same by cooperative groups ----------------------------------------------------------------------------

// As votes, but each tile of kTile lanes votes on its own. Bit k of a ballot is lane k of the tile.
template <int kTile>
__global__ void tile_votes(const int* predicate, int* any, int* all, unsigned* ballot) {
  const int index = blockIdx.x * 32 + threadIdx.x;
  const auto block = cooperative_groups::this_thread_block();
  const auto tile = cooperative_groups::tiled_partition<kTile>(block);
  const int mine = predicate[index];
  any[index] = tile.any(mine);
  all[index] = tile.all(mine);
  ballot[index] = tile.ballot(mine);
}

// As reduction, but each tile adds on its own.
template <int kTile>
__global__ void tile_sums(const int* key, int* sum) {
  const int index = blockIdx.x * 32 + threadIdx.x;
  const auto block = cooperative_groups::this_thread_block();
  const auto tile = cooperative_groups::tiled_partition<kTile>(block);
  const int mine = key[index];
  sum[index] = cooperative_groups::reduce(tile, mine, cooperative_groups::plus<int>());
}
