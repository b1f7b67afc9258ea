// Which kernel takes rows of which length, and how it is launched.
#include "common/base/error.hpp"
#include "common/lesson/rows.testing.hpp"
#include "lessons/13_softmax/launches.hpp"
#include "lessons/13_softmax/routes.hpp"

namespace {

using namespace lanewise;
using namespace lanewise::lesson::testing;
using namespace softmax;

TEST(Softmax, TheRouteFollowsTheLength) {
    const auto is = [](std::uint64_t columns, Element element, Route route, std::uint32_t block,
                       std::uint32_t architecture = 90, std::uint32_t memory_gb_per_s = 3352) {
        lesson::Inputs inputs = with_rows("softmax_best_f32", 1, columns);
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
    is(196, Element::f32, Route::short_rows, 128); // 49
    is(252, Element::f32, Route::short_rows, 128); // 63
    is(256, Element::f32, Route::warp, 128);
    is(1, Element::f32, Route::short_anywhere, 128);
    is(207, Element::f32, Route::short_anywhere, 128);
    is(209, Element::f32, Route::anywhere, 32);    // more than sixteen lanes hold
    is(415, Element::f16, Route::short_anywhere, 128);
    is(417, Element::f16, Route::anywhere, 32);
    is(1024, Element::f32, Route::warp, 128);
    is(1028, Element::f32, Route::registers, 128);
    is(1025, Element::f32, Route::anywhere, 64);      // 256 whole packs, four a thread
    is(4096, Element::f32, Route::registers, 256);
    is(16384, Element::f32, Route::registers, 1024);
    is(32768, Element::f32, Route::split_row, 1024);   // all its room
    is(32772, Element::f32, Route::cluster, 1024);
    is(32768, Element::f32, Route::registers, 1024, 80);
    is(40000, Element::f32, Route::shared, 1024, 0);  // the emulator
    is(8191, Element::f32, Route::anywhere, 512);
    is(8197, Element::f32, Route::anywhere_cluster, 288);     // 2049 whole packs: more than 512 threads hold
    is(40001, Element::f32, Route::anywhere_cluster, 160);
    is(40001, Element::f32, Route::anywhere_two_reads, 1024, 80);
    is(40001, Element::f32, Route::anywhere_two_reads, 1024, 120);   // less shared memory
    is(262147, Element::f32, Route::anywhere_cluster, 1024);
    is(262149, Element::f32, Route::team, 1024);
    is(40001, Element::f32, Route::shared, 1024, 0);
    is(65536, Element::f32, Route::rows_on_demand, 1024);   // fills a cluster's threads
    is(65532, Element::f32, Route::cluster, 1024);
    is(131072, Element::f32, Route::cluster, 1024);
    is(262144, Element::f32, Route::cluster, 1024);
    is(262148, Element::f32, Route::team, 1024);   // more than a cluster holds
    is(262148, Element::f32, Route::two_reads, 1024, 120);    // less shared memory
    is(65536, Element::f32, Route::two_reads, 1024, 80);
    is(1024, Element::f16, Route::warp, 128);
    is(8192, Element::bf16, Route::registers, 256);
    is(57336, Element::f16, Route::split_row, 1024);
    is(65536, Element::f16, Route::rows_on_demand, 1024);
    is(65528, Element::f16, Route::split_row, 1024);
    is(65544, Element::f16, Route::cluster, 1024);
    is(128256, Element::f16, Route::cluster, 1024);
    // An H200's memory, 37 GB/s for each multiprocessor.
    is(65536, Element::f16, Route::rows_on_demand, 1024, 90, 4917);
    is(65528, Element::bf16, Route::split_row, 1024, 90, 4917);
    is(65544, Element::f16, Route::cluster, 1024, 90, 4917);
    is(65536, Element::f32, Route::rows_on_demand, 1024, 90, 4917);
    is(65532, Element::f32, Route::cluster, 1024, 90, 4917);
    is(12289, Element::f16, Route::anywhere, 384);
    is(12297, Element::bf16, Route::anywhere_cluster, 224);   // 1537 whole packs
    is(12297, Element::f16, Route::anywhere, 416, 80);
    is(16399, Element::f16, Route::anywhere_two_reads, 1024, 80);
    is(262151, Element::bf16, Route::anywhere_cluster, 1024);
    is(50257, Element::f16, Route::anywhere_cluster, 800);
    is(65537, Element::f16, Route::anywhere_cluster, 1024);
    is(262144, Element::f16, Route::cluster, 1024);
    is(262153, Element::f16, Route::team, 1024);
    is(65536, Element::f16, Route::shared, 1024, 80);
    is(1u << 20, Element::f16, Route::team, 1024);
    is(2400000, Element::f16, Route::team, 1024);             // 131 blocks
    is(1u << 26, Element::f16, Route::two_reads, 1024);       // more than all multiprocessors hold
}

// So many rows that fitted blocks, teams and clusters on demand were timed: 34 MB and more. First on an H200.
TEST(Softmax, ManyLongRowsAreFittedOrTakenOnDemandOrByTeams) {
    const auto is = [](std::uint64_t rows, std::uint64_t columns, Element element, Route route) {
        const lesson::Inputs inputs = on_fast_memory("softmax_best_f32", rows, columns);
        EXPECT_EQ(best_route(inputs, element).route, route) << rows << " rows of " << columns;
    };
    is(2048, 8192, Element::f16, Route::overlap);
    is(2048, 8200, Element::bf16, Route::fitted_cluster);  // 67 MB
    is(3000, 8200, Element::bf16, Route::fitted);          // 98 MB: more than one and a half times L2
    is(2300, 10744, Element::f16, Route::fitted);          // 1343 packs
    is(2300, 10752, Element::f16, Route::overlap);         // seven eighths of 384 threads
    is(2048, 12288, Element::f16, Route::overlap);
    is(2048, 12296, Element::f16, Route::fitted);
    is(2048, 32768, Element::f16, Route::fitted);
    is(2048, 16384, Element::f32, Route::overlap);
    is(64, 20000, Element::f16, Route::overlap);
    is(1024, 32768, Element::f32, Route::split_row);
    is(256, 32772, Element::f32, Route::fitted_cluster);   // 67 MB
    is(400, 32772, Element::f32, Route::rows_on_demand);
    is(200, 65540, Element::f32, Route::rows_on_demand);   // 105 MB, 16385 packs
    is(130, 65540, Element::f32, Route::team);             // 68 MB
    is(16, 32772, Element::f32, Route::cluster);
    is(697, 24000, Element::f16, Route::fitted_cluster);
    is(512, 32768, Element::f16, Route::fitted_cluster);
    is(1675, 5000, Element::f16, Route::fitted_anywhere);   // 34 MB: keeps exponentials
    is(2200, 5000, Element::f16, Route::fitted);            // 625 packs
    is(2046, 5376, Element::f16, Route::fitted);            // seven eighths of 192 threads, but 44 MB
    is(1890, 5376, Element::f16, Route::overlap);           // 41 MB
    is(4096, 5376, Element::f16, Route::overlap);           // 88 MB
    is(1675, 7200, Element::f16, Route::overlap);
    is(1024, 16384, Element::f16, Route::fitted_cluster);
    is(600, 16392, Element::f16, Route::fitted_cluster);  // 39 MB
    is(470, 16392, Element::f16, Route::overlap);         // less than 31 MB
    is(12000, 255, Element::f32, Route::anywhere);           // less than 24 MiB
    is(16384, 255, Element::f32, Route::few_lanes);          // 63 whole packs
    is(16384, 261, Element::f32, Route::fitted_anywhere);
    is(20000, 417, Element::f32, Route::fitted_anywhere);
    is(16384, 1401, Element::f32, Route::fitted_anywhere);
    is(1365, 12295, Element::f16, Route::fitted_cluster);    // 67 MB
    is(600, 12297, Element::f16, Route::fitted_anywhere);
    is(512, 32775, Element::f16, Route::fitted_cluster);
    is(1024, 32775, Element::f16, Route::fitted_anywhere);   // 4096 whole packs, of 134 MB
    is(1024, 32777, Element::f16, Route::team);
    is(16, 16399, Element::f16, Route::anywhere_cluster);
    is(1024, 65536, Element::f32, Route::cluster);
    is(171, 65536, Element::f32, Route::cluster);            // 90 MB
    is(127, 65536, Element::f32, Route::team);               // 67 MB
    is(1024, 50257, Element::f32, Route::team);
    is(1024, 65536, Element::f16, Route::rows_on_demand);
    is(1024, 65528, Element::f16, Route::split_row);
    is(1024, 65544, Element::f16, Route::team);
    is(1024, 262152, Element::f16, Route::team);
    is(1024, 131000, Element::f32, Route::rows_on_demand);
    const auto is_on_slower = [](std::uint64_t rows, std::uint64_t columns, Element element, Route route) {
        lesson::Inputs inputs = with_rows("softmax_best_f32", rows, columns);
        inputs.machine.architecture = 90;
        EXPECT_EQ(best_route(inputs, element).route, route) << rows << " rows of " << columns << " on slower memory";
    };
    is_on_slower(2048, 16392, Element::f16, Route::fitted);
    is_on_slower(1024, 16392, Element::f16, Route::team);
    is_on_slower(1024, 50000, Element::f16, Route::split_row);
    is_on_slower(255, 32772, Element::f32, Route::cluster);
    is_on_slower(1024, 131080, Element::f16, Route::rows_on_demand);
    is_on_slower(80, 131080, Element::f16, Route::team);    // less than 32 MiB
    is_on_slower(160, 65544, Element::f16, Route::fitted_cluster);   // L2 holds them
    is_on_slower(240, 65544, Element::f16, Route::cluster);
    is_on_slower(1024, 262152, Element::f16, Route::team);
    is_on_slower(2048, 16391, Element::f16, Route::fitted_anywhere);
    lesson::Inputs without = on_fast_memory("softmax_best_f32", 1024, 100004);
    EXPECT_EQ(best_route(without, Element::f32).route, Route::rows_on_demand);
    without.machine.architecture = 120;   // less shared memory
    EXPECT_NE(best_route(without, Element::f32).route, Route::team);
}

// 132 multiprocessors. 12 warps hold 2304 packs: 131072 need 57 blocks, two teams, which 66 each make even. Two blocks of
// 14 warps hold 2688 each: enough for 5000 packs, which begin anywhere in a line. One alone holds 3136.
TEST(Softmax, ATeamTakesTheFewestBlocksAndThoseThatWouldBeIdle) {
    expect_team("softmax", "float, true, 12", 64, 524288, {2, 66, 1992, 7, 7 * 1992 * 16});
    expect_team("softmax", "__half, true, 12", 64, 300000, {7, 18, 2088, 6, 6 * 2088 * 16});
    expect_team("softmax", "__half, false, 12", 300, 50257, {43, 3, 2104, 6, 6 * 2104 * 16});
    expect_team("softmax", "__half, false, 14", 1500, 40001, {66, 2, 2504, 5, 5 * 2504 * 16});
    expect_team("softmax", "__half, false, 14", 746, 22501, {125, 1, 2824, 5, 5 * 2824 * 16});
}
TEST(Softmax, RowsOfATeamLeaveL2FirstWhereThatIsFaster) { expect_rows_leave_l2_first_where_that_is_faster("softmax", 131080); }

// Two words of halves hold three, but where the row begins within one.
TEST(Softmax, ShortRowsThatBeginAnywhereTakeAFewLanes) {
    const auto is = expect_launch_on_sm90;
    is("softmax_best_f16", 1000, 100, "softmax_short_anywhere", "__half, 13, 1", 32, 128, false);   // four lanes
    is("softmax_best_f16", 1000, 3, "softmax_short_anywhere", "__half, 3, 4", 2, 128, false);
    is("softmax_best_f32", 1000, 207, "softmax_short_anywhere", "float, 13, 1", 125, 128, false);   // sixteen
}

// 31 MB read and written, and more. Rows of 65 packs and more only up to one and a half fillings of L2.
TEST(Softmax, ManyShortRowsAreHeldByAFewLanes) {
    const auto is = expect_launch_on_sm90;
    is("softmax_best_f32", 70001, 64, "softmax_few_lanes", "float, 16, 8, 2, 2, true", 2188, 128, true);
    is("softmax_best_f16", 33000, 512, "softmax_few_lanes", "__half, 16, 16, 4, 1, true", 4125, 128, true);
    is("softmax_best_f16", 15000, 512, "softmax_overlap", "__half, 32, 4, false", 7500, 64, true);
    is("softmax_best_f16", 30000, 768, "softmax_few_lanes", "__half, 16, 32, 3, 1, true", 7500, 128, true);
    is("softmax_best_f16", 31000, 768, "softmax_overlap", "__half, 32, 4, true", 15500, 64, true);   // outgrows L2
    is("softmax_best_f16", 20000, 776, "softmax_overlap", "__half, 32, 4, false", 10000, 64, true);   // 97 packs
    is("softmax_best_bf16", 7000, 1280, "softmax_few_lanes", "__nv_bfloat16, 16, 32, 5, 1, true", 1750, 128, true);
    is("softmax_best_f16", 5312, 1600, "softmax_few_lanes", "__half, 16, 32, 8, 1, true", 1328, 128, true);
    // Units of 8 bytes. A warp of two groups of lanes takes four rows.
    is("softmax_best_f16", 68549, 124, "softmax_few_lanes", "__half, 8, 16, 2, 2, true", 4285, 128, true);
    is("softmax_best_f16", 57433, 148, "softmax_few_lanes", "__half, 8, 16, 3, 2, true", 3590, 128, true);
    is("softmax_best_f16", 28335, 300, "softmax_few_lanes", "__half, 8, 32, 3, 2, true", 3542, 128, true);
    // Of rows that begin anywhere, as many warps as make up eight groups of halves, or four of floats, take a lot.
    is("softmax_best_f32", 40001, 105, "softmax_few_lanes", "float, 16, 16, 2, 2, false", 2501, 128, true);
    is("softmax_best_f16", 34001, 250, "softmax_few_lanes", "__half, 16, 16, 2, 1, false", 4251, 128, true);
    is("softmax_best_f16", 21001, 417, "softmax_few_lanes", "__half, 16, 16, 4, 1, false", 2626, 128, true);
}

// 31 MB read and written, and more. A thread has whole packs, of as many rows as that takes: eight of an odd number of
// halves.
TEST(Softmax, ManyRowsOfAFewColumnsTakeTheKernelOfTheirNumber) {
    const auto is = expect_launch_on_sm90;
    is("softmax_best_f16", 2800001, 3, "softmax_few_columns", "__half, 3", 2735, 128, true);   // three packs
    is("softmax_best_f16", 1700001, 5, "softmax_few_columns", "__half, 5", 3321, 64, true);   // five
    is("softmax_best_bf16", 944445, 9, "softmax_few_columns", "__nv_bfloat16, 9", 1845, 64, true);
    is("softmax_best_f32", 340001, 25, "softmax_few_columns", "float, 25", 2657, 32, true);   // 25
    is("softmax_best_f16", 708334, 12, "softmax_few_columns", "__half, 12", 2767, 128, true);   // two of three
    is("softmax_best_f16", 1062501, 8, "softmax_few_columns", "__half, 8", 2767, 128, true);   // three rows
    is("softmax_best_f16", 531251, 16, "softmax_few_columns", "__half, 16", 2767, 64, true);   // three rows, of two
    is("softmax_best_f32", 1416667, 3, "softmax_few_columns", "float, 3", 2767, 128, true);   // four rows
    is("softmax_best_f32", 212501, 20, "softmax_few_columns", "float, 20", 3321, 64, true);   // one, of five packs
    is("softmax_best_f32", 265626, 16, "softmax_few_lanes", "float, 16, 4, 2, 2, true", 4151, 128, true);
    lesson::Inputs inputs = with_rows("softmax_best_f16", 944445, 9);
    inputs.machine.architecture = 90;
    inputs.offset = 2;   // a tile begins where a pack does
    EXPECT_NE(best_route(inputs, Element::f16).route, Route::few_columns);
}

// 31 MB read and written, and more. As many threads as share a row have up to so many of its whole words each.
TEST(Softmax, ManyVeryShortRowsThatBeginAnywhereGoAsTiles) {
    const auto is = expect_launch_on_sm90;
    is("softmax_best_f16", 340001, 25, "softmax_row_tile", "__half, 128, 1, true, 16", 2657, 128, true);
    is("softmax_best_bf16", 260001, 35, "softmax_row_tile", "__nv_bfloat16, 128, 1, true, 20", 2032, 128, true);
    is("softmax_best_f16", 170001, 50, "softmax_row_tile", "__half, 64, 2, false, 16", 2657, 128, true);
    is("softmax_best_f16", 120001, 70, "softmax_row_tile", "__half, 64, 2, false, 20", 1876, 128, true);
    is("softmax_best_f16", 90001, 95, "softmax_row_tile", "__half, 32, 4, true, 12", 2813, 128, true);
    is("softmax_best_f16", 81001, 105, "softmax_row_tile", "__half, 32, 3, true, 20", 2532, 96, true);
    is("softmax_best_f16", 56001, 151, "softmax_row_tile", "__half, 32, 4, true, 20", 1751, 128, true);
    is("softmax_best_f32", 130001, 33, "softmax_row_tile", "float, 64, 2, false, 20", 2032, 128, true);
    is("softmax_best_f32", 100001, 43, "softmax_row_tile", "float, 32, 4, false, 12", 3126, 128, true);
    is("softmax_best_f32", 80001, 59, "softmax_row_tile", "float, 32, 3, false, 20", 2501, 96, true);
    is("softmax_best_f32", 70001, 65, "softmax_row_tile", "float, 32, 4, false, 20", 2188, 128, true);
    is("softmax_best_f32", 47001, 90, "softmax_row_tile", "float, 32, 4, false, 24", 1469, 128, true);
    is("softmax_best_f16", 48001, 177, "softmax_few_lanes", "__half, 16, 16, 2, 2, false", 3001, 128, true);   // 88 words
    lesson::Inputs inputs = with_rows("softmax_best_f16", 170001, 50);
    inputs.machine.architecture = 90;
    inputs.offset = 2;   // a tile begins where a pack does
    EXPECT_EQ(best_route(inputs, Element::f16).route, Route::few_lanes);
}

// 34 and 67 MB read and written. Places for packs are the fewest of all instances: a warp has 32 for each of a thread's, and
// each block of a cluster as many warps.
TEST(Softmax, ManyLongRowsGoToClustersOfSmallBlocks) {
    const auto is = expect_launch_on_sm90;
    is("softmax_best_f16", 830, 10240, "softmax_fitted_cluster", "__half, 4, 320, 4, 2, true, 4", 1660, 160, true);   // 1280 packs
    is("softmax_best_bf16", 708, 12000, "softmax_fitted_cluster", "__nv_bfloat16, 6, 256, 4, 2, true, 6", 1416, 128, true);
    is("softmax_best_f16", 461, 18432, "softmax_fitted_cluster", "__half, 6, 256, 4, 2, true, 6", 922, 192, true);    // 2304
    is("softmax_best_f16", 415, 20480, "softmax_fitted_cluster", "__half, 5, 256, 4, 4, true, 5", 1660, 128, true);
    is("softmax_best_f16", 296, 28672, "softmax_fitted_cluster", "__half, 6, 256, 4, 4, true, 6", 1184, 160, true);
    is("softmax_best_f32", 259, 16384, "softmax_fitted_cluster", "float, 8, 256, 3, 4, true, 8", 1036, 128, true);    // 4096
    is("softmax_best_f16", 207, 40960, "softmax_fitted_cluster", "__half, 5, 128, 8, 8, true, 5", 1656, 128, true);
    is("softmax_best_f16", 170, 50000, "softmax_fitted_cluster", "__half, 7, 128, 8, 8, true, 3", 1360, 128, true);   // 6250
    is("softmax_best_bf16", 66, 128000, "softmax_fitted_cluster", "__nv_bfloat16, 16, 128, 4, 8, true, 8", 528, 128, true);
    is("softmax_best_f16", 118, 72000, "softmax_fitted_cluster", "__half, 9, 128, 7, 8, true, 5", 944, 128, true);    // 9000
    is("softmax_best_f16", 86, 98304, "softmax_fitted_cluster", "__half, 12, 128, 5, 8, true, 6", 688, 128, true);
    is("softmax_best_f16", 104, 98304, "softmax_fitted_cluster", "__half, 12, 128, 6, 8, true, 4", 832, 128, true);   // 41 MB
    is("softmax_best_bf16", 76, 112000, "softmax_fitted_cluster", "__nv_bfloat16, 14, 128, 5, 8, true, 4", 608, 128, true);
    is("softmax_best_f32", 85, 50000, "softmax_fitted_cluster", "float, 16, 128, 3, 8, true, 16", 680, 128, true);    // 12500
    is("softmax_best_f16", 106, 80001, "softmax_fitted_cluster", "__half, 10, 128, 7, 8, false, 2", 848, 128, true);
    is("softmax_best_bf16", 86, 98001, "softmax_fitted_cluster", "__nv_bfloat16, 12, 128, 5, 8, false, 6", 688, 128, true);
    is("softmax_best_f16", 188, 45001, "softmax_fitted_cluster", "__half, 6, 128, 8, 8, false, 5", 1504, 128, true);
    is("softmax_best_f16", 849, 10001, "softmax_fitted_cluster", "__half, 4, 320, 4, 2, false, 4", 1698, 160, true);
    is("softmax_best_f16", 424, 20001, "softmax_fitted_cluster", "__half, 5, 256, 4, 4, false, 5", 1696, 128, true);
    is("softmax_best_f16", 1037, 8192, "softmax_fitted_anywhere", "__half, 4, 512, 2, true, false", 1037, 256, true);   // 1024
    lesson::Inputs inputs = with_rows("softmax_best_f16", 1024, 20480);   // 84 MB, on memory where that was not timed
    inputs.machine.architecture = 90;
    EXPECT_NE(best_route(inputs, Element::f16).route, Route::fitted_cluster);
    inputs = on_fast_memory("softmax_best_f16", 1024, 20480);
    EXPECT_EQ(best_route(inputs, Element::f16).route, Route::fitted_cluster);
    inputs.machine.architecture = 120;   // less shared memory
    EXPECT_NE(best_route(inputs, Element::f16).route, Route::fitted_cluster);
}

// 28 MB read and written, and more. Where a warp is enough for a row, a block takes four.
TEST(Softmax, ManyRowsThatBeginAnywhereTakeNoMoreWarpsThanTheyNeed) {
    const auto is = expect_launch_on_sm90;
    is("softmax_best_f16", 17001, 521, "softmax_fitted_anywhere", "__half, 3, 512, 2, true, false", 4251, 32, true);
    is("softmax_best_f16", 13001, 769, "softmax_fitted_anywhere", "__half, 3, 512, 2, true, false", 3251, 32, true);
    is("softmax_best_f16", 9001, 1001, "softmax_fitted_anywhere", "__half, 4, 512, 2, true, false", 2251, 32, true);
    is("softmax_best_f16", 9001, 1289, "softmax_fitted_anywhere", "__half, 6, 512, 1, true, false", 2251, 32, true);   // 161
    is("softmax_best_f16", 5001, 2001, "softmax_fitted_anywhere", "__half, 8, 512, 1, true, false", 1251, 32, true);
    is("softmax_best_f16", 1700, 5001, "softmax_fitted_anywhere", "__half, 4, 512, 2, true, false", 1700, 160, true);
    is("softmax_best_f16", 700, 10001, "softmax_fitted_anywhere", "__half, 5, 512, 2, true, false", 700, 256, true);
    is("softmax_best_f16", 600, 12001, "softmax_fitted_anywhere", "__half, 4, 512, 2, true, false", 600, 384, true);
    is("softmax_best_f32", 1300, 10001, "softmax_fitted_anywhere", "float, 5, 512, 3, false, false", 1300, 512, true);   // 104 MB
    is("softmax_best_f32", 1300, 10247, "softmax_fitted_anywhere", "float, 8, 512, 2, false, false", 1300, 352, true);
    is("softmax_best_f16", 500, 14001, "softmax_fitted_anywhere", "__half, 8, 256, 3, true, false", 500, 224, true);   // 28 MB
    is("softmax_best_f32", 530, 8001, "softmax_fitted_anywhere", "float, 8, 256, 3, true, false", 530, 256, true);   // 2000
    is("softmax_best_f32", 380, 10001, "softmax_fitted_anywhere", "float, 10, 256, 3, true, false", 380, 256, true);
    is("softmax_best_f32", 310, 12001, "softmax_fitted_anywhere", "float, 8, 384, 2, true, false", 310, 384, true);
    is("softmax_best_f16", 4096, 8191, "softmax_fitted_anywhere", "__half, 4, 512, 2, true, false", 4096, 256, true);   // 134 MB
    is("softmax_best_f16", 2000, 8191, "softmax_fitted_anywhere", "__half, 4, 512, 2, true, true", 2000, 256, true);    // fills L2
}

TEST(Softmax, EveryLengthHasACompiledInstanceWhereRowsAreMany) {
    for (const Route route :
         {Route::few_columns, Route::few_lanes, Route::row_tile, Route::fitted, Route::fitted_anywhere,
          Route::fitted_cluster}) {
        expect_a_compiled_instance_for_every_length("softmax", [&](launch::Plan& plan, const Inputs& inputs, Element element) {
            if (has_room(route, inputs, element, inputs.block)) plan_route(plan, inputs, element, route);
        });
    }
}

// From 1 MB read on. The machine has an L2 of 60 MiB.
TEST(Softmax, LaunchesOverlapWhereThatWasMeasured) {
    const auto is = expect_launch_on_sm90;
    is("softmax_best_f32", 63, 4096, "softmax_registers", "float, 256, 4", 63, 256, false);
    is("softmax_best_f32", 65, 4096, "softmax_overlap", "float, 256, 4, false", 65, 256, true);
    is("softmax_best_f32", 2881, 4096, "softmax_overlap", "float, 512, 2, true", 2881, 512, true);  // one and a half L2
    is("softmax_best_f16", 5763, 4096, "softmax_overlap", "__half, 128, 4, true", 5763, 128, true);
    is("softmax_best_f16", 1025, 1024, "softmax_overlap", "__half, 32, 4, false", 513, 64, true);    // two rows a block
    is("softmax_best_f32", 11520, 4096, "softmax_overlap", "float, 512, 2, true", 11520, 512, true);   // six times L2
    is("softmax_best_f32", 11521, 4096, "softmax_high_occupancy", "float, 256, true", 11521, 256, false);
    is("softmax_best_f32", 5761, 8192, "softmax_high_occupancy", "float, 512, true", 5761, 512, false);
    is("softmax_best_f16", 11520, 8192, "softmax_overlap", "__half, 256, 4, true", 11520, 256, true);
    is("softmax_best_f16", 11521, 8192, "softmax_overlap", "__half, 512, 2, true", 11521, 512, true);
    is("softmax_best_f16", 3320, 2560, "softmax_fitted_anywhere", "__half, 5, 512, 2, true, false", 3320, 64, true);
    is("softmax_best_f16", 4400, 2560, "softmax_fitted", "__half, 5, 352, 4, false, false", 4400, 64, true);
    is("softmax_best_f16", 3666, 3072, "softmax_overlap", "__half, 128, 4, false", 3666, 128, true);
    is("softmax_best_f16", 1395, 12000, "softmax_overlap", "__half, 384, 4, false", 1395, 384, true);   // fills L2
    is("softmax_best_f16", 1200, 14000, "softmax_fitted", "__half, 5, 352, 4, true, false", 1200, 352, true);   // fills L2
    is("softmax_best_f16", 697, 24000, "softmax_team", "__half, true, 14", 1, 992, true);
    is("softmax_best_f16", 838, 20000, "softmax_fitted", "__half, 4, 1024, 2, true, false", 838, 640, true);
    is("softmax_best_f16", 3350, 20000, "softmax_fitted", "__half, 4, 1024, 2, false, true", 3350, 640, true);
    is("softmax_best_bf16", 8, 50000, "softmax_split_row", "__nv_bfloat16, 1024, 2, 6", 8, 1024, true);
    is("softmax_best_bf16", 8, 65536, "softmax_rows_on_demand", "__nv_bfloat16, 256, 4, 8, true", 64, 256, true);
    is("softmax_best_f32", 8, 50000, "softmax_cluster", "float, 8, 8", 64, 224, true);   // 7 of 8 warps' room
}

// In shared memory: a share of a row; of 16 bits as much as keeps a fourth block out.
TEST(Softmax, RowsOnDemandFillACluster) {
    expect_rows_on_demand_fill_a_cluster("softmax", "f32", "float", 32 << 10, ", true");
    expect_rows_on_demand_fill_a_cluster("softmax", "f16", "__half", 60 << 10, ", true");
    expect_rows_on_demand_fill_a_cluster("softmax", "bf16", "__nv_bfloat16", 60 << 10, ", true");
}

// Eight blocks, each warp with room for 128 packs. Rows of whole lines of 128 bytes begin with one; others need up to
// seven places more.
TEST(Softmax, RowsOnDemandThatDoNotFillAClusterTakeTheFewestWarps) {
    const auto is = [](std::uint64_t columns, std::uint32_t threads, std::uint32_t offset = 0) {
        lesson::Inputs inputs = with_rows("softmax_rows_on_demand_f16", 3, columns);
        inputs.block = 1024;
        inputs.offset = offset;
        const launch::LaunchSpec launch = plan_of("softmax_rows_on_demand_f16", inputs).launches.front();
        if (threads == 0) {
            EXPECT_EQ(launch.kernel, "softmax_two_reads") << columns;
            return;
        }
        EXPECT_EQ(launch.arguments, "__half, 1024, 4, 8, false") << columns;
        EXPECT_EQ(launch.block.x, threads) << columns;
        // A share of the row; of 256 threads as much as keeps a fourth block out.
        EXPECT_EQ(launch.block.dynamic_shared_bytes, threads == 256 ? 60u << 10 : threads * 4 * 16) << columns;
    };
    is(65528, 288);        // 8191 packs, and seven places
    is(65472, 256);        // 8184: whole lines
    is(65472, 256, 8);     // all begin a pack past a line: 8191
    is(131072, 512);
    is(262144, 1024);
    is(262152, 0);         // more than eight blocks hold
    is(4088, 0);           // 511 packs
    is(65544, 0, 1);       // begin within a pack
}

TEST(Softmax, LongRowsThatBeginAnywhereAreSharedByClusters) {
    const auto is = [](const std::string& variant, std::uint64_t columns, const std::string& arguments,
                       std::uint32_t blocks, std::uint32_t threads, std::uint32_t packs_of_shared_memory) {
        lesson::Inputs inputs = with_rows(variant, 3, columns);
        inputs.machine.architecture = 90;
        const auto launch = plan_of(variant, inputs).launches.front();
        EXPECT_EQ(launch.kernel, "softmax_anywhere_cluster") << columns;
        EXPECT_EQ(launch.arguments, arguments) << columns;
        EXPECT_EQ(launch.grid.x, 3 * blocks) << columns;
        EXPECT_EQ(launch.cluster_in_turns, blocks) << columns;
        EXPECT_EQ(launch.block.x, threads) << columns;
        EXPECT_EQ(launch.block.dynamic_shared_bytes, packs_of_shared_memory * threads * 16) << columns;
    };
    is("softmax_best_f32", 12289, "float, 4, 2", 2, 384, 5);
    is("softmax_best_f32", 65537, "float, 8, 8", 8, 256, 10);
    is("softmax_best_f16", 16383, "__half, 4, 2", 2, 256, 5);
    is("softmax_best_f16", 65537, "__half, 4, 2", 2, 1024, 5);
    is("softmax_best_f16", 131071, "__half, 4, 4", 4, 1024, 5);
    is("softmax_best_bf16", 131081, "__nv_bfloat16, 4, 8", 8, 544, 5);
}

TEST(Softmax, ABlockThatARouteHasNot) {
    lesson::Inputs inputs = inputs_of("softmax_best_f32");
    inputs.block = 256;
    EXPECT_THROW(plan_of("softmax_best_f32", inputs), Error);
    inputs = inputs_of("attention_f32");
    inputs.block = 64;
    EXPECT_THROW(plan_of("attention_f32", inputs), Error);
}

}  // namespace
