// The view of boxes over lesson 17's chain: six boxes, each of which overlaps the next.
#include "viz/views/boxes/boxes_view.hpp"

#include <gtest/gtest.h>

#include "common/run/run.hpp"
#include "common/trace/io.hpp"
#include "viz/testing/headless.testing.hpp"
#include "viz/testing/sample_runs.hpp"
#include "viz/testing/screens.testing.hpp"

namespace lanewise::viz {
namespace {

using testing::Headless;
using testing::TextCanvas;

std::shared_ptr<const run::Run> chain() {
    auto run = std::make_shared<run::Run>();
    run->trace = trace::load(std::string(LANEWISE_GOLDEN) + "/chain.ndjson");
    run->steps = steps::build_steps(run->trace);
    return run;
}

struct Shown {
    Headless gui;
    RunView run_view;
    Playhead playhead;
    Selection selection;
    BoxesView view;

    explicit Shown(std::shared_ptr<const run::Run> run, float width = 740, float height = 620)
        : gui(width, height), run_view(std::move(run)) {
        playhead = testing::at_step(run_view, 0);
        selection.warp = run_view.outline.warps.front();
    }
    Intent frame() {
        Intent intent;
        gui.in_pane([&](const Pane& pane) { intent = view.draw(pane, run_view, playhead, selection); });
        return intent;
    }
    const Suppression& all() const { return *run_view.boxes; }
    void go_to(std::size_t step) {
        playhead.step = step;
        frame();
    }
};

TEST(BoxesView, PlacesAreInsideAndBitsApart) {
    for (const auto& [width, height] :
         {std::pair{740.0f, 620.0f}, {480.0f, 380.0f}, {420.0f, 900.0f}, {1500.0f, 800.0f}}) {
        Shown shown(chain(), width, height);
        shown.go_to(shown.playhead.count - 1);
        const BoxesPlaces& places = shown.view.places();
        ASSERT_EQ(places.count, 6u);
        EXPECT_FALSE(places.plane.overlaps(places.matrix));
        for (const RankedBox& box : shown.all().boxes) {
            const Rect place = places.box(box);
            EXPECT_GE(place.x0, places.plane.x0);
            EXPECT_LE(place.x1, places.plane.x1);
            EXPECT_GE(place.y0, places.plane.y0);
            EXPECT_LE(place.y1, places.plane.y1);
            EXPECT_NEAR(place.width(), place.height(), 0.01f);   // 40 by 40
        }
        EXPECT_FALSE(places.bit(1, 2).inset(0.1f).overlaps(places.bit(1, 3)));
        EXPECT_LE(places.bit(5, 5).x1, places.matrix.x1);
        EXPECT_LE(places.bit(5, 5).y1 + places.cell, places.matrix.y1 + 1);
    }
}

TEST(BoxesView, AnAnswerGoesToTheStepThatDecidesIt) {
    for (const bool yes : {true, false}) {
        Shown shown(chain());
        const ChainQuestion& question = shown.all().questions.front();
        shown.go_to(question.asked);
        EXPECT_EQ(shown.view.answer(), "");
        ASSERT_FALSE(shown.view.yes().empty());
        const Intent asked =
            shown.gui.click((yes ? shown.view.yes() : shown.view.no()).center(), [&] { return shown.frame(); });
        EXPECT_EQ(asked.kind, Intent::Kind::go_to);
        EXPECT_EQ(asked.value, question.answered);
        shown.gui.mouse = {-1e6f, -1e6f};
        shown.go_to(asked.value);
        // C lives.
        EXPECT_TRUE(shown.view.answer().starts_with(yes ? "Right. C lives" : "Not so. C lives")) << shown.view.answer();
        shown.go_to(question.asked);
        EXPECT_EQ(shown.view.answer(), "");   // open again: nothing is given away
    }
}

TEST(BoxesView, ThePointerNamesABoxARowAndABit) {
    Shown shown(chain());
    shown.go_to(shown.playhead.count - 1);
    const BoxesPlaces places = shown.view.places();
    // Where A alone lies: its upper left corner.
    const Rect a = places.box(shown.all().boxes[0]);
    shown.gui.mouse = {a.x0 + 2, a.y0 + 2};
    shown.frame();
    EXPECT_EQ(shown.view.pointed(), 0);
    shown.gui.mouse = places.bit(2, 3).center();
    shown.frame();
    EXPECT_EQ(shown.view.pointed(), 2);
    // A click goes to the row's turn.
    const Intent asked = shown.gui.click(places.bit(2, 3).center(), [&] { return shown.frame(); });
    EXPECT_EQ(asked.kind, Intent::Kind::go_to);
    EXPECT_EQ(asked.value, shown.all().boxes[2].turn);
}

TEST(BoxesView, HasNoFaultyLabel) {
    for (const auto& [width, height] :
         {std::pair{740.0f, 620.0f}, {460.0f, 380.0f}, {360.0f, 420.0f}, {1500.0f, 800.0f}}) {
        for (const bool compact : {false, true}) {
            Shown shown(chain(), width, height);
            shown.view.compact = compact;
            for (std::size_t step = 0; step < shown.playhead.count; ++step) {
                TextCanvas canvas;
                shown.gui.canvas = &canvas;
                shown.go_to(step);
                shown.gui.canvas = nullptr;
                for (const std::string& fault : canvas.faults(1))
                    ADD_FAILURE() << width << "x" << height << " step " << step << ": " << fault;
            }
        }
    }
}

TEST(BoxesView, ARunWithoutBoxesIsASentence) {
    Shown shown(samples::presentation().services.run("warp_sum_xor"));
    TextCanvas canvas;
    shown.gui.canvas = &canvas;
    shown.frame();
    shown.gui.canvas = nullptr;
    std::string all;
    for (const TextCanvas::Label& label : canvas.labels) all += label.text + " ";
    EXPECT_NE(all.find("lesson 17"), std::string::npos) << all;
}

}  // namespace
}  // namespace lanewise::viz
