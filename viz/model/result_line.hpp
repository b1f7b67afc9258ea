// How a run came out, and what the emulator found wrong with it: one wording and one sign for every view.
#pragma once

#include "viz/model/run_view.hpp"
#include "viz/widgets/paint.hpp"

namespace lanewise::viz {

// A triangle with an exclamation mark, as tall as `radius` to each side of `middle`.
void warning_sign(const Brush& brush, Point middle, float radius);

// "✓ out = 8128, as expected", "! out = 192, expected 8128",
// "! out = 8128, as expected, but: barrier in a branch, see step 6"; nothing where no output was kept and nothing was
// found. `place`: of the first mistake, where steps are counted otherwise than in the run. Returns the width used.
float draw_result(const Brush& brush, const Rect& where, const RunView& run_view, Face face, Align align,
                  std::size_t place = kNoStep);

// The first step that a finding is shown at; kNoStep where nothing was found.
inline std::size_t first_mistake(const RunView& run_view) { return scene::first_mistake(run_view.outline.findings_at); }
// See scene::mistakes_found.
inline std::string mistakes_found(const RunView& run_view, std::size_t place = kNoStep) {
    return scene::mistakes_found(run_view.trace(), run_view.outline.findings_at, place);
}

}  // namespace lanewise::viz
