// Where a key leads that goes from finding to finding.
#include "common/scene/outcome.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "common/run/run.hpp"
#include "common/steps/testing/programs.testing.hpp"

namespace lanewise::scene {
namespace {

// Warp 1 of block 0 stores its sum on line 7 (its eighth record: a load, five rounds, then the store); warp 0 reads it
// on line 10, its ninth: the barrier is between.
trace::Trace with_findings() {
    trace::Trace trace = steps::testing::two_level(2, 1);
    trace::Finding race;
    race.kind = "race";
    race.line = 10;
    race.warp = 0;
    race.lanes = 1u << 1;
    race.record = 8;
    race.other = trace::FindingPlace{7, 0, 1, 1, 6, {}};
    trace::Finding late;
    late.kind = "bad_width";
    late.line = 12;
    late.lanes = 1u << 3;
    trace.findings = {race, late};
    return trace;
}

TEST(ResultText, ANaNHasNoSign) {
    run::Result result;
    result.output = "out";
    result.value = std::copysign(std::nan(""), -1.0);
    result.reference = 1;
    result.ok = false;
    run::Run run;
    run.results = {result};
    EXPECT_EQ(result_text(run), "out = nan, expected 1");
}

TEST(FindingStops, BothAccessesOfARaceAreAmongThem) {
    const trace::Trace trace = with_findings();
    const steps::Steps steps = steps::build_steps(trace);
    const auto stops = finding_stops(steps, findings_of_steps(steps));
    ASSERT_EQ(stops.size(), 3u);
    const auto line = [&](std::size_t i) { return steps.steps[stops[i].step].line; };
    EXPECT_EQ(line(0), 7);
    EXPECT_EQ(stops[0].warp, (WarpRef{0, 0, 1}));
    EXPECT_EQ(stops[0].lane, 0);
    EXPECT_EQ(line(1), 10);
    EXPECT_EQ(stops[1].warp, (WarpRef{0, 0, 0}));
    EXPECT_EQ(stops[1].lane, 1);
    EXPECT_EQ(line(2), 12);
    EXPECT_EQ(stops[2].lane, 3);
    EXPECT_EQ(stops[2].finding, 1u);
}

TEST(FindingStops, GoForwardAndBackAndAround) {
    const trace::Trace trace = with_findings();
    const steps::Steps steps = steps::build_steps(trace);
    const auto stops = finding_stops(steps, findings_of_steps(steps));
    const WarpRef first{0, 0, 0};
    EXPECT_EQ(*finding_stop_beside(stops, 0, first, 1), stops[0]);
    EXPECT_EQ(*finding_stop_beside(stops, stops[0].step, stops[0].warp, 1), stops[1]);
    EXPECT_EQ(*finding_stop_beside(stops, stops[1].step, stops[1].warp, -1), stops[0]);
    EXPECT_EQ(*finding_stop_beside(stops, stops[2].step, stops[2].warp, 1), stops[0]);
    EXPECT_EQ(*finding_stop_beside(stops, 0, first, -1), stops[2]);
    EXPECT_EQ(finding_stop_beside({}, 0, first, 1), nullptr);
}

}  // namespace
}  // namespace lanewise::scene
