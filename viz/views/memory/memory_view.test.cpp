#include "common/run/run.hpp"
#include "viz/views/memory/memory_view.hpp"

#include <gtest/gtest.h>

#include "viz/testing/headless.testing.hpp"
#include "viz/testing/sample_runs.hpp"

namespace lanewise::viz {
namespace {

using testing::Headless;

struct Drawn {
    explicit Drawn(std::shared_ptr<const run::Run> run, float width = 960) : gui(width, 300), run_view(std::move(run)) {
        selection.warp = run_view.steps().warps.front();
        view.lanes_x0 = 20;
        view.cell = (width - 90) / 32;
    }
    // Draws the step; returns how many vertices it took.
    int at(std::size_t step) {
        playhead.count = run_view.steps().size();
        playhead.step = step;
        return gui.in_pane([&](const Pane& pane) {
            height = view.height(gui.look(), run_view, selection, view.cell * 32, 220);
            view.draw(pane, {0, 0, gui.window().x1, height}, run_view, playhead, selection);
        });
    }
    std::size_t first(StepKind kind, std::size_t from = 0) const {
        for (std::size_t k = from; k < run_view.steps().size(); ++k) {
            if (run_view.steps().steps[k].kind == kind) return k;
        }
        return 0;
    }

    Headless gui;
    RunView run_view;
    Playhead playhead;
    Selection selection;
    MemoryView view;
    float height = 0;
};

TEST(MemoryView, FollowsTheStepAndKeepsItsHeight) {
    Drawn drawn(samples::two_level());
    drawn.at(0);   // the load of `in`
    EXPECT_EQ(drawn.view.shown(), Space::global);
    ASSERT_EQ(drawn.view.captions().size(), 1u);
    EXPECT_EQ(drawn.view.captions()[0],
              "warp 0 reads in: 32 lanes × 4 bytes = 128 bytes, 4 sectors of 32 bytes, all used");
    const float height = drawn.height;
    EXPECT_GT(height, 0);
    drawn.at(drawn.first(StepKind::store));
    EXPECT_EQ(drawn.view.shown(), Space::shared);
    EXPECT_EQ(drawn.view.captions()[0], "warp 0 writes warp_sums: 1 lane, 1 wavefront: no bank conflict");
    for (std::size_t step = 0; step < drawn.run_view.steps().size(); ++step) {
        EXPECT_GT(drawn.at(step), 100);
        EXPECT_EQ(drawn.height, height);
    }
    // A step that touches no memory shows the shared one.
    drawn.at(drawn.first(StepKind::shuffle));
    EXPECT_EQ(drawn.view.shown(), Space::shared);
    drawn.at(drawn.run_view.steps().size() - 1);   // the atomic on out
    EXPECT_EQ(drawn.view.shown(), Space::global);
}

TEST(MemoryView, WhatWasChosenStays) {
    Drawn drawn(samples::two_level());
    drawn.at(0);
    // The tabs are at the left of the title.
    for (float x = 20; x < 120 && drawn.view.show == MemoryView::Show::follow; x += 4) {
        drawn.gui.mouse = {x, 10};
        drawn.gui.down = false;
        drawn.at(0);
        drawn.gui.down = true;
        drawn.at(0);
    }
    drawn.gui.down = false;
    drawn.gui.mouse = {-100, -100};
    ASSERT_EQ(drawn.view.show, MemoryView::Show::shared);
    for (std::size_t step = 0; step < drawn.run_view.steps().size(); ++step) {
        drawn.at(step);
        EXPECT_EQ(drawn.view.shown(), Space::shared);
    }
    drawn.view.next();
    drawn.at(drawn.first(StepKind::store));
    EXPECT_EQ(drawn.view.shown(), Space::global);
    drawn.view.next();
    drawn.at(drawn.first(StepKind::store));
    EXPECT_EQ(drawn.view.shown(), Space::shared);
}

TEST(MemoryView, AnotherRunIsLearntAfresh) {
    Drawn drawn(samples::two_level());
    drawn.at(0);
    drawn.run_view = RunView(samples::warp_xor());
    drawn.selection.warp = drawn.run_view.steps().warps.front();
    drawn.at(1);   // a shuffle: no shared memory in this run
    EXPECT_EQ(drawn.view.shown(), Space::global);
    EXPECT_NE(drawn.view.captions().front().find("no access to global memory"), std::string::npos);
}

TEST(MemoryView, ARunWithoutMemoryTakesNoRoom) {
    run::Run run = *samples::warp_xor();
    std::erase_if(run.trace.records, [](const trace::Record& record) { return trace::is_access(record.op); });
    run.steps = steps::build_steps(run.trace);
    Drawn drawn(std::make_shared<const run::Run>(run));
    drawn.at(0);
    EXPECT_EQ(drawn.height, 0);
}

MemoryArray unsigned_of(std::size_t count, Element element = Element::f32) {
    MemoryArray array;
    array.name = "words";
    array.element = element;
    array.words.resize(count);
    return array;
}

TEST(BankRows, AllWhereTheyFit) {
    const std::vector<MemoryArray> arrays{unsigned_of(64), unsigned_of(33), unsigned_of(16, Element::f64)};
    EXPECT_EQ(bank_rows(arrays, 8), (std::vector<BankRow>{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}}));
}

TEST(BankRows, ElseThoseThatTheWarpTouches) {
    std::vector<MemoryArray> arrays{unsigned_of(32), unsigned_of(32 * 40)};
    arrays[1].words[32 * 7 + 3].read_now = true;      // another warp
    EXPECT_EQ(bank_rows(arrays, 3), (std::vector<BankRow>{{1, 7}, {1, 8}, {1, 9}}));
    for (const std::size_t row : {12u, 20u}) {
        arrays[1].words[32 * row].read_now = true;
        arrays[1].words[32 * row].lanes = 1;
    }
    EXPECT_EQ(bank_rows(arrays, 2), (std::vector<BankRow>{{1, 12}, {1, 20}}));
    EXPECT_EQ(bank_rows(arrays, 1), (std::vector<BankRow>{{1, 12}}));
    EXPECT_EQ(bank_rows(arrays, 4).size(), 4u);
    for (MemoryWord& word : arrays[1].words) word = {};
    EXPECT_EQ(bank_rows(arrays, 2), (std::vector<BankRow>{{0, 0}, {1, 0}}));
}

}  // namespace
}  // namespace lanewise::viz
