#include "common/page/run_facts.hpp"

#include "common/base/element.hpp"
#include "common/page/step_facts.hpp"
#include "common/scene/code_lines.hpp"
#include "common/scene/outcome.hpp"
#include "common/scene/requests.hpp"
#include "common/scene/value_scale.hpp"
#include "common/scene/warps.hpp"
#include "common/scene/utilization.hpp"

namespace lanewise::page {
namespace {

using nlohmann::json;
using steps::WarpRef;

std::string number(double value) { return format_element(Element::f64, to_bits(value)); }

json results(const lesson::Run& run) {
    json all = json::array();
    for (const auto& result : run.results)
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

json head(const Panel& panel, std::size_t count, const scene::StepFindings& findings) {
    const lesson::Run& run = *panel.run;
    const trace::Trace& trace = run.trace;
    const steps::Steps& steps = run.steps;
    const auto& header = trace.header;
    json all;
    all["variant"] = header.variant;
    all["title"] = panel.title.empty() ? header.variant : panel.title;
    all["summary"] = panel.summary;
    all["wrong"] = panel.declared_wrong;
    all["origin"] = run.origin;
    all["accesses"] = scene::accesses_origin(trace);
    all["note"] = run.note;
    all["notice"] = run.notice;
    all["limit"] = count == steps.size() ? ""
        : "This page holds the first " + std::to_string(count) + " of " + std::to_string(steps.size()) +
          " steps: all of them would be too much for a browser. Lanewise shows them all, also from a saved trace "
          "(--save-trace, --open).";
    all["facts"] = {{"n", header.n},
                    {"block", header.block},
                    {"input", header.input},
                    {"seed", header.seed},
                    {"date", header.date}};
    all["kernelFile"] = run.kernel_file;
    all["code"] = code(run.source);
    all["result"] = scene::result_text(run);
    all["results"] = results(run);
    const std::string mistakes = scene::mistakes_found(trace, findings);
    all["right"] = scene::came_out_right(run) && mistakes.empty();
    all["mistakes"] = mistakes;
    all["findings"] = json::array();
    for (const auto& finding : trace.findings)
        all["findings"].push_back({{"words", scene::finding_text(finding)},
                                   {"block", finding.block},
                                   {"warp", finding.warp},
                                   {"lanes", finding.lanes}});
    all["lanes"] = scene::warp_size(steps);
    all["total"] = steps.size();
    all["types"] = types();
    return all;
}

json warps(const steps::Steps& steps, const StepFacts& facts) {
    json all = json::array();
    for (std::size_t w = 0; w < steps.warps.size(); ++w) {
        const WarpRef& ref = steps.warps[w];
        scene::ValueScale scale;
        for (const auto& row : steps.all_lane_values)
            if (w < row.size()) scale.add(row[w]);
        scale.finish();
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
                       {"busy", work.adds() ? scene::utilization_text(work) : ""},
                       {"places", std::move(places)}});
    }
    return all;
}

}  // namespace

json run_facts(const Panel& panel, std::size_t count) {
    const steps::Steps& steps = panel.run->steps;
    StepFacts facts(*panel.run);
    json all = head(panel, count, facts.findings());
    json start = json::array(), all_steps = json::array();
    for (std::size_t w = 0; w < steps.warps.size(); ++w) start.push_back(facts.lane_values(steps::kNoStep, w));
    for (std::size_t k = 0; k < count; ++k) all_steps.push_back(facts.step(k));
    all["start"] = std::move(start);
    all["steps"] = std::move(all_steps);
    all["warps"] = warps(steps, facts);   // after the steps: they say which values have a colour
    all["values"] = facts.values().all();
    all["templates"] = facts.templates().all();
    all["words"] = facts.words().all();
    return all;
}

}  // namespace lanewise::page
