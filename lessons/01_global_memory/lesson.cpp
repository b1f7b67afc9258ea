#include "common/lesson/lesson.hpp"
#include "lessons/01_global_memory/case.hpp"

namespace {

using namespace global_memory;
using lanewise::lesson::Variant;

// A tree over two blocks of 128.
Variant tree(const char* name, const char* title, const char* summary, const char* compared_with) {
    return {.name = name,
            .title = title,
            .summary = summary,
            .n = 256,
            .block = 128,
            .plan = [=](Plan& plan, const Inputs& inputs) { plan_global(plan, inputs, name); },
            .compared_with = compared_with,
            .baseline = "CUB DeviceReduce::Sum"};
}

// The same kernel in one block of 8 threads, over 1 to 8: small enough to do on paper.
Variant eight_threads(Variant variant) {
    variant.compared_with = variant.name;
    variant.name += "_8";
    variant.title += " · 8";
    variant.summary += ", 8 threads";
    variant.n = variant.block = 8;
    variant.input = "ramp1";
    return variant;
}

}  // namespace

LESSON(global_memory) {
    const Variant global_tree = tree("global_tree", "tree", "a tree in global memory, halves added", "");
    const Variant interleaved = tree("global_tree_interleaved", "interleaved",
                                     "neighbouring words added first: more sectors a request", "global_tree");
    lesson.title("Global memory");
    lesson.add(global_tree).add(eight_threads(global_tree)).add(interleaved).add(eight_threads(interleaved));
    Variant to_one = tree("global_tree_to_one", "to one number",
                          "tree, launched again on its partial sums until one is left", "global_tree");
    to_one.plan = [](Plan& plan, const Inputs& inputs) { plan_to_one(plan, inputs, "global_tree", true); };
    to_one.tab = false;
    lesson.add(to_one).main(to_one.name);
}
