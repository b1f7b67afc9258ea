// Variants: which one is shown, and which it is compared with.
#include <algorithm>

#include "viz/app/app.hpp"

namespace lanewise::viz {

std::vector<CompareSide> App::compare_sides() const {
    std::vector<CompareSide> sides;
    for (std::size_t i = 0; i < names_.size(); ++i)
        sides.push_back({names_[i], tab_title(names_[i]), shown_[i], errors_[i]});
    return sides;
}

// A file's run is as it is: it has no other input.
std::string App::run_name(std::size_t side) const {
    if (is_fixed_run(names_[side])) return names_[side];
    if (!comparing()) return name_of_changed_run(names_[side], changes_of(side));
    std::vector<std::string> beside = names_;
    std::erase_if(beside, is_fixed_run);
    return name_of_changed_run(name_of_run_beside(names_[side], beside), changes_of(side));
}

void App::show_together() {
    std::vector<const run::Run*> runs;
    for (const auto& shown : shown_) runs.push_back(shown->run.get());
    compare_.steps.align(runs);
    const std::size_t count = compare_.steps.size();
    // A step that was asked for is counted as the timeline counts here.
    const std::size_t place = first_run_ ? request_.first_step(count) : compare_.steps.place_of(0, playhead_.step);
    playhead_.count = count;
    playhead_.step = count == 0 ? 0 : std::min(place, count - 1);
    playhead_.since_step = 1e9f;
    first_run_ = false;
}

void App::leave_places(std::size_t side) {
    const bool together = comparing() && shown_[side] && compare_.steps.sides() == names_.size() &&
                          playhead_.count == compare_.steps.size();
    if (together) {
        const std::size_t step = compare_.steps.step_of(side, playhead_.step);
        playhead_.count = shown_[side]->steps().size();
        playhead_.step = step == kNoStep ? 0 : std::min(step, playhead_.count == 0 ? 0 : playhead_.count - 1);
    }
    compare_.steps = {};
}

void App::choose(const std::string& variant) {
    // In a comparison: the chosen side; one that is there already is chosen instead.
    const std::size_t side = chosen_side();
    const auto there = std::find(names_.begin(), names_.end(), variant);
    if (there != names_.end()) {
        compare_.chosen = static_cast<std::size_t>(there - names_.begin());
        return;
    }
    playhead_.playing = false;
    leave_places();
    before_ = nullptr;
    change_error_.clear();
    names_[side] = variant;
    // The run that is shown alone stays until the other is there: it says from which step to continue.
    if (comparing()) shown_[side] = nullptr;
    for (std::size_t each = 0; each < names_.size(); ++each) loader_.get(run_name(each));
}

void App::next_variant(int direction) {
    const auto count = static_cast<int>(tab_names_.size());
    if (count <= static_cast<int>(names_.size())) {
        // All are shown already: the next is chosen.
        const auto sides = static_cast<int>(names_.size());
        if (sides > 1)
            compare_.chosen = static_cast<std::size_t>((static_cast<int>(chosen_side()) + direction + sides) % sides);
        return;
    }
    int at = static_cast<int>(tab_of(names_[chosen_side()]));
    do at = (at + direction + count) % count;
    while (std::find(names_.begin(), names_.end(), tab_names_[static_cast<std::size_t>(at)]) != names_.end());
    choose(tab_names_[static_cast<std::size_t>(at)]);
}

// Two beside each other, or one more: those of the last comparison; else the next of the tabs that runs on as many
// values, first one that is compared with the last, or the other way round.
void App::open_comparison() {
    const auto stands = [&](const std::string& name) {
        return std::find(names_.begin(), names_.end(), name) != names_.end();
    };
    if (!comparing()) {
        std::vector<std::string> again = set_aside_;
        std::erase_if(again, stands);
        if (!again.empty()) {
            for (const std::string& name : again) set_beside(name);
            return;
        }
    }
    const std::size_t from = tab_of(names_.back());
    if (from >= presentation_.variants.size()) return;
    const run::VariantInfo& last = presentation_.variants[from];
    const run::VariantInfo* best = nullptr;
    int best_fit = -1;
    for (std::size_t i = 1; i <= tab_names_.size(); ++i) {
        const run::VariantInfo& info = presentation_.variants[(from + i) % tab_names_.size()];
        if (stands(info.name)) continue;
        const bool related = info.compared_with == last.name || last.compared_with == info.name;
        const int fit = info.n != last.n ? 0 : related ? 2 : 1;
        if (fit <= best_fit) continue;
        best = &info;
        best_fit = fit;
    }
    if (best) set_beside(std::string(best->name));
}

void App::set_beside(const std::string& variant) {
    compare_.listing = false;
    if (names_.size() >= kMostSides || std::find(names_.begin(), names_.end(), variant) != names_.end()) return;
    if (whole_) predict(player::PredictMode::off);
    playhead_.playing = false;
    leave_places();
    names_.push_back(variant);
    shown_.emplace_back();
    errors_.emplace_back();
    compare_.chosen = names_.size() - 1;
    adopt_runs();
}

void App::remove_side(std::size_t side) {
    if (!comparing() || side >= names_.size()) return;
    playhead_.playing = false;
    compare_.listing = false;
    leave_places(side == 0 ? 1 : 0);
    const auto at = static_cast<std::ptrdiff_t>(side);
    names_.erase(names_.begin() + at);
    shown_.erase(shown_.begin() + at);
    errors_.erase(errors_.begin() + at);
    if (compare_.chosen > side || compare_.chosen >= names_.size()) compare_.chosen -= compare_.chosen > 0;
    if (comparing() && compare_.chosen == 0) compare_.chosen = 1;
    // What is shown alone, or first, is taken up as if it had just come.
    for (auto& shown : shown_) shown = nullptr;
    adopt_runs();
}

void App::close_comparison() {
    leave_places();
    playhead_.playing = false;
    compare_.listing = false;
    set_aside_.assign(names_.begin() + 1, names_.end());
    names_.resize(1);
    shown_.resize(1);
    errors_.resize(1);
}

void App::go_to_stage(int direction) {
    playhead_.playing = false;
    std::vector<const run::Run*> runs;
    for (const auto& shown : shown_) runs.push_back(shown ? shown->run.get() : nullptr);
    if (std::find(runs.begin(), runs.end(), nullptr) != runs.end()) return;
    if (!comparing()) playhead_.go_to(player::step_of_next_stage(shown_[0]->steps(), playhead_.step, direction));
    else if (compare_.steps.sides() == runs.size())
        playhead_.go_to(compare_.steps.place_of_next_stage(runs, playhead_.step, direction));
}

// To a finding's step, warp and lane: of the chosen side, or of the first one that has any.
void App::go_to_finding(int direction) {
    playhead_.playing = false;
    if (comparing() && compare_.steps.sides() != shown_.size()) return;   // not all have run
    const auto has_any = [&](std::size_t side) { return shown_[side] && !shown_[side]->outline.finding_stops.empty(); };
    std::size_t side = chosen_side();
    if (!has_any(side))
        for (side = 0; side < shown_.size() && !has_any(side);) ++side;
    if (side == shown_.size()) return;
    const RunView& view = *shown_[side];
    const std::size_t here = comparing() ? compare_.steps.step_of(side, playhead_.step) : playhead_.step;
    const auto* stop = scene::finding_stop_beside(view.outline.finding_stops, here, selection_.warp, direction);
    playhead_.go_to(comparing() ? compare_.steps.place_of(side, stop->step) : stop->step);
    if (scene::is_recorded(view.steps(), stop->warp)) selection_.warp = stop->warp;
    selection_.pinned_lane = stop->lane;
}

}  // namespace lanewise::viz
