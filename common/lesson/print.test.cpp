#include "common/lesson/print.hpp"

#include <gtest/gtest.h>

#include "common/lesson/testing.hpp"

namespace lanewise::lesson {
namespace {

using testing::TinyProgram;

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
        "step 2 of 6 · xor 16                                                                32 lanes at work\n"
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
    auto run = std::make_shared<lesson::Run>();
    trace::testing::TraceBuilder made;
    made.warp(0, 0).shuffle_sum(2, trace::Op::shfl_down, 16);
    run->trace = made.trace;
    run->trace.findings.push_back({"mask_without_caller", "tiny_sum<32>", 2, 0, 0, 0x0000ff01u, 3, "Lane 0 calls with a mask."});
    run->steps = steps::build_steps(run->trace);
    FinishedRun finished;
    finished.run = run;
    std::ostringstream out;
    print_text(out, tiny.program.lesson, finished, "", {});
    EXPECT_NE(out.str().find("finding: mask_without_caller · tiny_sum<32> line 2 · block 0 warp 0 lanes 0, 8-15 · seen 3 times"),
              std::string::npos) << out.str();
    EXPECT_NE(out.str().find("Lane 0 calls with a mask."), std::string::npos);
}

TEST(PrintList, ALineEach) {
    TinyProgram tiny;
    const auto lines = lines_of(tiny({"--list"}).out);
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[1].rfind("tiny_sum ", 0), 0u);
    EXPECT_NE(lines[2].find("wrong on purpose"), std::string::npos);
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
    EXPECT_EQ(format_number(0.1), "0.1");
    EXPECT_EQ(pad_left("é", 3), "  é");
    EXPECT_EQ(pad_right("a", 3), "a  ");
}

}  // namespace
}  // namespace lanewise::lesson
