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
        EXPECT_TRUE(shown.view.answer().starts_with(yes ? "Right. C is kept" : "Not so. C is kept")) << shown.view.answer();
        shown.go_to(question.asked);
        EXPECT_EQ(shown.view.answer(), "");   // open again: nothing is given away
    }
}

std::string drawn_text(Shown& shown) {
    TextCanvas canvas;
    shown.gui.canvas = &canvas;
    shown.frame();
    shown.gui.canvas = nullptr;
    std::string all;
    for (const TextCanvas::Label& label : canvas.labels) all += label.text + " ";
    return all;
}

// A stage of a window of 1280 by 800 at --scale 2 has 410 by 188 such pixels; the third is between low and high.
TEST(BoxesView, ALowPaneHasTheWholeCaptionTheQuestionAndItsAnswer) {
    for (const auto& [width, height] : {std::pair{410.0f, 188.0f}, {700.0f, 230.0f}, {700.0f, 300.0f}}) {
        Shown shown(chain(), width, height);
        const ChainQuestion& question = shown.all().questions.front();
        for (std::size_t step = 0; step < shown.playhead.count; ++step) {
            shown.go_to(step);
            const std::string text = drawn_text(shown);
            EXPECT_NE(text.find(shown.view.caption()), std::string::npos) << height << " " << step << ": " << text;
            const ChainQuestion* const open = open_question(shown.all(), step);
            EXPECT_EQ(text.find(open ? open->text : "Predict") != std::string::npos, open != nullptr) << text;
            EXPECT_EQ(shown.view.yes().empty(), open == nullptr) << step;
            EXPECT_EQ(shown.view.answer(), "") << step;   // no one has answered
            EXPECT_GE(shown.view.places().cell, 11) << step;   // each row has its name, and what became of its box
            EXPECT_FALSE(shown.view.places().question.overlaps(shown.view.places().caption));
        }
        shown.go_to(question.asked);
        const Intent asked = shown.gui.click(shown.view.no().center(), [&] { return shown.frame(); });
        EXPECT_EQ(asked.value, question.answered);
        shown.gui.mouse = {-1e6f, -1e6f};
        shown.go_to(asked.value);
        EXPECT_NE(drawn_text(shown).find("Not so. " + question.answer), std::string::npos) << drawn_text(shown);
        shown.go_to(asked.value + 1);
        EXPECT_EQ(drawn_text(shown).find("Not so."), std::string::npos);
    }
}

// A box is kept or suppressed: the view says it in no other word.
TEST(BoxesView, HasOneWordForOneThing) {
    Shown shown(chain());
    std::string all;
    for (std::size_t step = 0; step < shown.playhead.count; ++step) {
        shown.go_to(step);
        all += drawn_text(shown);
    }
    EXPECT_NE(all.find("suppressed by A "), std::string::npos);
    for (const char* other : {"removed", "crossed", "out by"}) EXPECT_EQ(all.find(other), std::string::npos) << other;
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
         {std::pair{740.0f, 620.0f}, {460.0f, 380.0f}, {360.0f, 420.0f}, {1500.0f, 800.0f}, {410.0f, 188.0f},
          {700.0f, 300.0f}}) {
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
