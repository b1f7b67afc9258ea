// What the kernels of this lesson are run on and what they must give: used by the lesson and by its test.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "lessons/06_grid_stride/case.hpp"

namespace vectorized {

using lanewise::launch::Plan;
using lanewise::lesson::gamma;
using lanewise::lesson::Inputs;
using lanewise::lesson::rounds_of;

// Stands before the values where they begin at in[1]: a kernel that adds it is seen to be wrong.
inline constexpr float kNotAValue = 1000;

inline void expect_sum(Plan& plan, lanewise::launch::Buffer<float> out, const std::vector<float>& values,
                       std::uint64_t values_a_thread, std::uint64_t block, std::uint64_t blocks) {
    const auto sums = lanewise::lesson::sums_of(values, values.size());
    // The values of a thread, a pack by a tree of its own or one by one; then log2(block) rounds in two levels; the
    // first atomic adds to zero, which is exact.
    const int depth = 5 + rounds_of(static_cast<std::uint32_t>((block + 31) / 32));
    const auto additions = static_cast<double>(values_a_thread + blocks - 1) + depth;
    plan.expect(out, {sums.sum}, gamma(additions) * sums.magnitude,
                "(values a thread + depth in the block + blocks - 1) * 2^-24 * sum|x|");
}

// A run of values a thread, on the grid of the lesson before: the same for every width of load, so that what differs
// is the number of requests. The values begin at in[first].
inline void plan_runs(Plan& plan, const Inputs& inputs, const std::string& kernel, int first) {
    const std::vector<float> values = inputs.values<float>();
    std::vector<float> held(static_cast<std::size_t>(first), kNotAValue);
    held.insert(held.end(), values.begin(), values.end());
    const std::uint32_t blocks = grid_stride::blocks_of(inputs.n, inputs.block);
    const std::uint64_t threads = std::uint64_t{blocks} * inputs.block;
    const auto in = plan.input("in", held);
    const auto out = plan.total<float>("out", 1);
    plan.launch(kernel, std::to_string(inputs.block), {blocks}, {inputs.block}, in, out, first,
                static_cast<int>(inputs.n));
    // A thread's turns are rounded up to whole packs of at most four; it may add a value of the head and one of the
    // tail besides.
    const std::uint64_t most = 4 * ((inputs.n / 4 + threads - 1) / threads) + 2;
    expect_sum(plan, out, values, most, inputs.block, blocks);
}

// One turn for each thread: inputs.block values a block, by inputs.block / per_thread threads.
inline void plan_one_turn(Plan& plan, const Inputs& inputs, const std::string& kernel, std::uint32_t per_thread) {
    const std::vector<float> values = inputs.values<float>();
    const std::uint32_t blocks = inputs.blocks();
    const auto in = plan.input("in", values);
    const auto out = plan.total<float>("out", 1);
    plan.launch(kernel, std::to_string(inputs.block), {blocks}, {inputs.block / per_thread}, in, out,
                static_cast<int>(inputs.n));
    expect_sum(plan, out, values, per_thread, inputs.block / per_thread, blocks);
}

}  // namespace vectorized
