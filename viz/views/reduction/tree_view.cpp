#include "viz/views/reduction/tree_view.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "common/base/counted.hpp"

namespace lanewise::viz {
void TreeView::look_at(const RunView& run_view, const Selection& selection) {
    const int lane = preview_ >= 0 ? preview_ : selection.pinned_lane;
    if (run_ != run_view.run) {
        run_ = run_view.run;
        exact_ = nullptr;
        stale_ = true;
    }
    if (stale_ || lane != lane_ || !(warp_ == selection.warp)) {
        if (lane != lane_ || !(warp_ == selection.warp) || !exact_) roots_.clear();
        lane_ = lane;
        warp_ = selection.warp;
        stale_ = true;
    }
    if (!exact_) exact_ = run_view.exact(wait_for_results);
    grow();
}

// The tree that is meant, as soon as it is there.
void TreeView::grow() {
    if (stale_) {
        grown_ = nullptr;
        text_box_ = -2;
        scene_ = {};
        laid_ = nullptr;
        shown_box_ = -1;
        // One after the other; a frame does not wait until an older tree, which has no use any more, has stopped.
        if (!exact_ || !(growing_.give_up() || wait_for_results)) return;
        growing_.begin([run = run_, exact = exact_, warp = warp_, lane = lane_, roots = roots_](const auto& stop) {
            return summation_tree(*exact, warp, lane, roots, stop);
        });
        stale_ = false;
    }
    if (!grown_) grown_ = growing_.get(wait_for_results);
}

Intent TreeView::draw(const Pane& pane, const RunView& run_view, const Playhead& playhead, Selection& selection) {
    look_at(run_view, selection);
    const Theme& theme = pane.colors();
    Rect rest = pane.box.inset(pane.px(16), pane.px(compact ? 4 : 8));
    Intent intent;
    back_ = switch_ = {};
    if (!grown_) {
        text_in(pane.brush, Face::title, rest, theme.quiet, being_worked_out(run_view));
        return intent;
    }
    if (!compact || zoomed()) draw_heading(pane, rest.cut_top(pane.px(compact ? 24 : 56)), run_view, selection);
    if (tree().empty()) {
        const std::string why = why_no_tree(sums());
        shown_text_ = !why.empty() ? why
                      : lane_ >= 0
                          ? fmt::format("Lane {} of this warp adds nothing, as far as the records show.", lane_)
                          : "No sum is left at the end.";
        const float width = std::min(rest.width(), pane.px(460));
        paragraph(pane.brush, Face::body, {rest.center().x - width / 2, rest.center().y - pane.px(30)}, width,
                  theme.text, shown_text_, 1.5f);
        scene_ = {};
        return intent;
    }
    const Rect foot = rest.cut_bottom(pane.px(compact ? 22 : 62));
    rest.cut_top(pane.px(4));
    rest.cut_bottom(pane.px(compact ? 4 : 10));
    lay_out(pane, rest);
    if (scene_.empty() && laying_.busy()) {
        text_in(pane.brush, Face::title, rest, theme.quiet, being_worked_out(run_view));
        return intent;
    }
    const std::size_t step = playhead.step;
    shown_box_ = pane.hovers(rest) ? scene_.box_at(pane.pointer()) : -1;
    std::vector<bool> lit(scene_.boxes.size(), false);
    if (shown_box_ >= 0)
        for (const int box : scene_.above(shown_box_)) lit[static_cast<std::size_t>(box)] = true;

    if (const Intent asked = draw_rows(pane, step)) intent = asked;
    draw_lines(pane, step, lit);
    for (std::size_t b = 0; b < scene_.boxes.size(); ++b) draw_box(pane, run_view, step, b, lit[b]);
    if (shown_box_ >= 0) {
        const PlacedSum& box = scene_.boxes[static_cast<std::size_t>(shown_box_)];
        const Sum& sum = sum_of(box);
        selection.next.step = sum.step;
        if (sum.kind != Sum::Kind::input && sum.warp == selection.warp) selection.next.lane = sum.lane;
        if (pane.button(box.box)) {
            if (box.collapsed && box.parent >= 0) {
                roots_.push_back(box.sum);
                stale_ = true;
                return intent;
            }
            intent = {Intent::Kind::go_to, sum.step};
        }
    }
    hairline(pane.brush, {foot.x0, foot.y0}, {foot.x1, foot.y0}, theme.line);
    draw_text(pane, foot, step);
    return intent;
}

// Of a million inputs that takes 100 ms; until then the tree stands as it was laid out last.
void TreeView::lay_out(const Pane& pane, const Rect& where) {
    const auto same = [](const Rect& a, const Rect& b) {
        return a.x0 == b.x0 && a.y0 == b.y0 && a.x1 == b.x1 && a.y1 == b.y1;
    };
    if (laid_ != grown_ || !same(area_, where)) {
        laid_ = nullptr;   // what is under way is that of another place
        if (!(laying_.give_up() || wait_for_results)) return;
        laid_ = grown_;
        area_ = where;
        TreeMetrics metrics;
        metrics.area = where;
        metrics.scale = pane.look().scale;
        metrics.compact = compact;
        metrics.gutter = compact ? 76 : 86;
        taken_ = false;
        laying_.begin([run = run_, exact = exact_, grown = grown_, near = warp_, metrics](const auto& stop) {
            return place_tree(tree_layout(*exact, *grown, metrics.room(), near, stop), metrics);
        });
    }
    if (taken_) return;
    if (const auto scene = laying_.get(wait_for_results)) {
        scene_ = *scene;
        taken_ = true;
    }
}

}  // namespace lanewise::viz
