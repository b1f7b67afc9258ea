// The jump from stack to stack, without an emulator around it.
#include "common/emu/fiber.hpp"

#include <array>
#include <cstddef>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include "common/emu/stacks.hpp"

namespace lanewise::emu {
namespace {

constexpr int kFibers = 5, kRounds = 100;

// Fibers that continue one after the other, each to the next and the last to the host.
struct Ring {
    struct Lane {
        Ring* ring;
        int number;
    };
    Fiber host;
    std::array<Fiber, kFibers> fibers;
    std::array<Lane, kFibers> lanes{};
    StackPool stacks{kFibers};
    std::string order;
    std::array<double, kFibers> sums{};

    static void run(void* argument) {
        const Lane lane = *static_cast<const Lane*>(argument);
        Ring& ring = *lane.ring;
        const auto self = static_cast<std::size_t>(lane.number);
        arrived(ring.fibers[self]);
        // Values on the stack and in registers, whole and floating, that a jump must keep.
        std::array<int, kRounds> seen{};
        double sum = 0;
        for (int round = 0;; ++round) {
            if (round < 2) ring.order += static_cast<char>('a' + lane.number);
            seen[static_cast<std::size_t>(round % kRounds)] = round;
            sum += round + lane.number / 8.0;
            ring.sums[self] = std::accumulate(seen.begin(), seen.end(), 0.0) + sum;
            jump(ring.fibers[self], self + 1 < kFibers ? ring.fibers[self + 1] : ring.host);
        }
    }

    Ring() {
        adopt(host);
        for (std::size_t i = 0; i < kFibers; ++i) {
            lanes[i] = {this, static_cast<int>(i)};
            prepare(fibers[i], stacks.bottom(i), stacks.top(i), run, &lanes[i]);
        }
    }
};

TEST(Fiber, GoesOnWhereItStoppedWithAllThatItHeld) {
    Ring ring;
    for (int round = 0; round < kRounds; ++round) jump(ring.host, ring.fibers[0]);
    EXPECT_EQ(ring.order, "abcdeabcde");
    // 0 + 1 + … + 99 twice, and a hundred times an eighth of the lane's number.
    for (std::size_t i = 0; i < kFibers; ++i)
        EXPECT_EQ(ring.sums[i], 2 * 4950 + 12.5 * static_cast<double>(i)) << "fiber " << i;
}

}  // namespace
}  // namespace lanewise::emu
