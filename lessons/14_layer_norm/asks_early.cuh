// Layer norm of rows of 16-bit values that L2 holds, by blocks of no more warps than a row needs. GPUs of sm_90 and
// later; not emulated. Arguments as in kernels.cuh.

// Turns kCount numbers into their sums over all threads of a block of up to 16 warps, in each of them. sums: shared
// memory.
template <int kCount>
__device__ __forceinline__ void add_up_in_block(float (&numbers)[kCount], float (&sums)[kCount][16]) {
  constexpr int kLanes = 32 / kCount;   // work on each number
  const int lane = threadIdx.x % kLanes;
  float (&its_sums)[16] = sums[threadIdx.x % 32 / kLanes];
  const float mine = add_up_apart<32>(numbers);
  if (lane == 0) its_sums[threadIdx.x / 32] = mine;
  __syncthreads();
  float sum[1] = {0.0f};
#pragma unroll
  for (int first = 0; first < 16; first += kLanes) {
    if (first + lane < (int)blockDim.x / 32) sum[0] += its_sums[first + lane];
  }
  hand_out<32, kLanes>(add_up_apart<kLanes>(sum), numbers);
}

// Puts out a thread's packs of a row whose mean is far from 0: reads them again for squares about the mean, and once
// more. From `row` on, the row has `left` packs, of which the thread takes each 32nd, kPacks at most; weights, biases
// and result lie alike. By all threads of a block. warp_sums: shared memory.
template <int kPacks, class T>
__device__ void put_out_row_far(const Pack<T>* row, const Pack<T>* weights, const Pack<T>* biases, Pack<T>* result,
                                int left, int columns, float mean, float epsilon, float (&warp_sums)[32]) {
  float squares = 0.0f;
#pragma unroll 1
  for (int p = 0; p < kPacks * 32 && p < left; p += 32) squares = add_squares(squares, row[p], mean);
  const float scale = quick_scale({(float)columns, mean, block_sum(squares, warp_sums)}, epsilon);
#pragma unroll 1
  for (int p = 0; p < kPacks * 32 && p < left; p += 32) {
    result[p] = normalized(row[p], mean, scale, weights[p], biases[p]);
  }
}

// A pack at `from`, asked for where this stands: before what is written after it.
__device__ __forceinline__ uint4 load_here(const uint4* from) {
  uint4 words;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w) : "l"(from));
  return words;
}

// Every row begins at a multiple of 16 bytes and holds whole packs. A block for each row; blockDim.x: the fewest whole
// warps whose threads hold the row with kPacks packs each, kMostThreads at most, and no more than 16 warps. A
// multiprocessor's registers are enough for kBlocks blocks of kMostThreads threads.
//
// Compared with layer_norm_fitted: weights and biases are asked for with the row, and come while its warps wait for each
// other; they take twice as many registers as the row. Mean and variance as in layer_norm_fitted_anywhere. Launches
// overlap. The next kernel is let in at once.
template <class T, int kPacks, int kMostThreads, int kBlocks>
__global__ void __launch_bounds__(kMostThreads, kBlocks)
    layer_norm_asks_early(const T* in, const T* weight, const T* bias, T* out, int rows, int columns, float epsilon) {
  static_assert(sizeof(T) == 2, "floats leave no registers for weights and biases");
  __shared__ float warp_sums[2][16], warp_squares[32];
  cudaTriggerProgrammaticLaunchCompletion();
  const int packs = columns / kPackOf<T>;
  const LanePacks<kPacks, false> its(packs);
  const long long first = (long long)blockIdx.x * packs + its.first;
  const uint4* const row = reinterpret_cast<const uint4*>(in) + first;
  uint4* const result = reinterpret_cast<uint4*>(out) + first;
  const uint4* const weight_packs = reinterpret_cast<const uint4*>(weight) + its.first;
  const uint4* const bias_packs = reinterpret_cast<const uint4*>(bias) + its.first;
  cudaGridDependencySynchronize();
  uint4 held[kPacks] = {}, weights[kPacks] = {}, biases[kPacks] = {};   // 0 outside of the row
  its.each([&](int p) { held[p] = load_here(row + p * 32); });
  its.each([&](int p) { weights[p] = load_to_stay_in_l1(weight_packs + p * 32); });
  its.each([&](int p) { biases[p] = load_to_stay_in_l1(bias_packs + p * 32); });
  Sums sums = {};
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    keep_packed<T>(held[p]);
    add_to(sums, *reinterpret_cast<const Pack<T>*>(&held[p]));
  }
  float both[2] = {sums.values, sums.squares};
  add_up_in_block(both, warp_sums);
  sums = {both[0], both[1]};
  const float mean = __fdividef(sums.values, (float)columns);
  const float m2 = m2_by_squares(sums, mean);
  if (!mean_is_near(m2, sums)) {   // for all threads of the block, whose sums are the same
    put_out_row_far<kPacks>(reinterpret_cast<const Pack<T>*>(row), reinterpret_cast<const Pack<T>*>(weight_packs),
                            reinterpret_cast<const Pack<T>*>(bias_packs), reinterpret_cast<Pack<T>*>(result), its.left,
                            columns, mean, epsilon, warp_squares);
    return;
  }
  const float scale = quick_scale({(float)columns, mean, m2}, epsilon);
  // No scale is below 0, which the compiler does not know. It would else find that values were widened before, and keep
  // the floats, in twice as many registers.
  const unsigned zero = scale < 0.0f;
  its.each([&](int p) {
    held[p] = make_uint4(held[p].x ^ zero, held[p].y ^ zero, held[p].z ^ zero, held[p].w ^ zero);
    keep_packed<T>(held[p]);
    keep_packed<T>(weights[p]);
    keep_packed<T>(biases[p]);
    const Pack<T> pack = normalized_near(*reinterpret_cast<const Pack<T>*>(&held[p]), mean, scale,
                                         *reinterpret_cast<const Pack<T>*>(&weights[p]),
                                         *reinterpret_cast<const Pack<T>*>(&biases[p]));
    result[p * 32] = *reinterpret_cast<const uint4*>(&pack);
  });
}
