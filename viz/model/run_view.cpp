#include "viz/model/run_view.hpp"

#include <algorithm>

#include "common/base/element.hpp"
#include "common/run/run.hpp"
#include "common/scene/held.hpp"

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

RunView::RunView(std::shared_ptr<const run::Run> shown)
    : run(std::move(shown)),
      outline(outline_of(*run)),
      scale(run_scale(steps())),
      boxes(std::make_shared<Suppression>(suppression_of(steps()))),
      most_inputs(scene::most_inputs(steps())),
      exact_(std::make_shared<BackgroundTask<Sums>>()) {
    for (scene::ValueScale& each : scene::warp_scales(steps())) warp_scales.emplace_back(std::move(each));
}

const steps::Steps& RunView::steps() const { return run->steps; }
const trace::Trace& RunView::trace() const { return run->trace; }

std::shared_ptr<const Sums> RunView::exact(bool wait_for_results) const {
    if (!exact_->begun()) {
        exact_->begin([run = run](const std::stop_token& stop) { return Sums(run->steps, stop); });
    }
    return exact_->get(wait_for_results);
}

const ValueScale& RunView::scale_of(const WarpRef& warp) const {
    const auto& warps = outline.warps;
    const auto at = static_cast<std::size_t>(std::find(warps.begin(), warps.end(), warp) - warps.begin());
    return at < warp_scales.size() ? warp_scales[at] : scale;
}

std::string being_worked_out(const RunView& run_view) {
    return "adding up " + std::to_string(run_view.outline.input_count) + " inputs without rounding…";
}

std::uint32_t faulting_lanes(const RunView& run_view, std::size_t step, const WarpRef& warp) {
    std::uint32_t lanes = 0;
    if (step >= run_view.outline.findings_at.size()) return lanes;
    for (const std::size_t i : run_view.outline.findings_at[step]) {
        const FindingNote& finding = run_view.outline.findings[i];
        if (finding.block == warp.block && finding.warp == warp.warp) lanes |= finding.lanes;
    }
    return lanes;
}

}  // namespace lanewise::viz
