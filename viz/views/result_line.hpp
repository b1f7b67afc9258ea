// How a run came out, and what the emulator found wrong with it: one wording and one sign for every view.
#pragma once

#include "viz/views/exhibit.hpp"
#include "viz/widgets/paint.hpp"

namespace lanewise::viz {

// A triangle with an exclamation mark, as tall as `radius` to each side of `middle`.
void warning_sign(const Brush& brush, Point middle, float radius);

// "✓ out = 8128, as expected", "! out = 192, expected 8128", "! 1 mistake found, though out = 8128, as expected";
// nothing where no output was kept and nothing was found.
void draw_result(const Brush& brush, const Rect& where, const lesson::Run& run, Face face, Align align);

// "2 mistakes found"; empty where there are none.
std::string mistakes_found(const lesson::Run& run);

// "Line 17, lanes 16-31 of block 0, warp 0, 12 times: …".
std::string finding_words(const trace::Finding& finding);

}  // namespace lanewise::viz
