// The steps as chips with the lane utilization under them, and the controls that play them.
#pragma once

#include <array>

#include "common/scene/utilization.hpp"
#include "viz/model/highlight.hpp"
#include "viz/model/pane.hpp"
#include "viz/model/run_view.hpp"
#include "viz/model/selection.hpp"
#include "viz/model/step_color.hpp"

namespace lanewise::viz {

// Runs that may be compared.
inline constexpr std::size_t kMostBars = 4;

// One entry of a timeline: a step, or those that are together in a comparison.
struct TimelineEntry {
    std::string label;
    StepKind kind = StepKind::load;
    std::array<WorkStep, kMostBars> work{};   // of the chosen block, on each side
    std::array<bool, kMostBars> has{true};    // does that side have a step here?
    bool warned = false;                      // something was found wrong in it
    bool lit = false;                         // what is pointed at elsewhere belongs to it
    bool reads = false, writes = false;       // the word of memory that is pointed at
    std::string names = {};                   // under the pointer; empty: the label
};

// What the bars are measured by.
struct TimelineScale {
    std::size_t sides = 1;                                   // of a comparison
    std::array<std::uint32_t, kMostBars> threads{1, 1, 1, 1};   // of a block, on each side
    double utilization = 0;                              // where the mean stands; 0: not drawn
    std::string figure;                           // utilization_text() of a single run
};

// Where each entry stands. When not all fit, entries of one name in a row share a chip and shrink to ticks.
struct TimelinePlaces {
    struct Place {
        float x = 0;
        float width = 0;
        bool tick = false;         // in a shared chip
        std::size_t run_first = 0; // entries of the shared chip
        std::size_t run_last = 0;
    };
    std::vector<Place> places;
    float total = 0;
};
TimelinePlaces place_entries(const std::vector<TimelineEntry>& entries, float width, float scale);

struct TimelineView {
    float scroll = 0;
    std::size_t pointed = kNoStep;   // the entry under the pointer, as drawn last

    std::string instead;             // shown in the place of steps where none is shown yet

    static float height(const Look& look) { return look.px(128); }

    Intent draw(const Pane& pane, const RunView& run_view, const Playhead& playhead, Selection& selection);
    // The same for any entries: used by comparisons.
    Intent draw_entries(const Pane& pane, const std::vector<TimelineEntry>& entries, const TimelineScale& scale,
                        const Playhead& playhead);

private:
    Lights lights_;

    Intent draw_controls(const Pane& pane, const Rect& where, const Playhead& playhead,
                         const std::string& figure) const;
    void draw_chip(const Pane& pane, const Rect& chip, const TimelineEntry& entry, bool present, bool past,
                   bool hovered) const;
    void draw_lit(const Pane& pane, const Rect& chip, const TimelineEntry& entry) const;
    void draw_shared_chip(const Pane& pane, const Rect& chip, const Rect& seen, const TimelineEntry& entry,
                          std::size_t count, std::size_t present) const;
    void draw_bars(const Pane& pane, const Rect& where, const TimelineEntry& entry, const TimelineScale& scale,
                   bool present) const;
};

}  // namespace lanewise::viz
