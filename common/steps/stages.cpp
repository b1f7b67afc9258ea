#include "common/steps/stages.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

namespace lanewise::steps {
namespace {

using trace::Op;
using trace::Record;
using trace::Trace;

// The distance of the other word in `tree[t] += tree[t + 64]`.
std::optional<std::int64_t> update_distance(const Trace& trace, const Step& step) {
    std::optional<std::int64_t> shared;
    for (const WarpStep& warp : step.warps) {
        for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane) {
            const Update update = update_of(trace, warp, lane);
            if (update.store == nullptr) continue;
            if (update.other == nullptr || update.other->array != update.store->array) return std::nullopt;
            const std::int64_t here = update.other->element_index[lane] - update.store->element_index[lane];
            if (shared && *shared != here) return std::nullopt;
            shared = here;
        }
    }
    return shared;
}

bool in_global(const Trace& trace, const Record& record) {
    return record.array < trace.arrays.size() && trace.arrays[record.array].space == trace::Space::global;
}

// Stages, in order of the steps.
class Stages {
public:
    Stages(const Trace& trace, const std::vector<Step>& steps) : trace_(trace) {
        for (std::size_t k = 0; k < steps.size(); ++k)
            for (const WarpStep& warp : steps[k].warps)
                for (const std::size_t number : warp.records)
                    if (trace.records[number].op == Op::load) last_read_[place_of(trace.records[number])] = k;
    }

    // Fills in the stage of step `k` and its distance.
    void name(std::size_t k, Step& step) {
        const Record& record = last_record(trace_, step);
        if (launch_ != record.launch) {
            launch_ = record.launch;
            in_warps_ = exchanged_ = false;
        }
        step.distance = distance_of(step);
        step.stage = stage_of(k, step, record);
        note_memory(step);
    }

private:
    using Place = std::pair<std::uint32_t, std::uint32_t>;   // launch, array
    static Place place_of(const Record& record) { return {record.launch, record.array}; }

    static bool is_update(const Step& step) { return step.warps.front().records.size() > 1; }

    static bool joins(const Step& step) {
        return std::any_of(step.warps.begin(), step.warps.end(), [](const WarpStep& warp) {
            return std::any_of(warp.lanes.begin(), warp.lanes.end(), [](const LaneView& lane) {
                return lane.active && lane.effect == trace::Effect::join;
            });
        });
    }

    std::string stage_of(std::size_t k, const Step& step, const Record& record) {
        switch (step.kind) {
            case StepKind::shuffle:
            case StepKind::reduce:
            case StepKind::vote:
            case StepKind::active_mask:
                if (in_warps_ && exchanged_) return "block rounds";
                in_warps_ = true;
                return "warp rounds";
            case StepKind::block_barrier: exchanged_ = in_warps_; return "exchange";
            case StepKind::warp_barrier: return "exchange";
            case StepKind::fence: return "finish";
            case StepKind::atomic: return in_global(trace_, record) ? "finish" : "exchange";
            case StepKind::load:
                if (in_global(trace_, record) && !written_.contains(place_of(record))) return "load";
                return joins(step) ? round_of(step) : "exchange";
            case StepKind::store: break;
        }
        if (is_update(step)) return round_of(step);
        // Words of global memory that are read again are handed on in it.
        const auto read = last_read_.find(place_of(record));
        const bool kept = in_global(trace_, record) && (read == last_read_.end() || read->second < k);
        return kept ? "finish" : "exchange";
    }

    std::string round_of(const Step& step) const {
        const bool near = step.distance && std::llabs(*step.distance) < trace::kWarpSize;
        return near && !(in_warps_ && exchanged_) ? "warp rounds" : "block rounds";
    }

    std::optional<std::int64_t> distance_of(const Step& step) const {
        if (step.kind == StepKind::shuffle)
            return shared_number(trace_, step, [](const Record& r, std::size_t lane) { return r.arg[lane]; });
        if (is_update(step)) return update_distance(trace_, step);
        if (step.kind == StepKind::load && joins(step)) return distance_from_own(step);
        return std::nullopt;
    }

    // Of the words that are read from the lanes' own, where all are as far.
    std::optional<std::int64_t> distance_from_own(const Step& step) const {
        std::optional<std::int64_t> shared;
        for (const WarpStep& warp : step.warps) {
            const Record& record = trace_.records[warp.records.front()];
            const auto own = own_.find({record.launch, record.array, record.block, record.warp});
            if (own == own_.end()) return std::nullopt;
            for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane) {
                if (!takes_part(record, lane)) continue;
                const std::int64_t here = record.element_index[lane] - own->second[lane];
                if (own->second[lane] < 0 || (shared && *shared != here)) return std::nullopt;
                shared = here;
            }
        }
        return shared;
    }

    // A lane's own word of an array: the one that it wrote last, or that it took as its value.
    void note_memory(const Step& step) {
        for (const WarpStep& warp : step.warps) {
            const Record& record = trace_.records[warp.records.back()];
            if (record.op == Op::store) written_.insert(place_of(record));
            if (!trace::is_access(record.op) || (record.op == Op::load && joins(step))) continue;
            auto& own =
                own_.try_emplace({record.launch, record.array, record.block, record.warp}, kNoWords).first->second;
            for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane)
                if (takes_part(record, lane)) own[lane] = record.element_index[lane];
        }
    }

    using Words = trace::PerLane<std::int64_t>;
    static constexpr Words kNoWords = [] {
        Words none{};
        none.fill(-1);
        return none;
    }();

    const Trace& trace_;
    std::map<Place, std::size_t> last_read_;   // step
    std::set<Place> written_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, Words> own_;
    std::uint32_t launch_ = 0;
    bool in_warps_ = false;    // a round inside the warps has been
    bool exchanged_ = false;   // and a block barrier after it
};

}  // namespace

void stage_steps(const Trace& trace, std::vector<Step>& steps) {
    Stages stages(trace, steps);
    for (std::size_t k = 0; k < steps.size(); ++k) stages.name(k, steps[k]);
}

}  // namespace lanewise::steps
