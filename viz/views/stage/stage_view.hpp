// The stage: one warp large, its rounds stacked, the present one lit.
#pragma once

#include <memory>
#include <string>

#include "viz/model/run_view.hpp"
#include "viz/views/reduction/join_view.hpp"
#include "viz/model/highlight.hpp"
#include "viz/views/memory/memory_view.hpp"
#include "viz/model/pane.hpp"
#include "viz/views/stage/scene.hpp"
#include "viz/model/selection.hpp"
#include "viz/views/stage/stage_camera.hpp"
#include "viz/views/stage/permutation_view.hpp"
#include "viz/views/stage/stage_motion.hpp"
#include "viz/views/stage/warp_strip_view.hpp"

namespace lanewise::viz {

struct StageView {
    float gutter = 70;           // for the steps' names
    bool headed = true;          // false: its heading stands elsewhere, with how the run came out
    bool compact = false;        // the warp alone: no other warps, no memory, no legend
    std::string note;            // why nothing happens here at this step, in a comparison; empty where something does
    std::uint32_t differing =
        0;  // in a comparison: lanes that hold something else than in the run they are held against
    std::string differing_from;  // that run's name
    WarpStripView strip;
    JoinView joins;
    MemoryView memory;
    PermutationView permutation;
    bool matrix_fits = true;     // is there room for it, as drawn last
    bool matrix = false;         // under a shuffle its matrix of lanes is in the place of memory
    StageCamera camera;

    Intent draw(const Pane& pane, const RunView& run_view, const Playhead& playhead, Selection& selection);

    // The scene as it was drawn last.
    const Scene& scene() const { return scene_; }

private:
    void draw_heading(const Pane& pane, const Rect& where, const RunView& run_view, const Playhead& playhead,
                      const Selection& selection) const;
    // What the emulator found wrong at this step; returns the height used at the top of `where`.
    // A click leads to the warp that it concerns.
    float draw_findings(const Pane& pane, const Rect& where, const RunView& run_view, const Playhead& playhead,
                        Selection& selection) const;
    Intent draw_scene(const Pane& pane, const Rect& where, const RunView& run_view, const Playhead& playhead,
                      Selection& selection);
    Intent point_at(const Pane& pane, const Rect& lanes_box, const Rect& gutter_box, const Playhead& playhead,
                    Selection& selection);
    void draw_zoom(const Pane& pane, const Rect& where);

    // What the stage shows, made once for a step; and where, for each frame.
    const scene::Stage& stage_at(const RunView& run_view, std::size_t step, const WarpRef& warp);

    std::shared_ptr<const run::Run> stage_run_;
    scene::Stage stage_;
    CellTexts texts_;     // of stage_
    Scene scene_;
    StageMotion motion_;
    Lights lights_;
};

}  // namespace lanewise::viz
