// What the kernels of this lesson are run on and what they must give: used by the lesson and by its test.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "common/launch/plan.hpp"
#include "common/lesson/inputs.hpp"
#include "common/lesson/references.hpp"

namespace add_rms_norm_lesson {

using lanewise::Element;
using lanewise::launch::Block;
using lanewise::launch::Buffer;
using lanewise::launch::Grid;
using lanewise::launch::Plan;
using lanewise::lesson::gamma;
using lanewise::lesson::Inputs;

inline constexpr float kEpsilon = 1e-6f;
// The most floats of a row that a block keeps in shared memory here: no GPU needs to be asked for more than 48 KB.
inline constexpr std::uint64_t kMostKept = 8192;

struct Shape {
    std::uint64_t rows = 1, dim = 1;
};

// n values in rows of 4096 where there are many, else of 256; one row of all where they make no whole rows.
inline Shape shape_of(const Inputs& inputs) {
    const std::uint64_t dim = inputs.n >= (1u << 20) && inputs.n % 4096 == 0 ? 4096 : 256;
    if (inputs.n % dim != 0) return {1, inputs.n};
    return {inputs.n / dim, dim};
}

inline double rounded(Element element, double value) {
    return lanewise::element_to_double(element, lanewise::element_from_double(element, value));
}

inline std::string type_of(Element element) { return element == Element::f16 ? "__half" : "float"; }

struct Tensors {
    Buffer<void> a, b, y, residual_out;
    Buffer<float> weight;
};

// Buffers, and what must come out. `in_place`: y is a, and residual_out is b.
inline Tensors add_tensors(Plan& plan, const Inputs& inputs, Element element, std::uint64_t additions,
                           bool in_place = false) {
    const Shape shape = shape_of(inputs);
    Inputs second = inputs;
    ++second.seed;
    const std::vector<double> a = inputs.values<double>(), b = second.values<double>();
    std::vector<float> weight(shape.dim);
    for (std::uint64_t i = 0; i < shape.dim; ++i) weight[i] = 1.0f + 0.25f * static_cast<float>(i % 4);

    Tensors tensors;
    tensors.a = plan.input_as("a", element, a);
    tensors.b = plan.input_as("b", element, b);
    tensors.weight = plan.input("weight", weight);
    tensors.y = in_place ? tensors.a : plan.output_as("y", element, inputs.n);
    tensors.residual_out = in_place ? tensors.b : plan.output_as("residual_out", element, inputs.n);
    const auto size = static_cast<std::uint64_t>(lanewise::element_size(element));
    plan.bytes_moved = 4 * inputs.n * size + shape.dim * sizeof(float);

    std::vector<double> sums(inputs.n), results(inputs.n);
    double largest = 0;
    for (std::uint64_t row = 0; row < shape.rows; ++row) {
        double squares = 0;
        for (std::uint64_t i = row * shape.dim; i < (row + 1) * shape.dim; ++i) {
            const float sum = static_cast<float>(rounded(element, a[i])) + static_cast<float>(rounded(element, b[i]));
            sums[i] = rounded(element, static_cast<double>(sum));
            squares += sums[i] * sums[i];
        }
        const double scale = 1 / std::sqrt(squares / static_cast<double>(shape.dim) + static_cast<double>(kEpsilon));
        for (std::uint64_t i = 0; i < shape.dim; ++i) {
            double& result = results[row * shape.dim + i];
            result = sums[row * shape.dim + i] * scale * static_cast<double>(weight[i]);
            if (std::isfinite(result)) largest = std::max(largest, std::abs(result));
        }
    }
    // The root halves the error of the sum of squares; a division, a root, a quotient and two products round once each.
    const double in_float = gamma(static_cast<double>(additions) / 2 + 5);
    const double bound = largest * (in_float + (element == Element::f16 ? 0x1p-11 * (1 + in_float) : 0));
    plan.expect(tensors.residual_out, std::move(sums), 0, "a sum of two, rounded as IEEE arithmetic says");
    plan.expect(tensors.y, std::move(results), bound,
                element == Element::f16 ? "((additions / 2 + 5) * 2^-24 + 2^-11) * the largest |y|"
                                        : "(additions / 2 + 5) * 2^-24 * the largest |y|");
    return tensors;
}

// Additions that a square goes through where `threads` threads share a row: those of its thread, and two levels.
inline std::uint64_t additions_of(const Shape& shape, std::uint64_t threads) {
    return (shape.dim + threads - 1) / threads + 8 + 10;
}

inline int dim_of(const Shape& shape) { return static_cast<int>(shape.dim); }

inline void plan_two_kernels(Plan& plan, const Inputs& inputs) {
    const Shape shape = shape_of(inputs);
    const Tensors t = add_tensors(plan, inputs, Element::f32, additions_of(shape, inputs.block));
    const Grid grid{static_cast<std::uint32_t>(shape.rows)};
    const std::string block = std::to_string(inputs.block);
    plan.launch("add_rows", block, grid, Block{inputs.block}, t.a, t.b, t.residual_out, dim_of(shape));
    plan.launch("norm_rows", block, grid, Block{inputs.block}, t.residual_out, t.weight, t.y, dim_of(shape), kEpsilon);
}

inline void plan_read_again(Plan& plan, const Inputs& inputs) {
    const Shape shape = shape_of(inputs);
    const Tensors t = add_tensors(plan, inputs, Element::f32, additions_of(shape, inputs.block));
    plan.launch("fused_read_again", std::to_string(inputs.block), Grid{static_cast<std::uint32_t>(shape.rows)},
                Block{inputs.block}, t.a, t.b, t.weight, t.y, t.residual_out, dim_of(shape), kEpsilon);
}

inline void launch_by_element(Plan& plan, const Inputs& inputs, Element element, const Tensors& t, const Shape& shape) {
    const bool keep = shape.dim <= kMostKept;
    Block block{inputs.block};
    if (keep) block.dynamic_shared_bytes = static_cast<std::uint32_t>(shape.dim * sizeof(float));
    plan.launch("fused_by_element", type_of(element) + ", float, " + std::to_string(inputs.block),
                Grid{static_cast<std::uint32_t>(shape.rows)}, block, t.a, t.b, t.weight, t.y, t.residual_out,
                dim_of(shape), kEpsilon, keep ? 1 : 0);
}

inline void plan_by_element(Plan& plan, const Inputs& inputs) {
    const Shape shape = shape_of(inputs);
    const Tensors t = add_tensors(plan, inputs, Element::f32, additions_of(shape, inputs.block));
    launch_by_element(plan, inputs, Element::f32, t, shape);
}

// Packs that each of `threads` threads takes of a row: 1, 2 or 4; 0 where that is not enough, or packs are not whole.
inline std::uint32_t packs_for(const Shape& shape, Element element, std::uint64_t threads) {
    const std::uint64_t values = 16 / static_cast<std::uint64_t>(lanewise::element_size(element));
    if (shape.dim % values != 0) return 0;
    for (const std::uint32_t packs : {1u, 2u, 4u})
        if (shape.dim / values <= threads * packs) return packs;
    return 0;
}

// As the operator does: in registers where the row fits, else value by value.
inline void plan_in_registers(Plan& plan, const Inputs& inputs, Element element, bool in_place = false) {
    const Shape shape = shape_of(inputs);
    const Tensors t = add_tensors(plan, inputs, element, additions_of(shape, inputs.block), in_place);
    const std::uint32_t packs = packs_for(shape, element, inputs.block);
    if (packs == 0) return launch_by_element(plan, inputs, element, t, shape);
    plan.launch("fused_in_registers",
                type_of(element) + ", float, " + std::to_string(inputs.block) + ", " + std::to_string(packs),
                Grid{static_cast<std::uint32_t>(shape.rows)}, Block{inputs.block}, t.a, t.b, t.weight, t.y,
                t.residual_out, dim_of(shape), kEpsilon);
}

inline void plan_by_warp(Plan& plan, const Inputs& inputs) {
    const Shape shape = shape_of(inputs);
    const Tensors t = add_tensors(plan, inputs, Element::f32, additions_of(shape, 32));
    const std::uint32_t packs = packs_for(shape, Element::f32, 32);
    if (packs == 0) return launch_by_element(plan, inputs, Element::f32, t, shape);
    const std::uint64_t rows_a_block = std::max(1u, inputs.block / 32);
    plan.launch("fused_by_warp", std::to_string(inputs.block) + ", " + std::to_string(packs),
                Grid{static_cast<std::uint32_t>((shape.rows + rows_a_block - 1) / rows_a_block)}, Block{inputs.block},
                t.a, t.b, t.weight, t.y, t.residual_out, dim_of(shape), kEpsilon, static_cast<int>(shape.rows));
}

}  // namespace add_rms_norm_lesson
