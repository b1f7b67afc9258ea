// Lessons on rows: --rows and --columns, the table of their shapes, and what was recorded of torch next to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "common/base/error.hpp"
#include "common/base/text.testing.hpp"
#include "common/cli/testing/tiny_program.testing.hpp"
#include "common/lesson/rows.hpp"

namespace lanewise::cli {

using lesson::Rows;

namespace {

using lanewise::testing::contains;
using testing::TinyProgram;

constexpr std::uint64_t kMostPlanned = 1u << 16;

// A variant on rows, which notes what it was planned on; of many values it takes the first few. Plans may be made on
// several threads.
struct WithRows : TinyProgram {
    std::vector<Rows> planned;
    std::mutex noting;

    WithRows() {
        program.lesson.add({.name = "tiny_rows",
                            .summary = "the sum of all rows",
                            .n = 64,
                            .columns = 16,
                            .plan =
                                [this](launch::Plan& plan, lesson::Inputs inputs) {
                                    {
                                        const std::lock_guard lock(noting);
                                        planned.push_back(lesson::rows_of(inputs));
                                    }
                                    inputs.n = std::min(inputs.n, kMostPlanned);
                                    testing::plan_tiny(plan, inputs);
                                },
                            .timed_n = 4096,
                            .timed_columns = 1024,
                            .baseline = "torch.compile tiny"});
    }
    Rows last() const { return planned.empty() ? Rows{0, 0} : planned.back(); }
};

TEST(Rows, ShapeTheInput) {
    const auto shape = [](const std::vector<std::string>& flags) {
        WithRows tiny;
        std::vector<std::string> all = {"--check", "--backend", "cpu", "--variant", "tiny_rows"};
        all.insert(all.end(), flags.begin(), flags.end());
        const auto answer = tiny(all);
        EXPECT_EQ(answer.status, kExitOk) << answer.err << answer.out;
        return std::pair(tiny.last().count, tiny.last().columns);
    };
    EXPECT_EQ(shape({}), (std::pair<std::uint64_t, std::uint64_t>(4, 16)));
    EXPECT_EQ(shape({"--rows", "3"}), (std::pair<std::uint64_t, std::uint64_t>(3, 16)));
    EXPECT_EQ(shape({"--columns", "33"}), (std::pair<std::uint64_t, std::uint64_t>(4, 33)));
    EXPECT_EQ(shape({"--rows", "1", "--columns", "4097"}), (std::pair<std::uint64_t, std::uint64_t>(1, 4097)));
    EXPECT_EQ(shape({"--n", "48"}), (std::pair<std::uint64_t, std::uint64_t>(3, 16)));
    EXPECT_EQ(shape({"--n", "31"}), (std::pair<std::uint64_t, std::uint64_t>(1, 31)));  // no whole rows: one of them
}

TEST(Rows, WhatIsWrongIsSaid) {
    const auto error = [](const std::vector<std::string>& flags) {
        WithRows tiny;
        std::vector<std::string> all = {"--check", "--backend", "cpu"};
        all.insert(all.end(), flags.begin(), flags.end());
        const auto answer = tiny(all);
        EXPECT_EQ(answer.status, kExitUsage) << answer.out;
        return answer.err;
    };
    EXPECT_TRUE(contains(error({"--variant", "tiny_rows", "--columns", "0"}),
                         "--columns 0 is out of range; give a number from 1"));
    EXPECT_TRUE(contains(error({"--variant", "tiny_rows", "--rows", "0"}), "--rows 0 is out of range"));
    EXPECT_TRUE(contains(error({"--variant", "tiny_rows", "--rows", "-4"}), "--rows -4 is out of range"));
    EXPECT_TRUE(
        contains(error({"--variant", "tiny_rows", "--columns", "many"}), "--columns many is not a whole number"));
    EXPECT_TRUE(contains(error({"--variant", "tiny_sum", "--rows", "4"}),
                         "--rows 4: tiny_sum takes one run of values and no rows; leave out --rows."));
    EXPECT_TRUE(contains(error({"--variant", "tiny_rows", "--rows", "100000", "--columns", "100000"}),
                         "100000 rows of 100000 columns are more than the 268435456 values that a run may have"));
    EXPECT_TRUE(contains(error({"--variant", "tiny_rows", "--rows", "5", "--columns", "3", "--values", "1,2,3,4"}),
                         "5 rows of 3 columns are 15 values: --values gives 4 numbers; add some, or give fewer with "
                         "--rows and --columns."));
    EXPECT_TRUE(contains(error({"--variant", "tiny_rows", "--n", "64", "--rows", "4"}),
                         "--n 64 and --rows 4 both say how many values"));
    EXPECT_TRUE(contains(error({"--variant", "tiny_rows", "--time", "--sizes", "64:128", "--columns", "4"}),
                         "leave out --columns, or --sizes"));
}

// All variants are asked for at once: those without rows take as many values.
TEST(Rows, AmongAllVariantsThoseWithoutTakeAsManyValues) {
    WithRows tiny;
    const auto answer = tiny({"--check", "--backend", "cpu", "--rows", "3", "--columns", "33"});
    EXPECT_EQ(answer.status, kExitOk) << answer.err << answer.out;
    EXPECT_TRUE(contains(answer.out, "tiny_sum")) << answer.out;
    EXPECT_EQ(tiny.last().count, 3u);
}

TEST(Rows, TheTableOfSizesIsOfRows) {
    WithRows tiny;
    tiny.has_gpu = true;
    const auto answer = tiny({"--time", "--sizes", "table", "--variant", "tiny_rows", "--json", tiny.path("t.json")});
    // 2^30 values are more than this kernel counts.
    EXPECT_EQ(answer.status, kExitOk) << answer.err;
    EXPECT_TRUE(contains(answer.out, "1024×65536")) << answer.out;
    const auto saved = timing::load(tiny.path("t.json"));
    EXPECT_EQ(saved.rows.front().size, "1024×1024");
    bool seen = false;
    for (const Rows& rows : tiny.planned) seen = seen || (rows.count == 16384 && rows.columns == 4096);
    EXPECT_TRUE(seen);
}

TEST(Rows, TorchStandsBesideWhereItWasRecordedOnTheSameGpu) {
    WithRows tiny;
    tiny.has_gpu = true;
    timing::TimingTable torch;
    torch.lesson = "torch tiny";
    torch.gpu = "Pretended GPU";
    torch.date = "2026-11-20";
    torch.l2 = "warm";
    torch.method = "graphs";
    for (const std::uint64_t n : {4096u, 8192u}) {
        timing::Timing row;
        row.variant = "torch.compile tiny";
        row.element = "f32";
        row.baseline = true;
        row.n = n;
        row.size = n == 4096 ? "4×1024" : "8×1024";
        timing::set_times(row, {5, 5, 5});
        torch.rows.push_back(row);
    }
    const auto folder = tiny.program.lesson.recordings() / "gpu" / "99_tiny";
    std::filesystem::create_directories(folder);
    timing::save(folder / "torch.json", torch);
    const auto answer = tiny({"--time", "--variant", "tiny_rows", "--json", tiny.path("t.json")});
    EXPECT_EQ(answer.status, kExitOk) << answer.err;
    EXPECT_TRUE(contains(answer.out, "torch.compile tiny")) << answer.out;
    EXPECT_TRUE(contains(answer.out, "2.50")) << answer.out;  // 5 µs to 2
    EXPECT_TRUE(contains(answer.out, "torch was recorded on 2026-11-20: graphs.")) << answer.out;
    std::size_t beside = 0;
    for (const auto& row : timing::load(tiny.path("t.json")).rows) beside += row.variant == "torch.compile tiny";
    EXPECT_EQ(beside, 1u);  // at the sizes of the table alone

    torch.gpu = "Another GPU";
    timing::save(folder / "torch.json", torch);
    EXPECT_FALSE(contains(tiny({"--time", "--variant", "tiny_rows"}).out, "torch"));
}

TEST(Rows, ADamagedRecordingOfTorchLeavesTheLessonsOwnTimes) {
    WithRows tiny;
    timing::TimingTable own;
    own.lesson = "99_tiny";
    own.gpu = "Pretended GPU";
    own.date = "2026-11-20";
    own.l2 = "warm";
    timing::Timing row;
    row.variant = "tiny_rows";
    row.element = "f32";
    row.n = 4096;
    row.columns = 1024;
    timing::set_times(row, {7.25, 7.25, 7.25});
    own.rows.push_back(row);
    const auto folder = tiny.program.lesson.recordings() / "gpu" / "99_tiny";
    std::filesystem::create_directories(folder);
    timing::save(folder / "timings.json", own);
    std::ofstream(folder / "torch.json") << "{ \"format\": ";
    const auto answer = tiny({"--table"});
    EXPECT_TRUE(contains(answer.out, "7.25 µs at 4×1024")) << answer.out;
    EXPECT_TRUE(contains(answer.err, "torch.json")) << answer.err;
}

}  // namespace
}  // namespace lanewise::cli
