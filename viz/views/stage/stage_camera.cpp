#include "viz/views/stage/stage_camera.hpp"

#include <algorithm>
#include <cmath>

namespace lanewise::viz {
namespace {

constexpr float kNotch = 1.2f;

}  // namespace

void StageCamera::larger() { zoom_ = std::min(kMost, zoom_ * kNotch); }
void StageCamera::smaller() { zoom_ = std::max(kLeast, zoom_ / kNotch); }

void StageCamera::reset() {
    zoom_ = 1;
    right_ = by_hand_ = 0;
    anchor_ = {};
}

void StageCamera::zoom_to(float zoom, Point at, const Rect& area, const Scene& scene) {
    // 100 % is met exactly, so that numbers are sharp there.
    const float wanted = std::clamp(std::abs(zoom - 1) < 0.06f ? 1.0f : zoom, kLeast, kMost);
    const float grows = std::max(wanted, 1.0f) / std::max(zoom_, 1.0f);
    right_ = (at.x - area.x0 + right_) * grows - (at.x - area.x0);
    zoom_ = wanted;
    anchor_ = {};
    for (std::size_t i = 0; i < scene.bands.size(); ++i) {
        const float top = scene.rows[i].y0, bottom = scene.rows[i + 1].y0;
        if (at.y < top || at.y >= bottom || bottom <= top) continue;
        anchor_ = {true, at.y, i, (at.y - top) / (bottom - top)};
    }
}

void StageCamera::take_input(const Pane& pane, const Rect& area, const Scene& scene, std::size_t step) {
    if (step_ != step) by_hand_ = 0;
    step_ = step;
    const ImGuiIO& io = ImGui::GetIO();
    const bool over = pane.hovers(area);
    if (over && io.MouseWheel != 0 && io.KeyCtrl) {
        zoom_to(zoom_ * std::pow(kNotch, io.MouseWheel), pane.pointer(), area, scene);
    } else if (over && io.KeyShift) {
        right_ -= io.MouseWheel * pane.px(60);
    } else if (over) {
        by_hand_ -= io.MouseWheel * pane.px(40);
    }
    if (over) right_ -= io.MouseWheelH * pane.px(60);
    const bool held = ImGui::IsMouseDown(ImGuiMouseButton_Right) || ImGui::IsMouseDown(ImGuiMouseButton_Middle);
    if (over && (ImGui::IsMouseClicked(ImGuiMouseButton_Right) || ImGui::IsMouseClicked(ImGuiMouseButton_Middle)))
        dragging_ = true;
    if (!held) dragging_ = false;
    if (dragging_) {
        right_ -= io.MouseDelta.x;
        by_hand_ -= io.MouseDelta.y;
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
    }
    if (over && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) reset();
}

StageMetrics StageCamera::metrics(const Rect& area, const Look& look, float gutter) const {
    StageMetrics metrics;
    const float grows = std::max(zoom_, 1.0f);
    metrics.area = {area.x0, area.y0, area.x0 + area.width() * grows, area.y1};
    metrics.scale = look.scale * grows;
    metrics.gutter = gutter;
    metrics.far = std::min(zoom_, 1.0f);
    return metrics;
}

Look StageCamera::look(const Look& look) {
    if (zoom_ <= 1) return look;
    if (fonts_zoom_ != zoom_ || fonts_of_ != look.fonts) fonts_ = look.fonts->grown(zoom_);
    fonts_zoom_ = zoom_;
    fonts_of_ = look.fonts;
    Look grown = look;
    grown.scale *= zoom_;
    grown.fonts = &fonts_;
    return grown;
}

StageCamera::Scrolled StageCamera::place(Scene& scene, const Rect& area, const Rect& shown) {
    Scrolled scrolled;
    scrolled.spare = std::max(0.0f, scene.height - area.height());
    if (anchor_.set && anchor_.row + 1 < scene.rows.size()) {
        const float y = std::lerp(scene.rows[anchor_.row].y0, scene.rows[anchor_.row + 1].y0, anchor_.part);
        by_hand_ = y - anchor_.y - scene.scroll;
    }
    anchor_ = {};
    by_hand_ = std::clamp(by_hand_, -scene.scroll, scrolled.spare - scene.scroll);
    scrolled.offset = scene.scroll + by_hand_;
    right_ = std::clamp(right_, 0.0f, std::max(0.0f, scene.lanes_x1() - shown.x1));
    scene.move(-right_, -scrolled.offset);
    return scrolled;
}

}  // namespace lanewise::viz
