#include "common/scene/utilization.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common/scene/warps.hpp"

namespace lanewise::scene {

Utilization utilization_of(const steps::Steps& steps, const steps::WarpRef& warp) {
    Utilization work;
    work.threads = block_threads(steps, warp);
    const std::size_t block = block_place(steps, warp);
    work.steps.resize(steps.size());
    for (std::size_t k = 0; k < steps.size(); ++k) {
        const auto& counters = steps.steps[k].counters;
        if (block >= counters.size()) continue;
        work.steps[k] = {counters[block].active_lanes, counters[block].lanes_adding};
        work.added = counters[block].added;
        work.slots = counters[block].add_slots;
    }
    return work;
}

std::string percent(double part) {
    const double value = 100 * part;
    const bool rounds_away = part > 0 && part < 1 && (std::round(value) == 0 || std::round(value) == 100);
    return rounds_away ? fmt::format("{:.1f} %", value) : fmt::format("{:.0f} %", value);
}

std::string part_text(double part) {
    if (part <= 0) return "none";
    if (part >= 1) return "all";
    if (part >= 0.95) return "nearly all";
    if (part < 0.1) return fmt::format("1 in {:.0f}", 1 / part);
    // The fewest lanes that come near enough; else the nearest of up to ten.
    const auto off = [&](int of) { return std::abs(std::round(part * of) / of - part); };
    int best = 2;
    for (int of = 2; of <= 10; ++of) {
        const bool some = std::round(part * of) > 0 && std::round(part * of) < of;
        if (some && off(of) < off(best)) best = of;
        if (some && off(of) <= 0.015) break;
    }
    return fmt::format("{:.0f} in {}", std::round(part * best), best);
}

std::string utilization_text(const Utilization& work) {
    return percent(work.busy()) + " of lanes busy (" + part_text(work.busy()) + ") while adding";
}

}  // namespace lanewise::scene
