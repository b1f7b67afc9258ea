#include "viz/widgets/code_text.hpp"

#include <gtest/gtest.h>

namespace lanewise::viz {
namespace {

std::string of_kind(const CodeLine& line, TokenKind kind) {
    std::string all;
    for (const Token& token : line.tokens) {
        if (token.kind == kind) all += line.text.substr(token.begin, token.size) + "|";
    }
    return all;
}

TEST(CodeText, DistinguishesTokens) {
    const auto lines = read_code("const float peer = __shfl_xor_sync(kFull, value, 16);  // the partner\n");
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(of_kind(lines[0], TokenKind::keyword), "const|float|");
    EXPECT_EQ(of_kind(lines[0], TokenKind::intrinsic), "__shfl_xor_sync|");
    EXPECT_EQ(of_kind(lines[0], TokenKind::literal), "16|");
    EXPECT_EQ(of_kind(lines[0], TokenKind::comment), "// the partner|");
}

TEST(CodeText, TokensCoverTheLine) {
    for (const CodeLine& line : read_code("#pragma unroll\n\tauto s = \"a\\\"b\"; /* x\n y */ int z = 0xffu;\n\n}")) {
        std::size_t at = 0;
        for (const Token& token : line.tokens) {
            EXPECT_EQ(token.begin, at);
            at += token.size;
        }
        EXPECT_EQ(at, line.text.size());
    }
}

TEST(CodeText, BlockCommentsCarryOver) {
    const auto lines = read_code("a /* one\ntwo\nthree */ b");
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(of_kind(lines[1], TokenKind::comment), "two|");
    EXPECT_EQ(of_kind(lines[2], TokenKind::comment), "three */|");
}

TEST(CodeText, WrapsAtSpacesAndLosesNothing) {
    const std::string line = "    const float value = __shfl_down_sync(0xffffffff, other_value, offset, width);";
    const auto pieces = wrap_code(line, 40);
    ASSERT_GE(pieces.size(), 2u);
    std::string joined;
    for (const CodePiece& piece : pieces) {
        EXPECT_LE(static_cast<int>(piece.size) + piece.indent, 40);
        joined += line.substr(piece.begin, piece.size);
    }
    std::string without_spaces = line;
    std::erase(without_spaces, ' ');
    std::erase(joined, ' ');
    EXPECT_EQ(joined, without_spaces);
    EXPECT_EQ(wrap_code("", 40).size(), 1u);
    EXPECT_EQ(wrap_code("short", 40).size(), 1u);
}

}  // namespace
}  // namespace lanewise::viz
