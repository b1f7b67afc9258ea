// Rows that a block holds in registers, a warp's packs beside each other.

// Packs of a row that a lane has: its first one, and every 32nd from there on, kPacks at most. Their addresses differ by
// constants: an H200 moved 67 MB of 5001 halves at 97 % of a copy's bandwidth so, and at 96 where packs lay a block's
// threads apart (rms_norm_fitted_anywhere).
template <int kPacks>
struct LanePacks {
  static constexpr int kMost = kPacks;
  static constexpr int kStep = 32;   // from one to the next
  int first;   // number of the first one
  int left;    // packs of the row from there on

  __device__ __forceinline__ explicit LanePacks(int packs) {
    first = threadIdx.x / 32 * (32 * kPacks) + threadIdx.x % 32;
    left = packs - first;
  }
  // Acts on the number of each, from 0 on.
  template <class Action>
  __device__ __forceinline__ void each(const Action& act) const {
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      if (p * 32 < left) act(p);
    }
  }
};
