#include <numeric>

#include "common/check/checker.hpp"
#include "common/lesson/lesson.testing.hpp"

namespace {

using namespace lanewise;
using namespace lanewise::lesson::testing;
using lesson::ControlValue;

lesson::Inputs with(const std::string& variant, const std::vector<ControlValue>& changed) {
    lesson::Inputs inputs = inputs_of(variant);
    std::vector<ControlValue> values = inputs.controls.values();
    for (const auto& [name, text] : changed)
        for (auto& [known, value] : values)
            if (known == name) value = text;
    inputs.controls = lesson::ChosenControls(values);
    return inputs;
}

template <class T>
std::vector<T> held(const std::string& variant, const std::vector<ControlValue>& changed, const std::string& name) {
    const auto plan = plan_of(variant, with(variant, changed));
    const auto outcome = run(plan);
    expect_verified(plan, outcome, variant);
    return buffer<T>(plan, outcome, name);
}

struct Answer {
    int any, all;
    unsigned ballot;
    bool operator==(const Answer&) const = default;
};

Answer answer(const std::string& predicate) {
    const std::vector<ControlValue> chosen = {{"predicate", predicate}};
    return {held<int>("votes", chosen, "any")[7], held<int>("votes", chosen, "all")[7],
            held<unsigned>("votes", chosen, "ballot")[7]};
}

// What published notes print.
TEST(Votes, GiveThePublishedAnswers) {
    EXPECT_EQ(answer("lane"), (Answer{1, 0, 0xfffffffeu}));
    EXPECT_EQ(answer("0"), (Answer{0, 0, 0u}));
    EXPECT_EQ(answer("1"), (Answer{1, 1, 4294967295u}));
    EXPECT_EQ(answer("-7"), (Answer{1, 1, 4294967295u}));  // not zero suffices: it need not be 1
    EXPECT_EQ(answer("lane % 2 == 1"), (Answer{1, 0, 2863311530u}));
    EXPECT_EQ(answer("lane & 1"), (Answer{1, 0, 0xaaaaaaaau}));
}

TEST(Votes, CountOnlyTheLanesOfTheMask) {
    const std::vector<ControlValue> chosen = {{"predicate", "lane < 12"}, {"mask", "0xff0"}};
    EXPECT_EQ(held<unsigned>("votes", chosen, "ballot")[4], 0xff0u);
    EXPECT_EQ(held<int>("votes", chosen, "all")[4], 1);
    EXPECT_EQ(held<unsigned>("votes", chosen, "ballot")[0], 0u);  // lane 0 is not asked and writes nothing
}

TEST(Votes, MatchAnyAndMatchAll) {
    const auto peers = held<unsigned>("matches", {{"key", "lane % 4"}}, "peers");
    for (std::size_t lane = 0; lane < 32; ++lane) EXPECT_EQ(peers[lane], 0x11111111u << lane % 4);
    EXPECT_EQ(held<unsigned>("matches", {{"key", "lane % 4"}}, "every")[0], 0u);
    EXPECT_EQ(held<unsigned>("matches", {{"key", "9"}}, "every")[31], 0xffffffffu);
    EXPECT_EQ(held<unsigned>("matches", {{"key", "lane"}}, "peers")[31], 0x80000000u);
}

TEST(Votes, TheReductionIsTheSum) {
    EXPECT_EQ(held<int>("reduction", {{"key", "lane"}}, "sum")[3], 496);
    EXPECT_EQ(held<int>("reduction", {{"key", "lane"}, {"mask", "0xff"}}, "sum")[3], 28);
}

TEST(Votes, RankLeaderAndPlaceComeFromOneBallot) {
    const auto rank = held<int>("ranks", {{"predicate", "lane >= 5 && lane % 3 == 0"}}, "rank");
    const int first[] = {-1, -1, -1, -1, -1, -1, 0, -1, -1, 1, -1, -1, 2};
    for (std::size_t lane = 0; lane < std::size(first); ++lane) EXPECT_EQ(rank[lane], first[lane]) << lane;
    EXPECT_EQ(held<int>("ranks", {{"predicate", "lane >= 5 && lane % 3 == 0"}}, "leader")[0], 6);
    EXPECT_EQ(held<int>("ranks", {{"predicate", "lane >= 5 && lane % 3 == 0"}}, "count")[0], 9);
    EXPECT_EQ(held<int>("ranks", {{"predicate", "0"}}, "leader")[0], -1);
    const auto kept = held<int>("compact", {{"predicate", "lane % 10 == 7"}}, "out");
    EXPECT_EQ(std::vector<int>(kept.begin(), kept.begin() + 5), (std::vector<int>{7, 17, 27, 0, 0}));
    const auto sums = held<int>("prefix_sum_of_bits", {{"key", "lane % 16"}}, "sums");
    EXPECT_EQ(sums[15], 120);
    EXPECT_EQ(sums[31], 240);
    EXPECT_EQ(sums[17], 121);
}

// Each predicate of 200 at random: the intrinsics of every vote against counting.
TEST(Votes, AreRightForPredicatesAtRandom) {
    for (unsigned turn = 1; turn <= 200; ++turn) {
        std::string list;
        const unsigned ones = turn * 2654435761u ^ turn << 13;
        for (int lane = 0; lane < 32; ++lane) list += (lane ? "," : "") + std::string(ones >> lane & 1u ? "1" : "0");
        for (const char* variant : {"votes", "ranks", "compact", "count_each", "count_aggregated", "tile_votes_8"}) {
            const auto plan = plan_of(variant, with(variant, {{"predicate", list}}));
            expect_verified(plan, run(plan), variant);
        }
        EXPECT_EQ(held<unsigned>("votes", {{"predicate", list}}, "ballot")[0], ones);
    }
}

std::size_t atomics_of(const std::string& variant, const std::vector<ControlValue>& changed) {
    const auto trace = *run(plan_of(variant, with(variant, changed)), "ascending", true).trace;
    std::size_t lanes = 0;
    for (const auto& record : trace.records)
        if (trace::is_atomic(record.op)) lanes += static_cast<std::size_t>(__builtin_popcount(record.active));
    return lanes;
}

TEST(Votes, AggregatedAtomicsAreFewer) {
    EXPECT_EQ(atomics_of("count_each", {}), 32u);  // 16 in each of two warps
    EXPECT_EQ(atomics_of("count_aggregated", {}), 2u);
    EXPECT_EQ(atomics_of("sums_by_key_each", {}), 32u);
    EXPECT_EQ(atomics_of("sums_by_key", {}), 4u);  // one for each key
}

TEST(Votes, SumsByKey) {
    const auto sums = held<int>("sums_by_key", {{"key", "lane % 4"}}, "sums");
    for (int key = 0; key < 16; ++key)
        EXPECT_EQ(sums[static_cast<std::size_t>(key)], key < 4 ? 8 * key + 4 * 28 : 0) << key;  // key + 0, 4, …, 28
}

// Lanes of one branch find two active masks.
TEST(Votes, TheActiveMaskIsNotEveryoneInTheBranch) {
    const auto plan = plan_of("count_by_active_mask", with("count_by_active_mask", {{"predicate", "lane % 2"}}));
    const auto outcome = run(plan, "ascending", true);
    std::vector<unsigned> found;
    for (const auto& record : outcome.trace->records)
        if (record.op == trace::Op::active_mask && record.block == 0)
            found.push_back(
                static_cast<unsigned>(record.received[static_cast<std::size_t>(__builtin_ctz(record.active))]));
    EXPECT_EQ(found, (std::vector<unsigned>{0x0000aaaau, 0xaaaa0000u}));
    EXPECT_EQ(buffer<int>(plan, outcome, "total")[0], 64);  // twice the 32 that vote yes
}

TEST(Votes, WrongCountsAreSeen) {
    auto plan = plan_of("count_by_lane_zero", inputs_of("count_by_lane_zero"));
    EXPECT_EQ(buffer<int>(plan, run(plan), "total")[0], 0);
    plan = plan_of("count_full_mask", inputs_of("count_full_mask"));
    launch::Request request;
    request.checks = true;
    const auto outcome = check::make_emulator()->run(plan, kernels(), request);
    EXPECT_EQ(outcome.verdict, trace::Verdict::wrong);
    ASSERT_FALSE(outcome.findings.empty());
}

TEST(Votes, TilesVoteForThemselves) {
    const auto ballot = held<unsigned>("tile_votes_8", {{"predicate", "lane < 12"}}, "ballot");
    EXPECT_EQ(ballot[0], 0xffu);
    EXPECT_EQ(ballot[8], 0x0fu);
    EXPECT_EQ(ballot[16], 0u);
    EXPECT_EQ(held<unsigned>("tile_votes_16", {{"predicate", "lane < 12"}}, "ballot")[8], 0xfffu);
    EXPECT_EQ(held<int>("tile_sums_8", {{"key", "lane"}}, "sum")[9], 92);  // 8 + … + 15
    EXPECT_EQ(held<int>("tile_sums_32", {{"key", "lane"}}, "sum")[9], 496);
}

}  // namespace
