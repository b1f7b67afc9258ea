// The steps as chips with the lanes at work under them, and the controls that play them.
#pragma once

#include "viz/views/exhibit.hpp"
#include "viz/views/pane.hpp"
#include "viz/views/selection.hpp"

namespace lanewise::viz {

// One entry of a timeline: a step, or a pair of steps in a comparison.
struct TimelineEntry {
    std::string label;
    steps::StepKind kind = steps::StepKind::load;
    std::uint32_t lanes = 0;      // at work in the chosen block
};

struct TimelineView {
    float scroll = 0;

    static float height(const Look& look) { return look.px(124); }

    Intent draw(const Pane& pane, const Exhibit& exhibit, const Playhead& playhead, Selection& selection);
    // The same for any entries: used by comparisons.
    Intent draw_entries(const Pane& pane, const std::vector<TimelineEntry>& entries, std::uint32_t threads,
                        const Playhead& playhead);

private:
    Intent draw_controls(const Pane& pane, const Rect& where, const Playhead& playhead) const;
};

Color step_color(const Theme& theme, steps::StepKind kind);

}  // namespace lanewise::viz
