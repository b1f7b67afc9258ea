#include "viz/views/benchmark/costs_view.hpp"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

#include "viz/views/benchmark/plot_paint.hpp"

namespace lanewise::viz {
namespace {

constexpr const char* kNone =
    "No costs are known: none were measured on a GPU, or recorded on one. On a machine with a GPU, any lesson measures "
    "them "
    "with --costs. The emulator counts what a kernel asks for; how long that takes only a GPU can measure.";

constexpr float kMark = 3.6f;

Category start_mark(const Theme& colors) { return {colors.good, PlotMark::disc}; }
Category quoted_mark(const Theme& colors) { return {colors.warning, PlotMark::diamond}; }

// A key to the marks: a sample and its label; returns the width.
float key_of(const Brush& brush, Point at, const Category* mark, Color bar, const char* text) {
    const Theme& colors = brush.colors();
    const float sample = brush.px(mark ? 12 : 24);
    if (mark) paint_mark(brush, {at.x + brush.px(5), at.y}, brush.px(kMark), *mark, mark->mark == PlotMark::diamond);
    else fill(brush, {at.x, at.y - brush.px(4), at.x + brush.px(19), at.y + brush.px(4)}, bar, brush.px(2));
    const Rect box{at.x + sample, at.y - brush.px(9), at.x + sample + brush.px(400), at.y + brush.px(9)};
    text_in(brush, Face::caption, box, colors.text, text, Align::left);
    return sample + text_width(brush.look, Face::caption, text) + brush.px(18);
}

void draw_bar(const Pane& pane, const CostBar& bar, Color color) {
    if (bar.box.empty()) return;
    const Theme& colors = pane.colors();
    fill(pane.brush, bar.box, color, pane.px(2));
    const float y = bar.box.center().y;
    if (bar.high - bar.low > pane.px(2)) hairline(pane.brush, {bar.low, y}, {bar.high, y}, colors.strong, pane.px(1));
}

// Behind the bar, and behind marks that are there.
void figure_behind(const Pane& pane, const CostBar& bar, std::initializer_list<float> marks, Color ink) {
    if (bar.box.empty()) return;
    const float width = text_width(pane.look(), Face::small, bar.figure), clear = pane.px(kMark + 3);
    float x = std::max(bar.box.x1, bar.high) + pane.px(6);
    for (const float mark : marks)
        if (mark + clear > x && mark - clear < x + width) x = mark + clear;
    text_in(pane.brush, Face::small, {x, bar.box.y0 - pane.px(4), x + width, bar.box.y1 + pane.px(4)}, ink, bar.figure,
            Align::left);
}

}  // namespace

void CostsView::draw_head(const Pane& pane, Rect& rest, const timing::CostTable& table) const {
    const Theme& colors = pane.colors();
    const Rect title = rest.cut_top(pane.px(26));
    text_in(pane.brush, Face::title, title, colors.strong, "What single operations cost", Align::left);
    key_hint(pane.brush, {title.x1 - pane.px(66), title.center().y - pane.px(8.5f)}, "U", "close");
    if (table.rows.empty()) return;
    const std::string origin =
        fmt::format("{} · {} SMs · {:.0f} MHz while measured · CUDA {} · {}", timing::cost_origin(table),
                    table.multiprocessors, table.sm_mhz, table.driver, table.method);
    for (const std::string& line : fit_lines(pane.look(), Face::caption, origin, rest.width(), 2))
        text_in(pane.brush, Face::caption, rest.cut_top(pane.px(15)), colors.quiet, line, Align::left);
    rest.cut_top(pane.px(3));
    const Rect keys = rest.cut_top(pane.px(24));
    float x = keys.x0;
    const Category start = start_mark(colors), quoted = quoted_mark(colors);
    x += key_of(pane.brush, {x, keys.center().y}, nullptr, with_alpha(colors.step_shuffle, 0.75),
                "latency (dependent chain)");
    x += key_of(pane.brush, {x, keys.center().y}, &start, 0, "issue interval");
    x += key_of(pane.brush, {x, keys.center().y}, &quoted, 0, "commonly quoted");
    if (std::any_of(table.rows.begin(), table.rows.end(),
                    [](const timing::Cost& row) { return row.latency && is_sent(row); }))
        key_of(pane.brush, {x, keys.center().y}, nullptr, with_alpha(colors.step_shuffle, 0.38),
               "no result to wait for: interval between two of a warp");
}

void CostsView::draw_grid(const Pane& pane) const {
    const Theme& colors = pane.colors();
    const float top = scene_.rows.empty() ? scene_.bottom : scene_.groups.front().box.y0;
    const auto column = [&](const Rect& where, const LogAxis& axis, const std::vector<Tick>& ticks, const char* title) {
        const float foot = top - pane.px(3);
        text_in(pane.brush, Face::caption, {where.x0, foot - pane.px(34), where.x1, foot - pane.px(17)}, colors.strong,
                title, Align::left);
        for (const Tick& tick : ticks) {
            const float x = axis.at(tick.value);
            if (x < axis.from - 1 || x > axis.to + 1) continue;
            hairline(pane.brush, {x, top}, {x, scene_.bottom}, with_alpha(colors.line, tick.label.empty() ? 0.45 : 0.9),
                     pane.px(1));
            if (!tick.label.empty())
                text_in(pane.brush, Face::small, {x - pane.px(30), foot - pane.px(16), x + pane.px(30), foot},
                        colors.quiet, tick.label);
        }
    };
    column(scene_.waits, scene_.wait_axis, scene_.wait_ticks, "latency in cycles");
    column(scene_.rates, scene_.rate_axis, scene_.rate_ticks, "throughput of an SM: per cycle");
    if (!scene_.gpus.empty())
        text_in(pane.brush, Face::caption, {scene_.gpus.x0, top - pane.px(37), scene_.gpus.x1, top - pane.px(20)},
                colors.strong, "whole GPU, per lane", Align::right);
}

void CostsView::draw_row(const Pane& pane, const CostRow& row, bool lit) const {
    const Theme& colors = pane.colors();
    const Color ink = lit ? colors.strong : colors.text;
    if (lit)
        fill(pane.brush, {row.box.x0 - pane.px(8), row.box.y0, row.box.x1 + pane.px(8), row.box.y1}, colors.raised,
             pane.px(4));
    text_in(pane.brush, Face::caption, row.name, ink,
            fit_text(pane.look(), Face::caption, row.cost->name, row.name.width()), Align::left);
    if (!row.lacking.empty()) {
        const Rect where{scene_.waits.x0, row.box.y0, row.box.x1, row.box.y1};
        text_in(pane.brush, Face::caption, where, colors.quiet,
                fit_text(pane.look(), Face::caption, row.lacking, where.width()), Align::left);
        return;
    }
    draw_bar(pane, row.wait, with_alpha(colors.step_shuffle, (lit ? 0.95 : 0.75) * (row.sent ? 0.5 : 1)));
    const float y = row.box.center().y, radius = pane.px(kMark);
    // Around the disc, so that both are seen where they are at one place.
    if (row.quoted >= 0) paint_mark(pane.brush, {row.quoted, y}, radius * 1.8f, quoted_mark(colors), true);
    if (row.start >= 0) {
        circle(pane.brush, {row.start, y}, radius * 1.2f, colors.panel);   // distinguished from the bar in both themes
        paint_mark(pane.brush, {row.start, y}, radius * 0.8f, start_mark(colors));
    }
    figure_behind(pane, row.wait, {std::min(row.start, row.quoted), std::max(row.start, row.quoted)}, ink);
    draw_bar(pane, row.rate, with_alpha(colors.good, lit ? 0.8 : 0.5));
    figure_behind(pane, row.rate, {}, ink);
    if (!row.gpu.empty())
        text_in(pane.brush, Face::small, {scene_.gpus.x0, row.box.y0, scene_.gpus.x1, row.box.y1}, ink, row.gpu,
                Align::right);
}

void CostsView::draw(const Pane& pane, const timing::CostTable& table) {
    const Theme& colors = pane.colors();
    hovered_ = -1;
    const float top = pane.box.y0 - pane.scrolled;
    Rect rest{pane.box.x0 + pane.px(22), top + pane.px(10), pane.box.x1 - pane.px(22),
              top + pane.box.height() - pane.px(6)};
    draw_head(pane, rest, table);
    if (table.rows.empty()) {
        scene_ = {};
        paragraph(pane.brush, Face::body, {rest.x0, rest.y0 + pane.px(14)}, std::min(rest.width(), pane.px(640)),
                  colors.text, kNone, 1.4f);
        pane.content_height(pane.px(160));
        return;
    }
    rest.cut_top(pane.px(20));   // the columns' titles, above their numbers
    scene_ = cost_scene(table, rest, pane.look().scale);
    draw_grid(pane);
    for (const CostGroup& group : scene_.groups) {
        Rect where = group.box;
        where.cut_top(pane.px(5));
        text_in(pane.brush, Face::strong, {where.x0, where.y0, scene_.names.x1 + pane.px(60), where.y1}, colors.strong,
                group.title, Align::left);
    }
    for (std::size_t i = 0; i < scene_.rows.size(); ++i)
        if (pane.hovers(scene_.rows[i].box)) hovered_ = static_cast<int>(i);
    for (std::size_t i = 0; i < scene_.rows.size(); ++i)
        draw_row(pane, scene_.rows[i], static_cast<int>(i) == hovered_);
    if (hovered_ >= 0) lines_card(pane.look(), cost_lines(*scene_.rows[static_cast<std::size_t>(hovered_)].cost));
    pane.content_height(scene_.bottom - top + pane.px(8));
}

}  // namespace lanewise::viz
