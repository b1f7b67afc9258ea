// The view in the middle alone: what a picture that is not of the whole window shows.
#include "viz/app/app.hpp"

namespace lanewise::viz {

void App::begin(const Look& look, const Rect& window) {
    ImGui::SetNextWindowPos({window.x0, window.y0});
    ImGui::SetNextWindowSize({window.width(), window.height()});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0f);
    ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, look.px(8));
    ImGui::PushStyleColor(ImGuiCol_WindowBg, ImU32{0});   // Gui::draw() has the ground
    ImGui::PushStyleColor(ImGuiCol_ScrollbarBg, ImU32{0});
    ImGui::PushStyleColor(ImGuiCol_ScrollbarGrab, look.colors().raised);
    ImGui::Begin("Lanewise", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav |
                     ImGuiWindowFlags_NoScrollWithMouse);
}

void App::end() {
    ImGui::End();
    ImGui::PopStyleColor(3);
    ImGui::PopStyleVar(3);
}

void App::picture(const Look& look, const Rect& page) {
    adopt_runs();
    mark_changes();
    begin(look, page);
    Rect body = page;
    {
        const Rect head = body.cut_top(look.px(34));
        const Pane pane(look, "caption", head, look.colors().panel);
        const Rect line = head.inset(look.px(16), 0);
        const std::string name = title(false);
        text_in(pane.brush, Face::strong, line, look.colors().strong, fit_text(look, Face::strong, name, line.width()),
                Align::left);
        const float room = line.width() - text_width(look, Face::strong, name) - look.px(16);
        text_in(pane.brush, Face::caption, line, look.colors().quiet, fit_text(look, Face::caption, origin(), room),
                Align::right);
    }
    draw_view(look, body, false);
    end();
    selection_.turn();
}

Intent App::draw_middle(const Look& look, const Rect& box) {
    if (!shown_[0] && whole_) {
        const Pane pane(look, "stage", box);
        sentence_card(pane, box, "Before the first step",
                      "Nothing of this run is shown yet. Answer the question below: then the step is shown.",
                      look.colors().strong);
        return {};
    }
    if (!shown_[0] || !errors_[0].empty()) {
        draw_waiting(look, box, names_[0], errors_[0]);
        return {};
    }
    const Pane pane(look, "stage", box);
    if (view_ == View::rounding) {
        rounding_.can_change = can_be_made_to_round();
        const Intent asked = rounding_.draw(pane, *shown_[0], playhead_, selection_);
        again_ |= rounding_.working();
        return asked;
    }
    if (view_ == View::tree) {
        const Intent asked = tree_.draw(pane, *shown_[0], playhead_, selection_);
        again_ |= tree_.working();
        return asked;
    }
    if (view_ == View::boxes) return boxes_.draw(pane, *shown_[0], playhead_, selection_);
    const int pinned = selection_.pinned_lane;
    Intent asked = stage_.draw(pane, *shown_[0], playhead_, selection_);
    if (prediction_.open()) {
        take_clicked_lane(pinned);
        if (asked.kind == Intent::Kind::lane_value) asked = {};   // a second click is an answer, too
    }
    draw_wrong_answer(pane);
    return asked;
}

}  // namespace lanewise::viz
