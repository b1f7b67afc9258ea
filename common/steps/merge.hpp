// From the records of each warp to steps that the warps share.
#pragma once

#include <vector>

#include "common/steps/statements.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::steps {

// The warps that have records, by launch, block, warp.
std::vector<WarpRef> warps_of(const trace::Trace& trace);

// Steps with kind, line, warps and their records; labels, stages, lanes and counters are still to be filled in.
// Between two block barriers the warps' sequences are merged; a step's records in other warps are those with the same
// operation, line and argument, the same turn.
std::vector<Step> merge(const trace::Trace& trace, const std::vector<WarpRef>& warps, const Statements& statements);

// Fills in labels, stages and distances. The lanes of the steps are filled in before (follow.hpp).
void name_steps(const trace::Trace& trace, std::vector<Step>& steps);

}  // namespace lanewise::steps
