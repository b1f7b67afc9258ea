// Runs libclang's parser against CUDA's declarations.
#pragma once

#include <functional>

#include "common/annotate/clang.hpp"
#include "common/annotate/syntax/unit.hpp"

namespace lanewise::annotate {

// The parser's command line, with the declarations or without.
std::vector<std::string> arguments_for(const Prelude& prelude, bool with_declarations);

// Parses `path`, and what it includes, with `texts` in the place of the files on disk. Throws Error where libclang
// cannot.
ClangUnit parsed(CXIndex index, const std::string& path, std::vector<std::string> arguments, const char* language,
                 std::vector<CXUnsavedFile> texts, unsigned options);

// What conditional directives hide of a file, sorted.
std::vector<Span> hidden_in(CXTranslationUnit unit, CXFile file);

// Functions at global scope that both the files and CUDA declare, with different parameters.
std::vector<std::string> added_overloads(CXTranslationUnit unit, const Prelude& prelude,
                                         const std::function<bool(CXCursor)>& is_own);

}  // namespace lanewise::annotate
