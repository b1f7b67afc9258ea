// RMS norm of long rows, each shared by a team of blocks anywhere on the GPU. GPUs of sm_90 and later; not emulated.
// Arguments as in kernels.cuh; in and out lie equally far past a multiple of 16 bytes.

// Teams are the grid's rows: gridDim.y teams of gridDim.x blocks, 32 * kTeamParts at most; team t takes rows t, t +
// teams, … All blocks run at once. A block's share of a row is share_packs packs, a multiple of 8 up to 32 * kWarps *
// kTeamPacks, or what is left; it has rows_kept shares in shared memory, kMostTold + 1 to kMostRowsKept, on their way
// or waiting to be normalized. parts: kTurnsTold for each block; history: one. Both are 0 before the first launch.
// rows_leave_first: L2 is asked to evict first what was read of them, to leave room for results, and else last.
// blockDim.x: kWarps * 32 + 96. Dynamic shared memory, in packs: rows_kept * share_packs, and share_packs + 16 for
// weights.
//
// Compared with rms_norm_bulk_copies: a team may have more blocks than a cluster, so a share is small enough for
// four rows. A block's warps have one task each, and no barrier of the block between rows. One asks for rows, so
// that two are under way. kWarps tell the sum of their portions, of up to three rows, before they put one out. One
// adds those up and tells the team; one listens to it.
//
// Launches overlap. The next kernel is let in at once: it finds no room before a block has ended. Until the kernel
// before has ended, only the first row is prefetched.
template <class T, bool kWhole, int kWarps>
__global__ void __launch_bounds__(kWarps * 32 + 96)
    rms_norm_team(const T* in, const T* weight, T* out, int rows, int columns, float epsilon, int share_packs,
                  int rows_kept, bool rows_leave_first, TeamPart* parts, TeamHistory* history) {
  constexpr int kPack = kPackOf<T>;
  constexpr int kCopies = (kWarps + kWarpsOfACopy - 1) / kWarpsOfACopy;   // of a row
  extern __shared__ __align__(128) uint4 shares[];
  __shared__ unsigned long long arrived[kMostRowsKept][kCopies];
  __shared__ unsigned long long freed[kMostRowsKept];
  __shared__ unsigned long long weights_there;
  __shared__ TeamTurns<kWarps> turns;
  __shared__ T edges[kMostRowsKept][2 * kPack];
  __shared__ EdgeWeights<T> edge_weights;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int team_blocks = gridDim.x;
  const int rank = blockIdx.x;
  const int portion_packs = (share_packs + 32 * kWarps - 1) / (32 * kWarps) * 32;   // of a warp, at most
  const int copy_packs = kWarpsOfACopy * portion_packs;
  // Weights from a line before this block's first place on, to a pack after its last.
  const int first_weight_pack = rank * share_packs - kPacksOfALine;
  const int weight_packs = kPacksOfALine + share_packs + 1;
  Pack<T>* const weights = reinterpret_cast<Pack<T>*>(shares + rows_kept * share_packs);
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
    if (lane == rows_kept) init_barrier(&weights_there, 1 + 32);
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
      return column >= 0 ? in[coming.begin + column] : narrowed<T>(0.0f);
    };
    T edge = edge_of_coming();
    // Tells the warp's sum of the row to come.
    const auto tell = [&] {
      const Places its = places_of(coming, coming.cut()).part(warp, portion_packs);
      wait_for(&arrived[coming_place.place][warp / kWarpsOfACopy], coming_place.phase);
      const uint4* const portion = portions + coming_place.place * share_packs;
      float squares = widened(edge) * widened(edge);
#pragma unroll
      for (int p = 0; p < kTeamPacks; ++p) {
        uint4 words = make_uint4(0, 0, 0, 0);
        if (its.has(p * 32 + lane)) words = portion[p * 32 + lane];
        squares += add_squares(0.0f, *reinterpret_cast<const Pack<T>*>(&words));
      }
      squares = warp_sum(squares);
      if (lane == 0) {
        turns.sums[coming_slot.place][warp] = squares;
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
      const float scale = turns.scale[slot.place];
      const int first_weight = warp * portion_packs + kPacksOfALine - row.places(cut).first;
#pragma unroll
      for (int p = 0; p < kTeamPacks; ++p) {
        const int index = p * 32 + lane;
        if (its.has(index)) {
          const int i = first_weight + index;
          Pack<T> factors = kept_pack(weights, i);
          if (!kWhole && cut.head > 0) factors = part_of(factors, kept_pack(weights, i + 1), cut.head);
          const uint4 words = portion[index];
          const Pack<T> pack = normalized(*reinterpret_cast<const Pack<T>*>(&words), scale, factors);
          results[index] = *reinterpret_cast<const uint4*>(&pack);
        }
      }
      if (has_edges) {
        const int column = edge_column<T>(cut, columns);
        if (column >= 0) {
          out[row.begin + column] = normalized(edges[place.place][lane], scale, edge_weights.at(column, columns));
        }
      }
      __syncwarp();
      if (lane == 0) arrive(&freed[place.place]);
      row.next();
      place.next(rows_kept);
      slot.next(kTurnsTold);
    };
    int told = 0;   // rows, and not yet put out
    bool has_weights = false;
    while (row.left > 0) {
      if (told < kMostTold && coming.left > 0) {
        tell();
        ++told;
        continue;
      }
      if (!has_weights) wait_for(&weights_there, 0);
      has_weights = true;
      put_out();
      --told;
    }
  } else if (warp == kWarps) {
    // Adds up the sums of the block's warps, and tells the team.
    RingPlace slot = {0, 0};
    unsigned turn = history->turns_before();
    for (; row.left > 0; row.next(), slot.next(kTurnsTold)) {
      ++turn;
      wait_for(&turns.summed[slot.place], slot.phase);
      const float squares = warp_sum(lane < kWarps ? turns.sums[slot.place][lane] : 0.0f);
      if (lane == 0) store_part(team_parts + slot.place * team_blocks + rank, {turn, squares});
    }
  } else if (warp == kWarps + 1) {
    if (!kWhole) {
      edge_weights.init(weight, columns, lane);
      // A copy brings whole packs.
      const int index = columns / kPack - first_weight_pack;
      if (lane < columns % kPack && index >= 0 && index < weight_packs) {
        weights[index].values[lane] = weight[columns / kPack * kPack + lane];
      }
    }
    arrive(&weights_there);
    // Listens to the team, and tells the block's warps.
    RingPlace slot = {0, 0};
    unsigned turn = history->turns_before();
    for (; row.left > 0; row.next(), slot.next(kTurnsTold)) {
      ++turn;
      TeamPart its[kTeamParts];
      wait_for_parts(its, team_parts + slot.place * team_blocks, team_blocks, turn);
      float squares = 0.0f;
#pragma unroll
      for (int i = 0; i < kTeamParts; ++i) {
        if (i * 32 >= team_blocks) break;
        if (i * 32 + lane < team_blocks) squares += its[i].sum;
      }
      squares = warp_sum(squares);
      if (lane == 0) {
        turns.scale[slot.place] = scale_of(squares, columns, epsilon);
        arrive(&turns.known[slot.place]);
      }
    }
  } else if (lane == 0 && row.left > 0) {
    // Asks for the other rows. A copy waits until the same one of two rows before has come, and for its place.
    const auto ask_for_weights = [&] {
      const int before = rank == 0 ? kPacksOfALine : 0;   // the row
      const int from = first_weight_pack + before;
      const int packs = packs_of_part(columns / kPack - from, 0, weight_packs - before);
      arrive_expecting(&weights_there, packs * 16);
      if (packs == 0) return;
      start_copy(weights + before, weight + from * kPack, packs * 16, &weights_there);
    };
    if (row.left == 1) ask_for_weights();
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
      if (turn == 1) ask_for_weights();
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) history->end(gridDim.x * gridDim.y, (rows + gridDim.y - 1) / gridDim.y);
}
