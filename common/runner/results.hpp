// What a run left in its outputs, and how it compares with the reference.
#pragma once

#include <vector>

#include "common/launch/backend.hpp"
#include "common/lesson/inputs.hpp"
#include "common/run/run.hpp"

namespace lanewise::runner {

// The results of a run: each of the plan's expectations, compared with what came out.
std::vector<run::Result> results_of(const launch::Plan& plan, const launch::Outcome& outcome);

// The same of outputs in a trace; of those expectations whose output is there as a whole.
std::vector<run::Result> results_of(const launch::Plan& plan, const std::vector<trace::Output>& outputs);

// The outputs as a trace has them: at most trace::kMaxOutput values of each.
std::vector<trace::Output> outputs_of(const launch::Plan& plan, const launch::Outcome& outcome);

// The values of a run as its kernels read them, where they are few enough to be typed; empty where no input holds them.
std::vector<double> input_values(const launch::Plan& plan, const lesson::Inputs& inputs);

}  // namespace lanewise::runner
