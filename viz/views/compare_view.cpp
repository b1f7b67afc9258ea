#include "viz/views/compare_view.hpp"

#include <algorithm>

#include "viz/views/timing_view.hpp"

namespace lanewise::viz {
namespace {

std::size_t step_in(const std::pair<std::size_t, std::size_t>& pair, int side) { return side == 0 ? pair.first : pair.second; }

// The warp of a run that stands where `warp` stands, or its first.
steps::WarpRef matching_warp(const steps::Steps& steps, const steps::WarpRef& warp) {
    const auto at = std::find(steps.warps.begin(), steps.warps.end(), warp);
    if (at != steps.warps.end()) return *at;
    return steps.warps.empty() ? warp : steps.warps.front();
}

const steps::Step::Counters* counters_at(const Exhibit& exhibit, std::size_t step, const steps::WarpRef& warp) {
    if (step >= exhibit.steps().size()) return nullptr;
    const auto& counters = exhibit.steps().steps[step].counters;
    const std::size_t block = block_place(exhibit.steps(), warp);
    return block < counters.size() ? &counters[block] : nullptr;
}

}  // namespace

void CompareView::align(const Exhibit& a, const Exhibit& b) { pairs_ = steps::align(a.steps(), b.steps()); }

std::size_t CompareView::step_of(int side, std::size_t place) const {
    for (std::size_t i = std::min(place + 1, pairs_.size()); i-- > 0;) {
        if (step_in(pairs_[i], side) != steps::kNoStep) return step_in(pairs_[i], side);
    }
    return steps::kNoStep;
}

bool CompareView::has_own_step(int side, std::size_t place) const {
    return place < pairs_.size() && step_in(pairs_[place], side) != steps::kNoStep;
}

std::size_t CompareView::place_of(int side, std::size_t step) const {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        if (step_in(pairs_[i], side) == step) return i;
    }
    return 0;
}

void CompareView::draw_side(const Pane& pane, int side, const std::string& title, const Exhibit& exhibit,
                            const Exhibit& other, const timing::TimingTable& timings, const Playhead& playhead,
                            Selection& selection) {
    const Theme& colors = pane.colors();
    const std::size_t step = step_of(side, playhead.step);
    const bool own = has_own_step(side, playhead.step);
    Rect box = pane.box;
    const Rect foot = box.cut_bottom(pane.px(86));

    // Each side has its own steps and its own warps; what is pointed at is shared.
    Playhead here = playhead;
    here.step = step == steps::kNoStep ? 0 : step;
    here.count = exhibit.steps().size();
    if (!own) here.since_step = 1e9f;
    Selection there = selection;
    there.warp = matching_warp(exhibit.steps(), selection.warp);
    StageView& stage = stages[static_cast<std::size_t>(side)];
    stage.heading = title;
    stage.note = own ? "" : step == steps::kNoStep ? "has not begun" : "waits: nothing of its own at this stage";
    {
        const Pane inner(pane.look(), side == 0 ? "compare stage a" : "compare stage b", box);
        const steps::WarpRef before = there.warp;
        stage.draw(inner, exhibit, here, there);
        if (!(there.warp == before)) selection.warp = there.warp;
        selection.next = there.next;
        selection.pinned_lane = there.pinned_lane;
    }

    hairline(pane.brush, {foot.x0, foot.y0}, {foot.x1, foot.y0}, colors.line);
    Rect rest = foot.inset(pane.px(16), pane.px(8));
    Rect numbers = rest.cut_top(pane.px(40));
    const auto* mine = counters_at(exhibit, step, there.warp);
    const auto* theirs = counters_at(other, step_of(1 - side, playhead.step), matching_warp(other.steps(), selection.warp));
    const steps::Step::Counters zero;
    const steps::Step::Counters& a = mine ? *mine : zero;
    const steps::Step::Counters& b = theirs ? *theirs : zero;
    struct Item {
        const char* label;
        std::uint32_t value;
        std::uint32_t other;
    };
    const Item items[] = {{"shuffles", a.shuffles, b.shuffles}, {"barriers", a.block_barriers, b.block_barriers},
                          {"shared", a.shared_accesses, b.shared_accesses}, {"global", a.global_accesses, b.global_accesses},
                          {"atomics", a.atomics, b.atomics}, {"lanes now", own ? a.lanes_at_work : 0, b.lanes_at_work}};
    const float pitch = numbers.width() / 6;
    for (const Item& item : items) {
        const Rect column = numbers.cut_left(pitch);
        const bool differs = item.value != item.other;
        text_in(pane.brush, Face::figure_large, {column.x0, column.y0, column.x1, column.y0 + pane.px(20)},
                differs ? colors.accent : colors.text, std::to_string(item.value), Align::left);
        text_in(pane.brush, Face::caption, {column.x0, column.y0 + pane.px(21), column.x1, column.y1}, colors.quiet, item.label, Align::left);
    }
    const timing::Timing* time = timing_of(timings, exhibit.trace().header.variant);
    const std::string words = time ? microseconds(time->median_us) + " for " + std::to_string(time->n) + " values · " + timing_origin(timings)
                                   : "no time of this variant: none was measured on a GPU or recorded";
    text_in(pane.brush, Face::caption, rest, time ? colors.text : colors.quiet, fit_text(pane.look(), Face::caption, words, rest.width()), Align::left);
}

Intent CompareView::draw_timeline(const Pane& pane, const Exhibit& a, const Exhibit& b, const Playhead& playhead,
                                  const Selection& selection) {
    std::vector<TimelineEntry> entries;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        const Exhibit& from = pairs_[i].first != steps::kNoStep ? a : b;
        const std::size_t step = pairs_[i].first != steps::kNoStep ? pairs_[i].first : pairs_[i].second;
        const steps::Step& shown = from.steps().steps[step];
        TimelineEntry entry{shown.label, shown.kind, 0};
        if (pairs_[i].first != steps::kNoStep && pairs_[i].second != steps::kNoStep) {
            const std::string& second = b.steps().steps[pairs_[i].second].label;
            if (second != shown.label) entry.label += " | " + second;
        }
        if (const auto* counters = counters_at(from, step, matching_warp(from.steps(), selection.warp))) entry.lanes = counters->lanes_at_work;
        entries.push_back(std::move(entry));
    }
    return timeline.draw_entries(pane, entries, block_threads(a.steps(), matching_warp(a.steps(), selection.warp)), playhead);
}

}  // namespace lanewise::viz
