#include "common/lesson/lesson.testing.hpp"
#include "common/steps/memory_cost.hpp"
#include "common/steps/testing/pairs.testing.hpp"

namespace {

using namespace lanewise;
using namespace lanewise::lesson::testing;

trace::Trace traced(const std::string& variant, std::uint32_t block = 256) {
    auto inputs = inputs_of(variant);
    inputs.block = block;
    return *run(plan_of(variant, inputs), "ascending", true).trace;
}

// Of the first block, at the end.
steps::Step::Counters counts_of(const std::string& variant) {
    const auto trace = traced(variant);
    return steps::build_steps(trace).steps.back().counters.at(0);
}

struct Round {
    std::vector<int> conflicts;      // the most ways in which lanes of one warp share a bank, for each round
    std::vector<std::size_t> warps;  // warps of block 0 that take part in it
};

Round rounds_of(const trace::Trace& trace) {
    Round rounds;
    for (const auto& step : steps::build_steps(trace).steps) {
        if (!step.label.starts_with("add")) continue;
        int most = 0;
        std::size_t warps = 0;
        for (const auto& warp : step.warps) {
            if (warp.warp.block != 0) continue;
            ++warps;
            for (const std::size_t number : warp.records)
                most = std::max(most, steps::banks_of(trace, trace.records[number]).wavefronts);
        }
        rounds.conflicts.push_back(most);
        rounds.warps.push_back(warps);
    }
    return rounds;
}

// The same tree, and only the loads of the input and one store a block go to global memory.
TEST(SharedMemory, TakesTheTreeOutOfGlobalMemory) {
    const auto global = counts_of("global_tree"), shared = counts_of("shared_tree");
    EXPECT_EQ(shared.block_barriers, global.block_barriers);
    EXPECT_EQ(shared.block_barriers, 9u);
    EXPECT_EQ(global.global_accesses, 1279u);
    EXPECT_EQ(shared.global_accesses, 257u);
    EXPECT_EQ(shared.shared_accesses, global.global_accesses - shared.global_accesses);
    EXPECT_EQ(global.global_sectors, 168u);
    EXPECT_EQ(shared.global_sectors, 33u);
}

// Compared: what goes to scratch, and what goes to shared memory.
TEST(SharedMemory, ComparisonPairsScratchWithTheTree) {
    const auto global = traced("global_tree"), shared = traced("shared_tree");
    const auto a = steps::build_steps(global), b = steps::build_steps(shared);
    EXPECT_EQ(steps::testing::beside(a, "store scratch", b), "store tree");
    EXPECT_EQ(steps::testing::beside(a, "load scratch", b), "load tree");
    EXPECT_EQ(steps::testing::beside(a, "store out", b), "store out");
    EXPECT_EQ(steps::testing::paired_rounds(a, b), "128=128 64=64 32=32 16=16 8=8 4=4 2=2 1=1");
}

// Four trees of eight rounds: no side is ever without a step.
TEST(SharedMemory, FourTreesGoRoundByRound) {
    const trace::Trace traces[] = {traced("shared_tree"), traced("shared_tree_interleaved"),
                                   traced("shared_tree_divergent"), traced("shared_tree_padded")};
    std::vector<steps::Steps> runs;
    for (const trace::Trace& trace : traces) runs.push_back(steps::build_steps(trace));
    // Padded words lie 1, 2, 4, 8 and 16 apart as the others do, then 33, 66 and 132: a word is free after every 32.
    EXPECT_EQ(steps::testing::places(runs),
              "load in | load in | load in | load in\n"
              "store tree | store tree | store tree | store tree\n"
              "barrier | barrier | barrier | barrier\n"
              "add tree +128 | add tree +1 | add tree +1 | add tree +1\n"
              "barrier | barrier | barrier | barrier\n"
              "add tree +64 | add tree +2 | add tree +2 | add tree +2\n"
              "barrier | barrier | barrier | barrier\n"
              "add tree +32 | add tree +4 | add tree +4 | add tree +4\n"
              "barrier | barrier | barrier | barrier\n"
              "add tree +16 | add tree +8 | add tree +8 | add tree +8\n"
              "barrier | barrier | barrier | barrier\n"
              "add tree +8 | add tree +16 | add tree +16 | add tree +16\n"
              "barrier | barrier | barrier | barrier\n"
              "add tree +4 | add tree +32 | add tree +32 | add tree +33\n"
              "barrier | barrier | barrier | barrier\n"
              "add tree +2 | add tree +64 | add tree +64 | add tree +66\n"
              "barrier | barrier | barrier | barrier\n"
              "add tree +1 | add tree +128 | add tree +128 | add tree +132\n"
              "barrier | barrier | barrier | barrier\n"
              "load tree | load tree | load tree | load tree\n"
              "store out | store out | store out | store out\n");
}

// The tree's shape decides the bits, not where it lies: random values, compared as they are.
TEST(SharedMemory, SameTreeSameBits) {
    const auto bits = [](const char* variant) {
        auto inputs = inputs_of(variant);
        inputs.kind = "random";
        inputs.n = 5000;
        const auto plan = plan_of(variant, inputs);
        return buffer<std::uint32_t>(plan, run(plan), "out");
    };
    EXPECT_EQ(bits("shared_tree"), bits("global_tree"));
    EXPECT_EQ(bits("shared_tree_divergent"), bits("shared_tree_interleaved"));
    EXPECT_EQ(bits("shared_tree_padded"), bits("shared_tree_interleaved"));
    EXPECT_NE(bits("shared_tree"), bits("shared_tree_interleaved"));  // other pairs
}

TEST(SharedMemory, BankConflictsRoundByRound) {
    const std::vector<int> none(8, 1);
    EXPECT_EQ(rounds_of(traced("shared_tree")).conflicts, none);
    EXPECT_EQ(rounds_of(traced("shared_tree_divergent")).conflicts, none);
    EXPECT_EQ(rounds_of(traced("shared_tree_padded")).conflicts, none);
    EXPECT_EQ(rounds_of(traced("shared_tree_interleaved")).conflicts, (std::vector<int>{2, 4, 8, 8, 8, 4, 2, 1}));
    EXPECT_EQ(rounds_of(traced("shared_tree_interleaved", 1024)).conflicts,
              (std::vector<int>{2, 4, 8, 16, 32, 16, 8, 4, 2, 1}));
    EXPECT_EQ(rounds_of(traced("shared_tree_padded", 1024)).conflicts, std::vector<int>(10, 1));
}

TEST(SharedMemory, WarpsThatEachRoundKeeps) {
    const std::vector<std::size_t> together = {4, 2, 1, 1, 1, 1, 1, 1};
    EXPECT_EQ(rounds_of(traced("shared_tree")).warps, together);
    EXPECT_EQ(rounds_of(traced("shared_tree_interleaved")).warps, together);
    EXPECT_EQ(rounds_of(traced("shared_tree_divergent")).warps, (std::vector<std::size_t>{8, 8, 8, 8, 8, 4, 2, 1}));
}

// Bank conflicts and spread-out lanes cost shared memory the same number of wavefronts here.
TEST(SharedMemory, PassesThroughTheBanks) {
    const auto tree = counts_of("shared_tree"), interleaved = counts_of("shared_tree_interleaved");
    const auto divergent = counts_of("shared_tree_divergent"), padded = counts_of("shared_tree_padded");
    EXPECT_EQ(tree.shared_requests, 45u);
    EXPECT_EQ(tree.shared_wavefronts, 45u);
    EXPECT_EQ(interleaved.shared_requests, 45u);
    EXPECT_EQ(interleaved.shared_wavefronts, 150u);
    EXPECT_EQ(divergent.shared_requests, 150u);
    EXPECT_EQ(divergent.shared_wavefronts, 150u);
    EXPECT_EQ(padded.shared_requests, 45u);
    EXPECT_EQ(padded.shared_wavefronts, 45u);
}

}  // namespace
