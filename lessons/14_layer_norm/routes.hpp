// Which fast route takes rows of a length: kernels of routes.cuh and kernels_sm*.cuh, from short rows to long ones.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "common/lesson/row_routes.hpp"
#include "common/lesson/row_teams.hpp"
#include "common/lesson/row_tiles.hpp"
#include "common/lesson/short_rows.hpp"
#include "lessons/14_layer_norm/case.hpp"

namespace layer_norm {

using namespace lanewise::lesson;  // row_routes.hpp

enum class Route : std::uint8_t {
    short_rows,
    warp,
    registers,
    high_occupancy,
    overlap,
    fitted,
    asks_early,
    short_anywhere,
    few_lanes,
    few_columns,
    row_tile,
    lane_tile,
    anywhere,
    fitted_anywhere,
    fitted_cluster,
    vectors_in_l1,
    vectors_in_l1_cluster,
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

// Of bulk copies: a small one to be looked at, one that is fastest for 65536 columns, and one for longer rows.
inline ClusterShape bulk_shape(std::uint64_t packs_a_row, Element element, std::uint32_t block) {
    if (block == kWarpBlock) return {2, block, kPacks};
    const bool wide = element == Element::f32;
    const ClusterShape shape{wide ? 8u : 2u, wide ? 256u : 512u, 2 * kPacks};
    return packs_a_row <= shape.room() ? shape : ClusterShape{8, 512, wide ? 2 * kPacks : kPacks};
}

// Of long rows that begin anywhere: two blocks, or four for floats that one does not hold. Longer rows go to teams.
inline ClusterShape anywhere_shape(std::uint64_t columns, Element element) {
    const bool four = element == Element::f32 && columns / pack_of(element) > std::uint64_t{kMostThreads} * kPacks;
    return cluster_anywhere(columns, element, four ? 4 : 2, kPacks);
}

// Of rows that take no more warps than they need: six packs a thread or more, in 64 registers. For four, 40 do not
// quite do: 67 MB of 14000 halves ran so on an H200 at 76 % of a copy's bandwidth, and by seven in 64 at 90. A row takes
// the instance that it fills, if there is one: of 34 MB 7168 halves, which fill seven, ran at 78 so and by six at 72, of
// 38 MB at 80 and 70 (H200). Halves that L2 holds: of 34 and 41 MB 12000, which leave lanes of a warp without packs, ran at 72
// and 71 by four, at 64 and 66 by six; 15000 at 69 and 71 by eight, 60 and 60 by seven; 16000 at 66 and 68 by four, 62 and 59
// by eight (H200, these kernels by themselves).
inline FittedShape shape_of_fitted(const Inputs& inputs, Element element) {
    const std::uint64_t packs = packs_of(rows_of(inputs).columns, element);
    if (element != Element::f32 && l2_holds(inputs, element)) {
        const auto is_between = [packs](std::uint64_t low, std::uint64_t high) { return packs > low && packs <= high; };
        const bool full_warps = packs % 32 == 0;
        if (!full_warps && (is_between(1280, 1536) || is_between(1920, 2048))) return fitted_shape(packs, {{4, 512, 3}});
        if (is_between(1792, 2048)) return fitted_shape(packs, {{8, 512, 2}});
    }
    const std::initializer_list<FittedShape> instances = {{6, 256, 4}, {7, 512, 2}, {8, 512, 2}};
    for (const FittedShape& instance : instances) {
        const FittedShape shape = fitted_shape(packs, {instance});
        if (shape.threads > 0 && packs == std::uint64_t{shape.threads} * shape.packs) return shape;
    }
    return fitted_shape(packs, instances);
}

// Of rows of 16-bit values whose weights and biases are asked for with them.
inline FittedShape shape_that_asks_early(const Inputs& inputs, Element element) {
    if (element == Element::f32) return {};
    return fitted_shape(packs_of(rows_of(inputs).columns, element), {{4, 512, 2}});
}

// Of rows that clusters of small blocks take, and whether they ask for weights and biases with the row. While L2 holds
// what is read and written, rows of more than 2048 packs leave no registers for that: up to six tenths of L2 all blocks
// are to run at once, with eight packs a thread. Percent of a copy's bandwidth on an H200, halves, by eight packs, by four,
// and where weights are asked for early: of 34 MB 18432 columns 76 71 66, 20480 72 70 68, 28672 70 64 63; of 41 MB 20480 58
// 68 65; but of 67 MB 84 87 94 (these kernels by themselves).
struct LayerNormCluster {
    FittedClusterShape shape;
    bool asks_early = true;
};
inline LayerNormCluster cluster_of_small_blocks(const Inputs& inputs, Element element) {
    const std::uint64_t packs = packs_of(rows_of(inputs).columns, element);
    // Where L2 does not hold all, rows of floats are faster by a team: 67 MB of 8192 took 17.3 us, and 17.8 by clusters.
    if (element == Element::f32 && !l2_holds(inputs, element)) return {};
    if (packs <= 2048 || !l2_holds(inputs, element))
        return {fitted_cluster_shape(
            packs, {{5, 256, 3, 2, 2560}, {4, 512, 2, 2, 2560}, {4, 512, 2, 4, 4096}, {5, 256, 3, 4, 5120}})};
    if (fillings_of_l2(inputs, element) > 0.6)
        return {fitted_cluster_shape(packs, {{4, 384, 4, 2, 3072}, {4, 384, 4, 4, 5120}}), false};
    return {fitted_cluster_shape(packs, {{8, 224, 5, 2, 3584}, {8, 256, 4, 2, 4096}, {8, 224, 5, 4, 5120}}), false};
}

inline constexpr std::uint32_t kVectors = 2;   // as long as a row: weights and biases

// Of rows that begin anywhere and take no more warps than they need. Two rows together share weights and biases; longer
// ones are faster alone: of 67 MB of halves on an H100, 10001 columns run at 94 % of a copy's bandwidth by four packs a
// thread, at 95 by five, and at 90 two together, but 3001 at 97 two together (these kernels by themselves).
inline FittedAnywhereShape shape_of_fitted_anywhere(const Inputs& inputs, Element element) {
    return fitted_anywhere_shape(rows_of(inputs).columns, element,
                                 {{2, 2, 384, 3, 64}, {2, 3, 512, 2, 640}, {1, 4, 640, 2, 1536}, {1, 5, 512, 2, 1536}});
}

// Of rows whose weights and biases are brought into L1 first. Rows of 16 bits that begin anywhere are taken by two as long as
// they have room: of 34 MB of halves on an H200, so and alone, 3001 columns 80 % of a copy's bandwidth and 66, 9001 72 and 62.
// Floats, of 34 MB: 5000 columns 83 by five packs a thread, 79 by four, 7168 80 79, 8000 78 78, 9000 78 by five, 72 by eight,
// 8192 81 by eight, 79 by four; of 41 MB 5120 83 by five in 512 threads, 80 by six, 6144 83 by six, 79 by five, 7168 83 by
// five, 79 by eight, 8000 82 by eight, 79 by four, 10240 83 by five, 79 by eight, 12288 76 by eight, 66 by seven. That begin
// anywhere, by two and alone: of 34 MB 2001 82 72, 3001 75 70, 4001 75 69, 5001 67 69, 6001 65 69, of 41 MB 3501 78 72,
// 5001 79 70, 6001 64 71; alone by ten packs a thread and by seven 9001 61 56, 10001 67 61 (these kernels by themselves).
inline FittedAnywhereShape shape_with_vectors_in_l1(const Inputs& inputs, Element element) {
    const std::uint64_t columns = rows_of(inputs).columns;
    const std::uint64_t packs = columns / pack_of(element);
    if (packs <= 128) return {};
    const auto first_with_room = [&](std::initializer_list<FittedAnywhereShape> instances) {
        for (const FittedAnywhereShape& instance : instances)
            if (packs <= instance.most_packs) return fitted_anywhere_shape(columns, element, {instance});
        return FittedAnywhereShape{};
    };
    const bool little_room = fillings_of_l2(inputs, element) > 0.6;
    if (element != Element::f32) {
        if (packs <= 1152 && !is_packed(inputs, element)) return first_with_room({{2, 3, 384, 3, 1152}});
        return first_with_room({{1, 4, 512, 3, 2048}});
    }
    if (!is_packed(inputs, element)) {
        // The longest ones where there are no large clusters.
        if (little_room) return first_with_room({{2, 5, 256, 4, 1280}, {1, 4, 512, 3, 2048}, {1, 10, 512, 2, 2560}});
        return first_with_room({{2, 3, 384, 3, 640}, {2, 4, 512, 2, 896}, {2, 5, 256, 4, 1152}, {1, 4, 512, 3, 2048},
                                {1, 10, 512, 2, 2560}});
    }
    if (little_room)
        return first_with_room({{1, 4, 512, 3, 1152}, {1, 5, 512, 3, 1280}, {1, 6, 320, 4, 1536}, {1, 5, 512, 3, 1920},
                                {1, 8, 384, 3, 2304}, {1, 5, 512, 3, 2560}, {1, 8, 384, 3, 3072}});
    return first_with_room({{1, 4, 512, 3, 1152}, {1, 5, 320, 4, 1536}, {1, 5, 512, 3, 1920}, {1, 4, 512, 3, 2047},
                            {1, 8, 384, 3, 2048}, {1, 5, 512, 3, 2560}});
}

// Of longer ones whose weights and biases a cluster brings into L1 first, and the rows that it takes. Percent of a copy's
// bandwidth on an H200, floats of 41 MB: 15000 columns 68 by six packs a thread, 67 by eight, 17000 67 by nine, 66 by ten; of
// 34 MB 20480 68 by four blocks, 61 by two, of 41 MB 66 and 69. By two rows and by one: of 34 MB 15000 66 63, 20480 61 68, of
// 46 MB 20480 78 76. That begin anywhere, by two rows: of 34 MB 9001 68 by two blocks and five packs, 67 by two and four, 67
// by four and five, 12001 67 by two and four, 65 by four and five; of 41 MB 10001 73 by two and five, 12001 63 by four and
// five, 58 by two and four (these kernels by themselves, not all in one run).
struct ClusterWithVectorsInL1 {
    std::uint32_t rows = 1;
    FittedClusterShape shape;
};
inline ClusterWithVectorsInL1 cluster_with_vectors_in_l1(const Inputs& inputs, Element element) {
    const std::uint64_t packs = rows_of(inputs).columns / pack_of(element);
    if (element != Element::f32) return {2, fitted_cluster_shape(packs, {{5, 256, 4, 2, 2560}, {4, 256, 4, 4, 4096}})};
    const double fillings = fillings_of_l2(inputs, element);
    const ClusterWithVectorsInL1 two_rows_by_four{2, fitted_cluster_shape(packs, {{5, 256, 4, 4, 5120}})};
    if (!is_packed(inputs, element)) {
        if (packs <= 2560) return {2, fitted_cluster_shape(packs, {{5, 256, 4, 2, 2560}})};
        if (packs <= 3072 && fillings <= 0.6) return {2, fitted_cluster_shape(packs, {{4, 384, 3, 2, 3072}})};
        return two_rows_by_four;
    }
    if (packs <= 4608) {
        if (packs <= 3840 && fillings <= 0.6) return two_rows_by_four;
        return {1, fitted_cluster_shape(packs, {{6, 320, 4, 2, 3840}, {8, 256, 4, 2, 4096}, {9, 256, 4, 2, 4608}})};
    }
    if (fillings <= 0.6) return {1, fitted_cluster_shape(packs, {{8, 256, 4, 4, 5120}})};
    if (fillings > 0.7) return two_rows_by_four;
    return {1, fitted_cluster_shape(packs, {{10, 256, 4, 2, 5120}})};
}

// Of rows that a few lanes or warps hold. Percent of a copy's bandwidth on an H200, 34 MB of halves in whole packs, so
// and by fitted: 7000 columns 79 74, but 5120 74 85; 10000 76 68, 9216 73 77 (these kernels by themselves). Of 40 MB
// 10000 80, of 42 MB 10240 77; by fitted 10240 82, in another run.
inline FewLanesShape shape_of_few_lanes(const Inputs& inputs, Element element) {
    const std::uint64_t packs = rows_of(inputs).columns / pack_of(element);
    if (packs > 1152 && (packs % 32 > 0 || fillings_of_l2(inputs, element) <= 0.6))
        return few_lanes_of_norm(inputs, element, {{16, 320, 4, 1}});
    if (packs > 768) return few_lanes_of_norm(inputs, element, {{16, 224, 4, 1}});
    return few_lanes_of_norm(inputs, element, {});
}

// Of rows of a few columns: threads keep weights and biases, too. Of 31 packs a thread, 31 columns, 34 MB of
// halves on an H200, 64 % of a copy's bandwidth so and 71 by tiles, of floats 69 and 75 (these kernels by themselves).
inline FewColumnsShape shape_of_few_columns(const Inputs& inputs, Element element) {
    return few_columns_shape(inputs, element, kVectors, 30);
}

// Longer rows take fewer rows a warp, since a lane holds all of its words, or two warps. Percent of a copy's bandwidth on
// an H200, 34 MB of halves, by two warps and by one: 767 columns 78 75, 801 76 74, 1202 84 77, but 701 78 by one (these
// kernels by themselves, not all in one run). Of eight words by two warps a multiprocessor runs seven blocks where not all
// tiles go at once: by eight, of which all but a few went at once, 988 columns ran at 83, 994 at 86, but 989 at 55, 1002
// at 39 and 1004 at 49 (not all in one run); by seven all that were timed at 73 to 86.
inline LaneTileShape shape_of_lane_tile(const Inputs& inputs, Element element) {
    const bool begin_within = rows_begin_within_words(inputs, element);
    using Instances = std::initializer_list<LaneTileShape>;
    const Instances shortest = {{4, 4, 4, 10}, {5, 4, 4, 9}, {6, 4, 4, 9}, {7, 4, 4, 9}, {8, 4, 4, 8}};
    const Instances within = {{9, 4, 4, 8},     {10, 4, 4, 7}, {11, 4, 4, 6},       {6, 4, 4, 9, 2},
                              {7, 4, 4, 9, 2},  {15, 4, 2, 9}, {8, 4, 4, 8, 2, 7},  {9, 4, 4, 8, 2}};
    const Instances not_within = {{9, 4, 2, 12},  {10, 4, 2, 10}, {11, 4, 2, 10},
                                  {12, 4, 2, 10}, {13, 4, 2, 10}, {14, 4, 2, 9}};
    const Instances longest_floats = {{15, 4, 2, 9}, {16, 4, 2, 8}, {18, 4, 2, 8}, {20, 4, 2, 8}, {22, 8, 1, 6}};
    const Instances longest_halves = {
        {8, 4, 4, 8, 2, 7}, {9, 4, 4, 8, 2}, {10, 4, 4, 7, 2}, {11, 4, 4, 7, 2}, {12, 4, 4, 6, 2}};
    const Instances longest = begin_within ? Instances{} : element == Element::f32 ? longest_floats : longest_halves;
    return lane_tile_shape(inputs, element, {shortest, begin_within ? within : not_within, longest});
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
        case Route::asks_early:
            return is_packed(inputs, element) && shape_that_asks_early(inputs, element).threads > 0;
        case Route::cluster:
            return is_packed(inputs, element) && packs <= rows_a_cluster(packs, element).shape.room();
        case Route::bulk_copies:
            return is_packed(inputs, element) && packs <= bulk_shape(packs, element, block).room();
        case Route::rows_on_demand:
            return is_packed(inputs, element) && packs == on_demand_shape(element, block).room();
        case Route::fitted_cluster:
            return is_packed(inputs, element) && cluster_of_small_blocks(inputs, element).shape.threads > 0;
        case Route::vectors_in_l1:
            return shape_with_vectors_in_l1(inputs, element).threads > 0;
        case Route::vectors_in_l1_cluster:
            return (is_packed(inputs, element) || element == Element::f32) &&
                   cluster_with_vectors_in_l1(inputs, element).shape.threads > 0;
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
    std::uint32_t packs = kPacks;  // a thread, where a warp takes a row
};
// Whole warps, as many as a row needs.
inline Choice in_registers(const Inputs& inputs, Element element) {
    const std::uint64_t threads = (packs_touched(inputs, element) + kPacks * 32 - 1) / (kPacks * 32) * 32;
    if (threads > most_threads_in_registers(element)) return {};
    return {Route::registers, static_cast<std::uint32_t>(threads)};
}

// Packs that a lane holds of a short row: a warp that holds fewer has more rows on their way.
inline std::uint32_t packs_a_lane(const Inputs& inputs, Element element) {
    return is_packed(inputs, element) && packs_touched(inputs, element) <= 32 ? 1 : kPacks;
}

// Is it faster that a block has no more warps than its row needs, and loads weights and biases late? Of 67 MB on an
// H200, halves: 5000 98 % of a copy's bandwidth and 83 by overlap, 8200 90 and 70, 14000 95 and 86, 20000 89 and 65,
// 32000 81 and 71, floats: 4100 101 and 78, 10000 92 and 73; but halves of 4096 100 and 104, 7200 95 and 95, 16000 89
// and 90, and of 134 MB of 7000 floats 96 and 104. Of 134 MB on an H100: 16392 halves 100 and 92, 20000 98 and 97, but
// 28000 96 and 99, 10000 floats 101 and 103.
inline bool fitted_is_faster(const Inputs& inputs, Element element) {
    const std::uint64_t packs = packs_of(rows_of(inputs).columns, element);
    if (!has_room(Route::fitted, inputs, element, kMostThreads)) return false;
    if (outgrows_l2(inputs, element) && !memory_is_fast(inputs.machine))
        return element != Element::f32 && packs > 2048 && packs <= 2560;
    // Of 34 and 46 MB: 6144 84 and 88, by overlap 68 and 72; 14336 72 and 82, 58 and 67; 15000 69 and 78, 54 and 65; floats:
    // 3072 84 and 87, 79 and 82; 7168 72 and 79, 63 and 73; but 4096 79 and 83, 85 and 85.
    const bool in_l2 = l2_holds(inputs, element);
    switch (threads_at_high_occupancy(packs)) {
        case 192:
            return in_l2 || !fills_most(packs, 192);
        case 256:
            return in_l2 && element != Element::f32;
        case 512:
            return in_l2 || (element != Element::f32 && !fills_most(packs, 512));
        case 384:
        case 768:
        case 1024:
            return true;
        default:
            return false;
    }
}

// Is a team faster than clusters, or than a block? Of 134 MB on an H100: 50000 floats 94 % of a copy's bandwidth, and
// 90 by bulk copies; 131072 halves 94, and 90 by a cluster. Rows of up to 4096 packs have room in a block, which is
// faster where L2 keeps little: of 134 MB on an H200 12288 halves 95 and 97, 16384 95 and 98, but 28000 89 and 86.
// Where rows fill it: of 67 MB 10000 87 and 87, 12288 96 and 92, 16384 96 and 86, 28000 86 and 71, floats 10000 95 and
// 88; on an H100 12288 97 and 98, 20000 97 and 89.
inline bool team_is_faster(const Inputs& inputs, Element element) {
    const std::uint64_t packs = rows_of(inputs).columns / pack_of(element);
    if (!teams_were_timed(inputs, element) || !has_room(Route::team, inputs, element, kMostThreads)) return false;
    if (!is_packed(inputs, element)) return true;
    if (teams_beat_blocks(inputs, element, 1536)) return true;
    return packs > (element != Element::f32 && !outgrows_l2(inputs, element) ? 2560 : 4096);
}

// Of rows that begin anywhere: is a block of no more warps than a row needs faster? Percent of a copy's bandwidth on an
// H200 by two rows together, and by a block that takes one row after the other: halves of 4 MB 1001 columns 35 and 32,
// 3501 32 and 25; of 31 MB 58 and 37, 60 and 37. By five packs a thread, and by a team, where teams were timed: of 67 MB
// 10001 columns 85 and 84, 12289 83 and 83, of 34 MB 61 and 48.
inline bool fitted_anywhere_is_faster(const Inputs& inputs, Element element) {
    const std::uint64_t packs = rows_of(inputs).columns / pack_of(element);
    const bool beats_team = packs <= 1280 || fillings_of_l2(inputs, element) < kLeastTeamFillings;
    return inputs.machine.architecture >= 90 && has_room(Route::fitted_anywhere, inputs, element, kMostThreads) &&
           bytes_of_rows(inputs, element) >= 2u << 20 && (beats_team || !team_is_faster(inputs, element));
}

// Is it faster that blocks bring weights and biases into L1 first? Percent of a copy's bandwidth on an H200 so and by
// others. Halves of 34 MB: 8200 columns 78 77, 9000 75 73, 12000 76 75, but 5000 82 84, 13000 71 73; of 41 MB 3000 81 77,
// 5000 80 76, 8000 83 78, 12000 78 73, 16000 77 72, but 14336 74 75. That begin anywhere, of 34 MB: 1501 78 73, 2501 79 72,
// 3001 80 72, 4501 77 69, 5001 76 68, 7001 73 65, 9001 72 62, 10001 63 63, 11001 66 62, 13001 65 59, 16001 59 54; of 41 MB
// 3501 76 69, 7001 70 63, 12001 65 57 (these kernels by themselves). Floats, timed with --time in one run: of 34 MB 4500
// columns 84 63, 9000 84 59, 10240 79 76; that begin anywhere 1501 88 77, 2001 92 76, 2501 88 74, of 41 MB 1501 89 85, 2001
// 87 77; but 4096 of 34 MB by overlap 92, and so, in another run by itself, 85.
inline bool vectors_in_l1_are_faster(const Inputs& inputs, Element element) {
    if (inputs.machine.architecture < 90 || !rows_are_many(inputs, element) || !l2_holds(inputs, element) ||
        !has_room(Route::vectors_in_l1, inputs, element, kMostThreads))
        return false;
    const std::uint64_t packs = rows_of(inputs).columns / pack_of(element);
    const bool little_room = fillings_of_l2(inputs, element) > 0.6;
    const auto is_between = [packs](std::uint64_t low, std::uint64_t high) { return packs > low && packs <= high; };
    if (!is_packed(inputs, element)) {
        if (element != Element::f32) return packs > 168;
        return packs > 320;
    }
    if (element != Element::f32)
        return little_room ? packs > 320 && !is_between(1791, 1920) : is_between(1024, 1152) || is_between(1280, 1536);
    return packs > (little_room ? 512u : 1024u);
}

// Is it faster that clusters do that? Up to six tenths of L2 not of halves: of 34 MB on an H200 20480 ran at 69 % of a copy's
// bandwidth so (an earlier form) and at 71 by clusters of small blocks. Of more, so and by the faster of those and of blocks
// that bring weights and biases into L1: halves of 41 MB 18432 columns 70 67, 20480 74 70, 24576 70 65, 32768 66 63, of 46 MB
// 20480 81 80; but 16384 of 46 MB 81 85. Floats of 41 MB 13000 68 63, 14336 70 69, 16384 70 67, 20480 69 64, but 12288 72 74;
// of 34 MB 18432 67 61, 20480 68 64, but 14336 69 71, 16384 71 74. That begin anywhere, of 34 MB 8501 71 66, 9001 68 62, 10001
// 65 56, but 8001 66 67; of 41 MB 9001 65 59, 10001 73 66, of 46 MB 8001 76 68 (these kernels by themselves, not all in one
// run).
inline bool clusters_with_vectors_in_l1_are_faster(const Inputs& inputs, Element element) {
    if (!clusters_of_small_blocks_were_timed(inputs, element) || !l2_holds(inputs, element) ||
        !has_room(Route::vectors_in_l1_cluster, inputs, element, kMostThreads))
        return false;
    const std::uint64_t packs = rows_of(inputs).columns / pack_of(element);
    const bool little_room = fillings_of_l2(inputs, element) > 0.6;
    if (element != Element::f32) return little_room && packs > 2048;
    if (!is_packed(inputs, element)) return packs > (little_room ? 1920 : 2048);
    return little_room ? packs > 3072 : packs > 3584 && packs != 4096;
}

// Is it faster that weights and biases are asked for with the row? Percent of a copy's bandwidth on an H200, 34 MB of
// halves, so and by fitted or a few lanes: 4104 columns 79 75, 4608 85 81, 5000 84 77, 5120 87 81, 6144 86 80, 7000 80 75,
// 7168 84 77, 8000 84 76, 8192 87 79, 9000 73 73, 9216 79 78, 10000 78 76, 10240 79 77, 14336 74 72, 15000 70 69, 16000 71
// 69, 16384 78 77; but 11000 72 75, 12288 72 77, 13000 71 73. Of 38 and 41 MB 7000 76 77, 73 77 (these kernels by
// themselves, in one run).
inline bool asking_early_is_faster(const Inputs& inputs, Element element) {
    if (inputs.machine.architecture < 90 || !rows_are_many(inputs, element) || fillings_of_l2(inputs, element) > 0.6 ||
        !has_room(Route::asks_early, inputs, element, kMostThreads))
        return false;
    const std::uint64_t packs = packs_of(rows_of(inputs).columns, element);
    return (packs > 512 && packs <= 1280) || packs > 1664;
}

// Are many rows of a few hundred values faster as tiles of which warps hold rows? Percent of a copy's bandwidth on an
// H200, 34 MB, so and by a few lanes; halves, odd: 251 columns 81 75, 301 83 69, 401 80 74, 501 81 77, 601 80 73, 701 79
// 73, 801 76 69, 901 74 69, 1001 72 72; in units of 4 bytes: 250 85 76, 302 89 69, 502 88 79, 602 84 73, 802 83 70, 1002
// 84 73; of 8: 244 84 81, 300 89 81, 380 88 83; odd floats: 121 79 73, 157 81 72, 201 81 75, 301 82 77, 401 82 75, 501 80
// 76. By both of 67 MB: 301 101 89, 601 99 91 (these kernels by themselves, not all in one run).
inline bool lane_tile_is_faster(const Inputs& inputs, Element element) {
    if (inputs.machine.architecture < 90 || !rows_are_many(inputs, element) || is_packed(inputs, element) ||
        !has_room(Route::lane_tile, inputs, element, kMostThreads))
        return false;
    const std::uint64_t columns = rows_of(inputs).columns;
    if (element == Element::f32) return columns % 2 == 1 && columns > 130;
    return columns > (rows_begin_within_words(inputs, element) ? 228 : 240);
}

// Is it faster that a cluster of small blocks takes each row, so and by a block? Percent of a copy's bandwidth on an H200,
// halves, of 34 MB: 16000 columns 75 70, 16384 79 78, 18432 76 60, 20480 72 63, 24576 69 56, 28672 70 55, 32768 74 70; but
// 11000 70 75, 13000 69 73, 14336 71 74; of 41 MB 20480 68 62, 28672 63 59, but 12000 68 70; of 46 MB 20480 75 75; of 67 MB
// 12000 96 93, 20480 94 87, 30720 87 84. Floats, of 34 MB: 6000 71 68, 10240 71 64, 12288 71 56, 16384 74 67, but 7168 69 72,
// 8192 76 77; of 41 MB 12288 64 57; of 67 MB 6000 95 95 (these kernels by themselves, in one run).
inline bool fitted_cluster_is_faster(const Inputs& inputs, Element element) {
    if (!clusters_of_small_blocks_were_timed(inputs, element) ||
        !has_room(Route::fitted_cluster, inputs, element, kMostThreads))
        return false;
    const std::uint64_t packs = packs_of(rows_of(inputs).columns, element);
    if (packs > 2048) return true;
    if (fillings_of_l2(inputs, element) <= 0.6) return element != Element::f32 && packs > 1920;
    return packs > 1280 && !l2_holds(inputs, element);
}

inline Choice best_route(const Inputs& inputs, Element element) {
    if (few_columns_are_faster(inputs, element, shape_of_few_columns(inputs, element)))
        return {Route::few_columns, kShortBlock};
    if (lane_tile_is_faster(inputs, element)) return {Route::lane_tile, kShortBlock};
    if (clusters_with_vectors_in_l1_are_faster(inputs, element)) return {Route::vectors_in_l1_cluster, kMostThreads};
    if (vectors_in_l1_are_faster(inputs, element)) return {Route::vectors_in_l1, kMostThreads};
    if (fitted_cluster_is_faster(inputs, element)) return {Route::fitted_cluster, kMostThreads};
    if (asking_early_is_faster(inputs, element)) return {Route::asks_early, kMostThreads};
    if (row_tile_of_norm_is_faster(inputs, element, 238, 125)) return {Route::row_tile, kShortBlock};
    if (few_lanes_are_faster_for_norm(inputs, element, shape_of_few_lanes(inputs, element), 384))
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
    // 1024 x 65536 floats: on an H100 180 us, by clusters 184; on an H200 128, by bulk copies 134. Halves: 91.2, by
    // clusters 94.7; on an H200 65.6, by bulk copies 71.4.
    if (inputs.machine.architecture >= 90 && has_room(Route::rows_on_demand, inputs, element, kMostThreads) &&
        !(team_beats_rows_on_demand(inputs, element) && has_room(Route::team, inputs, element, kMostThreads)))
        return {Route::rows_on_demand, kMostThreads};
    if (team_is_faster(inputs, element)) return {Route::team, kMostThreads};
    if (overlaps(inputs, element) && rows_are_many(inputs, element) && fitted_is_faster(inputs, element))
        return {Route::fitted, kMostThreads};
    if (overlaps(inputs, element) && threads > 0) {
        const BlockShape shape = shape_of_overlap(packs);
        return {Route::overlap, shape.threads, shape.packs};
    }
    if (hints && outgrows_l2(inputs, element) && packs > 32 * kPacks && threads > 0)
        return {Route::high_occupancy, threads};
    if (has_room(Route::warp, inputs, element, kWarpBlock))
        return {Route::warp, kWarpBlock, packs_a_lane(inputs, element)};
    if (const Choice choice = in_registers(inputs, element); choice.route == Route::registers) return choice;
    if (inputs.machine.architecture < 90) return {};
    // Long rows, but too few for a team to have been timed. Of floats that do not fill a cluster's threads: on an H100
    // 142 us by bulk copies and 158 by clusters for 1000 x 50000, but 105 and 92 for 1000 x 32768. On an H200 bulk
    // copies are faster for all: 71 us for 1024 x 65536 halves, 80 by clusters.
    const bool copies = memory_is_fast(inputs.machine) ||
                        (element == Element::f32 && packs > 8192 && !rows_a_cluster(packs, element).whole);
    for (const Route route :
         {copies ? Route::bulk_copies : Route::cluster, Route::bulk_copies, Route::cluster, Route::team})
        if (has_room(route, inputs, element, kMostThreads)) return {route, kMostThreads};
    return {};
}

}  // namespace layer_norm
