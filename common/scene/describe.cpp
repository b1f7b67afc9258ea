#include "common/scene/describe.hpp"

#include <algorithm>

#include "common/base/element.hpp"
#include "common/base/error.hpp"
#include "common/run/run.hpp"
#include "common/scene/lane_history.hpp"
#include "common/scene/memory/memory_words.hpp"
#include "common/scene/memory/requests.hpp"
#include "common/scene/outcome.hpp"
#include "common/scene/part.hpp"
#include "common/scene/sums/atomic_chain.hpp"
#include "common/scene/sums/reruns.hpp"
#include "common/scene/utilization.hpp"
#include "common/scene/warp_states.hpp"
#include "common/scene/warps.hpp"

namespace lanewise::scene {
namespace {

std::string value(Element type, std::uint64_t bits) {
    return format_element(type, bits) + " (0x" + format_bits(type, bits) + ")";
}

std::string lane_line(const LaneFacts& facts, StepKind kind) {
    std::string line = "lane " + std::to_string(facts.lane);
    if (!facts.active) return line + "  idle";
    for (const Access& access : facts.accesses) {
        const char* verb = access.touch == Touch::read ? " = " : access.touch == Touch::write ? " <- " : nullptr;
        line += "  " + access.array + "[" + std::to_string(access.index) + "]";
        line += verb ? verb : " " + std::string(access.op) + " ";
        line += value(access.type, access.bits);
    }
    const LaneView& view = facts.view;
    if (kind == StepKind::shuffle)
        line += "  source " + (view.source < 0 ? std::string("-") : std::to_string(view.source));
    if (!facts.parts.empty()) {
        const bool has_after =
            std::all_of(facts.parts.begin(), facts.parts.end(), [](const auto& p) { return p.has_after; });
        line += "  before " + parts_text(facts.parts, &LaneFacts::ValuePart::before) + "  received ";
        line += view.undefined ? "undefined" : parts_text(facts.parts, &LaneFacts::ValuePart::received);
        return line + "  after " + (has_after ? parts_text(facts.parts, &LaneFacts::ValuePart::after) : "-");
    }
    if (kind == StepKind::shuffle || kind == StepKind::reduce) line += "  before " + value(facts.type, view.before);
    if (kind == StepKind::warp_barrier || kind == StepKind::block_barrier) line += "  at barrier";
    if (kind == StepKind::fence) line += "  at fence";
    if (facts.says >= 0) line += std::string("  says ") + (facts.says ? "yes" : "no");
    if (facts.has_offered) line += "  compares " + value(facts.type, facts.offered);
    if (facts.has_answer) line += "  received " + value(facts.answer_type, facts.answer);
    if (kind == StepKind::shuffle || kind == StepKind::reduce || kind == StepKind::atomic) {
        line += "  received " + (view.undefined      ? "undefined"
                                 : view.has_received ? value(facts.type, view.received)
                                                     : "-");
        line += "  after " + (view.has_after ? value(facts.type, view.after) : "-");
    }
    return line;
}

bool is_chosen(const WarpRef& ref, int block) {
    return block < 0 || ref.block == static_cast<std::uint32_t>(block);
}

// "block 0: 64 of 128 lanes add; 14 % lane utilization (1 in 7) in add steps"
std::string describe_work(const steps::Steps& steps, std::size_t step, int block) {
    std::string out;
    for (const WarpRef& ref : steps.blocks) {
        if (!is_chosen(ref, block)) continue;
        const scene::Utilization work = scene::utilization_of(steps, ref);
        if (!work.adds()) continue;
        out += "block " + std::to_string(ref.block) + ": " +
               scene::work_text(steps.steps[step].kind, work.steps[step], work.threads) + "; in all " +
               scene::utilization_text(work) + "\n";
    }
    return out;
}

// "block 0: warp 0 works: 8 lanes; warps 1 to 7 wait…": warps that do the same described together.
std::string describe_warps(const steps::Steps& steps, std::size_t step, int block) {
    std::string out;
    for (const WarpRef& ref : steps.blocks) {
        if (!is_chosen(ref, block)) continue;
        std::vector<std::pair<std::string, std::vector<std::uint32_t>>> states;
        for (const WarpRef& warp : steps.warps) {
            if (warp.launch != ref.launch || warp.block != ref.block) continue;
            const std::string text = state_text(state_of(steps, step, warp));
            if (states.empty() || states.back().first != text) states.push_back({text, {}});
            states.back().second.push_back(warp.warp);
        }
        std::string line;
        for (const auto& [state, warps] : states) {
            line += (line.empty() ? "" : "; ") + std::string("warp ") + std::to_string(warps.front());
            if (warps.size() > 1) line += " to " + std::to_string(warps.back()) + ", each";
            line += " " + state;
        }
        out += "block " + std::to_string(ref.block) + ": " + line + "\n";
    }
    return out;
}

// Words of global memory once, words of shared memory for each block.
std::string describe_joins(const steps::Steps& steps, std::size_t step, int block) {
    std::string out;
    bool global_done = false;
    for (const WarpRef& ref : steps.blocks) {
        if (!is_chosen(ref, block)) continue;
        for (const Chain& chain : chains_at(steps, step, ref)) {
            if (chain.global && global_done) continue;
            if (!chain.global) out += "block " + std::to_string(ref.block) + ": ";
            out += describe_chain(chain);
        }
        global_done = true;
    }
    return out;
}

}  // namespace

std::string describe_warp(const run::Run& run, std::size_t step, const WarpRef& warp) {
    const steps::Steps& steps = run.steps;
    std::string out = warp_name(steps, warp) + "\n";
    if (step >= steps.size()) return out;
    const Part part = part_of(steps, step, warp);
    for (const LaneFacts& facts : part.facts) out += lane_line(facts, part.kind) + "\n";
    const std::vector<Request> requests = requests_of(steps, step, warp);
    for (const Space space : {Space::shared, Space::global}) {
        for (const std::string& caption : request_captions(steps, requests, space)) out += "memory  " + caption + "\n";
    }
    if (const std::string changed = changed_text(shared_memory(steps, step, warp)); !changed.empty())
        out += "memory  " + changed + "\n";
    return out;
}

std::string describe_step(const run::Run& run, const std::string& kernel_file, std::size_t step, int block, int warp,
                          int lane) {
    const steps::Steps& steps = run.steps;
    const StepFindings findings = findings_of_steps(steps);
    if (step >= steps.size()) {
        throw Error("There is no step " + std::to_string(step + 1) + ": this run has " + std::to_string(steps.size()) +
                    " steps.");
    }
    std::string out = "step " + std::to_string(step + 1) + " of " + std::to_string(steps.size()) + ": " +
                      steps.steps[step].label + "\n";
    out += "source line " + std::to_string(steps.steps[step].line) + " of " + kernel_file + "\n";
    out += run.trace.header.variant + " · " + run.origin + "\n";
    for (const std::string& text : {run.note, run.notice})
        if (!text.empty()) out += text + "\n";
    if (const std::string result = result_text(run); !result.empty()) out += result + "\n";
    if (const std::string mistakes = mistakes_found(run.trace, findings); !mistakes.empty())
        out += "mistake: " + mistakes + "\n";
    for (const std::size_t i : findings.at(step))
        out += "found wrong: " + finding_text(run.trace.findings[i]) + "\n";
    out += describe_work(steps, step, block);
    out += describe_warps(steps, step, block);
    out += describe_reruns(rerun_table(run.trace));
    out += describe_joins(steps, step, block);
    bool any = false;
    for (const WarpRef& ref : steps.warps) {
        if (block >= 0 && ref.block != static_cast<std::uint32_t>(block)) continue;
        if (warp >= 0 && ref.warp != static_cast<std::uint32_t>(warp)) continue;
        any = true;
        if (!steps.steps[step].find(ref)) continue;
        out += "\n" + describe_warp(run, step, ref);
        if (lane >= 0)
            out += "life of lane " + std::to_string(lane) + "\n" + describe_history(history_of(steps, ref, lane));
    }
    if (!any) {
        throw Error("Block " + std::to_string(block) + ", warp " + std::to_string(warp) +
                    " was not recorded; blocks 0 to " +
                    std::to_string(steps.blocks.empty() ? 0 : steps.blocks.back().block) + " were.");
    }
    return out;
}

}  // namespace lanewise::scene
