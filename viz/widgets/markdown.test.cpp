#include "viz/widgets/markdown.hpp"

#include <gtest/gtest.h>

namespace lanewise::viz {
namespace {

TEST(Markdown, HeadingsParagraphsAndStyles) {
    const auto blocks = read_markdown("# The butterfly\n\nEvery lane **adds** `value`\nof *its* [partner](step:3).\n");
    ASSERT_EQ(blocks.size(), 2u);
    EXPECT_EQ(blocks[0].kind, BlockKind::heading);
    EXPECT_EQ(blocks[0].level, 1);
    EXPECT_EQ(blocks[0].spans.at(0).text, "The butterfly");
    const auto& spans = blocks[1].spans;
    ASSERT_EQ(spans.size(), 9u);
    EXPECT_TRUE(spans[1].strong);
    EXPECT_EQ(spans[3].text, "value");
    EXPECT_TRUE(spans[3].code);
    EXPECT_EQ(spans[4].text, " of ");
    EXPECT_TRUE(spans[5].emphasis);
    EXPECT_EQ(spans[7].link, "step:3");
}

TEST(Markdown, ListsNestAndCount) {
    const auto blocks = read_markdown("1. one\n2. two\n   - deep\n\nafter\n");
    ASSERT_EQ(blocks.size(), 4u);
    EXPECT_EQ(blocks[0].number, 1);
    EXPECT_EQ(blocks[1].number, 2);
    EXPECT_EQ(blocks[2].number, 0);
    EXPECT_EQ(blocks[2].level, 1);
    EXPECT_EQ(blocks[2].spans.at(0).text, "deep");
    EXPECT_EQ(blocks[3].kind, BlockKind::paragraph);
}

TEST(Markdown, CodeTablesAndLooseLists) {
    const auto blocks = read_markdown("```\na\n  b\n```\n\n| x | y |\n|---|---|\n| 1 | `2` |\n\n- loose\n\n- list\n");
    ASSERT_EQ(blocks.size(), 5u);
    EXPECT_EQ(blocks[0].kind, BlockKind::code);
    EXPECT_EQ(blocks[0].spans.at(0).text, "a\n  b\n");
    EXPECT_TRUE(blocks[1].header);
    ASSERT_EQ(blocks[2].cells.size(), 2u);
    EXPECT_TRUE(blocks[2].cells[1].at(0).code);
    EXPECT_EQ(blocks[3].spans.at(0).text, "loose");
    EXPECT_EQ(blocks[4].spans.at(0).text, "list");
}

TEST(Markdown, EmptyTextHasNoBlocks) { EXPECT_TRUE(read_markdown("").empty()); }

}  // namespace
}  // namespace lanewise::viz
