#include "common/emu/lane_list.hpp"

#include <bit>
#include <vector>

#include <fmt/format.h>

namespace lanewise::emu {

std::string lane_list(std::uint32_t lanes) {
    std::vector<std::string> runs;
    for (int lane = 0; lane < 32; ++lane) {
        if (!(lanes >> lane & 1)) continue;
        int last = lane;
        while (last < 31 && (lanes >> (last + 1) & 1)) ++last;
        runs.push_back(last == lane ? fmt::format("{}", lane) : fmt::format("{}-{}", lane, last));
        lane = last;
    }
    if (runs.empty()) return "no lane";
    std::string text = std::has_single_bit(lanes) ? "lane " : "lanes ";
    for (std::size_t i = 0; i < runs.size(); ++i)
        text += (i == 0 ? "" : i + 1 == runs.size() ? " and " : ", ") + runs[i];
    return text;
}

}  // namespace lanewise::emu
