#include "common/run/front_end.hpp"
#include "viz/app/app.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include <algorithm>
#include <set>

#include "common/base/error.hpp"
#include "viz/testing/headless.testing.hpp"
#include "viz/testing/sample_runs.hpp"

namespace lanewise::viz {
namespace {

using testing::Headless;

lesson::WindowRequest request_of(const std::string& variant) {
    lesson::WindowRequest request;
    request.variant = variant;
    return request;
}

struct Session {
    explicit Session(const lesson::WindowRequest& request, lesson::Presentation presentation = samples::presentation(),
                     float width = 1280, float height = 800)
        : gui(width, height), app(presentation, request) {
        app.settle();
        frame();
    }
    int frame(float seconds = 1.0f) {
        return gui.frame([&] { app.frame(gui.look(), gui.window(), seconds); });
    }
    void press(Key key, bool shift = false) {
        app.press(key, shift);
        app.settle();
        frame();
    }

    Headless gui;
    App app;
};

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

TEST(App, CompareShowsTwoAndComesBackToTheSameStep) {
    Session session(request_of("warp_sum_xor"));
    session.press(Key::right);
    session.press(Key::right);
    session.press(letter('C'));
    EXPECT_TRUE(session.app.comparing());
    EXPECT_NE(session.app.title().find("xor | down"), std::string::npos);
    session.press(Key::right);
    session.press(Key::tab);   // the right-hand side
    EXPECT_NE(session.app.state().find("compare=block_sum_two_level"), std::string::npos) << session.app.state();
    session.press(Key::escape);
    EXPECT_FALSE(session.app.comparing());
    EXPECT_EQ(session.app.playhead().step, 3u);
    EXPECT_EQ(session.app.playhead().count, 6u);
}

// The next tab has another size: the first C skips it for the variant of the previous lesson.
TEST(App, TheFirstComparisonIsOfTheSameSize) {
    lesson::Presentation presentation = samples::presentation();
    for (lesson::VariantInfo& info : presentation.variants) info.n = info.name == "warp_sum_down" ? 8 : 32;
    presentation.variants[3].compared_with = "warp_sum_xor";
    Session session(request_of("warp_sum_xor"), presentation);
    session.press(letter('C'));
    EXPECT_EQ(session.app.compared(), (std::vector<std::string>{"warp_sum_xor", "block_sum_shared"}));
}

// What is compared is asked for together, and alone again when the comparison closes.
TEST(App, ComparedRunsAreAskedForTogether) {
    lesson::Presentation presentation = samples::presentation();
    std::vector<std::string> asked;
    presentation.services.run_beside = [&, run = presentation.services.run](const std::string& variant,
                                                                            const std::vector<std::string>& beside) {
        asked.push_back(variant + " of " + std::to_string(beside.size()));
        return run(variant);
    };
    Session session(request_of("warp_sum_xor"), presentation);
    EXPECT_TRUE(asked.empty());
    session.press(letter('C'));
    std::sort(asked.begin(), asked.end());
    EXPECT_EQ(asked, (std::vector<std::string>{"warp_sum_down of 2", "warp_sum_xor of 2"}));
    EXPECT_EQ(session.app.comparison_view().scene().sides.size(), 2u);
    session.press(Key::escape);
    EXPECT_EQ(session.app.playhead().count, 6u);
    EXPECT_EQ(asked.size(), 2u);
}

// While a file is edited the last good run stays, beside the version before it as alone.
TEST(App, TheVersionBeforeStandsBesideTheLastGoodRunWhereASaveDoesNotCompile) {
    lesson::Presentation presentation = samples::presentation();
    auto saved = std::make_shared<lesson::EditedFile>();
    *saved = {1, "kernels.cuh", presentation.source, {}, 0};
    std::shared_ptr<const lesson::EditedFile> now = saved;
    std::mutex mutex;
    presentation.services.edited = [&] {
        const std::lock_guard lock(mutex);
        return now;
    };
    presentation.services.run = [edited = presentation.services.edited,
                                 run = presentation.services.run](const std::string& variant) {
        if (edited()->line > 0) throw Error("it does not compile");
        return samples::run_of(run(variant)->trace, variant);
    };
    Session session(request_of("warp_sum_xor"), presentation);
    const auto save = [&](std::uint64_t version, int line) {
        const std::lock_guard lock(mutex);
        now = std::make_shared<const lesson::EditedFile>(
            lesson::EditedFile{version, "kernels.cuh", saved->text, line > 0 ? "no such variable" : "", line});
    };
    const auto frames_until = [&](const std::function<bool()>& there) {
        for (int i = 0; i < 1000 && !there(); ++i) {
            session.frame();
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        return there();
    };
    save(2, 0);
    ASSERT_TRUE(frames_until([&] { return session.app.edit_state() == "shown=2 saved=2 problem=none"; }));
    save(3, 7);
    session.frame();
    session.app.press(letter('S'), true);
    EXPECT_TRUE(frames_until([&] { return session.app.comparison_view().scene().sides.size() == 2; }));
    EXPECT_EQ(session.app.edit_state(), "shown=2 saved=3 problem=7");
}

// S and L show the sources and the text beside the panels, here too.
TEST(App, TextAndSourcesStayWithinReachOfAComparison) {
    Session session(request_of("warp_sum_xor"));
    session.press(letter('C'));
    const CompareView& view = session.app.comparison_view();
    EXPECT_FALSE(view.sources_shown());
    session.press(letter('S'));
    EXPECT_TRUE(view.sources_shown());
    EXPECT_FALSE(view.places().sources.empty());
    session.press(letter('L'));
    EXPECT_FALSE(view.places().text.empty());
    EXPECT_TRUE(session.app.panels().show_text);   // those of one variant stay as they were
    session.press(letter('L'));
    session.press(letter('S'));
    EXPECT_TRUE(view.places().text.empty());
    EXPECT_TRUE(view.places().sources.empty());
}

TEST(App, AComparisonGrowsToFourAndShrinksAgainByKeys) {
    Session session(request_of("warp_sum_xor"));
    const auto press = [&](Key key, bool shift = false) {
        session.press(key, shift);
        session.frame();   // the runs have come: they are aligned
    };
    press(letter('C'));
    press(letter('C'));
    press(letter('C'));
    EXPECT_EQ(session.app.compared(),
              (std::vector<std::string>{"warp_sum_xor", "warp_sum_down", "block_sum_two_level", "block_sum_shared"}));
    press(letter('C'));   // four are the most
    EXPECT_EQ(session.app.compared().size(), 4u);
    EXPECT_EQ(session.app.comparison_view().scene().sides.size(), 4u);
    EXPECT_EQ(session.app.playhead().count, session.app.comparison_view().steps.size());
    // The chosen side, not the first one, is what Tab and Shift C change.
    EXPECT_EQ(session.app.comparison_view().chosen, 3u);
    press(letter('X'));
    EXPECT_EQ(session.app.comparison_view().chosen, 0u);
    press(letter('X'));
    press(letter('C'), true);
    EXPECT_EQ(session.app.compared(),
              (std::vector<std::string>{"warp_sum_xor", "block_sum_two_level", "block_sum_shared"}));
    session.app.apply({Intent::Kind::uncompare, 1});
    session.app.settle();   // fewer runs may share another input
    session.frame();
    EXPECT_EQ(session.app.variant(), "block_sum_two_level");
    EXPECT_EQ(session.app.comparison_view().scene().sides.size(), 2u);
    press(Key::escape);
    EXPECT_FALSE(session.app.comparing());
    EXPECT_EQ(session.app.playhead().count, samples::two_level()->steps.size());
    press(letter('C'));   // those of before
    EXPECT_EQ(session.app.compared(), (std::vector<std::string>{"block_sum_two_level", "block_sum_shared"}));
}

TEST(App, StagesOfAComparisonAreWalkedTogether) {
    lesson::WindowRequest request = request_of("");
    request.compare = {"warp_sum_xor", "block_sum_two_level", "block_sum_shared"};
    request.has_step = true;
    request.step = 4;
    Session session(request);
    EXPECT_EQ(session.app.playhead().step, 4u);   // a place, as the timeline counts
    session.press(Key::home);
    std::size_t places = 0, last = 0;
    while (session.app.playhead().step + 1 < session.app.playhead().count) {
        session.press(Key::right, true);
        ASSERT_GT(session.app.playhead().step, last);
        last = session.app.playhead().step;
        ++places;
    }
    EXPECT_LT(places + 1, session.app.playhead().count);
}

TEST(App, TheTreeTakesThePlaceOfTheStageAlsoInAComparison) {
    Session session(request_of("warp_sum_xor"));
    session.press(letter('V'));
    EXPECT_TRUE(session.app.tree_open());
    EXPECT_EQ(session.app.tree().scene().boxes.size(), 63u);
    session.press(letter('C'));
    session.frame();
    EXPECT_EQ(session.app.comparison_view().sides[1].tree.scene().boxes.size(), 63u);
    session.press(letter('V'));
    EXPECT_FALSE(session.app.tree_open());
    EXPECT_TRUE(session.app.comparing());
}

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
    lesson::WindowRequest request = request_of("block_sum_two_level");
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
    lesson::Presentation shown = samples::presentation();
    shown.services.run = [](const std::string&) -> std::shared_ptr<const lesson::Run> {
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
        lesson::Presentation shown = samples::presentation();
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
    lesson::Presentation shown = samples::presentation();
    const auto with_finding = std::make_shared<lesson::Run>(*samples::warp_xor());
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
    lesson::Presentation shown = samples::presentation();
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
    lesson::Presentation shown = samples::presentation();
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

TEST(App, TheLensTakesThePlaceOfTheStageAlsoInAComparison) {
    Session session(request_of("warp_sum_xor"));
    session.press(letter('R'));
    EXPECT_TRUE(session.app.rounding_open());
    session.press(letter('C'));
    session.app.settle();
    session.frame();
    EXPECT_TRUE(session.app.comparing());
    EXPECT_TRUE(session.app.rounding_open());
    session.press(Key::escape);
    EXPECT_FALSE(session.app.rounding_open());
    EXPECT_TRUE(session.app.comparing());
}

TEST(App, TheTableShowsEveryVariantOfTheLesson) {
    lesson::WindowRequest request = request_of("warp_sum_xor");
    request.view = lesson::View::table;
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
    lesson::Presentation shown = samples::presentation();
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
        if (!is_on(action.where, lesson::Surface::window)) continue;
        EXPECT_TRUE(keys.insert({static_cast<int>(action.key), action.shift}).second) << action.what;
    }
    EXPECT_TRUE(intent_of_key(letter('?'), true).has_value());
    EXPECT_FALSE(intent_of_key(letter('%'), false).has_value());
    for (const auto& [key, what] : key_rows()) EXPECT_FALSE(what.empty());
}

TEST(App, AllTimesOpenByKeyAndAreMeasuredAnew) {
    lesson::Presentation shown = samples::presentation();
    shown.services.measure_sizes = [](const lesson::SweepWatch& watch) {
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
}  // namespace lanewise::viz
