#include "common/lesson/lesson.hpp"
#include "lessons/09_at_the_limit/case.hpp"

namespace {

using namespace at_the_limit;
using lanewise::lesson::BlockOrder;
using lanewise::lesson::Lesson;
using lanewise::lesson::Variant;

// What differs between routes; each is added for three formats.
struct Route {
    std::string name;        // without the format
    std::string title;
    std::string summary;
    std::string compared_with = {};   // a route
    BlockOrder order = BlockOrder::free;
    int reruns = 0;
    bool tab = true;         // in f32
    bool best = false;       // its shape is chosen by size
    std::uint32_t block = 512;  // threads a block where the input is not small
};

using Planner = std::function<void(Plan&, const Inputs&, Element)>;

// Four blocks of 128 threads with four loads each; values are left before the first pack when the input is misaligned,
// and after the last.
std::uint64_t default_n(Element element) { return element == Element::f32 ? 8155 : 16315; }

void add(Lesson& lesson, const Route& route, const Planner& planner) {
    for (const Element element : {Element::f32, Element::f16, Element::bf16}) {
        const std::string format = std::string(lanewise::element_name(element));
        lesson.add({.name = route.name + "_" + format,
                    .title = element == Element::f32 ? route.title : route.title + " " + format,
                    .summary = format + ": " + route.summary,
                    .n = default_n(element),
                    .block = route.best ? best_block(default_n(element), element) : 128,
                    .block_for = [element, best = route.best, block = route.block](std::uint64_t n) {
                        return best ? best_block(n, element) : route_block(n, element, block);
                    },
                    .input = "random",
                    .plan = [=](Plan& plan, const Inputs& inputs) { planner(plan, inputs, element); },
                    .compared_with = route.compared_with.empty() ? "" : route.compared_with + "_" + format,
                    .timed_n = std::uint64_t{1} << 22,
                    .baseline = route.best ? "CUB DeviceReduce::Sum" : "",
                    .recorded_blocks = 4,
                    .reruns = route.reruns,
                    .block_order = route.order,
                    .offsets = true,
                    .large_n = true,
                    .tab = route.tab && element == Element::f32});
    }
}

Planner in_one_wave(const char* kernel, std::uint32_t loads) {
    return [=](Plan& plan, const Inputs& inputs, Element element) {
        plan_poll(plan, inputs, element, kernel, one_wave(inputs.n, element, inputs.block, loads, inputs.machine));
    };
}

Planner atomics(std::uint32_t loads) {
    return [=](Plan& plan, const Inputs& inputs, Element element) {
        plan_atomic(plan, inputs, element, one_wave(inputs.n, element, inputs.block, loads, inputs.machine));
    };
}

Planner last_block(const char* kernel) {
    return [=](Plan& plan, const Inputs& inputs, Element element) { plan_last_block(plan, inputs, element, kernel); };
}

}  // namespace

LESSON(at_the_limit) {
    lesson.title("At the limit");
    add(lesson,
        {.name = "atomic_turn", .title = "atomic", .summary = "a block for each turn, one atomic a block", .reruns = 4},
        [](Plan& plan, const Inputs& inputs, Element element) {
            plan_atomic(plan, inputs, element, one_turn(inputs.n, element, inputs.block));
        });
    add(lesson,
        {.name = "one_wave",
         .title = "one wave",
         .summary = "as many blocks as run at once, one load in flight",
         .compared_with = "atomic_turn",
         .reruns = 4,
         .tab = false},
        atomics(1));
    add(lesson, {.name = "one_wave_2", .title = "2 loads", .summary = "two loads of 16 bytes in flight",
                 .compared_with = "one_wave", .reruns = 4, .tab = false}, atomics(2));
    add(lesson, {.name = "one_wave_4", .title = "4 loads", .summary = "four loads of 16 bytes in flight",
                 .compared_with = "one_wave", .reruns = 4}, atomics(4));
    add(lesson, {.name = "one_wave_8", .title = "8 loads", .summary = "eight loads of 16 bytes in flight",
                 .compared_with = "one_wave_4", .reruns = 4, .tab = false}, atomics(8));
    add(lesson, {.name = "one_block", .title = "one block", .summary = "no blocks to join: one block takes it all",
                 .tab = false, .block = 1024}, plan_one_block);
    add(lesson,
        {.name = "last_block_fences",
         .title = "last block",
         .summary = "the last block finishes: two fences, three barriers",
         .compared_with = "one_wave_4",
         .order = BlockOrder::arrival},
        last_block("last_block_fences"));
    add(lesson,
        {.name = "last_block_ticket",
         .title = "ticket",
         .summary = "the last block finishes: one ticket that orders, one barrier",
         .compared_with = "last_block_fences",
         .order = BlockOrder::arrival},
        last_block("last_block_ticket"));
    add(lesson,
        {.name = "grid_barrier",
         .title = "grid barrier",
         .summary = "all blocks wait for all: a cooperative launch",
         .compared_with = "last_block_ticket"},
        plan_grid_barrier);
    add(lesson,
        {.name = "poll",
         .title = "poll",
         .summary = "one block waits for the others' sums: no fence, no atomic",
         .compared_with = "last_block_fences",
         .order = BlockOrder::last_waits},
        in_one_wave("poll", 4));
    add(lesson, {.name = "poll_warps", .title = "poll warps", .summary = "a slot for each warp, no block barrier",
                 .compared_with = "poll", .order = BlockOrder::last_waits},
        [](Plan& plan, const Inputs& inputs, Element element) {
            plan_poll(plan, inputs, element, "poll_warps", one_wave(inputs.n, element, inputs.block, 4, inputs.machine),
                      inputs.block / 32);
        });
    add(lesson, {.name = "cluster", .title = "cluster", .summary = "four blocks add in shared memory first",
                 .compared_with = "poll", .order = BlockOrder::last_waits}, plan_cluster);
    add(lesson, {.name = "bulk_copy", .title = "bulk copy", .summary = "the copy engine fills shared memory",
                 .compared_with = "poll", .order = BlockOrder::last_waits}, in_one_wave("bulk_copy", 4));
    add(lesson, {.name = "poll_hints", .title = "hints", .summary = "loads bypass L1 and mark what L2 keeps",
                 .compared_with = "poll", .order = BlockOrder::last_waits},
        [](Plan& plan, const Inputs& inputs, Element element) {
            plan_hints(plan, inputs, element, one_wave(inputs.n, element, inputs.block, 4, inputs.machine),
                       kept_bytes(inputs.machine));
        });
    add(lesson,
        {.name = "best",
         .title = "best",
         .summary = "one turn of one block, or poll shaped by size, with hints where the GPU takes them",
         .compared_with = "one_wave_4",
         .order = BlockOrder::last_waits,
         .best = true},
        plan_best);
    lesson.main("best_f32");
}
