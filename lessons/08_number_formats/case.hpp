// What the kernels of this lesson are run on and what they must give: used by the lesson and by its test.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "common/launch/plan.hpp"
#include "common/lesson/inputs.hpp"
#include "common/lesson/references.hpp"
#include "lessons/08_number_formats/list.hpp"
#include "lessons/08_number_formats/rehearsal.hpp"

namespace number_formats {

using lanewise::launch::Block;
using lanewise::launch::Buffer;
using lanewise::launch::Grid;
using lanewise::launch::Plan;
using lanewise::lesson::Inputs;

// Stands before the values where they begin further on in their buffer: a kernel that adds it is seen to be wrong.
inline constexpr double kNotAValue = 1000;

// The values as `element` has them; integers are rounded down. Where fractions would leave nothing of them, integers
// are scaled: `random` is from -128 to 127 (i32: -1000 to 999), `small` is 1.
inline std::vector<double> values_of(const Inputs& inputs, Element element) {
    std::vector<double> values = inputs.values<double>();
    const bool integer = !lanewise::is_float(element);
    const double random = element == i8 ? 128 : 1000;
    const double scale = !integer ? 1 : inputs.kind == "random" ? random : inputs.kind == "small" ? 0x1p9 : 1;
    for (double& value : values) value = rounded(element, integer ? std::floor(value * scale) : value);
    return values;
}

// The values in a buffer, `offset` elements behind its beginning.
inline Buffer<void> input_from(Plan& plan, Element element, const std::vector<double>& values, std::uint32_t offset) {
    if (offset == 0) return plan.input_as("in", element, values);
    std::vector<double> held(offset, kNotAValue);
    held.insert(held.end(), values.begin(), values.end());
    return plan.input_as("in", element, held).from(offset);
}

inline void count_bytes(Plan& plan, Element in, std::uint64_t read, Element out, std::uint64_t written) {
    plan.bytes_moved = read * static_cast<std::uint64_t>(lanewise::element_size(in)) +
                       written * static_cast<std::uint64_t>(lanewise::element_size(out));
}

// Could a partial sum of these values leave the format's range, or is one of them out of it already?
inline bool may_overflow(Element element, double magnitude) {
    return !(magnitude * (1 + 64 * unit_roundoff(element)) < largest(element));
}

// One sum of all values. `values` are of the kernel's input format.
inline void plan_total(Plan& plan, const Kernel& kernel, const std::vector<double>& values, std::uint32_t block,
                       std::uint32_t offset) {
    const Shape shape(kernel, values.size(), block, offset);
    const bool integer = kernel.in == i8;
    const auto in = input_from(plan, kernel.in, values, offset);
    const auto out = plan.total_as("out", integer ? i32 : f32, 1);
    plan.launch(kernel.full_name(), std::to_string(block), Grid{shape.blocks}, Block{shape.threads}, in, out,
                static_cast<int>(values.size()));
    count_bytes(plan, kernel.in, values.size(), f32, 1);
    if (integer) {
        plan.expect(out, {rehearse(kernel, shape, values)}, 0, "integers are added exactly");
        return;
    }
    const auto sums = lanewise::lesson::sums_of(values, kernel.runs ? values.size() : block);
    const bool narrow = kernel.pair != f32;   // then so is the accumulator, or it comes after
    // Threads take their values in order, but a head shifts them: a block's lie in two neighbouring slices at most.
    const bool beyond = !std::isfinite(sums.magnitude) || may_overflow(f32, sums.magnitude) ||
                        (narrow && may_overflow(kernel.pair, 2 * sums.largest_block));
    if (beyond) {
        const double total = rehearse(kernel, shape, values);
        if (!std::isfinite(total)) {
            plan.expect(out, {total}, 0,
                        "a sum leaves the range of its type, or a value is not finite: what IEEE arithmetic gives");
            return;
        }
    }
    const Bound relative = bound_of(kernel, shape);
    const double bound = relative.relative * sums.magnitude;
    plan.expect(
        out, {sums.sum}, bound,
        relative.reason + (bound > std::abs(sums.sum) ? ", more than the sum itself: it promises no digit" : ""));
}

// The warp functions: the sum of each slice of `block` values. `name` is what follows "warp_sums_".
inline void plan_warps(Plan& plan, const Inputs& inputs, const std::string& name, Element element,
                       Element accumulator) {
    const std::vector<double> values = values_of(inputs, element);
    const std::uint32_t slices = inputs.blocks();
    std::vector<double> reference;
    double magnitude = 0;
    for (std::uint32_t slice = 0; slice < slices; ++slice) {
        std::vector<double> lanes(inputs.block, 0.0);
        for (std::uint64_t i = 0; i < inputs.block && std::uint64_t{slice} * inputs.block + i < values.size(); ++i)
            lanes[i] = values[std::uint64_t{slice} * inputs.block + i];
        const auto sums = lanewise::lesson::sums_of(lanes, lanes.size());
        // Addition by addition only where it matters: it takes as long as all else here together.
        const bool wraps = !lanewise::is_float(accumulator);
        const bool matters = wraps || may_overflow(accumulator, sums.magnitude);
        const double in_order = matters ? tree(accumulator, lanes) : sums.sum;
        const bool exact = wraps || !std::isfinite(in_order);
        reference.push_back(exact ? in_order : sums.sum);
        if (!exact) magnitude = std::max(magnitude, sums.magnitude);
    }
    const auto in = input_from(plan, element, values, inputs.offset);
    const auto out = plan.output_as("out", accumulator, slices);
    plan.launch("warp_sums_" + name, std::to_string(inputs.block), Grid{slices}, Block{inputs.block}, in, out,
                static_cast<int>(inputs.n));
    count_bytes(plan, element, inputs.n, accumulator, slices);
    const int rounds = rounds_of(inputs.block);
    plan.expect(out, std::move(reference), gamma(rounds, unit_roundoff(accumulator)) * magnitude,
                lanewise::is_float(accumulator) ? "rounds * u * sum|x| of a slice" : "integers are added exactly");
}

// block_reduce_sum_f32 and block_reduce_max_f32: what each thread holds.
inline void plan_block(Plan& plan, const std::vector<double>& values, std::uint32_t block, std::uint32_t offset,
                       bool largest_value) {
    const auto blocks = static_cast<std::uint32_t>((values.size() + block - 1) / block);
    const std::uint64_t threads = std::uint64_t{blocks} * block;
    std::vector<double> padded = values;
    padded.resize(threads, largest_value ? -std::numeric_limits<double>::infinity() : 0);
    std::vector<double> reference;
    double magnitude = 0;   // the largest of a block with a finite sum
    for (std::uint64_t first = 0; first < threads; first += block) {
        const std::vector<double> held(padded.begin() + static_cast<std::ptrdiff_t>(first),
                                       padded.begin() + static_cast<std::ptrdiff_t>(first + block));
        double result = held[0];
        if (largest_value) {
            for (const double value : held) result = std::fmax(result, value);
        } else {
            const auto sums = lanewise::lesson::sums_of(held, held.size());
            result = sums.sum;
            if (may_overflow(f32, sums.magnitude)) {
                std::vector<double> warp_sums;
                for (std::size_t warp = 0; warp < held.size(); warp += 32)
                    warp_sums.push_back(
                        tree(f32, {held.begin() + static_cast<std::ptrdiff_t>(warp),
                                   held.begin() + static_cast<std::ptrdiff_t>(std::min(warp + 32, held.size()))}));
                warp_sums.resize(32);
                result = tree(f32, std::move(warp_sums));
            }
            if (std::isfinite(result)) magnitude = std::max(magnitude, sums.magnitude);
        }
        reference.insert(reference.end(), block, result);
    }
    const auto in = input_from(plan, f32, values, offset);
    const auto out = plan.output_as("out", f32, threads);
    plan.launch(largest_value ? "block_maxima_f32" : "block_sums_f32", std::to_string(block), Grid{blocks},
                Block{block}, in, out, static_cast<int>(values.size()));
    count_bytes(plan, f32, values.size(), f32, threads);
    plan.expect(out, std::move(reference), gamma(rounds_of(block)) * magnitude,
                largest_value ? "comparing rounds nothing" : "depth in the block * 2^-24 * sum|x| of a block");
}

}  // namespace number_formats
