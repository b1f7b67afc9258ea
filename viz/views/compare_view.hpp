// Two variants beside each other, aligned by stage, scrubbed together; under each its counters and its time.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "viz/views/exhibit.hpp"
#include "viz/views/pane.hpp"
#include "viz/views/selection.hpp"
#include "viz/views/stage_view.hpp"
#include "viz/views/timeline_view.hpp"

namespace lanewise::viz {

struct CompareView {
    std::array<StageView, 2> stages;
    TimelineView timeline;

    // Sets the two apart: steps that are the same stage stand together.
    void align(const Exhibit& a, const Exhibit& b);
    std::size_t size() const { return pairs_.size(); }
    // The step of side 0 or 1 at `place`: its own, or its last one before; kNoStep before its first.
    std::size_t step_of(int side, std::size_t place) const;
    bool has_own_step(int side, std::size_t place) const;
    // The place where side `side` stands at step `step`.
    std::size_t place_of(int side, std::size_t step) const;

    void draw_side(const Pane& pane, int side, const std::string& title, const Exhibit& exhibit, const Exhibit& other,
                   const timing::TimingTable& timings, const Playhead& playhead, Selection& selection);
    Intent draw_timeline(const Pane& pane, const Exhibit& a, const Exhibit& b, const Playhead& playhead, const Selection& selection);

private:
    // How it came out, where either side is wrong: the difference to see first.
    void draw_banner(const Pane& pane, const Rect& where, int side, const Exhibit& exhibit) const;
    void draw_foot(const Pane& pane, const Rect& where, const Exhibit& exhibit, const Exhibit& other, std::size_t step,
                   std::size_t other_step, bool own, const timing::TimingTable& timings, const steps::WarpRef& warp) const;

    std::vector<std::pair<std::size_t, std::size_t>> pairs_;
};

}  // namespace lanewise::viz
