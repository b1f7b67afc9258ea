#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "common/base/error.hpp"
#include "common/check/checker.hpp"
#include "common/lesson/provenance.testing.hpp"
#include "common/lesson/rows.testing.hpp"
#include "common/steps/steps.hpp"
#include "lessons/13_softmax/launches.hpp"
#include "lessons/13_softmax/routes.hpp"
#include "lessons/on_a_gpu.testing.hpp"

namespace {

using namespace lanewise;
using namespace lanewise::lesson::testing;
using namespace softmax;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// ---- Right for every row ---------------------------------------------------------------------------------------

TEST(Softmax, AnyLengthBeginningAndInput) {
    for (const lesson::Variant* variant : right_variants()) {
        std::uint64_t k = 0;
        for (std::uint64_t n = 1; n <= 4100; n += 683, ++k)
            for (const char* kind : {"random", "mean", "huge"}) {
                if (kind != std::string("random") && variant->name == "softmax_f32") continue;  // it overflows there
                lesson::Inputs inputs = with_rows(variant->name, 1, n);
                inputs.kind = kind;
                inputs.offset = static_cast<std::uint32_t>(k % 4);
                expect_right(variant->name, inputs, k % 2 ? "descending" : "7");
            }
    }
}

TEST(Softmax, RightKernelsCountNoInputTwice) {
    for (const lesson::Variant* variant : right_variants()) expect_no_input_counted_twice(variant->name);
}

// A half that is passed by value is read where it is passed.
TEST(Softmax, HalvesAreReadOnTheLineThatNamesThem) {
    for (const char* variant : {"safe_softmax_f16_f32", "safe_softmax_bf16_f32"}) {
        const trace::Trace trace = *run(plan_of(variant, inputs_of(variant)), launch::Order{}, true).trace;
        std::ifstream file(the_lesson().folder() / "kernels.cuh");
        std::vector<std::string> lines{""};
        for (std::string line; std::getline(file, line);) lines.push_back(line);
        int reads = 0;
        for (const trace::Record& record : trace.records) {
            if (record.op != trace::Op::load || trace.arrays[record.array].name != "in") continue;
            ASSERT_LT(static_cast<std::size_t>(record.line), lines.size());
            EXPECT_NE(lines[static_cast<std::size_t>(record.line)].find("widened(row[i])"), std::string::npos)
                << variant << ", line " << record.line;
            ++reads;
        }
        EXPECT_GT(reads, 0) << variant;
    }
}

TEST(Softmax, SharedPacksAreShownAsFloats) { expect_shared_packs_are_named("softmax_best_f32"); }

TEST(Softmax, SmallAndOddSizesOnAGpu) { expect_small_and_odd_sizes_are_right_on_a_gpu("softmax_f32"); }

TEST(Softmax, RowsOfEveryKindOfLength) {
    for (const lesson::Variant* variant : right_variants()) {
        if (variant->columns == 0) continue;  // one vector
        for (const std::uint64_t columns : {1u, 31u, 32u, 33u, 128u, 520u, 4097u})
            expect_right(variant->name, with_rows(variant->name, 3, columns));
    }
}

TEST(Softmax, ValuesThatMakeNoWholeRowsAreOneRow) {
    EXPECT_EQ(rows_of(with_rows("safe_softmax_f32", 3, 5)).count, 3u);
    EXPECT_EQ(rows_of(with_rows("safe_softmax_f32", 3, 5)).columns, 5u);
    lesson::Inputs inputs = with_rows("safe_softmax_f32", 1, 7);
    inputs.n = 9;  // no whole rows of 7
    EXPECT_EQ(rows_of(inputs).count, 1u);
    EXPECT_EQ(rows_of(inputs).columns, 9u);
}

// e, e² and e³ over their sum.
TEST(Softmax, OfOneTwoThree) {
    for (const lesson::Variant* variant : right_variants()) {
        if (variant->name == "attention_f32") continue;
        const auto results = results_of(variant->name, row_inputs(variant->name, {1, 2, 3}));
        ASSERT_EQ(results.size(), 3u) << variant->name;
        EXPECT_NEAR(results[0], 0.0900305732, 0.0005) << variant->name;
        EXPECT_NEAR(results[1], 0.2447284711, 0.001) << variant->name;
        EXPECT_NEAR(results[2], 0.6652409558, 0.003) << variant->name;
    }
}

// As torch has them.
TEST(Softmax, RowsThatAreNanThroughout) {
    std::vector<double> with_nan(70, 1.0), with_infinity(70, 1.0);
    with_nan[66] = std::nan("");
    with_infinity[66] = kInfinity;
    for (const lesson::Variant* variant : right_variants())
        for (const auto& row : {with_nan, with_infinity, std::vector<double>(70, -kInfinity), {-kInfinity}}) {
            if (variant->name == "softmax_f32") continue;
            expect_right(variant->name, row_inputs(variant->name, row));
            for (const double result : results_of(variant->name, row_inputs(variant->name, row)))
                ASSERT_TRUE(std::isnan(result)) << variant->name;
        }
}

// A masked row: minus infinity, also in many places of one thread, beside finite values is 0.
TEST(Softmax, MinusInfinityBesideFiniteValues) {
    std::vector<double> row(300, -kInfinity);
    row[200] = row[290] = 5;
    for (const lesson::Variant* variant : right_variants()) {
        expect_right(variant->name, row_inputs(variant->name, row));
        if (variant->name == "attention_f32") continue;
        const auto results = results_of(variant->name, row_inputs(variant->name, row));
        for (std::size_t i = 0; i < row.size(); ++i)
            ASSERT_EQ(results[i], i == 200 || i == 290 ? 0.5 : 0) << variant->name << " " << i;
    }
}

TEST(Softmax, OneHugeValueTakesAll) {
    std::vector<double> row(100, -60000);
    row[42] = 60000;
    for (const lesson::Variant* variant : right_variants()) {
        if (variant->name == "softmax_f32" || variant->name == "attention_f32") continue;
        const auto results = results_of(variant->name, row_inputs(variant->name, row));
        for (std::size_t i = 0; i < row.size(); ++i) ASSERT_EQ(results[i], i == 42 ? 1 : 0) << variant->name;
    }
}

// All lanes of a butterfly of pairs end with the same bits, though each merges in an order of its own.
TEST(Softmax, TheLanesOfAButterflyAgree) {
    const auto outcome = run(plan_of("online_softmax_f32", inputs_of("online_softmax_f32")), "ascending", true);
    const auto steps = steps::build_steps(*outcome.trace);
    const steps::Step* last = nullptr;
    for (const auto& step : steps.steps)
        if (step.kind == StepKind::shuffle) last = &step;
    ASSERT_NE(last, nullptr);
    for (const auto& warp : last->warps)
        for (const std::size_t number : warp.records) {
            const auto& after = outcome.trace->records[number].after;
            EXPECT_EQ(std::set<std::uint64_t>(after.begin(), after.end()).size(), 1u);
        }
}

// ---- What the steps show ---------------------------------------------------------------------------------------

TEST(Softmax, APairIsOneStep) {
    const auto outcome = run(plan_of("online_softmax_f32", inputs_of("online_softmax_f32")), "ascending", true);
    const auto steps = steps::build_steps(*outcome.trace);
    std::size_t rounds = 0;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        if (steps.steps[k].kind != StepKind::shuffle) continue;
        ++rounds;
        const auto& warp = steps.steps[k].warps.front();
        EXPECT_EQ(warp.parts, (std::vector<std::string>{"max", "sum"}));
        EXPECT_NE(steps::formula(steps, k, warp.warp, 5).find("; merge(("), std::string::npos)
            << steps::formula(steps, k, warp.warp, 5);
    }
    EXPECT_EQ(rounds, 10u);  // two levels of five
    EXPECT_EQ(steps.steps.back().counters.at(0).shuffles, 10u);
}

TEST(Softmax, AttentionsTripleIsOneStep) {
    const auto outcome = run(plan_of("attention_f32", inputs_of("attention_f32")), "ascending", true);
    const auto steps = steps::build_steps(*outcome.trace);
    std::size_t rounds = 0;
    for (const auto& step : steps.steps) {
        if (step.kind != StepKind::shuffle) continue;
        ++rounds;
        EXPECT_EQ(step.warps.front().parts, (std::vector<std::string>{"max", "sum", "weighted"}));
    }
    EXPECT_EQ(rounds, 5u);
}

// Bytes that the first row's block asks of global memory, for each value: read three times, twice or once, and written.
TEST(Softmax, BytesForEachValue) {
    const auto bytes = [](const std::string& variant, std::uint64_t columns) {
        const auto plan = plan_of(variant, with_rows(variant, 2, columns));
        const auto outcome = run(plan, launch::Order{}, true);
        const auto steps = steps::build_steps(*outcome.trace);
        return static_cast<double>(steps.steps.back().counters.at(0).global_bytes) / static_cast<double>(columns);
    };
    EXPECT_EQ(bytes("softmax_f32", 200), 4 * 3);
    EXPECT_EQ(bytes("safe_softmax_f32", 200), 4 * 4);
    EXPECT_EQ(bytes("safe_softmax_f16_f32", 200), 2 * 4);
    EXPECT_EQ(bytes("online_softmax_f32", 200), 4 * 3);
    EXPECT_EQ(bytes("softmax_registers_f32", 600), 4 * 2);
    EXPECT_EQ(bytes("softmax_registers_f16", 600), 2 * 2);
    EXPECT_EQ(bytes("softmax_shared_f32", 600), 4 * 2);
    EXPECT_EQ(bytes("softmax_two_reads_f32", 600), 4 * 3);
}

// ---- Rounding --------------------------------------------------------------------------------------------------

// To nearest, errors to both sides cancel; downwards they add up.
TEST(Softmax, RoundedDownTheResultsAddUpToLessThanOne) {
    const lesson::Inputs inputs = with_rows("safe_softmax_f16_f32", 1, 1000);
    const double nearest = sum_of(results_of("safe_softmax_f16_f32", inputs));
    const double down = sum_of(results_of("safe_softmax_f16_round_down", inputs));
    EXPECT_LT(down, 1 - 0x1p-13);
    EXPECT_LT(std::abs(nearest - 1), (1 - down) / 4);
}

// ---- Routes ----------------------------------------------------------------------------------------------------

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
    is(2048, 8200, Element::bf16, Route::fitted);
    is(2048, 10744, Element::f16, Route::fitted);          // 1343 packs
    is(2048, 10752, Element::f16, Route::overlap);         // seven eighths of 384 threads
    is(2048, 12288, Element::f16, Route::overlap);
    is(2048, 12296, Element::f16, Route::fitted);
    is(2048, 32768, Element::f16, Route::fitted);
    is(2048, 16384, Element::f32, Route::overlap);
    is(64, 20000, Element::f16, Route::overlap);
    is(1024, 32768, Element::f32, Route::split_row);
    is(256, 32772, Element::f32, Route::rows_on_demand);
    is(255, 32772, Element::f32, Route::team);            // less than 32 MiB
    is(16, 32772, Element::f32, Route::cluster);
    is(697, 24000, Element::f16, Route::team);            // 67 MB about fill L2; blocks of 768 threads leave a quarter idle
    is(512, 32768, Element::f16, Route::fitted);          // two of 1024 leave none
    is(1675, 5000, Element::f16, Route::fitted_anywhere);   // 34 MB: keeps exponentials
    is(2200, 5000, Element::f16, Route::fitted);            // 625 packs
    is(2046, 5376, Element::f16, Route::overlap);           // seven eighths of 192 threads
    is(1675, 7200, Element::f16, Route::overlap);
    is(1024, 16384, Element::f16, Route::fitted);         // 2048 packs
    is(1024, 16392, Element::f16, Route::team);
    is(600, 16392, Element::f16, Route::fitted);          // 39 MB
    is(12000, 255, Element::f32, Route::anywhere);           // less than 24 MiB
    is(16384, 255, Element::f32, Route::few_lanes);          // 63 whole packs
    is(16384, 261, Element::f32, Route::fitted_anywhere);
    is(20000, 417, Element::f32, Route::fitted_anywhere);
    is(16384, 1401, Element::f32, Route::fitted_anywhere);
    is(1365, 12295, Element::f16, Route::fitted_anywhere);   // 1536 whole packs
    is(1365, 12297, Element::f16, Route::team);
    is(600, 12297, Element::f16, Route::fitted_anywhere);
    is(512, 32775, Element::f16, Route::team);
    is(1024, 32775, Element::f16, Route::fitted_anywhere);   // 4096 whole packs, of 134 MB
    is(1024, 32777, Element::f16, Route::team);
    is(16, 16399, Element::f16, Route::anywhere_cluster);
    is(1024, 65536, Element::f32, Route::rows_on_demand);
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
    is_on_slower(160, 65544, Element::f16, Route::cluster);
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
    expect_team("softmax", "__half, false, 12", 200, 50257, {40, 3, 2104, 6, 6 * 2104 * 16});
    expect_team("softmax", "__half, false, 14", 1500, 40001, {66, 2, 2504, 5, 5 * 2504 * 16});
    expect_team("softmax", "__half, false, 14", 746, 22501, {125, 1, 2824, 5, 5 * 2824 * 16});
}
TEST(Softmax, RowsOfATeamLeaveL2FirstWhereThatIsFaster) { expect_rows_leave_l2_first_where_that_is_faster("softmax"); }

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
    is("softmax_best_f16", 85001, 100, "softmax_few_lanes", "__half, 8, 16, 2, 2, true", 5313, 128, true);
    is("softmax_best_f16", 28335, 300, "softmax_few_lanes", "__half, 8, 32, 3, 2, true", 3542, 128, true);
    // Of rows that begin anywhere, as many warps as make up eight groups of halves, or four of floats, take a lot.
    is("softmax_best_f16", 65001, 129, "softmax_few_lanes", "__half, 16, 16, 1, 2, false", 4063, 128, true);
    is("softmax_best_f16", 56668, 150, "softmax_few_lanes", "__half, 16, 8, 3, 1, false", 3542, 128, true);
    is("softmax_best_f32", 40001, 105, "softmax_few_lanes", "float, 16, 16, 2, 2, false", 2501, 128, true);
    is("softmax_best_f16", 34001, 250, "softmax_few_lanes", "__half, 16, 16, 2, 1, false", 4251, 128, true);
    is("softmax_best_f16", 21001, 417, "softmax_few_lanes", "__half, 16, 16, 4, 1, false", 2626, 128, true);
}

// 31 MB read and written, and more. As many threads as share a row have up to so many of its whole words each.
TEST(Softmax, ManyVeryShortRowsThatBeginAnywhereGoAsTiles) {
    const auto is = expect_launch_on_sm90;
    is("softmax_best_f16", 1700001, 5, "softmax_row_tile", "__half, 4, 1", 3321, 128, true);   // 512 rows a tile
    is("softmax_best_f16", 944445, 9, "softmax_row_tile", "__half, 4, 1", 3690, 128, true);    // 256
    is("softmax_best_f16", 660001, 13, "softmax_row_tile", "__half, 8, 1", 2579, 256, true);
    is("softmax_best_f16", 500001, 17, "softmax_row_tile", "__half, 8, 1", 3907, 128, true);   // 128
    is("softmax_best_f16", 340001, 25, "softmax_row_tile", "__half, 12, 1", 2657, 128, true);
    is("softmax_best_bf16", 260001, 33, "softmax_row_tile", "__nv_bfloat16, 20, 1", 2032, 128, true);
    is("softmax_best_f16", 170001, 50, "softmax_row_tile", "__half, 16, 2", 2657, 128, true);   // 64
    is("softmax_best_f16", 120001, 70, "softmax_row_tile", "__half, 20, 2", 1876, 128, true);
    is("softmax_best_f16", 90001, 95, "softmax_row_tile", "__half, 24, 2", 1407, 128, true);
    is("softmax_best_f32", 130001, 33, "softmax_row_tile", "float, 20, 2", 2032, 128, true);
    is("softmax_best_f32", 70001, 65, "softmax_row_tile", "float, 20, 4", 1094, 256, true);
    is("softmax_best_f16", 85001, 99, "softmax_few_lanes", "__half, 16, 16, 1, 4, false", 2657, 128, true);   // 49 words
    lesson::Inputs inputs = with_rows("softmax_best_f16", 170001, 50);
    inputs.machine.architecture = 90;
    inputs.offset = 2;   // a tile begins where a pack does
    EXPECT_EQ(best_route(inputs, Element::f16).route, Route::few_lanes);
}

// 34 MB read and written, and more. Where a warp is enough for a row, a block takes four.
TEST(Softmax, ManyRowsThatBeginAnywhereTakeNoMoreWarpsThanTheyNeed) {
    const auto is = expect_launch_on_sm90;
    is("softmax_best_f16", 17001, 521, "softmax_fitted_anywhere", "__half, 3, 512, 2, true, false", 4251, 32, true);
    is("softmax_best_f16", 13001, 769, "softmax_fitted_anywhere", "__half, 3, 512, 2, true, false", 3251, 32, true);
    is("softmax_best_f16", 9001, 1001, "softmax_fitted_anywhere", "__half, 4, 512, 2, true, false", 2251, 32, true);
    is("softmax_best_f16", 9001, 1289, "softmax_fitted_anywhere", "__half, 6, 512, 1, true, false", 2251, 32, true);   // 161
    is("softmax_best_f16", 5001, 2001, "softmax_fitted_anywhere", "__half, 8, 512, 1, true, false", 1251, 32, true);
    is("softmax_best_f16", 1700, 5001, "softmax_fitted_anywhere", "__half, 4, 512, 2, true, false", 1700, 160, true);
    is("softmax_best_f16", 849, 10001, "softmax_fitted_anywhere", "__half, 5, 512, 2, true, false", 849, 256, true);
    is("softmax_best_f16", 708, 12001, "softmax_fitted_anywhere", "__half, 4, 512, 2, true, false", 708, 384, true);
    is("softmax_best_bf16", 708, 12000, "softmax_fitted_anywhere", "__nv_bfloat16, 4, 512, 2, true, false", 708, 384, true);
    is("softmax_best_f32", 500, 10001, "softmax_fitted_anywhere", "float, 5, 512, 3, false, false", 500, 512, true);   // 2500
    is("softmax_best_f32", 500, 10247, "softmax_fitted_anywhere", "float, 8, 512, 2, false, false", 500, 352, true);
    is("softmax_best_f16", 4096, 8191, "softmax_fitted_anywhere", "__half, 4, 512, 2, true, false", 4096, 256, true);   // 134 MB
    is("softmax_best_f16", 2000, 8191, "softmax_fitted_anywhere", "__half, 4, 512, 2, true, true", 2000, 256, true);    // fills L2
}

TEST(Softmax, EveryLengthHasACompiledInstanceWhereRowsAreMany) {
    for (const Route route : {Route::few_lanes, Route::row_tile, Route::fitted, Route::fitted_anywhere}) {
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
    is("softmax_best_f16", 850, 10000, "softmax_fitted_anywhere", "__half, 5, 512, 2, true, false", 850, 256, true);
    is("softmax_best_f16", 1100, 10000, "softmax_fitted", "__half, 5, 352, 4, false, false", 1100, 256, true);   // 44 MB
    is("softmax_best_f16", 917, 12000, "softmax_fitted", "__half, 5, 352, 4, false, false", 917, 320, true);
    is("softmax_best_f16", 1395, 12000, "softmax_overlap", "__half, 384, 4, false", 1395, 384, true);   // fills L2
    is("softmax_best_f32", 500, 10000, "softmax_overlap", "float, 768, 4, false", 500, 768, true);
    is("softmax_best_f16", 1200, 14000, "softmax_fitted", "__half, 5, 352, 4, true, false", 1200, 352, true);   // fills L2
    is("softmax_best_f16", 697, 24000, "softmax_team", "__half, true, 14", 1, 992, true);
    is("softmax_best_f16", 838, 20000, "softmax_fitted", "__half, 4, 1024, 2, true, false", 838, 640, true);
    is("softmax_best_f16", 3350, 20000, "softmax_fitted", "__half, 4, 1024, 2, false, true", 3350, 640, true);
    is("softmax_best_bf16", 8, 50000, "softmax_split_row", "__nv_bfloat16, 1024, 2, 6", 8, 1024, true);
    is("softmax_best_bf16", 8, 65536, "softmax_rows_on_demand", "__nv_bfloat16, 256, 4, 8, true", 64, 256, true);
    is("softmax_best_f32", 8, 50000, "softmax_cluster", "float, 8, 8", 64, 224, true);   // 7 of 8 warps' room
}

TEST(Softmax, TheBestIsRightInEveryRoute) {
    for (const char* variant : {"softmax_best_f32", "softmax_best_f16", "softmax_best_bf16"})
        for (const std::uint64_t columns : {5u, 1000u, 3000u, 20000u, 40000u, 70000u, 120008u})
            expect_right(variant, with_rows(variant, 1, columns));
}

// Rows that begin within a pack, more of them than there are blocks: a block takes several.
TEST(Softmax, RowsThatBeginAnywhereAreRight) {
    for (const char* variant : {"softmax_best_f32", "softmax_best_f16", "softmax_best_bf16"})
        for (const std::uint64_t columns : {1u, 7u, 33u, 511u, 1001u, 4099u}) {
            lesson::Inputs inputs = with_rows(variant, 19, columns);
            inputs.offset = static_cast<std::uint32_t>(columns % 3);
            expect_right(variant, inputs);
        }
}

TEST(Softmax, RowsShorterThanAPackAreNotReadPastTheArray) { expect_short_rows_stay_inside("softmax"); }

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

// ---- Traps -----------------------------------------------------------------------------------------------------

bool has_finding(const std::string& variant, const std::string& kind) {
    launch::Request request;
    request.checks = true;
    const auto outcome = check::make_emulator()->run(plan_of(variant, inputs_of(variant)), kernels(), request);
    return std::any_of(outcome.findings.begin(), outcome.findings.end(),
                       [&](const trace::Finding& finding) { return finding.kind.find(kind) != std::string::npos; });
}

TEST(SoftmaxTraps, WithoutTheLargestValueExpOverflows) {
    const auto results = results_of("softmax_f32_overflow", inputs_of("softmax_f32_overflow"));
    for (const double result : results) EXPECT_TRUE(std::isnan(result));
}

TEST(SoftmaxTraps, TwoEmptyLanesMakeANan) {
    for (const double result : results_of("online_softmax_infinity", inputs_of("online_softmax_infinity")))
        EXPECT_TRUE(std::isnan(result));
    // With lanes enough to fill a half of the warp no two empty ones meet before they have something.
    const auto full = with_rows("online_softmax_infinity", 1, 32);
    EXPECT_NEAR(sum_of(results_of("online_softmax_infinity", full)), 1, 1e-6);
    EXPECT_NEAR(sum_of(results_of("online_softmax_lowest", with_rows("online_softmax_lowest", 1, 12))), 1, 1e-6);
}

TEST(SoftmaxTraps, PartsReducedApartAreOnOtherScales) {
    EXPECT_LT(sum_of(results_of("online_softmax_apart", with_rows("online_softmax_apart", 1, 40))), 0.99);
}

TEST(SoftmaxTraps, OneArrayIsARace) { EXPECT_TRUE(has_finding("safe_softmax_one_array", "race")); }

TEST(SoftmaxTraps, AFenceIsNoBarrier) {
    EXPECT_TRUE(has_finding("softmax_vector_fence", "race"));
    EXPECT_NEAR(sum_of(results_of("softmax_vector", inputs_of("softmax_vector"))), 1, 1e-6);
}

}  // namespace
