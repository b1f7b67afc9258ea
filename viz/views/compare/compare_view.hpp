// Two to four variants next to each other, aligned by stage, scrubbed together; under each its counters and its time.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/run/front_end.hpp"
#include "common/scene/compare/comparison_sentence.hpp"
#include "common/scene/compare/side_by_side.hpp"
#include "viz/model/pane.hpp"
#include "viz/model/selection.hpp"
#include "viz/views/compare/diff_view.hpp"
#include "viz/views/reduction/rounding_view.hpp"
#include "viz/views/boxes/boxes_view.hpp"
#include "viz/views/reduction/tree_view.hpp"
#include "viz/views/stage/timeline_view.hpp"
#include "viz/views/stage/stage_view.hpp"

namespace lanewise::viz {

// One of the runs that are compared.
struct CompareSide {
    std::string name;                          // the variant's
    std::string title;
    std::shared_ptr<const RunView> run_view;    // null: not there yet
    std::string error;                         // why it never will be; empty else
};

// Where the panels of a comparison are: next to each other as long as 32 lanes keep room for their numbers, else two
// by two; of three the fourth place is free for one more.
struct ComparePlaces {
    std::vector<Rect> panels;   // of each side; empty: no room for it
    Rect free;               // empty where there is no place left over
    Rect sentence;           // what the comparison comes to
    Rect text, sources;      // beside the panels; empty: not shown
    bool compact = false;    // low panels: the warp alone, and the figures on one line
    bool low = false;        // a low window: the warp and the time alone
    bool narrow = false;     // there is room for the text or the sources, not for both
};
ComparePlaces place_panels(const Rect& body, std::size_t count, float scale);

struct CompareView {
    struct Side {
        StageView stage;
        RoundingView rounding;
        TreeView tree;
        BoxesView boxes;
    };
    std::array<Side, kMostSides> sides;
    bool wait_for_results = true;         // as RoundingView and TreeView have it
    bool working = false;        // something was still worked out when it was drawn last
    TimelineView timeline;
    SideBySide steps;            // of the runs that are all there
    std::size_t chosen = 1;      // the side that Tab, 1 … 9 and the tabs change
    bool listing = false;        // the variants that can be added are in sight
    bool show_text = false;      // there is room for the lesson's text on the left: places().text
    std::optional<bool> show_sources;   // on the right; none: where the window is wide enough
    DiffView sources;            // of the first side and the chosen one

    // The sentence, panels, sources, list and timeline. What is asked of a panel (uncompare, side, compare_with) and
    // places to go to are given back.
    Intent draw(const Look& look, Rect body, const std::vector<CompareSide>& shown,
                const std::vector<run::VariantInfo>& variants, const timing::TimingTable& times, run::View view,
                const Playhead& playhead, Selection& selection);

    // Shows or hides them; where there is room for one of them the other goes.
    void toggle_text();
    void toggle_sources();

    // Are the sources in sight, as drawn last?
    bool sources_shown() const { return !places_.sources.empty(); }

    // As drawn last.
    const CompareScene& scene() const { return scene_; }
    const ComparePlaces& places() const { return places_; }
    const ComparisonSentence& sentence() const { return sentence_; }

private:
    Intent draw_head(const Pane& pane, const Rect& where, std::size_t side, const std::vector<CompareSide>& shown,
                     bool ready) const;
    Intent draw_panel(const Pane& pane, std::size_t side, const std::vector<CompareSide>& shown, run::View view,
                      const Playhead& playhead, Selection& selection);
    Intent draw_list(const Look& look, const Rect& free, const Rect& under, const std::vector<CompareSide>& shown,
                     const std::vector<run::VariantInfo>& variants);
    bool rounds_differ(const std::vector<CompareSide>& shown) const;
    Intent draw_timeline(const Look& look, const Rect& where, const std::vector<CompareSide>& shown, bool ready,
                         const Playhead& playhead, const Selection& selection);
    // Rooms for the sentence, the text and the sources, taken from `body`.
    void place_around(const Look& look, Rect& body, std::size_t count);
    Intent draw_sentence(const Pane& pane, const Rect& where, bool ready) const;
    Intent draw_sources(const Look& look, const std::vector<CompareSide>& shown, Selection& selection);
    // Worked out anew where other runs are shown, or other times.
    const ComparisonSentence& sentence_of(const std::vector<CompareSide>& shown, const timing::TimingTable& times);
    // How it came out, where any side is wrong: the difference to see first.
    void draw_banner(const Pane& pane, const Rect& where, std::size_t side, const RunView& run_view) const;
    void draw_foot(const Pane& pane, Rect where, std::size_t side, const RunView& run_view,
                   const timing::TimingTable& times) const;
    void draw_figures(const Pane& pane, const Rect& where, std::size_t side) const;

    CompareScene scene_;
    ComparePlaces places_;
    std::string reference_;      // the title of the side that lanes are held against
    float list_scroll_ = 0;
    ComparisonSentence sentence_;
    std::vector<const run::Run*> sentence_runs_;   // the runs that it describes
    std::string sentence_times_;                   // their times
};

}  // namespace lanewise::viz
