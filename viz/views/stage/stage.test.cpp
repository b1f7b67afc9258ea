// The stage's motion, size, colours and legend; the small pictures of warps; labels.
#include <gtest/gtest.h>

#include <cmath>

#include "common/run/run.hpp"
#include "common/steps/testing/programs.testing.hpp"
#include "viz/testing/labels.testing.hpp"
#include "viz/testing/sample_runs.hpp"
#include "viz/views/lane/inspector_view.hpp"
#include "viz/views/stage/stage_legend.hpp"
#include "viz/views/stage/stage_view.hpp"
#include "viz/widgets/svg_canvas.hpp"
#include "common/scene/warp_states.hpp"

namespace lanewise::viz {
namespace {

using testing::Headless;

struct Drawn {
    explicit Drawn(std::shared_ptr<const run::Run> run, float width = 900, float height = 460)
        : gui(width, height), run_view(std::move(run)) {
        selection.warp = run_view.steps().warps.front();
        playhead.count = run_view.steps().size();
    }
    Intent draw(Canvas* canvas = nullptr) {
        Intent intent;
        gui.canvas = canvas;
        gui.in_pane([&](const Pane& pane) { intent = stage.draw(pane, run_view, playhead, selection); });
        gui.canvas = nullptr;
        selection.turn();
        return intent;
    }
    const Row& row_of(std::size_t step) const {
        return *std::find_if(stage.scene().rows.begin(), stage.scene().rows.end(),
                             [&](const Row& row) { return row.step == step; });
    }
    const Band& present() const {
        return *std::find_if(stage.scene().bands.begin(), stage.scene().bands.end(),
                             [](const Band& band) { return band.present; });
    }

    Headless gui;
    RunView run_view;
    Playhead playhead;
    Selection selection;
    StageView stage;
};

TEST(StageMotion, RowsMoveFromWhereTheyStood) {
    Drawn drawn(samples::shared_tree());
    drawn.playhead.step = 6;
    drawn.draw();
    const float before = drawn.row_of(6).y0;
    drawn.playhead.go_to(8);
    drawn.draw();
    EXPECT_NEAR(drawn.row_of(6).y0, before, 0.5f);
    float last = drawn.row_of(6).y0;
    int frames = 0;
    float farthest = 0;
    while (drawn.playhead.moving() && frames < 100) {
        drawn.playhead.advance(0.016f);
        drawn.draw();
        farthest = std::max(farthest, std::abs(drawn.row_of(6).y0 - last));
        last = drawn.row_of(6).y0;
        ++frames;
    }
    EXPECT_GE(frames, 12);   // 200 to 300 ms
    EXPECT_LE(frames, 19);
    EXPECT_GT(std::abs(last - before), 20);
    EXPECT_LT(farthest, 0.5f * std::abs(last - before));   // no jump
    // At rest it is where a stage is that came there at once.
    Drawn other(samples::shared_tree());
    other.playhead.step = 8;
    other.draw();
    EXPECT_NEAR(other.row_of(6).y0, last, 0.01f);
}

TEST(StageMotion, CanBeOff) {
    Drawn drawn(samples::shared_tree());
    drawn.playhead.motion = false;
    drawn.playhead.step = 6;
    drawn.draw();
    drawn.playhead.go_to(8);
    EXPECT_FALSE(drawn.playhead.moving());
    drawn.draw();
    Drawn other(samples::shared_tree());
    other.playhead.step = 8;
    other.draw();
    EXPECT_FLOAT_EQ(other.row_of(6).y0, drawn.row_of(6).y0);
}

TEST(StageMotion, WhatStandsInABandMovesWithIt) {
    const auto run = samples::shared_tree();
    Scene scene = build_scene(run->steps, 5, run->steps.warps.front(), StageMetrics{});
    std::vector<std::pair<float, float>> places;
    for (const Row& row : scene.rows) places.emplace_back(row.y0 * 0.5f, row.y0 * 0.5f + 8);
    scene.place_rows(places);
    for (std::size_t i = 0; i < scene.bands.size(); ++i) {
        const Band& band = scene.bands[i];
        EXPECT_GE(band.box.y0, scene.rows[i].y1);
        EXPECT_LE(band.box.y1, scene.rows[i + 1].y0);
        for (const WordLine& line : band.lines) {
            EXPECT_GE(line.from.y, scene.rows[i].y1 - 1);
            EXPECT_LE(line.to.y, scene.rows[i + 1].y0 + 1);
        }
    }
}

TEST(StageCamera, LargerKeepsWhatIsUnderThePointer) {
    Drawn drawn(samples::warp_xor(), 1000, 620);
    drawn.playhead.step = 3;
    drawn.draw();
    const Rect before = drawn.row_of(2).lanes[20].box;
    drawn.gui.mouse = before.center();
    drawn.draw();
    EXPECT_EQ(drawn.selection.now.lane, 20);
    drawn.gui.ctrl = true;
    drawn.gui.wheel = 4;
    drawn.draw();
    drawn.gui.ctrl = false;
    drawn.gui.wheel = 0;
    drawn.draw();
    EXPECT_NEAR(drawn.stage.camera.zoom(), std::pow(1.2f, 4.0f), 1e-3f);
    const Rect after = drawn.row_of(2).lanes[20].box;
    EXPECT_NEAR(after.width() / before.width(), drawn.stage.camera.zoom(), 0.05f);
    EXPECT_TRUE(after.contains(drawn.gui.mouse));
    EXPECT_EQ(drawn.selection.now.lane, 20);   // pointing stays right
    // Dragged with the right button, everything follows the pointer.
    drawn.gui.right = true;
    drawn.draw();
    drawn.gui.mouse = {drawn.gui.mouse.x - 60, drawn.gui.mouse.y};
    drawn.draw();
    EXPECT_NEAR(drawn.row_of(2).lanes[20].box.x0, after.x0 - 60, 1);
    drawn.gui.right = false;
    drawn.draw();
    EXPECT_EQ(drawn.selection.now.lane, 20);
    // As it was.
    drawn.stage.camera.reset();
    drawn.draw();
    EXPECT_FLOAT_EQ(drawn.row_of(2).lanes[20].box.x0, before.x0);
}

TEST(StageCamera, SmallerShowsALongRunAtOnceAndThePresentStepInFull) {
    Drawn drawn(samples::shared_tree(), 900, 760);
    drawn.playhead.step = 9;
    drawn.draw();
    EXPECT_GT(drawn.stage.scene().height, 500);
    const float present = drawn.present().box.height();
    for (int i = 0; i < 12; ++i) drawn.stage.camera.smaller();
    drawn.draw();
    EXPECT_GE(drawn.stage.scene().rows.front().y0, 0);
    EXPECT_LT(drawn.stage.scene().rows.back().y1, 760);
    EXPECT_NEAR(drawn.present().box.height(), present, 0.55f * present);
    const Row& held = drawn.row_of(9);
    EXPECT_FALSE(held.lanes[0].text.empty());
    for (const Row& row : drawn.stage.scene().rows) {
        if (row.low) {
            EXPECT_TRUE(row.lanes[0].text.empty());
        }
    }
}

TEST(StageView, AStepsNameInTheGutterLeadsToIt) {
    Drawn drawn(samples::warp_xor(), 1000, 620);
    drawn.playhead.step = 4;
    drawn.draw();
    const Band& other = drawn.stage.scene().bands[2];
    const std::size_t step = other.step;
    drawn.gui.mouse = {drawn.stage.scene().lanes_x1() + 20, other.box.center().y};
    drawn.draw();
    EXPECT_EQ(drawn.selection.now.step, step);
    drawn.gui.down = true;
    const Intent intent = drawn.draw();
    EXPECT_EQ(intent.kind, Intent::Kind::go_to);
    EXPECT_EQ(intent.value, step);
}

TEST(Coverage, FollowsFromInputsNeverFromNumbers) {
    EXPECT_EQ(coverage_of(0, false, false, 32), Coverage::unknown);
    EXPECT_EQ(coverage_of(31, false, false, 32), Coverage::partial);
    EXPECT_EQ(coverage_of(32, false, false, 32), Coverage::complete);
    EXPECT_EQ(coverage_of(32, true, false, 32), Coverage::twice);
    EXPECT_EQ(coverage_of(32, true, true, 32), Coverage::undefined);
    EXPECT_EQ(coverage_of(1, false, false, 1), Coverage::partial);
    float last = 0;
    for (const std::size_t inputs : {1u, 2u, 4u, 8u, 16u, 32u}) {
        EXPECT_NEAR(part_included(inputs, 32) - last, 1.0f / 6, 1e-5f);   // each doubling as far as any other
        last = part_included(inputs, 32);
    }
    EXPECT_FLOAT_EQ(last, 1);
    for (const Theme* theme : {&dark_theme(), &light_theme()}) {
        for (const Coverage each : {Coverage::unknown, Coverage::partial, Coverage::complete, Coverage::twice}) {
            for (const float part : {0.1f, 0.5f, 1.0f}) {
                const Color ground = coverage_color(*theme, each, part);
                EXPECT_GE(contrast(text_on(ground), ground), 4.5);
            }
        }
    }
}

TEST(StageLegend, ExplainsWhatIsInSightAndNothingElse) {
    const auto facts_at = [](const std::shared_ptr<const run::Run>& run, std::size_t step) {
        const RunView run_view(run);
        const StageMetrics metrics;
        const Scene scene = build_scene(run->steps, step, run->steps.warps.front(), metrics);
        return legend_facts(scene, run_view.most_inputs, metrics.area);
    };
    const auto xor_run = samples::warp_xor();
    const LegendFacts first = facts_at(xor_run, 1);
    EXPECT_TRUE(first.values && first.partial);
    EXPECT_FALSE(first.complete || first.twice || first.undefined || first.shared_words || first.global_words);
    EXPECT_TRUE(facts_at(xor_run, 0).global_words);
    EXPECT_TRUE(facts_at(xor_run, 5).complete);
    const auto wrong = samples::undefined_half();
    bool undefined = false;
    for (std::size_t step = 0; step < wrong->steps.size(); ++step) undefined |= facts_at(wrong, step).undefined;
    EXPECT_TRUE(undefined);
    const auto tree = samples::shared_tree();
    bool shared = false;
    for (std::size_t step = 0; step < tree->steps.size(); ++step) shared |= facts_at(tree, step).shared_words;
    EXPECT_TRUE(shared);
}

TEST(StageLegend, NamesThePartsOfAValue) {
    steps::testing::Pairs pairs;
    auto warp = pairs.made.warp(0, 0);
    pairs.round(warp, 16);
    const auto run = std::make_shared<run::Run>();
    run->trace = pairs.made.trace;
    run->steps = steps::build_steps(run->trace);
    const RunView run_view(run);
    EXPECT_EQ(run_view.outline.parts, (std::vector<std::string>{"max", "sum"}));
    const auto labels = testing::stage_labels(run_view, 0, 1000, 500);
    EXPECT_TRUE(std::any_of(labels.begin(), labels.end(),
                            [](const auto& label) { return label.text == "each value: (max, sum)"; }));
}

TEST(StageLegend, ItsSwitchAsksForTheOtherColours) {
    Drawn drawn(samples::warp_xor(), 1000, 620);
    drawn.playhead.step = 2;
    drawn.draw();
    Intent intent;
    for (float x = 0; x < 400 && !intent; x += 4) {
        drawn.gui.mouse = {x, 608};
        drawn.gui.down = false;
        drawn.draw();
        drawn.gui.down = true;
        intent = drawn.draw();
    }
    EXPECT_EQ(intent.kind, Intent::Kind::colors);
}

TEST(WarpStates, EachFollowsFromTheTrace) {
    using Doing = WarpState::Doing;
    std::size_t waiting = 0, ended = 0;
    for (const auto& run : {samples::shared_tree(), samples::two_level()}) {
        const steps::Steps& steps = run->steps;
        for (std::size_t k = 0; k < steps.size(); ++k) {
            for (const WarpRef& warp : steps.warps) {
                const WarpState state = state_of(steps, k, warp);
                const bool part = steps.steps[k].find(warp) != nullptr;
                const bool barrier = steps.steps[k].kind == StepKind::block_barrier;
                if (part) {
                    EXPECT_EQ(state.doing, barrier ? Doing::waits : Doing::works);
                } else {
                    EXPECT_NE(state.doing, Doing::works);
                }
                if (part && barrier) {
                    EXPECT_EQ(state.lanes, 32);
                }
                waiting += state.doing == Doing::waits && !part ? 1u : 0u;
                ended += state.doing == Doing::ended ? 1u : 0u;
                if (state.doing == Doing::ended) {
                    for (std::size_t later = k; later < steps.size(); ++later)
                        EXPECT_EQ(steps.steps[later].find(warp), nullptr);
                }
            }
        }
    }
    EXPECT_GT(waiting, 0u);
    EXPECT_GT(ended, 0u);
}

TEST(WarpStates, SmallPicturesHaveTheColoursOfTheTrace) {
    const RunView run_view(samples::two_level());
    const steps::Steps& steps = run_view.steps();
    for (const WarpRef& warp : steps.warps) {
        const auto rows = color_rows(run_view, warp, dark_theme(), ColorBy::value);
        ASSERT_FALSE(rows.empty());
        for (const ColorRow& row : rows) {
            const steps::LaneValues& held = steps.lane_values(row.step, warp);
            std::uint32_t colored = 0;
            for (const ColorRow::Run& run : row.runs) {
                for (int lane = run.first; lane < run.first + run.count; ++lane) {
                    colored |= std::uint32_t{1} << lane;
                    EXPECT_EQ(run.color, run_view.scale.color(held.type, held.bits[static_cast<std::size_t>(lane)]));
                }
            }
            EXPECT_EQ(colored, held.known);
        }
    }
}

TEST(Labels, OfAllSamplesNeitherOverlapNorLeaveTheStage) {
    for (const auto& run : {samples::warp_xor(), samples::warp_down(), samples::two_level(), samples::shared_tree(),
                            samples::undefined_half()}) {
        for (const std::string& fault : testing::label_faults(run, 735, 625, 1)) ADD_FAILURE() << fault;
    }
}

TEST(Labels, ANumberStaysOnOneLineAndIsNeverRounded) {
    EXPECT_EQ(scene::cell_text(Element::f32, to_bits(-0.03f), 3.5), "-.03");
    EXPECT_EQ(scene::cell_text(Element::f32, to_bits(0.5f), 3), "0.5");
    EXPECT_EQ(scene::cell_text(Element::f32, to_bits(0.9951f), 3.6), ".99…");   // not "1"
    EXPECT_EQ(scene::cell_text(Element::f32, to_bits(-0.008f), 4.5), "-.008");
    EXPECT_EQ(scene::cell_text(Element::f32, to_bits(-0.008f), 4), "-0…");
    // A digit says how small a number is: in the smaller type, else without a mark, else with its power of ten.
    EXPECT_EQ(scene::cell_text(Element::f32, to_bits(-0.09012f), {4.8, 4.2}), "-.09…");
    EXPECT_EQ(scene::cell_text(Element::f32, to_bits(-0.09012f), 4.2), "-.09");
    EXPECT_EQ(scene::cell_text(Element::f32, to_bits(-0.00912f), {4.8, 4.2}), "-.009");
    EXPECT_EQ(scene::cell_text(Element::f32, to_bits(-9.12e-5f), {4.8, 4.2}), "-9e-5");
    EXPECT_EQ(scene::cell_text(Element::f32, to_bits(0.00196f), {4.8, 4.2}), ".001…");
    // Of one from 0.1 on a smaller type shows the mark, too; in the last type the digit remains.
    EXPECT_EQ(scene::cell_text(Element::f32, to_bits(-0.1112f), {3, 3, false}), "-0…");
    EXPECT_EQ(scene::cell_text(Element::f32, to_bits(-0.1112f), {3, 3}), "-.1");
    EXPECT_EQ(scene::cell_text(Element::f32, to_bits(-0.1112f), 2), "-0…");
    EXPECT_EQ(scene::cell_text(Element::f32, to_bits(-INFINITY), 3), "-∞");
}

// Two panes of a window of 1280x800 at twice the size have 14 pixels for a lane: three digits are there, in type of
// the pixels that the smallest has at scale 1.
TEST(Labels, ThreeDigitsHaveRoomInTheSmallestType) {
    constexpr float kCell = 14.1f;
    const auto room_for = [](float cell, std::initializer_list<float> numbers) {
        return cell_room(cell, 2, [numbers](const scene::CellRoom& each) {
            return std::all_of(numbers.begin(), numbers.end(), [&](float number) {
                return scene::shows_size(scene::cell_text(Element::f32, to_bits(number), each), number, each);
            });
        });
    };
    const scene::CellRoom room = room_for(kCell, {7, 128, 528});
    EXPECT_EQ(scene::cell_text(Element::i32, 128, room), "128");
    EXPECT_EQ(scene::cell_text(Element::f32, to_bits(528.0f), room), "528");
    EXPECT_EQ(scene::cell_text(Element::f32, to_bits(7.0f), room), "7");
    Headless gui(400, 300, 2);
    CellWidths widths;
    widths.add("128");
    EXPECT_EQ(cell_face(gui.look(), kCell, widths), Face::closest);
    EXPECT_LE(text_width(gui.look(), Face::closest, "128"), kCell);
    EXPECT_GE((*gui.look().fonts)[Face::closest].em, 7);
    // Where there is room for larger type, a number is rather cut than small.
    EXPECT_EQ(cell_face(gui.look(), 40, widths), Face::tiny);
    const auto text = [](float number, const scene::CellRoom& each) {
        return scene::cell_text(Element::f32, to_bits(number), each);
    };
    const scene::CellRoom at_scale_1 = cell_room(20, 1);
    EXPECT_EQ(text(0.13312304f, at_scale_1), ".13…");
    EXPECT_EQ(text(0.13312304f, room_for(40, {0.13312304f, 0.52f})), ".13…");
    // One that would be "-0…" makes all of its row smaller.
    const scene::CellRoom smaller = room_for(24, {0.13312304f, -0.1112f});
    EXPECT_EQ(text(0.13312304f, cell_room(24, 2)), ".1…");
    EXPECT_EQ(text(-0.1112f, cell_room(24, 2)), "-0…");
    EXPECT_EQ(text(-0.1112f, smaller), "-.1…");
    EXPECT_EQ(text(0.13312304f, smaller), ".13…");
    // One below 0.1 that has no digit in the larger type makes nothing smaller.
    EXPECT_EQ(text(-0.0082f, room_for(24, {0.13312304f, -0.1112f, -0.0082f})), "-0…");
    // At scale 1 nothing is smaller than the narrow cells of four panes: a digit without a mark, rather than none.
    EXPECT_EQ(text(-0.4602f, cell_room(14, 1)), "-.4");
}

// The columns that cell_text counts are those of the faces that are set close.
TEST(Labels, ColumnsAreAsWideAsTheNarrowFacesDrawThem) {
    for (const float scale : {1.0f, 2.0f}) {
        Headless gui(400, 300, scale);
        for (const char* text : {"32640", "-190…", "-.78…", "0.13…", "1…e-7", "131k…"})
            for (const Face face : {Face::narrow, Face::narrowest, Face::close, Face::closest})
                EXPECT_NEAR(text_width(gui.look(), face, text),
                            (*gui.look().fonts)[face].digit * static_cast<float>(scene::cell_columns(text)), scale)
                    << text;
    }
}

// The lane's number and its source's, drawn whole over narrow cells: neither covers the other, and no sign is lost.
TEST(Labels, WholeNumbersOfALaneAndItsSourceStandBesideEachOther) {
    trace::Trace trace = samples::warp_xor()->trace;
    for (trace::Record& record : trace.records) {
        if (record.op != trace::Op::shfl_xor) continue;
        for (std::size_t lane = 0; lane < 32; ++lane) {
            const float before = -1.7f - 0.1234f * static_cast<float>(lane);
            record.before[lane] = to_bits(before);
            record.received[lane] = to_bits(-1.7f - 0.1234f * static_cast<float>(record.source[lane]));
            record.after[lane] = to_bits(before + from_bits<float>(record.received[lane]));
        }
    }
    Drawn drawn(samples::run_of(std::move(trace), "warp_sum_xor"), 720, 460);
    for (std::size_t step = 1; step <= 5; ++step) {
        for (int lane = 0; lane < 32; ++lane) {
            drawn.playhead.step = step;
            drawn.playhead.since_step = 1e9f;
            drawn.selection.pinned_lane = lane;
            testing::LabelCanvas canvas;
            drawn.draw(&canvas);
            const steps::LaneView& view =
                drawn.run_view.steps().steps[step].warps.front().lanes[static_cast<std::size_t>(lane)];
            const auto box_of = [&](std::uint64_t bits) {
                const std::string text = format_element(Element::f32, bits);
                for (const auto& label : canvas.labels)
                    if (label.text == text) return label.box;
                ADD_FAILURE() << text << " of lane " << lane << " is not shown at step " << step;
                return Rect{};
            };
            const Rect own = box_of(view.before), other = box_of(view.received);
            EXPECT_TRUE(own.x1 + 2 < other.x0 || other.x1 + 2 < own.x0) << "step " << step << " lane " << lane;
            for (const Rect& box : {own, other}) {
                EXPECT_GE(box.x0, drawn.stage.scene().lanes_x0 - 4);
                EXPECT_LE(box.x1, drawn.stage.scene().lanes_x1() + 4);
            }
        }
    }
}

TEST(Labels, FaultsAreFound) {
    // A stage far too narrow for its labels.
    EXPECT_FALSE(testing::label_faults(samples::shared_tree(), 180, 420, 1).empty());
}

// Two headings over the matrix need a square as wide as both; where there is none, lanes and memory keep the room.
TEST(Stage, AMatrixIsDrawnWhereItsHeadingsFit) {
    const auto has_matrix = [](float width, float height, float scale) {
        Headless gui(width, height, scale);
        SvgCanvas canvas(width, height, 0, gui.fonts);
        gui.canvas = &canvas;
        const RunView run_view(samples::warp_xor());
        Selection selection;
        StageView stage;
        stage.matrix = true;
        gui.in_pane([&](const Pane& pane) { stage.draw(pane, run_view, testing::at_step(run_view, 2), selection); });
        return canvas.document("", "").find("a row for each lane") != std::string::npos;
    };
    EXPECT_TRUE(has_matrix(735, 625, 1));    // a window of 1280x800
    EXPECT_TRUE(has_matrix(1470, 1250, 2));
    EXPECT_FALSE(has_matrix(800, 375, 2));   // the same window at twice the scale
}

}  // namespace
}  // namespace lanewise::viz
