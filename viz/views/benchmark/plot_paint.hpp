// Drawing a chart's parts.
#pragma once

#include <string>
#include <vector>

#include "viz/model/pane.hpp"
#include "viz/views/benchmark/plot.hpp"

namespace lanewise::viz {

struct Axes {
    Rect area;
    LogAxis x, y;
    std::vector<Tick> x_ticks, y_ticks;
    std::string x_title, y_title;
};
// Room that the numbers and titles want at the left and below.
constexpr float kAxisLeft = 66, kAxisBelow = 40, kAxisAbove = 22;
void paint_axes(const Brush& brush, const Axes& axes);

void paint_mark(const Brush& brush, Point at, float radius, const Category& category, bool hollow = false);
// A line of strokes and gaps, each `dash` long.
void paint_dashed(const Brush& brush, const std::vector<Point>& points, Color color, float thickness, float dash);

// What is at the right end of a line: its mark, its name, its last figure; a thin line leads to it.
struct EndLabel {
    std::string name;
    std::string figure;
    Point from;             // the line's end
    Category category;
    bool hollow = false;
    bool dashed = false;    // drawn as a dashed line's sample instead of a mark
    bool strong = false;
};
// Width that the labels want.
float label_width(const Look& look, const std::vector<EndLabel>& labels);
// Draws them in `column`, the one at `lit` bright and the others dim (-1: none is). Returns where each stands.
std::vector<Rect> paint_labels(const Pane& pane, const Rect& column, const std::vector<EndLabel>& labels, int lit);
// Where they will stand.
std::vector<Rect> place_labels(const Look& look, const Rect& column, const std::vector<EndLabel>& labels);

// A card that follows the pointer, a line each, the first one strong.
void lines_card(const Look& look, const std::vector<std::string>& lines);

}  // namespace lanewise::viz
