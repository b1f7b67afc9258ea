// Finds where an emulated copy reports what a sum has become: statements that join what was read from memory to a
// variable, and leave no record of their own.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "common/annotate/edits.hpp"
#include "common/annotate/syntax/unit.hpp"

namespace lanewise::annotate {

// `sum += in[i];` and `const float4 p = in4[i]; … sum += p.x + p.y;` get `, joined(ID, sum)`; ID is the variable's in
// `targets`, which grows. `functions` are those that the unit defines. Not where a warp intrinsic or an atomic is in
// the value: announce_results reports these. `unsafe` names variables whose reading would be an access (shared
// memory).
void announce_joins(const File& file, const std::set<std::string>& functions, const std::vector<std::string>& unsafe,
                    std::vector<std::string>& targets, Edits& edits);

}  // namespace lanewise::annotate
