#include "common/worker/contained_emulator.hpp"

#include <array>
#include <ostream>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/check/checker.hpp"
#include "common/emu/emulator.hpp"
#include "common/worker/wrong.testing.hpp"

namespace lanewise::worker {
namespace {

using testing::kernels;
using testing::line_of;
using testing::pool;
using testing::values_of;

constexpr double kSeconds = 0.6;   // of processor time that a block gets here
// … and one that ends when nothing changes any more: that is counted in accesses, so its clock must not run out first
// on a busy machine.
constexpr double kSecondsToSeeAHang = 30;
constexpr long kMegabytes = 1000;

launch::Outcome run(const launch::Plan& plan, bool record, launch::Request request = {}, double seconds = kSeconds) {
    if (!Pool::possible()) throw Error("no workers here");
    Limits limits;
    limits.seconds = seconds;
    request.record = record;
    return contained_emulator(pool(), limits)->run(plan, kernels(), request);
}

// A plan of one launch of `threads`, with what the kernel's parameters ask for, by number.
launch::Plan plan_of(const std::string& kernel, unsigned threads) {
    launch::Plan plan;
    const auto out = plan.output<int>("out", 1024);
    if (kernel == "divides_by_zero" || kernel == "right") {
        std::vector<int> in(threads);
        for (unsigned i = 0; i < threads; ++i) in[i] = static_cast<int>(i) - 4;
        plan.launch(kernel, "", {1}, {threads}, plan.input("in", in), out);
    } else if (kernel == "misaligned") {
        plan.launch(kernel, "", {1}, {threads}, plan.input("in", std::vector<float>(64, 1.0f)),
                    plan.output<float>("fours", 4 * threads));
    } else if (kernel == "plain_flag" || kernel.starts_with("volatile_flag")) {
        plan.launch(kernel, "", {1}, {threads}, plan.output<int>("flag", 1), out);
    } else {
        plan.launch(kernel, "", {1}, {threads}, out);
    }
    return plan;
}

struct Wrong {
    const char* kernel;
    const char* kind;
    const char* at;         // a part of the line it is at; empty: any of the kernel
    const char* said;       // a part of the sentence
    unsigned lanes = 0;     // whose fault it is; 0: any
    unsigned threads = 32;
    double seconds = kSeconds;

    bool is_hang() const { return std::string(kind) == "hang"; }
};
void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.kernel; }

class EndsAlone : public ::testing::TestWithParam<Wrong> {};

// Recorded and not: a finding with kernel, line and lane, in a few seconds and without much memory; what was done
// before is there; and the next run is as if nothing had been.
TEST_P(EndsAlone, AndIsNamed) {
    if (!Pool::possible()) GTEST_SKIP() << "kernels run in the program itself here";
    const Wrong& wrong = GetParam();
    for (const bool record : {false, true}) {
        SCOPED_TRACE(record ? "recorded" : "not recorded");
        const testing::PeakMemory memory;
        const auto began = std::chrono::steady_clock::now();
        // That nothing changes any more is known where the accesses are seen.
        const bool hangs = wrong.is_hang() && record;
        const auto outcome = run(plan_of(wrong.kernel, wrong.threads), record, {},
                                 hangs ? kSecondsToSeeAHang : wrong.seconds);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
        EXPECT_LT(took.count(), 15);
        EXPECT_LT(memory.megabytes(), kMegabytes);
        ASSERT_FALSE(outcome.findings.empty());
        const auto& finding = outcome.findings.back();
        const std::string kind = wrong.is_hang() && !hangs ? "runaway" : wrong.kind;
        EXPECT_EQ(finding.kind, kind) << finding.sentence;
        EXPECT_EQ(finding.kernel, wrong.kernel);
        EXPECT_NE(finding.sentence.find(wrong.said), std::string::npos) << finding.sentence;
        EXPECT_EQ(finding.sentence.find('|'), std::string::npos) << finding.sentence;
        EXPECT_GT(finding.line, 0) << finding.sentence;
        // A run that is not recorded is stopped by the clock, wherever in its loop it is; so is a recorded one where
        // the machine is busy.
        const bool by_clock = finding.kind == "runaway";
        if (wrong.at[0] && !by_clock) {
            EXPECT_EQ(finding.line, line_of(wrong.at)) << finding.sentence;
        }
        if (wrong.at[0] && by_clock) {
            EXPECT_GE(finding.line, line_of(std::string("void ") + wrong.kernel + "(")) << finding.sentence;
            EXPECT_LE(finding.line, line_of(wrong.at) + 1) << finding.sentence;
        }
        if (wrong.lanes) {
            EXPECT_EQ(finding.lanes, wrong.lanes);
        }
        EXPECT_EQ(outcome.trace.has_value(), record);
        if (record) {
            EXPECT_EQ(outcome.trace->findings.size(), outcome.findings.size());
        }

        const auto next = run(plan_of("right", 32), record);
        EXPECT_TRUE(next.findings.empty());
        EXPECT_EQ(values_of<int>(next, 0)[7], 6);
    }
}

// With checks: wrong, or the limit that was reached. What they find first has its kernel, line and advice.
TEST_P(EndsAlone, AndIsJudged) {
    if (!Pool::possible()) GTEST_SKIP() << "kernels run in the program itself here";
    const Wrong& wrong = GetParam();
    const bool is_limit = std::string(wrong.kind) == "runaway" || std::string(wrong.kind) == "too_much_output";
    for (const bool record : {false, true}) {
        SCOPED_TRACE(record ? "recorded" : "not recorded");
        const testing::PeakMemory memory;
        launch::Request request;
        request.checks = true;
        const auto outcome = run(plan_of(wrong.kernel, wrong.threads), record, request,
                                 wrong.is_hang() ? kSecondsToSeeAHang : wrong.seconds);
        EXPECT_LT(memory.megabytes(), kMegabytes);
        EXPECT_STREQ(trace::verdict_name(outcome.verdict),
                     trace::verdict_name(is_limit ? trace::Verdict::not_decided : trace::Verdict::wrong));
        EXPECT_EQ(outcome.undecided.empty(), !is_limit) << outcome.undecided;
        ASSERT_FALSE(outcome.findings.empty());
        for (const auto& finding : outcome.findings) {
            EXPECT_EQ(finding.kernel, wrong.kernel);
            EXPECT_GT(finding.line, 0) << finding.sentence;
            EXPECT_EQ(finding.sentence.find_first_of("\1\2"), std::string::npos) << finding.sentence;
        }
        if (record) {
            EXPECT_EQ(outcome.trace->verdict, outcome.verdict);
            EXPECT_EQ(outcome.trace->undecided, outcome.undecided);
        }
        EXPECT_EQ(run(plan_of("right", 32), record, request).verdict, trace::Verdict::clean);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Wrong, EndsAlone,
    ::testing::Values(
        Wrong{"endless_shuffles", "runaway", "", ""},
        Wrong{"endless_barriers", "runaway", "__syncthreads();", ""},
        Wrong{"endless_fences", "runaway", "", "still running"},
        Wrong{"endless_stores", "runaway", "", "still running"},
        Wrong{"endless_atomics", "runaway", "while (atomicAdd(out, 2) != 1)", ""},
        Wrong{"endless_nothing", "runaway", "", "still running"},
        Wrong{"plain_flag", "runaway", "while (*flag == 0)", "the compiler may read this once"},
        Wrong{"volatile_flag_never_set", "hang", "while (*word == 0) {  // never", ""},
        Wrong{"huge_frame", "local_memory", "", "512 KB"},
        Wrong{"recursion", "local_memory", "", "512 KB"},
        Wrong{"null_pointer", "invalid_address", "nothing[3] = 1", "null pointer", 1u << 5},
        Wrong{"wild_pointer", "invalid_address", "0x123456789000ull", "no memory of this run", 1u << 5},
        Wrong{"impossible_pointer", "invalid_address", "0x7dead00012345678ull", "no memory can have", 1u << 5},
        Wrong{"far_out_of_bounds", "out_of_bounds", "out[100000] = 1", "out[100000], but out has 1024 elements",
              1u << 5},
        Wrong{"divides_by_zero", "division_by_zero", "100 / in[threadIdx.x]", "by zero", 1u << 4},
        Wrong{"misaligned", "misaligned_access", "reinterpret_cast<const float4*>(in + 1)", "multiple of 16", 1},
        Wrong{"jumps_nowhere", "jump_nowhere", "nowhere(out);", "no code", 1},
        Wrong{"jumps_into_data", "jump_nowhere", "data(out);", "no code", 1},
        Wrong{"aborts", "abort_called", "abort();", "abort()", 1u << 3},
        Wrong{"throws_number", "exception_thrown", "throw 7", "exception", 1u << 3},
        Wrong{"exits", "exit_called", "exit(0);", "exit()", 1u << 3},
        Wrong{"prints_forever", "too_much_output", "", "printed more"},
        Wrong{"takes_all_memory", "invalid_address", "more[i] = 1", "null pointer", 0, 32, 30}));

TEST(ContainedEmulator, GivesWhatTheEmulatorGives) {
    if (!Pool::possible()) GTEST_SKIP() << "kernels run in the program itself here";
    for (const bool record : {false, true}) {
        const launch::Plan plan = plan_of("right", 64);
        launch::Request request;
        request.record = record;
        const auto here = emu::make_emulator()->run(plan, kernels(), request);
        const auto there = run(plan, record);
        EXPECT_EQ(here.buffers, there.buffers);
        EXPECT_TRUE(there.findings.empty());
        ASSERT_EQ(there.trace.has_value(), record);
        if (!record) continue;
        ASSERT_EQ(here.trace->records.size(), there.trace->records.size());
        for (std::size_t i = 0; i < here.trace->records.size(); ++i) {
            EXPECT_EQ(here.trace->records[i].op, there.trace->records[i].op);
            EXPECT_EQ(here.trace->records[i].line, there.trace->records[i].line);
            EXPECT_EQ(here.trace->records[i].value, there.trace->records[i].value);
            EXPECT_EQ(here.trace->records[i].element_index, there.trace->records[i].element_index);
        }
    }
}

// Everything that a finding holds comes from the worker: as where the kernel runs in this process, and from a run that
// died after it.
TEST(ContainedEmulator, ChecksAsTheEmulatorDoes) {
    if (!Pool::possible()) GTEST_SKIP() << "kernels run in the program itself here";
    for (const bool record : {false, true}) {
        launch::Request request;
        request.checks = true;
        request.record = record;
        request.block_order = launch::Order{launch::Order::Kind::descending, 0, {}};
        const auto here = check::make_emulator()->run(plan_of("races", 64), kernels(), request);
        const auto there = run(plan_of("races", 64), record, request);
        const auto dead = run(plan_of("races_and_aborts", 64), record, request);
        for (const auto* outcome : {&here, &there, &dead}) {
            SCOPED_TRACE(outcome == &here ? "here" : outcome == &there ? "in a worker" : "in a worker that died");
            EXPECT_EQ(outcome->verdict, trace::Verdict::wrong);
            ASSERT_FALSE(outcome->findings.empty());
            const trace::Finding& finding = outcome->findings.front();
            EXPECT_EQ(finding.kind, "race");
            EXPECT_EQ(finding.severity, trace::Severity::wrong);
            EXPECT_EQ(finding.array, "out");
            EXPECT_EQ(finding.index, 1);
            EXPECT_EQ(finding.lanes & 2, 2u);       // lane 1 writes what lane 0 has read
            EXPECT_EQ(finding.value, "1");
            EXPECT_FALSE(finding.advice.empty());
            const int expected = line_of(outcome == &dead ? "races_and_aborts(int* out)" : "races(int* out)") + 1;
            EXPECT_EQ(finding.line, expected) << finding.sentence;
            EXPECT_NE(finding.sentence.find("on line " + std::to_string(expected)), std::string::npos)
                << finding.sentence;
            ASSERT_TRUE(finding.other.has_value());
            EXPECT_EQ(finding.other->line, expected);
            EXPECT_EQ(finding.other->lanes & 1, 1u);
            EXPECT_EQ(finding.other->value, "0");
            if (!record) continue;
            // The two accesses, as the trace has them.
            ASSERT_GE(finding.record, 0);
            ASSERT_GE(finding.other->record, 0);
            for (const auto& record_of : outcome->trace->records) {
                if (record_of.warp != 0) continue;
                if (record_of.index == finding.record) { EXPECT_EQ(record_of.op, trace::Op::store); }
                if (record_of.index == finding.other->record) { EXPECT_EQ(record_of.op, trace::Op::load); }
            }
        }
        EXPECT_EQ(here.findings.size(), there.findings.size());
        EXPECT_EQ(here.findings.front().sentence, there.findings.front().sentence);
        EXPECT_EQ(here.findings.front().count, there.findings.front().count);
        EXPECT_EQ(dead.findings.back().kind, "abort_called");
    }
}

TEST(ContainedEmulator, LanesThatWaitForAVolatileWordLetOthersRun) {
    if (!Pool::possible()) GTEST_SKIP() << "kernels run in the program itself here";
    for (const bool record : {false, true})
        for (const unsigned threads : {32u, 96u}) {
            const auto outcome = run(plan_of("volatile_flag", threads), record, {}, 30);
            for (const auto& finding : outcome.findings) ADD_FAILURE() << finding.sentence;
            for (unsigned i = 0; i < threads; ++i) EXPECT_EQ(values_of<int>(outcome, 0)[i], 7) << i;
        }
}

TEST(ContainedEmulator, ALaneHasHalfAMegabyteOfItsOwn) {
    if (!Pool::possible()) GTEST_SKIP() << "kernels run in the program itself here";
    const testing::PeakMemory memory;
    for (const bool record : {false, true}) {
        const auto outcome = run(plan_of("local_memory", 1024), record, {}, 30);
        for (const auto& finding : outcome.findings) ADD_FAILURE() << finding.sentence;
        const auto values = values_of<int>(outcome, 0);
        for (int i : {0, 500, 1023}) {
            int sum = 0;
            for (int k = 0; k < 400; ++k) sum += static_cast<char>(k + i);
            EXPECT_EQ(values[static_cast<std::size_t>(i)], sum);
        }
    }
    EXPECT_LT(memory.megabytes(), kMegabytes);
}

// The first line of a kernel that stores its lane's 1.
int stored_at(const std::string& kernel) {
    return line_of("__global__ void " + kernel) + (kernel == "null_pointer" ? 2 : 1);
}

TEST(ContainedEmulator, WhatWasRecordedBeforeADeathIsThere) {
    if (!Pool::possible()) GTEST_SKIP() << "kernels run in the program itself here";
    for (const char* kernel : {"null_pointer", "aborts", "exits", "exits_at_once", "throws_number"}) {
        const auto outcome = run(plan_of(kernel, 32), true);
        ASSERT_TRUE(outcome.trace);
        std::uint32_t stored = 0;
        for (const auto& record : outcome.trace->records)
            if (record.op == trace::Op::store && record.line == stored_at(kernel))
                stored |= record.active;
        const std::uint32_t before = 0x7;   // lane 3 is the first to die
        EXPECT_EQ(stored & before, before) << kernel;
        EXPECT_EQ(values_of<int>(outcome, 0)[1], 1) << kernel;
        EXPECT_EQ(outcome.trace->header.launches.size(), 1u);
    }
}

// The best of some tries, for other programs may want the processor. Of a long record the beginning is there.
TEST(ContainedEmulator, ACancelEndsARunInTime) {
    if (!Pool::possible()) GTEST_SKIP() << "kernels run in the program itself here";
    const auto seconds_of = [](const char* kernel, bool record) {
        std::stop_source source;
        launch::Request request;
        request.stop = source.get_token();
        std::chrono::steady_clock::time_point asked;
        const std::jthread canceller([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            asked = std::chrono::steady_clock::now();
            source.request_stop();
        });
        const auto outcome = run(plan_of(kernel, 32), record, request, 30);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - asked;
        EXPECT_FALSE(outcome.findings.empty());
        EXPECT_EQ(outcome.findings.back().kind, "cancelled");
        EXPECT_GT(outcome.findings.back().line, 0) << outcome.findings.back().sentence;
        if (record && std::string(kernel) != "endless_nothing") {
            EXPECT_GT(outcome.trace->records.size(), 100u);
            EXPECT_TRUE(outcome.trace->partial);
        }
        return took.count();
    };
    for (const bool record : {false, true})
        for (const char* kernel : {"endless_nothing", "endless_fences", "volatile_flag_never_set"}) {
            double best = 1e9;
            for (int tries = 0; tries < 30 && best >= 0.2; ++tries) best = std::min(best, seconds_of(kernel, record));
            EXPECT_LT(best, 0.2) << kernel;
        }
}

// A run that came to its end before it was cancelled: its record is still to be read.
TEST(ContainedEmulator, ACancelEndsTheReadingOfARecord) {
    std::stop_source source;
    source.request_stop();
    launch::Request request;
    request.record = true;
    request.stop = source.get_token();
    launch::Plan plan = plan_of("right", 1024);
    for (int i = 1; i < 10; ++i) plan.launches.push_back(launch::LaunchSpec(plan.launches[0]));
    const auto outcome = check::make_emulator()->run(plan, kernels(), request);
    EXPECT_TRUE(outcome.trace->partial);
    EXPECT_NE(outcome.trace->partial_reason.find("cancelled"), std::string::npos) << outcome.trace->partial_reason;
    EXPECT_EQ(values_of<int>(outcome, 0)[7], 6);
}

TEST(ContainedEmulator, ARunOnSeveralThreadsIsStoppedToo) {
    if (!Pool::possible()) GTEST_SKIP() << "kernels run in the program itself here";
    launch::Plan plan = plan_of("endless_nothing", 32);
    plan.launches[0].grid.x = 8;
    launch::Request request;
    request.threads = 3;
    const auto outcome = run(plan, false, request);
    ASSERT_FALSE(outcome.findings.empty());
    EXPECT_EQ(outcome.findings.back().kind, "runaway");
    EXPECT_GT(outcome.findings.back().line, 0);
}

TEST(ContainedEmulator, ALaunchThatDoesNotFitIsRefusedAsBefore) {
    if (!Pool::possible()) GTEST_SKIP() << "kernels run in the program itself here";
    EXPECT_THROW(run(plan_of("right", 2048), false), Error);
}

}  // namespace
}  // namespace lanewise::worker
