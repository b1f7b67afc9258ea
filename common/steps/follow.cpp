#include "common/steps/follow.hpp"

#include <algorithm>

#include "common/steps/lane_course.hpp"
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
        : steps_(steps), trace_(*steps.trace), statements_(statements), memory_(trace_, inputs_), text_(trace_),
          present_(steps.warps.size()), pending_(steps.warps.size()), courses_(steps.warps.size()) {
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
        each(record, [&](std::size_t lane) {
            if (course(lane).come_to(record.line, text_, inputs_, held.inputs[lane])) forget(lane);
        });
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

    // The lane's next record.
    std::size_t next_of(std::size_t number, std::size_t lane) const {
        std::size_t i = following_[number];
        while (i != kNone && !takes_part(trace_.records[i], lane)) i = following_[i];
        return i;
    }

    // The value that the lane offers next, when nothing it loads comes in between. Only what is exchanged is taken for
    // the value held: what is stored or added to memory may have been worked on first.
    struct Offer {
        std::uint64_t bits = 0;
        const Record* record = nullptr;
    };
    Offer next_offer(std::size_t number, std::size_t lane) const {
        for (std::size_t i = next_of(number, lane); i != kNone; i = next_of(i, lane)) {
            const Record& record = trace_.records[i];
            if (trace::is_exchange(record.op)) return {record.before[lane], &record};
            if (record.op == Op::load || record.op == Op::store || trace::is_atomic(record.op)) return {};
        }
        return {};
    }

    LaneCourse& course(std::size_t lane) { return courses_[place_][lane]; }

    // Takes the lane past a record, and notes what the variable that it assigned to has taken in.
    void leave(std::size_t lane, const Record& record) {
        course(lane).leave(record.line, record.op == Op::load, text_);
        const Statement* statement = statements_.at(record.line, false);
        if (trace::is_exchange(record.op) && TextFlow::is_known(statement) &&
            statement->function == text_.function_at(record.line))
            course(lane).taken(*statement) = held().inputs[lane];
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

    // A shuffle or a reduction.
    void exchange(std::size_t number, WarpStep& warp) {
        const Record& record = trace_.records[number];
        trace::PerLane<std::uint32_t> offered{};
        std::uint32_t all = Interner::kNothing;
        each(record, [&](std::size_t lane) {
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
            if (view.undefined) received = inputs_.undefined(Interner::kNothing);
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

    // Will what is read now be joined to the sink's variable before the lane does anything but read on?
    bool reaches(const Statement& sink, std::size_t number, std::size_t lane) const {
        constexpr int kMost = 64;   // reads in a row, of a loop that was unrolled
        int from = trace_.records[number].line;
        for (int k = 0; k < kMost; ++k) {
            number = next_of(number, lane);
            const int to = number == kNone ? 0 : trace_.records[number].line;
            if (text_.passed(sink, from, to)) return true;
            if (number == kNone || trace_.records[number].op != Op::load || !sink.function.has(to)) return false;
            from = to;
        }
        return false;
    }

    // The variable that takes in what is read here beside what it had, and null where the value stands for itself.
    const Statement* joined_by(const Statement* statement, std::size_t number, std::size_t lane) {
        if (statement == nullptr) return nullptr;
        if (statement->effect == Effect::join) return statement;
        const Statement* sink = TextFlow::is_known(statement) ? text_.sink(*statement) : nullptr;
        if (sink == nullptr || reaches(*sink, number, lane)) return sink;
        course(lane).owe(*sink);
        return nullptr;
    }

    // The statement that a read belongs to. `v[k] = in[i];` with a v of its own registers assigns to a variable.
    const Statement* statement_of_read(std::size_t number, std::size_t lane) const {
        const int line = trace_.records[number].line;
        if (const Statement* statement = statements_.at(line, false)) return statement;
        const Statement* statement = statements_.at(line, true);
        if (!TextFlow::is_known(statement)) return nullptr;
        for (std::size_t i = next_of(number, lane); i != kNone; i = next_of(i, lane)) {
            if (trace_.records[i].op == Op::load && statements_.same(trace_.records[i].line, line, true)) continue;
            const bool stores = trace_.records[i].op == Op::store && statements_.same(trace_.records[i].line, line, true);
            return stores ? nullptr : statement;
        }
        return statement;
    }

    void load(std::size_t number, WarpStep& warp) {
        const Record& record = trace_.records[number];
        const Statement* assigned = statements_.at(record.line, false);
        for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane) {
            if (!takes_part(record, lane)) {
                if (assigned == nullptr) continue;
                if (assigned->conditional) assigned_without_load(number, lane, *assigned);
                else if (!TextFlow::is_known(assigned)) guessed_without_load(number, lane, *assigned);
                continue;
            }
            read(number, lane, warp.lanes[lane]);
        }
    }

    void read(std::size_t number, std::size_t lane, LaneView& view) {
        const Record& record = trace_.records[number];
        const Statement* statement = statement_of_read(number, lane);
        const Statement* sum = joined_by(statement, number, lane);
        const bool more = course(lane).reads_on(statement);
        view.active = true;
        view.before = is_known(lane) ? held().bits[lane] : 0;
        view.received = accessed(record, lane);
        view.has_received = true;
        view.effect = sum != nullptr || more ? Effect::join : Effect::replace;
        const std::uint32_t word = memory_.read(record, lane);
        remember(lane, record, word);
        if (TextFlow::is_known(sum)) {
            const bool given = !course(lane).has_taken(*sum) && !text_.is_assigned(*sum);
            std::uint32_t& own = course(lane).taken(*sum);
            own = inputs_.join(given ? held().inputs[lane] : own, word);
            held().inputs[lane] = own;
        } else {
            held().inputs[lane] = sum != nullptr || more ? inputs_.join(held().inputs[lane], word) : word;
            if (TextFlow::is_known(statement)) course(lane).taken(*statement) = held().inputs[lane];
        }
        // What was read is what the lane has only where the text says so; else the next record that holds the value.
        const bool copies = sum == nullptr && record.elements == 1 && (!TextFlow::is_known(statement) || statement->copies);
        if (copies) hold(record, lane, view.received);
        else hold_offer(number, lane, sum);
        view.has_after = is_known(lane);
        view.after = view.has_after ? held().bits[lane] : 0;
    }

    // Files of minor version 0 do not say which statements are conditional. There, that a lane next offers a value that it
    // was not known to hold shows that it was assigned to.
    void guessed_without_load(std::size_t number, std::size_t lane, const Statement& statement) {
        const Record& record = trace_.records[number];
        const Offer offer = next_offer(number, lane);
        if (statement.effect == Effect::join || offer.record == nullptr || offer.record->type != record.type) return;
        if (is_known(lane) && held().type == record.type && held().bits[lane] == offer.bits) return;
        hold(record, lane, offer.bits);
        held().inputs[lane] = Interner::kNothing;
    }

    // The value that the lane is next seen to offer; unknown where no record shows it, or where the variable that was
    // joined to is worked on before.
    void hold_offer(std::size_t number, std::size_t lane, const Statement* sum) {
        const Record& record = trace_.records[number];
        const Offer offer = next_offer(number, lane);
        const bool changed = offer.record != nullptr && TextFlow::is_known(sum) &&
                             text_.changed_between(*sum, record.line, offer.record->line);
        if (changed) forget(lane);
        else if (offer.record != nullptr && offer.record->type == record.type) hold(record, lane, offer.bits);
        else forget(lane);
    }

    // `value = t < n ? in[t] : 0` assigns on lanes that load nothing too. Of a lane that is told apart by an `if` around
    // the statement, its next record tells whether it came there.
    void assigned_without_load(std::size_t number, std::size_t lane, const Statement& statement) {
        const std::size_t next = next_of(number, lane);
        if (next == kNone) return;   // it has nothing more to do, or never was
        const int line = trace_.records[next].line;
        const bool elsewhere = statement.branch.last != 0 && statement.function.has(line) && !statement.branch.has(line);
        if (elsewhere) return;
        if (statement.effect != Effect::join) {
            held().inputs[lane] = Interner::kNothing;
            if (TextFlow::is_known(&statement)) course(lane).taken(statement) = Interner::kNothing;
        }
        hold_offer(number, lane, nullptr);
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

    // Votes, matches, active masks and barriers: an answer comes back, what a lane holds stays.
    void answer(const Record& record, WarpStep& warp) {
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

    Steps& steps_;
    const trace::Trace& trace_;
    const Statements& statements_;
    Interner inputs_;
    Memory memory_;
    TextFlow text_;
    std::vector<Holding> present_;
    std::vector<trace::PerLane<Pending>> pending_;
    std::vector<trace::PerLane<LaneCourse>> courses_;
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
