// Where there are no curves: bars of one size, and the S×K table.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "common/timing/compare.hpp"
#include "common/timing/times_text.hpp"
#include "viz/views/benchmark/plot_paint.hpp"
#include "viz/views/benchmark/timing_chart.hpp"

namespace lanewise::viz {
namespace {

using timing::Timing;

constexpr float kBarRow = 26;

// Figures beside a bar.
struct Figures {
    std::string time, rate, of_limit, of_library;
};

Figures figures_of(const timing::TimingTable& table, const Timing& row) {
    Figures all;
    all.time = timing::time_text(row.median_us);
    if (row.bytes > 0) all.rate = timing::rate_text(row.gb_per_s());
    if (const auto part = timing::percent_of_limit(table, row))
        all.of_limit = fmt::format("{:.0f} %", *part);
    if (const auto ratio = timing::times_as_fast(table, row)) all.of_library = fmt::format("{:.2f} ×", *ratio);
    return all;
}

}  // namespace

ChartResult draw_bars(const Pane& pane, const Rect& where, const ChartInput& input, float& y1) {
    const Theme& colors = pane.colors();
    const Look& look = pane.look();
    ChartResult result;
    struct BarRow {
        const Series* series;
        const Timing* row;
        Figures figures;
    };
    std::vector<BarRow> rows;
    float name_width = 0;
    double slowest = 0;
    bool any_limit = false, any_library = false;
    for (const Series& series : input.series->series) {
        rows.push_back({&series, series.points.back(), figures_of(*input.table, *series.points.back())});
        name_width = std::max(name_width, text_width(look, Face::body, series.name));
        if (series.role != Role::cpu)
            slowest = std::max({slowest, rows.back().row->high_us, rows.back().row->median_us});
        any_limit |= !rows.back().figures.of_limit.empty();
        any_library |= !rows.back().figures.of_library.empty();
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const BarRow& a, const BarRow& b) { return a.row->median_us < b.row->median_us; });
    name_width = std::min(name_width + pane.px(24), where.width() * 0.34f);

    // More rows than have room continue below, and the pane scrolls.
    const float all = pane.px(22 + kBarRow * static_cast<float>(rows.size()));
    Rect rest{where.x0, where.y0, where.x1, std::max(where.y1, where.y0 + all)};
    Rect head = rest.cut_top(pane.px(22));
    const float columns[] = {pane.px(78), pane.px(92), any_limit ? pane.px(76) : 0, any_library ? pane.px(80) : 0};
    const char* headings[] = {"median", "moved", "of limit", "of library"};
    float x1 = where.x1;
    for (int c = 3; c >= 0; --c) {
        if (columns[c] > 0)
            text_in(pane.brush, Face::caption, {x1 - columns[c] - pane.px(20), head.y0, x1, head.y1}, colors.quiet,
                    headings[c], Align::right);
        x1 -= columns[c];
    }
    hairline(pane.brush, {where.x0, head.y1}, {where.x1, head.y1}, colors.line);
    const float bar_x0 = where.x0 + name_width, bar_x1 = x1 - pane.px(14);
    const auto x_of = [&](double us) {
        return bar_x0 + (bar_x1 - bar_x0) * static_cast<float>(std::min(us / slowest, 1.0));
    };
    for (const BarRow& each : rows) {
        const Rect line = rest.cut_top(pane.px(kBarRow));
        const bool own = each.series->name == input.shown;
        const bool hovered = pane.hovers(line);
        if (own || hovered)
            fill(pane.brush, line, mix(colors.panel, own ? colors.accent : colors.raised, own ? 0.12 : 0.7),
                 pane.px(3));
        const bool hollow = each.series->role != Role::variant;
        const Color ink = own ? colors.accent : hollow ? colors.quiet : colors.step_shuffle;
        const float y = line.center().y;
        text_in(pane.brush, Face::body, {line.x0 + pane.px(8), line.y0, bar_x0, line.y1},
                own      ? colors.accent
                : hollow ? colors.quiet
                         : colors.text,
                fit_text(look, Face::body, each.series->name, name_width - pane.px(16)), Align::left);
        // One core of the CPU would leave the others no room: its bar ends at the edge, and is drawn broken there.
        const bool broken = each.row->median_us > slowest;
        const Rect bar{bar_x0, y - pane.px(6), std::max(x_of(each.row->median_us), bar_x0 + pane.px(1.5f)),
                       y + pane.px(6)};
        fill(pane.brush, bar, with_alpha(ink, hollow ? 0.2 : own ? 0.95 : 0.75), pane.px(2));
        if (hollow) outline(pane.brush, bar, with_alpha(ink, 0.8), pane.px(2), pane.px(1));
        const float low = x_of(each.row->low_us), high = x_of(each.row->high_us);
        if (!broken && high - low > pane.px(1.5f)) {
            hairline(pane.brush, {low, y}, {high, y}, colors.strong, pane.px(1.2f));
            for (const float x : {low, high})
                hairline(pane.brush, {x, y - pane.px(3)}, {x, y + pane.px(3)}, colors.strong, pane.px(1.2f));
        }
        for (int stroke = 0; broken && stroke < 2; ++stroke) {
            const float x = bar.x1 - pane.px(22 - 7 * static_cast<float>(stroke));
            hairline(pane.brush, {x - pane.px(3), y + pane.px(9)}, {x + pane.px(3), y - pane.px(9)}, colors.panel,
                     pane.px(3));
        }
        const std::string* cells[] = {&each.figures.time, &each.figures.rate, &each.figures.of_limit,
                                      &each.figures.of_library};
        x1 = where.x1;
        for (int c = 3; c >= 0; --c) {
            if (columns[c] > 0)
                text_in(pane.brush, Face::small, {x1 - columns[c], line.y0, x1 - pane.px(2), line.y1},
                        c == 0 ? colors.strong : colors.text, *cells[c], Align::right);
            x1 -= columns[c];
        }
        result.spots.push_back({{bar.x1, y}, each.row});
        result.labels.emplace_back(each.series->name, line);
        if (!hovered) continue;
        result.hovered = each.series->name;
        lines_card(look, figure_lines(*input.table, *each.row));
    }
    y1 = rest.y0;
    return result;
}

namespace {

// Blue where it is faster than the library, orange where it is slower, by up to a factor of two.
Color ratio_color(const Theme& theme, double ratio) {
    const double t = std::clamp(std::log2(ratio), -1.0, 1.0);
    const Color far = rgb(t > 0 ? (theme.dark ? 0x2f86c4 : 0x56b4e9) : (theme.dark ? 0xc05a10 : 0xf0a860));
    return mix(theme.raised, far, std::abs(t));
}

}  // namespace

ChartResult draw_shapes(const Pane& pane, const Rect& where, const timing::TimingTable& table, const Shapes& shapes,
                        float& y1) {
    const Theme& colors = pane.colors();
    const Look& look = pane.look();
    ChartResult result;
    const bool library = !shapes.grids.empty() && shapes.grids.front().role == Role::library;
    Rect rest = where;
    Rect legend = rest.cut_top(pane.px(26));
    float x = legend.x0;
    const auto say = [&](const std::string& text) {
        text_in(pane.brush, Face::caption, {x, legend.y0, legend.x1, legend.y1}, colors.quiet, text, Align::left);
        x += text_width(look, Face::caption, text) + pane.px(8);
    };
    say(shapes.of_rows ? "Time of all rows, by how many rows and columns there are."
                       : "S rows by K columns, time of a sum of all.");
    if (library) {
        // What the variants' cells are compared with, where that is one library.
        std::string against;
        for (const Shapes::Grid& grid : shapes.grids)
            for (const Timing* row : grid.cells)
                if (row && !row->against.empty()) {
                    if (!against.empty() && against != row->against) against = "the library";
                    else against = row->against;
                }
        const std::string slow = "half as fast as " + (against.empty() ? "the library" : against);
        const char* fast = "twice as fast";
        x += pane.px(10);
        // On a line of its own where the first is full.
        if (x + text_width(look, Face::caption, slow) + text_width(look, Face::caption, fast) + pane.px(130) >
            legend.x1) {
            legend = rest.cut_top(pane.px(20));
            x = legend.x0;
        }
        say(slow);
        for (int i = 0; i < 21; ++i) {
            fill(pane.brush, {x, legend.center().y - pane.px(6), x + pane.px(5), legend.center().y + pane.px(6)},
                 ratio_color(colors, std::exp2(i / 10.0 - 1)));
            x += pane.px(5);
        }
        x += pane.px(8);
        say(fast);
    }
    const float head = pane.px(54), cell_h = pane.px(42), gap = pane.px(26);
    const auto wide = static_cast<float>(shapes.columns.size());
    const float title_room = pane.px(24);
    // As many grids in a row as fit at a width that is good to read.
    const float least = head + wide * pane.px(78);
    const auto count = static_cast<float>(shapes.grids.size());
    const float fit = std::clamp(std::floor((rest.width() + gap) / (least + gap)), 1.0f, count);
    const auto in_row =
        static_cast<std::size_t>(std::ceil(count / std::ceil(count / fit)));  // rows of about the same length
    const float width = std::min((rest.width() - gap * static_cast<float>(in_row - 1)) / static_cast<float>(in_row),
                                 head + wide * pane.px(130));
    const float cell_w = (width - head) / wide;
    float y = rest.y0 + pane.px(4);
    const float grid_h = title_room + pane.px(18) + cell_h * static_cast<float>(shapes.rows.size());
    for (std::size_t g = 0; g < shapes.grids.size(); ++g) {
        const Shapes::Grid& grid = shapes.grids[g];
        const float gx = rest.x0 + static_cast<float>(g % in_row) * (width + gap);
        const float gy = y + static_cast<float>(g / in_row) * (grid_h + gap);
        text_in(pane.brush, Face::strong, {gx, gy, gx + width, gy + title_room},
                grid.role == Role::library ? colors.quiet : colors.strong,
                fit_text(look, Face::strong, grid.name, width), Align::left);
        for (std::size_t c = 0; c < shapes.columns.size(); ++c) {
            const float cx = gx + head + cell_w * static_cast<float>(c);
            text_in(pane.brush, Face::caption, {cx, gy + title_room, cx + cell_w, gy + title_room + pane.px(18)},
                    colors.quiet, fmt::format("{}{}{}", c == 0 && !shapes.of_rows ? "K " : "", shapes.columns[c],
                                             c == 0 && shapes.of_rows ? " columns" : ""));
        }
        for (std::size_t r = 0; r < shapes.rows.size(); ++r) {
            const float cy = gy + title_room + pane.px(18) + cell_h * static_cast<float>(r);
            text_in(pane.brush, Face::caption, {gx, cy, gx + head - pane.px(8), cy + cell_h}, colors.quiet,
                    fmt::format("{}{}", r == 0 && !shapes.of_rows ? "S " : "", shapes.rows[r]), Align::right);
            for (std::size_t c = 0; c < shapes.columns.size(); ++c) {
                const Rect cell =
                    Rect{0, 0, cell_w, cell_h}.moved(gx + head + cell_w * static_cast<float>(c), cy).inset(pane.px(1));
                const Timing* row = grid.cells[r * shapes.columns.size() + c];
                const auto ratio = row ? timing::times_as_fast(table, *row) : std::nullopt;
                const Color ground = ratio ? ratio_color(colors, *ratio) : colors.raised;
                fill(pane.brush, cell, ground, pane.px(3));
                if (!row) {
                    text_in(pane.brush, Face::small, cell, colors.quiet, "-");
                    continue;
                }
                const Color ink = text_on(ground);
                const Rect upper{cell.x0, cell.y0, cell.x1, ratio ? cell.center().y + pane.px(3) : cell.y1};
                text_in(pane.brush, Face::figure, upper, ink, timing::time_text(row->median_us));
                if (ratio)
                    text_in(pane.brush, Face::small,
                            {cell.x0, cell.center().y + pane.px(1), cell.x1, cell.y1 - pane.px(3)}, ink,
                            fmt::format("{:.2f} ×", *ratio));
                result.spots.push_back({cell.center(), row});
                if (!pane.hovers(cell)) continue;
                outline(pane.brush, cell, colors.focus, pane.px(3), pane.px(1.5f));
                result.hovered = grid.name;
                lines_card(look, figure_lines(table, *row));
            }
        }
    }
    y1 = y + std::ceil(static_cast<float>(shapes.grids.size()) / static_cast<float>(in_row)) * (grid_h + gap);
    return result;
}

}  // namespace lanewise::viz
