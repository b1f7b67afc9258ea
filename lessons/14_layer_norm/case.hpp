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

namespace layer_norm {

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
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// ---- Reference ---------------------------------------------------------------------------------------------------

// How a kernel comes to the variance: it decides how far off mean and variance may be.
enum class Way : std::uint8_t { two_passes, squares, squares_if_near, squares_about_first, merges };

struct Rounding {
    Element element = Element::f32;  // of input and results
    Way way = Way::two_passes;
    double additions = 0;  // k: those that a value goes through
};

// The largest errors of a row's mean and variance, to first order in u but for products of errors.
struct Errors {
    double mean = 0, variance = 0;
};

// Of a row with this mean and variance; `magnitude` is the mean of |x|, `largest` the largest of them, `first` the row's
// first value.
inline Errors errors_of(double mean, double variance, double magnitude, double largest, double first,
                        const Rounding& rounding) {
    const double k = rounding.additions;
    switch (rounding.way) {
        case Way::two_passes: {
            const double dm = (k + 1) * kU * magnitude;
            return {dm, (k + 4) * kU * (variance + dm * dm) + dm * dm};
        }
        case Way::squares: {
            // The mean of squares is right to k + 1 roundings, the mean's square to twice its own; then they are
            // subtracted.
            const double dm = (k + 1) * kU * magnitude, squares = variance + mean * mean;
            return {dm, (k + 3) * kU * squares + 2 * (std::abs(mean) * dm + kU * mean * mean) + dm * dm};
        }
        case Way::squares_if_near: {
            // Squares where float finds that the mean's square is at most 31 variances, and else two passes; near the
            // limit it may find either. The mean is rounded once more: its product with the scale is.
            const Rounding shifted{rounding.element, Way::two_passes, k + 1};
            const Errors passes = errors_of(mean, variance, magnitude, largest, first, shifted);
            if (mean * mean > 32 * variance) return passes;
            const Errors squares =
                errors_of(mean, variance, magnitude, largest, first, {rounding.element, Way::squares, k + 1});
            return {std::max(passes.mean, squares.mean), std::max(passes.variance, squares.variance)};
        }
        case Way::squares_about_first: {
            // The same of values less the first one, which are rounded once more; their mean is added to it again. The mean
            // of |x - first| is at most the root of their mean square.
            const double apart = mean - first, squares_about = variance + apart * apart;
            const Errors passes =
                errors_of(mean, variance, magnitude, largest, first, {rounding.element, Way::two_passes, k + 1});
            if (apart * apart > 32 * variance) return passes;
            const Errors squares =
                errors_of(apart, variance, std::sqrt(squares_about), largest, first, {rounding.element, Way::squares, k + 2});
            return {std::max(passes.mean, squares.mean + 2 * kU * std::abs(mean)),
                    std::max(passes.variance, squares.variance)};
        }
        case Way::merges: {
            // A merge rounds the mean five times. A merge of a and b values adds delta^2 a b / (a + b), delta is off by
            // 2 dm, and a b / (a + b) is at most the smaller of both: at most one for each value that a thread adds,
            // and n for each of ten levels. So the delta^2's errors come to 2 dm * 2 sqrt(12 v) and 12 (2 dm)^2
            // (Cauchy and Schwarz).
            const double dm = 5 * k * kU * largest;
            return {dm, (k + 8) * kU * variance + 14 * dm * std::sqrt(variance) + 48 * dm * dm};
        }
    }
    return {};
}

// One row of values as their type has them.
inline RowResult normalized_row(const std::vector<double>& row, const std::vector<double>& weight,
                                const std::vector<double>& bias, double epsilon, const Rounding& rounding) {
    const auto count = static_cast<double>(row.size());
    double sum = 0, magnitude = 0, largest = 0, squares = 0;
    bool finite = true;
    for (const double value : row) {
        sum += value;
        magnitude += std::abs(value) / count;
        largest = std::max(largest, std::abs(value));
        finite = finite && std::isfinite(value);
    }
    if (!finite) return {std::vector<double>(row.size(), kNan), std::vector<double>(row.size(), 0)};
    const double mean = sum / count;
    for (const double value : row) squares += (value - mean) * (value - mean);
    // In float, squares beyond its range are infinite and the root's reciprocal is 0.
    const double variance = squares > kLargestFloat ? std::numeric_limits<double>::infinity() : squares / count;
    const double scale = 1 / std::sqrt(variance + epsilon);
    const Errors errors =
        std::isfinite(variance) ? errors_of(mean, variance, magnitude, largest, row.front(), rounding) : Errors{};
    const double relative = variance + epsilon > 0 && std::isfinite(variance)
                                ? errors.variance / (variance + epsilon) + kU + 0x1p-149 / (variance + epsilon)
                                : 0;
    // The scale's relative error: all of it, not only to first order, since the variance may be all error.
    const double of_scale =
        (relative < 1 ? 1 / std::sqrt(1 - relative) - 1 : std::numeric_limits<double>::infinity()) + 3 * kU;
    const double narrowing =
        rounding.element == Element::f32 ? 0 : lanewise::lesson::unit_roundoff(rounding.element);
    RowResult result;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const double deviation = row[i] - mean;
        const double y = deviation * scale * weight[i] + bias[i];
        const double off = std::abs(weight[i]) * scale *
                           ((std::abs(deviation) + errors.mean) * (of_scale + 4 * kU) * (1 + of_scale) + errors.mean);
        result.values.push_back(y);
        result.bounds.push_back(std::isnan(y) ? 0
                                              : off + (kU + narrowing) * (std::abs(y) + off) +
                                                    2 * lanewise::lesson::least_error(rounding.element));
    }
    return result;
}

inline const char* reason_of(const Rounding& rounding) {
    if (rounding.element != Element::f32) return "half a step of the type, and what f32 rounds (kernels.cuh)";
    return rounding.way == Way::two_passes ? "k roundings of the mean and of the variance, one an addition (kernels.cuh)"
           : rounding.way == Way::squares  ? "k roundings of the mean of squares, one an addition, of which the mean's is taken"
                                           : "5 k roundings of the mean, k merges, and what they do to the merges";
}

// ---- Plans -------------------------------------------------------------------------------------------------------

inline float epsilon_of(const Inputs& inputs) { return std::stof(inputs.controls.text("epsilon")); }

// Input, weight, bias and output of one element type.
struct Buffers {
    Buffer<void> in, weight, bias, out;
};

// 0.5, 0.75, … 2, and -1, -0.5, … 1: exact in every type, and no two neighbours alike.
inline std::vector<double> weights_of(std::uint64_t columns) {
    std::vector<double> weight(columns);
    for (std::uint64_t i = 0; i < columns; ++i) weight[i] = 0.5 + 0.25 * static_cast<double>(i % 7);
    return weight;
}
inline std::vector<double> biases_of(std::uint64_t columns) {
    std::vector<double> bias(columns);
    for (std::uint64_t i = 0; i < columns; ++i) bias[i] = -1 + 0.5 * static_cast<double>(i % 5);
    return bias;
}

// The buffers, and what must come out.
inline Buffers add_buffers(Plan& plan, const Inputs& inputs, const Rounding& rounding) {
    const Element element = rounding.element;
    const std::uint64_t columns = rows_of(inputs).columns;
    const std::vector<double> weight = weights_of(columns), bias = biases_of(columns);
    const auto in = lanewise::lesson::add_rows(plan, "in", inputs, element);
    const auto weights = plan.input_as("weight", element, weight);
    const auto biases = plan.input_as("bias", element, bias);
    // As far into its buffer as the input: results begin as far from a multiple of 16 bytes.
    const auto out = plan.scratch_as("out", element, inputs.offset + inputs.n).from(inputs.offset);
    plan.bytes_moved = 2 * (inputs.n + columns) * static_cast<std::uint64_t>(lanewise::element_size(element));
    const auto epsilon = static_cast<double>(epsilon_of(inputs));
    lanewise::lesson::expect_rows(
        plan, out, inputs, element,
        [&](const std::vector<double>& row) { return normalized_row(row, weight, bias, epsilon, rounding); },
        reason_of(rounding));
    return {in, weights, biases, out};
}

// One block for each row. `typed`: the element type is the kernel's first template argument.
inline void plan_rows(Plan& plan, const Inputs& inputs, const std::string& kernel, bool typed, Rounding rounding) {
    const Rows rows = rows_of(inputs);
    rounding.additions = additions_in(rows.columns, inputs.block);
    const Buffers b = add_buffers(plan, inputs, rounding);
    const std::string block = std::to_string(inputs.block);
    plan.launch(kernel, typed ? type_of(rounding.element) + ", " + block : block, Grid{rows.blocks()},
                Block{inputs.block}, b.in, b.weight, b.bias, b.out, columns_of(inputs), epsilon_of(inputs));
}

// A row for each warp, which is a block.
inline void plan_warps(Plan& plan, const Inputs& inputs, const std::string& kernel, Way way) {
    if (inputs.block != 32)
        throw lanewise::Error(kernel + " takes a warp for each row; leave out --block, or give --block 32.");
    const Rows rows = rows_of(inputs);
    const Buffers b = add_buffers(plan, inputs, {.way = way, .additions = additions_in(rows.columns, 32)});
    plan.launch(kernel, "", Grid{rows.blocks()}, Block{32}, b.in, b.weight, b.bias, b.out, columns_of(inputs),
                epsilon_of(inputs));
}

}  // namespace layer_norm
