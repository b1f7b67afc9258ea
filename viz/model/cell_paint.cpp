#include "viz/model/cell_paint.hpp"

#include <algorithm>

#include "common/base/short_number.hpp"

namespace lanewise::viz {

using scene::Coverage;

namespace {

// Between a number in the smallest type and its cell's edges, at scale 1.
float closest_margin(float scale) { return scale > 1 ? 1 / scale : 1.5f; }

}  // namespace

scene::CellRoom cell_room(float cell, float scale, const std::function<bool(const scene::CellRoom&)>& show_size) {
    constexpr float kNarrowest = 7, kNarrow = 8;   // px of the faces
    const auto columns = [&](float em, float margin) {
        return std::max(2.0, static_cast<double>((cell / scale - margin) / (em * Fonts::kCloseDigit)));
    };
    const scene::CellRoom usual{columns(kNarrowest, 1.5f), columns(kNarrow, 1.5f), scale <= 1};
    if (scale <= 1 || !show_size || show_size(usual)) return usual;
    const double in_close = columns(Fonts::close_em(scale), closest_margin(scale));
    const scene::CellRoom close{in_close, in_close, false};
    return show_size(close) ? close : scene::CellRoom(columns(Fonts::closest_em(scale), closest_margin(scale)));
}

void CellWidths::add(std::string_view text) {
    signs = std::max(signs, scene::cell_width(text));
    columns = std::max(columns, scene::cell_columns(text));
}

Face cell_face(const Look& look, float cell, const CellWidths& widths) {
    for (const Face face : {Face::figure, Face::small, Face::tiny})
        if ((*look.fonts)[face].digit * static_cast<float>(widths.signs) + look.px(2.5f) <= cell) return face;
    const float narrow = (*look.fonts)[Face::narrow].digit * static_cast<float>(widths.columns);
    if (narrow + look.px(1.5f) <= cell) return Face::narrow;
    if (look.scale <= 1) return Face::narrowest;
    for (const Face face : {Face::narrowest, Face::close}) {
        const float width = (*look.fonts)[face].digit * static_cast<float>(widths.columns);
        if (width + look.px(closest_margin(look.scale)) <= cell) return face;
    }
    return Face::closest;
}

FittedNumber fit_number(const Look& look, Element type, std::uint64_t bits, float width, Face largest) {
    const std::string whole = format_element(type, bits);
    for (const Face face : {largest, Face::tiny, Face::narrow})
        if (text_width(look, face, whole) <= width) return {face, whole};
    return {Face::narrow, short_number(whole, [&](std::string_view text) {
                return text_width(look, Face::narrow, text) <= width;
            })};
}

void coverage_foot(const Brush& brush, const Rect& cell, Color ink, Coverage coverage, float part, bool more_perhaps,
                   bool gauge) {
    const float x0 = cell.x0 + brush.px(4), x1 = cell.x1 - brush.px(4), y = cell.y1 - brush.px(3.5f),
                thick = brush.px(2);
    float end = x1;
    switch (coverage) {
        case Coverage::unknown:
        case Coverage::undefined: return;
        case Coverage::twice:
            for (float x = x0; x < x1; x += brush.px(5))
                fill(brush, {x, y, std::min(x + brush.px(2.5f), x1 + brush.px(1)), y + thick}, ink);
            return;
        case Coverage::partial:
            if (!gauge) return;
            end = x0 + std::max(brush.px(1.5f), (x1 - x0) * part * 0.9f);
            break;
        case Coverage::complete: break;
    }
    fill(brush, {x0, y, end, y + thick}, ink);
    if (more_perhaps && gauge)
        outline(brush, {end, y, std::min(end + brush.px(5), cell.x1 - brush.px(1)), y + thick}, ink, 0, brush.px(0.7f));
}

// Shared memory has its upper corners cut.
void word_shape(const Brush& brush, const Rect& box, bool shared, Color ground, Color edge, float thick) {
    if (!shared) {
        fill(brush, box, ground);
        outline(brush, box, edge, 0, thick);
        return;
    }
    const float cut = std::min(brush.px(4.5f), box.height() * 0.4f);
    const Point corners[] = {{box.x0, box.y0 + cut}, {box.x0 + cut, box.y0}, {box.x1 - cut, box.y0},
                             {box.x1, box.y0 + cut}, {box.x1, box.y1},       {box.x0, box.y1},
                             {box.x0, box.y0 + cut}};
    brush.canvas->polygon(std::span(corners).first(6), ground);
    brush.canvas->polyline(corners, edge, thick);
}

void fault_mark(const Brush& brush, const Rect& box) {
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
    for (const float dy : {brush.px(3), brush.px(6)})
        fill(brush, {x - half, y + dy, x + half, y + dy + brush.px(1.3f)}, color);
    hairline(brush, {x - half * 0.5f, y + brush.px(9)}, {x + half * 0.5f, y + brush.px(1.5f)}, color, brush.px(1.3f));
}

}  // namespace lanewise::viz
