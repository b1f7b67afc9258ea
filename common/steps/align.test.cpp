#include <gtest/gtest.h>

#include "common/steps/programs.testing.hpp"

namespace lanewise::steps {
namespace {

using namespace testing;

// Every step once, in order, and equal stages in every pair. The number of pairs.
std::size_t check(const Steps& a, const Steps& b) {
    std::size_t i = 0, j = 0, pairs = 0;
    for (const auto& [k, l] : align(a, b)) {
        EXPECT_TRUE(k != kNoStep || l != kNoStep);
        EXPECT_TRUE(k == kNoStep || k == i++);
        EXPECT_TRUE(l == kNoStep || l == j++);
        if (k == kNoStep || l == kNoStep) continue;
        EXPECT_EQ(a.steps[k].stage, b.steps[l].stage);
        ++pairs;
    }
    EXPECT_EQ(i, a.size());
    EXPECT_EQ(j, b.size());
    return pairs;
}

TEST(Align, TheSameStepsPairOneToOne) {
    const Trace down = warp_tree(Op::shfl_down, {16, 8, 4, 2, 1});
    const Trace xors = warp_tree(Op::shfl_xor, {16, 8, 4, 2, 1});
    EXPECT_EQ(check(build_steps(down), build_steps(xors)), 6u);
}

TEST(Align, AMissingStageStandsAlone) {
    const Trace one = warp_tree(Op::shfl_xor, {16, 8, 4, 2, 1});
    const Trace two = two_level();
    EXPECT_EQ(check(build_steps(one), build_steps(two)), 6u);
    const auto pairs = align(build_steps(one), build_steps(two));
    EXPECT_EQ(pairs[5], (std::pair<std::size_t, std::size_t>{5, 5}));
    EXPECT_EQ(pairs[6], (std::pair<std::size_t, std::size_t>{kNoStep, 6}));
}

TEST(Align, TreeAgainstTwoLevel) {
    const Trace tree = shared_tree(256);
    const Trace two = two_level(8, 1);
    // The load, the five rounds inside a warp, and one exchange.
    EXPECT_EQ(check(build_steps(tree), build_steps(two)), 7u);
}

TEST(Align, WithNothing) {
    const Trace one = warp_tree(Op::shfl_xor, {16});
    EXPECT_EQ(check(build_steps(one), Steps()), 0u);
    EXPECT_EQ(check(Steps(), build_steps(one)), 0u);
}

TEST(Align, LongRunsWithoutATable) {
    Steps a, b;
    for (int i = 0; i < 6000; ++i) {
        a.steps.emplace_back().stage = i < 5000 ? "load" : "finish";
        b.steps.emplace_back().stage = i < 3000 ? "load" : "finish";
    }
    EXPECT_EQ(check(a, b), 4000u);
}

}  // namespace
}  // namespace lanewise::steps
