// Above the tree: whose sum it is, the lanes to choose from, and what the colours show.
#include <algorithm>
#include <cstdlib>

#include "viz/views/reduction/tree_view.hpp"

namespace lanewise::viz {
namespace {

constexpr float kLane = 17;  // of the lanes to choose from

}  // namespace

void TreeView::draw_heading(const Pane& pane, Rect where, const RunView& run_view, Selection& selection) {
    const Theme& theme = pane.colors();
    const Look& look = pane.look();
    Rect line = where.cut_top(pane.px(compact ? 24 : 28));

    // What the colours show: one of two.
    const auto choice = [&](const char* name, bool chosen) {
        const float width = text_width(look, Face::caption, name) + pane.px(14);
        const Rect box = Rect{line.x1 - width, line.center().y - pane.px(10), line.x1, line.center().y + pane.px(10)};
        if (chosen) fill(pane.brush, box, theme.raised, pane.px(5));
        text_in(pane.brush, Face::caption, box, chosen ? theme.strong : theme.quiet, name);
        line.x1 = box.x0;
        return box;
    };
    const Rect by_warp = choice("warp", colors == Colors::warp), by_value = choice("value", colors == Colors::value);
    switch_ = {by_value.x0, by_value.y0, by_warp.x1, by_warp.y1};
    text_in(pane.brush, Face::caption, line, theme.quiet, "colour by ", Align::right);
    line.x1 -= text_width(look, Face::caption, "colour by ") + pane.px(14);
    if (pane.button(switch_)) colors = colors == Colors::value ? Colors::warp : Colors::value;
    if (zoomed()) {
        const std::string text = "back to the whole";
        const float width = text_width(look, Face::caption, text) + pane.px(34);
        back_ = {line.x1 - width, line.center().y - pane.px(11), line.x1, line.center().y + pane.px(11)};
        line.x1 = back_.x0 - pane.px(12);
        fill(pane.brush, back_, pane.hovers(back_) ? theme.raised : mix(theme.ground, theme.raised, 0.6), pane.px(5));
        const Point tip{back_.x0 + pane.px(10), back_.center().y};
        triangle(pane.brush, tip, {tip.x + pane.px(6), tip.y - pane.px(4)}, {tip.x + pane.px(6), tip.y + pane.px(4)},
                 theme.accent);
        text_in(pane.brush, Face::caption, {back_.x0 + pane.px(22), back_.y0, back_.x1, back_.y1}, theme.text, text,
                Align::left);
        if (pane.button(back_)) {
            roots_.clear();
            stale_ = true;
        }
    }
    std::string title = "Summation tree";
    if (!compact) {
        text_in(pane.brush, Face::title, line, theme.strong, title, Align::left);
        line.cut_left(text_width(look, Face::title, title) + pane.px(14));
    }
    if (!tree().empty()) {
        const std::string whose = (zoomed()         ? "one part: "
                                   : lane_ >= 0     ? ""
                                                    : scene::root_name(*run_view.run, sums().at(grown_->roots.back()),
                                                                       grown_->stored)) +
                                  sums().place(grown_->roots.back());
        text_in(pane.brush, Face::body, line, theme.quiet, fit_text(look, Face::body, whose, line.width()),
                Align::left);
    }
    if (!compact) draw_lanes(pane, where, run_view, selection);
}

// Whose sum: the run's own, or a lane's of this warp.
void TreeView::draw_lanes(const Pane& pane, const Rect& where, const RunView& run_view, Selection& selection) {
    const Theme& theme = pane.colors();
    const Look& look = pane.look();
    preview_ = -1;
    const int lanes = lanes_of(run_view.steps(), selection.warp);
    Rect rest = where;
    const std::string name = warp_name(run_view.steps(), selection.warp);
    const float total = text_width(look, Face::caption, "whole run") + pane.px(16);
    const float name_width = text_width(look, Face::caption, name) + pane.px(12);
    const float cell =
        std::min((rest.width() - total - name_width - pane.px(16)) / static_cast<float>(lanes), pane.px(kLane + 3));
    if (cell < pane.px(9)) return;
    const auto box_of = [&](float width) {
        const Rect box{rest.x0, rest.center().y - pane.px(9), rest.x0 + width, rest.center().y + pane.px(9)};
        rest.x0 += width;
        return box;
    };
    const auto choose = [&](const Rect& box, std::string_view text, int lane, Face face) {
        const bool chosen = lane == lane_;
        const bool pinned = lane >= 0 && selection.pinned_lane == lane;
        if (pane.hovers(box) || chosen)
            fill(pane.brush, box.inset(pane.px(0.5f), 0), chosen ? theme.raised : mix(theme.ground, theme.raised, 0.6),
                 pane.px(3));
        if (pinned)
            fill(pane.brush, {box.x0 + pane.px(2), box.y1 - pane.px(2), box.x1 - pane.px(2), box.y1}, theme.accent);
        text_in(pane.brush, face, box, chosen ? theme.strong : theme.quiet, text);
        if (pane.hovers(box) && lane >= 0) {
            preview_ = lane;
            selection.next.lane = lane;
        }
        if (pane.button(box)) selection.pinned_lane = pinned ? -1 : lane;
    };
    choose(box_of(total), "whole run", -1, Face::caption);
    rest.x0 += pane.px(10);
    text_in(pane.brush, Face::caption, box_of(name_width), theme.quiet, name, Align::left);
    const Face face = cell >= pane.px(18) ? Face::caption : Face::tiny;
    // Where two digits have no room beside two digits, each second; the others can be pointed at.
    const bool all = cell >= text_width(look, face, std::to_string(lanes - 1)) + pane.px(3);
    for (int lane = 0; lane < lanes; ++lane) {
        const bool named = all || lane % 2 == 0 || lane == lane_;
        choose(box_of(cell),
               named && (all || lane == lane_ || lane_ < 0 || std::abs(lane - lane_) != 1) ? std::to_string(lane) : "",
               lane, face);
    }
}

}  // namespace lanewise::viz
