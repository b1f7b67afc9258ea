#include "common/annotate/syntax/tree.hpp"

#include <algorithm>

#include "common/annotate/syntax/expressions.hpp"

namespace lanewise::annotate {
namespace {

bool is_function(CXCursorKind kind) {
    return kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod || kind == CXCursor_Constructor ||
           kind == CXCursor_Destructor || kind == CXCursor_ConversionFunction || kind == CXCursor_FunctionTemplate;
}

bool is_type(CXCursorKind kind) {
    return kind == CXCursor_StructDecl || kind == CXCursor_ClassDecl || kind == CXCursor_UnionDecl ||
           kind == CXCursor_ClassTemplate || kind == CXCursor_ClassTemplatePartialSpecialization;
}

bool is_scope(CXCursorKind kind) {
    return kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec || kind == CXCursor_UnexposedDecl;
}

Statement made(StatementKind kind, Range range) {
    Statement result;
    result.kind = kind;
    result.first = range.first;
    result.last = range.last;
    return result;
}

class Tree {
public:
    Tree(const Places& places, const std::function<bool(CXCursor)>& is_own, File& file,
         std::set<std::string>& functions)
        : places_(places), source_(file.source), is_own_(is_own), file_(file), functions_(functions) {}

    void declarations(const std::vector<CXCursor>& cursors, std::vector<Statement>& into) {
        for (const CXCursor& cursor : cursors)
            if (places_.holds(cursor)) declaration(cursor, into);
    }

private:
    bool is(std::size_t i, std::string_view text) const { return source_.is(i, text); }

    // From what is in front of a declaration (__global__, __shared__: macros that leave nothing) to its end.
    Range with_specifiers(Range range) const {
        const auto ends_another = [&](std::size_t i) {
            return is(i, ";") || is(i, "}") || is(i, "{") || (is(i, ":") && i > 0 && source_.is_identifier(i - 1));
        };
        while (range.first > 0 && !ends_another(range.first - 1)) --range.first;
        return range;
    }

    Range to_semicolon(Range range) const {
        while (range.last + 1 < source_.size() && !is(range.last, ";") && !is(range.last + 1, "}")) ++range.last;
        return range;
    }

    // Is `name`, or a macro that stands for it, among the tokens?
    bool says(Range range, std::string_view name) const {
        for (std::size_t i = range.first; i <= range.last; ++i) {
            if (is(i, name)) return true;
            if (!source_.is_identifier(i)) continue;
            for (const Macro& macro : source_.macros())
                if (find_identifier(macro.text, source_[i].text, 0) < macro.text.find_first_of("( \t\n", 8) &&
                    find_identifier(macro.text, name, 0) != std::string_view::npos)
                    return true;
        }
        return false;
    }

    void declaration(CXCursor cursor, std::vector<Statement>& into) {
        const CXCursorKind kind = clang_getCursorKind(cursor);
        const auto range = places_.expanded(cursor);
        if (!range) return;
        // What is made of a template comes again for each of its instances, at the template's place.
        if ((is_function(kind) || is_type(kind)) && !seen_.insert(places_.name(cursor)).second) return;
        if (is_function(kind)) return function(cursor, *range, into);
        if (is_type(kind) || is_scope(kind)) {
            Statement container = made(StatementKind::container, *range);
            declarations(children(cursor), container.children);
            into.push_back(std::move(container));
        } else if (kind == CXCursor_VarDecl) {
            read_expressions(cursor, places_, is_own_, file_);
            const Range whole = to_semicolon(with_specifiers(*range));
            // A declaration of several variables comes once for each.
            if (into.empty() || into.back().kind != StatementKind::simple || into.back().first != whole.first)
                into.push_back(made(StatementKind::simple, whole));
        }
    }

    void function(CXCursor cursor, Range range, std::vector<Statement>& into) {
        if (const std::size_t name = places_.name(cursor); name != kNone) file_.declared_functions.insert(name);
        read_expressions(cursor, places_, is_own_, file_);
        for (const CXCursor& child : children(cursor)) {
            if (clang_getCursorKind(child) != CXCursor_CompoundStmt) continue;
            std::vector<Statement> body;
            statement(child, body);
            if (body.empty() || body.front().kind != StatementKind::block) return;
            // A call of a specialization names the template.
            const std::string name = taken(clang_getCursorSpelling(cursor));
            if (clang_Cursor_isNull(clang_getSpecializedCursorTemplate(cursor)))
                functions_.insert(name.substr(0, name.find('<')));
            Statement result = made(StatementKind::function, with_specifiers(range));
            result.is_kernel = says({result.first, body.front().first}, "__global__");
            result.children = std::move(body);
            into.push_back(std::move(result));
        }
    }

    void statement(CXCursor cursor, std::vector<Statement>& into) {
        const auto range = places_.expanded(cursor);
        if (!range) return;
        const std::vector<CXCursor> parts = children(cursor);
        switch (clang_getCursorKind(cursor)) {
        case CXCursor_NullStmt: return;
        case CXCursor_LabelStmt:
        case CXCursor_CaseStmt:
        case CXCursor_DefaultStmt:
        case CXCursor_UnexposedStmt:  // with attributes
            if (!parts.empty()) statement(parts.back(), into);
            return;
        case CXCursor_CompoundStmt:
            if (!is(range->first, "{")) break;  // a macro's
            into.push_back(made(StatementKind::block, *range));
            for (const CXCursor& part : parts) statement(part, into.back().children);
            return;
        case CXCursor_IfStmt:
            if (branch(*range, parts, into)) return;
            break;
        case CXCursor_ForStmt:
        case CXCursor_CXXForRangeStmt:
        case CXCursor_WhileStmt:
        case CXCursor_SwitchStmt:
            if (loop(*range, parts, into)) return;
            break;
        case CXCursor_DoStmt:
            if (do_loop(*range, parts, into)) return;
            break;
        default: break;
        }
        simple(cursor, *range, parts, into);
    }

    // The first parentheses at or after token `i`.
    bool header(std::size_t i, Range range, Statement& into) const {
        while (i <= range.last && !is(i, "(")) ++i;
        if (i > range.last) return false;
        into.header_first = i;
        into.header_last = source_.closing(i);
        return true;
    }

    // The parts that come after the condition.
    void bodies(const std::vector<CXCursor>& parts, Statement& into) {
        for (const CXCursor& part : parts) {
            const auto range = places_.expanded(part);
            if (range && range->first > into.header_last) statement(part, into.children);
        }
    }

    bool branch(Range range, const std::vector<CXCursor>& parts, std::vector<Statement>& into) {
        Statement result = made(StatementKind::branch, range);
        if (!is(range.first, "if") || !header(range.first, range, result)) return false;
        bodies(parts, result);
        if (!result.children.empty()) result.last = std::max(result.last, result.children.back().last);
        into.push_back(std::move(result));
        return true;
    }

    // Also a macro that stands for a loop's head: LANES(i) { … }
    bool loop(Range range, const std::vector<CXCursor>& parts, std::vector<Statement>& into) {
        Statement result = made(StatementKind::loop, range);
        if (!header(range.first, range, result)) return false;
        const bool keyword = is(range.first, "for") || is(range.first, "while") || is(range.first, "switch");
        if (!keyword && result.header_first != range.first + 1) return false;
        const auto body = parts.empty() ? std::nullopt : places_.expanded(parts.back());
        if (!body || body->first <= result.header_last) return keyword && take(result, into);
        statement(parts.back(), result.children);
        if (!result.children.empty()) result.last = std::max(result.last, result.children.back().last);
        return take(result, into);
    }

    bool do_loop(Range range, const std::vector<CXCursor>& parts, std::vector<Statement>& into) {
        Statement result = made(StatementKind::loop, range);
        if (!is(range.first, "do") || parts.empty()) return false;
        statement(parts.front(), result.children);
        const std::size_t body_last = result.children.empty() ? range.first : result.children.back().last;
        if (!header(body_last + 1, range, result)) return false;
        result.last = with_semicolon(range.last);
        return take(result, into);
    }

    static bool take(Statement& statement, std::vector<Statement>& into) {
        into.push_back(std::move(statement));
        return true;
    }

    std::size_t with_semicolon(std::size_t last) const { return is(last + 1, ";") ? last + 1 : last; }

    void simple(CXCursor cursor, Range range, const std::vector<CXCursor>& parts, std::vector<Statement>& into) {
        const bool declares = clang_getCursorKind(cursor) == CXCursor_DeclStmt;
        if (declares) range = to_semicolon(with_attributes(range));
        range.last = with_semicolon(range.last);
        const auto type = std::find_if(parts.begin(), parts.end(), [](const CXCursor& part) {
            return is_type(clang_getCursorKind(part)) && clang_isCursorDefinition(part);
        });
        if (declares && type != parts.end()) {
            Statement container = made(StatementKind::container, range);
            declarations(children(*type), container.children);
            into.push_back(std::move(container));
            return;
        }
        Statement result = made(StatementKind::simple, range);
        if (declares) result.assignments = declared(parts, range, places_, source_);
        else result.assignments = assigned(cursor, places_, source_);
        lambdas(cursor, result.children);
        into.push_back(std::move(result));
    }

    // A local declaration begins at its first specifier, which may be a macro that leaves nothing.
    Range with_attributes(Range range) const {
        while (range.first > 0 && (is(range.first - 1, "__shared__") || is(range.first - 1, "extern") ||
                                   is(range.first - 1, "static")))
            --range.first;
        return range;
    }

    // The bodies of the lambdas in a statement, but for those in other lambdas.
    void lambdas(CXCursor cursor, std::vector<Statement>& into) {
        for (const CXCursor& child : children(cursor)) {
            if (clang_getCursorKind(child) != CXCursor_LambdaExpr) {
                lambdas(child, into);
                continue;
            }
            for (const CXCursor& part : children(child))
                if (clang_getCursorKind(part) == CXCursor_CompoundStmt) statement(part, into);
        }
    }

    const Places& places_;
    const Source& source_;
    const std::function<bool(CXCursor)>& is_own_;
    File& file_;
    std::set<std::string>& functions_;
    std::set<std::size_t> seen_;  // names of functions and types that were read
};

}  // namespace

void read_tree(CXTranslationUnit unit, CXFile handle, const std::function<bool(CXCursor)>& is_own, File& file,
               std::set<std::string>& functions) {
    const Places places(file.source, handle);
    file.root.kind = StatementKind::container;
    file.root.last = file.source.size();
    Tree(places, is_own, file, functions)
        .declarations(children(clang_getTranslationUnitCursor(unit)), file.root.children);
}

}  // namespace lanewise::annotate
