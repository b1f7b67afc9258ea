// What steps are for, and how far the values lie that they bring together.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/steps/steps.hpp"
#include "common/steps/update.hpp"

namespace lanewise::steps {

// Fills in Step::stage and Step::distance of steps whose lanes are filled in. The stages of one launch:
//   "load"          reads of what the launch was given
//   "warp rounds"   values are joined inside warps: shuffles, reductions, votes, words less than 32 apart
//   "block rounds"  values are joined that other warps may have left: words further apart, or after a barrier
//   "exchange"      words are handed on in memory, shared or global, and barriers
//   "finish"        what stays: stores to global memory that nothing reads again, atomics in it, fences
void stage_steps(const trace::Trace& trace, std::vector<Step>& steps);

// The record that a step ends with, in its first warp.
inline const trace::Record& last_record(const trace::Trace& trace, const Step& step) {
    return trace.records[step.warps.front().records.back()];
}

// The one number that every active lane of every warp gives, when there is one.
template <class F>
std::optional<std::int64_t> shared_number(const trace::Trace& trace, const Step& step, F number) {
    std::optional<std::int64_t> shared;
    for (const WarpStep& warp : step.warps) {
        const trace::Record& record = trace.records[warp.records.front()];
        for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane) {
            if (!takes_part(record, lane)) continue;
            const std::int64_t here = number(record, lane);
            if (shared && *shared != here) return std::nullopt;
            shared = here;
        }
    }
    return shared;
}

}  // namespace lanewise::steps
