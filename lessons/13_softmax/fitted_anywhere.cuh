// Softmax of rows that begin anywhere, by blocks of no more warps than a row needs. GPUs of sm_90 and later; not
// emulated. Arguments as in kernels.cuh; in and out lie equally far past a multiple of 16 bytes.

#include <type_traits>

// A row has at most blockDim.x * kPacks whole packs; blockDim.x: a multiple of 32, and blockDim.y above 1 only where it
// is 32; kMostThreads threads at most. The block's threads with the same threadIdx.y take a row. A multiprocessor's
// registers are enough for kBlocks blocks of kMostThreads threads.
//
// Compared with softmax_anywhere: more rows are under way at once, since no thread holds a second one. A warp's packs lie
// beside each other. kKeeps: exponentials are kept, as floats; else values stay packed, in half the registers that 16
// bits take so, and exponentials are taken twice. kPastL1: L1 does not keep what is read.
//
// Launches overlap. A kernel that keeps exponentials lets the next one in when it has asked for its row: of 34 MB of 5001
// halves, at 92 % of a copy's bandwidth instead of 87 (H200, these kernels by themselves). One that does not lets it in at
// once: it finds no room before a block has ended.
template <class T, int kPacks, int kMostThreads, int kBlocks, bool kKeeps, bool kPastL1>
__global__ void __launch_bounds__(kMostThreads, kBlocks)
    softmax_fitted_anywhere(const T* in, T* out, long long rows, int columns) {
  __shared__ float warp_maxima[kMostThreads / 32];
  __shared__ float warp_sums[kMostThreads / 32];
  using Scale = typename std::conditional<kKeeps, T, float>::type;   // of exponentials: as RelativeExp's
  using Exp = RelativeExp<Scale>;
  if (!kKeeps) cudaTriggerProgrammaticLaunchCompletion();
  const long long number = blockIdx.x * (long long)blockDim.y + threadIdx.y;
  if (number >= rows) return;   // the whole group
  const long long start = number * columns;
  const Cut cut = cut_of(in + start, columns);
  const int column = edge_column<T>(cut, columns);
  const LanePacks<kPacks, false> its(cut.packs);
  const uint4* row = reinterpret_cast<const uint4*>(in + start + cut.head) + its.first;
  cudaGridDependencySynchronize();
  uint4 held[kPacks];
#pragma unroll
  for (int p = 0; p < kPacks; ++p) held[p] = as_words(minus_infinities<T>());
  its.each([&](int p) { held[p] = kPastL1 ? load_once(row + p * 32) : row[p * 32]; });
  float edge = column >= 0 ? widened(in[start + column]) : -INFINITY;
  if (kKeeps) cudaTriggerProgrammaticLaunchCompletion();
  // Each warp by its own largest value; then the warps' pairs are joined.
  MaxSum pair = {max_of_warp(fmaxf(edge, largest_in<T>(held))), 0.0f};
  const bool has_some = pair.max > -INFINITY;
  const Exp exp_of = {finite_or_zero(pair.max)};
  edge = exp_of(edge);
  pair.sum = edge;
  Exponentials<T> kept[kKeeps ? kPacks : 1];
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    if constexpr (kKeeps) {
      kept[p].take(as_pack<T>(held[p]), exp_of, pair.sum);
    } else {
      keep_packed(held[p]);
      pair.sum += sum_of_exponentials(as_pack<T>(held[p]), exp_of.largest);
    }
  }
  pair.sum = sum_xor<32>(pair.sum);
  if (blockDim.x > 32) pair = join_warps<Scale>(blockDim.x / 32, pair, warp_maxima, warp_sums);
  const float share = has_some ? Exp{pair.max}.of_scale(exp_of.largest) : 1.0f;
  // The exact division has a branch. Without one the compiler widens packed values once for both takings of exponentials, and
  // of 5 packs a thread spills 128 bytes.
  const float scale = kKeeps ? share * __fdividef(1.0f, pair.sum) : share / pair.sum;
  if (column >= 0) out[start + column] = narrowed<T>(edge * scale);
  uint4* result = reinterpret_cast<uint4*>(out + start + cut.head) + its.first;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    uint4 words;   // worked out by all lanes: else those of a warp would part
    if constexpr (kKeeps) {
      words = as_words(kept[p].times(scale));
    } else {
      keep_packed(held[p]);
      words = as_words(exponentials(as_pack<T>(held[p]), exp_of.largest, scale));
    }
    if (p * 32 < its.left) result[p * 32] = words;
  }
}
