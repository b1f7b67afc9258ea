#include "common/annotate/exchanges.hpp"

#include <optional>

namespace lanewise::annotate {
namespace {

bool spells(const File& file, std::size_t at, std::size_t last, Range name) {
    const std::size_t length = name.last - name.first;
    if (at + length > last) return false;
    for (std::size_t k = 0; k <= length; ++k)
        if (file.source[at + k].text != file.source[name.first + k].text) return false;
    // Another variable of that name is another one.
    const auto there = file.variables.find(at), meant = file.variables.find(name.first);
    return there == file.variables.end() || meant == file.variables.end() || there->second == meant->second;
}

bool is_member(const Source& source, std::size_t index) {
    return index > 0 && (source.is(index - 1, ".") || source.is(index - 1, "->"));
}

bool is_warp_exchange(std::string_view name) {
    for (const std::string_view known :
         {"__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync", "__reduce_add_sync",
          "__reduce_min_sync", "__reduce_max_sync", "__reduce_and_sync", "__reduce_or_sync", "__reduce_xor_sync"})
        if (name == known) return true;
    return false;
}

}  // namespace

bool is_exchange(const File& file, std::size_t index) {
    const Source& source = file.source;
    if (!source.is(index + 1, "(")) return false;
    const auto call = file.calls.find(index);
    if (call != file.calls.end() && call->second.callee == Callee::own) return false;
    if (file.declared_functions.contains(index)) return false;
    if (is_warp_exchange(source[index].text)) return true;
    if (index == 0) return false;
    // Cooperative groups: tile.shfl_down(v, 1), cg::reduce(tile, v, …).
    if (source.is(index, "reduce")) return source.is(index - 1, "::");
    return is_member(source, index) && (source.is(index, "shfl") || source.is(index, "shfl_up") ||
                                        source.is(index, "shfl_down") || source.is(index, "shfl_xor"));
}

std::size_t call_begin(const File& file, std::size_t name) {
    const Source& source = file.source;
    std::size_t begin = name;
    while (begin > 0 && (is_member(source, begin) || source.is(begin - 1, "::"))) {
        --begin;
        if (begin > 0 && source.is_identifier(begin - 1) && !source.is(begin - 1, "return")) --begin;
        else break;
    }
    return begin;
}

std::vector<ExchangeCall> outer_exchanges(const File& file, const Statement& statement, std::size_t first,
                                        std::size_t last) {
    std::vector<ExchangeCall> calls;
    for (std::size_t i = first; i <= last; ++i) {
        for (const Statement& lambda : statement.children)
            if (i == lambda.first) i = lambda.last;
        if (!is_exchange(file, i)) continue;
        calls.push_back({i, i + 1, file.source.closing(i + 1)});
        i = calls.back().close;
    }
    return calls;
}

bool mentions(const File& file, Range where, Range name) {
    if (name.empty()) return false;
    const Source& source = file.source;
    for (std::size_t i = where.first; i <= where.last; ++i) {
        if (is_exchange(file, i)) {
            i = source.closing(i + 1);
            continue;
        }
        const bool member = i > 0 && (source.is(i - 1, ".") || source.is(i - 1, "->") || source.is(i - 1, "::"));
        if (!member && spells(file, i, where.last, name)) return true;
    }
    return false;
}

bool mentions_whole(const File& file, Range where, Range member) {
    if (member.empty() || member.last == member.first) return false;
    const Range object{member.first, member.first};
    for (std::size_t i = where.first; i <= where.last; ++i) {
        if (is_exchange(file, i)) {
            i = file.source.closing(i + 1);
            continue;
        }
        if (is_member(file.source, i) || !spells(file, i, where.last, object)) continue;
        if (!file.source.is(i + 1, ".") && !file.source.is(i + 1, "->") && !file.source.is(i + 1, "[")) return true;
    }
    return false;
}

bool is_whole_of(const File& file, Range name, Range member) {
    return name.first == name.last && !member.empty() && member.last > member.first &&
           spells(file, name.first, name.last, {member.first, member.first});
}

const Conditional* conditional_in(const File& file, Range range) {
    for (const Conditional& conditional : file.conditionals)
        if (range.holds(conditional.whole)) return &conditional;
    return nullptr;
}

Range offered_variable(const File& file, const ExchangeCall& call) {
    const Source& source = file.source;
    const std::vector<Range> arguments = split_at_commas(source, call.open + 1, call.close);
    const std::size_t offered = is_member(source, call.name) ? 0 : 1;
    if (arguments.size() <= offered) return {1, 0};
    const Range value = arguments[offered];
    for (std::size_t i = value.first; i <= value.last; ++i)
        if ((i - value.first) % 2 == 0 ? !source.is_identifier(i) : !source.is(i, ".")) return {1, 0};
    return value;
}

Effect effect_of(const File& file, const Assignment& assignment, Range own) {
    const Range value{assignment.value_first, assignment.value_last};
    const Range target{assignment.target_first, assignment.target_last};
    if (assignment.compound) return Effect::join;
    return mentions(file, value, target) || mentions(file, value, own) ? Effect::join : Effect::replace;
}

Effect direct_effect(const File& file, const Statement& statement, const Assignment& assignment, Range own) {
    const Range value{assignment.value_first, assignment.value_last};
    const Conditional* conditional = conditional_in(file, value);
    const auto exchanges = [&](Range range) {
        return outer_exchanges(file, statement, range.first, range.last).size();
    };
    if (conditional == nullptr || exchanges(conditional->yes) + exchanges(conditional->no) == 0) {
        // What only chooses between other values is in none of them.
        if (conditional != nullptr && exchanges(conditional->condition) == exchanges(value)) return Effect::unknown;
        return effect_of(file, assignment, own);
    }
    // `v + (c ? shuffled : 0)`: what is around the operator is in the value, whichever side is.
    const auto has_own = [&](std::size_t first, std::size_t end) {
        if (first >= end) return false;
        const Range part{first, end - 1};
        return mentions(file, part, {assignment.target_first, assignment.target_last}) || mentions(file, part, own);
    };
    const bool own_around = has_own(value.first, conditional->whole.first) ||
                            has_own(conditional->whole.last + 1, value.last + 1);
    // A lane evaluates one side: it received something only where that side has an exchange.
    std::optional<Effect> effect;
    for (const Range side : {conditional->yes, conditional->no}) {
        if (exchanges(side) == 0) continue;
        Assignment taken = assignment;
        taken.value_first = side.first;
        taken.value_last = side.last;
        Effect here = direct_effect(file, statement, taken, own);
        if (own_around) here = Effect::join;
        effect = effect.value_or(here) == here ? here : Effect::unknown;
    }
    return *effect;
}

}  // namespace lanewise::annotate
