#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "common/steps/statements.hpp"
#include "common/steps/steps.hpp"
#include "common/steps/update.hpp"

namespace lanewise::steps {
namespace {

using trace::Effect;
using trace::Op;
using trace::Record;

std::string shown(Element type, std::uint64_t bits) { return format_element(type, bits); }

// "26, received 42, now 68", or the sum where the bits bear it out.
std::string arithmetic_of(Element type, const LaneView& view) {
    const std::string before = shown(type, view.before);
    const std::string received = shown(type, view.received);
    if (view.effect == Effect::keep) return fmt::format("received {}, not used: stays {}", received, before);
    if (!view.has_after) return fmt::format("received {}", received);
    const std::string after = shown(type, view.after);
    if (view.effect != Effect::join) return fmt::format("received {}, now {}", received, after);
    if (same_value(type, sum_bits(type, view.before, view.received), view.after))
        return fmt::format("{} + {} = {}", before, received, after);
    return fmt::format("{}, received {}, now {}", before, received, after);
}

// "lane 5", "lanes 0…15", "lanes 0, 4, 8".
std::string lanes_named(std::uint32_t lanes) {
    constexpr int kMostSingly = 8;
    std::string text;
    int parts = 0;
    for (int lane = 0; lane < trace::kWarpSize; ++lane) {
        if (!(lanes >> lane & 1)) continue;
        int last = lane;
        while (last + 1 < trace::kWarpSize && lanes >> (last + 1) & 1) ++last;
        if (parts++ == kMostSingly) return fmt::format("{} lanes", std::popcount(lanes));
        text += text.empty() ? "" : ", ";
        text += last > lane + 1 ? fmt::format("{}…{}", lane, last) : std::to_string(lane);
        if (last > lane + 1) lane = last;
    }
    return (std::popcount(lanes) == 1 ? "lane " : "lanes ") + text;
}

// Which lane is read and why.
class ShuffleFormula {
public:
    ShuffleFormula(const Record& record, int lane, int warp_size)
        : record_(record), lane_(lane), warp_size_(warp_size) {
        arg_ = record.arg[static_cast<std::size_t>(lane)];
        offset_ = arg_ & 31;
        width_ = std::min(record.width, warp_size);
        first_ = lane & ~(width_ - 1);
        last_ = first_ + width_ - 1;
    }

    Formula parts(const LaneView& view) const {
        Formula formula;
        formula.who = fmt::format("lane {} ← lane {}", lane_, view.source);
        switch (record_.op) {
            case Op::shfl_xor: xor_parts(formula); break;
            case Op::shfl_down:
                offset_parts(formula, '+', lane_ + offset_, lane_ + offset_ > last_, "past", last_);
                break;
            case Op::shfl_up:
                offset_parts(formula, '-', lane_ - offset_, lane_ - offset_ < first_, "before", first_);
                break;
            default: idx_parts(formula, view.source); break;
        }
        return formula;
    }

private:
    std::string segment() const { return width_ == warp_size_ ? "" : fmt::format(" within its {} lanes", width_); }

    void keep_own(Formula& formula) const { formula.who = fmt::format("lane {} keeps its own", lane_); }

    void xor_parts(Formula& formula) const {
        const int wanted = lane_ ^ offset_;
        formula.rule = fmt::format("{} xor {}", lane_, offset_);
        formula.is_equation = wanted <= last_;
        if (wanted > last_) {
            keep_own(formula);
            formula.rule = fmt::format("{} = {} is past lane {}{}", formula.rule, wanted, last_, last_of_segment());
        } else {
            formula.rule += wanted >= first_ ? segment() : std::string();
        }
        formula.bits = fmt::format("{:05b} ^ {:05b} = {:05b}", lane_, offset_, wanted);
    }

    void offset_parts(Formula& formula, char sign, int wanted, bool outside, const char* side, int edge) const {
        formula.rule = fmt::format("{} {} {}", lane_, sign, offset_);
        formula.is_equation = !outside;
        if (outside) {
            keep_own(formula);
            formula.rule += fmt::format(" = {} is {} lane {}{}", wanted, side, edge, last_of_segment());
        } else {
            formula.rule += segment();
        }
    }

    std::string last_of_segment() const {
        return width_ == warp_size_ ? "" : fmt::format(", the edge of its {} lanes", width_);
    }

    void idx_parts(Formula& formula, int source) const {
        bool all_alike = true;
        for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane)
            all_alike = all_alike && (!takes_part(record_, lane) || record_.arg[lane] == arg_);
        formula.rule = fmt::format("{} names lane {}{}", all_alike ? "every lane" : "it", arg_, segment());
        const int within = arg_ & (width_ - 1);
        if (arg_ != within) formula.rule += fmt::format(", which wraps to {}", within);
        if (source >= 0 && first_ + within != source) formula.rule += fmt::format("; it read lane {}", source);
    }

    const Record& record_;
    int lane_;
    int warp_size_;
    int arg_ = 0, offset_ = 0, width_ = trace::kWarpSize;
    int first_ = 0, last_ = 0;
};

// "(3, 1)": what a lane held in all parts of its value, of `which` bits of the records.
template <class Bits>
std::string parts_text(const trace::Trace& trace, const WarpStep& warp, const Bits& bits) {
    std::string text;
    for (const std::size_t number : warp.records) {
        const Record& record = trace.records[number];
        text += (text.empty() ? "(" : ", ") + shown(record.type, bits(record));
    }
    return text + ")";
}

// The function that joins the value whose parts the record's statement offers: of the next statement that assigns to
// it.
std::string merged_by(const trace::Trace& trace, int line) {
    const Statements statements(trace);
    const trace::Statement* offers = statements.at(line, false);
    if (offers == nullptr) return {};
    const std::string object = offers->offers.substr(0, offers->offers.rfind('.'));
    const trace::Statement* next = nullptr;
    for (const trace::Statement& statement : trace.header.statements)
        if (statement.line > line && statement.function == offers->function && statement.target == object &&
            (next == nullptr || statement.line < next->line))
            next = &statement;
    return next != nullptr ? next->call : "";
}

// "merge((3, 1), (5, 2)) = (5, 2.13534)"; `received` and `after` as far as they are recorded for every part.
std::string merge_arithmetic(const trace::Trace& trace, const WarpStep& warp, std::size_t lane, const LaneView& view) {
    const std::string before = parts_text(trace, warp, [&](const Record& r) { return r.before[lane]; });
    const std::string received = parts_text(trace, warp, [&](const Record& r) { return r.received[lane]; });
    if (view.effect == Effect::keep) return fmt::format("received {}, not used: stays {}", received, before);
    bool known = true;
    for (const std::size_t number : warp.records) known = known && (trace.records[number].has_after >> lane & 1u);
    if (!known) return fmt::format("received {}", received);
    const std::string after = parts_text(trace, warp, [&](const Record& r) { return r.after[lane]; });
    if (view.effect != Effect::join) return fmt::format("received {}, now {}", received, after);
    const std::string function = merged_by(trace, trace.records[warp.records.front()].line);
    if (function.empty()) return fmt::format("{}, received {}, now {}", before, received, after);
    return fmt::format("{}({}, {}) = {}", function, before, received, after);
}

Formula shuffle_parts(const Record& record, int lane, const LaneView& view, int warp_size) {
    if (view.undefined) {
        Formula formula;
        formula.who = view.source >= 0
                          ? fmt::format("lane {} ← lane {}, which takes no part: undefined", lane, view.source)
                          : fmt::format("lane {} ← no lane: undefined", lane);
        return formula;
    }
    Formula formula = ShuffleFormula(record, lane, warp_size).parts(view);
    formula.arithmetic = arithmetic_of(record.type, view);
    return formula;
}

const char* sign_of(Op op) {
    switch (op) {
        case Op::reduce_and: return " & ";
        case Op::reduce_or: return " | ";
        case Op::reduce_xor: return " ^ ";
        case Op::reduce_add: return " + ";
        default: return ", ";
    }
}

// "lane 5 ← lanes 0…15: 3 + 1 + … = 120": as many terms as fit.
Formula reduce_parts(const Record& record, int lane, const LaneView& view) {
    constexpr int kMostTerms = 4;
    Formula formula;
    formula.who = fmt::format("lane {} ← {}", lane, lanes_named(record.active));
    if (view.undefined) {
        formula.who += ", one of which takes no part: undefined";
        return formula;
    }
    const bool picks = record.op == Op::reduce_min || record.op == Op::reduce_max;
    const bool bitwise = record.op == Op::reduce_and || record.op == Op::reduce_or || record.op == Op::reduce_xor;
    const auto value = [&](std::uint64_t bits) {
        return bitwise ? "0x" + format_bits(record.type, bits) : shown(record.type, bits);
    };
    const int count = std::popcount(record.active);
    std::string terms;
    int listed = 0;
    for (std::size_t other = 0; other < trace::kWarpSize; ++other) {
        if (!takes_part(record, other)) continue;
        // The last one of a long list makes way for the dots.
        if (listed == kMostTerms - (count > kMostTerms ? 1 : 0)) {
            terms += std::string(sign_of(record.op)) + "…";
            break;
        }
        terms += (listed++ > 0 ? sign_of(record.op) : "") + value(record.before[other]);
    }
    formula.arithmetic = picks ? fmt::format("{}({}) = {}", record.op == Op::reduce_min ? "min" : "max", terms,
                                             value(view.received))
                               : fmt::format("{} = {}", terms, value(view.received));
    if (view.effect == Effect::join && view.has_after)
        formula.arithmetic += fmt::format("; with its own {}, now {}", value(view.before), value(view.after));
    return formula;
}

Formula match_parts(const Record& record, int lane, const LaneView& view) {
    Formula formula;
    std::uint32_t same = 0;
    for (std::size_t other = 0; other < trace::kWarpSize; ++other)
        if (takes_part(record, other) && record.before[other] == view.before) same |= std::uint32_t{1} << other;
    const auto mask = static_cast<std::uint32_t>(view.received);
    const std::string value = shown(record.type, view.before);
    if (view.undefined) {
        formula.who = fmt::format("lane {} holds {}: undefined", lane, value);
        return formula;
    }
    formula.who = std::popcount(same) == 1 ? fmt::format("lane {} alone holds {}", lane, value)
                                           : fmt::format("{} hold the same {}", lanes_named(same), value);
    formula.arithmetic = fmt::format("mask 0x{:08x}", mask);
    if (record.op == Op::vote_match_all)
        formula.rule = same == record.active ? std::string("all agree")
                                             : fmt::format("not all of {} do", lanes_named(record.active));
    return formula;
}

Formula active_mask_parts(int lane, const LaneView& view) {
    Formula formula;
    const auto mask = static_cast<std::uint32_t>(view.received);
    formula.who = fmt::format("lane {} finds {} here", lane, lanes_named(mask));
    formula.arithmetic = fmt::format("mask 0x{:08x}, one legal answer of several", mask);
    return formula;
}

Formula fence_parts(const Record& record, int lane) {
    Formula formula;
    const std::int32_t scope = record.arg[static_cast<std::size_t>(lane)];
    formula.who = fmt::format("lane {} waits for no other thread", lane);
    formula.rule = fmt::format("what it wrote before is seen before what it writes next, by {}",
                               scope == 0   ? "its block"
                               : scope == 1 ? "the whole device"
                                            : "the whole system");
    return formula;
}

Formula vote_parts(const Record& record, int lane, const LaneView& view, int warp_size) {
    if (!trace::is_predicate_vote(record.op)) return match_parts(record, lane, view);
    Formula formula;
    formula.who = fmt::format("lane {} says {}", lane, view.before != 0 ? "yes" : "no");
    int yes = 0;
    for (std::size_t other = 0; other < trace::kWarpSize; ++other)
        yes += takes_part(record, other) && record.arg[other] != 0;
    formula.rule = fmt::format("{} of {} lanes say yes", yes, std::popcount(record.active));
    const std::uint64_t result = view.received & 0xffffffffu;
    if (record.op == Op::vote_ballot) formula.bits = fmt::format("{:0{}b}", result, warp_size);
    const char* name = record.op == Op::vote_any ? "any" : record.op == Op::vote_all ? "all" : "ballot";
    formula.arithmetic = record.op == Op::vote_ballot ? fmt::format("{} = {} = 0x{:08x}", name, result, result)
                                                      : fmt::format("{} = {}", name, result);
    return formula;
}

std::string word_name(const trace::Trace& trace, const Record& record, std::size_t lane) {
    const std::string array = record.array < trace.arrays.size() ? trace.arrays[record.array].name : "memory";
    const std::int64_t element = record.element_index[lane];
    if (record.elements > 1) return fmt::format("{}[{}…{}]", array, element, element + record.elements - 1);
    return fmt::format("{}[{}]", array, element);
}

std::string values_of(const Record& record, std::size_t lane) {
    std::string text;
    for (int k = 0; k < record.elements; ++k)
        text += (k > 0 ? ", " : "") + shown(record.type, trace::element_at(record.value[lane], record.type, k));
    return text;
}

Formula update_parts(const trace::Trace& trace, const WarpStep& warp, int lane, const LaneView& view) {
    const auto at = static_cast<std::size_t>(lane);
    const Update update = update_of(trace, warp, at);
    Formula formula;
    if (update.store == nullptr) return formula;
    formula.who = fmt::format("lane {} → {}", lane, word_name(trace, *update.store, at));
    const Element type = update.store->type;
    std::string text, values;
    for (const std::size_t number : warp.records) {
        const Record& record = trace.records[number];
        if (record.op != Op::load || !takes_part(record, at)) continue;
        text += (text.empty() ? "" : ", ") + word_name(trace, record, at);
        values += (values.empty() ? "" : ", ") + values_of(record, at);
    }
    const bool is_sum = update.own != nullptr && update.other != nullptr && view.effect == Effect::join &&
                        same_value(type, sum_bits(type, view.before, view.received), view.after);
    if (is_sum) {
        formula.is_equation = true;
        formula.rule = fmt::format("{} + {}", word_name(trace, *update.own, at), word_name(trace, *update.other, at));
        formula.arithmetic = fmt::format("{} + {} = {}", shown(type, view.before), shown(type, view.received),
                                         shown(type, view.after));
    } else {
        formula.rule = "from " + text;
        formula.arithmetic = fmt::format("read {}, now {}", values, shown(type, view.after));
    }
    return formula;
}

Formula access_parts(const trace::Trace& trace, const WarpStep& warp, int lane, const LaneView& view) {
    if (warp.records.size() > 1) return update_parts(trace, warp, lane, view);
    const auto at = static_cast<std::size_t>(lane);
    const Record& record = trace.records[warp.records.front()];
    Formula formula;
    formula.who = fmt::format("lane {} {} {}", lane, record.op == Op::load ? "←" : "→", word_name(trace, record, at));
    formula.arithmetic = values_of(record, at);
    if (record.op != Op::load || view.effect != Effect::join) return formula;
    const Element type = record.has_after >> lane & 1 ? record.after_type : record.type;
    formula.arithmetic += view.has_after ? fmt::format(", joined: now {}", shown(type, view.after))
                                         : std::string(", joined to what it had; the result is not recorded here");
    return formula;
}

// What an atomic leaves in its word, where that is one of the operations that can be shown; empty otherwise.
std::string atomic_result(const Record& record, std::uint64_t old, std::uint64_t given) {
    const Element type = record.type;
    const double left = element_to_double(type, old), right = element_to_double(type, given);
    const auto sum = [&](const char* sign, std::uint64_t result) {
        return fmt::format("{} {} {} = {}", shown(type, old), sign, shown(type, given), shown(type, result));
    };
    const auto hex = [&](const char* sign, std::uint64_t result) {
        return fmt::format("0x{} {} 0x{} = 0x{}", format_bits(type, old), sign, format_bits(type, given),
                           format_bits(type, result));
    };
    switch (record.op) {
        case Op::atomic_add: return sum("+", sum_bits(type, old, given));
        case Op::atomic_sub: return sum("-", sum_bits(type, old, std::uint64_t{0} - given));
        case Op::atomic_min: return fmt::format("min({}, {}) = {}", shown(type, old), shown(type, given),
                                                shown(type, left <= right ? old : given));
        case Op::atomic_max: return fmt::format("max({}, {}) = {}", shown(type, old), shown(type, given),
                                                shown(type, left >= right ? old : given));
        case Op::atomic_inc:
            return fmt::format("{} counts on to {}, up to {} and then from 0", shown(type, old),
                               shown(type, old >= given ? 0 : old + 1), shown(type, given));
        case Op::atomic_dec:
            return fmt::format("{} counts down to {}, from {} again after 0", shown(type, old),
                               shown(type, old == 0 || old > given ? given : old - 1), shown(type, given));
        case Op::atomic_and: return hex("&", old & given);
        case Op::atomic_or: return hex("|", old | given);
        case Op::atomic_xor: return hex("^", old ^ given);
        default: return "";
    }
}

// What the word held when the lane came depends on who came before, which is another from run to run.
Formula atomic_parts(const trace::Trace& trace, const Record& record, int lane) {
    const auto at = static_cast<std::size_t>(lane);
    Formula formula;
    formula.who = fmt::format("lane {} → {}", lane, word_name(trace, record, at));
    formula.rule = fmt::format("atomic {}", std::string(op_name(record.op)).substr(7));
    const std::uint64_t old = record.received[at];
    // Only numbers that fit into doubles, or whole numbers: of a pair of halves no one result is shown.
    const std::string result = record.elements == 1 ? atomic_result(record, old, accessed(record, at)) : "";
    formula.arithmetic =
        (result.empty() ? fmt::format("it held {}, {} came", shown(record.type, old), values_of(record, at)) : result) +
        "; what it held depends on who came before";
    return formula;
}

Formula barrier_parts(const Record& record, int lane, const LaneView& view) {
    Formula formula;
    formula.who = fmt::format("lane {} waits", lane);
    if (record.op == Op::sync_warp) {
        formula.rule = fmt::format("until {} lanes of its warp are here", std::popcount(record.mask));
        return formula;
    }
    formula.rule = "until every thread of its block is here";
    if (record.op == Op::sync_block) return formula;
    const std::uint64_t answer = view.received;
    formula.bits = view.before != 0 ? "it says yes" : "it says no";
    if (record.op == Op::sync_block_count)
        formula.arithmetic = fmt::format("{} of the block say yes", answer);
    else if (record.op == Op::sync_block_and)
        formula.arithmetic = answer != 0 ? "all of the block say yes: 1" : "not all of the block say yes: 0";
    else
        formula.arithmetic = answer != 0 ? "some of the block say yes: 1" : "none of the block says yes: 0";
    return formula;
}

}  // namespace

Formula formula_parts(const Steps& steps, std::size_t step, const WarpRef& warp, int lane) {
    if (step >= steps.size() || lane < 0 || lane >= trace::kWarpSize) return {};
    const WarpStep* part = steps.steps[step].find(warp);
    if (part == nullptr) return {};
    const LaneView& view = part->lanes[static_cast<std::size_t>(lane)];
    if (!view.active) return {};
    const Record& record = steps.trace->records[part->records.front()];
    const auto warp_size = static_cast<int>(steps.trace->header.warp_size);
    switch (steps.steps[step].kind) {
        case StepKind::shuffle: {
            Formula formula = shuffle_parts(record, lane, view, warp_size);
            if (!part->parts.empty() && !view.undefined)
                formula.arithmetic = merge_arithmetic(*steps.trace, *part, static_cast<std::size_t>(lane), view);
            return formula;
        }
        case StepKind::vote: return vote_parts(record, lane, view, warp_size);
        case StepKind::load:
        case StepKind::store: return access_parts(*steps.trace, *part, lane, view);
        case StepKind::atomic: return atomic_parts(*steps.trace, record, lane);
        case StepKind::reduce: return reduce_parts(record, lane, view);
        case StepKind::active_mask: return active_mask_parts(lane, view);
        case StepKind::fence: return fence_parts(record, lane);
        case StepKind::warp_barrier:
        case StepKind::block_barrier: return barrier_parts(record, lane, view);
    }
    return {};
}

std::string formula(const Steps& steps, std::size_t step, const WarpRef& warp, int lane) {
    const Formula parts = formula_parts(steps, step, warp, lane);
    std::string text = parts.who;
    if (!parts.rule.empty()) text += (parts.is_equation ? " = " : ": ") + parts.rule;
    std::string separator = parts.is_equation || parts.rule.empty() ? ": " : "; ";
    for (const std::string& more : {parts.bits, parts.arithmetic}) {
        if (more.empty()) continue;
        text += separator + more;
        separator = "; ";
    }
    return text;
}

}  // namespace lanewise::steps
