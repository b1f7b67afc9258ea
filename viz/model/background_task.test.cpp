#include "viz/model/background_task.hpp"

#include <atomic>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "common/steps/testing/programs.testing.hpp"
#include "viz/model/run_view.hpp"
#include "viz/testing/sample_runs.hpp"

namespace lanewise::viz {
namespace {

using Clock = std::chrono::steady_clock;

// Continues until it is asked to stop; ten seconds at most, so that a failure is reported.
struct Endless {
    std::promise<void> begun;
    std::atomic<bool> stopped = false;

    int operator()(const std::stop_token& stop) {
        begun.set_value();
        for (int i = 0; i < 10000; ++i) {
            stopped = stop.stop_requested();
            check_stop(stop);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return 1;
    }
};

TEST(BackgroundTask, IsAskedToStopAtItsEnd) {
    Endless endless;
    {
        BackgroundTask<int> later;
        later.begin([&](const auto& stop) { return endless(stop); });
        endless.begun.get_future().wait();
        EXPECT_EQ(later.get(false), nullptr);
        EXPECT_TRUE(later.busy());
    }
    EXPECT_TRUE(endless.stopped);
}

TEST(BackgroundTask, WhatIsBegunAnewTakesThePlaceOfTheOld) {
    Endless endless;
    BackgroundTask<int> later;
    later.begin([&](const auto& stop) { return endless(stop); });
    endless.begun.get_future().wait();
    later.begin([](const auto&) { return 2; });
    EXPECT_TRUE(endless.stopped);
    EXPECT_EQ(*later.get(true), 2);
}

TEST(BackgroundTask, WhatWasGivenUpIsNeverThere) {
    Endless endless;
    BackgroundTask<int> later;
    EXPECT_TRUE(later.give_up());   // nothing was begun
    later.begin([&](const auto& stop) { return endless(stop); });
    endless.begun.get_future().wait();
    bool ended = later.give_up();
    for (int i = 0; i < 5000 && !ended; ++i) {
        EXPECT_EQ(later.get(false), nullptr);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ended = later.give_up();
    }
    EXPECT_TRUE(ended);
    EXPECT_EQ(later.get(true), nullptr);
    later.begin([](const auto&) { return 3; });
    EXPECT_EQ(*later.get(true), 3);
    EXPECT_TRUE(later.give_up());
    EXPECT_EQ(*later.get(false), 3);   // what is there stays
}

// The lens of a run that is not shown any more is not waited for: the window closes at once.
TEST(RunView, EndsWithoutWaitingForItsLens) {
    const auto run = samples::run_of(steps::testing::turns_of_one_warp(600), "long");
    bool soon = false;
    for (int attempt = 0; attempt < 10 && !soon; ++attempt) {
        auto began = Clock::now();
        ASSERT_NE(RunView(run).exact(true), nullptr);
        const auto whole = Clock::now() - began;
        std::optional<RunView> shown(run);
        if (shown->exact(false)) continue;
        began = Clock::now();
        shown.reset();
        soon = Clock::now() - began < whole / 4;
    }
    EXPECT_TRUE(soon);
}

}  // namespace
}  // namespace lanewise::viz
