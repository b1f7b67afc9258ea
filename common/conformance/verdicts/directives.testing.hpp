// What stands above a kernel of these files: the verdict that the checks must come to, and what it is launched with.
//
//     // verdict wrong race,atomic_race (uninitialised_read): kernel<<<2, 64, 256>>>(ramp_f32(128), zeros_f32(128), 40)
//
// A grid or a block may have two dimensions, 2x2. In brackets: kinds that may be found too, in some orders. The lines that findings may name end in "// !".
#pragma once

#include <set>
#include <string>
#include <vector>

#include "common/launch/plan.hpp"

namespace lanewise::verdicts {

struct Directive {
    std::string verdict;             // "wrong", "clean", "note"
    std::set<std::string> kinds;     // at least one of these
    std::set<std::string> others;    // none or some of these
    std::string kernel;
    launch::Plan plan;
    std::set<int> lines;             // that findings may name; empty: not said
};

// Those of a kernel file. Throws Error that names a line it cannot read.
std::vector<Directive> directives_of(const std::string& path);

}  // namespace lanewise::verdicts
