#include "common/lesson/lesson.hpp"
#include "lessons/03_atomic/case.hpp"

namespace {

// Eight blocks, all of them recorded, so that their atomics on one word are seen. The sums of these eight, of random
// values with seed 1, round to one of three totals, depending on the order in which they are added.
constexpr std::uint64_t kValues = 1024;
constexpr std::uint32_t kThreads = 128, kBlocks = 8;

}  // namespace

LESSON(atomic) {
    lesson.title("Atomic");
    lesson.add({.name = "atomic_tree",
                .title = "tree + atomic",
                .summary = "a tree a block, then one atomicAdd of its sum",
                .n = kValues,
                .block = kThreads,
                .input = "random",
                .plan = atomics::plan_tree,
                .baseline = "CUB DeviceReduce::Sum",
                .recorded_blocks = kBlocks,
                .reruns = 7});
    lesson.add({.name = "atomic_each",
                .title = "each its own",
                .summary = "no tree: every thread one atomicAdd to global memory",
                .n = kValues,
                .block = kThreads,
                .input = "random",
                .plan = atomics::plan_each,
                .compared_with = "atomic_tree",
                .baseline = "CUB DeviceReduce::Sum",
                .recorded_blocks = kBlocks,
                .reruns = 7});
    // Whole numbers: here the order of lanes would change what shared memory holds at the second barrier.
    lesson.add({.name = "atomic_shared",
                .title = "shared atomic",
                .summary = "every thread one atomicAdd to shared memory, then one a block",
                .n = kValues,
                .block = kThreads,
                .input = "ramp1",
                .plan = atomics::plan_shared,
                .compared_with = "atomic_each",
                .baseline = "CUB DeviceReduce::Sum",
                .recorded_blocks = kBlocks});
    lesson.main("atomic_tree");
}
