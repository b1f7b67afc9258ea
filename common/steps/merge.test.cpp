#include "common/steps/merge.hpp"

#include <chrono>

#include <gtest/gtest.h>

#include "common/steps/testing/programs.testing.hpp"

namespace lanewise::steps {
namespace {

using namespace testing;

TEST(Merge, WarpsOfAllBlocksShareSteps) {
    const Trace trace = two_level();
    const Steps steps = build_steps(trace);
    ASSERT_EQ(steps.size(), 13u);
    EXPECT_EQ(steps.warps.size(), 16u);
    EXPECT_EQ(steps.blocks.size(), 2u);
    EXPECT_EQ(steps.steps[1].warps.size(), 16u);
    EXPECT_EQ(steps.steps[9].warps.size(), 2u);
    EXPECT_EQ(steps.steps[9].warps[1].warp, (WarpRef{0, 1, 0}));
    EXPECT_EQ(steps.steps[1].line, 5);
    std::string stages;
    for (const Step& step : steps.steps) stages += step.stage.substr(0, 1);
    EXPECT_EQ(stages, "lwwwwweeebbbf");   // load, warp rounds, exchange, block rounds, finish
}

TEST(Merge, AWarpWithoutWorkWaitsAtTheBarrier) {
    const Trace trace = shared_tree(128);
    const Steps steps = build_steps(trace);
    const Step& round = steps.steps[3];   // 64 threads add
    EXPECT_EQ(round.label, "add tree +64");
    EXPECT_EQ(round.kind, StepKind::store);
    EXPECT_EQ(round.warps.size(), 2u);
    EXPECT_EQ(round.warps[0].records.size(), 3u);
    EXPECT_EQ(steps.steps[4].warps.size(), 4u);
    EXPECT_EQ(round.stage, "block rounds");
    EXPECT_EQ(steps.steps[7].stage, "warp rounds");   // +16
}

// Halves that go different ways: the other warp goes only one of them, and has a step of its own.
TEST(Merge, DivergentWarpsKeepTheirOwnOrder) {
    TraceBuilder made;
    auto first = made.warp(0, 0);
    first.shuffle_sum(10, Op::shfl_down, 8, 32, 0x0000ffffu);
    first.shuffle_sum(12, Op::shfl_xor, 8, 32, 0xffff0000u);
    first.sync_warp(14);
    auto second = made.warp(0, 1);
    second.shuffle_sum(12, Op::shfl_xor, 8);
    second.shuffle_sum(13, Op::shfl_idx, 0);
    second.sync_warp(14);
    auto third = made.warp(0, 2);
    third.shuffle_sum(12, Op::shfl_xor, 4);   // another argument is another step
    third.sync_warp(14);
    const Steps steps = build_steps(made.trace);
    EXPECT_EQ(labels(steps), "down 8 | xor 8 | idx 0 | xor 4 | syncwarp");
    EXPECT_EQ(steps.steps[1].warps.size(), 2u);
    EXPECT_EQ(steps.steps[4].warps.size(), 3u);
}

// Two warps that do the same things in another order cannot share both.
TEST(Merge, CrossedOrdersEndAllTheSame) {
    TraceBuilder made;
    auto first = made.warp(0, 0);
    first.sync_warp(1);
    first.sync_warp(2);
    auto second = made.warp(0, 1);
    second.sync_warp(2);
    second.sync_warp(1);
    const Steps steps = build_steps(made.trace);
    std::size_t records = 0;
    for (const Step& step : steps.steps)
        for (const WarpStep& warp : step.warps) records += warp.records.size();
    EXPECT_EQ(records, 4u);
    EXPECT_EQ(steps.size(), 3u);
}

TEST(Merge, TurnsOfALoopAreStepsOfTheirOwn) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 128);
    for (std::uint32_t number = 0; number < 2; ++number) {
        auto warp = made.warp(0, number);
        for (std::uint32_t turn = 0; turn < 3 - number; ++turn)
            warp.load(3, in, [](int lane) { return lane; }, [](int lane) { return ramp(lane); });
        warp.shuffle_sum(5, Op::shfl_xor, 1);
    }
    const Steps steps = build_steps(made.trace);
    EXPECT_EQ(labels(steps), "load in | load in | load in | xor 1");
    EXPECT_EQ(steps.steps[2].warps.size(), 1u);
    EXPECT_EQ(steps.steps[3].warps.size(), 2u);
}

TEST(Merge, LabelsAreShort) {
    TraceBuilder made;
    const auto out = made.array("out", Space::global, 4);
    auto warp = made.warp(0, 0);
    warp.shuffle(1, Op::shfl_xor, 2, Effect::join, 8);
    warp.shuffle(2, Op::shfl_idx, 0, Effect::replace);
    for (int lane = 0; lane < 32; ++lane) warp.last().arg[static_cast<std::size_t>(lane)] = lane + 2;
    warp.shuffle(3, Op::shfl_idx, 0, Effect::replace);
    for (int lane = 0; lane < 32; ++lane) warp.last().arg[static_cast<std::size_t>(lane)] = lane * lane;
    warp.ballot(4, [](int) { return true; });
    warp.add(Op::atomic_max, 5, 1).array = out;
    warp.store(6, out, [](int lane) { return lane; }, 3);
    const Steps steps = build_steps(made.trace);
    EXPECT_EQ(labels(steps), "xor 2 of 8 | idx lane+2 | idx | ballot | atomic max out | store out");
}

// Two blocks of 1024 threads, the largest default.
TEST(Merge, LargeDefaultsAreFast) {
    for (const Trace& trace : {two_level(32), shared_tree(1024)}) {
        const auto start = std::chrono::steady_clock::now();
        const Steps steps = build_steps(trace);
        const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
        EXPECT_GT(steps.size(), 10u);
        EXPECT_LT(taken.count(), 1000);   // 2 ms on one core of the machine this was written on
        std::printf("%zu records, %zu steps, %zu sets of inputs: %.2f ms\n", trace.records.size(), steps.size(),
                    steps.provenances.size(), taken.count());
    }
}

}  // namespace
}  // namespace lanewise::steps
