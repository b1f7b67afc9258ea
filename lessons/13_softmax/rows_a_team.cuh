// Softmax of long rows, each shared by a team of blocks anywhere on the GPU. GPUs of sm_90 and later; not emulated.
// Arguments as in kernels.cuh; in and out lie equally far past a multiple of 16 bytes.

template <class T>
__device__ __forceinline__ float sum_of_exponentials(const Pack<T>& pack, float largest) {
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < kPackOf<T>; k += 2) {
    const float2 pair = widened_pair<T>(pack.values + k);
    sum += flushed_exp(pair.x - largest);
    sum += flushed_exp(pair.y - largest);
  }
  return sum;
}

// The exponentials, each times scale.
template <class T>
__device__ __forceinline__ Pack<T> exponentials(const Pack<T>& pack, float largest, float scale) {
  Pack<T> results;
#pragma unroll
  for (int k = 0; k < kPackOf<T>; k += 2) {
    const float2 pair = widened_pair<T>(pack.values + k);
    narrow_pair<T>(make_float2(flushed_exp(pair.x - largest) * scale, flushed_exp(pair.y - largest) * scale),
                   results.values + k);
  }
  return results;
}

// Pairs of all lanes of a warp, kPairs each, brought to the scale of the largest value at once: that takes one
// exponential a pair, where merges take one a step, after one another. Of no value: (-inf, 0).
template <int kPairs>
__device__ __forceinline__ MaxSum joined(const MaxSum (&pairs)[kPairs]) {
  float largest = -INFINITY;
#pragma unroll
  for (int i = 0; i < kPairs; ++i) largest = fmaxf(largest, pairs[i].max);
  largest = max_xor<32>(largest);
  const float from = largest > -INFINITY ? largest : 0.0f;
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kPairs; ++i) sum += pairs[i].sum * flushed_exp(pairs[i].max - from);
  return {largest, sum_xor<32>(sum)};
}

// Teams are the grid's rows: gridDim.y teams of gridDim.x blocks, 32 * kTeamParts at most; team t takes rows t, t +
// teams, … All blocks run at once. A block's share of a row is share_packs packs, a multiple of 8 up to 32 * kWarps *
// kTeamPacks, or what is left; it has rows_kept shares in shared memory, kMostTold + 1 to kMostRowsKept, on their way
// or waiting for the row's sum. parts: kTurnsTold for each block; history: one. Both are 0 before the first launch.
// rows_leave_first: L2 is asked to evict first what was read of them, to leave room for results, and else last.
// blockDim.x: kWarps * 32 + 96. Dynamic shared memory, in packs: rows_kept * share_packs.
//
// Compared with softmax_bulk_copies: a team may have more blocks than a cluster, so a share is small enough for four
// rows. A block's warps have one task each, and no barrier of the block between rows. One asks for rows, so that two
// are under way. kWarps tell the pair of their portions, of up to three rows, before they put one out. One joins
// those and tells the team; one listens to it.
//
// Launches overlap. The next kernel is let in at once: it finds no room before a block has ended. Until the kernel
// before has ended, only the first row is prefetched.
template <class T, bool kWhole, int kWarps>
__global__ void __launch_bounds__(kWarps * 32 + 96)
    softmax_team(const T* in, T* out, int rows, int columns, int share_packs, int rows_kept, bool rows_leave_first,
                 TeamPart* parts, TeamHistory* history) {
  constexpr int kPack = kPackOf<T>;
  constexpr int kCopies = (kWarps + kWarpsOfACopy - 1) / kWarpsOfACopy;   // of a row
  extern __shared__ __align__(128) uint4 shares[];
  __shared__ unsigned long long arrived[kMostRowsKept][kCopies];
  __shared__ unsigned long long freed[kMostRowsKept];
  __shared__ TeamTurns<kWarps> turns;
  __shared__ T edges[kMostRowsKept][2 * kPack];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int team_blocks = gridDim.x;
  const int rank = blockIdx.x;
  const int portion_packs = (share_packs + 32 * kWarps - 1) / (32 * kWarps) * 32;   // of a warp, at most
  const int copy_packs = kWarpsOfACopy * portion_packs;
  TeamPart* const team_parts = parts + blockIdx.y * team_blocks * kTurnsTold;
  TeamRow<T, kWhole> row(in, rows, columns, blockIdx.y, gridDim.y);
  // Where packs of a row lie among the places of this block.
  const auto places_of = [&](const TeamRow<T, kWhole>& row, const Cut& cut) {
    return row.places(cut).part(rank, share_packs);
  };
  // The first of those places, in global memory, in packs.
  const auto begin_of = [&](const auto* values, const TeamRow<T, kWhole>& row, const Cut& cut) {
    return reinterpret_cast<const uint4*>(values + row.begin + cut.head) - row.places(cut).first + rank * share_packs;
  };
  // By one lane: asks for one of a row's copies.
  const auto ask_for = [&](const TeamRow<T, kWhole>& row, const Cut& cut, int place, int copy) {
    const Places its = places_of(row, cut).part(copy, copy_packs);
    arrive_expecting(&arrived[place][copy], its.packs() * 16);
    if (its.packs() == 0) return;
    const int first = copy * copy_packs + its.first;
    start_copy(shares + place * share_packs + first, begin_of(in, row, cut) + first, its.packs() * 16,
               &arrived[place][copy], rows_leave_first ? evict_first() : evict_last());
  };

  // Warps make ready at once. The first one of each copy asks for the first row's.
  const bool asks_first = warp < kWarps && warp % kWarpsOfACopy == 0;
  if (asks_first) {
    if (lane < rows_kept) init_barrier(&arrived[lane][warp / kWarpsOfACopy], 1);
    publish_barriers();
    __syncwarp();
  } else if (warp == kWarps) {
    turns.init(lane);
    publish_barriers();
  } else if (warp == kWarps + 1) {
    if (lane < rows_kept) init_barrier(&freed[lane], kWarps);
    publish_barriers();
  } else if (warp == kWarps + 2 && lane == 0 && row.left > 0) {
    const Cut cut = row.cut();
    const Places its = places_of(row, cut);
    if (its.packs() > 0) prefetch_into_l2(begin_of(in, row, cut) + its.first, its.packs() * 16);
  }
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
  if (asks_first && lane == 0 && row.left > 0) ask_for(row, row.cut(), 0, warp / kWarpsOfACopy);
  __syncthreads();

  if (warp < kWarps) {
    const uint4* const portions = shares + warp * portion_packs;
    const bool has_edges = !kWhole && rank == 0 && warp == 0;
    TeamRow<T, kWhole> coming = row;
    RingPlace coming_place = {0, 0}, coming_slot = {0, 0}, place = {0, 0}, slot = {0, 0};
    // This lane's value of head or tail of the row to come.
    const auto edge_of_coming = [&] {
      const int column = has_edges && coming.left > 0 ? edge_column<T>(coming.cut(), columns) : -1;
      return column >= 0 ? in[coming.begin + column] : narrowed<T>(-INFINITY);
    };
    T edge = edge_of_coming();
    // Tells the warp's pair of the row to come.
    const auto tell = [&] {
      const Places its = places_of(coming, coming.cut()).part(warp, portion_packs);
      wait_for(&arrived[coming_place.place][warp / kWarpsOfACopy], coming_place.phase);
      const uint4* const portion = portions + coming_place.place * share_packs;
      Pack<T> held[kTeamPacks];
#pragma unroll
      for (int p = 0; p < kTeamPacks; ++p) {
        held[p] = minus_infinities<T>();
        if (its.has(p * 32 + lane)) held[p] = kept_pack<T>(portion, p * 32 + lane);
      }
      float largest = widened(edge);
#pragma unroll
      for (int p = 0; p < kTeamPacks; ++p) largest = largest_of(largest, held[p]);
      largest = max_xor<32>(largest);
      // A portion may hold nothing but minus infinity while its row does not: exp then makes each 0.
      const float from = largest > -INFINITY ? largest : 0.0f;
      float sum = flushed_exp(widened(edge) - from);
#pragma unroll
      for (int p = 0; p < kTeamPacks; ++p) {
        sum += sum_of_exponentials(held[p], from);
      }
      sum = sum_xor<32>(sum);
      if (lane == 0) {
        turns.maxima[coming_slot.place][warp] = largest;
        turns.sums[coming_slot.place][warp] = sum;
        arrive(&turns.summed[coming_slot.place]);
      }
      if (has_edges && lane < 2 * kPack) edges[coming_place.place][lane] = edge;
      coming.next();
      edge = edge_of_coming();
      coming_place.next(rows_kept);
      coming_slot.next(kTurnsTold);
    };
    // Puts out the warp's portion of a row, once all of the row is known.
    const auto put_out = [&] {
      const Cut cut = row.cut();
      const Places its = places_of(row, cut).part(warp, portion_packs);
      const uint4* const portion = portions + place.place * share_packs;
      uint4* const results = const_cast<uint4*>(begin_of(out, row, cut)) + warp * portion_packs;
      wait_for(&turns.known[slot.place], slot.phase);
      const float largest = turns.largest[slot.place];
      const float scale = turns.scale[slot.place];
#pragma unroll
      for (int p = 0; p < kTeamPacks; ++p) {
        const int index = p * 32 + lane;
        if (!its.has(index)) continue;
        const Pack<T> pack = exponentials(kept_pack<T>(portion, index), largest, scale);
        results[index] = *reinterpret_cast<const uint4*>(&pack);
      }
      if (has_edges) {
        const int column = edge_column<T>(cut, columns);
        if (column >= 0) {
          out[row.begin + column] = narrowed<T>(flushed_exp(widened(edges[place.place][lane]) - largest) * scale);
        }
      }
      __syncwarp();
      if (lane == 0) arrive(&freed[place.place]);
      row.next();
      place.next(rows_kept);
      slot.next(kTurnsTold);
    };
    int told = 0;   // rows, and not yet put out
    while (row.left > 0) {
      if (told < kMostTold && coming.left > 0) {
        tell();
        ++told;
        continue;
      }
      put_out();
      --told;
    }
  } else if (warp == kWarps) {
    // Joins the pairs of the block's warps, and tells the team.
    RingPlace slot = {0, 0};
    unsigned turn = history->turns_before();
    for (; row.left > 0; row.next(), slot.next(kTurnsTold)) {
      ++turn;
      wait_for(&turns.summed[slot.place], slot.phase);
      MaxSum its[1] = {{-INFINITY, 0.0f}};
      if (lane < kWarps) its[0] = {turns.maxima[slot.place][lane], turns.sums[slot.place][lane]};
      const MaxSum pair = joined(its);
      if (lane == 0) store_part(team_parts + slot.place * team_blocks + rank, {turn, pair.max, turn, pair.sum});
    }
  } else if (warp == kWarps + 1) {
    // Listens to the team, and tells the block's warps.
    RingPlace slot = {0, 0};
    unsigned turn = history->turns_before();
    for (; row.left > 0; row.next(), slot.next(kTurnsTold)) {
      ++turn;
      TeamPart its[kTeamParts];
      wait_for_parts(its, team_parts + slot.place * team_blocks, team_blocks, turn);
      MaxSum pairs[kTeamParts];
#pragma unroll
      for (int i = 0; i < kTeamParts; ++i) {
        pairs[i] = {-INFINITY, 0.0f};
        if (i * 32 + lane < team_blocks) pairs[i] = {its[i].max, its[i].sum};
      }
      const MaxSum pair = joined(pairs);
      if (lane == 0) {
        turns.largest[slot.place] = pair.max;
        turns.scale[slot.place] = 1.0f / pair.sum;
        arrive(&turns.known[slot.place]);
      }
    }
  } else if (lane == 0 && row.left > 0) {
    // Asks for the other rows. A copy waits until the same one of two rows before has come, and for its place.
    RingPlace before = {0, 0}, place = {0, 0};
    row.next();
    place.next(rows_kept);
    for (int turn = 1; row.left > 0; ++turn, row.next(), place.next(rows_kept)) {
      if (turn > kRowsUnderWay) before.next(rows_kept);
      if (turn >= rows_kept) wait_for(&freed[place.place], place.phase ^ 1);
      const Cut cut = row.cut();
      for (int copy = 0; copy < kCopies; ++copy) {
        if (turn >= kRowsUnderWay) wait_for(&arrived[before.place][copy], before.phase);
        ask_for(row, cut, place.place, copy);
      }
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) history->end(gridDim.x * gridDim.y, (rows + gridDim.y - 1) / gridDim.y);
}
