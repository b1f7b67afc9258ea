// CUDA's words beside shuffles and sums: testing/words/kernels.cuh on the fast and on the traced copy, in every order.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/emu/block_order.hpp"
#include "common/emu/emulator.hpp"
#include "common/emu/testing/run.hpp"

namespace lanewise::generated {
launch::KernelSet emulator_words();
}

namespace lanewise::emu {
namespace {

using testing::bytes_as;

const std::vector<launch::Order> kOrders = {{launch::Order::Kind::ascending, 0},
                                            {launch::Order::Kind::descending, 0},
                                            {launch::Order::Kind::seeded, 7},
                                            {launch::Order::Kind::seeded, 12345}};

const launch::KernelSet& words() {
    static const launch::KernelSet set = generated::emulator_words();
    return set;
}

launch::Outcome run(const launch::Plan& plan, const launch::Order& order, bool record = false, int threads = 1) {
    launch::Request request;
    request.order = order;
    request.record = record;
    request.threads = threads;
    return make_emulator()->run(plan, words(), request);
}

// Calls each(order, record) for all of them.
template <class Each>
void in_every_way(Each each) {
    for (const auto& order : kOrders)
        for (const bool record : {false, true}) each(order, record);
}

std::vector<trace::Record> of_op(const trace::Trace& trace, trace::Op op) {
    std::vector<trace::Record> records;
    for (const auto& record : trace.records)
        if (record.op == op) records.push_back(record);
    return records;
}

TEST(Words, BarriersThatVoteSeeTheWholeBlock) {
    std::vector<int> in(90);
    for (int i = 0; i < 90; ++i) in[i] = i % 5 == 0 ? 7 : i % 2;
    const auto nonzero = std::count_if(in.begin(), in.end(), [](int v) { return v != 0; });
    const auto ones = std::count(in.begin(), in.end(), 1);
    in_every_way([&](const launch::Order& order, bool record) {
        launch::Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.output<int>("out", 360);
        plan.launch("block_votes", "", {1}, {5, 6, 3}, a, b);
        const auto outcome = run(plan, order, record);
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
        for (auto& value : in) value = round % 4 == 0 ? odd : random() % 3 == 0 ? odd : random() % 2 ? other : static_cast<T>(random() % 3);
        launch::Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.output<std::uint32_t>("out", 96);
        plan.launch("matches", type, {1}, {32}, a, b, mask);
        const auto outcome = run(plan, kOrders[round % kOrders.size()], round % 5 == 0);
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

TEST(Words, MatchesCompareBits) {
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
        const auto outcome = run(plan, kOrders[round % kOrders.size()], round % 2 == 0);
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
            for (int k = 0; k < 6; ++k) ASSERT_EQ(out[lane * 6 + k], mask >> lane & 1 ? wanted[k] : 0) << lane << " " << k;
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

TEST(Words, ReductionsOfTheMask) {
    sweep_reductions<int>("int");
    sweep_reductions<unsigned>("unsigned");
}

struct WrongCase {
    const char* kernel;
    unsigned threads;
    const char* kind;
    const char* said;
};
void PrintTo(const WrongCase& wrong, std::ostream* out) { *out << wrong.kernel; }
class WrongWord : public ::testing::TestWithParam<WrongCase> {};

TEST_P(WrongWord, IsToldByItsName) {
    const auto& wrong = GetParam();
    in_every_way([&](const launch::Order& order, bool record) {
        launch::Plan plan;
        const auto out = plan.output<int>("out", 64);
        plan.launch(wrong.kernel, "", {1}, {wrong.threads}, out);
        const auto outcome = run(plan, order, record);
        ASSERT_EQ(outcome.findings.size(), 1u) << order.name();
        const auto& finding = outcome.findings[0];
        EXPECT_EQ(finding.kind, wrong.kind);
        EXPECT_NE(finding.sentence.find(wrong.said), std::string::npos) << finding.sentence;
        EXPECT_GT(finding.line, 0);
        EXPECT_NE(finding.lanes, 0u);
    });
}

INSTANTIATE_TEST_SUITE_P(
    Misuse, WrongWord,
    ::testing::Values(WrongCase{"reduce_not_named", 32, "mask_without_caller", "calls __reduce_add_sync"},
                      WrongCase{"reduce_other_word", 32, "intrinsic_mismatch", "__reduce_m"},
                      WrongCase{"match_other_mask", 32, "mask_mismatch", "__match_any_sync"},
                      WrongCase{"match_waits", 32, "deadlock", "at __syncthreads_or on line"},
                      WrongCase{"mixed_barriers", 64, "barrier_divergence", "__syncthreads_count"},
                      WrongCase{"traps", 64, "trap", "lane 3 of warp 0 came to __trap"}));

TEST(Words, OfMixedBarriersTheVotersAreCounted) {
    launch::Plan plan;
    const auto b = plan.output<int>("out", 64);
    plan.launch("mixed_barriers", "", {1}, {64}, b);
    for (const auto& order : kOrders) {
        const auto out = bytes_as<int>(run(plan, order).buffers[0]);
        EXPECT_EQ(out[3], 5);
        EXPECT_EQ(out[40], -1);
    }
}

TEST(Words, ActiveMaskIsWhoStandsAtOnePlace) {
    in_every_way([](const launch::Order& order, bool record) {
        launch::Plan plan;
        const auto b = plan.output<std::uint32_t>("out", 32);
        plan.launch("active", "", {1}, {32}, b);
        const auto outcome = run(plan, order, record);
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

TEST(Words, FencesAreRecordedWithTheirScope) {
    launch::Plan plan;
    const auto b = plan.output<int>("out", 32);
    plan.launch("fences", "", {1}, {32}, b);
    const auto outcome = run(plan, kOrders[2], true);
    const auto fences = of_op(*outcome.trace, trace::Op::fence);
    ASSERT_EQ(fences.size(), 3u);
    for (int scope = 0; scope < 3; ++scope) {
        EXPECT_EQ(fences[scope].arg[17], scope);
        EXPECT_EQ(fences[scope].active, ~0u);
    }
}

TEST(Words, ALaneThatSleepsOrSpinsOnAnAtomicLetsOthersRun) {
    in_every_way([](const launch::Order& order, bool record) {
        if (record) return;  // the same but for thousands of records
        launch::Plan plan;
        const auto b = plan.output<int>("out", 3);
        plan.launch("sleepers", "", {1}, {64}, b);
        const auto outcome = run(plan, order);
        EXPECT_TRUE(outcome.findings.empty());
        EXPECT_EQ(bytes_as<int>(outcome.buffers[0]), (std::vector<int>{1, 5, 140}));
    });
    launch::Plan plan;
    const auto b = plan.output<int>("out", 1);
    plan.launch("sleeps_for_ever", "", {1}, {32}, b);
    const auto outcome = run(plan, kOrders[0]);
    ASSERT_EQ(outcome.findings.size(), 1u);
    EXPECT_EQ(outcome.findings[0].kind, "runaway");
}

TEST(Words, ClocksCountOn) {
    launch::Plan plan;
    const auto b = plan.output<std::int64_t>("out", 32);
    plan.launch("clocks", "", {1}, {32}, b);
    for (const auto value : bytes_as<std::int64_t>(run(plan, kOrders[0]).buffers[0])) EXPECT_GT(value, 0);
}

TEST(Words, PrintfGoesToStandardOutput) {
    for (const bool record : {false, true}) {
        launch::Plan plan;
        const auto a = plan.input("in", std::vector<float>{1.25f, -3.5f});
        const auto b = plan.output<int>("out", 32);
        plan.launch("prints", "", {1}, {32}, a, b);
        ::testing::internal::CaptureStdout();
        const auto outcome = run(plan, kOrders[0], record);
        std::fflush(stdout);
        EXPECT_EQ(::testing::internal::GetCapturedStdout(), "0 7  1.25 0.5 ff text 1099511627776 8 c%\nplain\n"
                                                            "-1 7 -3.50 0.5 ff text 1099511627776 8 c%\nplain\n");
        EXPECT_EQ(bytes_as<int>(outcome.buffers[1])[1], 9);  // values given, as on a GPU
        if (record) {
            EXPECT_EQ(outcome.trace->records.size(), 2u);  // the load of in, the store to out
        }
    }
}

TEST(Words, AFailedAssertionEndsTheLaunch) {
    in_every_way([](const launch::Order& order, bool record) {
        launch::Plan plan;
        std::vector<int> in(64, 1);
        in[37] = 9;
        const auto a = plan.input("in", in);
        const auto b = plan.output<int>("out", 64);
        plan.launch("asserts", "", {50}, {64}, a, b);
        const auto outcome = run(plan, order, record);
        ASSERT_EQ(outcome.findings.size(), 1u);
        const auto& finding = outcome.findings[0];
        EXPECT_EQ(finding.kind, "assertion_failed");
        EXPECT_EQ(finding.count, 1u);
        EXPECT_EQ(finding.lanes, 1u << 5);
        EXPECT_EQ(finding.warp, 1u);
        EXPECT_NE(finding.sentence.find("kernels.cuh:"), std::string::npos) << finding.sentence;
        EXPECT_NE(finding.sentence.find("`in[threadIdx.x] < 5`"), std::string::npos) << finding.sentence;
        EXPECT_NE(finding.sentence.find("thread (37, 0, 0)"), std::string::npos) << finding.sentence;
        EXPECT_EQ(bytes_as<int>(outcome.buffers[1])[37], 1);
    });
}

TEST(Words, LanesOfThreeDimensionalBlocks) {
    for (const launch::Block shape : {launch::Block{5, 4, 3}, launch::Block{32, 1, 1}, launch::Block{7, 9, 16}, launch::Block{16, 8, 8},
                                      launch::Block{1, 1, 33}}) {
        const auto count = static_cast<int>(shape.count());
        launch::Plan plan;
        const auto b = plan.output<int>("out", static_cast<std::uint64_t>(4 * count * 12));
        plan.launch("lanes", "", {2, 3, 2}, shape, b);
        for (const auto& order : kOrders) {
            const auto outcome = run(plan, order, count < 100);
            EXPECT_TRUE(outcome.findings.empty());
            const auto out = bytes_as<int>(outcome.buffers[0]);
            for (int block = 0; block < 12; ++block)
                for (int thread = 0; thread < count; ++thread) {
                    const int* mine = &out[static_cast<std::size_t>(4 * (block * count + thread))];
                    ASSERT_EQ(mine[0], thread / 32 * 32);
                    ASSERT_EQ(mine[1], std::min(32, count - thread / 32 * 32));
                    ASSERT_EQ(mine[2], 32);
                    ASSERT_EQ(mine[3], block);
                }
        }
    }
}

TEST(Words, NamesOfDynamicSharedMemoryMeanOneMemory) {
    in_every_way([](const launch::Order& order, bool record) {
        launch::Plan plan;
        const auto b = plan.output<int>("out", 5);
        plan.launch("aliases", "", {1}, {32, 1, 1, 64}, b);
        const auto outcome = run(plan, order, record);
        EXPECT_EQ(bytes_as<int>(outcome.buffers[0]), (std::vector<int>{0x3f800000, 25, 0x3f, 0x3f800000, 65}));
    });
}

TEST(Words, DeclarationsOfEveryKind) {
    std::vector<int> in(32);
    for (int i = 0; i < 32; ++i) in[i] = i * i;
    in_every_way([&](const launch::Order& order, bool record) {
        launch::Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.output<int>("out", 32);
        plan.launch("declares", "", {1}, {32}, 10, a, b);
        const auto outcome = run(plan, order, record);
        EXPECT_TRUE(outcome.findings.empty());
        const int table[] = {3, 1, 4, 1};
        const auto out = bytes_as<int>(outcome.buffers[1]);
        for (int lane = 0; lane < 32; ++lane) {
            int sum = 2 * table[lane % 4];
            for (int i = 0; i < 4; ++i) {
                const int l = (lane + i) % 32;
                sum += l % 2 * 3 + l % 3 + 1;
            }
            EXPECT_EQ(out[lane], 2 * in[lane] + sum + 10) << lane;
        }
    });
}

std::vector<int> blocks_in_turn(const launch::Order& order, unsigned blocks, bool record, int threads) {
    launch::Plan plan;
    const auto turn = plan.output<int>("turn", 1);
    const auto out = plan.output<int>("order", blocks);
    plan.launch("in_turn", "", {blocks}, {32}, turn, out);
    return bytes_as<int>(run(plan, order, record, threads).buffers[1]);
}

TEST(BlockOrder, IsTheOneAskedFor) {
    const unsigned blocks = 1000;
    std::vector<int> ascending(blocks), descending(blocks);
    for (unsigned i = 0; i < blocks; ++i) ascending[i] = descending[blocks - 1 - i] = static_cast<int>(i);
    for (const bool record : {false, true}) {
        EXPECT_EQ(blocks_in_turn(kOrders[0], blocks, record, 1), ascending);
        EXPECT_EQ(blocks_in_turn(kOrders[1], blocks, record, 1), descending);
        const auto seven = blocks_in_turn(kOrders[2], blocks, record, 1);
        const auto other = blocks_in_turn(kOrders[3], blocks, record, 1);
        EXPECT_NE(seven, other);
        EXPECT_EQ(seven, blocks_in_turn(kOrders[2], blocks, !record, 1));
    }
    for (const auto& order : kOrders)
        for (const int threads : {1, 3}) {
            auto seen = blocks_in_turn(order, blocks, false, threads);
            if (order.kind == launch::Order::Kind::seeded) {
                EXPECT_NE(seen, ascending);
            }
            std::sort(seen.begin(), seen.end());
            EXPECT_EQ(seen, ascending) << order.name();
        }
}

TEST(BlockOrder, ASeedPermutesGridsOfAnySize) {
    for (const std::uint64_t blocks : {1, 2, 3, 5, 16, 17, 1000, 4096}) {
        const BlockOrder order({launch::Order::Kind::seeded, 99}, blocks);
        std::vector<bool> seen(blocks);
        for (std::uint64_t i = 0; i < blocks; ++i) {
            ASSERT_LT(order[i], blocks);
            EXPECT_FALSE(seen[order[i]]);
            seen[order[i]] = true;
        }
    }
    const BlockOrder huge({launch::Order::Kind::seeded, 1}, std::uint64_t{1} << 40);
    EXPECT_LT(huge[12345], std::uint64_t{1} << 40);
}

TEST(BlockOrder, RecordedBlocksAreTheSameInAnyOrder) {
    launch::Plan plan;
    const auto turn = plan.output<int>("turn", 1);
    const auto out = plan.output<int>("order", 40);
    plan.launch("in_turn", "", {40}, {32}, turn, out);
    for (const auto& order : kOrders) {
        const auto outcome = run(plan, order, true);
        EXPECT_EQ(outcome.trace->header.blocks, (std::vector<std::uint32_t>{0, 1}));
        ASSERT_FALSE(outcome.trace->records.empty());
        EXPECT_EQ(outcome.trace->records.front().block, 0u);
        EXPECT_EQ(outcome.trace->records.back().block, 1u);
    }
}

launch::Plan small_warps(int warp, unsigned threads) {
    launch::Plan plan;
    std::vector<int> in(threads);
    for (unsigned i = 0; i < threads; ++i) in[i] = static_cast<int>(i * i % 97) + 1;
    const auto a = plan.input("in", in);
    const auto b = plan.output<int>("out", 5 * threads);
    plan.launch("small_warps", std::to_string(warp), {1}, {threads}, a, b);
    return plan;
}

TEST(TeachingWarps, HaveTheirLanesAndNoOthers) {
    for (const int warp : {4, 8, 16, 32})
        in_every_way([&](const launch::Order& order, bool record) {
            const unsigned threads = static_cast<unsigned>(warp) * 5;
            const auto plan = small_warps(warp, threads);
            const auto outcome = run(plan, order, record);
            EXPECT_TRUE(outcome.findings.empty());
            const auto in = bytes_as<int>(plan.buffers[0].contents);
            const auto out = bytes_as<int>(outcome.buffers[1]);
            for (int thread = 0; thread < static_cast<int>(threads); ++thread) {
                int sum = 0;
                for (int i = 0; i < warp; ++i) sum += in[thread / warp * warp + i];
                const int* mine = &out[static_cast<std::size_t>(5 * thread)];
                const int lane = thread % warp;
                const int all = static_cast<int>(warp == 32 ? ~0u : (1u << warp) - 1);
                ASSERT_EQ(mine[0], sum) << "warps of " << warp << ", thread " << thread;
                ASSERT_EQ(mine[1], all);
                ASSERT_EQ(mine[2], warp);
                ASSERT_EQ(mine[3], std::min(lane + 1, warp - 1));
                ASSERT_EQ(mine[4], all);
            }
            if (!record) return;
            EXPECT_EQ(outcome.trace->header.warp_size, static_cast<std::uint32_t>(warp));
            const auto shuffles = of_op(*outcome.trace, trace::Op::shfl_xor);
            ASSERT_EQ(shuffles.size(), 5u * static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(warp))));
            EXPECT_EQ(std::popcount(shuffles[0].active), warp);
            EXPECT_EQ(shuffles[0].mask, shuffles[0].active);
            EXPECT_EQ(shuffles.back().warp, 4u);
        });
}

TEST(TeachingWarps, OfMoreThreadsThan32WarpsHoldAreRefused) {
    EXPECT_TRUE(run(small_warps(4, 128), kOrders[0]).findings.empty());
    try {
        run(small_warps(4, 132), kOrders[0]);
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("up to 128 (32 warps)"), std::string::npos) << error.what();
    }
    launch::Plan mixed = small_warps(4, 32);
    mixed.launches.push_back(mixed.launches[0]);
    mixed.launches[1].arguments = "8";
    EXPECT_THROW(run(mixed, kOrders[0]), Error);
}

}  // namespace
}  // namespace lanewise::emu
