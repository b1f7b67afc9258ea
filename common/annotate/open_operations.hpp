// Finds operations whose meaning C++ leaves open for some operands, and gives them a GPU's in the emulated copies.
#pragma once

#include "common/annotate/edits.hpp"
#include "common/annotate/syntax/places.hpp"

namespace lanewise::annotate {

// Adds to `file` what `cursor` itself is, not what is in it. Left out is what cannot go wrong: a shift by a
// constant below the width, a division by a constant that is not zero, a constant that the integer holds.
void note_open_operation(CXCursor cursor, const Places& places, File& file);

// `a << b` -> `::lanewise_emulated::shifted_left(a, b)`, and the like.
void close_operations(const File& file, Edits& edits);

}  // namespace lanewise::annotate
