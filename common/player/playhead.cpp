#include "common/player/playhead.hpp"

#include <algorithm>

#include "common/steps/steps.hpp"

namespace lanewise::player {
namespace {
constexpr float kSecondsPerStep = 0.9f;
constexpr float kEntrance = 0.28f;
}  // namespace

void Playhead::go_to(std::size_t to) {
    const std::size_t target = count == 0 ? 0 : std::min(to, count - 1);
    if (target != step) since_step = 0;
    step = target;
}

void Playhead::toggle_play() {
    // At the end, play means: from the start.
    if (!playing && count > 0 && step + 1 >= count) first();
    playing = !playing && count > 1;
}

void Playhead::faster() { speed = std::min(speed * 1.5f, 8.0f); }
void Playhead::slower() { speed = std::max(speed / 1.5f, 0.2f); }

void Playhead::advance(float seconds) {
    since_step += seconds;
    if (!playing || since_step < kSecondsPerStep / speed) return;
    if (step + 1 >= count) playing = false;
    else forward();
}

float Playhead::until_step() const { return std::max(0.0f, kSecondsPerStep / speed - since_step); }

float Playhead::entrance(float from, float to) const {
    if (!motion) return 1;
    // Played fast, a step comes to rest before the next one.
    const float whole = playing ? std::min(kEntrance, 0.6f * kSecondsPerStep / speed) : kEntrance;
    const float t = std::clamp((since_step / whole - from) / (to - from), 0.0f, 1.0f);
    return 1 - (1 - t) * (1 - t) * (1 - t);
}

std::size_t step_of_next_stage(const steps::Steps& steps, std::size_t step, int direction) {
    const std::size_t size = steps.size();
    if (size == 0) return 0;
    std::size_t at = std::min(step, size - 1);
    const std::string& stage = steps.steps[at].stage;
    while ((direction < 0 ? at > 0 : at + 1 < size) && steps.steps[at].stage == stage) direction < 0 ? --at : ++at;
    return at;
}

std::size_t opening_step(const steps::Steps& steps, const steps::WarpRef& warp, bool at_shuffle) {
    if (at_shuffle)
        for (std::size_t k = 0; k < steps.size(); ++k)
            if (steps.steps[k].kind == StepKind::shuffle && steps.steps[k].find(warp)) return k;
    const auto block = std::find_if(steps.blocks.begin(), steps.blocks.end(), [&](const steps::WarpRef& each) {
        return each.launch == warp.launch && each.block == warp.block;
    });
    if (block == steps.blocks.end()) return 0;
    const auto at = static_cast<std::size_t>(block - steps.blocks.begin());
    const auto active = [&](const steps::Step& step) {
        return at < step.counters.size() ? step.counters[at].active_lanes : 0;
    };
    std::uint32_t most = 0;
    for (const steps::Step& step : steps.steps) most = std::max(most, active(step));
    for (std::size_t k = 0; most > 0 && k < steps.size(); ++k)
        if (2 * active(steps.steps[k]) >= most) return k;
    return 0;
}

steps::WarpRef working_warp(const steps::Steps& steps, std::size_t step, const steps::WarpRef& home) {
    if (step >= steps.size() || steps.steps[step].warps.empty()) return home;
    const steps::WarpRef* best = nullptr;
    int best_fit = -1;
    for (const steps::WarpStep& part : steps.steps[step].warps) {
        const bool block = part.warp.block == home.block;
        if (block && part.warp.launch == home.launch) return home;
        const int fit = (block ? 2 : 0) + (part.warp.warp == home.warp ? 1 : 0);
        if (fit <= best_fit) continue;
        best = &part.warp;
        best_fit = fit;
    }
    return *best;
}

steps::WarpRef warp_beside(const steps::Steps& steps, const steps::WarpRef& warp, int direction) {
    const std::size_t size = steps.warps.size();
    if (size == 0) return warp;
    const auto at =
        static_cast<std::size_t>(std::find(steps.warps.begin(), steps.warps.end(), warp) - steps.warps.begin());
    if (at == size) return steps.warps.front();
    return steps.warps[(at + (direction < 0 ? size - 1 : 1)) % size];
}

steps::WarpRef block_beside(const steps::Steps& steps, const steps::WarpRef& warp, int direction) {
    const std::size_t size = steps.blocks.size();
    std::size_t at = 0;
    while (at < size && !(steps.blocks[at].launch == warp.launch && steps.blocks[at].block == warp.block)) ++at;
    if (size == 0) return warp;
    const steps::WarpRef block =
        at == size ? steps.blocks.front() : steps.blocks[(at + (direction < 0 ? size - 1 : 1)) % size];
    const auto first = std::find_if(steps.warps.begin(), steps.warps.end(), [&](const steps::WarpRef& other) {
        return other.launch == block.launch && other.block == block.block;
    });
    return first == steps.warps.end() ? warp : *first;
}

}  // namespace lanewise::player
