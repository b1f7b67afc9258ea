#include "common/rounding/addition_tree.hpp"

#include <set>

#include <gtest/gtest.h>

#include "common/steps/testing/programs.testing.hpp"

namespace lanewise::rounding {

using steps::LaneView;
using steps::WarpStep;

namespace {

using namespace steps::testing;
using Kind = AdditionNode::Kind;

struct Grown {
    explicit Grown(Trace made)
        : trace(std::move(made)), steps(steps::build_steps(trace)), lens(build_rounding(steps)) {}
    Grown(const Grown&) = delete;

    const Sum& sum(std::int32_t place) const { return lens.sum(place); }
    AdditionTree of_run(const WarpRef& near = kFirst) const {
        return build_addition_tree(steps, lens, sum_of_run(steps, lens, near));
    }
    AdditionTree of_lane(const WarpRef& warp, int lane) const {
        return build_addition_tree(steps, lens, sum_of_lane(steps, lens, warp, lane));
    }
    std::multiset<std::int64_t> elements(const AdditionTree& tree, int node = 0) const {
        std::multiset<std::int64_t> all;
        for (const std::int32_t input : tree.inputs(node)) all.insert(sum(input).element);
        return all;
    }

    Trace trace;
    steps::Steps steps;
    RoundingLens lens;
};

std::multiset<std::int64_t> up_to(std::int64_t count) {
    std::multiset<std::int64_t> all;
    for (std::int64_t i = 0; i < count; ++i) all.insert(i);
    return all;
}

// Every addition of the tree is one that a record holds, with these parts and this result.
void check_against_records(const Grown& grown, const AdditionTree& tree) {
    std::size_t checked = 0;
    for (const std::int32_t place : tree.additions()) {
        const Sum& sum = grown.sum(place);
        const WarpStep* part = grown.steps.steps.at(sum.step).find(sum.warp);
        ASSERT_NE(part, nullptr);
        const auto lane = static_cast<std::size_t>(sum.lane);
        const LaneView& view = part->lanes[lane];
        if (grown.steps.steps[sum.step].kind != StepKind::shuffle) continue;
        EXPECT_EQ(view.before, grown.sum(sum.own).bits);
        EXPECT_EQ(view.received, grown.sum(sum.other).bits);
        EXPECT_EQ(view.after, sum.bits);
        ++checked;
    }
    EXPECT_GT(checked, 0u);
}

TEST(AdditionTree, AButterflysLaneHasOneTreeOfAllInputs) {
    const Grown grown(warp_tree(Op::shfl_xor, {16, 8, 4, 2, 1}));
    for (int lane = 0; lane < 32; ++lane) {
        const AdditionTree tree = grown.of_lane(kFirst, lane);
        ASSERT_EQ(tree.additions().size(), 31u);
        EXPECT_EQ(tree[0].leaves, 32u);
        EXPECT_EQ(tree[0].height, 5);
        EXPECT_EQ(grown.elements(tree), up_to(32));
        EXPECT_EQ(grown.sum(tree[0].sum).lane, lane);
        check_against_records(grown, tree);
        // What a lane held is to the left of what came to it.
        EXPECT_EQ(grown.sum(tree.inputs().front()).element, lane);
        EXPECT_EQ(others_beside(grown.steps, grown.lens, tree),
                  "All 32 lanes hold the sum of these inputs, each by a tree of its own; this is lane " +
                      std::to_string(lane) + "'s.");
    }
}

TEST(AdditionTree, OnlyTheFirstLaneOfAShiftHasTheTotal) {
    const Grown grown(warp_tree(Op::shfl_down, {16, 8, 4, 2, 1}));
    const AdditionTree tree = grown.of_lane(kFirst, 0);
    EXPECT_EQ(grown.elements(tree), up_to(32));
    EXPECT_EQ(others_beside(grown.steps, grown.lens, tree),
              "Lane 0 alone holds it: 31 other lanes of its warp end with other sums.");
    // Lane 31 was handed its own value back each time: a sum that comes in twice is drawn once.
    const AdditionTree last = grown.of_lane(kFirst, 31);
    EXPECT_EQ(last.additions().size(), 5u);
    std::size_t again = 0;
    for (const AdditionNode& node : last.nodes) again += node.kind == Kind::again;
    EXPECT_EQ(again, 4u);
    EXPECT_EQ(grown.sum(last[0].sum).count, 32u);
    EXPECT_EQ(inputs_text(grown.lens, last), "32 inputs, of them 1 different");
    EXPECT_EQ(inputs_text(grown.lens, tree), "32 inputs");
}

TEST(AdditionTree, GoesThroughSharedMemoryAndWarps) {
    const Grown grown(shared_tree(256));
    const AdditionTree tree = grown.of_run();
    EXPECT_EQ(grown.elements(tree), up_to(256));
    EXPECT_EQ(tree.additions().size(), 255u);
    EXPECT_EQ(tree[0].height, 8);
    const Grown two(two_level(8, 1));
    const AdditionTree whole = two.of_run();
    EXPECT_EQ(two.elements(whole), up_to(256));
    EXPECT_EQ(whole[0].height, 8);
    check_against_records(two, whole);
    // The total is the first warp's; the sums of the other warps are in it whole.
    std::set<std::uint32_t> warps;
    for (const std::int32_t sum : whole.additions()) warps.insert(two.sum(sum).warp.warp);
    EXPECT_EQ(warps.size(), 8u);
}

// Four blocks add 1, 2, 4 and 8 to one word in the order 2, 0, 3, 1.
TEST(AdditionTree, AWordThatAtomicsJoinIsOneNode) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 8);
    const auto out = made.array("out", Space::global, 1);
    made.statement(3, Effect::replace, "value");
    float held = 0;
    std::array<float, 4> found{};
    for (const std::size_t block : {2u, 0u, 3u, 1u}) {
        found[block] = held;
        held += static_cast<float>(1 << block);
    }
    for (std::uint32_t block = 0; block < 4; ++block) {
        auto warp = made.warp(block, 0);
        warp.load(3, in, [&](int) { return block; }, [&](int) { return static_cast<float>(1 << block); }, 1);
        warp.atomic_add(5, out, 0, found[block], 1);
    }
    made.trace.outputs = {{"out", Element::f32, 1, {to_bits(held)}}};
    const Grown grown(made.trace);
    const AdditionTree tree = grown.of_run();
    ASSERT_FALSE(tree.empty());
    EXPECT_EQ(tree[0].kind, Kind::word);
    std::vector<std::int64_t> order;
    for (const int part : tree[0].parts) order.push_back(grown.sum(tree[part].sum).element);
    EXPECT_EQ(order, (std::vector<std::int64_t>{2, 0, 3, 1}));
    EXPECT_EQ(grown.sum(tree[0].sum).bits, to_bits(15.0f));
    EXPECT_EQ(tree[0].running.size(), 3u);
    EXPECT_EQ(others_beside(grown.steps, grown.lens, tree),
              "4 partial sums were added to one address, in order, from left to right.");
    EXPECT_NE(describe_tree(grown.steps, grown.lens, tree, 1)
                  .find("added  step 2 atomic out  out[0], by lane 0 of block 1 · warp 0  13 (0x41500000) + 2 "
                        "(0x40000000) = 15 (0x41700000)  4 inputs  now\n"),
              std::string::npos)
        << describe_tree(grown.steps, grown.lens, tree, 1);
}

TEST(AdditionTree, WhatALaneAddsOneAfterTheOtherIsOneNode) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 32 * 8);
    made.statement(3, Effect::join, "sum");
    made.statement(5, Effect::join, "sum");
    auto warp = made.warp(0, 0);
    std::array<float, 32> sums{};
    for (int turn = 0; turn < 8; ++turn) {
        warp.load(3, in, [&](int lane) { return 32 * turn + lane; }, [&](int lane) { return ramp(32 * turn + lane); });
        for (std::size_t lane = 0; lane < 32; ++lane) sums[lane] += ramp(32 * turn + static_cast<int>(lane));
    }
    for (std::size_t lane = 0; lane < 32; ++lane) warp.values[lane] = sums[lane];
    for (int mask = 16; mask > 0; mask /= 2) warp.shuffle_sum(5, Op::shfl_xor, mask);
    const Grown grown(made.trace);
    const AdditionTree tree = grown.of_lane(kFirst, 3);
    EXPECT_EQ(grown.elements(tree), up_to(256));
    std::size_t runs = 0;
    for (const AdditionNode& node : tree.nodes) {
        if (node.kind != Kind::run) continue;
        ++runs;
        EXPECT_EQ(node.parts.size(), 8u);
        EXPECT_EQ(node.running.size(), 7u);
    }
    EXPECT_EQ(runs, 32u);
    EXPECT_EQ(tree[0].height, 6);
}

TEST(AdditionTree, AReductionJoinsAllLanesAtOnce) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 32);
    made.trace.arrays[in].element = Element::u32;
    made.statement(3, Effect::replace, "value");
    auto warp = made.warp(0, 0);
    warp.load(3, in, [](int lane) { return lane; }, [](int) { return 0.0f; });
    trace::Record& load = warp.last();
    load.type = Element::u32;
    for (std::size_t lane = 0; lane < 32; ++lane) load.value[lane][0] = lane + 1;
    warp.reduce_add(5, [](int lane) { return static_cast<std::uint32_t>(lane + 1); }, Effect::replace);
    const Grown grown(made.trace);
    const AdditionTree tree = grown.of_lane(kFirst, 0);
    ASSERT_FALSE(tree.empty()) << grown.lens.why_not;
    EXPECT_EQ(tree[0].kind, Kind::reduce);
    EXPECT_EQ(grown.elements(tree), up_to(32));
    EXPECT_EQ(grown.sum(tree[0].sum).bits, 528u);
}

// The description names every addition once, with what the records hold; what has not come about yet says so.
TEST(AdditionTree, IsDescribedAsTheRecordsHaveIt) {
    const Grown grown(two_level(4, 1));
    const AdditionTree tree = grown.of_run();
    const std::size_t now = 3;
    const std::string text = describe_tree(grown.steps, grown.lens, tree, now);
    std::size_t lines = 0;
    for (std::size_t k = 0; k < grown.steps.size(); ++k) {
        const steps::Step& step = grown.steps.steps[k];
        if (step.kind != StepKind::shuffle) continue;
        for (const WarpStep& warp : step.warps) {
            for (std::size_t lane = 0; lane < 32; ++lane) {
                const std::string where = "added  step " + std::to_string(k + 1) + " " + step.label + "  lane " +
                                          std::to_string(lane) + " of block 0 · warp " +
                                          std::to_string(warp.warp.warp) + "  ";
                const std::size_t at = text.find(where);
                if (at == std::string::npos) continue;
                const std::string line = text.substr(at, text.find('\n', at) - at);
                const auto value = [](std::uint64_t bits) {
                    return format_element(Element::f32, bits) + " (0x" + format_bits(Element::f32, bits) + ")";
                };
                const LaneView& view = warp.lanes[lane];
                EXPECT_NE(line.find(value(view.before) + " + " + value(view.received) + " = " + value(view.after)),
                          std::string::npos)
                    << line;
                EXPECT_EQ(line.ends_with("  now"), k == now) << line;
                EXPECT_EQ(line.ends_with("  later"), k > now) << line;
                ++lines;
            }
        }
    }
    EXPECT_EQ(lines, 127u);
    EXPECT_TRUE(
        text.starts_with("tree  lane 0 of block 0 · warp 0  8128 (0x45fe0000)  128 inputs, 127 additions in 7 steps\n"))
        << text.substr(0, 200);
}

TEST(AdditionTree, WithoutAdditionsThereIsASentence) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 32);
    made.statement(3, Effect::replace, "value");
    auto warp = made.warp(0, 0);
    warp.load(3, in, [](int lane) { return lane; }, [](int lane) { return ramp(lane); });
    const Grown grown(made.trace);
    const AdditionTree tree = grown.of_run();
    EXPECT_TRUE(tree.empty());
    EXPECT_FALSE(why_no_tree(grown.lens).empty());
    EXPECT_EQ(describe_tree(grown.steps, grown.lens, tree, 0), "tree  " + why_no_tree(grown.lens) + "\n");
    const Grown nothing{Trace()};
    EXPECT_TRUE(nothing.of_run().empty());
    EXPECT_TRUE(nothing.of_lane(kFirst, 3).empty());
    EXPECT_FALSE(why_no_tree(nothing.lens).empty());
}

}  // namespace
}  // namespace lanewise::rounding
