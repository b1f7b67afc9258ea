#include "common/lesson/lesson.hpp"
#include "lessons/16_add_rms_norm/case.hpp"

namespace {

using namespace add_rms_norm_lesson;
using lanewise::lesson::PlanBuilder;
using lanewise::lesson::Variant;

// Two rows of 256 values, a pack of four for each thread of a block.
Variant rows(const char* name, const char* title, const char* summary, PlanBuilder plan, const char* compared_with) {
    return {.name = name,
            .title = title,
            .summary = summary,
            .n = 512,
            .block = 64,
            .block_for = [](std::uint64_t n) { return n >= (1u << 20) ? 256u : 64u; },
            .input = "random",
            .plan = std::move(plan),
            .compared_with = compared_with,
            .timed_n = std::uint64_t{1} << 24};
}

}  // namespace

LESSON(add_rms_norm) {
    lesson.title("Add, then RMS norm");
    lesson.add(rows("add_then_norm", "two kernels", "an addition, then a norm that reads its sum twice",
                    plan_two_kernels, ""));
    lesson.add(
        rows("fused_read_again", "fused", "one kernel; the row is read again for y", plan_read_again, "add_then_norm"));
    lesson.add(rows(
        "fused_in_registers", "in registers", "one kernel; 16 bytes a load, nothing read twice",
        [](Plan& plan, const Inputs& inputs) { plan_in_registers(plan, inputs, Element::f32); }, "fused_read_again"));
    lesson.add(rows("fused_by_warp", "a warp a row", "one row a warp: no shared memory, no barrier", plan_by_warp,
                    "fused_in_registers"));
    lesson.add(rows("fused_by_element", "value by value", "any length, any address: the row is kept in shared memory",
                    plan_by_element, "fused_in_registers"));
    lesson.add(rows(
        "fused_in_place", "in place", "y takes the place of a, the sum that of b",
        [](Plan& plan, const Inputs& inputs) { plan_in_registers(plan, inputs, Element::f32, true); },
        "fused_in_registers"));
    lesson.add(rows(
        "fused_f16", "f16", "halves with a weight in float: half of the bytes",
        [](Plan& plan, const Inputs& inputs) { plan_in_registers(plan, inputs, Element::f16); }, "fused_in_registers"));
}
