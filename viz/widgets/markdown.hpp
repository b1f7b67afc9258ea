// A lesson's text as blocks to draw. Read with md4c; what it does not know is shown as plain prose.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::viz {

struct Span {
    std::string text;
    bool strong = false;
    bool emphasis = false;
    bool code = false;
    std::string link;   // its target; empty: no link
    bool operator==(const Span&) const = default;
};

enum class BlockKind : std::uint8_t { heading, paragraph, item, code, rule, table_row };

struct TextBlock {
    BlockKind kind = BlockKind::paragraph;
    int level = 0;                          // heading: 1…6; item: depth from 0
    int number = 0;                         // item: its number, 0 for a bullet
    bool quoted = false;
    bool header = false;                    // table_row: of the heading
    std::vector<Span> spans;                // all but tables
    std::vector<std::vector<Span>> cells;   // table_row
};

std::vector<TextBlock> read_markdown(std::string_view text);

}  // namespace lanewise::viz
