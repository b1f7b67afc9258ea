#include "common/prelude/annotate/facts.hpp"

#include <algorithm>

namespace lanewise::annotate {
namespace {

// A word that leaves a record of what it was given: __shfl_sync(…), __reduce_add_sync(…), atomicAdd(…).
bool leaves_a_record(const Source& source, std::size_t i) {
    if (!source.is_word(i) || !source.is(i + 1, "(")) return false;
    const std::string_view word = source[i].text;
    return (word.starts_with("__") && word.ends_with("_sync")) || word.starts_with("atomic");
}

bool is_operand_end(const Source& source, std::size_t i) {
    const Token& token = source[i];
    return token.kind == TokenKind::word || token.kind == TokenKind::number || token.is(")") || token.is("]");
}

// A `*` in front of what it takes: *p, not a * b, nor the one of a type in brackets.
bool is_dereference(const Source& source, std::size_t i, std::size_t first) {
    if (!source.is(i, "*") || !(source.is_word(i + 1) || source.is(i + 1, "("))) return false;
    return i == first || !is_operand_end(source, i - 1) || source.is(i - 1, "return");
}

// A call that hands on what it reads: the cached loads, and macros by their usual spelling.
bool hands_on(std::string_view word) {
    if (word.starts_with("__ld")) return true;
    return std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

// One word of memory and nothing done with it.
bool is_one_word(const Source& source, std::size_t first, std::size_t last) {
    bool reads = false;
    for (std::size_t i = first; i <= last; i = source.next(i)) {
        const Token& token = source[i];
        if (token.is("[")) reads = i > first && is_operand_end(source, i - 1);
        if (token.is("(") && i > first && source.is_word(i - 1)) {
            if (!hands_on(source[i - 1].text)) return false;
            reads = true;
        }
        if (token.is("(") && i == first && source.closing(i) == last) return is_one_word(source, i + 1, last - 1);
        if (is_dereference(source, i, first) && i == first) reads = true;
        else if (token.kind == TokenKind::sign && !token.is("[") && !token.is("(") && !token.is("<") && !token.is("::") &&
                 !token.is("&"))
            return false;
        if (token.is("&") && i != first) return false;
    }
    return reads;
}

}  // namespace

std::set<std::string> functions_of(const Source& source, const Statement& file) {
    std::set<std::string> names;
    for (const Statement& child : file.children) {
        if (child.kind == StatementKind::container) names.merge(functions_of(source, child));
        if (child.kind != StatementKind::function) continue;
        // The last name before a bracket that is not an attribute's: float sum(…), __launch_bounds__(256) f(…).
        for (std::size_t i = child.first; i < child.children.front().first; i = source.next(i))
            if (source.is_word(i) && source.is(i + 1, "(") && !source[i].text.starts_with("__"))
                names.insert(std::string(source[i].text));
    }
    return names;
}

Facts facts_of(const Source& source, const Assignment& assignment, const std::set<std::string>& functions) {
    Facts facts;
    const std::size_t first = assignment.value_first, last = assignment.value_last;
    std::size_t question = kNone, colon = kNone;
    for (std::size_t i = first; i <= last; i = source.next(i)) {
        if (source.is(i, "?") && question == kNone) question = i;
        if (source.is(i, ":") && colon == kNone) colon = i;
    }
    facts.conditional = question != kNone && colon != kNone && question < colon && question > first && colon < last;
    if (assignment.compound) facts.copies = false;
    else if (!facts.conditional) facts.copies = is_one_word(source, first, last);
    else facts.copies = is_one_word(source, question + 1, colon - 1) || is_one_word(source, colon + 1, last);
    for (std::size_t i = first; i <= last; ++i) {
        if (leaves_a_record(source, i)) {
            i = source.closing(i + 1);
            continue;
        }
        if ((source.is(i, "[") && i > first && is_operand_end(source, i - 1)) || is_dereference(source, i, first))
            ++facts.loads;
        if (!source.is_word(i)) continue;
        const std::string word(source[i].text);
        const bool member = i > first && (source.is(i - 1, ".") || source.is(i - 1, "->") || source.is(i - 1, "::"));
        if (source.is(i + 1, "(") || source.is(i + 1, "<")) facts.calls |= functions.contains(word);
        if (!member && std::find(facts.uses.begin(), facts.uses.end(), word) == facts.uses.end())
            facts.uses.push_back(word);
    }
    return facts;
}

Surroundings surroundings_of(const Source& source, const Statement& statement, std::size_t child,
                             const Surroundings& around) {
    const auto lines = [&](std::size_t first, std::size_t last) { return Lines{source[first].line, source[last].line}; };
    Surroundings inner = around;
    if (statement.kind == StatementKind::function) inner = {lines(statement.first, statement.last), {}, {}};
    if (statement.kind == StatementKind::loop) inner.loop = lines(statement.first, statement.last);
    if (statement.kind == StatementKind::branch) {
        const Statement& taken = statement.children[child];
        inner.branch = lines(taken.first, taken.last);
    }
    return inner;
}

}  // namespace lanewise::annotate
