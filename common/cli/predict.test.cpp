#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/cli/testing/tiny_program.testing.hpp"

namespace lanewise::cli {
namespace {

using testing::TinyProgram;

TinyProgram::Answer typed(TinyProgram& tiny, const std::string& how, const std::string& text) {
    std::istringstream in(text);
    std::ostringstream out, err;
    const int status = run_program(tiny.program, {"--predict", how, "--backend", "cpu"}, {out, err, false, false, &in});
    return {status, out.str(), err.str()};
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

// Every question of the xor tree over 0 to 31, answered from the list.
TEST(Predict, AnExamIsScored) {
    TinyProgram tiny;
    const auto listed = tiny({"--predict", "list", "--backend", "cpu"});
    ASSERT_EQ(listed.status, 0) << listed.err;
    std::istringstream lines(listed.out);
    std::string right, wrong;
    int questions = 0;
    for (std::string line; std::getline(lines, line); ++questions) {
        const auto json = nlohmann::json::parse(line);
        right += json["answer"].get<std::string>() + "\n";
        wrong += "77\n";
    }
    EXPECT_GE(questions, 11);  // a load, and two for each of five rounds
    const auto all = typed(tiny, "exam", right);
    EXPECT_EQ(all.status, 0) << all.err;
    EXPECT_NE(all.out.find(std::to_string(questions) + " of " + std::to_string(questions) + " right\n"),
              std::string::npos)
        << all.out;
    // An answer that cannot be one is asked for again; a wrong one is reported.
    const auto none = typed(tiny, "exam", "perhaps\n77\nq\n");
    EXPECT_NE(none.out.find("'perhaps' is no answer"), std::string::npos) << none.out;
    EXPECT_NE(none.out.find("no: it is 4\n"), std::string::npos) << none.out;
    EXPECT_NE(none.out.find("0 of 1 right\n"), std::string::npos) << none.out;
}

// While a question is open, nothing that answers it is on the screen.
TEST(Predict, TheAnswerIsHiddenUntilItIsGiven) {
    TinyProgram tiny;
    const auto first = typed(tiny, "exam", "4\n");
    const auto asked = first.out.find("which lane does lane");
    ASSERT_NE(asked, std::string::npos) << first.out;
    EXPECT_EQ(first.out.find(" ← lane"), std::string::npos) << first.out;
    EXPECT_EQ(first.out.find("receives"), std::string::npos) << first.out;
}

TEST(Predict, GentleAsksNowAndThenAndSkips) {
    TinyProgram tiny;
    const auto skipped = typed(tiny, "gentle", "\n\n\n\n\n\n");
    EXPECT_EQ(skipped.status, 0) << skipped.err;
    EXPECT_EQ(count(skipped.out, "skipped: "), 2u) << skipped.out;  // of six steps with questions
    EXPECT_NE(skipped.out.find("0 of 0 right\n"), std::string::npos) << skipped.out;
}

TEST(Predict, BadFlagsAreSentences) {
    TinyProgram tiny;
    EXPECT_NE(tiny({"--predict", "hard"}).err.find("--predict hard is not one of gentle, exam, list"),
              std::string::npos);
    EXPECT_NE(tiny({"--predict", "exam", "--text"}).err.find("leave out --text"), std::string::npos);
}

}  // namespace
}  // namespace lanewise::cli
