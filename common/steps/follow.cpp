#include "common/steps/follow.hpp"

#include <algorithm>

#include "common/steps/memory.hpp"
#include "common/steps/update.hpp"

namespace lanewise::steps {
namespace {

using trace::Effect;
using trace::Op;
using trace::Record;
using trace::Statement;

// What a lane read in the statement that it is in.
struct Pending {
    int line = -1;
    std::uint32_t array = 0;
    struct Word {
        std::uint32_t array;
        std::int64_t element;
        std::uint32_t inputs;
    };
    std::vector<Word> words;
};

class Follower {
public:
    Follower(Steps& steps, const Statements& statements)
        : steps_(steps), trace_(*steps.trace), statements_(statements), memory_(trace_, inputs_),
          present_(steps.warps.size()), pending_(steps.warps.size()) {
        following_.resize(trace_.records.size(), kNone);
        std::vector<std::size_t> last(steps.warps.size(), kNone);
        for (std::size_t i = trace_.records.size(); i-- > 0;) {
            const Record& record = trace_.records[i];
            std::size_t& later = last[place_of({record.launch, record.block, record.warp})];
            following_[i] = later;
            later = i;
        }
    }

    // False when there are too many sets of inputs to keep.
    bool run() {
        steps_.holdings.assign(1, present_);
        for (Step& step : steps_.steps) {
            for (WarpStep& warp : step.warps) play(step, warp);
            steps_.holdings.push_back(present_);
        }
        steps_.input_count = memory_.input_count();
        const bool kept = !inputs_.over_budget();
        steps_.provenances = inputs_.take();
        return kept;
    }

private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    std::size_t place_of(const WarpRef& warp) const {
        const auto order = [](const WarpRef& ref) { return std::tuple(ref.launch, ref.block, ref.warp); };
        const auto at = std::lower_bound(steps_.warps.begin(), steps_.warps.end(), warp,
                                         [&](const WarpRef& a, const WarpRef& b) { return order(a) < order(b); });
        return static_cast<std::size_t>(at - steps_.warps.begin());
    }

    void play(const Step& step, WarpStep& warp) {
        place_ = place_of(warp.warp);
        Holding& held = present_[place_];
        for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane)
            warp.lanes[lane].inputs_before = warp.lanes[lane].inputs_after = held.inputs[lane];
        const std::size_t number = warp.records.front();
        const Record& record = trace_.records[number];
        switch (step.kind) {
            case StepKind::shuffle: shuffle(number, warp); break;
            case StepKind::load: load(number, warp); break;
            case StepKind::store: store(warp); break;
            case StepKind::atomic: atomic(record, warp); break;
            case StepKind::vote: vote(record, warp); break;
            case StepKind::warp_barrier:
            case StepKind::block_barrier:
                each(record, [&](std::size_t lane) { warp.lanes[lane].active = true; });
                break;
        }
        for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane) warp.lanes[lane].inputs_after = held.inputs[lane];
    }

    template <class F>
    static void each(const Record& record, F act) {
        for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane)
            if (takes_part(record, lane)) act(lane);
    }

    Holding& held() { return present_[place_]; }

    bool is_known(std::size_t lane) { return held().known >> lane & 1; }

    void hold(const Record& record, std::size_t lane, std::uint64_t bits) {
        if (held().type != record.type) {
            held().type = record.type;
            held().known = 0;   // of another type: not what these lanes hold now
        }
        held().bits[lane] = bits;
        held().known |= std::uint32_t{1} << lane;
    }

    void forget(std::size_t lane) { held().known &= ~(std::uint32_t{1} << lane); }

    // The value that the lane offers next, when nothing it loads comes in between.
    struct Offer {
        std::uint64_t bits = 0;
        const Record* record = nullptr;
    };
    Offer next_offer(std::size_t number, std::size_t lane) const {
        for (std::size_t i = following_[number]; i != kNone; i = following_[i]) {
            const Record& record = trace_.records[i];
            if (!takes_part(record, lane)) continue;
            if (trace::is_shuffle(record.op)) return {record.before[lane], &record};
            if (record.op == Op::load) return {};
            if (record.op == Op::store || trace::is_atomic(record.op)) return {accessed(record, lane), &record};
        }
        return {};
    }

    // What a lane read just before in the statement of `line`.
    const Pending* pending(std::size_t lane, int line, bool to_memory) {
        const Pending& reads = pending_[place_][lane];
        return reads.line >= 0 && statements_.same(reads.line, line, to_memory) ? &reads : nullptr;
    }

    void remember(std::size_t lane, const Record& record, std::uint32_t inputs) {
        Pending& reads = pending_[place_][lane];
        const bool same = reads.line >= 0 && (statements_.same(reads.line, record.line, true) ||
                                              statements_.same(reads.line, record.line, false));
        if (!same) reads.words.clear();
        reads.line = record.line;
        reads.words.push_back({record.array, record.element_index[lane], inputs});
    }

    void forget_reads(std::size_t lane) { pending_[place_][lane].line = -1; }

    // The inputs of what the lane offers in a statement: what it read there, else what it holds.
    std::uint32_t operand(std::size_t lane, int line) {
        const Pending* reads = pending(lane, line, false);
        if (reads == nullptr) return held().inputs[lane];
        std::uint32_t all = Interner::kNothing;
        for (const Pending::Word& word : reads->words) all = inputs_.join(all, word.inputs);
        return all;
    }

    void shuffle(std::size_t number, WarpStep& warp) {
        const Record& record = trace_.records[number];
        trace::PerLane<std::uint32_t> offered{};
        each(record, [&](std::size_t lane) {
            hold(record, lane, record.before[lane]);
            offered[lane] = operand(lane, record.line);
            held().inputs[lane] = offered[lane];
            warp.lanes[lane].inputs_before = offered[lane];
        });
        each(record, [&](std::size_t lane) {
            LaneView& view = warp.lanes[lane];
            const int source = record.source[lane];
            view.active = true;
            view.source = source;
            view.before = record.before[lane];
            view.received = record.received[lane];
            view.has_received = true;
            view.has_after = record.has_after >> lane & 1;
            view.after = view.has_after ? record.after[lane] : 0;
            view.undefined = (record.undefined >> lane & 1) || source < 0 ||
                             !takes_part(record, static_cast<std::size_t>(source));
            view.effect = effect_of(record, lane);
            std::uint32_t received = view.undefined ? inputs_.undefined(Interner::kNothing)
                                                    : offered[static_cast<std::size_t>(source)];
            if (view.effect == Effect::keep) received = offered[lane];
            else if (view.effect == Effect::join) received = inputs_.join(offered[lane], received);
            held().inputs[lane] = received;
            forget_reads(lane);
            hold_after(number, lane, view);
        });
    }

    // The record's, else from the statement's text; a value that goes nowhere else is what the lane now has.
    Effect effect_of(const Record& record, std::size_t lane) const {
        if (record.effect[lane] != Effect::unknown) return record.effect[lane];
        const Statement* statement = statements_.at(record.line, false);
        return statement != nullptr ? statement->effect : Effect::unknown;
    }

    void hold_after(std::size_t number, std::size_t lane, const LaneView& view) {
        const Record& record = trace_.records[number];
        if (view.has_after) return hold(record, lane, view.after);
        if (view.effect == Effect::keep) return;
        const Offer offer = next_offer(number, lane);
        if (offer.record != nullptr && offer.record->type == record.type) hold(record, lane, offer.bits);
        else if (view.effect == Effect::join) forget(lane);
        else hold(record, lane, view.received);
    }

    void load(std::size_t number, WarpStep& warp) {
        const Record& record = trace_.records[number];
        const Statement* statement = statements_.at(record.line, false);
        const bool joins = statement != nullptr && statement->effect == Effect::join;
        for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane) {
            if (!takes_part(record, lane)) {
                if (statement != nullptr && !joins) replaced_without_load(number, lane);
                continue;
            }
            LaneView& view = warp.lanes[lane];
            view.active = true;
            view.before = is_known(lane) ? held().bits[lane] : 0;
            view.received = accessed(record, lane);
            view.has_received = true;
            view.effect = joins ? Effect::join : Effect::replace;
            const std::uint32_t word = memory_.read(record, lane);
            remember(lane, record, word);
            held().inputs[lane] = joins ? inputs_.join(held().inputs[lane], word) : word;
            const Offer offer = next_offer(number, lane);
            // The next record that holds the sum tells it; what was read alone is not what the lane has.
            if (!joins && record.elements == 1) hold(record, lane, view.received);
            else if (offer.record != nullptr && offer.record->type == record.type) hold(record, lane, offer.bits);
            else forget(lane);
            view.has_after = is_known(lane);
            view.after = view.has_after ? held().bits[lane] : 0;
        }
    }

    // `value = t < n ? in[t] : 0` assigns on lanes that load nothing. That such a lane next offers a value that it was
    // not known to hold shows that it was assigned to; it then holds no input.
    void replaced_without_load(std::size_t number, std::size_t lane) {
        const Record& record = trace_.records[number];
        const Offer offer = next_offer(number, lane);
        if (offer.record == nullptr || !trace::is_shuffle(offer.record->op) || offer.record->type != record.type) return;
        if (is_known(lane) && held().type == record.type && held().bits[lane] == offer.bits) return;
        hold(record, lane, offer.bits);
        held().inputs[lane] = Interner::kNothing;
    }

    // A plain store, or loads and a store of one statement.
    void store(WarpStep& warp) {
        for (const std::size_t number : warp.records) {
            const Record& record = trace_.records[number];
            if (record.op == Op::load)
                each(record, [&](std::size_t lane) { read_in_update(record, lane, warp.lanes[lane]); });
            else
                each(record, [&](std::size_t lane) { write(record, lane, warp); });
        }
    }

    void read_in_update(const Record& record, std::size_t lane, LaneView& view) {
        view.active = true;
        view.received = accessed(record, lane);
        view.has_received = true;
        remember(lane, record, memory_.read(record, lane));
    }

    void write(const Record& record, std::size_t lane, WarpStep& warp) {
        LaneView& view = warp.lanes[lane];
        const bool is_update = warp.records.size() > 1;
        const std::uint64_t written = accessed(record, lane);
        const Statement* statement = statements_.at(record.line, true);
        const bool joins = statement != nullptr && statement->effect == Effect::join;
        const Pending* reads = pending(lane, record.line, true);
        std::uint32_t stored = held().inputs[lane];
        if (reads != nullptr) {
            stored = Interner::kNothing;
            bool only_own = true;
            for (const Pending::Word& word : reads->words) {
                stored = inputs_.join(stored, word.inputs);
                only_own = only_own && word.array == record.array && word.element == record.element_index[lane];
            }
            // `sums[w] += value`: what came to the word is what the lane held.
            if (joins && only_own) stored = inputs_.join(stored, held().inputs[lane]);
        }
        memory_.write(record, lane, stored);
        view.active = true;
        view.before = written;
        view.effect = joins ? Effect::join : Effect::replace;
        if (is_update) {
            const Update update = update_of(trace_, warp, lane);
            if (update.own != nullptr) view.before = accessed(*update.own, lane);
            if (update.other != nullptr) view.received = accessed(*update.other, lane);
        }
        view.after = written;
        view.has_after = true;
        if (reads != nullptr || !is_known(lane)) hold(record, lane, written);
        if (reads != nullptr) held().inputs[lane] = stored;
        forget_reads(lane);
    }

    void atomic(const Record& record, WarpStep& warp) {
        each(record, [&](std::size_t lane) {
            LaneView& view = warp.lanes[lane];
            view.active = true;
            view.before = accessed(record, lane);
            view.received = record.received[lane];
            view.has_received = true;
            view.effect = record.op == Op::atomic_exch ? Effect::replace : Effect::join;
            const std::uint32_t given = operand(lane, record.line);
            const bool replaces = record.op == Op::atomic_exch;
            memory_.write(record, lane, replaces ? given : inputs_.join(memory_.read(record, lane), given));
            forget_reads(lane);
        });
    }

    void vote(const Record& record, WarpStep& warp) {
        each(record, [&](std::size_t lane) {
            LaneView& view = warp.lanes[lane];
            view.active = true;
            view.before = static_cast<std::uint64_t>(record.arg[lane]);
            view.received = record.received[lane];
            view.has_received = true;
            view.undefined = record.undefined >> lane & 1;
            forget_reads(lane);
        });
    }

    Steps& steps_;
    const trace::Trace& trace_;
    const Statements& statements_;
    Interner inputs_;
    Memory memory_;
    std::vector<Holding> present_;
    std::vector<trace::PerLane<Pending>> pending_;
    std::vector<std::size_t> following_;   // the next record of the same warp
    std::size_t place_ = 0;                // of the warp that is played
};

}  // namespace

void follow(Steps& steps, const Statements& statements) {
    if (Follower(steps, statements).run()) return;
    steps.provenances.assign(1, Provenance());
    steps.input_count = 0;
    for (Step& step : steps.steps)
        for (WarpStep& warp : step.warps)
            for (LaneView& lane : warp.lanes) lane.inputs_before = lane.inputs_after = 0;
    for (std::vector<Holding>& warps : steps.holdings)
        for (Holding& holding : warps) holding.inputs.fill(0);
}

}  // namespace lanewise::steps
