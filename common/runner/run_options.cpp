#include "common/runner/run_options.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "common/base/error.hpp"

namespace lanewise::lesson {

namespace {

// --rows and --columns, where they are given.
void choose_rows(const Variant& variant, const RunOptions& options, Inputs& inputs) {
    if (!options.rows && !options.columns) return;
    const char* flag = options.rows ? "--rows" : "--columns";
    const std::uint64_t given = options.rows ? *options.rows : *options.columns;
    const auto& names = options.variants;
    const bool named = std::find(names.begin(), names.end(), variant.name) != names.end();
    // Among all of its lesson it takes as many values, in one run.
    if (variant.columns == 0 && !named) {
        const std::uint64_t rows = options.rows.value_or(1), columns = options.columns.value_or(1);
        if (rows <= kMaxValues / columns) inputs.n = rows * columns;
        return;
    }
    if (variant.columns == 0)
        throw Error(
            fmt::format("{0} {1}: {2} takes one run of values and no rows; leave out {0}.", flag, given, variant.name));
    inputs.columns = options.columns.value_or(variant.columns);
    const std::uint64_t rows = options.rows.value_or(std::max<std::uint64_t>(variant.n / variant.columns, 1));
    const std::uint64_t most = variant.large_n ? kMaxLargeValues : kMaxValues;
    if (rows > most / inputs.columns)
        throw Error(
            fmt::format("{} rows of {} columns are more than the {} values that a run may have; give fewer rows "
                        "or columns.",
                        rows, inputs.columns, most));
    inputs.n = rows * inputs.columns;
}

}  // namespace

Inputs choose_inputs(const Variant& variant, const RunOptions& options) {
    Inputs inputs = Lesson::default_inputs(variant);
    if (options.block) inputs.block = *options.block;
    if (options.warp) inputs.warp = *options.warp;
    if (options.offset) inputs.offset = *options.offset;
    if (inputs.offset != 0 && !variant.offsets)
        throw Error(fmt::format("--offset {}: {} takes values that begin where their buffer does; leave out --offset.",
                                inputs.offset, variant.name));
    if (options.seed) inputs.seed = *options.seed;
    if (!options.input.empty()) inputs.kind = options.input;
    if (options.n) inputs.n = *options.n;
    choose_rows(variant, options, inputs);
    if (inputs.n > kMaxValues && !variant.large_n)
        throw Error(fmt::format("--n {} is out of range; give a number from 1 to {}.", inputs.n, kMaxValues));
    if (is_generated_input(inputs.kind)) {
        if (!options.block && variant.block_for) inputs.block = variant.block_for(inputs.n);
        return inputs;
    }
    inputs.file = std::make_shared<const std::vector<double>>(read_numbers(inputs.kind));
    if (!options.n && !options.rows && !options.columns) inputs.n = inputs.file->size();
    if (inputs.n > inputs.file->size())
        throw Error(fmt::format("--n {}: the file {} holds {} numbers; add some, or give a smaller --n.", inputs.n,
                                inputs.kind, inputs.file->size()));
    if (!options.block && variant.block_for) inputs.block = variant.block_for(inputs.n);
    return inputs;
}

}  // namespace lanewise::lesson
