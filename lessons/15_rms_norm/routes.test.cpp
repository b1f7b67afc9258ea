// Which kernel takes rows of which length, and how it is launched.
#include "common/base/error.hpp"
#include "common/lesson/rows.testing.hpp"
#include "lessons/15_rms_norm/launches.hpp"
#include "lessons/15_rms_norm/routes.hpp"

namespace {

using namespace lanewise;
using namespace lanewise::lesson::testing;
using namespace rms_norm;

Route route_of(std::uint64_t rows, std::uint64_t columns, Element element, std::uint32_t architecture = 90) {
    return best_route(on_architecture("rms_norm_best_f16", rows, columns, architecture), element).route;
}

TEST(RmsNorm, TheRouteFollowsTheLength) {
    const auto is = [](std::uint64_t columns, Element element, Route route, std::uint32_t block,
                       std::uint32_t architecture = 90, std::uint32_t memory_gb_per_s = 3352) {
        lesson::Inputs inputs = with_rows("rms_norm_best_f32", 1, columns);
        inputs.machine.architecture = architecture;
        inputs.machine.memory_gb_per_s = memory_gb_per_s;
        const Choice best = best_route(inputs, element);
        EXPECT_EQ(best.route, route) << columns;
        EXPECT_EQ(best.block, block) << columns;
    };
    is(4, Element::f32, Route::short_rows, 128);
    is(4, Element::f32, Route::warp, 128, 0);      // the emulator
    is(92, Element::f32, Route::short_rows, 128);  // 23 packs, eight lanes
    is(124, Element::f32, Route::short_rows, 128); // 31
    is(128, Element::f32, Route::short_rows, 128);
    is(192, Element::f32, Route::short_rows, 128); // 48, sixteen lanes
    is(196, Element::f32, Route::short_rows, 128);
    is(256, Element::f32, Route::warp, 128);
    is(512, Element::f32, Route::warp, 128);
    is(516, Element::f32, Route::registers, 96);   // 129 packs, two a thread
    is(1, Element::f32, Route::short_anywhere, 128);
    is(207, Element::f32, Route::short_anywhere, 128);
    is(209, Element::f32, Route::anywhere, 32);    // more than sixteen lanes hold
    is(415, Element::f16, Route::short_anywhere, 128);
    is(417, Element::f16, Route::anywhere, 32);
    is(1, Element::f32, Route::warp, 128, 0);      // the emulator
    is(513, Element::f32, Route::anywhere, 32);    // 128 whole packs, four a thread
    is(4096, Element::f32, Route::registers, 512);   // two packs a thread
    is(5000, Element::f32, Route::registers, 320);   // four
    is(16384, Element::f32, Route::registers, 1024);
    is(16388, Element::f32, Route::cluster, 1024);
    is(32764, Element::f32, Route::cluster, 1024);   // does not fill a block's warps
    is(32768, Element::f32, Route::full_row, 1024);
    is(20480, Element::f32, Route::full_row, 640);
    is(32768, Element::f32, Route::read_again, 1024, 80);
    is(32768, Element::f32, Route::two_reads, 1024, 75);
    is(65536, Element::f32, Route::rows_on_demand, 1024);   // fills a cluster's threads
    is(65532, Element::f32, Route::cluster, 1024);
    is(65540, Element::f32, Route::cluster, 1024);
    is(131076, Element::f32, Route::team, 1024);
    is(65540, Element::f32, Route::cluster, 1024, 120);     // less shared memory
    is(1u << 24, Element::f32, Route::two_reads, 1024);     // more than all multiprocessors hold
    is(65536, Element::f32, Route::two_reads, 1024, 0);   // the emulator
    is(65536, Element::f32, Route::two_reads, 1024, 80);
    is(65535, Element::f32, Route::anywhere_cluster, 512);
    is(65535, Element::f32, Route::anywhere_two_reads, 1024, 80);
    is(65535, Element::f32, Route::anywhere_two_reads, 1024, 120);   // less shared memory
    is(131075, Element::f32, Route::anywhere_cluster, 1024);
    is(131077, Element::f32, Route::team, 1024);
    is(65535, Element::f32, Route::two_reads, 1024, 0);
    is(1024, Element::f16, Route::warp, 128);
    is(4096, Element::f16, Route::registers, 256);
    is(8192, Element::bf16, Route::registers, 256);
    is(8191, Element::bf16, Route::anywhere, 256);        // 1023 whole packs
    is(16391, Element::bf16, Route::anywhere, 512);
    is(16399, Element::bf16, Route::anywhere_cluster, 288);   // 2049: more than 512 threads hold
    is(16399, Element::bf16, Route::anywhere_two_reads, 1024, 80);
    is(131079, Element::bf16, Route::anywhere_cluster, 512);
    is(131081, Element::bf16, Route::anywhere_cluster, 544);
    is(65536, Element::f16, Route::rows_on_demand, 1024);
    is(63488, Element::f16, Route::full_row, 992);
    is(65536, Element::f16, Route::read_again, 1024, 80);
    is(131072, Element::f16, Route::cluster, 1024);
    is(262144, Element::f16, Route::cluster, 1024);
    // An H200's memory, 37 GB/s for each multiprocessor.
    is(65536, Element::bf16, Route::rows_on_demand, 1024, 90, 4917);
    is(65544, Element::f16, Route::bulk_copies, 1024, 90, 4917);
    is(65536, Element::f32, Route::rows_on_demand, 1024, 90, 4917);
    is(65532, Element::f32, Route::bulk_copies, 1024, 90, 4917);
    is(262152, Element::f16, Route::team, 1024);
}

// So many rows that teams were timed: 34 MB and more. First on an H200.
TEST(RmsNorm, ManyLongRowsGoToTeams) {
    const auto is = [](std::uint64_t rows, std::uint64_t columns, Element element, Route route) {
        const lesson::Inputs inputs = on_fast_memory("rms_norm_best_f32", rows, columns);
        EXPECT_EQ(best_route(inputs, element).route, route) << rows << " rows of " << columns;
    };
    is(1024, 65540, Element::f32, Route::team);
    is(1024, 49152, Element::f32, Route::bulk_copies);    // fills three quarters of them
    is(1024, 40968, Element::f32, Route::team);
    is(1024, 98312, Element::f32, Route::team);           // as many, of blocks of 1024 threads
    is(1024, 20480, Element::f32, Route::full_row);
    is(1024, 20484, Element::f32, Route::team);
    is(1024, 128256, Element::f32, Route::bulk_copies);   // fills a cluster's threads
    is(1024, 65544, Element::f16, Route::team);
    is(343, 65536, Element::f16, Route::rows_on_demand);    // 90 MB
    is(255, 65536, Element::f16, Route::team);              // 67 MB
    is(1024, 65537, Element::f32, Route::team);
    is(4096, 6147, Element::f32, Route::fitted_anywhere);   // 1536 whole packs
    is(4096, 6149, Element::f32, Route::team);
    is(600, 6149, Element::f32, Route::fitted_anywhere);    // less than 32 MiB
    is(2000, 255, Element::f32, Route::anywhere);           // less than 4 MiB
    is(2100, 255, Element::f32, Route::fitted_anywhere);
    is(1365, 12296, Element::f16, Route::team);             // 67 MB about fill L2
    is(700, 20000, Element::f16, Route::team);              // 56 MB
    is(500, 20000, Element::f16, Route::fitted_cluster);    // 40 MB
    is(600, 7168, Element::f32, Route::fitted_cluster);
    is(1024, 7168, Element::f32, Route::team);              // 59 MB
    is(370, 20000, Element::f16, Route::overlap);           // 30 MB
    is(1675, 5000, Element::f16, Route::fitted);            // 625 packs
    is(1675, 5376, Element::f16, Route::overlap);           // seven eighths of 192 threads
    is(1675, 10000, Element::f16, Route::fitted);
    is(1675, 10000, Element::f32, Route::fitted);
    is(2048, 20000, Element::f16, Route::fitted);           // 164 MB
    is(1024, 100001, Element::f32, Route::team);
    const auto is_on_slower = [](std::uint64_t rows, std::uint64_t columns, Element element, Route route) {
        lesson::Inputs inputs = with_rows("rms_norm_best_f32", rows, columns);
        inputs.machine.architecture = 90;
        EXPECT_EQ(best_route(inputs, element).route, route) << rows << " rows of " << columns << " on slower memory";
    };
    is_on_slower(1024, 32764, Element::f32, Route::cluster);
    is_on_slower(1024, 32772, Element::f32, Route::team);   // 8193 packs
    is_on_slower(1024, 65544, Element::f16, Route::team);
    is_on_slower(1024, 16391, Element::f16, Route::team);   // begin anywhere
    lesson::Inputs without = on_fast_memory("rms_norm_best_f32", 1024, 100004);
    EXPECT_EQ(best_route(without, Element::f32).route, Route::team);
    without.machine.architecture = 120;   // less shared memory
    EXPECT_NE(best_route(without, Element::f32).route, Route::team);
}

// An H200's L2 holds 60 MiB: of 4096 floats, 5760 rows in and out fill it three times.
TEST(RmsNorm, LargeArraysTakeAsManyThreadsAsThereCanBe) {
    const auto plan = [](std::uint64_t rows, std::uint64_t columns, std::uint32_t architecture = 90) {
        lesson::Inputs inputs = with_rows("rms_norm_best_f32", rows, columns);
        inputs.machine.architecture = architecture;
        return best_route(inputs, Element::f32);
    };
    EXPECT_EQ(plan(2880, 4096, 80).route, Route::registers);
    EXPECT_EQ(plan(2881, 4096, 80).route, Route::high_occupancy);
    EXPECT_EQ(plan(2881, 4096, 80).block, 256u);    // four packs a thread
    EXPECT_EQ(plan(2881, 4100, 80).block, 384u);    // the next instance
    EXPECT_EQ(plan(2881, 16384, 80).block, 1024u);
    EXPECT_EQ(plan(2881, 16388, 80).route, Route::read_again);
    EXPECT_EQ(plan(40000, 512, 80).route, Route::warp);   // a warp holds such rows
    EXPECT_EQ(plan(2881, 4096, 75).route, Route::registers);
}

// 132 multiprocessors. 12 warps hold 2304 packs: 131072 need 57 blocks, two teams, which 66 each make even. 64
// rows of 16386 packs: sixteen teams of eight in four turns. One row of 37500 packs: all blocks but one, in whole lines.
TEST(RmsNorm, ATeamTakesTheFewestBlocksAndThoseThatWouldBeIdle) {
    expect_team("rms_norm", "float, true, 12", 64, 524288, {2, 66, 1992, 6, (6 * 1992 + 2008) * 16});
    expect_team("rms_norm", "float, true, 12", 64, 65544, {16, 8, 2056, 5, (5 * 2056 + 2072) * 16});
    expect_team("rms_norm", "__half, false, 12", 1, 300001, {1, 131, 288, 12, (12 * 288 + 304) * 16});
}
TEST(RmsNorm, RowsOfATeamLeaveL2FirstWhereThatIsFaster) { expect_rows_leave_l2_first_where_that_is_faster("rms_norm"); }

// Two words of halves hold three, but where the row begins within one.
TEST(RmsNorm, ShortRowsThatBeginAnywhereTakeAFewLanes) {
    const auto is = expect_launch_on_sm90;
    is("rms_norm_best_f16", 1000, 100, "rms_norm_short_anywhere", "__half, 13, 1", 32, 128, false);   // four lanes
    is("rms_norm_best_f16", 1000, 3, "rms_norm_short_anywhere", "__half, 3, 4", 2, 128, false);
    is("rms_norm_best_f32", 1000, 207, "rms_norm_short_anywhere", "float, 13, 1", 125, 128, false);   // sixteen
}

// 31 MB read and written, and more. Rows of a warp that begin anywhere lie eight apart (of halves). Rows of 2500 are whole
// units of 8 bytes.
TEST(RmsNorm, ManyShortRowsAreHeldByAFewLanes) {
    const auto is = expect_launch_on_sm90;
    is("rms_norm_best_f16", 131073, 64, "rms_norm_few_lanes", "__half, 16, 4, 2, 2, true", 2049, 128, true);
    is("rms_norm_best_f16", 7000, 1280, "rms_norm_few_lanes", "__half, 16, 64, 3, 2, true", 3500, 64, true);
    is("rms_norm_best_f16", 5313, 1600, "rms_norm_few_lanes", "__half, 16, 64, 4, 2, true", 2657, 64, true);
    is("rms_norm_best_f32", 6700, 640, "rms_norm_few_lanes", "float, 16, 32, 5, 2, true", 838, 128, true);
    is("rms_norm_best_f32", 5600, 768, "rms_norm_few_lanes", "float, 16, 96, 2, 2, true", 2800, 96, true);
    is("rms_norm_best_f32", 3320, 1280, "rms_norm_overlap", "float, 128, 4, false", 3320, 128, true);
    lesson::Inputs inputs = with_rows("rms_norm_best_f16", 28001, 301);   // 37 whole packs
    inputs.machine.architecture = 90;
    inputs.offset = 1;   // not as tiles, which begin where a pack does
    EXPECT_EQ(best_route(inputs, Element::f16).route, Route::few_lanes);
    EXPECT_EQ(shape_of_few_lanes(inputs, Element::f16).lanes, 16u);
}

// 34 MB read and written. A row's packs take places of the blocks' threads: the fewest that an instance has for it.
TEST(RmsNorm, ManyLongRowsGoToClustersOfSmallBlocks) {
    const auto is = expect_launch_on_sm90;
    is("rms_norm_best_f16", 592, 14336, "rms_norm_fitted_cluster", "__half, 6, 320, 3, 2", 1184, 160, true);   // 1792 packs
    is("rms_norm_best_bf16", 531, 16000, "rms_norm_fitted_cluster", "__nv_bfloat16, 6, 320, 3, 2", 1062, 192, true);
    is("rms_norm_best_f16", 425, 20000, "rms_norm_fitted_cluster", "__half, 6, 320, 3, 2", 850, 224, true);    // 2500
    is("rms_norm_best_f32", 259, 16384, "rms_norm_fitted_cluster", "float, 8, 256, 3, 4", 1036, 128, true);    // 4096
    is("rms_norm_best_f16", 207, 40960, "rms_norm_fitted_cluster", "__half, 10, 128, 5, 4", 828, 128, true);   // 5120
    is("rms_norm_best_f32", 207, 20480, "rms_norm_fitted_cluster", "float, 10, 128, 5, 4", 828, 128, true);
    is("rms_norm_best_bf16", 345, 24576, "rms_norm_fitted_cluster", "__nv_bfloat16, 6, 256, 4, 4", 1380, 128, true);
    is("rms_norm_best_f16", 188, 45000, "rms_norm_fitted_cluster", "__half, 6, 256, 4, 4", 752, 256, true);      // 5625
    is("rms_norm_best_f32", 188, 22500, "rms_norm_fitted_cluster", "float, 6, 256, 4, 8", 1504, 128, true);
    is("rms_norm_best_f16", 170, 50000, "rms_norm_fitted_cluster", "__half, 5, 256, 4, 8", 1360, 160, true);
    is("rms_norm_best_f16", 148, 57344, "rms_norm_fitted_cluster", "__half, 6, 256, 4, 8", 1184, 160, true);     // 7168
    is("rms_norm_best_bf16", 129, 65536, "rms_norm_fitted_cluster", "__nv_bfloat16, 8, 256, 3, 8", 1032, 128, true);
    is("rms_norm_best_f16", 120, 70000, "rms_norm_team", "__half, true, 12", 4, 864, true);
    lesson::Inputs inputs = with_rows("rms_norm_best_f16", 1390, 12288);   // 1536 packs
    inputs.machine.architecture = 90;
    EXPECT_NE(best_route(inputs, Element::f16).route, Route::fitted_cluster);
    inputs = with_rows("rms_norm_best_f16", 817, 20480);   // 67 MB, on memory where that was not timed
    inputs.machine.architecture = 90;
    EXPECT_NE(best_route(inputs, Element::f16).route, Route::fitted_cluster);
}

// 41 MB read and written. The last row goes alone if their number is odd.
TEST(RmsNorm, ManyLongRowsThatNearlyFillL2GoToClustersByTwo) {
    const auto is = expect_launch_on_sm90;
    is("rms_norm_best_f16", 205, 50000, "rms_norm_two_rows_a_cluster", "__half, 5, 256, 4, 8", 824, 160, true);   // 6250 packs
    is("rms_norm_best_bf16", 178, 57344, "rms_norm_two_rows_a_cluster", "__nv_bfloat16, 5, 256, 4, 8", 712, 192, true);
    is("rms_norm_best_f32", 205, 25000, "rms_norm_two_rows_a_cluster", "float, 5, 256, 4, 8", 824, 160, true);
    is("rms_norm_best_f16", 227, 45000, "rms_norm_fitted_cluster", "__half, 6, 256, 4, 4", 908, 256, true);
    is("rms_norm_best_f16", 156, 65536, "rms_norm_fitted_cluster", "__half, 8, 256, 3, 8", 1248, 128, true);
    is("rms_norm_best_f16", 170, 50000, "rms_norm_fitted_cluster", "__half, 5, 256, 4, 8", 1360, 160, true);   // 34 MB
    EXPECT_EQ(route_of(227, 45056, Element::f16), Route::fitted_cluster);       // 5632 packs
    EXPECT_EQ(route_of(227, 45064, Element::f16), Route::two_rows_a_cluster);
    EXPECT_EQ(route_of(167, 61440, Element::f16), Route::two_rows_a_cluster);   // 7680 packs
    EXPECT_EQ(route_of(167, 61448, Element::f16), Route::fitted_cluster);
    EXPECT_NE(route_of(205, 50001, Element::f16), Route::two_rows_a_cluster);
}

// 31 MB read and written, and more. A thread has whole packs, of as many rows as that takes: eight of an odd number of
// halves.
TEST(RmsNorm, ManyRowsOfAFewColumnsTakeTheKernelOfTheirNumber) {
    const auto is = expect_launch_on_sm90;
    is("rms_norm_best_f16", 2800001, 3, "rms_norm_few_columns", "__half, 3", 2735, 128, true);   // three packs
    is("rms_norm_best_f16", 1700001, 5, "rms_norm_few_columns", "__half, 5", 3321, 64, true);   // five
    is("rms_norm_best_bf16", 944445, 9, "rms_norm_few_columns", "__nv_bfloat16, 9", 1845, 64, true);
    is("rms_norm_best_f16", 340001, 25, "rms_norm_few_columns", "__half, 25", 1329, 32, true);   // 25
    is("rms_norm_best_f16", 708334, 12, "rms_norm_few_columns", "__half, 12", 2767, 128, true);   // two of three
    is("rms_norm_best_f16", 1062501, 8, "rms_norm_few_columns", "__half, 8", 2767, 128, true);   // three rows
    is("rms_norm_best_f16", 531251, 16, "rms_norm_few_columns", "__half, 16", 2767, 64, true);   // three rows, of two
    is("rms_norm_best_f32", 1416667, 3, "rms_norm_few_columns", "float, 3", 2767, 128, true);   // four rows
    is("rms_norm_best_f32", 212501, 20, "rms_norm_few_columns", "float, 20", 3321, 64, true);   // one, of five packs
    is("rms_norm_best_f32", 265626, 16, "rms_norm_few_lanes", "float, 16, 4, 2, 2, true", 4151, 128, true);
    lesson::Inputs inputs = with_rows("rms_norm_best_f16", 944445, 9);
    inputs.machine.architecture = 90;
    inputs.offset = 2;   // a tile begins where a pack does
    EXPECT_NE(best_route(inputs, Element::f16).route, Route::few_columns);
}

// As 653846 rows of 13 halves go, by tiles of 13312 bytes, of which a multiprocessor has ten at most, in one turn; and
// as twice as many do, 20, in two turns of ten.
TEST(RmsNorm, BlocksAskForSharedMemorySoThatTilesComeInFullTurns) {
    lesson::Inputs inputs = with_rows("rms_norm_best_f16", 653846, 13);
    inputs.machine.architecture = 90;
    const auto blocks_at_once = [&](std::uint64_t tiles) {
        const std::uint32_t bytes = shared_bytes_in_turns(inputs, tiles, 13312, 1152, 16) + 1152;
        return (227u << 10) / bytes;
    };
    EXPECT_EQ(blocks_at_once(1278), 10u);
    EXPECT_EQ(blocks_at_once(2555), 10u);
    EXPECT_EQ(blocks_at_once(1), 1u);
}

// 31 MB read and written, and more. As many threads as share a row have up to so many of its whole words each.
TEST(RmsNorm, ManyVeryShortRowsThatBeginAnywhereGoAsTiles) {
    const auto is = expect_launch_on_sm90;
    is("rms_norm_best_bf16", 260001, 33, "rms_norm_row_tile", "__nv_bfloat16, 128, 1, true, 8, 1280", 2032, 128, true);
    is("rms_norm_best_f16", 210001, 41, "rms_norm_row_tile", "__half, 128, 1, true, 8, 1280", 1641, 128, true);
    is("rms_norm_best_f16", 113001, 75, "rms_norm_row_tile", "__half, 64, 2, true, 4, 1536", 1766, 128, true);   // 37 words
    is("rms_norm_best_f16", 100001, 82, "rms_norm_row_tile", "__half, 64, 2, false, 4, 1536", 1563, 128, true);   // 41
    is("rms_norm_best_f16", 81001, 105, "rms_norm_row_tile", "__half, 64, 2, true, 4, 1536", 1266, 128, true);   // 52
    is("rms_norm_best_f16", 70001, 121, "rms_norm_row_tile", "__half, 64, 2, true, 8, 1536", 1094, 128, true);
    is("rms_norm_best_f16", 44041, 193, "rms_norm_row_tile", "__half, 64, 4, true, 4, 1536", 689, 256, true);   // 96
    is("rms_norm_best_f16", 56001, 150, "rms_norm_row_tile", "__half, 32, 3, false, 4, 1536", 1751, 96, true);   // all rows begin with a word
    is("rms_norm_best_f16", 44001, 190, "rms_norm_row_tile", "__half, 32, 4, false, 4, 1536", 1376, 128, true);
    is("rms_norm_best_f32", 130001, 33, "rms_norm_row_tile", "float, 64, 2, false, 4, 2048", 2032, 128, true);
    is("rms_norm_best_f32", 104001, 41, "rms_norm_row_tile", "float, 64, 2, false, 8, 1536", 1626, 128, true);
    is("rms_norm_best_f32", 70001, 65, "rms_norm_row_tile", "float, 32, 3, false, 8, 1536", 2188, 96, true);
    is("rms_norm_best_f32", 40001, 105, "rms_norm_row_tile", "float, 32, 4, false, 8, 1536", 1251, 128, true);
    is("rms_norm_best_f32", 33001, 129, "rms_norm_row_tile", "float, 32, 6, false, 8, 1536", 1032, 192, true);
    lesson::Inputs inputs = with_rows("rms_norm_best_f16", 140001, 59);
    inputs.machine.architecture = 90;
    inputs.offset = 1;   // a tile begins where a pack does
    EXPECT_EQ(best_route(inputs, Element::f16).route, Route::few_lanes);
}

// 31 MB read and written, and more. A lane has each 32nd word; where rows begin within one, each second group of warps
// takes those.
TEST(RmsNorm, ManyRowsOfAFewHundredValuesGoAsTilesThatWarpsHold) {
    const auto is = expect_launch_on_sm90;
    is("rms_norm_best_f16", 36001, 233, "rms_norm_lane_tile", "__half, 4, 1, true, 4, 4, 12", 2251, 128, true);   // 116 words
    is("rms_norm_best_bf16", 28001, 301, "rms_norm_lane_tile", "__nv_bfloat16, 4, 1, true, 5, 4, 10", 1751, 128, true);
    is("rms_norm_best_f16", 20001, 447, "rms_norm_lane_tile", "__half, 4, 1, true, 7, 4, 10", 1251, 128, true);   // 223
    is("rms_norm_best_f16", 17001, 501, "rms_norm_lane_tile", "__half, 4, 1, true, 8, 4, 9", 1063, 128, true);
    is("rms_norm_best_f16", 12001, 701, "rms_norm_lane_tile", "__half, 4, 2, true, 6, 4, 10", 1501, 128, true);
    is("rms_norm_best_bf16", 11001, 801, "rms_norm_lane_tile", "__nv_bfloat16, 4, 2, true, 7, 4, 10", 1376, 128, true);
    is("rms_norm_best_f16", 8701, 1023, "rms_norm_lane_tile", "__half, 4, 2, true, 8, 4, 9", 1088, 128, true);   // 511
    is("rms_norm_best_f16", 6501, 1401, "rms_norm_lane_tile", "__half, 4, 2, true, 11, 4, 8", 813, 128, true);
    is("rms_norm_best_f16", 31001, 270, "rms_norm_lane_tile", "__half, 4, 1, false, 5, 4, 10", 1938, 128, true);   // 135
    is("rms_norm_best_f16", 7301, 1276, "rms_norm_lane_tile", "__half, 4, 2, false, 10, 4, 8", 913, 128, true);   // 638
    is("rms_norm_best_f32", 30001, 141, "rms_norm_lane_tile", "float, 4, 1, false, 5, 4, 12", 1876, 128, true);
    is("rms_norm_best_f32", 20001, 202, "rms_norm_lane_tile", "float, 4, 1, false, 7, 4, 10", 1251, 128, true);
    is("rms_norm_best_f32", 14001, 301, "rms_norm_lane_tile", "float, 4, 1, false, 10, 4, 8", 876, 128, true);
    is("rms_norm_best_f32", 9001, 479, "rms_norm_lane_tile", "float, 4, 1, false, 15, 2, 10", 1126, 128, true);
    is("rms_norm_best_f32", 6101, 703, "rms_norm_lane_tile", "float, 4, 1, false, 22, 2, 7", 763, 128, true);
    lesson::Inputs inputs = with_rows("rms_norm_best_f16", 28001, 302);
    inputs.machine.architecture = 90;
    inputs.offset = 1;   // a tile begins where a pack does
    EXPECT_NE(best_route(inputs, Element::f16).route, Route::lane_tile);
}

// A multiprocessor has 227 KB of shared memory, of which a block takes 1 KB besides.
TEST(RmsNorm, FewTilesThatWarpsHoldAreEvenedOut) {
    const auto blocks_at_once = [](std::uint64_t rows, std::uint64_t columns) {
        lesson::Inputs inputs = with_rows("rms_norm_best_f16", rows, columns);
        inputs.kind = "small";   // made fastest; no value is looked at
        inputs.machine.architecture = 90;
        const launch::LaunchSpec launch = plan_of("rms_norm_best_f16", inputs).launches.front();
        EXPECT_EQ(launch.kernel, "rms_norm_lane_tile");
        return (227u << 10) / (launch.block.dynamic_shared_bytes + 1024);
    };
    EXPECT_EQ(blocks_at_once(9433, 901), 9u);     // 8.9 tiles for each of 132 multiprocessors, registers for 9 blocks
    EXPECT_EQ(blocks_at_once(6067, 1401), 6u);    // 5.8, for 8
    EXPECT_EQ(blocks_at_once(10611, 801), 11u);   // 10.05, for 10, which the registers see to
    EXPECT_EQ(blocks_at_once(12125, 701), 8u);    // 11.5, for 10: 1.4 times as many tiles as blocks
    EXPECT_EQ(blocks_at_once(28239, 301), 10u);   // 13.4, for 10
    EXPECT_EQ(blocks_at_once(36480, 233), 12u);   // 17.3, for 12
}

// Weights, and biases of layer norm, come by two loads a thread, of floats by one.
TEST(RmsNorm, FactorsOfATileComeByOneOrTwoLoadsAThread) {
    for (const Element element : {Element::f32, Element::f16}) {
        for (std::uint64_t columns = 31; columns <= 320; ++columns) {
            lesson::Inputs inputs = with_rows("rms_norm_best_f16", 300001, columns);
            inputs.machine.architecture = 90;
            const RowTileShape shape = row_tile_of_norm(inputs, element);
            if (shape.parts == 0) continue;
            EXPECT_GE(shape.threads() * (element == Element::f32 ? 1 : 2), columns) << shape.numbers();
        }
    }
}

// 34 MB read and written, and more. Groups of threads take two rows that begin at the same place of a pack, and so lie
// eight apart (of halves), or one; where a warp is enough, a block has four groups.
TEST(RmsNorm, ManyRowsThatBeginAnywhereTakeNoMoreWarpsThanTheyNeed) {
    const auto is = expect_launch_on_sm90;
    is("rms_norm_best_f16", 12001, 1501, "rms_norm_fitted_anywhere", "__half, 2, 2, 384, 3, true", 6008, 96, true);   // fills L2
    is("rms_norm_best_f16", 2000, 8191, "rms_norm_fitted_anywhere", "__half, 1, 4, 512, 2, true", 2000, 256, true);   // fills L2
    is("rms_norm_best_f32", 1400, 6001, "rms_norm_fitted_anywhere", "float, 1, 3, 512, 3, true", 1400, 512, true);    // fills L2
    is("rms_norm_best_f16", 1900, 4001, "rms_norm_fitted_anywhere", "__half, 1, 4, 512, 2, false", 1900, 128, true);
    is("rms_norm_best_f16", 1500, 5001, "rms_norm_fitted_anywhere", "__half, 1, 5, 512, 2, false", 1500, 128, true);
    is("rms_norm_best_f16", 600, 13001, "rms_norm_fitted_anywhere", "__half, 1, 4, 512, 3, false", 600, 416, true);   // 1625
    is("rms_norm_best_f16", 550, 14001, "rms_norm_fitted_anywhere", "__half, 1, 4, 512, 3, false", 550, 448, true);
    is("rms_norm_best_bf16", 480, 16001, "rms_norm_fitted_anywhere", "__nv_bfloat16, 1, 4, 512, 3, false", 480, 512, true);
    is("rms_norm_best_f32", 1900, 2001, "rms_norm_fitted_anywhere", "float, 1, 4, 512, 2, false", 1900, 128, true);
}

// 34 MB and more, that L2 holds. Where a block takes two rows, they lie as many apart as a pack has values.
TEST(RmsNorm, ManyRowsThatBeginAnywhereAndL2HoldsFindWeightsInL1) {
    const auto is = expect_launch_on_sm90;
    is("rms_norm_best_f16", 4997, 1701, "rms_norm_weights_in_l1", "__half, 2, 2, 320, 4", 2504, 128, true);
    is("rms_norm_best_f32", 4245, 1001, "rms_norm_weights_in_l1", "float, 2, 2, 320, 4", 2124, 128, true);
    is("rms_norm_best_f16", 2427, 3501, "rms_norm_weights_in_l1", "__half, 1, 4, 512, 3", 2427, 128, true);    // 437 packs
    is("rms_norm_best_bf16", 1888, 4501, "rms_norm_weights_in_l1", "__nv_bfloat16, 1, 6, 320, 4", 1888, 96, true);   // 562
    is("rms_norm_best_f16", 1062, 8001, "rms_norm_weights_in_l1", "__half, 1, 4, 512, 3", 1062, 256, true);
    is("rms_norm_best_f16", 849, 10001, "rms_norm_weights_in_l1", "__half, 1, 6, 320, 4", 849, 224, true);
    is("rms_norm_best_bf16", 640, 16001, "rms_norm_weights_in_l1", "__nv_bfloat16, 1, 4, 512, 3", 640, 512, true);   // 41 MB
    EXPECT_EQ(route_of(5662, 1501, Element::f16), Route::weights_in_l1);
    EXPECT_NE(route_of(1417, 6000, Element::f16), Route::weights_in_l1);
    EXPECT_NE(route_of(518, 16401, Element::f16), Route::weights_in_l1);    // 2050 packs
    EXPECT_NE(route_of(2800, 6001, Element::f16), Route::weights_in_l1);    // 67 MB
    EXPECT_NE(route_of(1200, 6001, Element::f16), Route::weights_in_l1);    // 29 MB
}

TEST(RmsNorm, EveryLengthHasACompiledInstanceWhereRowsAreMany) {
    for (const Route route :
         {Route::few_columns, Route::few_lanes, Route::row_tile, Route::lane_tile, Route::fitted, Route::fitted_anywhere,
          Route::fitted_cluster, Route::two_rows_a_cluster, Route::weights_in_l1}) {
        expect_a_compiled_instance_for_every_length("rms_norm", [&](launch::Plan& plan, const Inputs& inputs, Element element) {
            if (has_room(route, inputs, element, inputs.block)) plan_route(plan, inputs, element, route);
        });
    }
}

// From 1 MB read on, to 6 times the L2 that is read and written: 11520 rows of 4096 floats.
TEST(RmsNorm, LaunchesOverlapWhereThatWasMeasured) {
    const auto is = [](std::uint64_t rows, std::uint64_t columns, Route route, std::uint32_t block, std::uint32_t packs,
                       std::uint32_t offset = 0) {
        lesson::Inputs inputs = with_rows("rms_norm_best_f32", rows, columns);
        inputs.machine.architecture = 90;
        inputs.offset = offset;
        const Choice choice = best_route(inputs, Element::f32);
        EXPECT_EQ(choice.route, route) << rows << " rows of " << columns;
        EXPECT_EQ(choice.block, block) << rows << " rows of " << columns;
        EXPECT_EQ(choice.packs, packs) << rows << " rows of " << columns;
    };
    is(63, 4096, Route::registers, 512, 2);
    is(64, 4096, Route::overlap, 256, 4);
    is(2880, 4096, Route::overlap, 256, 4);
    is(2881, 4096, Route::overlap, 512, 2);    // more than one and a half L2
    is(11520, 4096, Route::overlap, 512, 2);
    is(16384, 4096, Route::overlap, 512, 2);
    is(4096, 512, Route::overlap, 32, 4);      // a warp holds such rows
    is(4096, 516, Route::overlap, 64, 4);
    is(2048, 8192, Route::overlap, 512, 4);
    is(600, 8196, Route::fitted_cluster, 1024, 4);
    is(1024, 8196, Route::team, 1024, 4);
    is(4096, 16384, Route::overlap, 1024, 4);  // on memory that is not fast
    is(64, 16384, Route::overlap, 1024, 4);
    is(64, 16388, Route::cluster, 1024, 4);
    is(64, 4096, Route::anywhere, 256, 4, 1);  // not where a row begins within a pack
}

// 3 MB ahead of what the kernel works on, where rows outgrow L2; never less than the next block.
TEST(RmsNorm, HowFarAheadRowsAreAskedFor) {
    const auto ahead = [](std::uint64_t rows, std::uint64_t columns, Element element, std::uint64_t rows_a_block) {
        return blocks_ahead(with_rows("rms_norm_best_f32", rows, columns), element, rows_a_block);
    };
    EXPECT_EQ(ahead(4096, 8192, Element::f16, 1), 192);
    EXPECT_EQ(ahead(4096, 8192, Element::f32, 1), 96);
    EXPECT_EQ(ahead(65536, 1024, Element::f16, 2), 768);
    EXPECT_EQ(ahead(8, 1 << 21, Element::f32, 1), 1);
    EXPECT_EQ(ahead(2880, 4096, Element::f32, 1), 0);
    EXPECT_EQ(ahead(0, 4096, Element::f32, 1), 0);
}

TEST(RmsNorm, HowLaunchesOverlap) {
    expect_launch_on_sm90("rms_norm_fitted_f16", 850, 20000, "rms_norm_fitted", "__half, 4, 640, 2, true, true, false", 850, 640, true);
    expect_launch_on_sm90("rms_norm_fitted_f32", 259, 16384, "rms_norm_fitted", "float, 4, 1024, 2, false, false, false", 259, 1024,
                          true);
    expect_launch_on_sm90("rms_norm_best_f16", 1025, 1024, "rms_norm_overlap", "__half, 32, 4, false", 513, 64, true);
    lesson::Inputs inputs = with_rows("rms_norm_overlap_f32", 3, 4096);
    inputs.block = 256;
    const auto block = plan_of("rms_norm_overlap_f32", inputs);
    EXPECT_EQ(block.launches.front().arguments, "float, 256, 4, false");
    EXPECT_EQ(block.launches.front().grid.x, 3u);
    EXPECT_FALSE(plan_of("rms_norm_registers_f32", inputs).launches.front().overlaps);
}

TEST(RmsNorm, WhereBlocksOfAClusterShareARow) {
    lesson::Inputs inputs = with_rows("rms_norm_cluster_f32", 3, 65536);
    inputs.block = 1024;
    const auto cluster = plan_of("rms_norm_cluster_f32", inputs);
    EXPECT_EQ(cluster.launches.front().arguments, "float, true, 1, 8, 8");
    EXPECT_EQ(cluster.launches.front().grid.x, 24u);  // three rows, eight blocks each
    const auto copies = plan_of("rms_norm_bulk_copies_f16", inputs);
    EXPECT_EQ(copies.launches.front().arguments, "__half, 256, 4, 8");
    EXPECT_EQ(copies.launches.front().grid.x, 24u);
    EXPECT_EQ(copies.launches.front().cluster_in_turns, 8u);
    EXPECT_EQ(copies.launches.front().block.dynamic_shared_bytes, 5u * 256 * 16);  // a row's share, and one tile more
    // A row that does not begin at a multiple of 16 bytes goes another way.
    inputs.offset = 1;
    EXPECT_EQ(plan_of("rms_norm_cluster_f32", inputs).launches.front().kernel, "rms_norm_two_reads");
    EXPECT_EQ(plan_of("rms_norm_bulk_copies_f16", inputs).launches.front().kernel, "rms_norm_two_reads");
}

// In shared memory: a share of a row; of 16 bits as much as keeps a fourth block out.
TEST(RmsNorm, RowsOnDemandFillACluster) {
    expect_rows_on_demand_fill_a_cluster("rms_norm", "f32", "float", 32 << 10);
    expect_rows_on_demand_fill_a_cluster("rms_norm", "f16", "__half", 60 << 10);
    expect_rows_on_demand_fill_a_cluster("rms_norm", "bf16", "__nv_bfloat16", 60 << 10);
}

TEST(RmsNorm, LongRowsThatBeginAnywhereAreSharedByClusters) {
    const auto is = [](const std::string& variant, std::uint64_t columns, const std::string& arguments,
                       std::uint32_t blocks, std::uint32_t threads, std::uint32_t packs_of_shared_memory) {
        lesson::Inputs inputs = with_rows(variant, 3, columns);
        inputs.machine.architecture = 90;
        const auto launch = plan_of(variant, inputs).launches.front();
        EXPECT_EQ(launch.kernel, "rms_norm_anywhere_cluster") << columns;
        EXPECT_EQ(launch.arguments, arguments) << columns;
        EXPECT_EQ(launch.grid.x, 3 * blocks) << columns;
        EXPECT_EQ(launch.cluster_in_turns, blocks) << columns;
        EXPECT_EQ(launch.block.x, threads) << columns;
        EXPECT_EQ(launch.block.dynamic_shared_bytes, packs_of_shared_memory * threads * 16) << columns;
    };
    is("rms_norm_best_f32", 12289, "float, 4, 2", 2, 384, 9);
    is("rms_norm_best_f32", 32767, "float, 4, 8", 8, 256, 9);
    is("rms_norm_best_f32", 65537, "float, 4, 8", 8, 512, 9);
    is("rms_norm_best_f16", 32767, "__half, 4, 4", 4, 256, 9);
    is("rms_norm_best_bf16", 65537, "__nv_bfloat16, 4, 8", 8, 256, 9);
    is("rms_norm_best_f16", 131071, "__half, 4, 8", 8, 512, 9);
}

TEST(RmsNorm, ABlockThatARouteHasNot) {
    lesson::Inputs inputs = inputs_of("rms_norm_best_f32");
    inputs.block = 256;
    EXPECT_THROW(plan_of("rms_norm_best_f32", inputs), Error);
    inputs = inputs_of("rms_norm_registers_f32");
    inputs.block = 96;
    EXPECT_THROW(plan_of("rms_norm_registers_f32", inputs), Error);
}

}  // namespace
