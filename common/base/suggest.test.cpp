#include "common/base/suggest.hpp"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

const std::vector<std::string> kNames = {"n", "time", "error", "warp_sum_xor", "warp_sum_down"};

TEST(Suggest, FindsWhatWasMeant) {
    EXPECT_EQ(nearest("tme", kNames), "time");
    EXPECT_EQ(nearest("sum_down", kNames), "warp_sum_down");
    EXPECT_EQ(nearest("warp_sum_xro", kNames), "warp_sum_xor");
    EXPECT_EQ(nearest("WARP_SUM_XOR", kNames), "warp_sum_xor");
    EXPECT_EQ(nearest("Time", kNames), "time");
}

TEST(Suggest, IsSilentWhereNothingIsShared) {
    EXPECT_EQ(nearest("", kNames), "");
    EXPECT_EQ(nearest("x", kNames), "");
    EXPECT_EQ(nearest("qq", kNames), "");
    EXPECT_EQ(nearest("qqqqqqqq", kNames), "");
}

}  // namespace
}  // namespace lanewise
