#include "common/lesson/lesson.testing.hpp"
#include "common/steps/memory_cost.hpp"
#include "common/steps/testing/pairs.testing.hpp"
#include "lessons/06_grid_stride/case.hpp"

namespace {

using namespace lanewise;
using namespace lanewise::lesson::testing;

const char* const kRuns[] = {"grid_stride_tree", "grid_stride_shuffle", "contiguous_runs"};

trace::Trace traced(const std::string& variant) {
    return *run(plan_of(variant, inputs_of(variant)), "ascending", true).trace;
}

steps::Step::Counters counted(const std::string& variant) {
    const trace::Trace trace = traced(variant);
    return steps::build_steps(trace).steps.back().counters.at(0);
}

// Loads of the input by whole warps.
std::vector<trace::Record> whole_loads(const trace::Trace& trace) {
    std::vector<trace::Record> loads;
    for (const auto& record : trace.records)
        if (record.op == trace::Op::load && trace.arrays[record.array].space == trace::Space::global &&
            record.active == 0xffffffffu)
            loads.push_back(record);
    return loads;
}

TEST(GridStride, LanesAreBusy) {
    EXPECT_DOUBLE_EQ(counted("tree_one_value").utilization(), 127.0 / (7 * 128));  // nearly 1/7
    // 16 turns over the block's half of the input, then the tree's 7 rounds.
    EXPECT_NEAR(counted("grid_stride_tree").utilization(), (4059.0 / 2 + 127) / ((16 + 7) * 128), 0.01);
    EXPECT_GT(counted("grid_stride_tree").utilization(), 5 * counted("tree_one_value").utilization());
    EXPECT_GT(counted("grid_stride_shuffle").utilization(), 0.9);
}

TEST(GridStride, AtomicsAndBarriersFewer) {
    const auto launch_of = [](const char* variant) { return plan_of(variant, inputs_of(variant)).launches.at(0); };
    EXPECT_EQ(launch_of("tree_one_value").grid.x, 32u);
    for (const char* variant : kRuns) EXPECT_EQ(launch_of(variant).grid.x, 2u) << variant;
    EXPECT_EQ(counted("tree_one_value").block_barriers, 8u);
    EXPECT_EQ(counted("grid_stride_tree").block_barriers, 8u);
    EXPECT_EQ(counted("grid_stride_shuffle").block_barriers, 1u);
}

// In each turn a warp reads 32 words next to each other: 128 bytes, four sectors. In runs of its own each lane reads a
// sector of its own.
TEST(GridStride, SectorsForEachRequest) {
    for (const char* variant : {"tree_one_value", "grid_stride_tree", "grid_stride_shuffle"}) {
        const trace::Trace trace = traced(variant);
        ASSERT_FALSE(whole_loads(trace).empty());
        for (const auto& load : whole_loads(trace)) EXPECT_EQ(steps::sectors_of(trace, load).size(), 4u) << variant;
    }
    const trace::Trace trace = traced("contiguous_runs");
    ASSERT_FALSE(whole_loads(trace).empty());
    for (const auto& load : whole_loads(trace)) {
        EXPECT_EQ(steps::sectors_of(trace, load).size(), 32u);
        EXPECT_EQ(load.element_index[1] - load.element_index[0], 16);
    }
}

// The lanes of a turn lie side by side, and a lane's next turn lies all threads of the grid further on.
TEST(GridStride, TheStrideIsTheGrid) {
    const auto loads = whole_loads(traced("grid_stride_shuffle"));
    ASSERT_GE(loads.size(), 2u);
    EXPECT_EQ(loads[0].element_index[1], 1);
    EXPECT_EQ(loads[1].element_index[0] - loads[0].element_index[0], 2 * 128);
}

// Every input is in the total, once.
TEST(GridStride, NothingIsLeftOut) {
    for (const char* variant : kRuns) {
        const trace::Trace trace = traced(variant);
        const auto steps = steps::build_steps(trace);
        ASSERT_EQ(steps.input_count, 4059u) << variant;
        std::vector<int> times(steps.input_count);
        for (const auto& part : steps.steps.back().warps) {
            const auto& held = steps.provenances.at(part.lanes[0].inputs_before);
            EXPECT_FALSE(held.counted_twice()) << variant;
            for (std::size_t i = 0; i < times.size(); ++i) times[i] += held.holds(i);
        }
        EXPECT_EQ(times, std::vector<int>(times.size(), 1)) << variant;
    }
}

// Seven rounds of the tree beside five shuffles in each warp and two over its four warp sums.
TEST(GridStride, ComparisonPairsTheTreeWithTheShuffles) {
    const trace::Trace tree = traced("grid_stride_tree"), shuffles = traced("grid_stride_shuffle");
    const auto a = steps::build_steps(tree), b = steps::build_steps(shuffles);
    EXPECT_EQ(steps::testing::paired_rounds(a, b), "64=16 32=8 16=4 8=2 4=1 2=2 1=1");
    EXPECT_EQ(steps::testing::beside(a, "atomic out", b), "atomic out");
}

// What the sum has become is shown with each load, though no intrinsic records it.
TEST(GridStride, TheRunningSumIsShown) {
    for (const char* variant : {"grid_stride_tree", "grid_stride_shuffle"}) {
        const trace::Trace trace = traced(variant);
        const auto steps = steps::build_steps(trace);
        float sum = 0;
        for (int turn = 0; turn < 15; ++turn) {
            sum += static_cast<float>(5 + 256 * turn);
            const steps::LaneValues& held = steps.lane_values(static_cast<std::size_t>(turn), {0, 0, 0});
            ASSERT_TRUE(held.known >> 5 & 1) << variant << " turn " << turn;
            EXPECT_EQ(from_bits<float>(held.bits[5]), sum) << variant << " turn " << turn;
        }
    }
}

TEST(GridStride, TheGridFollowsItsRule) {
    using grid_stride::blocks_of;
    EXPECT_EQ(blocks_of(1, 128), 1u);
    EXPECT_EQ(blocks_of(2048, 128), 1u);
    EXPECT_EQ(blocks_of(2049, 128), 2u);
    EXPECT_EQ(blocks_of(1u << 20, 128), 512u);
    EXPECT_EQ(blocks_of(1u << 24, 128), 1024u);
    EXPECT_EQ(blocks_of(1u << 28, 1024), 1024u);
}

TEST(GridStride, AMillionValues) {
    for (const char* variant : kRuns) {
        lesson::Inputs inputs = inputs_of(variant);
        inputs.n = (1u << 20) + 5;
        inputs.kind = "random";
        const auto plan = plan_of(variant, inputs);
        expect_verified(plan, run(plan), variant);
    }
}

}  // namespace
