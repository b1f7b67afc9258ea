// What is drawn next to and over the lanes: numbers, the steps' names, marks, what is lit, the formula.
#include <algorithm>
#include <string>
#include <vector>

#include "common/base/element.hpp"
#include "common/base/lanes.hpp"
#include "viz/views/stage/stage_paint.hpp"

namespace lanewise::viz {
int lane_number_step(const Look& look, Face face, float cell, int lanes) {
    const float width = text_width(look, face, std::to_string(lanes - 1)) + look.px(3);
    return cell >= width ? 1 : 2 * cell >= width ? 2 : 4;
}

void StagePaint::lane_numbers(const Scene& scene, float bottom) const {
    const Brush numbers{brush.canvas, plain};
    const Theme& colors = numbers.colors();
    const int source = source_of(scene, lane);
    const Face face = scene.cell > numbers.px(36) ? Face::small : Face::tiny;
    // Where two digits have no room beside two digits, each second or fourth, and those that are looked at.
    const int each = lane_number_step(plain, face, scene.cell, scene.lanes);
    const auto looked_at = [&](int i) { return i >= 0 && (i == lane || i == source); };
    for (int i = 0; i < scene.lanes; ++i) {
        const float x = scene.lanes_x0 + scene.cell * static_cast<float>(i);
        const Rect box{x, bottom - numbers.px(15), x + scene.cell, bottom};
        const bool faulting = (scene.faulting >> i) & 1u;
        const bool crowded = each > 1 && (looked_at(i - 1) || looked_at(i + 1));
        if (!looked_at(i) && (i % each != 0 || crowded)) continue;
        const Color ink = faulting        ? colors.warning
                          : i == lane   ? colors.strong
                          : i == source ? colors.accent
                                        : colors.quiet;
        text_in(numbers, face, box, ink, std::to_string(i));
    }
}

// Beside the lanes: the present step first, then as many of the others as have room.
void StagePaint::names(const Scene& scene) const {
    const Brush names{brush.canvas, plain};
    const Theme& colors = names.colors();
    const float x = gutter.x0 + names.px(9);
    const float room = std::min(gutter.x1 - x - names.px(2), names.px(150));
    if (room < names.px(20)) return;
    const float pitch = names.px(13);
    // "scratch +64" is a little wider than the gutter.
    const auto face_of = [&](const std::string& line) {
        return text_width(plain, Face::small, line) > room ? Face::tiny : Face::small;
    };
    std::vector<Rect> taken;
    const auto name = [&](const Band& band) {
        const bool lit = lights && lights->step(band.step);
        // Two lines where the name is longer than the gutter.
        std::vector<std::string> lines{band.label};
        const std::size_t space = band.label.find(' ');
        if (text_width(plain, Face::small, band.label) > room && space != std::string::npos) {
            lines = {band.label.substr(0, space), band.label.substr(space + 1)};
        }
        if (static_cast<float>(lines.size()) * pitch > band.box.height() + names.px(16)) lines = {band.label};
        const float y0 = band.box.center().y - pitch * static_cast<float>(lines.size()) / 2;
        const float margin = names.px(band.present ? 5 : -1);
        const Rect box{gutter.x0, y0 - margin, gutter.x1, y0 + pitch * static_cast<float>(lines.size()) + margin};
        if (box.y1 < gutter.y0 || box.y0 > gutter.y1) return;
        if (std::any_of(taken.begin(), taken.end(), [&](const Rect& other) { return other.overlaps(box); })) return;
        taken.push_back(box);
        if (band.present || lit) {
            float width = 0;
            for (const std::string& line : lines) width = std::max(width, text_width(plain, face_of(line), line));
            const Rect ground{x - names.px(6), box.y0 + (band.present ? 0 : names.px(-3)),
                              x + std::min(width + names.px(6), room), box.y1 + (band.present ? 0 : names.px(3))};
            if (band.present) fill(names, ground, colors.accent_ground, names.px(5));
            if (lit) outline(names, ground, band.present ? colors.accent : colors.quiet, names.px(5), names.px(1));
        }
        const Color ink = band.present   ? colors.accent
                          : lit          ? colors.text
                          : band.reached ? colors.quiet
                                         : with_alpha(colors.quiet, 0.75);
        float y = y0;
        for (const std::string& line : lines) {
            text_in(names, face_of(line), {x, y, gutter.x1, y + pitch}, ink, fit_text(plain, face_of(line), line, room),
                    Align::left);
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
                if ((scene.faulting >> i) & 1u) fault_mark(brush, box);
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
        // A number that does not fit its cell is drawn in a wider box over its neighbours.
        const auto draw_whole = [&](const Row& row, int which, Color color, float aside) {
            frame(row, which, color);
            if (which < 0 || row.thin) return;
            const LaneCell& cell = row.lanes[lane_index(which)];
            Rect box = whole_box(scene, cell);
            if (box.width() <= cell.box.width()) return;
            box.x0 += aside;
            box.x1 += aside;
            whole_number(cell, box, color);
        };
        const Row& above = scene.rows[i];
        const auto [own, others] =
            source >= 0 && source != lane && !above.thin ? apart(scene, above, source) : std::pair{0.0f, 0.0f};
        if (source != lane) draw_whole(above, source, colors.accent, others);
        draw_whole(above, lane, colors.focus, own);
        draw_whole(scene.rows[i + 1], lane, colors.focus, 0);
    }
}

// How far the boxes of the lane and of its source move so that neither covers the other's number.
std::pair<float, float> StagePaint::apart(const Scene& scene, const Row& row, int source) const {
    const LaneCell& own = row.lanes[lane_index(lane)];
    const LaneCell& other = row.lanes[lane_index(source)];
    const Rect a = whole_box(scene, own), b = whole_box(scene, other);
    const bool own_first = own.box.x0 < other.box.x0;
    const Rect& left = own_first ? a : b;
    const Rect& right = own_first ? b : a;
    const float over = left.x1 + brush.px(2) - right.x0;
    const bool wide_left = left.width() > own.box.width(), wide_right = right.width() > own.box.width();
    if (over <= 0 || (!wide_left && !wide_right)) return {0, 0};
    float to_left = wide_left ? (wide_right ? over / 2 : over) : 0;
    float to_right = over - to_left;
    // Within the row.
    const float past_left = std::max(0.0f, scene.lanes_x0 - (left.x0 - to_left));
    if (wide_right) {
        to_left -= past_left;
        to_right += past_left;
    }
    const float past_right = std::max(0.0f, right.x1 + to_right - std::max(scene.lanes_x1(), right.x1));
    if (wide_left) {
        to_right -= past_right;
        to_left += past_right;
    }
    return own_first ? std::pair{-to_left, to_right} : std::pair{to_right, -to_left};
}

// Where the lane's number has room for all its digits: over its cell, as wide as it takes; the cell where that shows
// it.
Rect StagePaint::whole_box(const Scene& scene, const LaneCell& cell) const {
    if (!cell.known || cell.undefined || cell.text.empty()) return cell.box;
    const std::string whole = scene::value_text(cell);
    if (whole == cell.text) return cell.box;
    const float width = text_width(brush.look, Face::figure, whole) + brush.px(10);
    const float x =
        std::clamp(cell.box.center().x - width / 2, scene.lanes_x0, std::max(scene.lanes_x0, scene.lanes_x1() - width));
    return Rect{x, cell.box.y0, x + width, cell.box.y1}.inset(-brush.px(1.5f));
}

void StagePaint::whole_number(const LaneCell& cell, const Rect& box, Color edge) const {
    const Color ground = cell_color(cell);
    fill(brush, box, ground, brush.px(4));
    outline(brush, box, edge, brush.px(4), brush.px(2));
    text_in(brush, Face::figure, box, text_on(ground), scene::value_text(cell));
}

namespace {

// What has no room on one line: the result below, and of a value with many parts each value by itself.
std::vector<std::string> arithmetic_lines(const Look& look, const std::string& text, float width) {
    if (text.empty()) return {};
    const auto fits = [&](const std::string& line) { return text_width(look, Face::code, line) <= width; };
    const std::size_t result = text.rfind(" = ");
    if (fits(text) || result == std::string::npos) return {text};
    std::vector<std::string> lines{text.substr(0, result)};
    const std::size_t second = lines[0].find("), (");
    if (!fits(lines[0]) && second != std::string::npos) {
        lines.push_back("  " + lines[0].substr(second + 3));
        lines[0].resize(second + 2);
    }
    lines.push_back("= " + text.substr(result + 3));
    return lines;
}

}  // namespace

void StagePaint::formula_card(const Scene& scene) const {
    const auto present = std::find_if(scene.bands.begin(), scene.bands.end(), [](const Band& b) { return b.present; });
    if (present == scene.bands.end() || present->kind != StepKind::shuffle || travel < 1 || !settled) return;
    const LaneFormula parts = lane_formula(run_view->steps(), scene.step, scene.warp, lane);
    if (parts.head.empty()) return;
    const Brush pen{brush.canvas, plain};   // the card keeps its size when the lanes grow
    const Theme& colors = pen.colors();
    const std::string& first = parts.head;
    const float least = std::max(present->box.x0, visible.x0 + pen.px(4)),
                most = std::min(present->box.x1, visible.x1 - pen.px(4));
    const std::vector<std::string> lines = arithmetic_lines(plain, parts.arithmetic, most - least - pen.px(24));
    float width = text_width(plain, Face::code, first);
    for (const std::string& line : lines) width = std::max(width, text_width(plain, Face::code, line));
    width += pen.px(24);
    const float height = pen.px(29 + 17 * static_cast<float>(lines.size()));
    // Beside the lit arc, on the side with more room.
    float left = scene.lanes_x0 + scene.cell * static_cast<float>(lane);
    float right = left + scene.cell;
    for (const Arc& each : present->arcs) {
        if (each.reader != lane) continue;
        left = std::min(left, std::min(each.from.x, each.to.x));
        right = std::max(right, std::max(each.from.x, each.to.x));
    }
    const float gap = pen.px(14);
    float x = right + gap;
    float y = present->box.center().y - height / 2;
    if (x + width > most) x = left - gap - width;
    if (x < least) {
        // No room beside it: an S-curve leaves two corners free.
        const int source = source_of(scene, lane);
        const float middle = (left + right) / 2;
        const bool right_corner = middle + gap + width <= most;
        x = right_corner ? middle + gap : std::max(least, middle - gap - width);
        y = present->box.center().y + ((source > lane) == right_corner ? pen.px(8) : -pen.px(8) - height);
    }
    // Between the rows, whose numbers stay in sight.
    y = std::max(std::min(y, present->box.y1 - pen.px(3) - height), present->box.y0 + pen.px(3));
    const Rect card{x, y, x + width, y + height};
    fill(pen, card, colors.panel, pen.px(6));
    outline(pen, card, with_alpha(colors.accent, 0.9), pen.px(6), pen.px(1));
    text_in(pen, Face::code, {x + pen.px(12), y + pen.px(6), card.x1, y + pen.px(23)}, colors.strong, first,
            Align::left);
    float top = y + pen.px(23);
    for (const std::string& line : lines) {
        text_in(pen, Face::code, {x + pen.px(12), top, card.x1, top + pen.px(17)}, colors.text, line, Align::left);
        top += pen.px(17);
    }
}

}  // namespace lanewise::viz
