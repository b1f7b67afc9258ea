// The block's warps, small: what each held from step to step and holds now, and whether it works or waits. Under them,
// where there are several, the grid's blocks. A click chooses.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "viz/model/highlight.hpp"
#include "viz/model/pane.hpp"
#include "common/scene/warp_states.hpp"
#include "viz/model/lane_colors.hpp"

namespace lanewise::viz {

// A row of a small picture of one warp: what it held after a step that changed something.
struct ColorRow {
    std::size_t step = kNoStep;
    struct Run {                // lanes of one colour next to each other
        int first = 0, count = 0;
        Color color = 0;
    };
    std::vector<Run> runs;
};

// Colours by value are those of the whole run, so that warps can be compared.
std::vector<ColorRow> color_rows(const RunView& run_view, const WarpRef& warp, const Theme& theme, ColorBy by);

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
    const std::vector<ColorRow>& rows(const RunView& run_view, std::size_t place, const Theme& theme, ColorBy by);

    // Pictures of a run, each made when it is first seen.
    std::shared_ptr<const run::Run> run_;
    const Theme* theme_ = nullptr;
    ColorBy by_ = ColorBy::value;
    std::map<std::size_t, std::vector<ColorRow>> rows_;   // by place in Outline::warps
};

}  // namespace lanewise::viz
