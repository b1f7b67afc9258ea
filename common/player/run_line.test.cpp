#include "common/player/run_line.hpp"

#include <gtest/gtest.h>

#include "common/run/run.hpp"
#include "common/trace/trace_builder.testing.hpp"

namespace lanewise::player {

using run::FieldKind;
using run::Run;

namespace {

using trace::Effect;
using trace::Op;

const std::vector<run::RunField> kFields{{"arg", FieldKind::per_lane, "1", ""},
                                         {"n", FieldKind::number, "32", ""},
                                         {"input", FieldKind::choice, "ramp", "", {"ramp", "random"}},
                                         {"values", FieldKind::values, "", ""},
                                         {"seed", FieldKind::number, "1", "", {"random"}}};

std::shared_ptr<Run> run_on(const char* input, float of_lane_5, double result) {
    trace::testing::TraceBuilder made;
    made.trace.header.n = 32;
    made.trace.header.input = input;
    made.trace.header.controls = {{"arg", "lane ^ 5"}};
    made.trace.header.blocks = {0};
    made.trace.header.launches = {{"tree", {1, 1, 1}, {32, 1, 1}, 0}};
    made.statement(1, Effect::replace, "value");
    made.statement(2, Effect::join, "value");
    const auto in = made.array("in", Space::global, 32);
    auto warp = made.warp(0, 0);
    warp.load(
        1, in, [](int lane) { return 31 - lane; },
        [&](int lane) { return lane == 5 ? of_lane_5 : static_cast<float>(lane); });
    warp.shuffle_sum(2, Op::shfl_xor, 16);
    auto run = std::make_shared<Run>();
    run->trace = made.trace;
    run->steps = steps::build_steps(run->trace);
    run->inputs = {1, 2, 3};
    run->results.resize(1);
    run->results[0].output = "out";
    run->results[0].value = result;
    return run;
}

const RunChip* chip_of(const RunLine& line, const std::string& name) {
    for (const RunChip& chip : line.chips)
        if (chip.field.name == name) return &chip;
    return nullptr;
}

// A kernel that takes 512 values by 64 threads, and one that has its own block.
TEST(RunLine, ABlockIsThatOfTheLaunch) {
    const std::vector<run::RunField> fields{{"block", FieldKind::choice, "512", "", {"256", "512"}}};
    const auto run = run_on("ramp", 5, 496);
    run->trace.header.block = 32;
    EXPECT_EQ(run_line(fields, *run, nullptr, {}, "").chips[0].shown, "32");
    run->trace.header.block = 512;
    run->trace.header.launches[0].block = {64, 1, 1};
    EXPECT_EQ(run_line(fields, *run, nullptr, {}, "").chips[0].shown, "512 (64 threads)");
    EXPECT_EQ(run_line(fields, *run, nullptr, {}, "").chips[0].value, "512");   // what runs again
    EXPECT_EQ(trace::block_text(run->trace.header), "64");
    run->trace.header.launches.push_back({"finish", {1, 1, 1}, {64, 1, 1}, 0});
    run->trace.header.launches.push_back({"tiles", {1, 1, 1}, {16, 16, 1}, 0});
    EXPECT_EQ(trace::block_text(run->trace.header), "64, 16 x 16");
    run->trace.header.launches.clear();
    EXPECT_EQ(trace::block_text(run->trace.header), "512");
}

TEST(RunLine, SaysWhatTheRunWasOnAndWhatItWasBefore) {
    const auto now = run_on("random", 5, 528), before = run_on("ramp", 5, 496);
    const RunLine line = run_line(kFields, *now, before.get(), {{"input", "random"}}, "");
    EXPECT_EQ(chip_of(line, "arg")->value, "lane ^ 5");
    EXPECT_EQ(chip_of(line, "input")->value, "random");
    EXPECT_EQ(chip_of(line, "input")->before, "ramp");
    EXPECT_TRUE(chip_of(line, "input")->chosen);
    EXPECT_EQ(chip_of(line, "n")->before, "");
    EXPECT_FALSE(chip_of(line, "n")->chosen);
    EXPECT_EQ(line.outcome, "out 496 → 528");
    // A seed matters to random values alone; a run whose input is too large has no numbers to type.
    EXPECT_NE(chip_of(line, "seed"), nullptr);
    EXPECT_EQ(chip_of(run_line(kFields, *before, nullptr, {}, ""), "seed"), nullptr);
    now->inputs.clear();
    EXPECT_EQ(chip_of(run_line(kFields, *now, nullptr, {}, ""), "values"), nullptr);
}

TEST(RunLine, AnErrorStandsAtItsField) {
    const auto run = run_on("ramp", 5, 496);
    const RunLine line = run_line(kFields, *run, nullptr, {{"n", "0"}}, "--n 0 is out of range; give 1.");
    EXPECT_EQ(chip_of(line, "n")->error, "--n 0 is out of range; give 1.");
    EXPECT_EQ(line.error, "");
    EXPECT_EQ(run_line(kFields, *run, nullptr, {}, "The emulator ended.").error, "The emulator ended.");
    EXPECT_EQ(run_line(kFields, *run, nullptr, {}, "--block 7: no").error, "--block 7: no");
    EXPECT_NE(chip_of(run_line(kFields, *run, nullptr, {}, "--seed x"), "seed"), nullptr);
}

TEST(RunLine, LanesThatHoldSomethingElseAreMarked) {
    const auto now = run_on("ramp", 7, 0), before = run_on("ramp", 5, 0);
    EXPECT_EQ(lanes_changed(now->steps, before->steps, 0, {}), 1u << 5);
    EXPECT_EQ(lanes_changed(now->steps, before->steps, 1, {}), 1u << 5 | 1u << 21);
    EXPECT_EQ(lanes_changed(now->steps, before->steps, 2, {}), 0u);
    EXPECT_EQ(lanes_changed(now->steps, before->steps, 1, {0, 1, 0}), 0u);
}

TEST(RunLine, ALaneKnowsTheNumberThatItTook) {
    const auto run = run_on("ramp", 5, 0);
    EXPECT_EQ(own_input(run->steps, {}, 5), 26u);   // lane l loads in[31 - l]
    EXPECT_EQ(own_input(run->steps, {}, 31), 0u);
    EXPECT_EQ(own_input(run->steps, {}, 32), kNoInput);
    EXPECT_EQ(own_input(run->steps, {0, 3, 0}, 5), kNoInput);
}

}  // namespace
}  // namespace lanewise::player
