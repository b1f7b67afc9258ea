#include "common/page/run_facts.hpp"

#include "common/base/element.hpp"
#include "common/page/step_facts.hpp"
#include "common/scene/code_lines.hpp"
#include "common/scene/outline.hpp"
#include "common/scene/sums/absorbed.hpp"
#include "common/scene/value_scale.hpp"
#include "common/scene/warps.hpp"
#include "common/scene/utilization.hpp"

namespace lanewise::page {
namespace {

using nlohmann::json;

std::string number(double value) { return format_element(Element::f64, to_bits(value)); }

json results(const scene::Outline& outline) {
    json all = json::array();
    for (const scene::ResultHead& result : outline.results)
        all.push_back({{"output", result.output},
                       {"summed", result.summed},
                       {"count", result.count},
                       {"value", number(result.value)},
                       {"reference", number(result.reference)},
                       {"error", number(result.error)},
                       {"bound", number(result.bound)},
                       {"ok", result.ok},
                       {"reason", result.reason}});
    return all;
}

json code(const std::string& source) {
    static constexpr const char* kKinds[] = {"", "k", "i", "l", "c"};   // plain, keyword, intrinsic, literal, comment
    json lines = json::array();
    for (const scene::CodeLine& line : scene::read_code(source)) {
        json tokens = json::array();
        for (const scene::Token& token : line.tokens) {
            tokens.push_back(kKinds[static_cast<std::size_t>(token.kind)]);
            tokens.push_back(line.text.substr(token.begin, token.size));
        }
        lines.push_back(std::move(tokens));
    }
    return lines;
}

json types() {
    json all = json::array();
    for (int i = 0; i < kElementCount; ++i) {
        const auto type = static_cast<Element>(i);
        const FloatLayout layout = is_float(type) ? float_layout(type) : FloatLayout{};
        all.push_back({element_name(type), layout.exponent_bits, layout.fraction_bits});
    }
    return all;
}

json head(const Panel& panel, std::size_t count, const scene::Outline& run) {
    json all;
    all["variant"] = run.variant;
    all["title"] = panel.title.empty() ? run.variant : panel.title;
    all["summary"] = panel.summary;
    all["wrong"] = panel.declared_wrong;
    all["origin"] = run.origin;
    all["accesses"] = run.accesses_known_from;
    all["note"] = run.note;
    all["notice"] = run.notice;
    all["limit"] = count == run.steps.size() ? ""
        : "This page holds the first " + std::to_string(count) + " of " + std::to_string(run.steps.size()) +
          " steps: all of them would be too much for a browser. Lanewise shows them all, also from a saved trace "
          "(--save-trace, --open).";
    all["facts"] = {
        {"n", run.n}, {"block", run.block}, {"input", run.input}, {"seed", run.seed}, {"date", run.date}};
    all["kernelFile"] = run.kernel_file;
    all["code"] = code(run.source);
    all["result"] = run.result;
    all["absorbed"] = run.mistakes.empty() ? scene::absorbed_text(*panel.run) : "";
    all["results"] = results(run);
    all["right"] = run.right && run.mistakes.empty();
    all["mistakes"] = run.mistakes;
    all["findings"] = json::array();
    for (const scene::FindingNote& finding : run.findings)
        all["findings"].push_back({{"text", finding.text},
                                   {"block", finding.block},
                                   {"warp", finding.warp},
                                   {"lanes", finding.lanes}});
    all["lanes"] = run.warp_size;
    all["total"] = run.steps.size();
    all["types"] = types();
    return all;
}

json warps(const steps::Steps& steps, const scene::Outline& outline, const StepFacts& facts) {
    json all = json::array();
    const std::vector<scene::ValueScale> scales = scene::warp_scales(steps);
    for (std::size_t w = 0; w < outline.warps.size(); ++w) {
        const WarpRef& ref = outline.warps[w];
        const scene::ValueScale& scale = scales[w];
        json places = json::array();
        for (const auto& [value, at] : facts.used(w)) {
            places.push_back(value);
            places.push_back(static_cast<int>(1000 * scale.place(element_to_double(at.first, at.second)) + 0.5));
        }
        const scene::Utilization work = scene::utilization_of(steps, ref);
        all.push_back({{"name", scene::warp_name(steps, ref)},
                       {"launch", ref.launch},
                       {"block", ref.block},
                       {"warp", ref.warp},
                       {"lanes", scene::lanes_of(steps, ref)},
                       {"threads", work.threads},
                       {"place", scene::block_place(steps, ref)},
                       {"utilization", work.adds() ? scene::utilization_text(work) : ""},
                       {"places", std::move(places)}});
    }
    return all;
}

}  // namespace

json run_facts(const Panel& panel, std::size_t count) {
    const scene::Outline outline = scene::outline_of(*panel.run);
    StepFacts facts(*panel.run, outline);
    json all = head(panel, count, outline);
    json start = json::array(), all_steps = json::array();
    for (std::size_t w = 0; w < outline.warps.size(); ++w) start.push_back(facts.lane_values(kNoStep, w));
    for (std::size_t k = 0; k < count; ++k) all_steps.push_back(facts.step(k));
    all["start"] = std::move(start);
    all["steps"] = std::move(all_steps);
    all["warps"] =
        warps(scene::steps_of(*panel.run), outline, facts);  // after the steps: they say which values have a colour
    if (json boxes = boxes_facts(*panel.run, outline.warps, count); !boxes.is_null()) all["boxes"] = std::move(boxes);
    all["values"] = facts.values().all();
    all["templates"] = facts.templates().all();
    all["texts"] = facts.texts().all();
    return all;
}

}  // namespace lanewise::page
