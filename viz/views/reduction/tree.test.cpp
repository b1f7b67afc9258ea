#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <thread>

#include "common/run/run.hpp"
#include "viz/testing/headless.testing.hpp"
#include "viz/testing/sample_runs.hpp"
#include "viz/views/reduction/tree_view.hpp"

namespace lanewise::viz {
namespace {

using testing::Headless;

struct Shown {
    Headless gui;
    RunView run_view;
    Playhead playhead;
    Selection selection;
    TreeView view;

    explicit Shown(std::shared_ptr<const run::Run> run, float width = 740, float height = 620)
        : gui(width, height), run_view(std::move(run)) {
        playhead.count = run_view.steps().size();
        playhead.step = playhead.count - 1;
        if (!run_view.steps().warps.empty()) selection.warp = run_view.steps().warps.front();
        frame();
    }
    Intent frame() {
        Intent intent;
        gui.in_pane([&](const Pane& pane) { intent = view.draw(pane, run_view, playhead, selection); });
        return intent;
    }
    Intent click(Point at) { return gui.click(at, [&] { return frame(); }); }
    std::int32_t sum_of_tree() const { return view.tree().roots.back(); }
    const Sum& sum(std::size_t box) const {
        return view.sums().at(view.scene().boxes[box].sum);
    }
};

// Nothing overlaps anything else, all is within the area, and what is added is above.
void check_places(const Shown& shown, float width, float height) {
    const SumScene& scene = shown.view.scene();
    ASSERT_FALSE(scene.empty());
    for (std::size_t i = 0; i < scene.boxes.size(); ++i) {
        const PlacedSum& box = scene.boxes[i];
        EXPECT_GE(box.box.x0, 0);
        EXPECT_LE(box.box.x1, width);
        EXPECT_GE(box.box.y0, 0);
        EXPECT_LE(box.box.y1, height);
        EXPECT_GT(box.box.width(), 4);
        for (std::size_t j = 0; j < i; ++j)
            EXPECT_FALSE(box.box.inset(0.1f).overlaps(scene.boxes[j].box)) << i << " " << j;
        if (box.parent < 0) continue;
        EXPECT_LT(box.box.y1, scene.boxes[static_cast<std::size_t>(box.parent)].box.y0);
    }
}

TEST(TreeView, AWarpFitsWithoutFolds) {
    for (const auto& [width, height] : {std::pair{690.0f, 600.0f}, {1100.0f, 800.0f}, {560.0f, 420.0f}}) {
        const Shown shown(samples::warp_xor(), width, height);
        check_places(shown, width, height);
        EXPECT_EQ(shown.view.scene().fold, SumLayout::Fold::none);
        EXPECT_EQ(shown.view.scene().boxes.size(), 63u);
        EXPECT_EQ(shown.view.scene().levels.size(), 6u);
        // A row is a step, and its boxes are the sums that were made there.
        for (std::size_t b = 0; b < 63; ++b) {
            const PlacedSum& box = shown.view.scene().boxes[b];
            if (box.level == 0) continue;
            EXPECT_EQ(shown.view.scene().levels[static_cast<std::size_t>(box.level)].step, shown.sum(b).step);
        }
    }
}

// Frames are drawn while a tree grows; then it stands as if they had waited, also after another lane was asked for.
TEST(TreeView, AFrameDoesNotWaitForALargeTree) {
    Shown waited(samples::two_level()), not_waiting(samples::two_level());
    not_waiting.view = TreeView{};
    not_waiting.view.wait_for_results = false;
    for (const int lane : {-1, 3, -1}) {
        waited.selection.pinned_lane = not_waiting.selection.pinned_lane = lane;
        waited.frame();
        for (int i = 0; i < 2000; ++i) {
            not_waiting.frame();
            if (!not_waiting.view.working()) break;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        ASSERT_FALSE(not_waiting.view.working());
        ASSERT_EQ(not_waiting.view.scene().boxes.size(), waited.view.scene().boxes.size()) << lane;
        EXPECT_EQ(not_waiting.view.shown_text(), waited.view.shown_text());
        check_places(not_waiting, 740, 620);
    }
}

TEST(TreeView, TheWarpsOfABlockAreFoldsUntilOneIsLookedAt) {
    Shown shown(samples::two_level());
    check_places(shown, 740, 620);
    const SumScene before = shown.view.scene();
    std::size_t folds = 0;
    for (const PlacedSum& box : before.boxes) folds += box.collapsed;
    EXPECT_EQ(folds, 8u);
    const std::int32_t root = shown.sum_of_tree();
    const auto fold =
        std::find_if(before.boxes.begin(), before.boxes.end(), [](const PlacedSum& box) { return box.collapsed; });
    EXPECT_EQ(fold->name, "warp 0");
    std::set<std::string> names;
    for (const PlacedSum& box : before.boxes)
        if (box.collapsed) names.insert(box.name);
    EXPECT_EQ(names.size(), folds);
    EXPECT_EQ(fold->inputs.size(), 32u);
    EXPECT_EQ(fold->lines.size(), 62u);
    shown.click(fold->box.center());
    shown.gui.mouse = {-100, -100};
    shown.frame();
    EXPECT_EQ(shown.view.scene().boxes.size(), 63u);
    EXPECT_EQ(shown.view.scene().boxes.front().leaves, 32u);
    check_places(shown, 740, 620);
    ASSERT_FALSE(shown.view.back().empty());
    shown.click(shown.view.back().center());
    EXPECT_EQ(shown.sum_of_tree(), root);
    EXPECT_TRUE(shown.view.back().empty());
}

TEST(TreeView, ATreeThroughSharedMemoryIsFoldedFarFromItsTotal) {
    Shown shown(samples::shared_tree());
    check_places(shown, 740, 620);
    EXPECT_EQ(shown.view.scene().fold, SumLayout::Fold::deep);
    std::size_t inputs = 0, folds = 0;
    for (const PlacedSum& box : shown.view.scene().boxes) {
        folds += box.collapsed;
        inputs += box.collapsed ? box.inputs.size() : 0;
    }
    EXPECT_EQ(inputs, 256u);
    EXPECT_EQ(folds & (folds - 1), 0u);   // all of one size are opened, or none
    EXPECT_GE(folds, 8u);
}

TEST(TreeView, ALanesAdditionsOneAfterTheOtherAreOneFold) {
    Shown shown(samples::grid_stride());
    check_places(shown, 740, 620);
    shown.selection.pinned_lane = 3;
    shown.frame();
    check_places(shown, 740, 620);
}

TEST(TreeView, BlocksThatJoinAWordStandInTheirOrder) {
    Shown shown(samples::joined_blocks(), 900, 620);
    check_places(shown, 900, 620);
    EXPECT_EQ(shown.sum(0).kind, Sum::Kind::atomic);
}

TEST(TreeView, ASumThatIsPointedAtIsDescribedWithItsInputs) {
    Shown shown(samples::warp_xor());
    EXPECT_EQ(shown.view.shown_box(), -1);
    EXPECT_TRUE(shown.view.shown_text().starts_with(
        "496 = the sum of 32 inputs, by 31 additions in 5 steps\nAll 32 lanes hold the sum"))
        << shown.view.shown_text();
    // A sum of the second round: four inputs.
    const SumScene& scene = shown.view.scene();
    std::size_t at = 0;
    while (scene.boxes[at].level != 2) ++at;
    const Sum sum = shown.sum(at);
    shown.gui.mouse = scene.boxes[at].box.center();
    shown.frame();
    EXPECT_EQ(shown.view.shown_box(), static_cast<int>(at));
    const std::string lane = std::to_string(sum.lane);
    EXPECT_TRUE(shown.view.shown_text().starts_with("lane " + lane + " of block 0 · warp 0 = " +
                                               format_element(sum.type, sum.bits) + " · added at step 3, xor 8\n"))
        << shown.view.shown_text();
    EXPECT_NE(shown.view.shown_text().find("4 inputs: in[" + lane + "]"), std::string::npos) << shown.view.shown_text();
    EXPECT_EQ(scene.above(static_cast<int>(at)).size(), 7u);
    shown.selection.turn();
    EXPECT_EQ(shown.selection.lane(), sum.lane);
    EXPECT_EQ(shown.selection.now.step, sum.step);
    // Pointing does not make another tree of it.
    shown.frame();
    EXPECT_EQ(shown.sum(0).lane, 0);
}

TEST(TreeView, AClickGoesToTheStep) {
    Shown shown(samples::warp_xor());
    for (const std::size_t b : {0u, 1u, 5u, 20u}) {
        const Intent intent = shown.click(shown.view.scene().boxes[b].box.center());
        EXPECT_EQ(intent.kind, Intent::Kind::go_to);
        EXPECT_EQ(intent.value, shown.sum(b).step);
    }
    // The name of a row does as well.
    const PlacedLevel& row = shown.view.scene().levels[2];
    const Intent intent = shown.click({24, (row.y0 + row.y1) / 2});
    EXPECT_EQ(intent.kind, Intent::Kind::go_to);
    EXPECT_EQ(intent.value, row.step);
}

TEST(TreeView, APinnedLaneHasItsOwnTree) {
    Shown shown(samples::warp_xor());
    shown.selection.pinned_lane = 9;
    shown.frame();
    EXPECT_EQ(shown.sum(0).lane, 9);
    EXPECT_NE(shown.view.shown_text().find("this is lane 9's"), std::string::npos) << shown.view.shown_text();
    // A lane can be pinned among the numbers on top.
    shown.selection.pinned_lane = -1;
    std::set<int> pinned;
    for (float x = 0; x < 740; x += 4) {
        shown.click({x, 50});
        pinned.insert(shown.selection.pinned_lane);
        shown.selection.pinned_lane = -1;
    }
    EXPECT_EQ(pinned.size(), 33u);
}

TEST(TreeView, TheColourCanShowTheWarp) {
    Shown shown(samples::warp_xor());
    EXPECT_EQ(shown.view.colors, TreeView::Colors::value);
    shown.click(shown.view.color_switch().center());
    EXPECT_EQ(shown.view.colors, TreeView::Colors::warp);
    for (const Theme* theme : {&dark_theme(), &light_theme()})
        for (std::uint32_t warp = 0; warp < 8; ++warp) {
            EXPECT_GE(contrast(warp_color(*theme, warp), theme->ground), 3.0) << warp;
            EXPECT_GE(contrast(text_on(warp_color(*theme, warp)), warp_color(*theme, warp)), 4.5) << warp;
        }
}

TEST(TreeView, WithoutAdditionsThereIsASentence) {
    trace::Trace trace = samples::warp_xor()->trace;
    std::erase_if(trace.records, [](const trace::Record& record) { return trace::is_shuffle(record.op); });
    Shown shown(samples::run_of(std::move(trace), "warp_sum_xor"));
    EXPECT_TRUE(shown.view.scene().empty());
    EXPECT_FALSE(shown.view.shown_text().empty());
}

TEST(TreeView, EverySizeHolds) {
    for (const auto& run :
         {samples::warp_down(), samples::two_level(), samples::shared_tree(), samples::joined_blocks(),
          samples::grid_stride(), samples::collectives(), samples::wrong_sum(), samples::teaching_warps()})
        for (const auto& [width, height] :
             {std::pair{1.0f, 1.0f}, {90.0f, 500.0f}, {400.0f, 80.0f}, {2500.0f, 1500.0f}}) {
            Shown shown(run, width, height);
            for (std::size_t step = 0; step < shown.playhead.count; step += 5) {
                shown.playhead.step = step;
                shown.view.compact = step % 2 == 1;
                shown.frame();
            }
        }
}

}  // namespace
}  // namespace lanewise::viz
