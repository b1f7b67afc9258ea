// Work on a long run can be given up.
#include <chrono>
#include <stop_token>
#include <thread>

#include <gtest/gtest.h>

#include "common/rounding/addition_tree.hpp"
#include "common/steps/testing/programs.testing.hpp"
#include "common/rounding/rounding.hpp"

namespace lanewise::rounding {

using steps::Steps;

namespace {

using namespace steps::testing;
using Clock = std::chrono::steady_clock;

TEST(Stopping, NothingIsWorkedOutOnceItWasAskedFor) {
    const Trace trace = turns_of_one_warp(20);
    const Steps steps = steps::build_steps(trace);
    const RoundingLens lens = build_rounding(steps);
    const WarpRef warp = steps.warps.front();
    const std::int32_t root = sum_of_lane(steps, lens, warp, 0);
    std::stop_source source;
    EXPECT_EQ(build_rounding(steps, source.get_token()).sums.size(), lens.sums.size());   // not asked to yet
    EXPECT_EQ(build_addition_tree(steps, lens, root, source.get_token())[0].leaves, 640u);
    source.request_stop();
    EXPECT_THROW(build_rounding(steps, source.get_token()), Stopped);
    EXPECT_THROW(build_addition_tree(steps, lens, root, source.get_token()), Stopped);
}

// Asked for early in the work, it ends long before it would be done. Another program may take the processor just then:
// one of some tries is enough.
TEST(Stopping, TheLensOfALongRunEndsSoonAfterItWasAskedFor) {
    const Trace trace = turns_of_one_warp(600);
    const Steps steps = steps::build_steps(trace);
    bool soon = false;
    for (int attempt = 0; attempt < 20 && !soon; ++attempt) {
        const auto began = Clock::now();
        ASSERT_EQ(build_rounding(steps).why_not, "");
        const auto whole = Clock::now() - began;
        std::stop_source source;
        Clock::time_point asked;
        std::jthread asks([&] {
            std::this_thread::sleep_for(whole / 4);
            asked = Clock::now();
            source.request_stop();
        });
        bool stopped = false;
        try {
            build_rounding(steps, source.get_token());
        } catch (const Stopped&) {
            stopped = true;
        }
        const auto ended = Clock::now();
        asks.join();
        soon = stopped && ended - asked < whole / 4;
    }
    EXPECT_TRUE(soon);
}

}  // namespace
}  // namespace lanewise::rounding
