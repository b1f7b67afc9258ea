#include "viz/widgets/paint.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace lanewise::viz {
namespace {

float measure(const Fonts::Cut& cut, const char* begin, const char* end) {
    return cut.font->CalcTextSizeA(cut.pixels, 1e9f, 0, begin, end).x;
}

// `text` as this font can show it; `other` holds what had to be written otherwise.
std::string_view can_be_shown(const Fonts::Cut& cut, std::string_view text, std::string& other) {
    if (has_far_letters(text)) text = other = with_far_letters_as_numbers(text);
    if (cut.plain) return other = plain_text(text.data(), text.data() + text.size());
    return text;
}

}  // namespace

float text_width(const Look& look, Face face, std::string_view text) {
    if (text.empty()) return 0;   // ImGui would look for an end
    const Fonts::Cut& cut = (*look.fonts)[face];
    std::string other;
    const std::string_view shown = can_be_shown(cut, text, other);
    return measure(cut, shown.data(), shown.data() + shown.size());
}

float line_height(const Look& look, Face face) { return (*look.fonts)[face].pixels; }

float text(const Brush& brush, Face face, Point at, Color color, std::string_view text) {
    const Fonts::Cut& cut = (*brush.look.fonts)[face];
    std::string other;
    const std::string_view shown = can_be_shown(cut, text, other);
    const float width = measure(cut, shown.data(), shown.data() + shown.size());
    brush.canvas->text(cut, at, color, shown, width);
    if (TextUnderPointer* under = brush.look.under_pointer) {
        const Rect box{at.x, at.y, at.x + width, at.y + cut.pixels};
        under->drawn(shown, box, box.contains(under->pointer) && ImGui::IsWindowHovered());
    }
    return width;
}

void text_in(const Brush& brush, Face face, const Rect& box, Color color, std::string_view sentence, Align align) {
    const Fonts::Cut& cut = (*brush.look.fonts)[face];
    const float width = align == Align::left ? 0 : text_width(brush.look, face, sentence);
    const float x = align == Align::left ? box.x0 : align == Align::right ? box.x1 - width : box.center().x - width / 2;
    text(brush, face, {x, box.center().y + cut.cap / 2 - cut.ascent}, color, sentence);
}

void number_in(const Brush& brush, Face face, const Rect& box, Color color, std::string_view text) {
    const std::size_t at = text.find('\n');
    if (at == std::string_view::npos) {
        // Not even its shortest form has room: "…" says that there is a number, the cell's colour and the pointer
        // which.
        const bool fits = face < Face::narrowest || text_width(brush.look, face, text) <= box.width() + brush.px(0.6f);
        text_in(brush, face, box, color, fits ? text : "…");
        return;
    }
    const Face small = (*brush.look.fonts)[face].em <= (*brush.look.fonts)[Face::tiny].em ? face : Face::tiny;
    const float pitch = std::min((*brush.look.fonts)[small].cap + brush.px(2.5f), box.height() * 0.46f) / 2;
    const float y = box.center().y;
    const auto line = [&](std::string_view part, float top) {
        const bool fits = text_width(brush.look, small, part) <= box.width() + brush.px(0.6f);
        text_in(brush, small, {box.x0, top, box.x1, top + 2 * pitch}, color, fits ? part : "…");
    };
    line(text.substr(0, at), y - 2 * pitch);
    line(text.substr(at + 1), y);
}

std::string fit_text(const Look& look, Face face, std::string_view text, float width) {
    if (text_width(look, face, text) <= width) return std::string(text);
    const auto boundary = [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; };
    for (std::size_t size = text.size(); size > 0; --size) {
        if (!boundary(text[size - 1])) continue;
        const std::string shorter = std::string(text.substr(0, size - 1)) + "…";
        if (text_width(look, face, shorter) <= width) return shorter;
    }
    return {};
}

std::vector<std::string> fit_lines(const Look& look, Face face, std::string_view text, float width, std::size_t most) {
    std::vector<std::string> lines;
    while (!text.empty() && lines.size() < most) {
        std::string line;
        std::string_view rest = text;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find(' '), rest.size());
            const std::string longer = line + (line.empty() ? "" : " ") + std::string(rest.substr(0, end));
            if (!line.empty() && text_width(look, face, longer) > width) break;
            line = longer;
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        const bool last = lines.size() + 1 == most;
        lines.push_back(fit_text(look, face, last ? std::string(text) : line, width));
        text = last ? std::string_view() : rest;
    }
    return lines;
}

float paragraph(const Brush& brush, Face face, Point at, float width, Color color, std::string_view sentence,
                float leading) {
    const float step = (*brush.look.fonts)[face].em * leading;
    const float space = text_width(brush.look, face, " ");
    float x = 0;
    float y = 0;
    while (!sentence.empty()) {
        const std::size_t end = std::min(sentence.find_first_of(" \n"), sentence.size());
        const std::string_view token = sentence.substr(0, end);
        const float w = text_width(brush.look, face, token);
        if (x > 0 && x + w > width) {
            x = 0;
            y += step;
        }
        if (brush.canvas && !token.empty()) text(brush, face, {at.x + x, at.y + y}, color, token);
        x += w + space;
        if (end < sentence.size() && sentence[end] == '\n') {
            x = 0;
            y += step;
        }
        sentence.remove_prefix(std::min(end + 1, sentence.size()));
    }
    return y + step;
}

void fill(const Brush& brush, const Rect& box, Color color, float rounding) {
    brush.canvas->fill(box, color, rounding);
}

void outline(const Brush& brush, const Rect& box, Color color, float rounding, float thickness) {
    brush.canvas->outline(box, color, rounding, thickness);
}

void hairline(const Brush& brush, Point a, Point b, Color color, float thickness) {
    brush.canvas->line(a, b, color, thickness);
}

void circle(const Brush& brush, Point center, float radius, Color color) {
    brush.canvas->circle(center, radius, color);
}

void ring(const Brush& brush, Point center, float radius, Color color, float thickness) {
    brush.canvas->ring(center, radius, color, thickness);
}

void triangle(const Brush& brush, Point a, Point b, Point c, Color color) {
    brush.canvas->polygon(std::array{a, b, c}, color);
}

void lane_cell(const Brush& brush, const Rect& box, std::string_view text, const CellStyle& style) {
    const float rounding = std::min(brush.px(3), box.height() / 4);
    if (style.ground) fill(brush, box, style.ground, rounding);
    if (style.border) outline(brush, box, style.border, rounding, style.border_width);
    if (text.empty()) return;
    const Color ink = style.ink ? style.ink : text_on(style.ground);
    number_in(brush, style.face, box, ink, text);
}

void arc(const Brush& brush, Point a, Point b, const ArcStyle& style) { brush.canvas->arc(a, b, style); }

void arrow_head(const Brush& brush, Point tip, float size, Color color) {
    triangle(brush, {tip.x - size * 0.7f, tip.y - size * 1.3f}, {tip.x + size * 0.7f, tip.y - size * 1.3f}, tip, color);
}

float bit_row(const Brush& brush, Point at, std::uint32_t value, int count, std::uint32_t lit) {
    const Theme& colors = brush.colors();
    const float w = brush.px(21);
    const float h = brush.px(19);
    for (int i = 0; i < count; ++i) {
        const int bit = count - 1 - i;
        const Rect box = Rect{0, 0, w, h}.moved(at.x + static_cast<float>(i) * (w + brush.px(4)), at.y);
        const bool is_lit = (lit >> bit) & 1u;
        fill(brush, box, is_lit ? colors.accent_ground : colors.raised, brush.px(3));
        if (is_lit) outline(brush, box, colors.accent, brush.px(3), brush.px(1));
        text_in(brush, Face::code, box, is_lit ? colors.accent : colors.text, (value >> bit) & 1u ? "1" : "0");
    }
    return static_cast<float>(count) * (w + brush.px(4));
}

Rect pill(const Brush& brush, Point at, std::string_view text, Face face, Color ground, Color ink, Color border) {
    const float height = (*brush.look.fonts)[face].em + brush.px(10);
    const Rect box{at.x, at.y, at.x + text_width(brush.look, face, text) + brush.px(18), at.y + height};
    fill(brush, box, ground, height / 2);
    if (border) outline(brush, box, border, height / 2, brush.px(1));
    text_in(brush, face, box, ink, text);
    return box;
}

float key_hint(const Brush& brush, Point at, std::string_view key, std::string_view what) {
    const Theme& colors = brush.colors();
    const float height = brush.px(17);
    const Rect cap{at.x, at.y, at.x + std::max(text_width(brush.look, Face::small, key) + brush.px(9), height),
                   at.y + height};
    fill(brush, cap, colors.raised, brush.px(3));
    text_in(brush, Face::small, cap, colors.text, key);
    const Rect rest{cap.x1 + brush.px(6), cap.y0, cap.x1 + brush.px(400), cap.y1};
    text_in(brush, Face::caption, rest, colors.quiet, what, Align::left);
    return cap.width() + brush.px(6) + text_width(brush.look, Face::caption, what);
}

void sign(const Brush& brush, const Rect& box, Sign which, Color color) {
    const Point c = box.center();
    const float r = std::min(box.width(), box.height()) * 0.25f;
    const auto wedge = [&](float x, float direction) {
        const Point tip{x + r * 0.9f * direction, c.y};
        const Point top{x - r * 0.7f * direction, c.y - r};
        const Point bottom{x - r * 0.7f * direction, c.y + r};
        if (direction > 0) triangle(brush, top, tip, bottom, color);
        else triangle(brush, top, bottom, tip, color);
    };
    const auto bar = [&](float x) { fill(brush, {x - r * 0.22f, c.y - r, x + r * 0.22f, c.y + r}, color); };
    switch (which) {
        case Sign::first: bar(c.x - r * 1.1f); wedge(c.x + r * 0.3f, -1); break;
        case Sign::back: wedge(c.x, -1); break;
        case Sign::play: wedge(c.x, 1); break;
        case Sign::pause: bar(c.x - r * 0.5f); bar(c.x + r * 0.5f); break;
        case Sign::forward: wedge(c.x, 1); bar(c.x - r * 1.1f); break;
        case Sign::last: bar(c.x + r * 1.1f); wedge(c.x - r * 0.3f, 1); break;
    }
}

}  // namespace lanewise::viz
