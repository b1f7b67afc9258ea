#include "common/steps/provenance/provenance.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "common/base/error.hpp"

namespace lanewise::steps {
namespace {

using Id = Provenances::Id;

// The same by counting: how often each input came in, at most twice.
struct Counted {
    std::map<std::size_t, int> times;
    bool undefined = false, unknown = false;
    bool operator==(const Counted&) const = default;
};

Counted joined(const Counted& a, const Counted& b) {
    Counted both{a.times, a.undefined || b.undefined, a.unknown || b.unknown};
    for (const auto& [input, times] : b.times) both.times[input] = std::min(2, both.times[input] + times);
    return both;
}

void expect_holds(const Provenance& held, const Counted& expected, std::size_t inputs, const std::string& what) {
    std::size_t twice = 0;
    for (const auto& [input, times] : expected.times) {
        ASSERT_TRUE(held.holds(input)) << what << " " << input;
        ASSERT_EQ(held.holds_twice(input), times > 1) << what << " " << input;
        ASSERT_EQ(held.holds(input + 1), expected.times.contains(input + 1)) << what << " " << input;
        twice += times > 1;
    }
    EXPECT_EQ(held.count(), expected.times.size()) << what;
    EXPECT_EQ(held.counted_twice(), twice > 0) << what;
    EXPECT_EQ(held.undefined, expected.undefined) << what;
    EXPECT_EQ(held.unknown, expected.unknown) << what;
    const std::size_t first = inputs / 7, last = inputs / 2 + 1;
    std::size_t in_part = 0, twice_in_part = 0;
    for (auto at = expected.times.lower_bound(first); at != expected.times.lower_bound(last); ++at) {
        ++in_part;
        twice_in_part += at->second > 1;
    }
    EXPECT_EQ(held.count(first, last), in_part) << what;
    EXPECT_EQ(held.count_twice(first, last), twice_in_part) << what;
    EXPECT_EQ(held.count(0, inputs + 100), held.count()) << what;
}

// Sets grown at random, some of them from overlapping ones: each holds what counting says, and two have one number
// exactly where they are equal.
TEST(Provenance, HoldsWhatCountingSays) {
    for (const std::size_t inputs : {1u, 5u, 64u, 65u, 511u, 4096u, 300'000u}) {
        std::mt19937 random(static_cast<unsigned>(inputs));
        Provenances sets(inputs);
        std::vector<Id> ids{Provenances::kNothing};
        std::vector<Counted> counted{{}};
        const auto add = [&](Id id, Counted set) {
            for (std::size_t i = 0; i < ids.size(); ++i)
                ASSERT_EQ(ids[i] == id, counted[i] == set) << inputs << ": " << i << " and " << ids.size();
            ids.push_back(id);
            counted.push_back(std::move(set));
        };
        for (int turn = 0; turn < 400 && !testing::Test::HasFatalFailure(); ++turn) {
            const std::size_t a = random() % ids.size(), b = random() % ids.size();
            const std::size_t input = random() % inputs;
            const auto known = [&](Id id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); };
            Id id = Provenances::kNothing;
            Counted set;
            if (turn % 4 == 0) {
                id = sets.single(input);
                set.times[input] = 1;
            } else if (turn % 31 == 1) {
                id = sets.undefined(ids[a]);
                set = counted[a];
                set.undefined = true;
            } else if (turn % 31 == 2) {
                id = sets.unknown(ids[a]);
                set = counted[a];
                set.unknown = true;
            } else {
                id = sets.join(ids[a], ids[b]);
                set = joined(counted[a], counted[b]);
            }
            expect_holds(sets.at(id), set, inputs, std::to_string(inputs) + " turn " + std::to_string(turn));
            if (known(id)) continue;
            add(id, std::move(set));
        }
        EXPECT_THROW(sets.at(static_cast<Id>(sets.size())), Error);
    }
}

// In whatever order they came in.
TEST(Provenance, EqualSetsHaveOneNumber) {
    Provenances sets(1000);
    std::vector<std::size_t> inputs;
    for (std::size_t i = 0; i < 1000; i += 3) inputs.push_back(i);
    std::mt19937 random(5);
    Id first = Provenances::kNothing;
    for (int turn = 0; turn < 5; ++turn) {
        Id all = Provenances::kNothing;
        for (const std::size_t input : inputs) all = sets.join(all, sets.single(input));
        if (turn == 0) first = all;
        EXPECT_EQ(all, first);
        std::shuffle(inputs.begin(), inputs.end(), random);
    }
    EXPECT_EQ(sets.at(first).count(), inputs.size());
    EXPECT_EQ(sets.at(sets.single(7)).only(), 7u);
    EXPECT_EQ(sets.at(sets.join(sets.single(7), sets.single(7))).only(), std::nullopt);
    EXPECT_EQ(sets.at(first).only(), std::nullopt);
    EXPECT_EQ(sets.at(Provenances::kNothing).only(), std::nullopt);
    EXPECT_EQ(sets.at(sets.undefined(sets.single(7))).only(), std::nullopt);
}

// The runs of a warp's lanes over a million inputs, each a million sets further on, and the rounds that join them.
TEST(Provenance, ALongRunIsKept) {
    constexpr std::size_t kInputs = 1u << 20;
    Provenances sets(kInputs);
    std::vector<Id> lanes(32);
    for (std::size_t i = 0; i < kInputs; ++i) lanes[i % 32] = sets.join(lanes[i % 32], sets.single(i));
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        const std::vector<Id> before = lanes;
        for (unsigned lane = 0; lane < 32; ++lane) lanes[lane] = sets.join(before[lane], before[lane ^ offset]);
    }
    ASSERT_FALSE(sets.over_budget());
    for (const Id lane : lanes) EXPECT_EQ(lane, lanes[0]);
    EXPECT_EQ(sets.at(lanes[0]).count(), kInputs);
    EXPECT_FALSE(sets.at(lanes[0]).counted_twice());
}

TEST(Provenance, MoreThanCanBeDistinguished) {
    Provenances sets(~std::size_t{0});
    const Id last = sets.single((std::size_t{1} << 31) - 1);
    EXPECT_EQ(sets.at(sets.join(last, sets.single(0))).count(), 2u);
    EXPECT_TRUE(sets.at(sets.join(last, sets.single(0))).holds((std::size_t{1} << 31) - 1));
    EXPECT_FALSE(sets.over_budget());
    EXPECT_EQ(sets.single(std::size_t{1} << 31), Provenances::kNothing);
    EXPECT_TRUE(sets.over_budget());
}

}  // namespace
}  // namespace lanewise::steps
