// Above the rounding lens: whose sum it is, where precision is lost in the whole run, and what the colours mean.
#include <algorithm>

#include <fmt/format.h>

#include "common/scene/sums/absorbed.hpp"
#include "viz/views/reduction/rounding_view.hpp"

namespace lanewise::viz {
namespace {

constexpr std::size_t kLossLines = 3;  // at most, of the sentence on the whole run

// The classes, as colours and labels, and what the edges of boxes show.
void draw_legend(const Pane& pane, Rect legend) {
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    for (const Precision each :
         {Precision::exact, Precision::nearest, Precision::few, Precision::many, Precision::lost}) {
        const char* name = precision_name(each);
        const float width = text_width(pane.look(), Face::caption, name) + pane.px(26);
        if (legend.width() < width) break;
        const Rect entry = legend.cut_left(width);
        const Rect chip{entry.x0, entry.center().y - pane.px(4), entry.x0 + pane.px(10), entry.center().y + pane.px(4)};
        fill(brush, chip, mix(colors.panel, precision_color(colors, each), 0.35), pane.px(2));
        outline(brush, chip, precision_color(colors, each), pane.px(2), pane.px(1.2f));
        text_in(brush, Face::caption, {entry.x0 + pane.px(14), entry.y0, entry.x1, entry.y1}, colors.quiet, name,
                Align::left);
    }
    for (const char* signs : {"dashed: inferred; bar: computed in a narrower type, then converted",
                              "dashed: inferred; bar: then converted", "dashed: inferred"}) {
        if (text_width(pane.look(), Face::caption, signs) > legend.width()) continue;
        text_in(brush, Face::caption, legend, colors.quiet, signs, Align::right);
        break;
    }
}

}  // namespace

Intent RoundingView::draw_heading(const Pane& pane, Rect& rest, const RunView& run_view, std::size_t step,
                                  Selection& selection) {
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    Intent intent;
    Rect line = rest.cut_top(pane.px(22));
    const Rect back = line.cut_right(roots_.size() > 1 ? pane.px(120) : 0);
    std::string text = heading.empty() ? "Rounding" : heading;
    if (!roots_.empty()) {
        const Sum& root = sums().at(roots_.back());
        text += fmt::format(" · {} · sum of {} in {}", where_of(root), root.count, element_name(root.type));
    } else {
        text += " · " + warp_name(run_view.steps(), warp_);
    }
    text_in(brush, Face::strong, line, colors.strong, fit_text(pane.look(), Face::strong, text, line.width()),
            Align::left);
    if (roots_.size() > 1) {
        fill(brush, back, colors.raised, pane.px(4));
        text_in(brush, Face::caption, back, colors.text, "back to the last sum");
        if (pane.button(back)) {
            roots_.resize(1);
            pinned_ = Sum::kNone;
        }
    }
    if (sums().why_not().empty())
        if (const Intent asked = draw_loss(pane, rest, run_view, step, selection)) intent = asked;
    draw_legend(pane, rest.cut_top(pane.px(18)));
    rest.cut_top(pane.px(3));
    return intent;
}

// Where precision is lost in the whole run; a click leads there.
Intent RoundingView::draw_loss(const Pane& pane, Rect& rest, const RunView& run_view, std::size_t step,
                               Selection& selection) const {
    const Theme& colors = pane.colors();
    const std::size_t stops = sums().stops();
    const std::int32_t at = stops > 0 ? sums().stopped() : sums().worst();
    const Sum* sum = at != Sum::kNone ? &sums().at(at) : nullptr;
    std::string sentence = "Nothing is rounded in this run: every sum is exact.";
    if (!sum && can_change) sentence += " Click to run it on values that round: a huge one among small ones.";
    if (sum) {
        const std::string place = fmt::format("step {} ({})", sum->step + 1,
                                              run_view.outline.blocks.size() > 1
                                                  ? where_of(*sum)
                                                  : fmt::format("warp {} · lane {}", sum->warp.warp, sum->lane));
        sentence = stops > 0
                       ? fmt::format("{}, first at {}: ", scene::absorbed_text(stops), place)
                       : fmt::format("Largest rounding error of the run: {}: ", place);
        sentence += sums().addition(at);
    }
    const bool leads = sum && !(sum->step == step && sum->warp == warp_ && (lane_ < 0 || sum->lane == lane_));
    const bool offers = !sum && can_change;
    const std::vector<std::string> lines = fit_lines(pane.look(), Face::caption, sentence, rest.width(), kLossLines);
    Rect text_box{rest.x0, rest.y0, rest.x0, rest.y0};
    for (const std::string& text : lines) {
        const Rect line = rest.cut_top(pane.px(17));
        const float end = line.x0 + text_width(pane.look(), Face::caption, text);
        if (leads || offers)
            hairline(pane.brush, {line.x0, line.y1 - pane.px(1)}, {end, line.y1 - pane.px(1)}, colors.line);
        text_in(pane.brush, Face::caption, line, stops > 0 ? colors.warning : colors.text, text, Align::left);
        text_box = {text_box.x0, text_box.y0, std::max(text_box.x1, end), line.y1};
    }
    rest.cut_top(pane.px(2));
    if (pane.hovers(text_box) && !lines.empty() && lines.back().ends_with("…")) hint_card(pane.look(), sentence);
    if (offers && pane.button(text_box)) return {Intent::Kind::rounding_input, 0};
    if (!leads || !pane.button(text_box)) return {};
    selection.warp = sum->warp;
    selection.pinned_lane = sum->lane;
    return {Intent::Kind::go_to, sum->step};
}

}  // namespace lanewise::viz
