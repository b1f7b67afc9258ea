// Two to four variants beside each other, aligned by stage, scrubbed together; under each its counters and its time.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "common/run/front_end.hpp"
#include "viz/model/pane.hpp"
#include "viz/model/selection.hpp"
#include "viz/views/compare/compare_scene.hpp"
#include "viz/views/reduction/rounding_view.hpp"
#include "viz/views/reduction/tree_view.hpp"
#include "viz/views/shell/timeline_view.hpp"
#include "viz/views/stage/stage_view.hpp"

namespace lanewise::viz {

// Where the panels of a comparison stand: beside each other as long as 32 lanes keep room for their numbers, else two
// by two; of three the fourth place is free for one more.
struct ComparePlaces {
    std::vector<Rect> panels;
    Rect free;               // empty where there is no place left over
    bool compact = false;    // low panels: the warp alone, and the figures on one line
};
ComparePlaces place_panels(const Rect& body, std::size_t count, float scale);

struct CompareView {
    struct Side {
        StageView stage;
        RoundingView rounding;
        TreeView tree;
    };
    std::array<Side, kMostSides> sides;
    bool wait_for_results = true;         // as RoundingView and TreeView have it
    bool working = false;        // something was still worked out when it was drawn last
    TimelineView timeline;
    SideBySide steps;            // of the runs that are all there
    std::size_t chosen = 1;      // the side that Tab, 1 … 9 and the tabs change
    bool listing = false;        // the variants that can be added are in sight

    // Panels, list and timeline. What is asked of a panel (uncompare, side, compare_with) and places to go to are given
    // back.
    Intent draw(const Look& look, Rect body, const std::vector<CompareSide>& shown,
                const std::vector<lesson::VariantInfo>& variants, const timing::TimingTable& times, lesson::View view,
                const Playhead& playhead, Selection& selection);

    // As drawn last.
    const CompareScene& scene() const { return scene_; }
    const ComparePlaces& places() const { return places_; }

private:
    Intent draw_head(const Pane& pane, const Rect& where, std::size_t side, const std::vector<CompareSide>& shown,
                     bool ready) const;
    Intent draw_panel(const Pane& pane, std::size_t side, const std::vector<CompareSide>& shown, lesson::View view,
                      const Playhead& playhead, Selection& selection);
    Intent draw_list(const Look& look, const Rect& free, const Rect& under, const std::vector<CompareSide>& shown,
                     const std::vector<lesson::VariantInfo>& variants);
    Intent draw_timeline(const Look& look, const Rect& where, const std::vector<CompareSide>& shown, bool ready,
                         const Playhead& playhead, const Selection& selection);
    // How it came out, where any side is wrong: the difference to see first.
    void draw_banner(const Pane& pane, const Rect& where, std::size_t side, const RunView& run_view) const;
    void draw_foot(const Pane& pane, Rect where, std::size_t side, const RunView& run_view,
                   const timing::TimingTable& times) const;
    void draw_figures(const Pane& pane, const Rect& where, std::size_t side) const;

    CompareScene scene_;
    ComparePlaces places_;
    std::string reference_;      // the title of the side that lanes are held against
    float list_scroll_ = 0;
};

}  // namespace lanewise::viz
