// One lane's life as a table: a row a step, its value as a number, in hex or in bits. A click leads to the step.
#pragma once

#include "viz/views/lane_life.hpp"
#include "viz/views/exhibit.hpp"
#include "viz/views/links.hpp"
#include "viz/views/pane.hpp"
#include "viz/views/selection.hpp"

namespace lanewise::viz {

struct LaneLifeView {
    enum class Figures : std::uint8_t { decimal, hex, bits };
    Figures figures = Figures::decimal;

    // From `y` on, as wide as `row`; returns where it ends.
    float draw(const Pane& pane, const Rect& row, float y, const Exhibit& exhibit, const Playhead& playhead, Selection& selection,
               const Lights& lights, int lane, Intent& intent);

private:
    // Made once for a lane of a run.
    std::shared_ptr<const lesson::Run> run_;
    steps::WarpRef warp_;
    int lane_ = -1;
    std::vector<LifeStep> life_;
};

}  // namespace lanewise::viz
