#include "viz/model/run_view.hpp"

#include <algorithm>
#include <set>

#include "common/base/element.hpp"

namespace lanewise::viz {

ValueScale ValueScale::plain(Color color) {
    ValueScale scale;
    scale.plain_ = color;
    return scale;
}

Color ValueScale::color(Element type, std::uint64_t bits) const {
    if (plain_) return plain_;
    // The darkest end of viridis sinks into a dark ground: start a little above it.
    return viridis(0.06 + 0.94 * place(element_to_double(type, bits)));
}

RunView::RunView(std::shared_ptr<const lesson::Run> shown)
    : run(std::move(shown)), warp_scales(run->steps.warps.size()), exact_(std::make_shared<BackgroundTask<ExactRun>>()) {
    std::set<std::uint32_t> held;   // places in Steps::provenances; many lanes share one
    for (const auto& row : run->steps.all_lane_values) {
        for (std::size_t w = 0; w < row.size() && w < warp_scales.size(); ++w) {
            scale.add(row[w]);
            warp_scales[w].add(row[w]);
            held.insert(row[w].inputs.begin(), row[w].inputs.end());
        }
    }
    scale.finish();
    for (ValueScale& each : warp_scales) each.finish();
    for (const std::uint32_t at : held) most_inputs = std::max(most_inputs, run->steps.provenances.at(at).count());
    findings = scene::findings_of_steps(run->steps);
}

std::shared_ptr<const ExactRun> RunView::exact(bool wait_for_results) const {
    if (!exact_->begun()) {
        exact_->begin([run = run](const std::stop_token& stop) {
            ExactRun exact{steps::build_rounding(run->steps, stop), {}};
            exact.loss = steps::rounding_loss(exact.lens);
            return exact;
        });
    }
    return exact_->get(wait_for_results);
}

const ValueScale& RunView::scale_of(const steps::WarpRef& warp) const {
    const auto& warps = run->steps.warps;
    const auto at = static_cast<std::size_t>(std::find(warps.begin(), warps.end(), warp) - warps.begin());
    return at < warp_scales.size() ? warp_scales[at] : scale;
}

std::string being_worked_out(const steps::Steps& steps) {
    return "adding up " + std::to_string(steps.input_count) + " inputs without rounding…";
}

std::uint32_t faulting_lanes(const RunView& run_view, std::size_t step, const steps::WarpRef& warp) {
    std::uint32_t lanes = 0;
    if (step >= run_view.findings.size()) return lanes;
    for (const std::size_t i : run_view.findings[step]) {
        const trace::Finding& finding = run_view.trace().findings[i];
        if (finding.block == warp.block && finding.warp == warp.warp) lanes |= finding.lanes;
    }
    return lanes;
}

}  // namespace lanewise::viz
