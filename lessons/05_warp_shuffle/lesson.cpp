#include "common/lesson/lesson.hpp"
#include "lessons/05_warp_shuffle/case.hpp"

namespace {

using namespace warp_shuffle;
using lanewise::lesson::PlanBuilder;
using lanewise::lesson::Variant;

const char* const kBaselines[] = {"CUB DeviceReduce::Sum", "CUB DeviceReduce::Max", "CUB DeviceReduce::Min"};

// A warp reduction over 32 lanes holding 0 to 31.
Variant warp(const char* name, const char* title, const char* summary, Direction direction, Join join,
             const char* compared_with) {
    return {.name = name,
            .title = title,
            .summary = summary,
            .plan = [=](Plan& plan, const Inputs& inputs) { plan_warp(plan, inputs, name, direction, join); },
            .compared_with = compared_with,
            .baseline = kBaselines[static_cast<int>(join)],
            .tab = join == Join::sum};
}

// The xor sum whose first mask the kernel learns at run time.
Variant run_time_mask(const char* name, const char* title, const char* summary) {
    return {.name = name,
            .title = title,
            .summary = summary,
            .plan =
                [=](Plan& plan, const Inputs& inputs) {
                    plan_warp(plan, inputs, name, Direction::xor_, Join::sum, static_cast<int>(inputs.block / 2));
                },
            .compared_with = "warp_sum_xor",
            .baseline = kBaselines[0],
            .tab = false};
}

// The same kernel over 8 lanes holding 1 to 8: small enough to do on paper.
Variant eight_lanes(Variant variant) {
    variant.compared_with = variant.name;
    variant.name += "_8";
    variant.title += " · 8";
    variant.summary += ", 8 lanes";
    variant.n = variant.block = 8;
    variant.input = "ramp1";
    variant.tab = false;
    return variant;
}

// A block sum over two blocks of 256; in teaching warps, over two of as many warps as a warp has lanes.
Variant block(const char* name, const char* title, const char* summary, const char* compared_with,
              bool every_thread = false) {
    return {.name = name,
            .title = title,
            .summary = summary,
            .n = 512,
            .block = 256,
            .block_in_warps_of = [](std::uint32_t warp) { return warp * warp; },
            .plan = [=](Plan& plan, const Inputs& inputs) { plan_block(plan, inputs, name, every_thread); },
            .compared_with = compared_with,
            .baseline = kBaselines[0]};
}

constexpr int kBroadcastSource = 5;

}  // namespace

LESSON(warp_shuffle) {
    const Variant down = warp("warp_sum_down", "down", "lane 0 ends with the sum", Direction::down, Join::sum, "");
    const Variant xor_ =
        warp("warp_sum_xor", "xor", "every lane ends with the sum", Direction::xor_, Join::sum, "warp_sum_down");
    const Variant up =
        warp("warp_sum_up", "up", "the last lane ends with the sum", Direction::up, Join::sum, "warp_sum_down");

    lesson.title("Warp shuffle");
    lesson.add(xor_).add(down).add(up);
    lesson.add({.name = "warp_broadcast",
                .title = "idx",
                .summary = "every lane ends with what lane 5 held",
                .plan = [](Plan& plan, const Inputs& inputs) { plan_broadcast(plan, inputs, kBroadcastSource); }});
    lesson.add(eight_lanes(xor_)).add(eight_lanes(down)).add(eight_lanes(up));
    lesson.add(run_time_mask("warp_sum_xor_rolled", "rolled", "warp_sum_xor with the loop not unrolled"));
    lesson.add(run_time_mask("warp_sum_xor_pragma", "pragma unroll", "rolled, with #pragma unroll: 32 rounds"));
    lesson.add(
        warp("warp_max_down", "max down", "lane 0 ends with the largest", Direction::down, Join::max, "warp_sum_down"));
    lesson.add(warp("warp_max_xor", "max xor", "every lane ends with the largest", Direction::xor_, Join::max,
                    "warp_sum_xor"));
    lesson.add(
        warp("warp_max_up", "max up", "the last lane ends with the largest", Direction::up, Join::max, "warp_sum_up"));
    lesson.add(warp("warp_min_down", "min down", "lane 0 ends with the smallest", Direction::down, Join::min,
                    "warp_sum_down"));
    lesson.add(warp("warp_min_xor", "min xor", "every lane ends with the smallest", Direction::xor_, Join::min,
                    "warp_sum_xor"));
    lesson.add(
        warp("warp_min_up", "min up", "the last lane ends with the smallest", Direction::up, Join::min, "warp_sum_up"));
    lesson.add(block("block_sum_shared", "shared tree", "the previous lesson: a tree in shared memory", ""));
    lesson.add(block("block_sum_tree_shuffle", "tree + shuffle", "the tree's last 32 values added by shuffles",
                     "block_sum_shared"));
    lesson.add(
        block("block_sum_two_level", "two-level", "every warp first, then the warp sums", "block_sum_tree_shuffle"));
    Variant broadcast =
        block("block_sum_two_level_broadcast", "two-level, broadcast",
              "as two_level in every warp, then lane 0 broadcasts the sum", "block_sum_two_level", true);
    broadcast.tab = false;
    lesson.add(broadcast);
    lesson.add(block("block_sum_every_warp", "every warp", "every warp adds all warp sums: every thread holds the sum",
                     "block_sum_two_level", true));
    Variant library = block("block_sum_library", "library", "two levels, each by cooperative_groups::reduce",
                            "block_sum_two_level");
    library.tab = false;
    lesson.add(library);
    lesson.main("block_sum_two_level");
}
