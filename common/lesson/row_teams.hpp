// How lessons on rows let teams of blocks, anywhere on the GPU, share long rows, and the launch of such a kernel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "common/lesson/row_routes.hpp"

namespace lanewise::lesson {

// As in the lessons' team.cuh.
inline constexpr std::uint32_t kMostTeamBlocks = 5 * 32;
inline constexpr std::uint32_t kTeamVectorPacks = 2 * kPacksOfALine;  // that a vector takes beyond a share: around it
inline constexpr std::uint32_t kTurnsTold = 12;      // whose parts stay in memory
inline constexpr std::uint32_t kMostRowsKept = 12;
inline constexpr std::uint64_t kTeamRoom = (222 << 10) / 16;   // packs, in a block's dynamic shared memory

// A block of a team: warps that read rows, and as many put out results; packs of its share of a row that a thread of
// them has, at most (kTeamPacks at most); and rows for whose shares it has room, at least.
struct TeamBlock {
    std::uint32_t warps = 0, packs = 0, least_rows_kept = 4;
};
inline constexpr TeamBlock kSmallTeamBlock = {1, 3};

// Blocks that share a row, teams of so many, packs of a block's share, shares that it keeps in shared memory, and its
// warps as in TeamBlock.
struct TeamShape {
    std::uint32_t blocks = 0, teams = 0, share = 0, rows_kept = 0, warps = 0;
    std::uint32_t threads() const { return (2 * warps + 3) * 32; }   // three more ask for rows, tell, and listen
};

inline std::uint64_t parts_of(std::uint64_t all, std::uint64_t part) { return (all + part - 1) / part; }

// Blocks of a kind that a row in so many places of a pack takes, at least. Each also keeps its share of `vectors`
// vectors as long as a row. Smaller shares of more rows took an H100 longer (layer norm, 13 lengths).
inline std::uint64_t least_blocks(std::uint64_t places, const TeamBlock& block, std::uint32_t vectors) {
    const std::uint64_t room = kTeamRoom - vectors * kTeamVectorPacks;
    const std::uint64_t most = room / (block.least_rows_kept + vectors) / kPacksOfALine * kPacksOfALine;
    return std::max<std::uint64_t>(parts_of(places, std::min<std::uint64_t>(most, block.warps * 32 * block.packs)), 1);
}

// Of rows in so many places of a pack, the kind of block: of more warps where one then holds a row, or two where three
// did. Percent of a copy's bandwidth on an H200, 67 MB of halves, these kernels by themselves, so and by blocks of 12
// warps: softmax 20001 columns 99 and 84, 22501 98 and 88, 40001 95 and 88, layer norm 84 and 79, 84 and 83, but 77 and
// 85, RMS norm 99 and 84, 99 and 88, 95 and 90. Blocks of 12 warps with up to seven packs a thread, and with six:
// 151937 columns 92 and 94 (softmax), 88 and 93 (RMS norm), but 300001 80 and 78 (layer norm, whose vectors leave room
// for 6.1).
inline TeamBlock team_block_of(std::uint64_t places, std::uint32_t vectors) {
    constexpr TeamBlock kLarge = {14, 6, 3}, kLargest = {14, 7, 3};
    const TeamBlock usual = {12, vectors > 1 ? 7u : 6u};
    const std::uint64_t blocks = least_blocks(places, usual, vectors);
    if (blocks > 1 && least_blocks(places, kLargest, vectors) == 1) return kLargest;
    return vectors < 2 && blocks > 2 && least_blocks(places, kLarge, vectors) == 2 ? kLarge : usual;
}

// Of rows in so many places of a pack, with `vectors` as in least_blocks(). None where the GPU has no room. In blocks
// of kWarpBlock threads: one small team to be looked at.
inline TeamShape team_of(std::uint64_t places, std::uint64_t rows, const Machine& machine, std::uint32_t vectors,
                         std::uint32_t block) {
    const bool small = block == kWarpBlock;
    const TeamBlock kind = small ? kSmallTeamBlock : team_block_of(places, vectors);
    const std::uint64_t room = kTeamRoom - vectors * kTeamVectorPacks;
    const std::uint64_t at_once = machine.multiprocessors;   // blocks
    const std::uint64_t least = least_blocks(places, kind, vectors);
    if (least > std::min<std::uint64_t>(at_once, kMostTeamBlocks) || rows == 0 || rows > std::numeric_limits<int>::max())
        return {};
    // The turns that teams of the fewest blocks need, by the fewest teams that need no more: each then has more blocks.
    const std::uint64_t turns = parts_of(rows, at_once / least);
    TeamShape shape;
    shape.warps = kind.warps;
    shape.teams = small ? 1 : static_cast<std::uint32_t>(parts_of(rows, turns));
    const std::uint64_t blocks = small ? least : std::min<std::uint64_t>(at_once / shape.teams, kMostTeamBlocks);
    const std::uint64_t lines = std::max<std::uint64_t>(parts_of(parts_of(places, blocks), kPacksOfALine), 1);
    shape.share = static_cast<std::uint32_t>(lines * kPacksOfALine);
    shape.blocks = static_cast<std::uint32_t>(std::max<std::uint64_t>(parts_of(places, shape.share), 1));
    const std::uint64_t rows_kept = (room - std::uint64_t{vectors} * shape.share) / shape.share;
    shape.rows_kept =
        small ? kind.least_rows_kept : static_cast<std::uint32_t>(std::min<std::uint64_t>(rows_kept, kMostRowsKept));
    return shape;
}

// Are there large clusters, and many rows, on an H100 and an H200?
inline bool teams_were_timed(const Inputs& inputs, Element element) {
    return has_large_clusters(inputs.machine) && rows_are_many(inputs, element);
}

// Fillings of L2 from which teams may be faster than blocks that hold a row each, for most lengths and types.
inline constexpr double kLeastTeamFillings = 0.75;

// Are teams faster than blocks that hold a row each, of so many packs at least? Where rows and results about fill L2:
// both were timed on an H200 at 34 to 134 MB, 0.5 to 2.1 times its L2, and on an H100 at 67 MB. Of fewer fillings than
// least_fillings, or more than 1.5, most lengths were slower by a team.
inline bool teams_beat_blocks(const Inputs& inputs, Element element, std::uint64_t least_packs,
                              double least_fillings = kLeastTeamFillings) {
    const std::uint64_t packs = rows_of(inputs).columns / pack_of(element);
    const bool about_fill_l2 = fillings_of_l2(inputs, element) > least_fillings && !outgrows_l2(inputs, element);
    return teams_were_timed(inputs, element) && about_fill_l2 && packs >= least_packs && packs <= 4096;
}

// Is it faster to ask L2 to evict first what was read of rows, which leaves room there for results? On an H200, with
// 60 MB of L2, 52, 58 and 67 MB of 65544 halves ran by layer norm at 86, 88 and 87 % of a copy's bandwidth so, and at
// 79, 79 and 80 where what was read was to leave last; by RMS norm at 88, 93 and 91, and at 82, 86 and 86. But 80 MB by
// RMS norm at 87 and 88, 134 MB at 84 and 91, and 48 MB of 28000 by layer norm at 76 and 78.
inline bool rows_leave_l2_first(const Inputs& inputs, Element element) {
    const double fillings = fillings_of_l2(inputs, element);
    return memory_is_fast(inputs.machine) && fillings > 0.8 && fillings < 1.2;
}

// Blocks wait for each other, so all of them must run at once. A block tells its team `floats` floats of a row, each
// with the turn's number.
template <class... Arguments>
void launch_team(launch::Plan& plan, const Inputs& inputs, Element element, const std::string& kernel,
                 const TeamShape& shape, std::uint32_t vectors, std::uint32_t floats, const Arguments&... arguments) {
    launch::Block block{shape.threads()};
    block.dynamic_shared_bytes = (shape.rows_kept * shape.share + vectors * (shape.share + kTeamVectorPacks)) * 16;
    const auto parts = plan.kept<float>("parts", std::uint64_t{shape.blocks} * shape.teams * kTurnsTold * floats * 2);
    const auto history = plan.kept<unsigned>("history", 2);
    plan.launch(kernel,
                fmt::format("{}, {}, {}", type_of(element), is_packed(inputs, element) ? "true" : "false", shape.warps),
                launch::Grid{shape.blocks, shape.teams}, block, arguments..., static_cast<int>(shape.share),
                static_cast<int>(shape.rows_kept), rows_leave_l2_first(inputs, element), parts, history);
    plan.launches.back().cooperative = true;
    plan.launches.back().overlaps = true;
}

}  // namespace lanewise::lesson
