#include "common/lesson/controls.hpp"

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/lesson/inputs.hpp"
#include "common/base/lane_expression.hpp"
#include "common/lesson/lesson.hpp"

namespace lanewise::lesson {
namespace {

template <class F>
std::string error_of(F f) {
    try {
        f();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

// The expression as C++ reads it, next to the text.
#define EXPECT_READS(text, expression)                                                                           \
    do {                                                                                                         \
        const auto values = per_lane("--arg", text);                                                             \
        for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(values[lane], (expression)) << text << " lane " << lane; \
    } while (false)

TEST(LaneExpression, MeansWhatCMeans) {
    EXPECT_READS("5", 5);
    EXPECT_READS("-3", -3);
    EXPECT_READS("lane", lane);
    EXPECT_READS(" lane+2 ", lane + 2);
    EXPECT_READS("lane ^ 5", lane ^ 5);
    EXPECT_READS("31 - lane", 31 - lane);
    EXPECT_READS("(lane + 16) % 32", (lane + 16) % 32);
    EXPECT_READS("lane * 2 + 1", lane * 2 + 1);
    EXPECT_READS("lane & ~3 | lane % 4 ^ 1", ((lane & ~3) | ((lane % 4) ^ 1)));
    EXPECT_READS("lane % 2 == 1", lane % 2 == 1);
    EXPECT_READS("lane >= 8 && !(lane > 20) || lane == 31", (lane >= 8 && lane <= 20) || lane == 31);
    EXPECT_READS("lane << 2 >> 1", lane << 2 >> 1);
    EXPECT_READS("0x1F - lane - 1", 0x1f - lane - 1);
    EXPECT_READS("20 / 3 / 2 - -lane", 3 + lane);
    EXPECT_READS("1 != 2 != lane < 3", ((1 != 2) != (lane < 3)));
    EXPECT_READS("-2147483647 - 1", -2147483647 - 1);
    EXPECT_READS("3, 1", lane % 2 == 0 ? 3 : 1);
    EXPECT_READS("lane, 0, lane + 1, 7", lane % 4 == 0 ? lane : lane % 4 == 1 ? 0 : lane % 4 == 2 ? lane + 1 : 7);
}

TEST(LaneExpression, WhatIsNoneIsASentence) {
    const std::pair<const char*, const char*> wrong[] = {{"", "empty"},
                                                         {"lane +", "missing"},
                                                         {"lan", "no 'lan'"},
                                                         {"lane lane", "not expected"},
                                                         {"(lane", "')'"},
                                                         {"lane)", "not expected"},
                                                         {"5 / (lane - 3)", "zero in lane 3"},
                                                         {"lane % 0", "zero"},
                                                         {"4294967295", "int"},
                                                         {"99999999999999999999", "larger"},
                                                         {"0x", "digit"},
                                                         {"1 << 32", "shifts"},
                                                         {"12ab", "digit"},
                                                         {"1,2,3", "3 values"},
                                                         {"$", "begins"},
                                                         {"lane ? 1 : 2", "'?'"},
                                                         {"2147483647 * 2147483647 * 2147483647", "too large"}};
    for (const auto& [text, part] : wrong) {
        const std::string sentence = error_of([&, &text = text] { per_lane("--arg", text); });
        EXPECT_NE(sentence.find(part), std::string::npos) << text << ": " << sentence;
        EXPECT_EQ(sentence.rfind("--arg", 0), 0u) << sentence;
    }
    EXPECT_NE(error_of([] { per_lane("--arg", std::string(100000, '1')); }).find("100000 characters"),
              std::string::npos);
    EXPECT_NE(error_of([] { per_lane("--arg", std::string(300, '(')); }).find("deeper"), std::string::npos);
    EXPECT_NE(error_of([] { per_lane("--arg", std::string(300, '-')); }).find("deeper"), std::string::npos);
}

TEST(Controls, BadValuesAreSentencesAtTheFlag) {
    const Control width = choice("width", {"1", "2", "4", "8", "16", "32"}, "32", "Lanes in a group");
    const Control op = choice("op", {"idx", "up", "down", "xor"}, "xor", "Which");
    const Control mask = lane_mask("mask", "0xffffffff", "Who");
    const Control turns = integer("turns", 1, 9, "2", "How often");
    EXPECT_NO_THROW(width.check("8"));
    EXPECT_EQ(error_of([&] { width.check("12"); }), "--width 12 is not one of 1, 2, 4, 8, 16, 32.");
    EXPECT_EQ(error_of([&] { op.check("dwn"); }), "--op dwn is not one of idx, up, down, xor; did you mean 'down'?");
    EXPECT_NE(error_of([&] { mask.check("0"); }).find("--mask 0 names no lane"), std::string::npos);
    for (const char* wrong : {"0x1ffffffff", "ff", "-1", "0x", "", "1.5"})
        EXPECT_NE(error_of([&] { mask.check(wrong); }).find("no mask of 32 lanes"), std::string::npos) << wrong;
    for (const char* wrong : {"0", "10", "two", "", "3.0"})
        EXPECT_NE(error_of([&] { turns.check(wrong); }).find("from 1 to 9"), std::string::npos) << wrong;
    EXPECT_LT(error_of([&] { op.check(std::string(100000, 'x')); }).size(), 200u);
    EXPECT_EQ(read_mask("--mask", "0xFF"), 255u);
    EXPECT_EQ(read_mask("--mask", "4294967295"), 0xffffffffu);
}

TEST(Controls, AVariantTakesSomeOfTheLessons) {
    Lesson lesson("98_tiny", "/nowhere");
    lesson.control(choice("op", {"up", "down"}, "down", "Which"));
    lesson.control(per_lane_control("arg", "1", "How far"));
    EXPECT_THROW(lesson.control(lane_mask("op", "1", "")), Error);
    EXPECT_THROW(lesson.control(lane_mask("mask", "0", "")), Error);
    const auto plan = [](launch::Plan&, const Inputs&) {};
    lesson.add({.name = "one", .plan = plan, .controls = {{"op", ""}, {"arg", "lane ^ 1"}}});
    EXPECT_THROW(lesson.add({.name = "two", .plan = plan, .controls = {{"width", ""}}}), Error);
    EXPECT_THROW(lesson.add({.name = "three", .plan = plan, .controls = {{"op", "left"}}}), Error);
    const Inputs inputs = Lesson::default_inputs(lesson.find("one"));
    EXPECT_EQ(inputs.controls.text("op"), "down");
    EXPECT_EQ(inputs.controls.lanes("arg")[5], 4);
    EXPECT_THROW(inputs.controls.text("width"), Error);
}

TEST(TypedValues, AreReadOrSaidToBeNone) {
    EXPECT_EQ(read_typed_values("1, -0.25,+3e2"), (std::vector<double>{1, -0.25, 300}));
    EXPECT_NE(error_of([] { read_typed_values("1,,2"); }).find("value 2 is ''"), std::string::npos);
    EXPECT_NE(error_of([] { read_typed_values("1,two"); }).find("value 2 is 'two'"), std::string::npos);
    EXPECT_NE(error_of([] { read_typed_values("inf"); }).find("finite"), std::string::npos);
    std::string many = "1";
    for (int i = 0; i < 2000; ++i) many += ",1";
    EXPECT_NE(error_of([&] { read_typed_values(many); }).find("--input FILE"), std::string::npos);
}

}  // namespace
}  // namespace lanewise::lesson
