// What the kernel is run on and what it must give: used by the lesson and by its test.
#pragma once

#include <string>
#include <vector>

#include "common/launch/plan.hpp"
#include "common/lesson/inputs.hpp"
#include "common/lesson/references.hpp"

namespace slice_sum {

// Buffers, launch, and what must come out, computed in double.
inline void plan(lanewise::launch::Plan& plan, const lanewise::lesson::Inputs& inputs) {
    const std::vector<float> values = inputs.values<float>();
    const auto sums = lanewise::lesson::sums_of(values, inputs.block);
    const double bound = lanewise::lesson::gamma(lanewise::lesson::rounds_of(inputs.block)) * sums.largest_block;

    const auto in = plan.input("in", values);
    const auto out = plan.output<float>("out", inputs.blocks());
    plan.launch("slice_sum", std::to_string(inputs.block), {inputs.blocks()}, {inputs.block}, in, out,
                static_cast<int>(inputs.n));
    plan.expect(out, sums.block_sums, bound, "rounds * 2^-24 * sum|x| of a slice");
}

}  // namespace slice_sum
