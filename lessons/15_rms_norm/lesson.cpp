#include "common/lesson/lesson.hpp"
#include "lessons/15_rms_norm/launches.hpp"

namespace {

using namespace rms_norm;
using lanewise::lesson::Lesson;
using lanewise::lesson::PlanBuilder;
using lanewise::lesson::Variant;

// Two rows that no whole number of turns fills, by blocks of two warps.
constexpr std::uint64_t kColumns = 200;
constexpr std::uint32_t kBlock = 64;
constexpr std::uint64_t kTimedN = std::uint64_t{1} << 24;
constexpr std::uint64_t kTimedColumns = 4096;
constexpr std::uint64_t kTimedLongN = std::uint64_t{1} << 26;   // of rows of 65536

// A block for each row.
Variant rows(const std::string& name, const char* title, const char* summary, const char* compared_with,
             PlanBuilder plan) {
    return {.name = name,
            .title = title,
            .summary = summary,
            .n = 2 * kColumns,
            .columns = kColumns,
            .block = kBlock,
            .block_for = [](std::uint64_t n) { return n > 100000 ? 256u : kBlock; },
            .input = "random",
            .plan = std::move(plan),
            .controls = {{"epsilon", ""}},
            .compared_with = compared_with,
            .timed_n = kTimedN,
            .timed_columns = kTimedColumns,
            .offsets = true};
}

// The kernel of that name, one block for each row.
PlanBuilder kernel(const char* name, bool typed = false, Element element = Element::f32) {
    return [=](Plan& plan, const Inputs& inputs) { plan_rows(plan, inputs, name, typed, element); };
}

Variant behind_tabs(Variant variant) {
    variant.tab = false;
    return variant;
}

Variant wrong(Variant variant, const char* why) {
    variant.declared_wrong = why;
    variant.block_for = {};
    return variant;
}

void add_rows(Lesson& lesson) {
    lesson.add(rows("rms_norm_one_thread", "one thread",
                    "thread 0 computes the scale and stores it for all: two barriers", "",
                    kernel("rms_norm_one_thread")));
    lesson.add(rows("rms_norm_f32", "every warp", "every warp adds the warp sums: one barrier", "rms_norm_one_thread",
                    kernel("rms_norm", true)));
    lesson.add(behind_tabs(rows("rms_norm_f16_f32", "f16", "f16 in and out, f32 inside", "rms_norm_f32",
                                kernel("rms_norm", true, Element::f16))));
    lesson.add(behind_tabs(rows("rms_norm_bf16_f32", "bf16", "bf16 in and out, f32 inside", "rms_norm_f16_f32",
                                kernel("rms_norm", true, Element::bf16))));
}

void add_traps(Lesson& lesson) {
    lesson.add(wrong(rows("rms_norm_no_barrier", "no barrier", "the scale is read before it is there",
                          "rms_norm_one_thread", kernel("rms_norm_no_barrier")),
                     "only the thread that stores the scale is sure to read it."));
    // Values of 2^-9: their mean square is less than epsilon.
    Variant outside = rows("rms_norm_epsilon_outside", "epsilon outside", "epsilon added to the root", "rms_norm_f32",
                           kernel("rms_norm_epsilon_outside"));
    outside.input = "small";
    lesson.add(wrong(outside, "epsilon is added to the mean square, inside the root."));
    Variant floored = rows("rms_norm_warps_floored", "floored", "36 / 32 warps, rounded down: the last one is left out",
                           "rms_norm_f32", kernel("rms_norm_warps_floored"));
    // Two warps have values, the second four.
    floored.n = 2 * 36;
    floored.columns = floored.timed_columns = 36;
    floored.timed_n = std::uint64_t{36} << 15;
    lesson.add(wrong(floored, "the squares of a warp that is not full are dropped."));
}

// Do blocks of a cluster share a row?
bool is_shared(Route which) {
    return which == Route::cluster || which == Route::bulk_copies || which == Route::rows_on_demand;
}

// A fast route in one format. Rows that have no room in it run by the one that takes any.
Variant route(const char* name, const char* title, const char* summary, const char* compared_with, Route which,
              Element element) {
    const std::string format(lanewise::element_name(element));
    Variant variant = rows(name + ("_" + format), title, summary, "",
                           [=](Plan& plan, const Inputs& inputs) { plan_in_blocks(plan, inputs, element, which); });
    variant.title += element == Element::f32 ? "" : " " + format;
    variant.summary = format + ": " + variant.summary;
    variant.compared_with = compared_with + ("_" + format);
    if (element == Element::f32) variant.float_packs = kFloatPacks;
    variant.columns = which == Route::warp ? 100 : is_shared(which) ? 2000 : 600;
    variant.n = (which == Route::warp ? 5 : 2) * variant.columns;
    variant.block = kWarpBlock;
    variant.block_for = [which](std::uint64_t n) {
        const bool large = n > 100000 && which != Route::warp;
        const bool in_registers = which == Route::registers || which == Route::high_occupancy || which == Route::overlap;
        return !large ? kWarpBlock : in_registers ? 256u : kMostThreads;
    };
    // The longest that a warp's registers hold.
    if (which == Route::warp) variant.timed_columns = 32 * kPacks * pack_of(element);
    if (is_shared(which) || which == Route::read_again) {
        variant.timed_columns = which == Route::read_again && element == Element::f32 ? 32768 : 65536;
        variant.timed_n = kTimedLongN;
    }
    // Its blocks are the largest.
    if (which == Route::read_again) variant.recorded_blocks = 1;
    // Rows that fill a block: of two warps, and of 32.
    if (which == Route::full_row) {
        variant.columns = 8 * 64 * pack_of(element);
        variant.n = 2 * variant.columns;
        variant.timed_columns = 8 * kMostThreads * pack_of(element);
        variant.timed_n = kTimedLongN;
    }
    // Rows that leave a quarter of a block by overlap idle.
    if (which == Route::fitted) {
        variant.timed_columns = 2500 * pack_of(element);
        variant.timed_n = kTimedN / variant.timed_columns * variant.timed_columns;
    }
    // A row that fills two blocks of 64 threads.
    if (which == Route::rows_on_demand) {
        variant.columns = on_demand_shape(element, kWarpBlock).room() * pack_of(element);
        variant.n = 2 * variant.columns;
    }
    // A row that takes a team of two small blocks.
    if (which == Route::team) {
        variant.columns = 190 * pack_of(element);
        variant.n = 3 * variant.columns;
        variant.timed_columns = 262144;
        variant.timed_n = kTimedLongN;
    }
    variant.tab = element == Element::f32;
    return variant;
}

void add_routes(Lesson& lesson) {
    for (const Element element : {Element::f32, Element::f16, Element::bf16}) {
        lesson.add(route("rms_norm_row_a_warp", "row a warp", "a warp for each row, the row in its registers",
                         "rms_norm_registers", Route::warp, element));
        lesson.add(route("rms_norm_registers", "registers", "a block for each row, the row in its registers",
                         "rms_norm_two_reads", Route::registers, element));
        lesson.add(route("rms_norm_two_reads", "two reads", "a row of any length, read twice", "rms_norm_registers",
                         Route::two_reads, element));
        lesson.add(route("rms_norm_high_occupancy", "high occupancy", "32 registers a thread: 2048 threads run at once",
                         "rms_norm_registers", Route::high_occupancy, element));
        lesson.add(route("rms_norm_overlap", "overlap", "starts while the kernel before it still runs",
                         "rms_norm_registers", Route::overlap, element));
        lesson.add(route("rms_norm_fitted", "fitted", "no more warps than a row needs", "rms_norm_overlap", Route::fitted,
                         element));
        lesson.add(route("rms_norm_read_again", "read again", "a row read twice: a cache may still hold it",
                         "rms_norm_two_reads", Route::read_again, element));
        lesson.add(route("rms_norm_full_row", "full row", "a block for each long row, which fills it",
                         "rms_norm_read_again", Route::full_row, element));
        lesson.add(route("rms_norm_cluster", "cluster", "the blocks of a cluster share rows", "rms_norm_two_reads",
                         Route::cluster, element));
        lesson.add(route("rms_norm_bulk_copies", "bulk copies", "a cluster takes row after row; a copy engine loads",
                         "rms_norm_cluster", Route::bulk_copies, element));
        lesson.add(route("rms_norm_rows_on_demand", "rows on demand", "a cluster that is done takes the next row",
                         "rms_norm_bulk_copies", Route::rows_on_demand, element));
        lesson.add(route("rms_norm_team", "team", "a team of blocks shares a row through global memory",
                         "rms_norm_bulk_copies", Route::team, element));
        Variant best = route("rms_norm_best", "best", "the route for the row's length", "rms_norm_registers",
                             Route::registers, element);
        best.plan = [=](Plan& plan, const Inputs& inputs) { plan_best(plan, inputs, element); };
        best.baseline = "torch.compile rms_norm";
        best.large_n = true;
        best.block_for = {};
        lesson.add(best);
    }
}

}  // namespace

LESSON(rms_norm) {
    lesson.title("RMS norm");
    lesson.control(lanewise::lesson::choice("epsilon", {"0", "1e-6", "1e-5", "1e-3"}, "1e-5",
                                            "What is added to the mean square"));
    add_rows(lesson);
    add_traps(lesson);
    add_routes(lesson);
}
