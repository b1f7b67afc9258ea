#include "viz/views/stage/utilization_paint.hpp"

#include <algorithm>

namespace lanewise::viz {

void work_bar(const Brush& brush, const Rect& track, const scene::WorkStep& step, std::uint32_t threads, bool present) {
    const Theme& colors = brush.colors();
    const float rounding = std::min(brush.px(2), track.width() * 0.3f);
    fill(brush, track, mix(colors.panel, colors.raised, present ? 0.9 : 0.5), rounding);
    const auto height = [&](std::uint32_t lanes) {
        const float part = threads ? static_cast<float>(lanes) / static_cast<float>(threads) : 0;
        return lanes == 0 ? 0 : std::max(brush.px(1.5f), track.height() * std::min(part, 1.0f));
    };
    if (step.adding > 0)
        fill(brush, {track.x0, track.y1 - height(step.adding), track.x1, track.y1},
             with_alpha(colors.good, present ? 1 : 0.75), rounding);
    // Active beyond those: an outline.
    if (step.lanes <= step.adding) return;
    const float top = track.y1 - height(step.lanes);
    const Color edge = with_alpha(colors.quiet, present ? 1 : 0.6);
    if (track.width() < brush.px(12) || track.y1 - top < brush.px(4)) {
        fill(brush, {track.x0, top, track.x1, top + brush.px(1.5f)}, edge);
        return;
    }
    outline(brush,
            {track.x0 + brush.px(0.5f), top + brush.px(0.5f), track.x1 - brush.px(0.5f), track.y1 - brush.px(0.5f)},
            edge, rounding, brush.px(1));
}

void mean_line(const Brush& brush, const Rect& bars, double utilization) {
    const float y = bars.y1 - bars.height() * static_cast<float>(std::clamp(utilization, 0.0, 1.0));
    for (float x = bars.x0; x < bars.x1; x += brush.px(9)) {
        hairline(brush, {x, y}, {std::min(x + brush.px(5), bars.x1), y}, brush.colors().accent, brush.px(1.5f));
    }
}

void work_strip(const Brush& brush, const Rect& where, const scene::Utilization& work, std::size_t present) {
    if (work.steps.empty()) return;
    const Rect bars{where.x0, where.y0, where.x1, where.y1 - brush.px(5)};
    const float pitch = bars.width() / static_cast<float>(work.steps.size());
    const float gap = std::min(brush.px(2), pitch * 0.25f);
    for (std::size_t k = 0; k < work.steps.size(); ++k) {
        const float x = bars.x0 + pitch * static_cast<float>(k);
        work_bar(brush, {x, bars.y0, x + pitch - gap, bars.y1}, work.steps[k], work.threads, k == present);
        if (k == present)
            fill(brush, {x, where.y1 - brush.px(3), std::max(x + pitch - gap, x + brush.px(3)), where.y1},
                 brush.colors().focus);
    }
    if (work.adds()) mean_line(brush, bars, work.utilization());
}

}  // namespace lanewise::viz
