#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "common/base/element.hpp"
#include "common/lesson/lesson.hpp"
#include "lessons/14_layer_norm/launches.hpp"

namespace {

using namespace layer_norm;
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
            .recorded_blocks = 1,
            .offsets = true};
}

// The kernel of that name, one block for each row.
PlanBuilder kernel(const char* name, bool typed, Rounding rounding) {
    return [=](Plan& plan, const Inputs& inputs) { plan_rows(plan, inputs, name, typed, rounding); };
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

// A warp for each row, which is a block: two rows.
Variant warps(const char* name, const char* title, const char* summary, const char* compared_with,
              std::uint64_t columns, PlanBuilder plan) {
    Variant variant = rows(name, title, summary, compared_with, std::move(plan));
    variant.n = 2 * columns;
    variant.columns = columns;
    variant.block = 32;
    variant.block_for = {};
    return variant;
}

void add_rows(Lesson& lesson) {
    lesson.add(rows("layer_norm_f32", "two passes", "the mean, then the deviations from it", "",
                    kernel("layer_norm", true, {})));
    lesson.add(rows("layer_norm_squares", "squares", "E[x^2] - E[x]^2: both sums in one pass", "layer_norm_f32",
                    kernel("layer_norm_squares", false, {.way = Way::squares})));
    lesson.add(rows("layer_norm_welford", "Welford", "count, mean and M2 in one pass, merged by shuffles",
                    "layer_norm_squares", kernel("layer_norm_welford", false, {.way = Way::merges})));
    lesson.add(behind_tabs(rows("layer_norm_f16_f32", "f16", "f16 in and out, f32 inside", "layer_norm_f32",
                                kernel("layer_norm", true, {.element = Element::f16}))));
    lesson.add(behind_tabs(rows("layer_norm_bf16_f32", "bf16", "bf16 in and out, f32 inside", "layer_norm_f16_f32",
                                kernel("layer_norm", true, {.element = Element::bf16}))));
}

// In the loop of squared deviations: the lanes that load nothing and add mean^2.
std::vector<lanewise::trace::Finding> lanes_past_the_end(const lanewise::trace::Trace& trace) {
    using namespace lanewise::trace;
    std::vector<Finding> found;
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> sums;   // of each warp's first reduction
    for (const Record& record : trace.records) {
        const std::pair warp{record.block, record.warp};
        if (record.op == Op::shfl_xor && !sums.contains(warp) && record.arg[0] == 1 && (record.has_after & 1u))
            sums[warp] = lanewise::element_to_double(record.type, record.after[0]);
        // Its other loads are of a loop that such lanes have left.
        const bool in_loop = record.op == Op::load && sums.contains(warp) && record.active != 0xffffffffu;
        const bool joined = std::any_of(trace.header.statements.begin(), trace.header.statements.end(),
                                        [&](const Statement& at) { return at.line == record.line && at.conditional; });
        if (!in_loop || !joined) continue;
        const double mean = sums[warp] / static_cast<double>(trace.header.columns);
        found.push_back({.kind = "lanes_of_a_mistake",
                         .kernel = trace.header.variant,
                         .line = record.line,
                         .block = record.block,
                         .warp = record.warp,
                         .lanes = ~record.active,
                         .sentence = fmt::format("Past the end of the row: each adds (0 - mean)^2 = (0 - {:g})^2 = {:g} "
                                                 "to the squared deviations.", mean, mean * mean),
                         .advice = "A lane without a value must add nothing here.",
                         .launch = record.launch,
                         .record = record.index});
    }
    return found;
}

void add_traps(Lesson& lesson) {
    // Against the bound of two passes.
    Variant large_mean = rows("layer_norm_squares_mean", "large mean", "E[x^2] - E[x]^2, of values near 100",
                              "layer_norm_f32", kernel("layer_norm_squares", false, {}));
    large_mean.input = "mean";
    lesson.add(wrong(large_mean, "10000.3 - 10000 keeps few right digits of 0.3."));
    Variant idle = warps("layer_norm_idle_lanes", "idle lanes", "lanes past the end of the row add mean^2",
                         "layer_norm_f32", 40,
                         [](Plan& plan, const Inputs& inputs) {
                             plan_warps(plan, inputs, "layer_norm_idle_lanes", Way::two_passes);
                         });
    idle.input = "ramp1";
    idle.mistakes = lanes_past_the_end;
    lesson.add(wrong(idle, "a lane without a value has no deviation: it must add 0, not (0 - mean)^2."));
    lesson.add(wrong(warps("layer_norm_merge_unguarded", "count 0", "two lanes without values are merged",
                           "layer_norm_welford", 12,
                           [](Plan& plan, const Inputs& inputs) {
                               plan_warps(plan, inputs, "layer_norm_merge_unguarded", Way::merges);
                           }),
                     "0 values and 0 values: 0 / 0 is NaN, and the shuffles hand it on."));
    // A row of equal values.
    Variant in_count = rows("layer_norm_epsilon_in_count", "epsilon in count", "epsilon added to the number of columns",
                            "layer_norm_f32", kernel("layer_norm_epsilon_in_count", false, {}));
    in_count.input = "small";
    lesson.add(wrong(in_count, "epsilon is added to the variance: here 0 / (columns + epsilon) is still 0."));
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
    variant.columns = which == Route::warp ? 100 : is_shared(which) ? 2000 : 300;
    // Whole packs, or there is no such row.
    const bool whole = which == Route::high_occupancy || which == Route::overlap;
    if (whole && element != Element::f32) variant.columns = 304;
    variant.n = (which == Route::warp ? 5 : 2) * variant.columns;
    variant.block = kWarpBlock;
    variant.block_for = [which](std::uint64_t n) {
        const bool large = n > 100000 && which != Route::warp;
        const bool in_registers = which == Route::registers || which == Route::high_occupancy || which == Route::overlap;
        return !large ? kWarpBlock : in_registers ? 256u : kMostThreads;
    };
    // The longest that a warp's registers hold.
    if (which == Route::warp) variant.timed_columns = 32 * kPacks * pack_of(element);
    if (is_shared(which)) {
        variant.timed_columns = 65536;
        variant.timed_n = kTimedLongN;
    }
    // Rows that leave a quarter of a block by overlap idle.
    if (which == Route::fitted) {
        variant.columns = 600 / pack_of(element) * pack_of(element);   // of floats, two warps
        variant.n = 2 * variant.columns;
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
        lesson.add(route("layer_norm_row_a_warp", "row a warp", "a warp for each row, the row in its registers",
                         "layer_norm_registers", Route::warp, element));
        lesson.add(route("layer_norm_registers", "registers", "a block for each row, the row in its registers",
                         "layer_norm_two_reads", Route::registers, element));
        lesson.add(route("layer_norm_two_reads", "two reads", "a row of any length, read twice", "layer_norm_registers",
                         Route::two_reads, element));
        lesson.add(route("layer_norm_high_occupancy", "high occupancy",
                         "40 registers a thread: 1536 threads run at once", "layer_norm_registers",
                         Route::high_occupancy, element));
        lesson.add(route("layer_norm_overlap", "overlap", "starts while the kernel before it still runs",
                         "layer_norm_registers", Route::overlap, element));
        lesson.add(route("layer_norm_fitted", "fitted", "no more warps than a row needs, vectors loaded late",
                         "layer_norm_overlap", Route::fitted, element));
        lesson.add(route("layer_norm_cluster", "cluster", "the blocks of a cluster share rows",
                         "layer_norm_two_reads", Route::cluster, element));
        lesson.add(route("layer_norm_bulk_copies", "bulk copies", "a cluster takes row after row; a copy engine loads",
                         "layer_norm_cluster", Route::bulk_copies, element));
        lesson.add(route("layer_norm_rows_on_demand", "rows on demand", "a cluster that is done takes the next row",
                         "layer_norm_bulk_copies", Route::rows_on_demand, element));
        lesson.add(route("layer_norm_team", "team", "a team of blocks shares a row through global memory",
                         "layer_norm_bulk_copies", Route::team, element));
        Variant best = route("layer_norm_best", "best", "the route for the row's length", "layer_norm_registers",
                             Route::registers, element);
        best.plan = [=](Plan& plan, const Inputs& inputs) { plan_best(plan, inputs, element); };
        best.baseline = "torch.compile layer_norm";
        best.large_n = true;
        best.block_for = {};
        lesson.add(best);
    }
}

}  // namespace

LESSON(layer_norm) {
    lesson.title("Layer norm");
    lesson.control(lanewise::lesson::choice("epsilon", {"0", "1e-6", "1e-5", "1e-3"}, "1e-5",
                                            "What is added to the variance"));
    add_rows(lesson);
    add_traps(lesson);
    add_routes(lesson);
}
