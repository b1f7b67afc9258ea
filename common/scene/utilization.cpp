#include "common/scene/utilization.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/scene/warps.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::scene {
namespace {

WorkStep work_of(const steps::Step::Counters& counters) {
    return {counters.active_lanes, counters.lanes_adding, counters.lanes_perhaps_adding > 0};
}

}  // namespace

Utilization utilization_of(const steps::Steps& steps, const WarpRef& warp) {
    Utilization work;
    work.threads = block_threads(steps, warp);
    const std::size_t block = block_place(steps, warp);
    work.steps.resize(steps.size());
    for (std::size_t k = 0; k < steps.size(); ++k) {
        const auto& counters = steps.steps[k].counters;
        if (block >= counters.size()) continue;
        work.steps[k] = work_of(counters[block]);
        work.added = counters[block].added;
        work.slots = counters[block].add_slots;
    }
    return work;
}

std::vector<WorkStep> work_at(const steps::Steps& steps, std::size_t step) {
    std::vector<WorkStep> blocks;
    for (const auto& counters : steps.steps[step].counters)
        blocks.push_back(work_of(counters));
    return blocks;
}

Counts counts_at(const steps::Steps& steps, std::size_t step, const WarpRef& warp) {
    Counts counts;
    const std::size_t block = block_place(steps, warp);
    if (step >= steps.size() || block >= steps.steps[step].counters.size()) return counts;
    const steps::Step::Counters& now = steps.steps[step].counters[block];
    const steps::Step::Counters& whole = steps.steps.back().counters[block];
    const auto add = [&](const char* label, std::uint32_t value, std::uint64_t in_all) {
        if (in_all > 0) counts.lines.push_back({label, value});
    };
    const StepKind kind = steps.steps[step].kind;
    const bool barrier = kind == StepKind::block_barrier || kind == StepKind::warp_barrier;
    add(barrier ? "lanes waiting in the block" : "active lanes in the block", now.active_lanes, 1);
    add("lanes adding in the block", now.lanes_adding, whole.add_slots);
    add("shuffle rounds so far", now.shuffles, whole.shuffles);
    add("block barriers so far", now.block_barriers, whole.block_barriers);
    add("warp barriers so far", now.warp_barriers, whole.warp_barriers);
    add("shared accesses so far", now.shared_accesses, whole.shared_accesses);
    add("shared wavefronts so far", now.shared_wavefronts, whole.shared_wavefronts);
    add("global accesses so far", now.global_accesses, whole.global_accesses);
    add("32-byte sectors so far", now.global_sectors, whole.global_sectors);
    add("atomics so far", now.atomics, whole.atomics);
    counts.adds = now.add_slots > 0;
    counts.utilization = now.utilization();
    return counts;
}

std::string lanes_text(StepKind kind, int lanes) {
    const bool barrier = kind == StepKind::block_barrier || kind == StepKind::warp_barrier;
    if (!barrier) return counted(static_cast<std::size_t>(lanes), "active lane");
    return counted(static_cast<std::size_t>(lanes), "lane") + (lanes == 1 ? " waits" : " wait");
}

std::string work_text(StepKind kind, const WorkStep& work, std::uint32_t threads, const std::string& of) {
    const char* does = work.adding > 0 ? "add" : is_barrier(kind) ? "wait" : "active";
    return fmt::format("{}{} of {} lanes{} {}", work.adding > 0 && work.more_may_add ? "at least " : "",
                       work.adding > 0 ? work.adding : work.lanes, threads, of, does);
}

std::string percent(double part) {
    const double value = 100 * part;
    const bool rounds_away = part > 0 && part < 1 && (std::round(value) == 0 || std::round(value) == 100);
    return rounds_away ? fmt::format("{:.1f} %", value) : fmt::format("{:.0f} %", value);
}

std::string part_text(double part) {
    if (part <= 0) return "none";
    if (part >= 1) return "all";
    if (part >= 0.95) return "nearly all";
    if (part < 0.1) return fmt::format("1 in {:.0f}", 1 / part);
    // The fewest lanes that come near enough; else the nearest of up to ten.
    const auto off = [&](int of) { return std::abs(std::round(part * of) / of - part); };
    int best = 2;
    for (int of = 2; of <= 10; ++of) {
        const bool some = std::round(part * of) > 0 && std::round(part * of) < of;
        if (some && off(of) < off(best)) best = of;
        if (some && off(of) <= 0.015) break;
    }
    return fmt::format("{:.0f} in {}", std::round(part * best), best);
}

std::string utilization_text(const Utilization& work) {
    return percent(work.utilization()) + " lane utilization (" + part_text(work.utilization()) + ") in add steps";
}

}  // namespace lanewise::scene
