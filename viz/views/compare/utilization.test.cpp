#include "common/scene/utilization.hpp"

#include <gtest/gtest.h>

#include "viz/testing/headless.testing.hpp"
#include "viz/testing/sample_runs.hpp"
#include "viz/testing/screens.testing.hpp"
#include "viz/views/stage/timeline_view.hpp"

namespace lanewise::viz {
namespace {

using testing::Headless;

TEST(Utilization, ATreeKeepsOneLaneInManyBusyAndAStridedLoopNearlyAll) {
    const auto tree = samples::shared_tree();   // 256 threads: 128 + 64 + … + 1 lanes in 8 rounds
    const scene::Utilization slow = scene::utilization_of(tree->steps, tree->steps.warps.front());
    EXPECT_EQ(slow.threads, 256u);
    EXPECT_EQ(slow.added, 255u);
    EXPECT_EQ(slow.slots, 8u * 256u);
    EXPECT_EQ(scene::utilization_text(slow), "12 % lane utilization (1 in 8) in add steps");

    const auto stride = samples::grid_stride();   // 64 turns of 128 lanes, then 64 + 32 + … + 1
    const scene::Utilization fast = scene::utilization_of(stride->steps, stride->steps.warps.front());
    EXPECT_EQ(fast.added, 64u * 128u + 127u);
    EXPECT_EQ(fast.slots, 71u * 128u);
    EXPECT_EQ(scene::utilization_text(fast), "92 % lane utilization (9 in 10) in add steps");
    for (std::size_t k = 0; k < fast.steps.size(); ++k) {
        EXPECT_LE(fast.steps[k].adding, fast.steps[k].lanes);
        if (stride->steps.steps[k].kind == StepKind::block_barrier) {
            EXPECT_EQ(fast.steps[k].adding, 0u);
            EXPECT_EQ(fast.steps[k].lanes, 128u);
        }
    }
}

TEST(Utilization, TextsGiveTheSamePartsAsThePictures) {
    EXPECT_EQ(scene::percent(0), "0 %");
    EXPECT_EQ(scene::percent(1), "100 %");
    EXPECT_EQ(scene::percent(0.998), "99.8 %");
    EXPECT_EQ(scene::percent(0.004), "0.4 %");
    EXPECT_EQ(scene::percent(127.0 / 896), "14 %");
    EXPECT_EQ(scene::part_text(127.0 / 896), "1 in 7");
    EXPECT_EQ(scene::part_text(2.0 / 7), "2 in 7");
    EXPECT_EQ(scene::part_text(0.02), "1 in 50");
    EXPECT_EQ(scene::part_text(0.5), "1 in 2");
    EXPECT_EQ(scene::part_text(0.67), "2 in 3");
    EXPECT_EQ(scene::part_text(0.875), "7 in 8");
    EXPECT_EQ(scene::part_text(0.99), "nearly all");
    EXPECT_EQ(scene::part_text(1), "all");
}

TEST(TimelinePlaces, StepsOfOneNameShareAChipWhenNotAllFit) {
    std::vector<TimelineEntry> entries;
    for (int i = 0; i < 64; ++i) entries.push_back({"load in"});
    for (int i = 0; i < 7; ++i) {
        entries.push_back({"barrier", StepKind::block_barrier});
        entries.push_back({"add tree +" + std::to_string(64 >> i), StepKind::store});
    }
    const TimelinePlaces narrow = place_entries(entries, 1160, 1);
    EXPECT_LE(narrow.total, 1160.5f);
    float x = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        EXPECT_FLOAT_EQ(narrow.places[i].x, x);
        EXPECT_EQ(narrow.places[i].tick, i < 64);
        EXPECT_GE(narrow.places[i].width, i < 64 ? 7 : 46);
        x += narrow.places[i].width;
    }
    EXPECT_EQ(narrow.places[20].run_last, 63u);
    // Where there is room each has its own chip.
    for (const TimelinePlaces::Place& place : place_entries(entries, 8000, 1).places) EXPECT_FALSE(place.tick);
    // Two of a name stay two chips.
    entries.assign(2, {"load in"});
    for (const TimelinePlaces::Place& place : place_entries(entries, 40, 1).places) EXPECT_FALSE(place.tick);
    EXPECT_TRUE(place_entries({}, 400, 1).places.empty());
}

// Of a name the part that identifies the step stays, of a run its place: never "x4", "1" or a part of "3 of 4".
TEST(TimelineView, ChipsKeepWhatNamesTheirStep) {
    Headless gui(1000, 124);
    testing::TextCanvas canvas;
    gui.canvas = &canvas;
    TimelineView timeline;
    std::vector<TimelineEntry> entries;
    const auto add = [&](const char* label, std::uint32_t lanes = 64, std::uint32_t adding = 0) {
        TimelineEntry entry{label, StepKind::load};
        entry.work[0] = {lanes, adding};
        entries.push_back(entry);
    };
    for (int i = 0; i < 4; ++i) add("load in");
    add("load boxes x4"), add("exchange store 1"), add("add tree +64", 64, 1);
    for (int i = 0; i < 26; ++i) add(i % 2 ? "xor 16" : "xor 8");
    const auto texts = [&](std::size_t step, const TimelineScale& scale) {
        canvas.labels.clear();
        gui.frame([&] {
            timeline.draw_entries(Pane(gui.look(), "steps", gui.window()), entries, scale,
                                  {.step = step, .count = entries.size()});
        });
        std::string all = "|";
        for (const auto& label : canvas.labels) all += label.text + "|";
        return all;
    };
    TimelineScale scale;
    scale.threads[0] = 64;
    std::string all = texts(2, scale);
    EXPECT_NE(all.find("|3/4|"), std::string::npos) << all;
    for (const char* cut : {"|x4|", "|1|", "…"}) EXPECT_EQ(all.find(cut), std::string::npos) << cut << " in " << all;
    for (const char* kept : {"|load|", "|store|", "|+64|"}) EXPECT_NE(all.find(kept), std::string::npos) << all;
    EXPECT_NE(texts(8, scale).find("|×4|"), std::string::npos);
    // Numbers are those of the active lanes, over each of the sides or over none.
    scale.sides = 4;
    scale.threads = {512, 512, 64, 64};
    for (TimelineEntry& entry : entries) {
        entry.has = {true, true, true, true};
        for (std::size_t side = 0; side < 4; ++side) entry.work[side] = {side < 2 ? 512u : 64u, 0};
    }
    all = texts(8, scale);
    EXPECT_EQ(all.find("|64|"), std::string::npos) << all;
}

}  // namespace
}  // namespace lanewise::viz
