// What the kernels of this lesson are run on and what they must give: used by the lesson and by its test.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "common/launch/plan.hpp"
#include "common/lesson/inputs.hpp"
#include "common/lesson/references.hpp"

namespace grid_stride {

using lanewise::launch::Plan;
using lanewise::lesson::gamma;
using lanewise::lesson::Inputs;
using lanewise::lesson::rounds_of;

// The grid of a grid-stride kernel: a thread for each kValuesPerThread values, so that its run is long beside the tree
// that follows; but no more than kMostBlocks blocks, because each ends with a tree and an atomic of its own. From then
// on the runs grow with n.
inline constexpr std::uint64_t kValuesPerThread = 16;
inline constexpr std::uint64_t kMostBlocks = 1024;

inline std::uint32_t blocks_of(std::uint64_t n, std::uint64_t block) {
    const std::uint64_t per_block = block * kValuesPerThread;
    return static_cast<std::uint32_t>(std::clamp((n + per_block - 1) / per_block, std::uint64_t{1}, kMostBlocks));
}

inline void plan_sum(Plan& plan, const Inputs& inputs, const std::string& kernel, std::uint32_t blocks) {
    const std::vector<float> values = inputs.values<float>();
    const auto sums = lanewise::lesson::sums_of(values, values.size());
    const std::uint64_t threads = std::uint64_t{blocks} * inputs.block;
    const std::uint64_t run = (inputs.n + threads - 1) / threads;
    // A run begins at zero, and the first atomic adds to zero: both are exact. The block's sum is log2(block) deep, in
    // one level or in two (32 lanes, then the warp sums, rounded up to a power of two).
    const int depth = 5 + rounds_of((inputs.block + 31) / 32);
    const double additions = static_cast<double>(run - 1) + depth + blocks - 1;
    const auto in = plan.input("in", values);
    const auto out = plan.total<float>("out", 1);
    plan.launch(kernel, std::to_string(inputs.block), {blocks}, {inputs.block}, in, out, static_cast<int>(inputs.n));
    plan.expect(out, {sums.sum}, gamma(additions) * sums.magnitude,
                "(values a thread - 1 + depth in the block + blocks - 1) * 2^-24 * sum|x|");
}

// One value a thread.
inline void plan_one_value(Plan& plan, const Inputs& inputs, const std::string& kernel) {
    plan_sum(plan, inputs, kernel, inputs.blocks());
}

// A run of values a thread, on the grid above.
inline void plan_runs(Plan& plan, const Inputs& inputs, const std::string& kernel) {
    plan_sum(plan, inputs, kernel, blocks_of(inputs.n, inputs.block));
}

}  // namespace grid_stride
