// What the kernel is run on and what it must give: used by the lesson and by its test.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "common/launch/plan.hpp"
#include "common/lesson/inputs.hpp"

namespace slice_sum {

// Buffers, launch, and what must come out, computed in double.
inline void plan(lanewise::launch::Plan& plan, const lanewise::lesson::Inputs& inputs) {
    const std::vector<float> values = inputs.values<float>();
    std::vector<double> sums(inputs.blocks()), magnitudes(inputs.blocks());
    for (std::size_t i = 0; i < values.size(); ++i) {
        sums[i / inputs.block] += values[i];
        magnitudes[i / inputs.block] += std::abs(static_cast<double>(values[i]));
    }
    // No value goes through more than log2(32) = 5 additions, each of relative error 2^-24 at most.
    const double bound = 5.1 * 0x1p-24 * *std::max_element(magnitudes.begin(), magnitudes.end());

    const auto in = plan.input("in", values);
    const auto out = plan.output<float>("out", sums.size());
    plan.launch("slice_sum", std::to_string(inputs.block), {inputs.blocks()}, {inputs.block}, in, out,
                static_cast<int>(inputs.n));
    plan.expect(out, sums, bound, "rounds * 2^-24 * sum|x| of a slice");
}

}  // namespace slice_sum
