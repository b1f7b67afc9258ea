#include "common/player/prediction.hpp"

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/trace/trace_builder.testing.hpp"

namespace lanewise::player {

using run::Run;

namespace {

using trace::Effect;
using trace::Op;

// 32 values, a load, five rounds of down.
std::shared_ptr<const Run> down_tree() {
    trace::testing::TraceBuilder made;
    made.trace.header.n = 32;
    made.trace.header.blocks = {0};
    made.trace.header.launches = {{"tree", {1, 1, 1}, {32, 1, 1}, 0}};
    made.statement(1, Effect::replace, "value");
    made.statement(2, Effect::join, "value");
    const auto in = made.array("in", Space::global, 32);
    auto warp = made.warp(0, 0);
    warp.load(
        1, in, [](int lane) { return lane; }, [](int lane) { return static_cast<float>(lane); });
    for (const int by : {16, 8, 4, 2, 1}) warp.shuffle_sum(2, Op::shfl_down, by);
    auto run = std::make_shared<Run>();
    run->trace = made.trace;
    run->trace.outputs.push_back({});
    run->trace.findings.push_back({});
    run->trace.findings.back().line = 2;
    run->results.push_back({});
    run->steps = steps::build_steps(run->trace);
    return run;
}

TEST(Prediction, AnExamAsksBeforeEachStepAndHidesIt) {
    const auto run = down_tree();
    Prediction exam;
    exam.begin(PredictMode::exam, 0);
    EXPECT_EQ(exam.go(run->steps, {}, 0), kNoStep);   // nothing can be seen yet
    ASSERT_NE(exam.open(), nullptr);
    EXPECT_EQ(exam.open()->kind, QuestionKind::sectors);
    EXPECT_FALSE(exam.answer("no idea").understood);
    EXPECT_NE(exam.open(), nullptr);
    EXPECT_TRUE(exam.answer("4").right);               // 128 bytes in sectors of 32
    EXPECT_EQ(exam.open(), nullptr);
    EXPECT_EQ(exam.known(), 1u);
    EXPECT_EQ(exam.go(run->steps, {}, 5), 0u);         // the end comes after questions
    ASSERT_NE(exam.open(), nullptr);
    EXPECT_EQ(exam.open()->step, 1u);
    const std::size_t of_step = exam.left();
    for (std::size_t i = 0; i < of_step; ++i) {
        EXPECT_EQ(exam.known(), 1u) << i;              // until the last of the step's questions
        exam.skip();
    }
    EXPECT_EQ(exam.known(), 2u);
    EXPECT_EQ(exam.right(), 1);
    EXPECT_EQ(exam.asked(), static_cast<int>(1 + of_step));
    EXPECT_EQ(exam.go(run->steps, {}, 1), 1u);
    EXPECT_EQ(exam.go(run->steps, {}, 0), 0u);         // back is free
    EXPECT_EQ(exam.open(), nullptr);
}

TEST(Prediction, GentlyEveryThirdStepAndSkippingDoesNotCount) {
    const auto run = down_tree();
    Prediction gentle;
    gentle.begin(PredictMode::gentle, 1);
    std::vector<std::size_t> asked;
    for (std::size_t to = 1; to < run->steps.size();) {
        const std::size_t shown = gentle.go(run->steps, {}, to);
        if (!gentle.open()) {
            EXPECT_EQ(shown, to);
            ++to;
            continue;
        }
        EXPECT_EQ(gentle.left(), 1u);
        asked.push_back(gentle.open()->step);
        gentle.skip();
    }
    EXPECT_EQ(asked, (std::vector<std::size_t>{3}));   // of steps 0 … 5 every third has a question: 0 and 3
    EXPECT_EQ(gentle.asked(), 0);
}

TEST(Prediction, WhatIsNotKnownIsNotThere) {
    const auto run = down_tree();
    const auto known = first_steps(run, 2);
    EXPECT_EQ(known->steps.size(), 2u);
    EXPECT_EQ(known->steps.trace, &known->trace);
    EXPECT_TRUE(known->results.empty());
    EXPECT_TRUE(known->trace.outputs.empty());
    // After step 1, also where a later row is asked for: lane 0 holds 0 + 16, not the 496 of the end.
    EXPECT_EQ(known->steps.lane_values(1, {}).bits[0], run->steps.lane_values(1, {}).bits[0]);
    EXPECT_THROW(known->steps.lane_values(5, {}), Error);
    for (const auto& held : known->steps.lane_values_of)
        for (const auto& from : held) EXPECT_LE(from.row, 2u);
    EXPECT_EQ(known->trace.findings.size(), 1u);
    EXPECT_TRUE(first_steps(run, 1)->trace.findings.empty());   // it is reported at line 2
    EXPECT_EQ(first_steps(run, 6), run);
}

}  // namespace
}  // namespace lanewise::player
