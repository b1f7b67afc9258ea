#include "common/run/run.hpp"
#include "common/scene/sums/atomic_chain.hpp"
#include "common/scene/sums/atomic_result.hpp"

#include <gtest/gtest.h>

#include "common/base/element.hpp"
#include "common/trace/trace_builder.testing.hpp"
#include "common/scene/describe.hpp"
#include "viz/views/reduction/join_scene.hpp"
#include "viz/views/reduction/reruns_view.hpp"
#include "viz/model/run_view.hpp"
#include "viz/testing/sample_runs.hpp"

namespace lanewise::viz {
namespace {

using trace::Op;

std::size_t first_atomic(const steps::Steps& steps) {
    for (std::size_t k = 0; k < steps.size(); ++k)
        if (steps.steps[k].kind == StepKind::atomic) return k;
    return steps.size();
}

std::vector<std::uint32_t> blocks_of(const Chain& chain) {
    std::vector<std::uint32_t> blocks;
    for (const Join& join : chain.joins) blocks.push_back(join.warp.block);
    return blocks;
}

// A warp in each of `found.size()` blocks that adds `gave` to out[0] and receives `found`.
std::shared_ptr<const run::Run> blocks_that_add(const std::vector<std::pair<float, float>>& found_and_gave) {
    trace::testing::TraceBuilder made;
    const auto out = made.array("out", Space::global, 1);
    for (std::uint32_t block = 0; block < found_and_gave.size(); ++block) {
        auto warp = made.warp(block, 0);
        warp.values[0] = found_and_gave[block].second;
        warp.atomic_add(7, out, 0, found_and_gave[block].first, 1);
    }
    return samples::run_of(std::move(made.trace), "blocks");
}

TEST(Chain, OldValuesGiveTheOrderAndWhatWasNotRecorded) {
    auto run = std::make_shared<run::Run>(*samples::joined_blocks());
    run->trace.header.launches.front().grid = {8, 1, 1};
    run->steps = steps::build_steps(run->trace);
    const steps::Steps& steps = run->steps;
    const std::vector<Chain> chains = chains_at(steps, first_atomic(steps), {0, 5, 0});
    ASSERT_EQ(chains.size(), 1u);
    const Chain& chain = chains[0];
    EXPECT_EQ(chain.unknown, "");
    EXPECT_EQ(blocks_of(chain), (std::vector<std::uint32_t>{3, 0, 1, 7, 2, 5}));
    EXPECT_EQ(chain.blocks_missing, 2u);
    // Block 6 came between 0 and 1, block 4 last: both are known by what is left over alone.
    std::vector<bool> follows;
    for (const Join& join : chain.joins) follows.push_back(join.follows);
    EXPECT_EQ(follows, (std::vector<bool>{false, true, false, true, true, true}));
    for (std::size_t i = 1; i < chain.joins.size(); ++i) {
        EXPECT_EQ(chain.joins[i].follows, chain.joins[i].found == chain.joins[i - 1].left);
    }
    ASSERT_TRUE(chain.has_end);
    EXPECT_FALSE(chain.end_follows);
    EXPECT_EQ(chain.end, run->trace.outputs[0].values[0]);

    const std::string text = describe_chain(chain);
    EXPECT_NE(
        text.find("6 blocks update out[0]; order inferred from returned values; 2 more blocks were not recorded."),
        std::string::npos)
        << text;
    EXPECT_LT(text.find("block 3"), text.find("block 0"));
    EXPECT_LT(text.find("block 0"), text.find("not recorded: what made"));
    EXPECT_NE(text.find("final " + format_element(Element::f32, chain.end)), std::string::npos);
    // And it is what the whole step is described by.
    const std::string all = describe_step(*run, "kernels.cuh", first_atomic(steps), -1, -1);
    EXPECT_NE(all.find(text), std::string::npos);
    EXPECT_EQ(all.find("update out[0]", all.find("update out[0]") + 1),
              std::string::npos);  // once, not once for each block
}

TEST(Chain, AnOrderThatCannotBeKnownIsNotMadeUp) {
    const auto chain_of = [](const std::vector<std::pair<float, float>>& blocks) {
        const auto run = blocks_that_add(blocks);
        return chains_at(run->steps, 0, run->steps.warps.front()).at(0);
    };
    // Back to a value it held before, twice found.
    EXPECT_NE(chain_of({{0, 1}, {1, -1}, {0, 2}}).unknown, "");
    // In a circle: any of them may have been first.
    EXPECT_NE(chain_of({{0, 1}, {1, 2}, {3, -3}}).unknown, "");
    // Gaps, and the word moves both ways.
    EXPECT_NE(chain_of({{10, 5}, {3, -1}}).unknown, "");
    EXPECT_EQ(blocks_of(chain_of({{10, 5}, {3, -1}})), (std::vector<std::uint32_t>{0, 1}));
    // Gaps, and it only rises; it only falls.
    EXPECT_EQ(blocks_of(chain_of({{10, 5}, {3, 1}})), (std::vector<std::uint32_t>{1, 0}));
    EXPECT_EQ(blocks_of(chain_of({{3, -1}, {10, -5}})), (std::vector<std::uint32_t>{1, 0}));
    EXPECT_EQ(chain_of({{10, 5}, {3, 1}}).unknown, "");
    // A block that adds nothing is where its old value was held.
    EXPECT_EQ(blocks_of(chain_of({{4, 0}, {4, 3}, {0, 4}})), (std::vector<std::uint32_t>{2, 0, 1}));
}

TEST(Chain, SharedWordsAreJoinedWithinTheirBlock) {
    const auto run = samples::collectives();
    const std::size_t step = first_atomic(run->steps);
    const std::vector<Chain> chains = chains_at(run->steps, step, run->steps.warps.front());
    ASSERT_EQ(chains.size(), 4u);
    std::size_t lanes = 0;
    for (const Chain& chain : chains) {
        EXPECT_FALSE(chain.global);
        EXPECT_EQ(chain.unknown, "") << chain.word();
        for (const Join& join : chain.joins) {
            // bins[3] is counted up in the next step as well.
            lanes += join.now;
            EXPECT_EQ(join.left - join.found, join.now ? static_cast<std::uint64_t>(join.lane) + 1 : 1u);
        }
    }
    EXPECT_EQ(lanes, 32u);
    EXPECT_TRUE(chains_at(run->steps, 0, run->steps.warps.front()).empty());
}

TEST(Chain, EachAtomicLeavesWhatCudaSays) {
    const auto left = [](Op op, std::uint64_t found, std::uint64_t gave, Element type = Element::u32) {
        return after_atomic(op, type, found, gave);
    };
    EXPECT_EQ(left(Op::atomic_add, 7, 5), 12u);
    EXPECT_EQ(left(Op::atomic_sub, 3, 5), 0xfffffffeu);
    EXPECT_EQ(left(Op::atomic_min, 7, 5), 5u);
    EXPECT_EQ(left(Op::atomic_max, 7, 5), 7u);
    EXPECT_EQ(left(Op::atomic_min, 0xffffffffu, 5, Element::i32), 0xffffffffu);
    EXPECT_EQ(left(Op::atomic_max, ~std::uint64_t{0}, ~std::uint64_t{0} - 1, Element::u64), ~std::uint64_t{0});
    EXPECT_EQ(left(Op::atomic_and, 12, 10), 8u);
    EXPECT_EQ(left(Op::atomic_or, 12, 10), 14u);
    EXPECT_EQ(left(Op::atomic_xor, 12, 10), 6u);
    EXPECT_EQ(left(Op::atomic_exch, 12, 10), 10u);
    EXPECT_EQ(left(Op::atomic_inc, 4, 5), 5u);
    EXPECT_EQ(left(Op::atomic_inc, 5, 5), 0u);
    EXPECT_EQ(left(Op::atomic_dec, 4, 5), 3u);
    EXPECT_EQ(left(Op::atomic_dec, 0, 5), 5u);
    EXPECT_EQ(left(Op::atomic_dec, 9, 5), 5u);
    EXPECT_EQ(left(Op::atomic_cas, 9, 5), std::nullopt);
    EXPECT_EQ(left(Op::atomic_add, to_bits(0.1f), to_bits(0.2f), Element::f32), to_bits(0.1f + 0.2f));
}

TEST(Reruns, DifferentResultsAreCountedAndTheirDigitsMarked) {
    const auto run = samples::joined_blocks();
    const RerunTable table = rerun_table(run->trace);
    ASSERT_EQ(table.rows.size(), 5u);
    EXPECT_EQ(table.results, 3u);
    EXPECT_EQ(table.rows[0].how, "ascending");
    EXPECT_EQ(table.rows[1].how, "descending");
    std::vector<bool> last(8, false);
    last[7] = true;
    EXPECT_EQ(table.differing(1), last);
    EXPECT_EQ(table.differing(2), std::vector<bool>(8, false));
    const std::string text = describe_reruns(table);
    EXPECT_NE(text.find("3 different results in 5 runs"), std::string::npos) << text;
    EXPECT_NE(text.find("seed 3  "), std::string::npos);
    EXPECT_TRUE(rerun_table(samples::warp_xor()->trace).rows.empty());
    EXPECT_EQ(describe_reruns(rerun_table(samples::warp_xor()->trace)), "");
}

// 64 blocks in a wild order, where only a few have room: no line leads to a box that is not there.
TEST(JoinScene, LinesThatLeadOutOfSightAreCountedNotDrawn) {
    Chain chain;
    chain.array = "out";
    for (std::uint32_t i = 0; i < 64; ++i) {
        Join join;
        join.warp = {0, (i * 29) % 64, 0};
        join.record = i;
        join.has_left = join.follows = join.now = true;
        chain.joins.push_back(join);
    }
    const Rect room{100, 20, 900, 146};
    for (std::size_t focus = 0; focus < 64; ++focus) {
        const JoinScene scene = build_join_scene(chain, room, 1, focus);
        EXPECT_EQ(scene.lines.size() + scene.hidden, 64u);
        EXPECT_GT(scene.hidden, 50u);
        bool own = false;
        for (const JoinScene::Line& line : scene.lines) {
            for (const float x : {line.from.x, line.to.x}) {
                EXPECT_GE(x, room.x0);
                EXPECT_LE(x, room.x1);
            }
            own |= line.join == focus;
        }
        EXPECT_TRUE(own) << focus;
        EXPECT_EQ(hidden_lines(scene),
                  std::to_string(scene.hidden) + " of 64 lines lead out of sight and are not drawn");
    }
    chain.joins.resize(4);
    const JoinScene few = build_join_scene(chain, room, 1, 0);
    EXPECT_EQ(few.lines.size(), 4u);
    EXPECT_EQ(hidden_lines(few), "");
}

}  // namespace
}  // namespace lanewise::viz
