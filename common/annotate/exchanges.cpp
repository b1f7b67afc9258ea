#include "common/annotate/exchanges.hpp"

namespace lanewise::annotate {
namespace {

bool spells(const Source& source, std::size_t at, std::size_t last, Range name) {
    const std::size_t length = name.last - name.first;
    if (at + length > last) return false;
    for (std::size_t k = 0; k <= length; ++k)
        if (source[at + k].text != source[name.first + k].text) return false;
    return true;
}

bool is_member(const Source& source, std::size_t index) {
    return index > 0 && (source.is(index - 1, ".") || source.is(index - 1, "->"));
}

}  // namespace

bool is_exchange(const Source& source, std::size_t index) {
    if (!source.is(index + 1, "(")) return false;
    for (const std::string_view word :
         {"__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync", "__reduce_add_sync",
          "__reduce_min_sync", "__reduce_max_sync", "__reduce_and_sync", "__reduce_or_sync", "__reduce_xor_sync"})
        if (source.is(index, word)) return true;
    if (index == 0) return false;
    // Cooperative groups: tile.shfl_down(v, 1), cg::reduce(tile, v, …).
    if (source.is(index, "reduce")) return source.is(index - 1, "::");
    return is_member(source, index) && (source.is(index, "shfl") || source.is(index, "shfl_up") ||
                                        source.is(index, "shfl_down") || source.is(index, "shfl_xor"));
}

std::size_t call_begin(const Source& source, std::size_t word) {
    std::size_t begin = word;
    while (begin > 0 && (is_member(source, begin) || source.is(begin - 1, "::"))) {
        --begin;
        if (begin > 0 && source.is_word(begin - 1) && !source.is(begin - 1, "return")) --begin;
        else break;
    }
    return begin;
}

std::vector<ExchangeCall> outer_exchanges(const Source& source, const Statement& statement, std::size_t first,
                                        std::size_t last) {
    std::vector<ExchangeCall> calls;
    for (std::size_t i = first; i <= last; ++i) {
        for (const Statement& lambda : statement.children)
            if (i == lambda.first) i = lambda.last;
        if (!is_exchange(source, i)) continue;
        calls.push_back({i, i + 1, source.closing(i + 1)});
        i = calls.back().close;
    }
    return calls;
}

bool mentions(const Source& source, Range where, Range name) {
    if (name.first > name.last) return false;
    for (std::size_t i = where.first; i <= where.last; ++i) {
        if (is_exchange(source, i)) {
            i = source.closing(i + 1);
            continue;
        }
        const bool member = i > 0 && (source.is(i - 1, ".") || source.is(i - 1, "->") || source.is(i - 1, "::"));
        if (!member && spells(source, i, where.last, name)) return true;
    }
    return false;
}

Range offered_variable(const Source& source, const ExchangeCall& call) {
    const std::vector<Range> arguments = split_at_commas(source, call.open + 1, call.close);
    const std::size_t offered = is_member(source, call.word) ? 0 : 1;
    if (arguments.size() <= offered) return {1, 0};
    const Range value = arguments[offered];
    for (std::size_t i = value.first; i <= value.last; ++i)
        if ((i - value.first) % 2 == 0 ? !source.is_word(i) : !source.is(i, ".")) return {1, 0};
    return value;
}

Effect effect_of(const Source& source, const Assignment& assignment, Range own) {
    const Range value{assignment.value_first, assignment.value_last};
    if (assignment.compound) return Effect::join;
    if (mentions(source, value, {assignment.target_first, assignment.target_last})) return Effect::join;
    return mentions(source, value, own) ? Effect::join : Effect::replace;
}

}  // namespace lanewise::annotate
