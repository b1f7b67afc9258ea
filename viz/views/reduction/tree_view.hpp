// The summation tree: the additions that led to one lane's sum, each at the step that made it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "viz/model/pane.hpp"
#include "viz/model/run_view.hpp"
#include "viz/model/selection.hpp"
#include "viz/views/reduction/sum_places.hpp"

namespace lanewise::viz {

struct TreeView {
    using Colors = SumOverlay;     // value or warp

    Colors colors = Colors::value;
    bool compact = false;          // in a comparison: less is shown around the tree
    bool wait_for_results = true;           // false: frames are drawn while a large run is worked out

    // Whose tree: that of the lane pointed at among the numbers on top, else the pinned lane's, else what the run ends
    // with. A sum pointed at is described below, with its inputs lit; a click goes to its step. A click on a fold
    // looks at it alone.
    Intent draw(const Pane& pane, const RunView& run_view, const Playhead& playhead, Selection& selection);

    // As drawn last.
    const SumScene& scene() const { return scene_; }
    const SummationTree& tree() const { return *grown_; }
    const Sums& sums() const { return *exact_; }
    bool working() const { return run_ != nullptr && (!grown_ || laying_.busy()); }
    int shown_box() const { return shown_box_; }             // the box whose text is below; -1: the whole
    const std::string& shown_text() const { return shown_text_; }
    const Rect& back() const { return back_; }               // empty where the whole is drawn
    const Rect& color_switch() const { return switch_; }

private:
    bool zoomed() const { return grown_->roots.size() > 1; }
    void look_at(const RunView& run_view, const Selection& selection);
    void grow();
    void lay_out(const Pane& pane, const Rect& where);
    void draw_heading(const Pane& pane, Rect where, const RunView& run_view, Selection& selection);
    void draw_lanes(const Pane& pane, const Rect& where, const RunView& run_view, Selection& selection);
    Intent draw_rows(const Pane& pane, std::size_t step) const;
    void draw_lines(const Pane& pane, std::size_t step, const std::vector<bool>& lit) const;
    void draw_box(const Pane& pane, const RunView& run_view, std::size_t step, std::size_t box, bool lit) const;
    void draw_fold(const Pane& pane, const RunView& run_view, std::size_t step, const PlacedSum& box, bool lit) const;
    void draw_text(const Pane& pane, const Rect& where, std::size_t step);
    Color color_of(const Theme& theme, const RunView& run_view, const PlacedSum& box) const;
    const Sum& sum_of(const PlacedSum& box) const { return sums().at(box.sum); }

    std::shared_ptr<const run::Run> run_;      // whose lens it is
    std::shared_ptr<const Sums> exact_;       // null while it is worked out
    // What the tree was grown for.
    WarpRef warp_;
    int lane_ = -1;                               // -1: the run's own total
    int preview_ = -1;                            // the lane pointed at among the numbers
    std::vector<std::int32_t> roots_;             // that were clicked on; empty: the whole
    bool stale_ = true;                           // another tree than that of growing_ is meant
    BackgroundTask<SummationTree> growing_;
    std::shared_ptr<const SummationTree> grown_;          // null while it is worked out
    SumScene scene_;
    Rect area_;                                   // that the scene is laid out in, and the tree
    std::shared_ptr<const SummationTree> laid_;
    BackgroundTask<SumScene> laying_;
    bool taken_ = false;                          // scene_ is what laying_ has
    int shown_box_ = -1;
    std::string shown_text_;
    int text_box_ = -2;                          // whose they are: a box; -1: the whole; -2: none's
    std::size_t text_step_ = 0;
    Rect back_, switch_;
};

// A warp's own colour: eight of them, so that neighbours differ; always with its number.
Color warp_color(const Theme& theme, std::uint32_t warp);

}  // namespace lanewise::viz
