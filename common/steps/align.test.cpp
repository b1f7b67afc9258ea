#include "common/steps/align.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "common/steps/pairs.testing.hpp"
#include "common/steps/programs.testing.hpp"

namespace lanewise::steps {
namespace {

using namespace testing;

// Every step once, in order, and equal stages in every pair. The number of pairs.
std::size_t check(const Steps& a, const Steps& b) {
    std::size_t i = 0, j = 0, pairs = 0;
    for (const auto& [k, l] : align(a, b)) {
        EXPECT_TRUE(k != kNoStep || l != kNoStep);
        EXPECT_TRUE(k == kNoStep || k == i++);
        EXPECT_TRUE(l == kNoStep || l == j++);
        if (k == kNoStep || l == kNoStep) continue;
        EXPECT_EQ(a.steps[k].stage, b.steps[l].stage);
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
    // The load, the five rounds inside a warp, and one exchange.
    EXPECT_EQ(check(build_steps(tree), build_steps(two)), 7u);
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
    // What comes first of a wrong round stands beside the right one.
    const Steps waits = build_steps(traces[1]), wrong = build_steps(traces[2]);
    for (const auto& [k, l] : align(waits, wrong)) {
        if (k == kNoStep || l == kNoStep) continue;
        EXPECT_EQ(waits.steps[k].kind, wrong.steps[l].kind);
    }
}

TEST(Align, RoundsOfTheSameDistance) {
    const Trace five = warp_tree(Op::shfl_xor, {16, 8, 4, 2, 1});
    const Trace three = warp_tree(Op::shfl_down, {4, 2, 1});
    EXPECT_EQ(paired_rounds(build_steps(five), build_steps(three)), "4=4 2=2 1=1");
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
}

// Every step of every run once, in order, and one stage at each place. The number of places where all have a step.
std::size_t check_all(const std::vector<Steps>& runs) {
    std::vector<const Steps*> all;
    for (const Steps& run : runs) all.push_back(&run);
    std::vector<std::size_t> next(runs.size(), 0);
    std::size_t full = 0;
    for (const AlignedPlace& place : align_all(all)) {
        EXPECT_EQ(place.size(), runs.size());
        const std::string* stage = nullptr;
        std::size_t here = 0;
        for (std::size_t r = 0; r < runs.size(); ++r) {
            if (place[r] == kNoStep) continue;
            EXPECT_EQ(place[r], next[r]++);
            const std::string& own = runs[r].steps[place[r]].stage;
            EXPECT_EQ(stage ? *stage : own, own);
            stage = &own;
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
                if (place[r] == kNoStep || !runs[r].steps[place[r]].stage.ends_with("rounds")) continue;
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
