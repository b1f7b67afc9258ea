#include "common/scene/lane_facts.hpp"

#include <gtest/gtest.h>

#include "common/scene/lane_history.hpp"
#include "common/scene/part.hpp"
#include "common/scene/stage.hpp"
#include "common/scene/warps.hpp"
#include "common/steps/testing/programs.testing.hpp"

namespace lanewise::scene {
namespace {

using namespace steps::testing;

std::vector<std::string> labels_of(const std::vector<WarpRow>& rows) {
    std::vector<std::string> labels;
    for (const WarpRow& row : rows) labels.push_back(row.label);
    return labels;
}

// Every lane finds all its rows in its own order, and no others.
void expect_rows_of_lanes(const steps::Steps& steps) {
    for (std::size_t k = 0; k < steps.size(); ++k)
        for (const WarpRef& warp : steps.warps) {
            const auto rows = warp_rows(steps, k, warp);
            for (int lane = 0; lane < lanes_of(steps, warp); ++lane) {
                const auto wanted = value_rows(steps, k, warp, lane);
                std::size_t at = 0;
                for (const WarpRow& row : rows) {
                    const auto& mine = row.lanes.at(static_cast<std::size_t>(lane));
                    if (!mine) continue;
                    ASSERT_LT(at, wanted.size());
                    EXPECT_EQ(row.label, wanted[at].label);
                    EXPECT_EQ(mine->word, wanted[at].word);
                    EXPECT_EQ(mine->bits, wanted[at].bits);
                    EXPECT_EQ(mine->text, wanted[at].text);
                    ++at;
                }
                EXPECT_EQ(at, wanted.size()) << "step " << k << ", lane " << lane;
            }
        }
}

TEST(WarpRows, HoldTheRowsOfEachLane) {
    const Trace programs[] = {two_level(), warp_tree(Op::shfl_down, {16, 8, 4, 2, 1})};
    for (const Trace& trace : programs) expect_rows_of_lanes(steps::build_steps(trace));
}

TEST(WarpRows, OneWordEachOfAVectorAndOneRowForWhatSomeLanesMiss) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 64);
    auto warp = made.warp(0, 0);
    warp.load_pack(3, in, 2, [](int lane) { return 2 * lane; }, [](int lane, int k) { return ramp(2 * lane + k); },
                   0x0000ffffu);
    warp.shuffle_sum(5, Op::shfl_down, 8, 32, 0x0000ffffu);
    const steps::Steps steps = steps::build_steps(made.trace);
    expect_rows_of_lanes(steps);
    const auto read = warp_rows(steps, 0, steps.warps.front());
    EXPECT_EQ(labels_of(read), (std::vector<std::string>{"read", "read"}));
    EXPECT_EQ(read[1].lanes[3]->word, "in[7]");
    EXPECT_FALSE(read[0].lanes[16]);
    // Lanes 8 to 15 would read lanes that take no part.
    const auto exchanged = warp_rows(steps, 1, steps.warps.front());
    EXPECT_EQ(labels_of(exchanged), (std::vector<std::string>{"before", "received", "after"}));
    EXPECT_EQ(exchanged[1].lanes[0]->role, ValueRow::Role::source);
    EXPECT_EQ(exchanged[1].lanes[8]->text, "undefined");
}

// ---- Values with parts -----------------------------------------------------------------------------------------

struct PairRound {
    Pairs pairs;
    steps::Steps steps;
    PairRound() {
        auto warp = pairs.made.warp(0, 0);
        pairs.round(warp, 16);
        steps = steps::build_steps(pairs.made.trace);
    }
};

TEST(ValuesWithParts, HaveARowForEachPartAndAllArePlacedInEachLane) {
    const PairRound made;
    EXPECT_EQ(labels_of(warp_rows(made.steps, 0, kFirst)),
              (std::vector<std::string>{"max before", "sum before", "max received", "sum received", "max after",
                                        "sum after"}));
    expect_rows_of_lanes(made.steps);
    const LaneFacts lane = part_of(made.steps, 0, kFirst).facts.at(3);
    ASSERT_EQ(lane.parts.size(), 2u);
    EXPECT_EQ(parts_text(lane.parts, &LaneFacts::ValuePart::before), "(3, 1)");
    EXPECT_EQ(parts_text(lane.parts, &LaneFacts::ValuePart::received), "(19, 1)");
    EXPECT_EQ(parts_text(lane.parts, &LaneFacts::ValuePart::after), "(19, 2)");
    EXPECT_EQ(lane_formula(made.steps, 0, kFirst, 3).arithmetic, "join((3, 1), (19, 1)) = (19, 2)");
}

TEST(ValuesWithParts, StandInOneCell) {
    const PairRound made;
    const LaneCell cell = held(made.steps, 0, kFirst, 3);
    EXPECT_EQ(value_text(cell), "(19, 2)");
    EXPECT_EQ(cell_text(cell, 5), "19\n2");
    EXPECT_EQ(cell_text(cell, 9, false), "19|2");
    LaneCell triple = cell;
    triple.more.push_back({to_bits(0.25f), Element::f32});
    EXPECT_EQ(value_text(triple), "(19, 2, 0.25)");
    EXPECT_EQ(cell_text(triple, 9), "19\n2|0.25");
    EXPECT_EQ(cell_text(triple, 4), "19\n2|0…");
    // What they offered is in the row above the step, what they then hold below it.
    const Stage stage = stage_of(made.steps, 0, kFirst);
    EXPECT_EQ(value_text(stage.rows.at(0).lanes[3]), "(3, 1)");
    EXPECT_EQ(value_text(stage.rows.at(1).lanes[3]), "(19, 2)");
    EXPECT_EQ(stage.bands.size(), 1u);
}

// After a sum of all the lanes offer something else, worked out without a record: the row above the next round shows it,
// and not that it includes what the sum did.
TEST(StageRow, MarksWhatIsOfferedByItsOwnInputs) {
    const Trace trace = sum_and_another({16});
    const steps::Steps steps = steps::build_steps(trace);
    const Stage stage = stage_of(steps, steps.size() - 1, kFirst);
    const LaneCell& offered = stage.rows.at(stage.rows.size() - 2).lanes[3];
    EXPECT_EQ(value_text(offered), "0.75");
    EXPECT_EQ(offered.inputs, 0u);
    EXPECT_TRUE(offered.more_perhaps);
    EXPECT_EQ(held(steps, steps.size() - 2, kFirst, 3).inputs, 32u);   // the sum
}

// One value more in each of 1000 loads: what a row holds says which step it follows.
TEST(StageOfALongRun, HoldsWhatIsNearThePresentStep) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 32000);
    auto warp = made.warp(0, 0);
    for (int k = 0; k < 1000; ++k)
        warp.load(3, in, [=](int lane) { return 32 * k + lane; }, [=](int) { return static_cast<float>(k); });
    const steps::Steps steps = steps::build_steps(made.trace);
    ASSERT_EQ(steps.size(), 1000u);
    for (const std::size_t present : {0u, 299u, 300u, 301u, 500u, 999u}) {
        const Stage stage = stage_of(steps, present, kFirst);
        const std::size_t first = present > 300 ? present - 300 : 0, last = std::min<std::size_t>(present + 300, 999);
        EXPECT_EQ(stage.left_out_before, first);
        EXPECT_EQ(stage.left_out_after, 999 - last);
        ASSERT_EQ(stage.bands.size(), last - first + 1);
        ASSERT_EQ(stage.rows.size(), stage.bands.size() + 1);
        EXPECT_TRUE(stage.bands.at(present - first).present);
        EXPECT_EQ(value_text(stage.rows.back().lanes[5]), std::to_string(last));
        if (first > 0) {
            EXPECT_EQ(value_text(stage.rows.front().lanes[5]), std::to_string(first - 1));
        }
    }
}

TEST(ValuesWithParts, AreInTheHistoryOfALane) {
    const PairRound made;
    EXPECT_EQ(describe_history(history_of(made.steps, kFirst, 3)), "step 1  xor 16  line 5  ← lane 19  (19, 2)\n");
}

}  // namespace
}  // namespace lanewise::scene
