// Where the sums of an addition tree stand: inputs above, the total below, a row for each step that adds. What has no
// room is folded. Plain data, without ImGui.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/rounding/addition_tree.hpp"
#include "viz/widgets/geometry.hpp"

namespace lanewise::viz {

struct TreeMetrics {
    Rect area;
    float scale = 1;
    float gutter = 86;        // for the steps' names, at scale 1
    bool compact = false;     // lower rows; inputs without their places
    steps::WarpRef near;      // whose block is opened where not all have room
};

// A line of a subtree that is drawn small.
struct TreeTwig {
    Point from, to;
    std::size_t step = 0;     // at which it came about
};

struct TreeBox {
    int node = 0;             // in AdditionTree::nodes
    int parent = -1;          // in TreeScene::boxes: what it was added to
    bool own = false;         // its lane (its word) held it: nothing moved
    int row = 0;              // in TreeScene::rows
    Rect box = {};
    Rect span = {};           // as wide as everything above it
    bool folded = false;      // more is above than is drawn
    std::string name = {};    // of a fold: fold_name()
    Rect small = {};          // of a fold: where its twigs are
    std::vector<TreeTwig> twigs = {};
    // Of a fold: its inputs, as places in RoundingLens::sums from left to right; the steps of its additions, in order.
    std::vector<std::int32_t> inputs = {};
    std::vector<std::size_t> steps = {};
};

// One step that adds; the first is that of the inputs.
struct TreeRow {
    std::size_t step = steps::kNoStep;
    float y0 = 0, y1 = 0;     // of its boxes
    std::string label;        // "xor 16"
};

struct TreeScene {
    // What was folded to make room: what one lane adds one after the other; what one warp adds; the other blocks, and
    // the warps of the one that is looked at; or all that lies too far above the total.
    enum class Fold : std::uint8_t { none, runs, warps, blocks, deep };

    std::vector<TreeBox> boxes;    // the total first, each before those added to it
    std::vector<TreeRow> rows;     // from top to bottom
    Fold fold = Fold::none;

    bool empty() const { return boxes.empty(); }
    int box_at(Point p) const;     // -1: none
    int row_at(Point p, float x1) const;   // of the names left of x1; -1: none
    // The boxes above a box, itself with them.
    std::vector<int> above(int box) const;
};

// Throws Stopped where `stop` asks for that.
TreeScene build_tree_scene(const steps::Steps& steps, const steps::RoundingLens& lens, const steps::AdditionTree& tree,
                           const TreeMetrics& metrics, const std::stop_token& stop = {});

// What a fold is called: "warp 3", "block 1", the word that atomics join, or the lane whose sum it is, "lane 5".
std::string fold_name(const steps::Steps& steps, const steps::RoundingLens& lens, const steps::AdditionTree& tree,
                      int node, TreeScene::Fold how);

}  // namespace lanewise::viz
