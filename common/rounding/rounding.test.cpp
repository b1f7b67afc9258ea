#include "common/rounding/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "common/steps/testing/programs.testing.hpp"

namespace lanewise::rounding {

using steps::build_steps;
using steps::Steps;

namespace {

using namespace steps::testing;
using trace::Record;

// Rounded differently by almost every addition.
float uneven(std::int64_t i) { return static_cast<float>(std::sin(static_cast<double>(i) * 1.7) * 3 + 0.1); }

double as_double(const Sum& sum) { return element_to_double(sum.type, sum.bits); }

// One warp: value = in[lane]; value += shfl_xor(value, 16 … 1).
Trace tree_of(const std::function<float(int)>& input) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 32);
    made.statement(3, Effect::replace, "value");
    made.statement(5, Effect::join, "value");
    auto warp = made.warp(0, 0);
    warp.load(3, in, [](int lane) { return lane; }, input);
    for (int mask = 16; mask > 0; mask /= 2) warp.shuffle_sum(5, Op::shfl_xor, mask);
    return made.trace;
}

// One warp in a 16-bit (or wider) format. Each lane: for (turn) sum += in[turn * 32 + lane]; then one round of xor 16.
// Vector width `width`; the sum of each load comes to the sum as `joined` says.
Trace run_of(
    Element read, Element accumulator, int turns, int width, const std::function<double(int)>& input,
    const std::function<std::uint64_t(std::uint64_t sum, const std::vector<std::uint64_t>& elements)>& joined) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, static_cast<std::uint64_t>(32 * turns * width));
    made.trace.arrays[in].element = read;
    made.statement(3, Effect::join, "sum");
    made.statement(5, Effect::join, "sum");
    auto warp = made.warp(0, 0);
    std::vector<std::uint64_t> sums(32, element_from_double(accumulator, 0));
    for (int turn = 0; turn < turns; ++turn) {
        Record& record = warp.add(Op::load, 3, kAllLanes);
        record.array = in;
        record.type = read;
        record.elements = width;
        for (std::size_t lane = 0; lane < 32; ++lane) {
            const int first = (turn * 32 + static_cast<int>(lane)) * width;
            record.element_index[lane] = first;
            std::vector<std::uint64_t> elements;
            for (int e = 0; e < width; ++e) {
                elements.push_back(element_from_double(read, input(first + e)));
                const int bit = e * element_size(read) * 8;
                record.value[lane][static_cast<std::size_t>(bit / 64)] |= elements.back() << (bit % 64);
            }
            sums[lane] = joined(sums[lane], elements);
        }
    }
    Record& record = warp.add(Op::shfl_xor, 5, kAllLanes);
    record.mask = kAllLanes;
    record.type = accumulator;
    record.has_after = kAllLanes;
    for (std::size_t lane = 0; lane < 32; ++lane) {
        record.arg[lane] = 16;
        record.source[lane] = static_cast<std::int8_t>(lane ^ 16);
        record.effect[lane] = Effect::join;
        record.before[lane] = sums[lane];
        record.received[lane] = sums[lane ^ 16];
        record.after[lane] = element_from_double(
            accumulator, element_to_double(accumulator, sums[lane]) + element_to_double(accumulator, sums[lane ^ 16]));
    }
    return made.trace;
}

std::uint64_t added(Element type, std::uint64_t a, std::uint64_t b) {
    return element_from_double(type, element_to_double(type, a) + element_to_double(type, b));
}

// By walking all that led to each sum.
TEST(Rounding, EachSumKnowsWhereMostWasLost) {
    const Trace tree = tree_of(uneven);
    const Trace run = run_of(
        Element::f16, Element::f16, 40, 1, [](int i) { return uneven(i); },
        [](std::uint64_t sum, const auto& elements) { return added(Element::f16, sum, elements[0]); });
    for (const Trace* trace : {&tree, &run}) {
        const Steps steps = build_steps(*trace);
        const RoundingLens lens = build_rounding(steps);
        ASSERT_EQ(lens.why_not, "");
        std::size_t known = 0;
        for (const Sum& sum : lens.sums) {
            std::set<std::int32_t> below;
            const std::function<void(std::int32_t)> walk = [&](std::int32_t at) {
                if (at == Sum::kNone || !below.insert(at).second) return;
                walk(lens.sum(at).own);
                walk(lens.sum(at).other);
            };
            walk(static_cast<std::int32_t>(&sum - lens.sums.data()));
            std::int32_t worst = Sum::kNone;
            double most = 0;
            for (const std::int32_t at : below) {
                const double lost = lens.sum(at).loss();
                if (lost <= most) continue;
                most = lost;
                worst = at;
            }
            EXPECT_EQ(sum.worst, worst);
            known += worst != Sum::kNone;
        }
        EXPECT_GT(known, 20u);
    }
}

TEST(Rounding, EachSumOfATreeStandsBesideTheTrueSumOfItsInputs) {
    const Trace trace = tree_of(uneven);
    const Steps steps = build_steps(trace);
    const RoundingLens lens = build_rounding(steps);
    ASSERT_EQ(lens.why_not, "");
    EXPECT_EQ(lens.unknown, 0u);
    for (std::size_t step = 1; step < steps.size(); ++step) {
        for (int lane = 0; lane < 32; ++lane) {
            const std::int32_t place = lens.at(step, 0, lane);
            ASSERT_NE(place, Sum::kNone);
            const Sum& sum = lens.sum(place);
            const steps::Provenance held = inputs_after(steps, step, kFirst, static_cast<std::size_t>(lane));
            double exact = 0;   // exact as doubles: 32 floats of one size
            for (std::size_t i = 0; i < 32; ++i)
                exact += held.holds(i) ? static_cast<double>(uneven(static_cast<int>(i))) : 0;
            EXPECT_EQ(sum.exact_value, exact);
            EXPECT_EQ(sum.error, as_double(sum) - exact);
            EXPECT_EQ(sum.ulps, sum.error / ulp_of(Element::f32, exact));
            EXPECT_EQ(sum.exact, to_bits(static_cast<float>(exact)));
            EXPECT_TRUE(sum.recorded);
            EXPECT_EQ(sum.additions, step);
            EXPECT_EQ(sum.count, std::size_t{1} << step);
        }
    }
    // What the additions lost one by one is what the last is off.
    const std::int32_t root = lens.at(5, 0, 0);
    double lost = 0;
    std::function<void(std::int32_t)> add = [&](std::int32_t place) {
        const Sum& sum = lens.sum(place);
        lost += sum.lost;
        if (sum.own != Sum::kNone) add(sum.own);
        if (sum.other != Sum::kNone) add(sum.other);
    };
    add(root);
    EXPECT_DOUBLE_EQ(lost, lens.sum(root).error);
    EXPECT_NE(lost, 0);
}

TEST(Rounding, InputsThatCameInTwiceCountTwice) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 32);
    made.statement(3, Effect::replace, "value");
    made.statement(5, Effect::join, "value");
    auto warp = made.warp(0, 0);
    warp.load(3, in, [](int lane) { return lane; }, [](int lane) { return uneven(lane); });
    for (int round = 0; round < 3; ++round) warp.shuffle_sum(5, Op::shfl_down, 16);   // the upper lanes add their own
    const Steps steps = build_steps(made.trace);
    const RoundingLens lens = build_rounding(steps);
    const Sum& sum = lens.sums.at(static_cast<std::size_t>(lens.at(3, 0, 20)));
    EXPECT_EQ(sum.count, 8u);
    EXPECT_EQ(sum.exact_value, 8 * static_cast<double>(uneven(20)));
    EXPECT_EQ(sum.ulps, 0);
}

TEST(Rounding, FollowsSumsThroughSharedMemoryAndAtomics) {
    for (const bool tree : {true, false}) {
        const Trace trace = tree ? shared_tree(128) : two_level(8, 1);
        const Steps steps = build_steps(trace);
        const RoundingLens lens = build_rounding(steps);
        EXPECT_EQ(lens.unknown, 0u);
        const Sum& last = lens.sums.back();
        EXPECT_EQ(last.count, tree ? 128u : 256u);
        EXPECT_EQ(last.ulps, 0);
    }
}

TEST(Rounding, AtomicsOnOneWordAreFollowedAsFarAsEachFindsWhatTheOneBeforeLeft) {
    Trace trace = two_level(2, 2);
    std::vector<Record*> atomics;
    for (Record& record : trace.records)
        if (record.op == Op::atomic_add) atomics.push_back(&record);
    ASSERT_EQ(atomics.size(), 2u);
    // Block 1 came first.
    atomics[0]->received[0] = atomics[1]->value[0][0];
    const float total = from_bits<float>(atomics[0]->value[0][0]) + from_bits<float>(atomics[1]->value[0][0]);
    trace.outputs.push_back({"out", Element::f32, 1, {to_bits(total)}});
    const Steps steps = build_steps(trace);
    const RoundingLens lens = build_rounding(steps);
    EXPECT_EQ(lens.unknown, 0u);
    const auto total_sum =
        std::find_if(lens.sums.begin(), lens.sums.end(), [](const Sum& sum) { return sum.kind == Sum::Kind::atomic; });
    ASSERT_NE(total_sum, lens.sums.end());
    EXPECT_EQ(total_sum->count, 128u);
    EXPECT_EQ(total_sum->warp.block, 0u);
    EXPECT_TRUE(total_sum->recorded);
    // A block that was not recorded came between.
    atomics[0]->received[0] = to_bits(1e6f);
    const Steps others = build_steps(trace);
    EXPECT_EQ(build_rounding(others).unknown, 1u);
}

TEST(Rounding, ALongRunOfSmallValuesStopsGrowing) {
    const Trace trace = run_of(
        Element::bf16, Element::bf16, 300, 1, [](int) { return 1.0; },
        [](std::uint64_t sum, const auto& elements) { return added(Element::bf16, sum, elements[0]); });
    const Steps steps = build_steps(trace);
    const RoundingLens lens = build_rounding(steps);
    EXPECT_EQ(lens.unknown, 0u);
    // 256 + 1 is halfway to 258, and rounds to even: 256.
    const Sum& before = lens.sums.at(static_cast<std::size_t>(lens.at(255, 0, 7)));
    const Sum& at = lens.sums.at(static_cast<std::size_t>(lens.at(256, 0, 7)));
    EXPECT_EQ(as_double(before), 256);
    EXPECT_FALSE(before.stopped);
    EXPECT_TRUE(at.stopped);
    EXPECT_FALSE(at.recorded);
    EXPECT_EQ(at.ulps, -0.5);
    const Sum& end = lens.sums.at(static_cast<std::size_t>(lens.at(299, 0, 7)));
    EXPECT_TRUE(end.recorded);
    EXPECT_EQ(end.exact_value, 300);
    EXPECT_EQ(end.ulps, -22);   // 44 in units of 2
    EXPECT_EQ(rounding_loss(lens).stops, 32u * 44);
    EXPECT_EQ(lens.sums.at(static_cast<std::size_t>(rounding_loss(lens).stopped)).step, 256u);
}

TEST(Rounding, APairAddedInSixteenBitsIsDistinguishedFromOneThatWasWidenedFirst) {
    const auto input = [](int i) { return static_cast<double>(uneven(i)); };
    const auto narrow = [](std::uint64_t sum, const auto& elements) {
        const double pair = element_to_double(Element::f16, added(Element::f16, elements[0], elements[1]));
        return element_from_double(Element::f32, element_to_double(Element::f32, sum) + pair);
    };
    const auto wide = [](std::uint64_t sum, const auto& elements) {
        const double pair = element_to_double(Element::f16, elements[0]) + element_to_double(Element::f16, elements[1]);
        return element_from_double(Element::f32, element_to_double(Element::f32, sum) + pair);
    };
    for (const bool is_narrow : {true, false}) {
        const Trace trace = is_narrow ? run_of(Element::f16, Element::f32, 1, 2, input, narrow)
                                      : run_of(Element::f16, Element::f32, 1, 2, input, wide);
        const Steps steps = build_steps(trace);
        const RoundingLens lens = build_rounding(steps);
        EXPECT_EQ(lens.unknown, 0u);
        const Sum& pair = lens.sums.at(static_cast<std::size_t>(lens.at(0, 0, 3)));
        EXPECT_EQ(pair.type, is_narrow ? Element::f16 : Element::f32);
        EXPECT_EQ(pair.narrow, is_narrow);
        const Sum& sum = lens.sums.at(static_cast<std::size_t>(lens.at(1, 0, 3)));
        EXPECT_EQ(sum.type, Element::f32);
        EXPECT_EQ(sum.count, 4u);
        // The error that the pair brought is thousands of ulp of the f32 sum.
        if (is_narrow) EXPECT_GT(std::fabs(sum.ulps), 100);
        else EXPECT_LE(std::fabs(sum.ulps), 0.5);
    }
}

TEST(Rounding, PacksThatAreAddedTwoAndTwoOrOneByOneAreShown) {
    const auto input = [](int i) { return static_cast<double>(uneven(i)); };
    const auto sum_in = [](std::uint64_t a, std::uint64_t b) {
        return to_bits(from_bits<float>(a) + from_bits<float>(b));
    };
    for (const bool two_and_two : {true, false}) {
        const Trace trace = run_of(Element::f32, Element::f32, 3, 4, input, [&](std::uint64_t sum, const auto& w) {
            if (two_and_two) return sum_in(sum, sum_in(sum_in(w[0], w[1]), sum_in(w[2], w[3])));
            return sum_in(sum_in(sum_in(sum_in(sum, w[0]), w[1]), w[2]), w[3]);
        });
        const Steps steps = build_steps(trace);
        const RoundingLens lens = build_rounding(steps);
        EXPECT_EQ(lens.unknown, 0u);
        const Sum& first = lens.sums.at(static_cast<std::size_t>(lens.at(0, 0, 9)));
        EXPECT_EQ(first.count, 4u);
        EXPECT_EQ(first.additions, two_and_two ? 2u : 3u);
        EXPECT_EQ(lens.sums.at(static_cast<std::size_t>(lens.at(3, 0, 9))).count, 24u);
    }
}

TEST(Rounding, EightBitInputsAreAddedInSixteenBits) {
    const Trace trace = run_of(
        Element::e4m3, Element::f16, 3, 16, [](int i) { return static_cast<double>(i % 29) * 9 + 0.5; },
        [](std::uint64_t sum, const auto& elements) {
            for (const std::uint64_t element : elements)
                sum = element_from_double(
                    Element::f16, element_to_double(Element::f16, sum) + element_to_double(Element::e4m3, element));
            return sum;
        });
    const Steps steps = build_steps(trace);
    const RoundingLens lens = build_rounding(steps);
    EXPECT_EQ(lens.unknown, 0u);
    const Sum& sum = lens.sums.at(static_cast<std::size_t>(lens.at(2, 0, 0)));
    EXPECT_EQ(sum.type, Element::f16);
    EXPECT_GT(sum.count, 40u);
    EXPECT_NE(sum.ulps, 0);
}

TEST(Rounding, WhatIsNoSumIsNotShown) {
    // A maximum, on a line where some lanes' result happens to be the sum.
    Trace trace = tree_of([](int lane) { return lane < 16 ? 0.0f : uneven(lane) + 10; });
    std::vector<float> held(32);
    for (Record& record : trace.records) {
        for (std::size_t lane = 0; lane < 32; ++lane) {
            if (record.op == Op::load) held[lane] = from_bits<float>(record.value[lane][0]);
        }
        if (record.op != Op::shfl_xor) continue;
        const std::vector<float> before = held;
        for (std::size_t lane = 0; lane < 32; ++lane) {
            const auto source = static_cast<std::size_t>(record.source[lane]);
            record.before[lane] = to_bits(before[lane]);
            record.received[lane] = to_bits(before[source]);
            held[lane] = std::max(before[lane], before[source]);
            record.after[lane] = to_bits(held[lane]);
        }
    }
    const Steps steps = build_steps(trace);
    const RoundingLens lens = build_rounding(steps);
    EXPECT_NE(lens.why_not, "");
    EXPECT_EQ(lens.unknown, 5u * 32);
    EXPECT_EQ(lens.at(1, 0, 3), Sum::kNone);
}

TEST(Rounding, ValuesThatWereWorkedOnBeforeAreNotTakenForInputs) {
    // The lanes offer the squares of what they read.
    Trace trace = tree_of([](int lane) { return static_cast<float>(lane + 2); });
    for (Record& record : trace.records) {
        if (record.op == Op::load)
            for (std::size_t lane = 0; lane < 32; ++lane)
                record.value[lane][0] = to_bits(std::sqrt(from_bits<float>(record.value[lane][0])));
    }
    const Steps steps = build_steps(trace);
    const RoundingLens lens = build_rounding(steps);
    EXPECT_NE(lens.why_not, "");
    EXPECT_EQ(lens.unknown, 5u * 32);
}

TEST(Rounding, OverflowAndCancellationStandOut) {
    const Trace big = run_of(
        Element::f16, Element::f16, 3, 1, [](int) { return 30000.0; },
        [](std::uint64_t sum, const auto& elements) { return added(Element::f16, sum, elements[0]); });
    const Steps steps = build_steps(big);
    const RoundingLens lens = build_rounding(steps);
    const Sum& third = lens.sums.at(static_cast<std::size_t>(lens.at(2, 0, 0)));
    EXPECT_TRUE(third.overflowed);
    EXPECT_EQ(third.exact_value, 90000);
    EXPECT_EQ(format_ulps(third), "overflow");
    EXPECT_NE(what_of(steps, third).find("beyond the format's range"), std::string::npos);
    // 1e8 + 3 - 1e8: the 3 was rounded to 0 or 8.
    const Trace cancels = tree_of([](int lane) {
        return lane == 0 ? 1e8f : lane == 16 ? 3.0f : lane == 1 ? -1e8f : 0.0f;
    });
    const Steps cancelled = build_steps(cancels);
    const RoundingLens seen = build_rounding(cancelled);
    const Sum& root = seen.sums.at(static_cast<std::size_t>(seen.at(5, 0, 0)));
    EXPECT_EQ(root.exact_value, 3);
    EXPECT_EQ(root.error, -3);
    EXPECT_EQ(root.ulps, -3 / 0x1p-22);
    const RoundingLoss loss = rounding_loss(seen);
    EXPECT_EQ(seen.sums.at(static_cast<std::size_t>(loss.worst)).step, 1u);   // lost at once, seen at the end
    EXPECT_TRUE(seen.sums.at(static_cast<std::size_t>(loss.worst)).stopped);
}

TEST(Rounding, WithoutLoadsNothingIsShown) {
    Trace trace = tree_of(uneven);
    std::erase_if(trace.records, [](const Record& record) { return record.op == Op::load; });
    const Steps steps = build_steps(trace);
    EXPECT_NE(build_rounding(steps).why_not.find("no loads were recorded"), std::string::npos);
}

TEST(Rounding, RowsNameTheWorstSumOfEachStep) {
    const Trace trace = tree_of(uneven);
    const Steps steps = build_steps(trace);
    const RoundingLens lens = build_rounding(steps);
    const auto rows = rounding_rows(steps, lens);
    ASSERT_EQ(rows.size(), 5u);
    for (const RoundingRow& row : rows) {
        EXPECT_EQ(row.sums, 32u);
        double most = 0;
        for (int lane = 0; lane < 32; ++lane)
            most = std::max(most, std::fabs(lens.sum(lens.at(row.step, 0, lane)).ulps));
        EXPECT_EQ(std::fabs(lens.sum(row.worst).ulps), most);
    }
}

TEST(FormatUlps, IsShort) {
    Sum sum;
    const auto text_of = [&](double ulps) {
        sum.ulps = ulps;
        return format_ulps(sum);
    };
    EXPECT_EQ(text_of(0), "0");
    EXPECT_EQ(text_of(0.5), "+0.5");
    EXPECT_EQ(text_of(-22), "-22");
    EXPECT_EQ(text_of(-12582.9), "-12583");
    EXPECT_EQ(text_of(1.26e7), "+1.3e7");
    EXPECT_EQ(text_of(1e-9), "+1.0e-9");
    EXPECT_EQ(text_of(std::nan("")), "nan");
}

}  // namespace
}  // namespace lanewise::rounding
