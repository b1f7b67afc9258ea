#include <gtest/gtest.h>

#include "common/run/front_end.hpp"
#include "common/scene/compare/side_by_side.hpp"
#include "common/timing/compare.hpp"
#include "viz/testing/headless.testing.hpp"
#include "viz/testing/labels.testing.hpp"
#include "viz/testing/sample_runs.hpp"
#include "viz/testing/screens.testing.hpp"
#include "viz/views/benchmark/timing_view.hpp"
#include "viz/views/lane/inspector_view.hpp"
#include "viz/views/shell/source_view.hpp"
#include "viz/views/shell/text_view.hpp"
#include "viz/views/stage/timeline_view.hpp"
#include "viz/views/stage/stage_view.hpp"
#include "viz/widgets/svg_canvas.hpp"

namespace lanewise::viz {
namespace {

using testing::at_step;
using testing::Headless;
using testing::LabelCanvas;

// Draws `draw` in one pane as large as the window.
TEST(StageView, PointingAtALaneSelectsItAndAClickPinsIt) {
    Headless gui(960, 640);
    const RunView run_view(samples::warp_xor());
    const Playhead playhead = at_step(run_view, 2);
    Selection selection;
    StageView stage;
    const auto draw = [&](const Pane& pane) { stage.draw(pane, run_view, playhead, selection); };
    gui.in_pane(draw);
    gui.in_pane(draw);
    const auto present =
        std::find_if(stage.scene().bands.begin(), stage.scene().bands.end(), [](const Band& b) { return b.present; });
    gui.mouse = {stage.scene().rows.front().lanes[5].box.center().x, present->box.center().y};
    gui.in_pane(draw);
    EXPECT_TRUE(selection.turn());
    EXPECT_EQ(selection.lane(), 5);
    gui.down = true;
    gui.in_pane(draw);
    EXPECT_EQ(selection.pinned_lane, 5);
    gui.down = false;
    gui.mouse = {-100, -100};
    gui.in_pane(draw);
    selection.turn();
    gui.in_pane(draw);
    selection.turn();
    EXPECT_EQ(selection.now.lane, -1);
    EXPECT_EQ(selection.lane(), 5);
}

TEST(StageView, SaysCalmlyThatARunIsShownAsRecordedBesideItsResult) {
    run::Run run = *samples::right_sum();
    run.note = "Shown as recorded. It needs a GPU of sm_90 or later.";
    for (const bool warned : {false, true}) {
        run.notice = warned ? "partial: it was cut off" : "";
        const auto shown_run = std::make_shared<run::Run>(run);
        shown_run->steps = steps::build_steps(shown_run->trace);
        const RunView run_view(shown_run);
        const auto labels = testing::stage_labels(run_view, 1, 1100, 640);
        const auto color_of = [&](const std::string& text) -> std::optional<Color> {
            for (const auto& label : labels)
                if (label.text.starts_with(text)) return label.color;
            return std::nullopt;
        };
        using Some = std::optional<Color>;
        EXPECT_EQ(color_of("Shown as recorded."), warned ? Some() : Some(dark_theme().quiet));
        EXPECT_EQ(color_of("partial: "), warned ? Some(dark_theme().warning) : Some());
        EXPECT_EQ(color_of(scene::result_text(run)).has_value(), !warned);
    }
}

TEST(StageView, AClickOnASmallWarpChoosesIt) {
    Headless gui(960, 640);
    const RunView run_view(samples::two_level());
    const Playhead playhead = at_step(run_view, 2);
    Selection selection;
    StageView stage;
    const auto draw = [&](const Pane& pane) { stage.draw(pane, run_view, playhead, selection); };
    gui.in_pane(draw);
    // Along the strip's lines every warp of the chosen block is found, then the other block, and then its warps.
    std::vector<WarpRef> seen;
    for (const float y : {60.0f, 80.0f, 118.0f, 60.0f, 80.0f}) {
        for (float x = 0; x < 960; x += 14) {
            gui.mouse = {x, y};
            gui.down = false;
            gui.in_pane(draw);
            gui.down = true;
            gui.in_pane(draw);
            if (std::find(seen.begin(), seen.end(), selection.warp) == seen.end()) seen.push_back(selection.warp);
        }
    }
    EXPECT_EQ(seen.size(), 16u);
}

TEST(TimelineView, AClickOnAStepAsksToGoThere) {
    Headless gui(1000, 124);
    const RunView run_view(samples::two_level());
    const Playhead playhead = at_step(run_view, 0);
    Selection selection;
    TimelineView timeline;
    std::vector<std::size_t> asked;
    for (float x = 0; x < 1000; x += 9) {
        for (const bool down : {false, true}) {
            gui.mouse = {x, 70};
            gui.down = down;
            gui.in_pane([&](const Pane& pane) {
                const Intent intent = timeline.draw(pane, run_view, playhead, selection);
                if (intent.kind == Intent::Kind::go_to && (asked.empty() || asked.back() != intent.value))
                    asked.push_back(intent.value);
            });
        }
    }
    std::vector<std::size_t> all(run_view.steps().size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    EXPECT_EQ(asked, all);
}

TEST(SourceView, ALineThatRanLeadsToItsStep) {
    Headless gui(400, 400);
    const RunView run_view(samples::warp_xor());
    const Playhead playhead = at_step(run_view, 0);
    Selection selection;
    SourceView source;
    source.set_source("kernels.cuh", samples::presentation().source);
    Intent intent;
    const auto draw = [&](const Pane& pane) {
        const Intent asked = source.draw(pane, &run_view, playhead, selection);
        if (asked) intent = asked;
    };
    gui.in_pane(draw, Pane::Scroll::vertical);
    for (float y = 0; y < 400 && !intent; y += 6) {
        gui.mouse = {200, y};
        for (const bool down : {false, true}) {
            gui.down = down;
            gui.in_pane(draw, Pane::Scroll::vertical);
        }
    }
    // From step 0 (line 3) the next step of a line above is that of line 3 itself, or of line 5: never a line that did
    // not run.
    ASSERT_EQ(intent.kind, Intent::Kind::go_to);
    const int line = run_view.steps().steps[intent.value].line;
    EXPECT_TRUE(line == 3 || line == 5);
    selection.turn();
    EXPECT_EQ(selection.now.line, line);
}

// The sign is the only triangle here.
TEST(SourceView, ASignStandsAtEachLineThatAFindingNames) {
    const auto signs = [](const std::shared_ptr<const run::Run>& run) {
        Headless gui(400, 400);
        SvgCanvas canvas(400, 400, 0, gui.fonts);
        gui.canvas = &canvas;
        const RunView run_view(run);
        Selection selection;
        SourceView source;
        source.set_source("kernels.cuh", "a\nb\nc\nd\ne\nf\n");
        gui.in_pane([&](const Pane& pane) { source.draw(pane, &run_view, at_step(run_view, 0), selection); });
        const std::string picture = canvas.document("", "");
        std::vector<float> heights;   // of their tops
        for (std::size_t at = 0; (at = picture.find("<polygon points=\"", at)) != picture.npos; at += 17)
            heights.push_back(std::stof(picture.substr(picture.find(',', at) + 1)));
        return heights;
    };
    EXPECT_TRUE(signs(samples::right_sum()).empty());
    ASSERT_EQ(samples::wrong_sum()->trace.findings.front().line, 5);
    EXPECT_EQ(signs(samples::wrong_sum()).size(), 1u);
    auto race = std::make_shared<run::Run>(*samples::wrong_sum());
    race->trace.findings.front().other = trace::FindingPlace{};
    race->trace.findings.front().other->line = 2;
    race->steps = steps::build_steps(race->trace);
    const std::vector<float> two = signs(race);
    ASSERT_EQ(two.size(), 2u);
    EXPECT_NEAR(two[1] - two[0], 3 * 18, 0.5f) << "lines 2 and 5, 18 pixels each";
}

TEST(TextView, LinksAreIntents) {
    Headless gui(300, 500);
    TextView text;
    text.set_text("[x](step:3)\n\n[y](variant:b)\n\n[z](https://example.org)\n");
    std::vector<std::size_t> asked;
    for (float y = 0; y < 200; y += 3) {
        for (const bool down : {false, true}) {
            gui.mouse = {23, y};
            gui.down = down;
            gui.in_pane([&](const Pane& pane) {
                const Intent intent = text.draw(pane);
                if (intent.kind == Intent::Kind::link && (asked.empty() || asked.back() != intent.value))
                    asked.push_back(intent.value);
            }, Pane::Scroll::vertical);
        }
    }
    ASSERT_EQ(asked, (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(text.links()[0].step, 2u);
    EXPECT_EQ(text.links()[1].variant, "b");
}

TEST(TextView, ACommandIsWholeInANarrowPanel) {
    Headless gui(300, 500);
    LabelCanvas canvas;
    gui.canvas = &canvas;
    TextView text;
    const std::string command = "./lessons/run 05 --check --variant block_sum_two_level_broadcast --n 100003";
    text.set_text("```sh\n" + command + "\n```\n");
    gui.in_pane([&](const Pane& pane) { text.draw(pane); }, Pane::Scroll::vertical);
    std::string shown;
    for (const LabelCanvas::Label& label : canvas.labels) {
        EXPECT_LE(label.box.x1, 300) << label.text;
        shown += (shown.empty() ? "" : " ") + label.text;
    }
    EXPECT_EQ(shown, command);
    EXPECT_GT(canvas.labels.size(), 1u);
}

TEST(InspectorView, DrawsEveryLaneOfEveryStep) {
    Headless gui(300, 400);
    InspectorView inspector;
    for (const auto& run : {samples::two_level(), samples::shared_tree(), samples::undefined_half()}) {
        const RunView run_view(run);
        for (std::size_t step = 0; step < run->steps.size(); ++step) {
            for (int lane = -1; lane < 32; lane += 3) {
                Selection selection;
                selection.pinned_lane = lane;
                const Playhead playhead = at_step(run_view, step);
                gui.in_pane([&](const Pane& pane) { inspector.draw(pane, run_view, playhead, selection); },
                            Pane::Scroll::vertical);
            }
        }
    }
}

TEST(InspectorView, TheThreadAndThePinStandApartHoweverNarrow) {
    const RunView run_view(samples::two_level());
    for (const int width : {190, 200, 230, 306}) {
        Headless gui(width, 285);
        LabelCanvas canvas;
        gui.canvas = &canvas;
        InspectorView inspector;
        for (const bool pinned : {false, true}) {
            Selection selection;
            selection.warp = run_view.steps().warps.front();
            (pinned ? selection.pinned_lane : selection.now.lane) = 13;
            canvas.labels.clear();
            gui.in_pane([&](const Pane& pane) { inspector.draw(pane, run_view, at_step(run_view, 0), selection); },
                        Pane::Scroll::vertical);
            const auto label = [&](const std::string& start) {
                const auto found = std::find_if(canvas.labels.begin(), canvas.labels.end(),
                                                [&](const auto& each) { return each.text.starts_with(start); });
                return found == canvas.labels.end() ? LabelCanvas::Label{} : *found;
            };
            ASSERT_FALSE(label("pin").text.empty()) << width;
            EXPECT_FALSE(label("thread").box.overlaps(label("pin").box)) << width;
            if (width == 230) EXPECT_EQ(label("thread").text, "thread 13");
            if (width == 306) EXPECT_EQ(label("thread").text, "thread 13 of block 0");
        }
    }
}

TEST(InspectorView, WhatHappenedToTheLaneIsInSightAtOnce) {
    Headless gui(306, 285);   // as much as a window of 1280 x 800 has for it
    InspectorView inspector;
    const RunView run_view(samples::two_level());
    const std::size_t count = run_view.steps().size();
    for (std::size_t step = 0; step < count; ++step) {
        Selection selection;
        selection.warp = run_view.steps().warps.front();
        selection.pinned_lane = 5;
        Intent asked;
        const auto draw = [&] {
            gui.in_pane(
                [&](const Pane& pane) { asked = inspector.draw(pane, run_view, at_step(run_view, step), selection); },
                Pane::Scroll::vertical);
        };
        gui.mouse = {-1, -1};
        draw();
        const auto strip = inspector.life.strip();
        ASSERT_FALSE(strip.empty());
        // The present one is among them, with where it came from and where it goes.
        std::vector<std::size_t> changes;
        for (const HistoryStep& each : history_of(run_view.steps(), selection.warp, 5))
            if (each.changed || (changes.empty() && each.known)) changes.push_back(each.step);
        std::size_t present = changes.front();
        for (const std::size_t each : changes)
            if (each <= step) present = each;
        EXPECT_TRUE(std::any_of(strip.begin(), strip.end(), [&](const auto& each) { return each.first == present; }))
            << step;
        for (const auto& [at, box] : strip) {
            EXPECT_LT(box.y1, 120);
            EXPECT_LE(box.x1, 306);
            gui.mouse = box.center();
            gui.down = false;
            draw();
            gui.down = true;
            draw();
            EXPECT_EQ(asked.value, at);
            gui.down = false;
            draw();
        }
    }
}

TEST(TimingView, SaysWhereTimesCameFromAndNeverInventsOne) {
    run::Presentation shown = samples::presentation();
    timing::Timing wrong;   // checked, and not timed
    wrong.variant = "half_mask";
    wrong.n = 512;
    wrong.within_bound = false;
    shown.timings.rows.push_back(wrong);
    EXPECT_EQ(timings_near(shown.timings, 512).size(), shown.timings.rows.size() - 1);
    EXPECT_EQ(timing::timing_of(shown.timings, "half_mask"), nullptr);
    ASSERT_NE(timing::timing_of(shown.timings, "warp_sum_xor"), nullptr);
    Headless gui(300, 300);
    EXPECT_EQ(TimingView{}.height(gui.look(), timing::TimingTable{}, "x"), 0);
}

// Of five with room for three: the shown one and another on the same type; then the fastest, whose name does not say
// its.
TEST(TimingView, SetsLikeBesideLike) {
    timing::TimingTable table;
    const auto add = [&](const char* name, const char* element, double us) {
        timing::Timing row{.variant = name};
        row.element = element;
        row.n = 1024;
        row.within_bound = true;
        row.samples = 10;
        row.low_us = row.median_us = row.high_us = us;
        table.rows.push_back(row);
    };
    add("quick", "f16", 1), add("brisk", "f16", 2), add("shown", "f32", 30), add("slow", "f32", 40);
    Headless gui(300, 300);
    testing::TextCanvas canvas;
    gui.canvas = &canvas;
    TimingView view;
    view.most = 3;
    gui.frame([&] { view.draw(Pane(gui.look(), "times", gui.window()), table, "shown"); });
    std::string all;
    for (const auto& label : canvas.labels) all += label.text + "|";
    EXPECT_NE(all.find("|shown|"), std::string::npos) << all;
    EXPECT_NE(all.find("|slow|"), std::string::npos) << all;
    EXPECT_NE(all.find("|quick (f16)|"), std::string::npos) << all;
    EXPECT_EQ(all.find("brisk"), std::string::npos) << all;
}

// Of the same type, but half of the bytes: it does something else, and the slower one that does the same comes first.
TEST(TimingView, SetsWhatMovesAsManyBytesFirstAndSaysWhereTheShownHasNoTime) {
    timing::TimingTable table;
    const auto add = [&](const char* name, std::uint64_t bytes, double us) {
        timing::Timing row{.variant = name};
        row.element = "f32";
        row.n = 1024;
        row.bytes = bytes;
        row.within_bound = true;
        row.samples = 10;
        row.low_us = row.median_us = row.high_us = us;
        table.rows.push_back(row);
    };
    add("reads_only", 4096, 1), add("same", 8196, 2), add("shown", 8192, 30);
    Headless gui(400, 300);
    const auto texts = [&](const char* variant) {
        testing::TextCanvas canvas;
        gui.canvas = &canvas;
        TimingView view;
        view.most = 2;
        gui.frame([&] { view.draw(Pane(gui.look(), "times", gui.window()), table, variant); });
        std::string all = "|";
        for (const auto& label : canvas.labels) all += label.text + "|";
        return all;
    };
    EXPECT_NE(texts("shown").find("|same|"), std::string::npos) << texts("shown");
    EXPECT_EQ(texts("shown").find("|reads_only|"), std::string::npos) << texts("shown");
    EXPECT_EQ(texts("shown").find("not this variant"), std::string::npos) << texts("shown");
    EXPECT_NE(texts("wrong").find("|not this variant · "), std::string::npos) << texts("wrong");
}

TEST(Playhead, StaysWithinItsStepsAndStopsAtTheEnd) {
    Playhead playhead;
    playhead.count = 3;
    playhead.back();
    EXPECT_EQ(playhead.step, 0u);
    playhead.toggle_play();
    for (int i = 0; i < 10; ++i) playhead.advance(1.0f);
    EXPECT_EQ(playhead.step, 2u);
    EXPECT_FALSE(playhead.playing);
    playhead.forward();
    EXPECT_EQ(playhead.step, 2u);
    playhead.toggle_play();   // from the start
    EXPECT_EQ(playhead.step, 0u);
    Playhead none;
    none.last();
    none.toggle_play();
    EXPECT_EQ(none.step, 0u);
    EXPECT_FALSE(none.playing);
}

}  // namespace
}  // namespace lanewise::viz
