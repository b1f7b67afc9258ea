#include "common/lesson/inputs.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/cli/testing/tiny_program.testing.hpp"
#include "common/runner/runner.hpp"

namespace lanewise::cli {

using lesson::Inputs;
using runner::Runner;
using runner::RunOptions;

namespace {

Inputs of(const std::string& kind, std::uint64_t n) {
    Inputs inputs;
    inputs.kind = kind;
    inputs.n = n;
    return inputs;
}

TEST(Inputs, Ramps) {
    EXPECT_EQ(of("ramp", 4).values<float>(), (std::vector<float>{0, 1, 2, 3}));
    EXPECT_EQ(of("ramp1", 4).values<double>(), (std::vector<double>{1, 2, 3, 4}));
}

// These numbers are in recordings: another algorithm would make every one of them stale.
TEST(Inputs, RandomValuesAreTheSameOnEveryMachine) {
    const auto values = of("random", 1000).values<double>();
    EXPECT_EQ(values[0], static_cast<double>(0x910a2dec89025cc1u >> 40) * 0x1p-23 - 1);  // splitmix64 of seed 1
    for (const double value : values) {
        EXPECT_GE(value, -1);
        EXPECT_LT(value, 1);
        EXPECT_EQ(value, static_cast<double>(static_cast<float>(value)));
    }
    Inputs other = of("random", 1000);
    other.seed = 2;
    EXPECT_NE(other.values<double>(), values);
    EXPECT_EQ(of("random", 10).values<double>(), std::vector<double>(values.begin(), values.begin() + 10));
}

TEST(Inputs, KindsThatMakeRoundingVisible) {
    EXPECT_EQ(of("small", 3).values<double>(), (std::vector<double>{0x1p-9, 0x1p-9, 0x1p-9}));
    const auto random = of("random", 101).values<double>(), mean = of("mean", 101).values<double>(),
               cancel = of("cancel", 101).values<double>(), huge = of("huge", 101).values<double>();
    double left = 0, expected = 0, magnitude = 0;
    for (std::size_t i = 0; i < 101; ++i) {
        EXPECT_EQ(mean[i], 100 + random[i]);
        EXPECT_EQ(huge[i], i == 33 ? 32768 : (random[i] + 1) / 2);
        if (i < 50) EXPECT_EQ(cancel[i], 256 * random[i]);
        else expected += random[i] / 8;
        left += cancel[i];
        magnitude += std::abs(cancel[i]);
    }
    EXPECT_EQ(left, expected);   // all of it is exact in a double
    EXPECT_GT(magnitude, 1000 * std::abs(left));
    EXPECT_EQ(of("cancel", 1).values<double>(), std::vector<double>{random[0] / 8});
}

TEST(Inputs, SeedsMatterWhereValuesAreRandom) {
    for (const lesson::GeneratedInput& input : lesson::kGeneratedInputs) {
        Inputs a = of(input.name, 10), b = a;
        b.seed = 2;
        EXPECT_EQ(a.values<double>() != b.values<double>(), lesson::is_seeded_input(input.name)) << input.name;
        EXPECT_TRUE(lesson::is_generated_input(input.name));
    }
    EXPECT_FALSE(lesson::is_generated_input("numbers.txt"));
    EXPECT_FALSE(lesson::is_seeded_input("numbers.txt"));
}

TEST(Inputs, RandomIntegersAreNotAllZero) {
    const auto values = of("random", 100).values<int>();
    EXPECT_LT(*std::min_element(values.begin(), values.end()), -500);
    EXPECT_GT(*std::max_element(values.begin(), values.end()), 500);
}

TEST(Inputs, BlocksCoverTheLastValue) {
    Inputs inputs = of("ramp", 33);
    EXPECT_EQ(inputs.blocks(), 2u);
    inputs.n = 32;
    EXPECT_EQ(inputs.blocks(), 1u);
}

TEST(Inputs, FilesOfNumbers) {
    const testing::TemporaryFolder folder;
    const auto path = folder.write("numbers.txt", "1 2.5\n-3e2\t+4\r\n");
    EXPECT_EQ(lesson::read_numbers(path.string()), (std::vector<double>{1, 2.5, -300, 4}));
}

std::string sentence_for(const std::string& path) {
    try {
        lesson::read_numbers(path);
    } catch (const Error& error) {
        EXPECT_EQ(error.exit_status(), kExitUsage);
        return error.what();
    }
    return "no error";
}

TEST(Inputs, SaysWhatIsWrongWithAFile) {
    const testing::TemporaryFolder folder;
    const auto expect = [](const std::string& sentence, const std::string& part) {
        EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
    };
    expect(sentence_for("/no/such/file"), "/no/such/file");
    expect(sentence_for(folder.path().string()), "is a folder");
    expect(sentence_for(folder.write("a", "1\n2\n3 banana 4\n").string()), "line 3 holds 'banana'");
    expect(sentence_for(folder.write("b", "1\nnan\n").string()), "line 2 holds 'nan'");
    expect(sentence_for(folder.write("c", "1e999").string()), "'1e999'");
    expect(sentence_for(folder.write("d", " \n").string()), "no number");
    expect(sentence_for(folder.write("e", "+-4").string()), "'+-4'");
    expect(sentence_for(folder.write("f", "1\n2 a\x1b[2Jb").string()), "line 2 holds 'a\uFFFD[2Jb'");
    expect(sentence_for(folder.write("g", std::string(5000, '7')).string()), "line 1 holds '7777");
    expect(sentence_for("/dev/zero"), "not a finite number");
}

// Runs that are compared: the largest input serves all of them.
TEST(Inputs, WhatIsComparedRunsOnOneInput) {
    testing::TinyProgram tiny;
    tiny.program.lesson.add(
        {.name = "tiny_more", .title = "more", .n = 64, .input = "ramp1", .plan = testing::plan_tiny});
    tiny.program.lesson.add({.name = "tiny_few", .title = "few", .n = 8, .block = 64, .plan = testing::plan_tiny});
    tiny.program.lesson.add(
        {.name = "tiny_only_8", .title = "only 8", .n = 8, .plan = [](launch::Plan& plan, const Inputs& inputs) {
             if (inputs.n > 8) throw Error("It takes 8 values.");
             testing::plan_tiny(plan, inputs);
         }});
    RunOptions options;
    options.backend = runner::BackendChoice::cpu;
    Runner runner(tiny.program, options);
    const std::vector<std::string> all{"tiny_sum", "tiny_more", "tiny_few"};
    for (const std::string& name : all) {
        const auto run = runner.run_beside(name, all)->run;
        EXPECT_EQ(run->trace.header.n, 64u) << name;
        EXPECT_EQ(run->trace.header.input, "ramp1") << name;
        EXPECT_EQ(run->trace.header.variant, name);
        EXPECT_EQ(run->results.at(0).reference, 64 * 65 / 2) << name;
    }
    EXPECT_EQ(runner.run_beside("tiny_few", all)->run->trace.header.block, 64u);   // blocks are the variant's own
    EXPECT_EQ(runner.run_beside("tiny_more", all), runner.run("tiny_more"));       // it is its own input
    EXPECT_EQ(runner.run("tiny_sum")->run->trace.header.n, 32u);                   // alone it runs on that
    // One that cannot run on so many stays at its own, and the others do not wait for it.
    EXPECT_EQ(runner.run_beside("tiny_only_8", {"tiny_more", "tiny_only_8"}), runner.run("tiny_only_8"));
    EXPECT_EQ(runner.run_beside("tiny_sum", {"tiny_sum", "tiny_only_8"}), runner.run("tiny_sum"));
    // What was asked for holds for all of them anyway.
    RunOptions asked = options;
    asked.n = 16;
    asked.input = "ramp";
    Runner same(tiny.program, asked);
    EXPECT_EQ(same.run_beside("tiny_sum", all), same.run("tiny_sum"));
    EXPECT_EQ(same.run("tiny_sum")->run->trace.header.n, 16u);
}

TEST(Inputs, ComparedTextGoesPlaceByPlace) {
    testing::TinyProgram tiny;
    tiny.program.lesson.add({.name = "tiny_more", .title = "more", .n = 64, .plan = testing::plan_tiny});
    const auto both = tiny({"--backend", "cpu", "--text", "--compare", "tiny_sum,tiny_more"});
    EXPECT_EQ(both.status, kExitOk) << both.err;
    EXPECT_NE(both.out.find("Tiny · tiny | more\nBoth ran on the same 64 values (ramp).\n"), std::string::npos)
        << both.out;
    EXPECT_NE(both.out.find("── 2 of 6 · round 1\n\ntiny · step 2 of 6 · xor 16"), std::string::npos) << both.out;
    EXPECT_NE(both.out.find("\nmore · step 2 of 6 · xor 16"), std::string::npos) << both.out;
    const auto third = tiny({"--backend", "cpu", "--text", "--compare", "tiny_sum,tiny_more", "--step", "3"});
    EXPECT_NE(third.out.find("── 3 of 6 · round 2"), std::string::npos) << third.out;
    EXPECT_EQ(third.out.find("── 2 of 6"), std::string::npos);
    const auto past = tiny({"--backend", "cpu", "--text", "--compare", "tiny_sum,tiny_more", "--step", "7"});
    EXPECT_EQ(past.status, kExitUsage);
    EXPECT_NE(past.err.find("6 places"), std::string::npos) << past.err;
}

}  // namespace
}  // namespace lanewise::cli
