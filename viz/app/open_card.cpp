#include "viz/app/open_card.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lanewise::viz {
namespace {

constexpr int kRows = 9;

std::string folder_of(const std::string& file) {
    const std::size_t slash = file.rfind('/');
    return slash == std::string::npos ? "" : file.substr(0, slash + 1);
}

}  // namespace

// The field's letters have 16 bits where ImGui's have: those with more are in it as letters for private use, by their
// place in far_, and nothing of a path is lost.
std::string OpenCard::for_field(std::string_view text) {
    if (!has_far_letters(text)) return std::string(text);
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        if (static_cast<unsigned char>(text[i]) < 0xf0u) {
            out += text[i++];
            continue;
        }
        const std::string letter(text.substr(i, 4));
        i += letter.size();
        auto at = std::find(far_.begin(), far_.end(), letter);
        if (at == far_.end()) at = far_.insert(far_.end(), letter);
        const auto place = static_cast<unsigned>(at - far_.begin()) & 0xfffu;
        out +=
            {static_cast<char>(0xee), static_cast<char>(0x80u | place >> 6), static_cast<char>(0x80u | (place & 63u))};
    }
    return out;
}

std::string OpenCard::from_field(std::string_view text) const {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const bool ours = static_cast<unsigned char>(text[i]) == 0xeeu && i + 2 < text.size();
        const std::size_t place = ours ? (static_cast<unsigned char>(text[i + 1]) & 63u) << 6 |
                                             (static_cast<unsigned char>(text[i + 2]) & 63u)
                                       : 0;
        if (!ours || place >= far_.size()) {
            out += text[i++];
            continue;
        }
        out += far_[place];
        i += 3;
    }
    return out;
}

void OpenCard::open(const std::vector<std::string>& recent) {
    open_ = focus_ = true;
    recent_ = recent;
    type(recent.empty() ? "" : folder_of(recent.front()));
}

void OpenCard::type(const std::string& text) {
    typed_ = text.substr(0, buffer_.size() - 1);
    const std::string field = for_field(typed_);
    std::memcpy(buffer_.data(), field.c_str(), field.size() + 1);
    replace_ = true;
    look_up();
}

void OpenCard::look_up() {
    choices_ = path_choices(typed_);
    chosen_ = -1;
}

void OpenCard::take(const PathChoice& choice) {
    if (choice.folder) {
        type(choice.path);
        focus_ = true;
        return;
    }
    taken_ = expanded(choice.path);
    close();
}

void OpenCard::press(Key key) {
    switch (key) {
        case Key::escape: close(); break;
        case Key::tab:
            if (chosen_ >= 0) type(choices_[static_cast<std::size_t>(chosen_)].path);
            else type(completed(typed_, choices_));
            break;
        case Key::down: chosen_ = std::min(chosen_ + 1, static_cast<int>(choices_.size()) - 1); break;
        case Key::up: chosen_ = std::max(chosen_ - 1, -1); break;
        case Key::enter:
            if (chosen_ >= 0) take(choices_[static_cast<std::size_t>(chosen_)]);
            else if (!typed_.empty()) take({typed_, typed_, typed_.ends_with('/')});
            break;
        default: break;
    }
}

std::string OpenCard::taken() { return std::exchange(taken_, {}); }

void OpenCard::draw(const Look& look, const Rect& window) {
    if (!open_) return;
    const Theme& colors = look.colors();
    const Pane pane(look, "open card", window);
    fill(pane.brush, window, with_alpha(colors.ground, 0.6));
    const float width = std::min(look.px(640), window.width() - look.px(32));
    const float height = std::min(look.px(158) + look.px(28) * kRows, window.height() - look.px(24));
    const float x = window.center().x - width / 2;
    const float y = window.y0 + std::min(look.px(90), (window.height() - height) / 2);
    const Rect card{x, y, x + width, y + height};
    raised_card(pane.brush, card);
    Rect rest = card.inset(look.px(22), look.px(16));
    const Rect head = rest.cut_top(look.px(28));
    text_in(pane.brush, Face::title, head, colors.strong, "Open a trace", Align::left);
    text_in(pane.brush, Face::caption, head, colors.quiet, "Tab completes · Enter opens · Esc closes", Align::right);
    rest.cut_top(look.px(8));

    const Rect field = rest.cut_top(look.px(34));
    fill(pane.brush, field, colors.ground, look.px(6));
    outline(pane.brush, field, colors.accent, look.px(6), look.px(1.4f));
    const Fonts::Cut& cut = (*look.fonts)[Face::code];
    push_font(cut.font, cut.pixels);
    ImGui::PushStyleColor(ImGuiCol_FrameBg, ImU32{0});
    ImGui::PushStyleColor(ImGuiCol_Text, colors.strong);
    ImGui::PushStyleColor(ImGuiCol_TextSelectedBg, with_alpha(colors.accent, 0.4));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(look.px(10), (field.height() - cut.pixels) / 2));
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0.0f);
    ImGui::SetCursorScreenPos({field.x0, field.y0});
    ImGui::SetNextItemWidth(field.width());
    if (focus_) ImGui::SetKeyboardFocusHere();
    const auto callback = [](ImGuiInputTextCallbackData* data) {
        auto& self = *static_cast<OpenCard*>(data->UserData);
        if (data->EventFlag != ImGuiInputTextFlags_CallbackAlways || !std::exchange(self.replace_, false)) return 0;
        data->DeleteChars(0, data->BufTextLen);
        data->InsertChars(0, self.for_field(self.typed_).c_str());
        data->CursorPos = data->SelectionStart = data->SelectionEnd = data->BufTextLen;
        return 0;
    };
    const bool asked = replace_;
    // Completion and history: Tab and the arrows stay here; what they do is press()'s.
    ImGui::InputText("##file", buffer_.data(), buffer_.size(),
                     ImGuiInputTextFlags_CallbackAlways | ImGuiInputTextFlags_CallbackCompletion |
                         ImGuiInputTextFlags_CallbackHistory,
                     callback, this);
    const bool replaced = asked && !replace_;
    if (ImGui::IsItemActive()) focus_ = false;
    else if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) focus_ = true;   // there is nowhere else to type
    ImGui::PopStyleVar(2);
    ImGui::PopStyleColor(3);
    ImGui::PopFont();
    if (replaced) shown_ = buffer_.data();
    if (!replace_ && shown_ != buffer_.data()) {
        shown_ = buffer_.data();
        typed_ = from_field(shown_);
        look_up();
    }
    rest.cut_top(look.px(10));
    draw_choices(pane, rest);
    if (pane.clicked(window) && !card.contains(pane.pointer())) close();
}

void OpenCard::draw_choices(const Pane& pane, Rect rest) {
    const Theme& colors = pane.colors();
    // Files opened before stand first while nothing of a name is typed.
    const bool begun = !typed_.empty() && !typed_.ends_with('/');
    const auto row_of = [&](const std::string& name, const std::string& note, bool chosen) {
        const Rect row = rest.cut_top(pane.px(28));
        if (row.height() < pane.px(28)) return false;
        const bool hovered = pane.hovers(row);
        if (chosen || hovered) fill(pane.brush, row, colors.raised, pane.px(5));
        if (chosen)
            fill(pane.brush, {row.x0, row.y0 + pane.px(5), row.x0 + pane.px(3), row.y1 - pane.px(5)}, colors.accent,
                 pane.px(1));
        const Rect text_box = row.inset(pane.px(12), 0);
        text_in(pane.brush, Face::body, text_box, colors.text,
                fit_text(pane.look(), Face::body, name, text_box.width() * 0.6f), Align::left);
        text_in(pane.brush, Face::caption, text_box, colors.quiet,
                fit_text(pane.look(), Face::caption, note, text_box.width() * 0.38f), Align::right);
        return pane.button(row);
    };
    if (!begun && !recent_.empty()) {
        text_in(pane.brush, Face::caption, rest.cut_top(pane.px(20)), colors.quiet, "opened before", Align::left);
        for (std::size_t i = 0; i < std::min<std::size_t>(recent_.size(), 3); ++i) {
            const std::string& file = recent_[i];
            if (row_of(file.substr(folder_of(file).size()), folder_of(file), false)) return take({file, file, false});
        }
    }
    text_in(pane.brush, Face::caption, rest.cut_top(pane.px(20)), colors.quiet,
            choices_.empty() ? "no traces or folders begin like this" : "here", Align::left);
    const int shown = std::max(1, static_cast<int>(rest.height() / pane.px(28)));
    const int first = std::clamp(chosen_ - shown + 1, 0, std::max(0, static_cast<int>(choices_.size()) - shown));
    for (int i = first; i < std::min(first + shown, static_cast<int>(choices_.size())); ++i) {
        const PathChoice choice = choices_[static_cast<std::size_t>(i)];
        if (row_of(choice.folder ? choice.name + "/" : choice.name, choice.folder ? "folder" : "trace", i == chosen_))
            return take(choice);
    }
}

}  // namespace lanewise::viz
