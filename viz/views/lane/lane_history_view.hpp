// One lane's life as a table: a row a step, its value as a number, in hex or in bits. A click leads to the step.
#pragma once

#include "common/run/run.hpp"
#include "viz/model/run_view.hpp"
#include "common/scene/lane_history.hpp"
#include "viz/model/highlight.hpp"
#include "viz/model/pane.hpp"
#include "viz/model/selection.hpp"

namespace lanewise::viz {

struct LaneHistoryView {
    enum class Figures : std::uint8_t { decimal, hex, bits };
    Figures figures = Figures::decimal;

    // What the lane came to, on one line; returns where it ends.
    float draw_strip(const Pane& pane, const Rect& row, const RunView& run_view, const Playhead& playhead,
                     Selection& selection, int lane, Intent& intent);
    // From `y` on, as wide as `row`; returns where it ends.
    float draw(const Pane& pane, const Rect& row, float y, const RunView& run_view, const Playhead& playhead,
               Selection& selection, const Lights& lights, int lane, Intent& intent);

    // The steps on that line and where they stand, as drawn last.
    const std::vector<std::pair<std::size_t, Rect>>& strip() const { return strip_; }

private:
    void look_at(const RunView& run_view, const Selection& selection, int lane);

    std::vector<std::pair<std::size_t, Rect>> strip_;
    // Made once for a lane of a run.
    std::shared_ptr<const run::Run> run_;
    WarpRef warp_;
    int lane_ = -1;
    std::vector<HistoryStep> life_;
};

}  // namespace lanewise::viz
