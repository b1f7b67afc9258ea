#include "common/lesson/lesson.hpp"
#include "lessons/13_softmax/launches.hpp"

namespace {

using namespace softmax;
using lanewise::lesson::Lesson;
using lanewise::lesson::Variant;

// Two rows that no whole number of turns fills, by blocks of two warps.
constexpr std::uint64_t kColumns = 200;
constexpr std::uint32_t kBlock = 64;
constexpr std::uint64_t kTimedN = std::uint64_t{1} << 24;
constexpr std::uint64_t kTimedColumns = 4096;
constexpr std::uint64_t kTimedLongN = std::uint64_t{1} << 26;   // of rows of 65536
// What exp's last bits may grow to on the way through a run: GPUs and hosts compute it differently.
constexpr double kTolerance = 0x1p-17;

// A block for each row.
Variant rows(const std::string& name, const char* title, const char* summary, const char* compared_with,
             lanewise::lesson::PlanBuilder plan) {
    return {.name = name,
            .title = title,
            .summary = summary,
            .n = 2 * kColumns,
            .columns = kColumns,
            .block = kBlock,
            .block_for = [](std::uint64_t n) { return n > 100000 ? 256u : kBlock; },
            .input = "random",
            .plan = std::move(plan),
            .compared_with = compared_with,
            .timed_n = kTimedN,
            .timed_columns = kTimedColumns,
            .recorded_blocks = 1,
            .tolerance = kTolerance,
            .offsets = true};
}

// The kernel of that name, one block for each row.
lanewise::lesson::PlanBuilder kernel(const char* name, bool typed, Rounding rounding) {
    return [=](Plan& plan, const Inputs& inputs) { plan_rows(plan, inputs, name, typed, rounding); };
}

Variant behind_tabs(Variant variant) {
    variant.tab = false;
    return variant;
}

Variant wrong(Variant variant, const char* why) {
    variant.declared_wrong = why;
    return variant;
}

// A warp for each row, which is a block: two rows.
Variant warps(const char* name, const char* title, const char* summary, const char* compared_with,
              std::uint64_t columns, lanewise::lesson::PlanBuilder plan) {
    Variant variant = rows(name, title, summary, compared_with, std::move(plan));
    variant.n = 2 * columns;
    variant.columns = columns;
    variant.block = 32;
    variant.block_for = {};
    return variant;
}

lanewise::lesson::PlanBuilder warp_kernel(const char* name, const char* arguments) {
    return [=](Plan& plan, const Inputs& inputs) { plan_warps(plan, inputs, name, arguments); };
}

// One vector, two blocks.
Variant vector(const char* name, const char* title, const char* summary, const char* compared_with, Join join) {
    Variant variant = rows(name, title, summary, compared_with,
                           [=](Plan& plan, const Inputs& inputs) { plan_vector(plan, inputs, join); });
    variant.n = 122;
    variant.columns = variant.timed_columns = 0;
    variant.block = 64;
    variant.block_for = [](std::uint64_t n) { return n > 100000 ? 256u : 64u; };
    variant.recorded_blocks = 2;
    return variant;
}

// A fast route in one format. Rows that have no room in it run by the one that takes any.
Variant route(const char* name, const char* title, const char* summary, const char* compared_with, Route which,
              Element element) {
    const std::string format(lanewise::element_name(element));
    const bool first = element == Element::f32;
    Variant variant = rows(name + ("_" + format), title, summary, "",
                           [=](Plan& plan, const Inputs& inputs) { plan_route(plan, inputs, element, which); });
    variant.title += first ? "" : " " + format;
    variant.summary = format + ": " + variant.summary;
    variant.compared_with = compared_with + ("_" + format);
    if (element == Element::f32) variant.float_packs = kFloatPacks;
    const bool long_rows = is_shared(which) || which == Route::split_row;
    variant.columns = which == Route::warp ? 100 : long_rows ? 2000 : 600;
    variant.n = (which == Route::warp ? 5 : 2) * variant.columns;
    variant.block = kWarpBlock;
    variant.block_for = [which](std::uint64_t n) {
        const bool large = n > 100000 && which != Route::warp;
        const bool in_registers = which == Route::registers || which == Route::high_occupancy || which == Route::overlap;
        return !large ? kWarpBlock : in_registers ? 256u : kMostThreads;
    };
    // Rows that leave a quarter of a block by overlap idle.
    if (which == Route::fitted) {
        variant.columns = 800;   // two warps
        variant.n = 2 * variant.columns;
        variant.timed_columns = 2500 * pack_of(element);
        variant.timed_n = kTimedN / variant.timed_columns * variant.timed_columns;
    }
    // A row that fills two blocks of 64 threads.
    if (which == Route::rows_on_demand) {
        variant.columns = on_demand_shape(element, kWarpBlock).room() * pack_of(element);
        variant.n = 2 * variant.columns;
    }
    if (which == Route::warp) variant.timed_columns = 1024;
    if (long_rows) {
        // The longest floats that split row holds.
        variant.timed_columns = which == Route::split_row && first ? 32768 : 65536;
        variant.timed_n = kTimedLongN;
    }
    // A row that takes a team of two small blocks.
    if (which == Route::team) {
        variant.columns = 190 * pack_of(element);
        variant.n = 3 * variant.columns;
        variant.timed_columns = 262144;
        variant.timed_n = kTimedLongN;
    }
    variant.tab = first;
    return variant;
}

Variant best(Element element) {
    Variant variant =
        route("softmax_best", "best", "the route for the row's length", "softmax_registers", Route::registers, element);
    variant.plan = [=](Plan& plan, const Inputs& inputs) { plan_best(plan, inputs, element); };
    variant.baseline = "torch.compile softmax";
    variant.large_n = true;
    variant.block_for = {};
    return variant;
}

void add_vectors(Lesson& lesson) {
    lesson.add(vector("softmax_vector", "one vector", "two launches: each block's pair, then all blocks write", "",
                      Join::launches));
    lesson.add(
        behind_tabs(vector("softmax_vector_grid_barrier", "grid barrier",
                           "one cooperative launch: all blocks wait for all", "softmax_vector", Join::grid_barrier)));
    lesson.add(wrong(vector("softmax_vector_fence", "fence", "one launch, a fence taken for a barrier of the grid",
                            "softmax_vector", Join::fence),
                     "a fence waits for no other thread: a block merges the pairs that happen to be there."));
}

void add_rows(Lesson& lesson) {
    lesson.add(rows("softmax_f32", "plain", "exp of each value, then the sum: right while neither overflows", "",
                    kernel("softmax_f32", false, {.with_max = false})));
    // Against the reference of a right softmax.
    Variant overflow = rows("softmax_f32_overflow", "overflow", "plain, on values near 100", "softmax_f32",
                            kernel("softmax_f32", false, {}));
    overflow.input = "mean";
    lesson.add(wrong(overflow, "exp(100) is more than the largest float: infinity / infinity is NaN."));
    lesson.add(rows("safe_softmax_f32", "safe", "the largest value first: three passes over the row", "softmax_f32",
                    kernel("safe_softmax", true, {})));
    lesson.add(behind_tabs(rows("safe_softmax_fast_f32", "fast exp", "__expf and __fdividef", "safe_softmax_f32",
                                kernel("safe_softmax_fast_f32", false, {.fast = true}))));
    lesson.add(behind_tabs(rows("safe_softmax_f32x4", "safe f32x4", "16 bytes a load and a store", "safe_softmax_f32",
                                kernel("safe_softmax_packs", true, {}))));
    lesson.add(behind_tabs(rows("safe_softmax_f16_f32", "safe f16", "f16 in and out, f32 inside", "safe_softmax_f32",
                                kernel("safe_softmax", true, {.element = Element::f16}))));
    lesson.add(behind_tabs(rows("safe_softmax_bf16_f32", "safe bf16", "bf16 in and out, f32 inside",
                                "safe_softmax_f16_f32", kernel("safe_softmax", true, {.element = Element::bf16}))));
    lesson.add(behind_tabs(
        rows("safe_softmax_f16_round_down", "rounded down", "f16, narrowed by __float2half_rd", "safe_softmax_f16_f32",
             kernel("safe_softmax_round_down_f16", false, {.element = Element::f16, .down = true}))));
    lesson.add(
        behind_tabs(rows("safe_softmax_f16x8_pack_f32", "safe f16x8", "8 halves a load and a store",
                         "safe_softmax_f16_f32", kernel("safe_softmax_packs", true, {.element = Element::f16}))));
    lesson.add(rows("online_softmax_f32", "online", "largest value and sum in one pass, as a pair", "safe_softmax_f32",
                    kernel("online_softmax", true, {.merges = true})));
    lesson.add(behind_tabs(rows("online_softmax_f16_f32", "online f16", "f16 in and out, the pair in f32",
                                "online_softmax_f32",
                                kernel("online_softmax", true, {.element = Element::f16, .merges = true}))));
    lesson.add(warps("attention_f32", "attention", "a triple: max, sum, and the sum of what is weighted",
                     "online_softmax_f32", 40, plan_attention));
}

void add_traps(Lesson& lesson) {
    lesson.add(
        wrong(warps("online_softmax_infinity", "-infinity", "empty lanes hold -infinity, and nothing guards them",
                    "online_softmax_lowest", 12, warp_kernel("online_softmax_unguarded", "0")),
              "two empty lanes: (-infinity) - (-infinity) is NaN, and the shuffles hand it on."));
    lesson.add(
        behind_tabs(warps("online_softmax_lowest", "-FLT_MAX", "empty lanes hold -FLT_MAX: the difference of two is 0",
                          "online_softmax_f32", 12, warp_kernel("online_softmax_unguarded", "1"))));
    lesson.add(wrong(warps("online_softmax_apart", "apart", "max and sum reduced apart", "online_softmax_f32", 40,
                           warp_kernel("online_softmax_apart", "")),
                     "each lane's sum is on the scale of its own largest value."));
    lesson.add(wrong(rows("safe_softmax_one_array", "one array", "one shared array for both reductions",
                          "safe_softmax_f32", kernel("safe_softmax_one_array", false, {})),
                     "a warp writes its sum where another still reads the maxima."));
}

void add_routes(Lesson& lesson) {
    for (const Element element : {Element::f32, Element::f16, Element::bf16}) {
        lesson.add(route("softmax_row_a_warp", "row a warp", "a warp for each row, the row in its registers",
                         "softmax_registers", Route::warp, element));
        lesson.add(route("softmax_registers", "registers", "a block for each row, the row in its registers",
                         "softmax_two_reads", Route::registers, element));
        lesson.add(route("softmax_shared", "in shared", "a block for each row, the row in shared memory",
                         "softmax_registers", Route::shared, element));
        lesson.add(route("softmax_two_reads", "two reads", "a row of any length, read twice: online",
                         "softmax_registers", Route::two_reads, element));
        lesson.add(route("softmax_high_occupancy", "high occupancy", "32 registers a thread: 2048 threads run at once",
                         "softmax_registers", Route::high_occupancy, element));
        lesson.add(route("softmax_overlap", "overlap", "starts while the kernel before it still runs",
                         "softmax_registers", Route::overlap, element));
        lesson.add(route("softmax_fitted", "fitted", "no more warps than a row needs, values packed",
                         "softmax_overlap", Route::fitted, element));
        lesson.add(route("softmax_cluster", "cluster", "the blocks of a cluster share a row", "softmax_shared",
                         Route::cluster, element));
        lesson.add(route("softmax_split_row", "split row", "a row in registers and in shared memory", "softmax_shared",
                         Route::split_row, element));
        lesson.add(route("softmax_bulk_copies", "bulk copies", "a cluster takes row after row; a copy engine loads",
                         "softmax_cluster", Route::bulk_copies, element));
        lesson.add(route("softmax_rows_on_demand", "rows on demand", "a cluster that is done takes the next row",
                         "softmax_bulk_copies", Route::rows_on_demand, element));
        lesson.add(route("softmax_team", "team", "a team of blocks shares a row through global memory",
                         "softmax_bulk_copies", Route::team, element));
        lesson.add(best(element));
    }
}

}  // namespace

LESSON(softmax) {
    lesson.title("Softmax");
    add_vectors(lesson);
    add_rows(lesson);
    add_traps(lesson);
    add_routes(lesson);
}
