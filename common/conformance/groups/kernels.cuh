// Cooperative groups, function by function: each thread writes down what each call gave it. Every thread has its own
// value, argument and predicate; blocks of any shape.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

struct MyMax {  // anybody's operator, not declared const
  template <class T>
  __device__ T operator()(T a, T b) {
    return a < b ? b : a;
  }
};

__device__ int thread_number() {
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  return block * blockDim.x * blockDim.y * blockDim.z +
         (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

// out: (4 T for each thread) by shfl, shfl_up, shfl_down, shfl_xor.
template <class T, int kTile>
__global__ void tile_shuffles(const T* in, const int* arg, T* out) {
  const int thread = thread_number();
  const auto tile = cg::tiled_partition<kTile>(cg::this_thread_block());
  const T value = in[thread];
  out[4 * thread + 0] = tile.shfl(value, arg[thread]);
  out[4 * thread + 1] = tile.shfl_up(value, arg[thread]);
  out[4 * thread + 2] = tile.shfl_down(value, arg[thread]);
  out[4 * thread + 3] = tile.shfl_xor(value, arg[thread]);
}

// out: (12 for each thread) where the thread stands in its tile, in the tile's tile, and in groups of a run-time size.
template <int kTile>
__global__ void tile_places(unsigned* out) {
  unsigned* mine = out + 12 * thread_number();
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<kTile>(block);
  const auto part = cg::tiled_partition<kTile / 2>(tile);
  const cg::thread_block_tile<kTile> forgetful = tile;
  const cg::thread_group at_run_time = cg::tiled_partition(block, kTile);
  mine[0] = tile.thread_rank();
  mine[1] = tile.meta_group_rank();
  mine[2] = tile.meta_group_size();
  mine[3] = part.thread_rank();
  mine[4] = part.meta_group_rank();
  mine[5] = part.meta_group_size();
  mine[6] = forgetful.meta_group_rank() + 1000 * forgetful.size();
  mine[7] = static_cast<unsigned>(at_run_time.thread_rank());
  mine[8] = static_cast<unsigned>(at_run_time.size());
  mine[9] = block.thread_rank();
  mine[10] = block.num_threads();
  mine[11] = cg::group_size(part) + 100 * cg::thread_rank(part);
}

// out: (6 for each thread) any, all, ballot, match_any, match_all and its predicate.
template <int kTile>
__global__ void tile_votes(const int* in, unsigned* out) {
  const int thread = thread_number();
  unsigned* mine = out + 6 * thread;
  const cg::thread_block_tile<kTile> tile = cg::tiled_partition<kTile>(cg::this_thread_block());
  int same = -1;
  mine[0] = tile.any(in[thread]);
  mine[1] = tile.all(in[thread]);
  mine[2] = tile.ballot(in[thread]);
  mine[3] = tile.match_any(in[thread]);
  mine[4] = tile.match_all(in[thread], same);
  mine[5] = same;
}

// Lanes hand values to the next through shared memory, group by group; the block takes turns with its last warp cut.
template <int kTile>
__global__ void tile_sync(const int* in, int* out) {
  __shared__ int words[1024];
  const int thread = thread_number();
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<kTile>(block);
  const int first = block.thread_rank() - tile.thread_rank();
  words[block.thread_rank()] = in[thread];
  tile.sync();
  const int next = words[first + (tile.thread_rank() + 1) % kTile];
  cg::sync(tile);
  words[block.thread_rank()] = 3 * next;
  block.sync();
  out[thread] = words[block.num_threads() - 1 - block.thread_rank()];
}

// op: 0 plus, 1 less, 2 greater, 3 an operator of the kernel's own.
template <class T, int kTile, int kOp>
__global__ void tile_reduce(const T* in, T* out) {
  const int thread = thread_number();
  const auto tile = cg::tiled_partition<kTile>(cg::this_thread_block());
  const T value = in[thread];
  if constexpr (kOp == 0) out[thread] = cg::reduce(tile, value, cg::plus<T>());
  if constexpr (kOp == 1) out[thread] = cg::reduce(tile, value, cg::less<T>());
  if constexpr (kOp == 2) out[thread] = cg::reduce(tile, value, cg::greater<T>());
  if constexpr (kOp == 3) out[thread] = cg::reduce(tile, value, MyMax());
}

// out: (3 for each thread) the bits of the tile's values under and, or, xor.
template <class T, int kTile>
__global__ void tile_bits(const T* in, T* out) {
  const int thread = thread_number();
  const auto tile = cg::tiled_partition<kTile>(cg::this_thread_block());
  out[3 * thread + 0] = cg::reduce(tile, in[thread], cg::bit_and<T>());
  out[3 * thread + 1] = cg::reduce(tile, in[thread], cg::bit_or<T>());
  out[3 * thread + 2] = cg::reduce(tile, in[thread], cg::bit_xor<T>());
}

template <class T, int kTile>
__global__ void tile_scans(const T* in, T* out) {
  const int thread = thread_number();
  const auto tile = cg::tiled_partition<kTile>(cg::this_thread_block());
  out[2 * thread + 0] = cg::inclusive_scan(tile, in[thread], cg::plus<T>());
  out[2 * thread + 1] = cg::exclusive_scan(tile, in[thread]);
}

// The lanes that gave one label form a group; what it answers is written down with its mask, found by asking each rank
// for its lane. kHow: 0 labeled_partition, 1 coalesced_threads in a branch of those whose label is 0, 2 that group cut
// into fours, 3 binary_partition.
// out: (12 for each thread) mask, rank, size, any, all, ballot, match_any, match_all, its predicate, meta rank, meta
// size, calls made. values: (7 T for each thread) shfl, shfl_up, shfl_down, sum, maximum, inclusive, exclusive.
template <class T, class Group>
__device__ void write_down(const Group& group, T value, int arg, int predicate, unsigned* out, T* values) {
  const int thread = thread_number();
  unsigned* mine = out + 12 * thread;
  T* given = values + 7 * thread;
  const unsigned lane = cg::this_thread_block().thread_rank() % 32;
  unsigned mask = 0;
  for (unsigned rank = 0; rank < group.size(); ++rank) mask |= 1u << group.shfl(lane, rank);
  int same = -1;
  mine[0] = mask;
  mine[1] = group.thread_rank();
  mine[2] = group.size();
  mine[3] = group.any(predicate);
  mine[4] = group.all(predicate);
  mine[5] = group.ballot(predicate);
  mine[6] = group.match_any(predicate);
  mine[7] = group.match_all(predicate, same);
  mine[8] = same;
  mine[9] = group.meta_group_rank();
  mine[10] = group.meta_group_size();
  mine[11] = 1;
  given[0] = group.shfl(value, arg % group.size());
  given[1] = group.shfl_up(value, arg);
  given[2] = group.shfl_down(value, arg);
  group.sync();
  given[3] = cg::reduce(group, value, cg::plus<T>());
  given[4] = cg::reduce(group, value, cg::greater<T>());
  given[5] = cg::inclusive_scan(group, value);
  given[6] = cg::exclusive_scan(group, value);
}

template <class T, int kHow>
__global__ void lane_groups(const T* in, const int* label, const int* arg, const int* predicate, unsigned* out,
                            T* values) {
  const int thread = thread_number();
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  if constexpr (kHow == 0)
    write_down(cg::labeled_partition(warp, label[thread]), in[thread], arg[thread], predicate[thread], out, values);
  if constexpr (kHow == 1) {
    if (label[thread] == 0)
      write_down(cg::coalesced_threads(), in[thread], arg[thread], predicate[thread], out, values);
  }
  if constexpr (kHow == 2) {
    const cg::coalesced_group alike = cg::labeled_partition(warp, label[thread]);
    write_down(cg::tiled_partition(alike, 4), in[thread], arg[thread], predicate[thread], out, values);
  }
  if constexpr (kHow == 3)
    write_down(cg::binary_partition(warp, label[thread] == 0), in[thread], arg[thread], predicate[thread], out, values);
}
