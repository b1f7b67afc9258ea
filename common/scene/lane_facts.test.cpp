#include "common/scene/lane_facts.hpp"

#include <gtest/gtest.h>

#include "common/scene/warps.hpp"
#include "common/steps/programs.testing.hpp"

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
        for (const steps::WarpRef& warp : steps.warps) {
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

TEST(WarpRows, OneWordEachOfAPackAndOneRowForWhatSomeLanesMiss) {
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

}  // namespace
}  // namespace lanewise::scene
