#include "common/scene/lane_facts.hpp"

#include <algorithm>

#include "common/base/lanes.hpp"
#include "common/scene/sums/atomic_result.hpp"
#include "common/scene/warps.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::scene {
namespace {

void add_vote(const trace::Record& record, LaneFacts& facts) {
    const std::size_t lane = lane_index(facts.lane);
    if (trace::is_predicate_vote(record.op) || trace::is_barrier_vote(record.op)) facts.says = record.arg[lane] != 0;
    facts.has_offered = trace::is_vote(record.op) && !trace::is_predicate_vote(record.op);
    facts.offered = record.before[lane];
    facts.has_answer =
        trace::is_vote(record.op) || trace::is_barrier_vote(record.op) || record.op == trace::Op::active_mask;
    facts.answer = record.received[lane];
    if (facts.has_answer) facts.answer_type = trace::received_type(record);
    const bool asks = trace::is_vote(record.op) || record.op == trace::Op::active_mask;
    facts.answer_is_mask =
        asks && (record.op == trace::Op::vote_ballot || !trace::is_predicate_vote(record.op));
    if (record.op == trace::Op::fence) facts.fence = record.arg[lane];
}

LaneView view_of(const steps::LaneView& view) {
    return {view.source,       view.before,    view.received,  view.after,
            view.has_received, view.has_after, view.undefined, view.effect != trace::Effect::keep};
}

std::vector<LaneFacts::ValuePart> parts_of(const steps::Steps& steps, const steps::WarpStep& part, int lane) {
    std::vector<LaneFacts::ValuePart> parts;
    for (std::size_t k = 0; k < part.parts.size(); ++k) {
        const trace::Record& record = steps.trace->records[part.records[k]];
        const std::size_t l = lane_index(lane);
        if (!(record.active >> lane & 1u)) return {};
        parts.push_back({part.parts[k], record.type, record.before[l], record.received[l], record.after[l],
                         (record.has_after >> lane & 1u) != 0});
    }
    return parts;
}

}  // namespace

std::string parts_text(const std::vector<LaneFacts::ValuePart>& parts, std::uint64_t LaneFacts::ValuePart::*which) {
    std::string text;
    for (const LaneFacts::ValuePart& part : parts)
        text += (text.empty() ? "(" : ", ") + format_element(part.type, part.*which);
    return text + ")";
}

LaneCell offered_cell(const LaneFacts& facts) {
    LaneCell cell;
    cell.known = true;
    cell.type = facts.parts.front().type;
    cell.bits = facts.parts.front().before;
    for (std::size_t k = 1; k < facts.parts.size(); ++k)
        cell.more.push_back({facts.parts[k].before, facts.parts[k].type});
    return cell;
}

std::vector<LaneCell::Part> parts_before(const steps::Steps& steps, const steps::WarpStep& part, int lane) {
    std::vector<LaneCell::Part> parts;
    for (std::size_t k = 1; k < part.parts.size(); ++k) {
        const trace::Record& record = steps.trace->records[part.records[k]];
        parts.push_back({record.before[lane_index(lane)], record.type});
    }
    return parts;
}

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
            access.touch = record.op == trace::Op::load    ? Touch::read
                           : record.op == trace::Op::store ? Touch::write
                                                           : Touch::atomic;
            access.op = trace::op_name(record.op);
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

std::uint32_t active_lanes(const steps::Steps& steps, std::size_t step, const WarpRef& warp) {
    return step < steps.size() ? active_lanes(steps, steps.steps[step].find(warp)) : 0;
}

std::vector<LaneFacts> lane_facts(const steps::Steps& steps, std::size_t step, const WarpRef& warp) {
    std::vector<LaneFacts> all;
    const steps::WarpStep* part = steps.steps.at(step).find(warp);
    const std::uint32_t active = active_lanes(steps, part);
    for (int lane = 0; lane < lanes_of(steps, warp); ++lane) {
        LaneFacts facts;
        facts.lane = lane;
        if (part) {
            facts.active = (active >> lane) & 1u;
            facts.view = view_of(part->lanes[lane_index(lane)]);
            if (!part->records.empty()) facts.type = steps.trace->records[part->records.front()].type;
            facts.accesses = accesses_of(steps, *part, lane);
            facts.parts = parts_of(steps, *part, lane);
            if (facts.active && !part->records.empty()) add_vote(steps.trace->records[part->records.front()], facts);
        }
        all.push_back(std::move(facts));
    }
    return all;
}

std::vector<ValueRow> value_rows(const steps::Steps& steps, std::size_t step, const WarpRef& warp, int lane) {
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
        const bool reads = access.touch == Touch::read;
        const char* verb = reads ? "read" : access.touch == Touch::write ? "wrote" : "gave";
        rows.push_back({verb, access.array + "[" + std::to_string(access.index) + "]",
                        reads ? Role::source : Role::result, true, access.type, access.bits, ""});
    }
    if (!part->parts.empty()) {
        const std::vector<LaneFacts::ValuePart> parts = parts_of(steps, *part, lane);
        const auto each = [&](const char* label, std::uint64_t LaneFacts::ValuePart::*which, Role role) {
            for (const LaneFacts::ValuePart& one : parts) {
                const std::string named = one.name + " " + label;
                if (which == &LaneFacts::ValuePart::after && !one.has_after)
                    say(named.c_str(), "not recorded", Role::quiet);
                else if (which == &LaneFacts::ValuePart::received && view.undefined)
                    say(named.c_str(), "undefined", Role::warning);
                else add(named.c_str(), one.type, one.*which, role);
            }
        };
        each("before", &LaneFacts::ValuePart::before, Role::plain);
        each("received", &LaneFacts::ValuePart::received, Role::source);
        each("after", &LaneFacts::ValuePart::after, Role::result);
    } else if (kind == StepKind::shuffle || kind == StepKind::reduce) {
        add(kind == StepKind::reduce ? "gave" : "before", record.type, view.before, Role::plain);
        if (view.undefined) say("received", "undefined", Role::warning);
        else if (view.has_received) add("received", record.type, view.received, Role::source);
        if (view.has_after) add("after", record.type, view.after, Role::result);
        else say("after", "not recorded", Role::quiet);
    } else if (kind == StepKind::atomic && view.has_received) {
        add("old value", record.type, view.received, Role::plain);
        const std::uint64_t gave = trace::element_at(record.value[lane_index(lane)], record.type, 0);
        const auto left =
            record.elements == 1 ? after_atomic(record.op, record.type, view.received, gave) : std::nullopt;
        if (left) add("new value", record.type, *left, Role::result);
    } else if (trace::is_vote(record.op) || trace::is_barrier_vote(record.op) || record.op == trace::Op::active_mask) {
        const bool says = trace::is_predicate_vote(record.op) || trace::is_barrier_vote(record.op);
        if (says) say("says", record.arg[lane_index(lane)] ? "yes" : "no", Role::plain);
        else if (trace::is_vote(record.op)) add("compares", record.type, record.before[lane_index(lane)], Role::plain);
        add("received", trace::received_type(record), record.received[lane_index(lane)], Role::source);
    }
    return rows;
}

std::vector<WarpRow> warp_rows(const steps::Steps& steps, std::size_t step, const WarpRef& warp) {
    const auto lanes = static_cast<std::size_t>(lanes_of(steps, warp));
    std::vector<WarpRow> rows;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        std::size_t at = 0;
        for (ValueRow& row : value_rows(steps, step, warp, static_cast<int>(lane))) {
            while (at < rows.size() && rows[at].label != row.label) ++at;
            if (at == rows.size()) rows.push_back({row.label, std::vector<std::optional<ValueRow>>(lanes)});
            rows[at++].lanes[lane] = std::move(row);
        }
    }
    return rows;
}

LaneFormula lane_formula(const steps::Steps& steps, std::size_t step, const WarpRef& warp, int lane) {
    const steps::Formula parts = steps::formula_parts(steps, step, warp, lane);
    LaneFormula formula;
    if (parts.who.empty()) return formula;
    formula.head = parts.rule.empty() ? parts.who : parts.who + (parts.is_equation ? " = " : ": ") + parts.rule;
    formula.rule = parts.rule;
    formula.bits = parts.bits;
    formula.arithmetic = parts.arithmetic;
    const steps::WarpStep* part = steps.steps[step].find(warp);
    if (part && !part->records.empty()) {
        const trace::Record& record = steps.trace->records[part->records.front()];
        if (record.op == trace::Op::shfl_xor) formula.xor_mask = record.arg[lane_index(lane)];
    }
    return formula;
}

std::string formula_line(const steps::Steps& steps, std::size_t step, const WarpRef& warp, int lane) {
    return steps::formula(steps, step, warp, lane);
}

std::string fence_text(int scope) {
    static constexpr const char* kScopes[] = {"its block", "the whole GPU", "the GPU, the others and the CPU"};
    return std::string("Orders this lane's own accesses, as ") +
           kScopes[static_cast<std::size_t>(std::clamp(scope, 0, 2))] +
           " sees them. It waits for no other thread: no other lane, warp or block has to come here.";
}

}  // namespace lanewise::scene
