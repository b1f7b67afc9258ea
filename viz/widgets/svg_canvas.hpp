// The canvas that is a picture of vectors, as an SVG file: sharp at any size, its text text.
#pragma once

#include <string>
#include <vector>

#include "viz/widgets/canvas.hpp"

namespace lanewise::viz {

class SvgCanvas final : public Canvas {
public:
    // `width` × `height` pixels on `ground`; `fonts` are those that the text is measured with.
    SvgCanvas(float width, float height, Color ground, const Fonts& fonts);

    // The file's text, well-formed XML; `title` and `description` are for those who do not see the picture.
    std::string document(std::string_view title, std::string_view description) const;

    void fill(const Rect& box, Color color, float rounding) override;
    void outline(const Rect& box, Color color, float rounding, float thickness) override;
    void line(Point a, Point b, Color color, float thickness) override;
    void polyline(std::span<const Point> points, Color color, float thickness) override;
    void polygon(std::span<const Point> corners, Color color) override;
    void circle(Point center, float radius, Color color) override;
    void ring(Point center, float radius, Color color, float thickness) override;
    void arc(Point a, Point b, const ArcStyle& style) override;
    void gradient(const Rect& box, Color from, Color to, Towards towards) override;
    void text(const Fonts::Cut& cut, Point at, Color color, std::string_view text, float width) override;
    void push_clip(const Rect& box) override;
    void pop_clip() override;

private:
    // Writes an element that covers `bounds`: not at all where that is clipped away, with a clipping path where it is
    // cut. `element` has no end yet: "<rect x=…".
    void put(const Rect& bounds, std::string element, std::string_view end = "/>");
    std::size_t clip_of(const Rect& box);
    std::size_t gradient_of(Color from, Color to, Towards towards);
    std::size_t font_of(const Fonts::Cut& cut);

    struct Gradient {
        Color from, to;
        Towards towards;
    };
    struct Font {
        bool code, strong;
        float em;
    };
    float width_, height_;
    Color ground_;
    const Fonts& fonts_;
    std::vector<Rect> clips_;       // what is visible, innermost last
    std::vector<Rect> used_clips_;  // that cut something
    std::vector<Gradient> gradients_;
    std::vector<Font> used_fonts_;
    std::string body_;
};

// `text` with XML's own signs escaped, and without what XML 1.0 forbids (control characters, broken UTF-8).
std::string xml_text(std::string_view text);

}  // namespace lanewise::viz
