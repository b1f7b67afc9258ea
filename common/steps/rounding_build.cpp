#include "common/steps/rounding.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "common/steps/memory.hpp"
#include "common/steps/rounding_orders.hpp"
#include "common/steps/rounding_tree.hpp"
#include "common/steps/update.hpp"

namespace lanewise::steps {
namespace {

using trace::Effect;
using trace::Op;
using trace::Record;

constexpr std::size_t kMostSums = 200'000;   // each with an exact value of 300 bytes
constexpr int kMostBytes = sizeof(trace::Bytes16);

// What the whole trace says of its lines: a first walk gathers it, a second relies on it.
struct Evidence {
    std::map<int, bool> adds;   // line: every value that came of a join there is the sum of its two parts
    // A run of reads, by the line of its last and the format of its sum: the orders that give every recorded value.
    std::map<std::pair<int, Element>, std::uint32_t> orders;
};

// What a lane read since its value was last known.
struct Run {
    bool open = false;
    bool told = true;
    Found start;
    int line = 0;
    std::vector<Read> reads;
};

class Builder {
public:
    Builder(const Steps& steps, RoundingLens& lens, Evidence& evidence, bool gathers)
        : steps_(steps), trace_(*steps.trace), lens_(lens), evidence_(evidence), gathers_(gathers),
          tree_(steps, lens), words_(trace_), latest_(steps.warps.size()), runs_(steps.warps.size()) {
        for (auto& lanes : latest_) lanes.fill(Sum::kNone);
    }

    // False where there is too much to keep.
    bool build() {
        for (std::size_t k = 0; k < steps_.size(); ++k) {
            tree_.at_step(step_ = k);
            const Step& step = steps_.steps[k];
            if (step.kind == StepKind::atomic) atomics(step);
            for (const WarpStep& warp : step.warps) {
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

private:
    struct Word {
        Found sum;
        Element type = Element::f32;
        std::uint64_t bits = 0;
        std::uint32_t array = 0;
        std::int64_t element = 0;
        bool touched = false;
    };

    std::size_t place_of(const WarpRef& warp) const {
        return static_cast<std::size_t>(std::find(steps_.warps.begin(), steps_.warps.end(), warp) -
                                        steps_.warps.begin());
    }

    // Nothing but zeros came together: no sum.
    void set(std::size_t warp, std::size_t lane, std::size_t step, std::int32_t sum) {
        if (sum == Sum::kNone) return;
        latest_[warp][lane] = sum;
        auto [at, added] = places_.try_emplace({step, warp}, trace::PerLane<std::int32_t>{});
        if (added) at->second.fill(Sum::kNone);
        at->second[lane] = sum;
    }

    template <class F>
    void each(const Record& record, F act) const {
        for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane)
            if (takes_part(record, lane)) act(lane);
    }

    // Does this line add, as far as all its records tell?
    bool line_adds(int line, bool here) {
        bool& adds = evidence_.adds.try_emplace(line, true).first->second;
        if (gathers_) adds = adds && here;
        return adds && here;
    }

    Sum sum_here(std::size_t lane, Element type, std::uint64_t bits, std::uint32_t inputs) {
        Sum sum;
        sum.type = type;
        sum.warp = steps_.warps[place_];
        sum.lane = static_cast<int>(lane);
        sum.bits = bits;
        sum.inputs = inputs;
        sum.step = step_;
        return sum;
    }

    void shuffles(const WarpStep& warp) {
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
                ++lens_.untold;
                return;
            }
            const bool adds = !view.undefined && view.has_after &&
                              same_value(record.type, sum_bits(record.type, view.before, view.received), view.after);
            if (!line_adds(record.line, adds || !view.has_after || view.undefined) || !adds || !offered[lane] ||
                !offered[source]) {
                ++lens_.untold;
                return;
            }
            set(place_, lane, step_,
                tree_.join(sum_here(lane, record.type, view.after, view.inputs_after), offered[lane], offered[source]));
        });
    }

    void reductions(const WarpStep& warp) {
        const Record& record = trace_.records[warp.records.front()];
        if (record.op != Op::reduce_add) return;
        ExactSum all;
        std::uint64_t count = 0;
        bool told = true;
        trace::PerLane<Found> offered{};
        std::uint32_t additions = 0;
        each(record, [&](std::size_t lane) {
            const LaneView& view = warp.lanes[lane];
            settle(lane, record.type, view.before, view.inputs_before);
            offered[lane] = tree_.find(latest_[place_][lane], view.inputs_before, record.type, view.before);
            told = told && offered[lane].has_value();
            if (!offered[lane] || *offered[lane] == Sum::kNone) return;
            const Sum& from = lens_.sums[static_cast<std::size_t>(*offered[lane])];
            all.add(lens_.exact[static_cast<std::size_t>(*offered[lane])]);
            count += from.count;
            additions = std::max(additions, from.additions + 1);
        });
        each(record, [&](std::size_t lane) {
            const LaneView& view = warp.lanes[lane];
            const bool joins = view.effect == Effect::join;
            if (!told || view.undefined || (joins && !view.has_after)) {
                ++lens_.untold;
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
                exact.add(lens_.exact[static_cast<std::size_t>(sum.own)]);
                sum.count += lens_.sums[static_cast<std::size_t>(sum.own)].count;
            }
            const std::int32_t place = tree_.keep(sum, exact);
            set(place_, lane, step_, place);
        });
    }

    // --- memory ------------------------------------------------------------------------------------------------------

    // What a word holds: what was stored there, else the input.
    Found word_of(const Record& record, std::int64_t element, std::uint64_t bits) {
        const auto word = held_.find(words_.key(record, element));
        if (word != held_.end())
            return word->second.sum && same_value(record.type, word->second.bits, bits) ? word->second.sum
                                                                                        : std::nullopt;
        if (const Found sum = tree_.input(record.array, element))
            return tree_.holds(*sum, record.type, bits) ? sum : std::nullopt;
        return element_to_double(record.type, bits) == 0 ? Found(Sum::kNone) : std::nullopt;
    }

    void write_word(const Record& record, std::size_t lane, std::uint64_t bits, Found sum) {
        const std::int64_t element = record.element_index[lane];
        for (int e = 1; e < record.elements; ++e)
            held_[words_.key(record, element + e)].sum = std::nullopt;  // a pack: not followed
        if (record.elements > 1) sum = std::nullopt;
        held_[words_.key(record, element)] = {sum, record.type, bits, record.array, element, true};
    }

    void loads(const WarpStep& warp) {
        const Record& record = trace_.records[warp.records.front()];
        each(record, [&](std::size_t lane) {
            const LaneView& view = warp.lanes[lane];
            Run& run = runs_[place_][lane];
            if (!run.open || view.effect == Effect::replace) {
                run = {};
                run.open = true;
                if (view.effect == Effect::replace || view.inputs_before == kUnknownInputs) {
                    run.start = Sum::kNone;
                } else {
                    // What it added to before: the sum of just those inputs.
                    const std::int32_t own = latest_[place_][lane];
                    const bool same =
                        own != Sum::kNone && lens_.sums[static_cast<std::size_t>(own)].inputs == view.inputs_before;
                    run.start = same ? Found(own) : tree_.single(view.inputs_before);
                }
            }
            run.told = run.told && (view.effect == Effect::replace || view.effect == Effect::join) &&
                       record.elements * element_size(record.type) <= kMostBytes;
            run.line = record.line;
            Read read{step_, view.inputs_after, record.type, {}, {}};
            for (int e = 0; run.told && e < record.elements; ++e) {
                const std::uint64_t bits = trace::element_at(record.value[lane], record.type, e);
                const Found sum = word_of(record, record.element_index[lane] + e, bits);
                run.told = sum.has_value();
                if (!run.told) break;
                if (*sum == Sum::kNone) continue;   // a zero that holds no input
                read.elements.push_back(bits);
                read.sums.push_back(*sum);
            }
            if (!read.elements.empty()) run.reads.push_back(std::move(read));
            if (view.has_after) settle(lane, steps_.holding(step_, warp.warp).type, view.after, view.inputs_after);
        });
    }

    // The lane's value is known again: what was read must have come to it in one of the orders.
    void settle(std::size_t lane, Element type, std::uint64_t bits, std::uint32_t inputs) {
        Run& run = runs_[place_][lane];
        if (!run.open) return;
        const Run done = std::move(run);
        run = {};
        if (done.reads.empty() || done.reads.back().inputs != inputs) return;
        std::size_t words = 0;
        for (const Read& read : done.reads) words += read.elements.size();
        const bool plain = done.start && *done.start == Sum::kNone;
        if (words == 1 && plain) return;   // a copy: no addition
        if (!done.told || !done.start) {
            lens_.untold += words;
            return;
        }
        const std::uint64_t start =
            *done.start == Sum::kNone ? element_from_double(type, 0.0) : start_bits(*done.start, type);
        std::uint32_t& told = evidence_.orders.try_emplace({done.line, type}, (1u << kOrders) - 1).first->second;
        std::uint32_t fits = 0;
        std::vector<Replayed> chosen;
        for (int order = 0; order < kOrders; ++order) {
            if (!gathers_ && !(told >> order & 1u)) continue;
            auto additions = replay(static_cast<Order>(order), type, start, plain, done.reads);
            if (additions.empty() ||
                !same_value(type, converted(additions.back().type, additions.back().bits, type), bits))
                continue;
            fits |= 1u << order;
            if (chosen.empty()) chosen = std::move(additions);
        }
        // Orders that read one word at a time are alike: they tell nothing of the others.
        if (gathers_) told &= fits;
        if (chosen.empty()) {
            lens_.untold += words;
            return;
        }
        add_replay(lane, done, chosen);
    }

    std::uint64_t start_bits(std::int32_t sum, Element type) const {
        const Sum& found = lens_.sums[static_cast<std::size_t>(sum)];
        return converted(found.type, found.bits, type);
    }

    void add_replay(std::size_t lane, const Run& run, const std::vector<Replayed>& additions) {
        std::vector<std::int32_t> words, made;
        for (const Read& read : run.reads) words.insert(words.end(), read.sums.begin(), read.sums.end());
        const auto part = [&](std::int32_t place) {
            if (place >= 0) return made[static_cast<std::size_t>(place)];
            return place == Replayed::kStart ? *run.start : words[static_cast<std::size_t>(Replayed::kElement - place)];
        };
        for (std::size_t i = 0; i < additions.size(); ++i) {
            const Replayed& addition = additions[i];
            const Read& read = run.reads[addition.read];
            Sum sum = sum_here(lane, addition.type, addition.bits, addition.ends_read ? read.inputs : kUnknownInputs);
            sum.step = read.step;
            sum.recorded = i + 1 == additions.size();
            made.push_back(tree_.join(sum, part(addition.own), part(addition.other)));
            if (addition.ends_read) set(place_, lane, read.step, made.back());
        }
    }

    void stores(const WarpStep& warp) {
        for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane) {
            const Update update = update_of(trace_, warp, lane);
            if (update.store == nullptr) continue;
            const Record& record = *update.store;
            const LaneView& view = warp.lanes[lane];
            const std::uint64_t bits = accessed(record, lane);
            if (warp.records.size() == 1) {
                settle(lane, record.type, bits, view.inputs_after);
                write_word(record, lane, bits, tree_.find(latest_[place_][lane], view.inputs_after, record.type, bits));
                continue;
            }
            if (update.own == nullptr && update.other == nullptr) {
                write_word(record, lane, bits, std::nullopt);
                continue;
            }
            // `tree[t] = in[t]`, `tree[t] += tree[t + offset]`, `sums[w] += value`.
            const Found other =
                update.other ? word_of(*update.other, update.other->element_index[lane], accessed(*update.other, lane))
                             : std::nullopt;
            if (view.effect != Effect::join) {
                const bool copies =
                    update.own == nullptr && other &&
                    same_value(record.type, converted(update.other->type, accessed(*update.other, lane), record.type),
                               bits);
                write_word(record, lane, bits, copies ? other : std::nullopt);
                continue;
            }
            Found own = update.own ? word_of(*update.own, update.own->element_index[lane], accessed(*update.own, lane))
                                   : std::nullopt;
            const bool adds =
                update.own && update.other &&
                same_value(record.type,
                           sum_bits(record.type, accessed(*update.own, lane),
                                    converted(update.other->type, accessed(*update.other, lane), record.type)),
                           bits);
            if (!line_adds(record.line, adds) || !own || !other) {
                ++lens_.untold;
                write_word(record, lane, bits, std::nullopt);
                continue;
            }
            const std::int32_t sum = tree_.join(sum_here(lane, record.type, bits, view.inputs_after), own, other);
            set(place_, lane, step_, sum);
            write_word(record, lane, bits, sum);
        }
    }

    // All of one step: what each found tells in which order they came.
    void atomics(const Step& step) {
        struct Give {
            std::size_t place, lane;
            const WarpStep* warp;
            const Record* record;
        };
        std::vector<Give> gives;
        for (const WarpStep& warp : step.warps) {
            const Record& record = trace_.records[warp.records.front()];
            const std::size_t place = place_of(warp.warp);
            each(record, [&](std::size_t lane) { gives.push_back({place, lane, &warp, &record}); });
        }
        const std::size_t all = gives.size();
        constexpr std::size_t kMostInOrder = 4096;
        for (std::size_t done = 0; done < all; ++done) {
            // The first that found what its word holds; else the first.
            std::size_t next = done;
            for (std::size_t i = done; all <= kMostInOrder && i < all; ++i) {
                const Give& give = gives[i];
                if (!word_of(*give.record, give.record->element_index[give.lane], give.record->received[give.lane]))
                    continue;
                next = i;
                break;
            }
            std::rotate(gives.begin() + static_cast<std::ptrdiff_t>(done),
                        gives.begin() + static_cast<std::ptrdiff_t>(next),
                        gives.begin() + static_cast<std::ptrdiff_t>(next) + 1);
            const Give give = gives[done];
            place_ = give.place;
            atomic(*give.record, *give.warp, give.lane);
        }
    }

    void atomic(const Record& record, const WarpStep& warp, std::size_t lane) {
        const LaneView& view = warp.lanes[lane];
        const std::uint64_t gave = accessed(record, lane), found_bits = record.received[lane];
        settle(lane, record.type, gave, view.inputs_before);
        Word& word = held_[words_.key(record, record.element_index[lane])];
        Found own;
        if (!word.touched && element_to_double(record.type, found_bits) == 0) own = Sum::kNone;
        else if (word.touched && same_value(record.type, word.bits, found_bits)) own = word.sum;
        const Found other = record.op == Op::atomic_add && record.elements == 1
                                ? tree_.find(latest_[place_][lane], view.inputs_before, record.type, gave)
                                : std::nullopt;
        if (own && *own != Sum::kNone) lens_.sums[static_cast<std::size_t>(*own)].recorded = true;  // the next found it
        const std::uint64_t bits = sum_bits(record.type, found_bits, gave);
        Found sum;
        if (own && other) {
            Sum here = sum_here(lane, record.type, bits, kUnknownInputs);
            here.kind = Sum::Kind::atomic;
            here.recorded = false;
            sum = tree_.join(here, own, other);
            set(place_, lane, step_, *sum);
        } else if (record.op == Op::atomic_add) {
            ++lens_.untold;
        }
        word = {sum, record.type, bits, record.array, record.element_index[lane], true};
    }

    // What an output holds in the end was left by the last atomic.
    void confirm(const Word& word) {
        if (!word.sum || *word.sum == Sum::kNone || word.array >= trace_.arrays.size()) return;
        for (const trace::Output& output : trace_.outputs) {
            const auto place = static_cast<std::size_t>(word.element);
            const bool same = output.name == trace_.arrays[word.array].name && place < output.values.size() &&
                              same_value(word.type, output.values[place], word.bits);
            if (same) lens_.sums[static_cast<std::size_t>(*word.sum)].recorded = true;
        }
    }

    const Steps& steps_;
    const trace::Trace& trace_;
    RoundingLens& lens_;
    Evidence& evidence_;
    bool gathers_;
    SumTree tree_;
    Words words_;
    std::unordered_map<std::uint64_t, Word> held_;
    std::vector<trace::PerLane<std::int32_t>> latest_;
    std::vector<trace::PerLane<Run>> runs_;
    std::map<std::pair<std::size_t, std::size_t>, trace::PerLane<std::int32_t>> places_;
    std::size_t step_ = 0, place_ = 0;
};

}  // namespace

RoundingLens build_rounding(const Steps& steps) {
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
        if (Builder(steps, lens, evidence, gathers).build()) continue;
        lens = {};
        lens.why_not = "There are too many additions to tell the exact value of each; give a smaller --n.";
        return lens;
    }
    const bool any =
        std::any_of(lens.sums.begin(), lens.sums.end(), [](const Sum& sum) { return sum.kind != Sum::Kind::input; });
    if (!any) lens.why_not = "Nothing here is known to be a sum of inputs, as far as the records tell.";
    return lens;
}

}  // namespace lanewise::steps
