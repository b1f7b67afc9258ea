#include "viz/views/benchmark/timing_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "common/timing/compare.hpp"
#include "common/timing/times_text.hpp"
#include "viz/views/benchmark/plot_paint.hpp"

namespace lanewise::viz {
namespace {

using timing::Timing;

// A series where it is drawn.
struct Line {
    const Series* series = nullptr;
    std::vector<Point> at;
    std::vector<std::pair<float, float>> spread;   // y of the 5th and 95th percentile
};

double value_of(const Timing& row, Measure measure, double us) {
    return measure == Measure::time ? us : static_cast<double>(row.bytes) / us * 1e-3;
}

// What the pointer is on: a label, else the nearest point within reach.
int series_under(const Pane& pane, const Rect& area, const std::vector<Line>& lines, const std::vector<Rect>& labels,
                 std::size_t& point) {
    point = static_cast<std::size_t>(-1);
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (pane.hovers(labels[i])) return static_cast<int>(i);
    if (!pane.hovers(area.inset(-pane.px(10)))) return -1;
    int best = -1;
    float nearest = pane.px(26);
    for (std::size_t i = 0; i < lines.size(); ++i)
        for (std::size_t k = 0; k < lines[i].at.size(); ++k) {
            const float distance = std::hypot(lines[i].at[k].x - pane.pointer().x, lines[i].at[k].y - pane.pointer().y);
            if (distance >= nearest) continue;
            nearest = distance;
            best = static_cast<int>(i);
            point = k;
        }
    return best;
}

// `spread`: also where nine in ten samples lie, as a band behind the line.
void paint_line(const Pane& pane, const Line& line, const SeriesLook& style, bool dim, bool spread) {
    const Color color = dim ? with_alpha(style.color, 0.22) : style.color;
    for (std::size_t k = 1; k < line.at.size() && spread; ++k) {
        const std::array band{Point{line.at[k - 1].x, line.spread[k - 1].first},
                              Point{line.at[k].x, line.spread[k].first}, Point{line.at[k].x, line.spread[k].second},
                              Point{line.at[k - 1].x, line.spread[k - 1].second}};
        if (line.spread[k].second - line.spread[k].first > 1 ||
            line.spread[k - 1].second - line.spread[k - 1].first > 1)
            pane.brush.canvas->polygon(band, with_alpha(style.color, 0.18));
    }
    if (style.dashed) paint_dashed(pane.brush, line.at, color, pane.px(style.thickness), pane.px(5));
    else pane.brush.canvas->polyline(line.at, color, pane.px(style.thickness));
    for (std::size_t k = 0; k < line.at.size(); ++k) {
        const auto [y0, y1] = line.spread[k];
        if (y1 - y0 > pane.px(5) && !dim) {
            hairline(pane.brush, {line.at[k].x, y0}, {line.at[k].x, y1}, spread ? color : with_alpha(color, 0.55),
                     pane.px(1));
            for (const float y : {y0, y1})
                if (spread)
                    hairline(pane.brush, {line.at[k].x - pane.px(3), y}, {line.at[k].x + pane.px(3), y}, color,
                             pane.px(1));
        }
        if (!style.dashed || line.at.size() == 1)
            paint_mark(pane.brush, line.at[k], pane.px(style.thickness > 2 ? 4.2f : 3.4f),
                       {color, static_cast<PlotMark>(style.mark)}, style.hollow);
    }
}

void paint_lit_point(const Pane& pane, const Rect& area, Point at) {
    hairline(pane.brush, {at.x, at.y}, {at.x, area.y1}, with_alpha(pane.colors().focus, 0.35));
    ring(pane.brush, at, pane.px(7.5f), pane.colors().focus, pane.px(1.5f));
}

// Lines, their labels, and what is pointed at.
ChartResult finish(const Pane& pane, const Rect& area, const Rect& column, const ChartInput& input,
                   std::vector<Line>& lines, const std::vector<EndLabel>& labels) {
    ChartResult result;
    std::size_t point = 0;
    const std::vector<Rect> boxes = place_labels(pane.look(), column, labels);
    const int hovered = series_under(pane, area, lines, boxes, point);
    int lit = hovered;
    for (std::size_t i = 0; i < lines.size() && lit < 0; ++i)
        if (lines[i].series->name == input.pinned) lit = static_cast<int>(i);
    // The lit one last, over the others; before it the variant that is shown.
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < lines.size(); ++i) order.push_back(i);
    const auto rank = [&](std::size_t i) {
        return static_cast<int>(i) == lit ? 2 : lines[i].series->name == input.shown ? 1 : 0;
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    for (const std::size_t i : order) {
        const bool shown = lines[i].series->name == input.shown, is_lit = lit == static_cast<int>(i);
        paint_line(pane, lines[i], look_of(pane.colors(), *lines[i].series, shown), lit >= 0 && !is_lit,
                   lit >= 0 ? is_lit : shown);
    }
    paint_labels(pane, column, labels, lit);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        result.labels.emplace_back(lines[i].series->name, boxes[i]);
        for (std::size_t k = 0; k < lines[i].at.size(); ++k)
            result.spots.push_back({lines[i].at[k], lines[i].series->points[k]});
    }
    if (hovered < 0) return result;
    const Line& on = lines[static_cast<std::size_t>(hovered)];
    result.hovered = on.series->name;
    if (point < on.at.size()) paint_lit_point(pane, area, on.at[point]);
    lines_card(pane.look(),
               figure_lines(*input.table, *on.series->points[std::min(point, on.series->points.size() - 1)]));
    return result;
}

EndLabel label_of(const Theme& theme, const Series& series, const ChartInput& input, Point from, std::string figure) {
    const bool shown = series.name == input.shown;
    const SeriesLook style = look_of(theme, series, shown);
    return {series.name,  std::move(figure), from, {style.color, static_cast<PlotMark>(style.mark)},
            style.hollow, style.dashed,      shown};
}

}  // namespace

SeriesLook look_of(const Theme& theme, const Series& series, bool shown) {
    const Category own = category(theme, series.place);
    switch (series.role) {
        case Role::library: return {theme.strong, static_cast<std::uint8_t>(PlotMark::square), true, false, 1.8f};
        case Role::limit: return {theme.quiet, static_cast<std::uint8_t>(PlotMark::disc), false, true, 1.6f};
        case Role::cpu: return {theme.quiet, static_cast<std::uint8_t>(PlotMark::triangle), true, false, 1.2f};
        case Role::variant: break;
    }
    return {own.color, static_cast<std::uint8_t>(own.mark), false, false, shown ? 3.0f : 1.8f};
}

ChartResult draw_curves(const Pane& pane, const Rect& where, const ChartInput& input, Measure measure) {
    std::vector<double> xs, ys;
    std::vector<const Series*> drawn;
    for (const Series& series : input.series->series) {
        // One core of the CPU is a hundred times slower: it would leave the others no room, and is in the bars.
        if (series.role == Role::cpu) continue;
        drawn.push_back(&series);
        for (const Timing* row : series.points) {
            xs.push_back(static_cast<double>(row->n));
            for (const double us : {row->low_us, row->median_us, row->high_us})
                if (us > 0) ys.push_back(value_of(*row, measure, us));
        }
    }
    Axes axes;
    axes.area = {where.x0 + pane.px(kAxisLeft), where.y0 + pane.px(kAxisAbove), where.x1,
                 where.y1 - pane.px(kAxisBelow)};
    std::vector<EndLabel> labels;
    const auto figure_of = [&](const Timing& row) {
        return measure == Measure::time ? timing::time_text(row.median_us) : timing::rate_text(row.gb_per_s());
    };
    for (const Series* series : drawn)
        labels.push_back(label_of(pane.colors(), *series, input, {}, figure_of(*series->points.back())));
    const float room = std::min(label_width(pane.look(), labels), where.width() * 0.34f);
    const Rect column{where.x1 - room, axes.area.y0 - pane.px(8), where.x1, axes.area.y1 + pane.px(8)};
    axes.area.x1 = column.x0 + pane.px(4);
    axes.x = axis_of(xs, axes.area.x0, axes.area.x1, 0.03);
    axes.y = axis_of(ys, axes.area.y1, axes.area.y0);
    axes.x_ticks = binary_ticks(axes.x, pane.px(76), values_tick);
    axes.y_ticks = decimal_ticks(axes.y, pane.px(22), measure == Measure::time ? time_tick : rate_tick);
    axes.x_title = "values";
    axes.y_title =
        measure == Measure::time ? "time of one run: less is better" : "bytes moved in that time: more is better";
    paint_axes(pane.brush, axes);

    std::vector<Line> lines;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        Line line{drawn[i], {}, {}};
        for (const Timing* row : drawn[i]->points) {
            line.at.push_back(
                {axes.x.at(static_cast<double>(row->n)), axes.y.at(value_of(*row, measure, row->median_us))});
            const float a = axes.y.at(value_of(*row, measure, row->low_us > 0 ? row->low_us : row->median_us));
            const float b = axes.y.at(value_of(*row, measure, row->high_us > 0 ? row->high_us : row->median_us));
            line.spread.emplace_back(std::min(a, b), std::max(a, b));
        }
        labels[i].from = line.at.back();
        lines.push_back(std::move(line));
    }
    return finish(pane, axes.area, column, input, lines, labels);
}

ChartResult draw_roofline(const Pane& pane, const Rect& where, const ChartInput& input) {
    const Theme& colors = pane.colors();
    std::vector<double> xs, ys;
    std::vector<const Series*> drawn;
    std::vector<const Timing*> roof;
    for (const Series& series : input.series->series) {
        if (series.role == Role::cpu) continue;
        if (series.name == timing::kPlainRead) roof = series.points;
        drawn.push_back(&series);
        for (const Timing* row : series.points) {
            xs.push_back(static_cast<double>(row->bytes));
            ys.push_back(row->gb_per_s());
        }
    }
    Axes axes;
    axes.area = {where.x0 + pane.px(kAxisLeft), where.y0 + pane.px(kAxisAbove), where.x1,
                 where.y1 - pane.px(kAxisBelow)};
    std::vector<EndLabel> labels;
    for (const Series* series : drawn)
        labels.push_back(label_of(colors, *series, input, {}, timing::rate_text(series->points.back()->gb_per_s())));
    const float room = std::min(label_width(pane.look(), labels), where.width() * 0.34f);
    const Rect column{where.x1 - room, axes.area.y0 - pane.px(8), where.x1, axes.area.y1 + pane.px(8)};
    axes.area.x1 = column.x0 + pane.px(4);
    axes.x = axis_of(xs, axes.area.x0, axes.area.x1, 0.04, 8);
    axes.y = axis_of(ys, axes.area.y1, axes.area.y0, 0.07, 8);
    axes.x_ticks = binary_ticks(axes.x, pane.px(62), bytes_tick);
    axes.y_ticks = decimal_ticks(axes.y, pane.px(22), rate_tick);
    axes.x_title = "bytes moved";
    axes.y_title = "bytes moved a second: more is better";
    paint_axes(pane.brush, axes);

    // Nothing here is faster than a launch alone, nor than reading the bytes: what lies beyond is shaded.
    const Color beyond = with_alpha(colors.faint, colors.dark ? 0.28 : 0.34);
    const auto rate_of_launch = [&](double bytes) { return bytes / input.series->launch->median_us * 1e-3; };
    if (!roof.empty()) {
        // Written at the right edge, above the roof.
        const std::string sentence = "beyond the measured limit";
        const float w = text_width(pane.look(), Face::caption, sentence);
        text(pane.brush, Face::caption, {axes.area.x1 - w - pane.px(10), axes.area.y0 + pane.px(6)}, colors.quiet,
             sentence);
        std::vector<Point> line;
        for (const Timing* row : roof)
            line.push_back({axes.x.at(static_cast<double>(row->bytes)), axes.y.at(row->gb_per_s())});
        line.push_back({axes.area.x1, axes.y.at(roof.back()->gb_per_s())});
        for (std::size_t k = 1; k < line.size(); ++k)
            pane.brush.canvas->polygon(
                std::array{Point{line[k - 1].x, axes.area.y0}, Point{line[k].x, axes.area.y0}, line[k], line[k - 1]},
                beyond);
    }
    if (input.series->launch) {
        Point a{axes.area.x0, axes.y.at(rate_of_launch(axes.x.low))},
            b{axes.area.x1, axes.y.at(rate_of_launch(axes.x.high))};
        if (clip_line(axes.area, a, b)) {
            // What the roof has shaded already is not shaded twice.
            Point from = a, to = b;
            const float end = roof.empty() ? b.x : axes.x.at(static_cast<double>(roof.front()->bytes));
            if (clip_line({axes.area.x0, axes.area.y0, end, axes.area.y1}, from, to))
                pane.brush.canvas->polygon(
                    std::array{Point{axes.area.x0, axes.area.y0}, Point{to.x, axes.area.y0}, to, from}, beyond);
            paint_dashed(pane.brush, {a, b}, colors.quiet, pane.px(1.6f), pane.px(5));
            const std::string sentence = "a launch alone takes " + timing::time_text(input.series->launch->median_us);
            const float w = text_width(pane.look(), Face::caption, sentence);
            const Point at{a.x + (b.x - a.x) * 0.62f, a.y + (b.y - a.y) * 0.62f};
            text(pane.brush, Face::caption,
                 {std::max(axes.area.x0 + pane.px(8), at.x - w - pane.px(12)), at.y - pane.px(16)}, colors.text,
                 sentence);
        }
    }
    std::vector<Line> lines;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        Line line{drawn[i], {}, {}};
        for (const Timing* row : drawn[i]->points) {
            line.at.push_back({axes.x.at(static_cast<double>(row->bytes)), axes.y.at(row->gb_per_s())});
            line.spread.emplace_back(line.at.back().y, line.at.back().y);
        }
        labels[i].from = line.at.back();
        lines.push_back(std::move(line));
    }
    return finish(pane, axes.area, column, input, lines, labels);
}

}  // namespace lanewise::viz
