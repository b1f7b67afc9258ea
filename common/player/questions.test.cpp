#include "common/player/questions.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "common/trace/trace_builder.testing.hpp"

namespace lanewise::lesson {
namespace {

using trace::Effect;
using trace::Op;
using trace::testing::TraceBuilder;

// 32 values, then a down tree: lane 0 ends with the sum.
TraceBuilder tree_of(Op op) {
    TraceBuilder made;
    made.trace.header.n = 32;
    made.trace.header.blocks = {0};
    made.trace.header.launches = {{"tree", {1, 1, 1}, {32, 1, 1}, 0}};
    made.statement(1, Effect::replace, "value");
    made.statement(2, Effect::join, "value");
    const auto in = made.array("in", Space::global, 32);
    auto warp = made.warp(0, 0);
    warp.load(
        1, in, [](int lane) { return lane; }, [](int lane) { return static_cast<float>(lane); });
    for (const int by : {16, 8, 4, 2, 1}) warp.shuffle_sum(2, op, by);
    return made;
}

const Question* find(const std::vector<Question>& questions, QuestionKind kind) {
    for (const Question& question : questions)
        if (question.kind == kind) return &question;
    return nullptr;
}

TEST(Questions, OfADownTree) {
    const TraceBuilder made = tree_of(Op::shfl_down);
    const auto steps = steps::build_steps(made.trace);
    ASSERT_EQ(steps.size(), 6u);
    const auto load = questions_of(steps, 0, {});
    ASSERT_EQ(load.size(), 1u);
    EXPECT_EQ(load[0].answer, "4");  // 128 bytes in sectors of 32
    EXPECT_NE(mark(load[0], "32").reveals.find("neighbouring lanes share"), std::string::npos);
    for (std::size_t k = 1; k < 6; ++k) {
        const int by = 32 >> k;
        const auto questions = questions_of(steps, k, {});
        const Question* source = find(questions, QuestionKind::source_lane);
        ASSERT_NE(source, nullptr);
        const int lane = source->lane, read = lane + by < 32 ? lane + by : lane;
        EXPECT_EQ(source->answer, std::to_string(read)) << "step " << k;
        EXPECT_TRUE(mark(*source, fmt::format(" Lane {} ", read)).right);
        if (lane >= by) {
            EXPECT_NE(mark(*source, std::to_string(lane - by)).reveals.find("down moves"), std::string::npos);
        }
        if (read == lane) {
            EXPECT_NE(mark(*source, std::to_string(lane + by - 32)).reveals.find("wrap"), std::string::npos);
            const Question* defined = find(questions, QuestionKind::is_defined);
            ASSERT_NE(defined, nullptr);
            EXPECT_TRUE(mark(*defined, "YES").right);
            EXPECT_NE(mark(*defined, "n").reveals.find("that is defined"), std::string::npos);
            EXPECT_FALSE(mark(*defined, "maybe").understood);
        }
        for (const Question& question : questions)
            for (const WrongAnswer& wrong : question.wrong)
                EXPECT_FALSE(mark(question, wrong.answer).right) << wrong.answer;
    }
    const auto last = questions_of(steps, 5, {});
    const Question* total = find(last, QuestionKind::holds_total);
    ASSERT_NE(total, nullptr);
    EXPECT_EQ(total->answer, "0");
    EXPECT_TRUE(mark(*total, "lane 0").right);
    EXPECT_NE(mark(*total, "all").reveals.find("Not every lane"), std::string::npos);
    EXPECT_EQ(find(questions_of(steps, 4, {}), QuestionKind::holds_total), nullptr);
}

TEST(Questions, OfTheOtherTrees) {
    const TraceBuilder butterfly = tree_of(Op::shfl_xor), up = tree_of(Op::shfl_up);
    const auto all = steps::build_steps(butterfly.trace), highest = steps::build_steps(up.trace);
    const auto of_xor = questions_of(all, 5, {}), of_up = questions_of(highest, 5, {});
    const Question *every = find(of_xor, QuestionKind::holds_total), *one = find(of_up, QuestionKind::holds_total);
    ASSERT_NE(every, nullptr);
    ASSERT_NE(one, nullptr);
    EXPECT_TRUE(mark(*every, "all").right);
    EXPECT_TRUE(mark(*every, "0-15, 16 to 31").right);
    EXPECT_FALSE(mark(*every, "0-30").right);
    EXPECT_FALSE(mark(*every, "0-99").understood);
    EXPECT_EQ(one->answer, "31");
    // xor adds nothing: with lane 8 and mask 8 an adder would name lane 16.
    for (std::size_t k = 1; k < 6; ++k) {
        const auto questions = questions_of(all, k, {});
        const Question* source = find(questions, QuestionKind::source_lane);
        const int by = 32 >> k;
        EXPECT_EQ(source->answer, std::to_string(source->lane ^ by));
        if (source->lane & by) {
            EXPECT_NE(mark(*source, std::to_string((source->lane + by) % 32)).reveals.find("flips bits"),
                      std::string::npos);
        }
        const Question* value = find(questions, QuestionKind::value_after);
        ASSERT_NE(value, nullptr);
        EXPECT_EQ(value->lane, source->lane);
    }
    // In the last round of the butterfly every lane holds 496.
    EXPECT_EQ(find(of_xor, QuestionKind::value_after)->answer, "496");
    EXPECT_TRUE(mark(*find(of_xor, QuestionKind::value_after), "496.0").right);
}

TEST(Questions, AFractionNeedsThreeDigits) {
    Question question;
    question.kind = QuestionKind::value_after;
    question.answer = "1.2345678";
    question.wrong = {{"1.3", "another"}};
    EXPECT_TRUE(mark(question, "1.23").right);
    EXPECT_FALSE(mark(question, "1.2").right);
    EXPECT_EQ(mark(question, "1.3").reveals, "another");
    question.answer = "496";
    EXPECT_FALSE(mark(question, "497").right);
    EXPECT_FALSE(mark(question, "495.9").right);
    EXPECT_TRUE(mark(question, "496.0").right);
    question.kind = QuestionKind::source_lane;
    question.answer = "5";
    EXPECT_FALSE(mark(question, "5.01").right);
}

TEST(Questions, AnInactiveSource) {
    TraceBuilder made = tree_of(Op::shfl_down);
    for (auto& record : made.trace.records)
        if (trace::is_shuffle(record.op)) {
            record.mask = record.active = 0xff;
            record.undefined = record.width == 32 && record.arg[0] == 4 ? 0xf0u : 0;
        }
    const auto steps = steps::build_steps(made.trace);
    bool asked = false;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        const auto questions = questions_of(steps, k, {});
        const Question* defined = find(questions, QuestionKind::is_defined);
        if (!defined || defined->answer != "no") continue;
        asked = true;
        EXPECT_GE(defined->lane, 4);
        EXPECT_NE(mark(*defined, "yes").reveals.find("does not take part"), std::string::npos);
        EXPECT_EQ(find(questions, QuestionKind::value_after), nullptr);  // there is no answer to it
    }
    EXPECT_TRUE(asked);
}

}  // namespace
}  // namespace lanewise::lesson
