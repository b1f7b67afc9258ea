// The other warps, small: one stripe a lane, in the colours of their values. A click chooses.
#pragma once

#include "viz/views/exhibit.hpp"
#include "viz/views/pane.hpp"
#include "viz/views/selection.hpp"

namespace lanewise::viz {

struct WarpStripView {
    // In a strip of `width` pixels; 0 where there is only one warp.
    float height(const Look& look, const Exhibit& exhibit, float width) const;
    void draw(const Pane& pane, const Rect& where, const Exhibit& exhibit, const Playhead& playhead, Selection& selection);
};

}  // namespace lanewise::viz
