// How lessons on rows choose a kernel by the length of a row: in packs of 16 bytes, for blocks and clusters that hold a
// row in registers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/base/element.hpp"
#include "common/base/error.hpp"
#include "common/launch/plan.hpp"
#include "common/lesson/rows.hpp"

namespace lanewise::lesson {

inline constexpr std::uint32_t kWarpBlock = 128;   // threads of a block with a row for each warp
inline constexpr std::uint32_t kShortBlock = 128;  // threads of a block in which a few lanes take a row
inline constexpr std::uint32_t kMostThreads = 1024;
inline constexpr std::uint32_t kPacks = 4;  // packs that a thread holds of a row: as many 16-byte loads in flight

// Shared arrays of packs in the lessons' kernels for rows of floats.
inline const std::vector<std::string> kFloatPacks = {"kept", "copied", "tiles", "shares", "shared_packs", "shared_weights"};

// Values in 16 bytes.
inline std::uint64_t pack_of(Element element) { return 16 / static_cast<std::uint64_t>(element_size(element)); }

inline std::uint64_t packs_of(std::uint64_t columns, Element element) {
    return (columns + pack_of(element) - 1) / pack_of(element);
}

// Do all rows begin at a multiple of 16 bytes and hold whole packs?
inline bool is_packed(const Inputs& inputs, Element element) {
    return inputs.offset % pack_of(element) == 0 && rows_of(inputs).columns % pack_of(element) == 0;
}

// Packs in which a row lies, at most: one that begins within a pack shares its first and its last with other rows.
inline std::uint64_t packs_touched(const Inputs& inputs, Element element) {
    const std::uint64_t columns = rows_of(inputs).columns;
    return packs_of(is_packed(inputs, element) ? columns : columns + pack_of(element) - 1, element);
}

inline constexpr std::uint32_t kPacksOfALine = 8;   // of memory: 128 bytes

// Places of a pack, from a line on, in which a row lies, at most: one that begins past a line, by up to seven packs, has
// as many empty places before it.
inline std::uint64_t places_of(const Inputs& inputs, Element element) {
    const std::uint64_t packs = packs_of(rows_of(inputs).columns, element);
    const bool begins_lines = is_packed(inputs, element) && packs % kPacksOfALine == 0 &&
                              inputs.offset / pack_of(element) % kPacksOfALine == 0;
    return begins_lines ? packs : packs + kPacksOfALine - 1;
}

// Do the packs in which rows lie end within the array? Those at a row's ends may hold values of the rows beside it, which
// can be one fewer than a pack has. The first and the last row of all are not read past.
inline bool packs_end_inside(const Inputs& inputs, Element element) {
    const Rows rows = rows_of(inputs);
    return is_packed(inputs, element) || rows.count == 1 || rows.columns + 1 >= pack_of(element);
}

// Bytes of all rows. Their results take as many.
inline std::uint64_t bytes_of_rows(const Inputs& inputs, Element element) {
    return inputs.n * static_cast<std::uint64_t>(element_size(element));
}

// How often the bytes that a kernel reads and writes, each once, fill L2.
inline double fillings_of_l2(const Inputs& inputs, Element element) {
    return static_cast<double>(2 * bytes_of_rows(inputs, element)) / static_cast<double>(inputs.machine.l2_bytes);
}
// Is so much read and written that hardly any of it is still in L2 at the next launch? More threads then wait for memory at
// once. On an H200 so from 94 MB on: measured at 134 MB and more.
inline bool outgrows_l2(const Inputs& inputs, Element element) { return fillings_of_l2(inputs, element) > 1.5; }
// Is it faster to ask L2 to evict what is read last? Measured on an H200: at 134 and 268 MB it is slower or makes no
// difference, at 537 MB it is 2 to 3 % faster.
inline bool pays_to_hint(const Inputs& inputs, Element element) { return fillings_of_l2(inputs, element) > 6; }

// Are there as many rows as where fitted blocks, teams and rows on demand were timed: rows and results of 31 MB and more?
inline bool rows_are_many(const Inputs& inputs, Element element) {
    return bytes_of_rows(inputs, element) >= 15u << 20;
}

// Is it faster to start while the kernel before still runs? Measured on an H200 at 4 MB to 1 GB.
inline bool overlaps(const Inputs& inputs, Element element) {
    const bool measured = bytes_of_rows(inputs, element) >= 1u << 20;
    return measured && inputs.machine.architecture >= 90 && is_packed(inputs, element);
}

// How many blocks of so many rows lie between the rows that a kernel works on and those that it prefetches. 0, none, for
// what is mostly in L2 anyway. Measured on an H200, 134 MB to 1 GB: 2 to 4 MB ahead is 1 to 4 % faster than no prefetch.
// 9 to 17 MB ahead, as much as runs at once, rows of 65536 halves take up to a third longer.
inline int blocks_ahead(const Inputs& inputs, Element element, std::uint64_t rows_a_block) {
    constexpr std::uint64_t kBytes = 3 << 20;
    if (!outgrows_l2(inputs, element)) return 0;
    const std::uint64_t a_row = rows_of(inputs).columns * static_cast<std::uint64_t>(element_size(element));
    return static_cast<int>(std::max<std::uint64_t>(kBytes / (a_row * rows_a_block), 1));
}
// The last template argument of a kernel that prefetches rows so far ahead.
inline const char* prefetches(int ahead) { return ahead > 0 ? ", true" : ", false"; }

// Does memory bring each multiprocessor more than 30 GB/s? An H200's brings 37, an H100's 25. There large clusters are
// slow: 1024 rows of 65536 halves, loaded, multiplied by weights and stored, with no sum taken, need 64 us on an H200 by
// blocks of 512 threads, and 77 where eight of them are a cluster.
inline bool memory_is_fast(const Machine& machine) {
    return machine.memory_gb_per_s > 30 * machine.multiprocessors;
}

// Threads of a block of a kernel that runs as many as its registers let, kPacks packs a thread: the fewest of its
// instances that hold a row of so many packs, 0 where none does.
inline std::uint32_t threads_at_high_occupancy(std::uint64_t packs) {
    for (const std::uint32_t threads : {64u, 128u, 192u, 256u, 384u, 512u, 768u, 1024u})
        if (packs <= std::uint64_t{threads} * kPacks) return threads;
    return 0;
}

// An instance of a kernel whose blocks have no more warps than a row needs: packs that a thread holds, a block's threads at
// most, and blocks of so many for which a multiprocessor has registers. And the threads that a row takes, 0 where none
// holds it.
struct FittedShape {
    std::uint32_t packs = 0, most_threads = 0, blocks = 0, threads = 0;
};
// Whole warps of the first instance that holds a row of so many packs.
inline FittedShape fitted_shape(std::uint64_t packs, std::initializer_list<FittedShape> instances) {
    for (FittedShape shape : instances) {
        const std::uint64_t warps = (packs + shape.packs * 32 - 1) / (shape.packs * 32);
        if (warps * 32 > shape.most_threads) continue;
        shape.threads = static_cast<std::uint32_t>(warps * 32);
        return shape;
    }
    return {};
}

// Do rows and results fill L2, but not much more? It is then faster that L1 does not keep what is read. Percent of a copy's
// bandwidth on an H200 so and else, of halves: 67 MB of 20000 by softmax 101 and 97, but 48 MB 86 and 89, 134 MB 94 and
// 100; of 3501, which begin anywhere, by layer norm 56 MB 87 and 83, but 44 MB 65 and 66, 134 MB 91 and 94.
inline bool fills_l2(const Inputs& inputs, Element element) {
    return fillings_of_l2(inputs, element) > 0.8 && !outgrows_l2(inputs, element);
}

// A block for each row. The kernel's other template arguments, if any, end in a comma and a blank.
template <class... Arguments>
void launch_fitted(launch::Plan& plan, const Inputs& inputs, Element element, const std::string& kernel,
                   const FittedShape& shape, const std::string& others, const Arguments&... arguments) {
    const int ahead = blocks_ahead(inputs, element, 1);
    plan.launch(kernel,
                fmt::format("{}, {}, {}, {}, {}{}{}", type_of(element), shape.packs, shape.most_threads, shape.blocks, others,
                            fills_l2(inputs, element), prefetches(ahead)),
                launch::Grid{rows_of(inputs).blocks()}, launch::Block{shape.threads}, arguments..., ahead);
    plan.launches.back().overlaps = true;
}

// An instance of a kernel for rows that begin anywhere, whose blocks have no more warps than a row needs: rows that its
// threads work on together, packs that a thread holds of each, a block's threads at most, and blocks of so many for which
// a multiprocessor has registers; packs of a row, at most; and the threads that a row takes, 0 where none holds it.
struct FittedAnywhereShape {
    std::uint32_t rows = 0, packs = 0, most_threads = 0, blocks = 0;
    std::uint64_t most_packs = 0;
    std::uint32_t threads = 0;
};
// Whole warps of the instance whose threads have the fewest places for packs that stay empty; the first such one.
// Percent of a copy's bandwidth on an H100, of halves: softmax of 1501 columns, 187 packs, of 34 MB 58 in 320 places
// (two warps, five packs a thread) and 85 in 192 (one warp, six packs); layer norm of 601 46 in 128 and 69 in 96, and of
// 134 MB 86 and 98.
inline FittedAnywhereShape fitted_anywhere_shape(std::uint64_t columns, Element element,
                                                 std::initializer_list<FittedAnywhereShape> instances) {
    const std::uint64_t packs = columns / pack_of(element);
    FittedAnywhereShape fullest;
    for (FittedAnywhereShape shape : instances) {
        const std::uint64_t warps = std::max<std::uint64_t>((packs + shape.packs * 32 - 1) / (shape.packs * 32), 1);
        if (packs > shape.most_packs || warps * 32 > shape.most_threads) continue;
        shape.threads = static_cast<std::uint32_t>(warps * 32);
        if (fullest.threads == 0 || shape.threads * shape.packs < fullest.threads * fullest.packs) fullest = shape;
    }
    return fullest;
}
// Where a warp is enough for a row, a block has four. Rows that threads work on together lie as many rows apart as a pack
// has values. `instance`: the kernel's template arguments, but for kPastL1.
template <class... Arguments>
void launch_fitted_anywhere(launch::Plan& plan, const Inputs& inputs, Element element, const std::string& kernel,
                            const FittedAnywhereShape& shape, const std::string& instance,
                            const Arguments&... arguments) {
    const std::uint32_t groups = shape.threads == 32 ? 4 : 1;   // of a block
    const auto apart = static_cast<std::uint32_t>(shape.rows > 1 ? pack_of(element) : 1);
    const std::uint32_t together = rows_of(inputs).blocks(apart * shape.rows) * apart;
    plan.launch(kernel, fmt::format("{}, {}", instance, fills_l2(inputs, element)),
                launch::Grid{(together + groups - 1) / groups}, launch::Block{shape.threads, groups}, arguments...);
    plan.launches.back().overlaps = true;
}

// An instance of a kernel for rows that a few lanes or warps hold: bytes that a lane loads at once, a unit; neighbouring
// lanes that share a row; units that each of them holds of one; rows that they work on together; and whether rows are of
// whole units, which begin where a unit does. No lanes where none holds the row.
struct FewLanesShape {
    std::uint32_t bytes = 16, lanes = 0, units = 0, rows = 1;
    bool whole = true;
};
// Are all rows of whole units of so many bytes, which begin where a unit does?
inline bool has_whole_units(const Inputs& inputs, Element element, std::uint64_t bytes) {
    const auto size = static_cast<std::uint64_t>(element_size(element));
    return bytes > size && inputs.offset * size % bytes == 0 && rows_of(inputs).columns * size % bytes == 0;
}
// The first instance for rows of so many values. Where they are not of its whole units, a row has two of them at least.
// Row numbers have 31 bits.
inline FewLanesShape few_lanes_shape(const Inputs& inputs, Element element,
                                     std::initializer_list<FewLanesShape> instances) {
    const Rows rows = rows_of(inputs);
    if (rows.count > 0x7f000000) return {};
    for (const FewLanesShape& shape : instances) {
        const std::uint64_t units = rows.columns * static_cast<std::uint64_t>(element_size(element)) / shape.bytes;
        if (units > std::uint64_t{shape.lanes} * shape.units) continue;
        if (shape.whole ? has_whole_units(inputs, element, shape.bytes) : units >= 2) return shape;
    }
    return {};
}
// Groups of lanes of a warp that share a row each, or the one of several warps.
inline std::uint32_t groups_of(const FewLanesShape& shape) { return std::max(32 / shape.lanes, 1u); }
// Threads of a block: as few_lanes_block() in few_lanes.cuh.
inline std::uint32_t few_lanes_block(const FewLanesShape& shape) {
    return shape.lanes > 32 ? shape.lanes : kShortBlock;
}
// Rows of a thread that are not of whole units lie at least as many rows apart as a unit has values. `near`: groups of a
// warp's lanes that take rows that follow each other, all or 1; other groups take rows that follow all of a thread's.
template <class... Arguments>
void launch_few_lanes(launch::Plan& plan, const Inputs& inputs, Element element, const std::string& kernel,
                      const FewLanesShape& shape, std::uint32_t near, const Arguments&... arguments) {
    const std::uint64_t alike = shape.whole ? 1 : shape.bytes / static_cast<std::uint64_t>(element_size(element));
    const std::uint64_t apart = std::max<std::uint64_t>(alike, near);
    const std::uint32_t teams_a_block = few_lanes_block(shape) / std::max(shape.lanes, 32u);
    const std::uint64_t teams = rows_of(inputs).blocks(apart * shape.rows * (groups_of(shape) / near)) * (apart / near);
    plan.launch(kernel,
                fmt::format("{}, {}, {}, {}, {}, {}", type_of(element), shape.bytes, shape.lanes, shape.units, shape.rows,
                            shape.whole),
                launch::Grid{static_cast<std::uint32_t>((teams + teams_a_block - 1) / teams_a_block)},
                launch::Block{few_lanes_block(shape)}, arguments...);
    plan.launches.back().overlaps = true;
}

// Threads of a block, and packs that each of them holds.
struct BlockShape {
    std::uint32_t threads = 0, packs = 0;
};

// Does a row take that many threads at high occupancy, and fill seven eighths of them?
inline bool fills_most(std::uint64_t packs, std::uint32_t threads) {
    return threads_at_high_occupancy(packs) == threads && 8 * packs >= 7 * std::uint64_t{threads} * kPacks;
}

// Threads that share a row, and packs that each of them holds, of a kernel whose launches overlap: a warp, or the fewest
// of its instances that hold a row of so many packs; none where none does.
inline BlockShape shape_of_overlap(std::uint64_t packs) {
    return {packs <= 32 * kPacks ? 32 : threads_at_high_occupancy(packs), kPacks};
}
// The threads of a block in which so many threads share a row, and the rows that it takes.
inline std::uint32_t block_of_overlap(std::uint32_t threads_a_row) { return std::max(threads_a_row, 64u); }
inline std::uint32_t rows_of_overlap(std::uint32_t threads_a_row) { return block_of_overlap(threads_a_row) / threads_a_row; }

// Of a kernel for rows that begin anywhere: whole warps, as many as the whole packs of a row need. None where they need
// more than 512 threads.
inline BlockShape block_anywhere(std::uint64_t columns, Element element) {
    const std::uint64_t packs = columns / pack_of(element);
    if (packs > 512 * 4) return {};
    const std::uint32_t a_thread = packs <= 64 ? 2 : 4;
    const std::uint64_t warps = (packs + a_thread * 32 - 1) / (a_thread * 32);
    return {static_cast<std::uint32_t>(warps < 1 ? 32 : warps * 32), a_thread};
}

// Neighbouring lanes that share a row, and packs that each of them holds.
struct LaneShape {
    std::uint32_t lanes = 0, packs = 0;
};

// Of a kernel for short whole rows: a pack a lane up to eight packs, then four, eight or sixteen lanes with up to four
// each. None for rows that take a warp of their own: by that, 32 packs, of which each lane has one load under way, ran
// at 56 to 58 % of a copy's bandwidth on an H100, and 64 at over 97 %. 49 packs ran at 62 % on an H200, and by sixteen
// lanes at 86 to 97.
inline LaneShape lanes_for_short(std::uint64_t columns, Element element) {
    const std::uint64_t packs = packs_of(columns, element);
    if (packs > 63) return {};
    if (packs > 8) return {std::bit_ceil(static_cast<std::uint32_t>(packs + 3) / 4), 4};
    return {static_cast<std::uint32_t>(std::bit_ceil(packs)), 1};
}

// Of a kernel for short rows that begin anywhere: neighbouring lanes that share a row, words of 4 bytes that each of them
// has of it, rows that a lane takes one after the other, and words in which a row lies at most.
struct WordShape {
    std::uint32_t lanes = 0, words = 0, rows = 1, words_a_row = 0;

    // Bytes of shared memory of a block of kShortBlock threads, with so many vectors as long as a row.
    std::uint32_t shared_bytes(std::uint64_t columns, Element element, std::uint32_t vectors) const {
        const std::uint64_t values = std::uint64_t{32 / lanes} * rows * columns;   // of a warp
        const auto in_word = static_cast<std::uint32_t>(pack_of(element)) / 4;
        return static_cast<std::uint32_t>((packs_of(values, element) + 2) * 16 * (kShortBlock / 32)) +
               vectors * in_word * words_a_row * 4;
    }
};
// As few lanes as hold the row with 13 words each, sixteen at most. None for longer rows: by 32 lanes 501 halves run at
// 80 % of a copy's bandwidth on an H100 (layer norm), and by a block a row at 90.
inline WordShape words_for_short(std::uint64_t columns, Element element) {
    const std::uint64_t in_word = pack_of(element) / 4;
    const std::uint64_t words = (columns + in_word - 2) / in_word + 1;
    if (words > 16 * 13) return {};
    const auto lanes = std::bit_ceil(static_cast<std::uint32_t>((words + 12) / 13));
    const auto each = std::max(static_cast<std::uint32_t>((words + lanes - 1) / lanes) | 1, 3u);
    return {lanes, each, each == 3 ? 4u : each == 5 ? 2u : 1u, static_cast<std::uint32_t>(words)};
}

// Of a norm: the first instance for rows of whole units of 16, of 8, or of 4 bytes, then of those that a lesson gives, then
// of those for rows that begin anywhere. Of 187 packs, 1500 halves, such a one is faster than units of 8 bytes: of 34 MB RMS
// norm 86 % of a copy's bandwidth and 84 (H200, these kernels by themselves).
inline FewLanesShape few_lanes_of_norm(const Inputs& inputs, Element element,
                                       std::initializer_list<FewLanesShape> a_lessons) {
    const std::initializer_list<FewLanesShape> whole = {
        {16, 4, 2, 2},  {16, 8, 2, 2},  {16, 16, 1, 4},  {16, 32, 1, 4},  {16, 32, 2, 2}, {16, 32, 3, 2}, {4, 16, 2, 4},
        {8, 16, 2, 2},  {8, 32, 2, 4},  {8, 32, 3, 2},   {8, 32, 4, 2},   {8, 32, 6, 1},  {8, 64, 4, 2},  {4, 32, 3, 4},
        {4, 32, 4, 2},  {4, 32, 6, 2},  {16, 64, 3, 2},  {16, 64, 4, 2},  {16, 160, 2, 2}, {16, 128, 3, 2}, {16, 128, 4, 2}};
    const std::initializer_list<FewLanesShape> anywhere = {
        {16, 8, 1, 2, false},  {16, 16, 1, 4, false}, {16, 32, 1, 4, false},  {16, 32, 2, 2, false},
        {16, 32, 3, 2, false}, {16, 96, 2, 2, false}, {16, 128, 2, 2, false}, {8, 160, 4, 1},
        {8, 128, 6, 1}};
    for (const auto& instances : {whole, a_lessons, anywhere})
        if (const FewLanesShape shape = few_lanes_shape(inputs, element, instances); shape.lanes > 0) return shape;
    return {};
}
// Of a norm: such groups whose rows follow each other, as in few_lanes.cuh. Percent of a copy's bandwidth so, and where a
// warp's rows all begin at the same place of a unit, of 34 MB of halves on an H200: 129 columns 70 and 65 by layer norm, 71
// and 68 by RMS norm (these kernels by themselves, in two runs). Timed with one unit a lane.
inline std::uint32_t near_groups_of_norm(const FewLanesShape& shape) {
    return !shape.whole && shape.units == 1 ? groups_of(shape) : 1;
}
// Is that faster? Percent of a copy's bandwidth on an H200 so, and by the kernels that take such rows else, 34 MB of halves
// by layer norm and by RMS norm: in units of 4 bytes 50 columns 67 53, 74 64, and 250 83 73, 92 73; in units of 8 bytes 100
// columns 74 59, 89 62, and 700 90 81, 98 80; in whole packs 256 95 90, 109 94, and 1600 91 70, 108 82; of rows that begin
// anywhere 257 77 72, 85 74, and 2001 83 68, 87 86. But 501 81 83, 87 88; 1024 83 83, 93 100; 5120 74 85, 89 102. Of 134 MB
// 75 columns 75 70, 84 81. Of 34 MB of floats 129 78 79, 82 75. Of 67 MB by eight lanes, and else by sixteen: 65 halves 79 69
// by layer norm, 33 floats 88 71 and 91 86; and else by short_anywhere in another run: 57 halves 75 60, but 49 69 76. Of the
// shortest rows most places would be empty.
inline bool few_lanes_are_faster_for_norm(const Inputs& inputs, Element element, const FewLanesShape& shape) {
    if (inputs.machine.architecture < 90 || shape.lanes == 0 || !rows_are_many(inputs, element)) return false;
    const std::uint64_t packs = rows_of(inputs).columns / pack_of(element);
    if (packs > 64 && fillings_of_l2(inputs, element) > 0.8) return false;
    if (element == Element::f32 && packs > 96) return false;
    if (is_packed(inputs, element)) return packs <= 96 || packs > 128;
    return packs >= (shape.bytes == 4 ? 6 : 7) && (shape.whole || packs <= 60 || packs > 64);
}

// Of many short rows as tiles in shared memory, each of rows that lie one after the other. For rows of so many whole words
// of 4 bytes at most: words that a thread has of a row at most, threads that share a row, rows of a tile, and threads of a
// block; where these have whole rows, each may take one after the other.
struct RowTileShape {
    std::uint32_t most_words = 0, words = 0, parts = 1, rows = 0, threads = 0;
};
// The first of the instances that has room for a row; none where rows do not go so. A tile begins where a pack does.
inline RowTileShape row_tile_shape(const Inputs& inputs, Element element, std::initializer_list<RowTileShape> instances) {
    const Rows rows = rows_of(inputs);
    if (inputs.offset % pack_of(element) != 0 || rows.count > 0x7f000000) return {};
    const std::uint64_t words = rows.columns * static_cast<std::uint64_t>(element_size(element)) / 4;
    for (const RowTileShape& shape : instances)
        if (words <= shape.most_words) return shape;
    return {};
}
// `vectors` as long as a row lie in shared memory, too, as floats: where 16-bit rows may begin within a word, twice.
template <class... Arguments>
void launch_row_tile(launch::Plan& plan, const Inputs& inputs, Element element, const std::string& kernel,
                     const RowTileShape& shape, std::uint32_t vectors, const Arguments&... arguments) {
    const auto size = static_cast<std::uint64_t>(element_size(element));
    const std::uint64_t columns = rows_of(inputs).columns;
    const std::uint64_t values_of_a_word = 4 / size;
    launch::Block block{shape.threads};
    block.dynamic_shared_bytes = static_cast<std::uint32_t>(shape.rows * columns * size +
                                                            vectors * (columns + 4) * values_of_a_word * 4);
    plan.launch(kernel, fmt::format("{}, {}, {}", type_of(element), shape.words, shape.parts),
                launch::Grid{rows_of(inputs).blocks(shape.rows)}, block, arguments..., static_cast<int>(shape.rows));
    plan.launches.back().overlaps = true;
}
// Of a norm. Percent of a copy's bandwidth on an H200, 34 MB of halves by layer norm, where a thread takes four rows and one:
// 5 columns 33 and 29; two and one: 9 columns 55 and 50 (these kernels by themselves).
inline RowTileShape row_tile_of_norm(const Inputs& inputs, Element element) {
    return row_tile_shape(inputs, element,
                          {{3, 8, 1, 512, 128},
                           {6, 8, 1, 256, 128},
                           {8, 8, 1, 128, 128},
                           {16, 16, 1, 128, 128},
                           {20, 20, 1, 128, 128},
                           {32, 16, 2, 64, 128},
                           {40, 20, 2, 64, 128},
                           {64, 16, 4, 64, 256},
                           {80, 20, 4, 64, 256}});
}

// Of a norm, where rows begin anywhere: are there many, of more than 48 packs? Then whole warps are faster than a few
// lanes, which hold up to 52 by words. Percent of a copy's bandwidth on an H200, 67 MB of 401 halves: layer norm 88 so
// and 64 by short_anywhere, RMS norm 93 and 82.
inline bool many_rows_take_warps(const Inputs& inputs, Element element) {
    return rows_are_many(inputs, element) && rows_of(inputs).columns / pack_of(element) > 48;
}

// As many blocks as run at once, of which each warp takes one lot of rows after the other. A block's shared memory also
// holds `vectors` vectors as long as a row.
template <class... Arguments>
void launch_rows_by_words(launch::Plan& plan, const Inputs& inputs, Element element, const std::string& kernel,
                          std::uint32_t vectors, const Arguments&... arguments) {
    const Rows rows = rows_of(inputs);
    const WordShape shape = words_for_short(rows.columns, element);
    launch::Block block{kShortBlock};
    block.dynamic_shared_bytes = shape.shared_bytes(rows.columns, element, vectors);
    plan.launch(kernel, fmt::format("{}, {}, {}", type_of(element), shape.words, shape.rows),
                launch::Grid{rows.blocks(kShortBlock / shape.lanes * shape.rows)}, block, arguments...,
                static_cast<int>(shape.lanes));
    plan.launches.back().cluster_in_turns = 1;
}

// Blocks that share a row as a cluster, threads of each, packs that a thread holds.
struct ClusterShape {
    std::uint32_t blocks = 0, threads = 0, packs = 0;
    std::uint64_t room() const { return std::uint64_t{blocks} * threads * packs; }
};

// Of a kernel in which so many blocks share a row of whole packs: whole warps, as many as a block's share needs, 2 to
// 32. A row that needs more has no room.
inline ClusterShape cluster_of(std::uint64_t packs_a_row, std::uint32_t blocks, std::uint32_t packs_a_thread) {
    const std::uint64_t a_warp = std::uint64_t{blocks} * packs_a_thread * 32;
    const std::uint64_t warps = (packs_a_row + a_warp - 1) / a_warp;
    return {blocks, static_cast<std::uint32_t>(std::clamp<std::uint64_t>(warps, 2, 32) * 32), packs_a_thread};
}
// The same of long rows that begin anywhere.
inline ClusterShape cluster_anywhere(std::uint64_t columns, Element element, std::uint32_t blocks,
                                     std::uint32_t packs_a_thread) {
    return cluster_of(columns / pack_of(element), blocks, packs_a_thread);
}

// The template arguments of a kernel in which a cluster shares a row.
inline std::string shape_text(const std::string& type, const ClusterShape& shape) {
    return type + ", " + std::to_string(shape.threads) + ", " + std::to_string(shape.packs) + ", " +
           std::to_string(shape.blocks);
}

inline constexpr std::uint32_t kMostBlocksOfACluster = 8;   // that every GPU with clusters has

// Of rows that clusters take on demand, which they fill: a small one to be looked at, and that of 65536 columns.
inline ClusterShape on_demand_shape(Element element, std::uint32_t block) {
    if (block == kWarpBlock) return {2, 64, kPacks};
    return {kMostBlocksOfACluster, element == Element::f32 ? 512u : 256u, kPacks};
}

// Bytes of shared memory that a block takes at least. With 60 KB no fourth block of 256 threads finds room on a
// multiprocessor of an H100 or H200, which has 228: a kernel like softmax's took an H100 92.8 us with four and 90.7
// with three, for 1024 rows of 65536 halves.
inline std::uint32_t least_shared_on_demand(const ClusterShape& shape) { return shape.threads == 256 ? 60 << 10 : 0; }

// As many clusters as there are rows, of which a GPU launches those that run at once. A block's shared memory holds its
// share of `kept` vectors as long as a row: of the row, and of the biases. The last argument is the queue: how many
// rows have been taken, and how many clusters have ended. Kernels count rows in an int: each has 8 KB at least.
template <class... Arguments>
void launch_on_demand(launch::Plan& plan, const Inputs& inputs, const std::string& kernel,
                      const std::string& template_arguments, const ClusterShape& shape, std::uint32_t kept,
                      const Arguments&... arguments) {
    launch::Block block{shape.threads};
    block.dynamic_shared_bytes = std::max(kept * shape.packs * shape.threads * 16, least_shared_on_demand(shape));
    const auto queue = plan.kept<unsigned>("queue", 2);
    plan.launch(kernel, template_arguments, launch::Grid{rows_of(inputs).blocks() * shape.blocks}, block, arguments...,
                queue);
    plan.launches.back().cluster_in_turns = shape.blocks;
    plan.launches.back().overlaps = true;
}

// Of a norm's kernel in which a cluster keeps a few rows in registers.
struct RowsACluster {
    ClusterShape shape;
    std::uint32_t rows = 1;
    bool whole = false;   // a row fills the shape, and the kernel knows
};
// Two rows, so that weights are read once for both. Long rows of floats that fill eight packs a thread are faster one
// by one: 1024 x 65536 in two runs on an H100, RMS norm 182.7 and 184.1 us instead of 184.1 and 185.7, layer norm 185.5
// and 186.8 instead of 190.4 and 191.4.
inline RowsACluster rows_a_cluster(std::uint64_t packs_a_row, Element element) {
    const ClusterShape one = cluster_of(packs_a_row, kMostBlocksOfACluster, 2 * kPacks);
    if (element == Element::f32 && one.threads >= 256 && packs_a_row == one.room()) return {one, 1, true};
    const ClusterShape two = cluster_of(packs_a_row, kMostBlocksOfACluster, kPacks);
    return {two, 2, element != Element::f32 && packs_a_row == two.room()};
}
// The template arguments of such a kernel.
inline std::string shape_text(const std::string& type, const RowsACluster& cluster) {
    return type + (cluster.whole ? ", true, " : ", false, ") + std::to_string(cluster.rows) + ", " +
           std::to_string(cluster.shape.packs) + ", " + std::to_string(cluster.shape.blocks);
}

// Are there clusters, with as much shared memory a block as those of cluster_anywhere() take? 208 KB at most: sm_90 and
// sm_100 have 227, sm_120 has 99.
inline bool has_large_clusters(const Machine& machine) {
    return machine.architecture >= 90 && machine.architecture < 120;
}

// Bulk copies under way, in tiles of a pack for each thread: as kTilesUnderWay in the lessons' cluster.cuh.
inline std::uint32_t tiles_under_way(std::uint32_t packs) { return packs < 4 ? 2 * packs : packs + packs / 4; }

// Throws Error where --block was given to `variant`, which chooses its threads itself.
inline void refuse_block(const Inputs& inputs, const std::string& variant) {
    if (inputs.block != kWarpBlock)
        throw Error(variant + " chooses its threads by the length of a row; leave out --block.");
}

// Throws Error where --block is no multiple of kWarpBlock up to kMostThreads.
inline void check_block(const Inputs& inputs) {
    if (inputs.block < kWarpBlock || inputs.block > kMostThreads || inputs.block % kWarpBlock != 0)
        throw Error("--block " + std::to_string(inputs.block) + ": this variant takes a multiple of 128 up to 1024.");
}

}  // namespace lanewise::lesson
