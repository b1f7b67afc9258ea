#include "viz/views/lane_life_view.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/element.hpp"
#include "viz/views/bits_paint.hpp"
#include "viz/views/standing.hpp"
#include "viz/views/timeline_view.hpp"

namespace lanewise::viz {

float LaneLifeView::draw(const Pane& pane, const Rect& row, float y, const Exhibit& exhibit, const Playhead& playhead,
                         Selection& selection, const Lights& lights, int lane, Intent& intent) {
    const steps::Steps& steps = exhibit.steps();
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    if (run_ != exhibit.run || !(warp_ == selection.warp) || lane_ != lane) life_ = life_of(steps, selection.warp, lane);
    run_ = exhibit.run;
    warp_ = selection.warp;
    lane_ = lane;

    Rect head{row.x0, y, row.x1, y + pane.px(20)};
    text_in(brush, Face::caption, head, colors.quiet, "life of the lane", Align::left);
    constexpr std::array<std::pair<Figures, const char*>, 3> kFigures = {{{Figures::bits, "bits"}, {Figures::hex, "hex"}, {Figures::decimal, "number"}}};
    for (const auto& [form, name] : kFigures) {
        const Rect tab = head.cut_right(text_width(pane.look(), Face::caption, name) + pane.px(11)).inset(0, pane.px(1.5f));
        if (form == figures) fill(brush, tab, colors.raised, pane.px(4));
        text_in(brush, Face::caption, tab, form == figures ? colors.strong : colors.quiet, name);
        if (pane.button(tab)) figures = form;
    }
    y += pane.px(22);

    const LaneColors lane_colors{&exhibit, &exhibit.scale_of(selection.warp), &colors, selection.display.colors};
    const bool bits = figures == Figures::bits;
    for (const LifeStep& each : life_) {
        const float first = y;
        const float pitch = pane.px(18);
        const float under = bits && each.known && !each.undefined ? pane.px(element_size(each.type) > 4 ? 26 : 14) : 0;
        const Rect box{row.x0 - pane.px(4), first, row.x1 + pane.px(4), first + pitch + under};
        y = box.y1;
        if (!box.overlaps(pane.box)) continue;
        const bool present = each.step == playhead.step;
        const bool future = each.step > playhead.step;
        const bool hovered = pane.hovers(box);
        if (present) fill(brush, box, colors.accent_ground, pane.px(3));
        else if (hovered || lights.step(each.step)) fill(brush, box, colors.raised, pane.px(3));
        const Color ink = present ? colors.accent : future ? colors.quiet : colors.text;
        // The kind of the step is a stripe, as in the timeline.
        fill(brush, {box.x0, box.y0 + pane.px(3), box.x0 + pane.px(2.5f), box.y1 - pane.px(3)}, step_color(colors, steps.steps[each.step].kind), pane.px(1));

        Rect line{box.x0 + pane.px(7), first, row.x1, first + pitch};
        const Rect number = line.cut_left(pane.px(23));
        text_in(brush, Face::tiny, {number.x0, number.y0, number.x1 - pane.px(5), number.y1}, colors.quiet, std::to_string(each.step + 1), Align::right);
        text_in(brush, Face::tiny, line.cut_right(pane.px(26)), colors.quiet, "L" + std::to_string(each.line), Align::right);
        std::string value = "-";
        if (each.undefined) value = "undefined";
        else if (each.known && figures == Figures::hex) value = "0x" + format_bits(each.type, each.bits);
        else if (each.known) value = format_element(each.type, each.bits, 12);
        const float value_width = std::max(text_width(pane.look(), Face::small, value), pane.px(34)) + pane.px(11);
        const Rect cell = line.cut_right(value_width).inset(0, pane.px(2));
        if (each.known && !each.undefined) {
            // A value that stays is quiet; one that is new stands on its colour.
            const steps::Holding& held = steps.holding(each.step, selection.warp);
            const Color ground = mix(lane_colors.of(held, lane), colors.panel, future ? 0.75 : each.changed ? 0.0 : 0.55);
            fill(brush, cell, ground, pane.px(3));
            text_in(brush, Face::small, {cell.x0, cell.y0, cell.x1 - pane.px(4), cell.y1}, text_on(ground), value, Align::right);
        } else {
            text_in(brush, Face::small, {cell.x0, cell.y0, cell.x1 - pane.px(4), cell.y1}, each.undefined ? colors.warning : colors.quiet, value, Align::right);
        }
        line.cut_right(pane.px(5));
        const float half = line.width() * 0.46f;
        text_in(brush, Face::small, line, ink, fit_text(pane.look(), Face::small, each.label, each.way.empty() ? line.width() : half), Align::left);
        Rect way = line;
        way.x0 += std::min(half, text_width(pane.look(), Face::small, each.label)) + pane.px(7);
        text_in(brush, Face::small, way, colors.quiet, fit_text(pane.look(), Face::small, each.way, way.width()), Align::left);
        if (under > 0) bits_row(brush, {line.x0, first + pitch - pane.px(1)}, row.x1 - line.x0, each.type, each.bits, Face::tiny);
        if (!hovered) continue;
        selection.next.step = each.step;
        if (pane.button(box)) intent = {Intent::Kind::go_to, each.step};
    }
    return y;
}

}  // namespace lanewise::viz
