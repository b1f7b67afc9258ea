// What the kernels of this lesson are run on and what they must give: used by the lesson and by its test.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "common/base/error.hpp"
#include "common/launch/plan.hpp"
#include "common/lesson/inputs.hpp"
#include "common/lesson/references.hpp"
#include "common/lesson/rows.hpp"

namespace softmax {

using lanewise::Element;
using lanewise::launch::Block;
using lanewise::launch::Buffer;
using lanewise::launch::Grid;
using lanewise::launch::Plan;
using lanewise::lesson::additions_in;
using lanewise::lesson::columns_of;
using lanewise::lesson::Inputs;
using lanewise::lesson::RowResult;
using lanewise::lesson::Rows;
using lanewise::lesson::rows_of;
using lanewise::lesson::type_of;

inline constexpr double kU = 0x1p-24;
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
// Beyond, exp(-d) is 0 in float.
inline constexpr double kLargestDistance = 104;

// ---- References ------------------------------------------------------------------------------------------------

// How a kernel rounds: the terms of the bound on top of kernels.cuh, in units of u.
struct Rounding {
    Element element = Element::f32;  // of the results
    double additions = 0;            // k
    bool merges = false;             // pairs are merged: 4 k
    bool fast = false;               // __expf
    bool down = false;               // narrowed downwards: a whole step
    bool with_max = true;            // m is the row's largest value, else 0

    double sum_error() const { return merges ? 4 * additions : additions; }
    // The relative error of exp(-d), d >= 0, the difference's rounding included.
    double exp_error(double d) const {
        const double difference = with_max ? d : 0;
        return difference + (fast ? 4 + 2.4 * d : 2);
    }
    double narrowing() const {
        return element == Element::f32 ? 0 : lanewise::lesson::unit_roundoff(element) * (down ? 2 : 1);
    }
};

// Is there a NaN, plus infinity, or nothing but minus infinity? Then every result is NaN.
inline bool is_nan_throughout(const std::vector<double>& row) {
    const double infinity = std::numeric_limits<double>::infinity();
    bool finite = false;
    for (const double value : row) {
        if (std::isnan(value) || value == infinity) return true;
        finite = finite || std::isfinite(value);
    }
    return !finite;
}

// A bound on |y (1 + e) rounded - y| for |e| <= relative, where exponentials below the least float cost something too.
inline double bound_of(double y, double relative, double absolute, const Rounding& rounding) {
    const double first = relative / (1 - relative);
    return y * (first + rounding.narrowing() * (1 + first)) + absolute +
           lanewise::lesson::least_error(rounding.element) * (rounding.down ? 2 : 1);
}

// Softmax with the largest value taken off first.
inline RowResult safe_row(const std::vector<double>& row, const Rounding& rounding) {
    if (is_nan_throughout(row)) return {std::vector<double>(row.size(), kNan), std::vector<double>(row.size(), 0)};
    const double m = *std::max_element(row.begin(), row.end());
    double sum = 0, furthest = 0;
    for (const double value : row) {
        sum += std::exp(value - m);
        furthest = std::max(furthest, std::min(m - value, kLargestDistance));
    }
    RowResult result;
    const double in_sum = rounding.exp_error(furthest) + rounding.sum_error();
    const double absolute = static_cast<double>(row.size() + 4) * 0x1p-149;
    for (const double value : row) {
        const double y = std::exp(value - m) / sum;
        const double relative = (rounding.exp_error(std::min(m - value, kLargestDistance)) + in_sum + 5) * kU;
        result.values.push_back(y);
        result.bounds.push_back(bound_of(y, relative, absolute, rounding));
    }
    return result;
}

// Softmax with m = 0, as float arithmetic has it: beyond the largest float there is infinity.
inline RowResult plain_row(const std::vector<double>& row, const Rounding& rounding) {
    const double infinity = std::numeric_limits<double>::infinity();
    const auto as_float = [&](double value) {
        return value > 0x1.fffffep127 ? infinity : value < 0x1p-150 ? 0 : value;
    };
    double sum = 0;
    for (const double value : row) sum += as_float(std::exp(value));
    sum = as_float(sum);
    RowResult result;
    const double relative = (2 * rounding.exp_error(0) + rounding.sum_error() + 1) * kU;
    const double absolute = sum > 0 && sum < infinity ? static_cast<double>(row.size() + 4) * 0x1p-149 / sum : 0;
    for (const double value : row) {
        const double y = as_float(std::exp(value)) / sum;
        result.values.push_back(y);
        result.bounds.push_back(std::isfinite(y) ? bound_of(y, relative, absolute, rounding) : 0);
    }
    return result;
}

inline const char* reason_of(const Rounding& rounding) {
    if (!rounding.with_max) return "(5 + k) u of each result: k additions, u = 2^-24";
    if (rounding.element != Element::f32)
        return rounding.down ? "a whole step of the type, rounded down"
                             : "half a step of the type, and what f32 rounds";
    return rounding.fast     ? "(6.8 d + 12 + k) u of each result: d below the largest, k additions, u = 2^-24"
           : rounding.merges ? "(2 d + 6 + 4 k) u of each result: d below the largest, k merges, u = 2^-24"
                             : "(2 d + 6 + k) u of each result: d below the largest, k additions, u = 2^-24";
}

// ---- Plans -----------------------------------------------------------------------------------------------------

// Input and output of one element type: the values, and as many results. Each is read once and written once by what the
// operator needs, whatever a kernel does.
struct Buffers {
    Buffer<void> in, out;
};
inline Buffers add_buffers(Plan& plan, const Inputs& inputs, Element element) {
    const auto in = lanewise::lesson::add_rows(plan, "in", inputs, element);
    const auto size = static_cast<std::uint64_t>(lanewise::element_size(element));
    plan.bytes_moved = 2 * inputs.n * size;
    // As far into its buffer as the input: results begin as far from a multiple of 16 bytes.
    return {in, plan.scratch_as("out", element, inputs.offset + inputs.n).from(inputs.offset)};
}

inline void expect(Plan& plan, const Buffers& buffers, const Inputs& inputs, const Rounding& rounding) {
    const auto result = [&](const std::vector<double>& row) {
        return rounding.with_max ? safe_row(row, rounding) : plain_row(row, rounding);
    };
    lanewise::lesson::expect_rows(plan, buffers.out, inputs, rounding.element, result, reason_of(rounding));
}

// One block for each row. `typed`: the element type is the kernel's first template argument.
inline void plan_rows(Plan& plan, const Inputs& inputs, const std::string& kernel, bool typed, Rounding rounding) {
    const Rows rows = rows_of(inputs);
    rounding.additions = additions_in(rows.columns, inputs.block);
    const Buffers buffers = add_buffers(plan, inputs, rounding.element);
    const std::string block = std::to_string(inputs.block);
    plan.launch(kernel, typed ? type_of(rounding.element) + ", " + block : block, Grid{rows.blocks()},
                Block{inputs.block}, buffers.in, buffers.out, columns_of(inputs));
    expect(plan, buffers, inputs, rounding);
}

// A row for each warp, which is a block; `arguments` are the kernel's template arguments.
inline void plan_warps(Plan& plan, const Inputs& inputs, const std::string& kernel, const std::string& arguments) {
    if (inputs.block != 32)
        throw lanewise::Error(kernel + " takes a warp for each row; leave out --block, or give --block 32.");
    const Rows rows = rows_of(inputs);
    const Buffers buffers = add_buffers(plan, inputs, Element::f32);
    plan.launch(kernel, arguments, Grid{rows.blocks()}, Block{32}, buffers.in, buffers.out, columns_of(inputs));
    expect(plan, buffers, inputs, {.additions = additions_in(rows.columns, 32), .merges = true});
}

// Blocks that share one vector: as many as there are values for, at most two for each multiprocessor.
inline std::uint32_t vector_blocks(const Inputs& inputs) {
    return std::clamp<std::uint32_t>(inputs.blocks(), 1, 2 * inputs.machine.multiprocessors);
}

enum class Join : std::uint8_t { launches, grid_barrier, fence };

// One vector over many blocks.
inline void plan_vector(Plan& plan, const Inputs& inputs, Join join) {
    const std::uint32_t blocks = vector_blocks(inputs);
    const std::string block = std::to_string(inputs.block);
    const int n = static_cast<int>(inputs.n);
    const Buffers buffers = add_buffers(plan, inputs, Element::f32);
    const auto partials = plan.scratch<float>("partials", 2 * std::uint64_t{blocks});
    const Grid grid{blocks};
    const Block threads{inputs.block};
    if (join == Join::launches) {
        plan.launch("vector_pairs", block, grid, threads, buffers.in, partials, n);
        plan.launch("vector_write", block, grid, threads, buffers.in, buffers.out, partials, static_cast<int>(blocks),
                    n);
    } else {
        plan.launch(join == Join::fence ? "vector_fence" : "vector_grid_barrier", block, grid, threads, buffers.in,
                    buffers.out, partials, n);
        plan.launches.back().cooperative = join == Join::grid_barrier;
    }
    const double additions =
        additions_in(inputs.n, std::uint64_t{blocks} * inputs.block) + additions_in(blocks, inputs.block);
    expect(plan, buffers, inputs, {.additions = additions, .merges = true});
}

// The sum of softmax(row)[i] * weights[i].
inline void plan_attention(Plan& plan, const Inputs& inputs) {
    if (inputs.block != 32)
        throw lanewise::Error("attention_f32 takes a warp for each row; leave out --block, or give --block 32.");
    const Rows rows = rows_of(inputs);
    Inputs second = inputs;
    second.n = rows.columns;
    ++second.seed;
    const std::vector<float> weights = second.values<float>();
    const auto in = lanewise::lesson::add_rows(plan, "in", inputs, Element::f32);
    const auto given = plan.input("weights", weights);
    const auto out = plan.scratch<float>("out", rows.count);
    plan.launch("attention_f32", "", Grid{rows.blocks()}, Block{32}, in, given, out, columns_of(inputs));
    plan.bytes_moved = 4 * (inputs.n + rows.columns + rows.count);
    const Rounding rounding{.additions = additions_in(rows.columns, 32), .merges = true};
    const auto result = [&](const std::vector<double>& row) {
        const RowResult softmax = safe_row(row, rounding);
        double value = 0, bound = 0;
        for (std::size_t i = 0; i < row.size(); ++i) {
            value += softmax.values[i] * weights[i];
            // The weighted sum's own additions, and those of the sum that it is divided by, which are in the bound.
            bound += (softmax.bounds[i] + softmax.values[i] * 4 * (rounding.additions + 1) * kU) * std::abs(weights[i]);
        }
        return RowResult{{value}, {std::isnan(value) ? 0 : bound * (1 + 0x1p-10)}};
    };
    lanewise::lesson::expect_rows(plan, out, inputs, Element::f32, result,
                                  "(2 d + 6 + 8 k) u * sum of softmax * |weights|");
}

}  // namespace softmax
