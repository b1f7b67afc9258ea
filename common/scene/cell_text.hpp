// A number in a narrow cell: whole as long as it fits, on two lines where one would cost digits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/element.hpp"

namespace lanewise::scene {

// As many digits as fit in `chars` signs a line. With `two_lines` a number that is longer breaks before its last three
// digits ("65\n536") or before its point ("27\n.53"); only what is longer still is shortened ("1e9").
std::string cell_text(Element type, std::uint64_t bits, int chars, bool two_lines);

// The lines of such a text; the second is empty where there is one.
std::pair<std::string_view, std::string_view> lines_of_cell(std::string_view text);

// Signs of the longer line.
int cell_width(std::string_view text);

}  // namespace lanewise::scene
