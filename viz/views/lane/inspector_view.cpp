#include "viz/views/lane/inspector_view.hpp"

#include <algorithm>

#include "common/base/element.hpp"
#include "common/base/lanes.hpp"
#include "common/scene/utilization.hpp"
#include "viz/model/bits_paint.hpp"
#include "viz/model/result_line.hpp"
#include "common/scene/held.hpp"
#include "common/scene/lane_facts.hpp"

namespace lanewise::viz {
namespace {

Rect row_at(const Pane& pane, float y, float height) {
    return {pane.box.x0 + pane.px(16), y, pane.box.x1 - pane.px(14), y + height};
}

float sentence(const Pane& pane, float y, Face face, Color color, std::string_view text) {
    const Rect row = row_at(pane, y, 0);
    return y + paragraph(pane.brush, face, {row.x0, y}, row.width(), color, text, 1.45f);
}

// "thread 13 of block 0", "thread 13", or nothing: what fits in `width` pixels. The stage names the block, too.
std::string thread_text(const Look& look, float width, std::uint32_t thread, std::uint32_t block) {
    const std::string alone = "thread " + std::to_string(thread);
    const std::string whole = alone + " of block " + std::to_string(block);
    for (const std::string& text : {whole, alone})
        if (text_width(look, Face::caption, text) <= width) return text;
    return "";
}

}  // namespace

Intent InspectorView::draw(const Pane& pane, const RunView& run_view, const Playhead& playhead, Selection& selection) {
    const auto& steps = run_view.outline.steps;
    const Theme& colors = pane.colors();
    Intent intent;
    const int lane = selection.lane();
    const float top = pane.box.y0 - pane.scrolled;
    float y = top + pane.px(10);
    if (playhead.step >= steps.size()) {
        y = sentence(pane, y, Face::body, colors.quiet, "This run recorded no steps.");
        for (const auto& finding : run_view.outline.findings)
            y = sentence(pane, y + pane.px(10), Face::body, colors.warning, finding.text);
        pane.content_height(y - top);
        return intent;
    }
    const Rect head = row_at(pane, y, pane.px(22));
    if (lane < 0) {
        y = draw_step(pane, y, run_view, playhead, selection);
        pane.content_height(y - top);
        return intent;
    }
    const std::string name = "Lane " + std::to_string(lane);
    text_in(pane.brush, Face::title, head, colors.strong, name, Align::left);
    const bool pinned = selection.pinned_lane == lane;
    const std::string pin_text = pinned ? "pinned · P" : "pin · P";
    const float x = head.x0 + text_width(pane.look(), Face::title, name) + pane.px(12);
    const float end = head.x1 - text_width(pane.look(), Face::caption, pin_text) - pane.px(8);
    const std::uint32_t thread = selection.warp.warp * static_cast<std::uint32_t>(run_view.outline.warp_size) +
                                 static_cast<std::uint32_t>(lane);
    text_in(pane.brush, Face::caption, {x, head.y0, end, head.y1}, colors.quiet,
            thread_text(pane.look(), end - x, thread, selection.warp.block), Align::left);
    const Rect pin{head.x1 - pane.px(64), head.y0, head.x1, head.y1};
    text_in(pane.brush, Face::caption, pin, pinned ? colors.accent : colors.quiet, pin_text, Align::right);
    if (pane.button(pin)) intent = {Intent::Kind::pin, 0};
    y = head.y1 + pane.px(7);
    // What happened to this lane: the first thing that is asked.
    y = life.draw_strip(pane, row_at(pane, y, 0), run_view, playhead, selection, lane, intent);

    const bool active = (active_lanes(run_view.steps(), playhead.step, selection.warp) >> lane) & 1u;
    y = draw_findings(pane, y, run_view, playhead.step, selection.warp, lane);
    if (active) {
        y = draw_formula(pane, y, run_view, selection.warp, playhead.step, lane);
        y = draw_values(pane, y, run_view, selection.warp, playhead.step, lane);
    } else {
        y = sentence(pane, y, Face::body, colors.quiet, "idle in this step: " + steps[playhead.step].label) +
            pane.px(4);
    }
    y = draw_bits(pane, y, run_view, playhead, selection, lane);
    y = draw_inputs(pane, y, run_view, playhead, selection, lane);
    lights_.look(run_view, selection);
    y = life.draw(pane, row_at(pane, y, 0), y, run_view, playhead, selection, lights_, lane, intent);
    pane.content_height(y - top + pane.px(8));
    return intent;
}

float InspectorView::draw_formula(const Pane& pane, float y, const RunView& run_view, const WarpRef& warp,
                                  std::size_t step, int lane) const {
    const Theme& colors = pane.colors();
    const LaneFormula parts = lane_formula(run_view.steps(), step, warp, lane);
    if (parts.head.empty()) return y;
    y = sentence(pane, y, Face::code, colors.accent, parts.head) + pane.px(4);

    // The rule in bits, one lane number under the other: each set bit of the mask flips one.
    if (parts.xor_mask >= 0) {
        const int arg = parts.xor_mask;
        const auto mask = static_cast<std::uint32_t>(arg & 31);
        const std::uint32_t numbers[] = {static_cast<std::uint32_t>(lane), mask,
                                         static_cast<std::uint32_t>(lane) ^ mask};
        const std::string names[] = {std::to_string(lane), "xor " + std::to_string(arg),
                                     std::to_string(lane ^ (arg & 31))};
        for (int i = 0; i < 3; ++i) {
            const Rect row = row_at(pane, y, pane.px(19));
            text_in(pane.brush, Face::small, {row.x0, row.y0, row.x0 + pane.px(52), row.y1}, colors.quiet, names[i],
                    Align::right);
            bit_row(pane.brush, {row.x0 + pane.px(62), row.y0}, numbers[i], 5, mask);
            y += pane.px(22);
        }
        y += pane.px(3);
    } else if (!parts.bits.empty()) {
        y = sentence(pane, y, Face::code, colors.text, parts.bits) + pane.px(3);
    }
    if (!parts.arithmetic.empty()) y = sentence(pane, y, Face::figure, colors.strong, parts.arithmetic) + pane.px(6);
    return y;
}

float InspectorView::draw_values(const Pane& pane, float y, const RunView& run_view, const WarpRef& warp,
                                 std::size_t step, int lane) const {
    const Theme& colors = pane.colors();
    const auto line = [&](const std::string& label, const std::string& value, const std::string& hex, Color ink) {
        const Rect row = row_at(pane, y, pane.px(20));
        text_in(pane.brush, Face::caption, row, colors.quiet, label, Align::left);
        Rect rest = row;
        rest.x0 += pane.px(108);
        text_in(pane.brush, Face::figure_large, rest, ink, value, Align::left);
        const float used = text_width(pane.look(), Face::figure_large, value) + pane.px(12);
        if (!hex.empty() && used + text_width(pane.look(), Face::small, hex) < rest.width()) {
            text_in(pane.brush, Face::small, rest, colors.quiet, hex, Align::right);
        }
        y += pane.px(21);
    };
    const auto ink_of = [&](scene::ValueRow::Role role) {
        using Role = scene::ValueRow::Role;
        return role == Role::source    ? colors.accent
               : role == Role::result  ? colors.good
               : role == Role::warning ? colors.warning
               : role == Role::quiet   ? colors.quiet
                                       : colors.text;
    };
    for (const scene::ValueRow& row : scene::value_rows(run_view.steps(), step, warp, lane)) {
        const std::string label = row.word.empty()
                                      ? row.label
                                      : fit_text(pane.look(), Face::caption, row.label + " " + row.word, pane.px(104));
        if (row.is_value)
            line(label, format_element(row.type, row.bits), "0x" + format_bits(row.type, row.bits), ink_of(row.role));
        else line(label, row.text, "", ink_of(row.role));
    }
    const std::vector<LaneFacts> facts = lane_facts(run_view.steps(), step, warp);
    const LaneFacts& own = facts.at(lane_index(lane));
    if (own.answer_is_mask)
        y = draw_mask(pane, y, static_cast<std::uint32_t>(own.answer), run_view.outline.warp_size);
    else if (own.fence >= 0) y = sentence(pane, y, Face::body, colors.text, scene::fence_text(own.fence));
    return y + pane.px(6);
}

// The lanes that a mask names, in the order of the stage: lane 0 on the left.
float InspectorView::draw_mask(const Pane& pane, float y, std::uint32_t mask, int lanes) const {
    const Theme& colors = pane.colors();
    const Rect row = row_at(pane, y, pane.px(13));
    const float pitch = row.width() / static_cast<float>(lanes);
    for (int i = 0; i < lanes; ++i) {
        const Rect box{row.x0 + pitch * static_cast<float>(i), row.y0,
                       row.x0 + pitch * static_cast<float>(i + 1) - pane.px(1.5f), row.y1};
        if ((mask >> i) & 1u) fill(pane.brush, box, colors.accent, pane.px(1.5f));
        else outline(pane.brush, box, colors.faint, pane.px(1.5f), pane.px(1));
    }
    text_in(pane.brush, Face::tiny, {row.x0, row.y1 + pane.px(1), row.x1, row.y1 + pane.px(12)}, colors.quiet, "lane 0",
            Align::left);
    text_in(pane.brush, Face::tiny, {row.x0, row.y1 + pane.px(1), row.x1, row.y1 + pane.px(12)}, colors.quiet,
            "lane " + std::to_string(lanes - 1), Align::right);
    return y + pane.px(30);
}

// What was found wrong at the step: with a lane, only what names it.
float InspectorView::draw_findings(const Pane& pane, float y, const RunView& run_view, std::size_t step,
                                   const WarpRef& warp, int lane) const {
    if (step >= run_view.outline.findings_at.size()) return y;
    for (const std::size_t i : run_view.outline.findings_at[step]) {
        const FindingNote& finding = run_view.outline.findings[i];
        const bool own =
            finding.block == warp.block && finding.warp == warp.warp && lane >= 0 && ((finding.lanes >> lane) & 1u);
        if (lane >= 0 && !own) continue;
        const Rect row = row_at(pane, y, 0);
        warning_sign(pane.brush, {row.x0 + pane.px(7), y + pane.px(10)}, pane.px(6));
        y += paragraph(pane.brush, Face::body, {row.x0 + pane.px(20), y}, row.width() - pane.px(20),
                       pane.colors().warning, finding.text, 1.45f) +
             pane.px(6);
    }
    return y;
}

float InspectorView::draw_inputs(const Pane& pane, float y, const RunView& run_view, const Playhead& playhead,
                                 const Selection& selection, int lane) const {
    constexpr std::size_t kMostMarks = 64;
    const Theme& colors = pane.colors();
    const InputsHeld inputs = inputs_held(run_view.steps(), playhead.step, selection.warp, lane, kMostMarks);
    if (inputs.text.empty()) return y;
    text_in(pane.brush, Face::caption, row_at(pane, y, pane.px(18)), inputs.warned ? colors.warning : colors.quiet,
            inputs.text, Align::left);
    y += pane.px(19);

    // One mark an input while they can be distinguished, else one mark for several.
    const Rect row = row_at(pane, y, pane.px(12));
    const float pitch = row.width() / static_cast<float>(inputs.marks.size());
    for (std::size_t m = 0; m < inputs.marks.size(); ++m) {
        const InputsHeld::Mark& input = inputs.marks[m];
        const Rect mark{row.x0 + pitch * static_cast<float>(m), row.y0,
                        row.x0 + pitch * static_cast<float>(m + 1) - pane.px(1.5f), row.y1};
        fill(pane.brush, mark, mix(colors.raised, input.twice ? colors.warning : colors.good, input.part),
             pane.px(1.5f));
        if (input.twice)
            fill(pane.brush, {mark.x0, mark.center().y - pane.px(1), mark.x1, mark.center().y + pane.px(1)},
                 colors.panel);
    }
    return y + pane.px(22);
}

// What the lane holds after the step, in every form.
float InspectorView::draw_bits(const Pane& pane, float y, const RunView& run_view, const Playhead& playhead,
                               const Selection& selection, int lane) const {
    const scene::LaneCell cell = held(run_view.steps(), playhead.step, selection.warp, lane);
    if (!cell.known || cell.undefined) return y;
    const Theme& colors = pane.colors();
    const Rect row = row_at(pane, y, pane.px(16));
    text_in(pane.brush, Face::caption, row, colors.quiet, "holds, in bits", Align::left);
    text_in(pane.brush, Face::small, row, colors.quiet, std::string(element_name(cell.type)), Align::right);
    y += pane.px(18);
    const Face face = element_size(cell.type) > 4 ? Face::tiny : Face::small;
    y += bits_row(pane.brush, {row.x0, y}, row.width(), cell.type, cell.bits, face) + pane.px(2);
    if (element_size(cell.type) <= 4) y += bits_names(pane.brush, {row.x0, y}, cell.type, face) + pane.px(2);
    if (const std::string text = bits_text(cell.type, cell.bits); !text.empty()) {
        y = sentence(pane, y, Face::small, colors.text, "= " + text);
    }
    for (const scene::LaneCell::Part& part : cell.more) {
        y += bits_row(pane.brush, {row.x0, y}, row.width(), part.type, part.bits, face) + pane.px(2);
        y = sentence(pane, y, Face::small, colors.text, "= " + format_element(part.type, part.bits));
    }
    return y + pane.px(7);
}

float InspectorView::draw_step(const Pane& pane, float y, const RunView& run_view, const Playhead& playhead,
                               const Selection& selection) const {
    const Theme& colors = pane.colors();
    const StepHead& step = run_view.outline.steps[playhead.step];
    const Rect head = row_at(pane, y, pane.px(22));
    text_in(pane.brush, Face::title, head, colors.strong, step.label, Align::left);
    text_in(pane.brush, Face::caption, head, colors.quiet, step.stage, Align::right);
    y = draw_findings(pane, head.y1 + pane.px(6), run_view, playhead.step, selection.warp, -1);
    const Counts counts = counts_at(run_view.steps(), playhead.step, selection.warp);
    for (const Counts::Line& each : counts.lines) {
        const Rect row = row_at(pane, y, pane.px(19));
        text_in(pane.brush, Face::caption, row, colors.quiet, each.label, Align::left);
        text_in(pane.brush, Face::figure, row, each.value ? colors.text : colors.quiet, std::to_string(each.value),
                Align::right);
        y += pane.px(19);
    }
    if (counts.adds) {
        const Rect row = row_at(pane, y, pane.px(19));
        text_in(pane.brush, Face::caption, row, colors.quiet, "utilization in add steps, so far", Align::left);
        text_in(pane.brush, Face::figure, row, colors.good, percent(counts.utilization), Align::right);
        y += pane.px(19);
    }
    y += pane.px(8);
    return sentence(pane, y, Face::body, colors.quiet,
                    "Point at a lane, or press ↓, to see its source lane, and why. A click pins it.");
}

}  // namespace lanewise::viz
