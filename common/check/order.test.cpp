#include "common/check/order.hpp"

#include <memory>

#include <gtest/gtest.h>

namespace lanewise::check {
namespace {

constexpr std::uint32_t kAll = ~0u;
constexpr int kBlock = 0, kDevice = 1;

// Two blocks of 128 threads, one after the other.
class Ordering : public ::testing::Test {
protected:
    void SetUp() override {
        order.launch_begins();
        order.block_begins(0, 128);
    }
    std::unique_ptr<Order> made = std::make_unique<Order>();
    Order& order = *made;
    int word = 0, other_word = 0;
};

TEST_F(Ordering, ALaneIsOrderedWithItselfAlone) {
    const Time when = order.time(5);
    EXPECT_EQ(order.before(5, when, 5), Coverage::ordered);
    EXPECT_EQ(order.before(5, when, 6), Coverage::unordered);
    EXPECT_EQ(order.before(5, when, 70), Coverage::unordered);
}

TEST_F(Ordering, ABlockBarrierOrdersWhatWasBeforeIt) {
    const Time before = order.time(5);
    order.block_barrier();
    EXPECT_EQ(order.before(5, before, 6), Coverage::ordered);
    EXPECT_EQ(order.before(5, before, 127), Coverage::ordered);
    EXPECT_EQ(order.before(5, order.time(5), 6), Coverage::unordered);
}

TEST_F(Ordering, AWarpBarrierOrdersItsWarpAlone) {
    const Time before = order.time(5);
    order.warp_barrier(0, kAll, kAll);
    EXPECT_EQ(order.before(5, before, 6), Coverage::ordered);
    EXPECT_EQ(order.before(5, before, 40), Coverage::unordered);
}

TEST_F(Ordering, ABarrierOfSomeLanesOrdersThemAndIsPassedOn) {
    const Time of_0 = order.time(0), of_9 = order.time(9);
    order.warp_barrier(0, 0x000000ff, kAll);
    EXPECT_EQ(order.before(0, of_0, 7), Coverage::ordered);
    EXPECT_EQ(order.before(0, of_0, 8), Coverage::unordered);
    EXPECT_EQ(order.before(9, of_9, 7), Coverage::unordered);
    const Time later = order.time(0);
    order.warp_barrier(0, 0x0000ff80, kAll);  // lanes 7 to 15 participate
    EXPECT_EQ(order.before(0, of_0, 12), Coverage::ordered);
    EXPECT_EQ(order.before(0, later, 12), Coverage::unordered);
}

// What a lane that waited by an atomic would know had it fenced: by a volatile read nothing more is needed.
TEST_F(Ordering, ALaneThatWaitedWouldBeOrderedByAFence) {
    const Time data = order.time(0);
    order.fence(0, kDevice);
    order.writes_word(0, &word, kDevice, true);
    order.block_begins(1, 128);
    order.reads_word(3, &word, kDevice, false, false, true);
    EXPECT_EQ(order.before(0, 0, data, 3), Coverage::unordered);
    EXPECT_TRUE(order.before_if_fenced(0, 0, data, 3));
    order.reads_word(4, &word, kDevice, false);   // took a lock
    EXPECT_FALSE(order.before_if_fenced(0, 0, data, 4));
}

// Lane 0 passes on to its block alone, lane 40 to other blocks, by one word: what lane 0 did comes along.
TEST_F(Ordering, AWordPassesOnWhatCameByItselfToOneBlock) {
    const Time data = order.time(0);
    order.fence(0, kBlock);
    order.writes_word(0, &word, kDevice, true);
    order.reads_word(40, &word, kDevice, false);
    order.fence(40, kDevice);
    order.writes_word(40, &word, kDevice, true);
    order.block_begins(1, 128);
    order.reads_word(3, &word, kDevice, false);
    order.fence(3, kDevice);
    EXPECT_EQ(order.before(0, 0, data, 3), Coverage::ordered);
}

// fence, write a flag | read the flag, fence: each of the four is needed.
TEST_F(Ordering, FencesAndAFlagOrderBlocks) {
    for (int missing = 0; missing < 5; ++missing) {
        SCOPED_TRACE(missing);
        SetUp();
        const Time data = order.time(3);
        if (missing != 1) order.fence(3, kDevice);
        if (missing != 2) order.writes_word(3, &word, kDevice, false);
        const Time after = order.time(3);
        order.block_begins(1, 128);
        if (missing != 3) order.reads_word(9, &word, kDevice, false);
        if (missing != 4) order.fence(9, kDevice);
        EXPECT_EQ(order.before(0, 3, data, 9), missing ? Coverage::unordered : Coverage::ordered);
        EXPECT_EQ(order.before(0, 4, data, 9), Coverage::unordered) << "another lane";
        EXPECT_EQ(order.before(0, 3, after, 9), Coverage::unordered) << "what came after the flag";
    }
}

TEST_F(Ordering, AScopeOfOneBlockReachesNoOther) {
    for (const auto& [fence, flag, last] : {std::tuple{kBlock, kDevice, kDevice}, std::tuple{kDevice, kBlock, kDevice},
                                            std::tuple{kDevice, kDevice, kBlock}}) {
        SetUp();
        const Time data = order.time(3);
        order.fence(3, fence);
        order.writes_word(3, &word, flag, false);
        order.reads_word(40, &word, flag, false);
        order.fence(40, last);
        EXPECT_EQ(order.before(3, data, 40), Coverage::ordered) << "within the block";
        order.block_begins(1, 128);
        order.reads_word(9, &word, kDevice, false);
        order.fence(9, last);
        EXPECT_EQ(order.before(0, 3, data, 9), Coverage::unordered);
    }
}

TEST_F(Ordering, ATicketWithoutAFenceIsDistinguished) {
    const Time data = order.time(0);
    order.fence(0, kDevice);
    order.reads_word(0, &word, kDevice, true);
    order.writes_word(0, &word, kDevice, true);
    order.block_begins(1, 128);
    order.reads_word(0, &word, kDevice, true);
    EXPECT_EQ(order.before(0, 0, data, 0), Coverage::by_counter);
    EXPECT_EQ(order.before(0, 0, data, 1), Coverage::unordered);
    order.block_barrier();
    EXPECT_EQ(order.before(0, 0, data, 1), Coverage::by_counter);
    order.fence(1, kDevice);
    EXPECT_EQ(order.before(0, 0, data, 1), Coverage::ordered);
}

TEST_F(Ordering, WhatWasReceivedIsPassedOn) {
    const Time data = order.time(3);
    order.fence(3, kDevice);
    order.writes_word(3, &word, kDevice, false);
    order.block_begins(1, 128);
    order.reads_word(9, &word, kDevice, false);
    order.fence(9, kDevice);
    order.writes_word(9, &other_word, kDevice, false);
    order.block_begins(2, 128);
    order.reads_word(0, &other_word, kDevice, false);
    order.fence(0, kDevice);
    EXPECT_EQ(order.before(0, 3, data, 0), Coverage::ordered);
}

TEST_F(Ordering, AStoreEndsWhatAnEarlierFlagPassedOn) {
    const Time data = order.time(3);
    order.fence(3, kDevice);
    order.writes_word(3, &word, kDevice, false);
    order.block_begins(1, 128);
    order.writes_word(7, &word, kDevice, false);  // no fence: nothing comes with this one
    order.block_begins(2, 128);
    order.reads_word(0, &word, kDevice, false);
    order.fence(0, kDevice);
    EXPECT_EQ(order.before(0, 3, data, 0), Coverage::unordered);
}

}  // namespace
}  // namespace lanewise::check
