#include "viz/views/reduction/rounding_view.hpp"

#include <algorithm>

namespace lanewise::viz {
void RoundingView::look_at(const RunView& run_view, const Playhead& playhead, const Selection& selection) {
    if (run_ != run_view.run) {
        run_ = run_view.run;
        exact_ = nullptr;
        drawn_ = {};
        step_ = kNoStep;
    }
    if (!exact_) exact_ = run_view.exact(wait_for_results);
    if (!exact_) return;
    // A hovered lane passes; a pinned one is meant.
    const int lane = selection.pinned_lane;
    const auto& warps = run_view.outline.warps;
    const bool recorded = is_recorded(run_view.steps(), selection.warp);
    const WarpRef warp = recorded || warps.empty() ? selection.warp : warps.front();
    if (step_ == playhead.step && warp_ == warp && lane_ == lane) return;
    step_ = playhead.step;
    warp_ = warp;
    lane_ = lane;
    roots_.clear();
    pinned_ = Sum::kNone;
    if (!sums().why_not().empty()) return;
    const std::int32_t root = sums().to_show(step_, warp_, lane_);
    if (root != Sum::kNone) roots_.push_back(root);
}

Intent RoundingView::draw(const Pane& pane, const RunView& run_view, const Playhead& playhead, Selection& selection) {
    look_at(run_view, playhead, selection);
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    shown_sum_ = Sum::kNone;
    Rect rest = pane.box.inset(pane.px(16), pane.px(10));
    if (!exact_) {
        scene_ = {};
        text_in(brush, Face::title, rest, colors.quiet, being_worked_out(run_view));
        return {};
    }
    const Intent intent = draw_heading(pane, rest, run_view, playhead.step, selection);
    if (roots_.empty()) {
        scene_ = {};
        drawn_ = {};
        const std::string text = !sums().why_not().empty() ? sums().why_not()
                                  : lane_ >= 0
                                      ? "This lane has added nothing up to this step, as far as the records show. "
                                        "Go on with →, or to the end with End."
                                      : "This warp has added nothing up to this step, as far as the records show. "
                                        "Go on with →, or to the end with End.";
        const float width = std::min(rest.width(), pane.px(460));
        paragraph(brush, Face::body, {rest.center().x - width / 2, rest.center().y - pane.px(30)}, width, colors.text,
                  text, 1.5f);
        return intent;
    }
    const Rect figures = rest.cut_bottom(
        draw_sum_figures({nullptr, pane.look()}, rest, sums(), roots_.back()) + pane.px(20));
    const float least = pane.px(46);
    const int levels = std::clamp(static_cast<int>(rest.height() / least), 2, 6);
    // Built anew only where something changed: a run may have a million additions.
    const Rect where = rest.inset(0, pane.px(4));
    const Drawn drawn{roots_.back(), {where.x0, where.y0, where.x1, where.y1}, pane.px(10), levels};
    if (!(drawn == drawn_)) scene_ = place_lens(lens_layout(sums(), drawn.root, drawn.levels), where, drawn.gap);
    drawn_ = drawn;

    // Lines first: from a sum to what it was added to.
    for (const PlacedSum& box : scene_.boxes) {
        if (box.parent < 0) continue;
        const PlacedSum& to = scene_.boxes[static_cast<std::size_t>(box.parent)];
        const Point a{box.box.center().x, box.box.y1},
            b{std::clamp(box.box.center().x, to.box.x0 + pane.px(4), to.box.x1 - pane.px(4)), to.box.y0};
        arc(brush, a, b,
            {mix(colors.panel, precision_color(colors, precision_of(sums().at(box.sum))), 0.8),
             pane.px(box.own ? 2.0f : 1.2f), 12, 1});
    }
    const int hovered = pane.hovers() ? scene_.box_at(pane.pointer()) : -1;
    shown_sum_ = hovered >= 0            ? scene_.boxes[static_cast<std::size_t>(hovered)].sum
                 : pinned_ != Sum::kNone ? pinned_
                                         : roots_.back();
    for (const PlacedSum& box : scene_.boxes) draw_box(pane, box, box.sum == shown_sum_);

    // Where most is lost: an outline and text, next to the box.
    if (scene_.worst_box >= 0) {
        const PlacedSum& box = scene_.boxes[static_cast<std::size_t>(scene_.worst_box)];
        const Rect frame = box.box.inset(-pane.px(3));
        outline(brush, frame, colors.warning, pane.px(6), pane.px(1.5f));
        const bool inside =
            box.sum == scene_.worst || std::find(box.run.begin(), box.run.end(), scene_.worst) != box.run.end();
        const std::string text = inside ? "largest error" : "largest error above here";
        const float width = text_width(pane.look(), Face::caption, text) + pane.px(10);
        const float x = std::clamp(frame.center().x - width / 2, rest.x0, rest.x1 - width);
        const Rect label{x, frame.y0 - pane.px(14), x + width, frame.y0 - pane.px(0.5f)};
        fill(brush, label, mix(colors.ground, colors.warning, 0.18), pane.px(3));
        text_in(brush, Face::caption, label, colors.text, text);
    }
    if (hovered >= 0) {
        const PlacedSum& box = scene_.boxes[static_cast<std::size_t>(hovered)];
        const Sum& sum = sums().at(box.sum);
        if (sum.kind != Sum::Kind::input && sum.warp == selection.warp) selection.next.lane = sum.lane;
        if (pane.button(box.box)) {
            if (box.more || (hovered > 0 && !box.run.empty())) {
                roots_.push_back(box.sum);
                pinned_ = Sum::kNone;
            } else if (hovered == 0 && roots_.size() > 1) {
                roots_.pop_back();
                pinned_ = Sum::kNone;
            } else {
                pinned_ = pinned_ == box.sum ? Sum::kNone : box.sum;
            }
        }
    }
    hairline(brush, {figures.x0, figures.y0 + pane.px(8)}, {figures.x1, figures.y0 + pane.px(8)}, colors.line);
    draw_sum_figures(brush, {figures.x0, figures.y0 + pane.px(14), figures.x1, figures.y1}, sums(),
                     shown_sum_);
    return intent;
}

}  // namespace lanewise::viz
