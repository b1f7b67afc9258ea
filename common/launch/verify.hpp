// Did a run compute what its plan expects?
#pragma once

#include <cstddef>
#include <vector>

#include "common/launch/backend.hpp"
#include "common/launch/plan.hpp"

namespace lanewise::launch {

// What came out of one of a plan's expectations.
struct Verdict {
    double value = 0;             // the first element, or the host's sum of all when the expectation is `summed`
    double error = 0;             // largest |value - reference|; infinite where exactly one of the two is NaN. Where
                                  // each element has a bound of its own: that of the element nearest to its bound
    double bound = 0;             // what the contract allows there
    bool ok = true;               // error <= bound, everywhere
    std::size_t worst_index = 0;  // the element the error was found at
    double worst_value = 0;
    double worst_reference = 0;
};

// One verdict for each expectation, in order. Throws Error where an expectation does not fit its buffer.
std::vector<Verdict> verify(const Plan& plan, const Outcome& outcome);

}  // namespace lanewise::launch
