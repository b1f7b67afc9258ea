// The canvas that is the present frame: an ImGui draw list.
#pragma once

#include "viz/widgets/canvas.hpp"

namespace lanewise::viz {

class ScreenCanvas final : public Canvas {
public:
    explicit ScreenCanvas(ImDrawList* list) : list_(list) {}

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
    ImDrawList* list_;   // of one frame
};

}  // namespace lanewise::viz
