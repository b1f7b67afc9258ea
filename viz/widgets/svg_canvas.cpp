#include "viz/widgets/svg_canvas.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace lanewise::viz {
namespace {

// To a hundredth of a pixel, whatever the locale: 12, 0.5, -3.25.
std::string number(float value) {
    if (!std::isfinite(value)) return "0";
    char digits[64];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), value, std::chars_format::fixed, 2).ptr;
    std::string text(digits, end);
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
}

std::string attribute(std::string_view name, std::string_view value) {
    return " " + std::string(name) + "=\"" + std::string(value) + "\"";
}

std::string attribute(std::string_view name, float value) { return attribute(name, number(value)); }

std::string hex(Color color) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text = "#";
    for (const unsigned shift : {4u, 0u, 12u, 8u, 20u, 16u}) text += kDigits[(color >> shift) & 0xfu];
    return text;
}

float opacity(Color color) { return static_cast<float>(color >> 24) / 255; }

// ` fill="#rrggbb"`, and its opacity where it has one.
std::string paint(std::string_view name, Color color) {
    std::string text = attribute(name, hex(color));
    if (opacity(color) < 1) text += attribute(std::string(name) + "-opacity", opacity(color));
    return text;
}

std::string pair(Point p) { return number(p.x) + "," + number(p.y); }

std::string list(std::span<const Point> points) {
    std::string text;
    for (const Point& p : points) text += (text.empty() ? "" : " ") + pair(p);
    return text;
}

Rect bounds_of(std::span<const Point> points, float around) {
    Rect box{1e9f, 1e9f, -1e9f, -1e9f};
    for (const Point& p : points)
        box = {std::min(box.x0, p.x), std::min(box.y0, p.y), std::max(box.x1, p.x), std::max(box.y1, p.y)};
    return box.inset(-around);
}

std::string rectangle(const Rect& box, float rounding) {
    std::string text = "<rect" + attribute("x", box.x0) + attribute("y", box.y0) +
                        attribute("width", std::max(box.width(), 0.0f)) +
                        attribute("height", std::max(box.height(), 0.0f));
    if (rounding > 0) text += attribute("rx", std::min({rounding, box.width() / 2, box.height() / 2}));
    return text;
}

// Like the screen's, no stroke is thinner than a pixel.
std::string stroke(Color color, float thickness) {
    return paint("stroke", color) + attribute("stroke-width", std::max(thickness, 1.0f));
}

bool invisible(Color color) { return (color >> 24) == 0; }

// How many bytes the character at the front takes, 0 where it is not UTF-8 or not allowed in XML.
std::size_t character(std::string_view rest) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
    if (byte(0) < 0x80) return byte(0) >= 0x20 || byte(0) == '\t' || byte(0) == '\n' ? 1 : 0;
    const std::size_t size = byte(0) >= 0xf0 && byte(0) < 0xf5   ? 4
                             : byte(0) >= 0xe0 && byte(0) < 0xf0 ? 3
                             : byte(0) >= 0xc2 && byte(0) < 0xe0 ? 2
                                                                 : 0;
    if (size == 0 || size > rest.size()) return 0;
    std::uint32_t code = byte(0) & (0xffu >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xc0u) != 0x80u) return 0;
        code = (code << 6) | (byte(i) & 0x3fu);
    }
    static constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    return code < kLeast[size] || surrogate || code > 0x10ffff || code == 0xfffe || code == 0xffff ? 0 : size;
}

}  // namespace

std::string xml_text(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t size = character(text);
        switch (size == 1 ? text.front() : '\0') {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            default: out += text.substr(0, size);
        }
        text.remove_prefix(std::max<std::size_t>(size, 1));
    }
    return out;
}

SvgCanvas::SvgCanvas(float width, float height, Color ground, const Fonts& fonts)
    : width_(width), height_(height), ground_(ground), fonts_(fonts), clips_{{0, 0, width, height}} {}

std::string SvgCanvas::document(std::string_view title, std::string_view description) const {
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"" +
                      attribute("width", width_) + attribute("height", height_) +
                      attribute("viewBox", "0 0 " + number(width_) + " " + number(height_)) +
                      " role=\"img\" xml:space=\"preserve\">\n<title>" + xml_text(title) + "</title>\n<desc>" +
                      xml_text(description) + "</desc>\n";
    if (!used_fonts_.empty()) {
        // All of one scale: what differs is in a class each.
        out += "<style>\n";
        for (std::size_t i = 0; i < used_fonts_.size(); ++i) {
            const Font& font = used_fonts_[i];
            out += ".f" + std::to_string(i) + " { font: " + (font.strong ? "600 " : "400 ") + number(font.em) + "px " +
                   xml_text(fonts_.families(font.code)) + "; font-variant-ligatures: none; }\n";
        }
        out += "</style>\n";
    }
    out += "<defs>\n";
    for (std::size_t i = 0; i < used_clips_.size(); ++i)
        out += "<clipPath id=\"c" + std::to_string(i) + "\">" + rectangle(used_clips_[i], 0) + "/></clipPath>\n";
    for (std::size_t i = 0; i < gradients_.size(); ++i) {
        const Gradient& each = gradients_[i];
        const auto stop = [](const char* at, Color color) {
            return "<stop offset=\"" + std::string(at) + "\"" + attribute("stop-color", hex(color)) +
                   attribute("stop-opacity", opacity(color)) + "/>";
        };
        out += "<linearGradient id=\"g" + std::to_string(i) + "\"" +
               (each.towards == Towards::bottom ? " x2=\"0\" y2=\"1\"" : "") + ">" + stop("0", each.from) +
               stop("1", each.to) + "</linearGradient>\n";
    }
    out += "</defs>\n" + rectangle({0, 0, width_, height_}, 0) + paint("fill", ground_) + "/>\n";
    return out + body_ + "</svg>\n";
}

void SvgCanvas::put(const Rect& bounds, std::string element, std::string_view end) {
    const Rect& clip = clips_.back();
    if (!bounds.overlaps(clip)) return;
    const bool whole = bounds.x0 >= clip.x0 && bounds.y0 >= clip.y0 && bounds.x1 <= clip.x1 && bounds.y1 <= clip.y1;
    if (!whole) element += attribute("clip-path", "url(#c" + std::to_string(clip_of(clip)) + ")");
    body_ += element;
    body_ += end;
    body_ += '\n';
}

std::size_t SvgCanvas::clip_of(const Rect& box) {
    const auto same = [&](const Rect& other) {
        return other.x0 == box.x0 && other.y0 == box.y0 && other.x1 == box.x1 && other.y1 == box.y1;
    };
    const auto at = std::find_if(used_clips_.begin(), used_clips_.end(), same);
    const auto index = static_cast<std::size_t>(at - used_clips_.begin());
    if (at == used_clips_.end()) used_clips_.push_back(box);
    return index;
}

std::size_t SvgCanvas::gradient_of(Color from, Color to, Towards towards) {
    const auto at = std::find_if(gradients_.begin(), gradients_.end(), [&](const Gradient& each) {
        return each.from == from && each.to == to && each.towards == towards;
    });
    const auto index = static_cast<std::size_t>(at - gradients_.begin());
    if (at == gradients_.end()) gradients_.push_back({from, to, towards});
    return index;
}

std::size_t SvgCanvas::font_of(const Fonts::Cut& cut) {
    const auto at = std::find_if(used_fonts_.begin(), used_fonts_.end(), [&](const Font& font) {
        return font.code == cut.code && font.strong == cut.strong && font.em == cut.em;
    });
    const auto index = static_cast<std::size_t>(at - used_fonts_.begin());
    if (at == used_fonts_.end()) used_fonts_.push_back({cut.code, cut.strong, cut.em});
    return index;
}

void SvgCanvas::fill(const Rect& box, Color color, float rounding) {
    if (invisible(color) || box.empty()) return;
    put(box, rectangle(box, rounding) + paint("fill", color));
}

// Lines and outlines run through the middle of pixels, as on the screen.
void SvgCanvas::outline(const Rect& box, Color color, float rounding, float thickness) {
    const Rect path = box.inset(0.5f);
    if (invisible(color) || path.empty()) return;
    put(path.inset(-thickness / 2), rectangle(path, rounding) + " fill=\"none\"" + stroke(color, thickness));
}

void SvgCanvas::line(Point a, Point b, Color color, float thickness) {
    if (invisible(color)) return;
    const std::array ends{Point{a.x + 0.5f, a.y + 0.5f}, Point{b.x + 0.5f, b.y + 0.5f}};
    put(bounds_of(ends, thickness / 2), "<line" + attribute("x1", ends[0].x) + attribute("y1", ends[0].y) +
                                            attribute("x2", ends[1].x) + attribute("y2", ends[1].y) +
                                            stroke(color, thickness));
}

void SvgCanvas::polyline(std::span<const Point> points, Color color, float thickness) {
    if (invisible(color) || points.size() < 2) return;
    put(bounds_of(points, thickness / 2), "<polyline" + attribute("points", list(points)) + " fill=\"none\"" +
                                              stroke(color, thickness) + " stroke-linejoin=\"round\"");
}

void SvgCanvas::polygon(std::span<const Point> corners, Color color) {
    if (invisible(color) || corners.size() < 3) return;
    put(bounds_of(corners, 0), "<polygon" + attribute("points", list(corners)) + paint("fill", color));
}

void SvgCanvas::circle(Point center, float radius, Color color) {
    if (invisible(color) || radius <= 0) return;
    put(bounds_of(std::array{center}, radius), "<circle" + attribute("cx", center.x) + attribute("cy", center.y) +
                                                   attribute("r", radius) + paint("fill", color));
}

void SvgCanvas::ring(Point center, float radius, Color color, float thickness) {
    if (invisible(color) || radius <= 0.5f) return;
    put(bounds_of(std::array{center}, radius + thickness / 2),
        "<circle" + attribute("cx", center.x) + attribute("cy", center.y) + attribute("r", radius - 0.5f) +
            " fill=\"none\"" + stroke(color, thickness));
}

void SvgCanvas::arc(Point a, Point b, const ArcStyle& style) {
    if (invisible(style.color)) return;
    // The part up to `progress`, by halving at it as de Casteljau does.
    const float mid = (a.y + b.y) / 2;
    const auto between = [&](Point p, Point q) {
        return Point{p.x + (q.x - p.x) * style.progress, p.y + (q.y - p.y) * style.progress};
    };
    const Point p0 = a, p1{a.x, mid}, p2{b.x, mid};
    const Point q0 = between(p0, p1), q1 = between(p1, p2), q2 = between(p2, b);
    const Point r0 = between(q0, q1), r1 = between(q1, q2);
    const Point end = between(r0, r1);
    put(bounds_of(std::array{a, q0, r0, end}, style.thickness / 2),
        "<path" + attribute("d", "M" + pair(a) + " C" + pair(q0) + " " + pair(r0) + " " + pair(end)) +
            " fill=\"none\"" + stroke(style.color, style.thickness));
}

void SvgCanvas::gradient(const Rect& box, Color from, Color to, Towards towards) {
    if (box.empty()) return;
    put(box, rectangle(box, 0) + attribute("fill", "url(#g" + std::to_string(gradient_of(from, to, towards)) + ")"));
}

// textLength holds the width where a reader has other fonts.
void SvgCanvas::text(const Fonts::Cut& cut, Point at, Color color, std::string_view sentence, float width) {
    if (invisible(color) || sentence.find_first_not_of(' ') == std::string_view::npos) return;
    put({at.x, at.y, at.x + width, at.y + cut.pixels},
        "<text" + attribute("x", at.x) + attribute("y", at.y + cut.ascent) +
            attribute("class", "f" + std::to_string(font_of(cut))) + paint("fill", color) +
            attribute("textLength", width) + " lengthAdjust=\"spacingAndGlyphs\"",
        ">" + xml_text(sentence) + "</text>");
}

void SvgCanvas::push_clip(const Rect& box) {
    const Rect& outer = clips_.back();
    const Rect both{std::max(outer.x0, box.x0), std::max(outer.y0, box.y0), std::min(outer.x1, box.x1),
                    std::min(outer.y1, box.y1)};
    clips_.push_back(both);
}

void SvgCanvas::pop_clip() {
    if (clips_.size() > 1) clips_.pop_back();
}

}  // namespace lanewise::viz
