// Rows that a block holds in registers, a warp's packs beside each other.

// Packs of a row that a lane has: its first one, and every 32nd from there on, kPacks at most. Their addresses
// differ by constants. kTwoPaths: a warp that has all of its packs asks of none whether it is there; all that
// is done with them is then in the code twice. An H200 moved 34 MB of 5000 halves at 78 % of a copy's bandwidth
// by layer_norm_fitted so, and at 70 before, when packs lay a block's threads apart, moments took two meetings
// and the next kernel was let in a little later; 67 MB of 10000 at 95 and 90. But 67 MB of 10001 ran at 74 with
// two paths and at 84 with one by layer_norm_fitted_anywhere, which puts results out in four ways and so has
// them in the code eight times.
template <int kPacks, bool kTwoPaths>
struct LanePacks {
  static constexpr int kMost = kPacks;
  static constexpr int kStep = 32;   // from one to the next
  int first;   // number of the first one
  int left;    // packs of the row from there on
  bool all;    // has each lane of the warp kPacks packs?

  __device__ __forceinline__ explicit LanePacks(int packs) {
    const int of_warp = threadIdx.x / 32 * (32 * kPacks);
    first = of_warp + threadIdx.x % 32;
    left = packs - first;
    all = of_warp + 32 * kPacks <= packs;
  }
  // Acts on the number of each, from 0 on. kInTwoPaths: by two paths here, whatever the other uses are.
  template <bool kInTwoPaths = kTwoPaths, class Action>
  __device__ __forceinline__ void each(const Action& act) const {
    if (kInTwoPaths && all) {
#pragma unroll
      for (int p = 0; p < kPacks; ++p) act(p);
    } else {
#pragma unroll
      for (int p = 0; p < kPacks; ++p) {
        if (p * 32 < left) act(p);
      }
    }
  }
};

// Of a row of so many packs, those that warp number `warp` has.
template <int kPacks>
__device__ __forceinline__ int packs_of_warp(int packs, int warp) {
  return min(max(packs - warp * (32 * kPacks), 0), 32 * kPacks);
}
