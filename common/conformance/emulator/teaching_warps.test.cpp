// Warps of fewer lanes than 32.
#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/conformance/emulator/run_intrinsics.hpp"

namespace lanewise::emu {
namespace {

using testing::bytes_as;
using testing::in_every_way;
using testing::kOrders;
using testing::of_op;
using testing::run_intrinsics;

launch::Plan small_warps(int warp, unsigned threads) {
    launch::Plan plan;
    std::vector<int> in(threads);
    for (unsigned i = 0; i < threads; ++i) in[i] = static_cast<int>(i * i % 97) + 1;
    const auto a = plan.input("in", in);
    const auto b = plan.output<int>("out", 5 * threads);
    plan.launch("small_warps", std::to_string(warp), {1}, {threads}, a, b);
    return plan;
}

TEST(TeachingWarps, HaveTheirLanesAndNoOthers) {
    for (const int warp : {4, 8, 16, 32})
        in_every_way([&](const launch::Order& order, bool record) {
            const unsigned threads = static_cast<unsigned>(warp) * 5;
            const auto plan = small_warps(warp, threads);
            const auto outcome = run_intrinsics(plan, order, record);
            EXPECT_TRUE(outcome.findings.empty());
            const auto in = bytes_as<int>(plan.buffers[0].contents);
            const auto out = bytes_as<int>(outcome.buffers[1]);
            for (int thread = 0; thread < static_cast<int>(threads); ++thread) {
                int sum = 0;
                for (int i = 0; i < warp; ++i) sum += in[thread / warp * warp + i];
                const int* mine = &out[static_cast<std::size_t>(5 * thread)];
                const int lane = thread % warp;
                const int all = static_cast<int>(warp == 32 ? ~0u : (1u << warp) - 1);
                ASSERT_EQ(mine[0], sum) << "warps of " << warp << ", thread " << thread;
                ASSERT_EQ(mine[1], all);
                ASSERT_EQ(mine[2], warp);
                ASSERT_EQ(mine[3], std::min(lane + 1, warp - 1));
                ASSERT_EQ(mine[4], all);
            }
            if (!record) return;
            EXPECT_EQ(outcome.trace->header.warp_size, static_cast<std::uint32_t>(warp));
            const auto shuffles = of_op(*outcome.trace, trace::Op::shfl_xor);
            ASSERT_EQ(shuffles.size(), 5u * static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(warp))));
            EXPECT_EQ(std::popcount(shuffles[0].active), warp);
            EXPECT_EQ(shuffles[0].mask, shuffles[0].active);
            EXPECT_EQ(shuffles.back().warp, 4u);
        });
}

TEST(TeachingWarps, OfMoreThreadsThan32WarpsHoldAreRefused) {
    EXPECT_TRUE(run_intrinsics(small_warps(4, 128), kOrders[0]).findings.empty());
    try {
        run_intrinsics(small_warps(4, 132), kOrders[0]);
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("up to 128 (32 warps)"), std::string::npos) << error.what();
    }
    launch::Plan mixed = small_warps(4, 32);
    mixed.launches.push_back(mixed.launches[0]);
    mixed.launches[1].arguments = "8";
    EXPECT_THROW(run_intrinsics(mixed, kOrders[0]), Error);
}

}  // namespace
}  // namespace lanewise::emu
