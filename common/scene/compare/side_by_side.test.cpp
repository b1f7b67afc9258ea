#include "common/scene/compare/side_by_side.hpp"

#include <memory>

#include <gtest/gtest.h>

#include "common/run/run.hpp"
#include "common/steps/testing/programs.testing.hpp"

namespace lanewise::scene {
namespace {

using namespace steps::testing;

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
    auto run = std::make_unique<run::Run>();
    run->trace = made.trace;
    run->trace.header.launches = {{"kernel", {2, 1, 1}, {64, 1, 1}, 0}};
    run->steps = steps::build_steps(run->trace);
    return run;
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

}  // namespace
}  // namespace lanewise::scene
