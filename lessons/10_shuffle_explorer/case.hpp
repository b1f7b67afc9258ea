// What the kernels of this lesson are run on and what they must give: used by the lesson and by its test.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "common/launch/plan.hpp"
#include "common/lesson/inputs.hpp"

namespace shuffle_explorer {

using lanewise::Element;
using lanewise::PerLane;
using lanewise::launch::Block;
using lanewise::launch::Buffer;
using lanewise::launch::Grid;
using lanewise::launch::Plan;
using lanewise::lesson::Inputs;

constexpr std::uint32_t kLanes = 32;

// What one shuffle is: all that may be chosen.
struct Shuffle {
    std::string op = "xor";
    PerLane<std::int32_t> arg{};
    int width = 32;
    std::uint32_t mask = 0xffffffffu;
    std::string type = "int";
};

inline Shuffle chosen(const Inputs& inputs) {
    return {inputs.controls.text("op"), inputs.controls.lanes("arg"), std::stoi(inputs.controls.text("width")),
            inputs.controls.mask("mask"), inputs.controls.text("type")};
}

// A type that lanes hold: as the control, the kernel's template argument and a buffer name it.
struct HeldType {
    const char* name;
    const char* argument;
    Element element;
    int parts = 1;  // elements in one value
};
constexpr HeldType kTypes[] = {{"int", "int", Element::i32},
                               {"unsigned", "unsigned", Element::u32},
                               {"float", "float", Element::f32},
                               {"double", "double", Element::f64},
                               {"longlong", "long long", Element::i64},
                               {"half", "__half", Element::f16},
                               {"bfloat16", "__nv_bfloat16", Element::bf16},
                               {"half2", "__half2", Element::f16, 2}};

inline const HeldType& type_named(const std::string& name) {
    return *std::find_if(std::begin(kTypes), std::end(kTypes), [&](const HeldType& type) { return name == type.name; });
}

// The lane that `lane` reads by the CUDA Programming Guide: groups of `width` lanes; a lane whose source would
// lie outside its group keeps its own value, but xor may reach an earlier group; the argument counts modulo 32.
inline int source_of(const std::string& op, int lane, int arg, int width) {
    const int group = lane / width, place = lane % width;
    const int by = ((arg % 32) + 32) % 32;
    if (op == "idx") return group * width + by % width;
    if (op == "up") return by > place ? lane : lane - by;
    if (op == "down") return place + by >= width ? lane : lane + by;
    int partner = 0;  // bit by bit
    for (int bit = 1; bit < 32; bit *= 2) partner += ((lane & bit) != 0) != ((by & bit) != 0) ? bit : 0;
    return partner / width > group ? lane : partner;
}

// The values of whole warps as the type holds them, the last warp padded with zeros. The second part of a pair is the
// first one's negative.
inline std::vector<double> held_values(const Inputs& inputs, const HeldType& type) {
    std::vector<double> values;
    for (const double value : inputs.values<double>()) {
        const double first =
            lanewise::element_to_double(type.element, lanewise::element_from_double(type.element, value));
        values.push_back(first);
        if (type.parts == 2) values.push_back(-first);
    }
    return values;
}

// One shuffle of every 32 values. Where a lane reads one that the mask does not name, nothing is expected of it.
inline void plan_shuffle(Plan& plan, const Inputs& inputs, const Shuffle& shuffle) {
    const HeldType& type = type_named(shuffle.type);
    const std::uint32_t warps = static_cast<std::uint32_t>((inputs.n + kLanes - 1) / kLanes);
    const auto parts = static_cast<std::size_t>(type.parts);
    std::vector<double> values = held_values(inputs, type);
    const auto in = plan.input_as("in", type.element, values);
    const auto arg = plan.input("arg", std::vector<int>(shuffle.arg.begin(), shuffle.arg.end()));
    const auto out = plan.output_as("out", type.element, std::uint64_t{warps} * kLanes * parts);
    plan.launch("shuffle_" + shuffle.op, type.argument, Grid{warps}, Block{kLanes}, in, arg, out,
                static_cast<int>(inputs.n), shuffle.mask, shuffle.width);
    values.resize(std::size_t{warps} * kLanes * parts, 0.0);
    // Runs of lanes of which something is expected, each an expectation of its own.
    std::vector<double> expected;
    std::uint64_t first = 0;
    const auto expect = [&] {
        const std::size_t count = expected.size();
        if (count != 0)
            plan.expect_each(out, first, std::move(expected), std::vector<double>(count, 0.0), "a copy rounds nothing");
        expected.clear();
    };
    for (std::uint64_t warp = 0; warp < warps; ++warp)
        for (int lane = 0; lane < static_cast<int>(kLanes); ++lane) {
            const bool takes_part = shuffle.mask >> lane & 1u;
            const int source =
                takes_part ? source_of(shuffle.op, lane, shuffle.arg[static_cast<std::size_t>(lane)], shuffle.width)
                           : lane;
            const std::uint64_t at = warp * kLanes + static_cast<std::uint64_t>(lane);
            if (!(shuffle.mask >> source & 1u) && takes_part) {
                expect();
                continue;
            }
            if (expected.empty()) first = at * parts;
            for (std::size_t part = 0; part < parts; ++part)
                expected.push_back(values[(warp * kLanes + static_cast<std::uint64_t>(source)) * parts + part]);
        }
    expect();
}

// The values as whole numbers in whole groups of `size`, the last padded with zeros.
inline std::vector<std::int64_t> padded(const std::vector<int>& values, std::size_t size) {
    std::vector<std::int64_t> result(values.begin(), values.end());
    result.resize((values.size() + size - 1) / size * size, 0);
    return result;
}

// A kernel of ints, of which `expected` says what all of `out` holds.
inline void plan_ints(Plan& plan, const Inputs& inputs, const std::string& kernel, const std::string& arguments,
                      std::uint32_t values_a_warp, const std::vector<std::int64_t>& expected) {
    const std::vector<int> values = inputs.values<int>();
    const auto warps = static_cast<std::uint32_t>((values.size() + values_a_warp - 1) / values_a_warp);
    const auto in = plan.input("in", values);
    const auto out = plan.output<int>("out", expected.size());
    plan.launch(kernel, arguments, Grid{warps}, Block{kLanes}, in, out, static_cast<int>(inputs.n));
    plan.expect(out, std::vector<double>(expected.begin(), expected.end()), 0, "whole numbers are exact");
}

// What each lane holds after rounds in which it adds the value of its source lane: `offsets` in order.
inline std::vector<std::int64_t> after_rounds(std::vector<std::int64_t> held, const std::string& op, int width,
                                              const std::vector<int>& offsets) {
    for (const int offset : offsets) {
        const std::vector<std::int64_t> before = held;
        for (std::size_t i = 0; i < held.size(); ++i) {
            const int source = source_of(op, static_cast<int>(i % kLanes), offset, width);
            held[i] += before[i / kLanes * kLanes + static_cast<std::size_t>(source)];
        }
    }
    return held;
}

inline void plan_tree(Plan& plan, const Inputs& inputs, const std::string& op) {
    plan_ints(plan, inputs, "tree_" + op, "", kLanes,
              after_rounds(padded(inputs.values<int>(), kLanes), op, 32, {16, 8, 4, 2, 1}));
}

inline void plan_segments(Plan& plan, const Inputs& inputs) {
    const int width = std::stoi(inputs.controls.text("width"));
    std::vector<int> offsets;
    for (int offset = width / 2; offset > 0; offset /= 2) offsets.push_back(offset);
    plan_ints(plan, inputs, "segmented_sums", std::to_string(width), kLanes,
              after_rounds(padded(inputs.values<int>(), kLanes), "down", width, offsets));
}

inline void plan_prefix(Plan& plan, const Inputs& inputs) {
    std::vector<std::int64_t> sums = padded(inputs.values<int>(), kLanes);
    for (std::size_t i = 0; i < sums.size(); ++i)
        if (i % kLanes != 0) sums[i] += sums[i - 1];
    plan_ints(plan, inputs, "prefix_sum", "", kLanes, sums);
}

inline void plan_transpose(Plan& plan, const Inputs& inputs) {
    const std::vector<std::int64_t> from = padded(inputs.values<int>(), 4 * kLanes);
    std::vector<std::int64_t> to(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[i / 16 * 16 + i % 4 * 4 + i / 4 % 4];
    plan_ints(plan, inputs, "transpose", "", 4 * kLanes, to);
}

}  // namespace shuffle_explorer
