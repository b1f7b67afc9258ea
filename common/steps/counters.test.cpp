#include <gtest/gtest.h>

#include "common/steps/testing/programs.testing.hpp"

namespace lanewise::steps {
namespace {

using namespace testing;

TEST(Counters, TwoLevel) {
    const Trace trace = two_level();
    const Steps steps = build_steps(trace);
    const auto at = [&](std::size_t step) { return steps.steps[step].counters.at(1); };
    EXPECT_EQ(at(0).active_lanes, 256u);
    EXPECT_EQ(at(0).global_accesses, 256u);
    EXPECT_EQ(at(5).shuffles, 5u);
    EXPECT_EQ(at(6).active_lanes, 8u);     // store warp_sums
    EXPECT_EQ(at(6).shared_accesses, 8u);
    EXPECT_EQ(at(7).active_lanes, 256u);   // barrier
    EXPECT_EQ(at(7).block_barriers, 1u);
    EXPECT_EQ(at(8).active_lanes, 8u);
    EXPECT_EQ(at(8).shared_accesses, 16u);
    EXPECT_EQ(at(9).active_lanes, 32u);
    EXPECT_EQ(at(11).shuffles, 8u);
    EXPECT_EQ(at(12).active_lanes, 1u);
    EXPECT_EQ(at(12).atomics, 1u);
    EXPECT_EQ(at(12).warp_barriers, 0u);
    EXPECT_EQ(at(12).global_accesses, 256u);
}

TEST(Counters, SharedTree) {
    const Trace trace = shared_tree(128);
    const Steps steps = build_steps(trace);
    const Step::Counters& round = steps.steps[3].counters.at(0);
    EXPECT_EQ(round.active_lanes, 64u);
    EXPECT_EQ(round.shared_accesses, 128u + 3 * 64u);
    EXPECT_EQ(steps.steps.back().counters.at(0).block_barriers, 8u);
    EXPECT_EQ(steps.steps.back().counters.at(0).shuffles, 0u);
}

// 64 + 32 + … + 1 lanes add in seven rounds of 128.
TEST(Counters, ATreeKeepsFewLanesBusy) {
    TraceBuilder made;
    made.trace = shared_tree(128);
    made.trace.header.launches[0].block = {128, 1, 1};
    const Steps steps = build_steps(made.trace);
    const Step::Counters& last = steps.steps.back().counters.at(0);
    EXPECT_EQ(last.added, 127u);
    EXPECT_EQ(last.add_slots, 7u * 128);
    EXPECT_DOUBLE_EQ(last.utilization(), 127.0 / (7 * 128));
    EXPECT_EQ(steps.steps[3].counters.at(0).lanes_adding, 64u);
    EXPECT_EQ(steps.steps[4].counters.at(0).lanes_adding, 0u);   // a barrier
    EXPECT_EQ(Step::Counters().utilization(), 0);
    // The load and its store, then each round's two loads and a store: a warp's each, and no conflicts.
    EXPECT_EQ(last.global_requests, 4u);
    EXPECT_EQ(last.global_sectors, 16u);
    EXPECT_EQ(last.global_bytes, 512u);
    EXPECT_EQ(last.shared_requests, 4u + 3 * (2 + 1 + 5));
    EXPECT_EQ(last.shared_wavefronts, last.shared_requests);
}

// sum += in[i], 20 turns, then five shuffles.
TEST(Counters, ARunOfItsOwnKeepsAllLanesBusy) {
    TraceBuilder made;
    made.trace.header.launches[0].block = {32, 1, 1};
    const auto in = made.array("in", Space::global, 640);
    made.statement(3, Effect::join, "sum");
    made.statement(5, Effect::join, "sum");
    auto warp = made.warp(0, 0);
    for (int turn = 0; turn < 20; ++turn)
        warp.load(3, in, [&](int lane) { return 32 * turn + lane; }, [](int lane) { return ramp(lane); },
                  turn == 19 ? 0xffffu : kAllLanes);
    for (int mask = 16; mask > 0; mask /= 2) warp.shuffle_sum(5, Op::shfl_xor, mask);
    const Steps steps = build_steps(made.trace);
    const Step::Counters& last = steps.steps.back().counters.at(0);
    EXPECT_EQ(last.added, 24u * 32 + 16);
    EXPECT_EQ(last.add_slots, 25u * 32);
    EXPECT_EQ(last.global_sectors, 19u * 4 + 2);
}

// Each block is charged for its own warps alone; a warp's load is one request, whatever its lanes ask for.
TEST(Counters, RequestsAndSectorsAreTheBlocksOwn) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 2048);
    const auto out = made.array("out", Space::global, 1);
    for (std::uint32_t block = 0; block < 2; ++block) {
        for (std::uint32_t number = 0; number <= block; ++number) {
            auto warp = made.warp(block, number);
            warp.load(
                3, in, [&](int lane) { return block == 0 ? lane : 8 * lane; }, [](int lane) { return ramp(lane); });
            warp.load_pack(
                4, in, 4, [](int lane) { return 4 * lane; }, [](int lane, int k) { return ramp(lane + k); }, 0xff);
            warp.atomic_add(5, out, 0, 0, 1);
        }
    }
    const Steps steps = build_steps(made.trace);
    ASSERT_EQ(steps.size(), 3u);   // shared by all three warps
    const auto at = [&](std::size_t step, std::size_t block) { return steps.steps[step].counters.at(block); };
    EXPECT_EQ(at(0, 0).global_requests, 1u);
    EXPECT_EQ(at(0, 0).global_sectors, 4u);
    EXPECT_EQ(at(0, 1).global_requests, 2u);
    EXPECT_EQ(at(0, 1).global_sectors, 64u);
    EXPECT_EQ(at(1, 0).global_requests, 2u);
    EXPECT_EQ(at(1, 0).global_sectors, 4u + 4);
    EXPECT_EQ(at(1, 0).global_bytes, 128u + 128);
    EXPECT_EQ(at(1, 1).global_requests, 4u);
    EXPECT_EQ(at(1, 1).global_sectors, 2 * (32u + 4));
    EXPECT_EQ(at(2, 1).global_requests, 4u);   // an atomic is counted as an atomic
    EXPECT_EQ(at(2, 1).atomics, 2u);
}

TEST(Counters, WhatCollectivesCount) {
    TraceBuilder made;
    made.trace.header.launches[0].block = {32, 1, 1};
    const auto tree = made.array("tree", Space::shared, 1024);
    auto warp = made.warp(0, 0);
    warp.reduce_add(3, [](int lane) { return static_cast<std::uint32_t>(lane); }, Effect::replace, 0xff);
    warp.match_any(4, [](int) { return 1u; });
    warp.fence(5, 1);
    warp.active_mask(6, 0xff);
    warp.barrier_vote(7, Op::sync_block_or, [](int) { return true; }, 1);
    warp.store(8, tree, [](int lane) { return 2 * lane; });
    const Steps steps = build_steps(made.trace);
    EXPECT_EQ(labels(steps), "reduce add | match any | fence device | active mask | barrier or | store tree");
    const Step::Counters& last = steps.steps.back().counters.at(0);
    EXPECT_EQ(last.shuffles, 1u);
    EXPECT_EQ(last.block_barriers, 1u);
    EXPECT_EQ(last.added, 8u);
    EXPECT_EQ(last.add_slots, 32u);
    EXPECT_EQ(last.shared_requests, 1u);
    EXPECT_EQ(last.shared_wavefronts, 2u);
}

TEST(Counters, WarpsSideBySideAreOneRound) {
    TraceBuilder made;
    for (std::uint32_t number = 0; number < 4; ++number) {
        auto warp = made.warp(0, number);
        warp.sync_warp(3);
        if (number == 2) warp.sync_warp(4, 0xf);
    }
    const Steps steps = build_steps(made.trace);
    EXPECT_EQ(steps.steps[0].counters.at(0).warp_barriers, 1u);
    EXPECT_EQ(steps.steps[1].counters.at(0).warp_barriers, 2u);
    EXPECT_EQ(steps.steps[1].counters.at(0).active_lanes, 4u);
}

}  // namespace
}  // namespace lanewise::steps
