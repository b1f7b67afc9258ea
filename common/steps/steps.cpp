#include "common/steps/steps.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/steps/counters.hpp"
#include "common/steps/follow.hpp"
#include "common/steps/merge.hpp"
#include "common/trace/io.hpp"

namespace lanewise::steps {
const WarpStep* Step::find(const WarpRef& warp) const {
    const auto at = std::lower_bound(warps.begin(), warps.end(), warp,
                                     [](const WarpStep& a, const WarpRef& b) { return a.warp < b; });
    return at != warps.end() && at->warp == warp ? &*at : nullptr;
}

const LaneValues& Steps::lane_values(std::size_t k, const WarpRef& warp) const {
    const auto at = std::lower_bound(warps.begin(), warps.end(), warp);
    const std::size_t row = k + 1;   // before the first step: k is kNoStep
    if (at == warps.end() || !(*at == warp) || row > steps.size() || lane_values_of.size() != warps.size())
        throw Error(
            fmt::format("There is no warp {} of block {} of launch {} at step {}; the trace has {} warps and {} "
                        "steps.",
                        warp.warp, warp.block, warp.launch, row, warps.size(), steps.size()));
    const auto& course = lane_values_of[static_cast<std::size_t>(at - warps.begin())];
    const auto after =
        std::upper_bound(course.begin(), course.end(), row,
                         [](std::size_t wanted, const LaneValuesFrom& from) { return wanted < from.row; });
    return std::prev(after)->values;   // the first is of row 0
}

Steps build_steps(const trace::Trace& trace, std::string_view text) {
    Steps steps;
    if (!trace::is_code_of(trace.header, text)) text = {};
    steps.trace = &trace;
    steps.warps = warps_of(trace);
    for (const WarpRef& warp : steps.warps) {
        const WarpRef block{warp.launch, warp.block, 0};
        if (steps.blocks.empty() || !(steps.blocks.back() == block)) steps.blocks.push_back(block);
    }
    const Statements statements(trace);
    steps.steps = merge(trace, steps.warps, statements);
    follow(steps, statements, text);
    name_steps(trace, steps.steps);
    count(steps);
    return steps;
}

}  // namespace lanewise::steps
