// Parts of a chart on logarithmic axes, without ImGui: scales, ticks, where labels stand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "viz/widgets/geometry.hpp"
#include "viz/widgets/theme.hpp"

namespace lanewise::viz {

// From values to pixels: `low` is at `from`, `high` at `to`.
struct LogAxis {
    double low = 1, high = 10;
    float from = 0, to = 1;

    float at(double value) const;
    double value_at(float place) const;
};

// An axis that holds all of `values` (positive ones) with some room at both ends; at least a factor of `least` wide.
LogAxis axis_of(const std::vector<double>& values, float from, float to, double room = 0.06, double least = 4);

struct Tick {
    double value = 0;
    std::string label;    // empty: a line without a number
};
// Powers of ten, with 2 and 5 between them where there is room; numbered at least `pitch` pixels apart.
std::vector<Tick> decimal_ticks(const LogAxis& axis, float pitch, std::string (*label_of)(double));
// Powers of two.
std::vector<Tick> binary_ticks(const LogAxis& axis, float pitch, std::string (*label_of)(double));

// "2^20", "4 KiB … 1 GiB", "10 µs", "100 GB/s": a tick's number without needless zeros.
std::string values_tick(double n);
std::string bytes_tick(double bytes);
std::string time_tick(double us);
std::string rate_tick(double gb_per_s);

// Places of labels that belong at `wanted`: in the same order, `pitch` apart, between `low` and `high`, moved no
// further than they must. Labels that do not all fit stand closer.
std::vector<float> spread_labels(const std::vector<float>& wanted, float pitch, float low, float high);

// The part of the line a–b within `box`; false where there is none.
bool clip_line(const Rect& box, Point& a, Point& b);

// A category's look: Okabe-Ito colours that can be distinguished from the ground, each with a mark of its own.
enum class PlotMark : std::uint8_t { disc, square, diamond, triangle };
struct Category {
    Color color = 0;
    PlotMark mark = PlotMark::disc;
};
// Of the i-th category: 24 differ.
Category category(const Theme& theme, std::size_t i);

}  // namespace lanewise::viz
