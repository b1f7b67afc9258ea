// Softmax of long rows, each shared by a team of blocks anywhere on the GPU. GPUs of sm_90 and later; not emulated.
// Arguments as in kernels.cuh; in and out lie equally far past a multiple of 16 bytes.

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
// kTeamPacks, or what is left; it has rows_kept shares in shared memory, up to kMostRowsKept, on their way or waiting
// for the row's sum. parts: kTurnsTold for each block; history: one. Both are 0 before the first launch.
// rows_leave_first: L2 is asked to evict first what was read of them, to leave room for results, and else last.
// blockDim.x: 2 * kWarps * 32 + 96. Dynamic shared memory, in packs: rows_kept * share_packs.
//
// Compared with softmax_bulk_copies: a team may have more blocks than a cluster, so a share is small enough for three
// rows. A block's warps have one task each, and there is no barrier of the block between rows. One asks for rows, so
// that two are under way, notes where they lie, and brings values that lie in no pack. kWarps tell the pair of their
// portions, of up to kMostTold rows before the first of them is known, and as many others put portions out. One joins
// those pairs and tells the team. One listens to it, and puts out values in no pack.
//
// Launches overlap. The next kernel is let in at once: it finds no room before a block has ended. Until the kernel
// before has ended, only the first row is prefetched.
template <class T, bool kWhole, int kWarps>
__global__ void __launch_bounds__(kWarps * 64 + 96)
    softmax_team(const T* in, T* out, int rows, int columns, int share_packs, int rows_kept, bool rows_leave_first,
                 TeamPart* parts, TeamHistory* history) {
  constexpr int kPack = kPackOf<T>;
  constexpr int kCopies = KeptRow<kWarps>::kCopies;   // of a row
  extern __shared__ __align__(128) uint4 shares[];
  __shared__ KeptRow<kWarps> kept_rows[kMostRowsKept];
  __shared__ T edges[kMostRowsKept][2 * kPack];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int team_blocks = gridDim.x;
  const int rank = blockIdx.x;
  const bool has_edges = !kWhole && rank == 0;   // values of a row that lie in no pack
  const int portion_packs = (share_packs + 32 * kWarps - 1) / (32 * kWarps) * 32;   // of a warp, at most
  const int copy_packs = kWarpsOfACopy * portion_packs;
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
  const auto note = [&](const Cut& cut, int place) { kept_rows[place].share = {first_value(cut), places_of(cut)}; };

  // Warps make ready at once, the barriers of one row each: one warp alone took 67 MB of 12289 halves from 84 % of a
  // copy's bandwidth to 80 on an H200 (layer norm). There are more warps than rows_kept. The first one of each copy asks
  // for the first row's.
  const bool asks_first = warp < kWarps && warp % kWarpsOfACopy == 0;
  if (warp < rows_kept && lane == 0) {
    kept_rows[warp].init(has_edges);
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
    // Tells the pair of its portion of each row.
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
      uint4 held[kTeamPacks];
#pragma unroll
      for (int p = 0; p < kTeamPacks; ++p) {
        held[p] = as_words(minus_infinities<T>());
        if (its.has(p * 32 + lane)) held[p] = portion[p * 32 + lane];
      }
      float largest = max_xor<32>(largest_in<T>(held));
      // A portion may hold nothing but minus infinity while its row does not: exp then makes each 0.
      const float from = finite_or_zero(largest);
      float sum = 0.0f;
#pragma unroll
      for (int p = 0; p < kTeamPacks; ++p) {
        if (p % 2 == 0 && p * 32 >= its.end) break;   // others have none
        sum += sum_of_exponentials(as_pack<T>(held[p]), from);
      }
      sum = sum_xor<32>(sum);
      if (lane == 0) {
        kept.maxima[warp] = largest;
        kept.sums[warp] = sum;
      }
      arrive(&kept.summed);
    }
  } else if (warp < 2 * kWarps) {
    // Puts out its portion of each row, once all of the row is known.
    const int part = warp - kWarps;
    const uint4* const portions = shares + part * portion_packs;
    RingPlace place = {0, 0};
    for (; row.left > 0; --row.left, place.next(rows_kept)) {
      KeptRow<kWarps>& kept = kept_rows[place.place];
      // What its copies have brought is seen by those who wait for them.
      wait_for(&kept.arrived[part / kWarpsOfACopy], place.phase);
      wait_for(&kept.known, place.phase);
      const Places its = kept.share.places.part(part, portion_packs);
      const uint4* const portion = portions + place.place * share_packs;
      uint4* const results = reinterpret_cast<uint4*>(out + kept.share.first_value) + part * portion_packs;
      const float largest = kept.largest;
      const float scale = kept.scale;
      for (int begin = lane; begin < its.end; begin += kBatch * 32) {
        uint4 batch[kBatch];
#pragma unroll
        for (int p = 0; p < kBatch; ++p) {
          if (begin + p * 32 < its.end) batch[p] = portion[begin + p * 32];
        }
#pragma unroll
        for (int p = 0; p < kBatch; ++p) {
          if (!its.has(begin + p * 32)) continue;
          const Pack<T> pack = exponentials(as_pack<T>(batch[p]), largest, scale);
          results[begin + p * 32] = *reinterpret_cast<const uint4*>(&pack);
        }
      }
      arrive(&kept.freed);
    }
  } else if (warp == 2 * kWarps) {
    // Joins the pairs of the block's warps, and values in no pack, and tells the team.
    RingPlace place = {0, 0}, slot = {0, 0};
    unsigned turn = history->turns_before();
    for (; row.left > 0; row.next(), place.next(rows_kept), slot.next(kTurnsTold)) {
      ++turn;
      const bool has_edge = has_edges && edge_column<T>(row.cut(), columns, lane) >= 0;
      KeptRow<kWarps>& kept = kept_rows[place.place];
      wait_for(&kept.summed, place.phase);
      MaxSum its[2] = {{-INFINITY, 0.0f}, {-INFINITY, 0.0f}};
      if (lane < kWarps) its[0] = {kept.maxima[lane], kept.sums[lane]};
      if (has_edge) its[1] = {widened(edges[place.place][lane]), 1.0f};
      const MaxSum pair = joined(its);
      arrive(&kept.freed);
      if (lane > 0) continue;
      if (team_blocks == 1) {
        kept.tell_known(pair.max, 1.0f / pair.sum);
      } else {
        store_part(team_parts + slot.place * team_blocks + rank, {turn, pair.max, turn, pair.sum});
      }
    }
  } else if (warp == 2 * kWarps + 1) {
    const auto put_out_edges = [&](int place, float largest, float scale) {
      const int column = edge_column<T>(row.cut(), columns, lane);
      if (column >= 0) {
        out[row.begin + column] = narrowed<T>(flushed_exp(widened(edges[place][lane]) - largest) * scale);
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
        put_out_edges(place.place, kept.largest, kept.scale);
        continue;
      }
      TeamPart its[kTeamParts];
      wait_for_parts(its, team_parts + slot.place * team_blocks, team_blocks, turn);
      wait_for(&kept.summed, place.phase);   // what its warps have told and brought is seen by those who wait for it
      MaxSum pairs[kTeamParts];
#pragma unroll
      for (int i = 0; i < kTeamParts; ++i) {
        pairs[i] = {-INFINITY, 0.0f};
        if (i * 32 + lane < team_blocks) pairs[i] = {its[i].max, its[i].sum};
      }
      const MaxSum pair = joined(pairs);
      const float scale = 1.0f / pair.sum;
      if (lane == 0) kept.tell_known(pair.max, scale);
      if (has_edges) put_out_edges(place.place, pair.max, scale);
    }
  } else if (lane == 0 || has_edges) {
    // Asks for rows, the first of which is under way, and brings values in no pack. A copy waits until the same one of
    // two rows before has come, and for its place.
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
      if (!has_edges) continue;
      if (column >= 0) edges[place.place][lane] = edge;
      arrive(&kept_rows[place.place].summed);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) history->end(gridDim.x * gridDim.y, (rows + gridDim.y - 1) / gridDim.y);
}
