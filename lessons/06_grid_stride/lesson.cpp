#include "common/lesson/lesson.hpp"
#include "lessons/06_grid_stride/case.hpp"

namespace {

using lanewise::launch::Plan;
using lanewise::lesson::Inputs;
using lanewise::lesson::Variant;

// Not a multiple of the stride, so that the last turn of the loop is one for some lanes only.
constexpr std::uint64_t kDefaultN = 4059;

using Planner = void (*)(Plan&, const Inputs&, const std::string&);

Variant sum(const char* name, const char* title, const char* summary, Planner planner, const char* compared_with) {
    return {.name = name,
            .title = title,
            .summary = summary,
            .n = kDefaultN,
            .block = 128,
            .plan = [=](Plan& plan, const Inputs& inputs) { planner(plan, inputs, name); },
            .compared_with = compared_with,
            .timed_n = std::uint64_t{1} << 24,
            .baseline = "CUB DeviceReduce::Sum"};
}

}  // namespace

LESSON(grid_stride) {
    using grid_stride::plan_one_value, grid_stride::plan_runs;
    lesson.title("Grid stride");
    lesson.add(
        sum("tree_one_value", "one value", "the previous lesson: one value a thread, then a tree", plan_one_value, ""));
    lesson.add(sum("grid_stride_tree", "grid stride", "every stride-th value a thread, then the same tree", plan_runs,
                   "tree_one_value"));
    lesson.add(sum("grid_stride_shuffle", "then shuffles", "the same loop, then two levels of shuffles", plan_runs,
                   "grid_stride_tree"));
    lesson.add(sum("contiguous_runs", "contiguous", "a contiguous run a thread: 32 sectors a request", plan_runs,
                   "grid_stride_shuffle"));
    lesson.main("grid_stride_shuffle");
}
