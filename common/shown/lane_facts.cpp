#include "common/shown/lane_facts.hpp"

#include "common/shown/warps.hpp"

namespace lanewise::shown {
namespace {

constexpr std::size_t lane_index(int lane) { return static_cast<std::size_t>(lane); }

void tell_vote(const trace::Record& record, LaneFacts& facts) {
    const std::size_t lane = lane_index(facts.lane);
    if (trace::is_predicate_vote(record.op) || trace::is_barrier_vote(record.op)) facts.says = record.arg[lane] != 0;
    facts.has_offered = trace::is_vote(record.op) && !trace::is_predicate_vote(record.op);
    facts.offered = record.before[lane];
    facts.has_answer = trace::is_vote(record.op) || trace::is_barrier_vote(record.op) || record.op == trace::Op::active_mask;
    facts.answer = record.received[lane];
    if (facts.has_answer) facts.answer_type = trace::received_type(record);
}

}  // namespace

std::vector<Access> accesses_of(const steps::Steps& steps, const steps::WarpStep& part, int lane) {
    std::vector<Access> accesses;
    for (const std::size_t number : part.records) {
        const trace::Record& record = steps.trace->records[number];
        if (!trace::is_access(record.op) && !trace::is_atomic(record.op)) continue;
        if (!((record.active >> lane) & 1u) || record.array >= steps.trace->arrays.size()) continue;
        for (int k = 0; k < record.elements; ++k) {
            Access access;
            access.array = steps.trace->arrays[record.array].name;
            access.index = record.element_index[lane_index(lane)] + k;
            access.type = record.type;
            access.bits = trace::element_at(record.value[lane_index(lane)], record.type, k);
            access.op = record.op;
            accesses.push_back(std::move(access));
        }
    }
    return accesses;
}

std::uint32_t active_lanes(const steps::Steps& steps, const steps::WarpStep* part) {
    if (!part) return 0;
    std::uint32_t active = 0;
    for (const std::size_t record : part->records) active |= steps.trace->records[record].active;
    return active;
}

std::vector<LaneFacts> lane_facts(const steps::Steps& steps, std::size_t step, const steps::WarpRef& warp) {
    std::vector<LaneFacts> all;
    const steps::WarpStep* part = steps.steps.at(step).find(warp);
    const std::uint32_t active = active_lanes(steps, part);
    for (int lane = 0; lane < lanes_of(steps, warp); ++lane) {
        LaneFacts facts;
        facts.lane = lane;
        if (part) {
            facts.active = (active >> lane) & 1u;
            facts.view = part->lanes[lane_index(lane)];
            if (!part->records.empty()) facts.type = steps.trace->records[part->records.front()].type;
            facts.accesses = accesses_of(steps, *part, lane);
            if (facts.active && !part->records.empty()) tell_vote(steps.trace->records[part->records.front()], facts);
        }
        all.push_back(std::move(facts));
    }
    return all;
}

}  // namespace lanewise::shown
