// What the kernels of this lesson are run on and what they must give: used by the lesson and by its test.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "common/launch/plan.hpp"
#include "common/lesson/inputs.hpp"
#include "common/lesson/references.hpp"

namespace warp_shuffle {

using lanewise::launch::Block;
using lanewise::launch::Grid;
using lanewise::launch::Plan;
using lanewise::lesson::gamma;
using lanewise::lesson::Inputs;
using lanewise::lesson::rounds_of;

enum class Direction { down, xor_, up };
enum class Join { sum, max, min };

inline double identity(Join join) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return join == Join::sum ? 0 : join == Join::max ? -infinity : infinity;
}

inline double joined(Join join, double a, double b) {
    return join == Join::sum ? a + b : join == Join::max ? std::max(a, b) : std::min(a, b);
}

// What each lane of a slice holds after the rounds, in double. Past the edge a lane reads itself.
inline std::vector<double> after_rounds(Direction direction, Join join, std::vector<double> held) {
    const int width = static_cast<int>(held.size());
    for (int offset = width / 2; offset > 0; offset /= 2) {
        const std::vector<double> before = held;
        for (int lane = 0; lane < width; ++lane) {
            int source = direction == Direction::down ? lane + offset
                         : direction == Direction::up ? lane - offset
                                                      : lane ^ offset;
            if (source < 0 || source >= width) source = lane;
            held[lane] = joined(join, before[lane], before[source]);
        }
    }
    return held;
}

// The values in whole slices of `width`, the last padded with the join's identity.
inline std::vector<double> padded(const std::vector<float>& values, std::uint32_t width, Join join) {
    std::vector<double> result(values.begin(), values.end());
    result.resize((values.size() + width - 1) / width * width, identity(join));
    return result;
}

// Four bytes read and `written` words of four bytes written.
inline void count_bytes(Plan& plan, std::uint64_t read, std::uint64_t written) {
    plan.bytes_moved = 4 * (read + written);
}

// One warp kernel over every slice of inputs.block values: out holds each slice's result, lanes what each lane ends
// with. `extra` are arguments after n.
template <class... Extra>
void plan_warp(Plan& plan, const Inputs& inputs, const std::string& kernel, Direction direction, Join join,
               Extra... extra) {
    const std::vector<float> values = inputs.values<float>();
    const std::uint32_t width = inputs.block, slices = inputs.blocks();
    const std::vector<double> slots = padded(values, width, join);
    std::vector<double> out, lanes;
    double largest = 0;  // the largest sum of |x| that any lane of any slice ends with
    for (std::uint32_t s = 0; s < slices; ++s) {
        const std::vector<double> slice(slots.begin() + s * width, slots.begin() + (s + 1) * width);
        const auto held = after_rounds(direction, join, slice);
        out.push_back(held[direction == Direction::up ? width - 1 : 0]);
        lanes.insert(lanes.end(), held.begin(), held.end());
        if (join != Join::sum) continue;
        std::vector<double> magnitudes = slice;
        for (double& x : magnitudes) x = std::abs(x);
        const auto sums = after_rounds(direction, join, magnitudes);
        largest = std::max(largest, *std::max_element(sums.begin(), sums.end()));
    }
    const double bound = join == Join::sum ? gamma(rounds_of(width)) * largest : 0;
    const std::string reason = join == Join::sum ? "rounds * 2^-24 * sum|x| of a slice" : "comparing rounds nothing";

    const auto in = plan.input("in", values);
    const auto results = plan.output<float>("out", slices);
    const auto held = plan.output<float>("lanes", lanes.size());
    plan.launch(kernel, std::to_string(width), Grid{slices}, Block{width}, in, results, held,
                static_cast<int>(inputs.n), extra...);
    count_bytes(plan, inputs.n, slices + lanes.size());
    plan.expect(results, std::move(out), bound, reason);
    plan.expect(held, std::move(lanes), bound, reason);
}

inline void plan_broadcast(Plan& plan, const Inputs& inputs, int source) {
    const std::vector<float> values = inputs.values<float>();
    const std::uint32_t width = inputs.block, slices = inputs.blocks();
    const std::vector<double> slots = padded(values, width, Join::sum);
    std::vector<double> out, lanes;
    for (std::uint32_t s = 0; s < slices; ++s) {
        out.push_back(slots[s * width + static_cast<std::uint32_t>(source) % width]);
        lanes.insert(lanes.end(), width, out.back());
    }
    const auto in = plan.input("in", values);
    const auto results = plan.output<float>("out", slices);
    const auto held = plan.output<float>("lanes", lanes.size());
    plan.launch("warp_broadcast", std::to_string(width), Grid{slices}, Block{width}, in, results, held,
                static_cast<int>(inputs.n), source);
    count_bytes(plan, inputs.n, slices + lanes.size());
    plan.expect(results, std::move(out), 0, "copying rounds nothing");
    plan.expect(held, std::move(lanes), 0, "copying rounds nothing");
}

// One block kernel: out is the sum of all, by one atomic a block. With `every_thread` the kernel also writes `totals`,
// what each thread holds at the end: its block's sum.
inline void plan_block(Plan& plan, const Inputs& inputs, const std::string& kernel, bool every_thread = false) {
    const std::vector<float> values = inputs.values<float>();
    const std::uint32_t blocks = inputs.blocks();
    const auto sums = lanewise::lesson::sums_of(values, inputs.block);
    // A tree over the block is log2(block) deep, in one level or in two (the warp sums, rounded up to a power of two);
    // the first atomic adds to zero, which is exact.
    const int depth = rounds_of(inputs.warp) + rounds_of((inputs.block + inputs.warp - 1) / inputs.warp);
    const auto in = plan.input("in", values);
    const auto out = plan.total<float>("out", 1);
    const int n = static_cast<int>(inputs.n);
    const std::string instance =
        std::to_string(inputs.block) + (inputs.warp == 32 ? "" : ", " + std::to_string(inputs.warp));
    const double bound = gamma(depth + blocks - 1) * sums.magnitude;
    const std::string reason = "(depth in the block + blocks - 1) * 2^-24 * sum|x|";
    plan.expect(out, {sums.sum}, bound, reason);
    if (every_thread) {
        const auto held = plan.output<float>("totals", std::uint64_t{blocks} * inputs.block);
        plan.launch(kernel, instance, Grid{blocks}, Block{inputs.block}, in, out, held, n);
        std::vector<double> totals;
        for (const double block_sum : sums.block_sums) totals.insert(totals.end(), inputs.block, block_sum);
        count_bytes(plan, inputs.n, 1 + totals.size());
        plan.expect(held, std::move(totals), gamma(depth) * sums.largest_block,
                    "depth in the block * 2^-24 * sum|x| of a block");
    } else {
        plan.launch(kernel, instance, Grid{blocks}, Block{inputs.block}, in, out, n);
        count_bytes(plan, inputs.n, 1);
    }
}

}  // namespace warp_shuffle
