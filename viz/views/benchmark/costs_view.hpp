// What single operations cost on a GPU, in the middle of the window: how long a warp waits, how often an SM can start
// one, and on the same axis the commonly quoted figure.
#pragma once

#include "common/timing/costs.hpp"
#include "viz/views/benchmark/costs_scene.hpp"
#include "viz/model/pane.hpp"

namespace lanewise::viz {

struct CostsView {
    // In a pane that scrolls.
    void draw(const Pane& pane, const timing::CostTable& table);

    // As drawn last.
    const CostScene& scene() const { return scene_; }
    int hovered() const { return hovered_; }   // a row; -1: none

private:
    void draw_head(const Pane& pane, Rect& rest, const timing::CostTable& table) const;
    void draw_grid(const Pane& pane) const;
    void draw_row(const Pane& pane, const CostRow& row, bool lit) const;

    CostScene scene_;
    int hovered_ = -1;
};

}  // namespace lanewise::viz
