#include "common/scene/outcome.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "common/base/lanes.hpp"
#include "common/run/run.hpp"

namespace lanewise::scene {
namespace {

std::vector<std::size_t> steps_of(const steps::Steps& steps, const trace::Finding& finding) {
    const auto by_warp = [&](const steps::Step& step) {
        return std::any_of(step.warps.begin(), step.warps.end(), [&](const steps::WarpStep& part) {
            return part.warp.block == finding.block && part.warp.warp == finding.warp;
        });
    };
    std::vector<std::size_t> own, same_line;
    const auto holds = [&](const steps::Step& step) {
        const steps::WarpStep* part = step.find({finding.launch, finding.block, finding.warp});
        return part && std::any_of(part->records.begin(), part->records.end(), [&](std::size_t record) {
                   return static_cast<std::int64_t>(steps.trace->records[record].index) == finding.record;
               });
    };
    // Of a lesson: one record, and not its line.
    for (std::size_t k = 0; finding.kind == "lanes_of_a_mistake" && k < steps.size(); ++k)
        if (holds(steps.steps[k])) return {k};
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

// A NaN's sign means nothing.
std::string nine_digits(double value) { return std::isnan(value) ? "nan" : fmt::format("{:.9g}", value); }

// What a finding is called in a line; a kind that is not here by its own name.
std::string kind_text(const std::string& kind) {
    static constexpr std::pair<const char*, const char*> kTexts[] = {
        {"barrier_divergence", "barrier in a branch"},
        {"mask_mismatch", "lanes with different masks"},
        {"mask_without_caller", "a mask without its caller"},
        {"intrinsic_mismatch", "lanes at different calls"},
        {"inactive_source", "a read from an absent lane"},
        {"deadlock", "lanes that wait for ever"},
        {"runaway", "a loop without end"},
        {"bad_width", "a width that CUDA does not allow"},
        {"assertion_failed", "an assertion that failed"},
        {"race", "a race"},
        {"atomic_race", "an atomic beside a plain access"},
        {"atomic_scope", "an atomic of too narrow a scope"},
        {"assumes_lockstep", "a sum that assumes lockstep"},
        {"hang", "a wait that nothing ends"},
        {"use_after_free", "a use of freed memory"},
        {"invalid_free", "memory freed twice, or never given"},
        {"same_value_stores", "the same value stored by several lanes"},
        {"missing_fence", "an atomic without a fence after it"},
        {"unfenced_volatile", "volatile words handed over without fences"},
        {"lost_update", "an update that another can undo"},
        {"lock_not_taken", "a store beside the lock"},
        {"out_of_bounds", "an access out of bounds"},
        {"foreign_pointer", "a pointer to no array"},
        {"local_of_another_lane", "a local variable of another lane"},
        {"write_to_constant", "a store to a constant"},
        {"uninitialised_read", "a read of what nothing wrote"},
        {"too_much_shared", "more shared memory than there is"},
        {"lanes_of_a_mistake", "lanes that do what is wrong"}};
    for (const auto& [name, named] : kTexts) {
        if (kind == name) return named;
    }
    std::string text = kind;
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

}  // namespace

bool came_out_right(const run::Run& run) {
    return std::all_of(run.results.begin(), run.results.end(), [](const run::Result& result) { return result.ok; });
}

std::string result_text(const run::Run& run) {
    if (run.results.empty()) return {};
    const auto wrong =
        std::find_if(run.results.begin(), run.results.end(), [](const run::Result& result) { return !result.ok; });
    const run::Result& shown = wrong == run.results.end() ? run.results.front() : *wrong;
    const std::string name = shown.summed       ? "sum of " + shown.output
                             : shown.count == 1 ? shown.output
                                                : shown.output + "[0]";
    // What is wrong may be further back than the first element.
    const bool elsewhere =
        !shown.ok && shown.count > 1 && !shown.summed && std::abs(shown.value - shown.reference) <= shown.bound;
    if (elsewhere) return shown.output + ": an element is off by " + nine_digits(shown.error);
    if (!shown.ok) return name + " = " + nine_digits(shown.value) + ", expected " + nine_digits(shown.reference);
    if (shown.value == shown.reference) return name + " = " + nine_digits(shown.value) + ", as expected";
    return name + " = " + nine_digits(shown.value) + ", expected " + nine_digits(shown.reference) + " within " +
           fmt::format("{:.2g}", shown.bound);
}

StepFindings findings_of_steps(const steps::Steps& steps) {
    StepFindings findings(steps.size());
    for (std::size_t i = 0; i < steps.trace->findings.size() && steps.size() > 0; ++i)
        for (const std::size_t step : steps_of(steps, steps.trace->findings[i])) findings[step].push_back(i);
    return findings;
}

std::vector<FindingStop> finding_stops(const steps::Steps& steps, const StepFindings& findings) {
    std::vector<FindingStop> stops;
    const auto add = [&](std::size_t step, const WarpRef& warp, std::uint32_t lanes, std::size_t finding) {
        const FindingStop stop{step, warp, std::countr_zero(lanes) % kWarpSize, finding};
        const auto same = [&](const FindingStop& known) { return known.step == step && known.warp == warp; };
        if (std::none_of(stops.begin(), stops.end(), same)) stops.push_back(stop);
    };
    // The step that holds a warp's record of that number.
    const auto step_of = [&](const WarpRef& warp, std::int64_t index) {
        for (std::size_t k = 0; k < steps.size(); ++k)
            if (const steps::WarpStep* part = steps.steps[k].find(warp))
                for (const std::size_t record : part->records)
                    if (static_cast<std::int64_t>(steps.trace->records[record].index) == index) return k;
        return kNoStep;
    };
    const auto& all = steps.trace->findings;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const trace::Finding& finding = all[i];
        const WarpRef warp{finding.launch, finding.block, finding.warp};
        std::size_t own = finding.record >= 0 ? step_of(warp, finding.record) : kNoStep;
        for (std::size_t k = 0; own == kNoStep && k < findings.size(); ++k)
            if (std::find(findings[k].begin(), findings[k].end(), i) != findings[k].end()) own = k;
        if (own != kNoStep) add(own, warp, finding.lanes, i);
        if (!finding.other || finding.other->record < 0) continue;
        const WarpRef there{finding.launch, finding.other->block, finding.other->warp};
        if (const std::size_t other = step_of(there, finding.other->record); other != kNoStep)
            add(other, there, finding.other->lanes, i);
    }
    const auto place = [](const FindingStop& stop) { return std::pair(stop.step, stop.warp); };
    std::sort(stops.begin(), stops.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
    return stops;
}

const FindingStop* finding_stop_beside(const std::vector<FindingStop>& stops, std::size_t step, const WarpRef& warp,
                                       int direction) {
    if (stops.empty()) return nullptr;
    const std::pair here(step, warp);
    const auto is_after = [&](const FindingStop& stop) { return std::pair(stop.step, stop.warp) > here; };
    const auto is_before = [&](const FindingStop& stop) { return std::pair(stop.step, stop.warp) < here; };
    if (direction > 0) {
        const auto next = std::find_if(stops.begin(), stops.end(), is_after);
        return next == stops.end() ? &stops.front() : &*next;
    }
    const auto last = std::find_if(stops.rbegin(), stops.rend(), is_before);
    return last == stops.rend() ? &stops.back() : &*last;
}

std::size_t first_mistake(const StepFindings& findings) {
    const auto at = std::find_if(findings.begin(), findings.end(), [](const auto& here) { return !here.empty(); });
    return at == findings.end() ? kNoStep : static_cast<std::size_t>(at - findings.begin());
}

std::string mistakes_found(const trace::Trace& trace, const StepFindings& found_at, std::size_t place) {
    const auto& findings = trace.findings;
    if (findings.empty()) return "";
    const std::size_t step = first_mistake(found_at);
    std::string text = kind_text(findings[step == kNoStep ? 0 : found_at[step].front()].kind);
    if (findings.size() > 1) text += " and " + std::to_string(findings.size() - 1) + " more";
    if (step != kNoStep) text += ", see step " + std::to_string((place == kNoStep ? step : place) + 1);
    return text;
}

std::string finding_text(const trace::Finding& finding) {
    std::string text = "Line " + std::to_string(finding.line);
    if (finding.lanes) text += ", " + lane_list(finding.lanes);
    text += (finding.lanes ? " of block " : ", block ") + std::to_string(finding.block) + ", warp " +
             std::to_string(finding.warp);
    if (finding.count > 1) text += ", seen " + std::to_string(finding.count) + " times";
    return text + ": " + finding.sentence + (finding.advice.empty() ? "" : " " + finding.advice);
}

}  // namespace lanewise::scene
