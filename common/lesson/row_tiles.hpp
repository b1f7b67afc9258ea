// How lessons on rows choose and launch kernels for many short rows that lie in shared memory as tiles, each of rows
// that lie one after the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "common/base/element.hpp"
#include "common/launch/plan.hpp"
#include "common/lesson/row_routes.hpp"
#include "common/lesson/rows.hpp"

namespace lanewise::lesson {

// May rows go as tiles? A tile begins where a pack does; row numbers have 31 bits.
inline bool may_be_tiles(const Inputs& inputs, Element element) {
    return inputs.offset % pack_of(element) == 0 && rows_of(inputs).count <= 0x7f000000;
}
// Whole words of 4 bytes in a row; and does each second row begin within one?
inline std::uint64_t words_of_row(const Inputs& inputs, Element element) {
    return rows_of(inputs).columns * static_cast<std::uint64_t>(element_size(element)) / 4;
}
inline bool rows_begin_within_words(const Inputs& inputs, Element element) {
    return element != Element::f32 && rows_of(inputs).columns % 2 == 1;
}
// Bytes of shared memory to ask for, beside `others`, so that a multiprocessor of sm_90 has room for so many blocks and
// no more.
inline std::uint32_t shared_bytes_for_blocks(std::uint32_t blocks, std::uint32_t others) {
    const std::uint32_t share = (227u << 10) / blocks / 128 * 128;
    return share > others ? share - others : 0;
}
// The same for each block that works on a tile of `bytes` and has `others` besides, so that tiles come in full turns,
// and each multiprocessor has as many. most: blocks that may run at once on one for other reasons. RMS norm of 34 MB of
// 13 halves, 9.7 tiles for each multiprocessor: 92 % of a copy's bandwidth where one has ten at most, and 71 where it
// may have 16 (H200, this kernel by itself).
inline std::uint32_t shared_bytes_in_turns(const Inputs& inputs, std::uint64_t tiles, std::uint32_t bytes,
                                           std::uint32_t others, std::uint32_t most) {
    constexpr std::uint32_t kUnderWay = 170u << 10;   // of tiles at once, at most
    const double mine = std::ceil(static_cast<double>(tiles) / inputs.machine.multiprocessors);
    const double at_once = std::max(1u, std::min(most, kUnderWay / bytes));
    const double turns = std::max(1.0, std::ceil(mine / at_once - 0.2));   // a last turn of a fifth is none of its own
    return std::max(bytes, shared_bytes_for_blocks(static_cast<std::uint32_t>(std::ceil(mine / turns)), others));
}
// Blocks that run at once on a multiprocessor, each with a tile.
struct TilesAtOnce {
    double most = 0;              // tiles of a multiprocessor that go at once: registers are for as many, or nearly so
    std::uint32_t in_turns = 0;   // so many run where not all tiles go at once
    std::uint32_t least = 0;      // fewer are not asked for to make turns even
};
// The same for tiles that are few for a multiprocessor: all of them under way at once, where there is room; where there
// is not quite, 1.4 times as many tiles as blocks. Percent of a copy's bandwidth on an H200 by layer norm, 34 MB of
// halves: 701 columns, 5.7 tiles for each multiprocessor, 74 by seven blocks, 79 by six; 401 columns, 10 tiles, 77 by
// nine, 80 by seven; 751, 10.7 tiles, 71 by ten, 76 by eight (these kernels by themselves).
inline std::uint32_t shared_bytes_of_few_tiles(const Inputs& inputs, std::uint64_t tiles, std::uint32_t bytes,
                                               std::uint32_t others, const TilesAtOnce& at_once) {
    constexpr double kTurns = 1.4;
    const double mine = static_cast<double>(tiles) / inputs.machine.multiprocessors;
    double blocks = at_once.in_turns;
    if (mine > 0 && mine <= at_once.most)
        blocks = std::ceil(mine);
    else if (mine < kTurns * at_once.most && std::round(mine / kTurns) >= at_once.least)
        blocks = std::round(mine / kTurns);
    return std::max(bytes, shared_bytes_for_blocks(static_cast<std::uint32_t>(blocks), others));
}

// Of rows of up to 31 columns, for whose number a kernel is compiled, as RowsInPacks and few_columns_blocks() in
// tile.cuh: rows and packs of a thread, threads of a block, and blocks for which a multiprocessor has registers. No
// columns where rows do not go so. floats: that a thread keeps for each column besides its values. most_packs: of a
// thread.
struct FewColumnsShape {
    std::uint32_t columns = 0, rows = 0, packs = 0, threads = 0, blocks = 0;
};
inline FewColumnsShape few_columns_shape(const Inputs& inputs, Element element, std::uint32_t floats,
                                         std::uint32_t most_packs) {
    const Rows rows = rows_of(inputs);
    if (rows.columns == 0 || rows.columns > 31 || !may_be_tiles(inputs, element)) return {};
    FewColumnsShape shape;
    shape.columns = static_cast<std::uint32_t>(rows.columns);
    const auto pack = static_cast<std::uint32_t>(pack_of(element));
    const std::uint32_t fewest = std::lcm(shape.columns, pack) / shape.columns;
    const std::uint32_t least = fewest * shape.columns / pack;
    shape.rows = least == 1 || (fewest == 1 && least <= 3) ? 3 * fewest : fewest;
    shape.packs = shape.rows * shape.columns / pack;
    if (shape.packs % 4 == 0 || shape.packs > most_packs) return {};   // four: lanes would read from the same banks
    shape.threads = shape.packs <= 3 ? 128 : shape.packs <= 20 ? 64 : 32;
    const std::uint32_t besides = shape.threads == 128 ? 36 : 44 + 4 * floats;
    const std::uint32_t registers = ((floats + 1) * shape.columns + besides) / 8 * 8;
    shape.blocks = shape.threads == 32 ? 12 : 65536 / (shape.threads * registers);
    return shape;
}
template <class... Arguments>
void launch_few_columns(launch::Plan& plan, const Inputs& inputs, Element element, const std::string& kernel,
                        const FewColumnsShape& shape, const Arguments&... arguments) {
    launch::Block block{shape.threads};
    const std::uint32_t tiles = rows_of(inputs).blocks(shape.rows * shape.threads);
    const std::uint32_t bytes = shape.packs * shape.threads * 16;
    constexpr std::uint32_t kBesides = 1152;   // a kilobyte that the system takes of each block, and the barrier
    block.dynamic_shared_bytes = shared_bytes_in_turns(inputs, tiles, bytes, kBesides, shape.blocks);
    plan.launch(kernel, fmt::format("{}, {}", type_of(element), shape.columns), launch::Grid{tiles}, block,
                arguments...);
    plan.launches.back().overlaps = true;
}
// Is that faster? Percent of a copy's bandwidth on an H200 so, and by kernels for any number of columns, softmax, layer
// norm and RMS norm of 34 MB of halves: 3 columns 98 38, 92 22, 93 63; 9 92 81, 87 61, 93 81; 8 95 39, 87 22, 98 27; 16
// 93 72, 85 41, 98 52; of floats: 3 94 77, 93 70, 93 81; 4 95 49, 96 25, 94 27; 20 91 69, 90 63, 93 64; but 12 94 105,
// 94 64, 94 75 (these kernels by themselves, not all pairs in one run).
inline bool few_columns_are_faster(const Inputs& inputs, Element element, const FewColumnsShape& shape) {
    return inputs.machine.architecture >= 90 && shape.columns > 0 && rows_are_many(inputs, element);
}

// Rows of up to so many whole words of 4 bytes, `rows` of them a tile, of which `parts` threads take each. Further
// numbers that the kernel is compiled for: whether each second row begins within a word; then, of softmax, the words of
// a thread, else how many words it takes at a time, and for how many threads a multiprocessor has registers. No parts
// where rows do not go so.
struct RowTileShape {
    std::uint32_t most_words = 0, rows = 0, parts = 0, words = 0, lot = 0, at_once = 0;
    bool begin_within = false;

    std::uint32_t threads() const { return rows * parts; }
    std::string numbers() const {
        const std::string of_both = fmt::format("{}, {}, {}", rows, parts, begin_within);
        return lot > 0 ? fmt::format("{}, {}, {}", of_both, lot, at_once) : fmt::format("{}, {}", of_both, words);
    }
};
// The first of the instances that has room for a row of so many columns or more.
inline RowTileShape row_tile_shape(const Inputs& inputs, Element element, std::uint64_t least_columns,
                                   std::initializer_list<RowTileShape> instances) {
    if (rows_of(inputs).columns < least_columns || !may_be_tiles(inputs, element)) return {};
    for (RowTileShape shape : instances) {
        if (words_of_row(inputs, element) > shape.most_words) continue;
        shape.begin_within = rows_begin_within_words(inputs, element);
        return shape;
    }
    return {};
}
// vectors: as long as a row, which lie in shared memory, too, as floats; where rows begin within a word, twice. With
// any, tiles come in full turns. Without, as softmax has it, they were slower so: 34 MB of 41 halves 85 % of a copy's
// bandwidth in two turns, and 90 as many at once as registers allow (H200, these kernels by themselves).
template <class... Arguments>
void launch_row_tile(launch::Plan& plan, const Inputs& inputs, Element element, const std::string& kernel,
                     const RowTileShape& shape, std::uint32_t vectors, const Arguments&... arguments) {
    const auto size = static_cast<std::uint64_t>(element_size(element));
    const std::uint64_t columns = rows_of(inputs).columns;
    const std::uint32_t tiles = rows_of(inputs).blocks(shape.rows);
    const std::uint64_t copies = shape.begin_within ? 2 : 1;
    const auto bytes = static_cast<std::uint32_t>(shape.rows * columns * size + vectors * (columns + 4) * copies * 4);
    launch::Block block{shape.threads()};
    const std::uint32_t most = shape.at_once / shape.threads();
    constexpr std::uint32_t kBesides = 4096;   // as above, and the most that sums of parts take
    block.dynamic_shared_bytes = vectors > 0 ? shared_bytes_in_turns(inputs, tiles, bytes, kBesides, most) : bytes;
    plan.launch(kernel, fmt::format("{}, {}", type_of(element), shape.numbers()), launch::Grid{tiles}, block,
                arguments...);
    plan.launches.back().overlaps = true;
}
// Of a norm, which reads words again: of any number of them, but a thread loads one weight, of halves two. Tiles of 32
// rows where none begins within a word. Percent of a copy's bandwidth on an H200, 34 MB of halves by layer norm: 57
// columns by one thread a row 89 and by two 84, 105 by two 84 and by three 80, 193 by four 78 and by three 76; tiles of
// 32 rows and of 64: 122 columns 84 and 81, 190 84 and 78; of floats 90 columns 79 and 75 (these kernels by
// themselves).
inline RowTileShape row_tile_of_norm(const Inputs& inputs, Element element) {
    constexpr std::uint64_t kLeast = 31;
    const auto of = [](std::uint32_t most_words, std::uint32_t rows, std::uint32_t parts, std::uint32_t lot,
                       std::uint32_t at_once = 1536) { return RowTileShape{most_words, rows, parts, 0, lot, at_once}; };
    if (element == Element::f32)
        return row_tile_shape(
            inputs, element, kLeast,
            {of(36, 64, 2, 4, 2048), of(41, 64, 2, 8), of(65, 32, 3, 8), of(110, 32, 4, 8), of(176, 32, 6, 8)});
    const RowTileShape shape = row_tile_shape(inputs, element, kLeast, {of(33, 128, 1, 8, 1280), of(52, 64, 2, 4)});
    if (shape.parts > 0) return shape;
    if (!rows_begin_within_words(inputs, element))
        return row_tile_shape(inputs, element, kLeast, {of(78, 32, 3, 4), of(128, 32, 4, 4), of(155, 32, 6, 8)});
    return row_tile_shape(inputs, element, kLeast, {of(82, 64, 2, 8), of(155, 64, 4, 4)});
}
// Are many short rows faster so than by a few lanes? most_halves: of up to so many, where their number is odd;
// most_floats: where it is even. Percent of a copy's bandwidth on an H200 so and by a few lanes, by layer norm and by
// RMS norm, 34 MB of halves, odd: 193 columns 78 69, 82 75; 217 76 73, 81 75; 233 75 75, 78 76; 255 75 74, 79 77. In
// units of 8 bytes: 180 82 80, 89 85; 212 81 80, 88 85; 244 79 80, 85 85. Of 4: 190 84 70, 89 72; 238 81 77, 87 83; 302
// 78 76, 87 84. RMS norm, by lanes in another run: 281 76 74, 301 73 77. Of floats: 171 75 73, 88 79; in another run in
// units of 8 bytes 114 79 75, 88 75; 138 77 84, 85 80 (these kernels by themselves).
inline bool row_tile_of_norm_is_faster(const Inputs& inputs, Element element, std::uint64_t most_halves,
                                       std::uint64_t most_floats) {
    if (inputs.machine.architecture < 90 || !rows_are_many(inputs, element) || is_packed(inputs, element) ||
        row_tile_of_norm(inputs, element).parts == 0)
        return false;
    const std::uint64_t columns = rows_of(inputs).columns;
    if (element == Element::f32) return columns % 2 == 1 || columns <= most_floats;
    if (rows_begin_within_words(inputs, element)) return columns <= most_halves;
    return columns % 4 != 0 || columns <= 240;
}

// Of rows that lie in shared memory as tiles, and warps hold a few each: words of a lane at most, warps of a block,
// rows of a warp, blocks for which a multiprocessor has registers, warps that share the words of their rows, blocks that
// it runs where not all tiles go at once (0: as many as it can), and whether each second row begins within a word. No
// words where rows do not go so.
struct LaneTileShape {
    std::uint32_t words = 0, warps = 0, together = 0, blocks = 0, chunks = 1, in_turns = 0;
    bool begin_within = false;

    std::uint32_t rows() const { return warps / chunks * together; }
    std::uint32_t most_words() const { return 32 * words * chunks; }
    std::string numbers() const {
        return fmt::format("{}, {}, {}, {}, {}, {}", warps, chunks, begin_within, words, together, blocks);
    }
};
// The first of the instances, list after list, that has room for a row.
inline LaneTileShape lane_tile_shape(const Inputs& inputs, Element element,
                                     std::initializer_list<std::initializer_list<LaneTileShape>> lists) {
    if (!may_be_tiles(inputs, element)) return {};
    for (const std::initializer_list<LaneTileShape>& instances : lists) {
        for (LaneTileShape shape : instances) {
            if (words_of_row(inputs, element) > shape.most_words()) continue;
            shape.begin_within = rows_begin_within_words(inputs, element);
            return shape;
        }
    }
    return {};
}
// A tile of rows for each block, and words of vectors as long as a row, so many of them; where rows begin within words,
// twice.
template <class... Arguments>
void launch_lane_tile(launch::Plan& plan, const Inputs& inputs, Element element, const std::string& kernel,
                      const LaneTileShape& shape, std::uint32_t vectors, const TilesAtOnce& at_once,
                      const Arguments&... arguments) {
    const auto size = static_cast<std::uint64_t>(element_size(element));
    const std::uint64_t to_its_place = element == Element::f32 ? 0 : 112;
    const std::uint64_t of_vectors = words_of_row(inputs, element) * 4 * vectors * (shape.begin_within ? 2 : 1);
    const auto bytes =
        static_cast<std::uint32_t>(shape.rows() * rows_of(inputs).columns * size + to_its_place + of_vectors);
    constexpr std::uint32_t kBesides = 1152;   // a kilobyte that the system takes of each block, and the barrier
    const std::uint32_t tiles = rows_of(inputs).blocks(shape.rows());
    launch::Block block{32 * shape.warps};
    block.dynamic_shared_bytes = shared_bytes_of_few_tiles(inputs, tiles, bytes, kBesides, at_once);
    plan.launch(kernel, fmt::format("{}, {}", type_of(element), shape.numbers()), launch::Grid{tiles}, block,
                arguments...);
    plan.launches.back().overlaps = true;
}

}  // namespace lanewise::lesson
