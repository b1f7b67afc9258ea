// Cooperative groups in the derived copies: our own headers in place of the toolkit's.
#pragma once

#include "common/annotate/edits.hpp"
#include "common/annotate/source.hpp"

namespace lanewise::annotate {

// #include <cooperative_groups.h>, and its reduce.h and scan.h -> #include "common/prelude/cooperative_groups….cuh", on
// the same line and so inside the wrapper's namespace.
void replace_group_headers(const Source& source, Edits& edits);

}  // namespace lanewise::annotate
