#include <gtest/gtest.h>

#include "common/steps/programs.testing.hpp"

namespace lanewise::steps {
namespace {

using namespace testing;

TEST(Counters, TwoLevel) {
    const Trace trace = two_level();
    const Steps steps = build_steps(trace);
    const auto at = [&](std::size_t step) { return steps.steps[step].counters.at(1); };
    EXPECT_EQ(at(0).lanes_at_work, 256u);
    EXPECT_EQ(at(0).global_accesses, 256u);
    EXPECT_EQ(at(5).shuffles, 5u);
    EXPECT_EQ(at(6).lanes_at_work, 8u);     // store warp_sums
    EXPECT_EQ(at(6).shared_accesses, 8u);
    EXPECT_EQ(at(7).lanes_at_work, 256u);   // barrier
    EXPECT_EQ(at(7).block_barriers, 1u);
    EXPECT_EQ(at(8).lanes_at_work, 8u);
    EXPECT_EQ(at(8).shared_accesses, 16u);
    EXPECT_EQ(at(9).lanes_at_work, 32u);
    EXPECT_EQ(at(11).shuffles, 8u);
    EXPECT_EQ(at(12).lanes_at_work, 1u);
    EXPECT_EQ(at(12).atomics, 1u);
    EXPECT_EQ(at(12).warp_barriers, 0u);
    EXPECT_EQ(at(12).global_accesses, 256u);
}

TEST(Counters, SharedTree) {
    const Trace trace = shared_tree(128);
    const Steps steps = build_steps(trace);
    const Step::Counters& round = steps.steps[3].counters.at(0);
    EXPECT_EQ(round.lanes_at_work, 64u);
    EXPECT_EQ(round.shared_accesses, 128u + 3 * 64u);
    EXPECT_EQ(steps.steps.back().counters.at(0).block_barriers, 8u);
    EXPECT_EQ(steps.steps.back().counters.at(0).shuffles, 0u);
}

TEST(Counters, WarpsSideBySideAreOneRound) {
    TraceBuilder made;
    for (std::uint32_t number = 0; number < 4; ++number) {
        auto warp = made.warp(0, number);
        warp.sync_warp(3);
        if (number == 2) warp.sync_warp(4, 0xf);
    }
    const Steps steps = build_steps(made.trace);
    EXPECT_EQ(steps.steps[0].counters.at(0).warp_barriers, 1u);
    EXPECT_EQ(steps.steps[1].counters.at(0).warp_barriers, 2u);
    EXPECT_EQ(steps.steps[1].counters.at(0).lanes_at_work, 4u);
}

}  // namespace
}  // namespace lanewise::steps
