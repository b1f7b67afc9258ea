#include "common/player/run_line.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/run/run.hpp"

namespace lanewise::player {

using run::Result;
using run::Run;
using run::RunField;

namespace {

constexpr std::size_t kLongest = 26;   // characters of a value in the line

// "a, b and 6 more" is no value: as much of it as there is room for.
std::string shortened(const std::string& text) {
    return text.size() <= kLongest ? text : text.substr(0, kLongest - 1) + "…";
}

std::string shown_value(const RunField& field, const Run& run, const std::string& value) {
    const trace::Header& header = run.trace.header;
    if (field.name == "values") return header.input == "values" ? fmt::format("{} typed", run.inputs.size()) : "type";
    if (field.name == "input" && header.input == "values") return "typed";
    // What was asked for is the values of a block, or makes no difference: what ran is said with it.
    if (const std::string ran = trace::block_text(header); field.name == "block" && ran != value)
        return fmt::format("{} ({} threads)", value, ran);
    const bool list = std::count(value.begin(), value.end(), ',') > 3;
    return field.kind == run::FieldKind::per_lane && list ? "by lane" : shortened(value);
}

// Does the field matter to this run?
bool matters(const RunField& field, const Run& run) {
    const trace::Header& header = run.trace.header;
    if (field.name == "values") return !run.inputs.empty();
    if (field.name == "seed")
        return std::find(field.choices.begin(), field.choices.end(), header.input) != field.choices.end();
    return true;
}

std::string outcome(const Run& now, const Run& before) {
    for (const Result& result : now.results)
        for (const Result& other : before.results)
            if (result.output == other.output && result.value != other.value)
                return fmt::format("{} {:.10g} → {:.10g}", result.output, other.value, result.value);
    return {};
}

}  // namespace

RunLine run_line(const std::vector<RunField>& fields, const Run& run, const Run* before, const run::RunChanges& changes,
                 const std::string& error) {
    RunLine line;
    const std::string at = run::field_of_error(error);
    bool placed = error.empty();
    for (const RunField& field : fields) {
        const bool wrong = !error.empty() && at == field.name;
        if (!matters(field, run) && !wrong) continue;
        RunChip chip{field, run::value_of_field(run, field), {}, {}, false, wrong ? error : ""};
        chip.shown = shown_value(field, run, chip.value);
        if (before && matters(field, *before)) {
            const std::string was = run::value_of_field(*before, field);
            // What was typed is said once.
            if (was != chip.value && field.name != "values") chip.before = shown_value(field, *before, was);
        }
        chip.chosen = std::any_of(changes.begin(), changes.end(),
                                  [&](const run::RunChange& change) { return change.first == field.name; });
        placed |= wrong;
        line.chips.push_back(std::move(chip));
    }
    if (!placed) line.error = error;
    if (before) line.outcome = outcome(run, *before);
    return line;
}

std::uint32_t lanes_changed(const steps::Steps& now, const steps::Steps& before, std::size_t step,
                            const WarpRef& warp) {
    const auto has = [&](const steps::Steps& steps) {
        return step < steps.size() && std::find(steps.warps.begin(), steps.warps.end(), warp) != steps.warps.end();
    };
    if (!has(now) || !has(before)) return 0;
    const steps::LaneValues &here = now.lane_values(step, warp), &there = before.lane_values(step, warp);
    if (here.type != there.type) return 0;
    std::uint32_t lanes = 0;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        const bool known = here.known >> lane & 1u, was_known = there.known >> lane & 1u;
        if (known != was_known || (known && here.bits[lane] != there.bits[lane])) lanes |= 1u << lane;
    }
    return lanes;
}

std::size_t own_input(const steps::Steps& steps, const WarpRef& warp, int lane) {
    if (lane < 0 || lane >= kWarpSize) return kNoInput;
    for (const steps::Step& step : steps.steps) {
        const steps::WarpStep* part = step.find(warp);
        if (!part) continue;
        const steps::LaneView& view = part->lanes[static_cast<std::size_t>(lane)];
        if (!view.active) continue;
        if (const auto only = steps.provenances.at(view.inputs_after).only()) return *only;
    }
    return kNoInput;
}

}  // namespace lanewise::player
