// What libclang says of expressions: calls and what they name, variables, conditional operators, assignments.
#pragma once

#include <functional>

#include "common/annotate/syntax/places.hpp"

namespace lanewise::annotate {

// Adds to `file` what is in `cursor`.
void read_expressions(CXCursor cursor, const Places& places, const std::function<bool(CXCursor)>& is_own, File& file);

// The assignments that an expression carries out as a statement: itself, or those that commas part in it.
std::vector<Assignment> assigned(CXCursor expression, const Places& places, const Source& source);

// The variables that a declaration with these parts gives a value. `statement` is all of it.
std::vector<Assignment> declared(const std::vector<CXCursor>& parts, Range statement, const Places& places,
                                 const Source& source);

}  // namespace lanewise::annotate
