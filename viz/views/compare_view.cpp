#include "viz/views/compare_view.hpp"

#include <algorithm>

#include "viz/views/result_line.hpp"
#include "viz/views/timing_view.hpp"
#include "viz/views/work_paint.hpp"

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

// Is it ever counted in a recorded block?
bool counted_in_all(const Exhibit& exhibit, std::uint32_t steps::Step::Counters::*value) {
    if (exhibit.steps().size() == 0) return false;
    const auto& counters = exhibit.steps().steps.back().counters;
    return std::any_of(counters.begin(), counters.end(), [&](const auto& each) { return each.*value > 0; });
}

bool is_wrong(const Exhibit& exhibit) { return !came_out_right(*exhibit.run) || !exhibit.trace().findings.empty(); }

// Lanes of the warp that hold something else than on the other side at the same stage.
std::uint32_t lanes_that_differ(const Exhibit& a, std::size_t step, const steps::WarpRef& warp, const Exhibit& b, std::size_t other_step,
                                const steps::WarpRef& other_warp) {
    const auto has = [](const Exhibit& exhibit, const steps::WarpRef& ref) {
        const auto& warps = exhibit.steps().warps;
        return std::find(warps.begin(), warps.end(), ref) != warps.end();
    };
    if (!has(a, warp) || !has(b, other_warp)) return 0;
    const steps::Holding& x = a.steps().holding(step, warp);
    const steps::Holding& y = b.steps().holding(other_step, other_warp);
    if (x.type != y.type) return 0;
    std::uint32_t lanes = 0;
    for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane) {
        if ((x.known & y.known) >> lane & 1u && x.bits[lane] != y.bits[lane]) lanes |= std::uint32_t{1} << lane;
    }
    return lanes;
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
    const std::size_t step = step_of(side, playhead.step);
    const bool own = has_own_step(side, playhead.step);
    Rect box = pane.box;
    const Rect foot = box.cut_bottom(pane.px(118));
    const bool banners = is_wrong(exhibit) || is_wrong(other);
    if (banners) draw_banner(pane, box.cut_top(pane.px(38)), side, exhibit);

    // Each side has its own steps and its own warps; what is pointed at is shared.
    Playhead here = playhead;
    here.step = step == steps::kNoStep ? 0 : step;
    here.count = exhibit.steps().size();
    if (!own) here.since_step = 1e9f;
    Selection there = selection;
    there.warp = matching_warp(exhibit.steps(), selection.warp);
    StageView& stage = stages[static_cast<std::size_t>(side)];
    stage.heading = title;
    stage.told_elsewhere = banners;
    // Where one of the two is wrong, what its lanes hold is held against the other's.
    const std::size_t other_step = step_of(1 - side, playhead.step);
    const steps::WarpRef other_warp = matching_warp(other.steps(), selection.warp);
    const bool paired = own && has_own_step(1 - side, playhead.step);
    stage.differing = paired && is_wrong(exhibit) && !is_wrong(other) ? lanes_that_differ(exhibit, step, there.warp, other, other_step, other_warp) : 0;
    stage.note = own ? "" : step == steps::kNoStep ? "has not begun" : "waits: nothing of its own at this stage";
    {
        const Pane inner(pane.look(), side == 0 ? "compare stage a" : "compare stage b", box);
        const steps::WarpRef before = there.warp;
        stage.draw(inner, exhibit, here, there);
        if (!(there.warp == before)) selection.warp = there.warp;
        selection.next = there.next;
        selection.pinned_lane = there.pinned_lane;
    }

    draw_foot(pane, foot, exhibit, other, step, other_step, own, timings, there.warp);
}

void CompareView::draw_banner(const Pane& pane, const Rect& where, int side, const Exhibit& exhibit) const {
    const Theme& colors = pane.colors();
    const bool wrong = is_wrong(exhibit);
    const Color kind = wrong ? colors.warning : colors.good;
    const Rect card{where.x0 + pane.px(12), where.y0 + pane.px(8), where.x1 - pane.px(12), where.y1};
    fill(pane.brush, card, mix(colors.ground, kind, 0.15), pane.px(6));
    outline(pane.brush, card, kind, pane.px(6), pane.px(1.2f));
    Rect line = card.inset(pane.px(10), 0);
    // Steps are counted in pairs here.
    const std::size_t step = first_mistake(exhibit);
    const std::size_t place = step == steps::kNoStep ? step : place_of(side, step);
    const std::string mistakes = mistakes_found(exhibit, place);
    const float width = text_width(pane.look(), Face::body, mistakes) + pane.px(8);
    if (!mistakes.empty() && !came_out_right(*exhibit.run) && width < line.width() * 0.6f) {
        text_in(pane.brush, Face::body, line.cut_right(width), colors.warning, mistakes, Align::right);
    }
    if (mistakes.empty() && result_words(*exhibit.run).empty()) text_in(pane.brush, Face::strong, line, colors.quiet, "its result was not kept", Align::left);
    else draw_result(pane.brush, line, exhibit, Face::strong, Align::left, place);
}

void CompareView::draw_foot(const Pane& pane, const Rect& where, const Exhibit& exhibit, const Exhibit& other, std::size_t step,
                            std::size_t other_step, bool own, const timing::TimingTable& timings, const steps::WarpRef& warp) const {
    const Theme& colors = pane.colors();
    hairline(pane.brush, {where.x0, where.y0}, {where.x1, where.y0}, colors.line);
    Rect rest = where.inset(pane.px(16), pane.px(8));

    // How busy its lanes are: the figure, in words, and step by step.
    Rect busy = rest.cut_top(pane.px(38));
    const Work work = work_of(exhibit.steps(), warp);
    if (work.adds()) {
        const std::string figure = percent(work.busy());
        text_in(pane.brush, Face::heading, busy, colors.good, figure, Align::left);
        const std::string first = "of lanes busy (" + part_in_words(work.busy()) + ")", second = "while adding";
        const float x = busy.x0 + text_width(pane.look(), Face::heading, figure) + pane.px(10);
        text_in(pane.brush, Face::caption, {x, busy.y0 + pane.px(4), busy.x1, busy.center().y + pane.px(1)}, colors.text, first, Align::left);
        text_in(pane.brush, Face::caption, {x, busy.center().y + pane.px(1), busy.x1, busy.y1 - pane.px(2)}, colors.quiet, second, Align::left);
        busy.x0 = std::max(x + text_width(pane.look(), Face::caption, first) + pane.px(18), busy.x0 + pane.px(210));
    } else {
        text_in(pane.brush, Face::caption, {busy.x0, busy.y0, busy.x0 + pane.px(200), busy.y1}, colors.quiet, "no step of it adds", Align::left);
        busy.x0 += pane.px(210);
    }
    if (busy.width() > pane.px(60)) work_strip(pane.brush, busy.inset(0, pane.px(2)), work, own ? step : steps::kNoStep);
    rest.cut_top(pane.px(6));

    Rect numbers = rest.cut_top(pane.px(36));
    const auto* mine = counters_at(exhibit, step, warp);
    const auto* theirs = counters_at(other, other_step, matching_warp(other.steps(), warp));
    const steps::Step::Counters zero;
    const steps::Step::Counters& a = mine ? *mine : zero;
    const steps::Step::Counters& b = theirs ? *theirs : zero;
    struct Item {
        const char* label;
        const char* meaning;
        std::uint32_t steps::Step::Counters::*value;
    };
    using Counters = steps::Step::Counters;
    static constexpr Item kItems[] = {
        {"shuffles", "shuffle rounds so far", &Counters::shuffles},
        {"barriers", "block barriers so far", &Counters::block_barriers},
        {"syncwarps", "warp barriers so far", &Counters::warp_barriers},
        {"shared", "accesses to shared memory so far, counted by lanes", &Counters::shared_accesses},
        {"passes", "passes over the banks of shared memory so far: one for a request without bank conflicts", &Counters::shared_passes},
        {"global", "accesses to global memory so far, counted by lanes", &Counters::global_accesses},
        {"requests", "loads and stores of global memory so far, counted by warps", &Counters::global_requests},
        {"sectors", "32-byte sectors of global memory moved so far", &Counters::global_sectors},
        {"atomics", "atomics so far, counted by lanes", &Counters::atomics}};
    // What neither of the two ever does is left out.
    std::vector<Item> items;
    for (const Item& item : kItems) {
        if (counted_in_all(exhibit, item.value) || counted_in_all(other, item.value)) items.push_back(item);
    }
    if (items.empty()) items.push_back(kItems[5]);
    const float pitch = numbers.width() / static_cast<float>(items.size());
    for (const Item& item : items) {
        const Rect column = numbers.cut_left(pitch);
        const std::uint32_t value = a.*item.value;
        const bool differs = value != b.*item.value;
        text_in(pane.brush, Face::figure_large, {column.x0, column.y0, column.x1, column.y0 + pane.px(19)},
                differs ? colors.accent : colors.text, std::to_string(value), Align::left);
        text_in(pane.brush, Face::caption, {column.x0, column.y0 + pane.px(20), column.x1, column.y1}, colors.quiet, item.label, Align::left);
        if (pane.hovers(column)) hint_card(pane.look(), std::string(item.meaning) + ", in this block");
    }
    const timing::Timing* time = timing_of(timings, exhibit.trace().header.variant);
    const std::string words = time ? microseconds(time->median_us) + " for " + std::to_string(time->n) + " values · " + timing_origin(timings)
                                   : "no time of this variant: it came out wrong, or was not measured";
    text_in(pane.brush, Face::caption, rest, time ? colors.text : colors.quiet, fit_text(pane.look(), Face::caption, words, rest.width()), Align::left);
}

Intent CompareView::draw_timeline(const Pane& pane, const Exhibit& a, const Exhibit& b, const Playhead& playhead,
                                  const Selection& selection) {
    const std::array<const Exhibit*, 2> sides{&a, &b};
    const std::array<Work, 2> works{work_of(a.steps(), matching_warp(a.steps(), selection.warp)),
                                    work_of(b.steps(), matching_warp(b.steps(), selection.warp))};
    std::vector<TimelineEntry> entries;
    for (const auto& pair : pairs_) {
        TimelineEntry entry;
        for (const int side : {1, 0}) {   // the left side's name and kind stand where both have one
            const auto s = static_cast<std::size_t>(side);
            const std::size_t step = step_in(pair, side);
            entry.has[s] = step != steps::kNoStep;
            if (!entry.has[s]) continue;
            const steps::Step& shown = sides[s]->steps().steps[step];
            entry.label = entry.label.empty() || entry.label == shown.label ? shown.label : shown.label + " | " + entry.label;
            entry.kind = shown.kind;
            entry.work[s] = works[s].steps[step];
            entry.warned |= step < sides[s]->findings.size() && !sides[s]->findings[step].empty();
        }
        entries.push_back(std::move(entry));
    }
    TimelineScale scale;
    scale.threads = {works[0].threads, works[1].threads};
    return timeline.draw_entries(pane, entries, scale, playhead);
}

}  // namespace lanewise::viz
