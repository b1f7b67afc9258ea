// Traced launches on a real GPU, compared with plain ones.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "common/base/error.hpp"
#include "common/gpu/gpu_backend.hpp"
#include "common/gpu/buffer.hpp"
#include "common/gpu/device.hpp"
#include "common/gpu/cuda_error.hpp"
#include "common/gpu/launch.hpp"
#include "common/gpu/traced_entries.hpp"

namespace lanewise::gpu {
namespace {

using launch::Plan;
using trace::Effect;
using trace::Op;
using trace::Record;

class Traced : public ::testing::Test {
protected:
    void SetUp() override {
        std::string why;
        if (!available(&why)) GTEST_SKIP() << why;
        kernels_.add(launch::import_file(launch::Build::gpu_plain, testing::plain_build()));
        kernels_.add(launch::import_file(launch::Build::gpu_traced, testing::traced_build()));
        backend_ = make_gpu_backend();
    }

    // The trace of `plan`, after holding the traced build's buffers to the plain build's, byte by byte, and a second
    // recording to the first.
    trace::Trace record(const Plan& plan, std::vector<std::uint32_t> blocks = {0, 1}) {
        launch::Request request;
        const launch::Outcome plain = backend_->run(plan, kernels_, request);
        EXPECT_FALSE(plain.trace);
        request.record = true;
        request.blocks = std::move(blocks);
        launch::Outcome traced = backend_->run(plan, kernels_, request);
        EXPECT_EQ(plain.buffers, traced.buffers);
        const launch::Outcome again = backend_->run(plan, kernels_, request);
        EXPECT_EQ(again.trace->records.size(), traced.trace->records.size());
        results_ = traced.buffers;
        return std::move(*traced.trace);
    }

    template <class T>
    T result(std::size_t buffer, std::size_t index) const {
        T value;
        std::memcpy(&value, results_[buffer].data() + index * sizeof(T), sizeof(T));
        return value;
    }

    launch::KernelSet kernels_;
    std::unique_ptr<launch::Backend> backend_;
    std::vector<std::vector<std::byte>> results_;
};

template <class T>
std::vector<T> ramp(std::size_t count) {
    std::vector<T> values(count);
    std::iota(values.begin(), values.end(), T{0});
    return values;
}

std::vector<Record> only(const trace::Trace& trace, Op op) {
    std::vector<Record> found;
    for (const Record& r : trace.records)
        if (r.op == op) found.push_back(r);
    return found;
}

template <class T>
void expect_xor_tree(const trace::Trace& trace, Element type) {
    ASSERT_EQ(trace.records.size(), 5u);
    std::vector<T> values = ramp<T>(32);
    int offset = 16;
    for (const Record& r : trace.records) {
        EXPECT_EQ(r.op, Op::shfl_xor);
        EXPECT_EQ(r.type, type);
        EXPECT_EQ(r.mask, 0xffffffffu);
        EXPECT_EQ(r.active, 0xffffffffu);
        EXPECT_EQ(r.has_after, 0xffffffffu);
        EXPECT_EQ(r.undefined, 0u);
        const std::vector<T> before = values;
        for (int lane = 0; lane < 32; ++lane) {
            values[lane] = before[lane] + before[lane ^ offset];
            EXPECT_EQ(r.arg[lane], offset);
            EXPECT_EQ(r.source[lane], lane ^ offset);
            EXPECT_EQ(from_bits<T>(r.before[lane]), before[lane]);
            EXPECT_EQ(from_bits<T>(r.received[lane]), before[lane ^ offset]);
            EXPECT_EQ(from_bits<T>(r.after[lane]), values[lane]);
            EXPECT_EQ(r.effect[lane], Effect::join);
        }
        offset /= 2;
    }
}

TEST_F(Traced, XorTreeOfFloats) {
    Plan plan;
    const auto in = plan.input("in", ramp<float>(32));
    const auto out = plan.output<float>("out", 32);
    plan.launch("tree_xor", "float", {1}, {32}, in, out);
    const trace::Trace trace = record(plan);
    expect_xor_tree<float>(trace, Element::f32);
    EXPECT_EQ(result<float>(1, 0), 496);
    EXPECT_EQ(trace.header.source.kind, trace::SourceKind::gpu);
    EXPECT_EQ(trace.header.source.gpu, device().name);
    EXPECT_EQ(trace.header.blocks, std::vector<std::uint32_t>{0});
    ASSERT_EQ(trace.header.launches.size(), 1u);
    EXPECT_EQ(trace.header.launches[0].kernel, "tree_xor<float>");
    ASSERT_EQ(trace.arrays.size(), 2u);
    EXPECT_EQ(trace.arrays[1].name, "out");
}

TEST_F(Traced, XorTreeOfDoubles) {
    Plan plan;
    const auto in = plan.input("in", ramp<double>(32));
    const auto out = plan.output<double>("out", 32);
    plan.launch("tree_xor", "double", {1}, {32}, in, out);
    expect_xor_tree<double>(record(plan), Element::f64);
}

TEST_F(Traced, HalvesUnderTheirOwnMasksMeetApart) {
    Plan plan;
    const auto in = plan.input("in", ramp<float>(32));
    const auto out = plan.output<float>("out", 32);
    plan.launch("half_masks", "", {1}, {32}, in, out);
    const trace::Trace trace = record(plan);
    ASSERT_EQ(trace.records.size(), 3u);
    EXPECT_EQ(trace.records[0].active, 0x0000ffffu);
    EXPECT_EQ(trace.records[0].mask, 0x0000ffffu);
    EXPECT_EQ(trace.records[1].active, 0xffff0000u);
    EXPECT_EQ(trace.records[2].active, 0xffffffffu);
    EXPECT_LT(trace.records[0].line, trace.records[1].line);
    EXPECT_EQ(trace.records[1].source[17], 21);
    for (const Record& r : trace.records) EXPECT_EQ(r.undefined, 0u);
}

TEST_F(Traced, ScanAddsOnlyWhereThereIsASource) {
    Plan plan;
    const auto in = plan.input("in", ramp<int>(32));
    const auto out = plan.output<int>("out", 32);
    plan.launch("scan_up", "", {1}, {32}, in, out);
    const trace::Trace trace = record(plan);
    ASSERT_EQ(trace.records.size(), 5u);
    for (const Record& r : trace.records) {
        EXPECT_EQ(r.type, Element::i32);
        EXPECT_EQ(r.has_after, 0xffffffffu);
        for (int lane = 0; lane < 32; ++lane) {
            const bool takes = lane >= r.arg[lane];
            EXPECT_EQ(r.effect[lane], takes ? Effect::join : Effect::keep);
            EXPECT_EQ(static_cast<int>(r.after[lane]),
                      static_cast<int>(r.before[lane]) + (takes ? static_cast<int>(r.received[lane]) : 0));
        }
    }
    EXPECT_EQ(result<int>(1, 31), 496);
}

TEST_F(Traced, ABlockBarrierShowsSharedMemory) {
    Plan plan;
    const auto in = plan.input("in", ramp<float>(64));
    const auto out = plan.output<float>("out", 32);
    const auto count = plan.output<int>("count", 2);
    plan.launch("exchange", "", {1}, {4, 4, 4, 4 * sizeof(double)}, in, out, count);
    const trace::Trace trace = record(plan);
    ASSERT_EQ(trace.arrays.size(), 6u);
    EXPECT_EQ(trace.arrays[3].name, "tile");
    EXPECT_EQ(trace.arrays[3].space, trace::Space::shared);
    EXPECT_EQ(trace.arrays[3].count, 64u);
    EXPECT_EQ(trace.arrays[4].name, "votes");
    EXPECT_EQ(trace.arrays[5].name, "extra");
    EXPECT_EQ(trace.arrays[5].element, Element::f64);
    EXPECT_EQ(trace.arrays[5].count, 4u);

    // Both warps at the first barrier, one at the second; the block's memory is in one record of each.
    const std::vector<Record> barriers = only(trace, Op::sync_block);
    ASSERT_EQ(barriers.size(), 3u);
    ASSERT_EQ(barriers[0].shared.size(), 3u);
    ASSERT_EQ(barriers[1].shared.size(), 3u);
    EXPECT_TRUE(barriers[2].shared.empty());
    EXPECT_EQ(barriers[2].warp, 1u);
    for (std::size_t i = 0; i < 64; ++i) {
        const auto at = static_cast<float>(i);
        EXPECT_EQ(from_bits<float>(barriers[0].shared[0].values[i]), 2 * at);
        EXPECT_EQ(from_bits<float>(barriers[1].shared[0].values[i]), i < 32 ? 2 * (63 - at) : 2 * at);
    }
    EXPECT_EQ(barriers[0].shared[1].values.at(0), 0u);
    EXPECT_EQ(barriers[1].shared[1].values.at(0), 32u);
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(from_bits<double>(barriers[0].shared[2].values[i]), static_cast<double>(i) + 0.5);

    const std::vector<Record> votes = only(trace, Op::vote_any);
    ASSERT_EQ(votes.size(), 1u);
    EXPECT_EQ(votes[0].arg[7], 1);
    EXPECT_EQ(votes[0].arg[8], 0);
    EXPECT_EQ(votes[0].received[8], 1u);
    const std::vector<Record> added = only(trace, Op::atomic_add);
    ASSERT_EQ(added.size(), 1u);
    EXPECT_EQ(added[0].array, 4u);
    EXPECT_EQ(added[0].active, 0xffffffffu);
    const std::vector<Record> highest = only(trace, Op::atomic_max);
    ASSERT_EQ(highest.size(), 1u);
    EXPECT_EQ(highest[0].active, 1u << 3);
    EXPECT_EQ(highest[0].array, 2u);
    EXPECT_EQ(highest[0].element_index[3], 1);
    EXPECT_EQ(highest[0].value[3][0], 32u);
    EXPECT_EQ(only(trace, Op::sync_warp).size(), 1u);
}

TEST_F(Traced, ALongLoopGrowsTheBuffers) {
    Plan plan;
    const auto in = plan.input("in", ramp<int>(32));
    const auto out = plan.output<int>("out", 32);
    plan.launch("many_rounds", "", {1}, {32}, in, out);
    const trace::Trace trace = record(plan);
    ASSERT_EQ(trace.records.size(), 300u);
    for (std::size_t i = 0; i < trace.records.size(); ++i) {
        EXPECT_EQ(trace.records[i].index, i);
        EXPECT_EQ(trace.records[i].received[0], (i + 1) % 32);
        EXPECT_EQ(trace.records[i].effect[0], Effect::replace);
    }
}

TEST_F(Traced, OnlyTheBlocksAskedForAreRecordedInEachLaunch) {
    Plan plan;
    const auto in = plan.input("in", ramp<int>(32));
    const auto middle = plan.output<int>("middle", 32);
    const auto out = plan.output<int>("out", 32);
    plan.launch("scan_up", "", {2, 3, 2}, {32}, in, middle);
    plan.launch("scan_up", "", {1}, {32}, middle, out);
    const trace::Trace trace = record(plan, {7, 3, 3, 12, 0});
    EXPECT_EQ(trace.header.blocks, (std::vector<std::uint32_t>{0, 3, 7}));
    ASSERT_EQ(trace.records.size(), 20u);
    EXPECT_EQ(trace.records[0].block, 0u);
    EXPECT_EQ(trace.records[5].block, 3u);
    EXPECT_EQ(trace.records[10].block, 7u);
    EXPECT_EQ(trace.records[15].launch, 1u);
    EXPECT_EQ(trace.records[15].block, 0u);
    EXPECT_EQ(trace.records[15].before[31], 496u);
}

// The sentence of a launch of tree_xor<float> with this shape, straight through the checked launch.
std::string refusal(const launch::KernelSet& kernels, launch::Grid grid, launch::Block block) {
    Buffer in(128), out(128);
    void* const addresses[] = {in.data(), out.data()};
    void* arguments[] = {const_cast<void**>(&addresses[0]), const_cast<void**>(&addresses[1])};
    try {
        launch_kernel(kernels.find("tree_xor", "float").gpu_plain.address, {"tree_xor<float>", grid, block}, arguments);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST_F(Traced, ALaunchThatIsRefusedIsASentence) {
    const std::string threads = refusal(kernels_, {4}, {2048});
    for (const char* part : {"tree_xor<float>", "4 x 1 x 1", "2048 x 1 x 1", "cudaErrorInvalid", "1024 threads"})
        EXPECT_NE(threads.find(part), std::string::npos) << part << " is not in: " << threads;
    const std::string shared = refusal(kernels_, {1}, {32, 1, 1, 1u << 20});
    for (const char* part : {"tree_xor<float>", "1048576 bytes", "cudaError"})
        EXPECT_NE(shared.find(part), std::string::npos) << part << " is not in: " << shared;
    // The refusal is over with: the next launch works.
    EXPECT_EQ(refusal(kernels_, {1}, {32}), "");
    finish_kernel({"tree_xor<float>", {1}, {32}});
    // As much as a block can have, which must be asked for.
    const auto most = static_cast<std::uint32_t>(device().shared_bytes_per_block_optin);
    EXPECT_EQ(refusal(kernels_, {1}, {32, 1, 1, most}), "");
    finish_kernel({"tree_xor<float>", {1}, {32}});
}

TEST_F(Traced, BuffersMoveAndKeepTheirContents) {
    Buffer first(8);
    const std::vector<std::byte> contents(8, std::byte{42});
    first.upload(contents);
    void* const address = first.data();
    Buffer second(std::move(first));
    EXPECT_EQ(first.data(), nullptr);
    EXPECT_EQ(second.data(), address);
    Buffer third(16);
    third = std::move(second);
    EXPECT_EQ(third.data(), address);
    EXPECT_EQ(third.bytes(), 8u);
    EXPECT_EQ(third.download(), contents);
    EXPECT_THROW(third.upload(std::vector<std::byte>(9)), Error);
}

TEST_F(Traced, AFailedCallNamesItselfAndItsPlace) {
    constexpr int kInvalidValue = 1;  // cudaErrorInvalidValue
    try {
        CUDA_CHECK(kInvalidValue);
        FAIL() << "it passed";
    } catch (const Error& error) {
        const std::string sentence = error.what();
        for (const char* part : {"common/gpu/traced.test.cpp:", "kInvalidValue failed", "cudaErrorInvalidValue"})
            EXPECT_NE(sentence.find(part), std::string::npos) << part << " is not in: " << sentence;
    }
}

// In a process of its own, started afresh: after an illegal access a process has no GPU any more.
TEST_F(Traced, AKernelThatFailsWhileItRunsIsNamed) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    Plan plan;
    const auto in = plan.input("in", ramp<int>(32));
    const auto out = plan.output<int>("out", 32);
    plan.launch("reads_nowhere", "", {1}, {1}, in, out);
    EXPECT_EXIT(
        {
            try {
                make_gpu_backend()->run(plan, kernels_, {});
            } catch (const Error& error) {
                std::fprintf(stderr, "%s", error.what());
                std::exit(error.exit_status());
            }
            std::exit(0);
        },
        ::testing::ExitedWithCode(kExitFailed), "reads_nowhere.*cudaErrorIllegalAddress");
}

}  // namespace
}  // namespace lanewise::gpu
