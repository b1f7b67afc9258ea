#include <algorithm>

#include <fmt/format.h>

#include "common/steps/merge.hpp"
#include "common/steps/stages.hpp"

namespace lanewise::steps {
namespace {

using trace::Op;
using trace::Record;
using trace::Trace;

const Record& first_record(const Trace& trace, const Step& step) {
    return trace.records[step.warps.front().records.front()];
}

std::string array_name(const Trace& trace, const Record& record) {
    return record.array < trace.arrays.size() ? trace.arrays[record.array].name : std::string("memory");
}

std::string shuffle_label(const Trace& trace, const Step& step) {
    const Record& record = first_record(trace, step);
    std::string label = record.op == Op::shfl_xor    ? "xor"
                        : record.op == Op::shfl_down ? "down"
                        : record.op == Op::shfl_up   ? "up"
                                                     : "idx";
    const auto beyond = shared_number(trace, step, [](const Record& r, std::size_t lane) {
        return std::int64_t{r.arg[lane]} - static_cast<std::int64_t>(lane);
    });
    if (step.distance) label += fmt::format(" {}", *step.distance);
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
            const auto scope =
                shared_number(trace, step, [](const Record& r, std::size_t lane) { return r.arg[lane]; });
            return scope ? fmt::format("fence {}", scope_name(static_cast<std::int32_t>(*scope)))
                         : std::string("fence");
        }
        case StepKind::atomic: {
            const std::string operation = operation_of(record.op, 7);
            return operation == "add" ? "atomic " + array : "atomic " + operation + " " + array;
        }
        case StepKind::load:
        case StepKind::store: break;
    }
    if (step.warps.front().records.size() > 1) {
        const std::string label = fmt::format("{} {}", update_name(trace, step), array);
        return step.distance ? fmt::format("{} {:+}", label, *step.distance) : label;
    }
    const std::string label = (step.kind == StepKind::load ? "load " : "store ") + array;
    return record.elements > 1 ? fmt::format("{} x{}", label, record.elements) : label;
}

}  // namespace

void name_steps(const Trace& trace, std::vector<Step>& steps) {
    stage_steps(trace, steps);
    for (Step& step : steps) step.label = label_of(trace, step);
}

}  // namespace lanewise::steps
