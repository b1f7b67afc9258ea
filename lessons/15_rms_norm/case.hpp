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

namespace rms_norm {

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
inline constexpr double kLargestFloat = 0x1.fffffep127;

// ---- Reference ---------------------------------------------------------------------------------------------------

// One row: values of `element`, `additions` that a square goes through.
inline RowResult normalized_row(const std::vector<double>& row, const std::vector<double>& weight, double epsilon,
                                Element element, double additions) {
    double squares = 0;
    for (const double value : row) squares += value * value;
    const auto count = static_cast<double>(row.size());
    // In float, squares beyond its range are infinite and the root's reciprocal is 0.
    const double mean = squares > kLargestFloat ? std::numeric_limits<double>::infinity() : squares / count;
    const double scale = 1 / std::sqrt(mean + epsilon);
    // Squares below the least float cost something too.
    const double lost = 0x1p-149 / std::max(mean + epsilon, 0x1p-149);
    const double relative = (additions / 2 + 5) * kU + lost;
    const double narrowing = element == Element::f32 ? 0 : lanewise::lesson::unit_roundoff(element);
    RowResult result;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const double y = row[i] * scale * weight[i];
        const double first = relative / (1 - relative);
        result.values.push_back(y);
        result.bounds.push_back(
            std::isfinite(y)
                ? std::abs(y) * (first + narrowing * (1 + first)) + 2 * lanewise::lesson::least_error(element)
                : 0);
    }
    return result;
}

inline const char* reason_of(Element element) {
    return element == Element::f32 ? "(k / 2 + 5) u of each result: k additions, u = 2^-24"
                                   : "half a step of the type, and (k / 2 + 5) 2^-24: k additions";
}

// ---- Plans -------------------------------------------------------------------------------------------------------

inline float epsilon_of(const Inputs& inputs) { return std::stof(inputs.controls.text("epsilon")); }

// Input, weight and output of one element type.
struct Buffers {
    Buffer<void> in, weight, out;
};

// 0.5, 0.75, … 2: exact in every type, and no two neighbours alike.
inline std::vector<double> weights_of(std::uint64_t columns) {
    std::vector<double> weight(columns);
    for (std::uint64_t i = 0; i < columns; ++i) weight[i] = 0.5 + 0.25 * static_cast<double>(i % 7);
    return weight;
}

// The buffers, and what must come out where a square goes through `additions`.
inline Buffers add_buffers(Plan& plan, const Inputs& inputs, Element element, double additions) {
    const std::uint64_t columns = rows_of(inputs).columns;
    const std::vector<double> weight = weights_of(columns);
    const auto in = lanewise::lesson::add_rows(plan, "in", inputs, element);
    const auto given = plan.input_as("weight", element, weight);
    // As far into its buffer as the input: results begin as far from a multiple of 16 bytes.
    const auto out = plan.scratch_as("out", element, inputs.offset + inputs.n).from(inputs.offset);
    plan.bytes_moved = (2 * inputs.n + columns) * static_cast<std::uint64_t>(lanewise::element_size(element));
    const auto epsilon = static_cast<double>(epsilon_of(inputs));
    lanewise::lesson::expect_rows(
        plan, out, inputs, element,
        [&](const std::vector<double>& row) { return normalized_row(row, weight, epsilon, element, additions); },
        reason_of(element));
    return {in, given, out};
}

// One block for each row. `typed`: the element type is the kernel's first template argument.
inline void plan_rows(Plan& plan, const Inputs& inputs, const std::string& kernel, bool typed, Element element) {
    const Rows rows = rows_of(inputs);
    const Buffers b = add_buffers(plan, inputs, element, additions_in(rows.columns, inputs.block));
    const std::string block = std::to_string(inputs.block);
    plan.launch(kernel, typed ? type_of(element) + ", " + block : block, Grid{rows.blocks()}, Block{inputs.block}, b.in,
                b.weight, b.out, columns_of(inputs), epsilon_of(inputs));
}

}  // namespace rms_norm
