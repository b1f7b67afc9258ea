#include "common/scene/held.hpp"

#include <algorithm>
#include <set>

#include "common/scene/cell_text.hpp"

#include "common/scene/warps.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::scene {
namespace {

LaneCell cell_of(const steps::Steps& steps, const steps::LaneValues& lane_values, int lane) {
    const auto l = static_cast<std::size_t>(lane);
    LaneCell cell;
    cell.known = (lane_values.known >> lane) & 1u;
    cell.type = lane_values.type;
    cell.bits = cell.known ? lane_values.bits[l] : 0;
    for (const steps::LaneValues::Part& part : lane_values.more)
        if (cell.known && (part.known >> lane & 1u)) cell.more.push_back({part.bits[l], part.type});
    set_inputs(cell, steps.provenances.at(lane_values.inputs[l]));
    return cell;
}

}  // namespace

void set_inputs(LaneCell& cell, const steps::Provenance& inputs) {
    cell.undefined = inputs.undefined;
    cell.inputs = inputs.count();
    cell.counted_twice = inputs.counted_twice();
    cell.more_perhaps = inputs.unknown;
}

std::string value_text(const LaneCell& cell) {
    std::string text = format_element(cell.type, cell.bits);
    if (cell.more.empty()) return text;
    for (const LaneCell::Part& part : cell.more) text += ", " + format_element(part.type, part.bits);
    return "(" + text + ")";
}

std::string cell_text(const LaneCell& cell, const CellRoom& room, bool stacked) {
    if (cell.more.empty()) return cell_text(cell.type, cell.bits, room);
    const double columns = room.whole;
    const auto count = static_cast<double>(cell.more.size());
    if (!stacked) {
        const double each = std::max(1.0, (columns - count) / (count + 1));
        std::string text = cell_text(cell.type, cell.bits, each);
        for (const LaneCell::Part& part : cell.more) text += "|" + cell_text(part.type, part.bits, each);
        // Three parts in a narrow place: the first, and that there are more.
        if (cell_columns(text) > columns + 1e-6)
            text = cell_text(cell.type, cell.bits, std::max(1.0, columns - 2)) + "|…";
        return text;
    }
    // The first part above, the others below it; what has no room there next to the second is left to wider places.
    const double each = std::max(1.0, (columns - count + 1) / count);
    std::string below;
    for (const LaneCell::Part& part : cell.more)
        below += (below.empty() ? "" : "|") + cell_text(part.type, part.bits, each);
    if (count > 1 && cell_columns(below) > columns)
        below = cell_text(cell.more[0].type, cell.more[0].bits, std::max(1.0, columns - 1)) + "…";
    return cell_text(cell.type, cell.bits, columns) + "\n" + below;
}

LaneCell held(const steps::Steps& steps, std::size_t step, const WarpRef& warp, int lane) {
    return cell_of(steps, steps.lane_values(step, warp), lane);
}

PerLane<LaneCell> held_by_warp(const steps::Steps& steps, std::size_t step, const WarpRef& warp) {
    PerLane<LaneCell> cells;
    const steps::LaneValues& lane_values = steps.lane_values(step, warp);
    for (int lane = 0; lane < kWarpSize; ++lane)
        cells[static_cast<std::size_t>(lane)] = cell_of(steps, lane_values, lane);
    return cells;
}

bool holds_anything(const steps::Steps& steps, std::size_t step, const WarpRef& warp) {
    return steps.lane_values(step, warp).known != 0;
}

bool holds_the_same(const steps::Steps& steps, std::size_t a, std::size_t b, const WarpRef& warp) {
    const steps::LaneValues& x = steps.lane_values(a, warp);
    const steps::LaneValues& y = steps.lane_values(b, warp);
    return x.known == y.known && x.bits == y.bits && x.type == y.type && x.more == y.more;
}

std::vector<HeldRow> held_rows(const steps::Steps& steps, const WarpRef& warp) {
    std::vector<HeldRow> rows;
    const steps::LaneValues* last = nullptr;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        const steps::LaneValues& now = steps.lane_values(k, warp);
        const bool same = last && last->known == now.known && last->bits == now.bits && last->inputs == now.inputs &&
                          last->type == now.type && last->more == now.more;
        if (same || now.known == 0) continue;
        last = &now;
        rows.push_back({k, held_by_warp(steps, k, warp)});
    }
    return rows;
}

InputsHeld inputs_held(const steps::Steps& steps, std::size_t step, const WarpRef& warp, int lane,
                       std::size_t most_marks) {
    InputsHeld shown;
    const steps::LaneValues& lane_values = steps.lane_values(step, warp);
    const steps::Provenance inputs = steps.provenances.at(lane_values.inputs[static_cast<std::size_t>(lane)]);
    shown.undefined = inputs.undefined;
    shown.warned = inputs.counted_twice() || inputs.undefined;
    if (steps.input_count == 0) return shown;
    shown.text = inputs_text(inputs, steps.input_count);
    const std::size_t count = std::min(steps.input_count, most_marks);
    for (std::size_t m = 0; m < count; ++m) {
        const std::size_t first = m * steps.input_count / count;
        const std::size_t last = std::max(first + 1, (m + 1) * steps.input_count / count);
        shown.marks.push_back({static_cast<double>(inputs.count(first, last)) / static_cast<double>(last - first),
                               inputs.count_twice(first, last) > 0});
    }
    return shown;
}

std::string inputs_text(const steps::Provenance& inputs, std::size_t input_count) {
    std::string sentence = "holds " + std::to_string(inputs.count()) + " of " + std::to_string(input_count) + " inputs";
    if (inputs.counted_twice()) sentence += ", some counted twice";
    if (inputs.undefined) sentence += ", and something undefined";
    if (inputs.unknown) sentence += ", perhaps more: the text does not say";
    return sentence;
}

std::size_t most_inputs(const steps::Steps& steps) {
    std::set<std::uint32_t> held;   // places in Steps::provenances; many lanes share one
    for (const auto& row : steps.lane_values_of)
        for (const auto& from : row) held.insert(from.values.inputs.begin(), from.values.inputs.end());
    std::size_t most = 0;
    for (const std::uint32_t at : held) most = std::max(most, steps.provenances.at(at).count());
    return most;
}

}  // namespace lanewise::scene
