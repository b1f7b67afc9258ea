#include "common/base/lanes.hpp"

#include <bit>

#include <fmt/format.h>

namespace lanewise {

std::string lane_ranges(std::uint32_t lanes) {
    std::string text;
    for (int lane = 0; lane < 32; ++lane) {
        if (!(lanes >> lane & 1)) continue;
        const int last = lane + std::countr_one(lanes >> lane) - 1;
        text +=
            (text.empty() ? "" : ", ") + (last == lane ? fmt::format("{}", lane) : fmt::format("{}-{}", lane, last));
        lane = last;
    }
    return text.empty() ? "none" : text;
}

std::string lane_list(std::uint32_t lanes) {
    if (lanes == 0) return "no lane";
    return (std::has_single_bit(lanes) ? "lane " : "lanes ") + lane_ranges(lanes);
}

}  // namespace lanewise
