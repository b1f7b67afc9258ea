// What the kernels of this lesson are run on and what they must give: used by the lesson and by its test.
#pragma once

#include <string>
#include <vector>

#include "common/launch/plan.hpp"
#include "common/lesson/inputs.hpp"
#include "common/lesson/references.hpp"

namespace atomics {

using lanewise::launch::Block;
using lanewise::launch::Grid;
using lanewise::launch::Plan;
using lanewise::lesson::Inputs;

// out is the sum of all. `additions` is the most that any value goes through; the first addition to a zeroed word is
// exact and is not counted.
inline void plan_sum(Plan& plan, const Inputs& inputs, const std::string& kernel, double additions,
                     const std::string& said) {
    const std::vector<float> values = inputs.values<float>();
    const std::uint32_t blocks = inputs.blocks();
    const auto sums = lanewise::lesson::sums_of(values, inputs.block);
    const auto in = plan.input("in", values);
    const auto out = plan.total<float>("out", 1);
    plan.launch(kernel, std::to_string(inputs.block), Grid{blocks}, Block{inputs.block}, in, out,
                static_cast<int>(inputs.n));
    plan.expect(out, {sums.sum}, lanewise::lesson::gamma(additions) * sums.magnitude, said + " * 2^-24 * sum|x|");
    plan.bytes_moved = 4 * (inputs.n + 1);
}

inline void plan_tree(Plan& plan, const Inputs& inputs) {
    plan_sum(plan, inputs, "atomic_tree", lanewise::lesson::rounds_of(inputs.block) + inputs.blocks() - 1.0,
             "(rounds + blocks - 1)");
}

inline void plan_each(Plan& plan, const Inputs& inputs) {
    plan_sum(plan, inputs, "atomic_each", static_cast<double>(inputs.n) - 1, "(n - 1)");
}

inline void plan_shared(Plan& plan, const Inputs& inputs) {
    plan_sum(plan, inputs, "atomic_shared", inputs.block + inputs.blocks() - 2.0, "(threads + blocks - 2)");
}

}  // namespace atomics
