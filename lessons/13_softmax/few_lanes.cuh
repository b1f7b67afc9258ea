// Softmax of short rows, each by a few lanes that hold it in registers. GPUs of sm_90 and later; not emulated.
// Arguments as in kernels.cuh; in and out lie equally far past a multiple of 16 bytes.

// The threads of a block of the kernel below, and for how many of them a multiprocessor's registers are to be enough.
constexpr int kFewLanesBlock = 128;
constexpr int few_lanes_blocks(int packs) {
  return packs <= 2 ? 16 : packs == 3 ? 12 : packs == 4 ? 9 : packs == 5 ? 8 : packs == 6 ? 6 : 5;
}

// exp(value - largest) of the values of one row, in one operation fewer for halves: largest * log2(e) is rounded first, so
// all of them are off by the same factor, which their sum has too. Where values are as large as a float's, that product
// may be infinite.
template <class T>
struct RelativeExp {
  float largest;

  __device__ __forceinline__ float operator()(float value) const { return flushed_exp(value - largest); }
};
template <>
struct RelativeExp<__half> {
  float largest;

  __device__ __forceinline__ float operator()(float value) const {
    return flushed_power_of_two(fmaf(value, kLog2OfE, -(largest * kLog2OfE)));
  }
};

// A row has at most kLanes * kPacks whole packs, and kLanes neighbouring lanes take it. kWhole: each row begins at a
// multiple of 16 bytes and has nothing but whole packs. Else a lane also has a few of the values before and behind them.
//
// Compared with softmax_short_rows: rows may begin anywhere, and launches overlap. The next kernel is let in at once: it
// finds no room before a block has ended. Compared with softmax_short_anywhere: a row's packs do not go through shared
// memory; but of a very short row most is not in whole packs, and goes value by value. Exponentials are kept as floats:
// an H100 moved 34 MB of 161 halves at 63 % of a copy's bandwidth where each was taken twice, and at 71 so.
template <class T, int kLanes, int kPacks, bool kWhole>
__global__ void __launch_bounds__(kFewLanesBlock, few_lanes_blocks(kPacks))
    softmax_few_lanes(const T* in, T* out, int rows, int columns) {
  constexpr int kEdges = (2 * kPackOf<T> + kLanes - 1) / kLanes;   // a lane, of values in no pack
  cudaTriggerProgrammaticLaunchCompletion();
  const int number = blockIdx.x * (kFewLanesBlock / kLanes) + threadIdx.x / kLanes;
  const int lane = threadIdx.x % kLanes;
  const bool there = number < rows;   // no row: nothing to load, but a part in the shuffles
  const long long start = there ? (long long)number * columns : 0;
  Cut cut = {0, 0, 0};
  if (there && kWhole) cut.packs = columns / kPackOf<T>;
  if (there && !kWhole) cut = cut_of(in + start, columns);
  const auto edge_column = [&](int e) {   // or -1
    const int place = e * kLanes + lane;
    const int behind = place - cut.head;
    return kWhole ? -1 : behind < 0 ? place : behind < cut.tail ? columns - cut.tail + behind : -1;
  };
  const uint4* row = reinterpret_cast<const uint4*>(in + start + cut.head) + lane;
  const int left = cut.packs - lane;   // packs of the row from this lane's first one on
  cudaGridDependencySynchronize();
  uint4 held[kPacks];
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    held[p] = as_words(minus_infinities<T>());
    if (p * kLanes < left) held[p] = row[p * kLanes];
  }
  float edges[kEdges];
#pragma unroll
  for (int e = 0; e < kEdges; ++e) {
    edges[e] = edge_column(e) >= 0 ? widened(in[start + edge_column(e)]) : -INFINITY;
  }
  float largest = largest_in<T>(held);
#pragma unroll
  for (int e = 0; e < kEdges; ++e) largest = fmaxf(largest, edges[e]);
  largest = finite_or_zero(kLanes == 32 ? max_of_warp(largest) : max_xor<kLanes>(largest));
  const RelativeExp<T> exp_of = {largest};
  float sum = 0.0f;
#pragma unroll
  for (int e = 0; e < kEdges; ++e) {
    if (!kWhole) edges[e] = exp_of(edges[e]);
    if (!kWhole) sum += edges[e];
  }
  Exponentials<T> kept[kPacks];
#pragma unroll
  for (int p = 0; p < kPacks; ++p) kept[p].take(as_pack<T>(held[p]), exp_of, sum);
  const float scale = 1.0f / sum_xor<kLanes>(sum);
#pragma unroll
  for (int e = 0; e < kEdges; ++e) {
    if (edge_column(e) >= 0) out[start + edge_column(e)] = narrowed<T>(edges[e] * scale);
  }
  uint4* result = reinterpret_cast<uint4*>(out + start + cut.head) + lane;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const uint4 words = as_words(kept[p].times(scale));   // worked out by all lanes: else those of a warp would part
    if (p * kLanes < left) result[p * kLanes] = words;
  }
}
