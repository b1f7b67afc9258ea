// Are two traces of the same thing equal?
#pragma once

#include <string>

#include "common/trace/trace.hpp"

namespace lanewise::trace {

struct Difference {
    bool equal = true;
    std::string sentence;          // the first difference, with launch, block, warp, line, lane and both values;
                                   // when equal, how much was compared ("equal: 88 records of 16 warps, 9 snapshots")
    std::size_t records_compared = 0;
    std::size_t snapshots_compared = 0;
};

// Compares the records of kinds that both traces hold (accesses only when both come from the emulator), bit by bit, or
// floating values within Header::tolerance, the larger of both;
// NaNs are equal whatever their payload; values CUDA leaves undefined are compared in neither; what an atomic
// returned is not compared, nor are active masks at all; of a snapshot, the elements written so far by the record of
// either. Traces of different
// variants, sizes, inputs or kernel files are different, and the sentence says in what. Where they came from does
// not matter.
Difference diff(const Trace& a, const Trace& b);

}  // namespace lanewise::trace
