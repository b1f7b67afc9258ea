#include "common/steps/counters.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

namespace lanewise::steps {
namespace {

using trace::Op;
using trace::Record;

std::uint32_t lanes_in(std::uint32_t lanes) { return static_cast<std::uint32_t>(std::popcount(lanes)); }

// Rounds that one warp took part in.
struct Rounds {
    std::uint32_t shuffles = 0;
    std::uint32_t block_barriers = 0;
    std::uint32_t warp_barriers = 0;
};

void add_record(const trace::Trace& trace, const Record& record, Rounds& warp, Step::Counters& block) {
    // Of what its warps do side by side a block is charged what the busiest of them did.
    if (trace::is_shuffle(record.op)) block.shuffles = std::max(block.shuffles, ++warp.shuffles);
    if (record.op == Op::sync_block) block.block_barriers = std::max(block.block_barriers, ++warp.block_barriers);
    if (record.op == Op::sync_warp) block.warp_barriers = std::max(block.warp_barriers, ++warp.warp_barriers);
    if (trace::is_atomic(record.op)) block.atomics += lanes_in(record.active);
    if (!trace::is_access(record.op) || record.array >= trace.arrays.size()) return;
    const bool shared = trace.arrays[record.array].space == trace::Space::shared;
    (shared ? block.shared_accesses : block.global_accesses) += lanes_in(record.active);
}

}  // namespace

void count(Steps& steps) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> places;
    for (std::size_t i = 0; i < steps.blocks.size(); ++i)
        places[{steps.blocks[i].launch, steps.blocks[i].block}] = i;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Rounds> rounds;
    std::vector<Step::Counters> so_far(steps.blocks.size());
    for (Step& step : steps.steps) {
        for (Step::Counters& block : so_far) block.lanes_at_work = 0;
        for (const WarpStep& warp : step.warps) {
            Step::Counters& block = so_far[places.at({warp.warp.launch, warp.warp.block})];
            Rounds& own = rounds[{warp.warp.launch, warp.warp.block, warp.warp.warp}];
            std::uint32_t at_work = 0;
            for (const std::size_t number : warp.records) {
                const Record& record = steps.trace->records[number];
                at_work |= record.active;
                add_record(*steps.trace, record, own, block);
            }
            block.lanes_at_work += lanes_in(at_work);
        }
        step.counters = so_far;
    }
}

}  // namespace lanewise::steps
