// A kernel file in pieces: just enough of C++ to distinguish comments, literals, keywords and intrinsics.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::scene {

enum class TokenKind : std::uint8_t { plain, keyword, intrinsic, literal, comment };

struct Token {
    TokenKind kind = TokenKind::plain;
    std::size_t begin = 0;  // in the line
    std::size_t size = 0;
};

struct CodeLine {
    std::string text;           // tabs spelled as spaces
    std::vector<Token> tokens;  // cover the whole of `text`, in order
};

// A file, line by line; block comments carry over.
std::vector<CodeLine> read_code(std::string_view file);

}  // namespace lanewise::scene
