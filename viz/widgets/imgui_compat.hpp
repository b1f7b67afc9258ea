// ImGui 1.86 to 1.92 behind one spelling. Everything in viz/ includes this instead of imgui.h.
#pragma once

#include <imgui.h>

namespace lanewise::viz {

// 1.92.8 swapped the last two arguments of AddRect and AddPolyline.
inline void stroke_rect(ImDrawList* list, ImVec2 a, ImVec2 b, ImU32 color, float rounding, float thickness) {
#if IMGUI_VERSION_NUM >= 19280
    list->AddRect(a, b, color, rounding, thickness);
#else
    list->AddRect(a, b, color, rounding, 0, thickness);
#endif
}

inline void stroke_path(ImDrawList* list, const ImVec2* points, int count, ImU32 color, float thickness) {
#if IMGUI_VERSION_NUM >= 19280
    list->AddPolyline(points, count, color, thickness);
#else
    list->AddPolyline(points, count, color, 0, thickness);
#endif
}

// 1.92 asks for the size as well.
inline void push_font(ImFont* font, [[maybe_unused]] float pixels) {
#if IMGUI_VERSION_NUM >= 19200
    ImGui::PushFont(font, pixels);
#else
    ImGui::PushFont(font);
#endif
}

// 1.92 bakes glyphs when they are first drawn; before, the atlas is built once and must be given what it will hold.
inline constexpr bool kFontsAreDynamic = IMGUI_VERSION_NUM >= 19200;

}  // namespace lanewise::viz
