#include "viz/widgets/text_field.hpp"

#include <algorithm>
#include <utility>

#include "viz/widgets/screen_canvas.hpp"

namespace lanewise::viz {

void TextField::begin(const std::string& text) {
    replace(text);
    focus_ = true;
    typing_ = false;
}

void TextField::replace(const std::string& text) {
    buffer_.assign(kMost, '\0');
    std::copy_n(text.begin(), std::min(text.size(), kMost - 1), buffer_.begin());
    wanted_ = text.substr(0, kMost - 1);
    replace_ = typing_;
}

bool TextField::draw(const Look& look, const char* id, const Rect& box, bool wrong) {
    if (buffer_.empty()) buffer_.assign(kMost, '\0');
    const Theme& colors = look.colors();
    ScreenCanvas screen(ImGui::GetWindowDrawList());
    const Brush brush{look.canvas ? look.canvas : &screen, look};
    fill(brush, box, colors.ground, look.px(6));
    outline(brush, box, wrong ? colors.warning : colors.accent, look.px(6), look.px(1.4f));
    const Fonts::Cut& cut = (*look.fonts)[Face::code];
    push_font(cut.font, cut.pixels);
    ImGui::PushStyleColor(ImGuiCol_FrameBg, ImU32{0});
    ImGui::PushStyleColor(ImGuiCol_Text, colors.strong);
    ImGui::PushStyleColor(ImGuiCol_TextSelectedBg, with_alpha(colors.accent, 0.4));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(look.px(8), (box.height() - cut.pixels) / 2));
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0.0f);
    ImGui::SetCursorScreenPos({box.x0, box.y0});
    ImGui::SetNextItemWidth(box.width());
    if (focus_) ImGui::SetKeyboardFocusHere();
    const auto callback = [](ImGuiInputTextCallbackData* data) {
        auto& self = *static_cast<TextField*>(data->UserData);
        if (!std::exchange(self.replace_, false)) return 0;
        data->DeleteChars(0, data->BufTextLen);
        data->InsertChars(0, self.wanted_.c_str());
        return 0;
    };
    const bool entered = ImGui::InputText(id, buffer_.data(), buffer_.size(),
                                          ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll |
                                              ImGuiInputTextFlags_CallbackAlways,
                                          callback, this);
    typing_ = ImGui::IsItemActive();
    if (typing_) focus_ = false;
    if (entered) focus_ = true;   // what is wrong is typed again
    ImGui::PopStyleVar(2);
    ImGui::PopStyleColor(3);
    ImGui::PopFont();
    return entered;
}

}  // namespace lanewise::viz
