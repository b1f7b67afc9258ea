// Lanes in words: "lane 5", "lanes 0-15", "lanes 0, 2 and 8-11".
#pragma once

#include <cstdint>
#include <string>

namespace lanewise::emu {

std::string lane_list(std::uint32_t lanes);

}  // namespace lanewise::emu
