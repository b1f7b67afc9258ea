#include "common/timing/compare.hpp"

#include <gtest/gtest.h>

#include "common/timing/times_text.hpp"

namespace lanewise::timing {
namespace {

constexpr std::uint64_t kValues = std::uint64_t{1} << 24;

// 4 bytes a value, read and, if `writes`, written.
Timing timed(const std::string& variant, double us, std::uint64_t columns = 0, bool writes = false,
           std::uint64_t n = kValues) {
    Timing timing;
    timing.variant = variant;
    timing.element = "f32";
    timing.n = n;
    timing.columns = columns;
    timing.bytes = n * (writes ? 8 : 4) + 128;
    set_times(timing, {us});
    return timing;
}

Timing timed_limit(const char* name, double us, bool writes, std::uint64_t columns) {
    Timing timing = timed(name, us, columns, writes);
    timing.baseline = timing.limit = true;
    return timing;
}

std::vector<std::uint64_t> columns_of(const std::vector<const Timing*>& times) {
    std::vector<std::uint64_t> columns;
    for (const Timing* time : times) columns.push_back(time->columns);
    return columns;
}

// A sum against the read, a norm against the copy, whatever the length of the rows that the limits were measured on.
TEST(Limit, IsTheOneThatMovesAsManyBytes) {
    TimingTable table;
    table.rows = {timed("sum", 20), timed("norm", 40, 65536, true), timed_limit(kPlainRead, 16, false, 4096),
                  timed_limit(kPlainCopy, 32, true, 4096)};
    ASSERT_TRUE(limit_of(table, table.rows[0]) && limit_of(table, table.rows[1]));
    EXPECT_EQ(limit_of(table, table.rows[0])->variant, kPlainRead);
    EXPECT_EQ(limit_of(table, table.rows[1])->variant, kPlainCopy);
    EXPECT_NEAR(percent_of_limit(table, table.rows[0]).value(), 80, 0.01);
    EXPECT_NEAR(percent_of_limit(table, table.rows[1]).value(), 80, 0.01);
    EXPECT_NEAR(percent_of_read(table, table.rows[1]).value(), 80, 0.01);   // 2 times the bytes in 2.5 times the time
    EXPECT_EQ(limit_of(table, table.rows[2]), nullptr);
    table.rows.pop_back();
    EXPECT_EQ(limit_of(table, table.rows[1])->variant, kPlainRead);   // the only one there is
    table.rows.pop_back();
    EXPECT_FALSE(percent_of_limit(table, table.rows[0]));
}

// A library's time of rows of another length is no baseline.
TEST(Limit, ABaselineHasRowsAsLong) {
    TimingTable table;
    table.rows = {timed("short", 40, 4096, true), timed("long", 50, 65536, true), timed("torch", 60, 4096, true)};
    table.rows[2].baseline = true;
    table.rows[0].against = table.rows[1].against = "torch";
    EXPECT_NEAR(times_as_fast(table, table.rows[0]).value(), 1.5, 1e-9);
    EXPECT_FALSE(times_as_fast(table, table.rows[1]));
}

TEST(Comparable, TakesTheMostValuesThatAllWereTimedOn) {
    TimingTable table;
    table.rows = {timed("a", 10), timed("b", 12), timed("a", 100, 0, false, 8 * kValues)};
    EXPECT_EQ(timing_of(table, "a")->n, 8 * kValues);
    const auto both = comparable_times(table, {"a", "b"});
    ASSERT_EQ(both.size(), 2u);
    EXPECT_EQ(both[0]->median_us, 10);
    EXPECT_EQ(both[1]->median_us, 12);
    EXPECT_TRUE(comparable_times(table, {"a", "c"}).empty());
    EXPECT_TRUE(comparable_times(table, {}).empty());
}

// As many values in rows of other lengths are other work.
TEST(Comparable, TakesRowsOfOneLength) {
    TimingTable table;
    table.rows = {timed("best", 40, 4096), timed("block", 41, 4096), timed("cluster", 60, 65536),
                  timed("best", 50, 65536), timed("best", 700, 65536, false, 16 * kValues)};
    table.rows[3].size = "256×65536";
    table.rows[4].size = "4096×65536";
    EXPECT_EQ(columns_of(comparable_times(table, {"best", "block"})), (std::vector<std::uint64_t>{4096, 4096}));
    EXPECT_EQ(columns_of(comparable_times(table, {"cluster", "best"})), (std::vector<std::uint64_t>{65536, 65536}));
    EXPECT_TRUE(comparable_times(table, {"block", "cluster"}).empty());
    // Alone, the lesson's own shape stands for a variant.
    EXPECT_EQ(timing_of(table, "best")->columns, 4096u);
    EXPECT_EQ(timing_of(table, "cluster")->n, kValues);
}

TEST(Values, AreShownAsRowsWhereTheyAreRows) {
    EXPECT_EQ(values_text(timed("a", 1)), "2^24 values");
    EXPECT_EQ(values_text(timed("a", 1, 4096)), "4096×4096 values");
    EXPECT_EQ(shape_text(100, 33), "1×100");
    EXPECT_EQ(shape_text(1000, 0), "1000");
}

}  // namespace
}  // namespace lanewise::timing
