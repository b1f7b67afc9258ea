// A shuffle as a matrix: its facts, and where its cells are.
#include "viz/views/stage/permutation_view.hpp"

#include <gtest/gtest.h>

#include "viz/testing/headless.testing.hpp"
#include "viz/testing/sample_runs.hpp"

namespace lanewise::viz {
namespace {

template <class Source>
std::vector<PermutationRow> rows_of(Source source, LaneSource kind = LaneSource::read) {
    std::vector<PermutationRow> rows;
    for (int lane = 0; lane < kWarpSize; ++lane)
        rows.push_back({lane, source(lane) < 0 ? LaneSource::inactive : kind, source(lane), ""});
    return rows;
}

std::string facts_of(const std::vector<PermutationRow>& rows) {
    std::string all;
    for (const std::string& fact : permutation_facts(rows)) all += fact + "\n";
    return all;
}

bool says(const std::string& facts, const char* text) { return facts.find(text) != std::string::npos; }

TEST(PermutationFacts, XorIsItsOwnInverseAndARotationIsNot) {
    const std::string five = facts_of(rows_of([](int lane) { return lane ^ 5; }));
    EXPECT_TRUE(says(five, "every lane is read once")) << five;
    EXPECT_TRUE(says(five, "Its own inverse")) << five;
    EXPECT_TRUE(says(facts_of(rows_of([](int lane) { return (lane + 16) % 32; })), "Its own inverse"));
    EXPECT_TRUE(says(facts_of(rows_of([](int lane) { return (lane + 8) % 32; })), "again after 4 times"));
    EXPECT_TRUE(says(facts_of(rows_of([](int lane) { return lane; })), "Every lane reads itself"));
    // Cycles of 2 and 3 lanes together: after 6.
    EXPECT_TRUE(says(facts_of(rows_of([](int lane) {
                          return lane < 2 ? 1 - lane : lane < 5 ? 2 + (lane - 1) % 3 : lane;
                      })),
                      "again after 6 times"));
}

TEST(PermutationFacts, WhoIsReadByManyAndWhoByNone) {
    const std::string broadcast = facts_of(rows_of([](int) { return 5; }));
    EXPECT_TRUE(says(broadcast, "Lane 5 is read by 32 lanes.")) << broadcast;
    EXPECT_TRUE(says(broadcast, "No lane reads lanes 0-4, 6-31.")) << broadcast;
    EXPECT_FALSE(says(broadcast, "permutation")) << broadcast;
    auto down = rows_of([](int lane) { return lane < 31 ? lane + 1 : 31; });
    down[31].kind = LaneSource::clamped;
    EXPECT_TRUE(says(facts_of(down), "Lanes 31: the rule leads past the edge")) << facts_of(down);
    EXPECT_TRUE(says(facts_of(down), "No lane reads lane 0.")) << facts_of(down);
    EXPECT_TRUE(
        says(facts_of(rows_of([](int lane) { return lane ^ 16; }, LaneSource::undefined)), "Lanes 0-31: undefined"));
    EXPECT_EQ(facts_of({}), "");
}

TEST(PermutationView, DrawsTheLanesThatWereRecorded) {
    testing::Headless gui(760, 300);
    const RunView run_view(samples::warp_xor());
    PermutationView view;
    Selection selection;
    bool drawn = true;
    const auto draw = [&](std::size_t step) {
        gui.in_pane([&](const Pane& pane) { drawn = view.draw(pane, gui.window(), run_view, step, selection); });
    };
    draw(0);
    EXPECT_FALSE(drawn);   // a load
    draw(2);               // xor 8
    EXPECT_TRUE(drawn);
    ASSERT_EQ(view.rows().size(), 32u);
    for (const PermutationRow& row : view.rows()) EXPECT_EQ(row.source, row.lane ^ 8);
    EXPECT_GE(view.cell_box(0, 0).width(), 7);
    EXPECT_LE(view.cell_box(31, 31).y1, 300);
    // A pointer on a row looks at that lane; a click pins it.
    gui.mouse = view.cell_box(21, 3).center();
    draw(2);
    EXPECT_EQ(selection.next.lane, 21);
    gui.down = true;
    draw(2);
    EXPECT_EQ(selection.pinned_lane, 21);
}

}  // namespace
}  // namespace lanewise::viz
