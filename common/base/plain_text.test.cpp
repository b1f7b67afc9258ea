#include "common/base/plain_text.hpp"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

TEST(PlainText, KeepsTextOfAllLanguages) {
    for (const char* text : {"", "warp_sum_xor<32>", "波の和", "😀", "a\u00a0b", "é"})
        EXPECT_EQ(plain_text(text), text);
}

TEST(PlainText, TakesTheForceOutOfControlCharacters) {
    EXPECT_EQ(plain_text("a\x1b[31mb"), "a\uFFFD[31mb");
    EXPECT_EQ(plain_text(std::string("\0\n\t\x7f", 4)), "\uFFFD\uFFFD\uFFFD\uFFFD");
    EXPECT_EQ(plain_text("a\u009b31m"), "a\uFFFD31m");   // the one-character form of Esc [
}

TEST(PlainText, ReplacesBytesThatAreNoUtf8) {
    EXPECT_EQ(plain_text("a\xff"), "a\uFFFD");
    EXPECT_EQ(plain_text("\xe6\xb3"), "\uFFFD\uFFFD");     // cut off
    EXPECT_EQ(plain_text("\xc3x\x80"), "\uFFFDx\uFFFD");
}

}  // namespace
}  // namespace lanewise
