#include "common/player/questions.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/trace/trace_builder.testing.hpp"

namespace lanewise::player {

using run::LessonContents;

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

// 32 floats in shared memory, read two words apart: two of 32 lanes want each even bank.
TEST(Questions, OfBankConflictsAndElements) {
    TraceBuilder made;
    made.trace.header.n = 64;
    made.trace.header.blocks = {0};
    made.trace.header.launches = {{"strided", {1, 1, 1}, {64, 1, 1}, 0}};
    const auto in = made.array("in", Space::global, 64), tree = made.array("tree", Space::shared, 64);
    auto warp = made.warp(0, 0);
    warp.load(
        1, in, [](int lane) { return lane + 32; }, [](int lane) { return static_cast<float>(lane); });
    warp.store(2, tree, [](int lane) { return 2 * lane; });
    const auto steps = steps::build_steps(made.trace);
    ASSERT_EQ(steps.size(), 2u);
    const auto of_store = questions_of(steps, 1, {});
    const Question* wavefronts = find(of_store, QuestionKind::wavefronts);
    ASSERT_NE(wavefronts, nullptr);
    EXPECT_EQ(wavefronts->answer, "2");
    EXPECT_NE(mark(*wavefronts, "1").reveals.find("wait for one another"), std::string::npos);
    EXPECT_EQ(mark(*wavefronts, "32").refuted_by, "step:2");
    // As a text asks: the element of lane 5 of the load, which is not its lane's number.
    QuestionSources sources;
    sources.text = questions_of_text(
        "# T\n\nNot *this* one.\n\n*Load:* which element does `lane 5` take? [Answer](variant:v,step:1,lane:5,ask:element)\n"
        "And what is\n1 + 1? [Answer](variant:v,step:1,ask:written,is:2)\n");
    ASSERT_EQ(sources.text.size(), 2u);
    EXPECT_EQ(sources.text[0].text, "Load: which element does `lane 5` take?");
    EXPECT_EQ(sources.text[1].text, "And what is 1 + 1?");
    EXPECT_TRUE(questions_of(steps, 0, {}, sources).front().text.starts_with("32 lanes"));   // of another variant
    made.trace.header.variant = "v";
    const auto with_text = questions_of(steps::build_steps(made.trace), 0, {}, sources);
    ASSERT_GE(with_text.size(), 3u);
    EXPECT_TRUE(with_text[0].of_text);
    EXPECT_EQ(with_text[0].answer, "37");
    EXPECT_NE(mark(with_text[0], "5").reveals.find("within its warp"), std::string::npos);
    EXPECT_EQ(with_text[1].answer, "2");
    EXPECT_TRUE(mark(with_text[1], "2").right);
    EXPECT_FALSE(with_text[2].of_text);
}

TEST(Questions, ATextCannotAskWhatTheStepHasNot) {
    const TraceBuilder made = tree_of(Op::shfl_down);
    const auto steps = steps::build_steps(made.trace);
    const auto asked = questions_of_text("Is it? [Answer](variant:tree,step:1,lane:5,ask:source_lane)");
    ASSERT_EQ(asked.size(), 1u);
    EXPECT_THROW(question_of_text(steps, asked[0], {}), Error);   // a load reads no lane
    EXPECT_THROW(questions_of_text("[Answer](variant:tree,ask:source_lane)"), Error);   // of which step?
    EXPECT_THROW(questions_of_text("[Answer](variant:tree,step:1,ask:weather)"), Error);
    EXPECT_THROW(questions_of_text("[Answer](variant:tree,step:1,ask:written)"), Error);   // no answer
}

TEST(Questions, OfAVote) {
    TraceBuilder made;
    made.trace.header.launches = {{"vote", {1, 1, 1}, {32, 1, 1}, 0}};
    made.warp(0, 0).ballot(1, [](int lane) { return lane == 0 || lane == 4; });
    const auto steps = steps::build_steps(made.trace);
    const auto questions = questions_of(steps, 0, {});
    const Question* vote = find(questions, QuestionKind::vote);
    ASSERT_NE(vote, nullptr);
    EXPECT_TRUE(mark(*vote, "0x11").right);
    EXPECT_TRUE(mark(*vote, "17").right);
    EXPECT_NE(mark(*vote, "2").reveals.find("popcount"), std::string::npos);
    EXPECT_NE(mark(*vote, "0x88000000").reveals.find("lowest bit"), std::string::npos);
}

// Lane 0 loads what lane 16 stored: after nothing, a shuffle, a warp barrier, a warp barrier of others; after a block
// barrier there is nothing to ask.
TEST(Questions, OfWhatComesFirst) {
    for (const std::string between : {"nothing", "shuffle", "warp", "others", "block"}) {
        TraceBuilder made;
        made.trace.header.blocks = {0};
        made.trace.header.launches = {{"tree", {1, 1, 1}, {32, 1, 1}, 0}};
        made.statement(3, Effect::replace, "value");
        const auto tree = made.array("tree", Space::shared, 32);
        auto warp = made.warp(0, 0);
        warp.store(1, tree, [](int lane) { return lane; });
        if (between == "shuffle") warp.shuffle_sum(2, Op::shfl_xor, 1);
        if (between == "warp") warp.sync_warp(2);
        if (between == "others") warp.sync_warp(2, 0xff);
        if (between == "block") warp.barrier(2);
        warp.load(
            3, tree, [](int lane) { return lane + 16; }, [](int lane) { return static_cast<float>(lane); }, 0xffff);
        const auto steps = steps::build_steps(made.trace);
        const auto asked = questions_of(steps, steps.size() - 1, {});
        const Question* ordered = find(asked, QuestionKind::ordered);
        if (between == "block") {
            EXPECT_EQ(ordered, nullptr);
            continue;
        }
        ASSERT_NE(ordered, nullptr) << between;
        EXPECT_NE(ordered->text.find("'tree[16]', which lane 16 of its warp stores"), std::string::npos)
            << ordered->text;
        EXPECT_EQ(ordered->answer, between == "warp" ? "yes" : "no") << between;
        const std::string reveals = mark(*ordered, between == "warp" ? "no" : "yes").reveals;
        EXPECT_NE(reveals.find(between == "warp"      ? "__syncwarp"
                               : between == "shuffle" ? "a shuffle orders memory"
                                                      : "lockstep"),
                  std::string::npos)
            << reveals;
        if (steps.size() < 3) continue;
        const auto at = questions_of(steps, 1, {});
        const Question* orders = find(at, QuestionKind::orders_memory);
        ASSERT_NE(orders, nullptr);
        EXPECT_TRUE(mark(*orders, between == "shuffle" ? "no" : "yes").right) << between;
    }
}

// Two warps, no block barrier: the store of the other warp may come later.
TEST(Questions, OfAnotherWarpsStore) {
    TraceBuilder made;
    made.trace.header.blocks = {0};
    made.trace.header.launches = {{"tree", {1, 1, 1}, {64, 1, 1}, 0}};
    const auto tree = made.array("tree", Space::shared, 64);
    auto first = made.warp(0, 0);
    auto second = made.warp(0, 1);
    second.store(1, tree, [](int lane) { return lane + 32; });
    first.fence(2, 1);
    first.load(
        3, tree, [](int lane) { return lane + 32; }, [](int) { return 0.0f; });
    const auto steps = steps::build_steps(made.trace);
    const Question* ordered = nullptr;
    const Question* waits = nullptr;
    std::vector<Question> all;
    for (std::size_t k = 0; k < steps.size(); ++k)
        for (const Question& each : questions_of(steps, k, {})) all.push_back(each);
    ordered = find(all, QuestionKind::ordered);
    waits = find(all, QuestionKind::waits);
    ASSERT_NE(ordered, nullptr);
    EXPECT_EQ(ordered->answer, "no");
    EXPECT_NE(mark(*ordered, "yes").reveals.find("Only a block barrier"), std::string::npos);
    ASSERT_NE(waits, nullptr);
    EXPECT_NE(mark(*waits, "yes").reveals.find("synchronizes the grid"), std::string::npos);
}

// Its answer comes from the recorded costs; a wrong answer of a text's question from the text's own paragraph.
TEST(Questions, OfLatencyAndOfClaims) {
    TraceBuilder made = tree_of(Op::shfl_xor);
    made.trace.header.variant = "v";
    const auto steps = steps::build_steps(made.trace);
    LessonContents lesson;
    lesson.text = "How long, E[x]? [Answer](variant:v,step:2,ask:latency)\n\nAll? "
                  "[Answer](variant:v,step:3,ask:written,is:no,wrong:yes=Every%20lane)\n\n"
                  "**\"Every lane has it.\"** Not [here](variant:v,step:6). Only one has.\n\nThe end.";
    lesson.costs.rows = {{"shuffle_xor", "", "", 1, {24, 24, 24, 100}}};
    const QuestionSources sources = question_sources(lesson);
    const auto second = questions_of(steps, 1, {}, sources), third = questions_of(steps, 2, {}, sources);
    const Question* latency = find(second, QuestionKind::latency);
    ASSERT_NE(latency, nullptr);
    EXPECT_EQ(latency->text, "How long, E[x]?");
    EXPECT_TRUE(mark(*latency, "24").right);
    EXPECT_TRUE(mark(*latency, "20").right);
    EXPECT_FALSE(mark(*latency, "15").right);
    EXPECT_EQ(mark(*latency, "1").refuted_by, "view:costs");
    const Question* written = find(third, QuestionKind::written);
    ASSERT_NE(written, nullptr);
    EXPECT_EQ(mark(*written, "yes").refuted_by, "variant:v,step:6");
    EXPECT_EQ(mark(*written, "yes").reveals, "Often believed: \"Every lane has it.\" Not here. Only one has.");
    EXPECT_THROW(questions_of_text("[Answer](variant:v,step:3,ask:written,is:no,wrong:yes=Nobody)"), Error);
}

// Medians and spreads as recorded: 10 against 20 µs is twice as long; spreads that overlap are no difference.
TEST(Questions, OfTimes) {
    TraceBuilder made = tree_of(Op::shfl_down);
    made.trace.header.variant = "fast";
    const auto steps = steps::build_steps(made.trace);
    LessonContents lesson;
    lesson.variants = {{"slow", "slow", ""}, {"fast", "fast", "", false, 0, "slow"}};
    const auto row = [](const char* name, double low, double median, double high) {
        timing::Timing made_row{.variant = name};
        made_row.n = 1024;
        made_row.low_us = low, made_row.median_us = median, made_row.high_us = high;
        return made_row;
    };
    lesson.timings.gpu = "NVIDIA H200";
    lesson.timings.rows = {row("slow", 19, 20, 21), row("fast", 9, 10, 11)};
    const auto asked = questions_of(steps, 5, {}, question_sources(lesson));
    const Question *faster = find(asked, QuestionKind::faster), *by = find(asked, QuestionKind::percent_slower);
    ASSERT_NE(faster, nullptr);
    ASSERT_NE(by, nullptr);
    EXPECT_NE(faster->text.find("NVIDIA H200"), std::string::npos) << faster->text;
    EXPECT_NE(faster->text.find("not emulated"), std::string::npos) << faster->text;
    EXPECT_TRUE(mark(*faster, "yes").right);
    EXPECT_EQ(mark(*faster, "same").refuted_by, "view:timings");
    EXPECT_TRUE(mark(*by, "100 %").right);
    EXPECT_TRUE(mark(*by, "80").right);
    EXPECT_FALSE(mark(*by, "200").right);
    EXPECT_NE(mark(*by, "2").reveals.find("2 times as long"), std::string::npos);
    lesson.timings.rows[0] = row("slow", 10, 12, 14);
    const auto alike = questions_of(steps, 5, {}, question_sources(lesson));
    EXPECT_EQ(find(alike, QuestionKind::faster)->answer, "same");
    EXPECT_EQ(find(alike, QuestionKind::percent_slower), nullptr);
    EXPECT_EQ(find(questions_of(steps, 4, {}, question_sources(lesson)), QuestionKind::faster), nullptr);
}

}  // namespace
}  // namespace lanewise::player
