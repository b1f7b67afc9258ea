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
// Bytes of shared memory to ask for, for each block that works on a tile of `bytes` and has `others` besides, so that
// tiles come in full turns, and each multiprocessor has as many. most: blocks that may run at once on one for other
// reasons. RMS norm of 34 MB of 13 halves, 9.7 tiles for each multiprocessor: 92 % of a copy's bandwidth where one has
// ten at most, and 71 where it may have 16 (H200, this kernel by itself).
inline std::uint32_t shared_bytes_in_turns(const Inputs& inputs, std::uint64_t tiles, std::uint32_t bytes,
                                           std::uint32_t others, std::uint32_t most) {
    constexpr std::uint32_t kSharedBytes = 227u << 10;   // of a multiprocessor of sm_90
    constexpr std::uint32_t kUnderWay = 170u << 10;      // of tiles at once, at most
    const double mine = std::ceil(static_cast<double>(tiles) / inputs.machine.multiprocessors);
    const double at_once = std::max(1u, std::min(most, kUnderWay / bytes));
    const double turns = std::max(1.0, std::ceil(mine / at_once - 0.2));   // a last turn of a fifth is none of its own
    const auto share = static_cast<std::uint32_t>(kSharedBytes / std::ceil(mine / turns)) / 128 * 128;
    return std::max(bytes, share > others ? share - others : 0);
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
    const std::uint32_t besides = shape.threads == 128 ? 36 : 28 + 12 * floats;
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

// Rows of up to so many whole words of 4 bytes, of which each of `parts` threads has `words` at most (0: any number):
// as kRowsOfTile and kRowTileThreads in tile.cuh. No parts where rows do not go so.
struct RowTileShape {
    std::uint32_t most_words = 0, words = 0, parts = 0;

    std::uint32_t rows() const { return parts > 1 ? 64 : 128; }
    std::uint32_t threads() const { return rows() * parts; }
};
// The first of the instances that has room for a row of so many columns or more.
inline RowTileShape row_tile_shape(const Inputs& inputs, Element element, std::uint64_t least_columns,
                                   std::initializer_list<RowTileShape> instances) {
    const std::uint64_t columns = rows_of(inputs).columns;
    if (columns < least_columns || !may_be_tiles(inputs, element)) return {};
    const std::uint64_t words = columns * static_cast<std::uint64_t>(element_size(element)) / 4;
    for (const RowTileShape& shape : instances)
        if (words <= shape.most_words) return shape;
    return {};
}
// vectors: as long as a row, which lie in shared memory, too, as floats; where 16-bit rows may begin within a word,
// twice. With any, tiles come in full turns. Without, as softmax has it, they were slower so: 34 MB of 41 halves 85 %
// of a copy's bandwidth in two turns, and 90 as many at once as registers allow (H200, these kernels by themselves).
template <class... Arguments>
void launch_row_tile(launch::Plan& plan, const Inputs& inputs, Element element, const std::string& kernel,
                     const RowTileShape& shape, std::uint32_t vectors, const Arguments&... arguments) {
    const auto size = static_cast<std::uint64_t>(element_size(element));
    const std::uint64_t columns = rows_of(inputs).columns;
    const std::uint32_t tiles = rows_of(inputs).blocks(shape.rows());
    const auto bytes =
        static_cast<std::uint32_t>(shape.rows() * columns * size + vectors * (columns + 4) * (4 / size) * 4);
    launch::Block block{shape.threads()};
    const std::uint32_t most = inputs.machine.threads_per_multiprocessor / shape.threads();
    constexpr std::uint32_t kBesides = 4096;   // as above, and the most that sums of parts take
    block.dynamic_shared_bytes = vectors > 0 ? shared_bytes_in_turns(inputs, tiles, bytes, kBesides, most) : bytes;
    const std::string words = shape.words > 0 ? std::to_string(shape.words) + ", " : "";
    plan.launch(kernel, fmt::format("{}, {}{}", type_of(element), words, shape.parts), launch::Grid{tiles}, block,
                arguments...);
    plan.launches.back().overlaps = true;
}
// Of a norm, which reads words again: of any number of them. Percent of a copy's bandwidth on an H200, 34 MB of halves
// by layer norm, where two threads share a row and where three do: 75 columns 78 and 68, 97 75 and 76, 121 70 and 74
// (these kernels by themselves).
inline RowTileShape row_tile_of_norm(const Inputs& inputs, Element element) {
    return row_tile_shape(inputs, element, 31, {{26, 0, 1}, {52, 0, 2}, {78, 0, 3}, {96, 0, 4}});
}

}  // namespace lanewise::lesson
