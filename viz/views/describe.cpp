#include "viz/views/describe.hpp"

#include "common/base/element.hpp"
#include "common/base/error.hpp"

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
    if (kind == StepKind::shuffle) {
        line += "  source " + (view.source < 0 ? std::string("-") : std::to_string(view.source));
        line += "  before " + value(facts.type, view.before);
    } else if (kind == StepKind::vote) {
        line += "  before " + value(Element::u32, view.before);
    }
    if (kind == StepKind::shuffle || kind == StepKind::vote || kind == StepKind::atomic) {
        const Element type = kind == StepKind::vote ? Element::u32 : facts.type;
        line += "  received " + (view.undefined ? "undefined" : view.has_received ? value(type, view.received) : "-");
        line += "  after " + (view.has_after ? value(type, view.after) : "-");
    }
    if (kind == StepKind::warp_barrier || kind == StepKind::block_barrier) line += "  at barrier";
    return line;
}

}  // namespace

std::string describe_scene(const Exhibit& exhibit, const Scene& scene) {
    std::string out = warp_name(exhibit.steps(), scene.warp) + "\n";
    if (scene.step >= exhibit.steps().size()) return out;
    const steps::StepKind kind = exhibit.steps().steps[scene.step].kind;
    for (const LaneFacts& facts : scene.facts) out += lane_line(facts, kind) + "\n";
    return out;
}

std::string describe_step(const Exhibit& exhibit, const std::string& kernel_file, std::size_t step, int block, int warp) {
    const steps::Steps& steps = exhibit.steps();
    if (step >= steps.size()) {
        throw Error("There is no step " + std::to_string(step + 1) + ": this run has " + std::to_string(steps.size()) +
                    " steps.");
    }
    std::string out = "step " + std::to_string(step + 1) + " of " + std::to_string(steps.size()) + ": " +
                      steps.steps[step].label + "\n";
    out += "source line " + std::to_string(steps.steps[step].line) + " of " + kernel_file + "\n";
    out += exhibit.trace().header.variant + " · " + exhibit.run->origin + "\n";
    if (!exhibit.run->notice.empty()) out += exhibit.run->notice + "\n";
    bool any = false;
    for (const steps::WarpRef& ref : steps.warps) {
        if (block >= 0 && ref.block != static_cast<std::uint32_t>(block)) continue;
        if (warp >= 0 && ref.warp != static_cast<std::uint32_t>(warp)) continue;
        any = true;
        if (!steps.steps[step].find(ref)) continue;
        out += "\n" + describe_scene(exhibit, build_scene(steps, step, ref, StageMetrics{}));
    }
    if (!any) {
        throw Error("Block " + std::to_string(block) + ", warp " + std::to_string(warp) +
                    " was not recorded; blocks 0 to " + std::to_string(steps.blocks.empty() ? 0 : steps.blocks.back().block) +
                    " were.");
    }
    return out;
}

}  // namespace lanewise::viz
