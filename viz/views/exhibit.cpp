#include "viz/views/exhibit.hpp"

#include <algorithm>
#include <set>
#include <cmath>

#include "common/base/element.hpp"

namespace lanewise::viz {

void ValueScale::add(const steps::Holding& holding) {
    for (int lane = 0; lane < trace::kWarpSize; ++lane) {
        if (!((holding.known >> lane) & 1u)) continue;
        const double value = element_to_double(holding.type, holding.bits[static_cast<std::size_t>(lane)]);
        if (std::isfinite(value)) sorted_.push_back(value);
    }
}

void ValueScale::finish() {
    std::sort(sorted_.begin(), sorted_.end());
    sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
}

double ValueScale::place(double value) const {
    if (sorted_.size() < 2 || std::isnan(value)) return 0.35;
    const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), value) - sorted_.begin();
    return std::min(1.0, static_cast<double>(at) / static_cast<double>(sorted_.size() - 1));
}

Color ValueScale::color(Element type, std::uint64_t bits) const {
    // The darkest end of viridis sinks into a dark ground: start a little above it.
    return viridis(0.06 + 0.94 * place(element_to_double(type, bits)));
}

Exhibit::Exhibit(std::shared_ptr<const lesson::Run> shown) : run(std::move(shown)), warp_scales(run->steps.warps.size()) {
    std::set<std::uint32_t> held;   // places in Steps::provenances; many lanes share one
    for (const auto& row : run->steps.holdings) {
        for (std::size_t w = 0; w < row.size() && w < warp_scales.size(); ++w) {
            scale.add(row[w]);
            warp_scales[w].add(row[w]);
            held.insert(row[w].inputs.begin(), row[w].inputs.end());
        }
    }
    scale.finish();
    for (ValueScale& each : warp_scales) each.finish();
    for (const std::uint32_t at : held) most_inputs = std::max(most_inputs, run->steps.provenances.at(at).count());
}

const ValueScale& Exhibit::scale_of(const steps::WarpRef& warp) const {
    const auto& warps = run->steps.warps;
    const auto at = static_cast<std::size_t>(std::find(warps.begin(), warps.end(), warp) - warps.begin());
    return at < warp_scales.size() ? warp_scales[at] : scale;
}

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

}  // namespace lanewise::viz
