// The derived copies of kernels in many styles compile, and compute what the file computes.
#include <gtest/gtest.h>

#include "common/annotate/testing/stub.hpp"

namespace original {
#include "common/annotate/testing/samples.cuh"
}
namespace traced {
#include "kernels.gpu_traced.cuh"
}
namespace emulated {
#include "kernels.emulated.cuh"
}

namespace {

template <class Function>
void expect_equal(Function plain, Function traced_copy, Function emulated_copy) {
    for (int lane = 0; lane < 32; ++lane)
        for (const float value : {0.0f, 1.5f, -7.0f, 100.0f}) {
            EXPECT_EQ(plain(value, lane), traced_copy(value, lane)) << "lane " << lane << ", value " << value;
            EXPECT_EQ(plain(value, lane), emulated_copy(value, lane)) << "lane " << lane << ", value " << value;
        }
}

TEST(Samples, ComputeTheSame) {
    expect_equal(original::braceless_loops, traced::braceless_loops, emulated::braceless_loops);
    expect_equal(original::conditional_scan, traced::conditional_scan, emulated::conditional_scan);
    expect_equal(original::three_v, traced::three_v, emulated::three_v);
    expect_equal(original::members, traced::members, emulated::members);
    expect_equal(original::text_and_numbers, traced::text_and_numbers, emulated::text_and_numbers);
}

TEST(Samples, ShowTheLinesOfTheOriginal) {
    lanewise_traced::shuffle_lines.clear();
    lanewise_traced::after_lines.clear();
    traced::three_v(1, 0);
    EXPECT_EQ(lanewise_traced::shuffle_lines, (std::vector<int>{46, 50, 52, 53}));
    EXPECT_EQ(lanewise_traced::after_lines, (std::vector<int>{46, 50, 52}));
}

}  // namespace
