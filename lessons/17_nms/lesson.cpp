#include "common/lesson/lesson.hpp"
#include "lessons/17_nms/case.hpp"

namespace {

using namespace nms_lesson;
using lanewise::lesson::PlanBuilder;
using lanewise::lesson::Variant;

// `rows`: blocks that are recorded; with two warps of rows a block, all rows of 48 boxes. The tiles of 96 boxes take
// two.
Variant nms(const char* name, const char* title, const char* summary, std::uint64_t n, std::uint64_t most,
            PlanBuilder plan, const char* compared_with, std::uint32_t rows = 24) {
    return {.name = name,
            .title = title,
            .summary = summary,
            .n = n,
            .block = 64,
            .input = "random",
            .plan = std::move(plan),
            .compared_with = compared_with,
            .timed_n = most,
            .recorded_blocks = rows,
            .most_n = most};
}

}  // namespace

LESSON(nms) {
    lesson.title("Non-maximum suppression");
    Variant wrong = nms("racing", "one kernel", "every thread suppresses what its box overlaps, at once: a race", 48,
                        kMostOfAWarp, plan_racing, "");
    wrong.declared_wrong = "a thread reads whether its box is kept while others write it";
    lesson.add(std::move(wrong));
    lesson.add(nms("bit_mask", "bit mask", "all pairs by ballots, then one warp takes the rows in order", 48,
                   kMostOfAWarp, plan_mask, "racing"));
    Variant chain = nms("chain", "a chain", "bit_mask over six boxes, each of which overlaps the next", 6, kMostOfAWarp,
                        plan_mask, "bit_mask");
    chain.input = "ramp";
    lesson.add(std::move(chain));
    lesson.add(nms(
        "tiles", "tiles", "half of the pairs, in 64-bit masks; only the rows of kept boxes are read", 96, kMostBoxes,
        [](Plan& plan, const Inputs& inputs) { plan_tiles(plan, inputs, false); }, "bit_mask", 2));
    lesson.add(nms(
        "tiles_by_class", "by class", "only boxes of one class suppress each other", 96, kMostBoxes,
        [](Plan& plan, const Inputs& inputs) { plan_tiles(plan, inputs, true); }, "tiles", 2));
}
