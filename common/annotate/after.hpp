// Finds where a traced copy reports to the recorder what a variable held after a statement with a shuffle.
#pragma once

#include "common/annotate/edits.hpp"
#include "common/annotate/syntax/unit.hpp"

namespace lanewise::annotate {

// `v += __shfl…;` gets `, after(…, v)`. Where the shuffle only fills a temporary, `T p = __shfl…; if (…) v += p;`, the
// variable that takes it in is reported after the whole of that, for lanes that took it and lanes that did not.
// `unsafe` names variables whose reading would be an access (shared memory).
void announce_results(const File& file, const std::vector<std::string>& unsafe, Edits& edits);

}  // namespace lanewise::annotate
