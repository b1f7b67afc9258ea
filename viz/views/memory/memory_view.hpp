// The memory that the present run uses, under the stage: shared memory in banks, or global memory in sectors; what the
// warp's requests cost, as text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/scene/memory/memory_panel.hpp"
#include "viz/model/highlight.hpp"
#include "viz/views/memory/banks_view.hpp"
#include "viz/views/memory/sectors_view.hpp"

namespace lanewise::viz {

struct MemoryView {
    // What is shown: the space that the step touches (shared memory where it touches none), or always the same.
    enum class Show : std::uint8_t { follow, shared, global };

    Show show = Show::follow;
    float lanes_x0 = 0;   // where lane 0 is on the stage
    float cell = 20;

    // The same at each step of a run, so that the stage does not move; 0 where no memory was recorded. At most `most`.
    float height(const Look& look, const RunView& run_view, const Selection& selection, float width, float most);
    void draw(const Pane& pane, const Rect& where, const RunView& run_view, const Playhead& playhead,
              Selection& selection);
    // Follow the step, then shared, then global.
    void next();

    // As drawn last.
    Space shown() const { return now_.space; }
    const std::vector<std::string>& captions() const { return now_.captions; }

private:
    // What holds for a run and a warp.
    struct Run {
        std::shared_ptr<const run::Run> run;
        WarpRef warp;
        float width = 0, scale = 0, most = 0;
        bool shared = false;
        bool global = false;
        std::vector<std::uint32_t> shared_arrays;   // that the launch touches
        std::size_t shared_rows = 0;                // in all, and as many as are shown
        std::size_t bank_rows = 0;
        std::size_t global_rows = 0;
        bool conflicts = false;
        bool brief = false;                          // captions are too long for the width
        std::size_t caption_lines = 1;
        float height = 0;
        std::shared_ptr<const GlobalUse> use;
    };
    void learn(const Look& look, const RunView& run_view, const WarpRef& warp, float width, float most);
    void look_at(const steps::Steps& steps, std::size_t step, const WarpRef& warp);
    Space choose(const steps::Steps& steps, std::size_t step, const WarpRef& warp) const;
    void draw_title(const Pane& pane, const Rect& where, const Outline& outline, const WarpRef& warp);

    Run run_;
    // What holds for one step of it.
    bool ready_ = false;
    std::size_t step_ = 0;
    Show showed_ = Show::follow;
    MemoryPanel now_;
    Lights lights_;
};

}  // namespace lanewise::viz
