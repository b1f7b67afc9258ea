#include "viz/views/stage/stage_paint.hpp"

#include <algorithm>
#include <cmath>

#include "common/base/element.hpp"
#include "common/base/lanes.hpp"
#include "common/scene/cell_text.hpp"

namespace lanewise::viz {
void StagePaint::paint(const Scene& scene) const {
    // Lines first, numbers last: nothing is ever drawn across a number.
    for (const Band& each : scene.bands) {
        if (each.box.y1 < visible.y0 || each.box.y0 > visible.y1) continue;
        if (each.present) band(scene, each);
        else quiet_band(scene, each);
    }
    for (std::size_t i = 0; i < scene.rows.size(); ++i) {
        const Row& each = scene.rows[i];
        if (each.y1 < visible.y0 || each.y0 > visible.y1) continue;
        const Band* present = nullptr;
        if (i > 0 && scene.bands[i - 1].present) present = &scene.bands[i - 1];
        else if (i < scene.bands.size() && scene.bands[i].present) present = &scene.bands[i];
        row(scene, each, present);
    }
    marks(scene);
    if (lights) lit_by_links(scene);
    if (lane >= 0) {
        lit_cells(scene);
        formula_card(scene);
    }
}

int StagePaint::source_of(const Scene& scene, int reader) const {
    if (reader < 0 || reader >= static_cast<int>(scene.part.facts.size())) return -1;
    const LaneFacts& facts = scene.part.facts[lane_index(reader)];
    return facts.active ? facts.view.source : -1;
}

void StagePaint::row(const Scene& scene, const Row& row, const Band* present) const {
    const Theme& colors = brush.colors();
    const Face face = cell_face(brush.look, scene.cell, row.widths);
    const bool result = present && row.step == present->step;
    for (int i = 0; i < scene.lanes; ++i) {
        const LaneCell& cell = row.lanes[lane_index(i)];
        const float rounding = brush.px(3);
        if (!row.reached) {
            if (!row.thin) outline(brush, cell.box, with_alpha(colors.faint, 0.55), rounding, brush.px(1));
            continue;
        }
        if (!cell.known) {
            if (!row.thin) outline(brush, cell.box, with_alpha(colors.faint, 0.8), rounding, brush.px(1));
            continue;
        }
        const bool active = present && ((present->active >> i) & 1u);
        double dim = row.near ? (active || !present || is_barrier(present->kind) ? 0.0 : 0.62) : 0.62;
        if (row.thin) dim = 0.72;
        // A result is there when what it is made of has arrived.
        if (result) dim = std::max(dim, 0.8 * std::clamp(2.5 * (1.0 - static_cast<double>(travel)), 0.0, 1.0));
        const Color ground = mix(cell_color(cell), colors.ground, dim);
        CellStyle style;
        style.ground = ground;
        style.face = face;
        style.ink = text_on(ground);
        if (result && travel < 1) style.ink = with_alpha(style.ink, 1 - dim);
        if (cell.undefined) {
            style.ground = mix(colors.ground, colors.warning, 0.18);
            style.ink = colors.warning;
            style.border = colors.warning;
        }
        if (row.thin) {
            fill(brush, cell.box, style.ground, brush.px(1.5f));
            continue;
        }
        const bool numbers = cell.box.height() >= brush.px(12);
        lane_cell(brush, cell.box,
                  !numbers         ? std::string_view()
                  : cell.undefined ? "?"
                                   : std::string_view(cell.text),
                  style);
        if (cell.undefined || !numbers) continue;
        const std::size_t most = run_view->most_inputs;
        // Under a number of two lines it is at the very edge.
        const bool two_lines = cell.text.find('\n') != std::string::npos;
        const Rect on{cell.box.x0, cell.box.y0, cell.box.x1, cell.box.y1 + (two_lines ? brush.px(1.8f) : 0)};
        coverage_foot(brush, on, style.ink, coverage_of(cell.inputs, cell.counted_twice, false, most),
                      part_included(cell.inputs, most), cell.more_perhaps, colors_of.by == ColorBy::inputs && most > 1);
    }
}

// Rounds that are not the present one: thin lines in one colour, few of them bright.
void StagePaint::quiet_band(const Scene& scene, const Band& band) const {
    const Theme& colors = brush.colors();
    const Color color = with_alpha(colors.faint, band.reached ? 0.75 : 0.5);
    if (band.box.height() < brush.px(6)) return;   // nothing but a blur
    if (band.kind == StepKind::shuffle) {
        ArcStyle style{color, 1.0f, 8, 1};
        for (const Arc& each : band.arcs) {
            if (each.source == each.reader) continue;
            // Long arcs need more pieces to look round.
            style.segments = std::clamp(8 + static_cast<int>(std::abs(each.from.x - each.to.x) / brush.px(50)), 8, 16);
            arc(brush, each.from, each.to, style);
        }
        return;
    }
    const float y = band.box.center().y;
    if (is_barrier(band.kind) || band.kind == StepKind::reduce) {
        const Color kind = is_barrier(band.kind) ? colors.step_barrier : colors.step_shuffle;
        hairline(brush, {band.box.x0, y}, {band.box.x1, y}, with_alpha(kind, band.reached ? 0.6 : 0.4),
                 brush.px(1.5f));
        return;
    }
    // A short stroke for each active lane.
    for (int i = 0; i < scene.lanes; ++i) {
        if (!((band.active >> i) & 1u)) continue;
        const float x = scene.lanes_x0 + scene.cell * (static_cast<float>(i) + 0.5f);
        fill(brush, {x - brush.px(0.75f), y - brush.px(5), x + brush.px(0.75f), y + brush.px(5)}, color);
    }
}

void StagePaint::band(const Scene& scene, const Band& band) const {
    if (!band.takes_part) {
        text_in(brush, Face::caption, band.box, brush.colors().quiet, caption_of(scene.part));
        return;
    }
    switch (band.kind) {
        case StepKind::shuffle: arcs(scene, band); break;
        case StepKind::reduce: reduce(scene, band); break;
        case StepKind::vote: scene.part.compares ? match(scene, band) : vote(scene, band); break;
        case StepKind::active_mask: active_mask(scene, band); break;
        case StepKind::fence: fence(scene, band); break;
        case StepKind::warp_barrier:
        case StepKind::block_barrier: barrier(scene, band); break;
        default: words(scene, band); break;
    }
}

void StagePaint::arcs(const Scene& scene, const Band& band) const {
    const Theme& colors = brush.colors();
    const Row& above = scene.rows[static_cast<std::size_t>(&band - scene.bands.data())];
    const auto color_of = [&](const Arc& each) {
        const LaneCell& source = above.lanes[lane_index(each.source)];
        if (each.undefined) return colors.warning;
        return source.known ? mix(cell_color(source), colors.strong, 0.12) : colors.quiet;
    };
    const Arc* lit = nullptr;
    for (const Arc& each : band.arcs) {
        if (each.reader == lane) {
            lit = &each;
            continue;
        }
        double alpha = lane >= 0 ? 0.34 : 0.85;
        if (!each.used) alpha *= 0.4;
        ArcStyle style{with_alpha(color_of(each), alpha), brush.px(1.4f), 24, travel};
        arc(brush, each.from, each.to, style);
        if (travel < 1) circle(brush, arc_point(each.from, each.to, travel), brush.px(3.2f), color_of(each));
        else if (lane < 0 && each.used)
            arrow_head(brush, {each.to.x, each.to.y + brush.px(1)}, brush.px(3), style.color);
    }
    if (!lit) return;
    const float x = scene.lanes_x0 + scene.cell * (static_cast<float>(lane) + 0.5f);
    if (lit->source != lane) hairline(brush, {x, lit->from.y}, {x, lit->to.y}, colors.focus, brush.px(1.8f));
    ArcStyle style{lit->undefined ? colors.warning : colors.accent, brush.px(3), 28, travel};
    arc(brush, lit->from, lit->to, style);
    if (travel < 1) token(scene, *lit, above.lanes[lane_index(lit->source)], style.color);
    else arrow_head(brush, {lit->to.x, lit->to.y + brush.px(1)}, brush.px(4.5f), style.color);
}

// The number itself, on its way to the lane that is looked at.
void StagePaint::token(const Scene& scene, const Arc& way, const LaneCell& source, Color color) const {
    const Point at = arc_point(way.from, way.to, travel);
    if (!source.known || source.text.empty()) {
        circle(brush, at, brush.px(4.5f), color);
        return;
    }
    const float height = source.box.height() * 0.8f;
    const float y = std::clamp(at.y, way.from.y + height / 2, std::max(way.from.y + height / 2, way.to.y - height / 2));
    const Rect box{at.x - scene.cell / 2, y - height / 2, at.x + scene.cell / 2, y + height / 2};
    CellStyle style;
    style.ground = cell_color(source);
    style.border = color;
    style.border_width = brush.px(1.5f);
    CellWidths widths;
    widths.add(source.text);
    style.face = cell_face(brush.look, scene.cell, widths);
    lane_cell(brush, box, source.text, style);
}

}  // namespace lanewise::viz
