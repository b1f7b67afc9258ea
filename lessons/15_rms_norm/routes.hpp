// Which fast route takes rows of a length: kernels of routes.cuh and kernels_sm*.cuh, from short rows to long ones.
#pragma once

#include <cstdint>

#include "common/lesson/row_routes.hpp"
#include "common/lesson/row_teams.hpp"
#include "common/lesson/row_tiles.hpp"
#include "common/lesson/short_rows.hpp"
#include "lessons/15_rms_norm/case.hpp"

namespace rms_norm {

using namespace lanewise::lesson;  // row_routes.hpp

enum class Route : std::uint8_t {
    short_rows,
    warp,
    registers,
    high_occupancy,
    overlap,
    fitted,
    read_again,
    full_row,
    short_anywhere,
    few_lanes,
    few_columns,
    row_tile,
    lane_tile,
    anywhere,
    fitted_anywhere,
    fitted_cluster,
    two_rows_a_cluster,
    weights_in_l1,
    cluster,
    bulk_copies,
    rows_on_demand,
    anywhere_cluster,
    team,
    anywhere_two_reads,
    two_reads
};

// Threads of a block that keeps its row in registers, at most: as the launch bounds in routes.cuh.
inline std::uint32_t most_threads_in_registers(Element element) { return element == Element::f32 ? 1024 : 512; }

// Packs of the longest row that rms_norm_read_again takes.
inline constexpr std::uint64_t kPacksReadAgain = 8 * 1024;

// Of rms_norm_full_row: a block whose threads hold eight packs each. None where the row does not fill whole warps.
inline std::uint32_t threads_of_full_row(std::uint64_t packs) {
    const std::uint64_t a_warp = 8 * 32;
    return packs % a_warp == 0 && packs <= 8 * kMostThreads ? static_cast<std::uint32_t>(packs / 8) : 0;
}

// Of bulk copies: a small one to be looked at, one that is fastest for 65536 columns, and one for longer rows.
inline ClusterShape bulk_shape(std::uint64_t packs_a_row, Element element, std::uint32_t block) {
    if (block == kWarpBlock) return {2, block, kPacks};
    const ClusterShape shape{8, element == Element::f32 ? 512u : 256u, kPacks};
    return packs_a_row <= shape.room() ? shape : ClusterShape{8, 1024, kPacks};
}

// Of long rows that begin anywhere: the fewest blocks that need no more than 384 threads each, eight at most.
inline ClusterShape anywhere_shape(std::uint64_t columns, Element element) {
    for (const std::uint32_t blocks : {2u, 4u})
        if (columns / pack_of(element) <= std::uint64_t{blocks} * 384 * kPacks)
            return cluster_anywhere(columns, element, blocks, kPacks);
    return cluster_anywhere(columns, element, 8, kPacks);
}

// Of rms_norm_fitted: weights are asked for early where registers are enough for that.
inline FittedShape shape_of_fitted(const Inputs& inputs, Element element) {
    return fitted_shape(packs_of(rows_of(inputs).columns, element), {{kPacks, 640, 2}, {kPacks, kMostThreads, 2}});
}
inline const char* asks_early(const FittedShape& shape) {
    return shape.most_threads < kMostThreads ? "true, " : "false, ";
}

inline constexpr std::uint32_t kVectors = 1;   // as long as a row: weights

// Of rows that begin anywhere and take no more warps than they need. Two rows together share weights. Percent of a copy's
// bandwidth on an H200, 34 MB of halves, by two with two packs a thread, and by one row with four or five: 501 columns 81
// and less, 1001 73 and 79, 2001 81 and 77, 4001 75 and 80, 5001 72 and 79 (these kernels by themselves). Longer ones go to
// teams, but for those of 16 bits that L2 holds: 34 MB of 14001 columns 75 and 67 by a team, of 16001 74 and 63 (in two runs);
// of 13001 71, and by five packs a thread 60 (these kernels by themselves). While L2 holds them, rows of 16 bits that do not
// fill five packs a thread take four in 40 registers: 7001 columns 75, and 67 in 63 registers; 11001 74, and 71 by
// five packs (these kernels by themselves).
inline FittedAnywhereShape shape_of_fitted_anywhere(const Inputs& inputs, Element element) {
    const std::uint64_t packs = rows_of(inputs).columns / pack_of(element);
    if (element != Element::f32 && packs > 1536 && l2_holds(inputs, element))
        return fitted_anywhere_shape(rows_of(inputs).columns, element, {{1, 4, 512, 3, 2048}});
    if (element != Element::f32 && packs > 512 && l2_holds(inputs, element))
        return fitted_anywhere_shape(rows_of(inputs).columns, element, {{1, 5, 512, 2, 1536}, {1, 4, 512, 3, 1536}});
    return fitted_anywhere_shape(rows_of(inputs).columns, element,
                                 {{2, 2, 384, 3, 64},
                                  {1, 4, 512, 2, 128},
                                  {2, 2, 384, 3, 256},
                                  {2, 3, 512, 2, 320},
                                  {1, 5, 512, 2, 1664},
                                  {1, 4, 512, 2, 1024},
                                  {1, 3, 512, 3, 1536}});
}

// Of rows that begin anywhere, whose weights are brought into L1 first: short ones by two, longer ones by the fewest places for
// packs that stay empty. Percent of a copy's bandwidth on an H200, 34 MB of halves, by four packs a thread and by six: 6001
// columns 86 82, 9001 80 83, 13001 76 84; by two rows with two packs and by one with four: 2001 87 77, 3001 84 86 (these
// kernels by themselves).
inline FittedAnywhereShape shape_with_weights_in_l1(const Inputs& inputs, Element element) {
    const std::uint64_t columns = rows_of(inputs).columns;
    const std::uint64_t packs = columns / pack_of(element);
    if (is_packed(inputs, element) || packs <= 128) return {};
    if (packs <= 300) return fitted_anywhere_shape(columns, element, {{2, 2, 320, 4, 300}});
    if (packs <= 1024) return fitted_anywhere_shape(columns, element, {{1, 4, 512, 3, 1024}, {1, 6, 320, 4, 1024}});
    if (packs <= 1920) return fitted_anywhere_shape(columns, element, {{1, 6, 320, 4, 1920}});
    return fitted_anywhere_shape(columns, element, {{1, 4, 512, 3, 2048}});
}

// Of rows that clusters of small blocks take, by so many packs a thread and blocks a cluster: more packs leave fewer blocks
// on a multiprocessor. Percent of a copy's bandwidth on an H200, halves of 34 MB: 14336 columns by six packs 88, by four 86, by
// five 83; 24576 by two blocks 83, by four 84, 28672 78 and 81; 32768 by four blocks and eight packs 83, six 79; 40960 by ten
// packs 79, six 78; 45000 by four blocks 79, by eight 78, but 22500 floats 79 and 83; 50000 by eight blocks and five packs 74,
// six 72; 57344 by six packs 76, by eight 73 (these kernels by themselves, in one run). 65536 halves so 76, 32768 floats 78;
// before one warp alone waited for the cluster's blocks, 131072 halves 63 and 72 by a team, 65536 floats 67 and 74.
inline FittedClusterShape shape_of_fitted_cluster(const Inputs& inputs, Element element) {
    const std::uint64_t places = places_of(inputs, element);
    if (places <= 2567) return fitted_cluster_shape(places, {{6, 320, 3, 2, 2567}});
    if (places <= (element == Element::f32 ? 5127u : 6144u))
        return fitted_cluster_shape(places, {{6, 256, 4, 4, 6144}, {10, 128, 5, 4, 5120}, {8, 256, 3, 4, 6144}});
    return fitted_cluster_shape(places, {{6, 256, 4, 8, 8199}, {5, 256, 4, 8, 8199}, {8, 256, 3, 8, 8199}});
}

// Of longer ones of which a cluster takes two.
inline FittedClusterShape shape_of_two_rows_a_cluster(const Inputs& inputs, Element element) {
    return fitted_cluster_shape(packs_of(rows_of(inputs).columns, element), {{5, 256, 4, 8, 7680}});
}

// Of rows that a few lanes or warps hold. Of 97 to 128 packs that begin anywhere fitted_anywhere is faster: percent of a
// copy's bandwidth on an H200, 34 MB of 1001 halves, 86 by 32 lanes with four packs each, and 89.
inline FewLanesShape shape_of_few_lanes(const Inputs& inputs, Element element) {
    const std::uint64_t packs = rows_of(inputs).columns / pack_of(element);
    // 301 columns 77 so, 72 by a warp with two packs a lane; 361 77 and 76.
    if (packs > 32 && packs <= 45) return few_lanes_of_norm(inputs, element, {{16, 16, 3, 1, false}});
    const FewLanesShape shape = few_lanes_of_norm(inputs, element, {});
    return !shape.whole && packs > 96 && packs <= 128 ? FewLanesShape{} : shape;
}

// Of rows of a few columns: threads keep weights, too.
inline FewColumnsShape shape_of_few_columns(const Inputs& inputs, Element element) {
    return few_columns_shape(inputs, element, kVectors, 31);
}

// Of rows that lie in shared memory as tiles, and warps hold a few each. Rows of more words than a lane can hold of four
// are two warps', or of floats two at a time.
inline LaneTileShape shape_of_lane_tile(const Inputs& inputs, Element element) {
    using Instances = std::initializer_list<LaneTileShape>;
    if (element == Element::f32) {
        const Instances four = {{5, 4, 4, 12}, {6, 4, 4, 10}, {7, 4, 4, 10}, {8, 4, 4, 9}, {10, 4, 4, 8}};
        const Instances two = {{11, 4, 2, 10}, {13, 4, 2, 10}, {15, 4, 2, 10}, {16, 4, 2, 9},
                               {18, 4, 2, 8},  {20, 4, 2, 8},  {22, 4, 2, 7}};
        return lane_tile_shape(inputs, element, {four, two});
    }
    const Instances of_a_warp = {{4, 4, 4, 12}, {5, 4, 4, 10}, {6, 4, 4, 10}, {7, 4, 4, 10}, {8, 4, 4, 9}};
    const Instances of_two = {{5, 4, 4, 10, 2}, {6, 4, 4, 10, 2}, {7, 4, 4, 10, 2}, {8, 4, 4, 9, 2},
                              {9, 4, 4, 8, 2},  {10, 4, 4, 8, 2}, {11, 4, 4, 8, 2}};
    return lane_tile_shape(inputs, element, {of_a_warp, of_two});
}

inline TeamShape shape_of_team(const Inputs& inputs, Element element, std::uint32_t block) {
    return team_of(places_of(inputs, element), rows_of(inputs).count, inputs.machine, kVectors, block);
}

inline bool has_room(Route route, const Inputs& inputs, Element element, std::uint32_t block) {
    const std::uint64_t packs = packs_touched(inputs, element);
    switch (route) {
        case Route::short_rows:
            return is_packed(inputs, element) && lanes_for_short(rows_of(inputs).columns, element).lanes > 0;
        case Route::warp:
            return packs_end_inside(inputs, element) && packs <= 32 * kPacks;
        case Route::registers:
            return packs_end_inside(inputs, element) && block <= most_threads_in_registers(element) &&
                   packs <= std::uint64_t{block} * kPacks;
        case Route::high_occupancy:
        case Route::overlap:
            return is_packed(inputs, element) && packs <= std::uint64_t{block} * kPacks;
        case Route::fitted:
            return is_packed(inputs, element) && shape_of_fitted(inputs, element).threads > 0;
        case Route::read_again:
            return is_packed(inputs, element) && packs <= kPacksReadAgain;
        case Route::full_row:
            return is_packed(inputs, element) && threads_of_full_row(packs) > 0;
        case Route::cluster:
            return is_packed(inputs, element) && packs <= rows_a_cluster(packs, element).shape.room();
        case Route::bulk_copies:
            return is_packed(inputs, element) && packs <= bulk_shape(packs, element, block).room();
        case Route::rows_on_demand:
            return is_packed(inputs, element) && packs == on_demand_shape(element, block).room();
        case Route::fitted_cluster:
            return is_packed(inputs, element) && shape_of_fitted_cluster(inputs, element).threads > 0;
        case Route::two_rows_a_cluster:
            return is_packed(inputs, element) && shape_of_two_rows_a_cluster(inputs, element).threads > 0;
        case Route::weights_in_l1:
            return shape_with_weights_in_l1(inputs, element).threads > 0;
        case Route::fitted_anywhere:
            return shape_of_fitted_anywhere(inputs, element).threads > 0;
        case Route::anywhere:
            return block_anywhere(rows_of(inputs).columns, element).threads > 0;
        case Route::anywhere_cluster:
            return rows_of(inputs).columns / pack_of(element) <=
                   anywhere_shape(rows_of(inputs).columns, element).room();
        case Route::short_anywhere:
            return words_for_short(rows_of(inputs).columns, element).lanes > 0;
        case Route::few_lanes:
            return shape_of_few_lanes(inputs, element).lanes > 0;
        case Route::few_columns:
            return shape_of_few_columns(inputs, element).columns > 0;
        case Route::row_tile:
            return row_tile_of_norm(inputs, element).parts > 0;
        case Route::lane_tile:
            return shape_of_lane_tile(inputs, element).words > 0;
        case Route::team:
            return shape_of_team(inputs, element, block).blocks > 0;
        case Route::anywhere_two_reads:
        case Route::two_reads:
            return true;
    }
    return false;
}

// The route for a length, and its threads.
struct Choice {
    Route route = Route::two_reads;
    std::uint32_t block = kMostThreads;
    std::uint32_t packs = kPacks;   // a thread, in registers
};
// Whole warps, as many as a row needs. Two packs a thread are faster than four as long as blocks stay small, since more
// of them run at once; but not where rows share packs.
inline Choice in_registers(const Inputs& inputs, Element element) {
    const std::uint64_t packs = packs_touched(inputs, element);
    const std::uint64_t most = most_threads_in_registers(element);
    const bool two = is_packed(inputs, element) && packs <= most;
    const std::uint32_t packs_a_thread = two ? 2 : kPacks;
    const std::uint64_t threads = (packs + packs_a_thread * 32 - 1) / (packs_a_thread * 32) * 32;
    if (threads > most) return {};
    return {Route::registers, static_cast<std::uint32_t>(threads), packs_a_thread};
}

// Packs that a lane holds of a short row: a warp that holds fewer has more rows on their way.
inline std::uint32_t packs_a_lane(const Inputs& inputs, Element element) {
    return is_packed(inputs, element) && packs_touched(inputs, element) <= 32 ? 1 : kPacks;
}

// Is it faster that a block has no more warps than its row needs? Of 67 MB on an H200, halves: 5000 103 % of a copy's
// bandwidth and 99 by overlap, 8200 102 and 95, 10000 103 and 98, 16392 94 and 72, 20000 97 and 80, 32000 93 and 86;
// but 14000 93 and 97. Of 134 MB on an H100 16392 103 and 104, 32768 100 and 102.
inline bool fitted_is_faster(const Inputs& inputs, Element element) {
    if (outgrows_l2(inputs, element) && !memory_is_fast(inputs.machine)) return false;
    const std::uint64_t packs = packs_of(rows_of(inputs).columns, element);
    const std::uint32_t threads = threads_at_high_occupancy(packs);
    const bool shorter =
        element != Element::f32 && (threads == 192 || threads == 384) && !fills_most(packs, threads);
    return (shorter || packs > 2048) && has_room(Route::fitted, inputs, element, kMostThreads);
}

// Is a team faster than clusters? Of 134 MB on an H100: 50000 floats 94 % of a copy's bandwidth and 88 by a cluster,
// but 16388 93 and 95. On an H200, by a team that was slower than today's, wherever a row leaves threads that copy it
// in bulk without packs: 16392 floats 87, and 55 by bulk copies, 98312 89 and 84; but 49152 84 and 92, 128256 85 and
// 93.
inline bool team_is_faster(const Inputs& inputs, Element element) {
    const std::uint64_t packs = rows_of(inputs).columns / pack_of(element);
    if (!teams_were_timed(inputs, element) || !has_room(Route::team, inputs, element, kMostThreads)) return false;
    if (!is_packed(inputs, element)) return true;
    if (!memory_is_fast(inputs.machine)) return packs > 8192;
    const ClusterShape bulk = bulk_shape(packs, element, kMostThreads);
    const std::uint64_t sixteenths = bulk.threads < kMostThreads ? 12 : 15;   // of its room, that are enough
    const bool fills = packs <= bulk.room() && packs >= bulk.room() * sixteenths / 16;
    return packs > 4096 && !fills;
}

// Is it faster than a block that holds a row? Percent of a copy's bandwidth so and by a block: of 67 MB on an H200,
// halves: 14000 columns 101 and 92, 16384 103 and 98, 20000 102 and 97, 28000 94 and 92, but 12288 101 and 102; floats
// 10000 102 and 95; on an H100 20000 halves 102 and 98. Of 42 MB on an H200 14000 89 and 78, 28000 81 and 73; but of 34
// MB 20000 73 and 81, and of 134 MB 95 and 102.
inline bool team_is_faster_than_a_block(const Inputs& inputs, Element element) {
    return has_room(Route::team, inputs, element, kMostThreads) &&
           teams_beat_blocks(inputs, element, 1537, element == Element::f32 ? kLeastTeamFillings : 0.6);
}

// Of rows that begin anywhere: is a block of no more warps than a row needs faster? Percent of a copy's bandwidth on
// an H200 so, by two rows with three packs a thread, and by a block that takes one row after the other: halves of 4 MB
// 1001 columns 49 and 46, 3501 44 and 35; of 31 MB 74 and 54, 74 and 52. Rows longer than most by a team, where teams
// were timed: of 67 MB 12289 columns 92, by four packs, and 90 by a team, but 12801 89 and 92.
inline bool fitted_anywhere_is_faster(const Inputs& inputs, Element element) {
    const std::uint64_t packs = rows_of(inputs).columns / pack_of(element);
    const bool beats_team = element != Element::f32 && l2_holds(inputs, element);
    return inputs.machine.architecture >= 90 && has_room(Route::fitted_anywhere, inputs, element, kMostThreads) &&
           bytes_of_rows(inputs, element) >= 2u << 20 && (packs <= 1536 || beats_team || !team_is_faster(inputs, element));
}

// Are many rows of a few hundred values faster as tiles of which warps hold rows? Percent of a copy's bandwidth on an
// H200, 34 MB, so and by a few lanes or a block; halves, odd: 233 columns 88 77, 301 89 77, 401 91 80, 501 92 78, 601 91
// 77, 701 89 79, 801 91 75, 901 92 77, 1001 91 77, 1101 87 77, 1201 88 78, 1301 81 80, 1401 84 79; even: 250 95 79, 502
// 93 80, 802 92 76, 1202 88 75, 1302 83 75; a multiple of four: 300 94 89, 604 92 91, 804 93 77; floats, odd: 131 92 79,
// 201 93 80, 301 89 80, 401 89 77, 501 89 77 (these kernels by themselves, not all in one run). Even numbers of floats
// have 89 to 96 so: 130 95, 302 93.
inline bool lane_tile_is_faster(const Inputs& inputs, Element element) {
    if (inputs.machine.architecture < 90 || !rows_are_many(inputs, element) || is_packed(inputs, element) ||
        !has_room(Route::lane_tile, inputs, element, kMostThreads))
        return false;
    return rows_of(inputs).columns > (element == Element::f32 ? 130 : 222);
}

// Is it faster that a cluster of small blocks takes each row? Percent of a copy's bandwidth on an H200 so, and by a block that
// loads weights late, halves of 34 MB: 14336 columns 88 75, 16384 86 78, 20480 86 60, 24576 85 71, 28672 83 60, 32768 83 75; of
// 41 MB 20480 83 63; but 6000 of 34 MB 81 85. Floats of 34 MB: 10240 90 66, 16384 86 75; of 41 MB 8192 85 78 (these kernels by
// themselves). By rms_norm_fitted, which asks for weights early where it can, 20480 halves of 34 MB ran at 82, and 86 so. Rows
// of 8192 halves, of 34 MB, took 6.4 us so and 5.6 by overlap. Of 67 MB 20480 96 so and 102 by a team.
inline bool fitted_cluster_is_faster(const Inputs& inputs, Element element) {
    return has_large_clusters(inputs.machine) && rows_are_many(inputs, element) && l2_holds(inputs, element) &&
           packs_of(rows_of(inputs).columns, element) > 1536 &&
           has_room(Route::fitted_cluster, inputs, element, kMostThreads);
}

// Is it faster that a cluster takes two? From more than six tenths of L2 on: percent of a copy's bandwidth on an H200, so and
// by clusters that take one, of 41 MB 50000 halves 71 66, 57344 72 70, 25000 floats 75 67, 28672 75 72; but 45000 halves 70
// 72, 65536 68 70, and of 34 MB 50000 71 74 (these kernels by themselves).
inline bool two_rows_a_cluster_are_faster(const Inputs& inputs, Element element) {
    return fitted_cluster_is_faster(inputs, element) && fillings_of_l2(inputs, element) > 0.6 &&
           packs_of(rows_of(inputs).columns, element) > 5632 &&
           has_room(Route::two_rows_a_cluster, inputs, element, kMostThreads);
}

// Is it faster that blocks bring weights into L1 first? Percent of a copy's bandwidth on an H200 so and by fitted_anywhere,
// halves of 34 MB: 1361 columns 83 78, 1701 83 78, 2501 85 80, 3501 83 78, 5001 87 79, 7001 81 75, 8001 84 74, 9001 83 74,
// 11001 86 73, 13001 84 71, 16001 76 70; of 41 MB 1501 80 78, 5001 78 76, 9001 80 73, 15001 79 69; of 46 MB 9001 83 80. Floats
// of 34 MB: 601 84 78, 1001 90 81, 3001 90 82, 5001 87 79, 8001 76 71; of 41 MB 6001 83 73 (these kernels by themselves).
inline bool weights_in_l1_are_faster(const Inputs& inputs, Element element) {
    return inputs.machine.architecture >= 90 && rows_are_many(inputs, element) && l2_holds(inputs, element) &&
           has_room(Route::weights_in_l1, inputs, element, kMostThreads);
}

inline Choice best_route(const Inputs& inputs, Element element) {
    if (few_columns_are_faster(inputs, element, shape_of_few_columns(inputs, element)))
        return {Route::few_columns, kShortBlock};
    if (lane_tile_is_faster(inputs, element)) return {Route::lane_tile, kShortBlock};
    if (weights_in_l1_are_faster(inputs, element)) return {Route::weights_in_l1, kMostThreads};
    if (two_rows_a_cluster_are_faster(inputs, element)) return {Route::two_rows_a_cluster, kMostThreads};
    if (fitted_cluster_is_faster(inputs, element)) return {Route::fitted_cluster, kMostThreads};
    if (row_tile_of_norm_is_faster(inputs, element, 222, 130)) return {Route::row_tile, kShortBlock};
    if (few_lanes_are_faster_for_norm(inputs, element, shape_of_few_lanes(inputs, element), 240))
        return {Route::few_lanes, kShortBlock};
    // These kernels are for GPUs; the emulator takes such rows by those that put out what is not the row's.
    if (!is_packed(inputs, element) && inputs.machine.architecture >= 75) {
        if (!many_rows_take_warps(inputs, element) && has_room(Route::short_anywhere, inputs, element, kShortBlock))
            return {Route::short_anywhere, kShortBlock};
        if (fitted_anywhere_is_faster(inputs, element)) return {Route::fitted_anywhere, kMostThreads};
        if (team_is_faster(inputs, element)) return {Route::team, kMostThreads};
        const BlockShape shape = block_anywhere(rows_of(inputs).columns, element);
        if (shape.threads > 0) return {Route::anywhere, shape.threads};
        if (has_large_clusters(inputs.machine) && has_room(Route::anywhere_cluster, inputs, element, kMostThreads))
            return {Route::anywhere_cluster, anywhere_shape(rows_of(inputs).columns, element).threads};
        if (has_large_clusters(inputs.machine) && has_room(Route::team, inputs, element, kMostThreads))
            return {Route::team, kMostThreads};
        return {Route::anywhere_two_reads, kMostThreads};
    }
    if (inputs.machine.architecture >= 75 && has_room(Route::short_rows, inputs, element, kShortBlock))
        return {Route::short_rows, kShortBlock};
    const bool hints = inputs.machine.architecture >= 80 && is_packed(inputs, element);
    const std::uint64_t packs = packs_touched(inputs, element);
    const std::uint32_t threads = threads_at_high_occupancy(packs);
    if (team_is_faster_than_a_block(inputs, element)) return {Route::team, kMostThreads};
    if (overlaps(inputs, element) && rows_are_many(inputs, element) && fitted_is_faster(inputs, element))
        return {Route::fitted, kMostThreads};
    if (overlaps(inputs, element) && threads > 0) {
        const BlockShape shape = shape_of_overlap(packs);
        // Of what outgrows L2, half the packs for twice the threads: 33.6 us instead of 33.9 at 4096 x 4096 floats.
        if (shape.threads == 256 && outgrows_l2(inputs, element)) return {Route::overlap, 512, 2};
        return {Route::overlap, shape.threads, shape.packs};
    }
    if (hints && outgrows_l2(inputs, element) && packs > 32 * kPacks && threads > 0)
        return {Route::high_occupancy, threads};
    if (has_room(Route::warp, inputs, element, kWarpBlock))
        return {Route::warp, kWarpBlock, packs_a_lane(inputs, element)};
    if (const Choice choice = in_registers(inputs, element); choice.route == Route::registers) return choice;
    if (inputs.machine.architecture >= 90) {
        // 1024 x 65536 floats: on an H100 180 us, by clusters 182; on an H200 127, by bulk copies 134. Halves: 90.7, by
        // clusters 91.6, by full row 92.5; on an H200 65.1, by full row 67.1.
        if (has_room(Route::rows_on_demand, inputs, element, kMostThreads)) {
            const bool by_team =
                team_beats_rows_on_demand(inputs, element) && has_room(Route::team, inputs, element, kMostThreads);
            return {by_team ? Route::team : Route::rows_on_demand, kMostThreads};
        }
        // 1024 x 65536 halves: on an H200 67.0 us, 76.7 by clusters; on an H100 92.2 and 91.7.
        if (packs > kMostThreads * kPacks && has_room(Route::full_row, inputs, element, kMostThreads))
            return {Route::full_row, threads_of_full_row(packs)};
        if (team_is_faster(inputs, element)) return {Route::team, kMostThreads};
        // Other long rows of floats: 1024 x 65536 took 132 us by bulk copies and 154 by clusters on an H200, 193 and
        // 182 on an H100.
        if (memory_is_fast(inputs.machine) && has_room(Route::bulk_copies, inputs, element, kMostThreads))
            return {Route::bulk_copies, kMostThreads};
        if (has_room(Route::cluster, inputs, element, kMostThreads)) return {Route::cluster, kMostThreads};
        if (has_room(Route::team, inputs, element, kMostThreads)) return {Route::team, kMostThreads};
    }
    if (hints && has_room(Route::read_again, inputs, element, kMostThreads)) return {Route::read_again, kMostThreads};
    return {};
}

}  // namespace rms_norm
