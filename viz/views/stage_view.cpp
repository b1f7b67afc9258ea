#include "viz/views/stage_view.hpp"

#include <algorithm>

#include "viz/views/result_line.hpp"
#include "viz/views/stage_paint.hpp"

namespace lanewise::viz {

void StageView::draw(const Pane& pane, const Exhibit& exhibit, const Playhead& playhead, Selection& selection) {
    Rect rest = pane.box.inset(pane.px(4), 0);
    Rect heading_box = rest.cut_top(pane.px(42));
    draw_heading(pane, heading_box.inset(pane.px(12), 0), exhibit, playhead, selection);
    const float strip_height = strip.height(pane.look(), exhibit, rest.width() - pane.px(24));
    if (strip_height > 0) {
        strip.draw(pane, rest.cut_top(strip_height).inset(pane.px(12), 0), exhibit, playhead, selection);
    }
    const float room_for_memory = rest.height() * 0.37f;   // at any step: what is told at some must not move the stage
    const float told = draw_findings(pane, rest, exhibit, playhead, selection);
    rest.cut_top(told);
    const float joins_height = note.empty() ? joins.height(pane.look(), exhibit, playhead, selection) : 0;
    if (joins_height > 0) joins.draw(pane, rest.cut_top(joins_height).inset(pane.px(12), 0), exhibit, selection);
    draw_legend(pane, rest.cut_bottom(pane.px(24)).inset(pane.px(12), 0), exhibit);

    // Banks and rows of sectors are as wide as 32 lanes.
    const float cell = (rest.width() - pane.px(16 + gutter)) / trace::kWarpSize;
    const float memory_height = std::min(memory.height(pane.look(), exhibit, selection, cell * trace::kWarpSize, room_for_memory),
                                         rest.height() * 0.45f);
    const Rect memory_box = rest.cut_bottom(memory_height);
    const Rect stage = draw_scene(pane, rest, exhibit, playhead, selection);
    if (memory_height > 0) {
        memory.lanes_x0 = scene_.lanes_x0;
        memory.cell = cell;
        memory.draw(pane, memory_box, exhibit, playhead, selection);
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
    x += text_width(pane.look(), Face::body, words) + pane.px(14);
    if (!exhibit.run->notice.empty()) {
        text_in(pane.brush, Face::caption, {x, where.y0, where.x1, where.y1}, colors.warning,
                fit_text(pane.look(), Face::caption, exhibit.run->notice, where.x1 - x), Align::right);
    } else if (!told_elsewhere) {
        draw_result(pane.brush, {x, where.y0, where.x1, where.y1}, exhibit, Face::caption, Align::right);
    }
}

float StageView::draw_findings(const Pane& pane, const Rect& where, const Exhibit& exhibit, const Playhead& playhead,
                               Selection& selection) const {
    if (!note.empty() || playhead.step >= exhibit.findings.size() || exhibit.findings[playhead.step].empty()) return 0;
    const Theme& colors = pane.colors();
    const std::vector<std::size_t>& here = exhibit.findings[playhead.step];
    // What concerns the warp that is shown comes first.
    const auto& all = exhibit.trace().findings;
    const auto own = std::find_if(here.begin(), here.end(), [&](std::size_t i) { return all[i].block == selection.warp.block && all[i].warp == selection.warp.warp; });
    const trace::Finding& finding = all[own == here.end() ? here.front() : *own];
    std::string words = finding_words(finding);
    if (here.size() > 1) words += " And " + std::to_string(here.size() - 1) + " more at this step: see the column on the right.";

    const steps::WarpRef concerned{selection.warp.launch, finding.block, finding.warp};
    const auto& warps = exhibit.steps().warps;
    const bool leads = own == here.end() && std::find(warps.begin(), warps.end(), concerned) != warps.end();
    if (leads) words += " Click to look at that warp.";

    const Rect room = where.inset(pane.px(12), 0);
    const Brush measure{nullptr, pane.look()};
    const float text_x = room.x0 + pane.px(34);
    const float width = room.x1 - text_x - pane.px(10);
    const float height = paragraph(measure, Face::body, {0, 0}, width, 0, words) + pane.px(14);
    const Rect card{room.x0, room.y0 + pane.px(2), room.x1, room.y0 + pane.px(2) + height};
    fill(pane.brush, card, mix(colors.ground, colors.warning, leads && pane.hovers(card) ? 0.22 : 0.13), pane.px(6));
    if (leads && pane.button(card)) selection.warp = concerned;
    outline(pane.brush, card, colors.warning, pane.px(6), pane.px(1.2f));
    warning_sign(pane.brush, {card.x0 + pane.px(17), card.y0 + pane.px(16)}, pane.px(8));
    paragraph(pane.brush, Face::body, {text_x, card.y0 + pane.px(7)}, width, colors.text, words);
    return height + pane.px(8);
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
    if (note.empty()) scene_.blamed = blamed_lanes(exhibit, playhead.step, selection.warp);
    scene_.differing = differing;

    if (wheel_step_ != playhead.step) wheel_ = 0;
    wheel_step_ = playhead.step;
    const float spare = std::max(0.0f, scene_.height - area.height());
    if (pane.hovers(area)) wheel_ -= pane.wheel() * pane.px(40);
    wheel_ = std::clamp(wheel_, -scene_.scroll, spare - scene_.scroll);
    const float offset = scene_.scroll + wheel_;
    scene_.move(-offset);

    const StagePaint painter{pane.brush, &exhibit, &exhibit.scale_of(selection.warp), selection.lane(), playhead.entrance(), area};
    painter.lane_numbers(scene_, numbers.y1);
    pane.brush.canvas->push_clip(area);
    painter.paint(scene_);
    pane.brush.canvas->pop_clip();
    // What is scrolled away fades instead of being cut through its numbers.
    const auto fade = [&](float y0, float y1, bool top) {
        const Color solid = pane.colors().ground;
        const Color clear = with_alpha(solid, 0);
        pane.brush.canvas->gradient({area.x0, y0, area.x1, y1}, top ? solid : clear, top ? clear : solid, Canvas::Towards::bottom);
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
    // The marks of a wrong run first: they are what is looked for.
    if (scene_.blamed) {
        blame_mark(pane.brush, {x, where.center().y - pane.px(7), x + pane.px(18), where.center().y + pane.px(7)});
        x += pane.px(24);
        words("named by what was found wrong");
        x += pane.px(12);
    }
    if (scene_.differing) {
        differ_mark(pane.brush, {x, where.center().y - pane.px(9), x + pane.px(18), where.center().y - pane.px(5)});
        x += pane.px(24);
        words("holds something else than on the other side");
        x += pane.px(12);
    }
    if (!fits("low, high, in this warp and a ramp")) return;
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
