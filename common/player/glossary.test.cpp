#include "common/player/glossary.hpp"

#include <gtest/gtest.h>

namespace lanewise::player {
namespace {

const Glossary& sample() {
    static const Glossary glossary(
        "# Glossary\n\nEach term: one sentence.\n\n## bank\nOne of 32 parts.\nSource: Guide, A\n\n"
        "## bank conflict\nTwo words of\none bank.\nSource: Guide, B\n\n## lane\nA thread's place.\nSource: C\n\n"
        "## L1\nA cache.\nSource: D\n");
    return glossary;
}

TEST(GlossaryOfAText, HasASentenceAndASourceForEachTerm) {
    ASSERT_EQ(sample().terms().size(), 4u);
    EXPECT_EQ(sample().terms()[1].name, "bank conflict");
    EXPECT_EQ(sample().terms()[1].sentence, "Two words of one bank.");
    EXPECT_EQ(sample().terms()[1].source, "Guide, B");
}

TEST(GlossaryOfAText, FindsTheTermOfALink) {
    ASSERT_NE(sample().find("bank-conflict"), nullptr);
    EXPECT_EQ(sample().find("bank-conflict")->name, "bank conflict");
    EXPECT_EQ(sample().find("l1")->name, "L1");
    EXPECT_EQ(sample().find("warp"), nullptr);
}

TEST(GlossaryOfAText, FindsTheLongestTermUnderThePointer) {
    const std::string text = "8-way bank conflicts in Bank 3, planes, L1";
    EXPECT_EQ(sample().at(text, 0), nullptr);
    EXPECT_EQ(sample().at(text, text.find("bank"))->name, "bank conflict");
    EXPECT_EQ(sample().at(text, text.find("conflicts") + 8)->name, "bank conflict");
    EXPECT_EQ(sample().at(text, text.find("Bank 3"))->name, "bank");
    EXPECT_EQ(sample().at(text, text.find("lanes")), nullptr);   // of "planes"
    EXPECT_EQ(sample().in(text).size(), 3u);
}

}  // namespace
}  // namespace lanewise::player
