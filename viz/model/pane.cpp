#include "viz/model/pane.hpp"

#include <algorithm>
#include <vector>

namespace lanewise::viz {

Pane::Pane(const Look& look, const char* id, const Rect& where, Color ground, Scroll scroll)
    : box(where), screen_(nullptr) {
    ImGui::SetCursorScreenPos({where.x0, where.y0});
    ImGuiWindowFlags flags = ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                             ImGuiWindowFlags_NoBackground;
    if (scroll == Scroll::none) flags |= ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
    ImGui::BeginChild(id, {std::max(where.width(), 1.0f), std::max(where.height(), 1.0f)}, false, flags);
    screen_ = ScreenCanvas(ImGui::GetWindowDrawList());
    brush = {look.canvas ? look.canvas : &screen_, look};
    if (look.canvas) look.canvas->push_clip(where);   // as a child window does on the screen
    scrolled = ImGui::GetScrollY();
    if (ground) fill(brush, where, ground);
}

Pane::~Pane() {
    if (brush.look.canvas) brush.look.canvas->pop_clip();
    ImGui::EndChild();
}

bool Pane::hovers(const Rect& where) const {
    return ImGui::IsWindowHovered() && where.contains(pointer()) && box.contains(pointer());
}

bool Pane::clicked(const Rect& where) const { return hovers(where) && ImGui::IsMouseClicked(ImGuiMouseButton_Left); }

bool Pane::button(const Rect& where) const {
    ButtonsByKey* keyed = look().buttons;
    if (keyed && where.overlaps(box) && keyed->is_chosen()) {
        outline(brush, where.inset(-px(1)), colors().focus, px(4), px(2));
        if (keyed->pressed()) return true;
    }
    if (!hovers(where)) return false;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    return ImGui::IsMouseClicked(ImGuiMouseButton_Left);
}

Point Pane::pointer() const {
    const ImVec2 at = ImGui::GetIO().MousePos;
    return {at.x, at.y};
}

float Pane::wheel() const { return hovers() ? ImGui::GetIO().MouseWheel : 0; }

void Pane::content_height(float height) const {
    ImGui::SetCursorScreenPos({box.x0, box.y0 - scrolled});
    ImGui::Dummy({1, std::max(height, 1.0f)});
}

void Pane::keep_in_sight(float y0, float y1) const {
    const float margin = box.height() * 0.2f;
    if (y0 - margin < scrolled) ImGui::SetScrollY(std::max(0.0f, y0 - margin));
    else if (y1 + margin > scrolled + box.height()) ImGui::SetScrollY(y1 + margin - box.height());
}

void Pane::turn(int pages) const {
    const float page = std::max(box.height() - px(48), box.height() * 0.5f);
    ImGui::SetScrollY(std::clamp(scrolled + page * static_cast<float>(pages), 0.0f, ImGui::GetScrollMaxY()));
}

void raised_card(const Brush& brush, const Rect& box) {
    const Theme& colors = brush.colors();
    const float rounding = brush.px(10);
    for (const float reach : {14.0f, 9.0f, 5.0f, 2.0f}) {
        const float d = brush.px(reach);
        fill(brush, box.inset(-d).moved(0, brush.px(3)), with_alpha(rgb(0x000000), colors.dark ? 0.10 : 0.035),
             rounding + d);
    }
    fill(brush, box, colors.panel, rounding);
    outline(brush, box, colors.line, rounding, brush.px(1));
}

void hint_card(const Look& look, std::string_view text) {
    const ImVec2 at = ImGui::GetIO().MousePos;
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    ScreenCanvas screen(ImGui::GetForegroundDrawList());
    const Brush brush{&screen, look};
    std::vector<std::string_view> lines;
    for (std::string_view rest = text; lines.empty() || !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        lines.push_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    float width = 0;
    for (const std::string_view line : lines) width = std::max(width, text_width(look, Face::caption, line));
    width += look.px(16);
    const float pitch = look.px(16);
    const float height = look.px(8) + pitch * static_cast<float>(lines.size());
    const float x = std::clamp(at.x + look.px(10), 0.0f, std::max(0.0f, display.x - width - look.px(4)));
    const float y = at.y + look.px(20) + height < display.y ? at.y + look.px(20) : at.y - height - look.px(8);
    const Rect card{x, y, x + width, y + height};
    fill(brush, card, look.colors().raised, look.px(5));
    outline(brush, card, look.colors().line, look.px(5), look.px(1));
    Rect line{card.x0 + look.px(8), card.y0 + look.px(4), card.x1, card.y0 + look.px(4) + pitch};
    for (const std::string_view each : lines) {
        text_in(brush, Face::caption, line, look.colors().text, each, Align::left);
        line = line.moved(0, pitch);
    }
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
    text_in(pane.brush, Face::title, {card.x0 + pane.px(20), card.y0 + pane.px(10), card.x1, card.y0 + pane.px(36)},
            ink, title, Align::left);
    paragraph(pane.brush, Face::body, {card.x0 + pane.px(20), card.y0 + pane.px(42)}, inner, pane.colors().text,
              sentence, 1.5f);
}

}  // namespace lanewise::viz
