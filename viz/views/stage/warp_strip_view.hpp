// The block's warps, small: what each held from step to step and holds now, and whether it works or waits. Under them,
// where there are several, the grid's blocks. A click chooses.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "common/run/run.hpp"
#include "viz/model/highlight.hpp"
#include "viz/model/pane.hpp"
#include "viz/views/stage/warp_states.hpp"

namespace lanewise::viz {

struct WarpStripView {
    // In a strip of `width` pixels, above a stage of `room`; 0 where there is only one warp. The same at every step.
    float height(const Look& look, const RunView& run_view, const Selection& selection, float width, float room) const;
    void draw(const Pane& pane, const Rect& where, const RunView& run_view, const Playhead& playhead,
              Selection& selection, const Lights& lights);

private:
    void draw_warps(const Pane& pane, const Rect& where, const RunView& run_view, const Playhead& playhead,
                    Selection& selection, const Lights& lights);
    void draw_grid(const Pane& pane, const Rect& where, const RunView& run_view, const Playhead& playhead,
                   Selection& selection) const;
    const std::vector<WarpRow>& rows(const RunView& run_view, std::size_t place, const Theme& theme, ColorBy by);

    // Pictures of a run, each made when it is first seen.
    std::shared_ptr<const lesson::Run> run_;
    const Theme* theme_ = nullptr;
    ColorBy by_ = ColorBy::value;
    std::map<std::size_t, std::vector<WarpRow>> rows_;   // by place in Steps::warps
};

}  // namespace lanewise::viz
