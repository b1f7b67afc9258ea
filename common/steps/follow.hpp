// Walks through merged steps and gives what each lane held before and after, and which inputs were in it.
#pragma once

#include <string_view>

#include "common/steps/provenance/provenance.hpp"
#include "common/steps/statements.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::steps {

// Fills in the lanes of every step, Steps::lane_values_of, input_count and provenances. Where the sets of inputs grow
// too large to keep (a lane of a long grid-stride loop over a large input), none are given and input_count is 0.
// `text`: of the kernel file; empty where it is not at hand.
void follow(Steps& steps, const Statements& statements, std::string_view text);

}  // namespace lanewise::steps
