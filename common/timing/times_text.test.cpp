#include "common/timing/times_text.hpp"

#include <gtest/gtest.h>

namespace lanewise::timing {
namespace {

TEST(TimesText, ThreeDigitsInTheUnitThatSuits) {
    EXPECT_EQ(time_text(0.4), "0.40 µs");
    EXPECT_EQ(time_text(2.104), "2.10 µs");
    EXPECT_EQ(time_text(9.996), "10.0 µs");
    EXPECT_EQ(time_text(23.48), "23.5 µs");
    EXPECT_EQ(time_text(99.96), "100 µs");
    EXPECT_EQ(time_text(118.4), "118 µs");
    EXPECT_EQ(time_text(999.7), "1.00 ms");
    EXPECT_EQ(time_text(1843.2), "1.84 ms");
    EXPECT_EQ(time_text(15109.5), "15.1 ms");
    EXPECT_EQ(time_text(2.5e6), "2.50 s");
    EXPECT_EQ(rate_text(3580.4), "3580 GB/s");
    EXPECT_EQ(rate_text(1.366), "1.37 GB/s");
}

TEST(TimesText, SaysWhereTimesComeFrom) {
    TimingTable table;
    table.gpu = "NVIDIA H200";
    table.date = "2026-11-21";
    EXPECT_EQ(times_from(table), "");
    table.rows.emplace_back();
    EXPECT_EQ(times_from(table), "NVIDIA H200 · measured 2026-11-21");
    table.recorded = true;
    EXPECT_EQ(times_from(table), "NVIDIA H200 · recorded 2026-11-21");
}

TEST(TimesText, DoubtsAreSentencesAndEachIsSaidOnce) {
    TimingTable table;
    EXPECT_TRUE(doubts_of(table).empty());
    Timing wrong;
    wrong.variant = "tree";
    wrong.within_bound = false;
    table.rows = {wrong, wrong};
    table.notes = {"2^40 values do not fit."};
    table.partial = "interrupted";
    table.after = GpuState{1980, 3201, 41, 1, ""};
    const auto doubts = doubts_of(table);
    ASSERT_EQ(doubts.size(), 4u);
    EXPECT_EQ(doubts[0], "tree gave a result outside its bound: its time means nothing.");
    EXPECT_EQ(doubts[1], "Another process also used this GPU: times may be longer and spread wider than its own.");
    EXPECT_EQ(doubts[2], "2^40 values do not fit.");
    EXPECT_EQ(doubts[3], "Partial, what was measured before: interrupted.");
}

}  // namespace
}  // namespace lanewise::timing
