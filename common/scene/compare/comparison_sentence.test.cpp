#include "common/scene/compare/comparison_sentence.hpp"

#include <memory>

#include <gtest/gtest.h>

#include "common/run/run.hpp"
#include "common/steps/testing/programs.testing.hpp"

namespace lanewise::scene {
namespace {

using namespace steps::testing;

// Steps point into their trace: the run stays where it is.
std::unique_ptr<run::Run> run_of(Trace trace, std::uint32_t blocks, std::uint32_t threads) {
    auto run = std::make_unique<run::Run>();
    run->trace = std::move(trace);
    run->trace.header.launches = {{"kernel", {blocks, 1, 1}, {threads, 1, 1}, 0}};
    run->trace.header.n = std::uint64_t{blocks} * threads;
    run->trace.header.input = "ramp";
    run->trace.outputs = {{"out", Element::f32, 1, {0}}};
    run->steps = steps::build_steps(run->trace);
    return run;
}

timing::Timing time_of(const char* name, double low, double median, double high, std::uint64_t n = 1024) {
    timing::Timing row;
    row.variant = name;
    row.n = n;
    row.low_us = low;
    row.median_us = median;
    row.high_us = high;
    return row;
}

struct Two {
    std::unique_ptr<run::Run> tree = run_of(shared_tree(256), 1, 256), levels = run_of(two_level(8, 1), 1, 256);
    timing::TimingTable times;

    std::vector<ComparedRun> sides() const {
        return {{"a_tree", tree.get(), "tree"}, {"b_levels", levels.get(), "two-level"}};
    }
    ComparisonSentence sentence() const { return comparison_sentence(sides(), times); }
};

// Counted by hand. The tree: 256 words by 8 warps, 32 sectors; a store by 8 warps, then 4, 2, 1, 1, 1, 1, 1, 1 warps
// that make two loads and a store each round: 44 requests, a barrier before the rounds and one in each. Two levels: 5
// shuffles and 3; a store by each of 8 warps and one load: 9 requests; one barrier, one atomic.
TEST(ComparisonSentence, ListsWhatDiffersAndWhatIsEqual) {
    const ComparisonSentence sentence = Two().sentence();
    EXPECT_EQ(
        sentence.differ,
        "1 atomic against 0, 1 barrier against 9, 9 wavefronts against 44, 9 shared requests against 44 in a block");
    EXPECT_EQ(sentence.equal, "8 rounds, 32 sectors, 8 global requests");
    EXPECT_EQ(sentence.text(), "None of them has a time to compare. Counts that differ, two-level against tree: " +
                                   sentence.differ + ". Equal: " + sentence.equal + ".")
        << sentence.text();
    EXPECT_EQ(sentence.input, "Both ran on the same 256 values (ramp).");
    EXPECT_TRUE(sentence.same_input);
}

TEST(ComparisonSentence, SlowerIsSaidOnlyBeyondTheSpread) {
    Two two;
    two.times.rows = {time_of("a_tree", 4.9, 5, 5.1), time_of("b_levels", 6, 6.15, 6.3)};
    EXPECT_EQ(two.sentence().times, "two-level is 1.23× slower than tree (6.15 µs against 5.00 µs, 2^10 values)");
    EXPECT_NE(two.sentence().text().find(" 2^10 values): 1 atomic against 0, "), std::string::npos)
        << two.sentence().text();
    two.times.rows = {time_of("a_tree", 6, 6.15, 6.3), time_of("b_levels", 4.9, 5, 5.1)};
    EXPECT_EQ(two.sentence().times, "two-level is 1.23× faster than tree (5.00 µs against 6.15 µs, 2^10 values)");
    two.times.rows = {time_of("a_tree", 4.9, 5, 5.1), time_of("b_levels", 5.05, 5.2, 5.3)};
    EXPECT_EQ(two.sentence().times,
              "No difference in time between two-level and tree (5.20 µs against 5.00 µs, 2^10 values)");
    EXPECT_EQ(two.sentence().text().find("fastest"), std::string::npos);
    two.times.rows = {time_of("a_tree", 4.9, 5, 5.1), time_of("b_levels", 6, 6.15, 6.3, 2048)};
    EXPECT_EQ(two.sentence().times, "Their times are not compared: tree on 2^10 values, two-level on 2^11 values");
    two.times.rows.pop_back();
    EXPECT_EQ(two.sentence().times, "two-level has no time to compare");
    two.times.rows.clear();
    EXPECT_EQ(two.sentence().times, "None of them has a time to compare");
}

TEST(ComparisonSentence, AsManyAtomicsOnOneAddressAreSaidInstead) {
    const auto one = run_of(two_level(8, 2), 2, 256), other = run_of(two_level(4, 2), 2, 128);
    const std::vector<ComparedRun> sides{{"a", one.get()}, {"b", other.get()}};
    timing::TimingTable times;
    times.rows = {time_of("a", 6.4, 6.5, 6.6), time_of("b", 6.1, 6.2, 6.3)};
    EXPECT_EQ(comparison_sentence(sides, times).times,
              "a and b have one limit, as many atomics on one address (1 a block): only 5 % apart in time (6.50 µs and "
              "6.20 µs, 2^10 values)");
    EXPECT_TRUE(comparison_sentence(sides, times).one_limit);
    times.rows[1] = time_of("b", 6.1, 6.3, 6.45);
    EXPECT_NE(comparison_sentence(sides, times).times.find("no difference in time (6.50 µs and 6.30 µs"),
              std::string::npos);
    // Of three the ends.
    times.rows = {time_of("a", 6.4, 6.5, 6.6), time_of("b", 6.1, 6.2, 6.3), time_of("c", 6.2, 6.3, 6.4)};
    EXPECT_EQ(comparison_sentence({{"a", one.get()}, {"b", other.get()}, {"c", one.get()}}, times).times,
              "All 3 have one limit, as many atomics on one address (1 a block): only 5 % apart in time (6.20 µs to "
              "6.50 µs, 2^10 values)");
    times.rows.pop_back();
    // Far apart they have another one.
    times.rows[1] = time_of("b", 3, 3.1, 3.2);
    EXPECT_EQ(comparison_sentence(sides, times).times,
              "b is 2.10× faster than a (3.10 µs against 6.50 µs, 2^10 values)");
}

TEST(ComparisonSentence, OfThreeTheFastestAreThoseThatNoneBeats) {
    const auto a = run_of(shared_tree(256), 1, 256), b = run_of(shared_tree(256), 1, 256),
               c = run_of(two_level(8, 1), 1, 256);
    const std::vector<ComparedRun> sides{{"a", a.get()}, {"b", b.get()}, {"c", c.get()}};
    timing::TimingTable times;
    times.rows = {time_of("a", 4.9, 5, 5.1), time_of("b", 4.8, 4.9, 5), time_of("c", 9, 9.8, 10)};
    const ComparisonSentence sentence = comparison_sentence(sides, times);
    EXPECT_EQ(sentence.times,
              "Fastest at 2^10 values: b (4.90 µs), a (5.00 µs), no difference between them; slower: c 2.00×");
    std::string differ = sentence.differ;
    for (std::size_t at = 0; (at = differ.find("\u00a0")) != std::string::npos;) differ.replace(at, 2, " ");
    EXPECT_EQ(differ,
              "atomics 0 / 0 / 1, barriers 9 / 9 / 1, wavefronts 44 / 44 / 9, shared requests 44 / 44 / 9 in a block");
    times.rows[2] = time_of("c", 4.85, 5.05, 5.2);
    EXPECT_EQ(comparison_sentence(sides, times).times,
              "No difference in time between b (4.90 µs), a (5.00 µs), c (5.05 µs) at 2^10 values");
}

TEST(ComparisonSentence, AWrongResultIsSaidBeforeAnyTime) {
    Two two;
    two.times.rows = {time_of("a_tree", 4.9, 5, 5.1), time_of("b_levels", 6, 6.15, 6.3)};
    run::Result result;
    result.output = "out";
    result.value = 192;
    result.reference = 8128;
    result.ok = false;
    two.levels->results = {result};
    EXPECT_TRUE(two.sentence().times.starts_with("two-level comes out wrong (out = 192, expected 8128)"))
        << two.sentence().times;
    EXPECT_NE(two.sentence().differ, "");
}

// Blocks of other sizes take other values: their counts are given of the whole run.
TEST(ComparisonSentence, CountsAreOfAsManyValuesOnBothSides) {
    const auto one = run_of(two_level(8, 1), 1, 256), two = run_of(two_level(4, 2), 2, 128);
    const ComparisonSentence sentence = comparison_sentence({{"a", one.get()}, {"b", two.get()}}, {});
    // 8 stores and a load in one block; 4 and one in each of two.
    EXPECT_EQ(sentence.differ,
              "2 atomics against 1, 10 wavefronts against 9, 10 shared requests against 9 in the whole run; "
              "7 rounds against 8 in a block");
    EXPECT_EQ(sentence.equal, "1 barrier, 32 sectors, 8 global requests");
}

// A GPU's trace alone has neither loads nor stores, nor the atomics of inline PTX: none of them is counted then.
TEST(ComparisonSentence, WhatWasNotRecordedIsNotCounted) {
    Trace bare = two_level(8, 1);
    std::erase_if(bare.records, [](const trace::Record& record) {
        return trace::is_access(record.op) || trace::is_atomic(record.op);
    });
    const auto tree = run_of(shared_tree(256), 1, 256), levels = run_of(std::move(bare), 1, 256);
    const ComparisonSentence sentence =
        comparison_sentence({{"a", tree.get(), "tree"}, {"b", levels.get(), "two-level"}}, {});
    EXPECT_EQ(sentence.differ, "8 shuffle rounds against 0, 1 barrier against 9 in a block");
    EXPECT_EQ(sentence.equal, "nothing that was counted. Loads, stores and atomics were not recorded of two-level");
}

TEST(ComparisonSentence, AnotherInputOrOtherResultsAreSaid) {
    Two two;
    two.levels->trace.outputs[0].count = 8;
    EXPECT_EQ(
        two.sentence().input,
        "Both ran on the same 256 values (ramp). Not the same work: tree leaves 1 result, two-level leaves 8 partial results.");
    two.levels->trace.header.n = 8;
    EXPECT_FALSE(two.sentence().same_input);
    EXPECT_EQ(two.sentence().input, "Not on the same input: tree on 256 (ramp), two-level on 8 (ramp).");
}

// As many values in other rows are another problem.
TEST(ComparisonSentence, RowsOfOtherLengthsAreNotTheSameInput) {
    Two two;
    two.tree->trace.header.columns = 64;
    two.levels->trace.header.columns = 64;
    EXPECT_TRUE(two.sentence().same_input);
    EXPECT_TRUE(two.sentence().input.starts_with("Both ran on the same 4×64 values (ramp)."));
    two.levels->trace.header.columns = 256;
    EXPECT_FALSE(two.sentence().same_input);
    EXPECT_EQ(two.sentence().input,
              "Not on the same input: tree on 4×64 (ramp), two-level on 1×256 (ramp). Give them the same rows and "
              "columns.");
}

}  // namespace
}  // namespace lanewise::scene
