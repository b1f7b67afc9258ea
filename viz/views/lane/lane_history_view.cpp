#include "viz/views/lane/lane_history_view.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/element.hpp"
#include "common/scene/held.hpp"
#include "viz/model/bits_paint.hpp"
#include "viz/model/lane_colors.hpp"
#include "viz/model/step_color.hpp"

namespace lanewise::viz {
namespace {

// "add tree +64" where it fits, else its end, "+64": what distinguishes steps of one kind.
std::string short_label(const Look& look, const std::string& label, float width) {
    if (text_width(look, Face::tiny, label) <= width) return label;
    const std::size_t last = label.rfind(' '), first = label.find(' ');
    if (last == std::string::npos) return fit_text(look, Face::tiny, label, width);
    const bool signed_end = label[last + 1] == '+' || label[last + 1] == '-';
    return fit_text(look, Face::tiny, signed_end ? label.substr(last + 1) : label.substr(0, first), width);
}

}  // namespace

void LaneHistoryView::look_at(const RunView& run_view, const Selection& selection, int lane) {
    if (run_ == run_view.run && warp_ == selection.warp && lane_ == lane) return;
    life_ = history_of(run_view.steps(), selection.warp, lane);
    run_ = run_view.run;
    warp_ = selection.warp;
    lane_ = lane;
}

// The values that the lane came to, one after the other, with the steps that brought them: those around the present one
// where there are many. What is still to come is hollow.
float LaneHistoryView::draw_strip(const Pane& pane, const Rect& row, const RunView& run_view, const Playhead& playhead,
                               Selection& selection, int lane, Intent& intent) {
    look_at(run_view, selection, lane);
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    std::vector<const HistoryStep*> came;
    for (const HistoryStep& each : life_)
        if (each.changed || (came.empty() && each.known)) came.push_back(&each);
    strip_.clear();
    if (came.empty()) return row.y0;
    std::size_t present = 0;
    while (present + 1 < came.size() && came[present + 1]->step <= playhead.step) ++present;
    const bool begun = came[0]->step <= playhead.step;

    const float gap = pane.px(8);
    const auto most = static_cast<std::size_t>(std::max(1.0f, (row.width() + gap) / (pane.px(38) + gap)));
    const std::size_t count = std::min(most, came.size());
    const std::size_t first = std::min(present + 2 > count ? present + 2 - count : 0, came.size() - count);
    const float width = std::min(pane.px(60), (row.width() + gap) / static_cast<float>(count) - gap);
    const LaneColors lane_colors{&run_view, &run_view.scale_of(selection.warp), &colors, selection.display.colors};
    const float high = pane.px(21);
    for (std::size_t i = 0; i < count; ++i) {
        const HistoryStep& each = *came[first + i];
        const float x = row.x0 + (width + gap) * static_cast<float>(i);
        const Rect chip{x, row.y0, x + width, row.y0 + high};
        const Rect whole{chip.x0, chip.y0, chip.x1, chip.y1 + pane.px(13)};
        const bool now = begun && first + i == present, future = each.step > playhead.step;
        // From one to the next; at the ends, that there is more.
        const Point tip{chip.x0 - pane.px(2), chip.center().y};
        if (first + i > 0)
            triangle(brush, {tip.x - pane.px(4), tip.y - pane.px(3.5f)}, tip,
                     {tip.x - pane.px(4), tip.y + pane.px(3.5f)}, colors.quiet);
        if (future) {
            outline(brush, chip, with_alpha(colors.faint, 0.9), pane.px(4), pane.px(1));
        } else if (each.undefined) {
            outline(brush, chip, colors.warning, pane.px(4), pane.px(1));
            text_in(brush, Face::small, chip, colors.warning, "?");
        } else {
            const Color ground = mix(lane_colors.of(held(run_view.steps(), each.step, selection.warp, lane)),
                                     colors.panel, now ? 0.0 : 0.35);
            const int chars = static_cast<int>((width - pane.px(6)) / (*pane.look().fonts)[Face::small].digit);
            fill(brush, chip, ground, pane.px(4));
            if (now) outline(brush, chip.inset(-pane.px(1.5f)), colors.accent, pane.px(5), pane.px(1.6f));
            text_in(brush, Face::small, chip, text_on(ground),
                    !each.known ? "-"
                    : each.more.empty()
                        ? format_element(each.type, each.bits, chars)
                        : scene::cell_text(held(run_view.steps(), each.step, selection.warp, lane), chars, false));
        }
        const Rect under{chip.x0 - gap / 2, chip.y1 + pane.px(2), chip.x1 + gap / 2, chip.y1 + pane.px(13)};
        text_in(brush, Face::tiny, under, now ? colors.accent : colors.quiet,
                short_label(pane.look(), each.label, under.width()));
        strip_.push_back({each.step, chip});
        if (!pane.hovers(whole)) continue;
        std::string description =
            "step " + std::to_string(each.step + 1) + " · " + each.label + (each.way.empty() ? "" : " " + each.way);
        if (!future && each.known && !each.undefined) description += " · " + scene::history_value(each);
        hint_card(pane.look(), description);
        selection.next.step = each.step;
        if (pane.button(whole)) intent = {Intent::Kind::go_to, each.step};
    }
    return row.y0 + pane.px(42);
}

float LaneHistoryView::draw(const Pane& pane, const Rect& row, float y, const RunView& run_view,
                            const Playhead& playhead, Selection& selection, const Lights& lights, int lane,
                            Intent& intent) {
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    look_at(run_view, selection, lane);

    Rect head{row.x0, y, row.x1, y + pane.px(20)};
    text_in(brush, Face::caption, head, colors.quiet, "lane history", Align::left);
    constexpr std::array<std::pair<Figures, const char*>, 3> kFigures = {
        {{Figures::bits, "bits"}, {Figures::hex, "hex"}, {Figures::decimal, "number"}}};
    for (const auto& [form, name] : kFigures) {
        const Rect tab =
            head.cut_right(text_width(pane.look(), Face::caption, name) + pane.px(11)).inset(0, pane.px(1.5f));
        if (form == figures) fill(brush, tab, colors.raised, pane.px(4));
        text_in(brush, Face::caption, tab, form == figures ? colors.strong : colors.quiet, name);
        if (pane.button(tab)) figures = form;
    }
    y += pane.px(22);

    const LaneColors lane_colors{&run_view, &run_view.scale_of(selection.warp), &colors, selection.display.colors};
    const bool bits = figures == Figures::bits;
    for (const HistoryStep& each : life_) {
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
        fill(brush, {box.x0, box.y0 + pane.px(3), box.x0 + pane.px(2.5f), box.y1 - pane.px(3)},
             step_color(colors, run_view.outline.steps[each.step].kind), pane.px(1));

        Rect line{box.x0 + pane.px(7), first, row.x1, first + pitch};
        const Rect number = line.cut_left(pane.px(23));
        text_in(brush, Face::tiny, {number.x0, number.y0, number.x1 - pane.px(5), number.y1}, colors.quiet,
                std::to_string(each.step + 1), Align::right);
        text_in(brush, Face::tiny, line.cut_right(pane.px(26)), colors.quiet, "L" + std::to_string(each.line),
                Align::right);
        std::string value = "-";
        if (each.undefined) value = "undefined";
        else if (each.known && figures == Figures::hex) value = "0x" + format_bits(each.type, each.bits);
        else if (each.known)
            value = each.more.empty() ? format_element(each.type, each.bits, 12) : scene::history_value(each);
        const float value_width = std::max(text_width(pane.look(), Face::small, value), pane.px(34)) + pane.px(11);
        const Rect cell = line.cut_right(value_width).inset(0, pane.px(2));
        if (each.known && !each.undefined) {
            // A value that stays is quiet; one that is new is on its colour.
            const Color ground =
                mix(lane_colors.of(held(run_view.steps(), each.step, selection.warp, lane)), colors.panel,
                    future         ? 0.75
                    : each.changed ? 0.0
                                   : 0.55);
            fill(brush, cell, ground, pane.px(3));
            text_in(brush, Face::small, {cell.x0, cell.y0, cell.x1 - pane.px(4), cell.y1}, text_on(ground), value,
                    Align::right);
        } else {
            text_in(brush, Face::small, {cell.x0, cell.y0, cell.x1 - pane.px(4), cell.y1},
                    each.undefined ? colors.warning : colors.quiet, value, Align::right);
        }
        line.cut_right(pane.px(5));
        const float half = line.width() * 0.46f;
        text_in(brush, Face::small, line, ink,
                fit_text(pane.look(), Face::small, each.label, each.way.empty() ? line.width() : half), Align::left);
        Rect way = line;
        way.x0 += std::min(half, text_width(pane.look(), Face::small, each.label)) + pane.px(7);
        text_in(brush, Face::small, way, colors.quiet, fit_text(pane.look(), Face::small, each.way, way.width()),
                Align::left);
        if (under > 0)
            bits_row(brush, {line.x0, first + pitch - pane.px(1)}, row.x1 - line.x0, each.type, each.bits, Face::tiny);
        if (!hovered) continue;
        selection.next.step = each.step;
        if (pane.button(box)) intent = {Intent::Kind::go_to, each.step};
    }
    return y;
}

}  // namespace lanewise::viz
