// Weights and biases side by side in shared memory, for rows that begin anywhere: their packs and the vectors' differ.
// A weight of 16 bits and its bias are a word of 32, so that no bits are shifted. Inline PTX (PTX ISA, bar.sync).

// By so many threads of a block: they meet, and see what the others have stored.
template <int kThreads>
__device__ __forceinline__ void meet_at_barrier_1() {
  asm volatile("bar.sync 1, %0;" : : "n"(kThreads) : "memory");
}

// A pack of weights and the biases of the same columns: a pack of the pairs (weight, bias) of its first half, and one of
// its second half.
template <class T>
__device__ __forceinline__ void pair_up(Pack<T>& weights, Pack<T>& biases) {
  const Pack<T> weight = kept_pack(&weights, 0);
  const Pack<T> bias = kept_pack(&biases, 0);
  constexpr int kHalf = kPackOf<T> / 2;
  Pack<T> pairs[2];
#pragma unroll
  for (int k = 0; k < kPackOf<T>; ++k) {
    pairs[k / kHalf].values[k % kHalf * 2] = weight.values[k];
    pairs[k / kHalf].values[k % kHalf * 2 + 1] = bias.values[k];
  }
  reinterpret_cast<uint4&>(weights) = *reinterpret_cast<const uint4*>(&pairs[0]);
  reinterpret_cast<uint4&>(biases) = *reinterpret_cast<const uint4*>(&pairs[1]);
}

// A pack normalized by as many pairs as it has values: those of `pairs` from number kSkipped on.
template <int kSkipped, class T>
__device__ __forceinline__ Pack<T> normalized_by_pairs_from(const Pack<T>& pack, float mean, float scale,
                                                            const Pack<T> (&pairs)[3]) {
  constexpr int kHalf = kPackOf<T> / 2;
  Pack<T> results;
#pragma unroll
  for (int k = 0; k < kPackOf<T>; k += 2) {
    const float2 values = widened_pair<T>(pack.values + k);
    const int place = k + kSkipped;
    const float2 first = widened_pair<T>(pairs[place / kHalf].values + place % kHalf * 2);
    const float2 second = widened_pair<T>(pairs[(place + 1) / kHalf].values + (place + 1) % kHalf * 2);
    narrow_pair<T>(make_float2(normalized(values.x, mean, scale, first.x, first.y),
                               normalized(values.y, mean, scale, second.x, second.y)),
                   results.values + k);
  }
  return results;
}

// By a warp: puts out the packs of a portion, which have been kept, by weights and biases that have been paired up, of
// which kSkipped pairs come before a pack's own. All loads of a batch come before any of its sums.
template <int kSkipped, class T>
__device__ __forceinline__ void put_out_from(uint4* results, const uint4* kept, const Places& its, float mean,
                                             float scale, const Pack<T>* const (&pairs)[3]) {
  constexpr int kLoads = kSkipped > 0 ? 3 : 2;
  for (int begin = threadIdx.x % 32; begin < its.end; begin += kBatch * 32) {
    uint4 batch[kBatch];
    Pack<T> its_pairs[kBatch][3];
#pragma unroll
    for (int p = 0; p < kBatch; ++p) {
      const int index = begin + p * 32;
      if (!its.has(index)) continue;
      batch[p] = kept[index];
#pragma unroll
      for (int k = 0; k < kLoads; ++k) its_pairs[p][k] = kept_pack(pairs[k], index);
    }
#pragma unroll
    for (int p = 0; p < kBatch; ++p) {
      const int index = begin + p * 32;
      if (!its.has(index)) continue;
      const Pack<T> pack = normalized_by_pairs_from<kSkipped>(*reinterpret_cast<const Pack<T>*>(&batch[p]), mean,
                                                              scale, its_pairs[p]);
      results[index] = *reinterpret_cast<const uint4*>(&pack);
    }
  }
}

// The same by weights and biases from value `head` of their packs on.
template <class T>
__device__ __forceinline__ void put_out_by_pairs(uint4* results, const uint4* kept, const Places& its, float mean,
                                                 float scale, const Pack<T>* firsts, const Pack<T>* seconds, int head) {
  constexpr int kHalf = kPackOf<T> / 2;
  if (its.packs() == 0) return;
  const bool late = head >= kHalf;
  const Pack<T>* const pairs[3] = {late ? seconds : firsts, late ? firsts + 1 : seconds, late ? seconds + 1 : firsts + 1};
  switch (head & (kHalf - 1)) {
    case 0:
      return put_out_from<0>(results, kept, its, mean, scale, pairs);
    case 1:
      return put_out_from<1>(results, kept, its, mean, scale, pairs);
    case 2:
      return put_out_from<2 % kHalf>(results, kept, its, mean, scale, pairs);
    default:
      return put_out_from<3 % kHalf>(results, kept, its, mean, scale, pairs);
  }
}
