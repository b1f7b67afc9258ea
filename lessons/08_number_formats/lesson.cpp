#include "common/lesson/lesson.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "lessons/08_number_formats/case.hpp"

namespace {

using lanewise::Element;
using lanewise::launch::Plan;
using lanewise::lesson::Inputs;
using lanewise::lesson::Variant;
using namespace number_formats;

// One block for all kernels, however many values a load brings: 512 values by 512 threads down to one warp.
constexpr std::uint32_t kBlock = 512;
// A run of one block is one warp's, so that it is long; beyond so many values it has a full block's threads, or one
// launch would take a good part of a second.
constexpr std::uint64_t kMostOfOneWarp = std::uint64_t{1} << 20;
// Streams have small blocks to look at and large ones to time.
constexpr std::uint64_t kFewOfStream = std::uint64_t{1} << 16;
const char* const kBaseline = "CUB DeviceReduce::Sum";

// The tour; the others are at --variant's call.
constexpr const char* kTabs[] = {"f32_f32",        "f16_f16",   "f16x2_f32",    "f16x2_f32_widened",
                                 "f16x8_pack_f16", "bf16_bf16", "bf16x1_bf16",  "fp8_e4m3x16_pack_f16",
                                 "i8x16_pack_i32"};

bool is_tab(const Kernel& kernel) {
    return std::any_of(std::begin(kTabs), std::end(kTabs),
                       [&](const char* name) { return std::string(name) == kernel.name; });
}

Variant total(const Kernel& kernel) {
    // A run in bf16 stops growing after 256 values of one size: 8192 over a warp.
    const bool long_runs = kernel.runs && kernel.in != Element::f32 && !kernel.streams();
    const auto threads_of_stream = [](std::uint64_t n) { return n > kFewOfStream ? 512u : 128u; };
    const auto threads_of_run = [](std::uint64_t n) { return n > kMostOfOneWarp ? 1024u : 32u; };
    return {.name = kernel.full_name(),
            .title = kernel.title,
            .summary = kernel.summary,
            .n = kernel.streams() ? 4096u : long_runs ? 8320u : 512u,
            .block = kernel.streams() ? 128u : long_runs ? 32u : kBlock,
            .block_for = kernel.streams() ? std::function<std::uint32_t(std::uint64_t)>(threads_of_stream)
                         : long_runs      ? std::function<std::uint32_t(std::uint64_t)>(threads_of_run)
                                          : nullptr,
            .input = long_runs ? "small" : "random",
            .plan = [kernel](Plan& plan, const Inputs& inputs) {
                plan_total(plan, kernel, values_of(inputs, kernel.in), inputs.block, inputs.offset);
            },
            .compared_with = *kernel.against ? std::string("block_all_reduce_sum_") + kernel.against : "",
            .timed_n = std::uint64_t{1} << (kernel.streams() ? 26 : long_runs ? 17 : 20),
            .baseline = kBaseline,
            .offsets = true,
            .tab = is_tab(kernel)};
}

Variant warp(const std::string& name, const char* summary, Element element, Element accumulator,
             const char* compared_with) {
    return {.name = "warp_reduce_sum_" + name,
            .title = name,
            .summary = summary,
            .input = "random",
            .plan = [=](Plan& plan, const Inputs& inputs) { plan_warps(plan, inputs, name, element, accumulator); },
            .compared_with = compared_with,
            .offsets = true,
            .tab = false};
}

Variant block(const char* name, const char* title, const char* summary, bool largest_value) {
    return {.name = name,
            .title = title,
            .summary = summary,
            .n = 512,
            .block = 256,
            .input = "random",
            .plan = [=](Plan& plan, const Inputs& inputs) {
                plan_block(plan, values_of(inputs, Element::f32), inputs.block, inputs.offset, largest_value);
            },
            .baseline = largest_value ? "CUB DeviceReduce::Max" : kBaseline,
            .offsets = true,
            .tab = false};
}

}  // namespace

LESSON(number_formats) {
    lesson.title("Number formats");
    for (const Kernel& kernel : kKernels) lesson.add(total(kernel));
    lesson.add(warp("f32", "a warp's sum in f32", f32, f32, ""));
    lesson.add(warp("f16", "a warp's sum in f16", f16, f16, "warp_reduce_sum_f32"));
    lesson.add(warp("bf16", "a warp's sum in bf16", bf16, bf16, "warp_reduce_sum_f16"));
    lesson.add(warp("fp8_e4m3_f16", "a warp's sum of e4m3 values, in f16", e4m3, f16, "warp_reduce_sum_f16"));
    lesson.add(warp("fp8_e5m2_f16", "a warp's sum of e5m2 values, in f16", e5m2, f16, "warp_reduce_sum_f16"));
    lesson.add(warp("i8_i32", "a warp's sum of int8 values, in int", i8, i32, "warp_reduce_sum_i32_i32"));
    lesson.add(warp("i32_i32", "a warp's sum of ints", i32, i32, "warp_reduce_sum_f32"));
    lesson.add(block("block_reduce_sum_f32", "block sum", "every thread ends with its block's sum", false));
    lesson.add(block("block_reduce_max_f32", "block max", "every thread ends with its block's largest value", true));
    lesson.main("block_all_reduce_sum_f32x4_runs_f32");
}
