#include "common/scene/outline.hpp"

#include <algorithm>

#include "common/run/run.hpp"
#include "common/scene/memory/requests.hpp"
#include "common/scene/warps.hpp"

namespace lanewise::scene {

Outline outline_of(const run::Run& run) {
    const steps::Steps& steps = run.steps;
    const trace::Trace& trace = run.trace;
    Outline outline;
    outline.variant = trace.header.variant;
    outline.date = trace.header.date;
    outline.origin = run.origin;
    outline.note = run.note;
    outline.notice = run.notice;
    outline.kernel_file = run.kernel_file;
    outline.source = run.source;
    outline.result = result_text(run);
    outline.right = came_out_right(run);
    for (const steps::Step& step : steps.steps)
        outline.steps.push_back({step.kind, step.label, step.stage, step.line});
    for (const steps::Step& step : steps.steps)
        for (const steps::WarpStep& part : step.warps)
            if (outline.parts.empty()) outline.parts = part.parts;
    outline.warps = steps.warps;
    outline.blocks = steps.blocks;
    for (const trace::Array& array : trace.arrays)
        outline.arrays.push_back({array.name, array.element, array.count, array.space});
    for (const trace::Finding& finding : trace.findings)
        outline.findings.push_back({finding_text(finding), finding.block, finding.warp, finding.lanes,
                                    finding.line, finding.other ? finding.other->line : 0});
    outline.findings_at = findings_of_steps(steps);
    outline.finding_stops = finding_stops(steps, outline.findings_at);
    outline.mistakes = mistakes_found(trace, outline.findings_at);
    outline.launches = std::max<std::size_t>(trace.header.launches.size(), 1);
    outline.input_count = steps.input_count;
    outline.warp_size = warp_size(steps);
    outline.accesses_known_from = accesses_origin(trace);
    if (!trace.header.accesses_from.empty()) outline.accesses_added_from = outline.accesses_known_from;
    for (const run::Result& result : run.results)
        outline.results.push_back({result.output, result.summed, result.count, result.value, result.reference,
                                   result.error, result.bound, result.ok, result.reason});
    outline.n = trace.header.n;
    outline.seed = trace.header.seed;
    outline.block = trace::block_text(trace.header);
    outline.input = trace::input_text(trace.header, false);
    return outline;
}

const steps::Steps& steps_of(const run::Run& run) { return run.steps; }

bool has_part(const steps::Steps& steps, std::size_t step, const WarpRef& warp) {
    return step < steps.size() && steps.steps[step].find(warp) != nullptr;
}

std::vector<std::size_t> warps_in(const steps::Steps& steps, std::size_t step) {
    std::vector<std::size_t> places;
    for (const steps::WarpStep& part : steps.steps.at(step).warps) {
        const auto at = std::find(steps.warps.begin(), steps.warps.end(), part.warp);
        if (at != steps.warps.end() && !part.records.empty())
            places.push_back(static_cast<std::size_t>(at - steps.warps.begin()));
    }
    return places;
}

bool is_recorded(const steps::Steps& steps, const WarpRef& warp) {
    return std::find(steps.warps.begin(), steps.warps.end(), warp) != steps.warps.end();
}

std::size_t step_count(const steps::Steps& steps) { return steps.size(); }

}  // namespace lanewise::scene
