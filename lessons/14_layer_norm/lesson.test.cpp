#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>

#include "common/base/error.hpp"
#include "common/lesson/provenance.testing.hpp"
#include "common/lesson/rows.testing.hpp"
#include "common/steps/steps.hpp"
#include "lessons/14_layer_norm/case.hpp"
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

TEST(LayerNorm, ManyShortRowsOnAGpu) { expect_many_short_rows_are_right_on_a_gpu(); }

TEST(LayerNorm, ManyLongRowsOnAGpu) { expect_many_long_rows_are_right_on_a_gpu(); }

TEST(LayerNorm, ManyLongRowsThatNearlyFillL2OnAGpu) { expect_many_long_rows_that_nearly_fill_l2_are_right_on_a_gpu(); }

// One row begins with 32768 and has values from 0 to 1 else: sums about its first value are not used, nor those of a row that
// goes with it. Those of the others are.
TEST(LayerNorm, FloatsWhoseFirstValueIsFarFromTheMeanOnAGpu) {
    on_a_gpu_with_each_variant([](launch::Backend& gpu, const lesson::Machine& machine, const lesson::Variant& variant) {
        if (variant.name != "layer_norm_best_f32") return;
        const std::uint64_t bytes_in_l2 = machine.l2_bytes / 40 * 13;   // 0.65 of it with the results
        for (const std::uint64_t bytes : {std::uint64_t{16} << 20, bytes_in_l2})
            for (const std::uint64_t columns : {2001u, 3001u, 5000u, 6001u, 8192u, 9001u, 12001u, 12288u, 15000u, 16384u,
                                                18001u, 18432u, 20480u}) {
                lesson::Inputs inputs = with_rows(variant.name, (bytes / (4 * columns) + 2) / 3 * 3, columns);
                inputs.kind = "huge";
                inputs.machine = machine;
                ASSERT_EQ(inputs.n / 3 % columns, 0u);
                ASSERT_EQ(inputs.part(inputs.n / 3, 1).front(), 32768);
                const launch::Plan plan = plan_of(variant.name, inputs);
                expect_verified(plan, run(gpu, plan), fmt::format("{} rows of {}", rows_of(inputs).count, columns));
            }
    });
}

TEST(LayerNorm, RowsOfEveryKindOfLength) {
    for (const lesson::Variant* variant : right_variants())
        for (const std::uint64_t columns : {1u, 31u, 32u, 33u, 520u, 4097u})
            expect_right(variant->name, with_rows(variant->name, 3, columns));
}

// Mean and variance of 200 rows that `values_of` makes, by sums in float of values less a pivot, one after the other, and by
// two walks where the mean is not near it: as held_moments.cuh decides. They are no further off than the bound says, and some
// rows lie on each side of 31 variances.
void expect_sums_within_bound(Element element, Way way, bool about_first,
                              const std::function<std::vector<float>(int row, std::size_t n)>& values_of) {
    int near = 0, far = 0;
    for (int row = 0; row < 200; ++row) {
        const std::size_t n = 50 + static_cast<std::size_t>(row) * 7;
        const std::vector<float> values = values_of(row, n);
        const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(n);
        double variance = 0, magnitude = 0, largest = 0;
        for (const double value : values) {
            variance += (value - mean) * (value - mean) / static_cast<double>(n);
            magnitude += std::abs(value) / static_cast<double>(n);
            largest = std::max(largest, std::abs(value));
        }
        const float pivot = about_first ? values[0] : 0.0f;
        float sum = 0, squares = 0;
        for (const float value : values) {
            const float apart = value - pivot;
            sum += apart;
            squares = std::fma(apart, apart, squares);
        }
        const float count = static_cast<float>(n), apart = sum / count;
        float found = pivot + apart, m2 = std::fma(-sum, apart, squares);
        if (m2 * 32 >= squares) {
            ++near;
        } else {
            ++far;
            sum = m2 = 0;
            for (const float value : values) sum += value;
            found = sum / count;
            for (const float value : values) m2 = std::fma(value - found, value - found, m2);
        }
        const Errors errors = errors_of(mean, variance, magnitude, largest, values[0],
                                        {.element = element, .way = way, .additions = double(n)});
        EXPECT_LE(std::abs(found - mean), errors.mean) << row;
        EXPECT_LE(std::abs(m2 / count - variance), errors.variance) << row;
        EXPECT_LT(errors.variance, variance / 100) << row;   // a small part
    }
    EXPECT_GT(near, 50);
    EXPECT_GT(far, 50);
}

// From -0.5 to 0.5, one after the other.
class Uniform {
public:
    double next() {
        state_ = state_ * 1664525u + 1013904223u;
        return state_ / 4294967296.0 - 0.5;
    }

private:
    std::uint32_t state_ = 1;
};

// Halves whose mean is 0 to 9 times their spread.
TEST(LayerNorm, SumsOfSquaresStayWithinTheirBoundWhereTheMeanIsNear) {
    Uniform uniform;
    expect_sums_within_bound(Element::f16, Way::squares_if_near, false, [&](int row, std::size_t n) {
        std::vector<float> values(n);
        for (float& value : values)
            value = static_cast<float>(std::round((row * 0.013 + uniform.next()) * 512) / 512);   // 11 bits
        return values;
    });
}

// Floats about 3, the first one 0 to 12 times their spread further.
TEST(LayerNorm, SumsOfSquaresAboutTheFirstValueStayWithinTheirBound) {
    Uniform uniform;
    expect_sums_within_bound(Element::f32, Way::squares_about_first, true, [&](int row, std::size_t n) {
        std::vector<float> values(n);
        for (float& value : values) value = static_cast<float>(3 + uniform.next());
        values[0] = static_cast<float>(3 + row * 0.018);
        return values;
    });
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
