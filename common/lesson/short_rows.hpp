// How lessons on rows choose and launch kernels for short rows: a few lanes hold one, or a thread has a few words of one.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>

#include <fmt/format.h>

#include "common/base/element.hpp"
#include "common/launch/plan.hpp"
#include "common/lesson/row_routes.hpp"
#include "common/lesson/rows.hpp"

namespace lanewise::lesson {

inline constexpr std::uint32_t kShortBlock = 128;   // threads of a block in which a few lanes take a row

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
    // Of floats a warp with five packs a lane, and three with two: of 34 MB 640 columns run at 84 % of a copy's bandwidth so,
    // by a block of 64 threads at 60; 768 at 88, 73, and by two warps with three packs at 85 (layer norm, H200, these kernels
    // by themselves).
    const std::uint64_t packs = rows_of(inputs).columns / pack_of(element);
    if (element == Element::f32 && packs > 128 && packs <= 192) {
        const FewLanesShape shape = few_lanes_shape(inputs, element, {{16, 32, 5, 2}, {16, 96, 2, 2}});
        if (shape.lanes > 0) return shape;
    }
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
// shortest rows most places would be empty. Of floats in whole packs by layer norm and by RMS norm, 34 and 41 MB, and by a block
// a row: 896 columns 87 79 and 82 77, 83 82 and 87 81; 1280 87 80 and 84 74, 88 92 and 86 80; but 1024 84 88 and 84 79, 84 92
// and 84 84. most_packs_of_floats: where that still holds.
inline bool few_lanes_are_faster_for_norm(const Inputs& inputs, Element element, const FewLanesShape& shape,
                                          std::uint64_t most_packs_of_floats) {
    if (inputs.machine.architecture < 90 || shape.lanes == 0 || !rows_are_many(inputs, element)) return false;
    const std::uint64_t packs = rows_of(inputs).columns / pack_of(element);
    if (packs > 64 && !l2_holds(inputs, element)) return false;
    if (element == Element::f32 && packs > 96)
        return is_packed(inputs, element) && packs > 128 && (packs <= 240 || packs > 256) && packs <= most_packs_of_floats;
    if (is_packed(inputs, element)) return packs <= 96 || packs > 128;
    return packs >= (shape.bytes == 4 ? 6 : 7) && (shape.whole || packs <= 60 || packs > 64);
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

}  // namespace lanewise::lesson
