#include "viz/views/boxes/boxes_view.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lanewise::viz {
namespace {

constexpr float kLargestCell = 30, kSmallestCell = 3, kSmallestLow = 1.5f;
constexpr float kLow = 240;
constexpr float kQuestion = 66, kLeastWithQuestion = 250;   // below boxes and bits, in a pane with that much room
constexpr float kLeading = 1.1f;

}  // namespace

void BoxesView::look_at(const RunView& run_view) {
    if (boxes_ == run_view.boxes) return;
    boxes_ = run_view.boxes;
    answers_.clear();
}

void BoxesView::find_texts(std::size_t step) {
    caption_ = suppression_caption(*boxes_, step);
    if (caption_.empty()) caption_ = "This step changes no box and no bit.";
    open_ = open_question(*boxes_, step);
    answer_.clear();
    just_answered_ = false;
    const ChainQuestion* const last = last_answered(*boxes_, step);
    if (!last) return;
    const auto given = answers_.find(last->c);
    just_answered_ = given != answers_.end() && last->answered == step;
    const char* const verdict =
        given == answers_.end() ? "" : given->second == last->lives ? "Right. " : "Not so. ";
    answer_ = verdict + last->answer;
}

// Planes and matrices are square by nature: next to each other in a wide pane, one over the other in a tall one.
void BoxesView::lay_out(const Pane& pane) {
    const std::size_t n = boxes_->boxes.size();
    const Look& look = pane.look();
    Rect rest = pane.box.inset(pane.px(compact ? 8 : 16), pane.px(compact ? 4 : 8));
    BoxesPlaces& to = places_;
    // In a low pane the boxes and bits come first: colours are explained under the pointer.
    low = !compact && rest.height() < pane.px(kLow);
    const bool few = compact || low;
    to.foot = {};
    if (!few) to.foot = rest.cut_bottom(legend_places(pane, rest).back().y1 - rest.y0 + pane.px(3));
    const float texts = pane.px(few ? 38 : 68);
    const bool below =
        !boxes_->questions.empty() && rest.height() - texts > pane.px(compact ? 420 : kLeastWithQuestion);
    // Without room below, an open question takes the place of the counts, and an answer that of the caption.
    const bool in_heading = !below && !compact && open_;
    if (!below && !just_answered_) answer_.clear();
    const std::string& said = !below && !compact && just_answered_ ? answer_ : caption_;
    to.heading = in_heading ? Rect{} : rest.cut_top(pane.px(few ? 20 : 28));
    to.question = {};
    if (in_heading) {
        to.question = rest.cut_top(pane.px(36));
    }
    const Face face = few ? Face::caption : Face::body;
    const float line = line_height(look, face) * kLeading;
    const std::size_t least = compact ? 1 : 2, most = compact ? 1 : low ? 3 : 4;
    caption_lines_ = fit_lines(look, face, said, rest.width(), most);
    to.caption = rest.cut_top(static_cast<float>(std::max(least, caption_lines_.size())) * line + pane.px(2));
    if (below) to.question = rest.cut_bottom(pane.px(kQuestion));
    rest.cut_top(pane.px(low ? 2 : 4));
    rest.cut_bottom(pane.px(low ? 2 : 6));
    fates_ = text_width(look, Face::caption, "suppressed by " + boxes_->boxes.back().name) + pane.px(12);

    const float names = text_width(pane.look(), Face::small, boxes_->boxes.back().name) + pane.px(18);
    const float head = pane.px(low ? 14 : 16), foot = pane.px(low ? 6 : 8);   // names of columns; before the row of suppressed bits
    const auto cell_in = [&](float width, float height) {
        const auto across = static_cast<float>(n);
        return std::min({(width - names - fates_) / across, (height - head - foot) / (across + 1),
                         pane.px(kLargestCell)});
    };
    const bool wide = rest.width() > rest.height() * 1.15f;
    if (wide) {
        // As much as the matrix can use, but no more than three fifths.
        const float most = rest.width() * 0.6f;
        const float cell = cell_in(most, rest.height());
        const float width =
            std::clamp(cell * static_cast<float>(n) + names + fates_, rest.width() * 0.4f, most);
        to.matrix = rest.cut_right(width);
        rest.cut_right(pane.px(14));
    } else {
        const float most = rest.height() * 0.58f;
        const float cell = cell_in(rest.width(), most);
        to.matrix =
            rest.cut_bottom(std::clamp(cell * static_cast<float>(n + 1) + head + foot, rest.height() * 0.4f, most));
        rest.cut_bottom(pane.px(10));
    }
    to.plane = rest;

    to.names = names;
    to.cell = cell_in(to.matrix.width(), to.matrix.height());
    to.count = n;
    to.first = 0;
    if (to.cell < pane.px(low ? kSmallestLow : kSmallestCell)) {
        // Not all have room: those around the row that decides.
        to.cell = 2 * pane.px(kSmallestCell);
        const float room = std::min(to.matrix.width() - names - fates_, to.matrix.height() - head - foot);
        to.count = std::min(n, static_cast<std::size_t>(std::max(2.0f, room / to.cell - 1)));
    }
    to.cells = {to.matrix.x0 + names, to.matrix.y0 + head, 0, 0};
    to.cells.x1 = to.cells.x0 + to.cell * static_cast<float>(to.count);
    to.cells.y1 = to.cells.y0 + to.cell * static_cast<float>(to.count);

    float x0 = std::numeric_limits<float>::max(), y0 = x0, x1 = -x0, y1 = -x0;
    for (const RankedBox& box : boxes_->boxes) {
        if (!box.has_corners || !std::isfinite(box.x1 + box.y1 + box.x2 + box.y2)) continue;
        x0 = std::min({x0, box.x1, box.x2});
        x1 = std::max({x1, box.x1, box.x2});
        y0 = std::min({y0, box.y1, box.y2});
        y1 = std::max({y1, box.y1, box.y2});
    }
    if (x0 > x1) x0 = x1 = y0 = y1 = 0;
    const Rect inner = to.plane.inset(pane.px(4));
    to.scale = std::min({inner.width() / std::max(x1 - x0, 1e-6f), inner.height() / std::max(y1 - y0, 1e-6f),
                         pane.px(8)});
    to.origin = {inner.center().x - (x0 + x1) / 2 * to.scale, inner.center().y - (y0 + y1) / 2 * to.scale};
}

// The first row that acts in this step; else the last whose turn has come.
std::size_t BoxesView::turn_in_sight(std::size_t step) const {
    std::size_t last = 0;
    for (std::size_t row = 0; row < boxes_->boxes.size(); ++row) {
        const RankedBox& box = boxes_->boxes[row];
        if (box.turn == step || box.read == step) return row;
        if (box.turn != kNoStep && box.turn < step) last = row;
    }
    return last;
}

// A few rows that act in a step stand out. Where all do at once, the one of the warp that is looked at.
bool BoxesView::stands_out(std::size_t row, std::size_t step, const Selection& selection) const {
    const RankedBox& box = boxes_->boxes[row];
    if (box.turn == step || box.read == step) return true;
    return box.worker == selection.warp && boxes_->acts(row, step);
}

// What is under the pointer: the smallest box there, or a row, a column, a bit.
void BoxesView::point(const Pane& pane, std::size_t step) {
    pointed_ = pointed_column_ = -1;
    const Point at = pane.pointer();
    const auto n = boxes_->boxes.size();
    const BoxesPlaces& p = places_;
    if (pane.hovers(p.plane)) {
        float least = std::numeric_limits<float>::max();
        for (std::size_t box = 0; box < n; ++box) {
            if (!boxes_->boxes[box].has_corners || boxes_->fate(box, step) == Fate::unplaced) continue;
            const Rect place = p.box(boxes_->boxes[box]);
            if (!place.contains(at) || place.width() * place.height() >= least) continue;
            least = place.width() * place.height();
            pointed_ = static_cast<int>(box);
        }
    }
    const Rect rows{p.matrix.x0, p.cells.y0, p.matrix.x1, p.cells.y1};
    const Rect columns{p.cells.x0, p.matrix.y0, p.cells.x1, p.matrix.y1};
    const auto row_at = [&] { return p.first + static_cast<std::size_t>((at.y - p.cells.y0) / p.cell); };
    const auto column_at = [&] { return p.first + static_cast<std::size_t>((at.x - p.cells.x0) / p.cell); };
    if (pane.hovers(rows)) {
        pointed_ = static_cast<int>(std::min(row_at(), n - 1));
        if (columns.contains(at)) pointed_column_ = static_cast<int>(std::min(column_at(), n - 1));
    } else if (pane.hovers(columns)) {
        pointed_ = static_cast<int>(std::min(column_at(), n - 1));
    }
    if (pointed_ < 0) return;
    const auto row = static_cast<std::size_t>(pointed_);
    const bool bit = pointed_column_ > pointed_;
    hint_card(pane.look(), bit ? pair_text(*boxes_, row, static_cast<std::size_t>(pointed_column_), step) + "\n" +
                                     box_text(*boxes_, row, step) + "\n" +
                                     box_text(*boxes_, static_cast<std::size_t>(pointed_column_), step)
                               : box_text(*boxes_, row, step));
}

Intent BoxesView::draw(const Pane& pane, const RunView& run_view, const Playhead& playhead, Selection& selection) {
    look_at(run_view);
    yes_ = no_ = {};
    pointed_ = -1;
    caption_.clear();
    answer_.clear();
    open_ = nullptr;
    places_ = {};
    if (boxes_->empty()) {
        sentence_card(pane, pane.box, "No boxes", boxes_->why_none, pane.colors().text);
        return {};
    }
    const std::size_t step = playhead.step;
    find_texts(step);
    lay_out(pane);
    if (places_.count < boxes_->boxes.size()) {
        const std::size_t row = turn_in_sight(step), last = boxes_->boxes.size() - places_.count;
        places_.first = std::min(last, row > places_.count / 4 ? row - places_.count / 4 : 0);
    }
    point(pane, step);
    Intent intent;
    draw_heading(pane, step);
    draw_plane(pane, step, selection);
    draw_matrix(pane, step, selection);
    if (const Intent asked = places_.heading.empty() ? draw_low_question(pane) : draw_question(pane)) intent = asked;
    draw_legend(pane);
    if (pointed_ < 0) return intent;
    const RankedBox& box = boxes_->boxes[static_cast<std::size_t>(pointed_)];
    const std::size_t decided = box.turn != kNoStep ? box.turn : box.stored;
    if (decided != kNoStep && (pane.button(places_.plane) || pane.button(places_.matrix)))
        intent = {Intent::Kind::go_to, decided};
    return intent;
}

void BoxesView::draw_heading(const Pane& pane, std::size_t step) const {
    const Theme& theme = pane.colors();
    const Look& look = pane.look();
    const Face face = compact || low ? Face::caption : Face::body;
    if (Rect line = places_.heading; !line.empty()) {
        std::string counts = suppression_counts(*boxes_, step);
        if (!boxes_->note.empty()) counts += " · " + boxes_->note;
        if (!compact) {
            const std::string title = "Boxes and the matrix of bits";
            const float width = text_width(look, Face::title, title) + pane.px(14);
            if (width + text_width(look, Face::body, counts) < line.width()) {
                text_in(pane.brush, Face::title, line, theme.strong, title, Align::left);
                line.cut_left(width);
            }
        }
        text_in(pane.brush, face, line, theme.quiet, fit_text(look, face, counts, line.width()), Align::left);
    }
    float y = places_.caption.y0;
    for (const std::string& each : caption_lines_) {
        text(pane.brush, face, {places_.caption.x0, y}, theme.text, each);
        y += line_height(look, face) * kLeading;
    }
}

Rect BoxesView::draw_button(const Pane& pane, Rect& line, const char* name) const {
    const Theme& theme = pane.colors();
    const Rect place =
        line.cut_right(text_width(pane.look(), Face::body, name) + pane.px(24)).inset(0, pane.px(1));
    line.cut_right(pane.px(8));
    fill(pane.brush, place, pane.hovers(place) ? theme.accent_ground : theme.raised, pane.px(5));
    text_in(pane.brush, Face::body, place, theme.strong, name);
    return place;
}

Intent BoxesView::answered(const Pane& pane) {
    for (const bool lives : {true, false})
        if (pane.button(lives ? yes_ : no_)) {
            answers_[open_->c] = lives;
            return {Intent::Kind::go_to, open_->answered};
        }
    return {};
}

// In place of the counts: the question next to its buttons.
Intent BoxesView::draw_low_question(const Pane& pane) {
    const Look& look = pane.look();
    fill(pane.brush, places_.question, pane.colors().panel, pane.px(6));
    Rect card = places_.question.inset(pane.px(10), pane.px(2));
    Rect line{card.x0, card.center().y - pane.px(13), card.x1, card.center().y + pane.px(13)};
    no_ = draw_button(pane, line, "No");
    yes_ = draw_button(pane, line, "Yes");
    const float height = line_height(look, Face::caption) * kLeading;
    const auto lines = fit_lines(look, Face::caption, "Predict: " + open_->text, line.width(),
                                 std::max<std::size_t>(static_cast<std::size_t>(card.height() / height), 1));
    float y = card.center().y - height * static_cast<float>(lines.size()) / 2;
    for (const std::string& each : lines) {
        text(pane.brush, Face::caption, {card.x0, y}, pane.colors().strong, each);
        y += height;
    }
    return answered(pane);
}

Intent BoxesView::draw_question(const Pane& pane) {
    Intent intent;
    if (places_.question.empty() || (!open_ && answer_.empty())) return intent;
    const Theme& theme = pane.colors();
    const Look& look = pane.look();
    fill(pane.brush, places_.question, theme.panel, pane.px(6));
    Rect card = places_.question.inset(pane.px(12), pane.px(6));
    if (open_) {
        Rect line = card.cut_top(pane.px(24));
        text_in(pane.brush, Face::strong, line, theme.accent, "Predict", Align::left);
        line.cut_left(text_width(look, Face::strong, "Predict") + pane.px(12));
        no_ = draw_button(pane, line, "No");
        yes_ = draw_button(pane, line, "Yes");
        const std::vector<std::string> lines = fit_lines(look, Face::body, open_->text, line.width(), 2);
        for (std::size_t i = 0; i < lines.size(); ++i)
            text_in(pane.brush, Face::body, line.moved(0, static_cast<float>(i) * pane.px(17)), theme.strong, lines[i],
                    Align::left);
        if (lines.size() > 1) card.cut_top(pane.px(14));
        intent = answered(pane);
    }
    float y = card.y0 + pane.px(2);
    const auto room = static_cast<std::size_t>(card.height() / (line_height(look, Face::caption) * kLeading));
    for (const std::string& each :
         fit_lines(look, Face::caption, answer_, card.width(), std::max<std::size_t>(room, 1))) {
        text(pane.brush, Face::caption, {card.x0, y}, theme.text, each);
        y += line_height(look, Face::caption) * kLeading;
    }
    return intent;
}

}  // namespace lanewise::viz
