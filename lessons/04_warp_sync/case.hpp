// What the kernels of this lesson are run on and what they must give: used by the lesson and by its test.
#pragma once

#include <string>
#include <vector>

#include "common/launch/plan.hpp"
#include "common/lesson/inputs.hpp"
#include "common/lesson/references.hpp"

namespace warp_sync {

// One block for each inputs.block values; out is the sum of all, by one atomic a block.
inline void plan_block(lanewise::launch::Plan& plan, const lanewise::lesson::Inputs& inputs,
                       const std::string& kernel) {
    const std::vector<float> values = inputs.values<float>();
    const std::uint32_t blocks = inputs.blocks();
    const auto sums = lanewise::lesson::sums_of(values, inputs.block);
    const auto in = plan.input("in", values);
    const auto out = plan.total<float>("out", 1);
    plan.launch(kernel, std::to_string(inputs.block), {blocks}, {inputs.block}, in, out, static_cast<int>(inputs.n));
    // The first atomic adds to zero, which is exact.
    const double additions = lanewise::lesson::rounds_of(inputs.block) + blocks - 1.0;
    plan.expect(out, {sums.sum}, lanewise::lesson::gamma(additions) * sums.magnitude,
                "(rounds + blocks - 1) * 2^-24 * sum|x|");
}

// The same blocks without the atomic: out is one partial sum a block, each a tree of log2(block) roundings.
inline void plan_partials(lanewise::launch::Plan& plan, const lanewise::lesson::Inputs& inputs,
                          const std::string& kernel) {
    const std::vector<float> values = inputs.values<float>();
    const std::uint32_t blocks = inputs.blocks();
    const auto sums = lanewise::lesson::sums_of(values, inputs.block);
    const auto in = plan.input("in", values);
    const auto out = plan.output<float>("out", blocks);
    plan.launch(kernel, std::to_string(inputs.block), {blocks}, {inputs.block}, in, out, static_cast<int>(inputs.n));
    plan.expect(out, sums.block_sums, lanewise::lesson::gamma(lanewise::lesson::rounds_of(inputs.block)) *
                                          sums.largest_block, "rounds * 2^-24 * sum|x| of a block");
}

}  // namespace warp_sync
