// Values that move through statements without a record of their own, as the kernel's text says.
#include <gtest/gtest.h>

#include "common/steps/testing/programs.testing.hpp"
#include "common/trace/io.hpp"

namespace lanewise::steps {
namespace {

using namespace testing;

using Lines = trace::Statement::Lines;

// A statement with all that its text says, in a function of lines 1 to 20.
trace::Statement& row(TraceBuilder& made, int line, Effect effect, const std::string& target,
                      const std::vector<std::string>& uses, Lines loop = {}) {
    made.statement(line, effect, target);
    trace::Statement& statement = made.trace.header.statements.back();
    statement.uses = uses;
    statement.function = {1, 20};
    statement.loop = loop;
    return statement;
}

std::size_t inputs(const Steps& steps, std::size_t step, std::size_t lane = 3) {
    EXPECT_FALSE(inputs_after(steps, step, kFirst, lane).counted_twice()) << step;
    return inputs_after(steps, step, kFirst, lane).count();
}

void load_floats(WarpBuilder& warp, int line, std::uint32_t in, int first, std::uint32_t active = kAllLanes) {
    warp.load(line, in, [=](int lane) { return first + lane; }, [=](int lane) { return ramp(first + lane); }, active);
}

// 2: float sum = 0;  3: for (…) {  4: float4 p = in4[i];  5: sum += p.x + p.y + p.z + p.w;  }  then shuffles.
TEST(Flow, EveryPackJoinsItsSum) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 512);
    row(made, 2, Effect::replace, "sum", {});
    trace::Statement& vector = row(made, 4, Effect::replace, "p", {"in4"}, {3, 6});
    vector.loads = 1;
    vector.copies = true;
    row(made, 5, Effect::join, "sum", {"p"}, {3, 6});
    row(made, 8, Effect::join, "sum", {});
    auto warp = made.warp(0, 0);
    for (int turn = 0; turn < 3; ++turn)
        warp.load_pack(4, in, 4, [&](int lane) { return 128 * turn + 4 * lane; },
                       [&](int lane, int k) { return ramp(128 * turn + 4 * lane + k); });
    warp.values.fill(7);
    warp.shuffle_sum(8, Op::shfl_xor, 16);
    const Steps steps = build_steps(made.trace);
    for (std::size_t turn = 0; turn < 3; ++turn) EXPECT_EQ(inputs(steps, turn), 4 * (turn + 1));
    EXPECT_EQ(inputs(steps, 3), 24u);
    EXPECT_TRUE(inputs_after(steps, 3, kFirst, 3).holds(12 + 2));
    EXPECT_TRUE(inputs_after(steps, 3, kFirst, 3).holds(128 + 4 * 19 + 1));
    // No record shows the sum in between; the shuffle shows the last.
    EXPECT_EQ(steps.lane_values(0, kFirst).known, 0u);
    EXPECT_EQ(steps.lane_values(1, kFirst).known, 0u);
    EXPECT_EQ(steps.lane_values(2, kFirst).bits[3], to_bits(7.0f));
    EXPECT_EQ(steps.steps[0].find(kFirst)->lanes[3].effect, Effect::join);
    EXPECT_EQ(steps.steps[2].counters.at(0).lanes_adding, 32u);
}

// float a = in[i], b = in[i + s]; sum += a + b; by way of a third variable.
TEST(Flow, TwoTemporariesAndAThird) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 256);
    row(made, 2, Effect::replace, "sum", {});
    row(made, 4, Effect::replace, "a", {"in"}, {3, 8}).loads = 1;
    row(made, 5, Effect::replace, "b", {"in"}, {3, 8}).loads = 1;
    row(made, 6, Effect::replace, "both", {"a", "b"}, {3, 8});
    row(made, 7, Effect::join, "sum", {"both"}, {3, 8});
    auto warp = made.warp(0, 0);
    for (int turn = 0; turn < 2; ++turn) {
        load_floats(warp, 4, in, 64 * turn);
        load_floats(warp, 5, in, 64 * turn + 32);
    }
    const Steps steps = build_steps(made.trace);
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(inputs(steps, k), k + 1);
    EXPECT_EQ(steps.lane_values(3, kFirst).known, 0u);
}

// The next row begins with a sum of its own: for (row …) { float sum = 0; for (…) sum += in[i]; out[row] = sum; }
TEST(Flow, ASumThatBeginsAnewHoldsNothingOfTheLast) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 256);
    const auto out = made.array("out", Space::global, 64);
    row(made, 3, Effect::replace, "sum", {}, {2, 8});
    row(made, 5, Effect::join, "sum", {"in"}, {4, 6}).loads = 1;
    row(made, 7, Effect::replace, "out[row]", {"sum"}, {2, 8}).to_memory = true;
    auto warp = made.warp(0, 0);
    for (int r = 0; r < 2; ++r) {
        load_floats(warp, 5, in, 64 * r);
        load_floats(warp, 5, in, 64 * r + 32);
        warp.store(7, out, [&](int lane) { return 32 * r + lane; });
    }
    const Steps steps = build_steps(made.trace);
    EXPECT_EQ(inputs(steps, 1), 2u);
    EXPECT_EQ(inputs(steps, 3), 1u);
    EXPECT_EQ(inputs(steps, 5), 2u);
    EXPECT_FALSE(inputs_after(steps, 5, kFirst, 3).holds(3));
}

// 2: float squares = 0;  3: for (…) {  4: x = a[i] + b[i];  5: out[i] = x;  6: squares = fmaf(x, x, squares);  }
// then a function at line 30 exchanges them.
TEST(Flow, ATemporaryThatIsStoredFirstJoinsItsSumOnce) {
    TraceBuilder made;
    const auto a = made.array("a", Space::global, 256);
    const auto b = made.array("b", Space::global, 256);
    const auto out = made.array("out", Space::global, 256);
    row(made, 2, Effect::replace, "squares", {});
    row(made, 4, Effect::replace, "x", {"a", "b"}, {3, 7}).loads = 2;
    row(made, 5, Effect::replace, "out[i]", {"x"}, {3, 7}).to_memory = true;
    row(made, 6, Effect::join, "squares", {"x", "squares"}, {3, 7});
    row(made, 30, Effect::join, "value", {}).function = {25, 40};
    auto warp = made.warp(0, 0);
    for (int turn = 0; turn < 3; ++turn) {
        load_floats(warp, 4, a, 64 * turn);
        load_floats(warp, 4, b, 64 * turn);
        warp.store(5, out, [&](int lane) { return 64 * turn + lane; });
    }
    warp.values.fill(7);
    warp.shuffle_sum(30, Op::shfl_xor, 16);
    const Steps steps = build_steps(made.trace);
    for (std::size_t k = 0; k < 9; ++k) EXPECT_EQ(inputs(steps, k), 1u) << k;
    EXPECT_EQ(inputs(steps, 9), 6u);
}

// value = in[i] + in[i + 32]; in a loop: two words a turn, and no more.
TEST(Flow, TwoReadsOfOneStatement) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 256);
    row(made, 4, Effect::replace, "value", {"in"}, {3, 5}).loads = 2;
    auto warp = made.warp(0, 0);
    for (int turn = 0; turn < 2; ++turn) {
        load_floats(warp, 4, in, 64 * turn);
        load_floats(warp, 4, in, 64 * turn + 32);
    }
    warp.values.fill(9);
    warp.shuffle_sum(8, Op::shfl_xor, 1);
    const Steps steps = build_steps(made.trace);
    EXPECT_EQ(inputs(steps, 0), 1u);
    EXPECT_EQ(inputs(steps, 1), 2u);
    EXPECT_EQ(inputs(steps, 2), 1u);
    EXPECT_EQ(inputs(steps, 3), 2u);
    EXPECT_EQ(steps.lane_values(1, kFirst).known, 0u);   // neither word is what the lane has
    EXPECT_EQ(steps.lane_values(3, kFirst).bits[3], to_bits(9.0f));
    EXPECT_EQ(steps.steps[0].counters.at(0).lanes_adding, 0u);
    EXPECT_EQ(steps.steps[1].counters.at(0).lanes_adding, 32u);
}

// v = in[i]; v = block_sum(v); total += v; where block_sum, lines 30 to 40, shuffles.
TEST(Flow, WhatAFunctionGivesBackIsWhatWasHeldLast) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 64);
    trace::Statement& callee = row(made, 32, Effect::join, "value", {});
    callee.function = {30, 40};
    row(made, 2, Effect::replace, "total", {});
    row(made, 4, Effect::replace, "v", {"in"}, {3, 7}).loads = 1;
    row(made, 5, Effect::join, "v", {"v"}, {3, 7}).calls = true;   // it mentions itself
    row(made, 6, Effect::join, "total", {"v"}, {3, 7});
    made.trace.header.statements[2].copies = true;
    auto warp = made.warp(0, 0);
    for (int turn = 0; turn < 2; ++turn) {
        load_floats(warp, 4, in, 32 * turn);
        warp.shuffle_sum(32, Op::shfl_xor, 16);
    }
    const auto out = made.array("out", Space::global, 1);
    warp.store(9, out, [](int) { return 0; }, 1u << 3);
    const Steps steps = build_steps(made.trace);
    EXPECT_EQ(inputs(steps, 4), 4u);   // total: both turns' sums of two
    EXPECT_EQ(inputs(steps, 0), 1u);
    EXPECT_EQ(steps.lane_values(0, kFirst).bits[3], to_bits(3.0f));
    EXPECT_EQ(inputs(steps, 1), 2u);
    EXPECT_EQ(inputs(steps, 2), 1u);   // v anew: nothing of the turn before
    EXPECT_EQ(inputs(steps, 3), 2u);
}

// sum += in[i]; sum *= scale; shuffle: what is offered is not what the load left.
TEST(Flow, WhatWasWorkedOnIsNotShownAsHeld) {
    for (const bool scaled : {false, true}) {
        TraceBuilder made;
        const auto in = made.array("in", Space::global, 64);
        row(made, 2, Effect::replace, "sum", {});
        row(made, 4, Effect::join, "sum", {"in"}, {3, 5}).loads = 1;
        if (scaled) row(made, 6, Effect::join, "sum", {"scale"});
        auto warp = made.warp(0, 0);
        load_floats(warp, 4, in, 0);
        warp.values.fill(50);
        warp.shuffle_sum(8, Op::shfl_xor, 1);
        const Steps steps = build_steps(made.trace);
        EXPECT_EQ(steps.lane_values(0, kFirst).known, scaled ? 0u : kAllLanes);
        EXPECT_EQ(steps.lane_values(1, kFirst).known, kAllLanes);
    }
}

// float root = sqrtf(in[i]): the word is not the value; what is stored later may be another.
TEST(Flow, AWorkedOnWordIsUnknown) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 64);
    const auto out = made.array("out", Space::global, 64);
    row(made, 4, Effect::replace, "root", {"sqrtf", "in"}).loads = 1;
    row(made, 6, Effect::replace, "out[i]", {"root"}).to_memory = true;
    auto warp = made.warp(0, 0);
    load_floats(warp, 4, in, 0);
    warp.store(6, out, [](int lane) { return lane; });
    const Steps steps = build_steps(made.trace);
    EXPECT_EQ(steps.lane_values(0, kFirst).known, 0u);
    EXPECT_EQ(inputs(steps, 0), 1u);
}

// 4: if (lane < 8) {  5: value = lane < 4 ? sums[lane] : 0;  6: shuffle of the eight;  }  8: shuffle of all.
TEST(Flow, AConditionalLoadReachesThoseThatCameThere) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 32);
    const auto sums = made.array("sums", Space::shared, 4);
    trace::Statement& first = row(made, 3, Effect::replace, "value", {"in"});
    first.loads = 1;
    first.copies = true;
    trace::Statement& conditional = row(made, 5, Effect::replace, "value", {"sums"});
    conditional.loads = 1;
    conditional.copies = conditional.conditional = true;
    conditional.branch = {4, 7};
    row(made, 6, Effect::join, "value", {}).branch = {4, 7};
    auto warp = made.warp(0, 0);
    load_floats(warp, 3, in, 0);
    warp.load(5, sums, [](int lane) { return lane; }, [](int) { return 5.0f; }, 0xf);
    // A lane that is assigned the very value that it had: values show nothing.
    for (std::size_t lane = 4; lane < 8; ++lane) warp.values[lane] = lane == 6 ? 6.0f : 0.0f;
    warp.shuffle_sum(6, Op::shfl_xor, 4, 32, 0xff);
    warp.shuffle_sum(8, Op::shfl_xor, 1);
    const Steps steps = build_steps(made.trace);
    for (std::size_t lane = 4; lane < 8; ++lane) {
        EXPECT_EQ(inputs(steps, 1, lane), 0u) << lane;
        EXPECT_EQ(steps.lane_values(1, kFirst).bits[lane], to_bits(lane == 6 ? 6.0f : 0.0f));
    }
    EXPECT_EQ(inputs(steps, 1, 20), 1u);
    EXPECT_EQ(steps.lane_values(1, kFirst).bits[20], to_bits(20.0f));
}

// 2: int flag = in[0];  3: float sum = 0;  4: for (…) {  5: sum += parts[i];  }  8: shuffle. Lanes from 2 on add no part,
// and no more hold what the flag was made from.
TEST(Flow, ALaneThatAddsNothingHoldsTheSumToo) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 32);
    const auto parts = made.array("parts", Space::global, 2);
    trace::Statement& flag = row(made, 2, Effect::replace, "flag", {"in"});
    flag.loads = 1;
    flag.copies = true;
    row(made, 3, Effect::replace, "sum", {});
    row(made, 5, Effect::join, "sum", {"parts"}, {4, 6}).loads = 1;
    row(made, 8, Effect::join, "sum", {});
    auto warp = made.warp(0, 0);
    warp.load(2, in, [](int) { return 0; }, [](int) { return 1.0f; });
    warp.load(5, parts, [](int lane) { return lane; }, [](int lane) { return 5.0f + static_cast<float>(lane); }, 0x3);
    for (std::size_t lane = 2; lane < 32; ++lane) warp.values[lane] = 0.0f;
    warp.shuffle_sum(8, Op::shfl_xor, 16);
    const Steps steps = build_steps(made.trace);
    EXPECT_EQ(inputs(steps, 0, 3), 1u);
    EXPECT_EQ(inputs(steps, 1, 3), 0u);
    EXPECT_EQ(steps.lane_values(1, kFirst).bits[3], to_bits(0.0f));
    EXPECT_EQ(inputs(steps, 2, 3), 0u);    // lane 19 had nothing either
}

// 3: for (…) {  4: float p = i < 40 ? in[i] : 0;  5: sum += p;  }  8: shuffle. Lanes from 8 on read once and join
// twice.
TEST(Flow, ASumKeepsItsInputsWhereALaneReadsNothing) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 40);
    row(made, 2, Effect::replace, "sum", {});
    trace::Statement& load = row(made, 4, Effect::replace, "p", {"in"}, {3, 6});
    load.loads = 1;
    load.conditional = true;
    row(made, 5, Effect::join, "sum", {"p"}, {3, 6});
    row(made, 8, Effect::join, "sum", {});
    auto warp = made.warp(0, 0);
    load_floats(warp, 4, in, 0);
    load_floats(warp, 4, in, 32, 0xff);
    warp.shuffle_sum(8, Op::shfl_xor, 16);
    const Steps steps = build_steps(made.trace);
    EXPECT_EQ(inputs(steps, 1, 3), 2u);
    EXPECT_EQ(inputs(steps, 1, 20), 1u);
    EXPECT_TRUE(inputs_after(steps, 1, kFirst, 20).holds(20));
    EXPECT_EQ(inputs(steps, 2, 3), 3u);    // two of its own and lane 19's
    EXPECT_EQ(inputs(steps, 2, 20), 3u);   // its own and lane 4's two
}

Provenance provenance(const Steps& steps, std::size_t step, std::size_t lane = 3) {
    return inputs_after(steps, step, kFirst, lane);
}

// 3: for (…) {  4: float p = in[i];  5: if (p > 9) sum += p;  }  8: shuffle. Nothing shows which lanes added.
TEST(Flow, ASumUnderAnIfIsNotKnown) {
    for (const bool branch : {false, true}) {
        TraceBuilder made;
        const auto in = made.array("in", Space::global, 64);
        row(made, 2, Effect::replace, "sum", {});
        trace::Statement& load = row(made, 4, Effect::replace, "p", {"in"}, {3, 6});
        load.loads = 1;
        load.copies = true;
        trace::Statement& sum = row(made, 5, Effect::join, "sum", {"p"}, {3, 6});
        if (branch) sum.branch = {5, 5};
        else sum.conditional = true;   // sum += p > 9 ? p : 0;
        auto warp = made.warp(0, 0);
        load_floats(warp, 4, in, 0);
        load_floats(warp, 4, in, 32);
        warp.shuffle_sum(8, Op::shfl_xor, 1);
        const Steps steps = build_steps(made.trace);
        EXPECT_EQ(steps.steps[0].find(kFirst)->lanes[3].effect, Effect::unknown);
        EXPECT_EQ(steps.steps[1].counters.at(0).lanes_adding, 0u);
        EXPECT_EQ(steps.steps[1].counters.at(0).lanes_perhaps_adding, 32u);
        for (std::size_t k = 0; k < 3; ++k) {
            EXPECT_TRUE(provenance(steps, k).unknown);
            EXPECT_EQ(provenance(steps, k).count(), 0u);
        }
    }
}

// The same where the load is under the `if` too: who loaded, added.
TEST(Flow, ALoadUnderTheSameIfShows) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 64);
    row(made, 2, Effect::replace, "sum", {});
    trace::Statement& load = row(made, 4, Effect::replace, "p", {"in"});
    load.loads = 1;
    load.branch = {3, 6};
    row(made, 5, Effect::join, "sum", {"p"}).branch = {3, 6};
    auto warp = made.warp(0, 0);
    load_floats(warp, 4, in, 0, 0xff);
    warp.shuffle_sum(8, Op::shfl_xor, 8);
    const Steps steps = build_steps(made.trace);
    EXPECT_EQ(inputs(steps, 1, 3), 1u);
    EXPECT_EQ(inputs(steps, 1, 12), 1u);
    EXPECT_FALSE(provenance(steps, 1).unknown);
}

// 4: float a = in[i];  5: float b = in[i + 32];  6: float c = a * 2;  then a store of each, of a constant, of d.
TEST(Flow, AStoreGivesTheVariableThatItNames) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 64);
    const auto out = made.array("out", Space::global, 256);
    row(made, 3, Effect::replace, "d", {"threadIdx"});
    for (const int line : {4, 5}) {
        trace::Statement& load = row(made, line, Effect::replace, line == 4 ? "a" : "b", {"in"});
        load.loads = 1;
        load.copies = true;
    }
    row(made, 6, Effect::replace, "c", {"a"});
    const std::vector<std::vector<std::string>> uses{{"a"}, {"b"}, {"c"}, {}, {"e"}, {"a", "b"}};
    for (std::size_t k = 0; k < uses.size(); ++k)
        row(made, static_cast<int>(7 + k), Effect::replace, "out[i]", uses[k]).to_memory = true;
    auto warp = made.warp(0, 0);
    load_floats(warp, 4, in, 0);
    load_floats(warp, 5, in, 32);
    for (int k = 0; k < 6; ++k) warp.store(7 + k, out, [&](int lane) { return 32 * k + lane; });
    // What the words hold is seen where they are read.
    for (int k = 0; k < 6; ++k)
        warp.load(15 + k, out, [&](int lane) { return 32 * k + lane; }, [](int) { return 0.0f; });
    const Steps steps = build_steps(made.trace);
    const auto word = [&](std::size_t k) { return provenance(steps, 8 + k); };
    EXPECT_EQ(word(0).only(), 3u);
    EXPECT_EQ(word(1).only(), 35u);
    EXPECT_EQ(word(2).only(), 3u);
    EXPECT_EQ(word(3).count(), 0u);
    EXPECT_FALSE(word(3).unknown);
    EXPECT_EQ(word(4).count(), 0u);
    EXPECT_TRUE(word(4).unknown);   // e: no record and no statement says
    EXPECT_EQ(word(5).count(), 2u);
    EXPECT_TRUE(word(5).holds(3) && word(5).holds(35));
    // A store of another variable shows nothing of the one that the lane holds.
    EXPECT_EQ(steps.lane_values(2, kFirst).bits[3], to_bits(35.0f));
    EXPECT_EQ(steps.steps[5].find(kFirst)->lanes[3].effect, Effect::replace);
}

// sum += load(in + i), where load is `return *p;` on line 31: one read is the result, of two either may be.
TEST(Flow, ReadsInAFunctionThatReturnsThem) {
    for (const int reads : {1, 2}) {
        TraceBuilder made;
        const auto in = made.array("in", Space::global, 64);
        row(made, 2, Effect::replace, "sum", {});
        row(made, 4, Effect::join, "sum", {"load", "in"}).calls = true;
        auto warp = made.warp(0, 0);
        warp.sync_warp(1);
        for (int k = 0; k < reads; ++k) load_floats(warp, 31, in, 32 * k);
        warp.shuffle_sum(8, Op::shfl_xor, 1);
        const Steps steps = build_steps(made.trace);
        EXPECT_EQ(provenance(steps, steps.size() - 1).unknown, reads == 2);
        if (reads == 1) {
            EXPECT_EQ(inputs(steps, steps.size() - 1), 2u);
        }
    }
}

// A function gets the variable that the call names, not what the lane read last: here the sum of a loop that no lane of
// the warp has a part in, or the flag.
TEST(Flow, AFunctionGetsTheVariableThatTheCallNames) {
    for (const std::string handed : {"sum", "flag"}) {
        const std::string text =
            "float sum_xor(float value) {\n"                        // 1
            "  value += __shfl_xor_sync(~0u, value, 1);\n"          // 2
            "  return value;\n"
            "}\n"
            "void kernel(const float* in, const float* parts) {\n"  // 5
            "  float flag = in[threadIdx.x];\n"                     // 6
            "  float sum = 0;\n"
            "  for (…) sum += parts[i];\n"                          // 8
            "  " + handed + " = sum_xor(" + handed + ");\n"         // 9
            "}\n";
        TraceBuilder made;
        const auto in = made.array("in", Space::global, 32);
        row(made, 2, Effect::join, "value", {}).function = {1, 4};
        trace::Statement& flag = row(made, 6, Effect::replace, "flag", {"in"});
        flag.function = {5, 10};
        flag.loads = 1;
        flag.copies = true;
        row(made, 7, Effect::replace, "sum", {}).function = {5, 10};
        trace::Statement& parts = row(made, 8, Effect::join, "sum", {"parts"}, {8, 8});
        parts.function = {5, 10};
        parts.loads = 1;
        trace::Statement& call = row(made, 9, Effect::join, handed, {"sum_xor", handed});
        call.function = {5, 10};
        call.calls = true;
        auto warp = made.warp(0, 0);
        load_floats(warp, 6, in, 0);
        warp.values.fill(0.0f);
        warp.shuffle_sum(2, Op::shfl_xor, 1);
        made.trace.header.kernel_hash = trace::fnv1a_hex(text);
        const Steps steps = build_steps(made.trace, text);
        EXPECT_EQ(inputs(steps, 0), 1u);
        EXPECT_EQ(inputs(steps, 1), handed == "sum" ? 0u : 2u) << handed;
    }
}

// The products of two vectors, made in a function that takes them by reference, then one value more on lane 1 alone.
std::string text_of_products(const std::string& made_by) {
    return "float sum_xor(float value) {\n"                       // 1
           "  value += __shfl_xor_sync(~0u, value, 1);\n"         // 2
           "  return value;\n"
           "}\n"
           "float add_products(const float4& a, float sum) {\n"   // 5
           "  sum = " + made_by + ";\n"
           "  return sum;\n"
           "}\n"
           "float thread_sum(const float4* in, int n) {\n"        // 9
           "  float sum = 0;\n"
           "  float4 pack[1];\n"
           "  pack[0] = in[threadIdx.x];\n"                       // 12
           "  sum = add_products(pack[0], sum);\n"                // 13
           "  for (…) sum += rest[i];\n"                          // 14
           "  return sum;\n"
           "}\n";
}

Trace products(const std::string& text) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 256);
    row(made, 2, Effect::join, "value", {}).function = {1, 4};
    row(made, 6, Effect::join, "sum", {"sum", "a"}).function = {5, 8};
    row(made, 10, Effect::replace, "sum", {}).function = {9, 16};
    trace::Statement& load = row(made, 12, Effect::replace, "pack[0]", {"in"});
    load.function = {9, 16};
    load.to_memory = true;
    load.loads = 1;
    load.copies = true;
    trace::Statement& sum = row(made, 13, Effect::join, "sum", {"add_products", "pack", "sum"});
    sum.function = {9, 16};
    sum.calls = true;
    trace::Statement& rest = row(made, 14, Effect::join, "sum", {"rest"}, {14, 14});
    rest.function = {9, 16};
    rest.loads = 1;
    auto warp = made.warp(0, 0);
    warp.load_pack(12, in, 4, [](int lane) { return 4 * lane; }, [](int lane, int k) { return ramp(4 * lane + k); });
    load_floats(warp, 14, in, 128, 1u << 1);
    warp.shuffle_sum(2, Op::shfl_xor, 1);
    made.trace.header.kernel_hash = trace::fnv1a_hex(text);
    return made.trace;
}

TEST(Flow, AVectorIsFollowedIntoTheFunctionThatAddsItsParts) {
    const std::string text = text_of_products("sum + a.x + a.y + a.z + a.w");
    const Trace trace = products(text);
    const Steps steps = build_steps(trace, text);
    EXPECT_EQ(steps.steps[0].counters.at(0).lanes_adding, 32u);
    EXPECT_EQ(steps.steps[0].counters.at(0).lanes_perhaps_adding, 0u);
    EXPECT_EQ(inputs(steps, 0), 4u);
    EXPECT_EQ(inputs(steps, 1, 1), 5u);
    EXPECT_EQ(inputs(steps, 2, 1), 9u);
    EXPECT_EQ(inputs(steps, 2, 3), 8u);
    EXPECT_TRUE(inputs_after(steps, 2, kFirst, 3).holds(4 * 2 + 1));
}

// Where that function shuffles itself, the shuffle may be of what was read, before it is added.
TEST(Flow, AFunctionThatShufflesIsNotPassed) {
    const std::string text = text_of_products("sum + sum_xor(a.x) // all of them");
    const Trace trace = products(text);
    const Steps steps = build_steps(trace, text);
    EXPECT_EQ(steps.steps[0].find(kFirst)->lanes[3].effect, Effect::replace);
}

// Nor is any without the text that ran.
TEST(Flow, ATextThatDidNotRunSaysNothing) {
    const std::string text = text_of_products("sum + a.x + a.y + a.z + a.w");
    const Trace trace = products(text);
    EXPECT_EQ(build_steps(trace).steps[0].find(kFirst)->lanes[3].effect, Effect::replace);
    EXPECT_EQ(build_steps(trace, text + " ").steps[0].find(kFirst)->lanes[3].effect, Effect::replace);
}

}  // namespace
}  // namespace lanewise::steps
