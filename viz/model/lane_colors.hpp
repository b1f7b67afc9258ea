// The colours of lanes: by value, or by the inputs included in it.
#pragma once

#include "common/scene/coverage.hpp"
#include "common/scene/held.hpp"
#include "viz/model/run_view.hpp"
#include "viz/model/selection.hpp"

namespace lanewise::viz {

Color coverage_color(const Theme& theme, scene::Coverage coverage, float part);

// The colours of one warp's lanes, or of a whole run's.
struct LaneColors {
    const RunView* run_view = nullptr;
    const ValueScale* scale = nullptr;
    const Theme* theme = nullptr;
    ColorBy by = ColorBy::value;

    // Of a lane whose value is known.
    Color of(const scene::LaneCell& cell) const;
};

// The colour of words of memory while lanes are coloured by their inputs: those of a word are not known.
ValueScale plain_words(const Theme& theme);

}  // namespace lanewise::viz
