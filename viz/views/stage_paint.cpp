#include "viz/views/stage_paint.hpp"

#include <algorithm>
#include <cmath>

#include "common/base/element.hpp"
#include "viz/views/cell_text.hpp"

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

void standing_foot(const Brush& brush, const Rect& cell, Color ink, Standing standing, float part, bool more_perhaps, bool gauge) {
    const float x0 = cell.x0 + brush.px(4), x1 = cell.x1 - brush.px(4), y = cell.y1 - brush.px(3.5f), thick = brush.px(2);
    float end = x1;
    switch (standing) {
        case Standing::untold:
        case Standing::undefined: return;
        case Standing::twice:
            for (float x = x0; x < x1; x += brush.px(5)) fill(brush, {x, y, std::min(x + brush.px(2.5f), x1 + brush.px(1)), y + thick}, ink);
            return;
        case Standing::partial:
            if (!gauge) return;
            end = x0 + std::max(brush.px(1.5f), (x1 - x0) * part * 0.9f);
            break;
        case Standing::complete: break;
    }
    fill(brush, {x0, y, end, y + thick}, ink);
    if (more_perhaps && gauge) outline(brush, {end, y, std::min(end + brush.px(5), cell.x1 - brush.px(1)), y + thick}, ink, 0, brush.px(0.7f));
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
        // A result is there when what it is made of has arrived.
        if (result) dim = std::max(dim, 0.8 * std::clamp(2.5 * (1.0 - static_cast<double>(travel)), 0.0, 1.0));
        const Color ground = mix(cell_color(cell), colors.ground, dim);
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
        const bool numbers = cell.box.height() >= brush.px(12);
        lane_cell(brush, cell.box, !numbers ? std::string_view() : cell.undefined ? "?" : std::string_view(cell.text), style);
        if (cell.undefined || !numbers) continue;
        const std::size_t most = exhibit->most_inputs;
        standing_foot(brush, cell.box, style.ink, standing_of(cell.inputs, cell.counted_twice, false, most), part_held(cell.inputs, most),
                      cell.more_perhaps, colors_of.by == ColorBy::inputs);
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
        else if (lane < 0 && each.used) arrow_head(brush, {each.to.x, each.to.y + brush.px(1)}, brush.px(3), style.color);
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
    style.face = cell_face(brush.look, scene.cell, cell_width(source.text));
    lane_cell(brush, box, source.text, style);
}

// Beside the lanes: the present step first, then as many of the others as have room.
void StagePaint::names(const Scene& scene) const {
    const Brush words{brush.canvas, plain};
    const Theme& colors = words.colors();
    const float x = gutter.x0 + words.px(9);
    const float room = std::min(gutter.x1 - x - words.px(2), words.px(150));
    if (room < words.px(20)) return;
    const float pitch = words.px(13);
    // "scratch +64" is a little wider than the gutter.
    const auto face_of = [&](const std::string& line) { return text_width(plain, Face::small, line) > room ? Face::tiny : Face::small; };
    std::vector<Rect> taken;
    const auto name = [&](const Band& band) {
        const bool lit = lights && lights->step(band.step);
        // One word a line where the name is longer than the gutter.
        std::vector<std::string> lines{band.label};
        const std::size_t space = band.label.find(' ');
        if (text_width(plain, Face::small, band.label) > room && space != std::string::npos) {
            lines = {band.label.substr(0, space), band.label.substr(space + 1)};
        }
        if (static_cast<float>(lines.size()) * pitch > band.box.height() + words.px(16)) lines = {band.label};
        const float y0 = band.box.center().y - pitch * static_cast<float>(lines.size()) / 2;
        const float margin = words.px(band.present ? 5 : -1);
        const Rect box{gutter.x0, y0 - margin, gutter.x1, y0 + pitch * static_cast<float>(lines.size()) + margin};
        if (box.y1 < gutter.y0 || box.y0 > gutter.y1) return;
        if (std::any_of(taken.begin(), taken.end(), [&](const Rect& other) { return other.overlaps(box); })) return;
        taken.push_back(box);
        if (band.present || lit) {
            float width = 0;
            for (const std::string& line : lines) width = std::max(width, text_width(plain, face_of(line), line));
            const Rect ground{x - words.px(6), box.y0 + (band.present ? 0 : words.px(-3)), x + std::min(width + words.px(6), room), box.y1 + (band.present ? 0 : words.px(3))};
            if (band.present) fill(words, ground, colors.accent_ground, words.px(5));
            if (lit) outline(words, ground, band.present ? colors.accent : colors.quiet, words.px(5), words.px(1));
        }
        const Color ink = band.present ? colors.accent : lit ? colors.text : band.reached ? colors.quiet : with_alpha(colors.quiet, 0.75);
        float y = y0;
        for (const std::string& line : lines) {
            text_in(words, face_of(line), {x, y, gutter.x1, y + pitch}, ink, fit_text(plain, face_of(line), line, room), Align::left);
            y += pitch;
        }
    };
    for (const Band& band : scene.bands) {
        if (band.present) name(band);
    }
    for (const Band& band : scene.bands) {
        if (!band.present) name(band);
    }
}

// Who writes and who reads the word that is pointed at: a wedge leaves the cell, or enters it.
void StagePaint::lit_by_links(const Scene& scene) const {
    const Theme& colors = brush.colors();
    for (const WordUse& use : lights->uses()) {
        if (!(use.warp == scene.warp)) continue;
        for (std::size_t i = 0; i < scene.bands.size(); ++i) {
            if (scene.bands[i].step != use.step) continue;
            // What was written was held before; what was read is held after.
            const Row& row = scene.rows[use.writes && !use.reads ? i : i + 1];
            for (int each = 0; each < scene.lanes; ++each) {
                if (!((use.lanes >> each) & 1u)) continue;
                const Rect box = row.lanes[lane_index(each)].box;
                outline(brush, box.inset(-brush.px(1)), colors.accent, brush.px(4), brush.px(1.6f));
                const Point tip{box.center().x, use.writes && !use.reads ? box.y1 + brush.px(8) : box.y0 - brush.px(1)};
                arrow_head(brush, tip, brush.px(4.5f), colors.accent);
            }
        }
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
    const Color ground = cell_color(cell);
    fill(brush, box, ground, brush.px(4));
    outline(brush, box, edge, brush.px(4), brush.px(2));
    text_in(brush, Face::figure, box, text_on(ground), whole);
}

void StagePaint::formula_card(const Scene& scene) const {
    const auto present = std::find_if(scene.bands.begin(), scene.bands.end(), [](const Band& b) { return b.present; });
    if (present == scene.bands.end() || present->kind != StepKind::shuffle || travel < 1 || !settled) return;
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
