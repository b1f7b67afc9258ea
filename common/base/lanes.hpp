// Sets of lanes as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace lanewise {

// A lane's place in an array that has one value for each lane.
constexpr std::size_t lane_index(int lane) { return static_cast<std::size_t>(lane); }

// "0, 2, 8-11"; "none" for the empty set.
std::string lane_ranges(std::uint32_t lanes);

// "lane 5", "lanes 0, 2, 8-11", "no lane".
std::string lane_list(std::uint32_t lanes);

}  // namespace lanewise
