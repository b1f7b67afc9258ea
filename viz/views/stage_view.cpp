#include "viz/views/stage_view.hpp"

#include <algorithm>

#include "viz/views/stage_paint.hpp"

namespace lanewise::viz {

void StageView::draw(const Pane& pane, const Exhibit& exhibit, const Playhead& playhead, Selection& selection) {
    Rect rest = pane.box.inset(pane.px(4), 0);
    Rect heading_box = rest.cut_top(pane.px(42));
    draw_heading(pane, heading_box.inset(pane.px(12), 0), exhibit, playhead, selection);
    const float strip_height = strip.height(pane.look(), exhibit);
    if (strip_height > 0) {
        strip.draw(pane, rest.cut_top(strip_height).inset(pane.px(12), 0), exhibit, playhead, selection);
    }
    draw_legend(pane, rest.cut_bottom(pane.px(24)).inset(pane.px(12), 0), exhibit);

    const float banks_height = std::min(banks.height(pane.look(), exhibit, selection), rest.height() * 0.36f);
    Rect banks_box = rest.cut_bottom(banks_height);
    const Rect stage = draw_scene(pane, rest, exhibit, playhead, selection);
    if (banks_height > 0) {
        banks.lanes_x0 = scene_.lanes_x0;
        banks.cell = (stage.width() - pane.px(16 + gutter)) / trace::kWarpSize;
        banks.draw(pane, banks_box, exhibit, playhead, selection);
    }
    if (pane.hovers(stage)) {
        selection.next.lane = std::max(selection.next.lane, scene_.lane_at(pane.pointer().x));
        if (pane.clicked(stage) && scene_.lane_at(pane.pointer().x) >= 0) {
            const int lane = scene_.lane_at(pane.pointer().x);
            selection.pinned_lane = selection.pinned_lane == lane ? -1 : lane;
        }
    }
}

void StageView::draw_heading(const Pane& pane, const Rect& where, const Exhibit& exhibit, const Playhead& playhead,
                             const Selection& selection) const {
    const steps::Steps& steps = exhibit.steps();
    const Theme& colors = pane.colors();
    const std::string name = heading.empty() ? warp_name(steps, selection.warp) : heading;
    text_in(pane.brush, Face::title, where, colors.strong, name, Align::left);
    float x = where.x0 + text_width(pane.look(), Face::title, name) + pane.px(14);
    if (playhead.step >= steps.size()) return;
    const steps::Step& step = steps.steps[playhead.step];
    const steps::WarpStep* part = step.find(selection.warp);
    int at_work = 0;
    if (part) {
        for (const LaneFacts& facts : scene_.facts) at_work += facts.active ? 1 : 0;
    }
    std::string words = note.empty() ? step.label : note;
    if (at_work > 0 && note.empty()) words += " · " + std::to_string(at_work) + (at_work == 1 ? " lane" : " lanes") + " at work";
    text_in(pane.brush, Face::body, {x, where.y0, where.x1, where.y1}, colors.quiet,
            fit_text(pane.look(), Face::body, words, where.x1 - x), Align::left);
    if (!exhibit.run->notice.empty()) {
        x += text_width(pane.look(), Face::body, words) + pane.px(14);
        text_in(pane.brush, Face::caption, {x, where.y0, where.x1, where.y1}, colors.warning,
                fit_text(pane.look(), Face::caption, exhibit.run->notice, where.x1 - x), Align::right);
    }
}

Rect StageView::draw_scene(const Pane& pane, const Rect& where, const Exhibit& exhibit, const Playhead& playhead,
                           Selection& selection) {
    Rect area = where;
    const Rect numbers = area.cut_top(pane.px(18));
    area.cut_top(pane.px(3));
    StageMetrics metrics;
    metrics.area = area;
    metrics.scale = pane.look().scale;
    metrics.gutter = gutter;
    scene_ = build_scene(exhibit.steps(), playhead.step, selection.warp, metrics);

    if (wheel_step_ != playhead.step) wheel_ = 0;
    wheel_step_ = playhead.step;
    const float spare = std::max(0.0f, scene_.height - area.height());
    if (pane.hovers(area)) wheel_ -= pane.wheel() * pane.px(40);
    wheel_ = std::clamp(wheel_, -scene_.scroll, spare - scene_.scroll);
    const float offset = scene_.scroll + wheel_;
    scene_.move(-offset);

    const StagePaint painter{pane.brush, &exhibit, &exhibit.scale_of(selection.warp), selection.lane(), playhead.entrance(), area};
    painter.lane_numbers(scene_, numbers.y1);
    pane.brush.list->PushClipRect({area.x0, area.y0}, {area.x1, area.y1}, true);
    painter.paint(scene_);
    pane.brush.list->PopClipRect();
    // What is scrolled away fades instead of being cut through its numbers.
    const auto fade = [&](float y0, float y1, bool top) {
        const Color solid = pane.colors().ground;
        const Color clear = with_alpha(solid, 0);
        pane.brush.list->AddRectFilledMultiColor({area.x0, y0}, {area.x1, y1}, top ? solid : clear, top ? solid : clear,
                                                 top ? clear : solid, top ? clear : solid);
    };
    if (offset > 1) fade(area.y0, area.y0 + pane.px(30), true);
    if (offset < spare - 1) fade(area.y1 - pane.px(30), area.y1, false);
    return area;
}

void StageView::draw_legend(const Pane& pane, const Rect& where, const Exhibit& exhibit) const {
    const Theme& colors = pane.colors();
    float x = where.x0;
    const auto fits = [&](std::string_view text) { return x + pane.px(22) + text_width(pane.look(), Face::caption, text) <= where.x1; };
    const auto words = [&](std::string_view text) {
        text_in(pane.brush, Face::caption, {x, where.y0, where.x1, where.y1}, colors.quiet, text, Align::left);
        x += text_width(pane.look(), Face::caption, text) + pane.px(6);
    };
    words("low");
    const float y = where.center().y;
    for (int i = 0; i < 24; ++i) {
        fill(pane.brush, {x, y - pane.px(4), x + pane.px(3), y + pane.px(4)}, viridis(0.06 + 0.94 * i / 23.0));
        x += pane.px(3);
    }
    x += pane.px(6);
    words("high, in this warp");
    x += pane.px(14);
    const std::string most = "holds " + std::to_string(exhibit.most_inputs) + " inputs, the most here";
    if (exhibit.most_inputs > 1 && fits(most)) {
        fill(pane.brush, {x, y + pane.px(1), x + pane.px(14), y + pane.px(3)}, colors.text);
        x += pane.px(20);
        words(most);
        x += pane.px(14);
        if (!fits("an input counted twice")) return;
        for (int i = 0; i < 3; ++i) fill(pane.brush, {x + pane.px(5.0f * static_cast<float>(i)), y + pane.px(1), x + pane.px(5.0f * static_cast<float>(i) + 2.5f), y + pane.px(3)}, colors.text);
        x += pane.px(20);
        words("an input counted twice");
    }
}

}  // namespace lanewise::viz
