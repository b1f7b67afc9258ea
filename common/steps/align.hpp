// Several runs beside each other: steps that are the same stage stand together.
#pragma once

#include <cstddef>
#include <vector>

#include "common/steps/steps.hpp"

namespace lanewise::steps {

// The step of each run at one place, in the order of the runs; kNoStep where a run has none there.
using AlignedPlace = std::vector<std::size_t>;

// align() for any number of runs: every step of every run stands at just one place, in order, and the steps of one
// place are pairwise such as align() lets stand together. What is most in sum over all pairs is looked for: the runs
// are set beside each other one by one, then each is taken out and set anew beside the others for as long as that
// betters it. (The best of all would take the product of their lengths; for two runs this is the best.)
std::vector<AlignedPlace> align_all(const std::vector<const Steps*>& runs);

}  // namespace lanewise::steps
