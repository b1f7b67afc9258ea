#include "common/scene/part.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "common/scene/memory/records.hpp"
#include "common/scene/warps.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::scene {
namespace {

using trace::Record;

// Lanes that offered equal bits to a match, by the first of them.
std::vector<int> groups_in(const Record& record) {
    std::vector<int> groups(kWarpSize, -1);
    std::vector<std::uint64_t> seen;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        if (!((record.active >> lane) & 1u)) continue;
        const auto at = std::find(seen.begin(), seen.end(), record.before[lane]);
        groups[lane] = static_cast<int>(at - seen.begin());
        if (at == seen.end()) seen.push_back(record.before[lane]);
    }
    return groups;
}

std::vector<Arc> arcs_in(const steps::WarpStep& part) {
    std::vector<Arc> arcs;
    for (int lane = 0; lane < kWarpSize; ++lane) {
        const steps::LaneView& view = part.lanes[static_cast<std::size_t>(lane)];
        if (!view.active || view.source < 0) continue;
        arcs.push_back({view.source, lane, view.effect != trace::Effect::keep, view.undefined});
    }
    return arcs;
}

bool is_match(const Record& record) { return trace::is_vote(record.op) && !trace::is_predicate_vote(record.op); }

MemoryAccess access_of(const trace::Trace& trace, const Record& record) {
    const trace::Array& array = trace.arrays[record.array];
    MemoryAccess access;
    access.op = trace::op_name(record.op);
    access.touch = record.op == trace::Op::load    ? Touch::read
                   : record.op == trace::Op::store ? Touch::write
                                                   : Touch::atomic;
    access.array = array.name;
    access.array_id = record.array;
    access.space = array.space;
    access.type = array.element;
    access.lanes = record.active;
    access.elements = access.touch == Touch::atomic ? 1 : record.elements;
    access.index = record.element_index;
    access.found = record.received;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane)
        for (int e = 0; e < access.elements; ++e)
            access.bits.push_back(trace::element_at(record.value[lane], array.element, e));
    return access;
}

BarrierImage image_of(const trace::Trace& trace, const trace::ArrayImage& held) {
    const trace::Array& array = trace.arrays.at(held.array);
    BarrierImage image{array.name, array.space, array.element, held.first, held.values, held.written};
    if (image.known.empty()) image.known.assign(held.values.size(), true);
    return image;
}

void add_masks(const Record& record, std::map<std::uint64_t, std::uint32_t>& found) {
    for (std::size_t lane = 0; lane < kWarpSize; ++lane)
        if (record.active >> lane & 1u) found[record.received[lane]] |= std::uint32_t{1} << lane;
}

}  // namespace

Part part_of(const steps::Steps& steps, std::size_t step, const WarpRef& warp) {
    const steps::Step& here = steps.steps.at(step);
    Part part;
    part.warp = warp;
    part.step = step;
    part.kind = here.kind;
    part.lanes = lanes_of(steps, warp);
    part.threads = block_threads(steps, warp);
    part.facts = lane_facts(steps, step, warp);
    const steps::WarpStep* own = here.find(warp);
    part.takes_part = own != nullptr;
    if (!own || own->records.empty()) return part;
    const trace::Trace& trace = *steps.trace;
    const Record& first = trace.records[own->records.front()];
    part.op = trace::op_name(first.op);
    part.type = first.type;
    part.active = active_lanes(steps, own);
    part.says = trace::is_predicate_vote(first.op) || trace::is_barrier_vote(first.op);
    part.ballots = first.op == trace::Op::vote_ballot;
    part.compares = here.kind == StepKind::vote && is_match(first);
    if (part.compares) part.groups = groups_in(first);
    if (here.kind == StepKind::shuffle) part.arcs = arcs_in(*own);
    if (here.kind == StepKind::block_barrier) {
        for (const steps::WarpStep& each : here.warps) {
            if (each.warp.block == warp.block && each.warp.launch == warp.launch)
                part.waiting += static_cast<std::uint32_t>(std::popcount(active_lanes(steps, &each)));
        }
    }
    std::map<std::uint64_t, std::uint32_t> found;
    for (const std::size_t number : own->records) {
        const Record& record = trace.records[number];
        part.instructions.push_back({trace::op_name(record.op), record.active});
        if (touches_memory(record) && record.array < trace.arrays.size())
            part.accesses.push_back(access_of(trace, record));
        if (record.op == trace::Op::active_mask) add_masks(record, found);
        for (const trace::ArrayImage& held : record.shared) part.images.push_back(image_of(trace, held));
    }
    for (const auto& [mask, lanes] : found) part.masks.push_back({mask, lanes});
    return part;
}

bool records_offers(const Part& part) {
    return part.takes_part && (part.kind == StepKind::shuffle || part.kind == StepKind::reduce || part.compares);
}

std::vector<Arc> arcs_of(const steps::Steps& steps, std::size_t step, const WarpRef& warp) {
    const steps::WarpStep* part = step < steps.size() ? steps.steps[step].find(warp) : nullptr;
    return part && steps.steps[step].kind == StepKind::shuffle ? arcs_in(*part) : std::vector<Arc>();
}

}  // namespace lanewise::scene
