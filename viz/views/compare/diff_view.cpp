#include "viz/views/compare/diff_view.hpp"

#include <algorithm>

#include "viz/widgets/code_text.hpp"

namespace lanewise::viz {
namespace {

int line_of(const DiffView::Side& side) {
    const auto& steps = side.run_view->outline.steps;
    return side.step < steps.size() ? steps[side.step].line : 0;
}

// Which of the two a colour belongs to; the sign before the line says it, too.
Color color_of(const Theme& colors, std::size_t side) { return side == 0 ? colors.step_access : colors.step_atomic; }
const char* sign_of(std::size_t side) { return side == 0 ? "-" : "+"; }

}  // namespace

void DiffView::look(const Sides& sides) {
    if (of_[0] == sides[0].run_view->run && of_[1] == sides[1].run_view->run) return;
    for (std::size_t s = 0; s < 2; ++s) of_[s] = sides[s].run_view->run;
    lines_ = scene::source_diff(*of_[0], *of_[1]);
    shown_ = {-1, -1};
}

void DiffView::draw_title(const Pane& pane, const Rect& where, const Sides& sides) {
    look(sides);
    const Theme& colors = pane.colors();
    Rect rest = where.inset(pane.px(16), 0);
    const auto differing = std::count_if(lines_.begin(), lines_.end(), [](const DiffLine& l) { return l.differs(); });
    const std::string summary = differing == 0 ? "the same source" : std::to_string(differing) + " lines differ";
    float names = 0;
    for (std::size_t s = 0; s < 2; ++s)
        names += text_width(pane.look(), Face::code, std::string(sign_of(s)) + " " + sides[s].title) + pane.px(16);
    if (names + text_width(pane.look(), Face::caption, summary) < rest.width())
        text_in(pane.brush, Face::caption, rest, colors.quiet, summary, Align::right);
    for (std::size_t s = 0; s < 2; ++s) {
        const std::string name = std::string(sign_of(s)) + " " + sides[s].title;
        const float room = s == 0 && names > rest.width() ? rest.width() * 0.5f - pane.px(8) : rest.width();
        const std::string text = fit_text(pane.look(), Face::code, name, room);
        text_in(pane.brush, Face::code, rest, color_of(colors, s), text, Align::left);
        rest.cut_left(text_width(pane.look(), Face::code, text) + pane.px(16));
    }
    if (pane.hovers(where)) hint_card(pane.look(), summary);
}

DiffView::Asked DiffView::draw(const Pane& pane, const Sides& sides, Selection& selection) {
    look(sides);
    Asked asked;
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    const float digit = (*pane.look().fonts)[Face::code].digit, pitch = pane.px(18);
    const float left = pane.px(10) + digit * 2.2f;
    const int columns = static_cast<int>((pane.box.width() - left - pane.px(12)) / digit);
    const std::array<int, 2> lit{line_of(sides[0]), line_of(sides[1])};
    std::array<std::vector<int>, 2> belonging;
    for (std::size_t s = 0; s < 2; ++s) belonging[s] = belonging_[s].of(*sides[s].run_view, selection);
    float y = pane.px(2), lit_y0 = -1, lit_y1 = -1;
    int last_left = 0, last_right = 0;
    for (const DiffLine& line : lines_) {
        // Another function begins: lines between were left out.
        if ((line.left != 0 && last_left != 0 && line.left > last_left + 1) ||
            (line.right != 0 && last_right != 0 && line.right > last_right + 1))
            y += pitch * 0.6f;
        if (line.left != 0) last_left = line.left;
        if (line.right != 0) last_right = line.right;
        const auto pieces = wrap_code(line.code.text, columns);
        const float height = pitch * static_cast<float>(pieces.size());
        const float top = pane.box.y0 + y - pane.scrolled;
        const Rect row{pane.box.x0, top, pane.box.x1, top + height};
        const std::array<int, 2> numbers{line.left, line.right};
        bool runs = false, belongs = false, pointed = false;
        for (std::size_t s = 0; s < 2; ++s) {
            runs |= numbers[s] != 0 && numbers[s] == lit[s];
            belongs |= numbers[s] != 0 && std::binary_search(belonging[s].begin(), belonging[s].end(), numbers[s]);
            pointed |= numbers[s] != 0 && selection.now.line == numbers[s];
        }
        if (runs) {
            if (lit_y0 < 0) lit_y0 = y;
            lit_y1 = y + height;
        }
        y += height;
        if (!row.overlaps(pane.box)) continue;
        const bool hovered = pane.hovers(row);
        const std::size_t only = line.left == 0 ? 1 : 0;
        const Color ground = line.differs() ? mix(colors.panel, color_of(colors, only), 0.14) : colors.panel;
        if (runs) fill(brush, row, line.differs() ? mix(ground, colors.accent, 0.2) : colors.accent_ground);
        else if (hovered || pointed || belongs) fill(brush, row, mix(ground, colors.raised, 0.6));
        else if (line.differs()) fill(brush, row, ground);
        if (line.differs())
            text_in(brush, Face::code, {row.x0 + pane.px(6), top, row.x0 + left, top + pitch},
                    color_of(colors, only), sign_of(only), Align::left);
        // Whose line it is: a bar at the left edge for one, at the right for the other, both where both do.
        for (std::size_t s = 0; s < 2; ++s) {
            if (numbers[s] == 0 || (numbers[s] != lit[s])) continue;
            const float x = s == 0 ? row.x0 : row.x1 - pane.px(4);
            fill(brush, {x, row.y0, x + pane.px(4), row.y1}, color_of(colors, s));
        }
        const float baseline = (pitch - line_height(pane.look(), Face::code)) / 2;
        for (std::size_t p = 0; p < pieces.size(); ++p)
            code_piece(brush, Face::code, {row.x0 + left, top + baseline + pitch * static_cast<float>(p)}, line.code,
                       pieces[p]);
        if (!hovered) continue;
        selection.next.line = line.left != 0 ? line.left : line.right;
        for (std::size_t s = 0; s < 2 && asked.step == kNoStep; ++s) {
            const auto& steps = sides[s].run_view->outline.steps;
            for (std::size_t k = 1; k <= steps.size() && numbers[s] != 0; ++k) {
                const std::size_t step =
                    ((sides[s].step == kNoStep ? steps.size() - 1 : sides[s].step) + k) % steps.size();
                if (steps[step].line != numbers[s]) continue;
                if (pane.button(row)) asked = {s, step};
                break;
            }
        }
    }
    pane.content_height(y + pane.px(10));
    if (lit_y0 >= 0 && lit != shown_) {
        pane.keep_in_sight(lit_y0, std::max(lit_y0, std::min(lit_y1, lit_y0 + pane.box.height())));
        shown_ = lit;
    }
    return asked;
}

}  // namespace lanewise::viz
