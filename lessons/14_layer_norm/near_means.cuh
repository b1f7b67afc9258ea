// Rows of 16-bit values whose mean is near 0 beside their spread: mean and variance by one meeting of the threads that
// share a row, and a result by two operations a value.

// Sums of values and of their squares. They have 24 bits and results 11 or fewer: there are some to lose.
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
