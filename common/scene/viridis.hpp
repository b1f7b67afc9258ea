// The colours of values: viridis.
#pragma once

#include <array>
#include <cstdint>

namespace lanewise::scene {

// Red, green and blue at t in 0…1; what is outside, or no number, is taken to the nearer end.
std::array<std::uint8_t, 3> viridis(double t);

}  // namespace lanewise::scene
