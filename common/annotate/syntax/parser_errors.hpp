// What the parser says is wrong in a kernel file and its headers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/annotate/syntax/pieces.hpp"

namespace lanewise::annotate {

// A byte of one of the files.
struct Spot {
    std::size_t file, offset;
};

// Where a location lies in the files; nothing where it is in none of them.
std::optional<Spot> spot_of(CXSourceLocation location, const std::vector<ParsedFile>& files);

struct ParserError {
    Spot at;                                  // of the error, or of what led to it
    Remark said;
    std::optional<std::string> not_emulated;  // what the prelude says it is, where that cannot be emulated
};

// Errors of a parse that have a place in the files. Left out is what is wrong in the global scope alone, which a copy
// is not in.
std::vector<ParserError> errors_of(CXTranslationUnit unit, const std::vector<ParsedFile>& files);

}  // namespace lanewise::annotate
