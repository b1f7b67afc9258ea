// The rounding lens: the addition tree of a warp with the exact value, the rounded one and the error at each sum; where
// a sum stopped growing, and where most was lost.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "viz/model/pane.hpp"
#include "viz/model/run_view.hpp"
#include "viz/model/selection.hpp"
#include "viz/views/reduction/sum_places.hpp"

namespace lanewise::viz {

struct RoundingView {
    std::string heading;   // the variant, in a comparison
    bool wait_for_results = true;   // false: frames are drawn while a large run is worked out
    bool can_change = false;         // another input can be run: where nothing is rounded, one that rounds is offered

    // A click on a sum makes it the last that is drawn where more led to it or it is a run, else pins it; the pinned or
    // hovered one is described in full below.
    Intent draw(const Pane& pane, const RunView& run_view, const Playhead& playhead, Selection& selection);

    // As drawn last.
    const SumScene& scene() const { return scene_; }
    // Once worked out.
    const Sums& sums() const { return *exact_; }
    bool working() const { return run_ != nullptr && !exact_; }
    std::int32_t shown_sum() const { return shown_sum_; }   // whose figures are below

private:
    void look_at(const RunView& run_view, const Playhead& playhead, const Selection& selection);
    // Both cut what they take off the top of `rest`.
    Intent draw_heading(const Pane& pane, Rect& rest, const RunView& run_view, std::size_t step, Selection& selection);
    Intent draw_loss(const Pane& pane, Rect& rest, const RunView& run_view, std::size_t step,
                     Selection& selection) const;
    void draw_box(const Pane& pane, const PlacedSum& box, bool lit) const;
    void draw_run(const Pane& pane, const PlacedSum& box, Rect where) const;

    std::shared_ptr<const run::Run> run_;   // whose lens it is
    std::shared_ptr<const Sums> exact_;    // null while it is worked out
    SumScene scene_;
    struct Drawn {
        std::int32_t root = Sum::kNone;
        std::array<float, 4> where{};
        float gap = 0;
        int levels = 0;
        bool operator==(const Drawn&) const = default;
    };
    Drawn drawn_;                              // what scene_ was built for
    // What the tree was built for; it starts anew where that changes.
    std::size_t step_ = kNoStep;
    WarpRef warp_;
    int lane_ = -1;
    std::vector<std::int32_t> roots_;          // the last is drawn; those before it lead back
    std::int32_t pinned_ = Sum::kNone;
    std::int32_t shown_sum_ = Sum::kNone;
};

// The colour of a class; always with its number of ulps.
Color precision_color(const Theme& theme, Precision precision);

// One sum in full: decimal digits, hex, and sign, exponent and fraction bits of the exact value (the nearest number of
// the format), the rounded value and the error. Returns the height used; draws nothing where the brush has no list.
float draw_sum_figures(const Brush& brush, const Rect& where, const Sums& sums, std::int32_t sum);

}  // namespace lanewise::viz
