// Layer norm of long rows, each shared by a team of blocks anywhere on the GPU. GPUs of sm_90 and later; not emulated.
// Arguments as in kernels.cuh; in and out lie equally far past a multiple of 16 bytes.

// A team's blocks follow each other; team t takes rows t, t + teams, … All blocks run at once. A block's share of a row
// is share_packs packs, a multiple of 8 up to 32 * kWarps * kTeamPacks, or what is left; it has rows_kept shares in
// shared memory, kTurnsAhead + 2 to kMostRowsKept, on their way or waiting to be normalized. A team has at most
// 32 * kTeamParts blocks. parts: kTurnsTold for each block. told: kTurnsTold counters for each
// team, and one of blocks that have ended; all are 0 before a launch and after it. blockDim.x: kWarps * 32 + 64.
// Dynamic shared memory, in packs: rows_kept * share_packs, and 2 * (share_packs + 1) for weights and biases.
//
// Compared with layer_norm_bulk_copies: a team may have more blocks than a cluster, so a share is small enough for four
// rows. No warp waits for the others of its block: each copies its own portion of a row, and tells its moments; one more
// warp joins those and tells the team, and one listens to it. Both are two turns ahead.
//
// Launches overlap. The next kernel is let in at once: it finds no room before a block has ended. Until the kernel before
// has ended, only the first row is prefetched.
template <class T, bool kWhole, int kWarps>
__global__ void __launch_bounds__(kWarps * 32 + 64)
    layer_norm_team(const T* in, const T* weight, const T* bias, T* out, long long rows, int columns, float epsilon,
                    int team_blocks, int share_packs, int rows_kept, float2* parts, unsigned* told) {
  constexpr int kPack = kPackOf<T>;
  extern __shared__ __align__(128) uint4 shares[];
  __shared__ unsigned long long arrived[kMostRowsKept][kWarps];
  __shared__ TeamTurns<kWarps> turns;
  __shared__ EdgeWeights<T> edge_weights;
  __shared__ EdgeWeights<T> edge_biases;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int teams = gridDim.x / team_blocks;
  const int team = blockIdx.x / team_blocks;
  const int rank = blockIdx.x - team * team_blocks;
  const int portion_packs = (share_packs + 8 * kWarps - 1) / (8 * kWarps) * 8;   // of a warp, at most
  Pack<T>* const weights = reinterpret_cast<Pack<T>*>(shares + rows_kept * share_packs);
  Pack<T>* const biases = weights + share_packs + 1;
  float2* const team_parts = parts + team * team_blocks * kTurnsTold;
  unsigned* const team_told = told + team * kTurnsTold;
  TeamRow<T, kWhole> row(in, rows, columns, team, teams);
  // The values of a row that a block has, and a warp of this one.
  const auto count_of_block = [&](const Cut& cut, int block) {
    return packs_of_part(cut.packs, block, share_packs) * kPack + (block == 0 ? cut.head + cut.tail : 0);
  };
  const auto packs_of_warp = [&](const Cut& cut, int warp) {
    return packs_of_part(packs_of_part(cut.packs, rank, share_packs), warp, portion_packs);
  };
  const auto count_of_warp = [&](const Cut& cut, int warp) {
    return packs_of_warp(cut, warp) * kPack + (rank == 0 && warp == 0 ? cut.head + cut.tail : 0);
  };

  uint4* const portions = shares + warp * portion_packs;
  const int first_pack = rank * share_packs + warp * portion_packs;
  // By one lane: the warp's portion of a row that is there, in global memory.
  const auto portion_of = [&](const TeamRow<T, kWhole>& row) {
    return in + row.begin + row.cut().head + first_pack * kPack;
  };
  // By one lane: starts copying it.
  const auto start = [&](const TeamRow<T, kWhole>& row, int place) {
    const int packs = packs_of_warp(row.cut(), warp);
    arrive_expecting(&arrived[place][warp], packs * 16);
    if (packs == 0) return;
    start_copy(portions + place * share_packs, portion_of(row), packs * 16, &arrived[place][warp]);
  };
  // A warp alone uses its barriers in `arrived`.
  if (lane == 0 && warp < kWarps) {
    for (int place = 0; place < rows_kept; ++place) init_barrier(&arrived[place][warp], 1);
    publish_barriers();
    const int packs = row.left > 0 ? packs_of_warp(row.cut(), warp) : 0;
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
  if (warp > kWarps) {
    edge_weights.init(weight, columns, lane);
    edge_biases.init(bias, columns, lane);
  }
  load_share(weights, weight, rank * share_packs, share_packs + 1, columns);
  load_share(biases, bias, rank * share_packs, share_packs + 1, columns);
  __syncthreads();

  if (warp < kWarps) {
    const bool has_edges = !kWhole && rank == 0 && warp == 0;
    // This thread's value of head or tail.
    const auto edge_of = [&](const TeamRow<T, kWhole>& row) {
      const int column = has_edges && row.left > 0 ? edge_column<T>(row.cut(), columns) : -1;
      return column >= 0 ? in[row.begin + column] : narrowed<T>(0.0f);
    };
    // The warp's moments of a row that is there.
    const auto tell = [&](const TeamRow<T, kWhole>& row, const RingPlace& kept, int slot, T edge) {
      const Cut cut = row.cut();
      const int packs = packs_of_warp(cut, warp);
      const int count = count_of_warp(cut, warp);
      wait_for(&arrived[kept.place][warp], kept.phase);
      Pack<T> held[kTeamPacks];
#pragma unroll
      for (int p = 0; p < kTeamPacks; ++p) {
        const int index = p * 32 + lane;
        uint4 words = make_uint4(0, 0, 0, 0);
        if (index < packs) words = portions[kept.place * share_packs + index];
        held[p] = *reinterpret_cast<const Pack<T>*>(&words);
      }
      float sum = widened(edge);
#pragma unroll
      for (int p = 0; p < kTeamPacks; ++p) sum += add_values(0.0f, held[p]);
      const float mean = count > 0 ? warp_sum(sum) / (float)count : 0.0f;
      float squares = 0.0f;
      if (has_edges && edge_column<T>(cut, columns) >= 0) squares = (widened(edge) - mean) * (widened(edge) - mean);
#pragma unroll
      for (int p = 0; p < kTeamPacks; ++p) {
        keep_packed<T>(held[p]);
        if (p * 32 + lane < packs) squares += add_squares(0.0f, held[p], mean);
      }
      squares = warp_sum(squares);
      if (lane == 0) {
        turns.means[slot][warp] = mean;
        turns.m2s[slot][warp] = squares;
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
      const int packs = packs_of_warp(cut, warp);
      wait_for(&turns.known[known.place], known.phase);
      const float mean = turns.mean[known.place];
      const float scale = turns.scale[known.place];
      Pack<T>* const results = reinterpret_cast<Pack<T>*>(out + row.begin + cut.head) + first_pack;
#pragma unroll
      for (int p = 0; p < kTeamPacks; ++p) {
        const int index = p * 32 + lane;
        if (index < packs) {
          const int i = warp * portion_packs + index;
          Pack<T> factors = kept_pack(weights, i);
          Pack<T> terms = kept_pack(biases, i);
          if (!kWhole && cut.head > 0) {
            factors = part_of(factors, kept_pack(weights, i + 1), cut.head);
            terms = part_of(terms, kept_pack(biases, i + 1), cut.head);
          }
          const uint4 words = portions[place.place * share_packs + index];
          results[index] = normalized(*reinterpret_cast<const Pack<T>*>(&words), mean, scale, factors, terms);
        }
      }
      if (has_edges) {
        const int column = edge_column<T>(cut, columns);
        if (column >= 0) {
          out[row.begin + column] = normalized(edges[0], mean, scale, edge_weights.at(column, columns),
                                               edge_biases.at(column, columns));
        }
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
    // Joins the moments of the block's warps, and tells the team.
    RingPlace turn = {0, 0};
    for (; row.left > 0; row = row.ahead(1), turn.next(kTurnsTold)) {
      const int slot = turn.place;
      const Cut cut = row.cut();
      wait_for(&turns.summed[slot], turn.phase);
      const float count = lane < kWarps ? count_of_warp(cut, lane) : 0.0f;
      const float its_mean = lane < kWarps ? turns.means[slot][lane] : 0.0f;
      const float all = count_of_block(cut, rank);
      const float mean = all > 0.0f ? warp_sum(count * its_mean) / all : 0.0f;
      const float apart = its_mean - mean;
      float squares = count > 0.0f ? turns.m2s[slot][lane] + count * (apart * apart) : 0.0f;
      squares = warp_sum(squares);
      if (lane == 0) {
        store_part(team_parts + slot * team_blocks + rank, make_float2(mean, squares));
        count_up(team_told + slot);
      }
    }
  } else {
    // Listens to the team, and tells the block's warps.
    RingPlace turn = {0, 0};
    unsigned expected = team_blocks;
    for (; row.left > 0; row = row.ahead(1)) {
      const int slot = turn.place;
      const Cut cut = row.cut();
      while (count_of(team_told + slot) < expected) {}
      float2 its[kTeamParts];
      float sum = 0.0f;
#pragma unroll
      for (int i = 0; i < kTeamParts; ++i) {
        const int block = i * 32 + lane;
        its[i] = make_float2(0.0f, 0.0f);
        if (block < team_blocks) its[i] = load_part(team_parts + slot * team_blocks + block);
      }
#pragma unroll
      for (int i = 0; i < kTeamParts; ++i) {
        if (i * 32 + lane < team_blocks) sum += count_of_block(cut, i * 32 + lane) * its[i].x;
      }
      const float mean = warp_sum(sum) / (float)columns;
      float squares = 0.0f;
#pragma unroll
      for (int i = 0; i < kTeamParts; ++i) {
        const float apart = its[i].x - mean;
        const float count = i * 32 + lane < team_blocks ? count_of_block(cut, i * 32 + lane) : 0.0f;
        if (count > 0.0f) squares += its[i].y + count * (apart * apart);
      }
      squares = warp_sum(squares);
      if (lane == 0) {
        turns.mean[slot] = mean;
        turns.scale[slot] = scale_of(squares / (float)columns, epsilon);
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
