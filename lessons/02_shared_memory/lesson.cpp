#include "common/lesson/lesson.hpp"
#include "lessons/02_shared_memory/case.hpp"

namespace {

using namespace shared_memory;
using lanewise::lesson::PlanBuilder;
using lanewise::lesson::Variant;

// Two blocks of 256.
Variant tree(const char* name, const char* title, const char* summary, const char* compared_with, PlanBuilder plan) {
    return {.name = name,
            .title = title,
            .summary = summary,
            .n = 512,
            .block = 256,
            .plan = std::move(plan),
            .compared_with = compared_with,
            .baseline = "CUB DeviceReduce::Sum"};
}

Variant shared(const char* name, const char* title, const char* summary, const char* compared_with) {
    return tree(name, title, summary, compared_with,
                [=](Plan& plan, const Inputs& inputs) { plan_shared(plan, inputs, name); });
}

}  // namespace

LESSON(shared_memory) {
    lesson.title("Shared memory");
    lesson.add(shared("shared_tree", "shared tree", "the tree in shared memory", "global_tree"));
    lesson.add(tree("global_tree", "global tree", "the previous lesson: the tree in global memory", "",
                    [](Plan& plan, const Inputs& inputs) { plan_global(plan, inputs, "global_tree"); }));
    lesson.add(shared("shared_tree_interleaved", "interleaved", "neighbouring words added first: lanes share banks",
                      "shared_tree"));
    lesson.add(shared("shared_tree_divergent", "divergent", "no bank conflicts, but few active lanes in many warps",
                      "shared_tree_interleaved"));
    lesson.add(shared("shared_tree_padded", "padded", "interleaved, with a word left free after every 32",
                      "shared_tree_interleaved"));
    Variant interleaved = shared("shared_tree_interleaved_rolled", "interleaved, rolled",
                                 "interleaved with the loop not unrolled", "shared_tree_interleaved");
    Variant divergent = shared("shared_tree_divergent_rolled", "divergent, rolled",
                               "divergent with the loop not unrolled: % is a remainder", "shared_tree_divergent");
    interleaved.tab = divergent.tab = false;
    lesson.add(interleaved).add(divergent);
    Variant to_one = tree("shared_tree_to_one", "to one number",
                          "shared_tree, launched again on its partial sums until one is left", "shared_tree",
                          [](Plan& plan, const Inputs& inputs) { plan_to_one(plan, inputs, "shared_tree", false); });
    to_one.tab = false;
    lesson.add(to_one).main(to_one.name);
}
