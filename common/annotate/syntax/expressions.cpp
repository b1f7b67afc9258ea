#include "common/annotate/syntax/expressions.hpp"

#include <algorithm>

#include "common/annotate/open_operations.hpp"

namespace lanewise::annotate {
namespace {

class Expressions {
public:
    Expressions(const Places& places, const std::function<bool(CXCursor)>& is_own, File& file)
        : places_(places), is_own_(is_own), file_(file) {}

    void read(CXCursor cursor) {
        switch (clang_getCursorKind(cursor)) {
        case CXCursor_CallExpr: call(cursor); break;
        case CXCursor_DeclRefExpr: variable(cursor, clang_getCursorReferenced(cursor)); break;
        case CXCursor_ParmDecl:
        case CXCursor_VarDecl: variable(cursor, cursor); break;
        case CXCursor_ConditionalOperator: conditional(cursor); break;
        default: break;
        }
        note_open_operation(cursor, places_, file_);
        for (const CXCursor& child : children(cursor)) read(child);
    }

private:
    void variable(CXCursor place, CXCursor declaration) {
        const CXCursorKind kind = clang_getCursorKind(declaration);
        if (kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl) return;
        const std::size_t token = places_.name(place);
        if (token != kNone && file_.source.is(token, taken(clang_getCursorSpelling(declaration))))
            file_.variables[token] = clang_hashCursor(clang_getCanonicalCursor(declaration));
    }

    void conditional(CXCursor cursor) {
        const std::vector<CXCursor> parts = children(cursor);
        if (parts.size() != 3) return;
        const auto whole = places_.written(cursor), condition = places_.written(parts[0]),
                   yes = places_.written(parts[1]), no = places_.written(parts[2]);
        if (!whole || !condition || !yes || !no) return;
        if (!file_.source.is(condition->last + 1, "?") || !file_.source.is(yes->last + 1, ":")) return;  // a macro's
        file_.conditionals.push_back({*whole, *condition, *yes, *no});
    }

    void call(CXCursor cursor) {
        const std::vector<CXCursor> parts = children(cursor);
        if (parts.empty()) return;
        const CXCursor name = named(parts.front());
        const auto whole = places_.written(cursor);
        Call call;
        call.name = places_.name(name);
        if (call.name == kNone || !whole || !file_.source.is_identifier(call.name)) return;
        call.open = call.name + 1;
        if (file_.source.is(call.open, "<")) call.open = file_.source.next(call.open);
        if (!file_.source.is(call.open, "(")) return;
        call.close = file_.source.closing(call.open);
        if (call.close > whole->last) return;  // part of a macro's
        call.callee = callee(cursor, name);
        file_.calls[call.name] = call;
    }

    // What a callee names, below the conversions around it.
    static CXCursor named(CXCursor cursor) {
        for (;;) {
            const CXCursorKind kind = clang_getCursorKind(cursor);
            if (kind != CXCursor_UnexposedExpr && kind != CXCursor_ParenExpr) return cursor;
            const std::vector<CXCursor> parts = children(cursor);
            if (parts.empty()) return cursor;
            // Several: the functions that an overloaded name may mean.
            if (clang_getCursorKind(parts.back()) == CXCursor_OverloadedDeclRef) return parts.back();
            cursor = parts.back();
        }
    }

    Callee callee(CXCursor call, CXCursor name) const {
        CXCursor declaration = clang_getCursorReferenced(call);
        if (clang_Cursor_isNull(declaration)) declaration = clang_getCursorReferenced(name);
        if (clang_Cursor_isNull(declaration)) return Callee::unknown;
        if (clang_getCursorKind(declaration) != CXCursor_OverloadedDeclRef)
            return is_own_(declaration) ? Callee::own : Callee::cuda;
        bool own = false, cuda = false;
        for (unsigned i = 0; i < clang_getNumOverloadedDecls(declaration); ++i)
            (is_own_(clang_getOverloadedDecl(declaration, i)) ? own : cuda) = true;
        return own && cuda ? Callee::either : own ? Callee::own : cuda ? Callee::cuda : Callee::unknown;
    }

    const Places& places_;
    const std::function<bool(CXCursor)>& is_own_;
    File& file_;
};

bool is_assignment(const Source& source, std::size_t i) {
    for (const std::string_view text : {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="})
        if (source.is(i, text)) return true;
    return false;
}

// Below conversions and the like, which are implicit.
CXCursor unwrapped(CXCursor cursor) {
    for (;;) {
        const CXCursorKind kind = clang_getCursorKind(cursor);
        const std::vector<CXCursor> parts = children(cursor);
        if (kind != CXCursor_UnexposedExpr || parts.size() != 1) return cursor;
        if (clang_equalRanges(clang_getCursorExtent(cursor), clang_getCursorExtent(parts.front())) == 0) return cursor;
        cursor = parts.front();
    }
}

// What an assignment assigns to.
class Target {
public:
    Target(const Places& places, const Source& source) : places_(places), source_(source) {}

    void read(CXCursor cursor, Assignment& into) const {
        cursor = unwrapped(cursor);
        const std::vector<CXCursor> parts = children(cursor);
        switch (clang_getCursorKind(cursor)) {
        case CXCursor_DeclRefExpr: into.plain = true; return;
        case CXCursor_MemberRefExpr: {
            if (parts.empty() || clang_getCursorKind(parts.front()) == CXCursor_MemberRef) {
                into.plain = true;  // of the object itself, unnamed
                return;
            }
            const CXCursor object = unwrapped(parts.front());
            if (clang_getCursorKind(object) == CXCursor_CXXThisExpr) {
                into.plain = true;
                return;
            }
            const auto range = places_.written(object);
            if (range && source_.is(range->last + 1, "->")) into.to_memory = true;
            else read(object, into);
            return;
        }
        case CXCursor_ParenExpr:
            if (!parts.empty()) read(parts.front(), into);
            if (into.plain) into.plain = false;
            return;
        case CXCursor_ArraySubscriptExpr: into.to_memory = true; return;
        case CXCursor_UnaryOperator:
        case CXCursor_CallExpr: {
            const auto range = places_.written(cursor);
            into.to_memory = range && (source_.is(range->first, "*") || source_.is(range->last, "]"));
            return;
        }
        default: return;
        }
    }

private:
    const Places& places_;
    const Source& source_;
};

}  // namespace

void read_expressions(CXCursor cursor, const Places& places, const std::function<bool(CXCursor)>& is_own, File& file) {
    Expressions(places, is_own, file).read(cursor);
}

std::vector<Assignment> assigned(CXCursor expression, const Places& places, const Source& source) {
    const CXCursor cursor = unwrapped(expression);
    const CXCursorKind kind = clang_getCursorKind(cursor);
    const bool operation = kind == CXCursor_BinaryOperator || kind == CXCursor_CompoundAssignOperator;
    const auto whole = places.written(cursor);
    if ((!operation && kind != CXCursor_CallExpr) || !whole) return {};
    // An operator of a class comes as a call whose parts include the operator itself.
    std::vector<std::pair<Range, CXCursor>> parts;
    for (const CXCursor& part : children(cursor))
        if (const auto range = places.written(part)) parts.emplace_back(*range, part);
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.first.first < b.first.first; });
    if (parts.size() < 2 || parts.front().first.first != whole->first || parts.back().first.last != whole->last)
        return {};
    const Range left = parts.front().first, right = parts.back().first;
    const std::size_t sign = left.last + 1;
    if (right.first != sign + 1) return {};
    if (operation && source.is(sign, ",")) {
        std::vector<Assignment> result = assigned(parts.front().second, places, source);
        for (const Assignment& more : assigned(parts.back().second, places, source)) result.push_back(more);
        return result;
    }
    if (!is_assignment(source, sign)) return {};
    Assignment result;
    result.first = whole->first;
    result.last = result.value_last = whole->last;
    result.target_first = left.first;
    result.target_last = left.last;
    result.value_first = right.first;
    result.compound = !source.is(sign, "=");
    Target(places, source).read(parts.front().second, result);
    return {result};
}

std::vector<Assignment> declared(const std::vector<CXCursor>& parts, Range statement, const Places& places,
                                 const Source& source) {
    std::vector<Assignment> result;
    if (source.is(statement.first, "extern")) return result;
    std::size_t first = statement.first;
    for (const CXCursor& part : parts) {
        if (clang_getCursorKind(part) != CXCursor_VarDecl) continue;
        const auto range = places.written(part);
        const std::size_t name = places.name(part);
        if (!range || name == kNone || !source.is_identifier(name)) continue;
        Assignment assignment;
        assignment.first = first;
        assignment.last = range->last;
        first = range->last + 2;  // after the comma
        std::size_t sign = name + 1;
        while (source.is(sign, "[")) sign = source.next(sign);
        const bool group = source.is(sign, "{") || source.is(sign, "(");
        if (sign > range->last || (!group && !source.is(sign, "="))) continue;
        if (group && sign + 1 == source.closing(sign)) continue;
        const CXType type = clang_getCursorType(part);
        assignment.declares = true;
        assignment.reference = type.kind == CXType_LValueReference || type.kind == CXType_RValueReference ||
                               source.is(name - 1, "&") || source.is(name - 1, "&&");
        assignment.plain = sign == name + 1 && !assignment.reference;
        assignment.target_first = assignment.target_last = name;
        assignment.value_first = sign + 1;
        assignment.value_last = group ? source.closing(sign) - 1 : range->last;
        if (assignment.value_first <= assignment.value_last) result.push_back(assignment);
    }
    return result;
}

}  // namespace lanewise::annotate
