#include "common/run/services.hpp"
#include "viz/app/run_loader.hpp"

#include <atomic>
#include <condition_variable>
#include <future>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "viz/testing/sample_runs.hpp"

namespace lanewise::viz {
namespace {

using namespace std::chrono_literals;

// A measurement of three parts, each of which waits until it is let go.
class Gate {
public:
    timing::TimingTable measure(const run::SweepWatch& watch) {
        timing::TimingTable table;
        for (std::size_t part = 0; part < 3; ++part) {
            if (watch.cancelled()) {
                ended_early = true;
                table.partial = "interrupted";
                return table;
            }
            watch.progress(part, 3, "part " + std::to_string(part));
            std::unique_lock lock(mutex_);
            ++waiting_;
            changed_.notify_all();
            changed_.wait(lock, [&] { return let_go_ > part; });
            table.rows.emplace_back();
        }
        table.gpu = "This GPU";
        return table;
    }
    void until_waiting(int count) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return waiting_ >= count; });
    }
    void let_go(std::size_t parts) {
        const std::lock_guard lock(mutex_);
        let_go_ = parts;
        changed_.notify_all();
    }
    std::atomic<bool> ended_early = false;

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int waiting_ = 0;
    std::size_t let_go_ = 0;
};

struct Loaded {
    Gate gate;
    RunLoader loader{samples::presentation().services.run, {}, {}};

    explicit Loaded(const std::string& why_not = "") {
        loader.offer_sizes([this](const run::SweepWatch& watch) { return gate.measure(watch); },
                           [why_not] { return why_not; });
        loader.wait("warp_sum_xor");
        loader.wait_for_times();
    }
    void until_ended() {
        while (loader.sizes_state().running) std::this_thread::sleep_for(1ms);
    }
};

TEST(RunLoader, MeasuresOverSizesWithoutHoldingUpAFrame) {
    Loaded loaded;
    EXPECT_TRUE(loaded.loader.sizes_state().possible);
    EXPECT_EQ(loaded.loader.sizes(), nullptr);
    loaded.loader.begin_sizes();
    loaded.gate.until_waiting(1);
    // It waits within its first part: what a frame asks is answered at once.
    const MeasureState state = loaded.loader.sizes_state();
    EXPECT_TRUE(state.running);
    EXPECT_EQ(state.done, 0u);
    EXPECT_EQ(state.all, 3u);
    EXPECT_EQ(state.what, "part 0");
    loaded.loader.begin_sizes();   // a second click: nothing
    // A run that is asked for now is made before the next part.
    EXPECT_FALSE(loaded.loader.get("block_sum_two_level").done());
    loaded.gate.let_go(1);
    loaded.gate.until_waiting(2);
    EXPECT_TRUE(loaded.loader.get("block_sum_two_level").done());
    loaded.gate.let_go(3);
    loaded.until_ended();
    ASSERT_NE(loaded.loader.sizes(), nullptr);
    EXPECT_EQ(loaded.loader.sizes()->rows.size(), 3u);
    EXPECT_EQ(loaded.loader.sizes_state().note, "");
}

TEST(RunLoader, ACancelledMeasurementLeavesWhatWasKnown) {
    Loaded loaded;
    loaded.loader.begin_sizes();
    loaded.gate.until_waiting(1);
    loaded.loader.cancel_sizes();
    EXPECT_TRUE(loaded.loader.sizes_state().cancelling);
    loaded.gate.let_go(1);
    loaded.until_ended();
    EXPECT_TRUE(loaded.gate.ended_early);
    EXPECT_EQ(loaded.loader.sizes(), nullptr);
    EXPECT_NE(loaded.loader.sizes_state().note.find("was ended"), std::string::npos);
    EXPECT_TRUE(loaded.loader.sizes_state().possible);   // and can begin again
}

TEST(RunLoader, ClosingEndsAMeasurement) {
    Gate gate;
    std::future<void> letting;
    {
        RunLoader loader(samples::presentation().services.run, {}, {});
        loader.offer_sizes([&](const run::SweepWatch& watch) { return gate.measure(watch); }, {});
        loader.wait("warp_sum_xor");
        loader.wait_for_times();
        loader.begin_sizes();
        gate.until_waiting(1);
        letting = std::async(std::launch::async, [&] {
            std::this_thread::sleep_for(20ms);
            gate.let_go(1);
        });
    }
    EXPECT_TRUE(gate.ended_early);   // after one part of three
}

TEST(RunLoader, ClosingCancelsARun) {
    std::promise<void> began, cancelled;
    const auto run = [&](const std::string& name) {
        began.set_value();
        cancelled.get_future().wait();   // it has no end of its own
        return samples::presentation().services.run(name);
    };
    {
        RunLoader loader(run, {}, {});
        loader.offer_cancel([&] { cancelled.set_value(); });
        loader.get("warp_sum_xor");
        began.get_future().wait();
    }
    SUCCEED();
}

TEST(RunLoader, WhereNothingCanBeMeasuredItSaysWhy) {
    Loaded loaded("No GPU was found.");
    EXPECT_TRUE(loaded.loader.sizes_state().known);
    EXPECT_EQ(loaded.loader.sizes_state().why_not, "No GPU was found.");
    loaded.loader.begin_sizes();
    EXPECT_FALSE(loaded.loader.sizes_state().running);
    RunLoader nothing(samples::presentation().services.run, {}, {});
    nothing.offer_sizes({}, {});
    EXPECT_FALSE(nothing.sizes_state().possible);
    EXPECT_NE(nothing.sizes_state().why_not, "");
}

TEST(RunLoader, AMeasurementThatFailsIsASentence) {
    RunLoader loader(samples::presentation().services.run, {}, {});
    loader.offer_sizes([](const run::SweepWatch&) -> timing::TimingTable { throw Error("The GPU went away."); }, {});
    loader.wait("warp_sum_xor");
    loader.wait_for_times();
    loader.begin_sizes();
    while (loader.sizes_state().running) std::this_thread::sleep_for(1ms);
    EXPECT_EQ(loader.sizes_state().note, "The GPU went away.");
    EXPECT_EQ(loader.sizes(), nullptr);
}

TEST(RunLoaderChanges, NamesHoldThemAndGiveThemBack) {
    const run::RunChanges changes{{"arg", "lane ^ 5"}, {"n", "33"}};
    const std::string name = name_of_changed_run(name_of_run_beside("a", {"a", "b"}), changes);
    EXPECT_EQ(changed_run_of(name).first, name_of_run_beside("a", {"a", "b"}));
    EXPECT_EQ(changed_run_of(name).second, changes);
    EXPECT_EQ(name_of_changed_run("a", {}), "a");
    EXPECT_TRUE(changed_run_of("a").second.empty());
}

// Typed further, what was typed before is not wanted: what waits is forgotten, what runs is ended and is no result.
TEST(RunLoaderChanges, WhatIsNotWantedAnyMoreIsEnded) {
    std::atomic<bool> ended = false, begun = false;
    std::atomic<int> runs = 0;
    RunLoader loader(
        [&](const std::string& name) {
            ++runs;
            if (name.find("slow") != std::string::npos) {
                begun = true;
                while (!ended) std::this_thread::sleep_for(1ms);
            }
            return samples::warp_xor();
        },
        {}, {});
    loader.offer_cancel([&] { ended = true; });
    const std::string slow = name_of_changed_run("slow", {{"n", "1"}}), waits = name_of_changed_run("b", {{"n", "2"}}),
                      wanted = name_of_changed_run("c", {{"n", "3"}});
    loader.get(slow);
    while (!begun) std::this_thread::sleep_for(1ms);
    loader.get(waits);
    loader.want_only({wanted});
    EXPECT_TRUE(ended);
    EXPECT_TRUE(loader.wait(wanted).run_view);
    EXPECT_EQ(runs, 2);
    EXPECT_FALSE(loader.get(slow).done());   // asked for again, it runs again
    EXPECT_TRUE(loader.wait(slow).run_view);
    EXPECT_EQ(runs, 3);
    // A run without changes is always wanted.
    loader.get("plain");
    loader.want_only({wanted});
    EXPECT_TRUE(loader.wait("plain").run_view);
}

}  // namespace
}  // namespace lanewise::viz
