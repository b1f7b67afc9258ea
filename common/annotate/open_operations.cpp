#include "common/annotate/open_operations.hpp"

#include <algorithm>

namespace lanewise::annotate {
namespace {

using Kind = OpenOperation::Kind;

// A type as far as it matters here.
enum class Sort : std::uint8_t { other, whole, floating, dependent };

Sort sort_of(CXType type) {
    const CXType canonical = clang_getCanonicalType(type);
    switch (canonical.kind) {
    case CXType_Dependent:
    case CXType_Unexposed: return Sort::dependent;  // a template's parameter, or made of one
    case CXType_Float:
    case CXType_Double: return Sort::floating;
    case CXType_Bool: return Sort::other;
    case CXType_Enum: return Sort::whole;
    case CXType_LValueReference:
    case CXType_RValueReference: return sort_of(clang_getPointeeType(canonical));
    default:
        return canonical.kind >= CXType_Char_U && canonical.kind <= CXType_Int128 ? Sort::whole : Sort::other;
    }
}

Sort sort_of(CXCursor cursor) { return sort_of(clang_getCursorType(cursor)); }

struct Constant {
    bool whole = false;
    bool floating = false;
    long long number = 0;
    double value = 0;
};

Constant constant_of(CXCursor cursor) {
    Constant result;
    CXEvalResult evaluated = clang_Cursor_Evaluate(cursor);
    if (evaluated == nullptr) return result;
    const CXEvalResultKind kind = clang_EvalResult_getKind(evaluated);
    result.whole = kind == CXEval_Int;
    result.floating = kind == CXEval_Float;
    if (result.whole)
        result.number = clang_EvalResult_isUnsignedInt(evaluated)
                            ? static_cast<long long>(clang_EvalResult_getAsUnsigned(evaluated))
                            : clang_EvalResult_getAsLongLong(evaluated);
    if (result.floating) result.value = clang_EvalResult_getAsDouble(evaluated);
    clang_EvalResult_dispose(evaluated);
    return result;
}

std::string canonical_name(CXType type) {
    const CXType canonical = clang_getCanonicalType(type);
    std::string name = taken(clang_getTypeSpelling(
        canonical.kind == CXType_LValueReference ? clang_getPointeeType(canonical) : canonical));
    for (const std::string_view qualifier : {"const ", "volatile "})
        if (name.starts_with(qualifier)) name.erase(0, qualifier.size());
    return name;
}

class Operations {
public:
    Operations(const Places& places, File& file) : places_(places), source_(file.source), file_(file) {}

    void note(CXCursor cursor) {
        switch (clang_getCursorKind(cursor)) {
        case CXCursor_BinaryOperator:
        case CXCursor_CompoundAssignOperator: binary(cursor, children(cursor)); break;
        case CXCursor_CallExpr: binary(cursor, operands(cursor)); break;
        case CXCursor_UnexposedExpr: implicit(cursor); break;
        case CXCursor_CStyleCastExpr:
        case CXCursor_CXXStaticCastExpr:
        case CXCursor_CXXFunctionalCastExpr: explicit_cast(cursor); break;
        case CXCursor_VarDecl: initialized(cursor); break;
        default: break;
        }
    }

private:
    bool is(std::size_t i, std::string_view text) const { return source_.is(i, text); }

    // A macro may use an argument several times; it is written once.
    void add(OpenOperation operation) {
        const auto known =
            std::any_of(file_.open_operations.begin(), file_.open_operations.end(), [&](const auto& other) {
                return other.kind == operation.kind && other.left == operation.left && other.right == operation.right;
            });
        if (!known) file_.open_operations.push_back(std::move(operation));
    }

    // In a template, an operator that a class may define comes as a call: what it is between.
    std::vector<CXCursor> operands(CXCursor call) const {
        std::vector<CXCursor> result;
        if (sort_of(call) != Sort::dependent) return result;
        for (const CXCursor& part : children(call))
            if (clang_getCursorKind(part) != CXCursor_OverloadedDeclRef && places_.written(part))
                result.push_back(part);
        if (result.size() == 3) result.erase(result.begin() + 1);  // the operator's name
        return result;
    }

    void binary(CXCursor cursor, const std::vector<CXCursor>& parts) {
        if (parts.size() != 2) return;
        const auto left = places_.written(parts[0]), right = places_.written(parts[1]);
        if (!left || !right || right->first != left->last + 2) return;
        const std::size_t sign = left->last + 1;
        const Sort a = sort_of(parts[0]), b = sort_of(parts[1]);
        if (is(sign, "=")) {
            if (a == Sort::whole && b == Sort::dependent) converts(*right, parts[1], clang_getCursorType(parts[0]));
            return;
        }
        const bool assigns = source_[sign].text.size() > 1 && source_[sign].text.ends_with("=");
        const std::string_view sign_text = source_[sign].text;
        const std::string_view operation = assigns ? sign_text.substr(0, sign_text.size() - 1) : sign_text;
        if (assigns && !repeatable(*left)) return;
        if (assigns && a == Sort::whole && b == Sort::floating && !operation.empty()) {
            add({Kind::convert, *left, *right, true, canonical_name(clang_getCursorType(parts[0]))});
            return;
        }
        const bool shifts = operation == "<<" || operation == ">>", divides = operation == "/" || operation == "%";
        const auto may_be_whole = [](Sort sort) { return sort == Sort::whole || sort == Sort::dependent; };
        if ((!shifts && !divides) || !may_be_whole(a) || !may_be_whole(b)) return;
        if (divides && is(right->first, "sizeof")) return;
        const Constant by = constant_of(parts[1]);
        if (by.floating || (divides && by.whole && by.number != 0 && by.number != -1)) return;
        if (shifts && by.whole && by.number >= 0 && by.number < least_width(parts[0], a)) return;
        if (!assigns && constant_of(cursor).whole) return;
        const Kind kind = operation == "<<"   ? Kind::shift_left
                          : operation == ">>" ? Kind::shift_right
                          : operation == "/"  ? Kind::divide
                                              : Kind::remainder;
        add({kind, *left, *right, assigns, {}});
    }

    static long long least_width(CXCursor cursor, Sort sort) {
        if (sort == Sort::dependent) return 32;
        return std::max(4LL, static_cast<long long>(clang_Type_getSizeOf(clang_getCursorType(cursor)))) * 8;
    }

    // May the text of an assignment's target occur twice? It calls nothing, changes nothing and reads no other element.
    bool repeatable(Range target) const {
        int subscripts = 0;
        for (std::size_t i = target.first; i <= target.last; ++i) {
            if (is(i, "(") || is(i, "++") || is(i, "--") || is(i, "*") || is(i, "->")) return false;
            subscripts += is(i, "[") ? 1 : 0;
        }
        return subscripts < 2;
    }

    void converts(Range operand, CXCursor expression, CXType type) {
        converts(operand, expression, canonical_name(type), type);
    }

    void converts(Range operand, CXCursor expression, std::string name, CXType type) {
        const Constant constant = constant_of(expression);
        // Two to the 7 and less, and 0 for what has no sign: every type holds these.
        const double least = clang_getCanonicalType(type).kind <= CXType_UInt128 ? 0 : -128;
        if (constant.whole || (constant.floating && constant.value > least - 1 && constant.value < 128)) return;
        add({Kind::convert, {1, 0}, operand, false, std::move(name)});
    }

    void implicit(CXCursor cursor) {
        const std::vector<CXCursor> parts = children(cursor);
        if (parts.size() != 1 || sort_of(cursor) != Sort::whole || sort_of(parts[0]) != Sort::floating) return;
        if (clang_getCanonicalType(clang_getCursorType(cursor)).kind == CXType_Enum) return;
        if (const auto operand = places_.written(parts[0])) converts(*operand, parts[0], clang_getCursorType(cursor));
    }

    void explicit_cast(CXCursor cursor) {
        const std::vector<CXCursor> parts = children(cursor);
        const auto whole = places_.written(cursor);
        if (parts.empty() || !whole) return;
        const CXCursor expression = parts.back();
        const auto operand = places_.written(expression);
        const Sort to = sort_of(cursor), from = sort_of(expression);
        const bool open = (to == Sort::whole && (from == Sort::floating || from == Sort::dependent)) ||
                          (to == Sort::dependent && (from == Sort::floating || from == Sort::dependent));
        if (!operand || !open || !whole->holds(*operand) || *operand == *whole) return;
        const Range name = type_name(cursor, *whole);
        if (name.empty()) return;
        converts(*operand, expression, source_.text_of(name.first, name.last), clang_getCursorType(cursor));
    }

    // The tokens that name the type of a cast.
    Range type_name(CXCursor cursor, Range whole) const {
        const CXCursorKind kind = clang_getCursorKind(cursor);
        if (kind == CXCursor_CStyleCastExpr)
            return is(whole.first, "(") ? Range{whole.first + 1, source_.closing(whole.first) - 1} : Range{1, 0};
        if (kind == CXCursor_CXXStaticCastExpr) {
            const std::size_t open = whole.first + 1;
            return is(open, "<") && source_.closing(open) != kNone ? Range{open + 1, source_.closing(open) - 1}
                                                                   : Range{1, 0};
        }
        std::size_t open = whole.first;
        while (open <= whole.last && !is(open, "(") && !is(open, "{")) ++open;
        return open > whole.first ? Range{whole.first, open - 1} : Range{1, 0};
    }

    // int i = …, of a value whose type a template decides.
    void initialized(CXCursor cursor) {
        const std::vector<CXCursor> parts = children(cursor);
        if (parts.empty() || sort_of(clang_getCursorType(cursor)) != Sort::whole) return;
        if (clang_getCanonicalType(clang_getCursorType(cursor)).kind == CXType_Enum) return;
        const CXCursor value = parts.back();
        if (!clang_isExpression(clang_getCursorKind(value)) || clang_getCursorKind(value) == CXCursor_InitListExpr)
            return;
        const auto operand = places_.written(value);
        if (operand && sort_of(value) == Sort::dependent && is(operand->first - 1, "="))
            converts(*operand, value, clang_getCursorType(cursor));
    }

    const Places& places_;
    const Source& source_;
    File& file_;
};

std::string called(Kind kind) {
    const char* names[] = {"shifted_left", "shifted_right", "divided", "remaining", "converted"};
    return std::string("::lanewise_emulated::") + names[static_cast<int>(kind)];
}

void close_operation(const Source& source, const OpenOperation& operation, Edits& edits) {
    const bool divides = operation.kind == Kind::divide || operation.kind == Kind::remainder;
    const std::size_t sign = operation.left.last + 1, end = source[operation.right.last].end();
    const std::string behind = divides ? ", " + std::to_string(source[sign].line) + ")" : ")";
    if (operation.kind == Kind::convert && !operation.assigns) {
        edits.wrap(source[operation.right.first].offset, called(operation.kind) + "<" + operation.type + ">(", end,
                   ")");
    } else if (!operation.assigns) {
        edits.wrap(source[operation.left.first].offset, called(operation.kind) + "(", end, behind);
        edits.replace(source[sign].offset, source[sign].text.size(), ",");
    } else {
        const std::string target = source.text_of(operation.left.first, operation.left.last);
        const std::string_view text = source[sign].text;
        if (operation.kind == Kind::convert) {
            edits.replace(source[sign].offset, text.size(), "=");
            edits.wrap(source[operation.right.first].offset,
                       called(operation.kind) + "<" + operation.type + ">(" + target + " " +
                           std::string(text.substr(0, text.size() - 1)) + " (",
                       end, "))");
        } else {
            edits.replace(source[sign].offset, text.size(), "=");
            edits.wrap(source[operation.right.first].offset, called(operation.kind) + "(" + target + ", ", end, behind);
        }
    }
}

}  // namespace

void note_open_operation(CXCursor cursor, const Places& places, File& file) { Operations(places, file).note(cursor); }

void close_operations(const File& file, Edits& edits) {
    for (const OpenOperation& operation : file.open_operations) close_operation(file.source, operation, edits);
}

}  // namespace lanewise::annotate
