#include <algorithm>

#include "common/rounding/rounding_builder.hpp"

namespace lanewise::rounding {

using steps::LaneView;
using steps::Step;
using steps::Steps;
using steps::WarpStep;
using trace::Effect;
using trace::Op;
using trace::Record;

namespace {

// Some 200 bytes each. A warp that adds 2^20 inputs makes two million of them: with its trace and its steps 740 MB, and
// some 2 s of one core (of an EPYC) beside the 3 s that those take.
constexpr std::size_t kMostSums = 4'000'000;

}  // namespace

RoundingBuilder::RoundingBuilder(const Steps& steps, RoundingLens& lens, Evidence& evidence, bool gathers,
                                 const std::stop_token& stop)
    : steps_(steps), trace_(*steps.trace), lens_(lens), evidence_(evidence), gathers_(gathers), stop_(stop),
      tree_(steps, lens, !gathers, stop), words_(trace_), latest_(steps.warps.size()), runs_(steps.warps.size()) {
    for (auto& lanes : latest_) lanes.fill(Sum::kNone);
}

bool RoundingBuilder::build() {
    for (std::size_t k = 0; k < steps_.size(); ++k) {
        tree_.at_step(step_ = k);
        const Step& step = steps_.steps[k];
        if (step.kind == StepKind::atomic) atomics(step);
        for (const WarpStep& warp : step.warps) {
            check_stop(stop_);
            place_ = place_of(warp.warp);
            switch (step.kind) {
                case StepKind::load: loads(warp); break;
                case StepKind::store: stores(warp); break;
                case StepKind::shuffle: shuffles(warp); break;
                case StepKind::reduce: reductions(warp); break;
                default: break;
            }
            if (lens_.sums.size() > kMostSums) return false;
        }
    }
    for (const auto& [word, held] : held_) confirm(held);
    for (const auto& [key, lanes] : places_) lens_.places.push_back({key.first, key.second, lanes});
    return true;
}

std::size_t RoundingBuilder::place_of(const WarpRef& warp) const {
    return static_cast<std::size_t>(std::find(steps_.warps.begin(), steps_.warps.end(), warp) -
                                    steps_.warps.begin());
}

void RoundingBuilder::set(std::size_t warp, std::size_t lane, std::size_t step, std::int32_t sum) {
    if (sum == Sum::kNone) return;
    latest_[warp][lane] = sum;
    auto [at, added] = places_.try_emplace({step, warp}, trace::PerLane<std::int32_t>{});
    if (added) at->second.fill(Sum::kNone);
    at->second[lane] = sum;
}

bool RoundingBuilder::line_adds(int line, bool here) {
    bool& adds = evidence_.adds.try_emplace(line, true).first->second;
    if (gathers_) adds = adds && here;
    return adds && here;
}

Sum RoundingBuilder::sum_here(std::size_t lane, Element type, std::uint64_t bits, std::uint32_t inputs) const {
    Sum sum;
    sum.type = type;
    sum.warp = steps_.warps[place_];
    sum.lane = static_cast<int>(lane);
    sum.bits = bits;
    sum.inputs = inputs;
    sum.step = step_;
    return sum;
}

void RoundingBuilder::shuffles(const WarpStep& warp) {
    const Record& record = trace_.records[warp.records.front()];
    trace::PerLane<Found> offered{};
    each(record, [&](std::size_t lane) {
        settle(lane, record.type, warp.lanes[lane].before, warp.lanes[lane].inputs_before);
        offered[lane] =
            tree_.find(latest_[place_][lane], warp.lanes[lane].inputs_before, record.type, warp.lanes[lane].before);
    });
    each(record, [&](std::size_t lane) {
        const LaneView& view = warp.lanes[lane];
        if (view.effect != Effect::join) return;
        const auto source = static_cast<std::size_t>(view.source);
        if (source >= trace::kWarpSize) {
            ++lens_.unknown;
            return;
        }
        const bool adds = !view.undefined && view.has_after &&
                          same_value(record.type, steps::sum_bits(record.type, view.before, view.received), view.after);
        if (!line_adds(record.line, adds || !view.has_after || view.undefined) || !adds || !offered[lane] ||
            !offered[source]) {
            ++lens_.unknown;
            return;
        }
        set(place_, lane, step_,
            tree_.join(sum_here(lane, record.type, view.after, view.inputs_after), offered[lane], offered[source]));
    });
}

void RoundingBuilder::reductions(const WarpStep& warp) {
    const Record& record = trace_.records[warp.records.front()];
    if (record.op != Op::reduce_add) return;
    ExactSum all;
    std::uint64_t count = 0;
    bool all_known = true;
    trace::PerLane<Found> offered{};
    std::uint32_t additions = 0;
    each(record, [&](std::size_t lane) {
        const LaneView& view = warp.lanes[lane];
        settle(lane, record.type, view.before, view.inputs_before);
        offered[lane] = tree_.find(latest_[place_][lane], view.inputs_before, record.type, view.before);
        all_known = all_known && offered[lane].has_value();
        if (!offered[lane] || *offered[lane] == Sum::kNone) return;
        const Sum& from = lens_.sum(*offered[lane]);
        if (!gathers_) all.add(lens_.exact[static_cast<std::size_t>(*offered[lane])]);
        count += from.count;
        additions = std::max(additions, from.additions + 1);
    });
    each(record, [&](std::size_t lane) {
        const LaneView& view = warp.lanes[lane];
        const bool joins = view.effect == Effect::join;
        if (!all_known || view.undefined || (joins && !view.has_after)) {
            ++lens_.unknown;
            return;
        }
        const std::uint64_t bits = joins ? view.after : view.received;
        Sum sum = sum_here(lane, record.type, bits, view.inputs_after);
        sum.kind = Sum::Kind::reduce;
        sum.own = *offered[lane];
        sum.count = count;
        sum.additions = additions;
        ExactSum exact = all;
        if (joins && sum.own != Sum::kNone) {
            if (!gathers_) exact.add(lens_.exact[static_cast<std::size_t>(sum.own)]);
            sum.count += lens_.sum(sum.own).count;
        }
        const std::int32_t place = tree_.keep(sum, exact);
        set(place_, lane, step_, place);
    });
}

RoundingLens build_rounding(const Steps& steps, const std::stop_token& stop) {
    RoundingLens lens;
    if (steps.input_count == 0) {
        lens.why_not =
            "Which inputs a sum holds is not known: no loads were recorded, or there are too many inputs to keep (a "
            "smaller --n has fewer).";
        return lens;
    }
    Evidence evidence;
    for (const bool gathers : {true, false}) {
        lens = {};
        if (RoundingBuilder(steps, lens, evidence, gathers, stop).build()) continue;
        lens = {};
        lens.why_not = "There are too many additions to compute the exact value of each; give a smaller --n.";
        return lens;
    }
    const bool any =
        std::any_of(lens.sums.begin(), lens.sums.end(), [](const Sum& sum) { return sum.kind != Sum::Kind::input; });
    if (any) return lens;
    lens.why_not = "Nothing here is known to be a sum of inputs, as far as the records show.";
    for (const Step& step : steps.steps) {
        if (step.warps.empty() || step.warps.front().parts.size() < 2) continue;
        std::string parts;
        for (const std::string& part : step.warps.front().parts) parts += (parts.empty() ? "" : ", ") + part;
        lens.why_not = "A value here is (" + parts + "), merged as one: none of its parts is a plain sum of inputs, so "
                       "there is no exact sum beside it. The result itself is compared with its reference.";
        break;
    }
    return lens;
}

}  // namespace lanewise::rounding
