// Boxes, bits and the legend as they are drawn.
#include <algorithm>
#include <cmath>

#include "viz/views/boxes/boxes_view.hpp"

namespace lanewise::viz {
namespace {

constexpr std::size_t kMostArrows = 64;

void dashed(const Brush& brush, Point a, Point b, Color color, float thick) {
    const float dx = b.x - a.x, dy = b.y - a.y, length = std::hypot(dx, dy), dash = brush.px(4);
    for (float at = 0; at < length; at += 2 * dash) {
        const float to = std::min(at + dash, length);
        brush.canvas->line({a.x + dx * at / length, a.y + dy * at / length},
                           {a.x + dx * to / length, a.y + dy * to / length}, color, thick);
    }
}

void dashed(const Brush& brush, const Rect& box, Color color, float thick) {
    dashed(brush, {box.x0, box.y0}, {box.x1, box.y0}, color, thick);
    dashed(brush, {box.x1, box.y0}, {box.x1, box.y1}, color, thick);
    dashed(brush, {box.x1, box.y1}, {box.x0, box.y1}, color, thick);
    dashed(brush, {box.x0, box.y1}, {box.x0, box.y0}, color, thick);
}

}  // namespace

Color BoxesView::color_of(const Theme& theme, Fate fate) const {
    switch (fate) {
        case Fate::unplaced: return theme.faint;
        case Fate::open: return theme.text;
        case Fate::kept: return theme.good;
        case Fate::crossed: return theme.warning;
        case Fate::removed: return theme.quiet;
    }
    return theme.text;
}

// Kept: thick and filled; undecided: thin; suppressed: broken lines. Colour is never the only sign.
void BoxesView::draw_outline(const Pane& pane, const Rect& box, Fate fate, bool now, bool lit) const {
    const Theme& theme = pane.colors();
    const Color color = color_of(theme, fate);
    if (now) outline(pane.brush, box.inset(-pane.px(3)), theme.accent, pane.px(2), pane.px(2));
    if (lit) fill(pane.brush, box, with_alpha(theme.accent, 0.16));
    if (fate == Fate::kept) {
        fill(pane.brush, box, with_alpha(color, 0.12));
        outline(pane.brush, box, color, 0, pane.px(2.4f));
    } else if (fate == Fate::open) {
        outline(pane.brush, box, color, 0, pane.px(1.2f));
    } else {
        dashed(pane.brush, box, color, pane.px(fate == Fate::crossed ? 1.6f : 1));
    }
}

void BoxesView::draw_plane(const Pane& pane, std::size_t step, const Selection& selection) const {
    const auto& boxes = boxes_->boxes;
    std::vector<std::size_t> order;
    for (std::size_t box = 0; box < boxes.size(); ++box)
        if (boxes[box].has_corners && boxes_->fate(box, step) != Fate::unplaced) order.push_back(box);
    if (order.empty()) {
        const auto lines = fit_lines(pane.look(), Face::body, "no box has its place in the order yet",
                                     places_.plane.width() - pane.px(8), 3);
        Rect line{places_.plane.x0, places_.plane.center().y - pane.px(24), places_.plane.x1, places_.plane.center().y};
        for (const std::string& each : lines) {
            text_in(pane.brush, Face::body, line, pane.colors().quiet, each);
            line = line.moved(0, pane.px(18));
        }
        return;
    }
    // What matters lies on top.
    const auto weight = [&](std::size_t box) {
        const Fate fate = boxes_->fate(box, step);
        return (stands_out(box, step, selection) ? 8 : 0) + (fate == Fate::kept ? 4 : fate == Fate::open ? 2 : 0) +
               (fate == Fate::crossed ? 1 : 0);
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weight(a) < weight(b); });
    for (const std::size_t box : order)
        draw_outline(pane, places_.box(boxes[box]), boxes_->fate(box, step), stands_out(box, step, selection),
                     static_cast<int>(box) == pointed_ || static_cast<int>(box) == pointed_column_);
    draw_arrows(pane, step, draw_names(pane, step, order));
}

// Each in a corner of its box where no other name stands; the last in `order` first.
std::vector<Rect> BoxesView::draw_names(const Pane& pane, std::size_t step,
                                        const std::vector<std::size_t>& order) const {
    const Theme& theme = pane.colors();
    const Face face = boxes_->boxes.size() <= 26 ? Face::strong : Face::small;
    std::vector<Rect> taken, names(boxes_->boxes.size());
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        const RankedBox& ranked = boxes_->boxes[*at];
        const Rect box = places_.box(ranked).inset(pane.px(2));
        const float width = text_width(pane.look(), face, ranked.name) + pane.px(4), height = pane.px(15);
        const Point corners[] = {{box.x0, box.y0}, {box.x1 - width, box.y0}, {box.x0, box.y1 - height},
                                 {box.x1 - width, box.y1 - height}, {box.center().x - width / 2, box.y0}};
        for (const Point corner : corners) {
            const Rect place{corner.x, corner.y, corner.x + width, corner.y + height};
            if (!places_.plane.inset(-pane.px(6)).contains({place.x0, place.y0}) ||
                std::any_of(taken.begin(), taken.end(), [&](const Rect& other) { return other.overlaps(place); }))
                continue;
            taken.push_back(place);
            names[*at] = place;
            fill(pane.brush, place, with_alpha(theme.ground, 0.72), pane.px(2));
            text_in(pane.brush, face, place, color_of(theme, boxes_->fate(*at, step)), ranked.name);
            break;
        }
    }
    return names;
}

// From the name of the box that suppresses to the names of those that it suppresses in this step.
void BoxesView::draw_arrows(const Pane& pane, std::size_t step, const std::vector<Rect>& names) const {
    const auto& boxes = boxes_->boxes;
    const Color color = pane.colors().warning;
    std::size_t drawn = 0;
    for (std::size_t box = 0; box < boxes.size() && drawn < kMostArrows; ++box) {
        if (boxes[box].crossed != step || !boxes[box].has_corners) continue;
        const std::size_t by = boxes_->suppressor(box);
        if (by >= boxes.size() || !boxes[by].has_corners) continue;
        const auto place = [&](std::size_t each) {
            return names[each].empty() ? places_.box(boxes[each]).center() : names[each].center();
        };
        const Point a = place(by), b = place(box);
        const float whole = std::hypot(b.x - a.x, b.y - a.y), clear = pane.px(11), size = pane.px(6);
        if (whole < 3 * clear) continue;
        const float dx = (b.x - a.x) / whole, dy = (b.y - a.y) / whole;
        const Point from{a.x + dx * clear, a.y + dy * clear};
        const Point to{b.x - dx * (clear + size), b.y - dy * (clear + size)};
        hairline(pane.brush, from, to, color, pane.px(2));
        circle(pane.brush, from, pane.px(3), color);
        // Corners in clockwise order.
        triangle(pane.brush, {to.x + dx * size, to.y + dy * size}, {to.x - dy * size, to.y + dx * size},
                 {to.x + dy * size, to.y - dx * size}, color);
        ++drawn;
    }
}

void BoxesView::draw_matrix(const Pane& pane, std::size_t step, const Selection& selection) const {
    const Theme& theme = pane.colors();
    const BoxesPlaces& p = places_;
    const auto& boxes = boxes_->boxes;
    // Names of columns: each, or each eighth, where they have room.
    const float widest = text_width(pane.look(), Face::small, boxes.back().name) + pane.px(3);
    const std::size_t each = p.cell >= widest ? 1 : p.cell * 4 >= widest ? 4 : 8;
    for (std::size_t column = p.first; column < p.first + p.count; ++column) {
        const bool lit = static_cast<int>(column) == pointed_ || static_cast<int>(column) == pointed_column_;
        if (column % each != 0) continue;
        const Rect cell = p.bit(p.first, column);
        const float middle = cell.center().x;
        text_in(pane.brush, Face::small, {middle - widest, p.matrix.y0, middle + widest, p.cells.y0},
                lit ? theme.strong : theme.quiet, boxes[column].name);
    }
    const bool rows_named = p.cell >= pane.px(10);
    for (std::size_t row = p.first; row < p.first + p.count; ++row) {
        draw_row(pane, step, row, stands_out(row, step, selection));
    }
    for (std::size_t row = p.first; row < p.first + p.count; ++row) {
        if (!rows_named && row % 8 != 0) continue;
        const bool now = stands_out(row, step, selection);
        const Rect cell = p.bit(row, p.first);
        const float middle = cell.center().y;
        const Rect name{p.matrix.x0, middle - pane.px(8), p.cells.x0 - pane.px(5), middle + pane.px(8)};
        text_in(pane.brush, Face::small, name, now ? theme.accent : color_of(theme, boxes_->fate(row, step)),
                boxes[row].name, Align::right);
    }
    draw_suppressed(pane, step);
}

// A row from its own column on: what lies before is another row's. Bits of a row that is not read stay hollow.
void BoxesView::draw_row(const Pane& pane, std::size_t step, std::size_t row, bool now) const {
    const Theme& theme = pane.colors();
    const BoxesPlaces& p = places_;
    const RankedBox& box = boxes_->boxes[row];
    const Rect whole{p.cells.x0, p.bit(row, p.first).y0, p.cells.x1, p.bit(row, p.first).y1};
    const bool lit = static_cast<int>(row) == pointed_;
    const Fate fate = boxes_->fate(row, step);
    if (now || lit)
        fill(pane.brush, {p.matrix.x0, whole.y0, p.matrix.x1, whole.y1},
             now ? theme.accent_ground : with_alpha(theme.raised, 0.8));
    if (now && p.cell >= pane.px(6)) {
        const Point tip{p.matrix.x0 + pane.px(8), whole.center().y};
        triangle(pane.brush, {tip.x - pane.px(5), tip.y - pane.px(4)}, tip, {tip.x - pane.px(5), tip.y + pane.px(4)},
                 theme.accent);
    }
    const float gap = p.cell > pane.px(8) ? pane.px(1) : 0.5f, rounding = p.cell > pane.px(12) ? pane.px(2) : 0;
    // A thread of the one kernel that asked in time has suppressed others, whatever became of its own box.
    const bool gone = fate == Fate::removed && !boxes_->racing, read = box.read != kNoStep && box.read <= step;
    const Color ink = gone ? theme.quiet : read ? theme.warning : theme.step_vote;
    // The diagonal: what became of the row's own box.
    fill(pane.brush, p.bit(row, row).inset(gap), with_alpha(color_of(theme, fate), fate == Fate::kept ? 0.9 : 0.28),
         rounding);
    for (std::size_t column = row + 1; column < p.first + p.count; ++column) {
        const PairBit& bit = boxes_->pair(row, column);
        const Rect cell = p.bit(row, column).inset(gap);
        const bool made = bit.made != kNoStep && bit.made <= step;
        if (!made) {
            if (p.cell >= pane.px(8)) circle(pane.brush, cell.center(), pane.px(1), theme.faint);
        } else if (!bit.set) {
            if (p.cell >= pane.px(8)) outline(pane.brush, cell, theme.faint, rounding, pane.px(0.8f));
        } else if (gone) {
            outline(pane.brush, cell.inset(gap), ink, rounding, pane.px(1.2f));
        } else {
            fill(pane.brush, cell, ink, rounding);
        }
        if (made && p.cell >= pane.px(18))
            text_in(pane.brush, Face::small, cell, !bit.set ? theme.quiet : gone ? theme.quiet : text_on(ink),
                    bit.set ? "1" : "0");
    }
    if (p.cell < pane.px(11)) return;
    std::string label;
    const std::size_t by = boxes_->suppressor(row);
    if (fate == Fate::kept) label = "kept";
    if (fate == Fate::crossed || fate == Fate::removed)
        label = (boxes_->racing && box.lives_at_turn ? "too late, by " : "suppressed by ") +
                (by < boxes_->boxes.size() ? boxes_->boxes[by].name : "?");
    text_in(pane.brush, Face::caption, {p.cells.x1 + pane.px(8), whole.y0, p.matrix.x1, whole.y1},
            now ? theme.accent : color_of(theme, fate), label, Align::left);
}

// One bit a box: suppressed so far.
void BoxesView::draw_suppressed(const Pane& pane, std::size_t step) const {
    const Theme& theme = pane.colors();
    const BoxesPlaces& p = places_;
    const float y = p.cells.y1 + pane.px(6), gap = p.cell > pane.px(8) ? pane.px(1) : 0.5f;
    const Rect line{p.cells.x0, y, p.cells.x1, y + p.cell};
    fill(pane.brush, line, with_alpha(theme.raised, 0.6));
    for (std::size_t box = p.first; box < p.first + p.count; ++box) {
        const std::size_t crossed = boxes_->boxes[box].crossed;
        const bool set = crossed != kNoStep && crossed <= step;
        const Rect cell = p.bit(p.first, box);
        const Rect place = Rect{cell.x0, line.y0, cell.x1, line.y1}.inset(gap);
        if (set) fill(pane.brush, place, theme.warning);
        if (p.cell >= pane.px(18))
            text_in(pane.brush, Face::small, place, set ? text_on(theme.warning) : theme.quiet, set ? "1" : "0");
    }
    const float middle = line.center().y;
    text_in(pane.brush, Face::caption, {p.cells.x1 + pane.px(8), middle - pane.px(8), p.matrix.x1 + pane.px(8),
            middle + pane.px(8)}, theme.quiet, "suppressed", Align::left);
}

std::vector<std::string> BoxesView::legend_labels() const {
    std::vector<std::string> labels{"kept", "undecided", "suppressed", "suppressed, after its turn", "bit set"};
    labels.emplace_back(boxes_->racing ? "suppressed by this row" : "its row joined");
    if (!boxes_->racing) labels.emplace_back("its row never read");
    return labels;
}

// Line after line; of each entry the place of its mark and its label.
std::vector<Rect> BoxesView::legend_places(const Pane& pane, const Rect& where) const {
    std::vector<Rect> places;
    float x = where.x0, y = where.y0 + pane.px(1);
    for (const std::string& label : legend_labels()) {
        const float width = pane.px(22) + text_width(pane.look(), Face::caption, label);
        if (x > where.x0 && x + width > where.x1) {
            x = where.x0;
            y += pane.px(18);
        }
        places.push_back({x, y, std::min(x + width, where.x1), y + pane.px(18)});
        x += width + pane.px(16);
    }
    return places;
}

void BoxesView::draw_legend(const Pane& pane) const {
    if (places_.foot.empty()) return;
    const Theme& theme = pane.colors();
    const std::vector<std::string> labels = legend_labels();
    const std::vector<Rect> places = legend_places(pane, places_.foot);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const Rect& place = places[i];
        const float middle = place.center().y;
        const Rect mark{place.x0, middle - pane.px(6), place.x0 + pane.px(16), middle + pane.px(6)};
        const Rect bit = mark.inset(pane.px(2), 0);
        constexpr Fate kFates[] = {Fate::kept, Fate::open, Fate::crossed, Fate::removed};
        if (i < 4) draw_outline(pane, mark, kFates[i], false, false);
        else if (i < 6) fill(pane.brush, bit, i == 4 ? theme.step_vote : theme.warning, pane.px(2));
        else outline(pane.brush, bit, theme.quiet, pane.px(2), pane.px(1.2f));
        text_in(pane.brush, Face::caption, {place.x0 + pane.px(22), place.y0, place.x1, place.y1}, theme.quiet,
                fit_text(pane.look(), Face::caption, labels[i], place.width() - pane.px(21)), Align::left);
    }
}

}  // namespace lanewise::viz
