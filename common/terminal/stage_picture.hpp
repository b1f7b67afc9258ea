// The lanes of a warp at a step, on a screen.
#pragma once

#include "common/scene/value_scale.hpp"
#include "common/steps/steps.hpp"
#include "common/terminal/palette.hpp"
#include "common/terminal/screen.hpp"

namespace lanewise::terminal {

// What is looked at. All of it outlives the drawing.
struct StageLook {
    const steps::Steps& steps;
    std::size_t step;
    steps::WarpRef warp;
    int lane;                          // -1: none
    const scene::ValueScale& scale;    // of the warp's values
    const Palette& colors;
};

// Between the rows `top` and `bottom`, which stays free.
void draw_stage(Screen& screen, const StageLook& look, int top, int bottom);

}  // namespace lanewise::terminal
