#include "common/scene/held.hpp"

#include <algorithm>
#include <set>

#include "common/scene/warps.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::scene {
namespace {

LaneCell cell_of(const steps::Steps& steps, const steps::Holding& holding, int lane) {
    const auto l = static_cast<std::size_t>(lane);
    LaneCell cell;
    cell.known = (holding.known >> lane) & 1u;
    cell.type = holding.type;
    cell.bits = cell.known ? holding.bits[l] : 0;
    const steps::Provenance inputs = steps.provenances.at(holding.inputs[l]);
    cell.undefined = inputs.undefined;
    cell.inputs = inputs.count();
    cell.counted_twice = inputs.counted_twice();
    cell.more_perhaps = inputs.untold;
    return cell;
}

}  // namespace

LaneCell held(const steps::Steps& steps, std::size_t step, const WarpRef& warp, int lane) {
    return cell_of(steps, steps.holding(step, warp), lane);
}

PerLane<LaneCell> held_by_warp(const steps::Steps& steps, std::size_t step, const WarpRef& warp) {
    PerLane<LaneCell> cells;
    const steps::Holding& holding = steps.holding(step, warp);
    for (int lane = 0; lane < kWarpSize; ++lane) cells[static_cast<std::size_t>(lane)] = cell_of(steps, holding, lane);
    return cells;
}

bool holds_anything(const steps::Steps& steps, std::size_t step, const WarpRef& warp) {
    return steps.holding(step, warp).known != 0;
}

bool holds_the_same(const steps::Steps& steps, std::size_t a, std::size_t b, const WarpRef& warp) {
    const steps::Holding& x = steps.holding(a, warp);
    const steps::Holding& y = steps.holding(b, warp);
    return x.known == y.known && x.bits == y.bits && x.type == y.type;
}

std::vector<HeldRow> held_rows(const steps::Steps& steps, const WarpRef& warp) {
    std::vector<HeldRow> rows;
    const steps::Holding* last = nullptr;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        const steps::Holding& now = steps.holding(k, warp);
        const bool same = last && last->known == now.known && last->bits == now.bits && last->inputs == now.inputs &&
                          last->type == now.type;
        if (same || now.known == 0) continue;
        last = &now;
        rows.push_back({k, held_by_warp(steps, k, warp)});
    }
    return rows;
}

InputsHeld inputs_held(const steps::Steps& steps, std::size_t step, const WarpRef& warp, int lane,
                       std::size_t most_marks) {
    InputsHeld told;
    const steps::Holding& holding = steps.holding(step, warp);
    const steps::Provenance inputs = steps.provenances.at(holding.inputs[static_cast<std::size_t>(lane)]);
    told.undefined = inputs.undefined;
    told.warned = inputs.counted_twice() || inputs.undefined;
    if (steps.input_count == 0) return told;
    told.words = inputs_words(inputs, steps.input_count);
    const std::size_t count = std::min(steps.input_count, most_marks);
    for (std::size_t m = 0; m < count; ++m) {
        const std::size_t first = m * steps.input_count / count;
        const std::size_t last = std::max(first + 1, (m + 1) * steps.input_count / count);
        told.marks.push_back({static_cast<double>(inputs.count(first, last)) / static_cast<double>(last - first),
                              inputs.count_twice(first, last) > 0});
    }
    return told;
}

std::string inputs_words(const steps::Provenance& inputs, std::size_t input_count) {
    std::string words = "holds " + std::to_string(inputs.count()) + " of " + std::to_string(input_count) + " inputs";
    if (inputs.counted_twice()) words += ", some counted twice";
    if (inputs.undefined) words += ", and something undefined";
    if (inputs.untold) words += ", perhaps more: the text does not tell";
    return words;
}

std::size_t most_inputs(const steps::Steps& steps) {
    std::set<std::uint32_t> held;   // places in Steps::provenances; many lanes share one
    for (const auto& row : steps.holdings)
        for (const steps::Holding& each : row) held.insert(each.inputs.begin(), each.inputs.end());
    std::size_t most = 0;
    for (const std::uint32_t at : held) most = std::max(most, steps.provenances.at(at).count());
    return most;
}

}  // namespace lanewise::scene
