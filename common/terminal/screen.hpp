// A screen of character cells, and the escape sequences that put it on a terminal.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::terminal {

using Rgb = std::array<std::uint8_t, 3>;

// How many colours a terminal shows.
enum class Depth : std::uint8_t { none, palette, full };   // none, 256, 24 bits

// By NO_COLOR, COLORTERM and TERM, as given; null where not set.
Depth depth_of(const char* no_color, const char* color_term, const char* term);

struct Style {
    std::optional<Rgb> ink = std::nullopt;
    std::optional<Rgb> ground = std::nullopt;
    bool strong = false;
    bool faint = false;
    bool reversed = false;
    bool operator==(const Style&) const = default;
};

class Screen {
public:
    Screen(int columns, int rows);

    int columns() const { return columns_; }
    int rows() const { return rows_; }

    // Writes from column x; what leaves the row is cut. Returns the column after it. `text` is UTF-8 without wide
    // signs; control characters become '?'.
    int put(int x, int y, std::string_view text, const Style& style = {});
    // Right-aligned: its last sign is in column `end` - 1. Where it does not fit from `from` on its front is kept.
    void put_right(int from, int end, int y, std::string_view text, const Style& style = {});

    // The signs of a row without style and without blanks at its end.
    std::string text(int y) const;
    // Style of one cell.
    const Style& style(int x, int y) const { return at(x, y).style; }

    // What turns `last` (of the same size; null: nothing known) into this on a terminal.
    std::string sequences(const Screen* last, Depth depth) const;

private:
    struct Cell {
        std::string sign = " ";
        Style style;
        bool operator==(const Cell&) const = default;
    };
    Cell& at(int x, int y) { return cells_[static_cast<std::size_t>(y * columns_ + x)]; }
    const Cell& at(int x, int y) const { return cells_[static_cast<std::size_t>(y * columns_ + x)]; }

    int columns_, rows_;
    std::vector<Cell> cells_;
};

// Signs that a text takes on the screen.
int width_of(std::string_view text);
// `text` in at most `columns` signs, with "…" where it is cut.
std::string fitted(const std::string& text, int columns);
// `text` in at most `most` lines of `columns`, broken at spaces; the last one ended with "…" where it is cut.
std::vector<std::string> wrapped(std::string_view text, int columns, std::size_t most);

}  // namespace lanewise::terminal
