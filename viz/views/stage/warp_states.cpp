#include "viz/views/stage/warp_states.hpp"

#include <algorithm>
#include <bit>

#include "common/base/counted.hpp"
#include "common/scene/lane_facts.hpp"

namespace lanewise::viz {
namespace {

using steps::StepKind;

bool is_barrier(StepKind kind) { return kind == StepKind::block_barrier || kind == StepKind::warp_barrier; }

}  // namespace

WarpState state_of(const steps::Steps& steps, std::size_t step, const steps::WarpRef& warp) {
    WarpState state;
    if (step >= steps.size()) return state;
    if (const steps::WarpStep* part = steps.steps[step].find(warp)) {
        state.doing = is_barrier(steps.steps[step].kind) ? WarpState::Doing::waits : WarpState::Doing::works;
        state.lanes = std::popcount(scene::active_lanes(steps, part));
        return state;
    }
    for (std::size_t k = step + 1; k < steps.size() && state.next == steps::kNoStep; ++k) {
        if (steps.steps[k].find(warp)) state.next = k;
    }
    if (state.next == steps::kNoStep) {
        state.doing = WarpState::Doing::ended;
        return state;
    }
    // Nothing but a barrier stands between it and what comes: it has come there already.
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
    return state.next == steps::kNoStep ? "idle" : "idle until step " + std::to_string(state.next + 1);
}

std::vector<WarpRow> rows_of(const RunView& run_view, const steps::WarpRef& warp, const Theme& theme, ColorBy by) {
    const steps::Steps& steps = run_view.steps();
    const LaneColors colors{&run_view, &run_view.scale, &theme, by};
    const int lanes = lanes_of(steps, warp);
    std::vector<WarpRow> rows;
    const steps::LaneValues* last = nullptr;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        const steps::LaneValues& now = steps.lane_values(k, warp);
        const bool same = last && last->known == now.known && last->bits == now.bits && last->inputs == now.inputs &&
                          last->type == now.type;
        if (same || now.known == 0) continue;
        last = &now;
        WarpRow row;
        row.step = k;
        for (int lane = 0; lane < lanes; ++lane) {
            if (!((now.known >> lane) & 1u)) continue;
            const Color color = colors.of(now, lane);
            const bool joins = !row.runs.empty() && row.runs.back().color == color &&
                               row.runs.back().first + row.runs.back().count == lane;
            if (joins) ++row.runs.back().count;
            else row.runs.push_back({lane, 1, color});
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace lanewise::viz
