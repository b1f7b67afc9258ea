// A table of times as a picture: curves over sizes, bars where there is one size, the S×K table, the roofline.
#pragma once

#include <string>
#include <vector>

#include "viz/model/pane.hpp"
#include "viz/views/benchmark/timing_series.hpp"

namespace lanewise::viz {

// What is drawn, and what is lit in it.
struct ChartInput {
    const timing::TimingTable* table = nullptr;
    const TimingSeries* series = nullptr;
    std::string shown;             // the variant that the window shows
    std::string pinned;            // the series that was clicked; empty: none
};

// A figure that can be pointed at.
struct Spot {
    Point at;
    const timing::Timing* row = nullptr;
};

struct ChartResult {
    std::vector<Spot> spots;
    std::vector<std::pair<std::string, Rect>> labels;   // what is at the ends of the lines
    std::string hovered;           // the series under the pointer
};

enum class Measure : std::uint8_t { time, rate };

// Curves over sizes on logarithmic axes.
ChartResult draw_curves(const Pane& pane, const Rect& where, const ChartInput& input, Measure measure);
// One size: a bar for each, fastest first. Returns also how low it reached.
ChartResult draw_bars(const Pane& pane, const Rect& where, const ChartInput& input, float& y1);
// Rate over the bytes that are moved, under what reading them takes at least.
ChartResult draw_roofline(const Pane& pane, const Rect& where, const ChartInput& input);
// S by K for each variant, coloured by how it compares with the library's.
ChartResult draw_shapes(const Pane& pane, const Rect& where, const timing::TimingTable& table, const Shapes& shapes,
                        float& y1);

// How a series looks: the library and the limits are distinguished by more than colour.
struct SeriesLook {
    Color color = 0;
    std::uint8_t mark = 0;      // PlotMark
    bool hollow = false;
    bool dashed = false;
    float thickness = 1;
};
SeriesLook look_of(const Theme& theme, const Series& series, bool shown);

}  // namespace lanewise::viz
