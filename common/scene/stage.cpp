#include "common/scene/stage.hpp"

#include <algorithm>
#include <utility>

#include "common/base/lanes.hpp"
#include "common/scene/outline.hpp"
#include "common/scene/warps.hpp"
#include "common/scene/lane_facts.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::scene {
namespace {

class Builder {
public:
    Builder(const steps::Steps& steps, std::size_t present, const WarpRef& warp) : steps_(steps), present_(present) {
        stage_.warp = warp;
        stage_.step = present;
        stage_.lanes = lanes_of(steps, warp);
    }

    Stage build() {
        if (present_ < steps_.size()) {
            stage_.label = steps_.steps[present_].label;
            stage_.line = steps_.steps[present_].line;
        }
        if (!is_recorded(steps_, stage_.warp)) return std::move(stage_);
        plan();
        for (std::size_t i = 0; i < stage_.rows.size(); ++i) fill(stage_.rows[i], offered_below(i));
        if (present_ < steps_.size()) {
            stage_.part = part_of(steps_, present_, stage_.warp);
            stage_.word_rows = word_rows(steps_, present_, stage_.warp);
        }
        return std::move(stage_);
    }

private:
    // Which rows and bands there are.
    void plan() {
        const std::vector<std::size_t> bands = steps_in_reach();
        stage_.rows.emplace_back().reached = true;
        if (stage_.left_out_before > 0) stage_.rows.back().step = bands.front() - 1;
        for (const std::size_t k : bands) {
            const steps::Step& step = steps_.steps[k];
            const steps::WarpStep* part = step.find(stage_.warp);
            stage_.bands.push_back({k, step.kind, step.label, k == present_, k <= present_, part != nullptr,
                                    active_lanes(steps_, part), arcs_of(steps_, k, stage_.warp)});
            StageRow row;
            row.step = k;
            row.reached = k <= present_;
            row.quiet = holds_the_same(steps_, stage_.rows.back().step, k, stage_.warp);
            stage_.rows.push_back(row);
        }
        for (std::size_t i = 0; i < stage_.bands.size(); ++i) {
            if (!stage_.bands[i].present) continue;
            for (StageRow* row : {&stage_.rows[i], &stage_.rows[i + 1]}) {
                row->near = true;
                row->quiet = false;
            }
        }
        for (std::size_t i = 0; i < stage_.rows.size(); ++i) {
            if (offers_something_else(i)) stage_.rows[i].quiet = false;
        }
        // Nothing is known before the first load: an empty row would only take room.
        if (!holds_anything(steps_, kNoStep, stage_.warp) && !offered_below(0)) stage_.rows.front().quiet = true;
    }

    // The warp's steps, and the present one, but for those too far from it.
    std::vector<std::size_t> steps_in_reach() {
        std::vector<std::size_t> all;
        std::size_t middle = 0;
        for (std::size_t k = 0; k < steps_.size(); ++k) {
            if (k <= present_) middle = all.size();
            if (k == present_ || steps_.steps[k].find(stage_.warp)) all.push_back(k);
        }
        stage_.left_out_before = middle > kStageReach ? middle - kStageReach : 0;
        const std::size_t end = std::min(all.size(), middle + kStageReach + 1);
        stage_.left_out_after = all.size() - end;
        all.resize(end);
        all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(stage_.left_out_before));
        return all;
    }

    const trace::Record* first_record(const steps::WarpStep& part) const {
        return part.records.empty() ? nullptr : &steps_.trace->records[part.records.front()];
    }

    // The shuffle, reduction or match under row `i`, whose record has what its lanes offered. A kernel may change a
    // value between two records, and a GPU's trace has no loads: then this is what is known of the row. The row after
    // the present step shows that step's own result.
    const steps::WarpStep* offered_below(std::size_t i) const {
        if (i >= stage_.bands.size() || (i > 0 && stage_.bands[i - 1].present)) return nullptr;
        const StageBand& below = stage_.bands[i];
        const steps::WarpStep* part = steps_.steps[below.step].find(stage_.warp);
        if (below.kind == StepKind::shuffle || below.kind == StepKind::reduce) return part;
        const trace::Record* record = part && below.kind == StepKind::vote ? first_record(*part) : nullptr;
        return record && trace::is_vote(record->op) && !trace::is_predicate_vote(record->op) ? part : nullptr;
    }

    bool offers_something_else(std::size_t i) const {
        const steps::WarpStep* part = offered_below(i);
        if (!part) return false;
        const steps::LaneValues& lane_values = steps_.lane_values(stage_.rows[i].step, stage_.warp);
        for (int lane = 0; lane < stage_.lanes; ++lane) {
            const steps::LaneView& view = part->lanes[lane_index(lane)];
            if (!view.active) continue;
            if (!((lane_values.known >> lane) & 1u) || lane_values.bits[lane_index(lane)] != view.before) return true;
            for (std::size_t k = 1; k < part->records.size() && !part->parts.empty(); ++k) {
                const bool known = k <= lane_values.more.size() && (lane_values.more[k - 1].known >> lane & 1u);
                const std::uint64_t offered = steps_.trace->records[part->records[k]].before[lane_index(lane)];
                if (!known || lane_values.more[k - 1].bits[lane_index(lane)] != offered) return true;
            }
        }
        return false;
    }

    void fill(StageRow& row, const steps::WarpStep* offered) const {
        row.lanes = held_by_warp(steps_, row.step, stage_.warp);
        if (!offered) return;
        const trace::Record* record = first_record(*offered);
        for (int lane = 0; lane < stage_.lanes; ++lane) {
            const steps::LaneView& view = offered->lanes[lane_index(lane)];
            if (!view.active) continue;
            LaneCell& cell = row.lanes[lane_index(lane)];
            cell.known = true;
            cell.bits = view.before;
            cell.type = record ? record->type : Element::f32;
            cell.more = parts_before(steps_, *offered, lane);
            set_inputs(cell, steps_.provenances.at(view.inputs_before));
        }
    }

    const steps::Steps& steps_;
    std::size_t present_;
    Stage stage_;
};

}  // namespace

Stage stage_of(const steps::Steps& steps, std::size_t present, const WarpRef& warp) {
    return Builder(steps, present, warp).build();
}

}  // namespace lanewise::scene
