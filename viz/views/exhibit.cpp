#include "viz/views/exhibit.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "common/base/element.hpp"

namespace lanewise::viz {
namespace {

// A finding is told at the steps of its line that its warp takes part in, else of its line. A line that no step has (a
// meeting that never came about) is told at the last step of its warp, else of the run.
std::vector<std::size_t> steps_of(const steps::Steps& steps, const trace::Finding& finding) {
    const auto by_warp = [&](const steps::Step& step) {
        return std::any_of(step.warps.begin(), step.warps.end(), [&](const steps::WarpStep& part) {
            return part.warp.block == finding.block && part.warp.warp == finding.warp;
        });
    };
    std::vector<std::size_t> own, same_line;
    std::size_t last = steps.size() - 1;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        const bool part = by_warp(steps.steps[k]);
        if (part) last = k;
        if (steps.steps[k].line != finding.line) continue;
        same_line.push_back(k);
        if (part) own.push_back(k);
    }
    if (!own.empty()) return own;
    return same_line.empty() ? std::vector<std::size_t>{last} : same_line;
}

std::string number(double value) { return fmt::format("{:.9g}", value); }

}  // namespace

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
    findings.resize(run->steps.size());
    for (std::size_t i = 0; i < run->trace.findings.size() && run->steps.size() > 0; ++i) {
        for (const std::size_t step : steps_of(run->steps, run->trace.findings[i])) findings[step].push_back(i);
    }
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

int warp_size(const steps::Steps& steps) {
    const std::uint32_t size = steps.trace ? steps.trace->header.warp_size : 0;
    return size >= 1 && size < trace::kWarpSize ? static_cast<int>(size) : trace::kWarpSize;
}

int lanes_of(const steps::Steps& steps, const steps::WarpRef& warp) {
    const int size = warp_size(steps);
    if (warp.launch >= steps.trace->header.launches.size()) return size;
    const auto threads = static_cast<std::int64_t>(block_threads(steps, warp));
    const std::int64_t first = std::int64_t{warp.warp} * size;
    return static_cast<int>(std::clamp<std::int64_t>(threads - first, 1, size));
}

std::uint32_t blamed_lanes(const Exhibit& exhibit, std::size_t step, const steps::WarpRef& warp) {
    std::uint32_t lanes = 0;
    if (step >= exhibit.findings.size()) return lanes;
    for (const std::size_t i : exhibit.findings[step]) {
        const trace::Finding& finding = exhibit.trace().findings[i];
        if (finding.block == warp.block && finding.warp == warp.warp) lanes |= finding.lanes;
    }
    return lanes;
}

bool came_out_right(const lesson::Run& run) {
    return std::all_of(run.results.begin(), run.results.end(), [](const lesson::Result& result) { return result.ok; });
}

std::string result_words(const lesson::Run& run) {
    if (run.results.empty()) return {};
    const auto wrong = std::find_if(run.results.begin(), run.results.end(), [](const lesson::Result& result) { return !result.ok; });
    const lesson::Result& told = wrong == run.results.end() ? run.results.front() : *wrong;
    const std::string name = told.summed ? "sum of " + told.output : told.count == 1 ? told.output : told.output + "[0]";
    // What is wrong may stand further back than the first element.
    const bool elsewhere = !told.ok && told.count > 1 && !told.summed && std::abs(told.value - told.reference) <= told.bound;
    if (elsewhere) return told.output + ": an element is off by " + number(told.error);
    if (!told.ok) return name + " = " + number(told.value) + ", expected " + number(told.reference);
    if (told.value == told.reference) return name + " = " + number(told.value) + ", as expected";
    return name + " = " + number(told.value) + ", expected " + number(told.reference) + " within " + fmt::format("{:.2g}", told.bound);
}

}  // namespace lanewise::viz
