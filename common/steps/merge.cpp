#include "common/steps/merge.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <tuple>

namespace lanewise::steps {
namespace {

using trace::Op;
using trace::Record;
using trace::Trace;

constexpr std::int64_t kEachItsOwn = std::numeric_limits<std::int64_t>::min();

// What two warps' records must share to be one step, the last being the turn: how often it came before between the
// same barriers.
using Key = std::tuple<Op, int, std::int64_t, int, std::uint32_t, int>;  // op, line, argument, width, array, turn

// The records of one warp that a learner takes in at once.
struct Unit {
    std::vector<std::size_t> records;
    Key key;
    std::vector<std::string> parts = {};   // names, where the records exchange the parts of one value
};

using Interval = std::vector<Unit>;   // of one warp, from one block barrier up to and with the next

std::int64_t uniform_arg(const Record& record) {
    const auto first = static_cast<std::size_t>(std::countr_zero(record.active));
    for (std::size_t lane = first; lane < trace::kWarpSize; ++lane)
        if (record.active >> lane & 1 && record.arg[lane] != record.arg[first]) return kEachItsOwn;
    return first < trace::kWarpSize ? record.arg[first] : 0;
}

// How far the other word of an update lies from the lane's own.
std::int64_t uniform_distance(const Record& load, const Record& store) {
    std::int64_t distance = kEachItsOwn;
    for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane) {
        if (!(store.active & load.active) || !((store.active & load.active) >> lane & 1)) continue;
        const std::int64_t here = load.element_index[lane] - store.element_index[lane];
        if (distance != kEachItsOwn && distance != here) return kEachItsOwn;
        distance = here;
    }
    return distance;
}

// Another argument is another step: an offset, a fence's scope. A predicate is not.
bool has_place(Op op) { return trace::is_shuffle(op) || op == Op::fence; }

class WarpUnits {
public:
    WarpUnits(const Trace& trace, const Statements& statements, const std::vector<std::size_t>& records)
        : trace_(trace), statements_(statements) {
        intervals_.emplace_back();
        for (const std::size_t number : records) add(number);
        for (Interval& interval : intervals_) count_turns(interval);
    }

    std::vector<Interval> take() { return std::move(intervals_); }

private:
    const Record& record(std::size_t number) const { return trace_.records[number]; }

    void add(std::size_t number) {
        const Record& now = record(number);
        Interval& interval = intervals_.back();
        if (now.op == Op::store && join_loads(number)) return;
        if (trace::is_shuffle(now.op) && join_parts(number)) return;
        const bool in_memory = trace::is_access(now.op) || trace::is_atomic(now.op);
        interval.push_back({{number},
                            {now.op, now.line, has_place(now.op) ? uniform_arg(now) : 0, now.width,
                             in_memory ? now.array : 0, 0}});
        if (trace::is_block_barrier(now.op)) intervals_.emplace_back();
    }

    // A shuffle of another part of the value whose first parts were just exchanged in the same way.
    bool join_parts(std::size_t number) {
        Interval& interval = intervals_.back();
        if (interval.empty()) return false;
        Unit& unit = interval.back();
        const Record& first = record(unit.records.front());
        const Record& now = record(number);
        const bool alike = first.op == now.op && first.active == now.active && first.mask == now.mask &&
                           first.width == now.width && first.arg == now.arg && first.source == now.source;
        if (!alike) return false;
        const auto [object, part] = offered_at(now.line);
        const auto [before, first_part] = offered_at(first.line);
        if (object.empty() || object != before) return false;
        if (unit.parts.empty()) unit.parts.push_back(first_part);
        if (std::find(unit.parts.begin(), unit.parts.end(), part) == unit.parts.end()) {
            unit.records.push_back(number);
            unit.parts.push_back(part);
            return true;
        }
        if (unit.records.size() == 1) unit.parts.clear();
        return false;
    }

    // "pair" and "sum", of what the statement of a line offers; empty where that is no part of a value.
    std::pair<std::string, std::string> offered_at(int line) const {
        const trace::Statement* statement = statements_.at(line, false);
        if (statement == nullptr) return {};
        const std::size_t dot = statement->offers.rfind('.');
        if (dot == std::string::npos) return {};
        return {statement->offers.substr(0, dot), statement->offers.substr(dot + 1)};
    }

    // A store and the loads of the same statement just before it, when one of them reads the array that it changes.
    bool join_loads(std::size_t number) {
        const Record& store = record(number);
        Interval& interval = intervals_.back();
        std::size_t first = interval.size();
        for (std::size_t i = interval.size(); i-- > 0;) {
            const Record& before = record(interval[i].records.front());
            const bool belongs = interval[i].records.size() == 1 && before.op == Op::load &&
                                 (before.active & store.active) != 0 &&
                                 statements_.same(before.line, store.line, true);
            if (!belongs) break;
            if (before.array == store.array) first = i;
        }
        if (first == interval.size()) return false;
        Unit unit;
        std::int64_t distance = 0;
        for (std::size_t i = first; i < interval.size(); ++i) {
            const std::size_t load = interval[i].records.front();
            const std::int64_t here = uniform_distance(record(load), store);
            if (here != 0) distance = distance == 0 ? here : kEachItsOwn;
            unit.records.push_back(load);
        }
        unit.records.push_back(number);
        unit.key = {Op::store, store.line, distance, 0, store.array, 0};
        interval.resize(first);
        interval.push_back(std::move(unit));
        return true;
    }

    static void count_turns(Interval& interval) {
        std::map<Key, int> turns;
        for (Unit& unit : interval) std::get<5>(unit.key) = turns[unit.key]++;
    }

    const Trace& trace_;
    const Statements& statements_;
    std::vector<Interval> intervals_;
};

// Without a default, so that the compiler names this place for a new operation.
StepKind kind_of(Op op) {
    switch (op) {
        case Op::shfl_idx:
        case Op::shfl_up:
        case Op::shfl_down:
        case Op::shfl_xor: return StepKind::shuffle;
        case Op::reduce_add:
        case Op::reduce_min:
        case Op::reduce_max:
        case Op::reduce_and:
        case Op::reduce_or:
        case Op::reduce_xor: return StepKind::reduce;
        case Op::vote_any:
        case Op::vote_all:
        case Op::vote_ballot:
        case Op::vote_match_any:
        case Op::vote_match_all: return StepKind::vote;
        case Op::sync_warp: return StepKind::warp_barrier;
        case Op::sync_block:
        case Op::sync_block_count:
        case Op::sync_block_and:
        case Op::sync_block_or: return StepKind::block_barrier;
        case Op::active_mask: return StepKind::active_mask;
        case Op::fence: return StepKind::fence;
        case Op::load: return StepKind::load;
        case Op::store: return StepKind::store;
        case Op::atomic_add:
        case Op::atomic_sub:
        case Op::atomic_min:
        case Op::atomic_max:
        case Op::atomic_inc:
        case Op::atomic_dec:
        case Op::atomic_and:
        case Op::atomic_or:
        case Op::atomic_xor:
        case Op::atomic_exch:
        case Op::atomic_cas: return StepKind::atomic;
    }
    return StepKind::load;
}

// The sequences of several warps in one interval, merged so that what they share stands once where it can.
class IntervalMerge {
public:
    IntervalMerge(const std::vector<WarpRef>& warps, std::vector<Interval*> intervals)
        : warps_(warps), intervals_(std::move(intervals)), head_(intervals_.size()), places_(intervals_.size()) {
        for (std::size_t w = 0; w < intervals_.size(); ++w)
            for (std::size_t i = 0; i < intervals_[w]->size(); ++i)
                places_[w][(*intervals_[w])[i].key] = i;
    }

    void run(std::vector<Step>& steps) {
        for (std::size_t w = next(); w < intervals_.size(); w = next()) {
            const Key key = key_of(w);
            Step step;
            step.kind = kind_of(std::get<0>(key));
            step.line = std::get<1>(key);
            for (std::size_t other = 0; other < intervals_.size(); ++other) {
                if (!at_end(other) && key_of(other) == key) {
                    Unit& unit = (*intervals_[other])[head_[other]++];
                    step.warps.push_back({warps_[other], std::move(unit.records), std::move(unit.parts), {}});
                }
            }
            steps.push_back(std::move(step));
        }
    }

private:
    bool at_end(std::size_t w) const { return head_[w] == intervals_[w]->size(); }
    const Key& key_of(std::size_t w) const { return (*intervals_[w])[head_[w]].key; }

    // The first warp whose next unit comes later in no other warp; the first that has any, where all wait for another.
    std::size_t next() const {
        std::size_t fallback = intervals_.size();
        for (std::size_t w = 0; w < intervals_.size(); ++w) {
            if (at_end(w)) continue;
            if (fallback == intervals_.size()) fallback = w;
            if (!comes_later(key_of(w))) return w;
        }
        return fallback;
    }

    bool comes_later(const Key& key) const {
        for (std::size_t w = 0; w < intervals_.size(); ++w) {
            const auto place = places_[w].find(key);
            if (place != places_[w].end() && place->second > head_[w]) return true;
        }
        return false;
    }

    const std::vector<WarpRef>& warps_;
    std::vector<Interval*> intervals_;
    std::vector<std::size_t> head_;
    std::vector<std::map<Key, std::size_t>> places_;
};

}  // namespace

std::vector<WarpRef> warps_of(const Trace& trace) {
    std::vector<WarpRef> warps;
    for (const Record& record : trace.records) {
        const WarpRef warp{record.launch, record.block, record.warp};
        if (warps.empty() || !(warps.back() == warp)) warps.push_back(warp);
    }
    std::sort(warps.begin(), warps.end());
    warps.erase(std::unique(warps.begin(), warps.end()), warps.end());
    return warps;
}

std::vector<Step> merge(const Trace& trace, const std::vector<WarpRef>& warps, const Statements& statements) {
    std::map<WarpRef, std::vector<std::size_t>> numbers;
    for (std::size_t i = 0; i < trace.records.size(); ++i) {
        const Record& record = trace.records[i];
        numbers[{record.launch, record.block, record.warp}].push_back(i);
    }
    std::vector<Step> steps;
    for (std::size_t first = 0; first < warps.size();) {
        std::size_t last = first;   // the warps of one launch
        while (last < warps.size() && warps[last].launch == warps[first].launch) ++last;
        std::vector<std::vector<Interval>> units;
        std::size_t longest = 0;
        for (std::size_t w = first; w < last; ++w) {
            units.push_back(WarpUnits(trace, statements, numbers[warps[w]]).take());
            longest = std::max(longest, units.back().size());
        }
        for (std::size_t k = 0; k < longest; ++k) {
            std::vector<WarpRef> present;
            std::vector<Interval*> intervals;
            for (std::size_t w = first; w < last; ++w) {
                if (k >= units[w - first].size()) continue;
                present.push_back(warps[w]);
                intervals.push_back(&units[w - first][k]);
            }
            IntervalMerge(present, std::move(intervals)).run(steps);
        }
        first = last;
    }
    return steps;
}

}  // namespace lanewise::steps
