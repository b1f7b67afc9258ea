// Points and rectangles of the layout, without ImGui: scenes are plain data.
#pragma once

#include <algorithm>

namespace lanewise::viz {

struct Point {
    float x = 0;
    float y = 0;
};

struct Rect {
    float x0 = 0, y0 = 0, x1 = 0, y1 = 0;

    float width() const { return x1 - x0; }
    float height() const { return y1 - y0; }
    Point center() const { return {(x0 + x1) * 0.5f, (y0 + y1) * 0.5f}; }
    bool empty() const { return x1 <= x0 || y1 <= y0; }
    bool contains(Point p) const { return p.x >= x0 && p.x < x1 && p.y >= y0 && p.y < y1; }
    bool overlaps(const Rect& other) const {
        return x0 < other.x1 && other.x0 < x1 && y0 < other.y1 && other.y0 < y1;
    }
    Rect inset(float dx, float dy) const { return {x0 + dx, y0 + dy, x1 - dx, y1 - dy}; }
    Rect inset(float d) const { return inset(d, d); }
    Rect moved(float dx, float dy) const { return {x0 + dx, y0 + dy, x1 + dx, y1 + dy}; }

    // Takes a strip off one side and leaves the rest.
    Rect cut_top(float h) { Rect r{x0, y0, x1, std::min(y0 + h, y1)}; y0 = r.y1; return r; }
    Rect cut_bottom(float h) { Rect r{x0, std::max(y1 - h, y0), x1, y1}; y1 = r.y0; return r; }
    Rect cut_left(float w) { Rect r{x0, y0, std::min(x0 + w, x1), y1}; x0 = r.x1; return r; }
    Rect cut_right(float w) { Rect r{std::max(x1 - w, x0), y0, x1, y1}; x1 = r.x0; return r; }
};

}  // namespace lanewise::viz
