#include "common/trace/diff.hpp"

#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "common/trace/trace_builder.testing.hpp"

namespace lanewise::trace {
namespace {

using testing::TraceBuilder;

constexpr std::size_t kLoad = 0, kShuffle = 1, kBarrier = 3, kBallot = 4, kAtomic = 5;

Trace sample() {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 64);
    const auto sums = made.array("sums", Space::shared, 4);
    const auto out = made.array("out", Space::global, 1);
    auto warp = made.warp(1, 0);
    warp.load(3, in, [](int lane) { return lane; }, [](int lane) { return float(lane); });
    warp.shuffle_sum(5, Op::shfl_xor, 16);
    warp.store(6, sums, [](int) { return 0; }, 1);
    warp.barrier(7);
    warp.last().shared.push_back({sums, 0, {to_bits(16.0f), 0xdead, 0, 0}, {true, false, false, false}});
    warp.ballot(8, [](int lane) { return lane % 2 == 1; });
    warp.atomic_add(9, out, 0, 0, 1);
    return made.trace;
}

// The GPU's trace of the same: no accesses, other array numbers, unknown written elements.
Trace as_gpu(const Trace& trace) {
    Trace gpu = trace;
    gpu.header.source = {SourceKind::gpu, "NVIDIA H200", "13.0", "9.0", ""};
    std::swap(gpu.arrays[0], gpu.arrays[1]);
    std::erase_if(gpu.records, [](const Record& record) { return is_access(record.op); });
    for (Record& record : gpu.records)
        for (ArrayImage& image : record.shared) {
            image.array = 0;
            image.written.clear();
            image.values[2] = 0x1234;  // left over from another kernel
        }
    return gpu;
}

TEST(Diff, ATraceEqualsItself) {
    const Difference difference = diff(sample(), sample());
    EXPECT_TRUE(difference.equal) << difference.sentence;
    EXPECT_EQ(difference.sentence, "equal: 6 records of 1 warps, 1 snapshots");
}

TEST(Diff, AGpuTraceEqualsTheEmulators) {
    for (const auto& [a, b] : {std::pair(sample(), as_gpu(sample())), std::pair(as_gpu(sample()), sample())}) {
        const Difference difference = diff(a, b);
        EXPECT_TRUE(difference.equal) << difference.sentence;
        EXPECT_EQ(difference.records_compared, 4u);
        EXPECT_EQ(difference.snapshots_compared, 1u);
    }
    Trace gpu = as_gpu(sample());
    gpu.records[1].shared[0].values[0] = to_bits(17.0f);
    EXPECT_EQ(diff(gpu, sample()).sentence,
              "launch 0, block 1, warp 0, record 3, line 7 (sync_block): sums[0] in the snapshot: "
              "A has 17 (0x41880000), B has 16 (0x41800000).");
    // Of two GPUs' snapshots nothing is known to have been written.
    EXPECT_EQ(diff(gpu, as_gpu(sample())).snapshots_compared, 0u);
}

TEST(Diff, SaysWhatIsDifferent) {
    struct Case {
        const char* expected;
        std::function<void(Trace&)> change;
    };
    const std::vector<Case> cases = {
        {"different lessons", [](Trace& t) { t.header.lesson = "06"; }},
        {"different variants", [](Trace& t) { t.header.variant = "other"; }},
        {"different sizes", [](Trace& t) { t.header.n = 65; }},
        {"different block sizes", [](Trace& t) { t.header.block = 65; }},
        {"different inputs", [](Trace& t) { t.header.input = "random"; }},
        {"different seeds", [](Trace& t) { t.header.seed = 1; }},
        {"different kernel files", [](Trace& t) { t.header.kernel_hash = "0"; }},
        {"different launches", [](Trace& t) { t.header.launches[0].grid[0] = 9; }},
        {"no recorded block in common", [](Trace& t) { t.header.blocks = {7}; }},
        {"the instruction", [](Trace& t) { t.records[kShuffle].op = Op::shfl_down; }},
        {"the instruction", [](Trace& t) { t.records[kShuffle].line = 6; }},
        {"the lanes that took part", [](Trace& t) { t.records[kShuffle].active = 1; }},
        {"the mask", [](Trace& t) { t.records[kShuffle].mask = 1; }},
        {"the type", [](Trace& t) { t.records[kShuffle].type = Element::u32; }},
        {"the width", [](Trace& t) { t.records[kShuffle].width = 16; }},
        {"lane 5: the argument", [](Trace& t) { t.records[kShuffle].arg[5] = 8; }},
        {"lane 5: the source lane", [](Trace& t) { t.records[kShuffle].source[5] = 8; }},
        {"lane 5: the statement's effect", [](Trace& t) { t.records[kShuffle].effect[5] = Effect::keep; }},
        {"lane 5: a value after recorded", [](Trace& t) { t.records[kShuffle].has_after ^= 32; }},
        {"lane 5: before: A has 5 (0x40a00000), B has 6 (0x40c00000)",
         [](Trace& t) { t.records[kShuffle].before[5] = to_bits(6.0f); }},
        {"lane 5: received: A has 21", [](Trace& t) { t.records[kShuffle].received[5] ^= 1; }},
        {"lane 5: after: A has 26", [](Trace& t) { t.records[kShuffle].after[5] ^= 1; }},
        {"lane 7: the element: A has 7", [](Trace& t) { t.records[kLoad].element_index[7] = 8; }},
        {"lane 7: the value: A has 7", [](Trace& t) { t.records[kLoad].value[7][0] ^= 1; }},
        {"the array: A has in, B has sums", [](Trace& t) { t.records[kLoad].array = 1; }},
        {"elements for each lane", [](Trace& t) { t.records[kLoad].elements = 2; }},
        {"sums[0] in the snapshot", [](Trace& t) { t.records[kBarrier].shared[0].values[0] ^= 1; }},
        {"sums[1] in the snapshot",
         [](Trace& t) {
             t.records[kBarrier].shared[0].written[1] = true;
             t.records[kBarrier].shared[0].values[1] ^= 1;
         }},
        {"lane 3: the predicate", [](Trace& t) { t.records[kBallot].arg[3] = 0; }},
        {"lane 3: received", [](Trace& t) { t.records[kBallot].received[3] = 0; }},
        {"lane 0: the value", [](Trace& t) { t.records[kAtomic].value[0][0] ^= 1; }},
        {"lane 0: the element", [](Trace& t) { t.records[kAtomic].element_index[0] = 1; }},
        {"only A has it", [](Trace& t) { t.records.pop_back(); }},
        {"only A has it", [](Trace& t) { t.records.clear(); }},
        {"only B has it", [](Trace& t) { t.records.push_back(t.records.back()); }},
        {"B is incomplete", [](Trace& t) { t.partial = true; }},
    };
    for (const Case& one : cases) {
        Trace changed = sample();
        one.change(changed);
        const Difference difference = diff(sample(), changed);
        EXPECT_FALSE(difference.equal) << one.expected;
        EXPECT_NE(difference.sentence.find(one.expected), std::string::npos)
            << one.expected << ": " << difference.sentence;
    }
}

// Where a kernel calls expf, machines differ in the last bits; what is no such value is compared bit by bit.
TEST(Diff, WithinTheToleranceOfTheTraces) {
    Trace a = sample(), b = sample();
    a.header.tolerance = b.header.tolerance = 0x1p-17;
    b.records[kShuffle].after[3] = to_bits(from_bits<float>(a.records[kShuffle].after[3]) * (1 + 0x1p-18f));
    EXPECT_TRUE(diff(a, b).equal) << diff(a, b).sentence;
    EXPECT_NE(diff(a, b).sentence.find("equal within 7.6e-06: "), std::string::npos) << diff(a, b).sentence;
    a.header.tolerance = 0;   // one of the two says so
    EXPECT_TRUE(diff(a, b).equal);
    b.header.tolerance = 0;
    EXPECT_FALSE(diff(a, b).equal);
    b.header.tolerance = 0x1p-17;
    for (const float far : {1000.0f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        b.records[kShuffle].after[3] = to_bits(far);
        EXPECT_FALSE(diff(a, b).equal) << far;
    }
    Trace moved = sample();
    moved.header.tolerance = 1;
    moved.records[kShuffle].source[3] = 4;
    EXPECT_FALSE(diff(a, moved).equal);
}

TEST(Diff, WhatDoesNotCountDoesNotDiffer) {
    const std::vector<std::function<void(Trace&)>> changes = {
        [](Trace& t) { t.header.date = "2001-01-01"; },
        [](Trace& t) { t.header.source.order = "descending"; },
        [](Trace& t) { t.records[kAtomic].received[0] = 7; },               // blocks come in any order
        [](Trace& t) { t.records[kBarrier].shared[0].values[1] = 0xbeef; }, // never written
        [](Trace& t) { t.records[kBarrier].shared.clear(); },
        [](Trace& t) { t.records[kAtomic].before[9] = 7; },                 // not active
        [](Trace& t) { std::erase_if(t.records, [](const Record& r) { return is_access(r.op); }); },
    };
    for (std::size_t i = 0; i < changes.size(); ++i) {
        Trace changed = sample();
        changes[i](changed);
        const Difference difference = diff(sample(), changed);
        EXPECT_TRUE(difference.equal) << i << ": " << difference.sentence;
    }
    Trace a = sample(), b = sample();
    a.records[kShuffle].after[2] = 0x7fc00000;
    b.records[kShuffle].after[2] = 0xffc00123;
    EXPECT_TRUE(diff(a, b).equal);
}

constexpr std::size_t kReduce = 0, kMatch = 1, kFence = 2, kActive = 3, kCount = 4;

Trace collectives() {
    TraceBuilder made;
    const auto out = made.array("out", Space::global, 64);
    auto warp = made.warp(0, 0);
    warp.reduce_add(5, [](int lane) { return static_cast<std::uint32_t>(lane); }, Effect::replace);
    // Masks that would all be NaNs, were they read as the floats that were matched.
    warp.match_any(6, [](int lane) { return lane < 2 ? static_cast<std::uint32_t>(lane) : 9u; });
    warp.last().type = Element::f32;
    warp.fence(7, 1);
    warp.active_mask(8, 0xffff);
    warp.barrier_vote(9, Op::sync_block_count, [](int lane) { return lane < 5; }, 5);
    warp.last().shared.push_back({out, 32, {1, 2, 3, 4}, {true, true, false, true}});
    return made.trace;
}

TEST(Diff, CollectivesAreCompared) {
    EXPECT_EQ(diff(collectives(), collectives()).sentence, "equal: 4 records of 1 warps, 1 snapshots");
    struct Case {
        const char* expected;   // nullptr: equal all the same
        std::function<void(Trace&)> change;
    };
    const std::vector<Case> cases = {
        {"lane 5: before", [](Trace& t) { t.records[kReduce].before[5] ^= 1; }},
        {"lane 5: received", [](Trace& t) { t.records[kReduce].received[5] ^= 1; }},
        {"lane 5: after", [](Trace& t) { t.records[kReduce].after[5] ^= 1; }},
        {"lane 5: the statement's effect", [](Trace& t) { t.records[kReduce].effect[5] = Effect::join; }},
        {"lane 5: a value after", [](Trace& t) { t.records[kReduce].has_after ^= 32; }},
        {"the mask", [](Trace& t) { t.records[kReduce].mask = 0xff; }},
        {"the type", [](Trace& t) { t.records[kReduce].type = Element::i32; }},
        {"lane 5: before", [](Trace& t) { t.records[kMatch].before[5] ^= 1; }},
        {"lane 5: received: A has 4294967292", [](Trace& t) { t.records[kMatch].received[5] ^= 1; }},
        {"lane 5: the fence's scope", [](Trace& t) { t.records[kFence].arg[5] = 2; }},
        {"lane 5: the predicate", [](Trace& t) { t.records[kCount].arg[5] = 1; }},
        {"lane 5: received: A has 5 (0x5), B has 6", [](Trace& t) { t.records[kCount].received[5] = 6; }},
        {"the instruction: A has sync_block_count", [](Trace& t) { t.records[kCount].op = Op::sync_block_or; }},
        {"out[33] in the snapshot", [](Trace& t) { t.records[kCount].shared[0].values[1] = 9; }},
        {"out[33] in the snapshot", [](Trace& t) { t.records[kCount].shared[0].first = 33; }},
        {"different warp sizes", [](Trace& t) { t.header.warp_size = 16; }},
        {nullptr, [](Trace& t) { t.records[kCount].shared[0].values[2] = 9; }},   // never written
        {nullptr, [](Trace& t) { t.records[kActive].received[5] = 0x20; }},
        {nullptr, [](Trace& t) { t.records[kActive].line = 80; }},
        {nullptr, [](Trace& t) { t.records.erase(t.records.begin() + kActive); }},
        {nullptr, [](Trace& t) { t.reruns.push_back({"descending", {}}); }},
    };
    for (const Case& one : cases) {
        Trace changed = collectives();
        one.change(changed);
        const Difference difference = diff(collectives(), changed);
        EXPECT_EQ(difference.equal, one.expected == nullptr) << difference.sentence;
        if (one.expected == nullptr) continue;
        EXPECT_NE(difference.sentence.find(one.expected), std::string::npos)
            << one.expected << ": " << difference.sentence;
    }
}

// What was reduced of something undefined is undefined on every lane, and so is what the block then counts.
TEST(Diff, AReductionSpreadsTheUndefined) {
    const auto record = [](std::uint32_t poison) {
        TraceBuilder made;
        auto warp = made.warp(0, 0);
        warp.values.fill(1);
        warp.shuffle(4, Op::shfl_down, 8, Effect::replace, 32, 0xffffu);
        for (std::size_t lane = 8; lane < 16; ++lane) warp.last().received[lane] = warp.last().after[lane] = poison;
        warp.reduce_add(5, [&](int lane) { return lane < 8 ? 1u : poison; }, Effect::replace, 0xffffu);
        warp.barrier_vote(6, Op::sync_block_or, [&](int) { return poison % 2 == 0; }, poison % 2);
        return made.trace;
    };
    const Difference difference = diff(record(7), record(8));
    EXPECT_TRUE(difference.equal) << difference.sentence;
    Trace changed = record(8);
    changed.records[1].before[3] = 2;
    EXPECT_NE(diff(record(7), changed).sentence.find("lane 3: before"), std::string::npos);
}

// if (thread < 16) v += __shfl_down_sync(full, v, 8): half of the sources take no part.
TEST(Diff, UndefinedValuesAreComparedNowhere) {
    const auto record = [](float poison) {
        TraceBuilder made;
        auto warp = made.warp(0, 0);
        warp.values.fill(1);
        warp.shuffle_sum(4, Op::shfl_down, 8, 32, 0xffffu);
        Record& first = warp.last();
        for (std::size_t lane = 8; lane < 16; ++lane) {
            first.received[lane] = to_bits(poison);
            first.after[lane] = to_bits(1 + poison);
            warp.values[lane] = 1 + poison;
        }
        warp.shuffle_sum(5, Op::shfl_down, 4, 32, 0xffffu);
        return made.trace;
    };
    const Difference difference = diff(record(7), record(9));
    EXPECT_TRUE(difference.equal) << difference.sentence;
    EXPECT_NE(difference.sentence.find("undefined"), std::string::npos);
    Trace changed = record(9);
    changed.records[1].after[0] = 0;  // lane 0 has met nothing undefined
    EXPECT_NE(diff(record(7), changed).sentence.find("lane 0: after"), std::string::npos);
}

}  // namespace
}  // namespace lanewise::trace
