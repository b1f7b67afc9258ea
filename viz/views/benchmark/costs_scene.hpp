// What single operations cost, laid out: where each row, bar and mark stands. Without ImGui.
#pragma once

#include <string>
#include <vector>

#include "common/timing/costs.hpp"
#include "viz/views/benchmark/plot.hpp"
#include "viz/widgets/geometry.hpp"

namespace lanewise::viz {

// A bar with its spread.
struct CostBar {
    Rect box;                  // empty: nothing was measured
    float low = 0, high = 0;   // where the 5th and 95th percentile stand
    std::string figure;        // "24"
};

struct CostRow {
    const timing::Cost* cost = nullptr;
    Rect box;                  // all of it
    Rect name;
    CostBar wait;              // cycles
    bool sent = false;         // nothing waits for it: the bar is how soon a warp sends the next
    float start = -1;          // where the cycles between two starts on an SM are on the same axis; -1: not known
    float quoted = -1;         // the commonly quoted figure; -1: none
    CostBar rate;              // throughput: results a cycle
    std::string gpu;           // "1.8 ns" for each lane of the whole GPU; empty elsewhere
    std::string lacking;       // in place of all bars
};

struct CostGroup {
    std::string title;
    Rect box;
};

struct CostScene {
    Rect names, waits, rates, gpus;   // the columns
    LogAxis wait_axis, rate_axis;
    std::vector<Tick> wait_ticks, rate_ticks;
    std::vector<CostGroup> groups;
    std::vector<CostRow> rows;
    float bottom = 0;                 // where the last row ends; may lie below `box`
};

// Keeps references into `table`. `scale`: pixels of a unit. All rows fit into `box` where they are legible in it.
CostScene cost_scene(const timing::CostTable& table, const Rect& box, float scale);

// Is there nothing to wait for?
bool is_sent(const timing::Cost& cost);

// What a row shows when it is pointed at, a line each, the first its name.
std::vector<std::string> cost_lines(const timing::Cost& cost);

}  // namespace lanewise::viz
