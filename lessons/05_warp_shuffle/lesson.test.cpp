#include "common/lesson/lesson.testing.hpp"
#include "common/steps/testing/pairs.testing.hpp"

namespace {

using namespace lanewise;
using namespace lanewise::lesson::testing;

std::vector<float> lanes_of(const std::string& variant, const std::string& name = "lanes") {
    const auto plan = plan_of(variant, inputs_of(variant));
    return buffer(plan, run(plan), name);
}

// The values of the traced lanes after each shuffle round, in order: one vector of 32 for each.
std::vector<std::vector<double>> rounds_of(const std::string& variant) {
    const auto outcome = run(plan_of(variant, inputs_of(variant)), "ascending", true);
    std::vector<std::vector<double>> rounds;
    for (const auto& record : outcome.trace->records) {
        if (!trace::is_shuffle(record.op) || record.block != 0 || record.warp != 0) continue;
        std::vector<double> after;
        for (int lane = 0; lane < trace::kWarpSize; ++lane)
            if (record.active >> lane & 1u) {
                EXPECT_TRUE(record.has_after >> lane & 1u) << variant << " lane " << lane;
                after.push_back(element_to_double(record.type, record.after[lane]));
            }
        rounds.push_back(after);
    }
    return rounds;
}

// Eight rounds on either side, in shared memory and by shuffles: the k-th are matched.
TEST(WarpShuffle, TheTreeBesideTwoLevelsGoesRoundByRound) {
    const auto traced = [](const char* variant) {
        return *run(plan_of(variant, inputs_of(variant)), "ascending", true).trace;
    };
    const trace::Trace tree = traced("block_sum_shared"), levels = traced("block_sum_two_level"),
                       mixed = traced("block_sum_tree_shuffle");
    EXPECT_EQ(steps::testing::places({steps::build_steps(tree), steps::build_steps(levels)}),
              "load in | load in\n"
              "store tree | -\n"
              "barrier | -\n"
              "add tree +128 | xor 16\n"
              "barrier | -\n"
              "add tree +64 | xor 8\n"
              "barrier | -\n"
              "add tree +32 | xor 4\n"
              "barrier | -\n"
              "add tree +16 | xor 2\n"
              "barrier | -\n"
              "add tree +8 | xor 1\n"
              "- | store warp_sums\n"
              "barrier | barrier\n"
              "- | load warp_sums\n"
              "add tree +4 | xor 4\n"
              "barrier | -\n"
              "add tree +2 | xor 2\n"
              "barrier | -\n"
              "add tree +1 | xor 1\n"
              "barrier | -\n"
              "load tree | -\n"
              "atomic out | atomic out\n");
    EXPECT_EQ(steps::testing::paired_rounds(steps::build_steps(tree), steps::build_steps(mixed)),
              "128=128 64=64 32=32 16=16 8=8 4=4 2=2 1=1");
    EXPECT_EQ(steps::testing::paired_rounds(steps::build_steps(mixed), steps::build_steps(levels)),
              "128=16 64=8 32=4 16=2 8=1 4=4 2=2 1=1");
}

// Warp counts that are no power of two: the second level has partners that are not there.
TEST(WarpShuffle, TwoLevelsTakeAnyNumberOfWarps) {
    for (const std::uint32_t block : {96u, 192u})
        for (const char* variant :
             {"block_sum_two_level", "block_sum_two_level_broadcast", "block_sum_every_warp", "block_sum_library"}) {
            lesson::Inputs inputs = inputs_of(variant);
            inputs.block = block;
            inputs.n = block;
            inputs.kind = "ramp1";
            const auto plan = plan_of(variant, inputs);
            EXPECT_EQ(buffer(plan, run(plan), "out")[0], static_cast<float>(block * (block + 1) / 2)) << variant;
        }
}

TEST(WarpShuffle, AMillionValues) {
    for (const char* variant : {"warp_sum_xor", "block_sum_two_level"}) {
        lesson::Inputs inputs = inputs_of(variant);
        inputs.n = 1u << 20;
        inputs.kind = "random";
        const auto plan = plan_of(variant, inputs);
        expect_verified(plan, run(plan), variant);
    }
}

TEST(WarpShuffle, TheWellKnownTotal) {
    for (const char* variant : {"warp_sum_down", "warp_sum_xor", "warp_sum_up", "warp_sum_xor_rolled", "warp_sum_xor_pragma"})
        EXPECT_EQ(lanes_of(variant, "out"), std::vector<float>{496}) << variant;
    for (const char* variant : {"warp_max_down", "warp_max_xor", "warp_max_up"})
        EXPECT_EQ(lanes_of(variant, "out"), std::vector<float>{31}) << variant;
    for (const char* variant : {"warp_min_down", "warp_min_xor", "warp_min_up"})
        EXPECT_EQ(lanes_of(variant, "out"), std::vector<float>{0}) << variant;
    lesson::Inputs from_one = inputs_of("warp_sum_xor");
    from_one.kind = "ramp1";
    const auto plan = plan_of("warp_sum_xor", from_one);
    EXPECT_EQ(buffer(plan, run(plan), "out")[0], 528);
}

TEST(WarpShuffle, WhoHoldsTheTotal) {
    const auto xor_ = lanes_of("warp_sum_xor"), down = lanes_of("warp_sum_down"), up = lanes_of("warp_sum_up");
    ASSERT_EQ(xor_.size(), 32u);
    for (int lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(xor_[lane], 496);
        EXPECT_EQ(down[lane], 496 + 16 * lane);  // 496, 512, …, 992
        EXPECT_EQ(up[lane], 16 * lane);          // 0, 16, …, 496
    }
    for (const char* all : {"block_sum_two_level_broadcast", "block_sum_every_warp"}) {
        const auto totals = lanes_of(all, "totals");
        ASSERT_EQ(totals.size(), 512u);
        for (std::size_t thread = 0; thread < totals.size(); ++thread)
            EXPECT_EQ(totals[thread], thread < 256 ? 32640 : 98176) << all;  // the sums of 0…255 and 256…511
    }
    EXPECT_EQ(lanes_of("warp_broadcast"), std::vector<float>(32, 5));
}

TEST(WarpShuffle, EightLanesRoundByRound) {
    const std::vector<std::vector<double>> xor_ = {
        {6, 8, 10, 12, 6, 8, 10, 12}, {16, 20, 16, 20, 16, 20, 16, 20}, {36, 36, 36, 36, 36, 36, 36, 36}};
    EXPECT_EQ(rounds_of("warp_sum_xor_8"), xor_);
    EXPECT_EQ(rounds_of("warp_sum_down_8").back().front(), 36);
    EXPECT_EQ(rounds_of("warp_sum_up_8").back().back(), 36);
}

TEST(WarpShuffle, RoundsOfTheTree) {
    const auto rounds = rounds_of("warp_sum_down");
    ASSERT_EQ(rounds.size(), 5u);
    EXPECT_EQ(rounds[0][0], 16);   // 0 + 16
    EXPECT_EQ(rounds[0][31], 62);  // past the edge: its own value again
    EXPECT_EQ(rounds[4][0], 496);
    EXPECT_EQ(rounds_of("warp_sum_xor_rolled"), rounds_of("warp_sum_xor"));
    EXPECT_EQ(rounds_of("warp_sum_xor_pragma"), rounds_of("warp_sum_xor"));
}

// After the second level of two_level only lanes 0 to 7 of 8 warps' block hold its sum.
TEST(WarpShuffle, TheSecondLevelLeavesLanesWithoutTheTotal) {
    const auto rounds = rounds_of("block_sum_two_level");
    ASSERT_EQ(rounds.size(), 5u + 3u);
    for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(rounds.back()[lane], lane < 8 ? 32640 : 0) << lane;
    const auto broadcast = rounds_of("block_sum_two_level_broadcast");
    ASSERT_EQ(broadcast.size(), 5u + 3u + 1u);
    for (const double value : broadcast.back()) EXPECT_EQ(value, 32640);
}

// xor and down: the same bits in lane 0, of values that round; in the other lanes other sums.
TEST(WarpShuffle, DownIsXorInLaneZeroOnly) {
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
        std::vector<float> held[2];
        for (const bool down : {false, true}) {
            lesson::Inputs inputs = inputs_of("warp_sum_xor");
            inputs.kind = "random";
            inputs.seed = seed;
            const auto plan = plan_of(down ? "warp_sum_down" : "warp_sum_xor", inputs);
            held[down] = buffer(plan, run(plan), "lanes");
        }
        EXPECT_EQ(held[0][0], held[1][0]) << seed;
        for (int lane = 1; lane < 32; ++lane) EXPECT_NE(held[0][lane], held[1][lane]) << seed << " lane " << lane;
    }
}

// All 32 lanes of every warp hold the sum after the second level, with no broadcast; CUDA's library has the same
// rounds.
TEST(WarpShuffle, TheSecondLevelInEveryWarp) {
    const auto every = rounds_of("block_sum_every_warp"), library = rounds_of("block_sum_library");
    ASSERT_EQ(every.size(), 5u + 5u);
    for (const double value : every.back()) EXPECT_EQ(value, 32640);
    EXPECT_EQ(library, every);
}

// 16 threads in warps of 4 lanes, 64 in warps of 8, 256 in warps of 16: one barrier, both levels.
TEST(WarpShuffle, TwoLevelsInTeachingWarps) {
    for (const std::uint32_t warp : {4u, 8u, 16u}) {
        lesson::Inputs inputs = inputs_of("block_sum_two_level");
        inputs.warp = warp;
        inputs.block = warp * warp;
        inputs.n = inputs.block;
        const auto plan = plan_of("block_sum_two_level", inputs);
        const auto outcome = run(plan, "ascending", true);
        EXPECT_EQ(outcome.trace->header.warp_size, warp);
        EXPECT_EQ(buffer(plan, outcome, "out")[0], static_cast<float>(inputs.n * (inputs.n - 1) / 2)) << warp;
        EXPECT_EQ(steps::build_steps(*outcome.trace).steps.back().counters.at(0).block_barriers, 1u) << warp;
    }
}

TEST(WarpShuffle, FiveBarriersFewer) {
    const auto barriers = [](const std::string& variant) {
        const auto outcome = run(plan_of(variant, inputs_of(variant)), "ascending", true);
        return steps::build_steps(*outcome.trace).steps.back().counters.at(0).block_barriers;
    };
    EXPECT_EQ(barriers("block_sum_shared"), barriers("block_sum_tree_shuffle") + 5);
    EXPECT_EQ(barriers("block_sum_two_level"), 1u);
}

}  // namespace
