// CUB's warp and block collectives, and what an address points to.
#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "common/conformance/emulator/run_intrinsics.hpp"

namespace lanewise::emu {
namespace {

using testing::bytes_as;
using testing::in_every_way;
using testing::kOrders;
using testing::run_intrinsics;

TEST(Collectives, OfABlockReduceAndScan) {
    constexpr int kThreads = 100, kValid = 41;
    std::vector<int> in(kThreads);
    for (int i = 0; i < kThreads; ++i) in[static_cast<std::size_t>(i)] = (i * 37) % 101 - 50;
    const int sum = std::accumulate(in.begin(), in.end(), 0);
    in_every_way([&](const launch::Order& order, bool record) {
        launch::Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.output<int>("out", 6 * kThreads);
        plan.launch("cub_block", "100", {1}, {kThreads}, a, b, kValid);
        const auto outcome = run_intrinsics(plan, order, record);
        EXPECT_TRUE(outcome.findings.empty()) << outcome.findings[0].sentence;
        const std::vector<int> out = bytes_as<int>(outcome.buffers[1]);
        EXPECT_EQ(out[0], sum);
        EXPECT_EQ(out[1], *std::max_element(in.begin(), in.begin() + kValid));
        int before = 0, least = in[0];
        for (std::size_t i = 0; i < kThreads; ++i) {
            EXPECT_EQ(out[6 * i + 2], before) << i;
            EXPECT_EQ(out[6 * i + 3], sum) << i;
            EXPECT_EQ(out[6 * i + 4], least = std::min(least, in[i])) << i;
            // In front of a thread's second item: the tile's prefix, all before, and its first item.
            EXPECT_EQ(out[6 * i + 5], 100 + before + static_cast<int>(i) + in[i]) << i;
            before += in[i];
        }
    });
}

TEST(Collectives, OfAWarpWorkInEachLogicalWarp) {
    std::vector<double> in(32);
    for (std::size_t i = 0; i < 32; ++i) in[i] = static_cast<double>((i * 7) % 32) / 4;
    launch::Plan plan;
    const auto a = plan.input("in", in);
    const auto b = plan.output<double>("out", 6 * 32);
    plan.launch("cub_warp", "8", {1}, {32}, a, b);
    const auto outcome = run_intrinsics(plan, kOrders[2], true);
    EXPECT_TRUE(outcome.findings.empty());
    const std::vector<double> out = bytes_as<double>(outcome.buffers[1]);
    for (std::size_t first = 0; first < 32; first += 8) {
        const auto begin = in.begin() + static_cast<std::ptrdiff_t>(first);
        EXPECT_EQ(out[6 * first], std::accumulate(begin, begin + 8, 0.0));
        EXPECT_EQ(out[6 * first + 1], *std::min_element(begin, begin + 3));
        for (std::size_t lane = first; lane < first + 8; ++lane) {
            EXPECT_EQ(out[6 * lane + 3], std::accumulate(begin, in.begin() + static_cast<std::ptrdiff_t>(lane), 0.0))
                << lane;
            EXPECT_EQ(out[6 * lane + 4], std::accumulate(begin, begin + 8, 0.0)) << lane;
            EXPECT_EQ(out[6 * lane + 5], in[first + 1]) << lane;
            if (lane != first && lane % 3 != 0) continue;  // not the first of a segment
            double segment = in[lane];
            for (std::size_t next = lane + 1; next < first + 8 && next % 3 != 0; ++next) segment += in[next];
            EXPECT_EQ(out[6 * lane + 2], segment) << lane;
        }
    }
}

TEST(Collectives, OfTilesOfSeveralWarps) {
    std::vector<int> in(256);
    for (int i = 0; i < 256; ++i) in[static_cast<std::size_t>(i)] = i < 100 ? (i * 3) % 7 : i - 150;
    for (const std::size_t tile : {64u, 128u})
        in_every_way([&](const launch::Order& order, bool record) {
            launch::Plan plan;
            const auto a = plan.input("in", in);
            const auto b = plan.output<int>("out", 4 * 256);
            plan.launch("wide_tiles", std::to_string(tile), {1}, {256}, a, b);
            const auto outcome = run_intrinsics(plan, order, record);
            EXPECT_TRUE(outcome.findings.empty()) << outcome.findings[0].sentence;
            const std::vector<int> out = bytes_as<int>(outcome.buffers[1]);
            for (std::size_t thread = 0; thread < 256; ++thread) {
                const std::size_t first = thread / tile * tile;
                const auto begin = in.begin() + static_cast<std::ptrdiff_t>(first),
                           end = begin + static_cast<std::ptrdiff_t>(tile);
                EXPECT_EQ(out[4 * thread], std::accumulate(begin, end, 0)) << thread;
                const int any = std::find(begin, end, 5) != end, all = *std::min_element(begin, end) >= 0;
                EXPECT_EQ(out[4 * thread + 1], any + 2 * all) << thread;
                EXPECT_EQ(out[4 * thread + 2], in[first + tile - 1]) << thread;
                EXPECT_EQ(out[4 * thread + 3], in[first + 33] + 1000 * static_cast<int>((thread - first) / 32))
                    << thread;
            }
        });
}

TEST(Addresses, AreDistinguished) {
    launch::Plan plan;
    const auto b = plan.output<unsigned>("out", 12);
    plan.launch("address_spaces", "", {1}, launch::Block{1, 1, 1, 64}, b);
    const std::vector<unsigned> expected = {1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1};
    EXPECT_EQ(bytes_as<unsigned>(run_intrinsics(plan, kOrders[0]).buffers[0]), expected);
}

}  // namespace
}  // namespace lanewise::emu
