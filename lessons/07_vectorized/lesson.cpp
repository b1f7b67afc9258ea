#include "common/lesson/lesson.hpp"
#include "lessons/07_vectorized/case.hpp"

namespace {

using lanewise::launch::Plan;
using lanewise::lesson::Inputs;
using lanewise::lesson::Variant;

// Not a multiple of 4, so that values are left when the last whole float4 is taken.
constexpr std::uint64_t kDefaultN = 4059;
constexpr std::uint64_t kTimedN = std::uint64_t{1} << 24;
const char* const kBaseline = "CUB DeviceReduce::Sum";

Variant runs(const char* name, const char* title, const char* summary, const char* kernel, int first,
             const char* compared_with) {
    return {.name = name,
            .title = title,
            .summary = summary,
            .n = kDefaultN,
            .block = 128,
            .plan = [=](Plan& plan, const Inputs& inputs) { vectorized::plan_runs(plan, inputs, kernel, first); },
            .compared_with = compared_with,
            .timed_n = kTimedN,
            .baseline = kBaseline};
}

// The same loop, unrolled otherwise: timed, and not among the tabs, since each step is the same.
Variant unrolled(const char* name, const char* title, const char* summary) {
    Variant variant = runs(name, title, summary, name, 0, "grid_stride_f32");
    variant.tab = false;
    return variant;
}

Variant one_turn(const char* name, const char* title, const char* summary, std::uint32_t per_thread,
                 const char* compared_with) {
    return {
        .name = name,
        .title = title,
        .summary = summary,
        .n = kDefaultN,
        .block = 128,
        .plan = [=](Plan& plan, const Inputs& inputs) { vectorized::plan_one_turn(plan, inputs, name, per_thread); },
        .compared_with = compared_with,
        .timed_n = kTimedN,
        .baseline = kBaseline,
        .tab = false};
}

}  // namespace

LESSON(vectorized) {
    lesson.title("Vectorized loads");
    lesson.add(runs("grid_stride_f32", "f32", "the previous lesson: 4 bytes a lane, 4 sectors a request",
                    "grid_stride_f32", 0, ""));
    lesson.add(runs("grid_stride_f32x2", "f32x2", "8 bytes a lane, 8 sectors a request", "grid_stride_f32x2", 0,
                    "grid_stride_f32"));
    lesson.add(runs("grid_stride_f32x4", "f32x4", "16 bytes a lane, 16 sectors a request", "grid_stride_f32x4", 0,
                    "grid_stride_f32"));
    lesson.add(runs("f32_offset_one", "f32, from 1", "the values begin at in[1]: 5 sectors a request",
                    "grid_stride_f32", 1, "grid_stride_f32"));
    lesson.add(runs("f32x4_offset_one", "f32x4, from 1", "the values begin at in[1]: three by themselves, then float4",
                    "grid_stride_f32x4", 1, "grid_stride_f32x4"));
    lesson.add(unrolled("grid_stride_f32_unroll_1", "unroll 1", "f32, #pragma unroll 1: 1 load in flight a thread"));
    lesson.add(unrolled("grid_stride_f32_unroll_4", "unroll 4", "f32, #pragma unroll 4: 4 loads in flight a thread"));
    Variant f32x4 = unrolled("grid_stride_f32x4_unroll_1", "f32x4, unroll 1",
                             "f32x4, #pragma unroll 1: 1 load of 16 bytes in flight a thread");
    f32x4.compared_with = "grid_stride_f32x4";
    lesson.add(f32x4);
    lesson.add(one_turn("one_value_f32", "one value", "one value a thread, one atomic for each block's values", 1, ""));
    lesson.add(one_turn("one_pack_f32x4", "one pack", "one float4 a thread, a quarter of the threads, as many atomics",
                        4, "one_value_f32"));
    lesson.main("grid_stride_f32x4");
}
