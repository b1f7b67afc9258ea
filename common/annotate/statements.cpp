#include "common/annotate/statements.hpp"

#include "common/base/error.hpp"

namespace lanewise::annotate {
namespace {

class Parser {
public:
    explicit Parser(const Source& source) : source_(source) {}

    Statement file() {
        Statement result{StatementKind::container, 0, source_.size(), kNone, kNone, false, {}};
        declarations(0, source_.size(), result.children);
        return result;
    }

private:
    bool is(std::size_t i, std::string_view text) const { return source_.is(i, text); }

    [[noreturn]] void fail(std::size_t index, const std::string& sentence) const {
        const int line = index < source_.size() ? source_[index].line : 0;
        throw Error(source_.path() + ":" + std::to_string(line) + ": " + sentence);
    }

    // What a file, a namespace or a class holds.
    void declarations(std::size_t i, std::size_t end, std::vector<Statement>& into) {
        while (i < end) i = declaration(i, end, into);
    }

    std::size_t declaration(std::size_t first, std::size_t end, std::vector<Statement>& into) {
        if (is(first, ";")) return first + 1;
        if ((is(first, "public") || is(first, "private") || is(first, "protected")) && is(first + 1, ":"))
            return first + 2;
        bool assigned = false, parameters = false, type = false, enumeration = false, scope = false, kernel = false;
        bool member_initialisers = false;
        for (std::size_t i = first; i < end; i = source_.next(i)) {
            if (is(i, ";")) {
                into.push_back({StatementKind::simple, first, i, kNone, kNone, false, {}});
                return i + 1;
            }
            if (is(i, "operator")) {
                if (is(i + 1, "(")) i = source_.closing(i + 1);
                else while (i + 1 < end && !is(i + 1, "(")) ++i;
                continue;
            }
            assigned |= is(i, "=");
            type |= is(i, "struct") || is(i, "class") || is(i, "union");
            enumeration |= is(i, "enum");
            scope |= is(i, "namespace") || (is(i, "extern") && i + 1 < end &&
                                            source_[i + 1].kind == TokenKind::literal);
            kernel |= is(i, "__global__");
            member_initialisers |= parameters && is(i, ":");
            if (is(i, "(")) parameters = true;
            if (!is(i, "{") || assigned) continue;

            const std::size_t close = source_.closing(i);
            if (member_initialisers && source_.is_word(i - 1) && (is(close + 1, ",") || is(close + 1, "{"))) continue;
            if (scope) {
                Statement container{StatementKind::container, first, close, kNone, kNone, false, {}};
                declarations(i + 1, close, container.children);
                into.push_back(std::move(container));
                return close + 1;
            }
            if (enumeration) continue;
            if (type && !is(i - 1, ")") && !is(i - 1, "const") && !is(i - 1, "noexcept")) {
                Statement container{StatementKind::container, first, close, kNone, kNone, false, {}};
                declarations(i + 1, close, container.children);
                into.push_back(std::move(container));
                continue;
            }
            if (!parameters) continue;  // T name{…};
            Statement function{StatementKind::function, first, close, kNone, kNone, kernel, {}};
            function.children.push_back(block(i));
            into.push_back(std::move(function));
            return close + 1;
        }
        return end;
    }

    Statement block(std::size_t open) {
        const std::size_t close = source_.closing(open);
        Statement result{StatementKind::block, open, close, kNone, kNone, false, {}};
        std::size_t i = open + 1;
        while (i < close) {
            if (is(i, ";")) {
                ++i;
                continue;
            }
            result.children.push_back(statement(i, close));
            i = result.children.back().last + 1;
        }
        return result;
    }

    // Labels, attributes and _Pragma before a statement are none of its business.
    std::size_t skip_prefixes(std::size_t i, std::size_t end) const {
        for (;;) {
            if (is(i, "[") && is(i + 1, "[")) {
                i = source_.next(i);
            } else if (is(i, "_Pragma") || is(i, "__pragma")) {
                i = source_.next(i + 1);
            } else if (is(i, "case")) {
                int questions = 0;
                for (++i; i < end && !(is(i, ":") && questions == 0); i = source_.next(i))
                    questions += is(i, "?") ? 1 : is(i, ":") ? -1 : 0;
                ++i;
            } else if (i < end && source_.is_word(i) && is(i + 1, ":")) {
                i += 2;
            } else {
                return i;
            }
        }
    }

    Statement statement(std::size_t begin, std::size_t end) {
        const std::size_t i = skip_prefixes(begin, end);
        if (i >= end) return {StatementKind::simple, begin, end - 1, kNone, kNone, false, {}};
        if (is(i, "{")) return block(i);
        if (is(i, "if")) return branch(i, end);
        if (is(i, "for") || is(i, "while") || is(i, "switch")) return loop(i, i + 1, end);
        if (is(i, "do")) return do_loop(i, end);
        if ((is(i, "struct") || is(i, "class") || is(i, "union")) && !is(i + 2, "=")) {
            if (const std::size_t open = body_of_local_type(i, end); open != kNone) {
                Statement result{StatementKind::container, i, 0, kNone, kNone, false, {}};
                declarations(open + 1, source_.closing(open), result.children);
                result.last = end_of_simple(source_.closing(open) + 1, end);
                return result;
            }
        }
        return simple(i, end);
    }

    std::size_t body_of_local_type(std::size_t i, std::size_t end) const {
        for (; i < end && !is(i, ";") && !is(i, "="); i = source_.next(i))
            if (is(i, "{")) return i;
        return kNone;
    }

    std::size_t header(std::size_t i) const {
        if (!is(i, "(")) fail(i, "a condition in parentheses was expected here");
        return i;
    }

    Statement body(std::size_t i, std::size_t end) {
        if (i >= end) fail(end, "a statement was expected before this bracket");
        return statement(i, end);
    }

    Statement branch(std::size_t i, std::size_t end) {
        Statement result{StatementKind::branch, i, 0, kNone, kNone, false, {}};
        result.header_first = header(is(i + 1, "constexpr") ? i + 2 : i + 1);
        result.header_last = source_.closing(result.header_first);
        result.children.push_back(body(result.header_last + 1, end));
        result.last = result.children.back().last;
        if (is(result.last + 1, "else")) {
            result.children.push_back(body(result.last + 2, end));
            result.last = result.children.back().last;
        }
        return result;
    }

    Statement loop(std::size_t i, std::size_t head, std::size_t end) {
        Statement result{StatementKind::loop, i, 0, header(head), source_.closing(head), false, {}};
        result.children.push_back(body(result.header_last + 1, end));
        result.last = result.children.back().last;
        return result;
    }

    Statement do_loop(std::size_t i, std::size_t end) {
        Statement result{StatementKind::loop, i, 0, kNone, kNone, false, {}};
        result.children.push_back(body(i + 1, end));
        const std::size_t head = result.children.back().last + 1;
        if (!is(head, "while")) fail(head, "the while of a do was expected here");
        result.header_first = header(head + 1);
        result.header_last = source_.closing(result.header_first);
        result.last = end_of_simple(result.header_last + 1, end);
        return result;
    }

    // A brace that opens the body of a lambda follows its [captures], (parameters) and what may stand behind them.
    bool opens_lambda(std::size_t open, std::size_t first) const {
        std::size_t i = open;
        while (i > first + 1 && !is(i - 1, ")") && !is(i - 1, "]")) {
            const Token& token = source_[i - 1];
            const bool trailing = token.kind == TokenKind::word || token.is("->") || token.is("::") ||
                                  token.is("<") || token.is(">") || token.is("*") || token.is("&");
            if (!trailing) return false;
            --i;
        }
        if (i <= first) return false;
        if (is(i - 1, "]")) return !source_.is_word(opening(i - 1, first) - 1);
        const std::size_t parameters = opening(i - 1, first);
        if (parameters == kNone || parameters == 0) return false;
        return is(parameters - 1, "]") || (is(parameters - 1, ">") && parameters > first + 1);
    }

    std::size_t opening(std::size_t close, std::size_t first) const {
        for (std::size_t i = close; i-- > first;)
            if (source_.closing(i) == close) return i;
        return kNone;
    }

    std::size_t end_of_simple(std::size_t i, std::size_t end) const {
        while (i < end && !is(i, ";")) i = source_.next(i);
        return i < end ? i : end - 1;
    }

    Statement simple(std::size_t first, std::size_t end) {
        // Without a semicolon: a macro that stands for a loop, LANES(i) { … }.
        if (source_.is_word(first) && is(first + 1, "(") && is(source_.next(first + 1), "{"))
            return loop(first, first + 1, end);
        Statement result{StatementKind::simple, first, end_of_simple(first, end), kNone, kNone, false, {}};
        for (std::size_t i = first; i < result.last; ++i) {
            if (!is(i, "{") || !opens_lambda(i, first)) continue;
            result.children.push_back(block(i));
            i = source_.closing(i);
        }
        return result;
    }

    const Source& source_;
};

bool is_assignment(const Token& token) {
    if (token.kind != TokenKind::sign) return false;
    for (const std::string_view text : {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="})
        if (token.text == text) return true;
    return false;
}

bool assigns_nothing(const Token& first) {
    for (const std::string_view text :
         {"return", "goto", "break", "continue", "using", "typedef", "static_assert", "asm", "__asm__", "throw",
          "delete", "new", "extern", "template", "friend", "co_return", "co_yield", "co_await"})
        if (first.is(text)) return true;
    return false;
}

bool names_no_variable(const Token& token) {
    for (const std::string_view text : {"const", "volatile", "operator", "sizeof", "alignas", "__align__", "decltype",
                                        "auto", "this", "noexcept"})
        if (token.is(text)) return true;
    return token.kind != TokenKind::word;
}

// Reads one part of a comma list: what it assigns to, and how.
class PartReader {
public:
    PartReader(const Source& source, Range part, bool continues_declaration)
        : source_(source), part_(part), continues_declaration_(continues_declaration) {}

    bool read(Assignment& result) {
        std::vector<std::size_t> items;  // where the tokens and groups before the operator begin
        std::size_t i = part_.first;
        while (i <= part_.last && !is_assignment(source_[i])) {
            items.push_back(i);
            i = source_.next(i);
        }
        result.first = part_.first;
        result.last = part_.last;
        return i <= part_.last ? assigned(items, i, result) : initialised(items, result);
    }

private:
    bool is(std::size_t i, std::string_view text) const { return source_.is(i, text); }

    // Is items[name] a name that the items before it declare?
    bool declared(const std::vector<std::size_t>& items, std::size_t name) const {
        if (names_no_variable(source_[items[name]])) return false;
        if (name == 0) return continues_declaration_;
        const std::size_t before = items[name - 1];
        if (source_.is_word(before) || is(before, "<") || (is(before, "(") && name >= 2)) return true;
        if (!is(before, "*") && !is(before, "&") && !is(before, "&&")) return false;
        for (std::size_t i = 0; i < name; ++i)
            if (source_.is_word(items[i])) return true;
        return continues_declaration_;
    }

    bool assigned(std::vector<std::size_t> items, std::size_t sign, Assignment& result) const {
        if (items.empty() || sign == part_.last) return false;
        result.compound = !is(sign, "=");
        result.value_first = sign + 1;
        result.value_last = part_.last;
        std::size_t name = items.size() - 1;
        while (name > 0 && is(items[name], "[")) --name;
        const bool subscripted = name + 1 < items.size();
        if (subscripted && is(items[name], "auto")) return false;  // auto [a, b] = …
        if (is(items[name], "&") || is(items[name], "&&")) return false;
        if (!result.compound && declared(items, name)) {
            result.declares = true;
            result.reference = name > 0 && (is(items[name - 1], "&") || is(items[name - 1], "&&"));
            result.target_first = result.target_last = items[name];
            result.plain = !subscripted && !result.reference;
            return true;
        }
        result.target_first = part_.first;
        result.target_last = sign - 1;
        result.plain = is_member_chain(items);
        result.to_memory = !result.plain && reaches_memory(items, subscripted);
        return true;
    }

    // a, a.b, a.b.c, this->a
    bool is_member_chain(const std::vector<std::size_t>& items) const {
        for (std::size_t k = 0; k < items.size(); ++k) {
            const bool dot = is(items[k], ".") || (k == 1 && is(items[k], "->") && is(items[0], "this"));
            if (k % 2 == 0 ? !source_.is_word(items[k]) : !dot) return false;
        }
        return items.size() % 2 == 1;
    }

    bool reaches_memory(const std::vector<std::size_t>& items, bool subscripted) const {
        if (subscripted || is(items[0], "*")) return true;
        for (const std::size_t item : items)
            if (is(item, "[") || is(item, "->") || (is(item, "(") && is(item + 1, "*"))) return true;
        return false;
    }

    // T name{…}, T name(…)
    bool initialised(const std::vector<std::size_t>& items, Assignment& result) const {
        if (items.size() < (continues_declaration_ ? 2u : 3u)) return false;
        const std::size_t group = items.back();
        if (!(is(group, "{") || is(group, "(")) || source_.closing(group) != part_.last) return false;
        if (!declared(items, items.size() - 2) || group + 1 == part_.last) return false;
        const std::size_t name = items.size() - 2;
        result.declares = true;
        result.reference = name > 0 && (is(items[name - 1], "&") || is(items[name - 1], "&&"));
        result.plain = !result.reference;
        result.target_first = result.target_last = items[name];
        result.value_first = group + 1;
        result.value_last = part_.last - 1;
        return true;
    }

    const Source& source_;
    Range part_;
    bool continues_declaration_;
};

// `float a` of `float a, b = 2;`: a declaration that assigns nothing, but what follows the comma is declared too.
bool only_declares(const Source& source, Range part) {
    std::size_t words = 0;
    for (std::size_t i = part.first; i <= part.last; i = source.next(i)) {
        if (source.is_word(i)) ++words;
        else if (!source.is(i, "*") && !source.is(i, "&") && !source.is(i, "<") && !source.is(i, "[") &&
                 !source.is(i, "::"))
            return false;
    }
    return words >= 2;
}

}  // namespace

Statement parse(const Source& source) { return Parser(source).file(); }

std::vector<Range> split_at_commas(const Source& source, std::size_t first, std::size_t end) {
    std::vector<Range> parts;
    std::size_t begin = first;
    for (std::size_t i = first; i <= end; i = i < end ? source.next(i) : end + 1) {
        if (i < end && !source.is(i, ",")) continue;
        if (i > begin) parts.push_back({begin, i - 1});
        begin = i + 1;
    }
    return parts;
}

std::vector<Assignment> assignments(const Source& source, const Statement& statement) {
    std::vector<Assignment> result;
    if (statement.kind != StatementKind::simple || assigns_nothing(source[statement.first])) return result;
    const std::size_t end = source.is(statement.last, ";") ? statement.last : statement.last + 1;
    bool declaration = false;
    for (const Range part : split_at_commas(source, statement.first, end)) {
        Assignment assignment;
        const bool found = PartReader(source, part, declaration).read(assignment);
        if (part.first == statement.first) declaration = found ? assignment.declares : only_declares(source, part);
        if (found) result.push_back(assignment);
    }
    return result;
}

}  // namespace lanewise::annotate
