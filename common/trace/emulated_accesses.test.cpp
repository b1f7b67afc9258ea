#include "common/trace/emulated_accesses.hpp"

#include <gtest/gtest.h>

#include "common/trace/trace_builder.testing.hpp"

namespace lanewise::trace {
namespace {

using testing::TraceBuilder;

Trace emulated() {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 64);
    const auto sums = made.array("sums", Space::shared, 2);
    for (std::uint32_t number = 0; number < 2; ++number) {
        auto warp = made.warp(0, number);
        warp.load(3, in, [&](int lane) { return lane + 32 * number; }, [](int lane) { return float(lane); });
        warp.shuffle_sum(5, Op::shfl_xor, 16);
        warp.store(6, sums, [&](int) { return number; }, 1);
        warp.barrier(7);
        if (number == 0) warp.last().shared.push_back({sums, 0, {to_bits(16.0f), 0}, {true, false}});
        if (number == 0) warp.last().shared.push_back({in, 32, {to_bits(1.0f), to_bits(2.0f)}, {false, true}});
    }
    made.trace.header.blocks = {0};
    return made.trace;
}

Trace recorded_on_gpu() {
    Trace gpu = emulated();
    gpu.header.source = {SourceKind::gpu, "NVIDIA H200", "13.0", "9.0", ""};
    std::swap(gpu.arrays[0], gpu.arrays[1]);
    std::erase_if(gpu.records, [](const Record& record) { return is_access(record.op); });
    std::uint32_t index = 0;
    for (Record& record : gpu.records) {
        record.index = index++ % 2;
        for (ArrayImage& image : record.shared) image = {image.array == 0 ? 1u : 0u, image.first, image.values, {}};
    }
    return gpu;
}

TEST(Weave, PutsTheAccessesWhereTheyWere) {
    Trace gpu = recorded_on_gpu();
    EXPECT_EQ(merge_emulated_accesses(gpu, emulated()), "");
    EXPECT_EQ(gpu.header.accesses_from, "emulator");
    EXPECT_EQ(gpu.header.source.gpu, "NVIDIA H200");
    const Trace wanted = emulated();
    ASSERT_EQ(gpu.records.size(), wanted.records.size());
    for (std::size_t i = 0; i < wanted.records.size(); ++i) {
        EXPECT_EQ(gpu.records[i].op, wanted.records[i].op);
        EXPECT_EQ(gpu.records[i].index, wanted.records[i].index);
        if (!is_access(wanted.records[i].op)) continue;
        EXPECT_EQ(gpu.arrays.at(gpu.records[i].array).name, wanted.arrays[wanted.records[i].array].name);
    }
    EXPECT_EQ(gpu.records[3].shared.at(0).written, (std::vector<bool>{true, false}));
    EXPECT_EQ(gpu.records[3].shared.at(1).written, (std::vector<bool>{false, true}));
    EXPECT_EQ(gpu.records[3].shared.at(1).first, 32u);
}

// The lanes of the GPU were together at another time than the emulator's: its own active masks are shown.
TEST(Weave, ActiveMasksAreTheGpus) {
    const auto record = [](const std::vector<std::uint32_t>& masks, SourceKind kind) {
        TraceBuilder made;
        const auto in = made.array("in", Space::global, 64);
        made.trace.header.source.kind = kind;
        auto warp = made.warp(0, 0);
        for (const std::uint32_t mask : masks) warp.active_mask(4, mask);
        if (kind == SourceKind::emulator)
            warp.load(5, in, [](int lane) { return lane; }, [](int lane) { return float(lane); });
        warp.values.fill(1);
        warp.shuffle_sum(6, Op::shfl_xor, 16);
        warp.active_mask(7, 0xff);
        if (kind == SourceKind::gpu) warp.active_mask(8, 0x0f);
        return made.trace;
    };
    const auto describe = [](const Trace& trace) {
        std::string text;
        for (const Record& r : trace.records)
            text += std::string(op_name(r.op)) + std::to_string(r.active & 0xffffu) + " ";
        return text;
    };
    const Trace emulator = record({0xffff}, SourceKind::emulator);
    Trace gpu = record({0x3, 0xfffc}, SourceKind::gpu);
    ASSERT_EQ(merge_emulated_accesses(gpu, emulator), "");
    EXPECT_EQ(describe(gpu), "active_mask3 load65535 active_mask65532 shfl_xor65535 active_mask255 active_mask15 ");
    gpu = record({}, SourceKind::gpu);
    ASSERT_EQ(merge_emulated_accesses(gpu, emulator), "");
    EXPECT_EQ(describe(gpu), "load65535 shfl_xor65535 active_mask255 active_mask15 ");
}

TEST(Weave, LeavesADifferentTraceAlone) {
    Trace gpu = recorded_on_gpu();
    gpu.records[0].after[3] ^= 1;
    EXPECT_NE(merge_emulated_accesses(gpu, emulated()).find("lane 3"), std::string::npos);
    EXPECT_EQ(gpu.records.size(), 4u);
    EXPECT_EQ(gpu.header.accesses_from, "");
}

}  // namespace
}  // namespace lanewise::trace
