// What each warp of a block is doing at a step, and the colours of all that it ever holds. Plain data, made once for a
// run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "viz/model/coverage.hpp"

namespace lanewise::viz {

struct WarpState {
    enum class Doing : std::uint8_t {
        works,    // takes part in the step
        waits,    // at a barrier: now, or because the next thing it does is to pass one while others of its block work
        idle,     // takes part again later
        ended,    // does nothing any more
    };
    Doing doing = Doing::idle;
    int lanes = 0;                          // at work, or at the barrier in this step
    std::size_t next = steps::kNoStep;      // where it takes part again, if not in this step
};

WarpState state_of(const steps::Steps& steps, std::size_t step, const steps::WarpRef& warp);
// "works: 16 lanes", "waits at the barrier", "idle until step 9", "has ended".
std::string state_text(const WarpState& state);

// The rows of a small picture of one warp: what it held after each step that changed something.
struct WarpRow {
    std::size_t step = steps::kNoStep;
    struct Run {                // lanes of one colour beside each other
        int first = 0, count = 0;
        Color color = 0;
    };
    std::vector<Run> runs;
};

// Colours by value are those of the whole run, so that warps can be compared.
std::vector<WarpRow> rows_of(const RunView& run_view, const steps::WarpRef& warp, const Theme& theme, ColorBy by);

}  // namespace lanewise::viz
