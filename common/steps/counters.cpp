#include "common/steps/counters.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "common/steps/memory_cost.hpp"
#include "common/steps/update.hpp"

namespace lanewise::steps {
namespace {

using trace::Effect;
using trace::Op;
using trace::Record;

std::uint32_t lanes_in(std::uint32_t lanes) { return static_cast<std::uint32_t>(std::popcount(lanes)); }

// Rounds that one warp took part in.
struct Rounds {
    std::uint32_t shuffles = 0;
    std::uint32_t block_barriers = 0;
    std::uint32_t warp_barriers = 0;
};

void add_access(const trace::Trace& trace, const Record& record, Step::Counters& block) {
    if (trace.arrays[record.array].space == trace::Space::shared) {
        block.shared_accesses += lanes_in(record.active);
        ++block.shared_requests;
        block.shared_wavefronts += static_cast<std::uint32_t>(banks_of(trace, record).wavefronts);
    } else {
        block.global_accesses += lanes_in(record.active);
        ++block.global_requests;
        block.global_sectors += static_cast<std::uint32_t>(sectors_of(trace, record).size());
        block.global_bytes += useful_bytes(trace, record);
    }
}

// `first`: of the step; the parts of one value are exchanged in one round.
void add_record(const trace::Trace& trace, const Record& record, bool first, Rounds& warp, Step::Counters& block) {
    // Of what its warps do side by side a block is charged what the busiest of them did.
    if (trace::is_exchange(record.op) && first) block.shuffles = std::max(block.shuffles, ++warp.shuffles);
    if (trace::is_block_barrier(record.op))
        block.block_barriers = std::max(block.block_barriers, ++warp.block_barriers);
    if (record.op == Op::sync_warp) block.warp_barriers = std::max(block.warp_barriers, ++warp.warp_barriers);
    if (trace::is_atomic(record.op)) block.atomics += lanes_in(record.active);
    if (trace::is_access(record.op) && record.array < trace.arrays.size() && record.active != 0)
        add_access(trace, record, block);
}

// Does this lane join a value to another in the step? An atomic adds in memory, not in the lane.
bool adds(StepKind kind, const LaneView& lane) {
    if (!lane.active) return false;
    switch (kind) {
        case StepKind::reduce: return true;
        case StepKind::load:
        case StepKind::store:
        case StepKind::shuffle: return lane.effect == Effect::join;
        default: return false;
    }
}

// Or may it, for all that the text says?
bool may_add(StepKind kind, const LaneView& lane) {
    const bool can = kind == StepKind::load || kind == StepKind::shuffle;
    return can && lane.active && lane.effect == Effect::unknown;
}

std::uint64_t lanes_of_block(const trace::Trace& trace, const WarpRef& block, std::uint32_t warps) {
    if (block.launch >= trace.header.launches.size()) return std::uint64_t{warps} * trace.header.warp_size;
    const auto& extent = trace.header.launches[block.launch].block;
    return std::uint64_t{extent[0]} * extent[1] * extent[2];
}

}  // namespace

void count(Steps& steps) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> places;
    for (std::size_t i = 0; i < steps.blocks.size(); ++i)
        places[{steps.blocks[i].launch, steps.blocks[i].block}] = i;
    std::vector<std::uint32_t> warps(steps.blocks.size());
    for (const WarpRef& warp : steps.warps) ++warps[places.at({warp.launch, warp.block})];
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Rounds> rounds;
    std::vector<Step::Counters> so_far(steps.blocks.size());
    for (Step& step : steps.steps) {
        for (Step::Counters& block : so_far) 
            block.active_lanes = block.lanes_adding = block.lanes_perhaps_adding = 0;
        for (const WarpStep& warp : step.warps) {
            Step::Counters& block = so_far[places.at({warp.warp.launch, warp.warp.block})];
            Rounds& own = rounds[{warp.warp.launch, warp.warp.block, warp.warp.warp}];
            std::uint32_t active = 0;
            for (const std::size_t number : warp.records) {
                const Record& record = steps.trace->records[number];
                active |= record.active;
                add_record(*steps.trace, record, number == warp.records.front(), own, block);
            }
            block.active_lanes += lanes_in(active);
            for (const LaneView& lane : warp.lanes) {
                block.lanes_adding += adds(step.kind, lane);
                block.lanes_perhaps_adding += may_add(step.kind, lane);
            }
        }
        for (std::size_t b = 0; b < so_far.size(); ++b) {
            if (so_far[b].lanes_adding == 0 || so_far[b].lanes_perhaps_adding > 0) continue;
            so_far[b].added += so_far[b].lanes_adding;
            so_far[b].add_slots += lanes_of_block(*steps.trace, steps.blocks[b], warps[b]);
        }
        step.counters = so_far;
    }
}

}  // namespace lanewise::steps
