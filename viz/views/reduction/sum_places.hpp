// Where the sums of a layout are drawn: scene::SumLayout with places. Inputs above, the last sum below; a row for each
// step that adds (a summation tree), or for each addition on the way to the last sum (the rounding lens).
#pragma once

#include <vector>

#include "common/scene/sums/sum_layout.hpp"
#include "viz/widgets/geometry.hpp"

namespace lanewise::viz {

struct TreeMetrics {
    Rect area;
    float scale = 1;
    float gutter = 86;        // for the steps' names, at scale 1
    bool compact = false;     // lower rows; inputs without their places

    // What fits.
    scene::SumRoom room() const;
};

// A line of a subtree that is drawn small.
struct PlacedTwig {
    Point from, to;
    std::size_t step = 0;     // at which it came about
};

struct PlacedSum : scene::SumBox {
    Rect box;
    Rect span;                // as wide as everything above it
    Rect small;               // of a fold: where its lines are
    std::vector<PlacedTwig> lines;
};

struct PlacedLevel : scene::SumLevel {
    float y0 = 0, y1 = 0;     // of its boxes
};

struct SumScene {
    std::vector<PlacedSum> boxes;        // as SumLayout::boxes
    std::vector<PlacedLevel> levels;     // of a tree from top to bottom, of the lens from the bottom
    scene::SumLayout::Fold fold = scene::SumLayout::Fold::none;
    std::int32_t worst = Sum::kNone;
    int worst_box = -1;

    bool empty() const { return boxes.empty(); }
    int box_at(Point p) const;               // -1: none
    // The boxes above a box, itself with them.
    std::vector<int> above(int box) const;
};

SumScene place_tree(const scene::SumLayout& layout, const TreeMetrics& metrics);
SumScene place_lens(const scene::SumLayout& layout, const Rect& where, float gap);

}  // namespace lanewise::viz
