#include "common/steps/follow.hpp"

#include <algorithm>
#include <tuple>

#include "common/steps/follower.hpp"

namespace lanewise::steps {

using trace::Effect;
using trace::Op;
using trace::Record;
using trace::Statement;

Follower::Follower(Steps& steps, const Statements& statements, std::string_view text)
    : steps_(steps),
      trace_(*steps.trace),
      statements_(statements),
      has_inputs_(inputs_in(trace_) > 0),
      inputs_(inputs_in(trace_)),
      memory_(trace_, inputs_),
      text_(trace_, text),
      present_(steps.warps.size()),
      pending_(steps.warps.size()),
      courses_(steps.warps.size()),
      exchanged_(steps.warps.size()) {
    following_.resize(trace_.records.size(), kNone);
    std::vector<std::size_t> last(steps.warps.size(), kNone);
    for (std::size_t i = trace_.records.size(); i-- > 0;) {
        const Record& record = trace_.records[i];
        std::size_t& later = last[place_of({record.launch, record.block, record.warp})];
        following_[i] = later;
        later = i;
    }
}

bool Follower::run() {
    steps_.lane_values_of.assign(present_.size(), {{0, LaneValues{}}});
    for (std::size_t k = 0; k < steps_.steps.size(); ++k) {
        Step& step = steps_.steps[k];
        for (WarpStep& warp : step.warps) {
            play(step, warp);
            steps_.lane_values_of[place_].push_back({k + 1, present_[place_]});
        }
    }
    steps_.input_count = inputs_in(trace_);
    const bool kept = !inputs_.over_budget();
    steps_.provenances = std::move(inputs_);
    return kept;
}

std::size_t Follower::place_of(const WarpRef& warp) const {
    const auto order = [](const WarpRef& ref) { return std::tuple(ref.launch, ref.block, ref.warp); };
    const auto at = std::lower_bound(steps_.warps.begin(), steps_.warps.end(), warp,
                                     [&](const WarpRef& a, const WarpRef& b) { return order(a) < order(b); });
    return static_cast<std::size_t>(at - steps_.warps.begin());
}

void Follower::play(const Step& step, WarpStep& warp) {
    place_ = place_of(warp.warp);
    LaneValues& held = present_[place_];
    for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane)
        warp.lanes[lane].inputs_before = warp.lanes[lane].inputs_after = held.inputs[lane];
    const std::size_t number = warp.records.front();
    const Record& record = trace_.records[number];
    each(record, [&](std::size_t lane) {
        if (course(lane).come_to(record.line, text_, inputs_, held.inputs[lane])) forget(lane);
    });
    if (step.kind == StepKind::load)
        each(record, [&](std::size_t lane) { exchanged_[place_] &= ~(std::uint32_t{1} << lane); });
    switch (step.kind) {
        case StepKind::shuffle:
        case StepKind::reduce: exchange(number, warp); break;
        case StepKind::load: load(number, warp); break;
        case StepKind::store: store(warp); break;
        case StepKind::atomic: atomic(record, warp); break;
        case StepKind::vote:
        case StepKind::active_mask:
        case StepKind::block_barrier: answer(record, warp); break;
        case StepKind::warp_barrier:
        case StepKind::fence:
            each(record, [&](std::size_t lane) { warp.lanes[lane].active = true; });
            break;
    }
    for (const std::size_t done : warp.records)
        each(trace_.records[done], [&](std::size_t lane) { leave(lane, trace_.records[done]); });
    for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane) warp.lanes[lane].inputs_after = held.inputs[lane];
}

std::size_t Follower::next_of(std::size_t number, std::size_t lane) const {
    std::size_t i = following_[number];
    while (i != kNone && !takes_part(trace_.records[i], lane)) i = following_[i];
    return i;
}

Follower::Offer Follower::next_offer(std::size_t number, std::size_t lane) const {
    for (std::size_t i = next_of(number, lane); i != kNone; i = next_of(i, lane)) {
        const Record& record = trace_.records[i];
        if (trace::is_exchange(record.op)) return {record.before[lane], &record};
        if (record.op == Op::load || record.op == Op::store || trace::is_atomic(record.op)) return {};
    }
    return {};
}

void Follower::leave(std::size_t lane, const Record& record) {
    course(lane).leave(record.line, record.op == Op::load, text_);
    const Statement* statement = statements_.at(record.line, false);
    if (!trace::is_exchange(record.op) || !TextFlow::is_known(statement)) return;
    if (!(statement->function == text_.function_at(record.line))) return;
    course(lane).taken(*statement) = held().inputs[lane];
    course(lane).hold_by(statement);
}

const Pending* Follower::pending(std::size_t lane, int line, bool to_memory) {
    const Pending& reads = pending_[place_][lane];
    return reads.line >= 0 && statements_.same(reads.line, line, to_memory) ? &reads : nullptr;
}

void Follower::remember(std::size_t lane, const Record& record, std::uint32_t inputs) {
    Pending& reads = pending_[place_][lane];
    const bool same = reads.line >= 0 && (statements_.same(reads.line, record.line, true) ||
                                          statements_.same(reads.line, record.line, false));
    if (!same) reads.words.clear();
    reads.line = record.line;
    reads.words.push_back({record.array, record.element_index[lane], inputs});
}

std::uint32_t Follower::operand(std::size_t lane, int line) {
    const Pending* reads = pending(lane, line, false);
    if (reads == nullptr) return held().inputs[lane];
    std::uint32_t all = Provenances::kNothing;
    for (const Pending::Word& word : reads->words) all = inputs_.join(all, word.inputs);
    return all;
}

void Follower::exchange(std::size_t number, WarpStep& warp) {
    const Record& record = trace_.records[number];
    trace::PerLane<std::uint32_t> offered{};
    std::uint32_t all = Provenances::kNothing;
    each(record, [&](std::size_t lane) {
        if (offers_another(record, lane)) held().inputs[lane] = inputs_.unknown(Provenances::kNothing);
        hold(record, lane, record.before[lane]);
        offered[lane] = operand(lane, record.line);
        if (trace::is_reduce(record.op)) all = inputs_.join(all, offered[lane]);
        held().inputs[lane] = offered[lane];
        warp.lanes[lane].inputs_before = offered[lane];
    });
    each(record, [&](std::size_t lane) {
        LaneView& view = warp.lanes[lane];
        view.active = true;
        view.before = record.before[lane];
        view.received = record.received[lane];
        view.has_received = true;
        view.has_after = record.has_after >> lane & 1;
        view.after = view.has_after ? record.after[lane] : 0;
        view.undefined = record.undefined >> lane & 1;
        view.effect = effect_of(record, lane);
        std::uint32_t received = all;
        if (trace::is_shuffle(record.op)) {
            const int source = record.source[lane];
            view.source = source;
            view.undefined = view.undefined || source < 0 || !takes_part(record, static_cast<std::size_t>(source));
            if (!view.undefined) received = offered[static_cast<std::size_t>(source)];
        }
        if (view.undefined) received = inputs_.undefined(Provenances::kNothing);
        if (view.effect == Effect::keep) received = offered[lane];
        else if (view.effect == Effect::join) received = inputs_.join(offered[lane], received);
        held().inputs[lane] = received;
        forget_reads(lane);
        hold_after(number, lane, view);
        if (!warp.parts.empty()) hold_parts(warp, lane);
    });
    each(record, [&](std::size_t lane) { exchanged_[place_] |= std::uint32_t{1} << lane; });
}

bool Follower::offers_another(const Record& record, std::size_t lane) {
    const bool exchanged = exchanged_[place_] >> lane & 1;
    if (!has_inputs_ || !exchanged || !is_known(lane)) return false;
    return held().type == record.type && held().bits[lane] != record.before[lane];
}

void Follower::hold_parts(const WarpStep& warp, std::size_t lane) {
    const std::size_t count = warp.records.size() - 1;
    const std::uint32_t bit = std::uint32_t{1} << lane;
    if (held().more.size() < count) held().more.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
        const Record& record = trace_.records[warp.records[k + 1]];
        LaneValues::Part& part = held().more[k];
        if (part.type != record.type) part.known = 0;
        part.type = record.type;
        if (!(held().known & bit) || !(record.has_after & bit)) continue;
        part.bits[lane] = record.after[lane];
        part.known |= bit;
    }
}

Effect Follower::effect_of(const Record& record, std::size_t lane) const {
    if (record.effect[lane] != Effect::unknown) return record.effect[lane];
    const Statement* statement = statements_.at(record.line, false);
    return statement != nullptr ? statement->effect : Effect::unknown;
}

void Follower::hold_after(std::size_t number, std::size_t lane, const LaneView& view) {
    const Record& record = trace_.records[number];
    if (view.has_after) return hold(record, lane, view.after);
    if (view.effect == Effect::keep) return;
    const Offer offer = next_offer(number, lane);
    if (offer.record != nullptr && offer.record->type == record.type) hold(record, lane, offer.bits);
    else if (view.effect == Effect::join) forget(lane);
    else hold(record, lane, view.received);
}

void Follower::atomic(const Record& record, WarpStep& warp) {
    each(record, [&](std::size_t lane) {
        LaneView& view = warp.lanes[lane];
        view.active = true;
        view.before = accessed(record, lane);
        view.received = record.received[lane];
        view.has_received = true;
        view.effect = record.op == Op::atomic_exch ? Effect::replace : Effect::join;
        const std::uint32_t given = operand(lane, record.line);
        const bool replaces = record.op == Op::atomic_exch;
        course(lane).forget_reads_aside();
        memory_.write(record, lane, replaces ? given : inputs_.join(memory_.read(record, lane), given));
        forget_reads(lane);
    });
}

void Follower::answer(const Record& record, WarpStep& warp) {
    each(record, [&](std::size_t lane) {
        LaneView& view = warp.lanes[lane];
        const bool compares = trace::is_vote(record.op) && !trace::is_predicate_vote(record.op);
        view.active = true;
        view.before = compares ? record.before[lane] : static_cast<std::uint64_t>(record.arg[lane]);
        view.received = record.received[lane];
        view.has_received = record.op != Op::sync_block;
        view.undefined = record.undefined >> lane & 1;
        if (trace::is_vote(record.op)) forget_reads(lane);
    });
}

void follow(Steps& steps, const Statements& statements, std::string_view text) {
    if (Follower(steps, statements, text).run()) return;
    steps.provenances = Provenances();
    steps.input_count = 0;
    for (Step& step : steps.steps)
        for (WarpStep& warp : step.warps)
            for (LaneView& lane : warp.lanes) lane.inputs_before = lane.inputs_after = 0;
    for (auto& warp : steps.lane_values_of)
        for (auto& from : warp) from.values.inputs.fill(0);
}

}  // namespace lanewise::steps
