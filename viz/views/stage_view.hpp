// The stage: one warp large, its rounds stacked, the present one lit.
#pragma once

#include <string>

#include "viz/views/exhibit.hpp"
#include "viz/views/join_view.hpp"
#include "viz/views/memory_view.hpp"
#include "viz/views/pane.hpp"
#include "viz/views/scene.hpp"
#include "viz/views/selection.hpp"
#include "viz/views/warp_strip_view.hpp"

namespace lanewise::viz {

struct StageView {
    float gutter = 70;           // for the steps' names
    std::string heading;         // replaces "block 0 · warp 3": the variant, in a comparison
    std::string note;            // replaces the step's name, where it is not this run's turn
    bool told_elsewhere = false; // the result stands in a banner of its own
    std::uint32_t differing = 0; // in a comparison: lanes that hold something else than in the run beside this one
    WarpStripView strip;
    JoinView joins;
    MemoryView memory;

    void draw(const Pane& pane, const Exhibit& exhibit, const Playhead& playhead, Selection& selection);

    // The scene as it was drawn last.
    const Scene& scene() const { return scene_; }

private:
    void draw_heading(const Pane& pane, const Rect& where, const Exhibit& exhibit, const Playhead& playhead,
                      const Selection& selection) const;
    // What the emulator found wrong at this step; returns the height used at the top of `where`.
    // A click leads to the warp that it concerns.
    float draw_findings(const Pane& pane, const Rect& where, const Exhibit& exhibit, const Playhead& playhead,
                        Selection& selection) const;
    Rect draw_scene(const Pane& pane, const Rect& where, const Exhibit& exhibit, const Playhead& playhead,
                    Selection& selection);
    void draw_legend(const Pane& pane, const Rect& where, const Exhibit& exhibit) const;

    Scene scene_;
    float wheel_ = 0;            // scrolled by hand, until the step changes
    std::size_t wheel_step_ = 0;
};

}  // namespace lanewise::viz
