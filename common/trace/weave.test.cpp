#include "common/trace/weave.hpp"

#include <gtest/gtest.h>

#include "common/trace/testing.hpp"

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
        if (number == 0) warp.last().shared.push_back({sums, {to_bits(16.0f), 0}, {true, false}});
    }
    made.trace.header.blocks = {0};
    return made.trace;
}

Trace recorded_on_gpu() {
    Trace gpu = emulated();
    gpu.header.source = {SourceKind::gpu, "NVIDIA H200", "13.0", "9.0", ""};
    gpu.arrays = {gpu.arrays[1]};
    std::erase_if(gpu.records, [](const Record& record) { return is_access(record.op); });
    std::uint32_t index = 0;
    for (Record& record : gpu.records) {
        record.index = index++ % 2;
        for (ArrayImage& image : record.shared) image = {0, image.values, {}};
    }
    return gpu;
}

TEST(Weave, PutsTheAccessesWhereTheyWere) {
    Trace gpu = recorded_on_gpu();
    EXPECT_EQ(weave_accesses(gpu, emulated()), "");
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
}

TEST(Weave, LeavesADifferentTraceAlone) {
    Trace gpu = recorded_on_gpu();
    gpu.records[0].after[3] ^= 1;
    EXPECT_NE(weave_accesses(gpu, emulated()).find("lane 3"), std::string::npos);
    EXPECT_EQ(gpu.records.size(), 4u);
    EXPECT_EQ(gpu.header.accesses_from, "");
}

}  // namespace
}  // namespace lanewise::trace
