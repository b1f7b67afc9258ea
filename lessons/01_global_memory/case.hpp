// What the kernels of this lesson are run on and what they must give: used by the lesson and by its test.
#pragma once

#include <string>
#include <vector>

#include "common/launch/plan.hpp"
#include "common/lesson/inputs.hpp"
#include "common/lesson/references.hpp"

namespace global_memory {

using lanewise::launch::Block;
using lanewise::launch::Buffer;
using lanewise::launch::Grid;
using lanewise::launch::Plan;
using lanewise::lesson::Inputs;

// One partial sum a block: what they must add up to. A tree is log2(block) roundings deep; the host adds in double.
inline void expect_partials(Plan& plan, const Inputs& inputs, const std::vector<float>& values, Buffer<float> out) {
    const auto sums = lanewise::lesson::sums_of(values, inputs.block);
    const double bound = lanewise::lesson::gamma(lanewise::lesson::rounds_of(inputs.block)) * sums.magnitude;
    plan.expect(out, {sums.sum}, bound, "rounds * 2^-24 * sum|x|", true);
    plan.bytes_moved = 4 * (inputs.n + inputs.blocks());
}

// A tree in a scratch buffer in global memory, a slice of inputs.block values a block.
inline void plan_global(Plan& plan, const Inputs& inputs, const std::string& kernel) {
    const std::vector<float> values = inputs.values<float>();
    const std::uint32_t blocks = inputs.blocks();
    const auto in = plan.input("in", values);
    const auto scratch = plan.scratch<float>("scratch", std::uint64_t{blocks} * inputs.block);
    const auto out = plan.output<float>("out", blocks);
    plan.snapshot(scratch, inputs.block);
    plan.launch(kernel, std::to_string(inputs.block), Grid{blocks}, Block{inputs.block}, in, scratch, out,
                static_cast<int>(inputs.n));
    expect_partials(plan, inputs, values, out);
}

// Launches a kernel again on the partial sums it left, until one is left: `out`. A kernel with a `scratch` buffer works
// in it. Each level is log2(block) roundings deep.
inline void plan_to_one(Plan& plan, const Inputs& inputs, const std::string& kernel, bool scratch) {
    const std::vector<float> values = inputs.values<float>();
    const auto sums = lanewise::lesson::sums_of(values, inputs.block);
    auto in = plan.input("in", values);
    const auto work = scratch ? plan.scratch<float>("scratch", std::uint64_t{inputs.blocks()} * inputs.block)
                              : Buffer<float>{};
    int levels = 0;
    for (std::uint64_t n = inputs.n;; ++levels) {
        const auto blocks = static_cast<std::uint32_t>((n + inputs.block - 1) / inputs.block);
        const auto out = plan.output<float>(blocks == 1 ? "out" : "partials_" + std::to_string(levels + 1), blocks);
        const std::string instance = std::to_string(inputs.block);
        if (scratch)
            plan.launch(kernel, instance, Grid{blocks}, Block{inputs.block}, in, work, out, static_cast<int>(n));
        else
            plan.launch(kernel, instance, Grid{blocks}, Block{inputs.block}, in, out, static_cast<int>(n));
        in = out;
        n = blocks;
        if (blocks == 1) break;
    }
    const int rounds = (levels + 1) * lanewise::lesson::rounds_of(inputs.block);
    plan.expect(in, {sums.sum}, lanewise::lesson::gamma(rounds) * sums.magnitude,
                "launches * rounds * 2^-24 * sum|x|");
    plan.bytes_moved = 4 * (inputs.n + 1);
}

}  // namespace global_memory
