// What lessons on rows share: rows of values next to each other, one reduction and one result (or as many as there are
// values) for each. A lesson gives the reference of one row in double, and a bound for each of its results.
//
//     const Rows rows = rows_of(inputs);
//     const auto in = add_rows(plan, "in", inputs, Element::f16);
//     const auto out = plan.output_as("out", Element::f16, rows.values());
//     plan.launch("row_sum", "128", {rows.blocks()}, {128}, in, out, static_cast<int>(rows.columns));
//     expect_rows(plan, out, inputs, Element::f16, [](const std::vector<double>& row) { return RowResult{…}; }, "…");
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/element.hpp"
#include "common/launch/plan.hpp"
#include "common/lesson/inputs.hpp"

namespace lanewise::lesson {

struct Rows {
    std::uint64_t count = 1;
    std::uint64_t columns = 1;

    std::uint64_t values() const { return count * columns; }
    // One block for each `rows_a_block` rows.
    std::uint32_t blocks(std::uint64_t rows_a_block = 1) const {
        return static_cast<std::uint32_t>((count + rows_a_block - 1) / rows_a_block);
    }
};

// The rows that n values make; one row of them all where n is no multiple of the columns.
inline Rows rows_of(const Inputs& inputs) {
    if (inputs.columns == 0 || inputs.n % inputs.columns != 0) return {1, inputs.n};
    return {inputs.n / inputs.columns, inputs.columns};
}

// A kernel's parameter `columns`.
inline int columns_of(const Inputs& inputs) { return static_cast<int>(rows_of(inputs).columns); }

// A kernel's template argument: the type of its values.
inline std::string type_of(Element element) {
    return element == Element::f16 ? "__half" : element == Element::bf16 ? "__nv_bfloat16" : "float";
}

// Additions that a value goes through where `threads` share a row: those of its thread, a pack's, and two levels.
inline double additions_in(std::uint64_t columns, std::uint64_t threads) {
    return static_cast<double>((columns + threads - 1) / threads + 8 + 10);
}

// Half the distance from 1 to the next number of the type: 2^-24 of f32, 2^-11 of f16, 2^-8 of bf16.
inline double unit_roundoff(Element element) { return std::ldexp(0.5, -float_layout(element).fraction_bits); }

// Half the distance between neighbours next to zero: what rounding costs however small the result is.
inline double least_error(Element element) {
    return element == Element::f16 ? 0x1p-25 : element == Element::bf16 ? 0x1p-134 : 0x1p-150;
}

// Comes before the values where they begin further on in their buffer.
inline constexpr double kNotAValue = 1000;

// The plan's input of inputs.offset + n values of `element`. In pieces and by all cores, for n may be 2^30.
inline launch::Buffer<void> add_rows(launch::Plan& plan, const std::string& name, const Inputs& inputs,
                                     Element element) {
    constexpr std::uint64_t kPiece = 1u << 18;
    auto buffer = plan.input_as(name, element, std::vector<double>(inputs.offset, kNotAValue));
    launch::BufferSpec& spec = plan.buffers.back();
    const auto size = static_cast<std::size_t>(element_size(element));
    spec.count += inputs.n;
    spec.contents.resize(spec.bytes());
    std::byte* const bytes = spec.contents.data() + inputs.offset * size;
    const std::uint64_t pieces = (inputs.n + kPiece - 1) / kPiece;
    const auto work = [&](std::uint64_t begin, std::uint64_t step) {
        for (std::uint64_t piece = begin; piece < pieces; piece += step) {
            const std::uint64_t first = piece * kPiece;
            const std::vector<double> values = inputs.part(first, std::min(kPiece, inputs.n - first));
            for (std::size_t i = 0; i < values.size(); ++i) {
                const std::uint64_t bits = element_from_double(element, values[i]);
                std::memcpy(bytes + (first + i) * size, &bits, size);
            }
        }
    };
    const std::uint64_t threads = std::min<std::uint64_t>(std::max(1u, std::thread::hardware_concurrency()), pieces);
    std::vector<std::thread> others;
    for (std::uint64_t t = 1; t < threads; ++t) others.emplace_back(work, t, threads);
    work(0, threads);
    for (std::thread& other : others) other.join();
    return buffer.from(inputs.offset);
}

// What one row must give, and how far off each result may be.
struct RowResult {
    std::vector<double> values;
    std::vector<double> bounds;
};

// Rows that are checked where there are more values than can be recomputed in double in a moment: the first, the last,
// and some between, spread evenly.
inline std::vector<std::uint64_t> checked_rows(const Rows& rows) {
    constexpr std::uint64_t kMostValues = 1u << 20;
    const std::uint64_t most =
        std::clamp<std::uint64_t>(kMostValues / rows.columns, std::min<std::uint64_t>(4, rows.count), rows.count);
    std::vector<std::uint64_t> chosen;
    for (std::uint64_t i = 0; i < most; ++i)
        chosen.push_back(most == rows.count ? i : i * (rows.count - 1) / std::max<std::uint64_t>(most - 1, 1));
    return chosen;
}

// Row number `row` as the type has it.
inline std::vector<double> row_of(const Inputs& inputs, Element element, std::uint64_t row) {
    const Rows rows = rows_of(inputs);
    std::vector<double> values = inputs.part(row * rows.columns, rows.columns);
    for (double& value : values) value = element_to_double(element, element_from_double(element, value));
    return values;
}

// Expects of `out` what `result_of(values of a row)`, a RowResult, gives for each row that is checked; the results of
// neighbouring rows are next to each other. `element` is that of the input.
template <class T, class ResultOf>
void expect_rows(launch::Plan& plan, launch::Buffer<T> out, const Inputs& inputs, Element element,
                 const ResultOf& result_of, const std::string& reason) {
    const Rows rows = rows_of(inputs);
    const std::vector<std::uint64_t> chosen = checked_rows(rows);
    const std::string text = chosen.size() == rows.count ? reason
                                                         : reason + " (" + std::to_string(chosen.size()) + " of " +
                                                               std::to_string(rows.count) + " rows checked)";
    RowResult all;
    std::uint64_t first = 0, after = 0;  // rows in `all`
    const auto expect = [&] {
        if (after == first) return;
        const std::uint64_t a_row = all.values.size() / (after - first);
        plan.expect_each(out, first * a_row, std::move(all.values), std::move(all.bounds), text);
        all = {};
    };
    for (const std::uint64_t row : chosen) {
        if (row != after) {
            expect();
            first = row;
        }
        RowResult one = result_of(row_of(inputs, element, row));
        all.values.insert(all.values.end(), one.values.begin(), one.values.end());
        all.bounds.insert(all.bounds.end(), one.bounds.begin(), one.bounds.end());
        after = row + 1;
    }
    expect();
}

}  // namespace lanewise::lesson
