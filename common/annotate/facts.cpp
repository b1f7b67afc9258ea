#include "common/annotate/facts.hpp"

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
        else if (token.kind == TokenKind::sign && !token.is("[") && !token.is("(") && !token.is("<") &&
                 !token.is("::") && !token.is("&"))
            return false;
        if (token.is("&") && i != first) return false;
    }
    return reads;
}

void add_use(Facts& facts, const std::string& name) {
    if (std::find(facts.uses.begin(), facts.uses.end(), name) == facts.uses.end()) facts.uses.push_back(name);
}

// Adds what the tokens of `part` read, call and mention.
void read_part(const Source& source, Range part, const std::set<std::string>& functions, Facts& facts) {
    std::size_t subscript_end = part.first;   // tokens before it stand in a subscript
    for (std::size_t i = part.first; i <= part.last; ++i) {
        if (leaves_a_record(source, i)) {
            i = source.closing(i + 1);
            continue;
        }
        if (source.is(i, "[") && i > part.first && is_operand_end(source, i - 1)) {
            ++facts.loads;
            subscript_end = std::max(subscript_end, source.closing(i));
        }
        if (is_dereference(source, i, part.first)) ++facts.loads;
        if (!source.is_word(i)) continue;
        const std::string word(source[i].text);
        if (source.is(i + 1, "(") || source.is(i + 1, "<")) facts.calls |= functions.contains(word);
        const bool member =
            i > part.first && (source.is(i - 1, ".") || source.is(i - 1, "->") || source.is(i - 1, "::"));
        if (!member && i >= subscript_end) add_use(facts, word);
    }
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
    if (!facts.conditional) {
        read_part(source, {first, last}, functions, facts);
        return facts;
    }
    // Of a condition only the reads count: it chooses a value, it is not in it. A lane reads one branch.
    Facts condition, left, right;
    read_part(source, {first, question - 1}, functions, condition);
    read_part(source, {question + 1, colon - 1}, functions, left);
    read_part(source, {colon + 1, last}, functions, right);
    facts.calls = condition.calls || left.calls || right.calls;
    facts.loads = condition.loads + std::max(left.loads, right.loads);
    facts.uses = left.uses;
    for (const std::string& name : right.uses) add_use(facts, name);
    return facts;
}

Surroundings surroundings_of(const Source& source, const Statement& statement, std::size_t child,
                             const Surroundings& around) {
    const auto lines = [&](std::size_t first, std::size_t last) {
        return Lines{source[first].line, source[last].line};
    };
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
