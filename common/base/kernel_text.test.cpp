#include "common/base/kernel_text.hpp"

#include <gtest/gtest.h>

#include "common/base/folder.testing.hpp"

namespace lanewise {
namespace {

TEST(KernelText, HoldsTheFilesBesideBehindTheFile) {
    const testing::TemporaryFolder folder;
    folder.write("sums.cuh", "#pragma once\n#include \"more.cuh\"\nsums\n");
    folder.write("more.cuh", "more");
    folder.write("other.cuh", "other\n");
    const std::string path = (folder.path() / "kernels.cuh").string();
    const std::string text = "#include <cmath>\n # include \"sums.cuh\"  // first\n// #include \"not.cuh\"\n"
                             "#include \"absent.cuh\"\n#include \"other.cuh\"\n#include \"sums.cuh\"\nkernel";
    const auto texts = kernel_texts(path, text);
    ASSERT_EQ(texts.size(), 4u);
    EXPECT_EQ(texts[1].path, (folder.path() / "sums.cuh").string());
    EXPECT_EQ(texts[1].first_line, 8);
    EXPECT_EQ(texts[2].path, (folder.path() / "more.cuh").string());
    EXPECT_EQ(texts[2].first_line, 11);
    EXPECT_EQ(texts[3].first_line, 12);
    EXPECT_EQ(whole_kernel_text(path, text),
              text + "\n#pragma once\n#include \"more.cuh\"\nsums\nmore\nother\n");
}

TEST(KernelText, LinesInASentenceAreNamed) {
    const auto named = [](int line) { return "<" + std::to_string(line) + ">"; };
    EXPECT_EQ(name_lines("a on line 12, b on line 7.", named), "a on line <12>, b on line <7>.");
    EXPECT_EQ(name_lines("line 3 at the beginning, a line  and line -4, online 5", named),
              "line 3 at the beginning, a line  and line -4, online 5");
    EXPECT_EQ(name_lines("on line 1234567890", named), "on line <123456789>0");
    EXPECT_EQ(name_lines("at the end: line 8", named), "at the end: line <8>");
    EXPECT_EQ(name_lines("ends in line ", named), "ends in line ");
    EXPECT_EQ(name_lines("", named), "");
}

TEST(KernelText, CodeHasNoCommentsAndKeepsItsLines) {
    EXPECT_EQ(code_of("int a;   // one\n// two\nint/* b\n c */d;\t\r\n"), "int a;\n\nint\nd;\n");
    EXPECT_EQ(code_of("f();  // last"), "f();");
    EXPECT_EQ(code_of("a  // joined \\\n to this\nb"), "a\n\nb");
    EXPECT_EQ(code_of("a/**/b /* never closed"), "a b");
    EXPECT_EQ(code_of("x /"), "x /");
    EXPECT_EQ(code_of(""), "");
}

TEST(KernelText, WhatLooksLikeACommentInAStringIsCode) {
    for (const char* text : {R"t(printf("// %d \" /* ", 1); f();)t", R"t(char c = '"', d = '\''; g("//");)t",
                             R"t(int n = 1'000'000 + 0x7f'ff; h("/*");)t", R"t(s = R"x(a )" // b)x";)t",
                             R"t(auto u = u8'"';)t"})
        EXPECT_EQ(code_of(text + std::string("  // gone")), text);
    // A string that is left open ends with its line.
    EXPECT_EQ(code_of("a = \"open\nb; // gone\n"), "a = \"open\nb;\n");
}

TEST(KernelText, OfAFileAloneIsTheFile) { EXPECT_EQ(whole_kernel_text("/k.cuh", "a\nb"), "a\nb"); }

}  // namespace
}  // namespace lanewise
