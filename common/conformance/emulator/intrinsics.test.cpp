// CUDA's intrinsics for lanes together, besides shuffles and sums.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/conformance/emulator/run_intrinsics.hpp"

namespace lanewise::emu {
namespace {

using testing::bytes_as;
using testing::in_every_way;
using testing::kOrders;
using testing::of_op;
using testing::run_intrinsics;
using testing::WrongCase;

TEST(Intrinsics, BarriersThatVoteSeeTheWholeBlock) {
    std::vector<int> in(90);
    for (int i = 0; i < 90; ++i) in[i] = i % 5 == 0 ? 7 : i % 2;
    const auto nonzero = std::count_if(in.begin(), in.end(), [](int v) { return v != 0; });
    const auto ones = std::count(in.begin(), in.end(), 1);
    in_every_way([&](const launch::Order& order, bool record) {
        launch::Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.output<int>("out", 360);
        plan.launch("block_votes", "", {1}, {5, 6, 3}, a, b);
        const auto outcome = run_intrinsics(plan, order, record);
        EXPECT_TRUE(outcome.findings.empty());
        const auto out = bytes_as<int>(outcome.buffers[1]);
        for (int i = 0; i < 90; ++i) {
            ASSERT_EQ(out[4 * i], nonzero) << i;
            ASSERT_EQ(out[4 * i + 1], 0);
            ASSERT_EQ(out[4 * i + 2], 1);
            ASSERT_EQ(out[4 * i + 3], in[i] == 7 ? 0 : ones);  // those with a 7 have returned
        }
        if (!record) return;
        const auto counts = of_op(*outcome.trace, trace::Op::sync_block_count);
        ASSERT_EQ(counts.size(), 6u);  // three warps, twice
        EXPECT_EQ(counts[0].received[1], static_cast<std::uint64_t>(nonzero));
        EXPECT_EQ(counts[0].arg[1], 1);
        EXPECT_EQ(counts[0].arg[2], 0);
    });
}

template <class T>
void sweep_matches(const std::string& type, T odd, T other) {
    std::mt19937 random(3);
    for (int round = 0; round < 60; ++round) {
        const auto mask = static_cast<unsigned>(random()) | 1u;
        std::vector<T> in(32);
        for (auto& value : in)
            value = round % 4 == 0      ? odd
                    : random() % 3 == 0 ? odd
                    : random() % 2      ? other
                                        : static_cast<T>(random() % 3);
        launch::Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.output<std::uint32_t>("out", 96);
        plan.launch("matches", type, {1}, {32}, a, b, mask);
        const auto outcome = run_intrinsics(plan, kOrders[round % kOrders.size()], round % 5 == 0);
        const auto out = bytes_as<std::uint32_t>(outcome.buffers[1]);
        for (unsigned lane = 0; lane < 32; ++lane) {
            if (!(mask >> lane & 1)) continue;
            unsigned alike = 0;
            for (unsigned l = 0; l < 32; ++l)
                if (mask >> l & 1 && to_bits(in[l]) == to_bits(in[lane])) alike |= 1u << l;
            ASSERT_EQ(out[lane * 3], alike);
            ASSERT_EQ(out[lane * 3 + 1], alike == mask ? mask : 0);
            ASSERT_EQ(out[lane * 3 + 2], alike == mask);
        }
        if (outcome.trace) {
            const auto records = of_op(*outcome.trace, trace::Op::vote_match_any);
            ASSERT_EQ(records.size(), 1u);
            EXPECT_EQ(records[0].type, element_of<T>());
            EXPECT_EQ(records[0].before[0], to_bits(in[0]));
            EXPECT_EQ(records[0].received[0], out[0]);
            EXPECT_EQ(records[0].mask, mask);
        }
    }
}

TEST(Intrinsics, MatchesCompareBits) {
    sweep_matches<int>("int", -5, 0x7fffffff);
    sweep_matches<double>("double", -0.0, std::numeric_limits<double>::quiet_NaN());
}

template <class T>
void sweep_reductions(const std::string& type) {
    std::mt19937 random(9);
    for (int round = 0; round < 60; ++round) {
        const auto mask = round % 3 ? static_cast<unsigned>(random()) | 1u : ~0u;
        std::vector<T> in(32);
        for (auto& value : in) value = static_cast<T>(random());
        launch::Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.output<T>("out", 192);
        plan.launch("reductions", type, {1}, {32}, a, b, mask);
        const auto outcome = run_intrinsics(plan, kOrders[round % kOrders.size()], round % 2 == 0);
        const auto out = bytes_as<T>(outcome.buffers[1]);
        std::uint32_t sum = 0, conjunction = ~0u, disjunction = 0, parity = 0;
        T least = std::numeric_limits<T>::max(), most = std::numeric_limits<T>::min();
        for (unsigned lane = 0; lane < 32; ++lane) {
            if (!(mask >> lane & 1)) continue;
            const auto word = static_cast<std::uint32_t>(in[lane]);
            sum += word, conjunction &= word, disjunction |= word, parity ^= word;
            least = std::min(least, in[lane]), most = std::max(most, in[lane]);
        }
        const std::vector<T> wanted = {static_cast<T>(sum),         least,
                                       most,                        static_cast<T>(conjunction),
                                       static_cast<T>(disjunction), static_cast<T>(parity)};
        for (int lane = 0; lane < 32; ++lane)
            for (int k = 0; k < 6; ++k)
                ASSERT_EQ(out[lane * 6 + k], mask >> lane & 1 ? wanted[k] : 0) << lane << " " << k;
        if (!outcome.trace) continue;
        const auto records = of_op(*outcome.trace, trace::Op::reduce_add);
        ASSERT_EQ(records.size(), 1u);
        EXPECT_EQ(records[0].before[0], to_bits(in[0]));
        EXPECT_EQ(records[0].received[0], to_bits(wanted[0]));
        EXPECT_EQ(records[0].has_after, mask);
        EXPECT_EQ(records[0].after[0], to_bits(wanted[0]));
        EXPECT_EQ(records[0].effect[0], trace::Effect::replace);
    }
}

TEST(Intrinsics, ReductionsOfTheMask) {
    sweep_reductions<int>("int");
    sweep_reductions<unsigned>("unsigned");
}

class WrongIntrinsic : public ::testing::TestWithParam<WrongCase> {};

TEST_P(WrongIntrinsic, IsReportedByItsName) {
    const auto& wrong = GetParam();
    in_every_way([&](const launch::Order& order, bool record) {
        launch::Plan plan;
        const auto out = plan.output<int>("out", 64);
        plan.launch(wrong.kernel, "", {1}, {wrong.threads}, out);
        const auto outcome = run_intrinsics(plan, order, record);
        ASSERT_EQ(outcome.findings.size(), 1u) << order.name();
        const auto& finding = outcome.findings[0];
        EXPECT_EQ(finding.kind, wrong.kind);
        EXPECT_NE(finding.sentence.find(wrong.said), std::string::npos) << finding.sentence;
        EXPECT_GT(finding.line, 0);
        EXPECT_NE(finding.lanes, 0u);
    });
}

INSTANTIATE_TEST_SUITE_P(
    Misuse, WrongIntrinsic,
    ::testing::Values(WrongCase{"reduce_not_named", 32, "mask_without_caller", "calls __reduce_add_sync"},
                      WrongCase{"reduce_other_intrinsic", 32, "intrinsic_mismatch", "__reduce_m"},
                      WrongCase{"match_other_mask", 32, "mask_mismatch", "__match_any_sync"},
                      WrongCase{"match_waits", 32, "deadlock", "at __syncthreads_or on line"},
                      WrongCase{"mixed_barriers", 64, "barrier_divergence", "__syncthreads_count"},
                      WrongCase{"traps", 64, "trap", "lane 3 of warp 0 came to __trap"}));

TEST(Intrinsics, OfMixedBarriersTheVotersAreCounted) {
    launch::Plan plan;
    const auto b = plan.output<int>("out", 64);
    plan.launch("mixed_barriers", "", {1}, {64}, b);
    for (const auto& order : kOrders) {
        const auto out = bytes_as<int>(run_intrinsics(plan, order).buffers[0]);
        EXPECT_EQ(out[3], 5);
        EXPECT_EQ(out[40], -1);
    }
}

TEST(Intrinsics, ActiveMaskIsWhoStandsAtOnePlace) {
    in_every_way([](const launch::Order& order, bool record) {
        launch::Plan plan;
        const auto b = plan.output<std::uint32_t>("out", 32);
        plan.launch("active", "", {1}, {32}, b);
        const auto outcome = run_intrinsics(plan, order, record);
        EXPECT_TRUE(outcome.findings.empty());
        const auto out = bytes_as<std::uint32_t>(outcome.buffers[0]);
        for (unsigned lane = 0; lane < 31; ++lane) {
            unsigned alike = 0;
            for (unsigned l = 0; l < 31; ++l)
                if (l % 3 == lane % 3) alike |= 1u << l;
            EXPECT_EQ(out[lane], lane % 3 == 2 ? alike | 1u << 31 : alike) << lane << " " << order.name();
        }
        if (record) {
            EXPECT_EQ(of_op(*outcome.trace, trace::Op::active_mask).size(), 3u);
        }
    });
}

TEST(Intrinsics, FencesAreRecordedWithTheirScope) {
    launch::Plan plan;
    const auto b = plan.output<int>("out", 32);
    plan.launch("fences", "", {1}, {32}, b);
    const auto outcome = run_intrinsics(plan, kOrders[2], true);
    const auto fences = of_op(*outcome.trace, trace::Op::fence);
    ASSERT_EQ(fences.size(), 3u);
    for (int scope = 0; scope < 3; ++scope) {
        EXPECT_EQ(fences[scope].arg[17], scope);
        EXPECT_EQ(fences[scope].active, ~0u);
    }
}

}  // namespace
}  // namespace lanewise::emu
