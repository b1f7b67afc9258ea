#include "viz/views/stage/describe.hpp"

#include "common/base/element.hpp"
#include "common/base/error.hpp"
#include "viz/views/reduction/chain.hpp"
#include "viz/views/lane/lane_history.hpp"
#include "viz/views/memory/memory.hpp"
#include "viz/model/requests.hpp"
#include "viz/views/reduction/reruns_view.hpp"
#include "viz/model/result_line.hpp"
#include "viz/views/stage/warp_states.hpp"
#include "viz/model/utilization.hpp"

namespace lanewise::viz {
namespace {

std::string value(Element type, std::uint64_t bits) {
    return format_element(type, bits) + " (0x" + format_bits(type, bits) + ")";
}

std::string lane_line(const LaneFacts& facts, steps::StepKind kind) {
    std::string line = "lane " + std::to_string(facts.lane);
    if (!facts.active) return line + "  idle";
    for (const Access& access : facts.accesses) {
        const char* verb = access.op == trace::Op::load ? " = " : access.op == trace::Op::store ? " <- " : nullptr;
        line += "  " + access.array + "[" + std::to_string(access.index) + "]";
        line += verb ? verb : std::string(" ") + trace::op_name(access.op) + " ";
        line += value(access.type, access.bits);
    }
    using steps::StepKind;
    const steps::LaneView& view = facts.view;
    if (kind == StepKind::shuffle)
        line += "  source " + (view.source < 0 ? std::string("-") : std::to_string(view.source));
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

bool is_chosen(const steps::WarpRef& ref, int block) {
    return block < 0 || ref.block == static_cast<std::uint32_t>(block);
}

// "block 0: 64 of 128 lanes add; 14 % of lanes busy (1 in 7) while adding"
std::string describe_work(const steps::Steps& steps, std::size_t step, int block) {
    std::string out;
    for (const steps::WarpRef& ref : steps.blocks) {
        if (!is_chosen(ref, block)) continue;
        const Utilization work = utilization_of(steps, ref);
        if (!work.adds()) continue;
        const WorkStep& here = work.steps[step];
        out += "block " + std::to_string(ref.block) + ": " + std::to_string(here.adding ? here.adding : here.lanes) +
               " of " + std::to_string(work.threads) + " lanes " + (here.adding ? "add" : "at work, adding nothing") +
               "; in all " + utilization_text(work) + "\n";
    }
    return out;
}

// "block 0: warp 0 works: 8 lanes; warps 1 to 7 wait…": warps that do the same told together.
std::string describe_warps(const steps::Steps& steps, std::size_t step, int block) {
    std::string out;
    for (const steps::WarpRef& ref : steps.blocks) {
        if (!is_chosen(ref, block)) continue;
        std::vector<std::pair<std::string, std::vector<std::uint32_t>>> told;
        for (const steps::WarpRef& warp : steps.warps) {
            if (warp.launch != ref.launch || warp.block != ref.block) continue;
            const std::string text = state_text(state_of(steps, step, warp));
            if (told.empty() || told.back().first != text) told.push_back({text, {}});
            told.back().second.push_back(warp.warp);
        }
        std::string line;
        for (const auto& [words, warps] : told) {
            line += (line.empty() ? "" : "; ") + std::string("warp ") + std::to_string(warps.front());
            if (warps.size() > 1) line += " to " + std::to_string(warps.back()) + ", each";
            line += " " + words;
        }
        out += "block " + std::to_string(ref.block) + ": " + line + "\n";
    }
    return out;
}

// Words of global memory once, words of shared memory for each block.
std::string describe_joins(const steps::Steps& steps, std::size_t step, int block) {
    std::string out;
    bool global_told = false;
    for (const steps::WarpRef& ref : steps.blocks) {
        if (!is_chosen(ref, block)) continue;
        for (const Chain& chain : chains_at(steps, step, ref)) {
            if (chain.global && global_told) continue;
            if (!chain.global) out += "block " + std::to_string(ref.block) + ": ";
            out += describe_chain(chain);
        }
        global_told = true;
    }
    return out;
}

}  // namespace

std::string describe_scene(const RunView& run_view, const Scene& scene) {
    std::string out = warp_name(run_view.steps(), scene.warp) + "\n";
    if (scene.step >= run_view.steps().size()) return out;
    const steps::StepKind kind = run_view.steps().steps[scene.step].kind;
    for (const LaneFacts& facts : scene.facts) out += lane_line(facts, kind) + "\n";
    const std::vector<Request> requests = requests_of(run_view.steps(), scene.step, scene.warp);
    for (const trace::Space space : {trace::Space::shared, trace::Space::global}) {
        for (const std::string& caption : request_captions(run_view.steps(), requests, space))
            out += "memory  " + caption + "\n";
    }
    if (const std::string changed = changed_text(shared_memory(run_view.steps(), scene.step, scene.warp));
        !changed.empty())
        out += "memory  " + changed + "\n";
    return out;
}

std::string describe_step(const RunView& run_view, const std::string& kernel_file, std::size_t step, int block, int warp,
                          int lane) {
    const steps::Steps& steps = run_view.steps();
    if (step >= steps.size()) {
        throw Error("There is no step " + std::to_string(step + 1) + ": this run has " + std::to_string(steps.size()) +
                    " steps.");
    }
    std::string out = "step " + std::to_string(step + 1) + " of " + std::to_string(steps.size()) + ": " +
                      steps.steps[step].label + "\n";
    out += "source line " + std::to_string(steps.steps[step].line) + " of " + kernel_file + "\n";
    out += run_view.trace().header.variant + " · " + run_view.run->origin + "\n";
    for (const std::string& told : {run_view.run->note, run_view.run->notice})
        if (!told.empty()) out += told + "\n";
    if (const std::string result = result_text(*run_view.run); !result.empty()) out += result + "\n";
    if (const std::string mistakes = mistakes_found(run_view); !mistakes.empty()) out += "mistake: " + mistakes + "\n";
    for (const std::size_t i : run_view.findings.at(step))
        out += "found wrong: " + finding_text(run_view.trace().findings[i]) + "\n";
    out += describe_work(steps, step, block);
    out += describe_warps(steps, step, block);
    out += describe_reruns(rerun_table(run_view.trace()));
    out += describe_joins(steps, step, block);
    bool any = false;
    for (const steps::WarpRef& ref : steps.warps) {
        if (block >= 0 && ref.block != static_cast<std::uint32_t>(block)) continue;
        if (warp >= 0 && ref.warp != static_cast<std::uint32_t>(warp)) continue;
        any = true;
        if (!steps.steps[step].find(ref)) continue;
        out += "\n" + describe_scene(run_view, build_scene(steps, step, ref, StageMetrics{}));
        if (lane >= 0) out += "life of lane " + std::to_string(lane) + "\n" + describe_life(history_of(steps, ref, lane));
    }
    if (!any) {
        throw Error("Block " + std::to_string(block) + ", warp " + std::to_string(warp) +
                    " was not recorded; blocks 0 to " +
                    std::to_string(steps.blocks.empty() ? 0 : steps.blocks.back().block) + " were.");
    }
    return out;
}

}  // namespace lanewise::viz
