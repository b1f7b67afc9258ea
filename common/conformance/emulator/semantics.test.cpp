// What the emulator means by a GPU, where it could easily mean something else.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "common/base/element.hpp"
#include "common/base/error.hpp"
#include "common/conformance/emulator/run_case.hpp"
#include "common/emu/machine.hpp"

namespace lanewise::emu {
namespace {

using testing::bytes_as;
using testing::kOrders;
using testing::run;

TEST(Semantics, TheOrderOfLanesHoldsAfterEachCollective) {
    for (const bool record : {false, true}) {
        launch::Plan plan;
        const auto out = plan.output<int>("out", 96);
        plan.launch("order_of_lanes", "", {1}, {32}, out);
        std::vector<int> ascending(96), descending(96);
        for (int i = 0; i < 96; ++i) {
            ascending[i] = i % 32;
            descending[i] = 31 - i % 32;
        }
        EXPECT_EQ(bytes_as<int>(run(plan, kOrders[0], record).buffers[0]), ascending);
        EXPECT_EQ(bytes_as<int>(run(plan, kOrders[1], record).buffers[0]), descending);
        const auto seeded = bytes_as<int>(run(plan, kOrders[2], record).buffers[0]);
        EXPECT_TRUE(std::equal(seeded.begin(), seeded.begin() + 32, seeded.begin() + 32));
        EXPECT_TRUE(std::equal(seeded.begin(), seeded.begin() + 32, seeded.begin() + 64));
    }
}

TEST(Semantics, AFloatAndAnIntGoThroughOneShuffle) {
    for (const bool record : {false, true}) {
        launch::Plan plan;
        const auto out = plan.output<int>("out", 32);
        plan.launch("one_shuffle_of_two_types", "", {1}, {32}, out);
        const auto outcome = run(plan, kOrders[0], record);
        EXPECT_TRUE(outcome.findings.empty());
        const auto values = bytes_as<int>(outcome.buffers[0]);
        for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(values[lane], lane ^ 16);
    }
}

TEST(Semantics, DeviceVariablesBeginAnewWithEachPlan) {
    for (int again = 0; again < 2; ++again)
        for (const bool record : {false, true}) {
            launch::Plan plan;
            const auto out = plan.output<int>("out", 3);
            plan.launch("counts_visits", "", {1}, {1}, out);
            EXPECT_EQ(bytes_as<int>(run(plan, kOrders[0], record).buffers[0]), (std::vector<int>{6, 1, 8}));
            plan.launch("counts_visits", "", {1}, {1}, out);
            EXPECT_EQ(bytes_as<int>(run(plan, kOrders[0], record).buffers[0]), (std::vector<int>{7, 2, 9}));
        }
}

TEST(Semantics, NoBlockFindsInSharedMemoryWhatAnotherLeft) {
    for (const bool record : {false, true}) {
        launch::Plan plan;
        const auto out = plan.output<std::uint32_t>("out", 3 * 64);
        launch::Block block{32};
        block.dynamic_shared_bytes = 128;
        plan.launch("reads_shared", "", {3}, block, out);
        for (const std::uint32_t value : bytes_as<std::uint32_t>(run(plan, kOrders[0], record).buffers[0]))
            EXPECT_EQ(value, kPoison32);
    }
}

TEST(Semantics, SharedMemoryHasTheLimitsOfAGpu) {
    const auto kinds = [](const char* bytes, std::uint32_t dynamic) {
        launch::Plan plan;
        const auto out = plan.output<int>("out", 32);
        launch::Block block{32};
        block.dynamic_shared_bytes = dynamic;
        plan.launch("needs_shared", bytes, {1}, block, out);
        std::vector<std::string> all;
        for (const auto& finding : run(plan, kOrders[0]).findings) all.push_back(finding.kind);
        return all;
    };
    EXPECT_EQ(kinds("49152", 0), std::vector<std::string>{});
    EXPECT_EQ(kinds("49153", 0), std::vector<std::string>{"too_much_shared"});
    EXPECT_EQ(kinds("49152", 227 * 1024 - 49152), std::vector<std::string>{});
    EXPECT_EQ(kinds("49152", 227 * 1024 - 49151), std::vector<std::string>{"too_much_shared"});
    EXPECT_THROW(kinds("49152", 227 * 1024 + 1), Error);
}

TEST(Semantics, PoisonIsNotANumberInEveryFormat) {
    std::uint8_t memory[19];
    poison(memory, sizeof memory);
    const auto bits = [&](std::size_t at, std::size_t bytes) {
        std::uint64_t value = 0;
        std::memcpy(&value, memory + at, bytes);
        return value;
    };
    for (const Element element :
         {Element::f16, Element::bf16, Element::f32, Element::f64, Element::e4m3, Element::e5m2}) {
        const auto size = static_cast<std::size_t>(element_size(element));
        for (std::size_t at = 0; at + size <= sizeof memory; at += size)
            EXPECT_TRUE(std::isnan(element_to_double(element, bits(at, size)))) << element_name(element) << " " << at;
    }
    EXPECT_EQ(bits(4, 4), kPoison32);
    EXPECT_EQ(bits(8, 8), kPoison64);
}

}  // namespace
}  // namespace lanewise::emu
