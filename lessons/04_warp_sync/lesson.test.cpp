#include <fstream>

#include "common/lesson/lesson.testing.hpp"
#include "common/steps/testing/pairs.testing.hpp"

namespace {

using namespace lanewise;
using namespace lanewise::lesson::testing;

constexpr float kTotal = 32640;  // 0 + 1 + … + 255
const char* const kOrders[] = {"ascending", "descending", "1", "2", "3"};
const char* const kWrong[] = {"block_sum_write_after_read", "block_sum_no_warp_sync", "block_sum_no_barrier",
                              "block_sum_barrier_in_branch"};

float total(const std::string& variant, const std::string& order) {
    const auto plan = plan_of(variant, inputs_of(variant));
    return buffer(plan, run(plan, order), "out")[0];
}

// What block 0 did in all.
steps::Step::Counters counted(const std::string& variant) {
    const auto outcome = run(plan_of(variant, inputs_of(variant)), "ascending", true);
    return steps::build_steps(*outcome.trace).steps.back().counters.at(0);
}

// The lines of the kernel file that hold `text`, from line `from`.
std::vector<int> lines_with(const std::string& text, int from) {
    std::ifstream file(the_lesson().kernel_path());
    std::vector<int> lines;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number)
        if (number >= from && line.find(text) != std::string::npos) lines.push_back(number);
    return lines;
}

TEST(WarpSync, FiveBlockBarriersFewer) {
    const auto barriers = counted("block_sum_barriers"), sync = counted("block_sum_warp_sync"),
               halves = counted("block_sum_warp_sync_halves");
    EXPECT_EQ(barriers.block_barriers, 8u);
    EXPECT_EQ(barriers.warp_barriers, 0u);
    EXPECT_EQ(sync.block_barriers, 3u);
    EXPECT_EQ(sync.warp_barriers, 10u);
    EXPECT_EQ(halves.block_barriers, 3u);
    EXPECT_EQ(halves.warp_barriers, 5u);
}

// A block of 128: a barrier after the loads and one after the round of offset 64 are left. Partial sums change nothing.
TEST(WarpSync, SixBlockBarriersFewer) {
    const auto six = counted("block_sum_last_six");
    EXPECT_EQ(six.block_barriers, 2u);
    EXPECT_EQ(six.warp_barriers, 6u);
    EXPECT_EQ(counted("partial_barriers").block_barriers, 8u);
    EXPECT_EQ(counted("partial_last_five").block_barriers, 3u);
    EXPECT_EQ(counted("partial_last_six").block_barriers, 2u);
    EXPECT_EQ(counted("partial_tree_shuffle").block_barriers, 3u);
    EXPECT_EQ(counted("partial_two_level").block_barriers, 1u);
}

// 0 to 127 and 128 to 255, a sum each: no atomic joins them.
TEST(WarpSync, PartialSumsAreOneABlock) {
    for (const char* variant : {"partial_barriers", "partial_last_five", "partial_last_six", "partial_tree_shuffle",
                                "partial_two_level"}) {
        const auto plan = plan_of(variant, inputs_of(variant));
        EXPECT_EQ(buffer(plan, run(plan), "out"), (std::vector<float>{8128, 24512})) << variant;
        EXPECT_EQ(counted(variant).atomics, 0u) << variant;
    }
}

// Of any two variants the same rounds are matched, whether lanes wait in them or not.
TEST(WarpSync, ComparisonsPairTheRounds) {
    const auto traced = [](const char* variant) {
        return *run(plan_of(variant, inputs_of(variant)), "descending", true).trace;
    };
    const trace::Trace sync = traced("block_sum_warp_sync");
    for (const char* variant : {"block_sum_barriers", "block_sum_warp_sync_halves", "block_sum_write_after_read",
                                "block_sum_no_warp_sync"}) {
        const trace::Trace other = traced(variant);
        const auto a = steps::build_steps(sync), b = steps::build_steps(other);
        EXPECT_EQ(steps::testing::paired_rounds(a, b), "64=64 32=32 16=16 8=8 4=4 2=2 1=1") << variant;
    }
}

// A right kernel beside the wrong one: where a __syncwarp is missing, the wrong side has no step.
TEST(WarpSync, WhatIsMissingLeavesItsPlaceEmpty) {
    const auto traced = [](const char* variant) {
        return *run(plan_of(variant, inputs_of(variant)), "ascending", true).trace;
    };
    const std::string head =
        "load in | load in\n"
        "store tree | store tree\n"
        "barrier | barrier\n"
        "add tree +64 | add tree +64\n"
        "barrier | barrier\n"
        "add tree +32 | add tree +32\n"
        "barrier | barrier\n"
        "load tree | load tree\n";
    const auto five = [](const std::string& round) { return round + round + round + round + round; };
    const trace::Trace right = traced("block_sum_warp_sync"), one_sync = traced("block_sum_write_after_read"),
                       no_sync = traced("block_sum_no_warp_sync");
    EXPECT_EQ(steps::testing::places({steps::build_steps(right), steps::build_steps(one_sync)}),
              head +
                  five("load tree | load tree\n"
                       "syncwarp | -\n"
                       "store tree | store tree\n"
                       "syncwarp | syncwarp\n") +
                  "atomic out | atomic out\n");
    EXPECT_EQ(steps::testing::places({steps::build_steps(right), steps::build_steps(no_sync)}),
              head +
                  five("load tree | load tree\n"
                       "syncwarp | -\n"
                       "store tree | store tree\n"
                       "syncwarp | -\n") +
                  "atomic out | atomic out\n");
}

// The right ones give the total in every order; each wrong one is right in some order, or never.
TEST(WarpSync, OrdersSeparateRightFromWrong) {
    for (const char* order : kOrders) {
        for (const char* right :
             {"block_sum_barriers", "block_sum_warp_sync", "block_sum_warp_sync_halves", "block_sum_last_six"})
            EXPECT_EQ(total(right, order), kTotal) << right << " " << order;
        EXPECT_NE(total("block_sum_no_warp_sync", order), kTotal) << order;
    }
    EXPECT_EQ(total("block_sum_write_after_read", "ascending"), kTotal);
    EXPECT_EQ(total("block_sum_write_after_read", "descending"), 3201440);
    for (const char* order : {"1", "2", "3"}) EXPECT_NE(total("block_sum_write_after_read", order), kTotal) << order;
    EXPECT_EQ(total("block_sum_no_warp_sync", "ascending"), 5624);
    EXPECT_NE(total("block_sum_no_barrier", "ascending"), kTotal);
    EXPECT_EQ(total("block_sum_no_barrier", "descending"), kTotal);
}

// Without a sync between read and write, lane 0 finds in tree[16] what lane 16 has already made of it.
TEST(WarpSync, AWordIsWrittenBeforeItIsRead) {
    const auto found = [](const std::string& variant, const std::string& order) {
        const auto outcome = run(plan_of(variant, inputs_of(variant)), order, true);
        int barriers = 0;
        for (const auto& record : outcome.trace->records) {
            if (record.block != 0 || record.warp != 0) continue;
            barriers += record.op == trace::Op::sync_block;
            if (barriers == 3 && record.op == trace::Op::load && (record.active & 1u) && record.element_index[0] == 16)
                return element_to_double(record.type, trace::element_at(record.value[0], record.type, 0));
        }
        return -1.0;
    };
    EXPECT_EQ(found("block_sum_warp_sync", "descending"), 256);                // 16 + 80 + 48 + 112
    EXPECT_EQ(found("block_sum_write_after_read", "ascending"), 256);
    EXPECT_EQ(found("block_sum_write_after_read", "descending"), 256 + 128);   // and tree[32], which is 32 + 96
}

TEST(WarpSync, ABarrierInABranchIsFound) {
    const int kernel = lines_with("void block_sum_barrier_in_branch", 1).at(0);
    const std::vector<int> barriers = lines_with("__syncthreads();", kernel);  // before the loop, in it, after it
    ASSERT_EQ(barriers.size(), 3u);
    for (const char* order : kOrders) {
        const auto plan = plan_of("block_sum_barrier_in_branch", inputs_of("block_sum_barrier_in_branch"));
        const auto outcome = run(plan, order);
        ASSERT_FALSE(outcome.findings.empty()) << order;
        for (const auto& finding : outcome.findings) {
            EXPECT_EQ(finding.kind, "barrier_divergence") << order;
            EXPECT_TRUE(finding.line == barriers[1] || finding.line == barriers[2]) << finding.line;
            EXPECT_NE(finding.sentence.find("move it out of the branch"), std::string::npos) << finding.sentence;
        }
        EXPECT_EQ(buffer(plan, outcome, "out")[0], kTotal) << "all wait at the same barrier of the machine";
    }
    const auto first =
        run(plan_of("block_sum_barrier_in_branch", inputs_of("block_sum_barrier_in_branch"))).findings[0];
    EXPECT_EQ(first.line, barriers[2]);
    EXPECT_EQ(first.warp, 2u);
}

// Wrong ones stay in bounds and end, whatever the size: the address sanitizer and the clock would show it.
TEST(WarpSync, WrongOnesEnd) {
    for (const char* variant : kWrong)
        for (const std::uint32_t block : {64u, 256u, 1024u})
            for (const char* order : kOrders) {
                lesson::Inputs inputs = inputs_of(variant);
                inputs.block = block;
                inputs.n = 3 * block + 1;
                const auto plan = plan_of(variant, inputs);
                const auto outcome = run(plan, order);
                EXPECT_EQ(buffer(plan, outcome, "out").size(), 1u) << variant;
                for (const auto& finding : outcome.findings) EXPECT_EQ(finding.kind, "barrier_divergence") << variant;
            }
}

}  // namespace
