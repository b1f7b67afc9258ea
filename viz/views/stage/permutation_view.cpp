#include "viz/views/stage/permutation_view.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace lanewise::viz {
namespace {

Color color_of(const Theme& colors, LaneSource kind) {
    return kind == LaneSource::undefined ? colors.warning
           : kind == LaneSource::clamped ? colors.quiet
                                         : colors.step_shuffle;
}

std::string_view meaning_of(LaneSource kind) {
    switch (kind) {
        case LaneSource::inactive: return "takes no part: the mask leaves it out";
        case LaneSource::clamped: return "past the edge of its group: it keeps its own value";
        case LaneSource::undefined: return "that lane takes no part: what arrives is undefined";
        default: return "";
    }
}

}  // namespace

Rect PermutationView::cell_box(int reader, int source) const {
    const float x = corner_.x + cell_ * static_cast<float>(source), y = corner_.y + cell_ * static_cast<float>(reader);
    return {x, y, x + cell_, y + cell_};
}

bool PermutationView::draw(const Pane& pane, const Rect& where, const RunView& run_view, std::size_t step,
                           Selection& selection) {
    if (run_ != run_view.run || step_ != step || !(warp_ == selection.warp)) {
        run_ = run_view.run;
        step_ = step;
        warp_ = selection.warp;
        rows_ = permutation_of(run_view.steps(), step, selection.warp);
        facts_ = permutation_facts(rows_);
    }
    if (rows_.empty()) return false;
    const Theme& colors = pane.colors();
    hairline(pane.brush, {where.x0 + pane.px(4), where.y0}, {where.x1 - pane.px(4), where.y0}, colors.line);
    Rect rest = where.inset(pane.px(16), pane.px(6));
    const Rect head = rest.cut_top(pane.px(16));
    const auto lanes = static_cast<float>(rows_.size());
    rest.cut_left(pane.px(20));   // numbers of the rows
    cell_ = std::min(rest.height() / lanes, rest.width() * 0.45f / lanes);
    corner_ = {rest.x0, rest.y0};
    const float side = cell_ * lanes;
    text_in(pane.brush, Face::caption, {rest.x0, head.y0, rest.x0 + side, head.y0 + pane.px(13)}, colors.quiet,
            "reads lane →", Align::left);
    const float both = text_width(pane.look(), Face::caption, "reads lane →  a row for each lane ↓");
    if (side >= both)
        text_in(pane.brush, Face::caption, {rest.x0, head.y0, rest.x0 + side, head.y0 + pane.px(13)}, colors.quiet,
                "a row for each lane ↓", Align::right);
    draw_matrix(pane, selection);
    rest.cut_left(side + pane.px(22));
    const float bits = std::min(cell_, pane.px(9)) * 12.5f;
    Rect of_bits = rest.cut_left(std::max(bits, text_width(pane.look(), Face::caption, "bits: own → read")));
    text_in(pane.brush, Face::caption, {of_bits.x0, head.y0, of_bits.x1, head.y0 + pane.px(13)}, colors.quiet,
            "bits: own → read", Align::left);
    draw_bits(pane, of_bits, selection);
    rest.cut_left(pane.px(20));
    draw_text(pane, {rest.x0, head.y0, rest.x1, rest.y1}, selection);
    return true;
}

void PermutationView::draw_matrix(const Pane& pane, Selection& selection) const {
    const Theme& colors = pane.colors();
    const auto count = static_cast<int>(rows_.size());
    const Rect all{corner_.x, corner_.y, corner_.x + cell_ * static_cast<float>(count),
                   corner_.y + cell_ * static_cast<float>(count)};
    fill(pane.brush, all, mix(colors.ground, colors.raised, 0.35));
    const int lit = selection.lane();
    if (lit >= 0 && lit < count) {
        fill(pane.brush, {all.x0, cell_box(lit, 0).y0, all.x1, cell_box(lit, 0).y1}, with_alpha(colors.focus, 0.16));
        const int source = rows_[static_cast<std::size_t>(lit)].source;
        if (source >= 0)
            fill(pane.brush, {cell_box(0, source).x0, all.y0, cell_box(0, source).x1, all.y1},
                 with_alpha(colors.accent, 0.14));
    }
    // Where a lane would read itself.
    hairline(pane.brush, {all.x0, all.y0}, {all.x1, all.y1}, with_alpha(colors.faint, 0.7));
    for (int lane = 0; lane <= count; lane += 8) {
        const float x = all.x0 + cell_ * static_cast<float>(lane), y = all.y0 + cell_ * static_cast<float>(lane);
        hairline(pane.brush, {x, all.y0}, {x, all.y1}, colors.line);
        hairline(pane.brush, {all.x0, y}, {all.x1, y}, colors.line);
        if (lane == count) continue;
        text_in(pane.brush, Face::tiny, {all.x0 - pane.px(20), y, all.x0 - pane.px(4), y + cell_}, colors.quiet,
                fmt::format("{}", lane), Align::right);
    }
    for (const PermutationRow& row : rows_) {
        if (row.source < 0) continue;
        const Rect cell = cell_box(row.lane, row.source).inset(std::min(pane.px(0.8f), cell_ * 0.1f));
        const Color ink = row.lane == lit ? colors.accent : color_of(colors, row.kind);
        if (row.kind == LaneSource::clamped) outline(pane.brush, cell, ink, pane.px(1), pane.px(1.2f));
        else fill(pane.brush, cell, ink, pane.px(1));
        if (row.kind == LaneSource::undefined)
            hairline(pane.brush, {cell.x0, cell.y1}, {cell.x1, cell.y0}, colors.ground, pane.px(1));
    }
    if (!pane.hovers(all)) return;
    const int reader = static_cast<int>((pane.pointer().y - all.y0) / cell_);
    if (reader < 0 || reader >= count) return;
    selection.next.lane = reader;
    if (pane.clicked(all)) selection.pinned_lane = reader;
}

// The five bits of a lane's number and of the one that it reads; those that flip are lit.
void PermutationView::draw_bits(const Pane& pane, const Rect& where, Selection& selection) const {
    const Theme& colors = pane.colors();
    const float size = std::min(cell_, pane.px(9));
    const int lit = selection.lane();
    for (const PermutationRow& row : rows_) {
        const float y = cell_box(row.lane, 0).y0 + (cell_ - size) / 2;
        const double dim = lit < 0 || row.lane == lit ? 1 : 0.45;
        for (int bit = 4; bit >= 0; --bit) {
            const auto place = [&](float from) {
                const float x = where.x0 + from + size * static_cast<float>(4 - bit);
                return Rect{x, y, x + size, y + size}.inset(std::max(size * 0.12f, pane.px(0.6f)));
            };
            const bool own = row.lane >> bit & 1;
            const Rect left = place(0), right = place(size * 7.3f);
            if (own) fill(pane.brush, left, with_alpha(colors.text, dim), pane.px(1));
            else outline(pane.brush, left, with_alpha(colors.faint, dim), pane.px(1), pane.px(1));
            if (row.source < 0) continue;
            const bool read = row.source >> bit & 1, flipped = own != read;
            const Color ink = flipped ? colors.accent : row.kind == LaneSource::clamped ? colors.quiet : colors.text;
            if (read) fill(pane.brush, right, with_alpha(ink, dim), pane.px(1));
            else outline(pane.brush, right, with_alpha(flipped ? colors.accent : colors.faint, dim), pane.px(1),
                         pane.px(flipped ? 1.4f : 1.0f));
        }
    }
    const Rect all{where.x0, corner_.y, where.x1, cell_box(static_cast<int>(rows_.size()), 0).y0};
    if (pane.hovers(all)) selection.next.lane = static_cast<int>((pane.pointer().y - all.y0) / cell_);
}

void PermutationView::draw_text(const Pane& pane, Rect where, const Selection& selection) const {
    const Theme& colors = pane.colors();
    const int lit = selection.lane();
    if (lit >= 0 && lit < static_cast<int>(rows_.size())) {
        const PermutationRow& row = rows_[static_cast<std::size_t>(lit)];
        const std::string who = row.source >= 0 ? fmt::format("lane {} reads lane {}", lit, row.source)
                                                : fmt::format("lane {} reads none", lit);
        text_in(pane.brush, Face::strong, where.cut_top(pane.px(20)), colors.accent,
                fit_text(pane.look(), Face::strong, who, where.width()), Align::left);
        if (!row.bits.empty())
            text_in(pane.brush, Face::figure, where.cut_top(pane.px(20)), colors.strong,
                    fit_text(pane.look(), Face::figure, row.bits, where.width()), Align::left);
        if (const std::string_view meaning = meaning_of(row.kind); !meaning.empty())
            where.cut_top(paragraph(pane.brush, Face::caption, {where.x0, where.y0}, where.width(),
                                    color_of(colors, row.kind), meaning, 1.4f));
        where.cut_top(pane.px(10));
    }
    for (const std::string& fact : facts_) {
        const Brush measure{nullptr, pane.look()};
        const float height = paragraph(measure, Face::caption, {}, where.width() - pane.px(12), 0, fact, 1.4f);
        if (height > where.height()) return;
        circle(pane.brush, {where.x0 + pane.px(3), where.y0 + pane.px(8)}, pane.px(1.8f), colors.quiet);
        paragraph(pane.brush, Face::caption, {where.x0 + pane.px(12), where.y0}, where.width() - pane.px(12),
                  colors.text, fact, 1.4f);
        where.cut_top(height + pane.px(4));
    }
}

}  // namespace lanewise::viz
