// The edges between panels, which can be dragged. A double click gives a panel its own size back.
#pragma once

#include <optional>

#include "viz/app/layout.hpp"
#include "viz/model/pane.hpp"

namespace lanewise::viz {

class Splitters {
public:
    // One edge: a strip around the line at `line` (of no width or no height). Drawn after the panels on both sides, so
    // that it lies on top of them. True when the panel's size changed.
    bool draw(const Look& look, Edge edge, const Rect& line, const Rect& body, const Places& places, Panels& panels);

    bool dragging() const { return dragged_.has_value(); }

private:
    std::optional<Edge> dragged_;
    float grabbed_at_ = 0;   // of the pointer, from the line
};

}  // namespace lanewise::viz
