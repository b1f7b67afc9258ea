// What a kernel takes: its name, its template parameters and its parameters.
#pragma once

#include "common/annotate/strangers_file.hpp"
#include "common/annotate/syntax/places.hpp"

namespace lanewise::annotate {

// Of a function or a function template. Its path and line are those of its name.
KernelOutline outline_of(CXCursor function, const Places& places, const Source& source);

}  // namespace lanewise::annotate
