#include "viz/app/splitters.hpp"

#include <array>

namespace lanewise::viz {

bool Splitters::draw(const Look& look, Edge edge, const Rect& line, const Rect& body, const Places& places,
                     Panels& panels) {
    static constexpr std::array kIds = {"edge of text", "edge of side", "edge of timeline", "edge of source"};
    const bool upright = line.width() < line.height();
    const float reach = look.px(4);
    const Rect strip = upright ? line.inset(-reach, 0) : line.inset(0, -reach);
    if (strip.width() < 1 || strip.height() < 1) return false;
    const Pane pane(look, kIds[static_cast<std::size_t>(edge)], strip);
    // An item of ImGui's own: while it is held, nothing under the pointer reacts.
    ImGui::SetCursorScreenPos({strip.x0, strip.y0});
    ImGui::InvisibleButton("grip", {strip.width(), strip.height()});
    const bool held = ImGui::IsItemActive();
    const bool hovered = ImGui::IsItemHovered();
    const Point pointer = pane.pointer();
    const float along = upright ? pointer.x - line.x0 : pointer.y - line.y0;
    if (ImGui::IsItemActivated()) {
        dragged_ = edge;
        grabbed_at_ = along;
    }
    const bool lit = held || hovered;
    if (lit) ImGui::SetMouseCursor(upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    const float half = lit ? look.px(held ? 1.5f : 1) : 0.5f;
    const Point c = line.center();
    fill(pane.brush,
         upright ? Rect{c.x - half, strip.y0, c.x + half, strip.y1} : Rect{strip.x0, c.y - half, strip.x1, c.y + half},
         lit ? look.colors().accent : look.colors().line);
    if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
        panels.of(edge) = 0;
        dragged_.reset();
        return true;
    }
    if (!held) {
        if (dragged_ == edge) dragged_.reset();
        return false;
    }
    if (dragged_ != edge || std::abs(along - grabbed_at_) < 0.5f) return false;
    const Point at = upright ? Point{pointer.x - grabbed_at_, pointer.y} : Point{pointer.x, pointer.y - grabbed_at_};
    panels.of(edge) = size_when_dragged(edge, at, body, places, look.scale);
    return true;
}

}  // namespace lanewise::viz
