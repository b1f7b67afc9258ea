#include <gtest/gtest.h>

#include "common/steps/testing/programs.testing.hpp"

namespace lanewise::steps {
namespace {

using namespace testing;

std::string shuffle_formula(Op op, int arg, Effect effect, int lane, int width = 32, std::uint32_t active = kAllLanes) {
    TraceBuilder made;
    auto warp = made.warp(0, 0);
    for (std::size_t i = 0; i < 32; ++i) warp.values[i] = ramp(static_cast<int>(i));
    warp.shuffle(5, op, arg, effect, width, active);
    return formula(build_steps(made.trace), 0, kFirst, lane);
}

TEST(Formula, Xor) {
    EXPECT_EQ(shuffle_formula(Op::shfl_xor, 16, Effect::join, 5),
              "lane 5 ← lane 21 = 5 xor 16: 00101 ^ 10000 = 10101; 5 + 21 = 26");
    EXPECT_EQ(shuffle_formula(Op::shfl_xor, 2, Effect::join, 13, 8),
              "lane 13 ← lane 15 = 13 xor 2 within its 8 lanes: 01101 ^ 00010 = 01111; 13 + 15 = 28");
    EXPECT_EQ(shuffle_formula(Op::shfl_xor, 8, Effect::join, 5, 8),
              "lane 5 keeps its own: 5 xor 8 = 13 is past lane 7, the edge of its 8 lanes; 00101 ^ 01000 = 01101; "
              "5 + 5 = 10");
}

TEST(Formula, DownAndUp) {
    EXPECT_EQ(shuffle_formula(Op::shfl_down, 8, Effect::join, 5), "lane 5 ← lane 13 = 5 + 8: 5 + 13 = 18");
    EXPECT_EQ(shuffle_formula(Op::shfl_down, 8, Effect::join, 30),
              "lane 30 keeps its own: 30 + 8 = 38 is past lane 31; 30 + 30 = 60");
    EXPECT_EQ(shuffle_formula(Op::shfl_up, 4, Effect::join, 5), "lane 5 ← lane 1 = 5 - 4: 5 + 1 = 6");
    EXPECT_EQ(shuffle_formula(Op::shfl_up, 8, Effect::keep, 5),
              "lane 5 keeps its own: 5 - 8 = -3 is before lane 0; received 5, not used: stays 5");
    EXPECT_EQ(shuffle_formula(Op::shfl_down, 1, Effect::join, 6, 8),
              "lane 6 ← lane 7 = 6 + 1 within its 8 lanes: 6 + 7 = 13");
}

TEST(Formula, Idx) {
    EXPECT_EQ(shuffle_formula(Op::shfl_idx, 0, Effect::replace, 5),
              "lane 5 ← lane 0: every lane names lane 0; received 0, now 0");
    EXPECT_EQ(shuffle_formula(Op::shfl_idx, 1, Effect::replace, 13, 8),
              "lane 13 ← lane 9: every lane names lane 1 within its 8 lanes; received 9, now 9");
    EXPECT_EQ(shuffle_formula(Op::shfl_idx, 33, Effect::replace, 5),
              "lane 5 ← lane 1: every lane names lane 33, which wraps to 1; received 1, now 1");
}

TEST(Formula, UndefinedAndAbsent) {
    EXPECT_EQ(shuffle_formula(Op::shfl_xor, 16, Effect::join, 5, 32, 0xffff),
              "lane 5 ← lane 21, which takes no part: undefined");
    EXPECT_EQ(shuffle_formula(Op::shfl_xor, 16, Effect::join, 21, 32, 0xffff), "");
    EXPECT_EQ(shuffle_formula(Op::shfl_xor, 16, Effect::join, 99), "");
}

TEST(Formula, ASumIsSaidOnlyWhereItIsOne) {
    TraceBuilder made;
    auto warp = made.warp(0, 0);
    warp.values.fill(26);
    warp.shuffle_sum(5, Op::shfl_xor, 8);
    warp.last().received[5] = to_bits(42.0f);
    warp.last().after[5] = to_bits(36.0f);   // 3 * 26 - 42
    warp.last().has_after &= ~(1u << 6);
    const Steps steps = build_steps(made.trace);
    EXPECT_EQ(formula_parts(steps, 0, kFirst, 5).arithmetic, "26, received 42, now 36");
    EXPECT_EQ(formula_parts(steps, 0, kFirst, 6).arithmetic, "received 26");
    EXPECT_EQ(formula_parts(steps, 0, kFirst, 7).arithmetic, "26 + 26 = 52");
}

TEST(Formula, Collectives) {
    TraceBuilder made;
    const auto out = made.array("out", Space::global, 1);
    auto warp = made.warp(0, 0);
    warp.reduce_add(3, [](int lane) { return static_cast<std::uint32_t>(lane + 1); }, Effect::replace, 0xffff);
    warp.match_any(4,
                   [](int lane) { return lane % 4 == 0 && lane < 12 ? 7u : static_cast<std::uint32_t>(100 + lane); });
    warp.fence(5, 1);
    warp.active_mask(6, 0xff);
    warp.barrier_vote(7, Op::sync_block_count, [](int lane) { return lane < 5; }, 40);
    trace::Record& match = warp.add(Op::vote_match_all, 8, 0xf);
    match.type = Element::u32;
    match.before = {3, 3, 3, 4};
    trace::Record& inc = warp.add(Op::atomic_inc, 9, 1);
    inc.type = Element::u32;
    inc.array = out;
    inc.value[0][0] = 7;
    inc.received[0] = 7;
    const Steps steps = build_steps(made.trace);
    EXPECT_EQ(labels(steps),
              "reduce add | match any | fence device | active mask | barrier count | match all | atomic inc out");
    EXPECT_EQ(formula(steps, 0, kFirst, 5), "lane 5 ← lanes 0…15: 1 + 2 + 3 + … = 136");
    EXPECT_EQ(formula(steps, 0, kFirst, 20), "");
    EXPECT_EQ(formula(steps, 1, kFirst, 4), "lanes 0, 4, 8 hold the same 7: mask 0x00000111");
    EXPECT_EQ(formula(steps, 1, kFirst, 5), "lane 5 alone holds 105: mask 0x00000020");
    EXPECT_EQ(
        formula(steps, 2, kFirst, 5),
        "lane 5 waits for no other thread: what it wrote before is seen before what it writes next, by the whole device");
    EXPECT_EQ(formula(steps, 3, kFirst, 5),
              "lane 5 finds lanes 0…7 here: mask 0x000000ff, one legal answer of several");
    EXPECT_EQ(formula(steps, 4, kFirst, 4),
              "lane 4 waits: until every thread of its block is here; it says yes; 40 of the block say yes");
    EXPECT_EQ(formula(steps, 5, kFirst, 1), "lanes 0…2 hold the same 3: not all of lanes 0…3 do; mask 0x00000000");
    EXPECT_EQ(formula(steps, 6, kFirst, 0), "lane 0 → out[0]: atomic inc; 7 counts on to 0, up to 7 and then from 0; "
                                            "what it held depends on who came before");
}

TEST(Formula, ATeachingWarpEndsSooner) {
    TraceBuilder made;
    made.trace.header.warp_size = 8;
    auto warp = made.warp(0, 0);
    warp.values.fill(1);
    warp.shuffle_sum(3, Op::shfl_down, 4, 8, 0xff);
    warp.ballot(4, [](int lane) { return lane == 2; }, 0xff);
    const Steps steps = build_steps(made.trace);
    EXPECT_EQ(labels(steps), "down 4 | ballot");
    EXPECT_EQ(formula_parts(steps, 0, kFirst, 6).rule, "6 + 4 = 10 is past lane 7");
    EXPECT_EQ(formula_parts(steps, 1, kFirst, 2).bits, "00000100");
}

TEST(Formula, OtherSteps) {
    const Trace trace = two_level();
    const Steps steps = build_steps(trace);
    EXPECT_EQ(formula(steps, 0, kFirst, 5), "lane 5 ← in[5]: 5");
    EXPECT_EQ(formula(steps, 6, {0, 0, 1}, 0), "lane 0 → warp_sums[1]: 1520");
    EXPECT_EQ(formula(steps, 7, kFirst, 5), "lane 5 waits: until every thread of its block is here");
    EXPECT_EQ(formula(steps, 12, kFirst, 0),
              "lane 0 → out[0]: atomic add; 0 + 32640 = 32640; what it held depends on who came before");
    const Trace tree = shared_tree(128);
    EXPECT_EQ(formula(build_steps(tree), 3, kFirst, 5), "lane 5 → tree[5] = tree[5] + tree[69]: 5 + 69 = 74");

    TraceBuilder made;
    auto warp = made.warp(0, 0);
    warp.ballot(4, [](int lane) { return lane % 2 == 1; });
    warp.sync_warp(6, 0xff);
    const Steps votes = build_steps(made.trace);
    EXPECT_EQ(formula(votes, 0, kFirst, 5),
              "lane 5 says yes: 16 of 32 lanes say yes; 10101010101010101010101010101010; "
              "ballot = 2863311530 = 0xaaaaaaaa");
    EXPECT_EQ(formula(votes, 1, kFirst, 5), "lane 5 waits: until 8 lanes of its warp are here");
}

}  // namespace
}  // namespace lanewise::steps
