#include "common/launch/verify.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "common/base/error.hpp"

namespace lanewise::launch {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// A plan with one output that must hold `reference`, and an outcome in which it holds `values`.
std::vector<Verdict> judge(const std::vector<float>& values, const std::vector<double>& reference, double bound,
                           bool summed = false) {
    Plan plan;
    const auto out = plan.output<float>("out", values.size());
    plan.expect(out, reference, bound, "as the test says", summed);
    Outcome outcome;
    const auto bytes = std::as_bytes(std::span(values));
    outcome.buffers.emplace_back(bytes.begin(), bytes.end());
    return verify(plan, outcome);
}

TEST(Verify, FindsTheWorstElement) {
    const auto verdicts = judge({1, 2.5f, 3.125f}, {1, 2, 3}, 0.5);
    ASSERT_EQ(verdicts.size(), 1u);
    EXPECT_EQ(verdicts[0].value, 1);
    EXPECT_EQ(verdicts[0].error, 0.5);
    EXPECT_EQ(verdicts[0].worst_index, 1u);
    EXPECT_TRUE(verdicts[0].ok);
    EXPECT_FALSE(judge({1, 2.5f, 3.125f}, {1, 2, 3}, 0.25)[0].ok);
}

TEST(Verify, OnlyTheElementsWithAReferenceCount) { EXPECT_TRUE(judge({1, 99}, {1}, 0)[0].ok); }

// A part of a long output, each element with a bound of its own: the one nearest to it is reported.
TEST(Verify, EachElementMayHaveItsBound) {
    const auto judge_each = [](std::vector<double> bounds) {
        Plan plan;
        const auto out = plan.output<float>("out", 5).from(1);
        plan.expect_each(out, 1, {10, 20}, std::move(bounds), "as the test says");
        Outcome outcome;
        const std::vector<float> values = {99, 99, 10.5f, 20.25f, 99};
        const auto bytes = std::as_bytes(std::span(values));
        outcome.buffers.emplace_back(bytes.begin(), bytes.end());
        return verify(plan, outcome).at(0);
    };
    EXPECT_TRUE(judge_each({0.5, 0.5}).ok);
    EXPECT_EQ(judge_each({0.5, 0.5}).worst_index, 2u);
    EXPECT_EQ(judge_each({0.5, 0.5}).value, 10.5);
    const Verdict tight = judge_each({100, 0.125});
    EXPECT_FALSE(tight.ok);
    EXPECT_EQ(tight.worst_index, 3u);
    EXPECT_EQ(tight.error, 0.25);
    EXPECT_EQ(tight.bound, 0.125);
    EXPECT_FALSE(judge_each({0, 1}).ok);
    EXPECT_THROW(judge_each({1}), Error);
}

TEST(Verify, ANanIsInfinitelyWrongExceptWhereOneIsDue) {
    const auto wrong = judge({0, kNan}, {0, 1}, 1e30)[0];
    EXPECT_TRUE(std::isinf(wrong.error));
    EXPECT_FALSE(wrong.ok);
    EXPECT_EQ(wrong.worst_index, 1u);
    EXPECT_FALSE(judge({1}, {std::nan("")}, 1e30)[0].ok);
    EXPECT_TRUE(judge({kNan}, {std::nan("")}, 0)[0].ok);
    EXPECT_TRUE(judge({kInfinity}, {std::numeric_limits<double>::infinity()}, 0)[0].ok);
    EXPECT_FALSE(judge({-kInfinity}, {std::numeric_limits<double>::infinity()}, 1e30)[0].ok);
}

TEST(Verify, PartialSumsAreAddedByTheHost) {
    const auto verdict = judge({1, 2, 3, 4.5f}, {10}, 0.5, true)[0];
    EXPECT_EQ(verdict.value, 10.5);
    EXPECT_EQ(verdict.error, 0.5);
    EXPECT_TRUE(verdict.ok);
    EXPECT_FALSE(judge({1, kNan}, {1}, 1, true)[0].ok);
}

TEST(Verify, AnExpectationThatDoesNotFitIsASentence) {
    EXPECT_THROW(judge({1}, {1, 2}, 0), Error);
    EXPECT_THROW(judge({1}, {}, 0), Error);
}

}  // namespace
}  // namespace lanewise::launch
