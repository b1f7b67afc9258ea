#include <bit>

#include <fmt/format.h>

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

// Which lane is read and why.
class ShuffleFormula {
public:
    ShuffleFormula(const Record& record, int lane) : record_(record), lane_(lane) {
        arg_ = record.arg[static_cast<std::size_t>(lane)];
        offset_ = arg_ & 31;
        width_ = record.width;
        first_ = lane & ~(width_ - 1);
        last_ = first_ + width_ - 1;
    }

    Formula parts(const LaneView& view) const {
        Formula formula;
        formula.who = fmt::format("lane {} ← lane {}", lane_, view.source);
        switch (record_.op) {
            case Op::shfl_xor: xor_parts(formula); break;
            case Op::shfl_down: offset_parts(formula, '+', lane_ + offset_, lane_ + offset_ > last_, "past", last_); break;
            case Op::shfl_up: offset_parts(formula, '-', lane_ - offset_, lane_ - offset_ < first_, "before", first_); break;
            default: idx_parts(formula, view.source); break;
        }
        return formula;
    }

private:
    std::string segment() const { return width_ == trace::kWarpSize ? "" : fmt::format(" within its {} lanes", width_); }

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
        return width_ == trace::kWarpSize ? "" : fmt::format(", the edge of its {} lanes", width_);
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
    int arg_ = 0, offset_ = 0, width_ = trace::kWarpSize;
    int first_ = 0, last_ = 0;
};

Formula shuffle_parts(const Record& record, int lane, const LaneView& view) {
    if (view.undefined) {
        Formula formula;
        formula.who = view.source >= 0
                          ? fmt::format("lane {} ← lane {}, which takes no part: undefined", lane, view.source)
                          : fmt::format("lane {} ← no lane: undefined", lane);
        return formula;
    }
    Formula formula = ShuffleFormula(record, lane).parts(view);
    formula.arithmetic = arithmetic_of(record.type, view);
    return formula;
}

Formula vote_parts(const Record& record, int lane, const LaneView& view) {
    Formula formula;
    formula.who = fmt::format("lane {} says {}", lane, view.before != 0 ? "yes" : "no");
    int yes = 0;
    for (std::size_t other = 0; other < trace::kWarpSize; ++other)
        yes += takes_part(record, other) && record.arg[other] != 0;
    formula.rule = fmt::format("{} of {} lanes say yes", yes, std::popcount(record.active));
    const std::uint64_t result = view.received & 0xffffffffu;
    if (record.op == Op::vote_ballot) formula.bits = fmt::format("{:032b}", result);
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
    std::string words, values;
    for (const std::size_t number : warp.records) {
        const Record& record = trace.records[number];
        if (record.op != Op::load || !takes_part(record, at)) continue;
        words += (words.empty() ? "" : ", ") + word_name(trace, record, at);
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
        formula.rule = "from " + words;
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
    return formula;
}

Formula atomic_parts(const trace::Trace& trace, const Record& record, int lane) {
    const auto at = static_cast<std::size_t>(lane);
    Formula formula;
    formula.who = fmt::format("lane {} → {}", lane, word_name(trace, record, at));
    formula.rule = fmt::format("atomic {}", std::string(op_name(record.op)).substr(7));
    const std::uint64_t old = record.received[at];
    const std::uint64_t given = accessed(record, at);
    formula.arithmetic = record.op == Op::atomic_add
                             ? fmt::format("{} + {} = {}", shown(record.type, old), shown(record.type, given),
                                           shown(record.type, sum_bits(record.type, old, given)))
                             : fmt::format("it held {}, {} came", shown(record.type, old), values_of(record, at));
    return formula;
}

Formula barrier_parts(const Record& record, int lane) {
    Formula formula;
    formula.who = fmt::format("lane {} waits", lane);
    formula.rule = record.op == Op::sync_block
                       ? std::string("until every thread of its block is here")
                       : fmt::format("until {} lanes of its warp are here", std::popcount(record.mask));
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
    switch (steps.steps[step].kind) {
        case StepKind::shuffle: return shuffle_parts(record, lane, view);
        case StepKind::vote: return vote_parts(record, lane, view);
        case StepKind::load:
        case StepKind::store: return access_parts(*steps.trace, *part, lane, view);
        case StepKind::atomic: return atomic_parts(*steps.trace, record, lane);
        case StepKind::warp_barrier:
        case StepKind::block_barrier: return barrier_parts(record, lane);
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
