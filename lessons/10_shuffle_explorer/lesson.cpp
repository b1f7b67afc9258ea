#include "common/lesson/lesson.hpp"
#include "lessons/10_shuffle_explorer/case.hpp"

namespace {

using namespace shuffle_explorer;
using lanewise::lesson::choice;
using lanewise::lesson::lane_mask;
using lanewise::lesson::per_lane_control;
using lanewise::lesson::Variant;

// The explorer itself, or a shuffle to start from: all that may be chosen, with defaults of its own.
Variant shuffle(const char* name, const char* title, const char* summary, const char* op, const char* arg,
                const char* width = "32") {
    return {.name = name,
            .title = title,
            .summary = summary,
            .plan = [](Plan& plan, const Inputs& inputs) { plan_shuffle(plan, inputs, chosen(inputs)); },
            .controls = {{"op", op}, {"arg", arg}, {"width", width}, {"mask", ""}, {"type", ""}},
            .permutation = true};
}

Variant tree(const char* name, const char* title, const char* summary, const char* op) {
    return {.name = name, .title = title, .summary = summary, .plan = [op](Plan& plan, const Inputs& inputs) {
                plan_tree(plan, inputs, op);
            }};
}

}  // namespace

LESSON(shuffle_explorer) {
    lesson.title("Shuffle explorer");
    lesson.control(choice("op", {"idx", "up", "down", "xor"}, "xor", "Which shuffle"));
    lesson.control(per_lane_control("arg", "1",
                                    "Its argument for each lane: 5, 'lane + 2', 'lane ^ 5', '31 - lane'; or "
                                    "values with commas between, from the first again at the end"));
    lesson.control(choice("width", {"1", "2", "4", "8", "16", "32"}, "32", "Lanes in a group"));
    lesson.control(lane_mask("mask", "0xffffffff", "The lanes that take part"));
    lesson.control(choice("type", {"int", "unsigned", "float", "double", "longlong", "half", "bfloat16", "half2"},
                          "int", "What each lane holds"));

    lesson.add(shuffle("shuffle", "explorer", "one shuffle, as you choose it", "xor", "1"));
    lesson.add(shuffle("neighbours", "neighbours", "lanes swap in pairs: xor 1", "xor", "1"));
    lesson.add(shuffle("reversal", "reversal", "groups of 8 in reverse order: xor 7", "xor", "7"));
    lesson.add(shuffle("puzzle", "xor 5", "an order that looks strange: xor 5", "xor", "5"));
    lesson.add(shuffle("broadcast", "broadcast", "every lane reads lane 5: idx 5", "idx", "5"));
    lesson.add(
        shuffle("rotation", "rotation", "every lane reads the one two further on: idx lane + 2", "idx", "lane + 2"));
    lesson.add(tree("tree_xor", "butterfly", "five rounds of xor: every lane holds the sum", "xor"));
    Variant down = tree("tree_down", "down tree", "five rounds of down: lane 0 holds the sum", "down");
    down.compared_with = "tree_xor";
    Variant up = tree("tree_up", "up tree", "five rounds of up: lane 31 holds the sum", "up");
    up.compared_with = "tree_xor";
    lesson.add(down).add(up);
    lesson.add({.name = "prefix_sum",
                .title = "prefix sum",
                .summary = "each lane ends with the sum up to itself",
                .plan = plan_prefix,
                .compared_with = "tree_up"});
    lesson.add({.name = "transpose",
                .title = "transpose",
                .summary = "4 x 4 matrices, a row a lane, become a column a lane",
                .n = 128,
                .plan = plan_transpose});
    lesson.add({.name = "segmented_sums",
                .title = "segments",
                .summary = "the sum of each group of `width` lanes, in its first",
                .plan = plan_segments,
                .controls = {{"width", "8"}},
                .compared_with = "tree_down"});
}
