#include "viz/model/highlight.hpp"

#include <algorithm>
#include <bit>

#include "viz/views/memory/memory.hpp"

namespace lanewise::viz {
namespace {

// "lane 5", "lanes 5, 21", "lanes 0…31", "7 lanes"
std::string lane_names(std::uint32_t lanes) {
    const int count = std::popcount(lanes);
    if (count == 1) return "lane " + std::to_string(std::countr_zero(lanes));
    const int first = std::countr_zero(lanes), last = 31 - std::countl_zero(lanes);
    if (last - first + 1 == count) return "lanes " + std::to_string(first) + "…" + std::to_string(last);
    if (count > 3) return std::to_string(count) + " lanes";
    std::string names = "lanes ";
    for (int lane = 0; lane < trace::kWarpSize; ++lane) {
        if ((lanes >> lane) & 1u) names += (names.back() == ' ' ? "" : ", ") + std::to_string(lane);
    }
    return names;
}

}  // namespace

std::vector<WordUse> uses_of(const steps::Steps& steps, const WordRef& word, const steps::WarpRef& warp) {
    std::vector<WordUse> uses;
    const auto& arrays = steps.trace->arrays;
    if (!word || word.array >= arrays.size()) return uses;
    const bool shared = arrays[word.array].space == trace::Space::shared;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        for (const steps::WarpStep& part : steps.steps[k].warps) {
            if (part.warp.launch != warp.launch || (shared && part.warp.block != warp.block)) continue;
            WordUse use{k, part.warp};
            for (const std::size_t number : part.records) {
                const trace::Record& record = steps.trace->records[number];
                if (!touches_memory(record) || record.array != word.array) continue;
                for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane) {
                    if (!((record.active >> lane) & 1u)) continue;
                    const std::int64_t first = record.element_index[lane];
                    if (word.index < first || word.index >= first + std::max(record.elements, 1)) continue;
                    use.lanes |= std::uint32_t{1} << lane;
                    use.reads |= record.op != trace::Op::store;
                    use.writes |= record.op != trace::Op::load;
                }
            }
            if (use.lanes) uses.push_back(use);
        }
    }
    return uses;
}

std::string use_text(const std::vector<WordUse>& uses, std::size_t step) {
    constexpr std::size_t kMost = 3;
    const auto away = [&](const WordUse& use) { return use.step > step ? use.step - step : step - use.step; };
    std::vector<const WordUse*> near;
    for (const WordUse& use : uses) near.push_back(&use);
    std::stable_sort(near.begin(), near.end(), [&](const WordUse* a, const WordUse* b) { return away(*a) < away(*b); });
    near.resize(std::min(near.size(), kMost));
    std::sort(near.begin(), near.end());   // as they come in the run
    std::string text;
    for (const WordUse* use : near) {
        const char* verb = use->reads && use->writes ? "read and written" : use->writes ? "written" : "read";
        text += (text.empty() ? "" : "; ") + std::string(verb) + " in step " + std::to_string(use->step + 1) +
                 " by warp " + std::to_string(use->warp.warp) + " " + lane_names(use->lanes);
    }
    if (uses.size() > near.size()) text += "; used " + std::to_string(uses.size() - near.size()) + " times more";
    return text;
}

std::vector<int> lit_lines(const steps::Steps& steps, const Selection& selection) {
    std::vector<int> lines;
    if (selection.now.step < steps.size()) lines.push_back(steps.steps[selection.now.step].line);
    for (const WordUse& use : uses_of(steps, selection.now.word, selection.warp))
        lines.push_back(steps.steps[use.step].line);
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    return lines;
}

const std::vector<int>& LitLines::of(const steps::Steps& steps, const Selection& selection) {
    if (steps_ == &steps && warp_ == selection.warp && hover_ == selection.now) return lines_;
    steps_ = &steps;
    warp_ = selection.warp;
    hover_ = selection.now;
    return lines_ = lit_lines(steps, selection);
}

void Lights::look(const RunView& run_view, const Selection& selection) {
    Hover hover = selection.now;
    hover.lane = -1;   // lanes light themselves
    if (run_ == run_view.run && warp_ == selection.warp && hover_ == hover) return;
    run_ = run_view.run;
    warp_ = selection.warp;
    hover_ = hover;
    const steps::Steps& steps = run_view.steps();
    steps_.assign(steps.size(), false);
    uses_ = uses_of(steps, hover.word, selection.warp);
    if (hover.step < steps.size()) steps_[hover.step] = true;
    for (std::size_t k = 0; hover.line > 0 && k < steps.size(); ++k) {
        if (steps.steps[k].line == hover.line) steps_[k] = true;
    }
    for (const WordUse& use : uses_) steps_[use.step] = true;
}

}  // namespace lanewise::viz
