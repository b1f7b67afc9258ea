#include "viz/views/shell/styled_text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "viz/testing/headless.testing.hpp"
#include "viz/widgets/markdown.hpp"

namespace lanewise::viz {
namespace {

using testing::Headless;

constexpr const char* kTable =
    "| variant | µs |\n| --- | --- |\n| the longest name of all here | 9 |\n| b | `a_word_of_many_letters` |\n";

template <class Use>
void in_pane(const Use& use) {
    Headless gui(800, 600);
    gui.in_pane([&](const Pane& pane) { use(pane); }, Pane::Scroll::vertical);
}

float sum(const std::vector<float>& widths) { return std::accumulate(widths.begin(), widths.end(), 0.0f); }

TEST(ColumnWidths, AreWhatTheirLinesNeedWhereThereIsRoom) {
    in_pane([](const Pane& pane) {
        const auto rows = read_markdown(kTable);
        const auto widths = column_widths(pane, rows, 2000);
        ASSERT_EQ(widths.size(), 2u);
        EXPECT_GE(widths[0], text_width(pane.look(), Face::body, "the longest name of all here") + column_gap(pane));
        EXPECT_GE(widths[1], text_width(pane.look(), Face::code, "a_word_of_many_letters") + column_gap(pane));
        EXPECT_LT(sum(widths), 2000);
    });
}

TEST(ColumnWidths, KeepWordsWholeAsLongAsTheyFit) {
    in_pane([](const Pane& pane) {
        const auto rows = read_markdown(kTable);
        const float word = text_width(pane.look(), Face::code, "a_word_of_many_letters");
        const float first = text_width(pane.look(), Face::strong, "variant");
        const auto widths = column_widths(pane, rows, word + first + 60);
        EXPECT_GE(widths[1], word);
        EXPECT_GE(widths[0], first);
        EXPECT_LE(sum(widths), word + first + 61);
        EXPECT_LE(sum(column_widths(pane, rows, 60)), 61);   // less than the words need
        EXPECT_TRUE(column_widths(pane, {}, 60).empty());
    });
}

// A word that is wider than its column continues below instead of running into the next column.
TEST(Flow, BreaksAWordThatHasNoRoom) {
    in_pane([](const Pane& pane) {
        Span span;
        span.text = "a_word_of_many_letters µµµµµµµµµµµµµµµµµµµµ x";
        span.code = true;
        const float line = Flow(pane, Face::body, pane.colors().text, 0, 0, 1000, 1.5f).bottom();
        Flow wide(pane, Face::body, pane.colors().text, 0, 0, 1000, 1.5f);
        wide.add(span);
        EXPECT_FLOAT_EQ(wide.bottom(), line);
        Flow narrow(pane, Face::body, pane.colors().text, 0, 0, 60, 1.5f);
        narrow.add(span);
        EXPECT_GT(narrow.bottom(), 5 * line);
        Flow none(pane, Face::body, pane.colors().text, 0, 0, 1, 1.5f);
        none.add(span);   // a letter a line
        EXPECT_GT(none.bottom(), 40 * line);
    });
}

// A column is as wide as its longest word; what remains of that beside other columns is less by a rounding.
TEST(Flow, KeepsAWordWholeThatIsAsWideAsItsLine) {
    in_pane([](const Pane& pane) {
        Span span;
        for (int number = 100; number < 1000; ++number) {
            span.text = fmt::format("{}.{}", number / 10, number % 10);
            const float word = text_width(pane.look(), Face::body, span.text);
            for (const float beside : {57.3f, 91.7f, 133.1f}) {
                Flow line(pane, Face::body, pane.colors().text, 0, 0, beside + word + 10 - 10 - beside, 1.5f);
                const float bottom = line.bottom();
                line.add(span);
                ASSERT_FLOAT_EQ(line.bottom(), bottom) << span.text;
            }
        }
    });
}

}  // namespace
}  // namespace lanewise::viz
