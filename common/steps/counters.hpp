// How much work each block has done so far.
#pragma once

#include "common/steps/steps.hpp"

namespace lanewise::steps {

// Fills in the counters of every step.
void count(Steps& steps);

}  // namespace lanewise::steps
