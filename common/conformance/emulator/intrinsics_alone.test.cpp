// CUDA's intrinsics that a lane uses by itself, and the places it is at.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/conformance/emulator/run_intrinsics.hpp"

namespace lanewise::emu {
namespace {

using testing::bytes_as;
using testing::in_every_way;
using testing::kOrders;
using testing::run_intrinsics;

TEST(Intrinsics, ALaneThatSleepsOrSpinsOnAnAtomicLetsOthersRun) {
    in_every_way([](const launch::Order& order, bool record) {
        if (record) return;  // the same but for thousands of records
        launch::Plan plan;
        const auto b = plan.output<int>("out", 3);
        plan.launch("sleepers", "", {1}, {64}, b);
        const auto outcome = run_intrinsics(plan, order);
        EXPECT_TRUE(outcome.findings.empty());
        EXPECT_EQ(bytes_as<int>(outcome.buffers[0]), (std::vector<int>{1, 5, 140}));
    });
    launch::Plan plan;
    const auto b = plan.output<int>("out", 1);
    plan.launch("sleeps_for_ever", "", {1}, {32}, b);
    const auto outcome = run_intrinsics(plan, kOrders[0]);
    ASSERT_EQ(outcome.findings.size(), 1u);
    EXPECT_EQ(outcome.findings[0].kind, "runaway");
}

TEST(Intrinsics, ClocksCountOn) {
    launch::Plan plan;
    const auto b = plan.output<std::int64_t>("out", 32);
    plan.launch("clocks", "", {1}, {32}, b);
    for (const auto value : bytes_as<std::int64_t>(run_intrinsics(plan, kOrders[0]).buffers[0])) EXPECT_GT(value, 0);
}

TEST(Intrinsics, PrintfGoesToStandardOutput) {
    for (const bool record : {false, true}) {
        launch::Plan plan;
        const auto a = plan.input("in", std::vector<float>{1.25f, -3.5f});
        const auto b = plan.output<int>("out", 32);
        plan.launch("prints", "", {1}, {32}, a, b);
        ::testing::internal::CaptureStdout();
        const auto outcome = run_intrinsics(plan, kOrders[0], record);
        std::fflush(stdout);
        EXPECT_EQ(::testing::internal::GetCapturedStdout(), "0 7  1.25 0.5 ff text 1099511627776 8 c%\nplain\n"
                                                            "-1 7 -3.50 0.5 ff text 1099511627776 8 c%\nplain\n");
        EXPECT_EQ(bytes_as<int>(outcome.buffers[1])[1], 9);  // values given, as on a GPU
        if (record) {
            EXPECT_EQ(outcome.trace->records.size(), 2u);  // the load of in, the store to out
        }
    }
}

TEST(Intrinsics, AFailedAssertionEndsTheLaunch) {
    in_every_way([](const launch::Order& order, bool record) {
        launch::Plan plan;
        std::vector<int> in(64, 1);
        in[37] = 9;
        const auto a = plan.input("in", in);
        const auto b = plan.output<int>("out", 64);
        plan.launch("asserts", "", {50}, {64}, a, b);
        const auto outcome = run_intrinsics(plan, order, record);
        ASSERT_EQ(outcome.findings.size(), 1u);
        const auto& finding = outcome.findings[0];
        EXPECT_EQ(finding.kind, "assertion_failed");
        EXPECT_EQ(finding.count, 1u);
        EXPECT_EQ(finding.lanes, 1u << 5);
        EXPECT_EQ(finding.warp, 1u);
        EXPECT_NE(finding.sentence.find("kernels.cuh:"), std::string::npos) << finding.sentence;
        EXPECT_NE(finding.sentence.find("`in[threadIdx.x] < 5`"), std::string::npos) << finding.sentence;
        EXPECT_NE(finding.sentence.find("thread (37, 0, 0)"), std::string::npos) << finding.sentence;
        EXPECT_EQ(bytes_as<int>(outcome.buffers[1])[37], 1);
    });
}

TEST(Intrinsics, LanesOfThreeDimensionalBlocks) {
    for (const launch::Block shape : {launch::Block{5, 4, 3}, launch::Block{32, 1, 1}, launch::Block{7, 9, 16},
                                      launch::Block{16, 8, 8}, launch::Block{1, 1, 33}}) {
        const auto count = static_cast<int>(shape.count());
        launch::Plan plan;
        const auto b = plan.output<int>("out", static_cast<std::uint64_t>(4 * count * 12));
        plan.launch("lanes", "", {2, 3, 2}, shape, b);
        for (const auto& order : kOrders) {
            const auto outcome = run_intrinsics(plan, order, count < 100);
            EXPECT_TRUE(outcome.findings.empty());
            const auto out = bytes_as<int>(outcome.buffers[0]);
            for (int block = 0; block < 12; ++block)
                for (int thread = 0; thread < count; ++thread) {
                    const int* mine = &out[static_cast<std::size_t>(4 * (block * count + thread))];
                    ASSERT_EQ(mine[0], thread / 32 * 32);
                    ASSERT_EQ(mine[1], std::min(32, count - thread / 32 * 32));
                    ASSERT_EQ(mine[2], 32);
                    ASSERT_EQ(mine[3], block);
                }
        }
    }
}

TEST(Intrinsics, NamesOfDynamicSharedMemoryMeanOneMemory) {
    in_every_way([](const launch::Order& order, bool record) {
        launch::Plan plan;
        const auto b = plan.output<int>("out", 5);
        plan.launch("aliases", "", {1}, {32, 1, 1, 64}, b);
        const auto outcome = run_intrinsics(plan, order, record);
        EXPECT_EQ(bytes_as<int>(outcome.buffers[0]), (std::vector<int>{0x3f800000, 25, 0x3f, 0x3f800000, 65}));
    });
}

TEST(Intrinsics, DeclarationsOfEveryKind) {
    std::vector<int> in(32);
    for (int i = 0; i < 32; ++i) in[i] = i * i;
    in_every_way([&](const launch::Order& order, bool record) {
        launch::Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.output<int>("out", 32);
        plan.launch("declares", "", {1}, {32}, 10, a, b);
        const auto outcome = run_intrinsics(plan, order, record);
        EXPECT_TRUE(outcome.findings.empty());
        const int table[] = {3, 1, 4, 1};
        const auto out = bytes_as<int>(outcome.buffers[1]);
        for (int lane = 0; lane < 32; ++lane) {
            int sum = 2 * table[lane % 4];
            for (int i = 0; i < 4; ++i) {
                const int l = (lane + i) % 32;
                sum += l % 2 * 3 + l % 3 + 1;
            }
            EXPECT_EQ(out[lane], 2 * in[lane] + sum + 10) << lane;
        }
    });
}

}  // namespace
}  // namespace lanewise::emu
