#include <array>
#include <optional>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/run/front_end.hpp"
#include "viz/testing/headless.testing.hpp"
#include "viz/testing/sample_runs.hpp"
#include "viz/views/compare/compare_view.hpp"
#include "common/scene/describe.hpp"
#include "common/steps/align.hpp"

namespace lanewise::viz {
namespace {

using testing::Headless;
using Kind = Intent::Kind;

CompareSide side_of(const std::shared_ptr<const run::Run>& run, const std::string& title) {
    return {run->trace.header.variant, title, std::make_shared<RunView>(run), ""};
}

std::vector<CompareSide> four() {
    return {side_of(samples::warp_xor(), "xor"), side_of(samples::warp_down(), "down"),
            side_of(samples::two_level(), "two-level"), side_of(samples::shared_tree(), "shared")};
}

std::vector<const run::Run*> runs(const std::vector<CompareSide>& sides) {
    std::vector<const run::Run*> all;
    for (const CompareSide& side : sides) all.push_back(side.run_view->run.get());
    return all;
}

std::vector<ComparedRun> runs_of(const std::vector<CompareSide>& sides) {
    std::vector<ComparedRun> all;
    for (const CompareSide& side : sides) all.push_back({side.name, side.run_view->run.get()});
    return all;
}

const CompareFigure* figure(const CompareScene& scene, const std::string& label) {
    for (const CompareFigure& each : scene.figures)
        if (each.label == label) return &each;
    return nullptr;
}

TEST(SideBySide, StepsThatDoTheSameStandTogetherOnAllSides) {
    const std::vector<CompareSide> sides = four();
    SideBySide aligned;
    aligned.align(runs(sides));
    ASSERT_EQ(aligned.sides(), 4u);
    for (std::size_t place = 0; place < aligned.size(); ++place) {
        std::optional<steps::Role> role;
        for (std::size_t s = 0; s < 4; ++s) {
            if (!aligned.has_own_step(s, place)) continue;
            const steps::Role own = steps::role_of(sides[s].run_view->steps().steps[aligned.step_of(s, place)]);
            EXPECT_EQ(own, role.value_or(own)) << place;
            role = own;
        }
        EXPECT_TRUE(role.has_value());
    }
    for (std::size_t s = 0; s < 4; ++s) {
        const std::size_t count = sides[s].run_view->steps().size();
        for (std::size_t k = 0; k < count; ++k) EXPECT_EQ(aligned.step_of(s, aligned.place_of(s, k)), k);
        // Past its end a side keeps its last step.
        EXPECT_EQ(aligned.step_of(s, aligned.size() - 1), count - 1);
    }
    // By stage: forward to the end and back again, never standing still before the ends.
    std::size_t place = 0, moves = 0;
    while (place + 1 < aligned.size()) {
        const std::size_t next = aligned.place_of_next_stage(runs(sides), place, 1);
        ASSERT_GT(next, place);
        place = next;
        ++moves;
    }
    EXPECT_GT(moves, 2u);
    EXPECT_LT(moves, aligned.size());
    while (place > 0) {
        const std::size_t before = aligned.place_of_next_stage(runs(sides), place, -1);
        ASSERT_LT(before, place);
        place = before;
    }
}

TEST(CompareScene, CountsWhatTheCountersHoldAndMarksTheMostAndTheLeast) {
    const std::vector<CompareSide> sides = four();
    SideBySide steps;
    steps.align(runs(sides));
    const WarpRef warp{0, 0, 0};
    for (std::size_t place = 0; place < steps.size(); ++place) {
        const CompareScene scene = build_compare_scene(runs_of(sides), steps, {}, place, warp);
        ASSERT_NE(figure(scene, "barriers"), nullptr);
        ASSERT_NE(figure(scene, "rounds"), nullptr);
        EXPECT_EQ(figure(scene, "syncwarps"), nullptr);   // none of them has any
        for (std::size_t s = 0; s < 4; ++s) {
            const std::size_t step = steps.step_of(s, place);
            const steps::Step::Counters none,
                &counters = step == kNoStep ? none : sides[s].run_view->steps().steps[step].counters[0];
            EXPECT_EQ(figure(scene, "barriers")->values[s], counters.block_barriers);
            EXPECT_EQ(figure(scene, "shuffles")->values[s], counters.shuffles);
            EXPECT_EQ(figure(scene, "shared")->values[s], counters.shared_accesses);
            EXPECT_EQ(figure(scene, "atomics")->values[s], counters.atomics);
            EXPECT_EQ(figure(scene, "utilization")->values[s], counters.utilization());
            EXPECT_EQ(figure(scene, "active")->values[s], steps.has_own_step(s, place) ? counters.active_lanes : 0);
        }
    }
    // Eight rounds of the tree, by no shuffle; five of one warp, eight of two levels.
    const CompareScene last = build_compare_scene(runs_of(sides), steps, {}, steps.size() - 1, warp);
    EXPECT_EQ(figure(last, "rounds")->values, (std::array<double, kMostSides>{5, 5, 8, 8}));
    EXPECT_EQ(figure(last, "shuffles")->values, (std::array<double, kMostSides>{5, 5, 8, 0}));
    // In the end the tree in shared memory has had the most barriers; that one warp had none is shared by two.
    const CompareScene end = build_compare_scene(runs_of(sides), steps, {}, steps.size() - 1, warp);
    const CompareFigure& barriers = *figure(end, "barriers");
    EXPECT_TRUE(barriers.differs);
    EXPECT_EQ(barriers.marks[3], CompareFigure::Mark::most);
    EXPECT_EQ(barriers.marks[0], CompareFigure::Mark::least);
    EXPECT_EQ(barriers.marks[1], CompareFigure::Mark::least);
    EXPECT_EQ(barriers.marks[2], CompareFigure::Mark::none);
}

TEST(CompareScene, LanesThatHoldSomethingElseAreThoseOfTheRecords) {
    const std::vector<CompareSide> sides{side_of(samples::warp_xor(), "xor"), side_of(samples::warp_down(), "down"),
                                         side_of(samples::warp_xor(), "xor again")};
    SideBySide steps;
    steps.align(runs(sides));
    const WarpRef warp{0, 0, 0};
    std::size_t differing = 0;
    for (std::size_t place = 0; place < steps.size(); ++place) {
        const CompareScene scene = build_compare_scene(runs_of(sides), steps, {}, place, warp);
        EXPECT_EQ(scene.reference, 0u);
        EXPECT_EQ(scene.sides[0].differing, 0u);
        EXPECT_EQ(scene.sides[2].differing, 0u);
        for (std::size_t lane = 0; lane < 32; ++lane) {
            const auto held = [&](std::size_t s) {
                return sides[s].run_view->steps().lane_values(steps.step_of(s, place), warp).bits[lane];
            };
            EXPECT_EQ((scene.sides[1].differing >> lane & 1u) != 0, held(1) != held(0)) << place << " " << lane;
            differing += held(1) != held(0);
        }
    }
    EXPECT_GT(differing, 0u);
}

TEST(CompareScene, AWrongRunIsHeldAgainstARightOne) {
    const std::vector<CompareSide> sides{side_of(samples::wrong_sum(), "wrong"),
                                         side_of(samples::right_sum(), "right")};
    SideBySide steps;
    steps.align(runs(sides));
    const CompareScene scene = build_compare_scene(runs_of(sides), steps, {}, steps.size() - 1, {0, 0, 0});
    EXPECT_EQ(scene.reference, 1u);
    EXPECT_EQ(scene.sides[1].differing, 0u);
}

TEST(CompareScene, TheFastestIsNamedAmongTimesOfOneSizeOnly) {
    const std::vector<CompareSide> sides = four();
    SideBySide steps;
    steps.align(runs(sides));
    timing::TimingTable times;
    times.rows.push_back({.variant = sides[0].name, .n = 1024, .median_us = 4});
    times.rows.push_back({.variant = sides[1].name, .n = 1024, .median_us = 6});
    times.rows.push_back({.variant = sides[2].name, .n = 32, .median_us = 1});
    const CompareScene scene = build_compare_scene(runs_of(sides), steps, times, 0, {0, 0, 0});
    EXPECT_EQ(time_text(scene.sides[0].time), "4.00 µs for 2^10 values, the fastest");
    EXPECT_EQ(time_text(scene.sides[1].time), "6.00 µs for 2^10 values, 1.5× the fastest");
    EXPECT_EQ(time_text(scene.sides[2].time), "1.00 µs for 32 values");
    EXPECT_EQ(time_text(scene.sides[3].time), "no time of this variant was measured");
    // Spreads that overlap: neither is the fastest.
    times.rows[0].low_us = 3.5, times.rows[0].high_us = 5;
    times.rows[1].low_us = 4.5, times.rows[1].high_us = 7;
    const CompareScene same = build_compare_scene(runs_of(sides), steps, times, 0, {0, 0, 0});
    EXPECT_EQ(time_text(same.sides[0].time), "4.00 µs for 2^10 values, no difference from the fastest");
    EXPECT_EQ(time_text(same.sides[1].time), "6.00 µs for 2^10 values, no difference from the fastest");
    EXPECT_FALSE(same.sides[0].time.fastest);
}

// The description's parts are those of each run's own description, and its table is what the counters hold.
TEST(DescribeComparison, EqualsTheTraces) {
    const std::vector<CompareSide> sides = four();
    SideBySide steps;
    steps.align(runs(sides));
    for (std::size_t place = 0; place < steps.size(); ++place) {
        const std::string text = describe_comparison(runs_of(sides), "kernels.cuh", {}, place, -1, -1);
        EXPECT_TRUE(text.starts_with("place " + std::to_string(place + 1) + " of " + std::to_string(steps.size()) +
                                     ": " + steps.name(place) + "\n"));
        for (std::size_t s = 0; s < 4; ++s) {
            const std::size_t step = steps.step_of(s, place);
            if (steps.has_own_step(s, place)) {
                EXPECT_NE(text.find("\n" + describe_step(*sides[s].run_view->run, "kernels.cuh", step, -1, -1)),
                          std::string::npos);
                EXPECT_NE(text.find(sides[s].name + "  step " + std::to_string(step + 1) + ": " +
                                    sides[s].run_view->steps().steps[step].label + "\n"),
                          std::string::npos);
            } else if (step != kNoStep) {
                const bool ended = step + 1 == sides[s].run_view->steps().size();
                EXPECT_NE(text.find(sides[s].name + "  " + (ended ? "is done" : steps.missing(place)) +
                                    ", after its step " + std::to_string(step + 1) + "\n"),
                          std::string::npos)
                    << text;
            }
        }
    }
    // A block and a warp that only some of them have.
    const std::string one = describe_comparison(runs_of(sides), "kernels.cuh", {}, steps.place_of(2, 1), 1, 3);
    EXPECT_NE(one.find("block 1 · warp 3"), std::string::npos);
    EXPECT_THROW(describe_comparison(runs_of(sides), "kernels.cuh", {}, steps.size(), -1, -1), Error);
}

TEST(ComparePlaces, FourStandInRowsWhereColumnsWouldBeNarrow) {
    const auto places = [](float width, float height, std::size_t count) {
        return place_panels({0, 0, width, height}, count, 1);
    };
    EXPECT_EQ(places(1280, 620, 2).panels[1].y0, 0);
    EXPECT_FALSE(places(1280, 620, 2).compact);
    EXPECT_TRUE(places(1280, 620, 3).panels[2].y0 > 0);
    EXPECT_FALSE(places(1280, 620, 3).free.empty());
    EXPECT_TRUE(places(1280, 620, 3).compact);
    EXPECT_EQ(places(1920, 900, 3).panels[2].y0, 0);
    EXPECT_TRUE(places(1920, 900, 3).free.empty());
    EXPECT_TRUE(places(1920, 900, 4).panels[3].y0 > 0);
    EXPECT_EQ(places(2560, 1200, 4).panels[3].y0, 0);
    // Two that would be narrow are below each other, where that leaves each a stage.
    EXPECT_GT(places(960, 620, 2).panels[1].y0, 0);
    EXPECT_EQ(places(960, 620, 2).panels[1].x0, 0);
    EXPECT_EQ(places(800, 300, 2).panels[1].y0, 0);
    for (std::size_t count = 1; count <= 4; ++count) {
        const ComparePlaces all = places(1280, 620, count);
        ASSERT_EQ(all.panels.size(), count);
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(all.panels[i].inset(1).overlaps(all.panels[j]));
    }
}

struct Shown {
    Headless gui{1280, 800};
    std::vector<CompareSide> sides;
    std::vector<run::VariantInfo> variants;
    CompareView view;
    Playhead playhead;
    Selection selection;
    run::View middle = run::View::stage;

    explicit Shown(std::vector<CompareSide> all) : sides(std::move(all)) {
        for (const char* name : {"a", "b", "c"}) variants.push_back({name, name, "", false});
        for (const CompareSide& side : sides) variants.push_back({side.name, side.title, "", false});
        view.steps.align(runs(sides));
        playhead.count = view.steps.size();
        selection.warp = sides[0].run_view->steps().warps.front();
    }
    Intent frame() {
        Intent intent;
        gui.in_window([&] {
            intent = view.draw(gui.look(), gui.window(), sides, variants, {}, middle, playhead, selection);
        });
        return intent;
    }
    Intent click(Point at) { return gui.click(at, [&] { return frame(); }); }
};

TEST(CompareView, DrawsEveryPlaceOfTwoToFourInEveryView) {
    for (const run::View middle : {run::View::stage, run::View::rounding, run::View::tree}) {
        for (std::size_t count = 2; count <= 4; ++count) {
            std::vector<CompareSide> sides = four();
            sides.resize(count);
            Shown shown(sides);
            shown.middle = middle;
            for (std::size_t place = 0; place < shown.view.steps.size(); place += 3) {
                shown.playhead.step = place;
                shown.frame();
                EXPECT_EQ(shown.view.scene().sides.size(), count);
            }
        }
    }
}

TEST(CompareView, TheSentenceStandsOverThePanelsAndTheSourcesBesideThem) {
    Shown shown({side_of(samples::shared_tree(), "shared"), side_of(samples::two_level(), "two-level")});
    shown.frame();
    const ComparePlaces narrow = shown.view.places();
    EXPECT_FALSE(narrow.sentence.empty());
    EXPECT_LE(narrow.sentence.y1, narrow.panels[0].y0);
    EXPECT_TRUE(narrow.sources.empty());   // 1280 pixels: the panels need them
    EXPECT_TRUE(narrow.text.empty());
    shown.view.show_sources = true;
    shown.view.show_text = true;
    shown.frame();
    const ComparePlaces& places = shown.view.places();
    EXPECT_TRUE(shown.view.sources_shown());
    EXPECT_FALSE(places.text.empty());
    for (const Rect& panel : places.panels) {
        EXPECT_FALSE(panel.inset(1).overlaps(places.sources));
        EXPECT_FALSE(panel.inset(1).overlaps(places.text));
        EXPECT_FALSE(panel.inset(1).overlaps(places.sentence));
    }
    // The buttons ask for the panels' keys.
    const Rect strip = shown.view.places().sentence;
    const Intent asked = shown.click({strip.x1 - 40, strip.y0 + 18});
    EXPECT_EQ(asked.kind, Kind::panel);
    EXPECT_EQ(asked.value, 1u);
}

TEST(CompareView, SignsOnThePanelsAskToTakeOneAwayAndToChooseOne) {
    Shown shown(four());
    shown.frame();
    for (std::size_t s = 0; s < 4; ++s) {
        const Rect panel = shown.view.places().panels[s];
        const Intent away = shown.click({panel.x1 - 20, panel.y0 + 18});
        EXPECT_EQ(away.kind, Kind::uncompare);
        EXPECT_EQ(away.value, s + 1);
        const Intent chosen = shown.click({panel.x0 + 22, panel.y0 + 18});
        EXPECT_EQ(chosen.kind, Kind::side);
        EXPECT_EQ(chosen.value, s + 1);
    }
}

TEST(CompareView, TheFourthIsChosenFromTheListInTheFreePlace) {
    std::vector<CompareSide> sides = four();
    sides.resize(3);
    Shown shown(sides);
    shown.frame();
    const Rect free = shown.view.places().free;
    ASSERT_FALSE(free.empty());
    std::vector<std::size_t> asked;
    for (float y = free.y0 + 4; y < free.y1; y += 8) {
        const Intent intent = shown.click({free.x0 + 40, y});
        if (intent.kind == Kind::compare_with && (asked.empty() || asked.back() != intent.value))
            asked.push_back(intent.value);
    }
    EXPECT_EQ(asked, (std::vector<std::size_t>{0, 1, 2}));   // not those that are shown
}

TEST(CompareView, TheThirdIsChosenFromTheListBehindThePlus) {
    std::vector<CompareSide> sides = four();
    sides.resize(2);
    Shown shown(sides);
    shown.frame();
    const Rect panel = shown.view.places().panels[1];
    EXPECT_EQ(shown.click({panel.x1 - 46, panel.y0 + 18}).kind, Kind::compare_list);
    shown.view.listing = true;
    shown.frame();
    Intent asked;
    for (float y = panel.y0 + 60; y < panel.y0 + 200 && asked.kind != Kind::compare_with; y += 6)
        asked = shown.click({panel.x1 - 100, y});
    EXPECT_EQ(asked.kind, Kind::compare_with);
    EXPECT_EQ(asked.value, 0u);
    // A click elsewhere closes it.
    shown.view.listing = true;
    shown.click({panel.x0 - 300, panel.y0 + 300});
    EXPECT_FALSE(shown.view.listing);
}

TEST(CompareView, ALaneThatIsPointedAtIsTheSameOnAllSides) {
    std::vector<CompareSide> sides = four();
    sides.resize(2);
    Shown shown(sides);
    shown.playhead.step = 2;
    shown.frame();
    shown.frame();
    const Scene& scene = shown.view.sides[1].stage.scene();
    shown.gui.mouse = {scene.lanes_x0 + scene.cell * 7.5f, shown.view.places().panels[1].center().y};
    shown.frame();
    shown.selection.turn();
    EXPECT_EQ(shown.selection.lane(), 7);
}

TEST(CompareView, MarksTheLanesOfAWrongRunAndSaysHowEachCameOut) {
    Shown shown({side_of(samples::right_sum(), "right"), side_of(samples::wrong_sum(), "wrong")});
    const RunView& wrong = *shown.sides[1].run_view;
    for (std::size_t place = 0; place < shown.view.steps.size(); ++place) {
        shown.playhead.step = place;
        shown.frame();
        const Scene &left = shown.view.sides[0].stage.scene(), &right = shown.view.sides[1].stage.scene();
        EXPECT_EQ(left.differing, 0u);
        EXPECT_EQ(left.faulting, 0u);
        const std::size_t step = shown.view.steps.step_of(1, place);
        const bool shuffled = step != kNoStep && wrong.steps().steps[step].kind == StepKind::shuffle;
        EXPECT_EQ(right.faulting, shuffled ? 0xffff0000u : 0u);
        EXPECT_EQ(right.differing != 0, shuffled);
    }
}

TEST(CompareView, WaitsForARunAndReportsOneThatFailed) {
    std::vector<CompareSide> sides = four();
    Shown shown(sides);
    shown.sides[2].run_view = nullptr;
    shown.frame();
    EXPECT_TRUE(shown.view.scene().sides.empty());
    shown.sides[2].error = "The GPU went away.";
    shown.frame();
    EXPECT_TRUE(shown.view.scene().sides.empty());
}

}  // namespace
}  // namespace lanewise::viz
