// What the tests of lessons on rows share: inputs in rows, runs that must be right, results as numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/element.hpp"
#include "common/check/checker.hpp"
#include "common/lesson/lesson.testing.hpp"

namespace lanewise::lesson::testing {

// Variants that are right and that the emulator runs.
inline std::vector<const Variant*> right_variants() {
    std::vector<const Variant*> variants;
    for (const Variant& variant : the_lesson().variants())
        if (variant.declared_wrong.empty() && is_emulated(variant)) variants.push_back(&variant);
    return variants;
}

inline Inputs with_rows(const std::string& variant, std::uint64_t rows, std::uint64_t columns) {
    Inputs inputs = inputs_of(variant);
    inputs.columns = columns;
    inputs.n = rows * columns;
    return inputs;
}

// The same on a GPU of an architecture, with 60 MB of L2; how fast its memory is, is not known.
inline Inputs on_architecture(const std::string& variant, std::uint64_t rows, std::uint64_t columns,
                              std::uint32_t architecture = 90) {
    Inputs inputs = with_rows(variant, rows, columns);
    inputs.machine.architecture = architecture;
    return inputs;
}

// The first launch of a variant on so many rows on a GPU of sm_90 must be this one.
inline void expect_launch_on_sm90(const std::string& variant, std::uint64_t rows, std::uint64_t columns,
                                  const std::string& kernel, const std::string& arguments, std::uint32_t grid,
                                  std::uint32_t block, bool overlaps) {
    Inputs inputs = on_architecture(variant, rows, columns);
    inputs.kind = "small";   // made fastest; no value is looked at
    const launch::LaunchSpec launch = plan_of(variant, inputs).launches.front();
    const std::string what = fmt::format("{}, {} rows of {}", variant, rows, columns);
    EXPECT_EQ(launch.kernel, kernel) << what;
    EXPECT_EQ(launch.arguments, arguments) << what;
    EXPECT_EQ(launch.grid.x, grid) << what;
    EXPECT_EQ(launch.block.x, block) << what;
    EXPECT_EQ(launch.overlaps, overlaps) << what;
}

// Rows of one to 7700 packs, whole and with half a pack, a quarter of one and a value more, of which a launch fills
// L2, two thirds of it, or little: what a route launches is an instance that is compiled. plan_one(plan, inputs,
// element) plans that route, or nothing where it has no room. No value is looked at.
template <class PlanOne>
void expect_a_compiled_instance_for_every_length(const std::string& operation, const PlanOne& plan_one) {
    int planned = 0;
    for (const Element element : {Element::f32, Element::f16, Element::bf16}) {
        const std::uint64_t pack = 16 / static_cast<std::uint64_t>(element_size(element));
        const std::string variant = fmt::format("{}_best_{}", operation, element_name(element));
        for (std::uint64_t packs = 0; packs <= 7700; packs += packs < 100 ? 1 : packs < 400 ? 3 : 31) {
            std::set<std::uint64_t> all_behind{0, pack / 2, pack / 4, 1};
            for (std::uint64_t behind = 0; packs < 8 && behind < pack; ++behind) all_behind.insert(behind);
            for (const std::uint64_t behind : all_behind) {
                const std::uint64_t columns = packs * pack + behind;
                if (columns == 0) continue;
                Inputs inputs = with_rows(variant, 1, columns);
                inputs.kind = "small";
                inputs.machine.architecture = 90;
                const std::uint64_t both = 2 * columns * static_cast<std::uint64_t>(element_size(element));
                for (const std::uint64_t l2_bytes : {both, both + both / 2, 100 * both}) {
                    inputs.machine.l2_bytes = l2_bytes;
                    launch::Plan plan;
                    plan_one(plan, inputs, element);
                    if (plan.launches.empty()) continue;
                    ++planned;
                    const launch::LaunchSpec& launch = plan.launches.front();
                    const auto instances = kernels().instances(launch.kernel);
                    EXPECT_TRUE(std::find(instances.begin(), instances.end(), launch.arguments) != instances.end())
                        << fmt::format("{}<{}> for {} columns", launch.kernel, launch.arguments, columns);
                }
            }
        }
    }
    EXPECT_GT(planned, 100);
}

// The plan of "rows on demand" of an operation, whose blocks have so many bytes of shared memory. `full`: what follows
// the cluster's shape in the template arguments.
inline void expect_rows_on_demand_fill_a_cluster(const std::string& operation, const std::string& format,
                                                 const std::string& type, std::uint32_t shared_bytes,
                                                 const std::string& full = "") {
    const std::string variant = operation + "_rows_on_demand_" + format;
    const bool wide = format == "f32";
    Inputs inputs = with_rows(variant, 3, 65536);
    inputs.block = 1024;
    const launch::LaunchSpec launch = plan_of(variant, inputs).launches.front();
    EXPECT_EQ(launch.arguments, type + (wide ? ", 512, 4, 8" : ", 256, 4, 8") + full);
    EXPECT_EQ(launch.grid.x, 24u);  // three rows, eight blocks each
    EXPECT_EQ(launch.cluster_in_turns, 8u);
    EXPECT_EQ(launch.block.dynamic_shared_bytes, shared_bytes);
    const std::uint64_t small = wide ? 2048 : 4096;
    EXPECT_EQ(plan_of(variant, with_rows(variant, 3, small)).launches.front().arguments, type + ", 64, 4, 2" + full);
    // A row that does not fill a small cluster's threads goes another way.
    EXPECT_EQ(plan_of(variant, with_rows(variant, 3, small - 8)).launches.front().kernel, operation + "_two_reads");
}

// Rows on a GPU like an H200: sm_90, and a memory that brings each multiprocessor 37 GB/s.
inline Inputs on_fast_memory(const std::string& variant, std::uint64_t rows, std::uint64_t columns) {
    Inputs inputs = on_architecture(variant, rows, columns);
    inputs.machine.memory_gb_per_s = 4917;
    return inputs;
}

// A number among a launch's arguments: the last is 1 from last.
inline std::uint32_t number_from_last(const launch::LaunchSpec& launch, std::size_t from_last) {
    std::uint32_t value = 0;
    std::memcpy(&value, launch.values.at(launch.values.size() - from_last).value.data(), sizeof(value));
    return value;
}

// The launch of the best route for rows that a team shares: so many teams of blocks, each with a share of so many packs
// of a row and so many such shares in shared memory, which takes so many bytes.
struct TeamLaunch {
    std::uint32_t teams, blocks, share, rows_kept, shared_bytes;
};
inline void expect_team(const std::string& operation, const std::string& arguments, std::uint64_t rows,
                        std::uint64_t columns, const TeamLaunch& wanted) {
    const std::string format = arguments.starts_with("float") ? "f32" : "f16";
    Inputs inputs = with_rows(operation + "_best_" + format, rows, columns);
    inputs.kind = "small";   // made fastest; no value is looked at
    inputs.machine.architecture = 90;
    const launch::LaunchSpec launch = plan_of(operation + "_best_" + format, inputs).launches.front();
    const std::string what = fmt::format("{} {}, {} rows of {}", operation, format, rows, columns);
    EXPECT_EQ(launch.kernel, operation + "_team") << what;
    EXPECT_EQ(launch.arguments, arguments) << what;
    EXPECT_EQ(launch.grid.x, wanted.blocks) << what;
    EXPECT_EQ(launch.grid.y, wanted.teams) << what;
    // So many warps read rows, as many put out results, three ask for rows, tell, and listen.
    const auto warps = static_cast<std::uint32_t>(std::stoul(arguments.substr(arguments.rfind(' '))));
    EXPECT_EQ(launch.block.x, (2 * warps + 3) * 32) << what;
    EXPECT_EQ(launch.block.dynamic_shared_bytes, wanted.shared_bytes) << what;
    EXPECT_TRUE(launch.cooperative && launch.overlaps) << what;
    // Three arguments come after them.
    EXPECT_EQ(number_from_last(launch, 5), wanted.share) << what;
    EXPECT_EQ(number_from_last(launch, 4), wanted.rows_kept) << what;
}

// On fast memory with 60 MB of L2, what a team reads of rows leaves L2 first from 50 to 75 MB read and written; on
// slower memory never.
inline void expect_rows_leave_l2_first_where_that_is_faster(const std::string& operation, std::uint64_t columns = 65544) {
    const auto leave_first = [&](std::uint64_t megabytes, std::uint64_t of_columns, bool is_fast) {
        const std::string variant = operation + "_best_f16";
        Inputs inputs = on_fast_memory(variant, megabytes * 1000000 / (4 * of_columns), of_columns);
        if (!is_fast) inputs.machine.memory_gb_per_s = 3350;
        inputs.kind = "small";   // made fastest; no value is looked at
        inputs.machine.l2_bytes = 60 << 20;
        const launch::LaunchSpec launch = plan_of(variant, inputs).launches.front();
        EXPECT_EQ(launch.kernel, operation + "_team") << megabytes << " MB of " << of_columns;
        return number_from_last(launch, 3) == 1;
    };
    EXPECT_FALSE(leave_first(48, columns, true));
    EXPECT_TRUE(leave_first(52, columns, true));
    EXPECT_TRUE(leave_first(67, columns, true));
    EXPECT_FALSE(leave_first(80, columns, true));
    EXPECT_FALSE(leave_first(134, columns, true));
    EXPECT_TRUE(leave_first(67, 262152, true));
    EXPECT_FALSE(leave_first(67, 262152, false));
}

// A variant of floats must name each shared array of uint4 in the lesson's kernel files, to be shown as floats.
inline void expect_shared_packs_are_named(const std::string& variant) {
    const std::vector<std::string>& named = the_lesson().find(variant).float_packs;
    int found = 0;
    for (const auto& file : std::filesystem::directory_iterator(the_lesson().folder())) {
        if (file.path().extension() != ".cuh") continue;
        std::ifstream text(file.path());
        for (std::string line; std::getline(text, line);) {
            const std::size_t type = line.find("uint4 "), end = line.find("[];");
            if (line.find("__shared__") == std::string::npos || type == std::string::npos || end == std::string::npos)
                continue;
            ++found;
            const std::string array = line.substr(type + 6, end - type - 6);
            EXPECT_NE(std::find(named.begin(), named.end(), array), named.end()) << file.path() << ": " << array;
        }
    }
    EXPECT_GT(found, 0);
}

// One row of these values.
inline Inputs row_inputs(const std::string& variant, std::vector<double> row) {
    Inputs inputs = with_rows(variant, 1, row.size());
    inputs.kind = "values";
    inputs.file = std::make_shared<const std::vector<double>>(std::move(row));
    return inputs;
}

// A failure for each finding and for each expectation that does not hold.
inline void expect_right(const std::string& variant, const Inputs& inputs, const std::string& order = "ascending") {
    const launch::Plan plan = plan_of(variant, inputs);
    const launch::Outcome outcome = run(plan, order);
    const std::string what = variant + " " + inputs.kind + " n " + std::to_string(inputs.n) + " columns " +
                             std::to_string(inputs.columns) + " offset " + std::to_string(inputs.offset) + " " + order;
    for (const auto& finding : outcome.findings) ADD_FAILURE() << what << ": " << finding.sentence;
    expect_verified(plan, outcome, what);
}

// The routes of an operator, such as "layer_norm", on rows shorter than 16 bytes, under the checker. The pack at a row's
// end holds values of the rows after it, which must be there.
inline void expect_short_rows_stay_inside(const std::string& operation) {
    const auto machine = check::make_emulator();
    launch::Request request;
    request.checks = true;
    for (const std::string route : {"row_a_warp", "registers", "best"})
        for (const std::string element : {"f32", "f16", "bf16"})
            for (const std::uint64_t columns : {1u, 2u, 3u, 5u, 7u})
                for (const std::uint64_t rows : {1u, 2u, 3u, 9u}) {
                    const std::string variant = operation + "_" + route + "_" + element;
                    const launch::Plan plan = plan_of(variant, with_rows(variant, rows, columns));
                    const launch::Outcome outcome = machine->run(plan, kernels(), request);
                    const std::string what = fmt::format("{}: {} x {}", variant, rows, columns);
                    EXPECT_EQ(outcome.verdict, trace::Verdict::clean) << what;
                    expect_verified(plan, outcome, what);
                }
}

// What is in the buffer "out" as numbers, whatever their type; without what comes before the first row's results.
inline std::vector<double> results_of(const std::string& variant, const Inputs& inputs) {
    const launch::Plan plan = plan_of(variant, inputs);
    const launch::Outcome outcome = run(plan);
    std::vector<double> results;
    for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
        if (plan.buffers[b].name != "out") continue;
        const Element element = plan.buffers[b].element;
        const auto size = static_cast<std::size_t>(element_size(element));
        for (std::size_t i = inputs.offset; i < plan.buffers[b].count; ++i) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, outcome.buffers[b].data() + i * size, size);
            results.push_back(element_to_double(element, bits));
        }
    }
    return results;
}

}  // namespace lanewise::lesson::testing
