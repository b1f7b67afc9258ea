#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "common/base/error.hpp"
#include "common/check/checker.hpp"
#include "common/lesson/provenance.testing.hpp"
#include "common/lesson/rows.testing.hpp"
#include "common/steps/steps.hpp"
#include "lessons/13_softmax/case.hpp"
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

TEST(Softmax, ManyShortRowsOnAGpu) { expect_many_short_rows_are_right_on_a_gpu(); }

TEST(Softmax, ManyLongRowsOnAGpu) { expect_many_long_rows_are_right_on_a_gpu(); }

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
