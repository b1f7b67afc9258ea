// --time as a whole, with a clock that only pretends.
#include "common/runner/timer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <map>

#include "common/base/error.hpp"
#include "common/base/text.testing.hpp"
#include "common/cli/interrupts.hpp"
#include "common/print/print.hpp"
#include "common/timing/compare.hpp"
#include "common/cli/testing/tiny_program.testing.hpp"

namespace lanewise::cli {
namespace {

using lanewise::testing::contains;
using testing::TinyProgram;

std::size_t lines_with(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) count += contains(line, part);
    return count;
}

// On a GPU; small sizes of the table are those of the pretended one.
struct Timed : TinyProgram {
    Timed() {
        has_gpu = true;
        program.lesson.add({.name = "tiny_beside", .summary = "the sum, beside the library", .plan = testing::plan_tiny,
                            .timed_n = 4096, .baseline = "CUB DeviceReduce::Sum"});
    }
    // Interrupted before the measurement after `measurements`.
    void interrupt_after(int measurements) {
        program.watch_interrupts = [this, measurements] {
            return [this, measurements] { return measured >= measurements; };
        };
    }
};

TEST(Timer, ASweepIsMeasuredSizeBySize) {
    Timed tiny;
    const auto answer = tiny({"--time", "--sizes", "1000:5000", "--variant", "tiny_beside,tiny_sum"});
    EXPECT_EQ(answer.status, kExitOk) << answer.err;
    EXPECT_EQ(answer.err, "");  // no progress line without a terminal
    EXPECT_EQ(lines_with(answer.out, "tiny_sum "), 3u) << answer.out;
    EXPECT_EQ(lines_with(answer.out, "plain read  "), 3u) << answer.out;
    EXPECT_TRUE(contains(answer.out, "4000")) << answer.out;
    EXPECT_TRUE(contains(answer.out, "L2 warm"));
    EXPECT_TRUE(contains(answer.out, "before: SM 1980 MHz, memory 3201 MHz, 41 °C, no other process")) << answer.out;
    EXPECT_TRUE(contains(answer.out, "× library")) << answer.out;
    EXPECT_TRUE(contains(answer.out, "1.500")) << answer.out;   // 3 µs to 2
    EXPECT_TRUE(contains(answer.out, "50.0")) << answer.out;    // of a read's rate
}

TEST(Timer, TheTableHasItsRowsByName) {
    Timed tiny;
    const auto answer = tiny({"--time", "--sizes", "table", "--variant", "tiny_beside", "--json", tiny.path("t.json"),
                              "--csv", tiny.path("t.csv"), "--samples"});
    EXPECT_EQ(answer.status, kExitOk) << answer.err;
    for (const char* size : {"1024×1024", "1024×2048", "2048×1024", "4096×4096"})
        EXPECT_EQ(lines_with(answer.out, size), 4u) << size << '\n' << answer.out;  // itself, the library, read, copy
    EXPECT_TRUE(contains(answer.out, "outliers") && contains(answer.out, "2.00…2.40")) << answer.out;
    const auto saved = timing::load(tiny.path("t.json"));
    EXPECT_EQ(saved.rows.size(), 36u);
    EXPECT_EQ(saved.rows[0].size, "1024×1024");
    EXPECT_EQ(saved.rows[0].against, "CUB DeviceReduce::Sum");
    EXPECT_EQ(saved.rows[0].outliers, 1);
    EXPECT_EQ(saved.lesson, "99_tiny");
    EXPECT_EQ(saved.date, "2026-11-21");
    EXPECT_EQ(lines_with(testing::slurp(tiny.path("t.csv")), ","), 37u);
}

TEST(Timer, TheTerminalMayHaveTheFile) {
    Timed tiny;
    const auto csv = tiny({"--time", "--csv", "-"});
    EXPECT_EQ(csv.out.rfind("lesson,gpu,", 0), 0u) << csv.out;
    EXPECT_FALSE(contains(csv.out, "median µs"));
    const auto json = tiny({"--time", "--json", "-"});
    EXPECT_EQ(json.out.rfind("{\n", 0), 0u) << json.out;
}

TEST(Timer, TheStateOfTheCacheIsNamed) {
    Timed tiny;
    const auto answer = tiny({"--time", "--l2", "flushed"});
    EXPECT_TRUE(contains(answer.out, "L2 flushed · twice the L2 written before each run")) << answer.out;
}

TEST(Timer, AProgressLineStandsOnATerminalOnly) {
    Timed tiny;
    std::ostringstream out, err;
    run_program(tiny.program, {"--time", "--sizes", "64:128", "--variant", "tiny_sum"}, {out, err, false, true});
    EXPECT_TRUE(contains(err.str(), "[1/2] 64 · tiny_sum")) << err.str();
    EXPECT_TRUE(contains(err.str(), "[2/2] 128 · tiny_sum")) << err.str();
    EXPECT_TRUE(err.str().ends_with("\r\033[K"));
    EXPECT_FALSE(contains(out.str(), "\033"));
}

TEST(Timer, InterruptedItKeepsWhatItHas) {
    Timed tiny;
    tiny.interrupt_after(6);
    const auto answer = tiny({"--time", "--sizes", "64:512", "--variant", "tiny_beside", "--json", tiny.path("t.json"),
                              "--csv", tiny.path("t.csv")});
    EXPECT_EQ(answer.status, kExitPartial);
    EXPECT_EQ(answer.err, "The measurement is partial (interrupted): 6 rows were kept.\n");
    EXPECT_EQ(lines_with(answer.out, "tiny_beside "), 2u) << answer.out;
    EXPECT_TRUE(contains(answer.out, "Partial, what was measured before: interrupted.")) << answer.out;
    const auto saved = timing::load(tiny.path("t.json"));
    EXPECT_EQ(saved.partial, "interrupted");
    EXPECT_EQ(saved.rows.size(), 6u);
    EXPECT_TRUE(contains(testing::slurp(tiny.path("t.csv")), ",1\n"));
}

TEST(Timer, WhatDoesNotFitIsSaidAndTheRestMeasured) {
    Timed tiny;
    tiny.gpu_bytes = 1500;
    const auto answer = tiny({"--time", "--sizes", "256:512", "--variant", "tiny_sum"});
    EXPECT_EQ(answer.status, kExitOk) << answer.err;
    EXPECT_EQ(lines_with(answer.out, "tiny_sum at n = 512 needs"), 1u) << answer.out;
    EXPECT_EQ(lines_with(answer.out, "2.00…"), 1u) << answer.out;
    const auto nothing = tiny({"--time", "--sizes", "2^20:2^24:x16", "--variant", "tiny_sum"});
    EXPECT_EQ(nothing.status, kExitUsage);
    EXPECT_TRUE(
        contains(nothing.err, "tiny_sum at n = 1048576 needs 4.0 MiB of the GPU's memory, and 0.0 MiB are free"))
        << nothing.err;
}

TEST(Timer, KernelsThatCountIn32BitsAreLeftOutOfLargeSizes) {
    Timed tiny;
    tiny.program.lesson.add(
        {.name = "large", .summary = "counts in 64 bits", .plan = testing::plan_tiny, .large_n = true});
    tiny.gpu_bytes = 1000;   // so that no gigabytes are made
    const auto sized = tiny({"--time", "--sizes", "2^6:2^29:x1024", "--variant", "tiny_sum,large"});
    EXPECT_EQ(sized.status, kExitOk) << sized.err;
    const auto beyond = tiny({"--time", "--sizes", "2^29:2^29", "--variant", "tiny_sum"});
    EXPECT_EQ(beyond.status, kExitUsage);
    EXPECT_TRUE(contains(beyond.err, "tiny_sum counts in 32 bits: it takes at most 268435456 values")) << beyond.err;
    const auto expected = tiny({"--time", "--sizes", "2^29:2^29", "--variant", "large"});
    EXPECT_TRUE(contains(expected.err, "large at n = 536870912 needs 2.0 GiB")) << expected.err;
}

TEST(Timer, RecordsTheTableBesideTheVariantsOwnSizes) {
    Timed tiny;
    const auto answer = tiny({"--record", tiny.path("assets/recorded/pretended")});
    EXPECT_EQ(answer.status, kExitOk) << answer.err;
    const auto table = timing::load(tiny.path("assets/recorded/pretended/99_tiny/timings.json"));
    std::size_t own = 0, sized = 0;
    for (const auto& row : table.rows) (row.size.empty() ? own : sized) += row.variant == "tiny_beside";
    EXPECT_EQ(own, 1u);
    EXPECT_EQ(sized, 9u);
    // At each size the variant, its library and the read, to which it is nearer than to the copy.
    EXPECT_EQ(runner::without_sizes(table).rows.size(), table.rows.size() - 27);
    EXPECT_TRUE(std::none_of(table.rows.begin(), table.rows.end(), [](const timing::Timing& row) {
        return !row.size.empty() && row.variant == timing::kPlainCopy;
    }));
    EXPECT_TRUE(contains(table.method, "shapes of one product share a measurement")) << table.method;
    // Sizes that only the table has are not in the sweep, those of both are; and all variants are, at each.
    const auto sweep = timing::load(tiny.path("assets/recorded/pretended/99_tiny/sweep.json"));
    std::map<std::string, std::vector<std::uint64_t>> sizes_of;
    for (const auto& row : sweep.rows)
        if (!row.baseline) sizes_of[row.variant].push_back(row.n);
    for (const char* variant : {"tiny_sum", "tiny_beside"})
        EXPECT_EQ(sizes_of[variant], (std::vector<std::uint64_t>{1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20,
                                                              1 << 22, 1 << 24}))
            << variant;
    std::string shapes;
    for (const auto& row : table.rows)
        if (row.variant == "tiny_beside" && !row.size.empty())
            shapes += row.size + " " + std::to_string(row.n >> 20) + ", ";
    EXPECT_EQ(shapes,
              "1024×1024 1, 1024×2048 2, 1024×4096 4, 2048×1024 2, 2048×2048 4, 2048×4096 8, 4096×1024 4, "
              "4096×2048 8, 4096×4096 16, ");

    tiny.has_gpu = false;
    const auto shown = tiny({"--time", "--sizes", "table"});
    EXPECT_EQ(shown.status, kExitOk) << shown.err;
    EXPECT_TRUE(contains(shown.out, "Recorded on Pretended GPU"));
    EXPECT_EQ(lines_with(shown.out, "tiny_beside "), 10u) << shown.out;  // nine sizes and their mean
    EXPECT_EQ(lines_with(shown.out, "tiny_sum "), 0u);                   // nothing to compare it with: not in the table
    const auto plain = tiny({"--time"});
    EXPECT_EQ(lines_with(plain.out, "tiny_beside "), 1u) << plain.out;
    EXPECT_EQ(lines_with(plain.out, "4096×4096"), 0u) << plain.out;
    EXPECT_EQ(tiny({"--time", "--l2", "warm"}).status, kExitOk);
    const auto flushed = tiny({"--time", "--l2", "flushed"});
    EXPECT_EQ(flushed.status, kExitUsage);
    EXPECT_TRUE(contains(flushed.err, "--l2 flushed: what was recorded on Pretended GPU was measured with L2 warm"))
        << flushed.err;
    const auto other = tiny({"--time", "--sizes", "10:20"});
    EXPECT_EQ(other.status, kExitUsage);
    EXPECT_TRUE(contains(other.err, "nothing was recorded with --sizes 10:20")) << other.err;
    const auto shaped = tiny({"--time", "--rows", "7", "--columns", "7"});
    EXPECT_EQ(shaped.status, kExitUsage);
    EXPECT_TRUE(contains(shaped.err, "nothing was recorded with --rows 7 --columns 7")) << shaped.err;
    // The sweep's file has what it was recorded with, and no more.
    const auto swept = tiny({"--time", "--sizes", "2^10:2^14:x4", "--backend", "recorded"});
    EXPECT_EQ(swept.status, kExitOk) << swept.err;
    EXPECT_TRUE(contains(swept.out, "16384")) << swept.out;
}

TEST(Timer, AnInterruptedRecordingWritesNoTimes) {
    Timed tiny;
    tiny.interrupt_after(30);
    const auto answer = tiny({"--record", tiny.path("recorded")});
    EXPECT_EQ(answer.status, kExitPartial);
    EXPECT_TRUE(contains(answer.err, "none were written: interrupted")) << answer.err;
    EXPECT_FALSE(std::filesystem::exists(tiny.path("recorded/99_tiny/timings.json")));
}

TEST(Timer, AnotherProcessAndAWideSpreadAreSaid) {
    timing::TimingTable table;
    table.before = timing::GpuState{1980, 3201, 41, 2, ""};
    timing::Timing row;
    row.variant = "a";
    timing::set_times(row, {1, 1, 1, 1, 2, 2, 2});
    table.rows = {row};
    std::ostringstream out;
    print::print_time(out, table, print::Paint(false));
    EXPECT_TRUE(contains(out.str(), "2 other processes also used this GPU")) << out.str();
    EXPECT_TRUE(contains(out.str(), "1 of 1 measurements vary by more than 10 %")) << out.str();
}

TEST(Timer, FlagsThatDoNotFitTogetherAreSentences) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> table = {
        {{"--sizes", "table"}, "--sizes says how to measure; add --time"},
        {{"--csv", "x"}, "--csv says how to measure"},
        {{"--samples"}, "--samples says how to measure"},
        {{"--time", "--sizes", "tabel"}, "--sizes tabel is no range of sizes"},
        {{"--time", "--sizes"}, "--sizes needs a value"},
        {{"--time", "--sizes", "1:2^29"}, "goes beyond 268435456"},
        {{"--time", "--sizes", "table", "--n", "5"}, "leave out --n"},
        {{"--time", "--l2", "cold"}, "warm, flushed"},
        {{"--time", "--csv", "-", "--json", "-"}, "both want the terminal"},
        {{"--time", "--csv", "/no/such/folder/x.csv"}, "/no/such/folder/x.csv"},
    };
    for (const auto& [arguments, part] : table) {
        Timed tiny;
        const auto answer = tiny(arguments);
        EXPECT_EQ(answer.status, kExitUsage) << arguments.back();
        EXPECT_TRUE(contains(answer.err, part)) << answer.err;
    }
}

TEST(Interrupts, AreNotedOnceAndThenAsBefore) {
    {
        const Interrupts interrupts;
        EXPECT_FALSE(interrupts.asked());
        std::raise(SIGINT);
        EXPECT_TRUE(interrupts.asked());
        struct sigaction now {};
        sigaction(SIGINT, nullptr, &now);
        EXPECT_EQ(now.sa_handler, SIG_DFL);  // the second ends the program
    }
    const Interrupts again;
    EXPECT_FALSE(again.asked());
}

}  // namespace
}  // namespace lanewise::cli
