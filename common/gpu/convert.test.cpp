#include "common/gpu/convert.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace lanewise::gpu {
namespace {

using prelude::GpuEvent;
using trace::Effect;
using trace::Op;

GpuEvent shuffle(Op op, int line, std::uint32_t mask, int argument, std::uint64_t collective, float offered) {
    GpuEvent event;
    event.op = static_cast<std::uint8_t>(op);
    event.element = static_cast<std::uint8_t>(Element::f32);
    event.line = line;
    event.mask = mask;
    event.argument = argument;
    event.collective = collective;
    event.first = to_bits(offered);
    event.second = to_bits(offered + 1);
    return event;
}

GpuEvent note(GpuEvent::Kind kind, int line, int effect, float value) {
    GpuEvent event;
    event.kind = kind;
    event.element = static_cast<std::uint8_t>(Element::f32);
    event.line = event.last_line = line;
    event.effect = static_cast<std::uint8_t>(effect);
    event.first = to_bits(value);
    return event;
}

CapturedBlock block_of(std::size_t threads) {
    CapturedBlock block;
    block.threads.resize(threads);
    return block;
}

TEST(Convert, HalfWarpsThatMeetOnOneLineStayApart) {
    CapturedBlock block = block_of(32);
    for (int lane = 0; lane < 32; ++lane) {
        const bool low = lane < 16;
        const std::uint64_t collective = low ? 0 : std::uint64_t{16} << 32;
        block.threads[lane] = {shuffle(Op::shfl_xor, 7, low ? 0xffff : 0xffff0000, 8, collective, float(lane))};
    }
    launch::Plan plan;
    launch::ArrayNumbering numbering(plan);
    const auto events = to_block_events(block, {}, {}, {}, numbering);
    std::vector<trace::Record> records;
    trace::assemble(events, records);
    ASSERT_EQ(records.size(), 2u);
    EXPECT_EQ(records[0].active, 0x0000ffffu);
    EXPECT_EQ(records[1].active, 0xffff0000u);
    EXPECT_EQ(records[0].source[3], 11);
    EXPECT_EQ(records[1].source[20], 28);
    EXPECT_EQ(records[0].undefined | records[1].undefined, 0u);
    EXPECT_EQ(from_bits<float>(records[0].before[5]), 5.0f);
    EXPECT_EQ(from_bits<float>(records[0].received[5]), 6.0f);
}

TEST(Convert, ASourceThatDidNotComeIsUndefined) {
    CapturedBlock block = block_of(32);
    for (int lane = 0; lane < 8; ++lane)
        block.threads[lane] = {shuffle(Op::shfl_down, 3, ~0u, 4, 0, float(lane))};
    launch::Plan plan;
    launch::ArrayNumbering numbering(plan);
    const auto events = to_block_events(block, {}, {}, {}, numbering);
    for (int lane = 0; lane < 8; ++lane)
        EXPECT_EQ(events.warps[0].lanes[lane].at(0).undefined, lane + 4 >= 8) << "lane " << lane;
}

TEST(Convert, AStatementUnderAnIfKeepsWhereItWasNotTaken) {
    CapturedBlock block = block_of(32);
    for (int lane = 0; lane < 32; ++lane)
        for (int round = 0; round < 2; ++round) {
            auto& list = block.threads[lane];
            list.push_back(shuffle(Op::shfl_up, 9, ~0u, 1 << round, std::uint64_t(list.size()), float(lane)));
            if (lane >= 1 << round) list.push_back(note(GpuEvent::took, 9, 0, 0));
            list.push_back(note(GpuEvent::after, 9, 4, float(10 * lane + round)));
        }
    launch::Plan plan;
    launch::ArrayNumbering numbering(plan);
    const auto events = to_block_events(block, {}, {}, {}, numbering);
    for (int lane = 0; lane < 32; ++lane)
        for (int round = 0; round < 2; ++round) {
            const auto& event = events.warps[0].lanes[lane].at(round);
            EXPECT_TRUE(event.has_after);
            EXPECT_EQ(from_bits<float>(event.after), float(10 * lane + round));
            EXPECT_EQ(event.effect, lane >= 1 << round ? Effect::join : Effect::keep) << lane << ' ' << round;
        }
}

TEST(Convert, AtomicsFindTheirArrayAndElement) {
    launch::Plan plan;
    plan.input<float>("in", {1, 2, 3});
    plan.output<double>("out", 4);
    launch::ArrayNumbering numbering(plan);
    const auto shared = numbering.add_launch({{0, Element::i32, 8, 1024, 0}}, std::vector<std::string>{"counts"});
    const std::vector<DeviceRange> buffers = {{0x1000, 12, Element::f32}, {0x2000, 32, Element::f64}};

    GpuEvent atomic;
    atomic.op = static_cast<std::uint8_t>(Op::atomic_add);
    atomic.first = 5;
    atomic.second = 7;
    CapturedBlock block = block_of(3);
    atomic.address = 0x2018;
    block.threads[0] = {atomic};
    atomic.address = 1024 + 8;
    atomic.in_shared = true;
    block.threads[1] = {atomic};
    atomic.in_shared = false;
    atomic.address = 0x9000;
    block.threads[2] = {atomic};

    const auto events = to_block_events(block, buffers, {}, shared, numbering);
    const auto& lanes = events.warps.at(0).lanes;
    EXPECT_EQ(lanes[0][0].array, 1u);
    EXPECT_EQ(lanes[0][0].element_index, 3);
    EXPECT_EQ(lanes[0][0].received, 5u);
    EXPECT_EQ(lanes[0][0].value[0], 7u);
    EXPECT_EQ(lanes[1][0].array, 2u);
    EXPECT_EQ(lanes[1][0].element_index, 2);
    EXPECT_EQ(lanes[2][0].array, 3u);
    ASSERT_EQ(numbering.arrays().size(), 4u);
    EXPECT_EQ(numbering.arrays()[2].name, "counts");
    EXPECT_EQ(numbering.arrays()[3].name, "elsewhere");
}

TEST(Convert, SnapshotsAreCutIntoArrays) {
    launch::Plan plan;
    launch::ArrayNumbering numbering(plan);
    const std::vector<std::string> names = {"a", "b"};
    // Reported twice, out of order, with an empty one: each is there once, by id.
    const auto shared = numbering.add_launch({{1, Element::f64, 1, 1032, 0}, {0, Element::f32, 2, 1024, 0},
                                              {1, Element::f64, 1, 1032, 0}, {2, Element::f32, 0, 1040, 0}},
                                             names);
    ASSERT_EQ(shared.size(), 2u);
    CapturedBlock block = block_of(64);
    block.shared_begin = 1024;
    std::vector<std::byte> image(16);
    const float a[2] = {1.5f, -2.0f};
    const double b = 3.25;
    std::memcpy(image.data(), a, 8);
    std::memcpy(image.data() + 8, &b, 8);
    block.images = {image};
    GpuEvent barrier;
    barrier.op = static_cast<std::uint8_t>(Op::sync_block);
    barrier.collective = std::uint64_t{1} << 63;
    for (auto& list : block.threads) list = {barrier};

    std::vector<trace::Record> records;
    trace::assemble(to_block_events(block, {}, {}, shared, numbering), records);
    ASSERT_EQ(records.size(), 2u);
    ASSERT_EQ(records[0].shared.size(), 2u);
    EXPECT_TRUE(records[1].shared.empty());
    EXPECT_EQ(records[0].shared[0].values, (std::vector<std::uint64_t>{to_bits(1.5f), to_bits(-2.0f)}));
    EXPECT_EQ(records[0].shared[1].values, std::vector<std::uint64_t>{to_bits(3.25)});
    EXPECT_TRUE(records[0].shared[0].written.empty());
}

TEST(Convert, BarriersThatVoteReductionsMatchesAndFences) {
    launch::Plan plan;
    launch::ArrayNumbering numbering(plan);
    CapturedBlock block = block_of(32);
    block.images = {{}, {}};
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
        GpuEvent reduction;
        reduction.op = static_cast<std::uint8_t>(Op::reduce_max);
        reduction.element = static_cast<std::uint8_t>(Element::i32);
        reduction.line = 3;
        reduction.mask = ~0u;
        reduction.collective = 5;
        reduction.first = lane;
        reduction.second = 31;
        GpuEvent match = reduction;
        match.op = static_cast<std::uint8_t>(Op::vote_match_any);
        match.line = 4;
        match.collective = 6;
        match.second = 1u << lane;
        GpuEvent fence;
        fence.op = static_cast<std::uint8_t>(Op::fence);
        fence.line = 5;
        fence.argument = 2;
        GpuEvent barrier;
        barrier.op = static_cast<std::uint8_t>(Op::sync_block_count);
        barrier.line = 6;
        barrier.collective = std::uint64_t{1} << 63 | 1;
        barrier.argument = lane < 9;
        barrier.first = 1;
        barrier.second = 9;
        block.threads[lane] = {reduction, match, fence, barrier};
    }
    const trace::BlockEvents events = to_block_events(block, {}, {}, {}, numbering);
    EXPECT_EQ(events.warps[0].lanes[3][3].snapshot, 1);
    std::vector<trace::Record> records;
    trace::assemble(events, records);
    ASSERT_EQ(records.size(), 4u);
    EXPECT_EQ(records[0].before[7], 7u);
    EXPECT_EQ(records[0].received[7], 31u);
    EXPECT_EQ(records[1].before[7], 7u);
    EXPECT_EQ(records[1].received[7], 1u << 7);
    EXPECT_EQ(records[2].op, Op::fence);
    EXPECT_EQ(records[2].arg[7], 2);
    EXPECT_EQ(records[3].arg[8], 1);
    EXPECT_EQ(records[3].arg[9], 0);
    EXPECT_EQ(records[3].received[9], 9u);
}

TEST(Convert, WatchedBuffersAreCutAtTheirEnds) {
    launch::Plan plan;
    plan.snapshot(plan.scratch<float>("work", 6), 4);
    plan.snapshot(plan.scratch<double>("totals", 2), 1);
    launch::ArrayNumbering numbering(plan);
    const std::vector<DeviceRange> buffers = {{0x1000, 24, Element::f32}, {0x2000, 16, Element::f64}};
    CapturedBlock block = block_of(32);
    block.block = 1;
    block.images = {{}};
    // Four floats of which the last two lie past the buffer's end, then a double.
    std::vector<std::byte> watched(24);
    const float work[2] = {7, -1};
    const double total = 2.5;
    std::memcpy(watched.data(), work, 8);
    std::memcpy(watched.data() + 16, &total, 8);
    block.watched_images = {watched};

    const auto events = to_block_events(block, buffers, plan.snapshots, {}, numbering);
    ASSERT_EQ(events.snapshots.at(0).size(), 2u);
    EXPECT_EQ(events.snapshots[0][0].array, 0u);
    EXPECT_EQ(events.snapshots[0][0].first, 4u);
    EXPECT_EQ(events.snapshots[0][0].values, (std::vector<std::uint64_t>{to_bits(7.0f), to_bits(-1.0f)}));
    EXPECT_EQ(events.snapshots[0][1].first, 1u);
    EXPECT_EQ(events.snapshots[0][1].values, std::vector<std::uint64_t>{to_bits(2.5)});
}

}  // namespace
}  // namespace lanewise::gpu
