// Traces of whole small programs, for the tests of steps.
#pragma once

#include <algorithm>

#include "common/steps/steps.hpp"
#include "common/trace/trace_builder.testing.hpp"

namespace lanewise::steps::testing {

using trace::Effect;
using trace::kWarpSize;
using trace::Op;
using trace::Space;
using trace::Trace;
using trace::testing::kAllLanes;
using trace::testing::TraceBuilder;
using trace::testing::WarpBuilder;

inline constexpr WarpRef kFirst{0, 0, 0};

inline float ramp(std::int64_t i) { return static_cast<float>(i); }

// value = in[lane]; for (arg : args) value += shfl(value, arg)
inline Trace warp_tree(Op op, const std::vector<int>& args, float (*input)(std::int64_t) = ramp) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 32);
    made.statement(3, Effect::replace, "value");
    made.statement(5, Effect::join, "value");
    auto warp = made.warp(0, 0);
    warp.load(3, in, [](int lane) { return lane; }, [input](int lane) { return input(lane); });
    for (const int arg : args) warp.shuffle_sum(5, op, arg);
    return made.trace;
}

// A warp adds all of its inputs, and then in rounds of `masks` a quarter of each lane's number: no record says of what
// inputs that is. Steps 0 to 5 are the first sum.
inline Trace sum_and_another(const std::vector<int>& masks) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 32);
    auto warp = made.warp(0, 0);
    warp.load(2, in, [](int lane) { return lane; }, [](int lane) { return ramp(lane); });
    for (const int mask : {16, 8, 4, 2, 1}) warp.shuffle_sum(4, Op::shfl_xor, mask);
    for (std::size_t lane = 0; lane < 32; ++lane) warp.values[lane] = 0.25f * static_cast<float>(lane);
    for (const int mask : masks) warp.shuffle_sum(8, Op::shfl_xor, mask);
    return made.trace;
}

// Two blocks of `warps` warps: warp sums by xor, through shared memory, masks 4, 2, 1 in the first warp, one atomic.
//     3: value = index < n ? in[index] : 0;
//     5: value += shfl_xor(value, mask);
//     7: if (lane == 0) warp_sums[warp] = value;
//     8: __syncthreads();
//    10: value = lane < warps ? warp_sums[lane] : 0;      (first warp)
//    12: value += shfl_xor(value, mask);
//    14: if (lane == 0) atomicAdd(out, value);
inline Trace two_level(int warps = 8, int blocks = 2) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, static_cast<std::uint64_t>(32 * warps * blocks));
    const auto sums = made.array("warp_sums", Space::shared, static_cast<std::uint64_t>(warps));
    const auto out = made.array("out", Space::global, 1);
    made.statement(3, Effect::replace, "value", false, true);
    made.statement(5, Effect::join, "value");
    made.statement(7, Effect::replace, "warp_sums[warp]", true);
    made.statement(10, Effect::replace, "value", false, true);
    made.statement(12, Effect::join, "value");
    for (int block = 0; block < blocks; ++block) {
        std::vector<WarpBuilder> all;
        std::vector<float> totals;
        for (int number = 0; number < warps; ++number) {
            auto warp = made.warp(static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(number));
            const int first = (block * warps + number) * 32;
            warp.load(3, in, [&](int lane) { return first + lane; }, [&](int lane) { return ramp(first + lane); });
            for (int mask = 16; mask > 0; mask /= 2) warp.shuffle_sum(5, Op::shfl_xor, mask);
            warp.store(7, sums, [&](int) { return number; }, 1);
            warp.barrier(8);
            totals.push_back(warp.values[0]);
            all.push_back(warp);
        }
        WarpBuilder& warp = all.front();
        const std::uint32_t loading = static_cast<std::uint32_t>((std::uint64_t{1} << warps) - 1);
        warp.values.fill(0);
        warp.load(10, sums, [](int lane) { return lane; },
                  [&](int lane) { return totals[static_cast<std::size_t>(lane)]; }, loading);
        for (int mask = warps / 2; mask > 0; mask /= 2) warp.shuffle_sum(12, Op::shfl_xor, mask);
        warp.atomic_add(14, out, 0, 0, 1);
    }
    return made.trace;
}

// A tree in shared memory in one block:
//     3: tree[t] = in[t];
//     4: __syncthreads();
//     6: if (t < offset) tree[t] += tree[t + offset];
//     7: __syncthreads();
inline Trace shared_tree(int threads) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, static_cast<std::uint64_t>(threads));
    const auto tree = made.array("tree", Space::shared, static_cast<std::uint64_t>(threads));
    made.statement(3, Effect::replace, "tree[t]", true);
    made.statement(6, Effect::join, "tree[t]", true);
    std::vector<float> words;
    for (int i = 0; i < threads; ++i) words.push_back(ramp(i));
    std::vector<WarpBuilder> warps;
    for (int number = 0; number < threads / 32; ++number) {
        warps.push_back(made.warp(0, static_cast<std::uint32_t>(number)));
        WarpBuilder& warp = warps.back();
        const auto thread = [&](int lane) { return 32 * number + lane; };
        warp.load(3, in, thread, [&](int lane) { return words[static_cast<std::size_t>(thread(lane))]; });
        warp.store(3, tree, thread);
        warp.barrier(4);
    }
    for (int offset = threads / 2; offset > 0; offset /= 2) {
        std::vector<float> next = words;
        for (int number = 0; number < threads / 32; ++number) {
            WarpBuilder& warp = warps[static_cast<std::size_t>(number)];
            const int adding = std::max(0, std::min(32, offset - 32 * number));
            const auto active = static_cast<std::uint32_t>((std::uint64_t{1} << adding) - 1);
            const auto thread = [&](int lane) { return 32 * number + lane; };
            const auto word = [&](int lane) { return words[static_cast<std::size_t>(lane)]; };
            if (active != 0) {
                warp.load(6, tree, thread, [&](int lane) { return word(thread(lane)); }, active);
                warp.load(6, tree, [&](int lane) { return thread(lane) + offset; },
                          [&](int lane) { return word(thread(lane) + offset); }, active);
                for (int lane = 0; lane < adding; ++lane) {
                    float& sum = next[static_cast<std::size_t>(thread(lane))];
                    sum = word(thread(lane)) + word(thread(lane) + offset);
                    warp.values[static_cast<std::size_t>(lane)] = sum;
                }
                warp.store(6, tree, thread, active);
            }
            warp.barrier(7);
        }
        words = next;
    }
    return made.trace;
}

inline std::string labels(const Steps& steps) {
    std::string text;
    for (const Step& step : steps.steps) text += (text.empty() ? "" : " | ") + step.label;
    return text;
}

inline Provenance inputs_after(const Steps& steps, std::size_t step, const WarpRef& warp, std::size_t lane) {
    return steps.provenances.at(steps.lane_values(step, warp).inputs[lane]);
}

// The first 64 inputs, a bit for each that is held.
inline std::uint64_t first_inputs(const Provenance& held) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < 64; ++i) bits |= std::uint64_t{held.holds(i)} << i;
    return bits;
}

// One warp: for (turn) sum += in[turn * 32 + lane]; then the rounds of a tree.
inline Trace turns_of_one_warp(int turns) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, static_cast<std::uint64_t>(32 * turns));
    made.statement(3, Effect::join, "sum");
    made.statement(5, Effect::join, "sum");
    auto warp = made.warp(0, 0);
    std::array<float, 32> sums{};
    for (int turn = 0; turn < turns; ++turn) {
        warp.load(3, in, [&](int lane) { return turn * 32 + lane; },
                  [&](int lane) { return static_cast<float>((turn * 7 + lane) % 13) * 0.1f; });
        for (std::size_t lane = 0; lane < 32; ++lane) sums[lane] += warp.values[lane];
    }
    warp.values = sums;
    for (int mask = 16; mask > 0; mask /= 2) warp.shuffle_sum(5, Op::shfl_xor, mask);
    return made.trace;
}

// One round of a butterfly of pairs: max of both, and the sum of both sums, as `pair = join(pair, other)` on line 7.
//     5: other.max = shfl_xor(pair.max, 16);
//     6: other.sum = shfl_xor(pair.sum, 16);
struct Pairs {
    TraceBuilder made;
    trace::PerLane<float> max{}, sum{};   // what the lanes hold

    Pairs() {
        made.statement(5, Effect::replace, "other.max");
        made.statement(6, Effect::replace, "other.sum");
        made.statement(7, Effect::join, "pair");
        auto& statements = made.trace.header.statements;
        statements[0].offers = "pair.max";
        statements[1].offers = "pair.sum";
        statements[2].call = "join";
        for (trace::Statement& statement : statements) statement.function = {1, 9};
        for (std::size_t lane = 0; lane < 32; ++lane) {
            max[lane] = static_cast<float>(lane);
            sum[lane] = 1;
        }
    }

    // Both parts, of lanes `active`.
    void round(WarpBuilder& warp, int mask, std::uint32_t active = kAllLanes) {
        const auto before_max = max, before_sum = sum;
        const auto part = [&](int line, const trace::PerLane<float>& before, trace::PerLane<float>& now, bool adds) {
            warp.values = before;
            warp.shuffle_sum(line, Op::shfl_xor, mask, 32, active);
            trace::Record& record = warp.last();
            for (std::size_t lane = 0; lane < 32; ++lane) {
                const float other = before[lane ^ static_cast<std::size_t>(mask)];
                now[lane] = adds ? before[lane] + other : std::max(before[lane], other);
                record.after[lane] = to_bits(now[lane]);
            }
        };
        part(5, before_max, max, false);
        part(6, before_sum, sum, true);
    }
};

}  // namespace lanewise::steps::testing
