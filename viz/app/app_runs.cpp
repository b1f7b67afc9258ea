// The runs: asked for, waited for, taken up where the learner is.
#include <algorithm>

#include "common/base/error.hpp"
#include "common/run/run.hpp"
#include "common/timing/times_text.hpp"
#include "common/scene/compare/side_by_side.hpp"
#include "viz/app/app.hpp"

namespace lanewise::viz {

void App::adopt_runs() {
    adopt_sizes();
    if (const auto times = loader_.times(); times && times != measured_) {
        measured_ = times;
        presentation_.timings = *times;
    }
    if (comparing() && compare_.steps.sides() == names_.size() && !is_edited()) return adopt_changed_sides();
    const bool newer = edited_ && shown_version_ != edited_->version;
    bool changed = compare_.steps.sides() != names_.size(), all = true;
    for (std::size_t side = 0; side < names_.size(); ++side) {
        const RunLoader::Result result = loader_.get(run_name(side));
        // While a file is edited the last good run stays; what is wrong is shown in its source.
        const bool stays = is_edited() && shown_[side];
        errors_[side] = stays ? std::string() : result.error;
        // A change that does not run leaves what was shown, and says why where it was made.
        if (!result.error.empty() && shown_[side] && !changes_of(side).empty() &&
            !(edited_ && !edited_->problem.empty()) && shown_[side]->trace().header.variant == names_[side]) {
            refuse_change(result.error);
            errors_[side].clear();
        }
        all &= result.run_view != nullptr || (stays && !result.error.empty());
        if (!result.run_view || result.run_view == (side == 0 && whole_ ? whole_ : shown_[side])) continue;
        changed = true;
        if (stays && newer && !is_fixed_run(names_[side])) loader_.put(name_of_run_before(names_[side]), shown_[side]);
        if (side == 0 && edited_) shown_version_ = edited_->version;
        if (side == 0) show_run(result.run_view);
        else shown_[side] = result.run_view;
    }
    if (comparing() && changed && all) show_together();
}

// All sides change together: what is shown stays until the last of them is there.
void App::adopt_changed_sides() {
    std::vector<std::shared_ptr<const RunView>> now;
    for (std::size_t side = 0; side < names_.size(); ++side) {
        const RunLoader::Result result = loader_.get(run_name(side));
        if (!result.error.empty() && !changes_of(side).empty()) return refuse_change(result.error);
        errors_[side] = result.error;
        if (!result.run_view) return;
        now.push_back(result.run_view);
    }
    if (now == shown_) return;
    leave_places();
    shown_ = std::move(now);
    show_together();
}

void App::show_run(std::shared_ptr<const RunView> run_view) {
    const std::shared_ptr<const RunView> last = whole_ ? whole_ : shown_[0];
    shown_[0] = std::move(run_view);
    // A lesson may have several kernel files: the one that ran is shown.
    if (const run::Run& run = *shown_[0]->run; !run.source.empty() && (is_edited() || run.kernel_file != source_.file))
        source_.set_source(run.kernel_file, run.source);
    const steps::Steps& steps = shown_[0]->steps();
    const auto recorded = [&](const WarpRef& warp) {
        return std::find(steps.warps.begin(), steps.warps.end(), warp) != steps.warps.end();
    };
    if (first_run_) {
        for (const WarpRef& warp : steps.warps) {
            const bool fits = (request_.block < 0 || warp.block == static_cast<std::uint32_t>(request_.block)) &&
                              (request_.warp < 0 || warp.warp == static_cast<std::uint32_t>(request_.warp));
            if (!fits) continue;
            selection_.warp = warp;
            break;
        }
    }
    if (!recorded(selection_.warp) && !steps.warps.empty()) selection_.warp = steps.warps.front();

    // The learner stays at the stage where the last variant was.
    std::size_t step = playhead_.step;
    if (last && !comparing()) {
        // Of a run that was changed the step is kept where it still is; of another variant its stage.
        const bool same = last->trace().header.variant == shown_[0]->trace().header.variant;
        const auto stage_at = [&](const steps::Steps& of) { return of.steps[playhead_.step].stage; };
        const bool stays = same && playhead_.step < std::min(last->steps().size(), steps.size()) &&
                           stage_at(last->steps()) == stage_at(steps);
        if (!stays)
            step = playhead_.step == 0 ? 0 : matching_step(last->steps(), playhead_.step, steps);
    }
    playhead_.count = steps.size();
    if (first_run_) {
        step = request_.first_step(steps.size());
        if (step == 0 && !request_.has_step) {
            const std::size_t tab = tab_of(names_[0]);
            step = player::opening_step(steps, selection_.warp,
                                        tab < presentation_.variants.size() && presentation_.variants[tab].permutation);
        }
    }
    playhead_.step = steps.size() == 0 ? 0 : std::min(step, steps.size() - 1);
    playhead_.since_step = 1e9f;
    const bool first = std::exchange(first_run_, comparing() && first_run_);
    if (first && !comparing() && !request_.predict.empty()) begin_as_asked();
    if (!whole_ || first) return;
    // Another run: its questions are asked from the beginning.
    whole_ = shown_[0];
    begin_questions(prediction_.mode(), playhead_.step);
}

// Where the block of the warp that the learner chose has no part in a step, a warp that has one is shown: in a
// comparison one that has one on all sides, if there is any.
void App::follow_work() {
    if (!shown_[0] || request_.block >= 0 || request_.warp >= 0) return;
    std::vector<const run::Run*> runs;
    for (const auto& shown : shown_)
        if (shown) runs.push_back(shown->run.get());
    if (comparing() && (runs.size() != names_.size() || compare_.steps.sides() != names_.size())) return;
    if (!(selection_.warp == followed_)) home_ = selection_.warp;
    followed_ = comparing() ? scene::working_warp(runs, compare_.steps, playhead_.step, home_)
                            : player::working_warp(shown_[0]->steps(), playhead_.step, home_);
    selection_.warp = followed_;
}

void App::settle() {
    for (std::size_t side = 0; side < names_.size(); ++side) {
        const RunLoader::Result result = loader_.wait(run_name(side));
        // A change that does not run is reported at its field.
        if (!result.error.empty() && (!shown_[side] || changes_of(side).empty())) throw Error(result.error);
    }
    loader_.wait_for_times();
    if (view_ == View::table)
        for (const std::string& name : presentation_.all_variants)
            loader_.wait(name);  // one that fails is shown in its row
    adopt_runs();
}

run::Comparison App::comparison() {
    const timing::TimingTable& times = presentation_.timings;
    const std::vector<std::string>& wrong = presentation_.declared_wrong;
    run::Comparison all{{}, timing::times_from(times)};
    for (const std::string& name : presentation_.all_variants) {
        const RunLoader::Result result = loader_.get(name);
        if (!result.run_view) {
            all.rows.push_back(
                run::compared(name, result.error.empty() ? "It is still running." : result.error, times));
            continue;
        }
        Row& row = rows_[name];
        if (row.run_view != result.run_view || row.times_from != all.times_from)
            row = {result.run_view, all.times_from, run::compared(*result.run_view->run, times)};
        row.row.declared_wrong = std::find(wrong.begin(), wrong.end(), name) != wrong.end();
        all.rows.push_back(row.row);
    }
    return all;
}

}  // namespace lanewise::viz
