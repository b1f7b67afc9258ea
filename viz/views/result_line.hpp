// How a run came out, and what the emulator found wrong with it: one wording and one sign for every view.
#pragma once

#include "viz/views/exhibit.hpp"
#include "viz/widgets/paint.hpp"

namespace lanewise::viz {

// A triangle with an exclamation mark, as tall as `radius` to each side of `middle`.
void warning_sign(const Brush& brush, Point middle, float radius);

// "✓ out = 8128, as expected", "! out = 192, expected 8128",
// "! out = 8128, as expected, but: barrier in a branch, see step 6"; nothing where no output was kept and nothing was
// found. `place`: of the first mistake, where steps are counted otherwise than in the run.
void draw_result(const Brush& brush, const Rect& where, const Exhibit& exhibit, Face face, Align align, std::size_t place = steps::kNoStep);

// The first step that a finding is told at; kNoStep where nothing was found.
std::size_t first_mistake(const Exhibit& exhibit);
// "barrier in a branch, see step 6", "barrier in a branch and 1 more, see step 6"; empty where nothing was found.
// `place` as above.
std::string mistakes_found(const Exhibit& exhibit, std::size_t place = steps::kNoStep);

// "Line 17, lanes 16-31 of block 0, warp 0, 12 times: …".
std::string finding_words(const trace::Finding& finding);

}  // namespace lanewise::viz
