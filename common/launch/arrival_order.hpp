#pragma once

#include "common/launch/backend.hpp"

namespace lanewise::launch {

// The order in which the blocks of a GPU's trace took their tickets, where all blocks are recorded and each did one
// atomic whose old value counts up; else ascending.
Order arrival_order(const trace::Trace& trace);

}  // namespace lanewise::launch
