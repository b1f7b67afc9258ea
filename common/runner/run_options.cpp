#include "common/runner/run_options.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/error.hpp"

namespace lanewise::runner {

using lesson::ControlValue;
using lesson::Inputs;
using lesson::kMaxValues;
using lesson::Variant;

namespace {

// --rows and --columns, where they are given.
void choose_rows(const Variant& variant, const RunOptions& options, Inputs& inputs) {
    if (!options.rows && !options.columns) return;
    const char* flag = options.rows ? "--rows" : "--columns";
    const std::uint64_t given = options.rows ? *options.rows : *options.columns;
    const auto& names = options.variants;
    const bool named = std::find(names.begin(), names.end(), variant.name) != names.end();
    // Among all of its lesson it takes as many values, in one run.
    if (!variant.takes_rows() && !named) {
        const std::uint64_t rows = options.rows.value_or(1), columns = options.columns.value_or(1);
        if (rows <= kMaxValues / columns) inputs.n = rows * columns;
        return;
    }
    if (!variant.takes_rows())
        throw Error(
            fmt::format("{0} {1}: {2} takes one run of values and no rows; leave out {0}.", flag, given, variant.name));
    inputs.columns = options.columns.value_or(variant.columns);
    const std::uint64_t rows = options.rows.value_or(std::max<std::uint64_t>(variant.n / variant.columns, 1));
    const std::uint64_t most = variant.large_n ? lesson::kMaxLargeValues : kMaxValues;
    if (rows > most / inputs.columns)
        throw Error(
            fmt::format("{} of {} are more than the {} values that a run may have; give fewer rows or columns.",
                        counted(rows, "row"), counted(inputs.columns, "column"), most));
    inputs.n = rows * inputs.columns;
}

// "5 rows of 3 columns are 15 values".
std::string rows_text(const Inputs& inputs) {
    const std::uint64_t columns = std::max<std::uint64_t>(inputs.columns, 1);
    return fmt::format("{} of {} are {}", counted(inputs.n / columns, "row"), counted(columns, "column"),
                       counted(inputs.n, "value"));
}

// What was chosen of the controls that the variant takes. One that it does not take is another variant's, unless this
// one was named.
void choose_controls(const Variant& variant, const RunOptions& options, Inputs& inputs) {
    std::vector<ControlValue> chosen = variant.controls;
    const auto& names = options.variants;
    const bool named = std::find(names.begin(), names.end(), variant.name) != names.end();
    for (const auto& [name, text] : options.controls) {
        const auto at = std::find_if(chosen.begin(), chosen.end(),
                                     [&, &wanted = name](const ControlValue& one) { return one.first == wanted; });
        if (at != chosen.end()) at->second = text;
        else if (named)
            throw Error(fmt::format("--{0} {1}: {2} has no such control; leave out --{0}.", name, text, variant.name));
    }
    inputs.controls = lesson::ChosenControls(std::move(chosen));
}

}  // namespace

Inputs choose_inputs(const Variant& variant, const RunOptions& options) {
    Inputs inputs = lesson::Lesson::default_inputs(variant);
    if (options.warp) inputs.warp = *options.warp;
    // As many blocks as in warps of 32, of fewer threads: n shrinks with them.
    if (inputs.warp != Inputs().warp && variant.block_in_warps_of && !options.block) {
        const std::uint64_t blocks = inputs.blocks();
        inputs.block = variant.block_in_warps_of(inputs.warp);
        inputs.n = blocks * inputs.block;
    }
    if (options.block) inputs.block = *options.block;
    if (options.offset) inputs.offset = *options.offset;
    if (inputs.offset != 0 && !variant.offsets)
        throw Error(fmt::format("--offset {}: {} takes values that begin where their buffer does; leave out --offset.",
                                inputs.offset, variant.name));
    if (options.seed) inputs.seed = *options.seed;
    if (!options.input.empty()) inputs.kind = options.input;
    choose_controls(variant, options, inputs);
    if (options.n) inputs.n = *options.n;
    choose_rows(variant, options, inputs);
    if (inputs.n > kMaxValues && !variant.large_n)
        throw Error(fmt::format("--n {} is out of range; give a number from 1 to {}.", inputs.n, kMaxValues));
    if (lesson::is_generated_input(inputs.kind)) {
        if (!options.block && variant.block_for) inputs.block = variant.block_for(inputs.n);
        return inputs;
    }
    const bool typed = options.values && inputs.kind == lesson::kTypedInput;
    inputs.file =
        typed ? options.values : std::make_shared<const std::vector<double>>(lesson::read_numbers(inputs.kind));
    if (!options.n && !options.rows && !options.columns) inputs.n = inputs.file->size();
    if (inputs.n > inputs.file->size()) {
        const std::string has =
            typed ? fmt::format("--values gives {} numbers", inputs.file->size())
                  : fmt::format("the file {} holds {} numbers", inputs.kind, inputs.file->size());
        if (options.n) throw Error(fmt::format("--n {}: {}; add some, or give a smaller --n.", inputs.n, has));
        throw Error(fmt::format("{}: {}; add some, or give fewer with --rows and --columns.", rows_text(inputs), has));
    }
    if (!options.block && variant.block_for) inputs.block = variant.block_for(inputs.n);
    return inputs;
}

bool same_values(const Inputs& a, const Inputs& b) {
    return a.n == b.n && a.kind == b.kind && a.file == b.file && (a.seed == b.seed || !lesson::is_seeded_input(a.kind));
}

Inputs with_values_of(const Inputs& shared, const Inputs& own, const Variant& variant, const RunOptions& options) {
    Inputs inputs = own;
    inputs.n = shared.n;
    inputs.kind = shared.kind;
    inputs.seed = shared.seed;
    inputs.file = shared.file;
    if (!options.block && variant.block_for) inputs.block = variant.block_for(inputs.n);
    return inputs;
}

}  // namespace lanewise::runner
