#include "common/emu/emulator.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/emu/machine.hpp"
#include "common/conformance/emulator/run_case.hpp"

namespace lanewise::emu {
namespace {

using testing::bytes_as;
using testing::kernels;
using testing::kOrders;
using testing::run;
using testing::WrongCase;

// The PTX manual's shfl.sync, written from its pseudo-code: lane a reads, b and c as CUDA passes them.
struct Model {
    int source = 0;
};
Model ptx_shuffle(int op, int lane, int b, int width) {
    const int segmask = (32 - width) & 31;
    const int clamp = op == 1 ? 0 : 31;
    const int bval = b & 31;
    const int max_lane = (lane & segmask) | (clamp & ~segmask);
    const int min_lane = lane & segmask;
    int j = 0;
    bool in_range = false;
    switch (op) {
        case 0: j = min_lane | (bval & ~segmask & 31); in_range = j <= max_lane; break;
        case 1: j = lane - bval; in_range = j >= max_lane; break;
        case 2: j = lane + bval; in_range = j <= max_lane; break;
        case 3: j = lane ^ bval; in_range = j <= max_lane; break;
    }
    return {in_range ? j : lane};
}

template <class T>
void sweep_shuffles(const std::string& type) {
    std::mt19937_64 random(20261121);
    for (int round = 0; round < 400; ++round) {
        const int op = round % 4;
        const int width = 1 << random() % 6;
        const auto mask = round % 3 ? static_cast<unsigned>(random()) | 1u : ~0u;
        std::vector<T> in(32);
        std::vector<int> args(32);
        const int uniform = static_cast<int>(random() % 40);
        for (int lane = 0; lane < 32; ++lane) {
            in[lane] = static_cast<T>(static_cast<int>(random()) / 3);
            args[lane] = round % 2 ? uniform : static_cast<int>(random() % 64);
        }
        launch::Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.input("args", args);
        const auto c = plan.output<T>("out", 32);
        plan.launch("shuffle_once", type + ", " + std::to_string(op), {1}, {32}, a, b, c, mask, width);
        const auto outcome = run(plan, kOrders[round % kOrders.size()], round % 5 == 0);
        const auto out = bytes_as<T>(outcome.buffers[2]);
        for (int lane = 0; lane < 32; ++lane) {
            if (!(mask >> lane & 1)) continue;
            const int source = ptx_shuffle(op, lane, args[lane], width).source;
            const std::uint64_t poison = sizeof(T) == 8 ? kPoison64 : kPoison32;
            const std::uint64_t expected = mask >> source & 1 ? to_bits(in[source]) : poison;
            ASSERT_EQ(to_bits(out[lane]), expected)
                << "op " << op << " lane " << lane << " arg " << args[lane] << " width " << width << " mask " << mask;
        }
    }
}

TEST(Emulator, ShufflesOfFourBytesAreThePtxManuals) { sweep_shuffles<int>("int"); }
TEST(Emulator, ShufflesOfEightBytesAreThePtxManuals) { sweep_shuffles<double>("double"); }

TEST(Emulator, VotesSeeTheLanesOfTheMaskAlone) {
    std::mt19937 random(5);
    for (int round = 0; round < 100; ++round) {
        const auto mask = static_cast<unsigned>(random()) | 1u;
        std::vector<int> in(32);
        unsigned ballot = 0;
        for (unsigned lane = 0; lane < 32; ++lane) {
            in[lane] = random() % 3 == 0 || round == 1 ? static_cast<int>(random() % 100 + 1) : 0;
            if (in[lane]) ballot |= 1u << lane;
        }
        launch::Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.output<std::uint32_t>("out", 96);
        plan.launch("votes", "", {1}, {32}, a, b, mask);
        const auto out = bytes_as<std::uint32_t>(run(plan, kOrders[round % kOrders.size()]).buffers[1]);
        for (unsigned lane = 0; lane < 32; ++lane) {
            if (!(mask >> lane & 1)) continue;
            EXPECT_EQ(out[lane * 3], (ballot & mask) != 0);
            EXPECT_EQ(out[lane * 3 + 1], (ballot & mask) == mask);
            EXPECT_EQ(out[lane * 3 + 2], ballot & mask);
        }
    }
}

TEST(Emulator, HalvesOfAWarpMeetForThemselvesThenTogether) {
    std::vector<int> in(64);
    for (int i = 0; i < 64; ++i) in[i] = (i * 37) % 101 - 50;
    std::vector<int> value = in;
    for (int warp = 0; warp < 64; warp += 32) {
        for (int offset = 8; offset > 0; offset /= 2) {
            const auto old = value;
            for (int l = 0; l < 16; ++l) value[warp + l] += old[warp + (l ^ offset)];
        }
        for (int offset = 1; offset < 16; offset *= 2) {
            const auto old = value;
            for (int l = 16; l < 32; ++l) value[warp + l] -= old[warp + (l ^ offset)];
        }
        const auto old = value;
        for (int l = 0; l < 32; ++l) value[warp + l] = old[warp + l] * old[warp + 31 - l];
    }
    for (const auto& order : kOrders) {
        for (const bool record : {false, true}) {
            launch::Plan plan;
            const auto a = plan.input("in", in);
            const auto b = plan.output<int>("out", 64);
            plan.launch("half_masks", "", {1}, {64}, a, b);
            const auto outcome = run(plan, order, record);
            EXPECT_EQ(bytes_as<int>(outcome.buffers[1]), value) << order.name();
            EXPECT_TRUE(outcome.findings.empty());
        }
    }
}

TEST(Emulator, SumsOfManyBlocksOnOneAndTwoThreads) {
    std::vector<float> in(100003);
    double reference = 0;
    for (std::size_t i = 0; i < in.size(); ++i) reference += in[i] = static_cast<float>((i * 7919) % 1000) / 64;
    for (const char* kernel : {"sum_tree", "sum_two_level"})
        for (const auto& order : kOrders)
            for (const int threads : {1, 2}) {
                launch::Plan plan;
                const auto a = plan.input("in", in);
                const auto b = plan.output<float>("out", 1);
                const auto n = static_cast<int>(in.size());
                plan.launch(kernel, "256", {(static_cast<unsigned>(n) + 255) / 256}, {256}, a, b, n);
                const auto outcome = run(plan, order, false, threads);
                EXPECT_NEAR(bytes_as<float>(outcome.buffers[1])[0], reference, 0.5) << kernel << " " << order.name();
                EXPECT_TRUE(outcome.findings.empty());
            }
}

TEST(Emulator, ThreeDimensionalLaunchesVisitEveryThreadOnce) {
    launch::Plan plan;
    const auto out = plan.output<int>("out", 2 * 3 * 4 * 60);
    plan.launch("places", "", {2, 3, 4}, {5, 4, 3}, out);
    const auto values = bytes_as<int>(run(plan, kOrders[2]).buffers[0]);
    for (int block = 0; block < 24; ++block)
        for (int thread = 0; thread < 60; ++thread) ASSERT_EQ(values[block * 60 + thread], 1000 * block + thread);
}

TEST(Emulator, WarpBarrierOrdersMemoryAndItsAbsenceShowsInSomeOrder) {
    const auto values = [](const char* barrier, const launch::Order& order) {
        launch::Plan plan;
        const auto out = plan.output<int>("out", 32);
        plan.launch("neighbour", barrier, {1}, {32}, out);
        return bytes_as<int>(run(plan, order).buffers[0]);
    };
    std::vector<int> right(32);
    for (int i = 0; i < 32; ++i) right[i] = (i + 1) % 32 + 1;
    for (const auto& order : kOrders) EXPECT_EQ(values("true", order), right);
    EXPECT_NE(values("false", kOrders[0]), right);
}

TEST(Emulator, Atomics) {
    for (const bool record : {false, true}) {
        launch::Plan plan;
        const auto sums = plan.input("sums", std::vector<int>{5, 100, -7, 3});
        const auto bits = plan.input("bits", std::vector<std::uint32_t>{0, 0, ~0u, 0, 1});
        plan.launch("atomics", "", {1}, {32}, sums, bits);
        const auto outcome = run(plan, kOrders[3], record);
        EXPECT_EQ(bytes_as<int>(outcome.buffers[0]), (std::vector<int>{5 + 496, 68, 31, -31}));
        EXPECT_EQ(bytes_as<std::uint32_t>(outcome.buffers[1]), (std::vector<std::uint32_t>{~0u, ~0u, 0, 7, 9}));
        if (record) {
            EXPECT_EQ(std::count_if(outcome.trace->records.begin(), outcome.trace->records.end(),
                                    [](const trace::Record& r) { return trace::is_atomic(r.op) && r.active == ~0u; }),
                      9);
        }
    }
}

class WrongKernel : public ::testing::TestWithParam<WrongCase> {};

// In every order, traced or not: reported, with line and lanes, and the run comes to its end.
TEST_P(WrongKernel, IsReportedAndComesToItsEnd) {
    const auto& wrong = GetParam();
    for (const auto& order : kOrders)
        for (const bool record : {false, true}) {
            launch::Plan plan;
            std::vector<float> in(64, 1.5f);
            const auto a = plan.input("in", in);
            const auto b = plan.output<int>("out", 64);
            const auto f = plan.output<float>("sums", 64);
            if (std::string(wrong.kernel) == "half_calls") plan.launch(wrong.kernel, "", {1}, {wrong.threads}, a, f);
            else plan.launch(wrong.kernel, "", {1}, {wrong.threads}, b);
            const auto outcome = run(plan, order, record);
            const auto found = std::find_if(outcome.findings.begin(), outcome.findings.end(),
                                            [&](const auto& finding) { return finding.kind == wrong.kind; });
            ASSERT_NE(found, outcome.findings.end()) << wrong.kernel << " " << order.name();
            EXPECT_GT(found->line, 0);
            EXPECT_NE(found->lanes, 0u);
            EXPECT_NE(found->sentence.find(wrong.said), std::string::npos) << found->sentence;
            for (const auto& finding : outcome.findings) EXPECT_EQ(finding.kind, wrong.kind) << finding.sentence;
        }
}

INSTANTIATE_TEST_SUITE_P(
    Misuse, WrongKernel,
    ::testing::Values(WrongCase{"half_calls", 32, "inactive_source", "takes no part"},
                      WrongCase{"not_named", 32, "mask_without_caller", "does not name it"},
                      WrongCase{"other_mask", 32, "mask_mismatch", "must name the same mask"},
                      WrongCase{"other_intrinsic", 32, "intrinsic_mismatch", "must make the same call"},
                      WrongCase{"waits_elsewhere", 32, "deadlock", "__syncthreads"},
                      WrongCase{"two_barriers", 64, "barrier_divergence", "move it out of the branch"},
                      WrongCase{"odd_width", 32, "bad_width", "1, 2, 4, 8, 16 or 32"}));

TEST(Emulator, AKernelThatNeverEndsIsStoppedInItsFirstBlock) {
    launch::Plan plan;
    const auto out = plan.output<int>("out", 64);
    plan.launch("never_ends", "", {4096}, {32}, out);  // many blocks a thread: the rest of its share is left
    const auto outcome = run(plan, kOrders[0]);
    ASSERT_EQ(outcome.findings.size(), 1u);
    EXPECT_EQ(outcome.findings[0].kind, "runaway");
    EXPECT_EQ(outcome.findings[0].count, 1u);
}

TEST(Emulator, AMachineThatStoppedABlockRunsTheNextKernel) {
    Machine machine;
    int out[64] = {};
    int* pointer = out;
    void* arguments[] = {&pointer};
    const auto program = [&](const char* kernel, const char* instance, std::uint32_t threads) {
        const auto address = kernels().find(kernel, instance).emulated.address;
        Machine::Program made;
        made.body = reinterpret_cast<launch::EmulatedBody>(const_cast<void*>(address));
        made.arguments = arguments;
        made.block = {threads};
        return made;
    };
    machine.load(program("never_ends", "", 64));
    machine.run_block(0, nullptr);
    EXPECT_TRUE(machine.stopped());
    machine.load(program("neighbour", "true", 32));
    machine.run_block(0, nullptr);
    EXPECT_FALSE(machine.stopped());
    for (int i = 0; i < 32; ++i) EXPECT_EQ(out[i], (i + 1) % 32 + 1);
}

TEST(Emulator, TheValueOfTheUndefinedIsPoison) {
    launch::Plan plan;
    const auto out = plan.output<std::uint32_t>("out", 32);
    plan.launch("not_named", "", {1}, {32}, out);
    const auto values = bytes_as<std::uint32_t>(run(plan, kOrders[0]).buffers[0]);
    EXPECT_EQ(values[3], 0u);
    EXPECT_EQ(values[20], kPoison32);
}

TEST(Emulator, LaunchesThatDoNotFitAreRefusedInASentence) {
    launch::Plan plan;
    const auto out = plan.output<int>("out", 64);
    plan.launch("never_ends", "", {1}, {2048}, out);
    EXPECT_THROW(run(plan, kOrders[0]), Error);
    launch::Plan wrong_type;
    const auto b = wrong_type.output<int>("out", 64);
    wrong_type.launch("never_ends", "", {1}, {32}, b, 3);
    EXPECT_THROW(run(wrong_type, kOrders[0]), Error);
    launch::Plan unknown;
    const auto c = unknown.output<int>("out", 64);
    unknown.launch("sum_tre", "256", {1}, {32}, c);
    try {
        run(unknown, kOrders[0]);
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("did you mean 'sum_tree'"), std::string::npos) << error.what();
    }
}

// The recorder: who read and wrote which word, on which line.
TEST(Recorder, ShowsTheTreesAccessesWithLinesAndWords) {
    std::vector<float> in(300);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i) + 0.25f;
    launch::Plan plan;
    const auto a = plan.input("in", in);
    const auto b = plan.output<float>("out", 1);
    plan.launch("sum_tree", "256", {2}, {256}, a, b, 300);
    const auto outcome = run(plan, kOrders[1], true);
    const auto& trace = *outcome.trace;
    EXPECT_EQ(trace.header.blocks, (std::vector<std::uint32_t>{0, 1}));
    const auto of_warp = [&](std::uint32_t block, std::uint32_t warp) {
        std::vector<trace::Record> records;
        for (const auto& record : trace.records)
            if (record.block == block && record.warp == warp) records.push_back(record);
        return records;
    };
    const auto first = of_warp(1, 1);  // block 1 holds 44 values: lanes 32-43 are lanes 0-11 of its warp 1
    ASSERT_GE(first.size(), 2u);
    EXPECT_EQ(first[0].op, trace::Op::load);
    EXPECT_EQ(first[0].active, 0xfffu);
    EXPECT_EQ(first[0].element_index[5], 256 + 32 + 5);
    EXPECT_EQ(from_bits<float>(first[0].value[5][0]), in[256 + 32 + 5]);
    EXPECT_GT(first[0].line, 0);
}

}  // namespace
}  // namespace lanewise::emu
