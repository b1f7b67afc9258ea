// One lane in full: its source lane and why, in bits; what it held before and after; which inputs it includes; its
// history.
#pragma once

#include "viz/model/run_view.hpp"
#include "viz/views/lane/lane_history_view.hpp"
#include "viz/model/pane.hpp"
#include "viz/model/selection.hpp"

namespace lanewise::viz {

struct InspectorView {
    LaneHistoryView life;

    Intent draw(const Pane& pane, const RunView& run_view, const Playhead& playhead, Selection& selection);

private:
    // Each takes the top of what it draws and returns the bottom.
    float draw_formula(const Pane& pane, float y, const RunView& run_view, const WarpRef& warp, std::size_t step,
                       int lane) const;
    float draw_values(const Pane& pane, float y, const RunView& run_view, const WarpRef& warp, std::size_t step,
                      int lane) const;
    float draw_mask(const Pane& pane, float y, std::uint32_t mask, int lanes) const;
    float draw_findings(const Pane& pane, float y, const RunView& run_view, std::size_t step, const WarpRef& warp,
                        int lane) const;
    float draw_inputs(const Pane& pane, float y, const RunView& run_view, const Playhead& playhead,
                      const Selection& selection, int lane) const;
    float draw_bits(const Pane& pane, float y, const RunView& run_view, const Playhead& playhead,
                    const Selection& selection, int lane) const;
    float draw_step(const Pane& pane, float y, const RunView& run_view, const Playhead& playhead,
                    const Selection& selection) const;

    Lights lights_;
};

}  // namespace lanewise::viz
