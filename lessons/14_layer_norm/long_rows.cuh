// Layer norm of long rows that begin anywhere: the blocks of a cluster share a row. GPUs of sm_90 and later; not
// emulated. Arguments as in kernels.cuh; in and out lie equally far past a multiple of 16 bytes.

// The weights or biases of a thread's packs, cut to fit, into shared memory: a thread reads what it wrote itself.
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

// The moments of a row, of those that its blocks have stored for turn number `turn`: as ClusterMoments::wait(), but the
// first block has the values outside of whole packs too.
template <class T, int kCluster>
__device__ __forceinline__ Moments wait_for_moments(ClusterMoments<kCluster>& parts, const Cut& cut, int turn) {
  const int slot = turn % 2;
  wait_for_cluster(&parts.joined[slot], turn / 2 % 2);
  Moments moments = {(float)(cut.head + cut.tail + share_of<kCluster>(cut.packs, 0).packs * kPackOf<T>), parts.means[slot][0],
                     parts.m2s[slot][0]};
#pragma unroll
  for (int block = 1; block < kCluster; ++block) {
    const float count = share_of<kCluster>(cut.packs, block).packs * kPackOf<T>;
    moments = merge(moments, {count, parts.means[slot][block], parts.m2s[slot][block]});
  }
  return moments;
}

// A row has at most kCluster * blockDim.x * kPacks whole packs; blockDim.x: a multiple of 32, 64 to 1024. The grid is a
// multiple of kCluster blocks, no more than run at once; cluster c takes rows c, c + clusters, … Dynamic shared memory:
// (kTilesUnderWay<kPacks> + 2 * kPacks) * blockDim.x packs, the last ones for weights and biases.
//
// Compared with layer_norm_bulk_copies: a copy brings whole packs only. What lies outside of them is taken value by
// value by the cluster's first block. Rows of one cluster begin at the same place of a pack, so its weights and biases,
// which do not, are cut to fit once.
template <class T, int kPacks, int kCluster>
__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(1024)
    layer_norm_anywhere_cluster(const T* in, const T* weight, const T* bias, T* out, long long rows, int columns,
                                float epsilon) {
  constexpr int kPack = kPackOf<T>;
  extern __shared__ __align__(128) uint4 tiles[];
  Pack<T>* const weights = reinterpret_cast<Pack<T>*>(tiles + kTilesUnderWay<kPacks> * blockDim.x);
  Pack<T>* const biases = weights + kPacks * blockDim.x;
  __shared__ PackRing<kTilesUnderWay<kPacks>> ring;
  __shared__ ClusterMoments<kCluster> parts;
  __shared__ float warp_sums[32];
  __shared__ float warp_squares[32];
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  const int rank = cluster.block_rank();
  const int thread = threadIdx.x;
  const int threads = blockDim.x;
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
    parts.init();
    publish_barriers();
    for (int number = 0; number < kTilesUnderWay<kPacks>; ++number) start(number);
  }
  T next_edge = first_row < rows ? edge_of(first_row) : narrowed<T>(0.0f);
  T edge_weight = narrowed<T>(0.0f);
  T edge_bias = narrowed<T>(0.0f);
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
      keep_weights(biases, bias, cut, mine, columns);
      if (column >= 0) {
        edge_weight = weight[column];
        edge_bias = bias[column];
      }
    }
    head = cut.head;
    const T edge = next_edge;
    float sum = widened(edge);
    Pack<T> held[kPacks];
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      uint4 words = ring.wait(tiles, turn * kPacks + p);
      if (p * threads + thread >= mine.packs) words = make_uint4(0, 0, 0, 0);
      held[p] = *reinterpret_cast<const Pack<T>*>(&words);
      sum = add_values(sum, held[p]);
    }
    if (row + clusters < rows) next_edge = edge_of(row + clusters);
    sum = block_sum(sum, warp_sums);
    // All warps have taken the row's tiles.
    if (thread == 0) {
      for (int p = 0; p < kPacks; ++p) start(turn * kPacks + p + kTilesUnderWay<kPacks>);
    }
    const int count = mine.packs * kPack + (rank == 0 ? cut.head + cut.tail : 0);
    const float mean = count > 0 ? sum / (float)count : 0.0f;
    const float deviation = column >= 0 ? widened(edge) - mean : 0.0f;
    float squares = deviation * deviation;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      keep_packed<T>(held[p]);
      if (p * threads + thread < mine.packs) squares = add_squares(squares, held[p], mean);
    }
    squares = block_sum(squares, warp_squares);
    if (thread < kCluster) parts.tell(mean, squares, rank, turn);
    const Moments moments = wait_for_moments<T>(parts, cut, turn);
    const float scale = scale_of(moments.m2 / (float)columns, epsilon);
    Pack<T>* const results = reinterpret_cast<Pack<T>*>(result + cut.head) + mine.first;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const int index = p * threads + thread;
      keep_packed<T>(held[p]);
      if (index < mine.packs) {
        results[index] =
            normalized(held[p], moments.mean, scale, kept_pack(weights, index), kept_pack(biases, index));
      }
    }
    if (column >= 0) result[column] = normalized(edge, moments.mean, scale, edge_weight, edge_bias);
  }
}
