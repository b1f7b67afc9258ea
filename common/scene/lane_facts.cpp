#include "common/scene/lane_facts.hpp"

#include <algorithm>

#include "common/scene/atomic_result.hpp"
#include "common/scene/warps.hpp"

namespace lanewise::scene {
namespace {

constexpr std::size_t lane_index(int lane) { return static_cast<std::size_t>(lane); }

void tell_vote(const trace::Record& record, LaneFacts& facts) {
    const std::size_t lane = lane_index(facts.lane);
    if (trace::is_predicate_vote(record.op) || trace::is_barrier_vote(record.op)) facts.says = record.arg[lane] != 0;
    facts.has_offered = trace::is_vote(record.op) && !trace::is_predicate_vote(record.op);
    facts.offered = record.before[lane];
    facts.has_answer =
        trace::is_vote(record.op) || trace::is_barrier_vote(record.op) || record.op == trace::Op::active_mask;
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

std::vector<ValueRow> value_rows(const steps::Steps& steps, std::size_t step, const steps::WarpRef& warp, int lane) {
    using steps::StepKind;
    using Role = ValueRow::Role;
    std::vector<ValueRow> rows;
    const steps::WarpStep* part = steps.steps.at(step).find(warp);
    if (!part || part->records.empty() || !((active_lanes(steps, part) >> lane) & 1u)) return rows;
    const auto add = [&](const char* label, Element type, std::uint64_t bits, Role role) {
        rows.push_back({label, "", role, true, type, bits, ""});
    };
    const auto say = [&](const char* label, const char* text, Role role) {
        rows.push_back({label, "", role, false, Element::f32, 0, text});
    };
    const StepKind kind = steps.steps[step].kind;
    const steps::LaneView& view = part->lanes[lane_index(lane)];
    const trace::Record& record = steps.trace->records[part->records.front()];
    for (const Access& access : accesses_of(steps, *part, lane)) {
        const bool reads = access.op == trace::Op::load;
        const char* verb = reads ? "read" : access.op == trace::Op::store ? "wrote" : "gave";
        rows.push_back({verb, access.array + "[" + std::to_string(access.index) + "]",
                        reads ? Role::source : Role::result, true, access.type, access.bits, ""});
    }
    if (kind == StepKind::shuffle || kind == StepKind::reduce) {
        add(kind == StepKind::reduce ? "gave" : "before", record.type, view.before, Role::plain);
        if (view.undefined) say("received", "undefined", Role::warning);
        else if (view.has_received) add("received", record.type, view.received, Role::source);
        if (view.has_after) add("after", record.type, view.after, Role::result);
        else say("after", "not recorded", Role::quiet);
    } else if (kind == StepKind::atomic && view.has_received) {
        add("it held", record.type, view.received, Role::plain);
        const std::uint64_t gave = trace::element_at(record.value[lane_index(lane)], record.type, 0);
        const auto left =
            record.elements == 1 ? after_atomic(record.op, record.type, view.received, gave) : std::nullopt;
        if (left) add("it holds then", record.type, *left, Role::result);
    } else if (trace::is_vote(record.op) || trace::is_barrier_vote(record.op) || record.op == trace::Op::active_mask) {
        const bool says = trace::is_predicate_vote(record.op) || trace::is_barrier_vote(record.op);
        if (says) say("says", record.arg[lane_index(lane)] ? "yes" : "no", Role::plain);
        else if (trace::is_vote(record.op)) add("compares", record.type, record.before[lane_index(lane)], Role::plain);
        add("received", trace::received_type(record), record.received[lane_index(lane)], Role::source);
    }
    return rows;
}

std::vector<WarpRow> warp_rows(const steps::Steps& steps, std::size_t step, const steps::WarpRef& warp) {
    const auto lanes = static_cast<std::size_t>(lanes_of(steps, warp));
    std::vector<WarpRow> rows;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        std::size_t at = 0;
        for (ValueRow& told : value_rows(steps, step, warp, static_cast<int>(lane))) {
            while (at < rows.size() && rows[at].label != told.label) ++at;
            if (at == rows.size()) rows.push_back({told.label, std::vector<std::optional<ValueRow>>(lanes)});
            rows[at++].lanes[lane] = std::move(told);
        }
    }
    return rows;
}

std::string inputs_text(const steps::Provenance& inputs, std::size_t input_count) {
    std::string sentence = "holds " + std::to_string(inputs.count()) + " of " + std::to_string(input_count) + " inputs";
    if (inputs.counted_twice()) sentence += ", some counted twice";
    if (inputs.undefined) sentence += ", and something undefined";
    if (inputs.unknown) sentence += ", perhaps more: the text does not tell";
    return sentence;
}

std::string fence_text(int scope) {
    static constexpr const char* kScopes[] = {"its block", "the whole GPU", "the GPU, the others and the CPU"};
    return std::string("Orders this lane's own accesses, as ") +
           kScopes[static_cast<std::size_t>(std::clamp(scope, 0, 2))] +
           " sees them. It waits for nobody: no other lane, warp or block has to come here.";
}

}  // namespace lanewise::scene
