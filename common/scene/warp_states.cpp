#include "common/scene/warp_states.hpp"

#include <algorithm>
#include <bit>

#include "common/base/counted.hpp"
#include "common/scene/lane_facts.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::scene {
WarpState state_of(const steps::Steps& steps, std::size_t step, const WarpRef& warp) {
    WarpState state;
    if (step >= steps.size()) return state;
    if (const steps::WarpStep* part = steps.steps[step].find(warp)) {
        state.doing = is_barrier(steps.steps[step].kind) ? WarpState::Doing::waits : WarpState::Doing::works;
        state.lanes = std::popcount(active_lanes(steps, part));
        return state;
    }
    for (std::size_t k = step + 1; k < steps.size() && state.next == kNoStep; ++k) {
        if (steps.steps[k].find(warp)) state.next = k;
    }
    if (state.next == kNoStep) {
        state.doing = WarpState::Doing::ended;
        return state;
    }
    // Nothing but a barrier is between it and what comes: it has come there already.
    if (steps.steps[state.next].kind != StepKind::block_barrier) return state;
    const auto& parts = steps.steps[step].warps;
    const bool others_work = std::any_of(parts.begin(), parts.end(), [&](const steps::WarpStep& part) {
        return part.warp.launch == warp.launch && part.warp.block == warp.block;
    });
    if (others_work) state.doing = WarpState::Doing::waits;
    return state;
}

std::string state_text(const WarpState& state) {
    const std::string lanes = counted(state.lanes, "lane");
    switch (state.doing) {
        case WarpState::Doing::works: return "works: " + lanes;
        case WarpState::Doing::waits:
            return state.lanes > 0 ? "at the barrier: " + lanes
                                   : "waits for the barrier of step " + std::to_string(state.next + 1);
        case WarpState::Doing::ended: return "has ended";
        case WarpState::Doing::idle: break;
    }
    return state.next == kNoStep ? "idle" : "idle until step " + std::to_string(state.next + 1);
}

}  // namespace lanewise::scene
