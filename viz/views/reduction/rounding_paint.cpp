// The sums of the rounding lens as they are drawn: a box each, and a lane's own additions as a plot.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "viz/model/cell_paint.hpp"
#include "viz/views/reduction/rounding_view.hpp"

namespace lanewise::viz {
namespace {

// As many of the digits as fit into `width`: half a number says nothing. Infinitely far off is no number, and stays.
std::string ulps_in(const Look& look, Face face, const Sum& sum, float width) {
    std::string text = format_ulps(sum);
    for (const char* shorter : {"{:+.2g}", "{:+.1g}"}) {
        if (text_width(look, face, text) <= width || !std::isfinite(sum.ulps) || sum.overflowed ||
            std::fabs(sum.ulps) >= 100)
            break;
        text = fmt::format(fmt::runtime(shorter), sum.ulps);
    }
    return text;
}

// As long as `width` allows; shorter values lose digits behind the point.
FittedNumber value_in(const Look& look, Face face, Element type, std::uint64_t bits, float width) {
    const std::string full = full_value(type, bits);
    return text_width(look, face, full) <= width ? FittedNumber{face, full} : fit_number(look, type, bits, width, face);
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

void RoundingView::draw_box(const Pane& pane, const PlacedSum& box, bool lit) const {
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    const Sum& sum = sums().at(box.sum);
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
    struct Line {
        std::string text;
        Color ink;
        Face face;
    };
    std::vector<Line> rows;
    const FittedNumber value = value_in(pane.look(), face, sum.type, sum.bits, width);
    rows.push_back({value.text, colors.strong, value.face});
    if (!ulps.empty()) {
        std::string text = width > pane.px(78) ? ulps + " ulp" : ulps;
        if (sum.stopped) {
            const std::string both = text + ", stopped";
            text = text_width(pane.look(), face, both) <= width        ? both
                    : text_width(pane.look(), face, "stopped") <= width ? "stopped"
                                                                        : "stop";
        }
        rows.push_back({text, marked ? colors.warning : colors.text, face});
    }
    if (lines >= 3 && sum.ulps != 0 && std::isfinite(sum.exact_value)) {
        const int chars = std::max(3, static_cast<int>(width / (*pane.look().fonts)[face].digit) - 1);
        const std::string exact = sums().exact_decimal(box.sum, 18);
        rows.insert(rows.begin(), {static_cast<int>(exact.size()) <= chars
                                       ? exact
                                       : format_element(Element::f64, to_bits(sum.exact_value), chars),
                                   colors.quiet, face});
    }
    if (static_cast<int>(rows.size()) < lines && (sum.narrow || box.parent < 0) && width > pane.px(30)) {
        rows.push_back(
            {std::string(element_name(sum.type)) + (sum.narrow && width > pane.px(90) ? ", then widened" : ""),
             sum.narrow ? colors.accent : colors.quiet, face});
    }
    if (box.more && static_cast<int>(rows.size()) < lines)
        rows.insert(rows.begin(), {width > pane.px(60) ? "click: more" : "…", colors.quiet, face});
    // Half a number says nothing, and a label next to it even less.
    const auto fits = [&](const Line& row) {
        return text_width(pane.look(), row.face, row.text) <= width + pane.px(1);
    };
    if (text_width(pane.look(), value.face, value.text) > width + pane.px(1)) return bar();
    std::erase_if(rows, [&](const Line& row) { return !fits(row); });
    if (static_cast<int>(rows.size()) > lines) rows.resize(static_cast<std::size_t>(lines));
    float y = inside.center().y - line * static_cast<float>(rows.size()) / 2;
    for (const auto& [label, ink, own_face] : rows) {
        text_in(brush, own_face, {inside.x0, y, inside.x1, y + line}, ink, label);
        y += line;
    }
}

// A lane's own additions: how the sum grew, beside how it should have.
void RoundingView::draw_run(const Pane& pane, const PlacedSum& box, Rect where) const {
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    const Sum& last = sums().at(box.sum);
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
    if (text_width(pane.look(), Face::caption, count) <= title.width()) {
        text_in(brush, Face::caption, title, colors.text, count, charted ? Align::left : Align::center);
    } else {   // too narrow for how many: then the sum itself, over its error
        const FittedNumber value = value_in(pane.look(), Face::tiny, last.type, last.bits, title.width());
        if (text_width(pane.look(), value.face, value.text) <= title.width() + pane.px(1))
            text_in(brush, value.face, title, colors.strong, value.text);
    }
    const std::string ulps = format_ulps(last);
    std::string text = value_in(pane.look(), Face::small, last.type, last.bits, where.width() * 0.5f).text +
                        (roomy ? ", " + ulps + " ulp" : "");
    Face face = Face::small;
    if (where.width() < pane.px(60)) {
        text = ulps;
        face = Face::tiny;
    }
    // Half a number says nothing: where it does not fit, the plot replaces it.
    if (text_width(pane.look(), face, text) <= foot.width() + pane.px(4))
        text_in(brush, face, foot, colors.strong, text);
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
        for (const auto& [y, label] : {std::pair{plot.y0, top}, {plot.y1, bottom}}) {
            hairline(brush, {plot.x0, y}, {plot.x1, y}, with_alpha(colors.quiet, 0.35));
            text_in(brush, Face::small, {where.x0, y - pane.px(8), plot.x0 - pane.px(6), y + pane.px(8)}, colors.text,
                    label, Align::right);
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
            const Sum& sum = sums().at(box.run[i]);
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
    const Sum& stopped = sums().at(box.run[stop]);
    const Point mark = at(stop, element_to_double(stopped.type, stopped.bits));
    hairline(brush, {mark.x, plot.y0}, {mark.x, plot.y1}, colors.warning, pane.px(1.5f));
    circle(brush, mark, pane.px(3.5f), colors.warning);
    if (!roomy || plot.height() < pane.px(34)) return;
    const std::string label = fmt::format("stops growing at addition {}", stop + 1);
    const float width = text_width(pane.look(), Face::caption, label) + pane.px(8);
    const float x = mark.x + width < plot.x1 ? mark.x + pane.px(4) : std::max(plot.x0, mark.x - width);
    text_in(brush, Face::caption, {x, plot.y1 - pane.px(16), x + width, plot.y1}, colors.text,
            fit_text(pane.look(), Face::caption, label, plot.x1 - x), Align::left);
}

}  // namespace lanewise::viz
