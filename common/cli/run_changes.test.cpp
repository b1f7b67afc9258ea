// A run that a window changes: what reaches the plan, what is refused, and that the command line's own stays as it was.
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/cli/testing/window.testing.hpp"
#include "common/runner/run_changes.hpp"

namespace lanewise::cli {

using run::field_of_error;
using run::Presentation;

namespace {

using testing::WithWindow;

// What the session says while its window is open.
template <class Ask>
void with_window(const std::vector<std::string>& arguments, Ask ask) {
    WithWindow tiny;
    int asked = 0;
    tiny.seen.ask = [&](const Presentation& shown) {
        ++asked;
        ask(shown);
    };
    const auto answer = tiny(arguments);
    EXPECT_EQ(answer.status, kExitOk) << answer.err;
    EXPECT_EQ(asked, 1);
}

std::string refused(const Presentation& shown, const run::RunChanges& changes) {
    try {
        shown.services.run_changed("tiny_sum", {}, changes);
    } catch (const Error& error) {
        return error.what();
    }
    return "it ran";
}

TEST(RunChanges, ReachTheRunAndLeaveTheNextAsItWas) {
    with_window({"--backend", "cpu"}, [](const Presentation& shown) {
        const auto plain = shown.services.run("tiny_sum");
        const auto typed = shown.services.run_changed("tiny_sum", {}, {{"values", "1,2,3.5"}, {"order", "descending"}});
        EXPECT_EQ(typed->trace.header.n, 3u);
        EXPECT_EQ(typed->trace.header.values, (std::vector<double>{1, 2, 3.5}));
        EXPECT_EQ(typed->inputs, (std::vector<double>{1, 2, 3.5}));
        EXPECT_EQ(typed->trace.header.source.order, "descending");
        ASSERT_FALSE(typed->results.empty());
        EXPECT_EQ(typed->results[0].value, 6.5);
        EXPECT_EQ(shown.services.run("tiny_sum"), plain);
        EXPECT_EQ(shown.services.run_changed("tiny_sum", {}, {{"values", "1,2,3.5"}, {"order", "descending"}}), typed);
        // Three values of 1, 2, 3… where n alone is changed; the input's numbers are given with it.
        const auto fewer = shown.services.run_changed("tiny_sum", {}, {{"n", "3"}, {"input", "ramp1"}});
        EXPECT_EQ(fewer->inputs, (std::vector<double>{1, 2, 3}));
        EXPECT_EQ(fewer->results[0].value, 6);
        EXPECT_EQ(fewer->trace.header.source.order, "ascending");
    });
}

TEST(RunChanges, WhatTheCommandLineSaysHoldsBesideThem) {
    with_window({"--backend", "cpu", "--input", "random", "--seed", "4"}, [](const Presentation& shown) {
        const auto run = shown.services.run_changed("tiny_sum", {}, {{"n", "5"}});
        EXPECT_EQ(run->trace.header.input, "random");
        EXPECT_EQ(run->trace.header.seed, 4u);
        EXPECT_EQ(run->trace.header.n, 5u);
        EXPECT_EQ(shown.services.run_changed("tiny_sum", {}, {{"input", "ramp"}})->trace.header.input, "ramp");
    });
}

TEST(RunChanges, AreRefusedInASentenceThatNamesTheField) {
    with_window({"--backend", "cpu"}, [](const Presentation& shown) {
        EXPECT_EQ(field_of_error(refused(shown, {{"n", "0"}})), "n");
        EXPECT_EQ(field_of_error(refused(shown, {{"n", "99999999999999999999"}})), "n");
        EXPECT_EQ(field_of_error(refused(shown, {{"n", "200000000"}})), "n");   // more than the emulator runs
        EXPECT_EQ(field_of_error(refused(shown, {{"values", "1,two"}})), "values");
        EXPECT_EQ(field_of_error(refused(shown, {{"order", "sideways"}})), "order");
        EXPECT_EQ(field_of_error(refused(shown, {{"warp", "7"}})), "warp");
        EXPECT_EQ(field_of_error(refused(shown, {{"offset", "1"}})), "offset");
        EXPECT_EQ(field_of_error(refused(shown, {{"mood", "fine"}})), "mood");
        // A pasted novel is cut where it is shown.
        const std::string novel = refused(shown, {{"n", std::string(100'000, 'x')}});
        EXPECT_EQ(field_of_error(novel), "n");
        EXPECT_LT(novel.size(), 200u) << novel.substr(0, 400);
        EXPECT_NE(novel.find("100000 characters"), std::string::npos);
        // After all that the next one runs.
        EXPECT_EQ(refused(shown, {{"n", "3"}}), "it ran");
    });
}

TEST(RunChanges, OfThoseThatAreComparedEachTakesWhatItHas) {
    with_window({"--backend", "cpu"}, [](const Presentation& shown) {
        const std::vector<std::string> beside = {shown.all_variants[0], shown.all_variants[0]};
        const auto run = shown.services.run_changed("tiny_sum", beside, {{"n", "7"}, {"offset", "1"}});
        EXPECT_EQ(run->trace.header.n, 7u);
        EXPECT_EQ(run->trace.header.offset, 0u);   // it takes values from where their buffer begins
    });
}

TEST(RunChanges, FieldsAreThoseOfTheVariant) {
    with_window({"--backend", "cpu"}, [](const Presentation& shown) {
        const auto& fields = shown.fields.at("tiny_sum");
        const auto has = [&](const std::string& name) {
            return std::any_of(fields.begin(), fields.end(),
                               [&](const run::RunField& field) { return field.name == name; });
        };
        for (const char* name : {"n", "input", "values", "seed", "order"}) EXPECT_TRUE(has(name)) << name;
        for (const char* name : {"rows", "warp", "offset", "op"}) EXPECT_FALSE(has(name)) << name;
    });
}

}  // namespace
}  // namespace lanewise::cli
