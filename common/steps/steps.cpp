#include "common/steps/steps.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/steps/counters.hpp"
#include "common/steps/follow.hpp"
#include "common/steps/merge.hpp"

namespace lanewise::steps {
namespace {

auto order_of(const WarpRef& warp) { return std::tuple(warp.launch, warp.block, warp.warp); }

}  // namespace

const WarpStep* Step::find(const WarpRef& warp) const {
    const auto at = std::lower_bound(warps.begin(), warps.end(), warp, [](const WarpStep& a, const WarpRef& b) {
        return order_of(a.warp) < order_of(b);
    });
    return at != warps.end() && at->warp == warp ? &*at : nullptr;
}

const LaneValues& Steps::lane_values(std::size_t k, const WarpRef& warp) const {
    const auto at = std::lower_bound(warps.begin(), warps.end(), warp, [](const WarpRef& a, const WarpRef& b) {
        return order_of(a) < order_of(b);
    });
    const std::size_t row = k + 1;   // before the first step: k is kNoStep
    if (at == warps.end() || !(*at == warp) || row >= all_lane_values.size())
        throw Error(
            fmt::format("There is no warp {} of block {} of launch {} at step {}; the trace has {} warps and {} "
                        "steps.",
                        warp.warp, warp.block, warp.launch, row, warps.size(), steps.size()));
    return all_lane_values[row][static_cast<std::size_t>(at - warps.begin())];
}

Steps build_steps(const trace::Trace& trace) {
    Steps steps;
    steps.trace = &trace;
    steps.warps = warps_of(trace);
    for (const WarpRef& warp : steps.warps) {
        const WarpRef block{warp.launch, warp.block, 0};
        if (steps.blocks.empty() || !(steps.blocks.back() == block)) steps.blocks.push_back(block);
    }
    const Statements statements(trace);
    steps.steps = merge(trace, steps.warps, statements);
    follow(steps, statements);
    name_steps(trace, steps.steps);
    count(steps);
    return steps;
}

}  // namespace lanewise::steps
