// How lessons on rows let teams of blocks, anywhere on the GPU, share long rows, and the launch of such a kernel.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "common/lesson/row_routes.hpp"

namespace lanewise::lesson {

// As in the lessons' team.cuh.
inline constexpr std::uint32_t kTeamPacks = 6;       // that a thread has of its block's share of a row, at most
inline constexpr std::uint32_t kSmallTeamPacks = 3;  // the same of a small team
inline constexpr std::uint32_t kMostTeamBlocks = 5 * 32;
inline constexpr std::uint32_t kTeamVectorPacks = 2 * kPacksOfALine;  // that a vector takes beyond a share: around it
inline constexpr std::uint32_t kTurnsTold = 12;      // whose parts stay in memory
inline constexpr std::uint32_t kLeastRowsKept = 4, kMostRowsKept = 12;

// A block of a team: warps that read rows, and as many put out results; such blocks that a multiprocessor runs at once;
// the dynamic shared memory of one; and the blocks that may share a row.
struct TeamBlock {
    std::uint32_t warps = 0, at_once = 0, kilobytes = 0, most_blocks = kMostTeamBlocks;
};
inline constexpr TeamBlock kSmallTeamBlock = {1, 1, 222};
inline constexpr std::array<TeamBlock, 4> kTeamBlocks = {{{12, 1, 222}, {6, 2, 108}, {4, 3, 71, 1}, {3, 4, 51, 1}}};

// Blocks that share a row, teams of so many, packs of a block's share, shares that it keeps in shared memory, and its
// warps as in TeamBlock.
struct TeamShape {
    std::uint32_t blocks = 0, teams = 0, share = 0, rows_kept = 0, warps = 0;
    std::uint32_t threads() const { return (2 * warps + 3) * 32; }   // three more ask for rows, tell, and listen
};

inline std::uint64_t parts_of(std::uint64_t all, std::uint64_t part) { return (all + part - 1) / part; }

// Blocks of a kind that a row in so many places of a pack takes, at least. Each also keeps its share of `vectors` vectors
// as long as a row. A share takes at most `packs` packs a thread that reads it, and leaves room for kLeastRowsKept rows:
// more rows in smaller shares took an H100 longer (layer norm, 13 lengths).
inline std::uint64_t least_blocks(std::uint64_t places, const TeamBlock& block, std::uint32_t vectors,
                                  std::uint32_t packs) {
    const std::uint64_t room = (block.kilobytes << 10) / 16 - vectors * kTeamVectorPacks;   // packs
    const std::uint64_t most = room / (kLeastRowsKept + vectors) / kPacksOfALine * kPacksOfALine;
    return std::max<std::uint64_t>(parts_of(places, std::min<std::uint64_t>(most, block.warps * 32 * packs)), 1);
}

// Of rows in so many places of a pack, the kind of block that takes a multiprocessor the least time for a row: a turn
// takes about as long as three packs a thread and those that it has. Layer norm on an H200, percent of a copy's bandwidth
// by 12, 6, 4 and 3 warps: 67 MB of 16383 halves 92, and 83 and 67 by two blocks of 6 and four of 3; 8191 71, 93, and 66
// by two blocks of 3; 5001 56, 75, 81, and 56 by two of 3; 4099 49, 71, 69, 83; 120 MB of 20001 73, 78 and 69 by two,
// three and five blocks.
inline TeamBlock team_block_of(std::uint64_t places, std::uint32_t vectors) {
    TeamBlock chosen = kTeamBlocks[0];
    double least_time = std::numeric_limits<double>::infinity();
    for (const TeamBlock& block : kTeamBlocks) {
        const std::uint64_t blocks = least_blocks(places, block, vectors, kTeamPacks);
        if (blocks > block.most_blocks) continue;
        const std::uint64_t packs = parts_of(parts_of(places, blocks), block.warps * 32);
        double time = static_cast<double>(blocks * (3 + packs)) / block.at_once;
        // A row of 1048576 halves, of 67 MB, by layer norm: 57 blocks of 12 warps 78 %, 115 of 6 warps 69.
        if (blocks > 1 && block.at_once > 1 && vectors > 1) time *= 1.1;
        if (time < least_time) chosen = block;
        least_time = std::min(least_time, time);
    }
    return chosen;
}

// Of rows in so many places of a pack, with `vectors` as in least_blocks(). None where the GPU has no room. In blocks of
// kWarpBlock threads: one small team to be looked at.
inline TeamShape team_of(std::uint64_t places, std::uint64_t rows, const Machine& machine, std::uint32_t vectors,
                         std::uint32_t block) {
    const bool small = block == kWarpBlock;
    const TeamBlock kind = small ? kSmallTeamBlock : team_block_of(places, vectors);
    const std::uint64_t room = (kind.kilobytes << 10) / 16 - vectors * kTeamVectorPacks;
    const std::uint64_t at_once = std::uint64_t{machine.multiprocessors} * kind.at_once;
    const std::uint64_t least = least_blocks(places, kind, vectors, small ? kSmallTeamPacks : kTeamPacks);
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
        small ? kLeastRowsKept : static_cast<std::uint32_t>(std::min<std::uint64_t>(rows_kept, kMostRowsKept));
    return shape;
}

// Are there large clusters, and many rows, on an H100 and an H200?
inline bool teams_were_timed(const Inputs& inputs, Element element) {
    return has_large_clusters(inputs.machine) && rows_are_many(inputs, element);
}

// Of rows that begin anywhere, packs from which on teams take them. Percent of a copy's bandwidth by teams, and by the
// kernels where a block or a cluster takes a row, softmax, layer norm and RMS norm: on an H200, 67 MB of 2801 halves 85
// and 75, 71 and 63, 89 and 80, of 16383 94 and 60, 90 and 61, 95 and 76; on an H100 96 and 90, 92 and 77, 95 and 87, and
// 96 and 77, 95 and 74, 98 and 85. But 1501 on an H200 61 and 70, 50 and 62, 70 and 79.
inline constexpr std::uint64_t kPacksAnywhere = 350;

// Is it faster to ask L2 to evict first what was read of rows, which leaves room there for results? On an H200, with
// 60 MB of L2, 52, 58 and 67 MB of 65544 halves ran by layer norm at 86, 88 and 87 % of a copy's bandwidth so, and at
// 79, 79 and 80 where what was read was to leave last; by RMS norm at 88, 93 and 91, and at 82, 86 and 86. But 80 MB by
// RMS norm at 87 and 88, 134 MB at 84 and 91, and 48 MB of 28000 by layer norm at 76 and 78.
inline bool rows_leave_l2_first(const Inputs& inputs, Element element) {
    const double fillings = fillings_of_l2(inputs, element);
    return memory_is_fast(inputs.machine) && fillings > 0.8 && fillings < 1.2;
}

// Blocks wait for each other, so all of them must run at once. A block tells its team `floats` floats of a row, each with
// the turn's number.
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
