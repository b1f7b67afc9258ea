#include "viz/model/highlight.hpp"

#include <algorithm>

namespace lanewise::viz {

std::vector<int> lit_lines(const RunView& run_view, const Selection& selection) {
    const auto& steps = run_view.outline.steps;
    std::vector<int> lines;
    if (selection.now.step < steps.size()) lines.push_back(steps[selection.now.step].line);
    for (const WordUse& use : uses_of(run_view.steps(), selection.now.word, selection.warp))
        lines.push_back(steps[use.step].line);
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    return lines;
}

const std::vector<int>& LitLines::of(const RunView& run_view, const Selection& selection) {
    if (run_ == run_view.run && warp_ == selection.warp && hover_ == selection.now) return lines_;
    run_ = run_view.run;
    warp_ = selection.warp;
    hover_ = selection.now;
    return lines_ = lit_lines(run_view, selection);
}

void Lights::look(const RunView& run_view, const Selection& selection) {
    Hover hover = selection.now;
    hover.lane = -1;   // lanes light themselves
    if (run_ == run_view.run && warp_ == selection.warp && hover_ == hover) return;
    run_ = run_view.run;
    warp_ = selection.warp;
    hover_ = hover;
    const auto& steps = run_view.outline.steps;
    steps_.assign(steps.size(), false);
    uses_ = uses_of(run_view.steps(), hover.word, selection.warp);
    if (hover.step < steps.size()) steps_[hover.step] = true;
    for (std::size_t k = 0; hover.line > 0 && k < steps.size(); ++k) {
        if (steps[k].line == hover.line) steps_[k] = true;
    }
    for (const WordUse& use : uses_) steps_[use.step] = true;
}

}  // namespace lanewise::viz
