#include <algorithm>
#include <utility>

#include "common/run/run.hpp"
#include "common/scene/compare/side_by_side.hpp"

namespace lanewise::scene {

WarpRef working_warp(const std::vector<const run::Run*>& sides, const SideBySide& steps, std::size_t place,
                     const WarpRef& home) {
    std::vector<const run::Run*> here;   // sides with a step of their own
    std::vector<const steps::Step*> does;
    for (std::size_t s = 0; s < sides.size() && place < steps.size(); ++s) {
        if (!steps.has_own_step(s, place)) continue;
        here.push_back(sides[s]);
        does.push_back(&sides[s]->steps.steps[steps.step_of(s, place)]);
    }
    // Sides on which the block works, and the warp.
    const auto work_of = [&](const WarpRef& warp) {
        std::pair<int, int> work{};
        for (std::size_t s = 0; s < here.size(); ++s) {
            const WarpRef there = matching_warp(here[s]->steps, warp);
            const auto& parts = does[s]->warps;
            work.first += std::any_of(parts.begin(), parts.end(), [&](const steps::WarpStep& part) {
                return part.warp.launch == there.launch && part.warp.block == there.block;
            });
            work.second += does[s]->find(there) != nullptr;
        }
        return work;
    };
    WarpRef best = home;
    std::pair<int, int> most = work_of(home);
    if (most.first == static_cast<int>(here.size())) return home;
    int nearest = 0;
    for (std::size_t s = 0; s < here.size(); ++s)
        for (const steps::WarpStep& part : does[s]->warps) {
            const std::pair<int, int> work = work_of(part.warp);
            const int near = (part.warp.block == home.block ? 2 : 0) + (part.warp.warp == home.warp ? 1 : 0);
            if (work < most || (work == most && near <= nearest)) continue;
            most = work;
            nearest = near;
            best = part.warp;
        }
    return best;
}

}  // namespace lanewise::scene
