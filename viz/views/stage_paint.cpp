#include "viz/views/stage_paint.hpp"

#include <algorithm>
#include <cmath>

#include "common/base/element.hpp"

namespace lanewise::viz {
namespace {

using steps::StepKind;

constexpr std::size_t lane_index(int lane) { return static_cast<std::size_t>(lane); }

bool is_barrier(StepKind kind) { return kind == StepKind::warp_barrier || kind == StepKind::block_barrier; }

}  // namespace

Face cell_face(const Look& look, float cell, int chars) {
    for (const Face face : {Face::figure, Face::small}) {
        if ((*look.fonts)[face].digit * static_cast<float>(chars) + look.px(2.5f) <= cell) return face;
    }
    return Face::tiny;
}

void blame_mark(const Brush& brush, const Rect& box) {
    const Color color = brush.colors().warning;
    outline(brush, box, color, brush.px(3), brush.px(2));
    // A sign as well as a colour: a corner is folded over.
    const float fold = brush.px(7);
    triangle(brush, {box.x1 - fold, box.y0}, {box.x1, box.y0}, {box.x1, box.y0 + fold}, color);
}

void differ_mark(const Brush& brush, const Rect& box) {
    const Color color = brush.colors().warning;
    // "≠", drawn: not every font has it.
    const float y = box.y1 + brush.px(1), x = box.center().x, half = std::min(brush.px(6), box.width() * 0.35f);
    fill(brush, {box.x0 + brush.px(1), box.y1 - brush.px(1.5f), box.x1 - brush.px(1), box.y1 + brush.px(1)}, color);
    for (const float dy : {brush.px(3), brush.px(6)}) fill(brush, {x - half, y + dy, x + half, y + dy + brush.px(1.3f)}, color);
    hairline(brush, {x - half * 0.5f, y + brush.px(9)}, {x + half * 0.5f, y + brush.px(1.5f)}, color, brush.px(1.3f));
}

void StagePaint::paint(const Scene& scene) const {
    // Lines first, numbers last: nothing is ever drawn across a number.
    for (const Band& each : scene.bands) {
        if (each.box.y1 < visible.y0 || each.box.y0 > visible.y1) continue;
        if (each.present) band(scene, each);
        else quiet_band(scene, each);
        label(scene, each);
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
    if (lane >= 0) {
        lit_cells(scene);
        formula_card(scene);
    }
}

void StagePaint::lane_numbers(const Scene& scene, float bottom) const {
    const Theme& colors = brush.colors();
    const int source = source_of(scene, lane);
    for (int i = 0; i < scene.lanes; ++i) {
        const float x = scene.lanes_x0 + scene.cell * static_cast<float>(i);
        const Rect box{x, bottom - brush.px(15), x + scene.cell, bottom};
        const bool blamed = (scene.blamed >> i) & 1u;
        const Color ink = blamed ? colors.warning : i == lane ? colors.strong : i == source ? colors.accent : colors.quiet;
        text_in(brush, Face::tiny, box, ink, std::to_string(i));
    }
}

int StagePaint::source_of(const Scene& scene, int reader) const {
    if (reader < 0 || reader >= static_cast<int>(scene.facts.size())) return -1;
    const LaneFacts& facts = scene.facts[lane_index(reader)];
    return facts.active ? facts.view.source : -1;
}

void StagePaint::row(const Scene& scene, const Row& row, const Band* present) const {
    const Theme& colors = brush.colors();
    const Face face = cell_face(brush.look, scene.cell, row.chars);
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
        const bool at_work = present && ((present->active >> i) & 1u);
        double dim = row.near ? (at_work || !present || is_barrier(present->kind) ? 0.0 : 0.62) : 0.62;
        if (row.thin) dim = 0.72;
        if (result) dim = std::max(dim, 0.75 * (1.0 - static_cast<double>(entrance)));
        const Color ground = mix(value_color(cell.type, cell.bits), colors.ground, dim);
        CellStyle style;
        style.ground = ground;
        style.face = face;
        style.ink = text_on(ground);
        if (cell.undefined) {
            style.ground = mix(colors.ground, colors.warning, 0.18);
            style.ink = colors.warning;
            style.border = colors.warning;
        }
        if (row.thin) {
            fill(brush, cell.box, style.ground, brush.px(1.5f));
            continue;
        }
        lane_cell(brush, cell.box, cell.undefined ? "?" : std::string_view(cell.text), style);
        if (cell.undefined) continue;
        // A foot that says how the sum stands: whole, or spoilt by something counted twice.
        const float foot = cell.box.y1 - brush.px(3.5f);
        if (cell.counted_twice) {
            for (float x = cell.box.x0 + brush.px(4); x < cell.box.x1 - brush.px(4); x += brush.px(5)) {
                fill(brush, {x, foot, std::min(x + brush.px(2.5f), cell.box.x1 - brush.px(3)), foot + brush.px(2)}, style.ink);
            }
        } else if (cell.inputs > 1 && cell.inputs == exhibit->most_inputs) {
            fill(brush, {cell.box.x0 + brush.px(4), foot, cell.box.x1 - brush.px(4), foot + brush.px(2)}, style.ink);
        }
    }
}

// Rounds that are not the present one: thin lines in one colour, few of them bright.
void StagePaint::quiet_band(const Scene& scene, const Band& band) const {
    const Theme& colors = brush.colors();
    const Color color = with_alpha(colors.faint, band.reached ? 0.75 : 0.5);
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
    // A short stroke for each lane at work.
    for (int i = 0; i < scene.lanes; ++i) {
        if (!((band.active >> i) & 1u)) continue;
        const float x = scene.lanes_x0 + scene.cell * (static_cast<float>(i) + 0.5f);
        fill(brush, {x - brush.px(0.75f), y - brush.px(5), x + brush.px(0.75f), y + brush.px(5)}, color);
    }
}

void StagePaint::band(const Scene& scene, const Band& band) const {
    if (!band.takes_part) {
        text_in(brush, Face::caption, band.box, brush.colors().quiet, "this warp has no part in this step");
        return;
    }
    switch (band.kind) {
        case StepKind::shuffle: arcs(scene, band); break;
        case StepKind::reduce: reduce(scene, band); break;
        case StepKind::vote: band.groups.empty() ? vote(scene, band) : match(scene, band); break;
        case StepKind::active_mask: active_mask(scene, band); break;
        case StepKind::fence: fence(scene, band); break;
        case StepKind::warp_barrier:
        case StepKind::block_barrier: barrier(scene, band); break;
        default: words(scene, band); break;
    }
}

void StagePaint::arcs(const Scene& scene, const Band& band) const {
    const Theme& colors = brush.colors();
    const Row* above = nullptr;
    for (std::size_t i = 0; i < scene.bands.size(); ++i) {
        if (&scene.bands[i] == &band) above = &scene.rows[i];
    }
    const auto color_of = [&](const Arc& each) {
        const LaneCell& source = above->lanes[lane_index(each.source)];
        if (each.undefined) return colors.warning;
        return source.known ? mix(value_color(source.type, source.bits), colors.strong, 0.12) : colors.quiet;
    };
    const Arc* lit = nullptr;
    for (const Arc& each : band.arcs) {
        if (each.reader == lane) {
            lit = &each;
            continue;
        }
        double alpha = lane >= 0 ? 0.34 : 0.85;
        if (!each.used) alpha *= 0.4;
        ArcStyle style{with_alpha(color_of(each), alpha), brush.px(1.4f), 24, entrance};
        arc(brush, each.from, each.to, style);
        if (lane < 0 && each.used && entrance >= 1) arrow_head(brush, {each.to.x, each.to.y + brush.px(1)}, brush.px(3), style.color);
    }
    if (!lit) return;
    const float x = scene.lanes_x0 + scene.cell * (static_cast<float>(lane) + 0.5f);
    if (lit->source != lane) hairline(brush, {x, lit->from.y}, {x, lit->to.y}, colors.focus, brush.px(1.8f));
    ArcStyle style{lit->undefined ? colors.warning : colors.accent, brush.px(3), 28, entrance};
    arc(brush, lit->from, lit->to, style);
    arrow_head(brush, {lit->to.x, lit->to.y + brush.px(1)}, brush.px(4.5f), style.color);
}

void StagePaint::label(const Scene& scene, const Band& band) const {
    const Theme& colors = brush.colors();
    const float x = scene.lanes_x1() + brush.px(9);
    const float room = std::min(visible.x1 - x - brush.px(2), brush.px(150));
    if (room < brush.px(20)) return;
    Color ink = colors.quiet;
    if (band.present) ink = colors.accent;
    else if (!band.reached) ink = with_alpha(colors.quiet, 0.75);
    const float pitch = brush.px(13);
    // One word a line where the name is longer than the gutter.
    std::vector<std::string> lines{band.label};
    const std::size_t space = band.label.find(' ');
    if (text_width(brush.look, Face::small, band.label) > room && space != std::string::npos) {
        lines = {band.label.substr(0, space), band.label.substr(space + 1)};
    }
    if (static_cast<float>(lines.size()) * pitch > band.box.height() + brush.px(16)) lines = {band.label};
    // "scratch +64" is a little wider than the gutter.
    const auto face_of = [&](const std::string& words) { return text_width(brush.look, Face::small, words) > room ? Face::tiny : Face::small; };
    float y = band.box.center().y - pitch * static_cast<float>(lines.size()) / 2;
    if (band.present) {
        float width = 0;
        for (const std::string& words : lines) width = std::max(width, text_width(brush.look, face_of(words), words));
        fill(brush, {x - brush.px(6), y - brush.px(5), x + std::min(width + brush.px(6), room), y + pitch * static_cast<float>(lines.size()) + brush.px(5)},
             colors.accent_ground, brush.px(5));
    }
    for (const std::string& words : lines) {
        text_in(brush, face_of(words), {x, y, visible.x1, y + pitch}, ink, fit_text(brush.look, face_of(words), words, room), Align::left);
        y += pitch;
    }
}

// Lanes that a finding names, and lanes that hold something else than in the run beside this one.
void StagePaint::marks(const Scene& scene) const {
    for (std::size_t b = 0; b < scene.bands.size(); ++b) {
        if (!scene.bands[b].present) continue;
        for (const std::size_t r : {b, b + 1}) {
            if (scene.rows[r].thin) continue;
            for (int i = 0; i < scene.lanes; ++i) {
                const Rect box = scene.rows[r].lanes[lane_index(i)].box;
                if ((scene.blamed >> i) & 1u) blame_mark(brush, box);
                if (r == b + 1 && ((scene.differing >> i) & 1u)) differ_mark(brush, box);
            }
        }
    }
}

void StagePaint::lit_cells(const Scene& scene) const {
    const Theme& colors = brush.colors();
    const int source = source_of(scene, lane);
    for (std::size_t i = 0; i < scene.bands.size(); ++i) {
        if (!scene.bands[i].present) continue;
        const auto frame = [&](const Row& row, int which, Color color) {
            if (which < 0 || row.thin) return;
            outline(brush, row.lanes[lane_index(which)].box.inset(-brush.px(1.5f)), color, brush.px(4), brush.px(2));
        };
        // A number that does not stand whole in its cell is told in a wider box over its neighbours.
        const auto tell = [&](const Row& row, int which, Color color) {
            frame(row, which, color);
            if (which >= 0 && !row.thin) whole_number(scene, row.lanes[lane_index(which)], color);
        };
        if (source != lane) tell(scene.rows[i], source, colors.accent);
        tell(scene.rows[i], lane, colors.focus);
        tell(scene.rows[i + 1], lane, colors.focus);
    }
}

// The lane's number with all its digits, in a box over its cell as wide as it takes; nothing where the cell tells it.
void StagePaint::whole_number(const Scene& scene, const LaneCell& cell, Color edge) const {
    if (!cell.known || cell.undefined || cell.text.empty()) return;
    const std::string whole = format_element(cell.type, cell.bits);
    if (whole == cell.text) return;
    const float width = text_width(brush.look, Face::figure, whole) + brush.px(10);
    const float x = std::clamp(cell.box.center().x - width / 2, scene.lanes_x0, std::max(scene.lanes_x0, scene.lanes_x1() - width));
    const Rect box = Rect{x, cell.box.y0, x + width, cell.box.y1}.inset(-brush.px(1.5f));
    const Color ground = value_color(cell.type, cell.bits);
    fill(brush, box, ground, brush.px(4));
    outline(brush, box, edge, brush.px(4), brush.px(2));
    text_in(brush, Face::figure, box, text_on(ground), whole);
}

void StagePaint::formula_card(const Scene& scene) const {
    const auto present = std::find_if(scene.bands.begin(), scene.bands.end(), [](const Band& b) { return b.present; });
    if (present == scene.bands.end() || present->kind != StepKind::shuffle || entrance < 1) return;
    const steps::Formula parts = steps::formula_parts(exhibit->steps(), scene.step, scene.warp, lane);
    if (parts.who.empty()) return;
    const Theme& colors = brush.colors();
    const std::string first = parts.rule.empty() ? parts.who : parts.who + (parts.is_equation ? " = " : ": ") + parts.rule;
    const float width = std::max(text_width(brush.look, Face::code, first),
                                 text_width(brush.look, Face::code, parts.arithmetic)) + brush.px(24);
    const float height = brush.px(parts.arithmetic.empty() ? 29 : 46);
    // Beside the lit arc, on the side with more room.
    float left = scene.lanes_x0 + scene.cell * static_cast<float>(lane);
    float right = left + scene.cell;
    for (const Arc& each : present->arcs) {
        if (each.reader != lane) continue;
        left = std::min(left, std::min(each.from.x, each.to.x));
        right = std::max(right, std::max(each.from.x, each.to.x));
    }
    const float gap = brush.px(14);
    float x = right + gap;
    float y = present->box.center().y - height / 2;
    if (x + width > present->box.x1) x = left - gap - width;
    if (x < present->box.x0) {
        // No room beside it: an S-curve leaves two corners free.
        const int source = source_of(scene, lane);
        const float middle = (left + right) / 2;
        const bool right_corner = middle + gap + width <= present->box.x1;
        x = right_corner ? middle + gap : std::max(present->box.x0, middle - gap - width);
        y = present->box.center().y + ((source > lane) == right_corner ? brush.px(8) : -brush.px(8) - height);
    }
    const Rect card{x, y, x + width, y + height};
    fill(brush, card, colors.panel, brush.px(6));
    outline(brush, card, with_alpha(colors.accent, 0.9), brush.px(6), brush.px(1));
    text_in(brush, Face::code, {x + brush.px(12), y + brush.px(6), card.x1, y + brush.px(23)}, colors.strong, first, Align::left);
    text_in(brush, Face::code, {x + brush.px(12), y + brush.px(23), card.x1, y + brush.px(40)}, colors.text, parts.arithmetic, Align::left);
}

}  // namespace lanewise::viz
