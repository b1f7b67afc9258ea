#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/timing/compare.hpp"
#include "common/timing/ladder.hpp"

namespace lanewise::timing {
namespace {

Timing row(const std::string& variant, std::uint64_t n, double us) {
    Timing row;
    row.variant = variant;
    row.n = n;
    row.median_us = us;
    row.bytes = 4 * (n + 1);
    return row;
}

TimingTable table(const std::string& lesson, const std::string& main, double us) {
    TimingTable table;
    table.lesson = lesson;
    table.gpu = "NVIDIA H200";
    table.date = "2026-11-22";
    table.main = main;
    table.rows = {row(main, 1024, 1), row(main, 1u << 24, us), row("other", 1u << 24, us / 2)};
    Timing read = row(kPlainRead, 1u << 24, 16);
    read.baseline = read.limit = true;
    read.bytes = 4u << 24;
    table.rows.push_back(read);
    return table;
}

TEST(Ladder, TakesTheMainVariantOfEachLessonAtTheLaddersSize) {
    TimingTable first = table("01_a", "tree", 640);
    Timing serial = row("serial sum", 1u << 24, 12800);
    serial.baseline = serial.on_cpu = true;
    first.rows.push_back(serial);
    first.cpu = "a CPU";
    TimingTable off = table("02_b", "", 1);
    TimingTable elsewhere = table("03_c", "tree", 1);
    elsewhere.gpu = "another GPU";
    const Ladder ladder = make_ladder({first, off, elsewhere, table("04_d", "shuffle", 160)});
    ASSERT_EQ(ladder.rows.size(), 3u);
    EXPECT_EQ(ladder.rows[0].lesson, "");
    EXPECT_FALSE(ladder.rows[0].speedup);
    EXPECT_EQ(ladder.rows[1].lesson, "01_a");
    EXPECT_DOUBLE_EQ(*ladder.rows[1].speedup, 20);
    EXPECT_NEAR(*ladder.rows[1].percent_of_read, 2.5, 1e-6);
    EXPECT_EQ(ladder.rows[2].timing.variant, "shuffle");
    EXPECT_DOUBLE_EQ(*ladder.rows[2].speedup, 4);
    EXPECT_EQ(ladder_source(ladder), "2^24 floats to one number · NVIDIA H200 · recorded 2026-11-22");
    const auto cells = ladder_cells(ladder);
    EXPECT_EQ(cells[1], (std::vector<std::string>{"serial CPU baseline", "a CPU", "12.8 ms", "5", "", ""}));
    EXPECT_EQ(cells[2], (std::vector<std::string>{"01_a", "tree", "640 µs", "105", "2.5", "20.00×"}));
}

TEST(Ladder, IsEmptyWhereNothingWasRecorded) {
    EXPECT_TRUE(load_ladder("/nowhere").rows.empty());
    EXPECT_EQ(ladder_markdown({}), "");
    EXPECT_TRUE(ladder_cells({}).empty());
}

// README's table is the recorded one.
TEST(Ladder, IsTheOneInReadme) {
    const std::filesystem::path root = LANEWISE_ROOT;
    std::ifstream file(root / "README.md");
    std::stringstream text;
    text << file.rdbuf();
    const std::string wanted = ladder_markdown(load_ladder(root / "assets" / "recorded"));
    ASSERT_FALSE(wanted.empty());
    EXPECT_NE(text.str().find(wanted), std::string::npos) << "README.md must hold:\n" << wanted;
}

}  // namespace
}  // namespace lanewise::timing
