// Softmax of long rows, each shared by a team of blocks anywhere on the GPU. GPUs of sm_90 and later; not emulated.
// Arguments as in kernels.cuh; in and out lie equally far past a multiple of 16 bytes.

template <class T>
__device__ __forceinline__ float sum_of_exponentials(const Pack<T>& pack, float largest) {
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < kPackOf<T>; k += 2) {
    const float2 pair = widened_pair<T>(pack.values + k);
    sum += __expf(pair.x - largest);
    sum += __expf(pair.y - largest);
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
    narrow_pair<T>(make_float2(__expf(pair.x - largest) * scale, __expf(pair.y - largest) * scale), results.values + k);
  }
  return results;
}

// A team's blocks follow each other; team t takes rows t, t + teams, … All blocks run at once. A block's share of a row
// is share_packs packs, a multiple of 8 up to 32 * kWarps * kTeamPacks, or what is left; it has rows_kept shares in
// shared memory, kTurnsAhead + 2 to kMostRowsKept, on their way or waiting for the row's sum. A team has at most
// 32 * kTeamParts blocks. parts: kTurnsTold for each block. told: kTurnsTold counters for each
// team, and one of blocks that have ended; all are 0 before a launch and after it. blockDim.x: kWarps * 32 + 64.
// Dynamic shared memory: rows_kept * share_packs packs.
//
// Compared with softmax_bulk_copies: a team may have more blocks than a cluster, so a share is small enough for four
// rows. No warp waits for the others of its block: each copies its own portion of a row, and tells its pair; one more
// warp joins those and tells the team, and one listens to it. Both are two turns ahead.
//
// Launches overlap. The next kernel is let in at once: it finds no room before a block has ended. Until the kernel before
// has ended, only the first row is prefetched.
template <class T, bool kWhole, int kWarps>
__global__ void __launch_bounds__(kWarps * 32 + 64)
    softmax_team(const T* in, T* out, long long rows, int columns, int team_blocks, int share_packs, int rows_kept,
                 MaxSum* parts, unsigned* told) {
  constexpr int kPack = kPackOf<T>;
  extern __shared__ __align__(128) uint4 shares[];
  __shared__ unsigned long long arrived[kMostRowsKept][kWarps];
  __shared__ TeamTurns<kWarps> turns;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int teams = gridDim.x / team_blocks;
  const int team = blockIdx.x / team_blocks;
  const int rank = blockIdx.x - team * team_blocks;
  const int portion_packs = (share_packs + 8 * kWarps - 1) / (8 * kWarps) * 8;   // of a warp, at most
  MaxSum* const team_parts = parts + team * team_blocks * kTurnsTold;
  unsigned* const team_told = told + team * kTurnsTold;
  TeamRow<T, kWhole> row(in, rows, columns, team, teams);
  const auto packs_of_warp = [&](const Cut& cut) {
    return packs_of_part(packs_of_part(cut.packs, rank, share_packs), warp, portion_packs);
  };

  uint4* const portions = shares + warp * portion_packs;
  const int first_pack = rank * share_packs + warp * portion_packs;
  // By one lane: the warp's portion of a row that is there, in global memory.
  const auto portion_of = [&](const TeamRow<T, kWhole>& row) {
    return in + row.begin + row.cut().head + first_pack * kPack;
  };
  // By one lane: starts copying it.
  const auto start = [&](const TeamRow<T, kWhole>& row, int place) {
    const int packs = packs_of_warp(row.cut());
    arrive_expecting(&arrived[place][warp], packs * 16);
    if (packs == 0) return;
    start_copy(portions + place * share_packs, portion_of(row), packs * 16, &arrived[place][warp]);
  };
  // A warp alone uses its barriers in `arrived`.
  if (lane == 0 && warp < kWarps) {
    for (int place = 0; place < rows_kept; ++place) init_barrier(&arrived[place][warp], 1);
    publish_barriers();
    const int packs = row.left > 0 ? packs_of_warp(row.cut()) : 0;
    if (packs > 0) prefetch_into_l2(portion_of(row), packs * 16);
  }
  if (lane == 0 && warp == kWarps) {
    turns.init();
    publish_barriers();
  }
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
  if (lane == 0 && warp < kWarps) {
    for (int turn = 0; turn < rows_kept && turn < row.left; ++turn) start(row.ahead(turn), turn);
  }
  __syncthreads();

  if (warp < kWarps) {
    const bool has_edges = !kWhole && rank == 0 && warp == 0;
    // This thread's value of head or tail.
    const auto edge_of = [&](const TeamRow<T, kWhole>& row) {
      const int column = has_edges && row.left > 0 ? edge_column<T>(row.cut(), columns) : -1;
      return column >= 0 ? in[row.begin + column] : narrowed<T>(-INFINITY);
    };
    // The warp's pair of a row that is there.
    const auto tell = [&](const TeamRow<T, kWhole>& row, const RingPlace& kept, int slot, T edge) {
      const int packs = packs_of_warp(row.cut());
      wait_for(&arrived[kept.place][warp], kept.phase);
      Pack<T> held[kTeamPacks];
#pragma unroll
      for (int p = 0; p < kTeamPacks; ++p) {
        held[p] = minus_infinities<T>();
        const int index = p * 32 + lane;
        if (index < packs) held[p] = kept_pack<T>(portions + kept.place * share_packs, index);
      }
      float largest = widened(edge);
#pragma unroll
      for (int p = 0; p < kTeamPacks; ++p) largest = largest_of(largest, held[p]);
      largest = max_xor<32>(largest);
      // A portion may hold nothing but minus infinity while its row does not: exp then makes each 0.
      const float from = largest > -INFINITY ? largest : 0.0f;
      float sum = __expf(widened(edge) - from);
#pragma unroll
      for (int p = 0; p < kTeamPacks; ++p) {
        keep_packed(held[p]);
        sum += sum_of_exponentials(held[p], from);
      }
      sum = sum_xor<32>(sum);
      if (lane == 0) {
        turns.maxima[slot][warp] = largest;
        turns.sums[slot][warp] = sum;
        arrive(&turns.summed[slot]);
      }
    };
    RingPlace told_place = {0, 0}, place = {0, 0}, known = {0, 0};
    int slot = 0;   // to tell in
    T edges[kTurnsAhead + 1];
#pragma unroll
    for (int turn = 0; turn <= kTurnsAhead; ++turn) edges[turn] = edge_of(row.ahead(turn));
#pragma unroll
    for (int turn = 0; turn < kTurnsAhead; ++turn) {
      if (turn < row.left) tell(row.ahead(turn), told_place, slot, edges[turn]);
      told_place.next(rows_kept);
      ++slot;
    }
    for (; row.left > 0; row = row.ahead(1)) {
      const T coming_edge = edge_of(row.ahead(kTurnsAhead + 1));
      if (row.left > kTurnsAhead) tell(row.ahead(kTurnsAhead), told_place, slot, edges[kTurnsAhead]);
      told_place.next(rows_kept);
      slot = slot + 1 < kTurnsTold ? slot + 1 : 0;

      const Cut cut = row.cut();
      const int packs = packs_of_warp(cut);
      wait_for(&turns.known[known.place], known.phase);
      const float largest = turns.largest[known.place];
      const float scale = turns.scale[known.place];
      Pack<T>* const results = reinterpret_cast<Pack<T>*>(out + row.begin + cut.head) + first_pack;
#pragma unroll
      for (int p = 0; p < kTeamPacks; ++p) {
        const int index = p * 32 + lane;
        if (index < packs) {
          results[index] = exponentials(kept_pack<T>(portions + place.place * share_packs, index), largest, scale);
        }
      }
      if (has_edges) {
        const int column = edge_column<T>(cut, columns);
        if (column >= 0) out[row.begin + column] = narrowed<T>(__expf(widened(edges[0]) - largest) * scale);
      }
#pragma unroll
      for (int e = 0; e < kTurnsAhead; ++e) edges[e] = edges[e + 1];
      edges[kTurnsAhead] = coming_edge;
      __syncwarp();
      if (lane == 0 && row.left > rows_kept) start(row.ahead(rows_kept), place.place);
      place.next(rows_kept);
      known.next(kTurnsTold);
    }
  } else if (warp == kWarps) {
    // Merges the pairs of the block's warps, and tells the team.
    RingPlace turn = {0, 0};
    for (; row.left > 0; row = row.ahead(1), turn.next(kTurnsTold)) {
      const int slot = turn.place;
      wait_for(&turns.summed[slot], turn.phase);
      MaxSum pair = {-INFINITY, 0.0f};
      if (lane < kWarps) pair = {turns.maxima[slot][lane], turns.sums[slot][lane]};
      pair = merge_xor<32>(pair);
      if (lane == 0) {
        store_part(team_parts + slot * team_blocks + rank, pair);
        count_up(team_told + slot);
      }
    }
  } else {
    // Listens to the team, and tells the block's warps.
    RingPlace turn = {0, 0};
    unsigned expected = team_blocks;
    for (; row.left > 0; row = row.ahead(1)) {
      const int slot = turn.place;
      while (count_of(team_told + slot) < expected) {}
      MaxSum its[kTeamParts];
#pragma unroll
      for (int i = 0; i < kTeamParts; ++i) {
        const int block = i * 32 + lane;
        its[i] = {-INFINITY, 0.0f};
        if (block < team_blocks) its[i] = load_part(team_parts + slot * team_blocks + block);
      }
      MaxSum pair = its[0];
#pragma unroll
      for (int i = 1; i < kTeamParts; ++i) pair = merge(pair, its[i]);
      pair = merge_xor<32>(pair);
      if (lane == 0) {
        turns.largest[slot] = pair.max;
        turns.scale[slot] = 1.0f / pair.sum;
        arrive(&turns.known[slot]);
      }
      turn.next(kTurnsTold);
      if (turn.place == 0) expected += team_blocks;
    }
  }
  // The last block of all leaves the counters as they were.
  __syncthreads();
  unsigned* const ended = told + teams * kTurnsTold;
  if (threadIdx.x == 0 && atomicAdd(ended, 1u) == teams * team_blocks - 1u) {
    for (unsigned* counter = told; counter <= ended; ++counter) *counter = 0;
  }
}
