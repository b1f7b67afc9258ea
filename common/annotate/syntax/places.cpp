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

std::size_t Places::end_of_use(std::size_t offset) const {
    const std::size_t name = source_.token_from(offset);
    return source_.is(name + 1, "(") ? source_.closing(name + 1) : name;
}

std::optional<Range> Places::written(CXCursor cursor) const {
    const CXSourceRange range = clang_getCursorExtent(cursor);
    const auto begin = offset(clang_getRangeStart(range), false), end = offset(clang_getRangeEnd(range), false);
    if (!begin || !end || *end <= *begin) return std::nullopt;
    Range result{source_.token_from(*begin), source_.token_until(*end)};
    const auto from = offset(clang_getRangeStart(range), true), until = offset(clang_getRangeEnd(range), true);
    if (!from || !until) return std::nullopt;
    // Where one end is in a macro's argument and the other is not, all of the macro's use is meant.
    const bool begins_inside = *from != *begin, ends_inside = *until != *end;
    if (begins_inside && !(ends_inside && *from == *until)) result.first = source_.token_from(*from);
    if (ends_inside && !(begins_inside && *from == *until)) result.last = end_of_use(*until);
    if (result.last == kNone || result.empty() || result.last >= source_.size()) return std::nullopt;
    return result;
}

std::optional<Range> Places::expanded(CXCursor cursor) const {
    const CXSourceRange range = clang_getCursorExtent(cursor);
    const auto begin = offset(clang_getRangeStart(range), true), end = offset(clang_getRangeEnd(range), true);
    const auto written_end = offset(clang_getRangeEnd(range), false);
    if (!begin || !end || !written_end) return std::nullopt;
    Range result{source_.token_from(*begin), source_.token_until(*written_end)};
    if (*end != *written_end) result.last = end_of_use(*end);  // it ends in a macro's argument
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
