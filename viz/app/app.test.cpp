#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "viz/app/session.testing.hpp"

namespace lanewise::viz::testing {
namespace {

TEST(App, KeysMoveThroughTheSteps) {
    Session session(request_of("warp_sum_xor"));
    session.press(Key::right);
    session.press(Key::right);
    EXPECT_EQ(session.app.playhead().step, 2u);
    session.press(Key::left);
    EXPECT_EQ(session.app.playhead().step, 1u);
    session.press(Key::end);
    EXPECT_EQ(session.app.playhead().step, 5u);
    session.press(Key::home);
    EXPECT_EQ(session.app.playhead().step, 0u);
    session.press(Key::right, true);   // by stage: from the load to the first round
    EXPECT_EQ(session.app.playhead().step, 1u);
}

TEST(App, SpacePlaysToTheEnd) {
    Session session(request_of("warp_sum_xor"));
    session.press(Key::space);
    EXPECT_TRUE(session.app.playhead().playing);
    for (int i = 0; i < 20; ++i) session.frame();
    EXPECT_EQ(session.app.playhead().step, 5u);
    EXPECT_FALSE(session.app.needs_frame());
}

TEST(App, TabGoesThroughTheVariantsAndKeepsTheStage) {
    Session session(request_of("warp_sum_xor"));
    session.press(Key::right);
    session.press(Key::right);
    session.press(Key::tab);
    EXPECT_EQ(session.app.variant(), "warp_sum_down");
    EXPECT_EQ(session.app.playhead().step, 2u);
    session.press(Key::tab, true);
    EXPECT_EQ(session.app.variant(), "warp_sum_xor");
    session.press(letter('4'));
    EXPECT_EQ(session.app.variant(), "block_sum_shared");
    session.press(Key::tab);
    session.press(Key::tab);
    EXPECT_EQ(session.app.variant(), "warp_sum_xor");
}

// The next tab has another size: the first C skips it for the variant of the previous lesson.
// What is compared is asked for together, and alone again when the comparison closes.
// While a file is edited the last good run stays, beside the version before it as alone.
// S and L show the sources and the text beside the panels, here too.
TEST(App, TheMemoryInSightCanBeKept) {
    Session session(request_of("block_sum_two_level"));
    EXPECT_EQ(session.app.stage().memory.shown(), Space::global);   // the load of `in`
    session.press(letter('M'));
    EXPECT_EQ(session.app.stage().memory.shown(), Space::shared);
    session.press(letter('M'));
    session.press(Key::end);
    EXPECT_EQ(session.app.stage().memory.shown(), Space::global);
    session.press(letter('M'));
    session.press(Key::tab);
    EXPECT_EQ(session.app.stage().memory.show, MemoryView::Show::follow);
}

TEST(App, AskedForByTheCommandLine) {
    run::WindowRequest request = request_of("block_sum_two_level");
    request.has_step = true;
    request.step = 4;
    request.block = 1;
    request.warp = 3;
    request.lane = 7;
    Session session(request);
    EXPECT_EQ(session.app.playhead().step, 4u);
    EXPECT_EQ(session.app.selection().warp.block, 1u);
    EXPECT_EQ(session.app.selection().warp.warp, 3u);
    EXPECT_EQ(session.app.selection().lane(), 7);
}

TEST(App, TheTitleSaysWhereTheDataCameFrom) {
    Session session(request_of("warp_sum_xor"));
    EXPECT_EQ(session.app.title(), "Lanewise · 05 Samples · xor · emulator · ascending");
}

TEST(App, ARunThatFailsIsASentenceInTheWindow) {
    run::Presentation shown = samples::presentation();
    shown.services.run = [](const std::string&) -> std::shared_ptr<const run::Run> {
        throw Error("The GPU went away.");
    };
    Headless gui(1280, 800);
    App app(shown, request_of("warp_sum_xor"));
    EXPECT_THROW(app.settle(), Error);
    for (int i = 0; i < 3; ++i) gui.frame([&] { app.frame(gui.look(), gui.window(), 0.1f); });
    EXPECT_NE(app.title().find("no run"), std::string::npos);
    for (const Action& action : actions()) app.press(action.key, action.shift);
    gui.frame([&] { app.frame(gui.look(), gui.window(), 0.1f); });
}

TEST(App, EscapeAndAPointCancelTheRunThatIsWaitedFor) {
    for (const Key key : {Key::escape, letter('.')}) {
        std::mutex mutex;
        std::condition_variable changed;
        bool cancelled = false, started = false;
        run::Presentation shown = samples::presentation();
        shown.services.run = [&](const std::string&) {
            std::unique_lock lock(mutex);
            started = true;
            changed.notify_all();
            changed.wait(lock, [&] { return cancelled; });
            return samples::warp_xor();
        };
        shown.services.cancel = [&] {
            const std::lock_guard lock(mutex);
            cancelled = true;
            changed.notify_all();
        };
        Headless gui(1280, 800);
        App app(shown, request_of("warp_sum_xor"));
        gui.frame([&] { app.frame(gui.look(), gui.window(), 0.1f); });
        {
            std::unique_lock lock(mutex);
            changed.wait(lock, [&] { return started; });
        }
        EXPECT_FALSE(cancelled);
        app.press(key);
        app.settle();
        EXPECT_TRUE(cancelled);
        gui.frame([&] { app.frame(gui.look(), gui.window(), 0.1f); });
        EXPECT_EQ(app.title().find("running"), std::string::npos);
    }
}

TEST(App, AKeyGoesFromFindingToFinding) {
    run::Presentation shown = samples::presentation();
    const auto with_finding = std::make_shared<run::Run>(*samples::warp_xor());
    trace::Finding finding;
    finding.line = with_finding->trace.records.at(3).line;
    finding.record = with_finding->trace.records.at(3).index;
    finding.lanes = 1u << 7;
    finding.other = trace::FindingPlace{with_finding->trace.records.at(1).line, 0, 0, 1u << 9,
                                        with_finding->trace.records.at(1).index, {}};
    with_finding->trace.findings = {finding};
    with_finding->steps = steps::build_steps(with_finding->trace);
    shown.services.run = [&](const std::string&) { return with_finding; };
    Session session(request_of("warp_sum_xor"), shown);
    session.press(letter('E'));
    EXPECT_NE(session.app.state().find("step=2 "), std::string::npos) << session.app.state();
    EXPECT_NE(session.app.state().find("lane=9"), std::string::npos) << session.app.state();
    session.press(letter('E'));
    EXPECT_NE(session.app.state().find("step=4 "), std::string::npos) << session.app.state();
    EXPECT_NE(session.app.state().find("lane=7"), std::string::npos) << session.app.state();
    session.press(letter('E'), true);
    EXPECT_NE(session.app.state().find("step=2 "), std::string::npos) << session.app.state();

    // In a comparison too.
    session.press(letter('C'));
    session.press(letter('E'));
    EXPECT_NE(session.app.state().find("step=4 "), std::string::npos) << session.app.state();
    EXPECT_NE(session.app.state().find("lane=7"), std::string::npos) << session.app.state();
}

TEST(App, FramesAreDrawnWhileARunIsStillGoing) {
    std::mutex gate;
    gate.lock();
    run::Presentation shown = samples::presentation();
    shown.services.run = [&](const std::string&) {
        const std::lock_guard wait(gate);
        return samples::warp_xor();
    };
    Headless gui(1280, 800);
    App app(shown, request_of("warp_sum_xor"));
    gui.frame([&] { app.frame(gui.look(), gui.window(), 0.1f); });
    EXPECT_NE(app.title().find("running"), std::string::npos);
    gate.unlock();
    app.settle();
    gui.frame([&] { app.frame(gui.look(), gui.window(), 0.1f); });
    EXPECT_EQ(app.playhead().count, 6u);
}

TEST(App, TimesMeasuredHereReplaceTheRecordedOnes) {
    run::Presentation shown = samples::presentation();
    shown.services.measure = [] {
        timing::TimingTable table;
        table.gpu = "This GPU";
        table.rows.push_back({.variant = "warp_sum_xor", .n = 1024, .median_us = 4.5});
        return table;
    };
    {
        Session measured(request_of("warp_sum_xor"), shown);
        EXPECT_EQ(measured.app.timings().gpu, "This GPU");
    }
    shown.services.measure = []() -> timing::TimingTable { throw Error("The GPU went away while it was measured."); };
    Session failed(request_of("warp_sum_xor"), shown);
    EXPECT_EQ(failed.app.timings().gpu, shown.timings.gpu);
    EXPECT_TRUE(failed.app.timings().recorded);
}

TEST(App, EverySizeAndEveryKeyHolds) {
    for (const auto& [width, height] :
         {std::pair{1280.0f, 800.0f}, {1600.0f, 900.0f}, {320.0f, 200.0f}, {1.0f, 1.0f}, {5000.0f, 300.0f}}) {
        Session session(request_of("block_sum_two_level"), samples::presentation(), width, height);
        for (const Action& action : actions()) {
            session.press(action.key, action.shift);
            session.press(Key::right);
        }
    }
}

TEST(App, TheTableShowsEveryVariantOfTheLesson) {
    run::WindowRequest request = request_of("warp_sum_xor");
    request.view = run::View::table;
    request.sort = "variant:down";
    Session session(request);
    std::vector<std::string> names = samples::presentation().all_variants;
    ASSERT_GT(names.size(), 1u);
    std::sort(names.rbegin(), names.rend());
    EXPECT_EQ(session.app.table().order(), names);
    session.press(letter('B'));
    EXPECT_FALSE(session.app.table_open());
}

TEST(App, ALessonWithoutVariantsOrTextHolds) {
    run::Presentation shown = samples::presentation();
    shown.variants.clear();
    shown.text.clear();
    shown.source.clear();
    shown.timings = {};
    Session session(request_of("warp_sum_xor"), shown);
    for (const Action& action : actions()) session.press(action.key, action.shift);
}

TEST(App, AnIdleWindowAsksForNoFrames) {
    Session session(request_of("warp_sum_xor"));
    session.frame();
    EXPECT_FALSE(session.app.needs_frame());
}

TEST(App, OneTurnOfTheTableAndTheOverlayAgree) {
    std::set<std::pair<int, bool>> keys;
    for (const Action& action : actions()) {
        if (!is_on(action.where, player::Surface::window)) continue;
        EXPECT_TRUE(keys.insert({static_cast<int>(action.key), action.shift}).second) << action.what;
    }
    EXPECT_TRUE(intent_of_key(letter('?'), true).has_value());
    EXPECT_FALSE(intent_of_key(letter('%'), false).has_value());
    for (const auto& [key, what] : key_rows()) EXPECT_FALSE(what.empty());
}

TEST(App, AllTimesOpenByKeyAndAreMeasuredAnew) {
    run::Presentation shown = samples::presentation();
    shown.services.measure_sizes = [](const run::SweepWatch& watch) {
        timing::TimingTable table;
        table.gpu = "This GPU";
        for (const std::uint64_t n : {1024u, 4096u}) {
            watch.progress(table.rows.size(), 2, std::to_string(n));
            timing::Timing row;
            row.variant = "warp_sum_xor";
            row.n = n;
            row.bytes = 4 * n;
            row.median_us = row.low_us = row.high_us = 2;
            table.rows.push_back(row);
        }
        return table;
    };
    Session session(request_of("warp_sum_xor"), shown);
    session.app.press(letter('T'));
    EXPECT_TRUE(session.app.timings_open());
    // The badge and the title say whose figures are in sight, not where the run was made.
    EXPECT_NE(session.app.title().find(shown.timings.gpu + " · recorded"), std::string::npos) << session.app.title();
    session.frame();
    EXPECT_EQ(session.app.all_times().chart().hovered, "");
    session.app.apply({Intent::Kind::roofline, 1});
    session.frame();
    EXPECT_TRUE(session.app.roofline_open());
    session.app.press(letter('T'));
    EXPECT_FALSE(session.app.roofline_open() || session.app.timings_open());
    session.app.press(letter('T'), true);   // measures, and shows how far it is
    EXPECT_TRUE(session.app.timings_open());
    for (int i = 0; i < 2000 && session.app.all_times().chart().spots.size() != 2; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        session.frame();
    }
    EXPECT_EQ(session.app.all_times().chart().spots.size(), 2u);   // at two sizes, instead of what was recorded
    session.app.press(Key::escape);
    EXPECT_FALSE(session.app.timings_open());
    EXPECT_EQ(session.app.title().find(shown.timings.gpu), std::string::npos) << session.app.title();
}

}  // namespace
}  // namespace lanewise::viz::testing
