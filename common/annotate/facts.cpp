#include "common/annotate/facts.hpp"

#include <algorithm>

#include "common/annotate/exchanges.hpp"

namespace lanewise::annotate {
namespace {

// An intrinsic that leaves a record of its arguments: __shfl_sync(…), __reduce_add_sync(…), atomicAdd(…).
bool leaves_a_record(const File& file, std::size_t i) {
    const Source& source = file.source;
    const auto call = file.calls.find(i);
    if (call != file.calls.end() && call->second.callee == Callee::own) return false;
    if (!source.is_identifier(i) || !source.is(i + 1, "(")) return false;
    const std::string_view name = source[i].text;
    return (name.starts_with("__") && name.ends_with("_sync")) || name.starts_with("atomic");
}

bool is_operand_end(const Source& source, std::size_t i) {
    const Token& token = source[i];
    return token.kind == TokenKind::identifier || token.kind == TokenKind::number || token.is(")") || token.is("]");
}

// A `*` in front of what it takes: *p, not a * b, nor the one of a type in brackets.
bool is_dereference(const Source& source, std::size_t i, std::size_t first) {
    if (!source.is(i, "*") || !(source.is_identifier(i + 1) || source.is(i + 1, "("))) return false;
    return i == first || !is_operand_end(source, i - 1) || source.is(i - 1, "return");
}

// A call that hands on what it reads: the cached loads, and macros by their usual spelling.
bool hands_on(std::string_view name) {
    if (name.starts_with("__ld")) return true;
    return std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

// One element of memory, unchanged.
bool is_one_name(const Source& source, std::size_t first, std::size_t last) {
    bool reads = false;
    for (std::size_t i = first; i <= last; i = source.next(i)) {
        const Token& token = source[i];
        if (token.is("[")) reads = i > first && is_operand_end(source, i - 1);
        if (token.is("(") && i > first && source.is_identifier(i - 1)) {
            if (!hands_on(source[i - 1].text)) return false;
            reads = true;
        }
        if (token.is("(") && i == first && source.closing(i) == last) return is_one_name(source, i + 1, last - 1);
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
void read_part(const File& file, Range part, const std::set<std::string>& functions, Facts& facts) {
    const Source& source = file.source;
    std::size_t subscript_end = part.first;   // tokens before it are in a subscript
    for (std::size_t i = part.first; i <= part.last; ++i) {
        if (leaves_a_record(file, i)) {
            i = source.closing(i + 1);
            continue;
        }
        if (source.is(i, "[") && i > part.first && is_operand_end(source, i - 1)) {
            ++facts.loads;
            subscript_end = std::max(subscript_end, source.closing(i));
        }
        if (is_dereference(source, i, part.first)) ++facts.loads;
        if (!source.is_identifier(i)) continue;
        const std::string name(source[i].text);
        if (source.is(i + 1, "(") || source.is(i + 1, "<")) facts.calls |= functions.contains(name);
        const bool member =
            i > part.first && (source.is(i - 1, ".") || source.is(i - 1, "->") || source.is(i - 1, "::"));
        if (!member && i >= subscript_end) add_use(facts, name);
    }
}

}  // namespace

std::string call_of(const File& file, const Assignment& assignment, const std::set<std::string>& functions) {
    const Source& source = file.source;
    const std::size_t first = assignment.value_first;
    const std::string name(source[first].text);
    std::size_t open = first + 1;
    if (source.is(open, "<") && source.closing(open) != kNone) open = source.closing(open) + 1;
    const bool whole = source.is(open, "(") && source.closing(open) == assignment.value_last;
    return whole && functions.contains(name) ? name : "";
}

Facts facts_of(const File& file, const Assignment& assignment, const std::set<std::string>& functions) {
    Facts facts;
    const Source& source = file.source;
    const std::size_t first = assignment.value_first, last = assignment.value_last;
    const Conditional* conditional = conditional_in(file, {first, last});
    facts.conditional = conditional != nullptr && conditional->whole == Range{first, last};
    if (assignment.compound) facts.copies = false;
    else if (!facts.conditional) facts.copies = is_one_name(source, first, last);
    else
        facts.copies = is_one_name(source, conditional->yes.first, conditional->yes.last) ||
                       is_one_name(source, conditional->no.first, conditional->no.last);
    if (!facts.conditional) {
        read_part(file, {first, last}, functions, facts);
        return facts;
    }
    // Of a condition only the reads count: it chooses a value, it is not in it. A lane reads one branch.
    Facts condition, left, right;
    read_part(file, conditional->condition, functions, condition);
    read_part(file, conditional->yes, functions, left);
    read_part(file, conditional->no, functions, right);
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
