#include "common/annotate/syntax/places.hpp"

namespace lanewise::annotate {

std::optional<std::size_t> Places::offset(CXSourceLocation location, bool expanded) const {
    CXFile file = nullptr;
    unsigned at = 0;
    (expanded ? clang_getExpansionLocation : clang_getFileLocation)(location, &file, nullptr, nullptr, &at);
    if (file == nullptr || clang_File_isEqual(file, file_) == 0) return std::nullopt;
    return at;
}

bool Places::holds(CXCursor cursor) const { return offset(clang_getCursorLocation(cursor), true).has_value(); }

std::optional<Range> Places::written(CXCursor cursor) const {
    const CXSourceRange range = clang_getCursorExtent(cursor);
    const auto begin = offset(clang_getRangeStart(range), false), end = offset(clang_getRangeEnd(range), false);
    if (!begin || !end || *end <= *begin) return std::nullopt;
    const Range result{source_.token_from(*begin), source_.token_until(*end)};
    if (result.last == kNone || result.empty() || result.last >= source_.size()) return std::nullopt;
    return result;
}

std::optional<Range> Places::expanded(CXCursor cursor) const {
    const CXSourceRange range = clang_getCursorExtent(cursor);
    const auto begin = offset(clang_getRangeStart(range), true), end = offset(clang_getRangeEnd(range), true);
    const auto written_end = offset(clang_getRangeEnd(range), false);
    if (!begin || !end || !written_end) return std::nullopt;
    Range result{source_.token_from(*begin), source_.token_until(*written_end)};
    if (*end != *written_end) {
        // It ends in a macro's argument: all of the macro's use is meant.
        result.last = source_.token_from(*end);
        if (source_.is(result.last + 1, "(")) result.last = source_.closing(result.last + 1);
    }
    if (result.last == kNone || result.empty() || result.last >= source_.size()) return std::nullopt;
    return result;
}

std::size_t Places::name(CXCursor cursor) const {
    const auto at = offset(clang_getCursorLocation(cursor), false);
    if (!at) return kNone;
    const std::size_t token = source_.token_from(*at);
    return token < source_.size() && source_[token].offset == *at ? token : kNone;
}

}  // namespace lanewise::annotate
