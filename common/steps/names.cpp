#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "common/steps/merge.hpp"
#include "common/steps/update.hpp"

namespace lanewise::steps {
namespace {

using trace::Op;
using trace::Record;
using trace::Trace;

const Record& first_record(const Trace& trace, const Step& step) {
    return trace.records[step.warps.front().records.front()];
}
const Record& last_record(const Trace& trace, const Step& step) {
    return trace.records[step.warps.front().records.back()];
}

// The one number that every active lane of every warp gives, when there is one.
template <class F>
std::optional<std::int64_t> shared_number(const Trace& trace, const Step& step, F number) {
    std::optional<std::int64_t> shared;
    for (const WarpStep& warp : step.warps) {
        const Record& record = trace.records[warp.records.front()];
        for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane) {
            if (!takes_part(record, lane)) continue;
            const std::int64_t here = number(record, lane);
            if (shared && *shared != here) return std::nullopt;
            shared = here;
        }
    }
    return shared;
}

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

std::string array_name(const Trace& trace, const Record& record) {
    return record.array < trace.arrays.size() ? trace.arrays[record.array].name : std::string("memory");
}

bool in_global(const Trace& trace, const Record& record) {
    return record.array < trace.arrays.size() && trace.arrays[record.array].space == trace::Space::global;
}

std::string shuffle_label(const Trace& trace, const Step& step) {
    const Record& record = first_record(trace, step);
    std::string label = record.op == Op::shfl_xor    ? "xor"
                        : record.op == Op::shfl_down ? "down"
                        : record.op == Op::shfl_up   ? "up"
                                                     : "idx";
    const auto arg = shared_number(trace, step, [](const Record& r, std::size_t lane) { return r.arg[lane]; });
    const auto beyond = shared_number(trace, step, [](const Record& r, std::size_t lane) {
        return std::int64_t{r.arg[lane]} - static_cast<std::int64_t>(lane);
    });
    if (arg) label += fmt::format(" {}", *arg);
    else if (record.op == Op::shfl_idx && beyond) label += fmt::format(" lane{:+}", *beyond);
    if (record.width < static_cast<int>(trace.header.warp_size)) label += fmt::format(" of {}", record.width);
    return label;
}

// What follows the `_` that parts an operation from its kind: "match any", "add", "exch".
std::string operation_of(Op op, std::size_t prefix) {
    std::string text = std::string(op_name(op)).substr(prefix);
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

const char* scope_name(std::int32_t scope) { return scope == 0 ? "block" : scope == 1 ? "device" : "system"; }

std::string label_of(const Trace& trace, const Step& step) {
    const Record& record = last_record(trace, step);
    const std::string array = array_name(trace, record);
    switch (step.kind) {
        case StepKind::shuffle: return shuffle_label(trace, step);
        case StepKind::warp_barrier: return "syncwarp";
        case StepKind::block_barrier:
            return record.op == Op::sync_block ? "barrier" : "barrier " + operation_of(record.op, 11);  // "sync_block_"
        case StepKind::vote: return operation_of(record.op, 5);
        case StepKind::reduce: return "reduce " + operation_of(record.op, 7);
        case StepKind::active_mask: return "active mask";
        case StepKind::fence: {
            const auto scope = shared_number(trace, step, [](const Record& r, std::size_t lane) { return r.arg[lane]; });
            return scope ? fmt::format("fence {}", scope_name(static_cast<std::int32_t>(*scope))) : std::string("fence");
        }
        case StepKind::atomic: {
            const std::string operation = operation_of(record.op, 7);
            return operation == "add" ? "atomic " + array : "atomic " + operation + " " + array;
        }
        case StepKind::load:
        case StepKind::store: break;
    }
    if (step.warps.front().records.size() > 1) {
        const std::string label = fmt::format("{} {}", update_word(trace, step), array);
        const auto distance = update_distance(trace, step);
        return distance ? fmt::format("{} {:+}", label, *distance) : label;
    }
    const std::string label = (step.kind == StepKind::load ? "load " : "store ") + array;
    return record.elements > 1 ? fmt::format("{} x{}", label, record.elements) : label;
}

// Stages of one launch, in order. Rounds inside warps, rounds over what the warps left each other.
class Stages {
public:
    explicit Stages(const Trace& trace) : trace_(trace) {}

    std::string next(const Step& step) {
        const Record& record = last_record(trace_, step);
        if (launch_ != record.launch) {
            launch_ = record.launch;
            in_warps_ = exchanged_ = false;
        }
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
            case StepKind::load: return in_global(trace_, record) ? "load" : "exchange";
            case StepKind::store: break;
        }
        if (step.warps.front().records.size() > 1) {
            const auto distance = update_distance(trace_, step);
            return distance && std::llabs(*distance) < trace::kWarpSize ? "warp rounds" : "block rounds";
        }
        return in_global(trace_, record) ? "finish" : "exchange";
    }

private:
    const Trace& trace_;
    std::uint32_t launch_ = 0;
    bool in_warps_ = false;    // a round inside the warps has been
    bool exchanged_ = false;   // and a block barrier after it
};

}  // namespace

void name_steps(const Trace& trace, std::vector<Step>& steps) {
    Stages stages(trace);
    for (Step& step : steps) {
        step.label = label_of(trace, step);
        step.stage = stages.next(step);
    }
}

}  // namespace lanewise::steps
