#include <algorithm>
#include <cstring>
#include <set>

#include "common/lesson/lesson.testing.hpp"
#include "common/steps/steps.hpp"

namespace {

using namespace lanewise;
using namespace lanewise::lesson::testing;

// The variant's default run with all eight blocks recorded.
launch::Outcome run_recorded(const std::string& variant, const std::string& order = "ascending") {
    launch::Request request;
    request.record = true;
    request.blocks = {0, 1, 2, 3, 4, 5, 6, 7};
    request.order = launch::Order::parse(order);
    return emu::make_emulator()->run(plan_of(variant, inputs_of(variant)), kernels(), request);
}

std::uint32_t bits_of(const std::string& variant, const std::string& order) {
    const auto plan = plan_of(variant, inputs_of(variant));
    return buffer<std::uint32_t>(plan, run(plan, order), "out").at(0);
}

float as_float(std::uint64_t bits) {
    const auto word = static_cast<std::uint32_t>(bits);
    float value = 0;
    std::memcpy(&value, &word, sizeof value);
    return value;
}

struct Addition {
    float found = 0, gave = 0;
};

// Every lane's atomic to `array`.
std::vector<Addition> additions_to(const trace::Trace& trace, const std::string& array) {
    std::vector<Addition> additions;
    for (const auto& record : trace.records) {
        if (record.op != trace::Op::atomic_add || trace.arrays.at(record.array).name != array) continue;
        for (int lane = 0; lane < trace::kWarpSize; ++lane)
            if (record.active >> lane & 1u)
                additions.push_back({as_float(record.received[lane]), as_float(record.value[lane][0])});
    }
    return additions;
}

const char* const kOrders[] = {"ascending", "descending", "1", "2", "3", "4", "5", "6"};

// Whatever the order, each block finds what the one before it left: no addition is lost and none is split.
TEST(Atomic, EachBlockFindsWhatAnotherLeft) {
    const auto plan = plan_of("atomic_tree", inputs_of("atomic_tree"));
    for (const char* order : kOrders) {
        const auto outcome = run_recorded("atomic_tree", order);
        auto additions = additions_to(*outcome.trace, "out");
        ASSERT_EQ(additions.size(), 8u) << order;
        float total = 0;
        while (!additions.empty()) {
            const auto next = std::find_if(additions.begin(), additions.end(),
                                           [&](const Addition& addition) { return addition.found == total; });
            ASSERT_NE(next, additions.end()) << order << ": no block found " << total;
            total += next->gave;
            additions.erase(next);
        }
        EXPECT_EQ(buffer(plan, outcome, "out").at(0), total) << order;
    }
}

TEST(Atomic, TheOrderOfBlocksChangesTheLastBits) {
    for (const char* variant : {"atomic_tree", "atomic_each"}) {
        std::set<std::uint32_t> totals;
        for (const char* order : kOrders) totals.insert(bits_of(variant, order));
        EXPECT_GE(totals.size(), 2u) << variant;
        // Neighbours among the floats, or nearly.
        EXPECT_LE(*totals.rbegin() - *totals.begin(), 64u) << variant;
    }
    // Whole numbers below 2^24 are not rounded, so here every order gives the same.
    for (const char* order : kOrders) EXPECT_EQ(as_float(bits_of("atomic_shared", order)), 524800) << order;
}

// What each block gives is the same in every order: only the joining differs.
TEST(Atomic, TheBlocksOwnSumsDoNotDependOnTheOrder) {
    const auto gave = [](const char* order) {
        std::multiset<float> values;
        const auto outcome = run_recorded("atomic_tree", order);
        for (const auto& addition : additions_to(*outcome.trace, "out")) values.insert(addition.gave);
        return values;
    };
    EXPECT_EQ(gave("ascending"), gave("descending"));
    EXPECT_EQ(gave("ascending"), gave("3"));
}

TEST(Atomic, AtomicsThatABlockMakes) {
    const auto counts = [](const char* variant) {
        const auto outcome = run_recorded(variant);
        return steps::build_steps(*outcome.trace).steps.back().counters.at(0);
    };
    EXPECT_EQ(counts("atomic_tree").atomics, 1u);
    EXPECT_EQ(counts("atomic_tree").block_barriers, 8u);
    EXPECT_EQ(counts("atomic_each").atomics, 128u);
    EXPECT_EQ(counts("atomic_each").block_barriers, 0u);
    EXPECT_EQ(counts("atomic_shared").atomics, 128u + 1u);
    EXPECT_EQ(counts("atomic_shared").block_barriers, 2u);
}

TEST(Atomic, AddsToOneWordInEachSpace) {
    const auto outcome = run_recorded("atomic_shared");
    EXPECT_EQ(additions_to(*outcome.trace, "out").size(), 8u);
    EXPECT_EQ(additions_to(*outcome.trace, "block_sum").size(), 1024u);
    EXPECT_EQ(additions_to(*run_recorded("atomic_each").trace, "out").size(), 1024u);
}

}  // namespace
