// Layer norm of many short rows that begin anywhere, as one stream of packs. GPUs of sm_90 and later; not emulated. Arguments
// as in kernels.cuh; in and out begin at a multiple of 16 bytes, and values have 16 bits.

// kPackOf<T> rows are as many packs as a row has values. blockDim.x packs, a multiple of `columns`, are a lot of whole rows:
// a thread has the same place in each lot.
template <int kPack>
struct StreamPlace {
  int rows;     // of a lot
  int row;      // of the lot: the one in which the thread's pack begins
  int column;   // and where there
  int split;    // values from there to the row's end: if a pack has more, the others are the next row's

  __device__ __forceinline__ explicit StreamPlace(int columns)
      : rows(blockDim.x / columns * kPack), row(threadIdx.x * kPack / columns),
        column(threadIdx.x * kPack - row * columns), split(columns - column) {}
  __device__ __forceinline__ bool begins_next() const { return split < kPack; }
};

// `count` 16-bit values of a pack, fewer than it has, and 0 after them; and where they are to go. Value by value, in a few
// registers: one thread of all does so.
template <class T>
__device__ __forceinline__ uint4 load_few(const T* from, int count) {
  unsigned long long low = 0, high = 0;
#pragma unroll 1
  for (int k = count - 1; k >= 0; --k) {
    high = high << 16 | low >> 48;
    low = low << 16 | reinterpret_cast<const unsigned short*>(from)[k];
  }
  return make_uint4((unsigned)low, (unsigned)(low >> 32), (unsigned)high, (unsigned)(high >> 32));
}
template <class T>
__device__ __forceinline__ void store_few(T* to, int count, const uint4& words) {
  unsigned long long low = words.x | (unsigned long long)words.y << 32;
  unsigned long long high = words.z | (unsigned long long)words.w << 32;
#pragma unroll 1
  for (int k = 0; k < count; ++k) {
    reinterpret_cast<unsigned short*>(to)[k] = (unsigned short)low;
    low = low >> 16 | high << 48;
    high >>= 16;
  }
}

// The packs of a thread in kLots lots, the first of them number `first` of the stream; 0 where that has ended.
template <class T, int kLots>
struct StreamPacks {
  uint4 held[kLots];
  int whole;   // packs of the stream from the thread's first one on
  int rest;    // values of its last pack, if that is not a whole one

  __device__ __forceinline__ StreamPacks(long long first, long long values)
      : held{}, whole(static_cast<int>(values / kPackOf<T> - first)), rest(static_cast<int>(values % kPackOf<T>)) {}
  // The last pack, if it is not whole, is loaded apart from the others, or each of them would wait for the one before.
  __device__ __forceinline__ void load(const T* from) {
#pragma unroll
    for (int lot = 0; lot < kLots; ++lot) {
      const int pack = lot * static_cast<int>(blockDim.x);
      if (pack < whole) held[lot] = reinterpret_cast<const uint4*>(from)[pack];
    }
    if (!ends_within()) return;
#pragma unroll
    for (int lot = 0; lot < kLots; ++lot) {
      const int pack = lot * static_cast<int>(blockDim.x);
      if (pack == whole) held[lot] = load_few(from + pack * kPackOf<T>, rest);
    }
  }
  __device__ __forceinline__ void store(T* to) const {
#pragma unroll
    for (int lot = 0; lot < kLots; ++lot) {
      const int pack = lot * static_cast<int>(blockDim.x);
      if (pack < whole) reinterpret_cast<uint4*>(to)[pack] = held[lot];
    }
    if (!ends_within()) return;
#pragma unroll
    for (int lot = 0; lot < kLots; ++lot) {
      const int pack = lot * static_cast<int>(blockDim.x);
      if (pack == whole) store_few(to + pack * kPackOf<T>, rest, held[lot]);
    }
  }
  // Is there a last pack that is not whole, and does this thread's part of the stream reach it?
  __device__ __forceinline__ bool ends_within() const {
    return rest > 0 && whole >= 0 && whole < kLots * static_cast<int>(blockDim.x);
  }
};

// Values `column` and on of a vector as long as a row, as many as a pack has: after `split` of them, from its beginning on.
template <class T>
__device__ __forceinline__ uint4 load_around(const T* vector, const StreamPlace<kPackOf<T>>& place) {
  uint4 words;
#pragma unroll
  for (int k = 0; k < kPackOf<T>; ++k) {
    reinterpret_cast<T*>(&words)[k] = __ldg(vector + (k < place.split ? place.column + k : k - place.split));
  }
  return words;
}

__device__ __forceinline__ void add_to(Sums& sums, float value) {
  sums.values += value;
  sums.squares = fmaf(value, value, sums.squares);
}

// The sums of the parts of a lot's row, in shared memory: of each pack that begins in the row, then, past those of all
// packs, of each row that begins within another one's pack.
template <int kPack>
__device__ __forceinline__ Sums sum_of_parts(const Sums* parts, int row, int columns) {
  const int begin = row * columns;
  const int last = (begin + columns - 1) / kPack;
  Sums sums = {};
  if (begin % kPack > 0) sums = parts[blockDim.x + row];
#pragma unroll 4
  for (int pack = (begin + kPack - 1) / kPack; pack <= last; ++pack) {
    sums.values += parts[pack].values;
    sums.squares += parts[pack].squares;
  }
  return sums;
}

// What a row's values are put out by: one over its standard deviation, and minus its mean times that.
struct StreamScale {
  float scale;
  float shift;
};

constexpr int kStreamThreads = 160;   // of a block, at most: registers are enough for 6 such blocks

// A row has at least a pack's values. The grid has as many blocks as all lots need, kLots each. Dynamic shared memory: for
// each lot twice its threads and four times its rows, in floats.
//
// Compared with layer_norm_short_anywhere and layer_norm_few_lanes: all lanes have a whole pack, however short rows are, and
// nothing is stored but whole packs, which need not know where rows meet. But sums go through shared memory, and two
// barriers. Mean and variance as in layer_norm_fitted_anywhere; where a mean is far from 0, warps take the block's rows
// value by value.
//
// Launches overlap. The next kernel is let in at once: it finds no room before a block has ended.
template <class T, int kLots>
__global__ void __launch_bounds__(kStreamThreads, 6)
    layer_norm_stream(const T* in, const T* weight, const T* bias, T* out, int rows, int columns, float epsilon) {
  constexpr int kPack = kPackOf<T>;
  extern __shared__ __align__(8) float stream_sums[];
  cudaTriggerProgrammaticLaunchCompletion();
  const int threads = blockDim.x;
  const StreamPlace<kPack> place(columns);
  const long long first = (long long)blockIdx.x * (kLots * threads) + threadIdx.x;
  StreamPacks<T, kLots> packs(first, (long long)rows * columns);
  cudaGridDependencySynchronize();
  packs.load(in + first * kPack);
  Sums sums[kLots], next_sums[kLots];
#pragma unroll
  for (int lot = 0; lot < kLots; ++lot) {
    sums[lot] = next_sums[lot] = {0.0f, 0.0f};
    keep_packed<T>(packs.held[lot]);
  }
  if (packs.whole >= 0) {   // without a branch, values would stay widened, in twice as many registers
#pragma unroll
    for (int k = 0; k < kPack; ++k) {
#pragma unroll
      for (int lot = 0; lot < kLots; ++lot) {
        const float value = widened(reinterpret_cast<const T*>(&packs.held[lot])[k]);
        if (k < place.split) {
          add_to(sums[lot], value);
        } else {
          add_to(next_sums[lot], value);
        }
      }
    }
  }
  Sums* const all_parts = reinterpret_cast<Sums*>(stream_sums);
  const int parts_a_lot = threads + place.rows;
#pragma unroll
  for (int lot = 0; lot < kLots; ++lot) {
    Sums* const parts = all_parts + lot * parts_a_lot;
    parts[threadIdx.x] = sums[lot];
    if (place.begins_next()) parts[threads + place.row + 1] = next_sums[lot];
  }
  __syncthreads();
  StreamScale* const scales = reinterpret_cast<StreamScale*>(all_parts + kLots * parts_a_lot);
  bool near = true;
  for (int number = threadIdx.x; number < kLots * place.rows; number += threads) {
    const int lot = number % kLots;
    const int row = number / kLots;
    const Sums of_row = sum_of_parts<kPack>(all_parts + lot * parts_a_lot, row, columns);
    const float mean = __fdividef(of_row.values, columns);
    const float m2 = m2_by_squares(of_row, mean);
    near = near && mean_is_near(m2, of_row);
    const float scale = quick_scale({(float)columns, mean, m2}, epsilon);
    scales[lot * place.rows + row] = {scale, -mean * scale};
  }
  if (__syncthreads_or(!near)) {
    __shared__ float warp_sums[2][1][2];
    const int warps = threads / 32;   // whole ones
    const long long first_row = (long long)blockIdx.x * (kLots * place.rows);
    for (int row = threadIdx.x / 32; threadIdx.x / 32 < warps && row < kLots * place.rows; row += warps) {
      const long long start = (first_row + row) * columns;
      put_out_far<32>(in + start, weight, bias, out + start, first_row + row < rows ? columns : 0, epsilon, warp_sums);
    }
    return;
  }
  const uint4 weights = load_around(weight, place);
  const uint4 biases = load_around(bias, place);
  StreamScale its[kLots], nexts[kLots];
#pragma unroll
  for (int lot = 0; lot < kLots; ++lot) {
    const StreamScale* const mine = scales + lot * place.rows + place.row;
    its[lot] = mine[0];
    nexts[lot] = mine[place.begins_next() ? 1 : 0];
    keep_packed<T>(packs.held[lot]);
  }
#pragma unroll
  for (int k = 0; k < kPack; k += 2) {
    const bool is_next = k >= place.split;
    const bool second_is_next = k + 1 >= place.split;
    const float2 factors = widened_pair<T>(reinterpret_cast<const T*>(&weights) + k);
    const float2 terms = widened_pair<T>(reinterpret_cast<const T*>(&biases) + k);
#pragma unroll
    for (int lot = 0; lot < kLots; ++lot) {
      T* const pair = reinterpret_cast<T*>(&packs.held[lot]) + k;
      const float2 values = widened_pair<T>(pair);
      const float first_value = fmaf(values.x, is_next ? nexts[lot].scale : its[lot].scale,
                                     is_next ? nexts[lot].shift : its[lot].shift);
      const float second_value = fmaf(values.y, second_is_next ? nexts[lot].scale : its[lot].scale,
                                      second_is_next ? nexts[lot].shift : its[lot].shift);
      narrow_pair<T>(make_float2(fmaf(first_value, factors.x, terms.x), fmaf(second_value, factors.y, terms.y)), pair);
    }
  }
  packs.store(out + first * kPack);
}
