#include "common/steps/align.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <gtest/gtest.h>

#include "common/steps/testing/pairs.testing.hpp"
#include "common/steps/testing/programs.testing.hpp"

namespace lanewise::steps {
namespace {

using namespace testing;

// Every step once, in order, and steps that do the same in every pair. The number of pairs.
std::size_t check(const Steps& a, const Steps& b) {
    std::size_t i = 0, j = 0, pairs = 0;
    for (const auto& [k, l] : align(a, b)) {
        EXPECT_TRUE(k != kNoStep || l != kNoStep);
        EXPECT_TRUE(k == kNoStep || k == i++);
        EXPECT_TRUE(l == kNoStep || l == j++);
        if (k == kNoStep || l == kNoStep) continue;
        EXPECT_EQ(role_of(a.steps[k]), role_of(b.steps[l]));
        ++pairs;
    }
    EXPECT_EQ(i, a.size());
    EXPECT_EQ(j, b.size());
    return pairs;
}

TEST(Align, TheSameStepsPairOneToOne) {
    const Trace down = warp_tree(Op::shfl_down, {16, 8, 4, 2, 1});
    const Trace xors = warp_tree(Op::shfl_xor, {16, 8, 4, 2, 1});
    EXPECT_EQ(check(build_steps(down), build_steps(xors)), 6u);
}

TEST(Align, AMissingStageStandsAlone) {
    const Trace one = warp_tree(Op::shfl_xor, {16, 8, 4, 2, 1});
    const Trace two = two_level();
    EXPECT_EQ(check(build_steps(one), build_steps(two)), 6u);
    const auto pairs = align(build_steps(one), build_steps(two));
    EXPECT_EQ(pairs[5], (std::pair<std::size_t, std::size_t>{5, 5}));
    EXPECT_EQ(pairs[6], (std::pair<std::size_t, std::size_t>{kNoStep, 6}));
}

TEST(Align, TreeAgainstTwoLevel) {
    const Trace tree = shared_tree(256);
    const Trace two = two_level(8, 1);
    // The load, eight rounds, and the one barrier of two-level: it is between the fifth round and the sixth.
    EXPECT_EQ(check(build_steps(tree), build_steps(two)), 10u);
    EXPECT_EQ(places({build_steps(tree), build_steps(two)}),
              "load in | load in\n"
              "store tree | -\n"
              "barrier | -\n"
              "add tree +128 | xor 16\n"
              "barrier | -\n"
              "add tree +64 | xor 8\n"
              "barrier | -\n"
              "add tree +32 | xor 4\n"
              "barrier | -\n"
              "add tree +16 | xor 2\n"
              "barrier | -\n"
              "add tree +8 | xor 1\n"
              "- | store warp_sums\n"
              "barrier | barrier\n"
              "- | load warp_sums\n"
              "add tree +4 | xor 4\n"
              "barrier | -\n"
              "add tree +2 | xor 2\n"
              "barrier | -\n"
              "add tree +1 | xor 1\n"
              "barrier | -\n"
              "- | atomic out\n");
}

// A warp's 32 words by a tree in shared memory, in one of three forms.
//    3: tree[t] = in[t];  4: __syncthreads();
//    updates:  6: if (t < offset) tree[t] += tree[t + offset];  7: __syncthreads();
//    else:     5: value = tree[t];  8: value += tree[t + offset];  9: __syncwarp();  10: tree[t] = value;  11:
//    __syncwarp();
enum class Form { updates, waits, waits_for_nobody };
Trace rounds(Form form) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 32);
    const auto tree = made.array("tree", Space::shared, 64);
    made.statement(3, Effect::replace, "tree[t]", true);
    made.statement(5, Effect::replace, "value");
    made.statement(6, Effect::join, "tree[t]", true);
    made.statement(8, Effect::join, "value");
    made.statement(10, Effect::replace, "tree[t]", true);
    auto warp = made.warp(0, 0);
    const auto own = [](int lane) { return lane; };
    warp.load(3, in, own, [](int lane) { return ramp(lane); });
    warp.store(3, tree, own);
    warp.barrier(4);
    if (form != Form::updates) warp.load(5, tree, own, [](int lane) { return ramp(lane); });
    for (int offset = 16; offset > 0; offset /= 2) {
        const auto other = [&](int lane) { return lane + offset; };
        const std::uint32_t adding = form == Form::updates ? (1u << offset) - 1 : kAllLanes;
        const int line = form == Form::updates ? 6 : 8;
        if (form == Form::updates) warp.load(line, tree, own, [](int lane) { return ramp(lane); }, adding);
        warp.load(line, tree, other, [](int lane) { return ramp(lane); }, adding);
        if (form == Form::waits) warp.sync_warp(9);
        warp.store(form == Form::updates ? line : 10, tree, own, adding);
        if (form == Form::waits) warp.sync_warp(11);
        if (form == Form::updates) warp.barrier(7);
    }
    return made.trace;
}

TEST(Align, RoundsInSharedMemoryStandBesideEachOtherInAnyForm) {
    const Trace traces[] = {rounds(Form::updates), rounds(Form::waits), rounds(Form::waits_for_nobody),
                            warp_tree(Op::shfl_down, {16, 8, 4, 2, 1})};
    for (const Trace& a : traces)
        for (const Trace& b : traces) EXPECT_EQ(paired_rounds(build_steps(a), build_steps(b)), "16=16 8=8 4=4 2=2 1=1");
    // Load and store of each round; the load of the lanes' own, and what comes before it.
    EXPECT_EQ(check(build_steps(traces[1]), build_steps(traces[2])), 4u + 2 * 5);
    // What comes first of a wrong round is matched with the right one.
    const Steps waits = build_steps(traces[1]), wrong = build_steps(traces[2]);
    for (const auto& [k, l] : align(waits, wrong)) {
        if (k == kNoStep || l == kNoStep) continue;
        EXPECT_EQ(waits.steps[k].kind, wrong.steps[l].kind);
    }
}

// The first rounds match, however far apart their partners are.
TEST(Align, RoundsGoByTheirOrder) {
    const Trace five = warp_tree(Op::shfl_xor, {16, 8, 4, 2, 1});
    const Trace three = warp_tree(Op::shfl_down, {4, 2, 1});
    EXPECT_EQ(paired_rounds(build_steps(five), build_steps(three)), "16=4 8=2 4=1");
    const Trace upwards = warp_tree(Op::shfl_xor, {1, 2, 4, 8, 16});
    EXPECT_EQ(paired_rounds(build_steps(five), build_steps(upwards)), "16=1 8=2 4=4 2=8 1=16");
}

TEST(Align, WhatAStepDoesIsItsRole) {
    const Trace two = two_level(), tree = shared_tree(64);
    const auto roles = [](const Trace& trace) {
        std::vector<Role> all;
        for (const Step& step : build_steps(trace).steps) all.push_back(role_of(step));
        return all;
    };
    EXPECT_EQ(roles(two), (std::vector<Role>{Role::load, Role::round, Role::round, Role::round, Role::round,
                                             Role::round, Role::store_words, Role::barrier, Role::load_words,
                                             Role::round, Role::round, Role::round, Role::finish}));
    std::vector<Role> expected{Role::load, Role::store_words, Role::barrier};
    for (int round = 0; round < 6; ++round) expected.insert(expected.end(), {Role::round, Role::barrier});
    EXPECT_EQ(roles(tree), expected);
}

// Warps that come to a round when others have continued are alone; the rounds after it are counted as if they had not.
TEST(Align, ALateWarpsRoundIsTheSameRound) {
    TraceBuilder made;
    made.statement(3, Effect::join, "value");
    for (const std::uint32_t number : {0u, 1u}) {
        auto warp = made.warp(0, number);
        for (const int mask : {16, 8}) {
            warp.shuffle_sum(3, Op::shfl_xor, mask);
            if (number == 1) warp.barrier(4);   // so that its second round is another step
        }
        if (number == 0) {
            warp.barrier(4);
            warp.barrier(4);
            warp.shuffle_sum(3, Op::shfl_xor, 4);
        }
    }
    const Steps late = build_steps(made.trace);
    const Trace three = warp_tree(Op::shfl_down, {4, 2, 1});
    // Three rounds: the second one in two steps, of which the first is matched.
    std::string rounds;
    for (const auto& [k, l] : align(late, build_steps(three))) {
        if (k == kNoStep || role_of(late.steps[k]) != Role::round) continue;
        rounds += late.steps[k].label + (l == kNoStep ? "=- " : "=" + build_steps(three).steps[l].label + " ");
    }
    EXPECT_EQ(rounds, "xor 16=down 4 xor 8=down 2 xor 8=- xor 4=down 1 ") << labels(late);
}

// A shuffle that hands lane 0's value to all joins nothing: it is no round.
TEST(Align, ABroadcastIsNoRound) {
    TraceBuilder made;
    made.statement(3, Effect::join, "value");
    made.statement(5, Effect::replace, "value");
    auto warp = made.warp(0, 0);
    warp.shuffle_sum(3, Op::shfl_xor, 1);
    warp.shuffle(5, Op::shfl_idx, 0, Effect::replace);
    const Steps steps = build_steps(made.trace);
    ASSERT_EQ(steps.size(), 2u);
    EXPECT_EQ(role_of(steps.steps[0]), Role::round);
    EXPECT_EQ(role_of(steps.steps[1]), Role::collective);
}

// Words that are read again are handed on, in global memory too; the last store is what stays.
TEST(Align, ATreeInGlobalMemoryAgainstOneInShared) {
    const Trace shared = shared_tree(128);
    Trace global = shared;
    global.arrays[1].name = "scratch";
    global.arrays[1].space = Space::global;
    const Steps a = build_steps(shared), b = build_steps(global);
    EXPECT_EQ(b.steps[1].label, "store scratch");
    EXPECT_EQ(b.steps[1].stage, "exchange");
    EXPECT_EQ(check(a, b), a.size());
    TraceBuilder made;
    const auto out = made.array("out", Space::global, 32);
    auto warp = made.warp(0, 0);
    warp.store(3, out, [](int lane) { return lane; });
    EXPECT_EQ(build_steps(made.trace).steps[0].stage, "finish");
}

TEST(Align, WithNothing) {
    const Trace one = warp_tree(Op::shfl_xor, {16});
    EXPECT_EQ(check(build_steps(one), Steps()), 0u);
    EXPECT_EQ(check(Steps(), build_steps(one)), 0u);
}

TEST(Align, LongRunsWithoutATable) {
    Steps a, b;
    for (int i = 0; i < 6000; ++i) {
        a.steps.emplace_back().stage = i < 5000 ? "load" : "finish";
        b.steps.emplace_back().stage = i < 3000 ? "load" : "finish";
    }
    EXPECT_EQ(check(a, b), 4000u);
    // The third round of one is matched with the third of the other here, too.
    Steps c, d;
    for (int i = 0; i < 6000; ++i) {
        c.steps.emplace_back().stage = i < 5000 ? "load" : i % 2 ? "exchange" : "block rounds";
        d.steps.emplace_back().stage = i < 4000 ? "load" : i % 4 ? "exchange" : "warp rounds";
        c.steps.back().kind = d.steps.back().kind = StepKind::store;
    }
    check(c, d);
    std::size_t rounds = 0;
    for (const auto& [k, l] : align(c, d)) {
        if (k == kNoStep || l == kNoStep || role_of(c.steps[k]) != Role::round) continue;
        EXPECT_EQ(k, 5000 + 2 * rounds);
        EXPECT_EQ(l, 4000 + 4 * rounds);
        ++rounds;
    }
    EXPECT_EQ(rounds, 500u);
}

// Every step of every run once, in order, and one role at each place. The number of places where all have a step.
std::size_t check_all(const std::vector<Steps>& runs) {
    std::vector<const Steps*> all;
    for (const Steps& run : runs) all.push_back(&run);
    std::vector<std::size_t> next(runs.size(), 0);
    std::size_t full = 0;
    for (const AlignedPlace& place : align_all(all)) {
        EXPECT_EQ(place.size(), runs.size());
        std::optional<Role> role;
        std::size_t here = 0;
        for (std::size_t r = 0; r < runs.size(); ++r) {
            if (place[r] == kNoStep) continue;
            EXPECT_EQ(place[r], next[r]++);
            const Role own = role_of(runs[r].steps[place[r]]);
            EXPECT_EQ(role.value_or(own), own);
            role = own;
            ++here;
        }
        EXPECT_GT(here, 0u);
        full += here == runs.size();
    }
    for (std::size_t r = 0; r < runs.size(); ++r) EXPECT_EQ(next[r], runs[r].size());
    return full;
}

TEST(AlignAll, RoundsOfFourFormsStandAtOnePlaceEach) {
    const Trace traces[] = {rounds(Form::updates), rounds(Form::waits), rounds(Form::waits_for_nobody),
                            warp_tree(Op::shfl_down, {16, 8, 4, 2, 1})};
    // In any order of the runs.
    std::vector<int> order{0, 1, 2, 3};
    do {
        std::vector<Steps> runs;
        for (const int i : order) runs.push_back(build_steps(traces[i]));
        check_all(runs);
        std::vector<const Steps*> all;
        for (const Steps& run : runs) all.push_back(&run);
        std::string paired;
        for (const AlignedPlace& place : align_all(all)) {
            std::set<std::int64_t> distances;
            for (std::size_t r = 0; r < 4; ++r) {
                if (place[r] == kNoStep || role_of(runs[r].steps[place[r]]) != Role::round) continue;
                distances.insert(runs[r].steps[place[r]].distance.value_or(-1));
            }
            EXPECT_LE(distances.size(), 1u);
            if (distances.size() == 1 && std::count(place.begin(), place.end(), kNoStep) == 0)
                paired += std::to_string(*distances.begin()) + " ";
        }
        EXPECT_EQ(paired, "16 8 4 2 1 ");
    } while (std::next_permutation(order.begin(), order.end()));
}

// The third has rounds that the first two lack: they must not be torn apart by it, nor it by them.
TEST(AlignAll, ARunWithMoreStagesLeavesPlacesToItself) {
    const Trace one = warp_tree(Op::shfl_xor, {16, 8, 4, 2, 1}), two = two_level(),
                three = warp_tree(Op::shfl_down, {4, 2, 1});
    std::vector<Steps> runs;
    for (const Trace* trace : {&one, &two, &three}) runs.push_back(build_steps(*trace));
    EXPECT_EQ(check_all(runs), 1u + 3);   // the load, and the rounds that all have
    runs.push_back(build_steps(two));
    EXPECT_EQ(check_all(runs), 4u);
}

TEST(AlignAll, OneRunAndRunsWithNothing) {
    const Trace one = warp_tree(Op::shfl_xor, {16});
    const Steps steps = build_steps(one), nothing;
    EXPECT_TRUE(align_all({}).empty());
    EXPECT_EQ(align_all({&steps}).size(), steps.size());
    EXPECT_EQ(align_all({&nothing, &steps, &nothing}).size(), steps.size());
}

TEST(AlignAll, LongRunsOfThree) {
    std::vector<Steps> runs(3);
    for (int i = 0; i < 6000; ++i)
        for (std::size_t r = 0; r < 3; ++r)
            runs[r].steps.emplace_back().stage = i < 5000 - 1000 * static_cast<int>(r) ? "load" : "finish";
    EXPECT_EQ(check_all(runs), 4000u);
}

}  // namespace
}  // namespace lanewise::steps
