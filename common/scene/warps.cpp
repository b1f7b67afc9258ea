#include "common/scene/warps.hpp"

#include <algorithm>

namespace lanewise::scene {

std::string warp_name(const steps::Steps& steps, const steps::WarpRef& warp) {
    std::string name;
    if (steps.trace && steps.trace->header.launches.size() > 1) name = "launch " + std::to_string(warp.launch) + " · ";
    return name + "block " + std::to_string(warp.block) + " · warp " + std::to_string(warp.warp);
}

std::size_t block_place(const steps::Steps& steps, const steps::WarpRef& warp) {
    for (std::size_t i = 0; i < steps.blocks.size(); ++i) {
        if (steps.blocks[i].launch == warp.launch && steps.blocks[i].block == warp.block) return i;
    }
    return 0;
}

std::uint32_t block_threads(const steps::Steps& steps, const steps::WarpRef& warp) {
    const auto& launches = steps.trace->header.launches;
    if (warp.launch >= launches.size()) return std::max(steps.trace->header.block, 1u);
    const auto& shape = launches[warp.launch].block;
    return std::max(shape[0] * shape[1] * shape[2], 1u);
}

int warp_size(const steps::Steps& steps) {
    const std::uint32_t size = steps.trace ? steps.trace->header.warp_size : 0;
    return size >= 1 && size < trace::kWarpSize ? static_cast<int>(size) : trace::kWarpSize;
}

int lanes_of(const steps::Steps& steps, const steps::WarpRef& warp) {
    const int size = warp_size(steps);
    if (warp.launch >= steps.trace->header.launches.size()) return size;
    const auto threads = static_cast<std::int64_t>(block_threads(steps, warp));
    const std::int64_t first = std::int64_t{warp.warp} * size;
    return static_cast<int>(std::clamp<std::int64_t>(threads - first, 1, size));
}

}  // namespace lanewise::scene
