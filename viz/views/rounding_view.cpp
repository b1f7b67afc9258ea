#include "viz/views/rounding_view.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "viz/views/cell_text.hpp"

namespace lanewise::viz {
namespace {

using steps::Sum;

const Sum& sum_at(const steps::RoundingLens& lens, std::int32_t place) {
    return lens.sums[static_cast<std::size_t>(place)];
}

// As many of the digits as fit into `width`: half a number tells nothing. Infinitely far off is a word, and stays.
std::string ulps_in(const Look& look, Face face, const Sum& sum, float width) {
    std::string text = steps::format_ulps(sum);
    for (const char* shorter : {"{:+.2g}", "{:+.1g}"}) {
        if (text_width(look, face, text) <= width || !std::isfinite(sum.ulps) || sum.overflowed ||
            std::fabs(sum.ulps) >= 100)
            break;
        text = fmt::format(fmt::runtime(shorter), sum.ulps);
    }
    return text;
}

// As long as `width` allows; shorter values lose digits behind the point.
std::string value_in(const Look& look, Face face, Element type, std::uint64_t bits, float width) {
    const int chars = static_cast<int>(width / (*look.fonts)[face].digit);
    const std::string full = steps::full_value(type, bits);
    return static_cast<int>(full.size()) <= chars ? full : format_element(type, bits, std::max(chars, 3));
}

}  // namespace

Color precision_color(const Theme& theme, Precision precision) {
    switch (precision) {
        case Precision::exact: return theme.good;
        case Precision::nearest: return theme.step_shuffle;
        case Precision::few: return theme.step_access;
        case Precision::many: return theme.accent;
        case Precision::lost: return theme.warning;
    }
    return theme.text;
}

void RoundingView::look_at(const Exhibit& exhibit, const Playhead& playhead, const Selection& selection) {
    if (run_ != exhibit.run) {
        run_ = exhibit.run;
        exact_ = nullptr;
        drawn_ = {};
        step_ = steps::kNoStep;
    }
    if (!exact_) exact_ = exhibit.exact(patient);
    if (!exact_) return;
    // A hovered lane passes; a pinned one is meant.
    const int lane = selection.pinned_lane;
    const auto& warps = exhibit.steps().warps;
    const bool recorded = std::find(warps.begin(), warps.end(), selection.warp) != warps.end();
    const steps::WarpRef warp = recorded || warps.empty() ? selection.warp : warps.front();
    if (step_ == playhead.step && warp_ == warp && lane_ == lane) return;
    step_ = playhead.step;
    warp_ = warp;
    lane_ = lane;
    roots_.clear();
    pinned_ = Sum::kNone;
    if (!lens().why_not.empty()) return;
    const std::int32_t root = sum_to_show(exhibit.steps(), lens(), step_, warp_, lane_);
    if (root != Sum::kNone) roots_.push_back(root);
}

Intent RoundingView::draw(const Pane& pane, const Exhibit& exhibit, const Playhead& playhead, Selection& selection) {
    look_at(exhibit, playhead, selection);
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    told_ = Sum::kNone;
    Rect rest = pane.box.inset(pane.px(16), pane.px(10));
    if (!exact_) {
        scene_ = {};
        text_in(brush, Face::title, rest, colors.quiet, being_worked_out(exhibit.steps()));
        return {};
    }
    const Intent intent = draw_heading(pane, rest.cut_top(pane.px(62)), exhibit, playhead.step, selection);
    if (roots_.empty()) {
        scene_ = {};
        drawn_ = {};
        const std::string words = !lens().why_not.empty() ? lens().why_not
                                  : lane_ >= 0
                                      ? "This lane has added nothing up to this step, as far as the records tell. "
                                        "Go on with →, or to the end with End."
                                      : "This warp has added nothing up to this step, as far as the records tell. "
                                        "Go on with →, or to the end with End.";
        const float width = std::min(rest.width(), pane.px(460));
        paragraph(brush, Face::body, {rest.center().x - width / 2, rest.center().y - pane.px(30)}, width, colors.text,
                  words, 1.5f);
        return intent;
    }
    const Rect figures = rest.cut_bottom(
        draw_sum_figures({nullptr, pane.look()}, rest, exhibit.steps(), lens(), roots_.back()) + pane.px(20));
    const float least = pane.px(46);
    const int levels = std::clamp(static_cast<int>(rest.height() / least), 2, 6);
    // Built anew only where something changed: a run may have a million additions.
    const Rect where = rest.inset(0, pane.px(4));
    const Drawn drawn{roots_.back(), {where.x0, where.y0, where.x1, where.y1}, pane.px(10), levels};
    if (!(drawn == drawn_)) scene_ = build_sum_scene(lens(), drawn.root, where, drawn.gap, drawn.levels);
    drawn_ = drawn;

    // Lines first: from a sum to what it was added to.
    for (const SumBox& box : scene_.boxes) {
        if (box.parent < 0) continue;
        const SumBox& to = scene_.boxes[static_cast<std::size_t>(box.parent)];
        const Point a{box.box.center().x, box.box.y1},
            b{std::clamp(box.box.center().x, to.box.x0 + pane.px(4), to.box.x1 - pane.px(4)), to.box.y0};
        const bool own = sum_at(lens(), to.sum).own == box.sum;
        arc(brush, a, b,
            {mix(colors.panel, precision_color(colors, precision_of(sum_at(lens(), box.sum))), 0.8),
             pane.px(own ? 2.0f : 1.2f), 12, 1});
    }
    const int hovered = pane.hovers() ? scene_.box_at(pane.pointer()) : -1;
    told_ = hovered >= 0            ? scene_.boxes[static_cast<std::size_t>(hovered)].sum
            : pinned_ != Sum::kNone ? pinned_
                                    : roots_.back();
    for (const SumBox& box : scene_.boxes) draw_box(pane, box, box.sum == told_);

    // Where most is lost: an outline and words, beside the box.
    if (scene_.worst_box >= 0) {
        const SumBox& box = scene_.boxes[static_cast<std::size_t>(scene_.worst_box)];
        const Rect frame = box.box.inset(-pane.px(3));
        outline(brush, frame, colors.warning, pane.px(6), pane.px(1.5f));
        const bool inside =
            box.sum == scene_.worst || std::find(box.run.begin(), box.run.end(), scene_.worst) != box.run.end();
        const std::string words = inside ? "most is lost here" : "most is lost above here";
        const float width = text_width(pane.look(), Face::caption, words) + pane.px(10);
        const float x = std::clamp(frame.center().x - width / 2, rest.x0, rest.x1 - width);
        const Rect label{x, frame.y0 - pane.px(14), x + width, frame.y0 - pane.px(0.5f)};
        fill(brush, label, mix(colors.ground, colors.warning, 0.18), pane.px(3));
        text_in(brush, Face::caption, label, colors.text, words);
    }
    if (hovered >= 0) {
        const SumBox& box = scene_.boxes[static_cast<std::size_t>(hovered)];
        const Sum& sum = sum_at(lens(), box.sum);
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
    draw_sum_figures(brush, {figures.x0, figures.y0 + pane.px(14), figures.x1, figures.y1}, exhibit.steps(), lens(),
                     told_);
    return intent;
}

Intent RoundingView::draw_heading(const Pane& pane, const Rect& where, const Exhibit& exhibit, std::size_t step,
                                  Selection& selection) {
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    Intent intent;
    Rect rest = where;
    Rect line = rest.cut_top(pane.px(22));
    const Rect back = line.cut_right(roots_.size() > 1 ? pane.px(120) : 0);
    std::string words = heading.empty() ? "Rounding" : heading;
    if (!roots_.empty()) {
        const Sum& root = sum_at(lens(), roots_.back());
        words += fmt::format(" · {} · sum of {} in {}", steps::where_of(root), root.count, element_name(root.type));
    } else {
        words += " · " + warp_name(exhibit.steps(), warp_);
    }
    text_in(brush, Face::strong, line, colors.strong, fit_text(pane.look(), Face::strong, words, line.width()),
            Align::left);
    if (roots_.size() > 1) {
        fill(brush, back, colors.raised, pane.px(4));
        text_in(brush, Face::caption, back, colors.text, "back to the last sum");
        if (pane.button(back)) {
            roots_.resize(1);
            pinned_ = Sum::kNone;
        }
    }
    // Where precision is lost in the whole run; a click leads there.
    Rect loss_line = rest.cut_top(pane.px(19));
    if (lens().why_not.empty()) {
        const steps::RoundingLoss& loss = exact_->loss;
        std::string told = "Nothing is rounded in this run: every sum is exact.";
        const std::int32_t at = loss.stops > 0 ? loss.stopped : loss.worst;
        if (at != Sum::kNone) {
            const Sum& sum = sum_at(lens(), at);
            const std::string place = fmt::format("step {} ({})", sum.step + 1,
                                                  exhibit.steps().blocks.size() > 1
                                                      ? steps::where_of(sum)
                                                      : fmt::format("warp {} · lane {}", sum.warp.warp, sum.lane));
            told = loss.stops > 0 ? fmt::format("{} addition{} left the sum as it was, first at {}: ", loss.stops,
                                                loss.stops == 1 ? "" : "s", place)
                                  : fmt::format("Of the whole run most is lost at {}: ", place);
            told += steps::describe_addition(lens(), at);
            const bool here = sum.step == step && sum.warp == warp_ && (lane_ < 0 || sum.lane == lane_);
            const std::string fitted = fit_text(pane.look(), Face::caption, told, loss_line.width());
            const Rect text{loss_line.x0, loss_line.y0, loss_line.x0 + text_width(pane.look(), Face::caption, fitted),
                            loss_line.y1};
            if (!here) hairline(brush, {text.x0, text.y1 - pane.px(2)}, {text.x1, text.y1 - pane.px(2)}, colors.line);
            if (pane.hovers(text) && fitted != told) hint_card(pane.look(), told);
            if (!here && pane.button(text)) {
                selection.warp = sum.warp;
                selection.pinned_lane = sum.lane;
                intent = {Intent::Kind::go_to, sum.step};
            }
        }
        text_in(brush, Face::caption, loss_line, loss.stops > 0 ? colors.warning : colors.text,
                fit_text(pane.look(), Face::caption, told, loss_line.width()), Align::left);
    }
    // The classes, as colours and words.
    Rect legend = rest.cut_top(pane.px(18));
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
    for (const char* signs : {"dashed: in no record, worked out; bar below: narrower, then widened",
                              "dashed: worked out; bar: then widened", "dashed: worked out"}) {
        if (text_width(pane.look(), Face::caption, signs) > legend.width()) continue;
        text_in(brush, Face::caption, legend, colors.quiet, signs, Align::right);
        break;
    }
    return intent;
}

void RoundingView::draw_box(const Pane& pane, const SumBox& box, bool lit) const {
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    const Sum& sum = sum_at(lens(), box.sum);
    const Color kind = precision_color(colors, precision_of(sum));
    fill(brush, box.box, mix(colors.panel, kind, 0.2), pane.px(4));
    const bool marked = sum.stopped || sum.overflowed;
    const float thickness = pane.px(lit ? 2.2f : marked ? 1.8f : 1);
    const Color edge = lit ? colors.focus : marked ? colors.warning : kind;
    if (sum.recorded || lit) {
        outline(brush, box.box, edge, pane.px(4), thickness);
    } else {
        for (float x = box.box.x0; x < box.box.x1; x += pane.px(6)) {
            const float end = std::min(x + pane.px(3), box.box.x1);
            hairline(brush, {x, box.box.y0}, {end, box.box.y0}, edge, thickness);
            hairline(brush, {x, box.box.y1}, {end, box.box.y1}, edge, thickness);
        }
        hairline(brush, {box.box.x0, box.box.y0}, {box.box.x0, box.box.y1}, edge, thickness);
        hairline(brush, {box.box.x1, box.box.y0}, {box.box.x1, box.box.y1}, edge, thickness);
    }
    if (sum.narrow)
        fill(brush,
             {box.box.x0 + pane.px(3), box.box.y1 - pane.px(3.5f), box.box.x1 - pane.px(3), box.box.y1 - pane.px(1.5f)},
             colors.strong);
    Rect inside = box.box.inset(pane.px(box.box.width() < pane.px(40) ? 1 : 3), pane.px(2));
    const float line = pane.px(14);
    if (!box.run.empty()) {
        draw_run(pane, box, inside);
        return;
    }
    const float width = inside.width();
    // No room for figures: the class as a bar, and a mark where it is not exact.
    const auto bar = [&] {
        if (precision_of(sum) != Precision::exact)
            fill(brush, {inside.x0, inside.center().y - pane.px(2), inside.x1, inside.center().y + pane.px(2)}, kind);
    };
    if (width < pane.px(15.5f)) return bar();
    // What the format is, where it is not that of the sum it goes to.
    const int lines = std::max(1, static_cast<int>((inside.height() + pane.px(1)) / line));
    const Face face = width < pane.px(52) ? Face::tiny : Face::small;
    const std::string ulps =
        sum.kind == Sum::Kind::input && sum.ulps == 0 ? "" : ulps_in(pane.look(), face, sum, width);
    std::vector<std::pair<std::string, Color>> rows;
    const std::string value = value_in(pane.look(), face, sum.type, sum.bits, width);
    const auto signs = static_cast<int>(width / (*pane.look().fonts)[face].digit);
    const std::string broken =
        signs <= 4 || text_width(pane.look(), face, value) > width ? cell_text(sum.type, sum.bits, signs, true) : value;
    const auto [first, second] = lines_of_cell(broken);
    const bool in_two = !second.empty() && lines >= 2;   // then nothing stands beside it: which line is what would be a guess
    if (in_two) {
        rows.emplace_back(std::string(first), colors.strong);
        rows.emplace_back(std::string(second), colors.strong);
    } else {
        rows.emplace_back(value, colors.strong);
    }
    if (!ulps.empty() && !in_two) {
        std::string words = width > pane.px(78) ? ulps + " ulp" : ulps;
        if (sum.stopped) {
            const std::string both = words + ", stopped";
            words = text_width(pane.look(), face, both) <= width        ? both
                    : text_width(pane.look(), face, "stopped") <= width ? "stopped"
                                                                        : "stop";
        }
        rows.emplace_back(words, marked ? colors.warning : colors.text);
    }
    if (lines >= 3 && !in_two && sum.ulps != 0 && std::isfinite(sum.exact_value)) {
        const int chars = std::max(3, static_cast<int>(width / (*pane.look().fonts)[face].digit) - 1);
        const std::string exact = lens().exact[static_cast<std::size_t>(box.sum)].decimal(18);
        rows.insert(rows.begin(), {static_cast<int>(exact.size()) <= chars
                                       ? exact
                                       : format_element(Element::f64, to_bits(sum.exact_value), chars),
                                   colors.quiet});
    }
    if (static_cast<int>(rows.size()) < lines && (sum.narrow || box.parent < 0) && width > pane.px(30)) {
        rows.emplace_back(
            std::string(element_name(sum.type)) + (sum.narrow && width > pane.px(90) ? ", then widened" : ""),
            sum.narrow ? colors.accent : colors.quiet);
    }
    if (box.more && static_cast<int>(rows.size()) < lines)
        rows.insert(rows.begin(), {width > pane.px(60) ? "click: more" : "…", colors.quiet});
    // Half a number tells nothing, and what stands beside one even less.
    const auto fits = [&](std::string_view words) { return text_width(pane.look(), face, std::string(words)) <= width + pane.px(1); };
    if (!(in_two ? fits(first) && fits(second) : fits(value))) return bar();
    std::erase_if(rows, [&](const auto& row) { return !fits(row.first); });
    if (static_cast<int>(rows.size()) > lines) rows.resize(static_cast<std::size_t>(lines));
    float y = inside.center().y - line * static_cast<float>(rows.size()) / 2;
    for (const auto& [words, ink] : rows) {
        text_in(brush, face, {inside.x0, y, inside.x1, y + line}, ink, words);
        y += line;
    }
}

// A lane's own additions: how the sum grew, beside how it should have.
void RoundingView::draw_run(const Pane& pane, const SumBox& box, Rect where) const {
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    const Sum& last = sum_at(lens(), box.sum);
    const std::size_t stop = box.stop;
    const double low = box.low, high = box.high;
    const bool roomy = where.width() > pane.px(150);
    Rect title = where.cut_top(pane.px(15));
    const Rect foot = where.cut_bottom(pane.px(15));
    // With room for a scale it is a chart, with its axes named.
    const bool charted = roomy && where.height() > pane.px(90) && where.width() > pane.px(260);
    if (charted) {
        title = title.inset(pane.px(8), 0);
        for (const bool exact : {true, false}) {
            const char* name = exact ? "added without rounding" : "as the lane added";
            text_in(brush, Face::caption, title.cut_right(text_width(pane.look(), Face::caption, name)), colors.text,
                    name, Align::left);
            const Rect line = title.cut_right(pane.px(34));
            const float y = line.center().y;
            hairline(brush, {line.x0 + pane.px(10), y}, {line.x1 - pane.px(6), y},
                     exact ? colors.strong : colors.accent, pane.px(exact ? 1.2f : 2));
        }
    }
    const std::string count = roomy ? fmt::format("{} additions in {}", box.run.size(), element_name(last.type))
                                    : fmt::format("{}×", box.run.size());
    if (text_width(pane.look(), Face::caption, count) <= title.width())
        text_in(brush, Face::caption, title, colors.text, count, charted ? Align::left : Align::center);
    const std::string ulps = steps::format_ulps(last);
    std::string words = value_in(pane.look(), Face::small, last.type, last.bits, where.width() * 0.5f) +
                        (roomy ? ", " + ulps + " ulp" : "");
    Face face = Face::small;
    if (where.width() < pane.px(60)) {
        words = ulps;
        face = Face::tiny;
    }
    // Half a number tells nothing: where it does not fit, the plot stands for it.
    if (text_width(pane.look(), face, words) <= foot.width() + pane.px(4))
        text_in(brush, face, foot, colors.strong, words);
    if (where.height() < pane.px(16) || high <= low) return;
    Rect plot = where.inset(pane.px(3), pane.px(3));
    if (charted) {
        const auto figure = [](double value) {
            return format_element(Element::f32, element_from_double(Element::f32, value), 7);
        };
        const Rect below = plot.cut_bottom(pane.px(16));
        const std::string top = figure(high), bottom = figure(low);
        plot.cut_left(
            std::max(text_width(pane.look(), Face::small, top), text_width(pane.look(), Face::small, bottom)) +
            pane.px(10));
        plot.cut_right(pane.px(8));
        plot.cut_top(pane.px(8));
        for (const auto& [y, told] : {std::pair{plot.y0, top}, {plot.y1, bottom}}) {
            hairline(brush, {plot.x0, y}, {plot.x1, y}, with_alpha(colors.quiet, 0.35));
            text_in(brush, Face::small, {where.x0, y - pane.px(8), plot.x0 - pane.px(6), y + pane.px(8)}, colors.text,
                    told, Align::right);
        }
        text_in(brush, Face::caption, {plot.x0, below.y0, plot.x1, below.y1}, colors.text, "addition 1", Align::left);
        text_in(brush, Face::caption, {plot.x0, below.y0, plot.x1, below.y1}, colors.text,
                std::to_string(box.run.size()), Align::right);
    }
    const auto at = [&](std::size_t i, double value) {
        const double t = box.run.size() > 1 ? static_cast<double>(i) / static_cast<double>(box.run.size() - 1) : 1;
        return Point{plot.x0 + plot.width() * static_cast<float>(t),
                     plot.y1 - plot.height() * static_cast<float>((std::clamp(value, low, high) - low) / (high - low))};
    };
    // No more points than there are pixels.
    const std::size_t stride =
        std::max<std::size_t>(1, box.run.size() / static_cast<std::size_t>(std::max(plot.width(), 1.0f)));
    for (const bool exact : {true, false}) {
        Point from{};
        bool begun = false;
        for (std::size_t i = 0; i < box.run.size();
             i = i + 1 == box.run.size() ? i + 1 : std::min(i + stride, box.run.size() - 1)) {
            const Sum& sum = sum_at(lens(), box.run[i]);
            const double value = exact ? sum.exact_value : element_to_double(sum.type, sum.bits);
            if (std::isnan(value)) break;
            const Point to = at(i, value);
            if (begun)
                hairline(brush, from, to, exact ? (charted ? colors.strong : colors.quiet) : colors.accent,
                         pane.px(exact ? 1.2f : 2));
            from = to;
            begun = true;
        }
    }
    if (stop == box.run.size()) return;
    const Sum& stopped = sum_at(lens(), box.run[stop]);
    const Point mark = at(stop, element_to_double(stopped.type, stopped.bits));
    hairline(brush, {mark.x, plot.y0}, {mark.x, plot.y1}, colors.warning, pane.px(1.5f));
    circle(brush, mark, pane.px(3.5f), colors.warning);
    if (!roomy || plot.height() < pane.px(34)) return;
    const std::string told = fmt::format("stops growing at addition {}", stop + 1);
    const float width = text_width(pane.look(), Face::caption, told) + pane.px(8);
    const float x = mark.x + width < plot.x1 ? mark.x + pane.px(4) : std::max(plot.x0, mark.x - width);
    text_in(brush, Face::caption, {x, plot.y1 - pane.px(16), x + width, plot.y1}, colors.text,
            fit_text(pane.look(), Face::caption, told, plot.x1 - x), Align::left);
}

}  // namespace lanewise::viz
