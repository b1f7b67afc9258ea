// Values with parts: exchanged part by part, one step to the learner.
#include <gtest/gtest.h>

#include "common/steps/testing/programs.testing.hpp"

namespace lanewise::steps {
namespace {

using namespace testing;

TEST(Parts, AreOneStep) {
    Pairs pairs;
    auto warp = pairs.made.warp(0, 0);
    pairs.round(warp, 16);
    pairs.round(warp, 8);
    const Steps steps = build_steps(pairs.made.trace);
    ASSERT_EQ(steps.size(), 2u);
    EXPECT_EQ(steps.steps[0].label, "xor 16");
    EXPECT_EQ(steps.steps[0].stage, "warp rounds");
    const WarpStep& part = *steps.steps[0].find(kFirst);
    EXPECT_EQ(part.records, (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(part.parts, (std::vector<std::string>{"max", "sum"}));
    EXPECT_EQ(steps.steps[1].counters.at(0).shuffles, 2u);  // rounds, not instructions
}

TEST(Parts, BothAreHeldAfterwards) {
    Pairs pairs;
    auto warp = pairs.made.warp(0, 0);
    pairs.round(warp, 16);
    const Steps steps = build_steps(pairs.made.trace);
    const LaneValues& held = steps.lane_values(0, kFirst);
    EXPECT_EQ(held.bits[3], to_bits(19.0f));
    ASSERT_EQ(held.more.size(), 1u);
    EXPECT_EQ(held.more[0].known, kAllLanes);
    EXPECT_EQ(held.more[0].bits[3], to_bits(2.0f));
}

// A number that comes after is no pair any more.
TEST(Parts, ANumberHasNone) {
    Pairs pairs;
    pairs.made.statement(8, Effect::join, "value");
    auto warp = pairs.made.warp(0, 0);
    pairs.round(warp, 16);
    warp.values.fill(1);
    warp.shuffle_sum(8, Op::shfl_xor, 1);
    const Steps steps = build_steps(pairs.made.trace);
    ASSERT_EQ(steps.size(), 2u);
    EXPECT_TRUE(steps.steps[1].find(kFirst)->parts.empty());
    EXPECT_EQ(steps.lane_values(1, kFirst).more.at(0).known, 0u);
}

TEST(Parts, OfTwoValuesOrOfTwoMasksAreTwoSteps) {
    Pairs other;
    other.made.trace.header.statements[1].offers = "else.sum";
    auto one = other.made.warp(0, 0);
    other.round(one, 16);
    EXPECT_EQ(build_steps(other.made.trace).size(), 2u);

    Pairs masks;
    auto warp = masks.made.warp(0, 0);
    masks.round(warp, 16);
    masks.made.trace.records[1].arg.fill(8);
    EXPECT_EQ(build_steps(masks.made.trace).size(), 2u);

    // Recorded before files held parts.
    Pairs old;
    for (trace::Statement& statement : old.made.trace.header.statements) statement.offers.clear();
    auto before = old.made.warp(0, 0);
    old.round(before, 16);
    EXPECT_EQ(build_steps(old.made.trace).size(), 2u);
}

TEST(Parts, AreShownTogether) {
    Pairs pairs;
    auto warp = pairs.made.warp(0, 0);
    pairs.round(warp, 16);
    const Steps steps = build_steps(pairs.made.trace);
    EXPECT_EQ(formula(steps, 0, kFirst, 3),
              "lane 3 ← lane 19 = 3 xor 16: 00011 ^ 10000 = 10011; join((3, 1), (19, 1)) = (19, 2)");
    pairs.made.trace.header.statements[2].call.clear();
    EXPECT_EQ(formula_parts(build_steps(pairs.made.trace), 0, kFirst, 3).arithmetic,
              "(3, 1), received (19, 1), now (19, 2)");
}

}  // namespace
}  // namespace lanewise::steps
