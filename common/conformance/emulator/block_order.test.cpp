#include "common/emu/block_order.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "common/conformance/emulator/run_intrinsics.hpp"

namespace lanewise::emu {
namespace {

using testing::bytes_as;
using testing::kOrders;
using testing::run_intrinsics;

std::vector<int> blocks_in_turn(const launch::Order& order, unsigned blocks, bool record, int threads) {
    launch::Plan plan;
    const auto turn = plan.output<int>("turn", 1);
    const auto out = plan.output<int>("order", blocks);
    plan.launch("in_turn", "", {blocks}, {32}, turn, out);
    return bytes_as<int>(run_intrinsics(plan, order, record, threads).buffers[1]);
}

TEST(BlockOrder, IsTheOneAskedFor) {
    const unsigned blocks = 1000;
    std::vector<int> ascending(blocks), descending(blocks);
    for (unsigned i = 0; i < blocks; ++i) ascending[i] = descending[blocks - 1 - i] = static_cast<int>(i);
    for (const bool record : {false, true}) {
        EXPECT_EQ(blocks_in_turn(kOrders[0], blocks, record, 1), ascending);
        EXPECT_EQ(blocks_in_turn(kOrders[1], blocks, record, 1), descending);
        const auto seven = blocks_in_turn(kOrders[2], blocks, record, 1);
        const auto other = blocks_in_turn(kOrders[3], blocks, record, 1);
        EXPECT_NE(seven, other);
        EXPECT_EQ(seven, blocks_in_turn(kOrders[2], blocks, !record, 1));
    }
    for (const auto& order : kOrders)
        for (const int threads : {1, 3}) {
            auto seen = blocks_in_turn(order, blocks, false, threads);
            if (order.kind == launch::Order::Kind::seeded) {
                EXPECT_NE(seen, ascending);
            }
            std::sort(seen.begin(), seen.end());
            EXPECT_EQ(seen, ascending) << order.name();
        }
}

TEST(BlockOrder, ASeedPermutesGridsOfAnySize) {
    for (const std::uint64_t blocks : {1, 2, 3, 5, 16, 17, 1000, 4096}) {
        const BlockOrder order({launch::Order::Kind::seeded, 99}, blocks);
        std::vector<bool> seen(blocks);
        for (std::uint64_t i = 0; i < blocks; ++i) {
            ASSERT_LT(order[i], blocks);
            EXPECT_FALSE(seen[order[i]]);
            seen[order[i]] = true;
        }
    }
    const BlockOrder huge({launch::Order::Kind::seeded, 1}, std::uint64_t{1} << 40);
    EXPECT_LT(huge[12345], std::uint64_t{1} << 40);
}

TEST(BlockOrder, RecordedBlocksAreTheSameInAnyOrder) {
    launch::Plan plan;
    const auto turn = plan.output<int>("turn", 1);
    const auto out = plan.output<int>("order", 40);
    plan.launch("in_turn", "", {40}, {32}, turn, out);
    for (const auto& order : kOrders) {
        const auto outcome = run_intrinsics(plan, order, true);
        EXPECT_EQ(outcome.trace->header.blocks, (std::vector<std::uint32_t>{0, 1}));
        ASSERT_FALSE(outcome.trace->records.empty());
        EXPECT_EQ(outcome.trace->records.front().block, 0u);
        EXPECT_EQ(outcome.trace->records.back().block, 1u);
    }
}

}  // namespace
}  // namespace lanewise::emu
