#include "common/annotate/syntax/kernel_outline.hpp"

#include <algorithm>

namespace lanewise::annotate {
namespace {

using ParameterKind = CallParameter::Kind;

// The text of a declaration without its name and default value, and the latter.
struct Written {
    std::string type, default_value;
};

Written written(CXCursor cursor, const Places& places, const Source& source) {
    Written result;
    const auto range = places.written(cursor);
    if (!range) {
        result.type = taken(clang_getTypeSpelling(clang_getCursorType(cursor)));
        return result;
    }
    const std::size_t name = places.name(cursor);
    const std::string spelling = taken(clang_getCursorSpelling(cursor));
    std::size_t last = range->last;
    for (std::size_t i = range->first; i <= range->last; i = source.next(i)) {
        if (!source.is(i, "=")) continue;
        if (i < range->last) result.default_value = source.text_of(i + 1, range->last);
        last = i - 1;
        break;
    }
    for (std::size_t i = range->first; i <= last && i < source.size(); ++i) {
        if (i == name && source.is(i, spelling)) continue;
        const bool apart = !result.type.empty() && source[i].offset > source[i - 1].end();
        result.type += (apart ? " " : "") + std::string(source[i].text);
    }
    return result;
}

bool is_number(CXType type) { return type.kind >= CXType_Bool && type.kind <= CXType_LongDouble; }

bool is_half(CXType type) {
    const std::string name = taken(clang_getCursorSpelling(clang_getTypeDeclaration(type)));
    return name == "__half" || name == "__nv_bfloat16";
}

ParameterKind kind_of(CXType type) {
    const CXType canonical = clang_getCanonicalType(type);
    if (canonical.kind == CXType_Pointer || canonical.kind == CXType_IncompleteArray ||
        canonical.kind == CXType_ConstantArray) {
        const CXType element =
            canonical.kind == CXType_Pointer ? clang_getPointeeType(canonical) : clang_getArrayElementType(canonical);
        return clang_isConstQualifiedType(element) != 0 ? ParameterKind::pointer_to_const : ParameterKind::pointer;
    }
    if (is_number(canonical) || canonical.kind == CXType_Enum || is_half(canonical)) return ParameterKind::scalar;
    return canonical.kind == CXType_Record ? ParameterKind::structure : ParameterKind::dependent;
}

std::string without_const(std::string type) {
    for (const std::string qualifier : {"const ", "volatile "})
        while (type.starts_with(qualifier)) type.erase(0, qualifier.size());
    for (const std::string qualifier : {" const", " volatile"})
        while (type.ends_with(qualifier)) type.erase(type.size() - qualifier.size());
    return type;
}

CallParameter parameter(CXCursor cursor, const Places& places, const Source& source) {
    CallParameter result;
    result.name = taken(clang_getCursorSpelling(cursor));
    result.type = written(cursor, places, source).type;
    const CXType type = clang_getCursorType(cursor), canonical = clang_getCanonicalType(type);
    result.kind = kind_of(type);
    if (result.kind == ParameterKind::pointer || result.kind == ParameterKind::pointer_to_const) {
        const std::size_t star = result.type.find_last_of("*[");
        CXType element = clang_getPointeeType(type);
        if (element.kind == CXType_Invalid)
            element = canonical.kind == CXType_Pointer ? clang_getPointeeType(canonical)
                                                       : clang_getArrayElementType(canonical);
        std::string text =
            star == std::string::npos ? taken(clang_getTypeSpelling(element)) : result.type.substr(0, star);
        text.erase(text.find_last_not_of(' ') + 1);
        result.element = without_const(text);
    }
    if (result.kind == ParameterKind::structure)
        for (const CXCursor& member : children(clang_getTypeDeclaration(canonical)))
            if (clang_getCursorKind(member) == CXCursor_FieldDecl)
                result.fields.push_back(taken(clang_getCursorSpelling(member)));
    return result;
}

TemplateParameter template_parameter(CXCursor cursor, const Places& places, const Source& source) {
    TemplateParameter result;
    result.name = taken(clang_getCursorSpelling(cursor));
    Written text = written(cursor, places, source);
    result.default_value = text.default_value;
    result.is_pack = text.type.find("...") != std::string::npos;
    switch (clang_getCursorKind(cursor)) {
        case CXCursor_TemplateTypeParameter:
            result.kind = "typename";
            break;
        case CXCursor_TemplateTemplateParameter:
            result.kind = "template";
            break;
        default:
            result.kind = text.type;
    }
    return result;
}

}  // namespace

KernelOutline outline_of(CXCursor function, const Places& places, const Source& source) {
    KernelOutline result;
    result.name = taken(clang_getCursorSpelling(function));
    result.name = result.name.substr(0, result.name.find('<'));
    for (CXCursor scope = clang_getCursorSemanticParent(function); clang_getCursorKind(scope) == CXCursor_Namespace;
         scope = clang_getCursorSemanticParent(scope))
        if (const std::string name = taken(clang_getCursorSpelling(scope)); !name.empty())
            result.name = name + "::" + result.name;
    unsigned line = 0;
    clang_getExpansionLocation(clang_getCursorLocation(function), nullptr, &line, nullptr, nullptr);
    result.path = source.path();
    result.line = static_cast<int>(line);
    for (const CXCursor& child : children(function)) {
        switch (clang_getCursorKind(child)) {
            case CXCursor_ParmDecl:
                result.parameters.push_back(parameter(child, places, source));
                break;
            case CXCursor_TemplateTypeParameter:
            case CXCursor_NonTypeTemplateParameter:
            case CXCursor_TemplateTemplateParameter:
                result.template_parameters.push_back(template_parameter(child, places, source));
                break;
            default:
                break;
        }
    }
    return result;
}

}  // namespace lanewise::annotate
