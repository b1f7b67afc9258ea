// Which fast route takes rows of a length: kernels of routes.cuh and kernels_sm*.cuh, from short rows to long ones.
#pragma once

#include <cstdint>

#include "common/lesson/row_routes.hpp"
#include "common/lesson/row_teams.hpp"
#include "common/lesson/row_tiles.hpp"
#include "common/lesson/short_rows.hpp"
#include "lessons/13_softmax/case.hpp"

namespace softmax {

using namespace lanewise::lesson;  // row_routes.hpp

enum class Route : std::uint8_t {
    short_rows,
    warp,
    registers,
    high_occupancy,
    overlap,
    fitted,
    shared,
    short_anywhere,
    few_lanes,
    few_columns,
    row_tile,
    anywhere,
    fitted_anywhere,
    fitted_cluster,
    cluster,
    split_row,
    bulk_copies,
    rows_on_demand,
    anywhere_cluster,
    team,
    anywhere_two_reads,
    two_reads
};

// Bytes of a row in shared memory, at most: what an H200 gives a block, 227 KB, less a little.
inline constexpr std::uint64_t kSharedBytes = 220 << 10;

// Packs that a lane holds, a power of two: 32 floats fit its registers, or 32 halves, widened.
inline std::uint64_t most_packs_a_lane(Element element) { return element == Element::f32 ? 8 : 4; }

// Of bulk copies: a small one to be looked at, one that is fastest for 65536 columns, and one for longer rows.
inline ClusterShape bulk_shape(std::uint64_t packs_a_row, Element element, std::uint32_t block) {
    if (block == kWarpBlock) return {2, block, kPacks};
    const bool wide = element == Element::f32;
    const ClusterShape shape{wide ? 4u : 2u, 1024, kPacks};
    return packs_a_row <= shape.room() ? shape : ClusterShape{8, 1024, wide ? 2 * kPacks : kPacks};
}

// Of the kernel in which a cluster keeps a row in registers.
inline ClusterShape shape_of_cluster(std::uint64_t packs_a_row) {
    return cluster_of(packs_a_row, kMostBlocksOfACluster, 2 * kPacks);
}

// Of rows that take no more warps than they need: five packs a thread in 40 registers, or four in 32.
inline FittedShape shape_of_fitted(std::uint64_t packs) { return fitted_shape(packs, {{5, 352, 4}, {4, 1024, 2}}); }

// Of a row in registers and in shared memory: packs that a thread holds, and those that it copies. Two blocks of 1024
// threads fill the registers and 192 KB of a multiprocessor's shared memory.
inline constexpr std::uint32_t kPacksHeld = 2;
inline constexpr std::uint32_t kPacksCopied = 6;
inline std::uint32_t threads_of_split_row(std::uint32_t block) { return block == kMostThreads ? block : kWarpBlock; }

// Of long rows that begin anywhere: the fewest blocks that hold the row, two at least. Of floats, two blocks, or eight
// with twice the packs a thread.
inline ClusterShape anywhere_shape(std::uint64_t columns, Element element) {
    std::uint32_t blocks = 2;
    while (blocks < 8 && columns / pack_of(element) > std::uint64_t{blocks} * kMostThreads * kPacks) blocks *= 2;
    if (element == Element::f32 && blocks > 2) return cluster_anywhere(columns, element, 8, 2 * kPacks);
    return cluster_anywhere(columns, element, blocks, kPacks);
}

// Of rows that clusters take on demand: they fill on_demand_shape(), and the kernel knows, or they take the fewest
// warps that have places enough. None are shorter than kLeastOnDemand packs.
inline constexpr std::uint64_t kLeastOnDemand = 512;
struct OnDemand {
    ClusterShape shape;
    bool full = true;
    std::uint64_t places = 0;   // of packs, that a row may need
    bool has_room() const { return full ? places == shape.room() : places <= shape.room(); }
};
inline OnDemand on_demand(const Inputs& inputs, Element element, std::uint32_t block) {
    const ClusterShape filled = on_demand_shape(element, block);
    const std::uint64_t packs = packs_of(rows_of(inputs).columns, element);
    if (block == kWarpBlock || packs == filled.room()) return {filled, true, packs};
    const std::uint64_t places = places_of(inputs, element);
    if (packs < kLeastOnDemand) return {{}, false, places};
    return {cluster_of(places, kMostBlocksOfACluster, kPacks), false, places};
}

// Of rows that begin anywhere and take no more warps than they need. Threads keep exponentials as floats, but of rows
// longer than kMostPacksKept. Percent of a copy's bandwidth so, and where they take them twice, of 34 MB of halves on an
// H200: 601 columns 82 and 67, 1501 91 and 80, 2001 86 and 76, 3001 86 and 77, 10001 78 and 75; but 14001 72 and 72
// (these kernels by themselves).
inline constexpr std::uint64_t kMostPacksKept = 1536;
// While L2 holds what is read and written, of longer ones, too: of 34 MB 14336 halves 78 so and 71, 16000 77 and 66, of
// floats 10240 83 and 76, 12000 85 and 74 (these kernels by themselves).
inline std::uint64_t most_packs_kept(const Inputs& inputs, Element element) {
    if (fillings_of_l2(inputs, element) > 0.6) return kMostPacksKept;
    return element == Element::f32 ? 3072 : 2048;
}
inline bool keeps_exponentials(const Inputs& inputs, Element element) {
    return rows_of(inputs).columns / pack_of(element) <= most_packs_kept(inputs, element);
}
inline FittedAnywhereShape shape_of_fitted_anywhere(const Inputs& inputs, Element element) {
    const std::uint64_t columns = rows_of(inputs).columns;
    if (!keeps_exponentials(inputs, element))
        return fitted_anywhere_shape(columns, element, {{1, 5, 512, 3, 2560}, {1, 8, 512, 2, 4096}});
    // Eight packs a thread only where a warp is enough: 2001 columns 86 so and 78 by four, but 4000 less than 85, and 90.
    // Four before as many places by six: 7001 columns 89 and 87. But of ten warps with four packs only three blocks run
    // at once: 10001 columns 73 so, 83 by five.
    return fitted_anywhere_shape(columns, element,
                                 {{1, 8, 512, 1, 256},
                                  {1, 4, 512, 2, 1152},
                                  {1, 5, 512, 2, 1280},
                                  {1, 4, 512, 2, kMostPacksKept},
                                  {1, 6, 512, 1, kMostPacksKept},
                                  {1, 5, 512, 2, kMostPacksKept},
                                  {1, 3, 512, 2, kMostPacksKept},
                                  {1, 8, 256, 3, 2048},
                                  {1, 10, 256, 3, element == Element::f32 ? 2560u : 0},
                                  {1, 8, 384, 2, element == Element::f32 ? 3072u : 0}});
}

// Of rows that clusters of small blocks take: packs a thread and blocks a cluster, for the fewest places that stay empty.
// 2055, 2311 and 4103: where 2048, 2304 and 4096 packs lie, up to seven places past a line. Rows that begin anywhere need
// more registers, and have fewer packs a thread: of 34 MB 16001 halves by two blocks 88 % of a copy's bandwidth on an
// H200, by four 81; 20001 83 and 84. Rows of more than 5120 packs take the fewest packs a thread: 50000 halves by eight
// 76, by ten 72, although fewer places stay empty (these kernels by themselves). Where L2 does not hold all, teams are faster
// than such clusters for rows that begin anywhere and for the longest: of 67 MB 50001 halves 92 and 84, 128000 91 and 87,
// 65536 floats 101 and 97; but 98304 halves 90 and 94.
inline FittedClusterShape shape_of_fitted_cluster(const Inputs& inputs, Element element) {
    const bool wide = element == Element::f32;
    const bool holds = l2_holds(inputs, element);
    const std::uint64_t places = places_of(inputs, element);
    const auto first_of_eight = [&](std::initializer_list<FittedClusterShape> instances) {
        for (const FittedClusterShape& instance : instances)
            if (places <= instance.most_packs) return fitted_cluster_shape(places, {instance});
        return FittedClusterShape{};
    };
    if (!is_packed(inputs, element)) {
        if (places <= 5120) return fitted_cluster_shape(places, {{4, 320, 4, 2, 2208}, {5, 256, 4, 4, 5120}});
        if (!holds) return {};
        if (wide)
            return first_of_eight(
                {{6, 128, 6, 8, 6144}, {7, 128, 5, 8, 7168}, {8, 128, 5, 8, 8192}, {10, 128, 4, 8, 10240}});
        return first_of_eight({{6, 128, 8, 8, 6144},
                               {7, 128, 8, 8, 7168},
                               {8, 128, 7, 8, 8192},
                               {9, 128, 7, 8, 9216},
                               {10, 128, 7, 8, 10240},
                               {12, 128, 5, 8, 12288},
                               {16, 128, 4, 8, 16384}});
    }
    if (places <= 5120)
        return fitted_cluster_shape(places,
                                    {{6, 256, 4, 2, 2055},
                                     {4, 320, 4, 2, 2055},
                                     {5, 256, 4, 2, 2311},
                                     {6, 256, 4, 2, 2311},
                                     {6, 256, 4, 4, 4103},
                                     {5, 256, 4, 4, 4103},
                                     {8, 256, 3, 4, 4103},
                                     {5, 128, 8, 8, 5120}});
    if (wide)
        return first_of_eight({{6, 128, 8, 8, 6144},
                               {7, 128, 6, 8, 7168},
                               {8, 128, 6, 8, 8192},
                               {10, 128, 5, 8, 10240},
                               {12, 128, 4, 8, 12288},
                               {16, 128, 3, 8, holds ? 16384u : 0}});
    // Of 34 MB twelve packs a thread are faster by five blocks at once, of more by six: of 98304 columns 76 and 72, of 41 MB
    // 74 and 75, of 46 MB 78 and 83 (these kernels by themselves, in one run).
    const std::uint32_t blocks_of_twelve = fillings_of_l2(inputs, element) <= 0.6 ? 5 : 6;
    return first_of_eight({{6, 128, 8, 8, 6144},
                           {7, 128, 8, 8, 7168},
                           {8, 128, 8, 8, 8192},
                           {9, 128, 7, 8, 9216},
                           {10, 128, 7, 8, 10240},
                           {12, 128, blocks_of_twelve, 8, 12288},
                           {14, 128, 5, 8, holds ? 14336u : 0},
                           {16, 128, 4, 8, holds ? 16384u : 0}});
}

// Packs of a thread whose exponentials such a cluster keeps, as floats. Of 16-bit values in clusters of eight blocks as many as
// registers are enough for: percent of a copy's bandwidth on an H200 so and where all are kept, and fewer blocks run at once,
// halves of 34 MB 65536 columns 81 80, 98304 76 73, 60001 76 73, 80001 73 71; of 41 MB 57344 80 77, 65536 82 75, 80000 77 71,
// 98304 75 70, 80001 75 67; of 46 MB 98304 83 73 (these kernels by themselves, not all in one run).
inline std::uint32_t packs_kept_as_floats(const FittedClusterShape& shape, const Inputs& inputs, Element element) {
    if (element == Element::f32 || shape.cluster < 8) return shape.packs;
    const bool whole = is_packed(inputs, element);
    switch (shape.packs) {
        case 7:
            return 3;
        case 9:
            return whole ? 5 : 4;
        case 10:
            return whole ? 4 : 2;
        case 12:
            return shape.blocks == 5 ? 6 : 4;
        case 8:
        case 14:
            return 4;
        case 16:
            return 8;
        default:   // five or six
            return 5;
    }
}

// Of short rows that a few lanes hold: of whole units of 16, of 8 or of 4 bytes, else of units of 16 that begin anywhere.
// Percent of a copy's bandwidth on an H200 so, and by one row a lane in units of 16 bytes, 34 MB of halves: in whole packs
// 64 columns 93 87, 256 103 89; in units of 8 bytes 100 columns 79 73, 300 92 83; that begin anywhere 75 columns 63 55,
// 129 79 72, 257 85 77; of 148 by 16 lanes in units of 8 bytes 89, by 32 lanes 60 (these kernels by themselves). Of 67 MB
// by eight lanes, and by sixteen: 65 columns 86 79, 70 96 83.
inline FewLanesShape shape_of_few_lanes(const Inputs& inputs, Element element) {
    const FewLanesShape shape = few_lanes_shape(inputs, element,
                                                {{16, 4, 2, 2},
                                                 {16, 8, 2, 2},
                                                 {16, 8, 4, 1},
                                                 {16, 16, 3, 1},
                                                 {16, 16, 4, 1},
                                                 {16, 32, 3, 1},
                                                 {16, 32, 5, 1},
                                                 {16, 32, 6, 1},
                                                 {16, 32, 8, 1},
                                                 {4, 16, 2, 4},
                                                 {8, 16, 2, 2},
                                                 {8, 16, 3, 2},
                                                 {8, 32, 2, 2},
                                                 {8, 32, 3, 2},
                                                 {8, 32, 4, 1}});
    if (shape.lanes > 0) return shape;
    const std::uint64_t packs = rows_of(inputs).columns / pack_of(element);
    if (packs <= 8) return few_lanes_shape(inputs, element, {{16, 8, 1, 2, false}});
    if (packs <= 12) return few_lanes_shape(inputs, element, {{16, 16, 1, 4, false}});
    if (packs > 16 && packs <= 18) return few_lanes_shape(inputs, element, {{16, 8, 3, 1, false}});
    if (packs > 28 && packs <= 32) return few_lanes_shape(inputs, element, {{16, 16, 2, 1, false}});
    return few_lanes_shape(inputs, element,
                           {{16, 16, 1, 2, false}, {16, 16, 2, 2, false}, {16, 16, 3, 1, false}, {16, 16, 4, 1, false}});
}

// Of rows of a few columns. Percent of a copy's bandwidth on an H200 so and by tiles, 34 MB of halves: 21 columns 89
// 84, but of more packs a thread 23 83 88, 31 76 91; of floats 31 87 (these kernels by themselves, in two runs).
inline FewColumnsShape shape_of_few_columns(const Inputs& inputs, Element element) {
    return few_columns_shape(inputs, element, 1, element == Element::f32 ? 31 : 22);
}

// Of short rows in tiles. Threads keep exponentials, a float for each value, of which 16-bit rows have twice as many.
// Tiles of 32 rows where three threads share each, or more. Percent of a copy's bandwidth on an H200 so, by 64 rows and
// by a few lanes, 34 MB: 105 halves 80 77 73, 121 81 78 76, 151 80 74 75, but 177 76 67 78; 90 floats 89 82 82, but 105
// 83 71 84 (these kernels by themselves).
inline RowTileShape shape_of_row_tile(const Inputs& inputs, Element element) {
    if (element == Element::f32)
        return row_tile_shape(inputs, element, 23,
                              {{32, 64, 2, 16},
                               {40, 64, 2, 20},
                               {48, 32, 4, 12},
                               {60, 32, 3, 20},
                               {80, 32, 4, 20},
                               {96, 32, 4, 24}});
    return row_tile_shape(inputs, element, 23,
                          {{16, 128, 1, 16},
                           {20, 128, 1, 20},
                           {32, 64, 2, 16},
                           {40, 64, 2, 20},
                           {48, 32, 4, 12},
                           {60, 32, 3, 20},
                           {80, 32, 4, 20}});
}

inline TeamShape shape_of_team(const Inputs& inputs, Element element, std::uint32_t block) {
    return team_of(places_of(inputs, element), rows_of(inputs).count, inputs.machine, 0, block);
}

// Must every row begin at a multiple of 16 bytes?
inline bool needs_packs(Route route) {
    return route == Route::high_occupancy || route == Route::overlap || route == Route::fitted ||
           route == Route::cluster || route == Route::split_row || route == Route::bulk_copies ||
           route == Route::rows_on_demand;
}

// Has a row room in this route, in blocks of `block` threads?
inline bool has_room(Route route, const Inputs& inputs, Element element, std::uint32_t block) {
    if (needs_packs(route) && !is_packed(inputs, element)) return false;
    const std::uint64_t columns = rows_of(inputs).columns;
    const std::uint64_t packs = packs_of(columns, element);
    switch (route) {
        case Route::short_rows:
            return lanes_for_short(columns, element).lanes > 0;
        case Route::warp:
            return packs <= 32 * most_packs_a_lane(element);
        case Route::registers: {
            const bool twice = element == Element::f32 && block == kMostThreads;
            return packs <= std::uint64_t{block} * kPacks * (twice ? 2 : 1);
        }
        case Route::high_occupancy:
        case Route::overlap:
            return packs <= std::uint64_t{block} * kPacks;
        case Route::fitted:
            return shape_of_fitted(packs).threads > 0;
        case Route::shared:
            return packs * 16 <= kSharedBytes;
        case Route::cluster:
            return packs <= shape_of_cluster(packs).room();
        case Route::split_row:
            return packs <= std::uint64_t{threads_of_split_row(block)} * (kPacksHeld + kPacksCopied);
        case Route::bulk_copies:
            return packs <= bulk_shape(packs, element, block).room();
        case Route::rows_on_demand:
            return on_demand(inputs, element, block).has_room();
        case Route::fitted_cluster:
            return shape_of_fitted_cluster(inputs, element).threads > 0;
        case Route::fitted_anywhere:
            return shape_of_fitted_anywhere(inputs, element).threads > 0;
        case Route::anywhere:
            return block_anywhere(columns, element).threads > 0;
        case Route::anywhere_cluster:
            return columns / pack_of(element) <= anywhere_shape(columns, element).room();
        case Route::short_anywhere:
            return words_for_short(columns, element).lanes > 0;
        case Route::few_columns:
            return shape_of_few_columns(inputs, element).columns > 0;
        case Route::row_tile:
            return shape_of_row_tile(inputs, element).parts > 0;
        case Route::few_lanes:
            return shape_of_few_lanes(inputs, element).lanes > 0;
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
    std::uint32_t packs = kPacks;  // a thread, where launches overlap
};
// Is a team faster than clusters? Of whole rows where they have no room to be taken on demand, or are too few for that.
// Of 134 MB on an H200: 65544 floats 87 % of a copy's bandwidth and 76 by clusters, but 49152 85 and 88; 65544 halves
// 86 and 84, 151936 86 and 79. Of 48 MB on an H100 151936 halves 80 and 76, but 65544 82 and 82.
inline bool team_is_faster(const Inputs& inputs, Element element) {
    if (!teams_were_timed(inputs, element) || !has_room(Route::team, inputs, element, kMostThreads)) return false;
    const std::uint64_t packs = rows_of(inputs).columns / pack_of(element);
    if (!is_packed(inputs, element)) return true;
    if (memory_is_fast(inputs.machine)) return packs > 8192;
    return packs > (element == Element::f32 ? 32768 : 16384);
}

// Is it faster than a block that holds a row? Percent of a copy's bandwidth so and by a block, of halves on an H200:
// rows that begin anywhere, of 67 MB 20001 columns 96 and 95, of 160 MB 86 and 91. Of whole ones those whose blocks
// leave a fifth of a multiprocessor's 2048 threads without work: of 67 MB 24000 columns 96 and 91, but 20000 95 and 99,
// 28000 89 and 91, 32000 92 and 94.
inline bool team_is_faster_than_a_block(const Inputs& inputs, Element element) {
    if (!has_room(Route::team, inputs, element, kMostThreads)) return false;
    if (!is_packed(inputs, element)) return teams_beat_blocks(inputs, element, 1537);
    const std::uint32_t threads = shape_of_fitted(packs_of(rows_of(inputs).columns, element)).threads;
    const bool idle = element == Element::f32 || threads == 0 || 2048 / threads * threads * 5 < 2048 * 4;
    return idle && teams_beat_blocks(inputs, element, 2049);
}

// Of rows that begin anywhere: is a block of no more warps than a row needs faster? On an H200 halves of 25 MB run at
// 73 % of a copy's bandwidth so, by four packs a thread (1001 columns; 70 by a block that takes one row after the
// other), 64 (3501; 60) and 70 (8191; 65), but of 12 MB at 69 (75), 50 (65) and 63 (68).
inline bool fitted_anywhere_is_faster(const Inputs& inputs, Element element) {
    return inputs.machine.architecture >= 90 && has_room(Route::fitted_anywhere, inputs, element, kMostThreads) &&
           bytes_of_rows(inputs, element) >= 12u << 20;
}

// Of whole rows: is it faster that threads keep exponentials, as they do of rows that begin anywhere? Percent of a copy's
// bandwidth on an H200 so, and by fitted or overlap, of 34 MB of halves: 4096 columns 94 and 92, 5000 92 and 78, 8192 89 and
// 88, 10000 84 and 77, 12000 80 and 75; but of 44 MB 5000 84 and 87, 8192 83 and 88, 12000 81 and 87 (these kernels by
// themselves). Of 34 MB of floats, as `--time` has them, in two runs: 7168 columns 94 so and by overlap 86, 9472 91 and
// 78, 10240 86 and 79, 12000 92 and 85.
inline bool kept_exponentials_are_faster(const Inputs& inputs, Element element) {
    return packs_of(rows_of(inputs).columns, element) > (element == Element::f32 ? kMostPacksKept : 256) &&
           keeps_exponentials(inputs, element) && rows_are_many(inputs, element) &&
           fillings_of_l2(inputs, element) <= 0.6 && fitted_anywhere_is_faster(inputs, element);
}

// Is it faster that a block has no more warps than its row needs? Of 67 MB of halves on an H200: 5000 102 % of a copy's
// bandwidth and 95 by overlap, 8200 100 and 88, 14000 100 and 92, 20000 99 and 69, 32000 94 and 79; but 7200 102 and
// 104, and 12000, which all but fill a block of 384 threads, 100 and 101. Floats take no fewer registers so.
inline bool fitted_is_faster(const Inputs& inputs, Element element) {
    if (element == Element::f32 || !has_room(Route::fitted, inputs, element, kMostThreads)) return false;
    const std::uint64_t packs = packs_of(rows_of(inputs).columns, element);
    const std::uint32_t threads = threads_at_high_occupancy(packs);
    // Shorter ones that fill its threads, while L2 holds all: of 34 and 46 MB 2560 87 and 92, by overlap 75 and 82; but
    // 3072 79 and 89, by overlap 85 and 83.
    const FittedShape fitted = shape_of_fitted(packs);
    if (threads == 128 && l2_holds(inputs, element))
        return !fills_most(packs, 128) && 8 * packs >= 7 * std::uint64_t{fitted.threads} * fitted.packs;
    // 12000: of 44 MB 83, by overlap 78. 5376: of 34 MB 77 and 82, of 41 MB 76 and 75, of 46 MB 90 and 83; 6144: 80 and 85,
    // 80 and 78, 90 and 86.
    const bool holds = l2_holds(inputs, element);
    const bool full = (fills_most(packs, 192) && (!holds || fillings_of_l2(inputs, element) <= 0.65)) ||
                      (fills_most(packs, 384) && !holds);
    return (threads == 192 || packs > 1024) && !full;
}

// Do clusters take rows on demand faster than others do? Of 134 MB on an H100 all that split_row has no room for: 65544
// halves 95 % of a copy's bandwidth and 90 by a team, 98312 floats 99 and 96; but 50000 halves 95, and 100 by
// split_row. Of 67 MB too, 151936 halves 90 and 88 by a cluster, but not of 34. Of an H200's halves not those that
// leave threads idle: of 134 MB 98312 81, and 85 by a team, 151936 72 and 86.
inline bool on_demand_is_faster(const Inputs& inputs, Element element) {
    const OnDemand by = on_demand(inputs, element, kMostThreads);
    if (!has_room(Route::rows_on_demand, inputs, element, kMostThreads)) return false;
    if (!by.full && element != Element::f32 && memory_is_fast(inputs.machine)) return false;
    const bool many = bytes_of_rows(inputs, element) >= 32u << 20;
    return by.full || (many && !has_room(Route::split_row, inputs, element, kMostThreads));
}

// Are clusters, one for each row, faster than those that take rows on demand? Rows of 65536 floats took an H200 so, and on
// demand: 1024 127 us and 130, 4096 498 and 508; 171, 90 MB, 98 % of a copy's bandwidth and 92.
inline bool clusters_beat_rows_on_demand(const Inputs& inputs, Element element) {
    return element == Element::f32 && rows_of(inputs).columns == 65536 && memory_is_fast(inputs.machine) &&
           fillings_of_l2(inputs, element) > 1.2;
}

// Is it faster that a few lanes hold a short row in registers and launches overlap? Percent of a copy's bandwidth on an H200
// so, and by the kernels that take such rows else, of halves: 64 columns of 34 MB 83 and 57; of 67 MB 99 and 88. 512 of 34
// MB 88 and 50; of 67 MB 101 and 81. 1280 of 34 MB 86 and 63. But 1000 of 48 MB 88 and 90; 768 of 134 MB 102 and 105. Of
// rows that begin anywhere, 67 MB: 129 columns 89 and 65; 257 94 and 62; 401 94 and 76. Of very short ones most is in no
// pack: by short_anywhere, in other runs, 57 columns 62 and so 85, 63 68 and 93, but 41 80 and 77, 49 81 and 82; its rows of
// 53 and more take four lanes. 50 columns in units of 4 bytes, of 34 MB, 69, and 55 by short_anywhere.
inline bool few_lanes_are_faster(const Inputs& inputs, Element element) {
    if (inputs.machine.architecture < 90 || !rows_are_many(inputs, element) ||
        !has_room(Route::few_lanes, inputs, element, kShortBlock))
        return false;
    const std::uint64_t packs = rows_of(inputs).columns / pack_of(element);
    const bool many_words = words_for_short(rows_of(inputs).columns, element).lanes > 2;
    if (!is_packed(inputs, element))
        return packs >= 7 || (packs == 6 && (many_words || shape_of_few_lanes(inputs, element).bytes == 4));
    return packs <= 64 || (!outgrows_l2(inputs, element) && (packs <= 96 || packs > 128));
}

// Is it faster that many short rows go as tiles? Percent of a copy's bandwidth on an H200 so and by a few lanes, of 34 MB
// of halves: 33 columns 86 43, 63 90 55, 97 86 69, 121 81 76, 151 80 75; in units of 8 bytes 108 81 77, 116 82 81, but 124
// 80 87, 148 82 89; of 67 MB 97 96 93, 121 99 95; of floats of 34 MB 65 93 85, 90 89 82 (these kernels by themselves).
inline bool row_tile_is_faster(const Inputs& inputs, Element element) {
    if (inputs.machine.architecture < 90 || !rows_are_many(inputs, element) || is_packed(inputs, element)) return false;
    const std::uint64_t columns = rows_of(inputs).columns;
    if (element != Element::f32 && columns % 4 == 0 && columns > 120) return false;
    return has_room(Route::row_tile, inputs, element, kShortBlock);
}

// Is it faster that a cluster of small blocks takes each row, so and by a block? Percent of a copy's bandwidth on an H200,
// halves, of 34 MB: 8192 columns 94 92, 10240 94 87, 12000 93 82, 15000 90 76, 18432 91 73, 20480 90 69, 24576 90 68,
// 28672 86 62, 32768 88 70; of 41 MB 12000 84 79, 20480 82 78; of 55 MB 24576 100 88; of 67 MB 12000 101 99, 30720 100 85;
// but of 34 MB 6000 83 93. Floats, of 34 MB: 6000 96 92, 8192 96 94, 10240 94 83, 16384 91 82; of 41 MB 6000 84 87, 8192 88
// 89, 12288 87 80; of 67 MB 12288 102 96. That begin anywhere, halves, of 34 MB: 7001 82 90, 10001 91 83, 16001 88 74, 20001
// 84 64, 30001 80 52; of 41 MB 10001 80 77, 20001 76 71; of 67 MB 10001 100 97, 30001 96 84 (these kernels by themselves).
inline bool fitted_cluster_is_faster(const Inputs& inputs, Element element) {
    if (!clusters_of_small_blocks_were_timed(inputs, element)) return false;
    const std::uint64_t packs = rows_of(inputs).columns / pack_of(element);
    const bool are_long = packs > (element == Element::f32 ? 2048 : 1024);
    return are_long && has_room(Route::fitted_cluster, inputs, element, kMostThreads);
}

inline Choice best_route(const Inputs& inputs, Element element) {
    if (few_columns_are_faster(inputs, element, shape_of_few_columns(inputs, element)))
        return {Route::few_columns, kShortBlock};
    if (row_tile_is_faster(inputs, element)) return {Route::row_tile, kShortBlock};
    // Of 67 MB of 75 halves on an H100, nine packs, 96 % of a copy's bandwidth so, and 91 by short_anywhere.
    if (few_lanes_are_faster(inputs, element)) return {Route::few_lanes, kShortBlock};
    if (fitted_cluster_is_faster(inputs, element)) return {Route::fitted_cluster, kMostThreads};
    const std::uint64_t columns = rows_of(inputs).columns;
    // These kernels are for GPUs; the emulator takes such rows value by value.
    if (!is_packed(inputs, element) && inputs.machine.architecture >= 75) {
        if (has_room(Route::short_anywhere, inputs, element, kShortBlock)) return {Route::short_anywhere, kShortBlock};
        if (team_is_faster_than_a_block(inputs, element)) return {Route::team, kMostThreads};
        if (fitted_anywhere_is_faster(inputs, element)) return {Route::fitted_anywhere, kMostThreads};
        if (team_is_faster(inputs, element)) return {Route::team, kMostThreads};
        const BlockShape shape = block_anywhere(columns, element);
        const bool clusters =
            has_large_clusters(inputs.machine) && has_room(Route::anywhere_cluster, inputs, element, kMostThreads);
        // Widened to floats, packs of 16 bits fill registers: a multiprocessor runs only one of the larger blocks.
        const bool crowded = element != Element::f32 && shape.threads > 384;
        if (shape.threads > 0 && !(clusters && crowded)) return {Route::anywhere, shape.threads};
        if (clusters) return {Route::anywhere_cluster, anywhere_shape(columns, element).threads};
        if (has_large_clusters(inputs.machine) && has_room(Route::team, inputs, element, kMostThreads))
            return {Route::team, kMostThreads};
        return {Route::anywhere_two_reads, kMostThreads};
    }
    if (inputs.machine.architecture >= 75 && has_room(Route::short_rows, inputs, element, kShortBlock))
        return {Route::short_rows, kShortBlock};
    const bool hints = inputs.machine.architecture >= 80 && is_packed(inputs, element);
    const std::uint64_t packs = packs_of(columns, element);
    const std::uint32_t threads = threads_at_high_occupancy(packs);
    if (team_is_faster_than_a_block(inputs, element)) return {Route::team, kMostThreads};
    if (overlaps(inputs, element) && kept_exponentials_are_faster(inputs, element))
        return {Route::fitted_anywhere, kMostThreads};
    if (overlaps(inputs, element) && rows_are_many(inputs, element) && fitted_is_faster(inputs, element))
        return {Route::fitted, kMostThreads};
    // Of floats, hints are faster where they pay: 252 us instead of 255 at 16384 x 8192, 126.8 instead of 127.9 at
    // 16384 x 4096.
    const bool hinted = element == Element::f32 && pays_to_hint(inputs, element);
    if (overlaps(inputs, element) && threads > 0 && !hinted) {
        const BlockShape shape = shape_of_overlap(packs);
        // Half the packs for twice the threads: 33.5 us instead of 34.2 at 4096 x 4096 floats, 126.9 instead of 128.0
        // at 16384 x 8192 halves, but 33.1 instead of 32.7 at 4096 x 8192 halves.
        const bool large = element == Element::f32 ? outgrows_l2(inputs, element) : pays_to_hint(inputs, element);
        const bool half = shape.threads == 256 && large;
        if (half) return {Route::overlap, 512, 2};
        return {Route::overlap, shape.threads, shape.packs};
    }
    if (hints && outgrows_l2(inputs, element) && packs > 32 * kPacks && threads > 0)
        return {Route::high_occupancy, threads};
    if (has_room(Route::warp, inputs, element, kWarpBlock)) return {Route::warp, kWarpBlock};
    // Two blocks of 1024 threads share a multiprocessor as long as a thread holds no more than four packs.
    const bool long_rows = packs > std::uint64_t{kMostThreads} * kPacks;
    const bool clusters = inputs.machine.architecture >= 90 && long_rows &&
                          has_room(Route::cluster, inputs, element, kMostThreads);
    // 1024 x 65536 floats: on an H100 180 us, as by clusters. Halves: 90.7, 91.2 by clusters, 91.7 by split row; on an H200
    // 65.3, 68.2 by split row.
    if (clusters && clusters_beat_rows_on_demand(inputs, element)) return {Route::cluster, kMostThreads};
    if (clusters && on_demand_is_faster(inputs, element)) {
        const bool by_team =
            team_beats_rows_on_demand(inputs, element) && has_room(Route::team, inputs, element, kMostThreads);
        return {by_team ? Route::team : Route::rows_on_demand, kMostThreads};
    }
    if (team_is_faster(inputs, element)) return {Route::team, kMostThreads};
    // A block alone is as fast as a cluster or faster: for 1024 x 65536 halves 67.7 us on an H200, 69.0 by clusters; on
    // an H100 91.7 and 91.3, and for 1000 x 36864 50.6 and 52 to 56.
    if (clusters && has_room(Route::split_row, inputs, element, kMostThreads)) return {Route::split_row, kMostThreads};
    // Other long rows. Not by bulk copies: on an H200 98312 halves reach 45 % of a copy's bandwidth so, and 84 by
    // clusters.
    if (clusters) return {Route::cluster, kMostThreads};
    if (long_rows && has_large_clusters(inputs.machine) && has_room(Route::team, inputs, element, kMostThreads))
        return {Route::team, kMostThreads};
    for (std::uint32_t block = kWarpBlock; block <= kMostThreads; block *= 2)
        if (has_room(Route::registers, inputs, element, block)) return {Route::registers, block};
    if (has_room(Route::shared, inputs, element, kMostThreads)) return {Route::shared, kMostThreads};
    return {};
}

}  // namespace softmax
