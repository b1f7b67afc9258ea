#include "viz/views/stage/stage_view.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/scene/utilization.hpp"
#include "viz/model/result_line.hpp"
#include "viz/views/stage/stage_legend.hpp"
#include "viz/views/stage/stage_paint.hpp"

namespace lanewise::viz {
namespace {

constexpr float kLeastMatrix = 125;   // high: a cell is three pixels

}  // namespace

Intent StageView::draw(const Pane& pane, const RunView& run_view, const Playhead& playhead, Selection& selection) {
    Intent intent;
    lights_.look(run_view, selection);
    Rect rest = pane.box.inset(pane.px(4), 0);
    if (headed) draw_heading(pane, rest.cut_top(pane.px(42)).inset(pane.px(12), 0), run_view, playhead, selection);
    // Two rows of numbers and the step between them come first: where it is low, strips, joins and memory make room.
    const float least_scene = pane.px(168), legend_height = pane.px(24);
    const auto leaves_room = [&](float height) { return rest.height() - legend_height - height >= least_scene; };
    float strip_height =
        compact ? 0 : strip.height(pane.look(), run_view, selection, rest.width() - pane.px(24), rest.height());
    if (!leaves_room(strip_height)) strip_height = 0;
    if (strip_height > 0) {
        strip.draw(pane, rest.cut_top(strip_height).inset(pane.px(12), 0), run_view, playhead, selection, lights_);
    }
    // The same at any step: a finding or a note must not move the stage.
    const float room_for_memory =
        std::max(0.0f, std::min(rest.height() * 0.37f, rest.height() - legend_height - least_scene));
    const float findings_height = draw_findings(pane, rest, run_view, playhead, selection);
    rest.cut_top(findings_height);
    float joins_height = note.empty() && !compact ? joins.height(pane.look(), run_view, playhead, selection) : 0;
    if (!leaves_room(joins_height)) joins_height = 0;
    if (joins_height > 0) joins.draw(pane, rest.cut_top(joins_height).inset(pane.px(12), 0), run_view, selection);
    const Rect legend_box = compact ? Rect{} : rest.cut_bottom(pane.px(24)).inset(pane.px(12), 0);

    // Banks and rows of sectors are as wide as 32 lanes.
    const float cell = (rest.width() - pane.px(16 + gutter)) / kWarpSize;
    float memory_height =
        compact ? 0
                : std::min(memory.height(pane.look(), run_view, selection, cell * kWarpSize, room_for_memory),
                           rest.height() * 0.45f);
    if (memory_height < pane.px(64)) memory_height = 0;   // less than a heading, a row of values and its sentence
    // At all steps of the run, so that the stage does not move. In a low window the lanes come first.
    const float matrix_height =
        std::min(PermutationView::height(pane.look()),
                 std::max(rest.height() * 0.52f, std::min(pane.px(kLeastMatrix), rest.height() * 0.6f)));
    matrix_fits = !compact && matrix_height >= pane.px(kLeastMatrix);
    const bool has_matrix = matrix && matrix_fits;
    if (has_matrix) memory_height = std::max(memory_height, matrix_height);
    const Rect memory_box = rest.cut_bottom(memory_height);
    const Intent asked = draw_scene(pane, rest, run_view, playhead, selection);
    if (asked) intent = asked;
    const bool shuffled = has_matrix && note.empty() &&
                          permutation.draw(pane, memory_box, run_view, playhead.step, selection);
    if (memory_height > 0 && !shuffled) {
        memory.lanes_x0 = rest.x0 + pane.px(16);
        memory.cell = cell;
        memory.draw(pane, memory_box, run_view, playhead, selection);
    }
    if (!compact) {
        const StageLegend legend{differing_from, matrix && !matrix_fits ? "no room for the matrix: F, K" : ""};
        const Intent colors = legend.draw(pane, legend_box, run_view, legend_facts(scene_, run_view.most_inputs, rest),
                                          selection.display.colors);
        if (colors) intent = colors;
    }
    return intent;
}

void StageView::draw_heading(const Pane& pane, const Rect& where, const RunView& run_view, const Playhead& playhead,
                             const Selection& selection) const {
    const auto& steps = run_view.outline.steps;
    const Theme& colors = pane.colors();
    const std::string name = warp_name(run_view.steps(), selection.warp);
    text_in(pane.brush, Face::title, where, colors.strong, name, Align::left);
    float x = where.x0 + text_width(pane.look(), Face::title, name) + pane.px(14);
    if (playhead.step >= steps.size()) return;
    // As the scene was drawn last.
    int active = 0;
    if (has_part(run_view.steps(), playhead.step, selection.warp)) {
        for (const LaneFacts& facts : scene_.part.facts) active += facts.active ? 1 : 0;
    }
    std::string text = steps[playhead.step].label;
    if (active > 0) text += " · " + scene::lanes_text(steps[playhead.step].kind, active);
    text_in(pane.brush, Face::body, {x, where.y0, where.x1, where.y1}, colors.quiet,
            fit_text(pane.look(), Face::body, text, where.x1 - x), Align::left);
    x += text_width(pane.look(), Face::body, text) + pane.px(14);
    Rect rest{x, where.y0, where.x1, where.y1};
    const Outline& run = run_view.outline;
    if (!run.notice.empty()) {
        const std::vector<std::string> lines = fit_lines(pane.look(), Face::caption, run.notice, rest.width(), 2);
        const float pitch = pane.px(13);
        float y = where.center().y - pitch * static_cast<float>(lines.size()) / 2;
        for (const std::string& line : lines) {
            text_in(pane.brush, Face::caption, {x, y, where.x1, y + pitch}, colors.warning, line, Align::right);
            y += pitch;
        }
    } else {
        rest.cut_right(draw_result(pane.brush, rest, run_view, Face::caption, Align::right) + pane.px(14));
        // On one line, with its first sentence at least: the origin says that it is a recording, too.
        const std::string first = run.note.substr(0, run.note.find(". ") + 1);
        if (!run.note.empty() && rest.width() > text_width(pane.look(), Face::caption, first + "…"))
            text_in(pane.brush, Face::caption, rest, colors.quiet,
                    fit_text(pane.look(), Face::caption, run.note, rest.width()), Align::right);
    }
    const std::string notes = run.note + (run.note.empty() || run.notice.empty() ? "" : "\n") + run.notice;
    if (!notes.empty() && pane.hovers({x, where.y0, where.x1, where.y1})) hint_card(pane.look(), notes);
}

float StageView::draw_findings(const Pane& pane, const Rect& where, const RunView& run_view, const Playhead& playhead,
                               Selection& selection) const {
    if (!note.empty() || playhead.step >= run_view.outline.findings_at.size() ||
        run_view.outline.findings_at[playhead.step].empty())
        return 0;
    const Theme& colors = pane.colors();
    const std::vector<std::size_t>& here = run_view.outline.findings_at[playhead.step];
    // What concerns the warp that is shown comes first.
    const auto& all = run_view.outline.findings;
    const auto own = std::find_if(here.begin(), here.end(), [&](std::size_t i) {
        return all[i].block == selection.warp.block && all[i].warp == selection.warp.warp;
    });
    const FindingNote& finding = all[own == here.end() ? here.front() : *own];
    std::string text = finding.text;
    if (here.size() > 1)
        text += " And " + std::to_string(here.size() - 1) + " more at this step: see the column on the right.";

    const WarpRef concerned{selection.warp.launch, finding.block, finding.warp};
    const bool leads = own == here.end() && is_recorded(run_view.steps(), concerned);
    if (leads) text += " Click to look at that warp.";

    const Rect room = where.inset(pane.px(12), 0);
    const Brush measure{nullptr, pane.look()};
    const float text_x = room.x0 + pane.px(34);
    const float width = room.x1 - text_x - pane.px(10);
    // The lanes keep most of the room: what does not fit is in the column on the right.
    const float pitch = paragraph(measure, Face::body, {0, 0}, width, 0, "A");
    const float room_for_lines = std::max(where.height() * 0.36f, pitch * 1.5f);
    const auto most = static_cast<std::size_t>(room_for_lines / pitch);
    const std::vector<std::string> lines = fit_lines(pane.look(), Face::body, text, width, most);
    const float height = pitch * static_cast<float>(lines.size()) + pane.px(14);
    const Rect card{room.x0, room.y0 + pane.px(2), room.x1, room.y0 + pane.px(2) + height};
    fill(pane.brush, card, mix(colors.ground, colors.warning, leads && pane.hovers(card) ? 0.22 : 0.13), pane.px(6));
    if (leads && pane.button(card)) selection.warp = concerned;
    outline(pane.brush, card, colors.warning, pane.px(6), pane.px(1.2f));
    warning_sign(pane.brush, {card.x0 + pane.px(17), card.y0 + pane.px(16)}, pane.px(8));
    float y = card.y0 + pane.px(7);
    for (const std::string& line : lines) {
        text_in(pane.brush, Face::body, {text_x, y, text_x + width, y + pitch}, colors.text, line, Align::left);
        y += pitch;
    }
    return height + pane.px(8);
}

const scene::Stage& StageView::stage_at(const RunView& run_view, std::size_t step, const WarpRef& warp) {
    if (stage_run_ == run_view.run && stage_.step == step && stage_.warp == warp) return stage_;
    stage_run_ = run_view.run;
    texts_.rows.clear();
    return stage_ = stage_of(run_view.steps(), step, warp);
}

Intent StageView::draw_scene(const Pane& pane, const Rect& where, const RunView& run_view, const Playhead& playhead,
                             Selection& selection) {
    Rect area = where;
    const Rect numbers = area.cut_top(pane.px(18));
    area.cut_top(pane.px(3));
    camera.take_input(pane, area, scene_, playhead.step);
    const Look look = camera.look(pane.look());
    StageMetrics metrics = camera.metrics(area, pane.look(), gutter);
    metrics.texts = &texts_;
    scene_ = place_stage(stage_at(run_view, playhead.step, selection.warp), metrics);
    if (note.empty()) scene_.faulting = faulting_lanes(run_view, playhead.step, selection.warp);
    scene_.differing = differing;

    // Names are right of the lanes, or at the edge where lanes reach beyond it.
    Rect gutter_box{std::min(scene_.lanes_x1(), area.x1 - pane.px(gutter)), area.y0, area.x1, area.y1};
    const Rect lanes_box{area.x0, area.y0, camera.zoom() > 1 ? gutter_box.x0 : area.x1, area.y1};
    const StageCamera::Scrolled scrolled = camera.place(scene_, area, lanes_box);
    motion_.ease(scene_, run_view.run, playhead.entrance(0, 0.7f));

    const ValueScale& values = run_view.scale_of(selection.warp);
    const ValueScale plain = plain_words(pane.colors());
    const ColorBy by = selection.display.colors;
    StagePaint painter;
    painter.brush = {pane.brush.canvas, look};
    painter.run_view = &run_view;
    painter.colors_of = {&run_view, &values, &pane.colors(), by};
    painter.words_by = by == ColorBy::value ? &values : &plain;
    painter.lane = selection.lane();
    painter.visible = lanes_box;
    painter.gutter = gutter_box;
    painter.plain = pane.look();
    painter.settled = playhead.entrance(0, 0.7f) > 0.97f;
    painter.travel = motion_.goes_back() ? 1 : playhead.entrance(0.2f, 1);
    painter.lights = lights_.any() ? &lights_ : nullptr;

    Canvas& canvas = *pane.brush.canvas;
    canvas.push_clip({lanes_box.x0, numbers.y0, lanes_box.x1, numbers.y1});
    painter.lane_numbers(scene_, numbers.y1);
    canvas.pop_clip();
    canvas.push_clip(lanes_box);
    painter.paint(scene_);
    canvas.pop_clip();
    canvas.push_clip(gutter_box);
    painter.names(scene_);
    canvas.pop_clip();
    // What is scrolled away fades instead of being cut through its numbers.
    const auto fade = [&](float y0, float y1, bool top) {
        const Color solid = pane.colors().ground;
        const Color clear = with_alpha(solid, 0);
        canvas.gradient({area.x0, y0, area.x1, y1}, top ? solid : clear, top ? clear : solid, Canvas::Towards::bottom);
    };
    const float reach = std::clamp(area.height() * 0.07f, pane.px(6), pane.px(30));
    if (scrolled.offset > 1) fade(area.y0, area.y0 + reach, true);
    if (scrolled.offset < scrolled.spare - 1) fade(area.y1 - reach, area.y1, false);
    if (!compact) draw_zoom(pane, {gutter_box.x0, numbers.y0, numbers.x1, numbers.y1});
    return point_at(pane, lanes_box, gutter_box, playhead, selection);
}

// The lane, the step or the word of memory that is under the pointer.
Intent StageView::point_at(const Pane& pane, const Rect& lanes_box, const Rect& gutter_box, const Playhead& playhead,
                           Selection& selection) {
    const Point at = pane.pointer();
    const std::size_t under = scene_.band_at(at.y);
    const Band* band = under < scene_.bands.size() ? &scene_.bands[under] : nullptr;
    if (pane.hovers(gutter_box)) {
        if (!band) return {};
        selection.next.step = band->step;
        if (camera.zoom() < 1 && !band->present)
            hint_card(pane.look(), "step " + std::to_string(band->step + 1) + " · " + band->label);
        if (!band->present && pane.button(gutter_box)) return {Intent::Kind::go_to, band->step};
        return {};
    }
    if (!pane.hovers(lanes_box)) return {};
    const int lane = scene_.lane_at(at.x);
    if (lane >= 0) selection.next.lane = lane;
    if (band && !band->present) selection.next.step = band->step;
    for (std::size_t i = 0; band && band->present && i < band->words.size(); ++i) {
        const Word& word = band->words[i];
        if (!word.box.contains(at)) continue;
        selection.next.word = {word.array_id, word.index};
        std::string values;   // whole, whatever there was room for
        for (std::size_t k = 0; word.known && k < word.values.size(); ++k)
            values += (k > 0 ? ", " : " = ") + format_element(word.type, word.values[k]);
        hint_card(pane.look(), word.array + "[" + std::to_string(word.index) + "]" + values + " · " +
                                   use_text(lights_.uses(), playhead.step));
        // A word of one lane explains that lane.
        if (std::popcount(word.lanes) == 1) selection.next.lane = std::countr_zero(word.lanes);
    }
    // Its number can be changed; the first of the two clicks pinned it, or did not.
    if (lane >= 0 && pane.hovers(lanes_box) && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
        selection.pinned_lane = lane;
        return {Intent::Kind::lane_value, static_cast<std::size_t>(lane)};
    }
    if (lane >= 0 && pane.clicked(lanes_box)) selection.pinned_lane = selection.pinned_lane == lane ? -1 : lane;
    return {};
}

// Smaller, how large, larger.
void StageView::draw_zoom(const Pane& pane, const Rect& where) {
    const Theme& colors = pane.colors();
    Rect rest{where.x1 - pane.px(68), where.y0, where.x1 - pane.px(2), where.y1};
    const std::string percent = std::to_string(static_cast<int>(std::lround(camera.zoom() * 100))) + " %";
    const auto part = [&](float width, const std::string& text, const char* hint) {
        const Rect box = rest.cut_left(pane.px(width));
        const bool hovered = pane.hovers(box);
        if (hovered) fill(pane.brush, box, colors.raised, pane.px(4));
        text_in(pane.brush, Face::caption, box, hovered ? colors.strong : colors.quiet, text);
        if (hovered) hint_card(pane.look(), hint);
        return pane.button(box);
    };
    if (part(15, "−", "smaller: more steps in sight · Shift Z, Ctrl wheel")) camera.smaller();
    if (part(36, percent, "how large the stage is · a click or a double click on the stage: 100 %")) camera.reset();
    if (part(15, "+", "larger; right or middle button drags · Z, Ctrl wheel")) camera.larger();
}

}  // namespace lanewise::viz
