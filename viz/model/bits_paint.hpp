// A value's bits, the fields of a floating-point number set apart: by colour, by a gap, and by name where there is
// room.
#pragma once

#include <string>

#include "common/base/element.hpp"
#include "viz/widgets/paint.hpp"

namespace lanewise::viz {

// The bits from the highest down. Wraps after `width`; returns the height used.
float bits_row(const Brush& brush, Point at, float width, Element type, std::uint64_t bits, Face face);
// Under such a row of one line: "sign", "exponent", "fraction"; "8 bits each" for an integer's groups. Returns the
// height used.
float bits_names(const Brush& brush, Point at, Element type, Face face);

// How the fields make the number: "+ 1.0625 × 2^6", "− 0.5 × 2^-126", "infinity"; an integer as a formula ("two's
// complement: −3 = 2^32 − 3"), empty where there is nothing to say.
std::string bits_text(Element type, std::uint64_t bits);

}  // namespace lanewise::viz
