#include "viz/views/keys_view.hpp"

#include <algorithm>

namespace lanewise::viz {

Intent KeysView::draw(const Pane& pane, const std::vector<std::pair<std::string, std::string>>& keys) const {
    const Theme& colors = pane.colors();
    fill(pane.brush, pane.box, with_alpha(colors.ground, 0.72));
    const float pitch = pane.px(28);
    const float width = pane.px(420);
    const float height = pitch * static_cast<float>(keys.size()) + pane.px(76);
    const Point c = pane.box.center();
    const Rect card{c.x - width / 2, std::max(pane.box.y0, c.y - height / 2), c.x + width / 2, std::min(pane.box.y1, c.y + height / 2)};
    fill(pane.brush, card, colors.panel, pane.px(10));
    outline(pane.brush, card, colors.line, pane.px(10), pane.px(1));
    Rect rest = card.inset(pane.px(24), pane.px(18));
    const Rect head = rest.cut_top(pane.px(28));
    text_in(pane.brush, Face::title, head, colors.strong, "Keys", Align::left);
    text_in(pane.brush, Face::caption, head, colors.quiet, "Esc closes", Align::right);
    rest.cut_top(pane.px(6));
    for (const auto& [key, what] : keys) {
        Rect row = rest.cut_top(pitch);
        const Rect column = row.cut_left(pane.px(130));
        const float cap_width = std::max(text_width(pane.look(), Face::small, key) + pane.px(12), pane.px(22));
        const Rect cap{column.x0, row.center().y - pane.px(10), column.x0 + cap_width, row.center().y + pane.px(10)};
        fill(pane.brush, cap, colors.raised, pane.px(4));
        text_in(pane.brush, Face::small, cap, colors.text, key);
        text_in(pane.brush, Face::body, row, colors.text, what, Align::left);
    }
    return pane.clicked(pane.box) ? Intent{Intent::Kind::keys, 0} : Intent{};
}

void sentence_card(const Pane& pane, const Rect& where, std::string_view title, std::string_view sentence, Color ink) {
    const float width = std::min(where.width() - pane.px(40), pane.px(460));
    const Brush measure{nullptr, pane.look()};
    const float inner = width - pane.px(40);
    const float height = paragraph(measure, Face::body, {}, inner, ink, sentence, 1.5f);
    const Point c = where.center();
    const Rect card{c.x - width / 2, c.y - height / 2 - pane.px(34), c.x + width / 2, c.y + height / 2 + pane.px(24)};
    fill(pane.brush, card, pane.colors().panel, pane.px(10));
    outline(pane.brush, card, pane.colors().line, pane.px(10), pane.px(1));
    text_in(pane.brush, Face::title, {card.x0 + pane.px(20), card.y0 + pane.px(10), card.x1, card.y0 + pane.px(36)}, ink, title, Align::left);
    paragraph(pane.brush, Face::body, {card.x0 + pane.px(20), card.y0 + pane.px(42)}, inner, pane.colors().text, sentence, 1.5f);
}

}  // namespace lanewise::viz
