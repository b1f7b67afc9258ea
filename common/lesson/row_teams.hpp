// How lessons on rows let teams of blocks, anywhere on the GPU, share long rows, and the launch of such a kernel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "common/lesson/row_routes.hpp"

namespace lanewise::lesson {

// As in the lessons' team.cuh.
inline constexpr std::uint32_t kTeamPacks = 3;       // that a thread has of its block's share of a row, at most
inline constexpr std::uint32_t kMostTeamBlocks = 5 * 32;
inline constexpr std::uint32_t kTurnsTold = 6;
inline constexpr std::uint32_t kLeastRowsKept = 4, kMostRowsKept = 12;

// Blocks that share a row, teams of so many, packs of a block's share, shares that it keeps in shared memory, and the
// warps that work on them.
struct TeamShape {
    std::uint32_t blocks = 0, teams = 0, share = 0, rows_kept = 0, warps = 0;
    std::uint32_t threads() const { return (warps + 2) * 32; }   // two more warps tell and listen
};

// Of rows of so many packs, one block on each multiprocessor, which also keeps its share of `vectors` vectors as long as
// a row: the largest shares that leave room for four rows, which are fastest (layer norm, 13 lengths on an H100). None
// where the GPU has no room. In blocks of kWarpBlock threads: one small team to be looked at.
inline TeamShape team_of(std::uint64_t packs, std::uint64_t rows, const Machine& machine, std::uint32_t vectors,
                         std::uint32_t block) {
    const std::uint64_t room = (222 << 10) / 16 - vectors;   // packs of shared memory; vectors have a pack more each
    const bool small = block == kWarpBlock;
    TeamShape shape;
    shape.warps = small ? kWarpBlock / 32 - 2 : 24;
    const std::uint64_t most = std::min<std::uint64_t>(room / (kLeastRowsKept + vectors) / 8 * 8,
                                                       std::uint64_t{shape.warps} * 32 * kTeamPacks);
    const auto parts = [](std::uint64_t all, std::uint64_t part) { return (all + part - 1) / part; };
    const std::uint64_t least = std::max<std::uint64_t>(parts(packs, most), 1);
    const std::uint64_t most_blocks = std::min(machine.multiprocessors, kMostTeamBlocks);
    if (least > most_blocks || rows == 0) return {};
    // As many turns as the fewest blocks a row allow, by as few teams as that takes: each then has more blocks.
    const std::uint64_t turns = parts(rows, machine.multiprocessors / least);
    shape.teams = small ? 1 : static_cast<std::uint32_t>(parts(rows, turns));
    const std::uint64_t blocks = small ? least : std::min(machine.multiprocessors / shape.teams, kMostTeamBlocks);
    shape.share = static_cast<std::uint32_t>(std::max<std::uint64_t>(parts(parts(packs, blocks), 8), 1) * 8);
    shape.blocks = static_cast<std::uint32_t>(std::max<std::uint64_t>(parts(packs, shape.share), 1));
    shape.rows_kept = static_cast<std::uint32_t>(
        std::min<std::uint64_t>((room - std::uint64_t{vectors} * shape.share) / shape.share, kMostRowsKept));
    return shape;
}

// Blocks wait for each other, so all of them must run at once. A block tells its team two floats of a row at most.
template <class... Arguments>
void launch_team(launch::Plan& plan, const Inputs& inputs, Element element, const std::string& kernel,
                 const TeamShape& shape, std::uint32_t vectors, const Arguments&... arguments) {
    launch::Block block{shape.threads()};
    block.dynamic_shared_bytes = (shape.rows_kept * shape.share + vectors * (shape.share + 1)) * 16;
    const std::uint32_t blocks = shape.blocks * shape.teams;
    const auto parts = plan.scratch<float>("parts", std::uint64_t{blocks} * kTurnsTold * 2);
    const auto told = plan.kept<unsigned>("told", std::uint64_t{shape.teams} * kTurnsTold + 1);
    plan.launch(kernel,
                fmt::format("{}, {}, {}", type_of(element), is_packed(inputs, element) ? "true" : "false", shape.warps),
                launch::Grid{blocks}, block, arguments..., static_cast<int>(shape.blocks), static_cast<int>(shape.share),
                static_cast<int>(shape.rows_kept), parts, told);
    plan.launches.back().cooperative = true;
    plan.launches.back().overlaps = true;
}

}  // namespace lanewise::lesson
