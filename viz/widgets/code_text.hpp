// The kernel file as coloured text: just enough of C++ to distinguish comments, literals, keywords and intrinsics.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/scene/code_lines.hpp"
#include "viz/widgets/paint.hpp"

namespace lanewise::viz {

using scene::CodeLine;
using scene::read_code;
using scene::Token;
using scene::TokenKind;

// Where a line is broken to fit `columns`: at a space or after a comma where there is one. Continuation pieces start
// at `indent` columns.
struct CodePiece {
    std::size_t begin = 0;
    std::size_t size = 0;
    int indent = 0;
};
std::vector<CodePiece> wrap_code(std::string_view line, int columns);

// One piece of a line, with its tokens' colours.
void code_piece(const Brush& brush, Face face, Point at, const CodeLine& line, const CodePiece& piece);

}  // namespace lanewise::viz
