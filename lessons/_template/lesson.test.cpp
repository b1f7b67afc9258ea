// What is special to this lesson. What must hold of every lesson (right for any size and order, the same trace on the
// GPU and the emulator) is tested by lessons/every_lesson.test.cpp.
#include "common/lesson/lesson.testing.hpp"

namespace {

using namespace lanewise::lesson::testing;

TEST(SliceSum, IsTheWellKnownTotal) {
    const auto plan = plan_of("slice_sum", inputs_of("slice_sum"));
    EXPECT_EQ(buffer(plan, run(plan), "out"), std::vector<float>{496});
}

}  // namespace
