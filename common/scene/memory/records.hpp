// Records of memory, for what makes scenes of them.
#pragma once

#include "common/trace/trace.hpp"

namespace lanewise::scene {

// Does a record read or write a word of memory?
inline bool touches_memory(const trace::Record& record) {
    return trace::is_access(record.op) || trace::is_atomic(record.op);
}

}  // namespace lanewise::scene
