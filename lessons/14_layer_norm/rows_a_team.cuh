// Layer norm of long rows, each shared by a team of blocks anywhere on the GPU. GPUs of sm_90 and later; not emulated.
// Arguments as in kernels.cuh; in and out lie equally far past a multiple of 16 bytes.

// Teams are the grid's rows: gridDim.y teams of gridDim.x blocks, 32 * kTeamParts at most; team t takes rows t, t +
// teams, … All blocks run at once. A block's share of a row is share_packs packs, a multiple of 8 up to 32 * kWarps *
// kTeamPacks, or what is left; it has rows_kept shares in shared memory, kMostTold + 1 to kMostRowsKept, on their way
// or waiting to be normalized. parts: kTurnsTold for each block; history: one. Both are 0 before the first launch.
// rows_leave_first: L2 is asked to evict first what was read of them, to leave room for results, and else last.
// blockDim.x: kWarps * 32 + 96. Dynamic shared memory, in packs: rows_kept * share_packs, and share_packs + 16 each for
// weights and biases.
//
// Compared with layer_norm_bulk_copies: a team may have more blocks than a cluster, so a share is small enough for
// four rows. A block's warps have one task each, and no barrier of the block between rows. One asks for rows, so
// that two are under way. kWarps tell the moments of their portions, of up to three rows, before they put one out.
// One joins those and tells the team; one listens to it. Of rows that begin anywhere, a block pairs its weights and biases
// up, and the warp that asks for a row notes where it lies: 667 rows of 50257 halves ran on an H200 at 78 % of a copy's
// bandwidth so, and at 72 where every warp found that out, and shifted the bits of both vectors.
//
// Launches overlap. The next kernel is let in at once: it finds no room before a block has ended. Until the kernel
// before has ended, only the first row is prefetched.
template <class T, bool kWhole, int kWarps>
__global__ void __launch_bounds__(kWarps * 32 + 96)
    layer_norm_team(const T* in, const T* weight, const T* bias, T* out, int rows, int columns, float epsilon,
                    int share_packs, int rows_kept, bool rows_leave_first, TeamPart* parts, TeamHistory* history) {
  constexpr int kPack = kPackOf<T>;
  constexpr int kCopies = (kWarps + kWarpsOfACopy - 1) / kWarpsOfACopy;   // of a row
  extern __shared__ __align__(128) uint4 shares[];
  __shared__ unsigned long long arrived[kMostRowsKept][kCopies];
  __shared__ unsigned long long freed[kMostRowsKept];
  __shared__ unsigned long long weights_there;
  __shared__ TeamTurns<kWarps> turns;
  __shared__ TeamShare rows_there[kMostRowsKept];
  __shared__ T edges[kMostRowsKept][2 * kPack];
  __shared__ EdgeWeights<T> edge_weights;
  __shared__ EdgeWeights<T> edge_biases;
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
  Pack<T>* const biases = weights + share_packs + 2 * kPacksOfALine;
  TeamPart* const team_parts = parts + blockIdx.y * team_blocks * kTurnsTold;
  TeamRow<T, kWhole> row(in, rows, columns, blockIdx.y, gridDim.y);
  // Where packs of a row lie among the places of a block, and values that these have.
  const auto places_of = [&](const TeamRow<T, kWhole>& row, const Cut& cut, int block) {
    return row.places(cut).part(block, share_packs);
  };
  const auto count_of_block = [&](const TeamRow<T, kWhole>& row, const Cut& cut, int block) {
    return places_of(row, cut, block).packs() * kPack + (block == 0 ? cut.head + cut.tail : 0);
  };
  // The first of this block's places, in global memory, in packs.
  const auto begin_of = [&](const auto* values, const TeamRow<T, kWhole>& row, const Cut& cut) {
    return reinterpret_cast<const uint4*>(values + row.begin + cut.head) - row.places(cut).first + rank * share_packs;
  };
  // By one lane of the warp that asks for rows: notes what others need to know of this one, before its copies can come.
  const auto note = [&](const TeamRow<T, kWhole>& row, int place) {
    const Cut cut = row.cut();
    rows_there[place] = {places_of(row, cut, rank), cut.head, rank == 0 ? cut.head + cut.tail : 0,
                         kPacksOfALine - row.places(cut).first, const_cast<uint4*>(begin_of(out, row, cut))};
  };
  // By one lane: asks for one of a row's copies.
  const auto ask_for = [&](const TeamRow<T, kWhole>& row, const Cut& cut, int place, int copy) {
    const Places its = places_of(row, cut, rank).part(copy, copy_packs);
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
    const Places its = places_of(row, cut, rank);
    if (its.packs() > 0) prefetch_into_l2(begin_of(in, row, cut) + its.first, its.packs() * 16);
    note(row, 0);
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
    // Tells the warp's moments of the row to come.
    const auto tell = [&] {
      wait_for(&arrived[coming_place.place][warp / kWarpsOfACopy], coming_place.phase);
      const TeamShare& share = rows_there[coming_place.place];
      const Places its = share.places.part(warp, portion_packs);
      const float count = its.packs() * kPack + (warp == 0 ? share.edges : 0);
      const uint4* const portion = portions + coming_place.place * share_packs;
      Pack<T> held[kTeamPacks];
#pragma unroll
      for (int p = 0; p < kTeamPacks; ++p) {
        uint4 words = make_uint4(0, 0, 0, 0);
        if (its.has(p * 32 + lane)) words = portion[p * 32 + lane];
        held[p] = *reinterpret_cast<const Pack<T>*>(&words);
      }
      float sum = widened(edge);
#pragma unroll
      for (int p = 0; p < kTeamPacks; ++p) sum += add_values(0.0f, held[p]);
      const float mean = count > 0.0f ? __fdividef(warp_sum(sum), count) : 0.0f;
      float squares = 0.0f;
      const bool has_edge = has_edges && edge_column<T>(coming.cut(), columns) >= 0;
      if (has_edge) squares = (widened(edge) - mean) * (widened(edge) - mean);
#pragma unroll
      for (int p = 0; p < kTeamPacks; ++p) {
        const float of_pack = add_squares(0.0f, held[p], mean);
        squares += its.has(p * 32 + lane) ? of_pack : 0.0f;
      }
      squares = warp_sum(squares);
      if (lane == 0) {
        turns.means[coming_slot.place][warp] = mean;
        turns.m2s[coming_slot.place][warp] = squares;
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
      const TeamShare& share = rows_there[place.place];
      const Places its = share.places.part(warp, portion_packs);
      const uint4* const portion = portions + place.place * share_packs;
      uint4* const results = share.results + warp * portion_packs;
      wait_for(&turns.known[slot.place], slot.phase);
      const float mean = turns.mean[slot.place];
      const float scale = turns.scale[slot.place];
      const int first_weight = warp * portion_packs + share.first_weight;
      if (kWhole) {
#pragma unroll
        for (int p = 0; p < kTeamPacks; ++p) {
          const int index = p * 32 + lane;
          if (!its.has(index)) continue;
          const int i = first_weight + index;
          const uint4 words = portion[index];
          const Pack<T> pack = normalized(*reinterpret_cast<const Pack<T>*>(&words), mean, scale, kept_pack(weights, i),
                                          kept_pack(biases, i));
          results[index] = *reinterpret_cast<const uint4*>(&pack);
        }
      } else {
        put_out_by_pairs<T>(results, portion, its, mean, scale, weights + first_weight, biases + first_weight,
                            share.head);
      }
      if (has_edges) {
        const int column = edge_column<T>(row.cut(), columns);
        if (column >= 0) {
          out[row.begin + column] = normalized(edges[place.place][lane], mean, scale, edge_weights.at(column, columns),
                                               edge_biases.at(column, columns));
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
      if (!has_weights) {
        wait_for(&weights_there, 0);
        if (!kWhole) {   // vectors do not begin where packs do
          for (int i = threadIdx.x; i < weight_packs; i += kWarps * 32) pair_up(weights[i], biases[i]);
          meet_at_barrier_1<kWarps * 32>();
        }
        has_weights = true;
      }
      put_out();
      --told;
    }
  } else if (warp == kWarps) {
    // Joins the moments of the block's warps, and tells the team.
    RingPlace slot = {0, 0};
    unsigned turn = history->turns_before();
    for (; row.left > 0; row.next(), slot.next(kTurnsTold)) {
      ++turn;
      const Cut cut = row.cut();
      const Places its_places = places_of(row, cut, rank).part(lane, portion_packs);
      const float count = its_places.packs() * kPack + (rank == 0 && lane == 0 ? cut.head + cut.tail : 0);
      const float all = count_of_block(row, cut, rank);
      wait_for(&turns.summed[slot.place], slot.phase);
      const float its_mean = lane < kWarps ? turns.means[slot.place][lane] : 0.0f;
      const float mean = all > 0.0f ? __fdividef(warp_sum(count * its_mean), all) : 0.0f;
      const float apart = its_mean - mean;
      float squares = count > 0.0f ? turns.m2s[slot.place][lane] + count * (apart * apart) : 0.0f;
      squares = warp_sum(squares);
      if (lane == 0) store_part(team_parts + slot.place * team_blocks + rank, {turn, mean, turn, squares});
    }
  } else if (warp == kWarps + 1) {
    if (!kWhole) {
      edge_weights.init(weight, columns, lane);
      edge_biases.init(bias, columns, lane);
      // A copy brings whole packs.
      const int index = columns / kPack - first_weight_pack;
      if (lane < columns % kPack && index >= 0 && index < weight_packs) {
        weights[index].values[lane] = weight[columns / kPack * kPack + lane];
        biases[index].values[lane] = bias[columns / kPack * kPack + lane];
      }
    }
    arrive(&weights_there);
    // Listens to the team, and tells the block's warps.
    RingPlace slot = {0, 0};
    unsigned turn = history->turns_before();
    for (; row.left > 0; row.next(), slot.next(kTurnsTold)) {
      ++turn;
      const Cut cut = row.cut();
      float counts[kTeamParts];
#pragma unroll
      for (int i = 0; i < kTeamParts; ++i) {
        counts[i] = i * 32 + lane < team_blocks ? count_of_block(row, cut, i * 32 + lane) : 0.0f;
      }
      TeamPart its[kTeamParts];
      wait_for_parts(its, team_parts + slot.place * team_blocks, team_blocks, turn);
      float sum = 0.0f;
#pragma unroll
      for (int i = 0; i < kTeamParts; ++i) {
        if (i * 32 >= team_blocks) break;
        if (counts[i] > 0.0f) sum += counts[i] * its[i].mean;
      }
      const float mean = __fdividef(warp_sum(sum), columns);
      float squares = 0.0f;
#pragma unroll
      for (int i = 0; i < kTeamParts; ++i) {
        if (i * 32 >= team_blocks) break;
        const float apart = counts[i] > 0.0f ? its[i].mean - mean : 0.0f;
        if (counts[i] > 0.0f) squares += its[i].m2 + counts[i] * (apart * apart);
      }
      squares = warp_sum(squares);
      if (lane == 0) {
        turns.mean[slot.place] = mean;
        turns.scale[slot.place] = scale_of(squares / (float)columns, epsilon);
        arrive(&turns.known[slot.place]);
      }
    }
  } else if (lane == 0 && row.left > 0) {
    // Asks for the other rows. A copy waits until the same one of two rows before has come, and for its place.
    const auto ask_for_weights = [&] {
      const int before = rank == 0 ? kPacksOfALine : 0;   // the row
      const int from = first_weight_pack + before;
      const int packs = packs_of_part(columns / kPack - from, 0, weight_packs - before);
      arrive_expecting(&weights_there, 2 * packs * 16);
      if (packs == 0) return;
      start_copy(weights + before, weight + from * kPack, packs * 16, &weights_there);
      start_copy(biases + before, bias + from * kPack, packs * 16, &weights_there);
    };
    if (row.left == 1) ask_for_weights();
    RingPlace before = {0, 0}, place = {0, 0};
    row.next();
    place.next(rows_kept);
    for (int turn = 1; row.left > 0; ++turn, row.next(), place.next(rows_kept)) {
      if (turn > kRowsUnderWay) before.next(rows_kept);
      if (turn >= rows_kept) wait_for(&freed[place.place], place.phase ^ 1);
      note(row, place.place);
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
