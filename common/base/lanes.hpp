// Sets of lanes in words.
#pragma once

#include <cstdint>
#include <string>

namespace lanewise {

// "0, 2, 8-11"; "none" for the empty set.
std::string lane_ranges(std::uint32_t lanes);

// "lane 5", "lanes 0, 2, 8-11", "no lane".
std::string lane_list(std::uint32_t lanes);

}  // namespace lanewise
