#include "viz/widgets/screen_canvas.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace lanewise::viz {
namespace {

ImVec2 vec(Point p) { return {p.x, p.y}; }

// ImGui crashes on a rounding that is no number, as boxes in a window of no size come to have.
bool can_be_seen(const Rect& box) { return box.width() > 0 && box.height() > 0; }

}  // namespace

void ScreenCanvas::fill(const Rect& box, Color color, float rounding) {
    if (!can_be_seen(box)) return;
    list_->AddRectFilled({box.x0, box.y0}, {box.x1, box.y1}, color, rounding);
}

void ScreenCanvas::outline(const Rect& box, Color color, float rounding, float thickness) {
    if (!can_be_seen(box)) return;
    stroke_rect(list_, {box.x0, box.y0}, {box.x1, box.y1}, color, rounding, thickness);
}

void ScreenCanvas::line(Point a, Point b, Color color, float thickness) {
    list_->AddLine(vec(a), vec(b), color, thickness);
}

void ScreenCanvas::polyline(std::span<const Point> points, Color color, float thickness) {
    for (const Point& point : points) list_->PathLineTo(vec(point));
    stroke_path(list_, list_->_Path.Data, list_->_Path.Size, color, thickness);
    list_->PathClear();
}

void ScreenCanvas::polygon(std::span<const Point> corners, Color color) {
    for (const Point& corner : corners) list_->PathLineTo(vec(corner));
    list_->PathFillConvex(color);
}

void ScreenCanvas::circle(Point center, float radius, Color color) {
    if (radius > 0) list_->AddCircleFilled(vec(center), radius, color);
}

void ScreenCanvas::ring(Point center, float radius, Color color, float thickness) {
    if (radius > 0) list_->AddCircle(vec(center), radius, color, 0, thickness);
}

void ScreenCanvas::arc(Point a, Point b, const ArcStyle& style) {
    if (std::abs(a.x - b.x) < 0.5f) {
        line(a, arc_point(a, b, style.progress), style.color, style.thickness);
        return;
    }
    std::array<Point, 64> points;
    const int count = std::clamp(style.segments, 2, 63);
    for (int i = 0; i <= count; ++i) {
        points[static_cast<std::size_t>(i)] =
            arc_point(a, b, style.progress * static_cast<float>(i) / static_cast<float>(count));
    }
    polyline(std::span(points).first(static_cast<std::size_t>(count) + 1), style.color, style.thickness);
}

void ScreenCanvas::gradient(const Rect& box, Color from, Color to, Towards towards) {
    const bool right = towards == Towards::right;
    list_->AddRectFilledMultiColor({box.x0, box.y0}, {box.x1, box.y1}, from, right ? to : from, to, right ? from : to);
}

// Text on whole pixels is sharp.
void ScreenCanvas::text(const Fonts::Cut& cut, Point at, Color color, std::string_view text, float) {
    list_->AddText(cut.font, cut.pixels, {std::floor(at.x + 0.5f), std::floor(at.y + 0.5f)}, color, text.data(),
                   text.data() + text.size());
}

void ScreenCanvas::push_clip(const Rect& box) { list_->PushClipRect({box.x0, box.y0}, {box.x1, box.y1}, true); }

void ScreenCanvas::pop_clip() { list_->PopClipRect(); }

Point arc_point(Point a, Point b, float t) {
    const float u = 1 - t;
    const float mid = (a.y + b.y) / 2;
    const float w0 = u * u * u, w1 = 3 * u * u * t, w2 = 3 * u * t * t, w3 = t * t * t;
    return {(w0 + w1) * a.x + (w2 + w3) * b.x, w0 * a.y + (w1 + w2) * mid + w3 * b.y};
}

}  // namespace lanewise::viz
