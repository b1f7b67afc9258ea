#include "common/emu/stacks.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace lanewise::emu {
namespace {

TEST(StackPool, GivesStacksThatDoNotOverlap) {
    const StackPool stacks(4);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(stacks.top(i)) % 16, 0u);
        EXPECT_GT(static_cast<char*>(stacks.top(i)), static_cast<char*>(stacks.bottom(i)) + 32 * 1024);
        if (i > 0) {
            EXPECT_LE(static_cast<char*>(stacks.top(i - 1)), static_cast<char*>(stacks.bottom(i)));
        }
    }
}

// Whether the operating system would let a program read there.
bool can_be_read(const void* address) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return false;
    const bool read = write(ends[1], address, 1) == 1;
    const int reason = errno;
    close(ends[0]);
    close(ends[1]);
    EXPECT_TRUE(read || reason == EFAULT) << std::strerror(reason);
    return read;
}

// From the bottom of a stack to its top, which is not the end of a page, some bytes in each page.
std::vector<char*> places_of(const StackPool& stacks, std::size_t stack) {
    std::vector<char*> places;
    auto* const top = static_cast<char*>(stacks.top(stack));
    for (auto* at = static_cast<char*>(stacks.bottom(stack)); at < top; at += 1000) places.push_back(at);
    places.push_back(top - 1);
    return places;
}

TEST(StackPool, HoldsZerosAndKeepsItsGuardsWhenItIsCleared) {
    // A few pages of each stack, and all of them: what is done differs.
    for (const std::size_t deepest : {std::size_t{8}, std::size_t{100000}}) {
        StackPool stacks(40);
        const auto used = [&](std::size_t stack) {
            auto places = places_of(stacks, stack);
            if (places.size() > deepest)
                places.erase(places.begin(), places.end() - static_cast<std::ptrdiff_t>(deepest));
            return places;
        };
        for (std::size_t stack = 0; stack < stacks.size(); ++stack)
            for (char* place : used(stack)) *place = 'x';
        stacks.clear(39);
        for (std::size_t stack = 0; stack < 39; ++stack) {
            for (const char* place : used(stack)) ASSERT_EQ(*place, 0) << "stack " << stack;
            ASSERT_FALSE(can_be_read(static_cast<char*>(stacks.bottom(stack)) - 1)) << "guard of stack " << stack;
        }
        EXPECT_EQ(*used(39).back(), 'x');
        EXPECT_TRUE(can_be_read(used(39).back()));
    }
}

TEST(SpareStacks, AreGivenAgainWhereThereAreEnough) {
    SpareStacks spare;
    auto small = spare.take(4), large = spare.take(64);
    const void* const small_top = small->top(3);
    const void* const large_top = large->top(3);
    *(static_cast<char*>(small->top(3)) - 1) = 'x';
    spare.give_back(std::move(large), 64);
    spare.give_back(std::move(small), 4);
    const auto first = spare.take(3), second = spare.take(3), third = spare.take(3);
    EXPECT_EQ(first->top(3), small_top) << "the smallest that is large enough";
    EXPECT_EQ(*(static_cast<const char*>(first->top(3)) - 1), 0);
    EXPECT_EQ(second->top(3), large_top);
    EXPECT_EQ(third->size(), 3u);
    EXPECT_GE(spare.take(65)->size(), 65u);
}

// Of thousands not all are kept: they would hold memory for a run that never comes.
TEST(SpareStacks, AreNotKeptWithoutEnd) {
    SpareStacks spare;
    std::vector<std::unique_ptr<StackPool>> pools;
    for (int i = 0; i < 5; ++i) pools.push_back(spare.take(500));
    for (auto& pool : pools) spare.give_back(std::move(pool), 0);
    int large = 0;
    std::vector<std::unique_ptr<StackPool>> again;
    for (int i = 0; i < 5; ++i) {
        again.push_back(spare.take(1));
        large += again.back()->size() == 500;
    }
    EXPECT_EQ(large, 4);
}

TEST(SpareStacks, ServeAnyNumberOfThreads) {
    SpareStacks spare;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([&spare] {
            for (int turn = 0; turn < 200; ++turn) {
                auto pool = spare.take(2);
                auto* const place = static_cast<char*>(pool->top(1)) - 1;
                ASSERT_EQ(*place, 0);
                *place = 'x';
                spare.give_back(std::move(pool), 2);
            }
        });
    for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace lanewise::emu
