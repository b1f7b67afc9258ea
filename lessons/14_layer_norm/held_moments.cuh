// Mean and variance of rows that threads hold in registers, by one meeting of those that share a row.

// ---- Chan's merge ------------------------------------------------------------------------------------------------

// The moments of a lane's values, read once: sums of deviations from a pivot, and of their squares. The pivot
// is the mean of the first pack, kPack of n values. So the squares come to at most n / kPack times m2 (values
// of the first pack lie about its mean, and that is off by less than the others' mean makes up for), and m2,
// their difference from the square of the sum, is right to (3 n + 5) n / kPack roundings: 64 halves to 2^-13.
template <class T, int kPacks, bool kTwoPaths>
__device__ __forceinline__ Moments lane_moments(const LanePacks<kPacks, kTwoPaths>& its, uint4 (&held)[kPacks]) {
  constexpr int kPack = kPackOf<T>;
  float count = 0.0f;
  const float pivot = add_values(0.0f, *reinterpret_cast<const Pack<T>*>(&held[0])) * (1.0f / kPack);
  float sum = 0.0f;
  float squares = 0.0f;
  its.each([&](int p) {
    keep_packed_until<T>(held[p], squares);
    count += kPack;
    const T* values = reinterpret_cast<const T*>(&held[p]);
#pragma unroll
    for (int k = 0; k < kPack; k += 2) {
      const float2 pair = widened_pair<T>(values + k);
      const float first = pair.x - pivot;
      const float second = pair.y - pivot;
      sum += first;
      sum += second;
      squares = fmaf(first, first, squares);
      squares = fmaf(second, second, squares);
    }
  });
  const float apart = __fdividef(sum, fmaxf(count, 1.0f));
  return {count, pivot + apart, fmaf(-sum, apart, squares)};
}

// What so many values add to m2 whose mean lies `apart` from all of them. Of none 0, even where apart's square overflows.
__device__ __forceinline__ float squares_of_shift(float count, float apart) { return count * apart * apart; }

// The moments of a row that a block's threads work on together, in each of them, from each lane's. of_warp: values of it that
// this warp has; of_other: that the warp has whose number is this lane's, 0 if there is none. means, m2s: shared memory.
__device__ __forceinline__ Moments block_moments(const Moments& of_lane, float of_warp, float of_other, int columns,
                                                 float (&means)[32], float (&m2s)[32]) {
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const float all = columns;
  float mean = __fdividef(warp_sum(of_lane.count * of_lane.mean), fmaxf(of_warp, 1.0f));
  float m2 = warp_sum(of_lane.m2 + squares_of_shift(of_lane.count, of_lane.mean - mean));
  if (blockDim.x == 32) return {all, mean, m2};
  if (lane == 0) {
    means[warp] = mean;
    m2s[warp] = m2;
  }
  __syncthreads();
  const bool has = lane < blockDim.x / 32;
  const float its_mean = has ? means[lane] : 0.0f;
  const float its_m2 = has ? m2s[lane] : 0.0f;
  mean = __fdividef(warp_sum(of_other * its_mean), all);
  m2 = warp_sum(its_m2 + squares_of_shift(of_other, its_mean - mean));
  return {all, mean, m2};
}

// 1 / sqrt(m2 / count + epsilon), right to five roundings more than scale_of().
__device__ __forceinline__ float quick_scale(const Moments& moments, float epsilon) {
  return rsqrtf(__fdividef(moments.m2, moments.count) + epsilon);
}

// ---- Sums, where the mean is near 0 -------------------------------------------------------------------------------

// Of 16-bit values whose mean is near 0 beside their spread: then a result takes two operations a value.

// Sums of values and of their squares. They have 24 bits, results of 16 bits 11 or fewer: there are some to lose.
struct Sums {
  float values;
  float squares;
};

template <class T>
__device__ __forceinline__ void add_to(Sums& sums, const Pack<T>& pack) {
#pragma unroll
  for (int k = 0; k < kPackOf<T>; k += 2) {
    const float2 pair = widened_pair<T>(pack.values + k);
    sums.values += pair.x;
    sums.values += pair.y;
    sums.squares = fmaf(pair.x, pair.x, sums.squares);
    sums.squares = fmaf(pair.y, pair.y, sums.squares);
  }
}

// The sum of squared deviations by those sums, as in layer_norm_squares: two numbers that may be almost the same are
// subtracted, and what is left is as far off as they are.
__device__ __forceinline__ float m2_by_squares(const Sums& sums, float mean) {
  return fmaf(-sums.values, mean, sums.squares);
}

// Is that right to five bits less than a sum is? So it is where mean * mean is at most 31 variances. Not where squares
// are infinite.
__device__ __forceinline__ bool mean_is_near(float m2, const Sums& sums) {
  return m2 * 32.0f >= sums.squares && sums.squares < INFINITY;
}

// As normalized(), by fewer operations: mean * scale, which is at most 6 here, is rounded before it is subtracted. Of a
// large mean that rounding would count: a row of equal values would not quite become its biases.
template <class T>
__device__ __forceinline__ Pack<T> normalized_near(const Pack<T>& pack, float mean, float scale,
                                                   const Pack<T>& weights, const Pack<T>& biases) {
  const float shift = -mean * scale;
  Pack<T> results;
#pragma unroll
  for (int k = 0; k < kPackOf<T>; k += 2) {
    const float2 values = widened_pair<T>(pack.values + k);
    const float2 factors = widened_pair<T>(weights.values + k);
    const float2 terms = widened_pair<T>(biases.values + k);
    narrow_pair<T>(make_float2(fmaf(fmaf(values.x, scale, shift), factors.x, terms.x),
                               fmaf(fmaf(values.y, scale, shift), factors.y, terms.y)),
                   results.values + k);
  }
  return results;
}
