#include "common/run/run.hpp"
#include "viz/views/reduction/rounding_view.hpp"

#include <future>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "common/rounding/rounding.hpp"
#include "viz/testing/headless.testing.hpp"
#include "viz/testing/labels.testing.hpp"
#include "viz/testing/sample_runs.hpp"

namespace lanewise::viz {
namespace {

using testing::Headless;

// A run whose lanes offer values that do not add exactly: the samples' ramp, scaled.
std::shared_ptr<const run::Run> uneven(std::shared_ptr<const run::Run> run) {
    trace::Trace trace = run->trace;
    std::array<float, 32> held{};
    for (trace::Record& record : trace.records) {
        const auto before = held;
        for (std::size_t lane = 0; lane < 32; ++lane) {
            if (record.op == trace::Op::load) {
                held[lane] = static_cast<float>(lane) * 0.1f + (lane == 3 ? 1e6f : 0.0f);
                record.value[lane][0] = to_bits(held[lane]);
            } else if (record.op == trace::Op::shfl_xor) {
                const float received = before[static_cast<std::size_t>(record.source[lane])];
                record.before[lane] = to_bits(before[lane]);
                record.received[lane] = to_bits(received);
                held[lane] = before[lane] + received;
                record.after[lane] = to_bits(held[lane]);
            }
        }
    }
    return samples::run_of(std::move(trace), run->trace.header.variant);
}

struct Shown {
    Headless gui;
    RunView run_view;
    Playhead playhead;
    Selection selection;
    RoundingView view;

    explicit Shown(std::shared_ptr<const run::Run> run, float width = 980) : gui(width, 560), run_view(std::move(run)) {
        playhead.count = run_view.steps().size();
        playhead.step = playhead.count - 1;
        if (!run_view.steps().warps.empty()) selection.warp = run_view.steps().warps.front();
    }
    Intent frame() {
        Intent intent;
        gui.in_pane([&](const Pane& pane) { intent = view.draw(pane, run_view, playhead, selection); });
        return intent;
    }
    void point_at(const Rect& box) { gui.mouse = box.center(); }
};

TEST(SumScene, ATreeStandsWithItsInputsAboveAndNoBoxOnAnother) {
    Shown shown(samples::warp_xor());
    const Sums sums(shown.run_view.steps());
    const std::int32_t root = sums.to_show(5, shown.selection.warp, 7);
    EXPECT_EQ(sums.at(root).lane, 7);
    const SumScene scene = place_lens(lens_layout(sums, root), {0, 0, 960, 400}, 10);
    EXPECT_EQ(scene.levels.size(), 6u);
    std::set<std::int64_t> inputs;
    for (std::size_t i = 0; i < scene.boxes.size(); ++i) {
        const PlacedSum& box = scene.boxes[i];
        EXPECT_GT(box.box.width(), 8);
        EXPECT_GE(box.box.x0, 0);
        EXPECT_LE(box.box.x1, 960);
        EXPECT_LE(box.box.y1, 400);
        for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(box.box.overlaps(scene.boxes[j].box));
        if (box.parent >= 0) {
            EXPECT_GT(scene.boxes[static_cast<std::size_t>(box.parent)].box.y0, box.box.y1);
        }
        const Sum& sum = sums.at(box.sum);
        if (sum.kind == Sum::Kind::input) {
            EXPECT_TRUE(inputs.insert(sum.element).second);
        }
    }
    EXPECT_EQ(inputs.size(), 32u);
    EXPECT_EQ(scene.worst, Sum::kNone);   // whole numbers: nothing is lost
}

TEST(SumScene, ATreeThatIsTooDeepLeadsOnWhereItIsCut) {
    Shown shown(samples::two_level());
    const steps::Steps& steps = shown.run_view.steps();
    const Sums sums(steps);
    const std::int32_t root = sums.to_show(steps.size() - 1, shown.selection.warp, 0);
    const SumScene scene = place_lens(lens_layout(sums, root, 4), {0, 0, 960, 300}, 10);
    EXPECT_EQ(scene.levels.size(), 4u);
    std::size_t more = 0;
    for (const PlacedSum& box : scene.boxes) more += box.more;
    EXPECT_EQ(more, 8u);
}

TEST(SumScene, ALongRunOfOneLaneIsOneBox) {
    Shown shown(samples::grid_stride());
    const steps::Steps& steps = shown.run_view.steps();
    const Sums sums(steps);
    ASSERT_EQ(sums.why_not(), "");
    std::size_t step = 0;
    for (std::size_t k = 0; k < steps.size(); ++k)
        if (steps.steps[k].kind == StepKind::load) step = k;
    const std::int32_t last = sums.to_show(step, shown.selection.warp, 3);
    ASSERT_NE(last, Sum::kNone);
    const SumScene scene = place_lens(lens_layout(sums, last), {0, 0, 960, 300}, 10);
    ASSERT_EQ(scene.boxes.size(), 1u);
    EXPECT_GT(scene.boxes[0].run.size(), 8u);
}

TEST(RoundingView, PointsAtWhereMostIsLost) {
    Shown shown(uneven(samples::warp_xor()));
    shown.selection.pinned_lane = 0;
    shown.frame();
    const SumScene& scene = shown.view.scene();
    ASSERT_GE(scene.worst_box, 0);
    const rounding::RoundingLens& lens = shown.view.sums().lens();
    double most = 0;
    for (const PlacedSum& box : scene.boxes)
        most = std::max(most, std::abs(lens.sum(box.sum).lost));
    EXPECT_GT(most, 0);
    EXPECT_EQ(
        std::abs(lens.sum(scene.boxes[static_cast<std::size_t>(scene.worst_box)].sum).lost),
        most);
}

// The line above the tree names the step, warp and lane where most was lost; a click leads to all three.
TEST(RoundingView, LeadsToWhereTheWholeRunLosesMost) {
    Shown shown(uneven(samples::warp_xor()));
    shown.playhead.step = shown.playhead.count - 1;
    shown.frame();
    const rounding::RoundingLens& lens = shown.view.sums().lens();
    const rounding::RoundingLoss loss = rounding::rounding_loss(lens);
    const Sum& sum = lens.sum(loss.stops > 0 ? loss.stopped : loss.worst);
    shown.selection.pinned_lane = sum.lane ^ 1;
    shown.playhead.step = sum.step == 1 ? 2 : 1;
    shown.frame();
    Intent intent;
    for (const bool down : {false, true, false}) {
        shown.gui.mouse = {60, 44};
        shown.gui.down = down;
        const Intent now = shown.frame();
        if (now.kind != Intent::Kind::none) intent = now;
    }
    EXPECT_EQ(intent.kind, Intent::Kind::go_to);
    EXPECT_EQ(intent.value, sum.step);
    EXPECT_EQ(shown.selection.warp, sum.warp);
    EXPECT_EQ(shown.selection.pinned_lane, sum.lane);
}

TEST(RoundingView, TheLineAboveTheTreeIsNotCutWhereItIsNarrow) {
    for (const float width : {980.0f, 520.0f}) {
        Shown shown(uneven(samples::warp_xor()), width);
        testing::LabelCanvas canvas;
        shown.gui.canvas = &canvas;
        shown.frame();
        std::string drawn;
        for (const auto& label : canvas.labels) drawn += label.text + " ";
        const rounding::RoundingLoss loss = rounding::rounding_loss(shown.view.sums().lens());
        const std::string description =
            rounding::describe_addition(shown.view.sums().lens(), loss.stops > 0 ? loss.stopped : loss.worst);
        EXPECT_NE(drawn.find(description), std::string::npos) << drawn;
        // What lies below makes room for it.
        EXPECT_GT(shown.view.scene().boxes.front().box.height(), 20);
    }
}

TEST(RoundingView, DescribesTheSumThatIsPointedAtAndPinsItByAClick) {
    Shown shown(uneven(samples::warp_xor()));
    shown.frame();
    shown.frame();
    const std::int32_t root = shown.view.shown_sum();
    EXPECT_EQ(root, shown.view.scene().boxes[0].sum);
    const PlacedSum third = shown.view.scene().boxes[2];
    shown.point_at(third.box);
    shown.frame();
    EXPECT_EQ(shown.view.shown_sum(), third.sum);
    shown.gui.down = true;
    shown.frame();
    shown.gui.down = false;
    shown.gui.mouse = {-100, -100};
    shown.frame();
    EXPECT_EQ(shown.view.shown_sum(), third.sum);
    // Another step: its own sum again.
    shown.playhead.step = 2;
    shown.frame();
    EXPECT_EQ(shown.view.shown_sum(), shown.view.scene().boxes[0].sum);
}

TEST(RoundingView, AClickGoesUpWhereMoreLedToASumAndBackAgain) {
    Shown shown(samples::two_level());
    shown.selection.pinned_lane = 0;
    shown.frame();
    shown.frame();
    const SumScene before = shown.view.scene();
    const auto cut =
        std::find_if(before.boxes.begin(), before.boxes.end(), [](const PlacedSum& box) { return box.more; });
    ASSERT_NE(cut, before.boxes.end());
    shown.point_at(cut->box);
    for (const bool down : {false, true, false}) {
        shown.gui.down = down;
        shown.frame();
    }
    shown.frame();
    EXPECT_EQ(shown.view.scene().boxes[0].sum, cut->sum);
    shown.point_at(shown.view.scene().boxes[0].box);
    for (const bool down : {false, true, false}) {
        shown.gui.down = down;
        shown.frame();
    }
    shown.frame();
    EXPECT_EQ(shown.view.scene().boxes[0].sum, before.boxes[0].sum);
}

TEST(RoundingView, AClickOnARunShowsItLarge) {
    Shown shown(samples::grid_stride());
    shown.selection.pinned_lane = 0;
    // The first step that joins two runs.
    shown.playhead.step = 0;
    shown.frame();
    const auto joins_runs = [&] {
        const auto& boxes = shown.view.scene().boxes;
        return boxes.size() == 3 && !boxes[1].run.empty() && !boxes[2].run.empty();
    };
    while (!joins_runs()) {
        ASSERT_LT(++shown.playhead.step, shown.playhead.count);
        shown.frame();
    }
    const SumScene before = shown.view.scene();
    const auto run =
        std::find_if(before.boxes.begin(), before.boxes.end(), [](const PlacedSum& box) { return !box.run.empty(); });
    ASSERT_NE(run, before.boxes.end());
    ASSERT_GT(before.boxes.size(), 1u);
    shown.point_at(run->box);
    for (const bool down : {false, true, false}) {
        shown.gui.down = down;
        shown.frame();
    }
    shown.frame();
    ASSERT_EQ(shown.view.scene().boxes.size(), 1u);
    EXPECT_EQ(shown.view.scene().boxes[0].run, run->run);
    EXPECT_GT(shown.view.scene().boxes[0].box.height(), run->box.height());
}

TEST(RoundingView, SaysSoWhereNothingIsKnown) {
    trace::Trace trace = samples::warp_xor()->trace;
    std::erase_if(trace.records, [](const trace::Record& record) { return record.op == trace::Op::load; });
    Shown shown(samples::run_of(std::move(trace), "warp_sum_xor"));
    shown.frame();
    EXPECT_TRUE(shown.view.scene().boxes.empty());
    EXPECT_NE(shown.view.sums().why_not(), "");
    Shown early(samples::warp_xor());
    early.playhead.step = 0;   // the load: nothing added yet
    early.frame();
    EXPECT_TRUE(early.view.scene().boxes.empty());
}

// Frames are drawn while a long run is worked out, and then it is there as if they had waited.
TEST(RoundingView, AFrameDoesNotWaitForALongRun) {
    std::promise<void> go_on;
    const std::shared_future<void> gate(go_on.get_future());
    BackgroundTask<int> later;
    EXPECT_EQ(later.get(true), nullptr);   // nothing was begun
    later.begin([gate](const std::stop_token&) {
        gate.wait();
        return 7;
    });
    for (int i = 0; i < 3; ++i) EXPECT_EQ(later.get(false), nullptr);
    EXPECT_TRUE(later.busy());
    go_on.set_value();
    EXPECT_EQ(*later.get(true), 7);
    EXPECT_FALSE(later.busy());

    Shown waited(uneven(samples::warp_xor())), not_waiting(uneven(samples::warp_xor()));
    not_waiting.view.wait_for_results = false;
    waited.frame();
    for (int i = 0; i < 2000; ++i) {
        not_waiting.frame();
        if (!not_waiting.view.working()) break;
        EXPECT_TRUE(not_waiting.view.scene().boxes.empty());
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_FALSE(not_waiting.view.working());
    EXPECT_EQ(not_waiting.view.scene().boxes.size(), waited.view.scene().boxes.size());
    EXPECT_EQ(not_waiting.view.shown_sum(), waited.view.shown_sum());
}

TEST(DescribeRounding, GivesEachLanesSumAsTheLensHasIt) {
    Shown shown(uneven(samples::warp_xor()));
    const steps::Steps& steps = shown.run_view.steps();
    const rounding::RoundingLens lens = rounding::build_rounding(steps);
    const std::string text = describe_rounding(Sums(steps), 3, -1, -1);
    for (int lane = 0; lane < 32; ++lane) {
        const std::int32_t at = lens.at(3, 0, lane);
        const Sum& sum = lens.sum(at);
        const std::string line =
            "lane " + std::to_string(lane) + "  exact " + lens.exact[static_cast<std::size_t>(at)].decimal(60) +
            "  rounded " + rounding::full_value(sum.type, sum.bits) + " (0x" + format_bits(sum.type, sum.bits) + ")";
        EXPECT_NE(text.find(line), std::string::npos) << line;
    }
    EXPECT_NE(describe_rounding(Sums(steps), 0, -1, -1).find("nothing is added"), std::string::npos);
}

}  // namespace
}  // namespace lanewise::viz
