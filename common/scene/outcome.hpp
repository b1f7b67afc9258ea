// How a run came out, and what the emulator found wrong with it: one wording for every view, page and text.
#pragma once

#include <string>
#include <vector>

#include "common/base/warp.hpp"
#include "common/scene/handles.hpp"

namespace lanewise::scene {

// Did the run compute what was expected, as far as its outputs show?
bool came_out_right(const run::Run& run);
// "out = 192, expected 8128"; "out = 8128, as expected"; empty where no output was kept. The first output that does not
// hold, else the first.
std::string result_text(const run::Run& run);

// For each step, which of Trace::findings are shown at it. A finding is shown at the steps of its line that its warp
// takes part in, else of its line; a line that no step has (a collective that never came about) at the last step of its
// warp, else of the run.
using StepFindings = std::vector<std::vector<std::size_t>>;
StepFindings findings_of_steps(const steps::Steps& steps);
// The first step that a finding is shown at; kNoStep where nothing was found.
std::size_t first_mistake(const StepFindings& findings);
// Where to look at a finding: its access, and the other one of a race, each at the step that has it; where it was not
// recorded, the first step that the finding is shown at. In the order of the steps.
struct FindingStop {
    std::size_t step = 0;
    WarpRef warp;
    int lane = 0;
    std::size_t finding = 0;   // of Trace::findings

    bool operator==(const FindingStop&) const = default;
};
std::vector<FindingStop> finding_stops(const steps::Steps& steps, const StepFindings& findings);
// The stop after (direction 1) or before (-1) where the learner is, around the ends; null where there is none.
const FindingStop* finding_stop_beside(const std::vector<FindingStop>& stops, std::size_t step, const WarpRef& warp,
                                       int direction);

// "barrier in a branch, see step 6", "barrier in a branch and 1 more, see step 6"; empty where nothing was found.
// `place`: of the first mistake, where steps are counted otherwise than in the run.
std::string mistakes_found(const trace::Trace& trace, const StepFindings& findings, std::size_t place = kNoStep);

// "Line 17, lanes 16-31 of block 0, warp 0, 12 times: …".
std::string finding_text(const trace::Finding& finding);

}  // namespace lanewise::scene
