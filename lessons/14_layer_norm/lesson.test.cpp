#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "common/base/error.hpp"
#include "common/lesson/provenance.testing.hpp"
#include "common/lesson/rows.testing.hpp"
#include "common/steps/steps.hpp"
#include "lessons/14_layer_norm/launches.hpp"
#include "lessons/14_layer_norm/routes.hpp"
#include "lessons/on_a_gpu.testing.hpp"

namespace {

using namespace lanewise;
using namespace lanewise::lesson::testing;
using namespace layer_norm;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

lesson::Inputs with_epsilon(lesson::Inputs inputs, const std::string& epsilon) {
    inputs.controls = lesson::ChosenControls({{"epsilon", epsilon}});
    return inputs;
}

// ---- Right for every row -----------------------------------------------------------------------------------------

TEST(LayerNorm, AnyLengthBeginningAndInput) {
    for (const lesson::Variant* variant : right_variants()) {
        std::uint64_t k = 0;
        for (std::uint64_t n = 1; n <= 4100; n += 1367, ++k)
            for (const char* kind : {"random", "mean", "huge"}) {
                lesson::Inputs inputs = with_rows(variant->name, 1, n);
                inputs.kind = kind;
                inputs.offset = static_cast<std::uint32_t>(k % 4);
                expect_right(variant->name, inputs, k % 2 ? "descending" : "7");
            }
    }
}

TEST(LayerNorm, RightKernelsCountNoInputTwice) {
    for (const lesson::Variant* variant : right_variants()) expect_no_input_counted_twice(variant->name);
}

TEST(LayerNorm, SharedPacksAreShownAsFloats) { expect_shared_packs_are_named("layer_norm_best_f32"); }

TEST(LayerNorm, SmallAndOddSizesOnAGpu) { expect_small_and_odd_sizes_are_right_on_a_gpu(); }

TEST(LayerNorm, RowsOfEveryKindOfLength) {
    for (const lesson::Variant* variant : right_variants())
        for (const std::uint64_t columns : {1u, 31u, 32u, 33u, 520u, 4097u})
            expect_right(variant->name, with_rows(variant->name, 3, columns));
}

// Rows of halves whose mean is 0 to 9 times their spread, added in float one after the other, as near_means.cuh decides:
// mean and variance are no further off than the bound says. Some rows lie on each side of 31 variances.
TEST(LayerNorm, SumsOfSquaresStayWithinTheirBoundWhereTheMeanIsNear) {
    std::uint32_t state = 1;
    int near = 0, far = 0;
    for (int row = 0; row < 200; ++row) {
        const std::size_t n = 50 + static_cast<std::size_t>(row) * 7;
        std::vector<float> values(n);
        for (float& value : values) {
            state = state * 1664525u + 1013904223u;
            value = static_cast<float>(std::round((row * 0.013 - 0.5 + state / 4294967296.0) * 512) / 512);   // 11 bits
        }
        const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(n);
        double variance = 0, magnitude = 0, largest = 0;
        for (const double value : values) {
            variance += (value - mean) * (value - mean) / static_cast<double>(n);
            magnitude += std::abs(value) / static_cast<double>(n);
            largest = std::max(largest, std::abs(value));
        }
        float sum = 0, squares = 0;
        for (const float value : values) {
            sum += value;
            squares = std::fma(value, value, squares);
        }
        const float count = static_cast<float>(n), found = sum / count;
        float m2 = std::fma(-sum, found, squares);
        if (m2 * 32 >= squares) {
            ++near;
        } else {
            ++far;
            m2 = 0;
            for (const float value : values) m2 = std::fma(value - found, value - found, m2);
        }
        const Errors errors = errors_of(mean, variance, magnitude, largest,
                                        {.element = Element::f16, .way = Way::squares_if_near, .additions = double(n)});
        EXPECT_LE(std::abs(found - mean), errors.mean) << row;
        EXPECT_LE(std::abs(m2 / count - variance), errors.variance) << row;
        EXPECT_LT(errors.variance, variance / 100) << row;   // of which a half shows little
    }
    EXPECT_GT(near, 50);
    EXPECT_GT(far, 50);
}

// The mean is 2, the variance 1: -1 * 0.5 - 1 and 1 * 0.75 - 0.5.
TEST(LayerNorm, OfOneAndThree) {
    for (const lesson::Variant* variant : right_variants()) {
        const auto results = results_of(variant->name, row_inputs(variant->name, {1, 3}));
        ASSERT_EQ(results.size(), 2u) << variant->name;
        EXPECT_NEAR(results[0], -1.5, 0.008) << variant->name;
        EXPECT_NEAR(results[1], 0.25, 0.002) << variant->name;
    }
}

// All lanes of a butterfly of moments end with the same bits, though each merges in an order of its own.
TEST(LayerNorm, TheLanesOfAButterflyAgree) {
    const auto outcome = run(plan_of("layer_norm_welford", inputs_of("layer_norm_welford")), "ascending", true);
    const auto steps = steps::build_steps(*outcome.trace);
    const steps::Step* last = nullptr;
    std::size_t rounds = 0;
    for (const auto& step : steps.steps) {
        if (step.kind != StepKind::shuffle) continue;
        ++rounds;
        last = &step;
        EXPECT_EQ(step.warps.front().parts, (std::vector<std::string>{"count", "mean", "m2"}));
    }
    EXPECT_EQ(rounds, 10u);  // two levels of five
    ASSERT_NE(last, nullptr);
    for (const auto& warp : last->warps)
        for (const std::size_t number : warp.records) {
            const auto& after = outcome.trace->records[number].after;
            EXPECT_EQ(std::set<std::uint64_t>(after.begin(), after.end()).size(), 1u);
        }
}

// ---- Rows and epsilons that are out of the ordinary --------------------------------------------------------------

TEST(LayerNorm, OfEqualValues) {
    for (const lesson::Variant* variant : right_variants()) {
        const auto ones = row_inputs(variant->name, std::vector<double>(40, 1.0));
        expect_right(variant->name, with_epsilon(ones, "0"));
        for (const double result : results_of(variant->name, with_epsilon(ones, "0")))
            EXPECT_TRUE(std::isnan(result)) << variant->name;
        const auto results = results_of(variant->name, ones);
        for (std::size_t i = 0; i < results.size(); ++i)
            EXPECT_EQ(results[i], biases_of(40)[i]) << variant->name << " " << i;
    }
}

TEST(LayerNorm, ANanOrAnInfinityMakesTheRowNan) {
    for (const lesson::Variant* variant : right_variants())
        for (const double odd : {std::nan(""), kInfinity, -kInfinity}) {
            std::vector<double> row(70, 1.0);
            row[66] = odd;
            expect_right(variant->name, row_inputs(variant->name, row));
            for (const double result : results_of(variant->name, row_inputs(variant->name, row)))
                EXPECT_TRUE(std::isnan(result)) << variant->name << " " << odd;
        }
}

TEST(LayerNorm, DeviationsBeyondTheLargestFloatLeaveTheBias) {
    std::vector<double> row(40, 1.0);
    row[7] = 1e20;
    for (const char* variant : {"layer_norm_f32", "layer_norm_welford", "layer_norm_two_reads_f32"}) {
        expect_right(variant, row_inputs(variant, row));
        const auto results = results_of(variant, row_inputs(variant, row));
        for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i], biases_of(40)[i]) << variant;
    }
}

TEST(LayerNorm, ANegativeEpsilonIsRefused) {
    const auto* control = the_lesson().find_control("epsilon");
    ASSERT_NE(control, nullptr);
    EXPECT_THROW(control->check("-1e-5"), Error);
    control->check("0");
}

TEST(LayerNorm, NoRowsAndNoColumns) {
    EXPECT_EQ(rows_of(with_rows("layer_norm_f32", 3, 5)).count, 3u);
    lesson::Inputs inputs = with_rows("layer_norm_f32", 1, 7);
    inputs.n = 9;  // no whole rows of 7
    EXPECT_EQ(rows_of(inputs).count, 1u);
    EXPECT_EQ(rows_of(inputs).columns, 9u);
}

// ---- Bytes, barriers ---------------------------------------------------------------------------------------------

steps::Step::Counters counted(const std::string& variant, std::uint64_t columns) {
    const auto outcome = run(plan_of(variant, with_rows(variant, 2, columns)), "ascending", true);
    return steps::build_steps(*outcome.trace).steps.back().counters.at(0);
}

// Of the first row's block: what is read, weight and bias with it, and what is written, for each value.
TEST(LayerNorm, BytesForEachValue) {
    const auto bytes = [](const std::string& variant, std::uint64_t columns) {
        return static_cast<double>(counted(variant, columns).global_bytes) / static_cast<double>(columns);
    };
    EXPECT_EQ(bytes("layer_norm_f32", 200), 4 * 6);
    EXPECT_EQ(bytes("layer_norm_f16_f32", 200), 2 * 6);
    EXPECT_EQ(bytes("layer_norm_welford", 200), 4 * 5);
    EXPECT_EQ(bytes("layer_norm_registers_f32", 600), 4 * 4);
    EXPECT_EQ(bytes("layer_norm_registers_f16", 600), 2 * 4);
    EXPECT_EQ(bytes("layer_norm_two_reads_f32", 600), 4 * 5);
}

TEST(LayerNorm, Barriers) {
    EXPECT_EQ(counted("layer_norm_f32", 200).block_barriers, 2u);
    EXPECT_EQ(counted("layer_norm_welford", 200).block_barriers, 1u);
    EXPECT_EQ(counted("layer_norm_row_a_warp_f32", 100).block_barriers, 0u);
}

// ---- Routes ------------------------------------------------------------------------------------------------------

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
    is(1024, 20001, Element::f32, Route::team);
    is(1024, 20001, Element::f16, Route::team);
    is(2000, 255, Element::f32, Route::anywhere);           // less than 4 MiB
    is(2100, 255, Element::f32, Route::fitted_anywhere);
    is(16384, 1401, Element::f32, Route::fitted_anywhere);
    is(4096, 5123, Element::f32, Route::fitted_anywhere);   // 1280 whole packs
    is(4096, 5125, Element::f32, Route::team);
    is(700, 12289, Element::f16, Route::fitted_anywhere);   // 34 MB
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
    is(2048, 8196, Element::f32, Route::fitted);
    is(1365, 12280, Element::f16, Route::fitted);    // 1535 packs
    is(1365, 12288, Element::f16, Route::team);      // 67 MB about fill L2
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

TEST(LayerNorm, TheBestIsRightInEveryRoute) {
    for (const char* variant : {"layer_norm_best_f32", "layer_norm_best_f16", "layer_norm_best_bf16"})
        for (const std::uint64_t columns : {5u, 1000u, 3000u, 20000u})
            expect_right(variant, with_rows(variant, 1, columns));
}

// Rows that begin within a pack, more of them than there are blocks: a block takes several.
TEST(LayerNorm, RowsThatBeginAnywhereAreRight) {
    for (const char* variant : {"layer_norm_best_f32", "layer_norm_best_f16", "layer_norm_best_bf16"})
        for (const std::uint64_t columns : {1u, 7u, 33u, 511u, 1001u, 4099u}) {
            lesson::Inputs inputs = with_rows(variant, 19, columns);
            inputs.offset = static_cast<std::uint32_t>(columns % 3);
            expect_right(variant, inputs);
        }
}

TEST(LayerNorm, RowsShorterThanAPackAreNotReadPastTheArray) { expect_short_rows_stay_inside("layer_norm"); }

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
    is("layer_norm_best_f16", 1214, 7000, "layer_norm_few_lanes", "__half, 16, 224, 4, 1, true", 1214, 224, true);
    is("layer_norm_best_f16", 28001, 300, "layer_norm_few_lanes", "__half, 8, 32, 3, 2, true", 3501, 128, true);   // units of 8
    is("layer_norm_best_f16", 55001, 163, "layer_norm_few_lanes", "__half, 16, 16, 2, 2, false", 3438, 128, true);
    is("layer_norm_best_f16", 33001, 257, "layer_norm_few_lanes", "__half, 16, 32, 1, 4, false", 2064, 128, true);
    is("layer_norm_best_f16", 23001, 391, "layer_norm_few_lanes", "__half, 16, 32, 2, 2, false", 2876, 128, true);
    is("layer_norm_best_f16", 9001, 1001, "layer_norm_few_lanes", "__half, 16, 64, 2, 2, false", 4504, 64, true);
    is("layer_norm_best_f16", 7001, 1401, "layer_norm_few_lanes", "__half, 16, 96, 2, 2, false", 3504, 96, true);
}

// 31 MB read and written, and more. As many threads as share a row have up to so many of its whole words each.
TEST(LayerNorm, ManyVeryShortRowsThatBeginAnywhereGoAsTiles) {
    const auto is = expect_launch_on_sm90;
    is("layer_norm_best_f16", 1700001, 5, "layer_norm_short_anywhere", "__half, 3, 4", 3321, 128, false);
    is("layer_norm_best_f16", 1200001, 7, "layer_norm_row_tile", "__half, 8, 1", 2344, 128, true);   // 512 rows a tile
    is("layer_norm_best_f16", 944445, 9, "layer_norm_row_tile", "__half, 8, 1", 3690, 128, true);    // 256
    is("layer_norm_best_f16", 500001, 17, "layer_norm_row_tile", "__half, 8, 1", 3907, 128, true);   // 128
    is("layer_norm_best_bf16", 260001, 33, "layer_norm_row_tile", "__nv_bfloat16, 16, 1", 2032, 128, true);
    is("layer_norm_best_f16", 210001, 41, "layer_norm_row_tile", "__half, 20, 1", 1641, 128, true);
    is("layer_norm_best_f16", 140001, 59, "layer_norm_row_tile", "__half, 16, 2", 2188, 128, true);   // 64
    is("layer_norm_best_f16", 110001, 75, "layer_norm_row_tile", "__half, 20, 2", 1719, 128, true);
    is("layer_norm_best_f16", 90001, 97, "layer_norm_row_tile", "__half, 16, 4", 1407, 256, true);
    is("layer_norm_best_f16", 56001, 150, "layer_norm_row_tile", "__half, 20, 4", 876, 256, true);
    is("layer_norm_best_f16", 65001, 129, "layer_norm_row_tile", "__half, 16, 4", 1016, 256, true);
    is("layer_norm_best_f32", 130001, 33, "layer_norm_row_tile", "float, 20, 2", 2032, 128, true);
    lesson::Inputs inputs = with_rows("layer_norm_best_f16", 140001, 59);
    inputs.machine.architecture = 90;
    inputs.offset = 1;   // a tile begins where a pack does
    EXPECT_EQ(best_route(inputs, Element::f16).route, Route::few_lanes);
}

// 34 MB read and written, and more. Groups of threads take two rows that begin at the same place of a pack, and so lie
// eight apart (of halves), or one; where a warp is enough, a block has four groups.
TEST(LayerNorm, ManyRowsThatBeginAnywhereTakeNoMoreWarpsThanTheyNeed) {
    const auto is = expect_launch_on_sm90;
    is("layer_norm_best_f16", 17001, 501, "layer_norm_fitted_anywhere", "__half, 2, 2, 384, 3, false", 2126, 32, true);
    is("layer_norm_best_f16", 16001, 1001, "layer_norm_fitted_anywhere", "__half, 1, 4, 640, 2, true", 4001, 32, true);   // fills L2
    is("layer_norm_best_f16", 11001, 1401, "layer_norm_fitted_anywhere", "__half, 2, 3, 512, 2, true", 5504, 64, true);
    is("layer_norm_best_f16", 2000, 8191, "layer_norm_fitted_anywhere", "__half, 1, 4, 640, 2, true", 2000, 256, true);
    is("layer_norm_best_f32", 600, 6001, "layer_norm_fitted_anywhere", "float, 1, 4, 640, 2, false", 600, 384, true);
    is("layer_norm_best_f16", 11001, 1251, "layer_norm_fitted_anywhere", "__half, 1, 5, 512, 2, true", 2751, 32, true);
}

TEST(LayerNorm, EveryLengthHasACompiledInstanceWhereRowsAreMany) {
    for (const Route route : {Route::few_lanes, Route::row_tile, Route::fitted, Route::fitted_anywhere}) {
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
    is("layer_norm_best_f16", 1383, 6144, "layer_norm_fitted", "__half, 6, 256, 4, false, false", 1383, 128, true);
    is("layer_norm_best_f16", 1185, 7168, "layer_norm_few_lanes", "__half, 16, 224, 4, 1, true", 1185, 224, true);
    is("layer_norm_best_f16", 1037, 8192, "layer_norm_fitted", "__half, 8, 512, 2, false, false", 1037, 128, true);
    is("layer_norm_best_f16", 2075, 4096, "layer_norm_few_lanes", "__half, 16, 128, 4, 2, true", 1038, 128, true);
    is("layer_norm_best_f16", 1675, 10000, "layer_norm_fitted", "__half, 6, 256, 4, true, false", 1675, 224, true);   // fills L2
    is("layer_norm_best_f16", 425, 20000, "layer_norm_fitted", "__half, 7, 512, 2, false, false", 425, 384, true);
    is("layer_norm_best_f16", 1675, 20000, "layer_norm_fitted", "__half, 7, 512, 2, false, true", 1675, 384, true);
    is("layer_norm_best_f16", 1046, 32000, "layer_norm_overlap", "__half, 1024, 4, true", 1046, 1024, true);
    is("layer_norm_best_f32", 300, 16384, "layer_norm_fitted", "float, 8, 512, 2, false, false", 300, 512, true);
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

// ---- Traps -------------------------------------------------------------------------------------------------------

// 1 to 40 in 64 lanes' places: the variance is 133.25, and 24 lanes add 20.5 squared each.
TEST(LayerNormTraps, IdleLanesAddTheSquareOfTheMean) {
    const auto results = results_of("layer_norm_idle_lanes", inputs_of("layer_norm_idle_lanes"));
    // Rows of 40 in warps of 32: of the second turn of the second loop lanes 8 to 31 are named, once in each row.
    auto outcome = run(plan_of("layer_norm_idle_lanes", inputs_of("layer_norm_idle_lanes")), "ascending", true);
    ASSERT_TRUE(outcome.trace);
    outcome.trace->header.columns = 40;
    const auto mistakes = the_lesson().find("layer_norm_idle_lanes").mistakes(*outcome.trace);
    ASSERT_EQ(mistakes.size(), 2u);
    for (const auto& mistake : mistakes) EXPECT_EQ(mistake.lanes, 0xffffff00u);
    EXPECT_NE(mistakes[0].sentence.find("(0 - 20.5)^2 = 420.25"), std::string::npos) << mistakes[0].sentence;
    EXPECT_NE(mistakes[1].sentence.find("(0 - 60.5)^2 = 3660.25"), std::string::npos) << mistakes[1].sentence;
    // Lane 20 has 21, whose deviation is 0.5; what it adds in the next turn, without a load, is not that load's.
    double squares = -1;
    for (const trace::Record& record : outcome.trace->records)
        if (record.op == trace::Op::load && record.block == 0 && record.active == ~0u && record.has_after >> 20 & 1)
            squares = element_to_double(record.after_type, record.after[20]);   // of the second sum, which is the later
    EXPECT_EQ(squares, 0.25);
    const double variance = 133.25 + 24 * 20.5 * 20.5 / 40;
    EXPECT_NEAR((results[0] - biases_of(40)[0]) / weights_of(40)[0], (1 - 20.5) / std::sqrt(variance + 1e-5), 1e-5);
}

TEST(LayerNormTraps, MergingNothingWithNothing) {
    for (const double result : results_of("layer_norm_merge_unguarded", inputs_of("layer_norm_merge_unguarded")))
        EXPECT_TRUE(std::isnan(result));
    // A warp that is full has no such lanes.
    const auto full = with_rows("layer_norm_merge_unguarded", 1, 32);
    expect_right("layer_norm_merge_unguarded", full);
}

// Values near 4096 with a spread of 2^-6: the float next to 2^24 is 2 away, and the variance is 2^-12.
TEST(LayerNormTraps, TheDifferenceOfTwoLargeNumbers) {
    std::vector<double> row(64);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = 4096 + (i % 2 ? 0x1p-6 : -0x1p-6);
    const auto of = [&](const char* variant) {
        return (results_of(variant, row_inputs(variant, row))[1] - biases_of(64)[1]) / weights_of(64)[1];
    };
    const double right = 0x1p-6 / std::sqrt(0x1p-12 + 1e-5);
    EXPECT_NEAR(of("layer_norm_f32"), right, 1e-4);
    EXPECT_NEAR(of("layer_norm_welford"), right, 0.05);
    EXPECT_GT(std::abs(of("layer_norm_squares") - right), 0.5);
}

// The variance is 0, and 1 / sqrt(0 / (200 + epsilon)) times 0 is NaN.
TEST(LayerNormTraps, EpsilonInTheCount) {
    for (const double result : results_of("layer_norm_epsilon_in_count", inputs_of("layer_norm_epsilon_in_count")))
        EXPECT_TRUE(std::isnan(result));
}

}  // namespace
