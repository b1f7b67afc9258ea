// What is over and under a panel of a comparison: how it came out, what it has asked for so far, its time.
#include <algorithm>

#include "common/timing/times_text.hpp"
#include "viz/model/result_line.hpp"
#include "viz/model/cell_paint.hpp"
#include "viz/views/compare/compare_view.hpp"
#include "viz/views/stage/stage_paint.hpp"
#include "viz/views/stage/utilization_paint.hpp"

namespace lanewise::viz {

void CompareView::draw_banner(const Pane& pane, const Rect& where, std::size_t side, const RunView& run_view) const {
    const Theme& colors = pane.colors();
    const Color kind = is_wrong(*run_view.run) ? colors.warning : colors.good;
    const Rect card{where.x0 + pane.px(12), where.y0 + pane.px(2), where.x1 - pane.px(12), where.y1 - pane.px(2)};
    fill(pane.brush, card, mix(colors.ground, kind, 0.15), pane.px(6));
    outline(pane.brush, card, kind, pane.px(6), pane.px(1.2f));
    Rect line = card.inset(pane.px(10), 0);
    // Steps are counted by places here.
    const std::size_t step = first_mistake(run_view);
    const std::size_t place = step == kNoStep ? step : steps.place_of(side, step);
    const std::string mistakes = mistakes_found(run_view, place);
    const float width = text_width(pane.look(), Face::body, mistakes) + pane.px(8);
    if (!mistakes.empty() && !run_view.outline.right && width < line.width() * 0.6f) {
        text_in(pane.brush, Face::body, line.cut_right(width), colors.warning, mistakes, Align::right);
    }
    if (mistakes.empty() && run_view.outline.result.empty())
        text_in(pane.brush, Face::strong, line, colors.quiet, "its result was not kept", Align::left);
    else draw_result(pane.brush, line, run_view, Face::strong, Align::left, place);
}

void CompareView::draw_foot(const Pane& pane, Rect where, std::size_t side, const RunView& run_view,
                            const timing::TimingTable& times) const {
    const Theme& colors = pane.colors();
    const CompareScene::Side& here = scene_.sides[side];
    hairline(pane.brush, {where.x0, where.y0}, {where.x1, where.y0}, colors.line);
    Rect rest = where.inset(pane.px(16), pane.px(places_.compact ? 5 : 8));

    // The lane utilization of the whole run: the figure, as a sentence, and step by step.
    if (!places_.compact && !places_.low) {
        Rect strip = rest.cut_top(pane.px(38));
        const scene::Utilization work = scene::utilization_of(run_view.steps(), here.warp);
        if (work.adds()) {
            const std::string figure = scene::percent(work.utilization());
            text_in(pane.brush, Face::heading, strip, colors.good, figure, Align::left);
            const std::string first = "lane utilization (" + scene::part_text(work.utilization()) + ")",
                              second = "while adding, in all";
            const float x = strip.x0 + text_width(pane.look(), Face::heading, figure) + pane.px(10);
            text_in(pane.brush, Face::caption, {x, strip.y0 + pane.px(4), strip.x1, strip.center().y + pane.px(1)},
                    colors.text, first, Align::left);
            text_in(pane.brush, Face::caption, {x, strip.center().y + pane.px(1), strip.x1, strip.y1 - pane.px(2)},
                    colors.quiet, second, Align::left);
            strip.x0 =
                std::max(x + text_width(pane.look(), Face::caption, first) + pane.px(18), strip.x0 + pane.px(210));
        } else {
            text_in(pane.brush, Face::caption, {strip.x0, strip.y0, strip.x0 + pane.px(200), strip.y1}, colors.quiet,
                    "no step of it adds", Align::left);
            strip.x0 += pane.px(210);
        }
        if (strip.width() > pane.px(60))
            work_strip(pane.brush, strip.inset(0, pane.px(2)), work, here.own ? here.step : kNoStep);
        rest.cut_top(pane.px(6));
    }
    if (!places_.low) draw_figures(pane, rest.cut_top(pane.px(36)), side);
    if ((places_.compact || places_.low) && here.differing) {
        // The mark's meaning, which is in a legend where there is room for one.
        const std::string meaning = "differs from " + reference_;
        const float width = text_width(pane.look(), Face::caption, meaning) + pane.px(22);
        if (width < rest.width() * 0.5f) {
            const Rect legend = rest.cut_right(width);
            rest.cut_right(pane.px(10));
            differ_mark(pane.brush, {legend.x0, legend.center().y - pane.px(6), legend.x0 + pane.px(14),
                                     legend.center().y - pane.px(2)});
            text_in(pane.brush, Face::caption, legend, colors.quiet, meaning, Align::right);
        }
    }
    const std::string time = time_text(here.time, !sentence_.one_limit);
    const std::string origin = here.time.timing ? " · " + timing::times_from(times) : "";
    const bool best = here.time.fastest && !sentence_.one_limit;
    text_in(pane.brush, best ? Face::strong : Face::caption, rest,
            !here.time.timing ? colors.quiet
            : best            ? colors.good
                              : colors.text,
            fit_text(pane.look(), best ? Face::strong : Face::caption, time, rest.width()), Align::left);
    rest.cut_left(text_width(pane.look(), best ? Face::strong : Face::caption, time));
    text_in(pane.brush, Face::caption, rest, colors.quiet, fit_text(pane.look(), Face::caption, origin, rest.width()),
            Align::left);
}

// A column for each figure, as many as have room; where the sides differ, in colour, and the largest and the smallest
// carry a sign.
void CompareView::draw_figures(const Pane& pane, const Rect& where, std::size_t side) const {
    const Theme& colors = pane.colors();
    // As wide as the widest of any side, so that the panels' columns stand alike.
    std::vector<float> widths;
    float total = 0;
    for (const CompareFigure& figure : scene_.figures) {
        float width = text_width(pane.look(), Face::caption, figure.label) + pane.px(9);
        for (std::size_t s = 0; s < scene_.sides.size(); ++s)
            width = std::max(width, text_width(pane.look(), Face::figure_large, figure.shown[s]) + pane.px(20));
        if (total + width > where.width()) break;
        widths.push_back(width);
        total += width;
    }
    const std::size_t count = widths.size();
    if (count == 0) return;
    const float spare = std::min((where.width() - total) / static_cast<float>(count), pane.px(34));
    Rect rest = where;
    for (std::size_t i = 0; i < count; ++i) {
        const CompareFigure& figure = scene_.figures[i];
        const Rect column = rest.cut_left(widths[i] + spare);
        const Rect number{column.x0, column.y0, column.x1, column.y0 + pane.px(19)};
        const std::string& text = figure.shown[side];
        text_in(pane.brush, Face::figure_large, number, figure.differs ? colors.accent : colors.text, text,
                Align::left);
        if (figure.marks[side] != CompareFigure::Mark::none) {
            const bool most = figure.marks[side] == CompareFigure::Mark::most;
            const float x = number.x0 + text_width(pane.look(), Face::figure_large, text) + pane.px(8);
            const float y = number.center().y, r = pane.px(3.5f), up = most ? -r : r;
            if (most) triangle(pane.brush, {x, y + up}, {x + r, y - up}, {x - r, y - up}, colors.accent);
            else triangle(pane.brush, {x, y + up}, {x - r, y - up}, {x + r, y - up}, colors.accent);
        }
        text_in(pane.brush, Face::caption, {column.x0, column.y0 + pane.px(20), column.x1, column.y1}, colors.quiet,
                figure.label, Align::left);
        if (!pane.hovers(column)) continue;
        std::string description = figure.meaning + ", in this block";
        if (figure.differs && figure.marks[side] != CompareFigure::Mark::none)
            description +=
                figure.marks[side] == CompareFigure::Mark::most ? "; the most of these" : "; the least of these";
        hint_card(pane.look(), description);
    }
}

}  // namespace lanewise::viz
