#include "viz/views/shell/glossary_view.hpp"

#include <algorithm>

namespace lanewise::viz {
namespace {

// Name, sentence and source, from `at` down; returns the height. Draws nothing where brush.canvas is null.
float draw_term(const Brush& brush, Point at, float width, const player::Term& term) {
    const Theme& colors = brush.colors();
    if (brush.canvas) text(brush, Face::strong, at, colors.accent, term.name);
    float y = at.y + brush.px(20);
    y += paragraph(brush, Face::body, {at.x, y}, width, colors.text, term.sentence, 1.4f);
    y += paragraph(brush, Face::caption, {at.x, y + brush.px(1)}, width, colors.quiet, "Source: " + term.source, 1.3f);
    return y + brush.px(3) - at.y;
}

}  // namespace

void GlossaryView::show(std::string what, std::vector<const player::Term*> terms) {
    title = std::move(what);
    first = std::move(terms);
    open = top_ = true;
    by_ = 0;
}

bool GlossaryView::press(Key key) {
    switch (key) {
        case Key::down: by_ = 0.2f; return true;
        case Key::up: by_ = -0.2f; return true;
        case Key::page_down: by_ = 0.9f; return true;
        case Key::page_up: by_ = -0.9f; return true;
        default: return false;
    }
}

Intent GlossaryView::draw(const Look& look, const Rect& window, const player::Glossary& glossary) {
    const Theme& colors = look.colors();
    Rect card = window;
    {
        const Pane ground(look, "glossary ground", window);
        fill(ground.brush, window, with_alpha(colors.ground, 0.72));
        const float width = std::min(look.px(620), window.width() - look.px(24));
        const float height = std::min(look.px(560), window.height() - look.px(24));
        const Point c = window.center();
        card = {c.x - width / 2, c.y - height / 2, c.x + width / 2, c.y + height / 2};
        raised_card(ground.brush, card);
        if (ground.clicked(window) && !card.contains(ground.pointer())) return {Intent::Kind::close, 0};
    }
    Rect rest = card.inset(look.px(20), look.px(12));
    const Rect head = rest.cut_top(look.px(30));
    {
        const Pane pane(look, "glossary head", head);
        text_in(pane.brush, Face::title, head, colors.strong,
                fit_text(look, Face::title, title, head.width() - look.px(120)), Align::left);
        text_in(pane.brush, Face::caption, head, colors.quiet, "↑ ↓ scroll · Esc closes", Align::right);
    }
    const Pane pane(look, "glossary terms", rest, 0, Pane::Scroll::vertical);
    float y = rest.y0 - pane.scrolled + look.px(6);
    const float top = y, width = rest.width() - look.px(16);
    const auto put = [&](const player::Term& term) {
        y += draw_term(pane.brush, {rest.x0, y}, width, term) + look.px(10);
    };
    for (const player::Term* term : first) put(*term);
    text_in(pane.brush, Face::caption, {rest.x0, y, rest.x1, y + look.px(22)}, colors.quiet, "All other terms",
            Align::left);
    hairline(pane.brush, {rest.x0, y}, {rest.x0 + width, y}, colors.line);
    y += look.px(26);
    for (const player::Term& term : glossary.terms())
        if (std::find(first.begin(), first.end(), &term) == first.end()) put(term);
    pane.content_height(y - top);
    if (top_) ImGui::SetScrollY(0);
    else if (by_ != 0)
        ImGui::SetScrollY(
            std::clamp(pane.scrolled + by_ * rest.height(), 0.0f, std::max(ImGui::GetScrollMaxY(), 0.0f)));
    top_ = false;
    by_ = 0;
    return {};
}

void term_card(const Look& look, const player::Term& term) {
    const ImVec2 at = ImGui::GetIO().MousePos, display = ImGui::GetIO().DisplaySize;
    ScreenCanvas screen(ImGui::GetForegroundDrawList());
    const Brush brush{look.canvas ? look.canvas : &screen, look}, measure{nullptr, look};
    const float width = std::min(look.px(360), display.x - look.px(16)), inner = width - look.px(24);
    const float height = draw_term(measure, {}, inner, term) + look.px(18);
    const float x = std::clamp(at.x + look.px(10), look.px(4), std::max(look.px(4), display.x - width - look.px(4)));
    const float below = at.y + look.px(22);
    const float y = below + height < display.y ? below : std::max(look.px(4), at.y - height - look.px(8));
    const Rect card{x, y, x + width, y + height};
    fill(brush, card, look.colors().raised, look.px(6));
    outline(brush, card, look.colors().line, look.px(6), look.px(1));
    draw_term(brush, {x + look.px(12), y + look.px(9)}, inner, term);
}

}  // namespace lanewise::viz
