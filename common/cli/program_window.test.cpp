#include "common/cli/program.hpp"

#include <gtest/gtest.h>

#include <set>

#include "common/base/error.hpp"
#include "common/base/text.testing.hpp"
#include "common/cli/testing/window.testing.hpp"
#include "common/measure/sweep.hpp"

namespace lanewise::cli {

using run::NextProgram;
using run::Presentation;
using run::View;

namespace {

using lanewise::testing::contains;
using testing::TinyProgram;
using testing::WithWindow;

TEST(Program, AnotherLessonGoesOnOnceTheWindowIsClosed) {
    WithWindow tiny;
    tiny.seen.next = {"/lessons/06_next", {"--start"}};
    tiny({});
    EXPECT_FALSE(tiny.seen.presentation.services.continue_with);   // nothing can start it
    NextProgram started;
    tiny.program.start = [&](const NextProgram& next) { started = next; };
    tiny({"--backend", "cpu"});
    EXPECT_EQ(started.program, "/lessons/06_next");
    EXPECT_EQ(started.arguments, (std::vector<std::string>{"--start", "--backend", "cpu"}));
    tiny.program.start = [](const NextProgram& next) { throw Error(next.program + " could not be started: gone."); };
    const auto answer = tiny({});
    EXPECT_EQ(answer.status, kExitUsage);
    EXPECT_TRUE(contains(answer.err, "could not be started")) << answer.err;
}

TEST(Program, WithoutFlagsAWindowOpens) {
    WithWindow tiny;
    const auto answer = tiny({});
    EXPECT_EQ(answer.status, kExitOk) << answer.err;
    EXPECT_EQ(tiny.seen.windows, 1);
    EXPECT_EQ(tiny.seen.request.variant, "tiny_sum");
    EXPECT_FALSE(tiny.seen.request.has_step);
    EXPECT_EQ(tiny.seen.presentation.title, "Tiny");
    EXPECT_EQ(tiny.seen.presentation.text, "# Tiny\n");
    EXPECT_EQ(tiny.seen.presentation.variants.size(), 1u);   // the broken one is no tab
    EXPECT_EQ(tiny.seen.presentation.all_variants.size(), 2u);
    EXPECT_EQ(tiny.seen.run->origin, "emulator · ascending");
    EXPECT_EQ(tiny.seen.run->steps.size(), 6u);
}

TEST(Program, TheTimesOpenInTheWindow) {
    WithWindow tiny;
    EXPECT_EQ(tiny({"--timings"}).status, kExitOk);
    EXPECT_EQ(tiny.seen.request.view, View::timings);
    EXPECT_EQ(tiny({"--roofline", "--screenshot", "x.png"}).status, kExitOk);
    EXPECT_EQ(tiny.seen.request.view, View::roofline);
}

TEST(Program, AWindowMeasuresOverSizesUntilItIsEnded) {
    WithWindow tiny;
    tiny.has_gpu = true;
    std::vector<std::string> reported;
    timing::TimingTable table;
    tiny.seen.ask = [&](const Presentation& shown) {
        EXPECT_EQ(shown.services.why_not_measured(), "");
        table = shown.services.measure_sizes({[&](std::size_t done, std::size_t all, const std::string& what) {
                                         EXPECT_LT(done, all);
                                         reported.push_back(what);
                                     },
                                     [&] { return reported.size() >= 8; }});
    };
    EXPECT_EQ(tiny({}).status, kExitOk);
    EXPECT_EQ(reported.at(0), "1024 · tiny_sum");
    std::set<std::uint64_t> sizes;
    for (const timing::Timing& row : table.rows) sizes.insert(row.n);
    EXPECT_TRUE(sizes.contains(1024) && sizes.contains(4096));
    EXPECT_FALSE(sizes.contains(1u << 24));   // it was ended before
    EXPECT_EQ(table.partial, measure::kCancelled);
    EXPECT_EQ(table.lesson, "99_tiny");
    EXPECT_FALSE(table.date.empty());

    tiny.has_gpu = false;
    tiny.seen.ask = [&](const Presentation& shown) { EXPECT_NE(shown.services.why_not_measured(), ""); };
    EXPECT_EQ(tiny({}).status, kExitOk);
    tiny.seen.ask = [&](const Presentation& shown) {
        EXPECT_NE(shown.services.why_not_measured().find("--backend"), std::string::npos);
    };
    EXPECT_EQ(tiny({"--backend", "cpu"}).status, kExitOk);
}

TEST(Program, TheRoundingLensIsATableInATerminalAndAViewInAWindow) {
    WithWindow tiny;
    const auto text = tiny({"--text", "--rounding", "--variant", "tiny_sum"});
    EXPECT_EQ(text.status, kExitOk) << text.err;
    EXPECT_TRUE(contains(text.out, "tiny_sum · rounding")) << text.out;
    EXPECT_TRUE(contains(text.out, "worst sum")) << text.out;
    EXPECT_TRUE(contains(text.out, "every sum is exact")) << text.out;
    EXPECT_FALSE(contains(text.out, "step 1 of")) << text.out;
    EXPECT_EQ(tiny({"--rounding"}).status, kExitOk);
    EXPECT_EQ(tiny.seen.request.view, View::rounding);
}

TEST(Program, TheTableSetsAllVariantsBesideEachOther) {
    WithWindow tiny;
    const auto answer = tiny({"--table", "--sort", "error:down"});
    EXPECT_EQ(answer.status, kExitOk) << answer.err;
    EXPECT_EQ(tiny.seen.windows, 0);
    for (const auto& variant : tiny.program.lesson.variants())
        EXPECT_TRUE(contains(answer.out, "\n" + variant.name + " ")) << answer.out;
    EXPECT_TRUE(contains(answer.out, "loads/thread")) << answer.out;
    EXPECT_TRUE(contains(answer.out, "wrong, as declared")) << answer.out;
    EXPECT_EQ(tiny({"--table", "--sort", "time", "--screenshot", "x.png"}).status, kExitOk);
    EXPECT_EQ(tiny.seen.request.view, View::table);
    EXPECT_EQ(tiny.seen.request.sort, "time");
    EXPECT_TRUE(contains(tiny({"--sort", "time"}).err, "add --table"));
    EXPECT_TRUE(contains(tiny({"--table", "--sort", "tme"}).err, "did you mean 'time'?"));
}

TEST(Program, WithoutADisplayTheStepsAreText) {
    WithWindow tiny;
    tiny.seen.display = false;
    const auto answer = tiny({});
    EXPECT_EQ(answer.status, kExitOk);
    EXPECT_TRUE(contains(answer.err, "There is no display.")) << answer.err;
    EXPECT_TRUE(contains(answer.out, "xor 16")) << answer.out;
}

TEST(Program, BuiltWithoutAWindow) {
    TinyProgram tiny;
    const auto answer = tiny({});
    EXPECT_EQ(answer.status, kExitOk);
    EXPECT_TRUE(contains(answer.err, "without a window"));
    EXPECT_TRUE(contains(answer.out, "496"));
    const auto picture = tiny({"--screenshot", "x.png"});
    EXPECT_EQ(picture.status, kExitUsage);
    EXPECT_TRUE(contains(picture.err, "LANEWISE_WINDOW")) << picture.err;
}

TEST(Program, StepsCountFromOne) {
    WithWindow tiny;
    EXPECT_EQ(tiny({"--describe", "--step", "6", "--lane", "3"}).out, "described\n");
    EXPECT_EQ(tiny.seen.request.step, 5u);
    EXPECT_TRUE(tiny.seen.request.has_step);
    EXPECT_EQ(tiny.seen.request.lane, 3);
    for (const auto& arguments : std::vector<std::vector<std::string>>{{"--describe", "--step", "7"},
                                                                       {"--screenshot", "a.png", "--step", "7"},
                                                                       {"--text", "--step", "7"},
                                                                       {"--step", "7"}}) {
        const auto past = tiny(arguments);
        EXPECT_EQ(past.status, kExitUsage);
        EXPECT_TRUE(contains(past.err, "--step 7: tiny_sum has 6 steps; give 1 to 6.")) << past.err;
    }
}

}  // namespace
}  // namespace lanewise::cli
