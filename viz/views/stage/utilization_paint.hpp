// Active lanes as bars: filled for lanes that add, hollow for those that do not.
#pragma once

#include "common/scene/utilization.hpp"
#include "viz/widgets/paint.hpp"

namespace lanewise::viz {

// One step's bar in its track, as high as its part of the block's lanes.
void work_bar(const Brush& brush, const Rect& track, const scene::WorkStep& step, std::uint32_t threads, bool present);

// A dashed line where the mean of the steps that add stands, over bars of height `bars`.
void mean_line(const Brush& brush, const Rect& bars, double utilization);

// A whole run small: a bar for each step, the mean, and a mark under step `present`.
void work_strip(const Brush& brush, const Rect& where, const scene::Utilization& work, std::size_t present);

}  // namespace lanewise::viz
