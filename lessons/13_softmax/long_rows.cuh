// Softmax of long rows that begin anywhere: the blocks of a cluster share a row. GPUs of sm_90 and later; not emulated.
// Arguments as in kernels.cuh; in and out lie equally far past a multiple of 16 bytes.

// Keeps the values of a pack as they are: of 16 bits, the compiler would otherwise hold the floats that they were
// widened to, twice as many registers. An instruction that does nothing, but might have changed them.
template <class T>
__device__ __forceinline__ void keep_packed(Pack<T>& pack) {
#ifdef __CUDA_ARCH__
  if (sizeof(T) == 2) {
    unsigned* words = reinterpret_cast<unsigned*>(&pack);
    asm volatile("" : "+r"(words[0]), "+r"(words[1]), "+r"(words[2]), "+r"(words[3]));
  }
#endif
}

template <class T>
__device__ __forceinline__ float largest_of(float largest, const Pack<T>& pack) {
#pragma unroll
  for (int k = 0; k < kPackOf<T>; ++k) largest = fmaxf(largest, widened(pack.values[k]));
  return largest;
}

// Adds the exponentials. Floats become them; 16 bits are too few to keep an exponential, which scaled() takes again.
template <class T>
__device__ __forceinline__ float add_exponentials(float sum, Pack<T>& pack, float largest) {
  constexpr bool kKeeps = sizeof(T) == sizeof(float);
#pragma unroll
  for (int k = 0; k < kPackOf<T>; ++k) {
    const float exponential = __expf(widened(pack.values[k]) - largest);
    if (kKeeps) pack.values[k] = narrowed<T>(exponential);
    sum += exponential;
  }
  return sum;
}

// The exponentials, each times scale.
template <class T>
__device__ __forceinline__ Pack<T> scaled(const Pack<T>& pack, float largest, float scale) {
  constexpr bool kKeeps = sizeof(T) == sizeof(float);
  Pack<T> results;
#pragma unroll
  for (int k = 0; k < kPackOf<T>; ++k) {
    const float value = widened(pack.values[k]);
    results.values[k] = narrowed<T>((kKeeps ? value : __expf(value - largest)) * scale);
  }
  return results;
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
// kTilesUnderWay<kPacks> * blockDim.x packs.
//
// Compared with softmax_bulk_copies: a copy brings whole packs only. What lies outside of them is taken value by value
// by the cluster's first block.
template <class T, int kPacks, int kCluster>
__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(1024)
    softmax_anywhere_cluster(const T* in, T* out, long long rows, int columns) {
  constexpr int kPack = kPackOf<T>;
  extern __shared__ __align__(128) uint4 tiles[];
  __shared__ PackRing<kTilesUnderWay<kPacks>> ring;
  __shared__ ClusterPair<kCluster> parts;
  __shared__ float warp_maxima[32];
  __shared__ float warp_sums[32];
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  const int rank = cluster.block_rank();
  const int thread = threadIdx.x;
  const int threads = blockDim.x;
  const int clusters = gridDim.x / kCluster;
  const int first_row = blockIdx.x / kCluster;

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
    return column >= 0 ? widened(values[column]) : -INFINITY;
  };
  if (thread == 0) {
    ring.init();
    parts.init();
    publish_barriers();
    for (int number = 0; number < kTilesUnderWay<kPacks>; ++number) start(number);
  }
  float next_edge = first_row < rows ? edge_of(first_row) : -INFINITY;
  // No block stores into another one that has not started.
  cluster.sync();

  int turn = 0;
  for (long long row = first_row; row < rows; row += clusters, ++turn) {
    T* const result = out + row * columns;
    const Cut cut = cut_of(result, columns);
    const Share mine = share_of<kCluster>(cut.packs, rank);
    float edge = next_edge;
    MaxSum pair = {edge, 0.0f};
    Pack<T> held[kPacks];
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const uint4 words = ring.wait(tiles, turn * kPacks + p);
      held[p] = *reinterpret_cast<const Pack<T>*>(&words);
      if (p * threads + thread < mine.packs) pair.max = largest_of(pair.max, held[p]);
    }
    if (row + clusters < rows) next_edge = edge_of(row + clusters);
    pair.max = block_max(pair.max, warp_maxima);
    // All warps have taken the row's tiles.
    if (thread == 0) {
      for (int p = 0; p < kPacks; ++p) start(turn * kPacks + p + kTilesUnderWay<kPacks>);
    }
    // A share may hold nothing but minus infinity while its row does not: exp then makes each 0.
    const bool has_some = pair.max > -INFINITY;
    const float largest = has_some ? pair.max : 0.0f;
    edge = __expf(edge - largest);
    pair.sum = edge;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      keep_packed(held[p]);
      if (p * threads + thread < mine.packs) pair.sum = add_exponentials(pair.sum, held[p], largest);
    }
    pair.sum = block_sum(pair.sum, warp_sums);
    if (thread < kCluster) parts.tell(pair, rank, turn);
    pair = parts.wait(turn);
    // From the share's scale to the row's.
    const float scale = (has_some ? __expf(largest - pair.max) : 1.0f) / pair.sum;
    Pack<T>* const results = reinterpret_cast<Pack<T>*>(result + cut.head) + mine.first;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const int index = p * threads + thread;
      keep_packed(held[p]);
      if (index < mine.packs) results[index] = scaled(held[p], largest, scale);
    }
    const int column = rank == 0 ? edge_column<T>(cut, columns) : -1;
    if (column >= 0) result[column] = narrowed<T>(edge * scale);
  }
}
