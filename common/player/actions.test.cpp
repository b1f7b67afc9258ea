#include "common/player/actions.hpp"

#include <set>

#include <gtest/gtest.h>

#include "common/player/playhead.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::player {
namespace {

TEST(Actions, AKeyIsOnceOnEachSurfaceAndIsExplained) {
    for (const Surface surface : {Surface::window, Surface::terminal}) {
        std::set<std::pair<int, bool>> keys;
        for (const Action& action : actions()) {
            if (!is_on(action.where, surface)) continue;
            EXPECT_TRUE(keys.insert({static_cast<int>(action.key), action.shift}).second) << action.what;
            EXPECT_EQ(intent_of_key(action.key, action.shift, surface)->kind, action.intent.kind);
        }
        for (const auto& [key, what] : key_rows(surface)) EXPECT_FALSE(key.empty() || what.empty());
    }
}

TEST(Actions, TheTerminalHasTheStepsAndNotWhatOnlyAWindowCanDraw) {
    EXPECT_EQ(intent_of_key(Key::right, true, Surface::terminal)->kind, Intent::Kind::stage_forward);
    EXPECT_EQ(intent_of_key(letter('Q'), false, Surface::terminal)->kind, Intent::Kind::quit);
    EXPECT_FALSE(intent_of_key(letter('B'), false, Surface::terminal));
    EXPECT_TRUE(intent_of_key(letter('B'), false, Surface::window));
}

steps::Steps stages(const std::vector<std::string>& names) {
    steps::Steps steps;
    for (const auto& name : names) steps.steps.emplace_back().stage = name;
    return steps;
}

TEST(Playhead, StagesAreWalkedInBothDirectionsAndEndAtTheEnds) {
    const steps::Steps steps = stages({"load", "rounds", "rounds", "rounds", "finish"});
    EXPECT_EQ(step_of_next_stage(steps, 0, 1), 1u);
    EXPECT_EQ(step_of_next_stage(steps, 1, 1), 4u);
    EXPECT_EQ(step_of_next_stage(steps, 4, 1), 4u);
    EXPECT_EQ(step_of_next_stage(steps, 3, -1), 0u);
    EXPECT_EQ(step_of_next_stage(steps, 0, -1), 0u);
    const steps::Steps none;
    EXPECT_EQ(step_of_next_stage(none, 0, 1), 0u);
}

TEST(Playhead, WarpsAndBlocksGoAround) {
    steps::Steps steps;
    steps.warps = {{0, 0, 0}, {0, 0, 1}, {0, 3, 0}, {0, 3, 1}};
    steps.blocks = {{0, 0, 0}, {0, 3, 0}};
    EXPECT_EQ(warp_beside(steps, {0, 0, 1}, 1), (steps::WarpRef{0, 3, 0}));
    EXPECT_EQ(warp_beside(steps, {0, 0, 0}, -1), (steps::WarpRef{0, 3, 1}));
    EXPECT_EQ(warp_beside(steps, {0, 9, 9}, 1), (steps::WarpRef{0, 0, 0}));
    EXPECT_EQ(block_beside(steps, {0, 0, 1}, 1), (steps::WarpRef{0, 3, 0}));
    EXPECT_EQ(block_beside(steps, {0, 3, 1}, 1), (steps::WarpRef{0, 0, 0}));
    const steps::Steps none;
    EXPECT_EQ(warp_beside(none, {0, 1, 2}, 1), (steps::WarpRef{0, 1, 2}));
}

TEST(Playhead, PlayingStopsAtTheEndAndBeginsAgainFromTheStart) {
    Playhead at{.step = 0, .count = 3};
    at.toggle_play();
    for (int i = 0; i < 4; ++i) at.advance(10);
    EXPECT_FALSE(at.playing);
    EXPECT_EQ(at.step, 2u);
    at.toggle_play();
    EXPECT_EQ(at.step, 0u);
    EXPECT_TRUE(at.playing);
}

}  // namespace
}  // namespace lanewise::player
