// What the kernels of this lesson are run on and what they must give: used by the lesson and by its test. The previous
// lesson's kernel runs here, too, as it does in its own lesson.
#pragma once

#include <string>
#include <vector>

#include "lessons/01_global_memory/case.hpp"

namespace shared_memory {

using global_memory::Block;
using global_memory::Grid;
using global_memory::Inputs;
using global_memory::Plan;
using global_memory::plan_global;
using global_memory::plan_to_one;

// A tree in shared memory, a slice of inputs.block values a block.
inline void plan_shared(Plan& plan, const Inputs& inputs, const std::string& kernel) {
    const std::vector<float> values = inputs.values<float>();
    const std::uint32_t blocks = inputs.blocks();
    const auto in = plan.input("in", values);
    const auto out = plan.output<float>("out", blocks);
    plan.launch(kernel, std::to_string(inputs.block), Grid{blocks}, Block{inputs.block}, in, out,
                static_cast<int>(inputs.n));
    global_memory::expect_partials(plan, inputs, values, out);
}

}  // namespace shared_memory
