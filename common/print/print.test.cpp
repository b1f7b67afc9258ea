#include "common/print/print.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "common/base/text.testing.hpp"
#include "common/cli/testing/tiny_program.testing.hpp"
#include "common/scene/sums/absorbed.hpp"
#include "common/steps/testing/programs.testing.hpp"
#include "common/trace/trace_builder.testing.hpp"

namespace lanewise::print {

using lanewise::testing::contains;
using runner::FinishedRun;

namespace {

using cli::testing::TinyProgram;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::size_t columns(const std::string& line) {
    std::size_t count = 0;
    for (const char c : line) count += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    return count;
}

TEST(PrintText, AShuffleStep) {
    TinyProgram tiny;
    const auto answer = tiny({"--text", "--backend", "cpu", "--step", "2"});
    const std::string wanted =
        "● emulator · ascending\n"
        "Tiny · tiny_sum\n"
        "n 32 · block 32 · input ramp\n"
        "\n"
        "step 2 of 6 · xor 16                                                                 32 active lanes\n"
        "     2 │ value += __shfl_xor_sync(0xffffffffu, value, mask);\n"
        "    lane          0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15\n"
        "    holds         0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15\n"
        "    reads lane   16  17  18  19  20  21  22  23  24  25  26  27  28  29  30  31\n"
        "    receives     16  17  18  19  20  21  22  23  24  25  26  27  28  29  30  31\n"
        "    then holds   16  18  20  22  24  26  28  30  32  34  36  38  40  42  44  46\n"
        "    lane         16  17  18  19  20  21  22  23  24  25  26  27  28  29  30  31\n"
        "    holds        16  17  18  19  20  21  22  23  24  25  26  27  28  29  30  31\n"
        "    reads lane    0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15\n"
        "    receives      0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15\n"
        "    then holds   16  18  20  22  24  26  28  30  32  34  36  38  40  42  44  46\n"
        "    lane 5 ← lane 21 = 5 xor 16: 00101 ^ 10000 = 10101; 5 + 21 = 26\n"
        "\n"
        "The whole run\n";
    EXPECT_EQ(answer.out.substr(0, wanted.size()), wanted);
    EXPECT_NE(answer.out.find("out = 496 · reference 496 · error 0"), std::string::npos) << answer.out;
    EXPECT_NE(answer.out.find("5 shuffle rounds · 0 block barriers"), std::string::npos) << answer.out;
}

TEST(PrintText, FitsAHundredColumns) {
    TinyProgram tiny;
    for (const char* input : {"ramp", "random"})
        for (const auto& line : lines_of(tiny({"--text", "--backend", "cpu", "--input", input}).out))
            EXPECT_LE(columns(line), kColumns) << line;
}

TEST(PrintText, TheLaneThatWasAskedFor) {
    TinyProgram tiny;
    EXPECT_NE(tiny({"--text", "--backend", "cpu", "--lane", "9"}).out.find("lane 9 ← lane 25"), std::string::npos);
}

TEST(PrintText, ColoursOnlyWhereAsked) {
    TinyProgram tiny;
    EXPECT_EQ(tiny({"--text", "--backend", "cpu"}).out.find('\033'), std::string::npos);
    EXPECT_NE(tiny({"--text", "--backend", "cpu", "--color", "always"}).out.find("\033["), std::string::npos);
}

TEST(PrintText, Findings) {
    TinyProgram tiny;
    auto run = std::make_shared<run::Run>();
    trace::testing::TraceBuilder made;
    made.warp(0, 0).shuffle_sum(2, trace::Op::shfl_down, 16);
    run->trace = made.trace;
    run->trace.findings.push_back(
        {"mask_without_caller", "tiny_sum<32>", 2, 0, 0, 0x0000ff01u, 3, "Lane 0 calls with a mask."});
    run->steps = steps::build_steps(run->trace);
    FinishedRun finished;
    finished.run = run;
    std::ostringstream out;
    print_text(out, tiny.program.lesson, finished, {});
    EXPECT_NE(out.str().find(
                  "finding: mask_without_caller · tiny_sum<32> line 2 · block 0 warp 0 lanes 0, 8-15 · seen 3 times"),
              std::string::npos)
        << out.str();
    EXPECT_NE(out.str().find("Lane 0 calls with a mask."), std::string::npos);
}

std::string text_of(const trace::testing::TraceBuilder& made, const TextView& view = {}) {
    TinyProgram tiny;
    auto run = std::make_shared<run::Run>();
    run->trace = made.trace;
    run->steps = steps::build_steps(run->trace);
    FinishedRun finished;
    finished.run = run;
    std::ostringstream out;
    print_text(out, tiny.program.lesson, finished, view);
    return out.str();
}

// 2^24 + 1 is 2^24 in f32: in lanes 0 and 16, which add them in the first round, the addition leaves the sum as it was.
// In later rounds the sums that are added are 2 and more.
TEST(PrintText, AResultThatAbsorbedAdditionsSaysSo) {
    run::Run run;
    run.trace = steps::testing::warp_tree(trace::Op::shfl_xor, {16, 8, 4, 2, 1},
                                          [](std::int64_t lane) { return lane == 0 ? 0x1p24f : 1.0f; });
    run.steps = steps::build_steps(run.trace);
    run::Result& result = run.results.emplace_back();
    result.output = "out";
    result.value = 0x1p24 + 30;
    result.reference = 0x1p24 + 31;
    result.error = 1;
    result.bound = 5;
    const auto printed = [&] {
        FinishedRun finished;
        finished.run = std::shared_ptr<const run::Run>(std::shared_ptr<void>(), &run);
        std::ostringstream out;
        print_results(out, finished, Paint(false));
        return out.str();
    };
    EXPECT_NE(
        printed().find("within its bound\n    but 2 additions had no effect (absorbed): --rounding shows where\n"),
        std::string::npos)
        << printed();
    EXPECT_EQ(scene::absorbed_text(run), "2 additions had no effect (absorbed)");
    // What came out wrong is reported as that.
    result.ok = false;
    EXPECT_EQ(printed().find("absorbed"), std::string::npos);
    EXPECT_EQ(scene::absorbed_text(std::size_t{1}), "1 addition had no effect (absorbed)");
    EXPECT_EQ(scene::absorbed_text(std::size_t{0}), "");
}

// In a terminal of 80 columns the rows of lanes are broken, not wrapped by it.
TEST(PrintText, RowsOfLanesKeepToANarrowTerminal) {
    trace::testing::TraceBuilder made;
    auto warp = made.warp(0, 0);
    for (std::size_t lane = 0; lane < 32; ++lane) warp.values[lane] = 0.1f + static_cast<float>(lane) / 7;
    warp.shuffle_sum(2, trace::Op::shfl_xor, 16);
    TextView view;
    view.columns = 80;
    std::size_t rows = 0;
    for (const auto& line : lines_of(text_of(made, view))) {
        if (!line.starts_with("    lane  ") && !line.starts_with("    holds") && !line.starts_with("step ")) continue;
        EXPECT_LE(columns(line), 80u) << line;
        ++rows;
    }
    EXPECT_EQ(rows, 17u);   // of four lanes each, and the step's heading
}

void expect_in(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
}

TEST(PrintText, CollectiveSteps) {
    trace::testing::TraceBuilder made;
    const auto out = made.array("out", trace::Space::global, 64);
    auto warp = made.warp(0, 0);
    warp.reduce_add(3, [](int lane) { return static_cast<std::uint32_t>(lane); }, trace::Effect::replace, 0xff);
    warp.match_any(4, [](int lane) { return static_cast<std::uint32_t>(lane % 2); }, 0xff);
    warp.fence(5, 2, 0xff);
    warp.active_mask(6, 0xff);
    warp.barrier_vote(7, trace::Op::sync_block_count, [](int lane) { return lane < 5; }, 9, 0xff);
    warp.last().shared.push_back({out, 32, {to_bits(1.5f)}, {true}});
    const std::string text = text_of(made);
    expect_in(text, "    offers        0   1   2   3   4   5   6   7\n    receives     28  28");
    expect_in(text, "lane 5 ← lanes 0…7: 0 + 1 + 2 + … = 28");
    expect_in(text, "    offers        0   1   0   1   0   1   0   1\n    receives     55  aa");
    expect_in(text, "fence system");
    expect_in(text, "    lanes 0-7 pass, waiting for no other thread");
    expect_in(text, "    lanes 0-7 find 0x000000ff");
    expect_in(text, "    lanes 0-4 say yes; the block's answer is 9");
    expect_in(text, "    out[32]");
}

TEST(PrintText, ATeachingWarpHasOnlyItsLanes) {
    trace::testing::TraceBuilder made;
    made.trace.header.warp_size = 8;
    auto warp = made.warp(0, 0);
    warp.values.fill(1);
    warp.shuffle_sum(3, trace::Op::shfl_xor, 4, 8, 0xff);
    const std::string text = text_of(made);
    expect_in(text, "    lane          0   1   2   3   4   5   6   7\n");
    EXPECT_EQ(text.find("  8   9"), std::string::npos) << text;
}

// A vector has rows of its own, so that 16 lanes stay side by side.
TEST(PrintText, VectorsAreShownElementByElement) {
    trace::testing::TraceBuilder made;
    const auto in = made.array("in", trace::Space::global, 256);
    auto warp = made.warp(0, 0);
    warp.load_pack(3, in, 4, [](int lane) { return 4 * lane; },
                   [](int lane, int k) { return -1234.5678f * static_cast<float>(4 * lane + k); }, 0xff);
    const std::string text = text_of(made);
    expect_in(text, "    lane                0         1 ");
    expect_in(text, "    in                [0]       [4] ");
    expect_in(text, "    reads              -0 -4938.271 ");
    expect_in(text, "      +1        -1234.56… -6172.839 ");
    expect_in(text, "      +3        -3703.70… -8641.975 ");
    for (const std::string& line : lines_of(text)) EXPECT_LE(columns(line), kColumns) << line;
}

TEST(PrintText, WhatTheRunCost) {
    trace::testing::TraceBuilder made;
    made.trace.header.launches[0].block = {32, 1, 1};
    const auto in = made.array("in", trace::Space::global, 512);
    const auto tree = made.array("tree", trace::Space::shared, 64);
    for (std::uint32_t block = 0; block < 2; ++block) {
        auto warp = made.warp(block, 0);
        warp.load(3, in, [](int lane) { return 8 * lane; }, [](int lane) { return float(lane); });
        warp.store(4, tree, [](int lane) { return 2 * lane; });
        warp.shuffle_sum(5, trace::Op::shfl_down, 16, 32, 0xffff);
    }
    const std::string text = text_of(made);
    // What is the same in all blocks is printed of one.
    const std::string costs =
        "    50.0 % lane utilization in add steps: 16 of 32\n"
        "    global memory: 1 request · 32 sectors of 32 bytes · 32.0 sectors a request · 128 of 1024 bytes used\n"
        "    shared memory: 1 request · 2 wavefronts · 1 more for bank conflicts and wide accesses\n"
        "    83 % of the lanes active in a step, on average\n";
    const std::string counts =
        "1 shuffle round · 0 block barriers · 32 shared accesses · 32 global accesses · 0 atomics";
    expect_in(text, "  each of 2 recorded blocks\n    " + counts + "\n" + costs);
    // A block by itself is named; where blocks differ, their costs are added up.
    trace::testing::TraceBuilder one = made;
    std::erase_if(one.trace.records, [](const trace::Record& record) { return record.block == 1; });
    expect_in(text_of(one), "  block 0\n    " + counts + "\n" + costs);
    const auto second = made.trace.records.back().index + 1;
    made.warp(1, 0).store(6, tree, [](int) { return 0; }, 1);
    EXPECT_EQ(made.trace.records.back().index, second);
    const std::string differing = text_of(made);
    expect_in(differing,
              "  block 0\n    " + counts + "\n  block 1\n    1 shuffle round · 0 block barriers · 33 shared accesses");
    expect_in(differing,
              "  the 2 recorded blocks together\n    50.0 % lane utilization in add steps: 32 of 64\n"
              "    global memory: 2 requests · 64 sectors");
    expect_in(differing, "shared memory: 3 requests · 5 wavefronts · 2 more");
    // A GPU's trace alone has neither loads nor stores.
    std::erase_if(one.trace.records, [](const trace::Record& record) { return trace::is_access(record.op); });
    expect_in(text_of(one), "    1 shuffle round · 0 block barriers · loads, stores and atomics not recorded\n");
}

TEST(PrintText, OtherOrdersOfTheBlocks) {
    trace::testing::TraceBuilder made;
    made.warp(0, 0).sync_warp(3);
    EXPECT_EQ(text_of(made).find("in other orders"), std::string::npos);
    made.trace.outputs.push_back({"out", Element::f32, 1, {to_bits(0.1f)}});
    made.trace.reruns.push_back({"descending", {{"out", Element::f32, 1, {to_bits(0.1f) + 3}}}});
    made.trace.reruns.push_back({"seed 3", {{"out", Element::f32, 1, {to_bits(0.1f)}}}});
    made.trace.reruns.push_back({"seed 4", {{"out", Element::f32, 1, {to_bits(0.1f) - 1}}}});
    const std::string text = text_of(made);
    expect_in(text, "  the same out in other orders of the blocks\n");
    expect_in(text, "    ascending           0.1  0x3dcccccd  0\n");
    expect_in(text, "    descending  0.100000024  0x3dccccd0  +3\n");
    expect_in(text, "    seed 3              0.1  0x3dcccccd  0\n");
    expect_in(text, "    seed 4      0.099999994  0x3dcccccc  -1\n");
}

TEST(PrintList, ALineEach) {
    TinyProgram tiny;
    const auto lines = lines_of(tiny({"--list"}).out);
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[1].rfind("tiny_sum ", 0), 0u);
    EXPECT_NE(lines[2].find("wrong on purpose"), std::string::npos);
}

TEST(PrintCheck, CountsOnlyWhatHasResults) {
    const CheckedVariant nothing{"of_rows", 6, "", {}};
    CheckedVariant right{"of_a_sum", 6, "", {}};
    right.checked.results.push_back({.output = "out", .ok = true});
    std::ostringstream none, one;
    EXPECT_EQ(print_check(none, "recordings", {nothing}, Paint(false)), 1);
    EXPECT_TRUE(contains(none.str(), "no results") && contains(none.str(), "no variant has results to check"))
        << none.str();
    EXPECT_FALSE(contains(none.str(), "within their bounds")) << none.str();
    EXPECT_EQ(print_check(one, "recordings", {nothing, right}, Paint(false)), 0);
    EXPECT_TRUE(contains(one.str(), "1 of 2 variants, all within their bounds")) << one.str();
}

TEST(PrintTime, NamesTheMachineAndTheBaseline) {
    timing::TimingTable table;
    table.gpu = "NVIDIA H200";
    table.date = "2026-11-21";
    table.driver = "13.0";
    table.l2 = "warm";
    table.method = "graph of 20 launches";
    table.recorded = true;
    timing::Timing row;
    row.variant = "block_sum_shared";
    row.n = 1048576;
    row.block = 256;
    row.value = -12.5;
    row.error = 0.00125;
    row.median_us = 17.7;
    row.low_us = 17.5;
    row.high_us = 18;
    row.bytes = 4194304;
    timing::Timing baseline = row;
    baseline.variant = "CUB DeviceReduce::Sum";
    baseline.baseline = true;
    table.rows = {row, baseline};
    std::ostringstream out;
    print_time(out, table, Paint(false));
    const auto lines = lines_of(out.str());
    EXPECT_EQ(lines[0], "Recorded on NVIDIA H200 · 2026-11-21");
    EXPECT_EQ(lines[1], "CUDA 13.0 · L2 warm · graph of 20 launches");
    EXPECT_NE(lines[3].find("17.70"), std::string::npos) << lines[3];
    EXPECT_NE(lines[3].find("237.0"), std::string::npos) << lines[3];
    EXPECT_EQ(lines[4].rfind("CUB DeviceReduce::Sum", 0), 0u);
}

TEST(PrintNumbers, Forms) {
    EXPECT_EQ(format_number(496), "496");
    EXPECT_EQ(format_number(std::copysign(std::nan(""), -1.0)), "nan");   // not "-nan"
    EXPECT_EQ(format_number(0.1), "0.1");
    EXPECT_EQ(pad_left("é", 3), "  é");
    EXPECT_EQ(pad_right("a", 3), "a  ");
}

}  // namespace
}  // namespace lanewise::print
