// RMS norm of long rows, each shared by a team of blocks anywhere on the GPU. GPUs of sm_90 and later; not emulated.
// Arguments as in kernels.cuh; in and out lie equally far past a multiple of 16 bytes.

// Teams are the grid's rows: gridDim.y teams of gridDim.x blocks, 32 * kTeamParts at most; team t takes rows t, t +
// teams, … All blocks run at once. A block's share of a row is share_packs packs, a multiple of 8 up to 32 * kWarps *
// kTeamPacks, or what is left; it has rows_kept shares in shared memory, up to kMostRowsKept, on their way or waiting
// to be normalized. parts: kTurnsTold for each block; history: one. Both are 0 before the first launch.
// rows_leave_first: L2 is asked to evict first what was read of them, to leave room for results, and else last.
// blockDim.x: 2 * kWarps * 32 + 96. Dynamic shared memory, in packs: rows_kept * share_packs, and share_packs + 16 for
// weights.
//
// Compared with rms_norm_bulk_copies: a team may have more blocks than a cluster, so a share is small enough for three
// rows. A block's warps have one task each, and there is no barrier of the block between rows. One asks for rows, so
// that two are under way, notes where they lie, and brings values that lie in no pack. kWarps tell the sum of their
// portions, of up to kMostTold rows before the first of them is known, and as many others put portions out. One adds
// those sums up and tells the team. One listens to it, and puts out values in no pack.
//
// Launches overlap. The next kernel is let in at once: it finds no room before a block has ended. Until the kernel
// before has ended, only the first row is prefetched.
template <class T, bool kWhole, int kWarps>
__global__ void __launch_bounds__(kWarps * 64 + 96)
    rms_norm_team(const T* in, const T* weight, T* out, int rows, int columns, float epsilon, int share_packs,
                  int rows_kept, bool rows_leave_first, TeamPart* parts, TeamHistory* history) {
  constexpr int kPack = kPackOf<T>;
  constexpr int kCopies = KeptRow<kWarps>::kCopies;   // of a row
  extern __shared__ __align__(128) uint4 shares[];
  __shared__ KeptRow<kWarps> kept_rows[kMostRowsKept];
  __shared__ unsigned long long weights_there;
  __shared__ T edges[kMostRowsKept][2 * kPack];
  __shared__ EdgeWeights<T> edge_weights;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int team_blocks = gridDim.x;
  const int rank = blockIdx.x;
  const bool has_edges = !kWhole && rank == 0;   // values of a row that lie in no pack
  const int portion_packs = (share_packs + 32 * kWarps - 1) / (32 * kWarps) * 32;   // of a warp, at most
  const int copy_packs = kWarpsOfACopy * portion_packs;
  // Weights from a line before this block's first place on, to a pack after its last.
  const int first_weight_pack = rank * share_packs - kPacksOfALine;
  const int weight_packs = kPacksOfALine + share_packs + 1;
  Pack<T>* const weights = reinterpret_cast<Pack<T>*>(shares + rows_kept * share_packs);
  TeamPart* const team_parts = parts + blockIdx.y * team_blocks * kTurnsTold;
  TeamRow<T, kWhole> row(in, rows, columns, blockIdx.y, gridDim.y);
  // Where packs of the row lie among the places of this block.
  const auto places_of = [&](const Cut& cut) { return row.places(cut).part(rank, share_packs); };
  // Where the first of those places lies.
  const auto first_value = [&](const Cut& cut) {
    return row.begin + cut.head + (rank * share_packs - row.places(cut).first) * kPack;
  };
  // By one lane: asks for one of the row's copies.
  const auto ask_for = [&](const Cut& cut, int place, int copy) {
    const Places its = places_of(cut).part(copy, copy_packs);
    unsigned long long* const arrived = &kept_rows[place].arrived[copy];
    arrive_expecting(arrived, its.packs() * 16);
    if (its.packs() == 0) return;
    const int first = copy * copy_packs + its.first;
    start_copy(shares + place * share_packs + first, in + first_value(cut) + first * kPack, its.packs() * 16, arrived,
               rows_leave_first ? evict_first() : evict_last());
  };
  // By one lane, before: notes what others need to know of the row.
  const auto note = [&](const Cut& cut, int place) {
    kept_rows[place].share = {first_value(cut), places_of(cut), cut.head, kPacksOfALine - row.places(cut).first};
  };

  // Warps make ready at once, the barriers of one row each: one warp alone took 67 MB of 12289 halves from 84 % of a
  // copy's bandwidth to 80 on an H200 (layer norm). There are more warps than rows_kept. The first one of each copy asks
  // for the first row's.
  const bool asks_first = warp < kWarps && warp % kWarpsOfACopy == 0;
  if (warp < rows_kept && lane == 0) {
    kept_rows[warp].init(has_edges);
    if (warp == 0) init_barrier(&weights_there, 1 + 32);
    publish_barriers();
  } else if (warp == 2 * kWarps + 2 && lane == 0 && row.left > 0) {
    const Cut cut = row.cut();
    const Places its = places_of(cut);
    if (its.packs() > 0) prefetch_into_l2(in + first_value(cut) + its.first * kPack, its.packs() * 16);
    note(cut, 0);
  }
  cudaTriggerProgrammaticLaunchCompletion();
  __syncthreads();
  cudaGridDependencySynchronize();
  if (asks_first && lane == 0 && row.left > 0) ask_for(row.cut(), 0, warp / kWarpsOfACopy);

  if (warp < kWarps) {
    const uint4* const portions = shares + warp * portion_packs;
    // Tells the sum of its portion of each row.
    const int most_told = kMostTold < rows_kept ? kMostTold : rows_kept;
    RingPlace place = {0, 0}, before = {0, 0};
    for (int turn = 0; row.left > 0; ++turn, --row.left, place.next(rows_kept)) {
      if (turn >= most_told) {
        wait_for(&kept_rows[before.place].known, before.phase);
        before.next(rows_kept);
      }
      KeptRow<kWarps>& kept = kept_rows[place.place];
      wait_for(&kept.arrived[warp / kWarpsOfACopy], place.phase);
      const Places its = kept.share.places.part(warp, portion_packs);
      const uint4* const portion = portions + place.place * share_packs;
      float squares = 0.0f;
#pragma unroll
      for (int p = 0; p < kTeamPacks; ++p) {
        if (p % 2 == 0 && p * 32 >= its.end) break;   // others have none
        uint4 words = make_uint4(0, 0, 0, 0);
        if (its.has(p * 32 + lane)) words = portion[p * 32 + lane];
        squares += add_squares(0.0f, *reinterpret_cast<const Pack<T>*>(&words));
      }
      squares = warp_sum(squares);
      if (lane == 0) {
        kept.sums[warp] = squares;
      }
      arrive(&kept.summed);
    }
  } else if (warp < 2 * kWarps) {
    // Puts out its portion of each row, once all of the row is known.
    const int part = warp - kWarps;
    const uint4* const portions = shares + part * portion_packs;
    wait_for(&weights_there, 0);
    RingPlace place = {0, 0};
    for (; row.left > 0; --row.left, place.next(rows_kept)) {
      KeptRow<kWarps>& kept = kept_rows[place.place];
      // What its copies have brought is seen by those who wait for them.
      wait_for(&kept.arrived[part / kWarpsOfACopy], place.phase);
      wait_for(&kept.known, place.phase);
      const Places its = kept.share.places.part(part, portion_packs);
      const uint4* const portion = portions + place.place * share_packs;
      uint4* const results = reinterpret_cast<uint4*>(out + kept.share.first_value) + part * portion_packs;
      const int first_weight = part * portion_packs + kept.share.first_weight;
      const int head = kept.share.head;
      const float scale = kept.scale;
      for (int begin = lane; begin < its.end; begin += kBatch * 32) {
        uint4 batch[kBatch];
        Pack<T> factors[kBatch];
#pragma unroll
        for (int p = 0; p < kBatch; ++p) {
          const int index = begin + p * 32;
          if (index >= its.end) continue;
          batch[p] = portion[index];
          factors[p] = kept_pack(weights, first_weight + index);
          if (!kWhole && head > 0) factors[p] = part_of(factors[p], kept_pack(weights, first_weight + index + 1), head);
        }
#pragma unroll
        for (int p = 0; p < kBatch; ++p) {
          if (!its.has(begin + p * 32)) continue;
          const Pack<T> pack = normalized(*reinterpret_cast<const Pack<T>*>(&batch[p]), scale, factors[p]);
          results[begin + p * 32] = *reinterpret_cast<const uint4*>(&pack);
        }
      }
      arrive(&kept.freed);
    }
  } else if (warp == 2 * kWarps) {
    // Adds up the sums of the block's warps, and values in no pack, and tells the team.
    RingPlace place = {0, 0}, slot = {0, 0};
    unsigned turn = history->turns_before();
    for (; row.left > 0; row.next(), place.next(rows_kept), slot.next(kTurnsTold)) {
      ++turn;
      const bool has_edge = has_edges && edge_column<T>(row.cut(), columns, lane) >= 0;
      KeptRow<kWarps>& kept = kept_rows[place.place];
      wait_for(&kept.summed, place.phase);
      const float edge = has_edge ? widened(edges[place.place][lane]) : 0.0f;
      const float squares = warp_sum((lane < kWarps ? kept.sums[lane] : 0.0f) + edge * edge);
      arrive(&kept.freed);
      if (lane > 0) continue;
      if (team_blocks == 1) {
        kept.tell_known(scale_of(squares, columns, epsilon));
      } else {
        store_part(team_parts + slot.place * team_blocks + rank, {turn, squares});
      }
    }
  } else if (warp == 2 * kWarps + 1) {
    if (!kWhole) {
      edge_weights.init(weight, columns, lane);
      // A copy brings whole packs.
      const int index = columns / kPack - first_weight_pack;
      if (lane < columns % kPack && index >= 0 && index < weight_packs) {
        weights[index].values[lane] = weight[columns / kPack * kPack + lane];
      }
      __syncwarp();
    }
    arrive(&weights_there);
    const auto put_out_edges = [&](int place, float scale) {
      const int column = edge_column<T>(row.cut(), columns, lane);
      if (column >= 0) {
        out[row.begin + column] = normalized(edges[place][lane], scale, edge_weights.at(column, columns));
      }
      arrive(&kept_rows[place].freed);
    };
    // Listens to the team, tells the block's warps, and puts out values in no pack.
    RingPlace place = {0, 0}, slot = {0, 0};
    unsigned turn = history->turns_before();
    // In a team of one block, only the latter.
    for (; row.left > 0 && (team_blocks > 1 || has_edges); row.next(), place.next(rows_kept), slot.next(kTurnsTold)) {
      ++turn;
      KeptRow<kWarps>& kept = kept_rows[place.place];
      if (team_blocks == 1) {
        wait_for(&kept.known, place.phase);
        put_out_edges(place.place, kept.scale);
        continue;
      }
      TeamPart its[kTeamParts];
      wait_for_parts(its, team_parts + slot.place * team_blocks, team_blocks, turn);
      wait_for(&kept.summed, place.phase);   // what its warps have told and brought is seen by those who wait for it
      float squares = 0.0f;
#pragma unroll
      for (int i = 0; i < kTeamParts; ++i) {
        if (i * 32 >= team_blocks) break;
        if (i * 32 + lane < team_blocks) squares += its[i].sum;
      }
      squares = warp_sum(squares);
      const float scale = scale_of(squares, columns, epsilon);
      if (lane == 0) kept.tell_known(scale);
      if (has_edges) put_out_edges(place.place, scale);
    }
  } else if (lane == 0 || has_edges) {
    // Asks for rows, the first of which is under way, and brings values in no pack. A copy waits until the same one of
    // two rows before has come, and for its place.
    const auto ask_for_weights = [&] {
      const int before = rank == 0 ? kPacksOfALine : 0;   // the row
      const int from = first_weight_pack + before;
      const int packs = packs_of_part(columns / kPack - from, 0, weight_packs - before);
      arrive_expecting(&weights_there, packs * 16);
      if (packs == 0) return;
      start_copy(weights + before, weight + from * kPack, packs * 16, &weights_there);
    };
    RingPlace before = {0, 0}, place = {0, 0};
    for (int turn = 0; row.left > 0; ++turn, row.next(), place.next(rows_kept)) {
      if (turn > kRowsUnderWay) before.next(rows_kept);
      if (turn >= rows_kept) wait_for(&kept_rows[place.place].freed, place.phase ^ 1);
      const Cut cut = row.cut();
      const int column = has_edges ? edge_column<T>(cut, columns, lane) : -1;
      const T edge = column >= 0 ? in[row.begin + column] : narrowed<T>(0.0f);
      if (turn > 0 && lane == 0) {
        note(cut, place.place);
        for (int copy = 0; copy < kCopies; ++copy) {
          if (turn >= kRowsUnderWay) wait_for(&kept_rows[before.place].arrived[copy], before.phase);
          ask_for(cut, place.place, copy);
        }
      }
      if (lane == 0 && (turn == 1 || turn == 0 && row.left == 1)) ask_for_weights();
      if (!has_edges) continue;
      if (column >= 0) edges[place.place][lane] = edge;
      arrive(&kept_rows[place.place].summed);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) history->end(gridDim.x * gridDim.y, (rows + gridDim.y - 1) / gridDim.y);
}
