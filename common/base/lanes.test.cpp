#include "common/base/lanes.hpp"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

TEST(Lanes, AsText) {
    EXPECT_EQ(lane_list(0), "no lane");
    EXPECT_EQ(lane_list(1u << 5), "lane 5");
    EXPECT_EQ(lane_list(0xf05u), "lanes 0, 2, 8-11");
    EXPECT_EQ(lane_list(~0u), "lanes 0-31");
    EXPECT_EQ(lane_ranges(0x80000001u), "0, 31");
    EXPECT_EQ(lane_ranges(0), "none");
}

}  // namespace
}  // namespace lanewise
