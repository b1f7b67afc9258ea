// Softmax of long rows, taken by clusters as they have room for them. GPUs of sm_90 and later; not emulated.
// Arguments as in kernels.cuh.

// Adds 1 and returns what was there before, when it is used: atomicAdd, by one thread alone, would wait for it at once.
// Inline PTX (PTX ISA, atom).
__device__ __forceinline__ unsigned count_on(unsigned* counter) {
  unsigned before = 0;
  asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(counter) : "memory");
  return before;
}

// Which row a cluster takes in which turn. Three rows of each cluster are fixed; queue[0], in global memory, counts the
// rows taken beyond them, and queue[1] the clusters that ask for no more. Both are 0 before a launch and after it. One
// thread asks, for a row three turns ahead, and uses the answer at the end of its turn, so that it hardly waits.
struct RowQueue {
  unsigned* queue;
  int rows;
  int clusters;
  int told;              // the row of two turns ahead
  unsigned answer = 0;   // of the counter that `asked` names: 1, rows; 2, clusters; 0, none
  int asked = 0;
  bool asks = true;

  __device__ __forceinline__ RowQueue(unsigned* queue, int rows, int clusters, int first_row)
      : queue(queue), rows(rows), clusters(clusters), told(first_row + 2 * clusters) {}
  // In each turn before told is used, by the thread that asks.
  __device__ __forceinline__ void ask() {
    asked = told < rows ? 1 : asks ? 2 : 0;
    asks = told < rows;
    if (asked != 0) answer = count_on(&queue[asked - 1]);
  }
  // And after. The last cluster that ends leaves the queue as it was.
  __device__ __forceinline__ void turn() {
    told = asked == 1 ? 3 * clusters + static_cast<int>(answer) : rows;
    if (asked == 2 && static_cast<int>(answer) == clusters - 1) queue[0] = queue[1] = 0;
  }
};

// What warps of a cluster tell each other in a turn: the largest value of each of `parts` warps, kMostParts at most, and
// the sum of its exponentials, and the row of two turns ahead. In shared memory, at the same place in each block; the
// next turn's may come while slow warps still read this one's.
template <int kMostParts>
struct TurnPairs {
  unsigned long long joined[2];
  float maxima[2][kMostParts];
  float sums[2][kMostParts];
  int rows[4];

  // By one thread, before any other use; then all blocks of the cluster must meet.
  __device__ __forceinline__ void init(int first_row, int clusters) {
    init_barrier(&joined[0], 1);
    init_barrier(&joined[1], 1);
    for (int turn = 0; turn < 2; ++turn) rows[turn] = first_row + turn * clusters;
  }
  __device__ __forceinline__ int row(int turn) const { return rows[turn % 4]; }
  // By a whole warp, number `part`: tells all blocks its pair. One thread of each block announces what will come.
  __device__ __forceinline__ void tell(MaxSum pair, int part, int parts, int blocks, int turn) {
    const int slot = turn % 2;
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) arrive_expecting(&joined[slot], (2 * parts + 1) * sizeof(float));
    if (lane < blocks) {
      store_in_block(&maxima[slot][part], pair.max, &joined[slot], lane);
      store_in_block(&sums[slot][part], pair.sum, &joined[slot], lane);
    }
  }
  // By one warp of the cluster, whose lane 0 has the row.
  __device__ __forceinline__ void tell_row(int row, int blocks, int turn) {
    row = __shfl_sync(0xffffffffu, row, 0);
    float* place = reinterpret_cast<float*>(&rows[(turn + 2) % 4]);
    if (threadIdx.x % 32 < blocks) store_in_block(place, __int_as_float(row), &joined[turn % 2], threadIdx.x % 32);
  }
  // By all threads: the pair of the row.
  __device__ __forceinline__ MaxSum wait(int parts, int turn) {
    const int slot = turn % 2;
    const int lane = threadIdx.x % 32;
    wait_for_cluster(&joined[slot], turn / 2 % 2);
    MaxSum pair = {-INFINITY, 0.0f};
#pragma unroll
    for (int first = 0; first < kMostParts; first += 32) {
      const int part = first + lane;
      if (first + 32 <= parts || part < parts) pair.max = fmaxf(pair.max, maxima[slot][part]);
    }
    pair.max = max_xor<32>(pair.max);
    const float largest = finite_or_zero(pair.max);
#pragma unroll
    for (int first = 0; first < kMostParts; first += 32) {
      const int part = first + lane;
      if (first + 32 <= parts || part < parts) {
        pair.sum = fmaf(sums[slot][part], flushed_exp(maxima[slot][part] - largest), pair.sum);
      }
    }
    pair.sum = sum_xor<32>(pair.sum);
    return pair;
  }
};

// Packs between the last line of 128 bytes and a row of whole packs.
__device__ __forceinline__ int packs_past_line(const void* in, unsigned row, unsigned row_packs) {
  return (reinterpret_cast<size_t>(in) / 16 + row * row_packs) % kPacksOfALine;
}

// The fewest places, in whole lines, that so many parts of every row have.
__device__ __forceinline__ int places_a_part(const void* in, int row_packs, int parts) {
  const int past = row_packs % kPacksOfALine == 0 ? packs_past_line(in, 0, 0) : kPacksOfALine - 1;
  const int lines = (past + row_packs + kPacksOfALine - 1) / kPacksOfALine;
  return (lines + parts - 1) / parts * kPacksOfALine;
}

// Blocks that a multiprocessor runs at once, of rows that fill them.
template <class T>
constexpr int kBlocksOnDemand = sizeof(T) == 4 ? 2 : 3;

// Every row begins at a multiple of 16 bytes and holds whole packs: at most 32 * kPacks for each warp of kCluster blocks,
// counted from a multiple of 128 bytes on, and just as many of kMostThreads threads if kFull. blockDim.x: kMostThreads
// if kFull, else a multiple of 32 up to that. The grid is a multiple of kCluster blocks, no more than run at once, and
// no more clusters than rows. Dynamic shared memory: blockDim.x * kPacks packs, and more of it to have fewer blocks on
// a multiprocessor. queue: see RowQueue.
//
// Compared with softmax_bulk_copies: a cluster that is done sooner takes more rows. And warps do not wait for their
// block: each copies its own share of the next row as soon as it has read that of this one, and tells its pair,
// relative to its own largest value, to all warps of the cluster.
//
// The next kernel is let in at once: it finds no room before a block has ended.
template <class T, int kMostThreads, int kPacks, int kCluster, bool kFull>
__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kMostThreads, kFull ? kBlocksOnDemand<T> : 1)
    softmax_rows_on_demand(const T* in, T* out, int rows, int columns, unsigned* queue) {
  constexpr int kPack = kPackOf<T>;
  constexpr int kMostPacks = 32 * kPacks;   // of a row that a warp has
  // At a multiple of 128 bytes: bulk copies to other places cost 2 to 15 % on an H200.
  extern __shared__ __align__(128) uint4 shares[];
  __shared__ unsigned long long arrived[kMostThreads / 32];
  __shared__ TurnPairs<kCluster * kMostThreads / 32> pairs;
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  const int rank = cluster.block_rank();
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int warps = kFull ? kMostThreads / 32 : blockDim.x / 32;
  const int part = rank * warps + warp;
  const int parts = kCluster * warps;   // of a row
  const int row_packs = kFull ? parts * kMostPacks : columns / kPack;
  const int clusters = gridDim.x / kCluster;
  const int first_row = blockIdx.x / kCluster;
  const int share_packs = kFull ? kMostPacks : places_a_part(in, row_packs, parts);
  uint4* const share = shares + warp * kMostPacks;

  const auto past_line = [&](int row) { return kFull ? 0 : packs_past_line(in, row, row_packs); };
  // Where packs of a row lie among this warp's places, and where those begin in global memory.
  const auto places_of = [&](int row) {
    if (kFull) return Places{0, kMostPacks};
    return Places{past_line(row), past_line(row) + row_packs}.part(part, share_packs);
  };
  const auto begin_of = [&](int row) { return (long long)row * row_packs - past_line(row) + part * share_packs; };
  const auto first_pack = [&](int row) {
    return reinterpret_cast<const uint4*>(in) + begin_of(row) + places_of(row).first;
  };
  // By one lane: starts copying the warp's share of a row.
  const auto start = [&](int row) {
    if (row >= rows) return;
    const Places places = places_of(row);
    arrive_expecting(&arrived[warp], places.packs() * 16);
    if (places.packs() > 0) start_copy(share + places.first, first_pack(row), places.packs() * 16, &arrived[warp]);
  };
  if (threadIdx.x == 0) pairs.init(first_row, clusters);
  if (lane == 0) {
    init_barrier(&arrived[warp], 1);
    publish_barriers();
    const int packs = places_of(first_row).packs();
    if (packs > 0) prefetch_into_l2(first_pack(first_row), packs * 16);
  }
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
  if (lane == 0) start(first_row);
  // No block stores into another one that has not started.
  cluster.sync();

  const bool asks = part == 0 && lane == 0;
  RowQueue coming(queue, rows, clusters, first_row);
  int turn = 0;
  for (int row = first_row; row < rows; ++turn, row = pairs.row(turn)) {
    if (asks) coming.ask();
    const Places places = places_of(row);
    const auto has = [&](int p) { return kFull || places.has(p * 32 + lane); };
    float values[kPacks * kPack];
    MaxSum pair = {-INFINITY, 0.0f};
    wait_for(&arrived[warp], turn % 2);
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const Pack<T> none = minus_infinities<T>();
      const uint4 words = has(p) ? share[p * 32 + lane] : *reinterpret_cast<const uint4*>(&none);
      pair.max = fmaxf(pair.max, largest_in<T>(words));
#pragma unroll
      for (int k = 0; k < kPack; k += 2) {
        const float2 two = widened_pair<T>(reinterpret_cast<const T*>(&words) + k);
        values[p * kPack + k] = two.x;
        values[p * kPack + k + 1] = two.y;
      }
    }
    __syncwarp();
    if (lane == 0) start(pairs.row(turn + 1));
    pair.max = max_xor<32>(pair.max);
    // A warp may hold nothing but minus infinity while its row does not: exp then makes each 0.
    const bool has_some = pair.max > -INFINITY;
    const float largest = finite_or_zero(pair.max);
    // Taken once, and kept.
    float2 sums = {0.0f, 0.0f};   // of every other exponential
#pragma unroll
    for (int k = 0; k < kPacks * kPack; k += 2) {
      values[k] = flushed_exp(values[k] - largest);
      values[k + 1] = flushed_exp(values[k + 1] - largest);
      sums.x += values[k];
      sums.y += values[k + 1];
    }
    pair.sum = sum_xor<32>(sums.x + sums.y);
    pairs.tell(pair, part, parts, kCluster, turn);
    if (part == 0) pairs.tell_row(coming.told, kCluster, turn);
    if (asks) coming.turn();
    pair = pairs.wait(parts, turn);
    // From the warp's scale to the row's.
    uint4* const results = reinterpret_cast<uint4*>(out) + begin_of(row) + lane;
    const float scale = (has_some ? flushed_exp(largest - pair.max) : 1.0f) / pair.sum;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      if (!has(p)) continue;
      uint4 words;
#pragma unroll
      for (int k = 0; k < kPack; k += 2) {
        const float* two = values + p * kPack + k;
        narrow_pair<T>(make_float2(two[0] * scale, two[1] * scale), reinterpret_cast<T*>(&words) + k);
      }
      results[p * 32] = words;
    }
  }
}
