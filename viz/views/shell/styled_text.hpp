// Text of several styles in lines, and the widths of a table's columns.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "viz/model/pane.hpp"
#include "viz/widgets/markdown.hpp"

namespace lanewise::viz {

// Lays spans out in lines of a width, one after the other, and draws them where the pane shows them.
class Flow {
public:
    // `width`: that of a line; a word as wide has room, however sums of places round. `leading`: from one line to the
    // next, in em.
    Flow(const Pane& pane, Face face, Color color, float x, float y, float width, float leading)
        : pane_(pane), face_(face), color_(color), left_(x), y_(y), width_(width + kRounding),
          step_((*pane.look().fonts)[face].em * leading) {}

    Rect target{};              // of the link added last
    std::string hovered;        // the link under the pointer

    // Returns the link that was clicked; empty when none was. A marked one has an outline.
    std::string add(const Span& span, bool marked = false);
    float bottom() const { return y_ + step_; }

private:
    static constexpr float kRounding = 0.01f;   // pixels

    void new_line();
    bool piece(Face face, Color color, std::string_view text, const Span& span);

    const Pane& pane_;
    Face face_;
    Color color_;
    float left_, y_, width_, step_;
    float x_ = 0;
    bool marked_ = false;
};

// Widths for the columns of a table, together at most `width`: what each needs to stay on one line, where there is room
// for that; else no less than its longest word, as far as that goes, and the rest by what the columns want.
std::vector<float> column_widths(const Pane& pane, std::span<const TextBlock> rows, float width);
// At the right of each column, part of its width.
float column_gap(const Pane& pane);

}  // namespace lanewise::viz
