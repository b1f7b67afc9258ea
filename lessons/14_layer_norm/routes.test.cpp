// Which kernel takes rows of which length, and how it is launched.
#include "common/base/error.hpp"
#include "common/lesson/rows.testing.hpp"
#include "lessons/14_layer_norm/launches.hpp"
#include "lessons/14_layer_norm/routes.hpp"

namespace {

using namespace lanewise;
using namespace lanewise::lesson::testing;
using namespace layer_norm;

Route route_of(std::uint64_t rows, std::uint64_t columns, Element element, std::uint32_t architecture = 90) {
    return best_route(on_architecture("layer_norm_best_f16", rows, columns, architecture), element).route;
}

TEST(LayerNorm, TheRouteFollowsTheLength) {
    const auto is = [](std::uint64_t columns, Element element, Route route, std::uint32_t block,
                       std::uint32_t architecture = 90, std::uint32_t memory_gb_per_s = 3352) {
        lesson::Inputs inputs = with_rows("layer_norm_best_f32", 1, columns);
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
    is(516, Element::f32, Route::registers, 64);
    is(1, Element::f32, Route::short_anywhere, 128);
    is(207, Element::f32, Route::short_anywhere, 128);
    is(209, Element::f32, Route::anywhere, 32);    // more than sixteen lanes hold
    is(415, Element::f16, Route::short_anywhere, 128);
    is(417, Element::f16, Route::anywhere, 32);
    is(1, Element::f32, Route::warp, 128, 0);      // the emulator
    is(513, Element::f32, Route::anywhere, 32);    // 128 whole packs, four a thread
    is(4096, Element::f32, Route::registers, 256);
    is(5000, Element::f32, Route::registers, 320);
    is(16384, Element::f32, Route::registers, 1024);
    is(16388, Element::f32, Route::cluster, 1024);
    is(32768, Element::f32, Route::cluster, 1024);
    is(32772, Element::f32, Route::bulk_copies, 1024);
    is(65536, Element::f32, Route::rows_on_demand, 1024);   // fills a cluster's threads
    is(131072, Element::f32, Route::cluster, 1024);
    is(131068, Element::f32, Route::bulk_copies, 1024);
    is(131076, Element::f32, Route::two_reads, 1024, 80);
    is(65536, Element::f32, Route::two_reads, 1024, 0);   // the emulator
    is(65536, Element::f32, Route::two_reads, 1024, 80);
    is(65535, Element::f32, Route::anywhere_cluster, 1024);
    is(65535, Element::f32, Route::anywhere_two_reads, 1024, 80);
    is(65535, Element::f32, Route::anywhere_two_reads, 1024, 120);   // less shared memory
    is(65539, Element::f32, Route::anywhere_cluster, 1024);
    is(65541, Element::f32, Route::team, 1024);               // 16385 whole packs
    is(65541, Element::f32, Route::anywhere_two_reads, 1024, 120);
    is(65540, Element::f32, Route::bulk_copies, 1024);
    is(131072, Element::f32, Route::cluster, 1024);           // fills all of it
    is(131076, Element::f32, Route::team, 1024);
    is(1u << 20, Element::f32, Route::team, 1024);
    is(1u << 24, Element::f32, Route::two_reads, 1024);       // more than all multiprocessors hold
    is(65535, Element::f32, Route::two_reads, 1024, 0);
    is(1024, Element::f16, Route::warp, 128);
    is(4096, Element::f16, Route::registers, 128);
    is(8192, Element::bf16, Route::registers, 256);
    is(8191, Element::bf16, Route::anywhere, 256);        // 1023 whole packs
    is(16391, Element::bf16, Route::anywhere, 512);
    is(16399, Element::bf16, Route::anywhere_cluster, 288);   // 2049: more than 512 threads hold
    is(16399, Element::bf16, Route::anywhere_two_reads, 1024, 80);
    is(65543, Element::bf16, Route::anywhere_cluster, 1024);
    is(65545, Element::bf16, Route::team, 1024);
    is(262153, Element::bf16, Route::team, 1024);
    is(50000, Element::f16, Route::cluster, 1024);
    is(65536, Element::bf16, Route::rows_on_demand, 1024);
    is(131072, Element::f16, Route::cluster, 1024);
    is(262144, Element::f16, Route::cluster, 1024);
    // An H200's memory, 37 GB/s for each multiprocessor.
    is(65536, Element::f16, Route::rows_on_demand, 1024, 90, 4917);
    is(65528, Element::f16, Route::bulk_copies, 1024, 90, 4917);
    is(65536, Element::f32, Route::rows_on_demand, 1024, 90, 4917);
    is(65532, Element::f32, Route::bulk_copies, 1024, 90, 4917);
    is(16384, Element::f32, Route::registers, 1024, 90, 4917);
    is(262152, Element::f16, Route::team, 1024);
    is(262152, Element::f16, Route::two_reads, 1024, 80);
}

// So many rows that fitted blocks and teams were timed: 34 MB and more. First on an H200.
TEST(LayerNorm, ManyLongRowsAreFittedOrGoToTeams) {
    const auto is = [](std::uint64_t rows, std::uint64_t columns, Element element, Route route) {
        const lesson::Inputs inputs = on_fast_memory("layer_norm_best_f32", rows, columns);
        EXPECT_EQ(best_route(inputs, element).route, route) << rows << " rows of " << columns;
    };
    is(1024, 16388, Element::f32, Route::team);
    is(16, 16388, Element::f32, Route::bulk_copies);
    is(1024, 65536, Element::f32, Route::rows_on_demand);
    is(343, 65536, Element::f16, Route::rows_on_demand);    // 90 MB
    is(255, 65536, Element::f16, Route::team);              // 67 MB
    is(1024, 20001, Element::f32, Route::team);
    is(1024, 20001, Element::f16, Route::team);
    is(2000, 255, Element::f32, Route::anywhere);           // less than 4 MiB
    is(2100, 255, Element::f32, Route::fitted_anywhere);
    is(16384, 1401, Element::f32, Route::fitted_anywhere);
    is(4096, 5123, Element::f32, Route::fitted_anywhere);   // 1280 whole packs
    is(4096, 5125, Element::f32, Route::team);
    is(700, 12289, Element::f16, Route::vectors_in_l1);     // 34 MB
    is(600, 6147, Element::f32, Route::fitted_anywhere);    // 1536, but less than 32 MiB
    is(600, 6149, Element::f32, Route::anywhere);
    is(4096, 4096, Element::f16, Route::overlap);
    is(4096, 4104, Element::f16, Route::fitted);
    is(4096, 5368, Element::f16, Route::fitted);     // 671 packs
    is(4096, 5376, Element::f16, Route::overlap);    // seven eighths of 192 threads
    is(2048, 8192, Element::f16, Route::overlap);
    is(2048, 8200, Element::f16, Route::fitted);
    is(2048, 12296, Element::f16, Route::fitted);
    is(4096, 6148, Element::f32, Route::overlap);
    is(2048, 14336, Element::f16, Route::overlap);   // seven eighths of 512 threads
    is(2048, 16384, Element::f16, Route::overlap);
    is(600, 14336, Element::f16, Route::asks_early); // 34 MB
    is(720, 14336, Element::f16, Route::fitted);
    is(600, 7168, Element::f32, Route::vectors_in_l1);
    is(1024, 7168, Element::f32, Route::team);             // 59 MB
    is(1400, 3072, Element::f32, Route::fitted);
    is(1040, 4096, Element::f32, Route::overlap);
    is(2048, 8196, Element::f32, Route::fitted);
    is(1365, 12288, Element::f16, Route::fitted_cluster);   // 67 MB
    is(700, 12296, Element::f16, Route::fitted);     // 34 MB
    is(2048, 20488, Element::f16, Route::fitted);    // 168
    is(512, 16384, Element::f32, Route::team);
    is(2048, 32768, Element::f16, Route::fitted);
    is(1024, 32776, Element::f16, Route::team);
    is(64, 16392, Element::f16, Route::overlap);
    lesson::Inputs slow = with_rows("layer_norm_best_f16", 2048, 16392);
    slow.machine.architecture = 90;
    EXPECT_EQ(best_route(slow, Element::f16).route, Route::fitted);
    lesson::Inputs without = on_fast_memory("layer_norm_best_f32", 1024, 100004);
    EXPECT_EQ(best_route(without, Element::f32).route, Route::team);
    without.machine.architecture = 120;   // less shared memory
    EXPECT_NE(best_route(without, Element::f32).route, Route::team);
}

// 132 multiprocessors. 131072 packs need 56 blocks of 2360: two teams, which 66 each make even. 64 rows of 16386 packs:
// sixteen teams of eight in four turns. 14 warps hold 2832: one such block is enough for 2500.
TEST(LayerNorm, ATeamTakesTheFewestBlocksAndThoseThatWouldBeIdle) {
    expect_team("layer_norm", "float, true, 12", 64, 524288, {2, 66, 1992, 5, (5 * 1992 + 2 * 2008) * 16});
    expect_team("layer_norm", "float, true, 12", 64, 65544, {16, 8, 2056, 4, (4 * 2056 + 2 * 2072) * 16});
    expect_team("layer_norm", "float, false, 12", 1, 65541, {1, 129, 128, 12, (12 * 128 + 2 * 144) * 16});
    expect_team("layer_norm", "__half, true, 12", 3, 1 << 20, {2, 66, 1992, 5, (5 * 1992 + 2 * 2008) * 16});
    // One of 14 warps holds such a row, and three rows.
    expect_team("layer_norm", "__half, false, 14", 1500, 20001, {125, 1, 2512, 3, (3 * 2512 + 2 * 2528) * 16});
    expect_team("layer_norm", "__half, false, 12", 64, 300001, {8, 16, 2352, 4, (4 * 2352 + 2 * 2368) * 16});
    expect_team("layer_norm", "__half, true, 12", 110, 151936, {14, 9, 2112, 4, (4 * 2112 + 2 * 2128) * 16});
}
TEST(LayerNorm, RowsOfATeamLeaveL2FirstWhereThatIsFaster) { expect_rows_leave_l2_first_where_that_is_faster("layer_norm"); }

// Two words of halves hold three, but where the row begins within one.
TEST(LayerNorm, ShortRowsThatBeginAnywhereTakeAFewLanes) {
    const auto is = expect_launch_on_sm90;
    is("layer_norm_best_f16", 1000, 100, "layer_norm_short_anywhere", "__half, 13, 1", 32, 128, false);   // four lanes
    is("layer_norm_best_f16", 1000, 3, "layer_norm_short_anywhere", "__half, 3, 4", 2, 128, false);
    is("layer_norm_best_f32", 1000, 7, "layer_norm_short_anywhere", "float, 7, 1", 8, 128, false);
    is("layer_norm_best_f32", 1000, 5, "layer_norm_short_anywhere", "float, 5, 2", 4, 128, false);
    is("layer_norm_best_f32", 1000, 207, "layer_norm_short_anywhere", "float, 13, 1", 125, 128, false);   // sixteen
}

// 31 MB read and written, and more. Rows of a warp that begin anywhere lie eight apart (of halves).
TEST(LayerNorm, ManyShortRowsAreHeldByAFewLanes) {
    const auto is = expect_launch_on_sm90;
    is("layer_norm_best_f16", 131073, 64, "layer_norm_few_lanes", "__half, 16, 4, 2, 2, true", 2049, 128, true);
    is("layer_norm_best_f16", 16500, 512, "layer_norm_few_lanes", "__half, 16, 32, 2, 2, true", 2063, 128, true);
    is("layer_norm_best_f16", 15000, 512, "layer_norm_overlap", "__half, 32, 4, false", 7500, 64, true);
    is("layer_norm_best_f16", 7000, 1280, "layer_norm_few_lanes", "__half, 16, 64, 3, 2, true", 3500, 64, true);
    is("layer_norm_best_f32", 28001, 150, "layer_norm_few_lanes", "float, 8, 32, 3, 2, true", 3501, 128, true);   // units of 8
    is("layer_norm_best_f32", 6700, 640, "layer_norm_few_lanes", "float, 16, 32, 5, 2, true", 838, 128, true);
    is("layer_norm_best_f32", 5600, 768, "layer_norm_few_lanes", "float, 16, 96, 2, 2, true", 2800, 96, true);
    is("layer_norm_best_f32", 4800, 896, "layer_norm_few_lanes", "float, 16, 64, 4, 2, true", 2400, 64, true);
    is("layer_norm_best_f32", 4200, 1024, "layer_norm_overlap", "float, 64, 4, false", 4200, 64, true);
    is("layer_norm_best_f32", 3320, 1280, "layer_norm_few_lanes", "float, 16, 160, 2, 2, true", 1660, 160, true);
    is("layer_norm_best_f32", 2770, 1536, "layer_norm_few_lanes", "float, 16, 128, 3, 2, true", 1385, 128, true);
    is("layer_norm_best_f16", 7001, 1301, "layer_norm_few_lanes", "__half, 16, 96, 2, 2, false", 3504, 96, true);
}

// 34 MB read and written. Four packs a thread, as few warps as that takes.
TEST(LayerNorm, WeightsAndBiasesOfRowsThatL2HoldsAreAskedForEarly) {
    const auto is = expect_launch_on_sm90;
    is("layer_norm_best_f16", 1700, 5000, "layer_norm_asks_early", "__half, 4, 512, 2", 1700, 160, true);   // 625 packs
    is("layer_norm_best_f16", 1037, 8192, "layer_norm_asks_early", "__half, 4, 512, 2", 1037, 256, true);
    is("layer_norm_best_bf16", 830, 10240, "layer_norm_asks_early", "__nv_bfloat16, 4, 512, 2", 830, 320, true);
    is("layer_norm_best_f16", 593, 14336, "layer_norm_asks_early", "__half, 4, 512, 2", 593, 448, true);
    is("layer_norm_best_f16", 566, 15000, "layer_norm_asks_early", "__half, 4, 512, 2", 566, 480, true);   // 1875
    lesson::Inputs inputs = with_rows("layer_norm_best_f16", 653, 13000);
    inputs.machine.architecture = 90;
    EXPECT_EQ(best_route(inputs, Element::f16).route, Route::fitted);   // was faster
    inputs = with_rows("layer_norm_best_f16", 1250, 8192);
    inputs.machine.architecture = 90;
    EXPECT_EQ(best_route(inputs, Element::f16).route, Route::vectors_in_l1);   // 41 MB
}

// A row's packs take places of the blocks' threads: the fewest that an instance has for it.
TEST(LayerNorm, ManyLongRowsGoToClustersOfSmallBlocks) {
    const auto is = expect_launch_on_sm90;
    is("layer_norm_best_f16", 531, 16000, "layer_norm_fitted_cluster", "__half, 4, 512, 2, 2, true", 1062, 256, true);   // 34 MB
    is("layer_norm_best_f32", 295, 14336, "layer_norm_fitted_cluster", "float, 8, 224, 5, 2, false", 590, 224, true);   // 3584
    is("layer_norm_best_bf16", 461, 18432, "layer_norm_fitted_cluster", "__nv_bfloat16, 8, 224, 5, 2, false", 922, 160, true);
    is("layer_norm_best_f16", 259, 32768, "layer_norm_fitted_cluster", "__half, 8, 256, 4, 2, false", 518, 256, true);
    is("layer_norm_best_f16", 207, 40960, "layer_norm_fitted_cluster", "__half, 8, 224, 5, 4, false", 828, 160, true);
    is("layer_norm_best_f16", 250, 40960, "layer_norm_fitted_cluster", "__half, 4, 384, 4, 4, false", 1000, 320, true);   // 41 MB
    const auto is_on_fast = [](std::uint64_t rows, std::uint64_t columns, Element element, std::uint32_t packs,
                               std::uint32_t blocks) {
        lesson::Inputs inputs = on_fast_memory("layer_norm_best_f16", rows, columns);
        EXPECT_EQ(best_route(inputs, element).route, Route::fitted_cluster) << rows << " rows of " << columns;
        const LayerNormCluster cluster = cluster_of_small_blocks(inputs, element);
        EXPECT_EQ(cluster.shape.packs, packs) << columns;
        EXPECT_EQ(cluster.shape.cluster, blocks) << columns;
        EXPECT_TRUE(cluster.asks_early) << columns;
    };
    is_on_fast(1395, 12000, Element::f16, 4, 2);   // 67 MB
    is_on_fast(817, 20480, Element::f16, 5, 2);
    is_on_fast(545, 30720, Element::f16, 5, 4);
    is_on_fast(409, 40960, Element::f16, 5, 4);
    EXPECT_NE(best_route(on_fast_memory("layer_norm_best_f16", 817, 10240), Element::f16).route, Route::fitted_cluster);
}

// 34 and 41 MB read and written.
TEST(LayerNorm, FittedHalvesThatL2HoldsHaveInstancesOfTheirOwn) {
    const auto is = expect_launch_on_sm90;
    is("layer_norm_fitted_f16", 772, 11000, "layer_norm_fitted", "__half, 4, 512, 3, false, false", 772, 352, true);
    is("layer_norm_fitted_f16", 850, 12288, "layer_norm_fitted", "__half, 6, 256, 4, false, false", 850, 256, true);   // whole warps
    is("layer_norm_best_f16", 714, 14336, "layer_norm_fitted", "__half, 7, 512, 2, false, false", 714, 256, true);
    is("layer_norm_best_bf16", 683, 15000, "layer_norm_fitted", "__nv_bfloat16, 8, 512, 2, false, false", 683, 256, true);
    is("layer_norm_fitted_f16", 640, 16000, "layer_norm_fitted", "__half, 4, 512, 3, false, false", 640, 512, true);
    is("layer_norm_fitted_f16", 625, 16384, "layer_norm_fitted", "__half, 8, 512, 2, false, false", 625, 256, true);
}

// 31 MB read and written, and more. A thread has whole packs, of as many rows as that takes: eight of an odd number of
// halves.
TEST(LayerNorm, ManyRowsOfAFewColumnsTakeTheKernelOfTheirNumber) {
    const auto is = expect_launch_on_sm90;
    is("layer_norm_best_f16", 2800001, 3, "layer_norm_few_columns", "__half, 3", 2735, 128, true);   // three packs
    is("layer_norm_best_f16", 1700001, 5, "layer_norm_few_columns", "__half, 5", 3321, 64, true);   // five
    is("layer_norm_best_bf16", 944445, 9, "layer_norm_few_columns", "__nv_bfloat16, 9", 1845, 64, true);
    is("layer_norm_best_f16", 340001, 25, "layer_norm_few_columns", "__half, 25", 1329, 32, true);   // 25
    is("layer_norm_best_f16", 708334, 12, "layer_norm_few_columns", "__half, 12", 2767, 128, true);   // two of three
    is("layer_norm_best_f16", 1062501, 8, "layer_norm_few_columns", "__half, 8", 2767, 128, true);   // three rows
    is("layer_norm_best_f16", 531251, 16, "layer_norm_few_columns", "__half, 16", 2767, 64, true);   // three
    is("layer_norm_best_f32", 1416667, 3, "layer_norm_few_columns", "float, 3", 2767, 128, true);   // four rows
    is("layer_norm_best_f32", 212501, 20, "layer_norm_few_columns", "float, 20", 3321, 64, true);   // one
    is("layer_norm_best_f32", 265626, 16, "layer_norm_few_lanes", "float, 16, 4, 2, 2, true", 4151, 128, true);
    lesson::Inputs inputs = with_rows("layer_norm_best_f16", 944445, 9);
    inputs.machine.architecture = 90;
    inputs.offset = 2;   // a tile begins where a pack does
    EXPECT_NE(best_route(inputs, Element::f16).route, Route::few_columns);
}

// 31 MB read and written, and more. As many threads as share a row have up to so many of its whole words each.
TEST(LayerNorm, ManyVeryShortRowsThatBeginAnywhereGoAsTiles) {
    const auto is = expect_launch_on_sm90;
    is("layer_norm_best_f16", 300001, 31, "layer_norm_row_tile", "__half, 128, 1, true, 8, 1280", 2344, 128, true);
    is("layer_norm_best_bf16", 260001, 33, "layer_norm_row_tile", "__nv_bfloat16, 128, 1, true, 8, 1280", 2032, 128, true);
    is("layer_norm_best_f16", 210001, 41, "layer_norm_row_tile", "__half, 128, 1, true, 8, 1280", 1641, 128, true);
    is("layer_norm_best_f16", 113001, 75, "layer_norm_row_tile", "__half, 64, 2, true, 4, 1536", 1766, 128, true);   // 37 words
    is("layer_norm_best_f16", 100001, 82, "layer_norm_row_tile", "__half, 64, 2, false, 4, 1536", 1563, 128, true);   // 41
    is("layer_norm_best_f16", 81001, 105, "layer_norm_row_tile", "__half, 64, 2, true, 4, 1536", 1266, 128, true);   // 52
    is("layer_norm_best_f16", 70001, 121, "layer_norm_row_tile", "__half, 64, 2, true, 8, 1536", 1094, 128, true);
    is("layer_norm_best_f16", 44041, 193, "layer_norm_row_tile", "__half, 64, 4, true, 4, 1536", 689, 256, true);   // 96
    is("layer_norm_best_f16", 39001, 217, "layer_norm_row_tile", "__half, 64, 4, true, 4, 1536", 610, 256, true);
    is("layer_norm_best_f16", 56001, 150, "layer_norm_row_tile", "__half, 32, 3, false, 4, 1536", 1751, 96, true);   // all rows begin with a word
    is("layer_norm_best_f16", 44001, 190, "layer_norm_row_tile", "__half, 32, 4, false, 4, 1536", 1376, 128, true);
    is("layer_norm_best_f16", 36001, 238, "layer_norm_row_tile", "__half, 32, 4, false, 4, 1536", 1126, 128, true);
    is("layer_norm_best_f32", 130001, 33, "layer_norm_row_tile", "float, 64, 2, false, 4, 2048", 2032, 128, true);
    is("layer_norm_best_f32", 104001, 41, "layer_norm_row_tile", "float, 64, 2, false, 8, 1536", 1626, 128, true);
    is("layer_norm_best_f32", 70001, 65, "layer_norm_row_tile", "float, 32, 3, false, 8, 1536", 2188, 96, true);
    is("layer_norm_best_f32", 40001, 105, "layer_norm_row_tile", "float, 32, 4, false, 8, 1536", 1251, 128, true);
    is("layer_norm_best_f32", 33001, 129, "layer_norm_row_tile", "float, 32, 6, false, 8, 1536", 1032, 192, true);
    lesson::Inputs inputs = with_rows("layer_norm_best_f16", 140001, 59);
    inputs.machine.architecture = 90;
    inputs.offset = 1;   // a tile begins where a pack does
    EXPECT_EQ(best_route(inputs, Element::f16).route, Route::few_lanes);
}

// 31 MB read and written, and more. A lane has each 32nd word; where rows begin within one, each second group
// of warps takes those.
TEST(LayerNorm, ManyRowsOfAFewHundredValuesGoAsTilesThatWarpsHold) {
    const auto is = expect_launch_on_sm90;
    is("layer_norm_best_f16", 36001, 233, "layer_norm_lane_tile", "__half, 4, 1, true, 4, 4, 10", 2251, 128, true);   // 116 words
    is("layer_norm_best_bf16", 28001, 301, "layer_norm_lane_tile", "__nv_bfloat16, 4, 1, true, 5, 4, 9", 1751, 128, true);
    is("layer_norm_best_f16", 20001, 447, "layer_norm_lane_tile", "__half, 4, 1, true, 7, 4, 9", 1251, 128, true);    // 223
    is("layer_norm_best_f16", 12001, 701, "layer_norm_lane_tile", "__half, 4, 1, true, 11, 4, 6", 751, 128, true);
    is("layer_norm_best_f32", 9001, 479, "layer_norm_lane_tile", "float, 4, 1, false, 15, 2, 9", 1126, 128, true);
    is("layer_norm_best_f16", 11001, 801, "layer_norm_lane_tile", "__half, 4, 2, true, 7, 4, 9", 1376, 128, true);
    is("layer_norm_best_f16", 8701, 1023, "layer_norm_lane_tile", "__half, 4, 2, true, 8, 4, 8", 1088, 128, true);   // 511
    is("layer_norm_best_f16", 9001, 951, "layer_norm_lane_tile", "__half, 4, 1, true, 15, 2, 9", 1126, 128, true);
    is("layer_norm_best_f16", 28001, 302, "layer_norm_lane_tile", "__half, 4, 1, false, 5, 4, 9", 1751, 128, true);   // 151
    is("layer_norm_best_f16", 21001, 404, "layer_norm_lane_tile", "__half, 4, 1, false, 7, 4, 9", 1313, 128, true);
    is("layer_norm_best_bf16", 14001, 602, "layer_norm_lane_tile", "__nv_bfloat16, 4, 1, false, 10, 2, 10", 1751, 128, true);
    is("layer_norm_best_f16", 7301, 1276, "layer_norm_lane_tile", "__half, 4, 2, false, 10, 4, 7", 913, 128, true);   // 638
    is("layer_norm_best_f32", 23001, 185, "layer_norm_lane_tile", "float, 4, 1, false, 6, 4, 9", 1438, 128, true);
    is("layer_norm_best_f32", 14001, 301, "layer_norm_lane_tile", "float, 4, 1, false, 10, 2, 10", 1751, 128, true);
    is("layer_norm_best_f32", 6101, 703, "layer_norm_lane_tile", "float, 8, 1, false, 22, 1, 6", 763, 256, true);
    is("layer_norm_best_f16", 6001, 1502, "layer_norm_lane_tile", "__half, 4, 2, false, 12, 4, 6", 751, 128, true);   // 751
    lesson::Inputs inputs = with_rows("layer_norm_best_f16", 28001, 302);
    inputs.machine.architecture = 90;
    inputs.offset = 1;   // a tile begins where a pack does
    EXPECT_NE(best_route(inputs, Element::f16).route, Route::lane_tile);
}

// A multiprocessor has 227 KB of shared memory, of which a block takes 1 KB besides.
TEST(LayerNorm, FewTilesThatWarpsHoldAreEvenedOut) {
    const auto blocks_at_once = [](std::uint64_t rows, std::uint64_t columns) {
        lesson::Inputs inputs = with_rows("layer_norm_best_f16", rows, columns);
        inputs.kind = "small";   // made fastest; no value is looked at
        inputs.machine.architecture = 90;
        const launch::LaunchSpec launch = plan_of("layer_norm_best_f16", inputs).launches.front();
        EXPECT_EQ(launch.kernel, "layer_norm_lane_tile");
        return (227u << 10) / (launch.block.dynamic_shared_bytes + 1024);
    };
    EXPECT_EQ(blocks_at_once(12125, 701), 6u);    // 5.7 tiles for each of 132 multiprocessors, registers for 6 blocks
    EXPECT_EQ(blocks_at_once(14782, 575), 7u);    // 7.0, for 8
    EXPECT_EQ(blocks_at_once(21197, 401), 7u);    // 10.04, for 9: 1.4 times as many tiles as blocks
    EXPECT_EQ(blocks_at_once(8594, 989), 7u);     // 8.1, for 8, of which seven run where not all tiles go at once
    EXPECT_EQ(blocks_at_once(17819, 477), 8u);    // 8.4, for 8: six would be too few
    EXPECT_EQ(blocks_at_once(28239, 301), 9u);    // 13.4, for 9
    EXPECT_EQ(blocks_at_once(13056, 651), 6u);    // 6.2, for 6
    EXPECT_EQ(blocks_at_once(8483, 1002), 7u);    // 8.03, for 8, as above
    EXPECT_EQ(blocks_at_once(55647, 301), 9u);    // 26.3, for 9
}

// 34 MB read and written, and more. Groups of threads take two rows that begin at the same place of a pack, and so lie
// eight apart (of halves), or one; where a warp is enough, a block has four groups.
TEST(LayerNorm, ManyRowsThatBeginAnywhereTakeNoMoreWarpsThanTheyNeed) {
    const auto is = expect_launch_on_sm90;
    is("layer_norm_best_f16", 11001, 1401, "layer_norm_fitted_anywhere", "__half, 2, 3, 512, 2, true", 5504, 64, true);
    is("layer_norm_best_f16", 2000, 8191, "layer_norm_fitted_anywhere", "__half, 1, 4, 640, 2, true", 2000, 256, true);
    is("layer_norm_best_f32", 600, 6001, "layer_norm_fitted_anywhere", "float, 1, 4, 640, 2, false", 600, 384, true);
    is("layer_norm_best_f16", 11001, 1251, "layer_norm_fitted_anywhere", "__half, 1, 5, 512, 2, true", 2751, 32, true);
}

// 34 MB and more. Where rows begin anywhere, a block takes two that lie eight apart, as long as they have room.
TEST(LayerNorm, ManyRowsThatL2HoldsFindVectorsInL1) {
    const auto is = expect_launch_on_sm90;
    is("layer_norm_best_f16", 2832, 3001, "layer_norm_vectors_in_l1", "__half, 2, 3, 384, 3, false", 1416, 128, true);
    is("layer_norm_best_bf16", 1214, 7001, "layer_norm_vectors_in_l1", "__nv_bfloat16, 2, 3, 384, 3, false", 608, 320, true);
    is("layer_norm_best_f16", 944, 9001, "layer_norm_vectors_in_l1", "__half, 2, 3, 384, 3, false", 472, 384, true);   // 1125
    is("layer_norm_best_f16", 772, 11001, "layer_norm_vectors_in_l1", "__half, 1, 4, 512, 3, false", 772, 352, true);
    is("layer_norm_best_f16", 944, 9000, "layer_norm_vectors_in_l1", "__half, 1, 4, 512, 3, true", 944, 288, true);
    is("layer_norm_best_f16", 1464, 7000, "layer_norm_vectors_in_l1", "__half, 1, 4, 512, 3, true", 1464, 224, true);   // 41 MB
    is("layer_norm_best_f16", 1025, 10240, "layer_norm_vectors_in_l1", "__half, 1, 4, 512, 3, true", 1025, 320, true);
    is("layer_norm_best_bf16", 1281, 8000, "layer_norm_vectors_in_l1", "__nv_bfloat16, 1, 4, 512, 3, true", 1281, 256, true);
    is("layer_norm_best_f32", 850, 5000, "layer_norm_vectors_in_l1", "float, 1, 5, 320, 4, true", 850, 256, true);
    is("layer_norm_best_f32", 708, 6000, "layer_norm_vectors_in_l1", "float, 1, 5, 320, 4, true", 708, 320, true);
    is("layer_norm_best_f32", 531, 8000, "layer_norm_vectors_in_l1", "float, 1, 4, 512, 3, true", 531, 512, true);   // 2000
    is("layer_norm_best_f32", 519, 8192, "layer_norm_vectors_in_l1", "float, 1, 8, 384, 3, true", 519, 256, true);
    is("layer_norm_best_f32", 472, 9000, "layer_norm_vectors_in_l1", "float, 1, 5, 512, 3, true", 472, 480, true);   // 2250
    is("layer_norm_best_f32", 834, 6144, "layer_norm_vectors_in_l1", "float, 1, 6, 320, 4, true", 834, 256, true);   // 41 MB
    is("layer_norm_best_f32", 500, 10240, "layer_norm_vectors_in_l1", "float, 1, 5, 512, 3, true", 500, 512, true);
    is("layer_norm_best_f32", 417, 12288, "layer_norm_vectors_in_l1", "float, 1, 8, 384, 3, true", 417, 384, true);
    is("layer_norm_best_f32", 2123, 2001, "layer_norm_vectors_in_l1", "float, 2, 3, 384, 3, false", 1064, 192, true);
    is("layer_norm_best_f32", 1416, 3001, "layer_norm_vectors_in_l1", "float, 2, 4, 512, 2, false", 708, 192, true);
    is("layer_norm_best_f32", 708, 6001, "layer_norm_vectors_in_l1", "float, 1, 4, 512, 3, false", 708, 384, true);
    is("layer_norm_best_f32", 1707, 3001, "layer_norm_vectors_in_l1", "float, 2, 5, 256, 4, false", 856, 160, true);   // 41 MB
    is("layer_norm_best_f32", 1024, 5001, "layer_norm_vectors_in_l1", "float, 2, 5, 256, 4, false", 512, 256, true);   // 1250
    EXPECT_EQ(route_of(5662, 1501, Element::f16), Route::vectors_in_l1);
    EXPECT_NE(route_of(2833, 3000, Element::f16), Route::vectors_in_l1);
    EXPECT_EQ(route_of(3416, 3000, Element::f16), Route::vectors_in_l1);    // 41 MB
    EXPECT_NE(route_of(653, 13000, Element::f16), Route::vectors_in_l1);
    EXPECT_EQ(route_of(788, 13000, Element::f16), Route::vectors_in_l1);    // 41 MB
    EXPECT_NE(route_of(3540, 1201, Element::f32), Route::vectors_in_l1);
    EXPECT_NE(route_of(1040, 4096, Element::f32), Route::vectors_in_l1);
    EXPECT_EQ(route_of(1250, 4096, Element::f32), Route::vectors_in_l1);    // 41 MB
    EXPECT_NE(route_of(345, 12288, Element::f32), Route::vectors_in_l1);
    EXPECT_NE(route_of(416, 12292, Element::f32), Route::vectors_in_l1);    // 41 MB, by clusters
    EXPECT_NE(route_of(5581, 3001, Element::f16), Route::vectors_in_l1);    // 67 MB
    EXPECT_NE(route_of(900, 3001, Element::f16), Route::vectors_in_l1);     // 11 MB
}

// 34 MB and more. A cluster takes two rows, the last one alone if their number is odd, or one. The two follow each other, or,
// where rows begin anywhere, lie four apart.
TEST(LayerNorm, ManyLongRowsThatL2HoldsFindVectorsInL1OfClusters) {
    const auto is = expect_launch_on_sm90;
    const std::string kernel = "layer_norm_vectors_in_l1_cluster";
    is("layer_norm_best_f16", 500, 20480, kernel, "__half, 2, 5, 256, 4, 2, true", 500, 256, true);
    is("layer_norm_best_bf16", 625, 16392, kernel, "__nv_bfloat16, 2, 5, 256, 4, 2, true", 626, 224, true);
    is("layer_norm_best_f16", 417, 24576, kernel, "__half, 2, 4, 256, 4, 4, true", 836, 192, true);
    is("layer_norm_best_bf16", 312, 32768, kernel, "__nv_bfloat16, 2, 4, 256, 4, 4, true", 624, 256, true);
    is("layer_norm_best_f32", 357, 14336, kernel, "float, 1, 8, 256, 4, 2, true", 714, 224, true);
    is("layer_norm_best_f32", 278, 18432, kernel, "float, 1, 9, 256, 4, 2, true", 556, 256, true);
    is("layer_norm_best_f32", 312, 16384, kernel, "float, 1, 8, 256, 4, 2, true", 624, 256, true);
    is("layer_norm_best_f32", 250, 20480, kernel, "float, 1, 10, 256, 4, 2, true", 500, 256, true);
    is("layer_norm_best_f32", 208, 20480, kernel, "float, 1, 8, 256, 4, 4, true", 832, 160, true);   // 34 MB
    is("layer_norm_best_f32", 283, 15000, kernel, "float, 2, 5, 256, 4, 4, true", 568, 192, true);   // 34 MB
    is("layer_norm_best_f32", 341, 15000, kernel, "float, 1, 6, 320, 4, 2, true", 682, 320, true);
    is("layer_norm_best_f32", 280, 20480, kernel, "float, 2, 5, 256, 4, 4, true", 560, 256, true);   // 46 MB
    // Begin anywhere: groups of four clusters take eight rows.
    is("layer_norm_best_f32", 472, 9001, kernel, "float, 2, 5, 256, 4, 2, false", 472, 256, true);   // 34 MB
    is("layer_norm_best_f32", 354, 12001, kernel, "float, 2, 4, 384, 3, 2, false", 360, 384, true);   // 34 MB
    is("layer_norm_best_f32", 236, 18001, kernel, "float, 2, 5, 256, 4, 4, false", 480, 256, true);   // 34 MB
    is("layer_norm_best_f32", 512, 10001, kernel, "float, 2, 5, 256, 4, 2, false", 512, 256, true);
    is("layer_norm_best_f32", 427, 12001, kernel, "float, 2, 5, 256, 4, 4, false", 864, 160, true);
    EXPECT_NE(route_of(415, 20480, Element::f16), Route::vectors_in_l1_cluster);    // 34 MB
    EXPECT_NE(route_of(817, 20480, Element::f16), Route::vectors_in_l1_cluster);    // 67 MB
    EXPECT_NE(route_of(500, 20481, Element::f16), Route::vectors_in_l1_cluster);    // halves that begin within a pack
    EXPECT_NE(route_of(640, 16000, Element::f16), Route::vectors_in_l1_cluster);
    EXPECT_NE(route_of(417, 12288, Element::f32), Route::vectors_in_l1_cluster);
    EXPECT_NE(route_of(260, 16384, Element::f32), Route::vectors_in_l1_cluster);    // 34 MB
    EXPECT_NE(route_of(531, 8001, Element::f32), Route::vectors_in_l1_cluster);
    EXPECT_EQ(route_of(640, 8001, Element::f32), Route::vectors_in_l1_cluster);     // 41 MB
    EXPECT_NE(route_of(640, 7683, Element::f32), Route::vectors_in_l1_cluster);
    EXPECT_EQ(route_of(666, 7685, Element::f32), Route::vectors_in_l1_cluster);     // 1921 packs
    EXPECT_NE(route_of(518, 8195, Element::f32), Route::vectors_in_l1_cluster);     // 34 MB
    EXPECT_EQ(route_of(518, 8197, Element::f32), Route::vectors_in_l1_cluster);     // 2049 packs
    EXPECT_EQ(route_of(207, 20483, Element::f32), Route::vectors_in_l1_cluster);    // 5120 packs
    EXPECT_NE(route_of(207, 20485, Element::f32), Route::vectors_in_l1_cluster);
    EXPECT_NE(route_of(250, 40960, Element::f16), Route::vectors_in_l1_cluster);    // more than 4096 packs
    // There are no large clusters: a block holds the row.
    EXPECT_EQ(route_of(472, 9001, Element::f32, 120), Route::vectors_in_l1);
}

TEST(LayerNorm, EveryLengthHasACompiledInstanceWhereRowsAreMany) {
    for (const Route route :
         {Route::few_columns, Route::few_lanes, Route::row_tile, Route::lane_tile, Route::fitted, Route::asks_early,
          Route::fitted_anywhere, Route::fitted_cluster, Route::vectors_in_l1, Route::vectors_in_l1_cluster}) {
        expect_a_compiled_instance_for_every_length("layer_norm", [&](launch::Plan& plan, const Inputs& inputs, Element element) {
            if (has_room(route, inputs, element, inputs.block)) plan_route(plan, inputs, element, route);
        });
    }
}

// From 1 MB read on.
TEST(LayerNorm, LaunchesOverlapWhereThatWasMeasured) {
    const auto is = expect_launch_on_sm90;
    is("layer_norm_best_f32", 63, 4096, "layer_norm_registers", "float, 4, true", 63, 256, false);
    is("layer_norm_best_f32", 65, 4096, "layer_norm_overlap", "float, 256, 4, false", 65, 256, true);
    is("layer_norm_best_f16", 1025, 1024, "layer_norm_overlap", "__half, 32, 4, false", 513, 64, true);  // two rows a block
    is("layer_norm_best_bf16", 65, 32768, "layer_norm_overlap", "__nv_bfloat16, 1024, 4, false", 65, 1024, true);
    is("layer_norm_best_f16", 3320, 2560, "layer_norm_few_lanes", "__half, 16, 160, 2, 2, true", 1660, 160, true);
    is("layer_norm_best_f16", 1670, 6144, "layer_norm_vectors_in_l1", "__half, 1, 4, 512, 3, true", 1670, 192, true);
    is("layer_norm_best_f16", 1185, 7168, "layer_norm_asks_early", "__half, 4, 512, 2", 1185, 224, true);
    is("layer_norm_best_f16", 1250, 8192, "layer_norm_vectors_in_l1", "__half, 1, 4, 512, 3, true", 1250, 256, true);
    is("layer_norm_best_f16", 2075, 4096, "layer_norm_few_lanes", "__half, 16, 128, 4, 2, true", 1038, 128, true);
    is("layer_norm_best_f16", 1675, 10000, "layer_norm_fitted", "__half, 6, 256, 4, true, false", 1675, 224, true);   // fills L2
    is("layer_norm_best_f16", 1675, 20000, "layer_norm_fitted", "__half, 7, 512, 2, false, true", 1675, 384, true);
    is("layer_norm_best_f16", 1046, 32000, "layer_norm_overlap", "__half, 1024, 4, true", 1046, 1024, true);
    is("layer_norm_best_f32", 512, 16384, "layer_norm_team", "float, true, 12", 2, 864, true);
    is("layer_norm_best_f32", 16384, 8192, "layer_norm_overlap", "float, 512, 4, true", 16384, 512, true);
    is("layer_norm_best_f32", 8, 65536, "layer_norm_rows_on_demand", "float, 512, 4, 8", 64, 512, true);
    is("layer_norm_best_f16", 7, 65536, "layer_norm_rows_on_demand", "__half, 256, 4, 8", 56, 256, true);
    is("layer_norm_best_f16", 7, 131072, "layer_norm_cluster", "__half, true, 2, 4, 8", 32, 512, true);  // four pairs
    is("layer_norm_best_f16", 8, 50000, "layer_norm_cluster", "__half, false, 2, 4, 8", 32, 224, true);
    is("layer_norm_best_f32", 8, 50000, "layer_norm_bulk_copies", "float, 256, 8, 8", 64, 256, true);
}

TEST(LayerNorm, WhereBlocksOfAClusterShareARow) {
    lesson::Inputs inputs = with_rows("layer_norm_cluster_f32", 3, 65536);
    inputs.block = 1024;
    const auto cluster = plan_of("layer_norm_cluster_f32", inputs);
    EXPECT_EQ(cluster.launches.front().arguments, "float, true, 1, 8, 8");
    EXPECT_EQ(cluster.launches.front().grid.x, 24u);  // three rows, eight blocks each
    const auto copies = plan_of("layer_norm_bulk_copies_f16", inputs);
    EXPECT_EQ(copies.launches.front().arguments, "__half, 512, 8, 2");
    EXPECT_EQ(copies.launches.front().grid.x, 6u);
    EXPECT_EQ(copies.launches.front().cluster_in_turns, 2u);
    EXPECT_EQ(copies.launches.front().block.dynamic_shared_bytes, 10u * 512 * 16);  // a row's share, and two tiles more
    // A row that does not begin at a multiple of 16 bytes goes another way.
    inputs.offset = 1;
    EXPECT_EQ(plan_of("layer_norm_cluster_f32", inputs).launches.front().kernel, "layer_norm_two_reads");
}

// In shared memory: a share of a row and of the biases; of 16 bits as much as keeps a fourth block out.
TEST(LayerNorm, RowsOnDemandFillACluster) {
    expect_rows_on_demand_fill_a_cluster("layer_norm", "f32", "float", 64 << 10);
    expect_rows_on_demand_fill_a_cluster("layer_norm", "f16", "__half", 60 << 10);
    expect_rows_on_demand_fill_a_cluster("layer_norm", "bf16", "__nv_bfloat16", 60 << 10);
}

TEST(LayerNorm, LongRowsThatBeginAnywhereAreSharedByClusters) {
    const auto is = [](const std::string& variant, std::uint64_t columns, const std::string& arguments,
                       std::uint32_t blocks, std::uint32_t threads, std::uint32_t packs_of_shared_memory) {
        lesson::Inputs inputs = with_rows(variant, 3, columns);
        inputs.machine.architecture = 90;
        const auto launch = plan_of(variant, inputs).launches.front();
        EXPECT_EQ(launch.kernel, "layer_norm_anywhere_cluster") << columns;
        EXPECT_EQ(launch.arguments, arguments) << columns;
        EXPECT_EQ(launch.grid.x, 3 * blocks) << columns;
        EXPECT_EQ(launch.cluster_in_turns, blocks) << columns;
        EXPECT_EQ(launch.block.x, threads) << columns;
        EXPECT_EQ(launch.block.dynamic_shared_bytes, packs_of_shared_memory * threads * 16) << columns;
    };
    is("layer_norm_best_f32", 12289, "float, 4, 2", 2, 384, 13);
    is("layer_norm_best_f32", 32767, "float, 4, 4", 4, 512, 13);
    is("layer_norm_best_f32", 65537, "float, 4, 4", 4, 1024, 13);
    is("layer_norm_best_f16", 32767, "__half, 4, 2", 2, 512, 13);
    is("layer_norm_best_f16", 65537, "__half, 4, 2", 2, 1024, 13);
    is("layer_norm_best_bf16", 20001, "__nv_bfloat16, 4, 2", 2, 320, 13);
}

TEST(LayerNorm, ABlockThatARouteHasNot) {
    lesson::Inputs inputs = inputs_of("layer_norm_best_f32");
    inputs.block = 256;
    EXPECT_THROW(plan_of("layer_norm_best_f32", inputs), Error);
    inputs = inputs_of("layer_norm_registers_f32");
    inputs.block = 96;
    EXPECT_THROW(plan_of("layer_norm_registers_f32", inputs), Error);
    inputs = inputs_of("layer_norm_idle_lanes");
    inputs.block = 64;
    EXPECT_THROW(plan_of("layer_norm_idle_lanes", inputs), Error);
}

}  // namespace
