#include "common/run/comparison.hpp"

#include <sstream>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/print/print.hpp"
#include "common/trace/trace_builder.testing.hpp"

namespace lanewise::print {

using run::Column;
using run::compared;
using run::ComparedVariant;
using run::Comparison;
using run::explain;
using run::parse_sorting;
using run::Run;

namespace {

using trace::Op;
using trace::Space;
using trace::testing::TraceBuilder;

// Two of four recorded blocks of 64 threads: `loads` loads of `wide` words by each, one atomic by each warp's lane 0.
Run run_of(int loads, int wide, bool apart = false) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 4096);
    const auto out = made.array("out", Space::global, 64);
    const auto tree = made.array("tree", Space::shared, 64);
    made.trace.header.launches[0].grid = {4, 1, 1};
    made.trace.header.n = 1024;
    for (std::uint32_t block = 0; block < 2; ++block)
        for (std::uint32_t number = 0; number < 2; ++number) {
            auto warp = made.warp(block, number);
            for (int i = 0; i < loads; ++i)
                warp.load_pack(
                    3, in, wide, [](int lane) { return lane * 4; },
                    [](int lane, int) { return static_cast<float>(lane); });
            warp.load(4, tree, [](int lane) { return lane; }, [](int) { return 1.0f; });
            warp.atomic_add(5, out, apart ? static_cast<std::int64_t>(block) : 0, 0, 1);
        }
    Run run;
    run.trace = std::move(made.trace);
    run.trace.header.variant = "kernel";
    run::Result result;
    result.output = "out";
    result.value = 10.5;
    result.reference = 10;
    result.error = 0.5;
    result.bound = 1;
    run.results.push_back(result);
    return run;
}

timing::Timing time_of(const std::string& name, std::uint64_t n, double us) {
    timing::Timing row;
    row.variant = name;
    row.n = n;
    row.median_us = us;
    row.bytes = n * 4;
    return row;
}

TEST(Compared, ShowsWhatTheRecordsAndTheTimesShow) {
    timing::TimingTable times;
    times.gpu = "NVIDIA H200";
    times.date = "2026-11-21";
    times.rows = {time_of("kernel", 1 << 10, 2), time_of("kernel", 1 << 20, 4), time_of("other", 1 << 22, 1)};
    const ComparedVariant row = compared(run_of(3, 4), times);
    EXPECT_EQ(row.variant, "kernel");
    EXPECT_EQ(row.threads, 256u);
    EXPECT_EQ(row.loads, 3);       // of global memory, not of shared; of four words each
    EXPECT_EQ(row.atomics, 8);     // four blocks of two warps
    EXPECT_TRUE(row.one_address);
    EXPECT_EQ(row.input, "f32");
    EXPECT_EQ(row.error, 0.5);
    EXPECT_EQ(row.median_us, 4);   // at the largest size
    EXPECT_EQ(row.timed_n, 1u << 20);
    EXPECT_DOUBLE_EQ(*row.gb_per_s, 4 * (1 << 20) / 4e-6 * 1e-9);
    EXPECT_FALSE(compared(run_of(1, 1, true), times).one_address);
}

TEST(Compared, LoadsAreNotKnownWhereNoAccessWasRecorded) {
    auto run = run_of(1, 1);
    std::erase_if(run.trace.records, [](const trace::Record& record) { return record.op == Op::load; });
    const ComparedVariant row = compared(run, {});
    EXPECT_FALSE(row.loads.has_value());
    EXPECT_EQ(row.atomics, 8);
    EXPECT_EQ(run::cell_text(row, Column::loads), "-");
    EXPECT_EQ(run::cell_text(row, Column::time), "-");
}

TEST(ParseSorting, NamesTheColumnsThereAre) {
    EXPECT_EQ(parse_sorting("error").column, Column::error);
    EXPECT_FALSE(parse_sorting("time").down);
    EXPECT_TRUE(parse_sorting("time:down").down);
    for (const char* wrong : {"eror", "", "time:sideways", "speed"}) EXPECT_THROW(parse_sorting(wrong), Error) << wrong;
    try {
        parse_sorting("atomcs");
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("did you mean 'atomics'?"), std::string::npos) << error.what();
    }
}

ComparedVariant row_of(const std::string& name, double threads, double loads, double atomics, double us,
                       double error = 0) {
    ComparedVariant row;
    row.variant = name;
    row.n = 4096;
    row.timed_n = 1 << 20;
    row.threads = static_cast<std::uint64_t>(threads);
    row.loads = loads;
    row.atomics = atomics;
    row.one_address = true;
    row.median_us = us;
    row.gb_per_s = 4.0 * (1 << 20) / us * 1e-3;
    row.has_result = true;
    row.error = error;
    row.input = "f16";
    return row;
}

TEST(Explain, AsManyAtomicsOnOneAddressAreWhyFewerThreadsAreNoFaster) {
    Comparison all{
        {row_of("narrow", 4096, 1, 32, 230), row_of("wide", 1024, 1, 32, 231), row_of("strided", 256, 4, 2, 20)}, ""};
    const auto sentences = explain(all);
    ASSERT_EQ(sentences.size(), 1u);
    EXPECT_NE(sentences[0].find("wide has a quarter of the threads of narrow, and is no faster: 231 µs and 230 µs"),
              std::string::npos)
        << sentences[0];
    EXPECT_NE(sentences[0].find("(32 for 4096 values)"), std::string::npos) << sentences[0];
    EXPECT_NE(sentences[0].find("strided makes 2, and takes 20.0 µs"), std::string::npos) << sentences[0];
    // Each figure that the sentence rests on: without it there is none.
    const auto without = [&](auto change) {
        Comparison other = all;
        change(other.rows[1]);
        return explain(other).empty();
    };
    EXPECT_TRUE(without([](ComparedVariant& row) { row.median_us = 100; }));
    EXPECT_TRUE(without([](ComparedVariant& row) { row.atomics = 16; }));
    EXPECT_TRUE(without([](ComparedVariant& row) { row.one_address = false; }));
    EXPECT_TRUE(without([](ComparedVariant& row) { row.n = 8192; }));
    EXPECT_TRUE(without([](ComparedVariant& row) { row.median_us.reset(); }));
}

TEST(Explain, AWiderAccumulatorThatCostsNoTimeIsReported) {
    Comparison all{{row_of("in_f16", 64, 1, 1, 5, 1e-2), row_of("in_f32", 64, 1, 1, 5.1, 1e-5)}, ""};
    const auto sentences = explain(all);
    ASSERT_EQ(sentences.size(), 1u);
    EXPECT_NE(sentences[0].find("in_f32 reads the same f16 values as in_f16"), std::string::npos) << sentences[0];
    EXPECT_NE(sentences[0].find("1000 times closer"), std::string::npos) << sentences[0];
    all.rows[1].median_us = 9;
    EXPECT_TRUE(explain(all).empty());
}

TEST(Explain, OneRateHoweverWideTheLoadsIsReported) {
    Comparison all{{row_of("f32", 256, 16, 2, 20), row_of("f32x4", 256, 4, 2, 19.5), row_of("slow", 256, 4, 2, 90)},
                   ""};
    const auto sentences = explain(all);
    ASSERT_EQ(sentences.size(), 1u);
    EXPECT_NE(sentences[0].find("wider loads bring no more"), std::string::npos) << sentences[0];
    all.rows[0].gb_per_s = 100;
    EXPECT_TRUE(explain(all).empty());
}

TEST(PrintComparison, SortsAndShowsEachFigure) {
    Comparison all{{row_of("b", 64, 1, 1, 5, 0.25), row_of("a", 64, 1, 1, 700, 0.5)},
                   "NVIDIA H200 · recorded 2026-11-21"};
    all.rows.push_back(compared("c", "c runs on GPUs only.", {}));
    run::sort(all, parse_sorting("error:down"));
    std::ostringstream out;
    print_comparison(out, "emulator · ascending", all, Paint(false));
    const std::string text = out.str();
    EXPECT_LT(text.find("\na "), text.find("\nb "));
    EXPECT_LT(text.find("\nb "), text.find("\nc "));
    EXPECT_NE(text.find("700 µs"), std::string::npos) << text;
    EXPECT_NE(text.find("2.50e-01"), std::string::npos) << text;
    EXPECT_NE(text.find("not run"), std::string::npos) << text;
    EXPECT_NE(text.find("c runs on GPUs only."), std::string::npos) << text;
}

}  // namespace
}  // namespace lanewise::print
