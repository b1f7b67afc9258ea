// What the stage shows of collectives, wrong runs and teaching warps.
#include <gtest/gtest.h>

#include "common/base/element.hpp"
#include "common/run/run.hpp"
#include "common/scene/describe.hpp"
#include "viz/model/result_line.hpp"
#include "viz/testing/headless.testing.hpp"
#include "viz/testing/labels.testing.hpp"
#include "viz/testing/sample_runs.hpp"
#include "viz/views/lane/inspector_view.hpp"
#include "viz/views/stage/stage_view.hpp"

namespace lanewise::viz {
namespace {

using testing::at_step;
using testing::Headless;

const trace::Record& first_record(const RunView& run_view, std::size_t step) {
    return run_view.trace().records[run_view.steps().steps[step].warps.front().records.front()];
}

TEST(Collectives, TheSceneShowsWhatTheRecordsHold) {
    const RunView run_view(samples::collectives());
    const steps::Steps& steps = run_view.steps();
    std::size_t matches = 0;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        const trace::Record& record = first_record(run_view, k);
        const Scene scene = build_scene(steps, k, steps.warps.front(), StageMetrics{});
        const std::string text = describe_step(*run_view.run, "kernels.cuh", k, -1, -1);
        const auto present =
            std::find_if(scene.bands.begin(), scene.bands.end(), [](const Band& band) { return band.present; });
        ASSERT_NE(present, scene.bands.end());
        EXPECT_EQ(scene.part.op, trace::op_name(record.op));
        const bool is_match = record.op == trace::Op::vote_match_any || record.op == trace::Op::vote_match_all;
        EXPECT_EQ(scene.part.groups.empty(), !is_match);
        for (std::size_t lane = 0; lane < 32; ++lane) {
            const LaneFacts& facts = scene.part.facts[lane];
            ASSERT_EQ(facts.active, (record.active >> lane & 1u) != 0);
            if (!facts.active) continue;
            if (record.op == trace::Op::vote_match_any) {
                ++matches;
                std::uint32_t group = 0;
                for (std::size_t other = 0; other < 32; ++other)
                    group |= std::uint32_t{scene.part.groups[other] == scene.part.groups[lane]} << other;
                EXPECT_EQ(group, record.received[lane]);
                EXPECT_NE(text.find("lane " + std::to_string(lane) + "  compares " +
                                    format_element(record.type, record.before[lane])),
                          std::string::npos);
            }
            if (trace::is_predicate_vote(record.op) || trace::is_barrier_vote(record.op)) {
                EXPECT_EQ(facts.says, record.arg[lane]);
                EXPECT_NE(text.find("lane " + std::to_string(lane) + (k == 7 ? "  at barrier" : "") + "  says " +
                                    (record.arg[lane] ? "yes" : "no")),
                          std::string::npos)
                    << text;
            }
            if (facts.has_answer) {
                EXPECT_EQ(facts.answer, record.received[lane]);
                EXPECT_NE(text.find("received " + format_element(facts.answer_type, facts.answer)), std::string::npos);
            }
        }
    }
    EXPECT_EQ(matches, 32u);
}

TEST(Collectives, EveryStepIsDrawnAndInspectedForEveryLane) {
    Headless gui(960, 640);
    for (const auto& run :
         {samples::collectives(), samples::joined_blocks(), samples::wrong_sum(), samples::teaching_warps()}) {
        const RunView run_view(run);
        StageView stage;
        InspectorView inspector;
        for (std::size_t k = 0; k < run_view.steps().size(); ++k) {
            for (const int lane : {-1, 0, 5}) {
                Selection selection;
                selection.warp = run_view.steps().warps.front();
                selection.pinned_lane = lane;
                const Playhead playhead = at_step(run_view, k);
                EXPECT_GT(gui.in_pane([&](const Pane& pane) { stage.draw(pane, run_view, playhead, selection); }), 100);
                EXPECT_GT(gui.in_pane([&](const Pane& pane) { inspector.draw(pane, run_view, playhead, selection); },
                                      Pane::Scroll::vertical),
                          40);
            }
        }
    }
}

TEST(WrongRuns, AFindingIsShownAtTheStepsOfItsLine) {
    const RunView wrong(samples::wrong_sum());
    for (std::size_t k = 0; k < wrong.steps().size(); ++k) {
        EXPECT_EQ(wrong.outline.findings_at[k].size(), wrong.steps().steps[k].line == 5 ? 1u : 0u);
        EXPECT_EQ(faulting_lanes(wrong, k, {0, 0, 0}), wrong.steps().steps[k].line == 5 ? 0xffff0000u : 0u);
        EXPECT_EQ(faulting_lanes(wrong, k, {0, 0, 1}), 0u);
        const bool reported =
            describe_step(*wrong.run, "kernels.cuh", k, -1, -1).find("found wrong: Line 5, lanes 16-31") !=
            std::string::npos;
        EXPECT_EQ(reported, wrong.steps().steps[k].line == 5);
    }
    // At every step the run says that something is wrong, and where.
    const std::string mistake = mistakes_found(wrong);
    EXPECT_TRUE(mistake.ends_with(", see step " + std::to_string(first_mistake(wrong) + 1))) << mistake;
    EXPECT_NE(describe_step(*wrong.run, "kernels.cuh", 0, -1, -1).find("mistake: " + mistake), std::string::npos);
    EXPECT_EQ(mistakes_found(RunView(samples::right_sum())), "");
    EXPECT_FALSE(came_out_right(*wrong.run));
    EXPECT_TRUE(result_text(*wrong.run).starts_with("out = ")) << result_text(*wrong.run);
    EXPECT_TRUE(result_text(*wrong.run).ends_with(", expected 528")) << result_text(*wrong.run);
    EXPECT_EQ(result_text(*samples::right_sum()), "out = 528, as expected");
    EXPECT_EQ(result_text(*samples::warp_xor()), "");

    // A line that no step has: a collective that never came about is shown where its warp stopped.
    auto run = std::make_shared<run::Run>(*samples::wrong_sum());
    run->trace.findings.front().line = 99;
    run->steps = steps::build_steps(run->trace);
    const RunView stuck(run);
    for (std::size_t k = 0; k < stuck.steps().size(); ++k)
        EXPECT_EQ(stuck.outline.findings_at[k].size(), k + 1 == stuck.steps().size() ? 1u : 0u);
}

// Captions, values and arcs on the screen are those of the scene.
TEST(Stage, ShowsTheSceneOfEveryStep) {
    for (const auto& run : {samples::collectives(), samples::warp_down(), samples::undefined_half()}) {
        Headless gui(1700, 900);
        const RunView run_view(run);
        StageView stage;
        Selection selection;
        selection.warp = run_view.outline.warps.front();
        for (std::size_t k = 0; k < run_view.outline.steps.size(); ++k) {
            SCOPED_TRACE(run_view.outline.variant + ", step " + std::to_string(k + 1));
            testing::LabelCanvas canvas;
            gui.in_window([&] {
                Look look = gui.look();
                look.canvas = &canvas;
                stage.draw(Pane(look, "stage", gui.window()), run_view, at_step(run_view, k), selection);
            });
            std::string drawn;
            for (const auto& label : canvas.labels) drawn += label.text + "\n";
            const scene::Stage shown = stage_of(run->steps, k, selection.warp);
            EXPECT_NE(drawn.find(caption_of(shown.part) + caption_goes_on(shown.part)), std::string::npos) << drawn;
            std::size_t at = 0;
            while (!shown.bands[at].present) ++at;
            for (const scene::StageRow* row : {&shown.rows[at], &shown.rows[at + 1]}) {
                for (int lane = 0; lane < shown.lanes; ++lane) {
                    const scene::LaneCell& cell = row->lanes[static_cast<std::size_t>(lane)];
                    if (!cell.known) continue;
                    const std::string text = cell.undefined ? "?" : format_element(cell.type, cell.bits);
                    if (text.size() < 6) {
                        EXPECT_NE(drawn.find(text), std::string::npos) << text << " in\n" << drawn;
                    }
                }
            }
            // Every arc is a curve between its two lanes.
            const Scene& placed = stage.scene();
            const auto middle = [&](int lane) {
                return placed.lanes_x0 + placed.cell * (static_cast<float>(lane) + 0.5f);
            };
            for (const scene::Arc& arc : shown.part.arcs) {
                EXPECT_TRUE(std::any_of(canvas.curves.begin(), canvas.curves.end(), [&](const auto& curve) {
                    return std::abs(curve.a.x - middle(arc.source)) < 1 && std::abs(curve.b.x - middle(arc.reader)) < 1;
                })) << arc.source << " to " << arc.reader;
            }
        }
    }
}

TEST(TeachingWarps, HaveTheirOwnLanesLarge) {
    const RunView run_view(samples::teaching_warps());
    const steps::Steps& steps = run_view.steps();
    EXPECT_EQ(warp_size(steps), 8);
    ASSERT_EQ(steps.warps.size(), 2u);
    for (const WarpRef& warp : steps.warps) {
        EXPECT_EQ(lanes_of(steps, warp), 8);
        const Scene scene = build_scene(steps, 2, warp, StageMetrics{});
        EXPECT_EQ(scene.lanes, 8);
        EXPECT_GE(scene.cell, 90);
        EXPECT_EQ(scene.part.facts.size(), 8u);
        EXPECT_EQ(scene.lane_at(scene.lanes_x1() + 1), -1);
        for (const Band& band : scene.bands) {
            for (const Arc& arc : band.arcs) {
                EXPECT_LT(arc.source, 8);
                EXPECT_LE(arc.from.x, scene.lanes_x1());
            }
        }
    }
    // The second warp's first lane is thread 8, not 32.
    const steps::LaneValues& last = steps.lane_values(steps.size() - 1, steps.warps[1]);
    EXPECT_EQ(from_bits<float>(last.bits[0]), 8.0f + 9 + 10 + 11 + 12 + 13 + 14 + 15);
    // A warp that its block ends: 12 threads leave the second one four lanes.
    auto run = std::make_shared<run::Run>(*run_view.run);
    run->trace.header.launches.front().block = {12, 1, 1};
    run->steps = steps::build_steps(run->trace);
    EXPECT_EQ(lanes_of(run->steps, {0, 0, 1}), 4);
}

}  // namespace
}  // namespace lanewise::viz
