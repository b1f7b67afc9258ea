#include "common/run/run_fields.hpp"

#include <gtest/gtest.h>

#include "common/run/run.hpp"

namespace lanewise::run {
namespace {

TEST(RunFields, WhatSaysTheSameOtherwiseIsLeftOut) {
    RunChanges changes{{"rows", "2"}, {"columns", "16"}, {"seed", "3"}};
    set_change(changes, "n", "33");
    EXPECT_EQ(changes, (RunChanges{{"seed", "3"}, {"n", "33"}}));
    set_change(changes, "values", "1,2,3");
    EXPECT_EQ(changes, (RunChanges{{"seed", "3"}, {"values", "1,2,3"}}));
    set_change(changes, "input", "random");
    set_change(changes, "input", "ramp");
    EXPECT_EQ(changes, (RunChanges{{"seed", "3"}, {"input", "ramp"}}));
}

TEST(RunFields, AnotherVariantTakesWhatItHas) {
    const std::vector<RunField> fields{{"n", FieldKind::number, "32", ""},
                                       {"block", FieldKind::choice, "32", "", {"32", "64"}}};
    EXPECT_EQ(changes_for({{"n", "33"}, {"op", "xor"}, {"block", "256"}}, fields), (RunChanges{{"n", "33"}}));
    EXPECT_EQ(changes_for({{"block", "64"}}, fields), (RunChanges{{"block", "64"}}));
}

TEST(RunFields, FlagsAreWhatAShellTakes) {
    EXPECT_EQ(flags_of({{"n", "33"}, {"arg", "lane ^ 5"}, {"order", "seed 7"}}), "--n 33 --arg 'lane ^ 5' --order 7");
    EXPECT_EQ(flags_of({{"input", "it's"}}), "--input 'it'\\''s'");
}

TEST(RunFields, WhatMakesTheSameRunAgain) {
    const std::vector<RunField> fields{{"arg", FieldKind::per_lane, "1", ""},
                                       {"n", FieldKind::number, "32", ""},
                                       {"input", FieldKind::choice, "ramp", ""},
                                       {"values", FieldKind::values, "", ""},
                                       {"seed", FieldKind::number, "1", "", {"random"}},
                                       {"order", FieldKind::order, "ascending", ""}};
    run::Run run;
    run.trace.header.n = 33;
    run.trace.header.input = "ramp";
    run.trace.header.seed = 7;
    run.trace.header.source.order = "seed 7";
    run.trace.header.controls = {{"arg", "1"}};
    EXPECT_EQ(flags_of(changes_of_run(run, fields)), "--n 33 --order 7");
    run.trace.header.input = "random";
    EXPECT_EQ(flags_of(changes_of_run(run, fields)), "--n 33 --input random --seed 7 --order 7");
    run.trace.header.input = "values";
    run.trace.header.controls = {{"arg", "31 - lane"}};
    run.inputs = {1, 2.5};
    EXPECT_EQ(flags_of(changes_of_run(run, fields)), "--arg '31 - lane' --values 1,2.5 --order 7");
}

TEST(RunFields, AnErrorNamesItsField) {
    EXPECT_EQ(field_of_error("--n 0 is out of range; give a number from 1 to 9."), "n");
    EXPECT_EQ(field_of_error("--values: value 1 is 'x'"), "values");
    EXPECT_EQ(field_of_error("The emulator ended."), "");
}

TEST(RunFields, OneNumberOfMany) {
    EXPECT_EQ(with_value({0, 0.5, 2}, 1, "-7.25"), "0,-7.25,2");
    EXPECT_EQ(with_count({1, 2, 3}, 2), "1,2");
    EXPECT_EQ(with_count({1, 2}, 4), "1,2,0,0");
}

TEST(RunFields, PackedAndBack) {
    const RunChanges changes{{"arg", "lane ^ 5"}, {"mask", ""}, {"values", "1,2"}};
    EXPECT_EQ(unpacked(packed(changes)), changes);
    EXPECT_TRUE(unpacked("").empty());
    EXPECT_TRUE(unpacked("half").empty());
}

}  // namespace
}  // namespace lanewise::run
