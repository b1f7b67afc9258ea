// Layer norm of long rows, taken by clusters as they have room for them. GPUs of sm_90 and later; not emulated.
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

// What warps of a cluster tell each other in a turn: the mean of each of kParts warps and their sums of squared
// deviations, and the row of two turns ahead. In shared memory, at the same place in each block; the next turn's may
// come while slow warps still read this one's.
template <int kParts>
struct TurnMoments {
  unsigned long long joined[2];
  float means[2][kParts];
  float m2s[2][kParts];
  int rows[4];

  // By one thread, before any other use; then all blocks of the cluster must meet.
  __device__ __forceinline__ void init(int first_row, int clusters) {
    init_barrier(&joined[0], 1);
    init_barrier(&joined[1], 1);
    for (int turn = 0; turn < 2; ++turn) rows[turn] = first_row + turn * clusters;
  }
  __device__ __forceinline__ int row(int turn) const { return rows[turn % 4]; }
  // By a whole warp, number `part`: tells all blocks its moments. One thread of each block announces what will come.
  __device__ __forceinline__ void tell(float mean, float m2, int part, int blocks, int turn) {
    const int slot = turn % 2;
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) arrive_expecting(&joined[slot], (2 * kParts + 1) * sizeof(float));
    if (lane < blocks) {
      store_in_block(&means[slot][part], mean, &joined[slot], lane);
      store_in_block(&m2s[slot][part], m2, &joined[slot], lane);
    }
  }
  // By one warp of the cluster, whose lane 0 has the row.
  __device__ __forceinline__ void tell_row(int row, int blocks, int turn) {
    row = __shfl_sync(0xffffffffu, row, 0);
    float* place = reinterpret_cast<float*>(&rows[(turn + 2) % 4]);
    if (threadIdx.x % 32 < blocks) store_in_block(place, __int_as_float(row), &joined[turn % 2], threadIdx.x % 32);
  }
  // By all threads: the moments of a row of which each part has `count` values. First the mean of all, then what lies
  // within each part, and between their means.
  __device__ __forceinline__ Moments wait(int count, int turn) {
    const int slot = turn % 2;
    const int lane = threadIdx.x % 32;
    wait_for_cluster(&joined[slot], turn / 2 % 2);
    float sum = 0.0f;
#pragma unroll
    for (int first = 0; first < kParts; first += 32) {
      const int part = first + lane;
      if (first + 32 <= kParts || part < kParts) sum += means[slot][part];
    }
    const float mean = warp_sum(sum) / kParts;
    float squares = 0.0f;
#pragma unroll
    for (int first = 0; first < kParts; first += 32) {
      const int part = first + lane;
      if (first + 32 <= kParts || part < kParts) {
        const float deviation = means[slot][part] - mean;
        squares += fmaf((float)count, deviation * deviation, m2s[slot][part]);
      }
    }
    return {(float)(kParts * count), mean, warp_sum(squares)};
  }
};

// Blocks that a multiprocessor runs at once.
template <class T>
constexpr int kBlocksOnDemand = sizeof(T) == 4 ? 2 : 3;

// Every row begins at a multiple of 16 bytes and holds kCluster * kThreads * kPacks packs. The grid is a multiple of
// kCluster blocks, no more than run at once, and no more clusters than rows. Dynamic shared memory:
// 2 * kThreads * kPacks packs. queue: see RowQueue.
//
// Compared with layer_norm_bulk_copies: a cluster that is done sooner takes more rows. And warps do not wait for their
// block: each copies its own share of the next row as soon as it has read that of this one, and tells its moments to
// all warps of the cluster. Biases lie in shared memory, registers hold the row as floats.
//
// The next kernel is let in at once: it finds no room before a block has ended.
template <class T, int kThreads, int kPacks, int kCluster>
__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kThreads, kBlocksOnDemand<T>)
    layer_norm_rows_on_demand(const T* in, const T* weight, const T* bias, T* out, int rows, float epsilon,
                              unsigned* queue) {
  constexpr int kPack = kPackOf<T>;
  constexpr int kWarps = kThreads / 32;
  constexpr int kShare = 32 * kPacks;   // packs of a row that a warp has
  constexpr int kRowPacks = kCluster * kWarps * kShare;
  // At a multiple of 128 bytes: bulk copies to other places cost 2 to 15 % on an H200.
  extern __shared__ __align__(128) uint4 shares[];
  __shared__ unsigned long long arrived[kWarps];
  __shared__ TurnMoments<kCluster * kWarps> parts;
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  const int rank = cluster.block_rank();
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int part = rank * kWarps + warp;   // of kCluster * kWarps that a row has
  const int clusters = gridDim.x / kCluster;
  const int first_row = blockIdx.x / kCluster;
  const uint4* shares_in = reinterpret_cast<const uint4*>(in) + part * kShare;
  uint4* results = reinterpret_cast<uint4*>(out) + part * kShare + lane;
  uint4* const share = shares + warp * kShare;
  uint4* const biases = shares + (kWarps + warp) * kShare + lane;   // read by this thread alone

  // By one lane: starts copying the warp's share of a row.
  const auto start = [&](int row) {
    if (row >= rows) return;
    arrive_expecting(&arrived[warp], kShare * 16);
    start_copy(share, shares_in + (long long)row * kRowPacks, kShare * 16, &arrived[warp]);
  };
  if (threadIdx.x == 0) parts.init(first_row, clusters);
  if (lane == 0) {
    init_barrier(&arrived[warp], 1);
    publish_barriers();
    prefetch_into_l2(shares_in + (long long)first_row * kRowPacks, kShare * 16);
  }
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
  if (lane == 0) start(first_row);
  uint4 weights[kPacks];
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int index = part * kShare + p * 32 + lane;
    weights[p] = reinterpret_cast<const uint4*>(weight)[index];
    biases[p * 32] = reinterpret_cast<const uint4*>(bias)[index];
  }
  // No block stores into another one that has not started.
  cluster.sync();

  const bool asks = part == 0 && lane == 0;
  RowQueue coming(queue, rows, clusters, first_row);
  int turn = 0;
  for (int row = first_row; row < rows; ++turn, row = parts.row(turn)) {
    if (asks) coming.ask();
    float values[kPacks * kPack];
    float2 sums = {0.0f, 0.0f};   // of every other value
    wait_for(&arrived[warp], turn % 2);
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const uint4 words = share[p * 32 + lane];
#pragma unroll
      for (int k = 0; k < kPack; k += 2) {
        const float2 pair = widened_pair<T>(reinterpret_cast<const T*>(&words) + k);
        values[p * kPack + k] = pair.x;
        values[p * kPack + k + 1] = pair.y;
        sums.x += pair.x;
        sums.y += pair.y;
      }
    }
    __syncwarp();
    if (lane == 0) start(parts.row(turn + 1));
    const float mean = warp_sum(sums.x + sums.y) / (kShare * kPack);
    float2 squares = {0.0f, 0.0f};
#pragma unroll
    for (int k = 0; k < kPacks * kPack; k += 2) {
      squares.x = fmaf(values[k] - mean, values[k] - mean, squares.x);
      squares.y = fmaf(values[k + 1] - mean, values[k + 1] - mean, squares.y);
    }
    parts.tell(mean, warp_sum(squares.x + squares.y), part, kCluster, turn);
    if (part == 0) parts.tell_row(coming.told, kCluster, turn);
    if (asks) coming.turn();
    const Moments moments = parts.wait(kShare * kPack, turn);
    const float scale = scale_of(moments.m2 / (kPack * kRowPacks), epsilon);
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      keep_packed<T>(weights[p]);
      const uint4 shifts = biases[p * 32];
      uint4 words;
#pragma unroll
      for (int k = 0; k < kPack; k += 2) {
        const float2 factors = widened_pair<T>(reinterpret_cast<const T*>(&weights[p]) + k);
        const float2 terms = widened_pair<T>(reinterpret_cast<const T*>(&shifts) + k);
        const float* pair = values + p * kPack + k;
        narrow_pair<T>(make_float2(normalized(pair[0], moments.mean, scale, factors.x, terms.x),
                                   normalized(pair[1], moments.mean, scale, factors.y, terms.y)),
                       reinterpret_cast<T*>(&words) + k);
      }
      results[(long long)row * kRowPacks + p * 32] = words;
    }
  }
}
