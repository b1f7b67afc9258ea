#include "viz/model/cell_paint.hpp"

#include <algorithm>

namespace lanewise::viz {

using scene::Coverage;

int cell_chars(float cell, float scale) {
    // The smallest face is 8.5 px with digits 0.6 em wide.
    return std::clamp(static_cast<int>((cell / scale - 0.6f) / 5.1f), 2, 7);
}

Face cell_face(const Look& look, float cell, int chars) {
    for (const Face face : {Face::figure, Face::small}) {
        if ((*look.fonts)[face].digit * static_cast<float>(chars) + look.px(2.5f) <= cell) return face;
    }
    return Face::tiny;
}

std::string_view infinity_in(const Look& look, Face face, std::string_view text, float width) {
    const bool infinite = text == "-inf" || text == "inf";
    if (!infinite || text_width(look, face, text) + look.px(4) <= width) return text;
    return text == "inf" ? "∞" : "-∞";
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
