// Greedy non-maximum suppression: boxes in order of their scores; each is kept unless a box that is already kept
// overlaps it by more than a threshold.
//
// A box is (x1, y1, x2, y2). Overlap is intersection over union, in float, as in `suppresses`. An overlap equal to the
// threshold does not suppress; the threshold is 0 or more. Width is x2 - x1, without + 1: boxes that touch do not
// overlap, and a box without area overlaps no box. Of equal scores, the lower number comes first; -0 equals 0. A NaN in
// a box or score sets *status; then the kept boxes are meaningless, but all accesses stay in bounds.
//
// n: boxes, 1 or more. order: (n), their numbers in order of score. sorted: (n), the boxes in that order.

constexpr unsigned kFullWarp = 0xffffffffu;

__device__ __forceinline__ float area_of(float4 box) { return (box.z - box.x) * (box.w - box.y); }

// Would one of two boxes suppress the other, if it is kept and comes first? (a, b) and (b, a) give the same result, to
// the bit.
__device__ __forceinline__ bool suppresses(float4 a, float area_a, float4 b, float area_b, float threshold) {
  const float width = fminf(a.z, b.z) - fmaxf(a.x, b.x);
  const float height = fminf(a.w, b.w) - fmaxf(a.y, b.y);
  // Most pairs return here, without a division. 0 is not more than any threshold, and neither is 0 / 0.
  if (!(width > 0.0f && height > 0.0f)) return false;
  const float both = width * height;
  return both / (area_a + area_b - both) > threshold;
}

// ---- In order of score ---------------------------------------------------------------------------------------------

// A number that compares as the float does: -0 and 0 get the same one, every NaN one of its own.
__device__ __forceinline__ unsigned key_of(float score) {
  const unsigned bits = __float_as_uint(score + 0.0f);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__device__ __forceinline__ bool has_nan(float4 box, float score) {
  return isnan(box.x) || isnan(box.y) || isnan(box.z) || isnan(box.w) || isnan(score);
}

// A box's place in the order: the number of boxes before it. One warp a box, kBlock / 32 boxes a block. Each lane
// compares one other box at a time, and a ballot counts them. That is n comparisons a box, for some thousand boxes; for
// more, sort. *status is 0 before the launch, and 1 after it if there is a NaN.
template <int kBlock>
__global__ void rank_boxes(const float4* boxes, const float* scores, int* order, float4* sorted, unsigned* status,
                           int n) {
  const int lane = threadIdx.x % 32;
  const int box = blockIdx.x * (kBlock / 32) + threadIdx.x / 32;
  if (box >= n) return;
  const float score = scores[box];
  const unsigned key = key_of(score);
  int rank = 0;
  for (int first = 0; first < n; first += 32) {
    const int other = first + lane;
    bool before = false;
    if (other < n) {
      const unsigned other_key = key_of(scores[other]);
      before = other_key > key || (other_key == key && other < box);
    }
    const unsigned votes = __ballot_sync(kFullWarp, before);
    rank += __popc(votes);
  }
  if (lane != 0) return;
  const float4 corners = boxes[box];
  order[rank] = box;
  sorted[rank] = corners;
  if (has_nan(corners, score)) atomicOr(status, 1u);
}

// ---- One kernel, and wrong -----------------------------------------------------------------------------------------

// The widely copied form: one block, a thread for each box, and `kept` in shared memory. A thread reads whether its box
// is still kept, and suppresses the boxes that it overlaps. But at that moment another thread may be about to suppress
// this box. So the result depends on the order of the threads. n is at most 1024.
template <int kBlock>
__global__ void racing(const float4* sorted, const int* order, int* keep, int n, float threshold) {
  __shared__ int kept[1024];
  for (int i = threadIdx.x; i < n; i += kBlock) kept[i] = 1;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += kBlock) {
    const float4 box = sorted[i];
    if (kept[i]) {
      for (int j = i + 1; j < n; ++j) {
        const float4 other = sorted[j];
        if (suppresses(box, area_of(box), other, area_of(other), threshold)) kept[j] = 0;
      }
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += kBlock) keep[order[i]] = kept[i];
}

// ---- All pairs at once, then in order ------------------------------------------------------------------------------

// Whether two boxes overlap depends on no third box, so all pairs are compared at once. mask: (n, words), words of 32
// bits, words = (n + 31) / 32. Bit j of row i is set if i comes before j and would suppress it. A warp for each row,
// kBlock / 32 rows a block. Each lane compares one column at a time, and a ballot gives the word. Words before the one
// with the row's own bit are neither written nor read.
template <int kBlock>
__global__ void overlap_rows(const float4* sorted, unsigned* mask, int n, float threshold) {
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * (kBlock / 32) + threadIdx.x / 32;
  const int words = (n + 31) / 32;
  if (row >= n) return;
  const float4 box = sorted[row];
  const float area = area_of(box);
  for (int word = row / 32; word < words; ++word) {
    const int column = word * 32 + lane;
    bool suppressed = false;
    if (column > row && column < n) {
      const float4 other = sorted[column];
      suppressed = suppresses(box, area, other, area_of(other), threshold);
    }
    const unsigned votes = __ballot_sync(kFullWarp, suppressed);
    if (lane == 0) mask[row * words + word] = votes;
  }
}

// Which boxes are kept does depend on the order: one warp takes row after row. Lane w holds 32 bits, of boxes 32 w to
// 32 w + 31: 1 if suppressed so far. So n is at most 1024. keep: (n), by box number: 1 or 0.
template <int kLanes>
__global__ void keep_in_order(const unsigned* mask, const int* order, int* keep, int n) {
  const int lane = threadIdx.x;
  const int words = (n + 31) / 32;
  unsigned removed = 0;
  for (int row = 0; row < n; ++row) {
    const unsigned word = __shfl_sync(kFullWarp, removed, row / 32);
    if (!(word >> row % 32 & 1)) {
      if (lane >= row / 32 && lane < words) removed |= mask[row * words + lane];
    }
  }
  for (int word = 0; word < words; ++word) {
    const unsigned gone = __shfl_sync(kFullWarp, removed, word);
    const int row = word * 32 + lane;
    if (row < n) keep[order[row]] = gone >> lane & 1 ? 0 : 1;
  }
}

// ---- The same for many boxes ---------------------------------------------------------------------------------------

// Rows and columns are in tiles of 64; tiles left of the diagonal are not needed. A row of tile t has a 64-bit number
// for each tile after t. The rows follow each other, tile after tile. Returns where tile `tile` begins in the mask.
__device__ __forceinline__ long long first_word(long long tile, long long tiles) {
  return 64 * (tile * (tiles - 1) - tile * (tile - 1) / 2);
}

// mask: first_word(tiles, tiles) numbers of 64 bits, as above: which columns a row would suppress. diagonal: (n):
// which rows of the row's own tile would suppress it. With kClasses only boxes of one class suppress each other;
// classes: (n), by box number. A block takes one tile of rows, and each of its warps one tile of columns: two columns
// a lane, whose boxes stay in registers. Grid: x tiles of columns / warps a block, y tiles of rows. kBlock is 64 or
// more.
template <int kBlock, bool kClasses>
__global__ void __launch_bounds__(kBlock)
    overlap_tiles(const float4* sorted, const int* order, const int* classes, unsigned long long* diagonal,
                  unsigned long long* mask, int n, float threshold) {
  constexpr int kWarps = kBlock / 32;
  __shared__ float4 row_boxes[64];
  __shared__ float row_areas[64];
  __shared__ int row_classes[64];
  const int lane = threadIdx.x % 32;
  const int tiles = (n + 63) / 64;
  const int row_tile = blockIdx.y;
  if ((blockIdx.x + 1) * kWarps <= row_tile) return;  // the whole block is left of the diagonal
  const int rows = min(64, n - row_tile * 64);
  if (threadIdx.x < rows) {
    const int row = row_tile * 64 + threadIdx.x;
    const float4 box = sorted[row];
    row_boxes[threadIdx.x] = box;
    row_areas[threadIdx.x] = area_of(box);
    if (kClasses) row_classes[threadIdx.x] = classes[order[row]];
  }
  __syncthreads();
  const int column_tile = blockIdx.x * kWarps + threadIdx.x / 32;
  if (column_tile < row_tile || column_tile >= tiles) return;
  float4 box[2];
  float area[2];
  int own_class[2];
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const int column = column_tile * 64 + k * 32 + lane;
    box[k] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);  // overlaps nothing
    own_class[k] = 0;
    if (column < n) {
      box[k] = sorted[column];
      if (kClasses) own_class[k] = classes[order[column]];
    }
    area[k] = area_of(box[k]);
  }
  unsigned long long held[2] = {0, 0};  // the 64 bits of rows `lane` and 32 + lane
  for (int row = 0; row < rows; ++row) {
    const float4 other = row_boxes[row];
    const float other_area = row_areas[row];
    bool first = suppresses(other, other_area, box[0], area[0], threshold);
    bool second = suppresses(other, other_area, box[1], area[1], threshold);
    if (kClasses) {
      first = first && row_classes[row] == own_class[0];
      second = second && row_classes[row] == own_class[1];
    }
    const unsigned low = __ballot_sync(kFullWarp, first);
    const unsigned high = __ballot_sync(kFullWarp, second);
    if (lane == row % 32) {
      const unsigned long long word = (unsigned long long)high << 32 | low;
      if (row < 32) {
        held[0] = word;
      } else {
        held[1] = word;
      }
    }
  }
  const int behind = tiles - 1 - row_tile;  // 64-bit numbers of a row
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const int row = k * 32 + lane;
    if (row < rows) {
      if (column_tile == row_tile) {
        diagonal[row_tile * 64 + row] = held[k] & ((1ull << row) - 1);
      } else {
        mask[first_word(row_tile, tiles) + (long long)row * behind + (column_tile - row_tile - 1)] = held[k];
      }
    }
  }
}

// Each lane votes for two rows, number `lane` and 32 + lane. Two ballots make the 64 bits of all rows.
__device__ __forceinline__ unsigned long long ballot_rows(bool first, bool second) {
  const unsigned low = __ballot_sync(kFullWarp, first);
  const unsigned high = __ballot_sync(kFullWarp, second);
  return (unsigned long long)high << 32 | low;
}

// Which of a tile's `undecided` rows are kept. A round decides each row for which all rows that would suppress it are
// decided. Groups of boxes as in this lesson take one to three rounds, a chain of 64 boxes 32. before: for rows `lane`
// and 32 + lane, the rows of the tile that would suppress them.
__device__ __forceinline__ unsigned long long keep_rows(unsigned long long undecided,
                                                        const unsigned long long* before) {
  unsigned long long kept = 0;
  while (undecided != 0) {
    const unsigned long long alive = undecided | kept;
    kept |= undecided & ballot_rows((before[0] & alive) == 0, (before[1] & alive) == 0);
    const unsigned long long removed = ballot_rows((before[0] & kept) != 0, (before[1] & kept) != 0);
    undecided &= ~(kept | removed);
  }
  return kept;
}

// kept: (n), the numbers of the kept boxes in order of score, then -1; count: (1), how many. One block of kBlock
// threads. Dynamic shared memory: two unsigned for each tile, a bit for each row that is suppressed so far. For each
// tile, warp 0 decides its rows; then all warps read the mask of the kept rows alone.
template <int kBlock>
__global__ void __launch_bounds__(kBlock)
    keep_tiles(const unsigned long long* diagonal, const unsigned long long* mask, const int* order, int* kept,
               int* count, int n) {
  constexpr int kWarps = kBlock / 32;
  constexpr int kLoads = 4;
  extern __shared__ unsigned removed[];
  __shared__ unsigned long long rows_kept;
  __shared__ int total;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int tiles = (n + 63) / 64;
  for (int i = threadIdx.x; i < 2 * tiles; i += kBlock) removed[i] = 0;
  int written = 0;
  // Warp 0 loads two rows of the next tile a lane: which rows would suppress them, and their box numbers.
  unsigned long long before[2] = {0, 0};
  int box[2] = {0, 0};
  const auto load_rows = [&](int tile) {
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const int row = tile * 64 + k * 32 + lane;
      if (row < n) {
        before[k] = diagonal[row];
        box[k] = order[row];
      }
    }
  };
  if (warp == 0) load_rows(0);
  for (int tile = 0; tile < tiles; ++tile) {
    __syncthreads();  // the bits of this tile in `removed` are complete
    if (warp == 0) {
      const int rows = min(64, n - tile * 64);
      const unsigned long long there = rows == 64 ? ~0ull : (1ull << rows) - 1;
      const unsigned long long gone = (unsigned long long)removed[2 * tile + 1] << 32 | removed[2 * tile];
      const unsigned long long rows_of_tile = keep_rows(there & ~gone, before);
      if (lane == 0) rows_kept = rows_of_tile;
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const int row = k * 32 + lane;
        if (rows_of_tile >> row & 1) kept[written + __popcll(rows_of_tile & ((1ull << row) - 1))] = box[k];
      }
      written += __popcll(rows_of_tile);
      if (tile + 1 < tiles) load_rows(tile + 1);
    }
    __syncthreads();
    const unsigned long long rows = rows_kept;
    const int behind = tiles - 1 - tile;
    const unsigned long long* words = mask + first_word(tile, tiles);
    for (int row = warp; row < 64; row += kWarps) {
      if (!(rows >> row & 1)) continue;
      for (int first = lane; first < behind; first += 32 * kLoads) {
        unsigned long long word[kLoads];
#pragma unroll
        for (int k = 0; k < kLoads; ++k) {
          const int at = first + k * 32;
          word[k] = 0;
          if (at < behind) word[k] = words[(long long)row * behind + at];
        }
#pragma unroll
        for (int k = 0; k < kLoads; ++k) {
          const int at = 2 * (tile + 1 + first + k * 32);
          const unsigned low = (unsigned)word[k];
          const unsigned high = (unsigned)(word[k] >> 32);
          if (low != 0) atomicOr(&removed[at], low);
          if (high != 0) atomicOr(&removed[at + 1], high);
        }
      }
    }
  }
  if (threadIdx.x == 0) {
    total = written;
    *count = written;
  }
  __syncthreads();
  for (int i = total + threadIdx.x; i < n; i += kBlock) kept[i] = -1;
}
