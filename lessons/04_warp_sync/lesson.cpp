#include "common/lesson/lesson.hpp"
#include "lessons/04_warp_sync/case.hpp"

namespace {

using lanewise::launch::Plan;
using lanewise::lesson::Inputs;
using lanewise::lesson::Variant;

// A block sum over two blocks of 128.
Variant block(const char* name, const char* title, const char* summary, const char* compared_with) {
    return {.name = name,
            .title = title,
            .summary = summary,
            .n = 256,
            .block = 128,
            .plan = [=](Plan& plan, const Inputs& inputs) { warp_sync::plan_block(plan, inputs, name); },
            .compared_with = compared_with,
            .baseline = "CUB DeviceReduce::Sum"};
}

// One partial sum a block, without the atomic: timed, and not among the tabs.
Variant partial(const char* name, const char* title, const char* summary, const char* compared_with) {
    Variant variant = block(name, title, summary, compared_with);
    variant.plan = [=](Plan& plan, const Inputs& inputs) { warp_sync::plan_partials(plan, inputs, name); };
    variant.tab = false;
    return variant;
}

Variant wrong(Variant variant, const char* why) {
    variant.declared_wrong = why;
    variant.baseline = "";
    return variant;
}

}  // namespace

LESSON(warp_sync) {
    lesson.title("Warp sync");
    lesson.add(block("block_sum_barriers", "barriers", "the previous lesson: a block barrier after every round", ""));
    lesson.add(
        block("block_sum_warp_sync", "warp sync", "the last warp: read, sync, write, sync", "block_sum_barriers"));
    lesson.add(block("block_sum_warp_sync_halves", "halves", "the last warp: half of the lanes adds, one sync a round",
                     "block_sum_warp_sync"));
    Variant last_six = block("block_sum_last_six", "last six", "halves, with the round of offset 32 by warp 0 alone",
                             "block_sum_warp_sync_halves");
    last_six.tab = false;
    lesson.add(last_six);
    lesson.add(wrong(block("block_sum_write_after_read", "one sync", "the last warp: all lanes add, one sync a round",
                           "block_sum_warp_sync"),
                     "a lane may write its word before a lower lane has read it."));
    lesson.add(wrong(block("block_sum_no_warp_sync", "no sync", "the last warp: assumes lockstep",
                           "block_sum_warp_sync"),
                     "no barrier makes a lane wait for the words that other lanes write."));
    lesson.add(wrong(block("block_sum_no_barrier", "no barrier", "no barrier at all", "block_sum_barriers"),
                     "no barrier makes a thread wait for the words that other threads write."));
    lesson.add(wrong(block("block_sum_barrier_in_branch", "in a branch", "the barrier is inside the if",
                           "block_sum_warp_sync_halves"),
                     "the threads that skip the branch wait at another barrier, which CUDA leaves undefined."));
    lesson.add(partial("partial_barriers", "tree, partial sums", "barriers without the atomic: one sum a block",
                       "block_sum_barriers"));
    lesson.add(partial("partial_last_five", "last five, partial sums", "the last five rounds by warp 0, no atomic",
                       "partial_barriers"));
    lesson.add(partial("partial_last_six", "last six, partial sums", "the last six rounds by warp 0, no atomic",
                       "partial_last_five"));
    lesson.add(partial("partial_tree_shuffle", "shuffles, partial sums", "the last five rounds by shuffles, no atomic",
                       "partial_last_five"));
    lesson.add(partial("partial_two_level", "two-level, partial sums",
                       "shuffles in every warp, then in warp 0, no atomic", "partial_tree_shuffle"));
    lesson.main("block_sum_warp_sync_halves");
}
