#include "common/runner/run_options.hpp"

#include <memory>

#include <fmt/format.h>

#include "common/base/error.hpp"

namespace lanewise::lesson {

Inputs choose_inputs(const Variant& variant, const RunOptions& options) {
    Inputs inputs = Lesson::default_inputs(variant);
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
    if (options.n) inputs.n = *options.n;
    if (inputs.n > kMaxValues && !variant.large_n)
        throw Error(fmt::format("--n {} is out of range; give a number from 1 to {}.", inputs.n, kMaxValues));
    if (is_generated_input(inputs.kind)) {
        if (!options.block && variant.block_for) inputs.block = variant.block_for(inputs.n);
        return inputs;
    }
    inputs.file = std::make_shared<const std::vector<double>>(read_numbers(inputs.kind));
    if (!options.n) inputs.n = inputs.file->size();
    if (inputs.n > inputs.file->size())
        throw Error(fmt::format("--n {}: the file {} holds {} numbers; add some, or give a smaller --n.", inputs.n,
                                inputs.kind, inputs.file->size()));
    if (!options.block && variant.block_for) inputs.block = variant.block_for(inputs.n);
    return inputs;
}

bool same_values(const Inputs& a, const Inputs& b) {
    return a.n == b.n && a.kind == b.kind && a.file == b.file && (a.seed == b.seed || !is_seeded_input(a.kind));
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

}  // namespace lanewise::lesson
