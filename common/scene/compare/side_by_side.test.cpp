#include "common/scene/compare/side_by_side.hpp"

#include <memory>

#include <gtest/gtest.h>

#include "common/run/run.hpp"
#include "common/steps/testing/programs.testing.hpp"

namespace lanewise::scene {
namespace {

using namespace steps::testing;

std::unique_ptr<run::Run> made_of(Trace trace, std::uint32_t blocks, std::uint32_t threads) {
    auto run = std::make_unique<run::Run>();
    run->trace = std::move(trace);
    run->trace.header.launches = {{"kernel", {blocks, 1, 1}, {threads, 1, 1}, 0}};
    run->steps = steps::build_steps(run->trace);
    return run;
}

// Two blocks of two warps load; then a word of `more` is loaded by the warps of block 1 that are named.
std::unique_ptr<run::Run> run_with(const std::vector<std::uint32_t>& last) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 256);
    const auto more = made.array("more", Space::global, 1);
    made.statement(3, Effect::replace, "value");
    made.statement(9, Effect::replace, "value");
    for (std::uint32_t block = 0; block < 2; ++block)
        for (std::uint32_t number = 0; number < 2; ++number) {
            auto warp = made.warp(block, number);
            warp.load(3, in, [](int lane) { return lane; }, [](int lane) { return ramp(lane); });
            for (const std::uint32_t each : last)
                if (block == 1 && each == number)
                    warp.load(9, more, [](int) { return 0; }, [](int) { return 1.0f; }, 1);
        }
    return made_of(made.trace, 2, 64);
}

TEST(SideBySide, ABlockThatWorksOnAllSidesIsShown) {
    const auto one = run_with({0, 1}), other = run_with({1});
    const std::vector<const run::Run*> runs{one.get(), other.get()};
    SideBySide steps;
    steps.align(runs);
    ASSERT_EQ(steps.size(), 2u);
    const WarpRef home{0, 0, 0};
    EXPECT_EQ(working_warp(runs, steps, 0, home), home);
    // Only block 1 is there, of the other side its warp 1 alone.
    EXPECT_EQ(working_warp(runs, steps, 1, home), (WarpRef{0, 1, 1}));
    // A warp whose block works stays, as where one run is shown.
    EXPECT_EQ(working_warp(runs, steps, 1, {0, 1, 0}), (WarpRef{0, 1, 0}));
    EXPECT_EQ(working_warp(runs, steps, 7, home), home);
    // The text of the picture is of the same warp.
    const std::vector<ComparedRun> sides{{"a", one.get()}, {"b", other.get()}};
    EXPECT_EQ(build_compare_scene(sides, steps, {}, 1, working_warp(runs, steps, 1, home)).sides[1].warp,
              (WarpRef{0, 1, 1}));
}

// A GPU's trace alone has neither loads nor stores: they were not few, they are not known.
TEST(SideBySide, WhatWasNotRecordedIsADash) {
    const auto recorded = made_of(shared_tree(256), 1, 256);
    Trace bare = two_level(8, 1);
    std::erase_if(bare.records, [](const trace::Record& record) { return trace::is_access(record.op); });
    const auto unrecorded = made_of(std::move(bare), 1, 256);
    SideBySide steps;
    steps.align({recorded.get(), unrecorded.get()});
    const CompareScene scene = build_compare_scene({{"a", recorded.get()}, {"b", unrecorded.get()}}, steps, {},
                                                   steps.size() - 1, WarpRef{0, 0, 0});
    std::size_t of_memory = 0;
    for (const CompareFigure& figure : scene.figures) {
        EXPECT_TRUE(figure.known[0]) << figure.label;
        if (figure.known[1]) continue;
        ++of_memory;
        EXPECT_EQ(figure.shown[1], "–") << figure.label;
        EXPECT_FALSE(figure.differs) << figure.label;
        EXPECT_EQ(figure.marks[0], CompareFigure::Mark::none) << figure.label;
    }
    EXPECT_GE(of_memory, 3u);
}

}  // namespace
}  // namespace lanewise::scene
