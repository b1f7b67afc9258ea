#include "common/trace/shuffle_rule.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace lanewise::trace {
namespace {

// Sources of the first lanes, as the CUDA documentation and a GPU have them.
void expect_sources(Op op, int arg, int width, int first, const std::vector<int>& sources) {
    for (std::size_t i = 0; i < sources.size(); ++i)
        EXPECT_EQ(source_lane(op, first + static_cast<int>(i), arg, width), sources[i])
            << op_name(op) << " " << arg << " width " << width << " lane " << first + static_cast<int>(i);
}

TEST(ShuffleRule, XorTable) {
    expect_sources(Op::shfl_xor, 2, 32, 0, {2, 3, 0, 1, 6, 7, 4, 5});
    expect_sources(Op::shfl_xor, 4, 32, 0, {4, 5, 6, 7, 0, 1, 2, 3});
    expect_sources(Op::shfl_xor, 5, 32, 0, {5, 4, 7, 6, 1, 0, 3, 2, 13, 12, 15, 14, 9, 8});
    expect_sources(Op::shfl_xor, 3, 32, 0, {3, 2, 1, 0, 7, 6, 5, 4});
    expect_sources(Op::shfl_xor, 7, 32, 0, {7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8});
    for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(source_lane(Op::shfl_xor, lane, 16, 32), (lane + 16) % 32);
}

TEST(ShuffleRule, XorReachesBackButNotForwardOutOfItsSegment) {
    expect_sources(Op::shfl_xor, 8, 8, 0, {0, 1, 2, 3, 4, 5, 6, 7});
    expect_sources(Op::shfl_xor, 8, 8, 8, {0, 1, 2, 3, 4, 5, 6, 7});
}

TEST(ShuffleRule, UpAndDownKeepAtTheEdge) {
    expect_sources(Op::shfl_up, 1, 32, 0, {0, 0, 1, 2, 3});
    expect_sources(Op::shfl_up, 4, 32, 0, {0, 1, 2, 3, 0, 1});
    expect_sources(Op::shfl_up, 2, 8, 8, {8, 9, 8, 9, 10});
    expect_sources(Op::shfl_down, 16, 32, 14, {30, 31, 16, 17, 18});
    expect_sources(Op::shfl_down, 1, 4, 0, {1, 2, 3, 3, 5, 6, 7, 7});
}

TEST(ShuffleRule, IdxWrapsInItsSegment) {
    for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(source_lane(Op::shfl_idx, lane, lane + 2, 32), (lane + 2) % 32);
    for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(source_lane(Op::shfl_idx, lane, 0, 16), lane < 16 ? 0 : 16);
    EXPECT_EQ(source_lane(Op::shfl_idx, 5, -1, 32), 31);
    EXPECT_EQ(source_lane(Op::shfl_idx, 13, 9, 8), 9);
}

TEST(ShuffleRule, OnlyTheLowFiveBitsCount) {
    EXPECT_EQ(source_lane(Op::shfl_down, 3, 32, 32), 3);
    EXPECT_EQ(source_lane(Op::shfl_xor, 3, 33, 32), 2);
}

// Totals that the trees over 0…31 are known for.
TEST(ShuffleRule, TreesOverTheLaneNumbers) {
    const auto tree = [](Op op, std::vector<int> args) {
        std::vector<int> values(32);
        for (int lane = 0; lane < 32; ++lane) values[static_cast<std::size_t>(lane)] = lane;
        for (const int arg : args) {
            const std::vector<int> before = values;
            for (int lane = 0; lane < 32; ++lane)
                values[static_cast<std::size_t>(lane)] +=
                    before[static_cast<std::size_t>(source_lane(op, lane, arg, 32))];
        }
        return values;
    };
    EXPECT_EQ(tree(Op::shfl_xor, {16, 8, 4, 2, 1}), std::vector<int>(32, 496));
    const std::vector<int> down = tree(Op::shfl_down, {16, 8, 4, 2, 1});
    for (int lane = 0; lane < 32; ++lane)
        EXPECT_EQ(down[static_cast<std::size_t>(lane)], lane == 0 ? 496 : 496 + 16 * lane);
    const std::vector<int> up = tree(Op::shfl_up, {16, 8, 4, 2, 1});
    for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(up[static_cast<std::size_t>(lane)], 16 * lane);
}

}  // namespace
}  // namespace lanewise::trace
