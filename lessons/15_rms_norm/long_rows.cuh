// RMS norm of long rows that begin anywhere: the blocks of a cluster share a row. GPUs of sm_90 and later; not
// emulated. Arguments as in kernels.cuh; in and out lie equally far past a multiple of 16 bytes.

// The weights of a thread's packs, cut to fit, into shared memory: a thread reads what it wrote itself.
template <class T>
__device__ __forceinline__ void keep_weights(Pack<T>* kept, const T* weight, const Cut& cut, const Share& mine,
                                             int columns) {
#pragma unroll 1
  for (int index = threadIdx.x; index < mine.packs; index += blockDim.x) {
    kept[index] = weights_at(weight, cut.head + (mine.first + index) * kPackOf<T>, columns);
  }
}

// As TileRing in cluster.cuh, of tiles that hold a pack for each thread of the block.
template <int kTiles>
struct PackRing {
  unsigned long long arrived[kTiles];

  // By one thread, before any other use; then all blocks of the cluster must meet.
  __device__ __forceinline__ void init() {
    for (int tile = 0; tile < kTiles; ++tile) init_barrier(&arrived[tile], 1);
  }
  // By one thread: starts copying tile `number`, of `left` packs, or as many as a tile holds. All threads have taken
  // what they want of tile number - kTiles, and have met since.
  __device__ __forceinline__ void start(uint4* tiles, int number, const void* from, int left) {
    const int place = number % kTiles;
    const int threads = blockDim.x;
    const int packs = left < 0 ? 0 : left < threads ? left : threads;
    arrive_expecting(&arrived[place], packs * 16);
    if (packs > 0) start_copy(tiles + place * threads, from, packs * 16, &arrived[place]);
  }
  // By any thread: waits for tile `number`, and returns the thread's pack of it.
  __device__ __forceinline__ uint4 wait(const uint4* tiles, int number) {
    const int place = number % kTiles;
    wait_for(&arrived[place], number / kTiles % 2);
    return tiles[place * blockDim.x + threadIdx.x];
  }
};

// A row has at most kCluster * blockDim.x * kPacks whole packs; blockDim.x: a multiple of 32, 64 to 1024. The grid is a
// multiple of kCluster blocks, no more than run at once; cluster c takes rows c, c + clusters, … Dynamic shared memory:
// (kTilesUnderWay<kPacks> + kPacks) * blockDim.x packs, the last ones for weights.
//
// Compared with rms_norm_bulk_copies: a copy brings whole packs only. What lies outside of them is taken value by value
// by the cluster's first block. Rows of one cluster begin at the same place of a pack, so its weights, which do not,
// are cut to fit once.
template <class T, int kPacks, int kCluster>
__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(1024)
    rms_norm_anywhere_cluster(const T* in, const T* weight, T* out, long long rows, int columns, float epsilon) {
  constexpr int kPack = kPackOf<T>;
  extern __shared__ __align__(128) uint4 tiles[];
  Pack<T>* const weights = reinterpret_cast<Pack<T>*>(tiles + kTilesUnderWay<kPacks> * blockDim.x);
  __shared__ PackRing<kTilesUnderWay<kPacks>> ring;
  __shared__ ClusterSum<kCluster> cluster_sum;
  __shared__ float warp_sums[32];
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  const int rank = cluster.block_rank();
  const int thread = threadIdx.x;
  const int threads = blockDim.x;
  const int lane = thread % 32;
  const int clusters = in_turns<T>(gridDim.x / kCluster);
  const int first_row = blockIdx.x / kCluster;
  if (first_row >= clusters) return;

  // Tiles are counted through all rows of this cluster, kPacks for each.
  const auto start = [&](int number) {
    const long long row = first_row + number / kPacks * (long long)clusters;
    if (row >= rows) return;
    const T* values = in + row * columns;
    const Cut cut = cut_of(values, columns);
    const Share mine = share_of<kCluster>(cut.packs, rank);
    const int from = number % kPacks * threads;
    ring.start(tiles, number, values + cut.head + (mine.first + from) * kPack, mine.packs - from);
  };
  // This thread's value of head or tail.
  const auto edge_of = [&](long long row) {
    const T* values = in + row * columns;
    const int column = rank == 0 ? edge_column<T>(cut_of(values, columns), columns) : -1;
    return column >= 0 ? values[column] : narrowed<T>(0.0f);
  };
  if (thread == 0) {
    ring.init();
    cluster_sum.init();
    publish_barriers();
    for (int number = 0; number < kTilesUnderWay<kPacks>; ++number) start(number);
  }
  T next_edge = first_row < rows ? edge_of(first_row) : narrowed<T>(0.0f);
  T edge_weight = narrowed<T>(0.0f);
  int head = -1;
  // No block stores into another one that has not started.
  cluster.sync();

  int turn = 0;
  for (long long row = first_row; row < rows; row += clusters, ++turn) {
    T* const result = out + row * columns;
    const Cut cut = cut_of(result, columns);
    const Share mine = share_of<kCluster>(cut.packs, rank);
    const int column = rank == 0 ? edge_column<T>(cut, columns) : -1;
    if (cut.head != head) {
      keep_weights(weights, weight, cut, mine, columns);
      if (column >= 0) edge_weight = weight[column];
    }
    head = cut.head;
    const T edge = next_edge;
    float squares = widened(edge) * widened(edge);
    Pack<T> held[kPacks];
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      uint4 words = ring.wait(tiles, turn * kPacks + p);
      if (p * threads + thread >= mine.packs) words = make_uint4(0, 0, 0, 0);
      held[p] = *reinterpret_cast<const Pack<T>*>(&words);
      squares = add_squares(squares, held[p]);
    }
    if (row + clusters < rows) next_edge = edge_of(row + clusters);
    squares = warp_sum(squares);
    if (lane == 0) warp_sums[thread / 32] = squares;
    // All warps have stored their sums, and have taken the row's tiles.
    __syncthreads();
    if (thread < 32) {
      if (thread == 0) {
        for (int p = 0; p < kPacks; ++p) start(turn * kPacks + p + kTilesUnderWay<kPacks>);
      }
      squares = lane < threads / 32 ? warp_sums[lane] : 0.0f;
      squares = warp_sum(squares);
      if (lane < kCluster) cluster_sum.tell(squares, rank, turn);
    }
    squares = cluster_sum.wait(turn);
    const float scale = scale_of(squares, columns, epsilon);
    Pack<T>* const results = reinterpret_cast<Pack<T>*>(result + cut.head) + mine.first;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const int index = p * threads + thread;
      keep_packed<T>(held[p]);
      if (index < mine.packs) results[index] = normalized(held[p], scale, kept_pack(weights, index));
    }
    if (column >= 0) result[column] = normalized(edge, scale, edge_weight);
  }
}
