// What can be drawn, wherever it goes: the frame on the screen (screen_canvas.hpp) or a picture of vectors
// (svg_canvas.hpp). Places are in pixels of the window or of the picture, y downwards.
#pragma once

#include <span>
#include <string_view>

#include "viz/widgets/fonts.hpp"
#include "viz/widgets/geometry.hpp"
#include "viz/widgets/theme.hpp"

namespace lanewise::viz {

// A cubic from a to b that leaves and arrives vertically and stays between a.y and b.y; drawn up to `progress`.
struct ArcStyle {
    Color color = 0;
    float thickness = 1;
    int segments = 16;
    float progress = 1;
};

class Canvas {
public:
    virtual ~Canvas() = default;

    virtual void fill(const Rect& box, Color color, float rounding) = 0;
    virtual void outline(const Rect& box, Color color, float rounding, float thickness) = 0;
    virtual void line(Point a, Point b, Color color, float thickness) = 0;
    virtual void polyline(std::span<const Point> points, Color color, float thickness) = 0;
    // Convex, its corners in clockwise order.
    virtual void polygon(std::span<const Point> corners, Color color) = 0;
    virtual void circle(Point center, float radius, Color color) = 0;
    virtual void ring(Point center, float radius, Color color, float thickness) = 0;
    virtual void arc(Point a, Point b, const ArcStyle& style) = 0;
    // From one colour at the left (or the top) to another at the right (or the bottom).
    enum class Towards : std::uint8_t { right, bottom };
    virtual void gradient(const Rect& box, Color from, Color to, Towards towards) = 0;
    // One line, with its top left at `at`. `width` is that of `text` in this cut: what is beside it relies on it.
    virtual void text(const Fonts::Cut& cut, Point at, Color color, std::string_view text, float width) = 0;
    // Until pop_clip nothing is drawn outside `box`, nor outside what clipped before.
    virtual void push_clip(const Rect& box) = 0;
    virtual void pop_clip() = 0;
};

// The point of an arc at t in 0…1.
Point arc_point(Point a, Point b, float t);

}  // namespace lanewise::viz
