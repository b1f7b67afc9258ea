// Where a cursor of libclang's is among the tokens of one file.
#pragma once

#include <optional>

#include "common/annotate/clang.hpp"
#include "common/annotate/syntax/unit.hpp"

namespace lanewise::annotate {

class Places {
public:
    Places(const Source& source, CXFile file) : source_(source), file_(file) {}

    // Is the cursor in this file, be it by way of a macro?
    bool holds(CXCursor cursor) const;

    // Its tokens, where it was written: an argument of a macro is between the macro's parentheses, and what only
    // begins or ends in one takes in all of the macro's use. Nothing where it is elsewhere.
    std::optional<Range> written(CXCursor cursor) const;

    // Its tokens, where it takes effect: all of a macro's use that it begins or ends in.
    std::optional<Range> expanded(CXCursor cursor) const;

    // The token at the cursor's own place (of a call or a variable: the name); kNone where it is none of this file's.
    std::size_t name(CXCursor cursor) const;

private:
    std::optional<std::size_t> offset(CXSourceLocation location, bool expanded) const;
    // The last token of the macro's use that begins at this offset.
    std::size_t end_of_use(std::size_t offset) const;

    const Source& source_;
    CXFile file_;
};

}  // namespace lanewise::annotate
