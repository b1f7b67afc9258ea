#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/steps/testing/programs.testing.hpp"

namespace lanewise::steps {
namespace {

using namespace testing;

TEST(Follow, XorTreeReachesEveryInputInEveryLane) {
    const Trace trace = warp_tree(Op::shfl_xor, {16, 8, 4, 2, 1});
    const Steps steps = build_steps(trace);
    EXPECT_EQ(labels(steps), "load in | xor 16 | xor 8 | xor 4 | xor 2 | xor 1");
    EXPECT_EQ(steps.input_count, 32u);
    for (std::size_t lane = 0; lane < 32; ++lane) {
        for (std::size_t k = 0; k < steps.size(); ++k)
            EXPECT_EQ(inputs_after(steps, k, kFirst, lane).count(), std::size_t{1} << k);
        EXPECT_FALSE(inputs_after(steps, 5, kFirst, lane).counted_twice());
        EXPECT_EQ(steps.lane_values(5, kFirst).bits[lane], to_bits(496.0f));
    }
    // Lane 5 after xor 16 and xor 8: 5, 21, 13, 29.
    for (const std::size_t input : {5u, 21u, 13u, 29u}) EXPECT_TRUE(inputs_after(steps, 2, kFirst, 5).holds(input));
    const LaneView& lane = steps.steps[1].find(kFirst)->lanes[5];
    EXPECT_EQ(lane.source, 21);
    EXPECT_EQ(steps.provenances[lane.inputs_before].count(), 1u);
    EXPECT_EQ(steps.provenances[lane.inputs_after].count(), 2u);
    EXPECT_EQ(steps.lane_values(kNoStep, kFirst).known, 0u);
    EXPECT_EQ(steps.lane_values(0, kFirst).known, kAllLanes);
    EXPECT_EQ(steps.steps[1].find({0, 9, 9}), nullptr);
    EXPECT_THROW(steps.lane_values(0, {0, 9, 9}), Error);
    EXPECT_THROW(steps.lane_values(99, kFirst), Error);
}

// A file of many warps that take turns must not be kept as steps times warps.
TEST(Follow, ValuesAreKeptOnceForEachStepThatAWarpTakesPartIn) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 32);
    constexpr std::uint32_t kWarps = 300;
    for (std::uint32_t block = 0; block < kWarps; ++block) {
        auto warp = made.warp(block, 0);
        warp.load(static_cast<int>(block) + 1, in, [](int lane) { return lane; },
                  [&](int lane) { return ramp(lane) + static_cast<float>(block); });
    }
    const Steps steps = build_steps(made.trace);
    ASSERT_EQ(steps.size(), kWarps);
    std::size_t kept = 0;
    for (const auto& warp : steps.lane_values_of) kept += warp.size();
    EXPECT_EQ(kept, 2 * kWarps);
    const WarpRef tenth = steps.steps[10].warps[0].warp;
    EXPECT_EQ(steps.lane_values(9, tenth).known, 0u);
    EXPECT_EQ(steps.lane_values(10, tenth).known, kAllLanes);
    EXPECT_EQ(steps.lane_values(kWarps - 1, tenth).bits[3], steps.lane_values(10, tenth).bits[3]);
}

TEST(Follow, DownTreeIsCompleteInLaneZeroAlone) {
    const Trace trace = warp_tree(Op::shfl_down, {16, 8, 4, 2, 1});
    const Steps steps = build_steps(trace);
    EXPECT_EQ(inputs_after(steps, 5, kFirst, 0).count(), 32u);
    EXPECT_FALSE(inputs_after(steps, 5, kFirst, 0).counted_twice());
    for (std::size_t lane = 1; lane < 32; ++lane) {
        const Provenance held = inputs_after(steps, 5, kFirst, lane);
        EXPECT_EQ(held.count(), 32 - lane);
        EXPECT_TRUE(held.counted_twice());   // a lane past the edge added its own value again
        EXPECT_FALSE(held.holds(lane - 1));
    }
}

// up-scan: if (lane >= d) value += p
TEST(Follow, UpScanKeepsOnTheLowLanes) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 32);
    made.statement(3, Effect::replace, "value");
    auto warp = made.warp(0, 0);
    warp.load(3, in, [](int lane) { return lane; }, [](int lane) { return ramp(lane + 1); });
    for (int delta = 1; delta < 32; delta *= 2)
        warp.shuffle(5, Op::shfl_up, delta, Effect::join, 32, kAllLanes, (1u << delta) - 1);
    const Steps steps = build_steps(made.trace);
    EXPECT_EQ(labels(steps), "load in | up 1 | up 2 | up 4 | up 8 | up 16");
    for (std::size_t lane = 0; lane < 32; ++lane) {
        const Provenance held = inputs_after(steps, 5, kFirst, lane);
        EXPECT_EQ(held.count(), lane + 1);
        EXPECT_FALSE(held.counted_twice());
    }
    EXPECT_EQ(steps.lane_values(5, kFirst).bits[31], to_bits(528.0f));
}

TEST(Follow, ReplaceTakesTheSourcesInputs) {
    const Trace trace = warp_tree(Op::shfl_down, {16, 8, 4, 2, 1});
    TraceBuilder made;
    made.trace = trace;
    auto warp = made.warp(0, 0);
    for (std::size_t lane = 0; lane < 32; ++lane)
        warp.values[lane] = from_bits<float>(trace.records.back().after[lane]);
    warp.shuffle(9, Op::shfl_idx, 0, Effect::replace);
    made.trace.records.back().index = 6;
    const Steps steps = build_steps(made.trace);
    for (std::size_t lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(inputs_after(steps, 6, kFirst, lane).count(), 32u);
        EXPECT_FALSE(inputs_after(steps, 6, kFirst, lane).counted_twice());
    }
}

TEST(Follow, EqualValuesShowNothing) {
    // All lanes hold 0: a rule that compared values could not distinguish a sum from a copy.
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 32);
    made.statement(3, Effect::replace, "value");
    auto warp = made.warp(0, 0);
    warp.load(3, in, [](int lane) { return lane; }, [](int) { return 0.0f; });
    warp.shuffle(5, Op::shfl_xor, 1, Effect::join);
    warp.shuffle(6, Op::shfl_xor, 2, Effect::replace);
    warp.shuffle(7, Op::shfl_xor, 4, Effect::keep);
    const Steps steps = build_steps(made.trace);
    EXPECT_EQ(first_inputs(inputs_after(steps, 1, kFirst, 0)), 0b0011u);
    EXPECT_EQ(first_inputs(inputs_after(steps, 2, kFirst, 0)), 0b1100u);
    EXPECT_EQ(first_inputs(inputs_after(steps, 3, kFirst, 0)), 0b1100u);
}

TEST(Follow, TheSamePartnerTwiceIsCountedTwice) {
    const Trace trace = warp_tree(Op::shfl_xor, {16, 16});
    const Steps steps = build_steps(trace);
    EXPECT_FALSE(inputs_after(steps, 1, kFirst, 3).counted_twice());
    EXPECT_TRUE(inputs_after(steps, 2, kFirst, 3).counted_twice());
    EXPECT_EQ(inputs_after(steps, 2, kFirst, 3).count(), 2u);
}

// After a sum of all, the lanes offer something else: of what inputs, no record says.
TEST(Follow, WhatWasWorkedOutWithoutARecordIsNotTheLastResult) {
    const Trace trace = sum_and_another({16, 8});
    const Steps steps = build_steps(trace);
    EXPECT_EQ(inputs_after(steps, 5, kFirst, 3).count(), 32u);
    EXPECT_FALSE(inputs_after(steps, 5, kFirst, 3).unknown);
    for (const std::size_t step : {6u, 7u}) {
        EXPECT_EQ(inputs_after(steps, step, kFirst, 3).count(), 0u);
        EXPECT_TRUE(inputs_after(steps, step, kFirst, 3).unknown);
    }
}

// Two words of one store hold its inputs together; two words that two lanes wrote hold those of both.
TEST(Follow, AVectorThatOneStoreWroteIsReadOnce) {
    for (const bool as_vector : {true, false}) {
        TraceBuilder made;
        const auto in = made.array("in", Space::global, 64);
        const auto kept = made.array("kept", Space::shared, 64);
        auto warp = made.warp(0, 0);
        warp.load(2, in, [](int lane) { return lane; }, [](int lane) { return ramp(lane); });
        for (const int mask : {16, 8, 4, 2, 1}) warp.shuffle_sum(4, Op::shfl_xor, mask);
        warp.store(6, kept, [&](int lane) { return as_vector ? 2 * lane : lane; });
        if (as_vector) made.trace.records.back().elements = 2;
        warp.load_pack(8, kept, 2, [](int) { return 6; }, [](int, int) { return ramp(31); });
        const Steps steps = build_steps(made.trace);
        EXPECT_EQ(inputs_after(steps, 7, kFirst, 3).count(), 32u);
        EXPECT_EQ(inputs_after(steps, 7, kFirst, 3).counted_twice(), !as_vector);
    }
}

TEST(Follow, AnInactiveSourceIsUndefined) {
    TraceBuilder made;
    auto warp = made.warp(0, 0);
    warp.values.fill(1);
    warp.shuffle_sum(4, Op::shfl_down, 8, 32, 0xffffu);
    const Steps steps = build_steps(made.trace);
    EXPECT_FALSE(inputs_after(steps, 0, kFirst, 7).undefined);
    EXPECT_TRUE(inputs_after(steps, 0, kFirst, 8).undefined);
    EXPECT_TRUE(steps.steps[0].find(kFirst)->lanes[8].undefined);
    EXPECT_FALSE(steps.steps[0].find(kFirst)->lanes[20].active);
}

TEST(Follow, TwoLevelLeavesTheTotalInTheLowLanesOnly) {
    const Trace trace = two_level();
    const Steps steps = build_steps(trace);
    EXPECT_EQ(labels(steps),
              "load in | xor 16 | xor 8 | xor 4 | xor 2 | xor 1 | store warp_sums | barrier | load warp_sums | "
              "xor 4 | xor 2 | xor 1 | atomic out");
    EXPECT_EQ(steps.input_count, 512u);
    const std::size_t last = steps.size() - 1;
    for (std::uint32_t block = 0; block < 2; ++block) {
        for (std::size_t lane = 0; lane < 32; ++lane) {
            const Provenance held = inputs_after(steps, last, {0, block, 0}, lane);
            EXPECT_EQ(held.count(), lane < 8 ? 256u : 0u) << lane;
            EXPECT_FALSE(held.counted_twice());
        }
        EXPECT_TRUE(inputs_after(steps, last, {0, block, 0}, 0).holds(block * 256 + 255));
        // The other warps hold what they had.
        EXPECT_EQ(inputs_after(steps, last, {0, block, 5}, 9).count(), 32u);
        // Lanes without a warp sum hold the identity from then on.
        EXPECT_EQ(steps.lane_values(8, {0, block, 0}).bits[20], to_bits(0.0f));
    }
}

TEST(Follow, TheSharedTreeGathersInItsFirstWord) {
    const Trace trace = shared_tree(128);
    const Steps steps = build_steps(trace);
    EXPECT_EQ(
        labels(steps),
        "load in | store tree | barrier | add tree +64 | barrier | add tree +32 | barrier | add tree +16 | barrier "
        "| add tree +8 | barrier | add tree +4 | barrier | add tree +2 | barrier | add tree +1 | barrier");
    EXPECT_EQ(inputs_after(steps, 3, kFirst, 5).count(), 2u);
    EXPECT_TRUE(inputs_after(steps, 3, kFirst, 5).holds(69));
    const std::size_t last = steps.size() - 1;
    EXPECT_EQ(inputs_after(steps, last, kFirst, 0).count(), 128u);
    EXPECT_FALSE(inputs_after(steps, last, kFirst, 0).counted_twice());
    EXPECT_EQ(steps.lane_values(last, kFirst).bits[0], to_bits(8128.0f));
    const LaneView& lane = steps.steps[3].find(kFirst)->lanes[5];
    EXPECT_EQ(lane.before, to_bits(5.0f));
    EXPECT_EQ(lane.received, to_bits(69.0f));
    EXPECT_EQ(lane.after, to_bits(74.0f));
}

// sum += in[i], twice, then a shuffle: what is held is shown by the shuffle.
TEST(Follow, LoadsThatJoin) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 64);
    made.statement(3, Effect::join, "sum");
    auto warp = made.warp(0, 0);
    warp.load(3, in, [](int lane) { return lane; }, [](int lane) { return ramp(lane); });
    warp.load(3, in, [](int lane) { return lane + 32; }, [](int lane) { return ramp(lane + 32); });
    for (std::size_t lane = 0; lane < 32; ++lane) warp.values[lane] = ramp(static_cast<int>(lane)) * 2 + 32;
    warp.shuffle_sum(5, Op::shfl_xor, 16);
    const Steps steps = build_steps(made.trace);
    EXPECT_EQ(labels(steps), "load in | load in | xor 16");
    EXPECT_EQ(steps.lane_values(0, kFirst).known, 0u);
    EXPECT_EQ(steps.lane_values(1, kFirst).bits[3], to_bits(38.0f));
    EXPECT_EQ(inputs_after(steps, 1, kFirst, 3).count(), 2u);
    EXPECT_TRUE(inputs_after(steps, 1, kFirst, 3).holds(35));
    EXPECT_EQ(inputs_after(steps, 2, kFirst, 3).count(), 4u);
}

TEST(Follow, AVectorLoadBringsFourInputs) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 128);
    made.statement(3, Effect::replace, "pack");
    auto warp = made.warp(0, 0);
    warp.load(3, in, [](int lane) { return 4 * lane; }, [](int lane) { return ramp(lane); });
    warp.last().elements = 4;
    const Steps steps = build_steps(made.trace);
    EXPECT_EQ(labels(steps), "load in x4");
    EXPECT_EQ(first_inputs(inputs_after(steps, 0, kFirst, 2)), 0xf00u);
    EXPECT_EQ(steps.lane_values(0, kFirst).known, 0u);   // no one value is held
}

// atomicAdd(out, in[t]); then another launch reads out.
TEST(Follow, AtomicsGatherInTheWord) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 32);
    const auto out = made.array("out", Space::global, 1);
    made.trace.header.launches.push_back(made.trace.header.launches[0]);
    made.statement(7, Effect::replace, "total");
    auto warp = made.warp(0, 0);
    warp.load(3, in, [](int lane) { return lane; }, [](int lane) { return ramp(lane); });
    warp.atomic_add(3, out, 0, 0, kAllLanes);
    auto second = made.warp(0, 0, 1);
    second.load(7, out, [](int) { return 0; }, [](int) { return 496.0f; }, 1);
    const Steps steps = build_steps(made.trace);
    EXPECT_EQ(labels(steps), "load in | atomic out | load out");
    EXPECT_EQ(inputs_after(steps, 2, {1, 0, 0}, 0).count(), 32u);
}

// A reduction joins what all its lanes had; a match leaves what they hold.
TEST(Follow, AReductionGathersTheWarp) {
    for (const Effect effect : {Effect::replace, Effect::join, Effect::keep}) {
        TraceBuilder made;
        const auto in = made.array("in", Space::global, 32);
        made.statement(3, Effect::replace, "value");
        auto warp = made.warp(0, 0);
        warp.load(3, in, [](int lane) { return lane; }, [](int lane) { return ramp(lane); });
        warp.match_any(4, [](int) { return 7u; });
        warp.reduce_add(5, [](int lane) { return static_cast<std::uint32_t>(lane); }, effect, 0xffff);
        const Steps steps = build_steps(made.trace);
        EXPECT_EQ(inputs_after(steps, 1, kFirst, 5).count(), 1u);
        EXPECT_EQ(steps.lane_values(1, kFirst).bits[5], to_bits(5.0f));
        EXPECT_EQ(inputs_after(steps, 2, kFirst, 5).count(), effect == Effect::keep ? 1u : 16u);
        EXPECT_EQ(inputs_after(steps, 2, kFirst, 5).counted_twice(), effect == Effect::join);
        EXPECT_EQ(inputs_after(steps, 2, kFirst, 20).count(), 1u);
    }
}

// A large input with a different large set in every lane.
TEST(Follow, FollowsInputsAtTheEndOfALargeArray) {
    TraceBuilder made;
    const std::int64_t n = 1 << 24;
    const auto in = made.array("in", Space::global, static_cast<std::uint64_t>(n));
    made.statement(3, Effect::join, "sum");
    auto warp = made.warp(0, 0);
    for (int turn = 1; turn < 6; ++turn)
        warp.load(3, in, [&](int lane) { return n - 32 * turn + lane; }, [](int lane) { return ramp(lane); });
    const Steps steps = build_steps(made.trace);
    EXPECT_EQ(steps.input_count, std::size_t{1} << 24);
    const Provenance held = inputs_after(steps, 4, kFirst, 3);
    EXPECT_EQ(held.count(), 5u);
    for (int turn = 1; turn < 6; ++turn) EXPECT_TRUE(held.holds(static_cast<std::size_t>(n - 32 * turn + 3)));
}

// A place that no array has: sets that hold it cannot be kept, and none are given.
TEST(Follow, GivesUpProvenanceWhereInputsCannotBeDistinguished) {
    TraceBuilder made;
    const std::int64_t n = std::int64_t{1} << 33;
    const auto in = made.array("in", Space::global, static_cast<std::uint64_t>(n));
    made.statement(3, Effect::join, "sum");
    auto warp = made.warp(0, 0);
    for (int turn = 1; turn < 6; ++turn)
        warp.load(3, in, [&](int lane) { return n - 32 * turn + lane; }, [](int lane) { return ramp(lane); });
    const Steps steps = build_steps(made.trace);
    EXPECT_EQ(steps.input_count, 0u);
    EXPECT_EQ(steps.provenances.size(), 1u);
    EXPECT_EQ(steps.lane_values(4, kFirst).inputs[3], 0u);
}

TEST(Follow, AGpuTraceAloneHasNoInputs) {
    Trace trace = two_level();
    std::erase_if(trace.records, [](const trace::Record& record) { return trace::is_access(record.op); });
    const Steps steps = build_steps(trace);
    EXPECT_EQ(labels(steps),
              "xor 16 | xor 8 | xor 4 | xor 2 | xor 1 | barrier | xor 4 | xor 2 | xor 1 | atomic out");
    EXPECT_EQ(steps.input_count, 0u);
    EXPECT_EQ(steps.lane_values(0, kFirst).bits[5], to_bits(26.0f));
}

TEST(Follow, AnEmptyTraceHasNoSteps) {
    const Trace trace;
    const Steps steps = build_steps(trace);
    EXPECT_EQ(steps.size(), 0u);
    EXPECT_EQ(formula(steps, 0, kFirst, 0), "");
}

}  // namespace
}  // namespace lanewise::steps
