// A lesson's controls and typed values, from the flag to the plan, the heading and the trace.
#include "common/lesson/controls.hpp"

#include <gtest/gtest.h>

#include "common/cli/testing/tiny_program.testing.hpp"
#include "common/trace/io.hpp"

namespace lanewise::cli {
namespace {

using testing::TinyProgram;

// The tiny lesson with a variant that adds its control's number for lane 1 to the first value.
struct WithControls : TinyProgram {
    WithControls() {
        program.lesson.control(lesson::choice("op", {"up", "down"}, "down", "Which way"));
        program.lesson.control(lesson::per_lane_control("arg", "1", "How far"));
        program.lesson.control(lesson::lane_mask("mask", "0xff", "Who"));
        program.lesson.add({.name = "tiny_chosen",
                            .title = "chosen",
                            .plan =
                                [this](launch::Plan& plan, const lesson::Inputs& inputs) {
                                    testing::plan_tiny(plan, inputs);
                                    seen = inputs.controls;
                                },
                            .controls = {{"op", ""}, {"arg", "lane + 3"}}});
    }
    lesson::ChosenControls seen;
};

TEST(Controls, BecomeFlagsAndReachThePlan) {
    WithControls tiny;
    const auto help = tiny({"--help"});
    EXPECT_NE(help.out.find("--op up|down"), std::string::npos) << help.out;
    EXPECT_NE(help.out.find("Which way (default down)"), std::string::npos) << help.out;
    // The variant's own default, then what is asked for.
    const auto own = tiny({"--text", "--backend", "cpu", "--variant", "tiny_chosen"});
    EXPECT_EQ(own.status, 0) << own.err;
    EXPECT_NE(own.out.find("input ramp · op down · arg lane + 3\n"), std::string::npos) << own.out;
    EXPECT_EQ(tiny.seen.lanes("arg")[1], 4);
    const auto asked = tiny({"--text", "--backend", "cpu", "--op", "up", "--arg", "-lane"});
    EXPECT_EQ(asked.status, 0) << asked.err;
    // Without --variant it is the first that takes both.
    EXPECT_NE(asked.out.find("Tiny · tiny_chosen\n"), std::string::npos) << asked.out;
    EXPECT_NE(asked.out.find("input ramp · op up · arg -lane\n"), std::string::npos) << asked.out;
    EXPECT_EQ(tiny.seen.lanes("arg")[5], -5);
    // Variants without controls have headings as before.
    EXPECT_NE(tiny({"--text", "--backend", "cpu"}).out.find("input ramp\n"), std::string::npos);
}

TEST(Controls, BadOnesAreSentences) {
    WithControls tiny;
    const std::pair<std::vector<std::string>, const char*> wrong[] = {
        {{"--text", "--op", "left"}, "--op left is not one of up, down"},
        {{"--text", "--op="}, "--op needs a value"},
        {{"--text", "--arg", "lane +"}, "--arg lane +: a number or lane is missing at its end"},
        {{"--text", "--mask", "0", "--op", "up"}, "--mask 0 names no lane"},
        {{"--text", "--mask", "1", "--op", "up"}, "no variant takes --op and --mask together"},
        {{"--text", "--variant", "tiny_sum", "--op", "up"}, "--op up: tiny_sum has no such control; leave out --op."},
        {{"--text", "--values", "1,x"}, "--values: value 2 is 'x'"},
        {{"--text", "--values", "1", "--input", "ramp"}, "both say what the values are"},
        {{"--text", "--values", "1,2", "--n", "3"}, "--n 3: --values gives 2 numbers"},
        {{"--open", "x.ndjson", "--op", "up"}, "leave out --op"},
        {{"--permutation"}, "add --text"}};
    for (const auto& [arguments, sentence] : wrong) {
        const auto answer = tiny(arguments);
        EXPECT_EQ(answer.status, kExitUsage) << sentence;
        EXPECT_NE(answer.err.find(sentence), std::string::npos) << answer.err;
    }
}

TEST(Controls, AreKeptInATraceAndReadFromIt) {
    WithControls tiny;
    const std::string path = tiny.path("t.ndjson");
    const auto saved =
        tiny({"--save-trace", path, "--backend", "cpu", "--op", "up", "--arg", "7 - lane", "--values", "4,5,6.5"});
    ASSERT_EQ(saved.status, 0) << saved.err;
    const trace::Trace trace = trace::load(path);
    EXPECT_EQ(trace.header.controls, (std::vector<lesson::ControlValue>{{"op", "up"}, {"arg", "7 - lane"}}));
    EXPECT_EQ(trace.header.values, (std::vector<double>{4, 5, 6.5}));
    EXPECT_EQ(trace.header.n, 3u);
    tiny.seen = {};
    const auto opened = tiny({"--open", path, "--text"});
    EXPECT_EQ(opened.status, 0) << opened.err;
    EXPECT_NE(opened.out.find("n 3 · block 32 · input values · op up · arg 7 - lane\n"), std::string::npos)
        << opened.out;
    EXPECT_NE(opened.out.find("15.5"), std::string::npos) << opened.out;  // its results are worked out again
    EXPECT_EQ(tiny.seen.text("arg"), "7 - lane");
    // Of the same variant with another control it is another run.
    const std::string other = tiny.path("u.ndjson");
    ASSERT_EQ(
        tiny({"--save-trace", other, "--backend", "cpu", "--op", "down", "--arg", "7 - lane", "--values", "4,5,6.5"})
            .status,
        0);
    const auto difference = tiny({"--diff", path, other});
    EXPECT_EQ(difference.status, 1);
    EXPECT_NE(difference.out.find("op down"), std::string::npos) << difference.out;
}

// A file may say anything.
TEST(Controls, AForeignValueInATraceIsShownAndNotRun) {
    WithControls tiny;
    const std::string path = tiny.path("t.ndjson");
    ASSERT_EQ(tiny({"--save-trace", path, "--backend", "cpu", "--op", "up"}).status, 0);
    trace::Trace trace = trace::load(path);
    trace.header.controls = {{"op", "sideways"}, {"mood", "fine"}};
    trace::save(path, trace);
    const auto opened = tiny({"--open", path, "--text"});
    EXPECT_EQ(opened.status, 0) << opened.err;
    EXPECT_NE(opened.out.find("op sideways"), std::string::npos) << opened.out;
}

TEST(PrintPermutation, AMatrixOfLanes) {
    TinyProgram tiny;
    const auto plain = tiny({"--text", "--backend", "cpu", "--step", "6"});
    EXPECT_EQ(plain.out.find("■"), std::string::npos);
    const auto answer = tiny({"--text", "--permutation", "--backend", "cpu", "--step", "6"});
    EXPECT_NE(answer.out.find("       0   ·■······························   00000 ^ 00001 = 00001\n"),
              std::string::npos)
        << answer.out;
    EXPECT_NE(answer.out.find("      31   ······························■·   11111 ^ 00001 = 11110\n"),
              std::string::npos)
        << answer.out;
}

}  // namespace
}  // namespace lanewise::cli
