// What the kernels of this lesson are run on and what they must give: used by the lesson and by its test.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "common/launch/plan.hpp"
#include "common/lesson/inputs.hpp"

namespace votes {

using lanewise::launch::Block;
using lanewise::launch::Buffer;
using lanewise::launch::Grid;
using lanewise::launch::Plan;
using lanewise::lesson::Inputs;

constexpr std::uint32_t kLanes = 32;
constexpr std::uint32_t kEveryLane = 0xffffffffu;

inline std::uint32_t warps_of(const Inputs& inputs) {
    return static_cast<std::uint32_t>((inputs.n + kLanes - 1) / kLanes);
}

// The control's number for each thread of whole warps; zero beyond n.
inline std::vector<int> of_each_thread(const Inputs& inputs, const std::string& control) {
    const auto lanes = inputs.controls.lanes(control);
    std::vector<int> numbers(std::size_t{warps_of(inputs)} * kLanes, 0);
    for (std::size_t i = 0; i < inputs.n; ++i) numbers[i] = lanes[i % kLanes];
    return numbers;
}

// The lanes of one warp, as numbers.
using Warp = std::array<int, kLanes>;

inline Warp warp_at(const std::vector<int>& numbers, std::uint32_t warp) {
    Warp lanes{};
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = numbers[std::size_t{warp} * kLanes + lane];
    return lanes;
}

// `value(lanes, lane)` of each lane of `mask` in each warp is what the buffer must hold; of others nothing is expected.
template <class T, class F>
void expect_of_lanes(Plan& plan, Buffer<T> buffer, const std::vector<int>& numbers, std::uint32_t mask, F value) {
    std::vector<double> expected;
    std::uint64_t first = 0;
    const auto expect = [&] {
        const std::size_t count = expected.size();
        if (count != 0)
            plan.expect_each(buffer, first, std::move(expected), std::vector<double>(count, 0.0),
                             "whole numbers are exact");
        expected.clear();
    };
    for (std::uint32_t warp = 0; warp < numbers.size() / kLanes; ++warp) {
        const Warp lanes = warp_at(numbers, warp);
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            if (!(mask >> lane & 1u)) {
                expect();
                continue;
            }
            if (expected.empty()) first = std::uint64_t{warp} * kLanes + lane;
            expected.push_back(static_cast<double>(value(lanes, lane)));
        }
    }
    expect();
}

// How many lanes of `mask` from `first` to before `last` are not zero.
inline int yes_in(const Warp& lanes, std::uint32_t mask, std::uint32_t first, std::uint32_t last) {
    int count = 0;
    for (std::uint32_t lane = first; lane < last; ++lane) count += (mask >> lane & 1u) != 0 && lanes[lane] != 0;
    return count;
}

// any, all and ballot of groups of `tile` lanes; bit k of a ballot is lane k of the group.
inline void plan_votes(Plan& plan, const Inputs& inputs, const std::string& kernel, std::uint32_t tile) {
    const std::vector<int> predicate = of_each_thread(inputs, "predicate");
    const std::uint32_t mask = inputs.controls.has("mask") ? inputs.controls.mask("mask") : kEveryLane;
    const auto in = plan.input("predicate", predicate);
    const auto any = plan.output<int>("any", predicate.size()), all = plan.output<int>("all", predicate.size());
    const auto ballot = plan.output<unsigned>("ballot", predicate.size());
    if (kernel == "votes") plan.launch(kernel, "", Grid{warps_of(inputs)}, Block{kLanes}, in, any, all, ballot, mask);
    else plan.launch(kernel, std::to_string(tile), Grid{warps_of(inputs)}, Block{kLanes}, in, any, all, ballot);
    const auto count = [=](const Warp& lanes, std::uint32_t lane) {
        return yes_in(lanes, mask, lane / tile * tile, lane / tile * tile + tile);
    };
    Warp ones;
    ones.fill(1);
    const auto asked = [=](std::uint32_t lane) {
        return yes_in(ones, mask, lane / tile * tile, lane / tile * tile + tile);
    };
    expect_of_lanes(plan, any, predicate, mask, [=](const Warp& l, std::uint32_t lane) { return count(l, lane) > 0; });
    expect_of_lanes(plan, all, predicate, mask,
                    [=](const Warp& l, std::uint32_t lane) { return count(l, lane) == asked(lane); });
    expect_of_lanes(plan, ballot, predicate, mask, [=](const Warp& l, std::uint32_t lane) {
        double lanes_mask = 0, weight = 1;
        for (std::uint32_t k = lane / tile * tile; k < lane / tile * tile + tile; ++k, weight *= 2)
            if (yes_in(l, mask, k, k + 1) != 0) lanes_mask += weight;
        return lanes_mask;
    });
}

inline void plan_matches(Plan& plan, const Inputs& inputs) {
    const std::vector<int> key = of_each_thread(inputs, "key");
    const std::uint32_t mask = inputs.controls.mask("mask");
    const auto in = plan.input("key", key);
    const auto peers = plan.output<unsigned>("peers", key.size()), every = plan.output<unsigned>("every", key.size());
    plan.launch("matches", "", Grid{warps_of(inputs)}, Block{kLanes}, in, peers, every, mask);
    const auto equal = [=](const Warp& lanes, std::uint32_t lane) {
        double lanes_mask = 0, weight = 1;
        for (std::uint32_t k = 0; k < kLanes; ++k, weight *= 2)
            if ((mask >> k & 1u) && lanes[k] == lanes[lane]) lanes_mask += weight;
        return lanes_mask;
    };
    expect_of_lanes(plan, peers, key, mask, equal);
    expect_of_lanes(plan, every, key, mask, [=](const Warp& lanes, std::uint32_t lane) {
        return equal(lanes, lane) == static_cast<double>(mask) ? static_cast<double>(mask) : 0.0;
    });
}

// The sum of the keys of each group of `tile` lanes that take part.
inline void plan_sums(Plan& plan, const Inputs& inputs, const std::string& kernel, std::uint32_t tile) {
    const std::vector<int> key = of_each_thread(inputs, "key");
    const std::uint32_t mask = inputs.controls.has("mask") ? inputs.controls.mask("mask") : kEveryLane;
    const auto in = plan.input("key", key);
    const auto sum = plan.output<int>("sum", key.size());
    if (kernel == "reduction") plan.launch(kernel, "", Grid{warps_of(inputs)}, Block{kLanes}, in, sum, mask);
    else plan.launch(kernel, std::to_string(tile), Grid{warps_of(inputs)}, Block{kLanes}, in, sum);
    expect_of_lanes(plan, sum, key, mask, [=](const Warp& lanes, std::uint32_t lane) {
        std::int64_t total = 0;
        for (std::uint32_t k = lane / tile * tile; k < lane / tile * tile + tile; ++k)
            if (mask >> k & 1u) total += lanes[k];
        return total;
    });
}

inline void plan_ranks(Plan& plan, const Inputs& inputs) {
    const std::vector<int> predicate = of_each_thread(inputs, "predicate");
    const std::uint32_t warps = warps_of(inputs);
    const auto in = plan.input("predicate", predicate);
    const auto rank = plan.output<int>("rank", predicate.size()), count = plan.output<int>("count", warps),
               leader = plan.output<int>("leader", warps);
    plan.launch("ranks", "", Grid{warps}, Block{kLanes}, in, rank, count, leader);
    expect_of_lanes(plan, rank, predicate, kEveryLane, [](const Warp& lanes, std::uint32_t lane) {
        return lanes[lane] != 0 ? yes_in(lanes, kEveryLane, 0, lane) : -1;
    });
    std::vector<double> counts, leaders;
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
        const Warp lanes = warp_at(predicate, warp);
        counts.push_back(yes_in(lanes, kEveryLane, 0, kLanes));
        int first = -1;
        for (int lane = 31; lane >= 0; --lane) first = lanes[static_cast<std::size_t>(lane)] != 0 ? lane : first;
        leaders.push_back(first);
    }
    plan.expect(count, counts, 0, "whole numbers are exact");
    plan.expect(leader, leaders, 0, "whole numbers are exact");
}

inline void plan_prefix(Plan& plan, const Inputs& inputs) {
    const std::vector<int> key = of_each_thread(inputs, "key");
    const auto in = plan.input("key", key);
    const auto sums = plan.output<int>("sums", key.size());
    plan.launch("prefix_sum_of_bits", "", Grid{warps_of(inputs)}, Block{kLanes}, in, sums);
    expect_of_lanes(plan, sums, key, kEveryLane, [](const Warp& lanes, std::uint32_t lane) {
        int sum = 0;
        for (std::uint32_t k = 0; k <= lane; ++k) sum += ((lanes[k] % 16) + 16) % 16;
        return sum;
    });
}

inline void plan_compact(Plan& plan, const Inputs& inputs) {
    const std::vector<int> predicate = of_each_thread(inputs, "predicate"), values = inputs.values<int>();
    const std::uint32_t warps = warps_of(inputs);
    std::vector<double> kept(predicate.size(), 0), counts(warps, 0);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (predicate[i] != 0) {
            double& count = counts[i / kLanes];
            kept[i / kLanes * kLanes + static_cast<std::size_t>(count)] = values[i];
            ++count;
        }
    const auto in = plan.input("in", values);
    const auto asked = plan.input("predicate", predicate);
    const auto out = plan.output<int>("out", predicate.size()), count = plan.output<int>("count", warps);
    plan.launch("compact", "", Grid{warps}, Block{kLanes}, in, asked, out, count, static_cast<int>(inputs.n));
    plan.expect(out, kept, 0, "copying rounds nothing");
    plan.expect(count, counts, 0, "whole numbers are exact");
}

inline void plan_count(Plan& plan, const Inputs& inputs, const std::string& kernel) {
    const std::vector<int> predicate = of_each_thread(inputs, "predicate");
    double count = 0;
    for (const int number : predicate) count += number != 0;
    const auto in = plan.input("predicate", predicate);
    const auto total = plan.total<int>("total", 1);
    plan.launch(kernel, "", Grid{warps_of(inputs)}, Block{kLanes}, in, total);
    plan.expect(total, {count}, 0, "whole numbers are exact");
}

inline void plan_by_key(Plan& plan, const Inputs& inputs, const std::string& kernel) {
    const std::vector<int> key = of_each_thread(inputs, "key"), values = inputs.values<int>();
    std::vector<double> by_key(16, 0);
    for (std::size_t i = 0; i < values.size(); ++i)
        by_key[static_cast<std::size_t>(((key[i] % 16) + 16) % 16)] += values[i];
    // Ints of 32 bits wrap around where the sum is larger; a sum in double does not.
    for (double& sum : by_key)
        sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::int64_t>(sum)));
    const auto in = plan.input("in", values);
    const auto keys = plan.input("key", key);
    const auto sums = plan.total<int>("sums", 16);
    plan.launch(kernel, "", Grid{warps_of(inputs)}, Block{kLanes}, in, keys, sums, static_cast<int>(inputs.n));
    plan.expect(sums, by_key, 0, "whole numbers are exact");
}

}  // namespace votes
