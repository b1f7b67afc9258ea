#include "viz/views/lane/inspector_view.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/base/element.hpp"
#include "viz/model/bits_paint.hpp"
#include "viz/views/reduction/chain.hpp"
#include "viz/model/result_line.hpp"
#include "viz/views/stage/scene.hpp"
#include "viz/views/stage/stage_paint.hpp"
#include "viz/model/utilization.hpp"

namespace lanewise::viz {
namespace {

using steps::StepKind;

constexpr std::size_t lane_index(int lane) { return static_cast<std::size_t>(lane); }

Rect row_at(const Pane& pane, float y, float height) {
    return {pane.box.x0 + pane.px(16), y, pane.box.x1 - pane.px(14), y + height};
}

float sentence(const Pane& pane, float y, Face face, Color color, std::string_view text) {
    const Rect row = row_at(pane, y, 0);
    return y + paragraph(pane.brush, face, {row.x0, y}, row.width(), color, text, 1.45f);
}

}  // namespace

Intent InspectorView::draw(const Pane& pane, const RunView& run_view, const Playhead& playhead, Selection& selection) {
    const steps::Steps& steps = run_view.steps();
    const Theme& colors = pane.colors();
    Intent intent;
    const int lane = selection.lane();
    const float top = pane.box.y0 - pane.scrolled;
    float y = top + pane.px(10);
    if (playhead.step >= steps.size()) {
        y = sentence(pane, y, Face::body, colors.quiet, "This run recorded no steps.");
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
    const float x = head.x0 + text_width(pane.look(), Face::title, name) + pane.px(12);
    text_in(pane.brush, Face::caption, {x, head.y0, head.x1, head.y1}, colors.quiet,
            "thread " +
                std::to_string(selection.warp.warp * static_cast<std::uint32_t>(warp_size(steps)) +
                               static_cast<std::uint32_t>(lane)) +
                " of block " + std::to_string(selection.warp.block),
            Align::left);
    const bool pinned = selection.pinned_lane == lane;
    const Rect pin{head.x1 - pane.px(64), head.y0, head.x1, head.y1};
    text_in(pane.brush, Face::caption, pin, pinned ? colors.accent : colors.quiet, pinned ? "pinned · P" : "pin · P",
            Align::right);
    if (pane.button(pin)) intent = {Intent::Kind::pin, 0};
    y = head.y1 + pane.px(7);
    // What happened to this lane: the first thing that is asked.
    y = life.draw_strip(pane, row_at(pane, y, 0), run_view, playhead, selection, lane, intent);

    const steps::WarpStep* part = steps.steps[playhead.step].find(selection.warp);
    const bool active = part && ((std::any_of(part->records.begin(), part->records.end(), [&](std::size_t r) {
        return (steps.trace->records[r].active >> lane) & 1u;
    })));
    y = draw_findings(pane, y, run_view, playhead.step, selection.warp, lane);
    if (active) {
        y = draw_formula(pane, y, run_view, *part, playhead.step, lane);
        y = draw_values(pane, y, run_view, *part, playhead.step, lane);
    } else {
        y = sentence(pane, y, Face::body, colors.quiet, "idle in this step: " + steps.steps[playhead.step].label) +
            pane.px(4);
    }
    y = draw_bits(pane, y, run_view, playhead, selection, lane);
    y = draw_inputs(pane, y, run_view, playhead, selection, lane);
    lights_.look(run_view, selection);
    y = life.draw(pane, row_at(pane, y, 0), y, run_view, playhead, selection, lights_, lane, intent);
    pane.content_height(y - top + pane.px(8));
    return intent;
}

float InspectorView::draw_formula(const Pane& pane, float y, const RunView& run_view, const steps::WarpStep& part,
                                  std::size_t step, int lane) const {
    const Theme& colors = pane.colors();
    const steps::Formula parts = steps::formula_parts(run_view.steps(), step, part.warp, lane);
    if (parts.who.empty()) return y;
    const trace::Record& record = run_view.trace().records[part.records.front()];
    const std::string head =
        parts.rule.empty() ? parts.who : parts.who + (parts.is_equation ? " = " : ": ") + parts.rule;
    y = sentence(pane, y, Face::code, colors.accent, head) + pane.px(4);

    // The rule in bits, one lane number under the other: each set bit of the mask flips one.
    if (record.op == trace::Op::shfl_xor) {
        const int arg = record.arg[lane_index(lane)];
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

float InspectorView::draw_values(const Pane& pane, float y, const RunView& run_view, const steps::WarpStep& part,
                                 std::size_t step, int lane) const {
    const Theme& colors = pane.colors();
    const StepKind kind = run_view.steps().steps[step].kind;
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
    for (const scene::ValueRow& row : scene::value_rows(run_view.steps(), step, part.warp, lane)) {
        const std::string label = row.word.empty()
                                      ? row.label
                                      : fit_text(pane.look(), Face::caption, row.label + " " + row.word, pane.px(104));
        if (row.is_value)
            line(label, format_element(row.type, row.bits), "0x" + format_bits(row.type, row.bits), ink_of(row.role));
        else line(label, row.text, "", ink_of(row.role));
    }
    const trace::Record& record = run_view.trace().records[part.records.front()];
    if (trace::is_vote(record.op) || record.op == trace::Op::active_mask) {
        const bool is_mask = record.op == trace::Op::vote_ballot || !trace::is_predicate_vote(record.op);
        if (is_mask)
            y = draw_mask(pane, y, static_cast<std::uint32_t>(record.received[lane_index(lane)]),
                          warp_size(run_view.steps()));
    } else if (kind == StepKind::fence) {
        y = sentence(pane, y, Face::body, colors.text, scene::fence_text(record.arg[lane_index(lane)]));
    }
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
                                   const steps::WarpRef& warp, int lane) const {
    if (step >= run_view.findings.size()) return y;
    for (const std::size_t i : run_view.findings[step]) {
        const trace::Finding& finding = run_view.trace().findings[i];
        const bool own =
            finding.block == warp.block && finding.warp == warp.warp && lane >= 0 && ((finding.lanes >> lane) & 1u);
        if (lane >= 0 && !own) continue;
        const Rect row = row_at(pane, y, 0);
        warning_sign(pane.brush, {row.x0 + pane.px(7), y + pane.px(10)}, pane.px(6));
        y += paragraph(pane.brush, Face::body, {row.x0 + pane.px(20), y}, row.width() - pane.px(20),
                       pane.colors().warning, finding_text(finding), 1.45f) +
             pane.px(6);
    }
    return y;
}

float InspectorView::draw_inputs(const Pane& pane, float y, const RunView& run_view, const Playhead& playhead,
                                 const Selection& selection, int lane) const {
    const steps::Steps& steps = run_view.steps();
    const Theme& colors = pane.colors();
    if (steps.input_count == 0) return y;
    const steps::LaneValues& lane_values = steps.lane_values(playhead.step, selection.warp);
    const steps::Provenance inputs = steps.provenances[lane_values.inputs[lane_index(lane)]];
    const std::string text = scene::inputs_text(inputs, steps.input_count);
    text_in(pane.brush, Face::caption, row_at(pane, y, pane.px(18)),
            inputs.counted_twice() || inputs.undefined ? colors.warning : colors.quiet, text, Align::left);
    y += pane.px(19);

    // One mark an input while they can be told apart, else one mark for several.
    const Rect row = row_at(pane, y, pane.px(12));
    const std::size_t marks = std::min<std::size_t>(steps.input_count, 64);
    const float pitch = row.width() / static_cast<float>(marks);
    for (std::size_t m = 0; m < marks; ++m) {
        const std::size_t first = m * steps.input_count / marks;
        const std::size_t last = std::max(first + 1, (m + 1) * steps.input_count / marks);
        const bool twice = inputs.count_twice(first, last) > 0;
        const double part = static_cast<double>(inputs.count(first, last)) / static_cast<double>(last - first);
        const Rect mark{row.x0 + pitch * static_cast<float>(m), row.y0,
                        row.x0 + pitch * static_cast<float>(m + 1) - pane.px(1.5f), row.y1};
        fill(pane.brush, mark, mix(colors.raised, twice ? colors.warning : colors.good, part), pane.px(1.5f));
        if (twice)
            fill(pane.brush, {mark.x0, mark.center().y - pane.px(1), mark.x1, mark.center().y + pane.px(1)},
                 colors.panel);
    }
    return y + pane.px(22);
}

// What the lane holds after the step, in every form.
float InspectorView::draw_bits(const Pane& pane, float y, const RunView& run_view, const Playhead& playhead,
                               const Selection& selection, int lane) const {
    const steps::LaneValues& lane_values = run_view.steps().lane_values(playhead.step, selection.warp);
    const steps::Provenance inputs = run_view.steps().provenances.at(lane_values.inputs[lane_index(lane)]);
    if (!((lane_values.known >> lane) & 1u) || inputs.undefined) return y;
    const Theme& colors = pane.colors();
    const std::uint64_t bits = lane_values.bits[lane_index(lane)];
    const Rect row = row_at(pane, y, pane.px(16));
    text_in(pane.brush, Face::caption, row, colors.quiet, "holds, in bits", Align::left);
    text_in(pane.brush, Face::small, row, colors.quiet, std::string(element_name(lane_values.type)), Align::right);
    y += pane.px(18);
    const Face face = element_size(lane_values.type) > 4 ? Face::tiny : Face::small;
    y += bits_row(pane.brush, {row.x0, y}, row.width(), lane_values.type, bits, face) + pane.px(2);
    if (element_size(lane_values.type) <= 4) y += bits_names(pane.brush, {row.x0, y}, lane_values.type, face) + pane.px(2);
    if (const std::string text = bits_text(lane_values.type, bits); !text.empty()) {
        y = sentence(pane, y, Face::small, colors.text, "= " + text);
    }
    return y + pane.px(7);
}

float InspectorView::draw_step(const Pane& pane, float y, const RunView& run_view, const Playhead& playhead,
                               const Selection& selection) const {
    const steps::Steps& steps = run_view.steps();
    const Theme& colors = pane.colors();
    const steps::Step& step = steps.steps[playhead.step];
    const Rect head = row_at(pane, y, pane.px(22));
    text_in(pane.brush, Face::title, head, colors.strong, step.label, Align::left);
    text_in(pane.brush, Face::caption, head, colors.quiet, step.stage, Align::right);
    y = draw_findings(pane, head.y1 + pane.px(6), run_view, playhead.step, selection.warp, -1);
    const std::size_t block = block_place(steps, selection.warp);
    if (block < step.counters.size()) {
        const steps::Step::Counters& counters = step.counters[block];
        // What the run never does is left out.
        const steps::Step::Counters& whole = steps.steps.back().counters[block];
        struct Line {
            const char* label;
            std::uint32_t value;
            std::uint32_t in_all;
        };
        const Line lines[] = {
            {"lanes at work now", counters.active_lanes, 1},
            {"lanes adding now", counters.lanes_adding, whole.add_slots ? 1u : 0u},
            {"shuffle rounds so far", counters.shuffles, whole.shuffles},
            {"block barriers so far", counters.block_barriers, whole.block_barriers},
            {"warp barriers so far", counters.warp_barriers, whole.warp_barriers},
            {"shared accesses so far", counters.shared_accesses, whole.shared_accesses},
            {"shared passes so far", counters.shared_passes, whole.shared_passes},
            {"global accesses so far", counters.global_accesses, whole.global_accesses},
            {"32-byte sectors so far", counters.global_sectors, whole.global_sectors},
            {"atomics so far", counters.atomics, whole.atomics}};
        for (const Line& each : lines) {
            if (each.in_all == 0) continue;
            const Rect row = row_at(pane, y, pane.px(19));
            text_in(pane.brush, Face::caption, row, colors.quiet, each.label, Align::left);
            text_in(pane.brush, Face::figure, row, each.value ? colors.text : colors.quiet, std::to_string(each.value),
                    Align::right);
            y += pane.px(19);
        }
        if (counters.add_slots > 0) {
            const Rect row = row_at(pane, y, pane.px(19));
            text_in(pane.brush, Face::caption, row, colors.quiet, "busy while adding, so far", Align::left);
            text_in(pane.brush, Face::figure, row, colors.good, percent(counters.busy()), Align::right);
            y += pane.px(19);
        }
    }
    y += pane.px(8);
    return sentence(pane, y, Face::body, colors.quiet,
                    "Point at a lane, or press ↓, to see whom it reads, and why. A click pins it.");
}

}  // namespace lanewise::viz
