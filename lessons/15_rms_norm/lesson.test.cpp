#include <cmath>
#include <limits>
#include <numeric>

#include "common/base/error.hpp"
#include "common/check/checker.hpp"
#include "common/lesson/provenance.testing.hpp"
#include "common/lesson/rows.testing.hpp"
#include "common/steps/steps.hpp"
#include "lessons/15_rms_norm/case.hpp"
#include "lessons/on_a_gpu.testing.hpp"

namespace {

using namespace lanewise;
using namespace lanewise::lesson::testing;
using namespace rms_norm;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

lesson::Inputs with_epsilon(lesson::Inputs inputs, const std::string& epsilon) {
    inputs.controls = lesson::ChosenControls({{"epsilon", epsilon}});
    return inputs;
}

// ---- Right for every row -----------------------------------------------------------------------------------------

TEST(RmsNorm, AnyLengthBeginningAndInput) {
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

TEST(RmsNorm, RightKernelsCountNoInputTwice) {
    for (const lesson::Variant* variant : right_variants()) expect_no_input_counted_twice(variant->name);
}

TEST(RmsNorm, SharedPacksAreShownAsFloats) { expect_shared_packs_are_named("rms_norm_best_f32"); }

TEST(RmsNorm, SmallAndOddSizesOnAGpu) { expect_small_and_odd_sizes_are_right_on_a_gpu(); }

TEST(RmsNorm, ManyShortRowsOnAGpu) { expect_many_short_rows_are_right_on_a_gpu(); }

TEST(RmsNorm, ManyLongRowsOnAGpu) { expect_many_long_rows_are_right_on_a_gpu(); }

TEST(RmsNorm, ManyLongRowsThatNearlyFillL2OnAGpu) { expect_many_long_rows_that_nearly_fill_l2_are_right_on_a_gpu(); }

TEST(RmsNorm, RowsOfEveryKindOfLength) {
    for (const lesson::Variant* variant : right_variants())
        for (const std::uint64_t columns : {1u, 31u, 32u, 33u, 520u, 4097u})
            expect_right(variant->name, with_rows(variant->name, 3, columns));
}

// 3 / sqrt((9 + 16) / 2) * 0.5 and 4 / sqrt(12.5) * 0.75.
TEST(RmsNorm, OfThreeAndFour) {
    for (const lesson::Variant* variant : right_variants()) {
        const auto results = results_of(variant->name, row_inputs(variant->name, {3, 4}));
        ASSERT_EQ(results.size(), 2u) << variant->name;
        EXPECT_NEAR(results[0], 0.4242640687, 0.002) << variant->name;
        EXPECT_NEAR(results[1], 0.8485281374, 0.003) << variant->name;
    }
}

// ---- Rows and epsilons that are out of the ordinary --------------------------------------------------------------

TEST(RmsNorm, OfZerosAndEpsilonZeroIsNan) {
    for (const lesson::Variant* variant : right_variants()) {
        const auto zeros = row_inputs(variant->name, std::vector<double>(40, 0.0));
        expect_right(variant->name, with_epsilon(zeros, "0"));
        for (const double result : results_of(variant->name, with_epsilon(zeros, "0")))
            EXPECT_TRUE(std::isnan(result)) << variant->name;
        for (const double result : results_of(variant->name, zeros)) EXPECT_EQ(result, 0) << variant->name;
    }
}

TEST(RmsNorm, ANanOrAnInfinityInTheRow) {
    for (const lesson::Variant* variant : right_variants()) {
        std::vector<double> row(70, 1.0);
        row[66] = std::nan("");
        expect_right(variant->name, row_inputs(variant->name, row));
        for (const double result : results_of(variant->name, row_inputs(variant->name, row)))
            EXPECT_TRUE(std::isnan(result)) << variant->name;
        row[66] = -kInfinity;  // the root is infinite: 1 / infinity is 0, and infinity * 0 is NaN
        expect_right(variant->name, row_inputs(variant->name, row));
        const auto results = results_of(variant->name, row_inputs(variant->name, row));
        for (std::size_t i = 0; i < row.size(); ++i)
            EXPECT_TRUE(i == 66 ? std::isnan(results[i]) : results[i] == 0) << variant->name << " " << i;
    }
}

TEST(RmsNorm, SquaresBeyondTheLargestFloatMakeTheRowZero) {
    std::vector<double> row(40, 1.0);
    row[7] = 1e20;
    expect_right("rms_norm_f32", row_inputs("rms_norm_f32", row));
    for (const double result : results_of("rms_norm_f32", row_inputs("rms_norm_f32", row))) EXPECT_EQ(result, 0);
}

TEST(RmsNorm, ANegativeEpsilonIsRefused) {
    const auto* control = the_lesson().find_control("epsilon");
    ASSERT_NE(control, nullptr);
    EXPECT_THROW(control->check("-1e-5"), Error);
    control->check("0");
}

TEST(RmsNorm, NoRowsAndNoColumns) {
    EXPECT_EQ(rows_of(with_rows("rms_norm_f32", 3, 5)).count, 3u);
    lesson::Inputs inputs = with_rows("rms_norm_f32", 1, 7);
    inputs.n = 9;  // no whole rows of 7
    EXPECT_EQ(rows_of(inputs).count, 1u);
    EXPECT_EQ(rows_of(inputs).columns, 9u);
}

// ---- Bytes, barriers ---------------------------------------------------------------------------------------------

steps::Step::Counters counted(const std::string& variant, std::uint64_t columns) {
    const auto outcome = run(plan_of(variant, with_rows(variant, 2, columns)), "ascending", true);
    return steps::build_steps(*outcome.trace).steps.back().counters.at(0);
}

// Of the first row's block: what is read, the weight with it, and what is written, for each value.
TEST(RmsNorm, BytesForEachValue) {
    const auto bytes = [](const std::string& variant, std::uint64_t columns) {
        return static_cast<double>(counted(variant, columns).global_bytes) / static_cast<double>(columns);
    };
    EXPECT_EQ(bytes("rms_norm_f32", 200), 4 * 4);
    EXPECT_EQ(bytes("rms_norm_f16_f32", 200), 2 * 4);
    EXPECT_EQ(bytes("rms_norm_registers_f32", 600), 4 * 3);
    EXPECT_EQ(bytes("rms_norm_registers_f16", 600), 2 * 3);
    EXPECT_EQ(bytes("rms_norm_two_reads_f32", 600), 4 * 4);
}

TEST(RmsNorm, Barriers) {
    EXPECT_EQ(counted("rms_norm_one_thread", 200).block_barriers, 2u);
    EXPECT_EQ(counted("rms_norm_f32", 200).block_barriers, 1u);
    EXPECT_EQ(counted("rms_norm_row_a_warp_f32", 100).block_barriers, 0u);
}

// ---- Routes ------------------------------------------------------------------------------------------------------

TEST(RmsNorm, TheBestIsRightInEveryRoute) {
    for (const char* variant : {"rms_norm_best_f32", "rms_norm_best_f16", "rms_norm_best_bf16"})
        for (const std::uint64_t columns : {5u, 1000u, 3000u, 20000u})
            expect_right(variant, with_rows(variant, 1, columns));
}

// Rows that begin within a pack, more of them than there are blocks: a block takes several.
TEST(RmsNorm, RowsThatBeginAnywhereAreRight) {
    for (const char* variant : {"rms_norm_best_f32", "rms_norm_best_f16", "rms_norm_best_bf16"})
        for (const std::uint64_t columns : {1u, 7u, 33u, 511u, 1001u, 4099u}) {
            lesson::Inputs inputs = with_rows(variant, 19, columns);
            inputs.offset = static_cast<std::uint32_t>(columns % 3);
            expect_right(variant, inputs);
        }
}

TEST(RmsNorm, RowsShorterThanAPackAreNotReadPastTheArray) { expect_short_rows_stay_inside("rms_norm"); }

// ---- Traps -------------------------------------------------------------------------------------------------------

TEST(RmsNormTraps, WithoutTheBarrierThereIsARace) {
    launch::Request request;
    request.checks = true;
    const auto plan = plan_of("rms_norm_no_barrier", inputs_of("rms_norm_no_barrier"));
    const auto outcome = check::make_emulator()->run(plan, kernels(), request);
    EXPECT_TRUE(std::any_of(outcome.findings.begin(), outcome.findings.end(), [](const trace::Finding& finding) {
        return finding.kind.find("race") != std::string::npos;
    }));
}

// Ones: the mean square is 1 and so are the results, the weight taken off. 32 of 36 squares make 8/9 of it.
TEST(RmsNormTraps, AFlooredWarpCountScalesByTheRootOfNineEighths) {
    const std::vector<double> ones(36, 1.0), weight = weights_of(36);
    const auto floored = results_of("rms_norm_warps_floored", row_inputs("rms_norm_warps_floored", ones));
    const auto right = results_of("rms_norm_f32", row_inputs("rms_norm_f32", ones));
    for (std::size_t i = 0; i < ones.size(); ++i) {
        EXPECT_NEAR(floored[i] / weight[i], std::sqrt(9.0 / 8.0), 1e-5);
        EXPECT_NEAR(right[i] / weight[i], 1, 1e-5);
    }
}

// Values of 2^-9 and epsilon 1e-5: the root of 2^-18 + 1e-5 is 3.72e-3, and 2^-9 + 1e-5 is 1.96e-3.
TEST(RmsNormTraps, EpsilonOutsideTheRoot) {
    const auto outside = results_of("rms_norm_epsilon_outside", inputs_of("rms_norm_epsilon_outside"));
    EXPECT_NEAR(outside[0] / 0.5, 0x1p-9 / (0x1p-9 + 1e-5), 1e-4);
    lesson::Inputs inputs = inputs_of("rms_norm_f32");
    inputs.kind = "small";
    EXPECT_NEAR(results_of("rms_norm_f32", inputs)[0] / 0.5, 0x1p-9 / std::sqrt(0x1p-18 + 1e-5), 1e-4);
}

}  // namespace
