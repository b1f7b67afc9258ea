// What the kernels of this lesson are run on and what they must give: used by the lesson and by its test.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/launch/plan.hpp"
#include "common/lesson/inputs.hpp"
#include "lessons/17_nms/reference.hpp"

namespace nms_lesson {

using lanewise::launch::Block;
using lanewise::launch::Buffer;
using lanewise::launch::Grid;
using lanewise::launch::Plan;
using lanewise::lesson::Inputs;

inline constexpr float kThreshold = 0.5f;
inline constexpr std::uint64_t kMostOfAWarp = 1024;  // 32 lanes of 32 bits
inline constexpr std::uint64_t kMostBoxes = 2048;    // for an order that compares all with all; nms/ takes more
inline constexpr int kClasses = 3;
inline constexpr std::uint64_t kNumbersABox = 6;

struct Boxes {
    std::vector<BoxCorners> corners;
    std::vector<float> scores;
    std::vector<int> classes;
};

// Boxes on whole coordinates, so that every overlap is exact in float and in double. `ramp`, `ramp1`: a chain, each box
// 40 wide and high, 5 further right and down than the one before, scores falling: it overlaps the next by 0.62, the one
// after by 0.39.
// `small`: all the same box, all with one score. Others: as a detector leaves them, six boxes or so around each object,
// of sides from 28 to 40; scores in sixteenths, so that many are equal.
inline Boxes boxes_of(const Inputs& inputs) {
    Boxes boxes;
    const bool chain = inputs.kind == "ramp" || inputs.kind == "ramp1", same = inputs.kind == "small";
    Inputs numbers = inputs;
    numbers.n = kNumbersABox * inputs.n;
    const std::vector<double> random = chain || same ? std::vector<double>(numbers.n) : numbers.values<double>();
    // A number in [-1, 1) as a whole one from 0 to below `count`; numbers from files are folded.
    const auto whole = [](double value, double count) {
        const double unit = (value + 1) / 2;
        return static_cast<float>(std::floor((unit - std::floor(unit)) * count));
    };
    const auto objects = static_cast<double>((inputs.n + 5) / 6);
    const float across = static_cast<float>(std::ceil(std::sqrt(objects)));
    for (std::uint64_t i = 0; i < inputs.n; ++i) {
        const double* const r = &random[kNumbersABox * i];
        const auto index = static_cast<float>(i);
        if (chain) {
            boxes.corners.push_back({5 * index, 5 * index, 5 * index + 40, 5 * index + 40});
            boxes.scores.push_back(static_cast<float>(inputs.n - i));
        } else if (same) {
            boxes.corners.push_back({0, 0, 16, 16});
            boxes.scores.push_back(1);
        } else {
            const float object = whole(r[0], objects);
            const float x = 48 * std::fmod(object, across) + whole(r[1], 17);
            const float y = 48 * std::floor(object / across) + whole(r[2], 17);
            boxes.corners.push_back({x, y, x + 28 + whole(r[3], 13), y + 28 + whole(r[4], 13)});
            boxes.scores.push_back(whole(r[5], 16) / 16);
        }
        boxes.classes.push_back(static_cast<int>(i % kClasses));
    }
    return boxes;
}

struct Sorted {
    Boxes boxes;
    Buffer<int> order;
    Buffer<float> corners;  // sorted
    Buffer<std::uint32_t> status;
    int n = 0;
};

// The boxes, and the launch that brings them into order of score.
inline Sorted plan_order(Plan& plan, const Inputs& inputs) {
    Sorted sorted;
    sorted.boxes = boxes_of(inputs);
    sorted.n = static_cast<int>(inputs.n);
    std::vector<float> flat;
    for (const BoxCorners& box : sorted.boxes.corners) flat.insert(flat.end(), {box.x1, box.y1, box.x2, box.y2});
    const auto boxes = plan.input("boxes", flat);
    const auto scores = plan.input("scores", sorted.boxes.scores);
    sorted.order = plan.scratch<int>("order", inputs.n);
    sorted.corners = plan.scratch<float>("sorted", 4 * inputs.n);
    const auto status = plan.total<std::uint32_t>("status", 1);
    const std::uint32_t each = std::max(1u, inputs.block / 32);
    plan.launch("rank_boxes", std::to_string(inputs.block),
                Grid{static_cast<std::uint32_t>((inputs.n + each - 1) / each)}, Block{inputs.block}, boxes, scores,
                sorted.order, sorted.corners, status, sorted.n);
    sorted.status = status;
    return sorted;
}

inline void expect_order(Plan& plan, const Sorted& sorted) {
    const std::vector<int> order = order_of(sorted.boxes.scores);
    plan.expect(sorted.order, std::vector<double>(order.begin(), order.end()), 0, "an order, not a number");
    plan.expect(sorted.status, {0}, 0, "no box holds a NaN");
}

// keep, by box number.
inline void expect_keep(Plan& plan, Buffer<int> keep, const Boxes& boxes) {
    std::vector<double> reference(boxes.scores.size(), 0.0);
    for (const int box : kept_boxes(boxes.corners, boxes.scores, kThreshold))
        reference[static_cast<std::size_t>(box)] = 1;
    plan.expect(keep, std::move(reference), 0, "kept or not");
}

inline void plan_racing(Plan& plan, const Inputs& inputs) {
    const Sorted sorted = plan_order(plan, inputs);
    const auto keep = plan.output<int>("keep", inputs.n);
    plan.launch("racing", std::to_string(inputs.block), Grid{1}, Block{inputs.block}, sorted.corners, sorted.order,
                keep, sorted.n, kThreshold);
    expect_keep(plan, keep, sorted.boxes);
    expect_order(plan, sorted);
}

inline void plan_mask(Plan& plan, const Inputs& inputs) {
    const Sorted sorted = plan_order(plan, inputs);
    const std::uint64_t words = (inputs.n + 31) / 32;
    const auto mask = plan.scratch<std::uint32_t>("mask", inputs.n * words);
    const auto keep = plan.output<int>("keep", inputs.n);
    const std::uint32_t each = std::max(1u, inputs.block / 32);
    plan.launch("overlap_rows", std::to_string(inputs.block),
                Grid{static_cast<std::uint32_t>((inputs.n + each - 1) / each)}, Block{inputs.block}, sorted.corners,
                mask, sorted.n, kThreshold);
    plan.launch("keep_in_order", "32", Grid{1}, Block{32}, mask, sorted.order, keep, sorted.n);
    expect_keep(plan, keep, sorted.boxes);
    expect_order(plan, sorted);
}

// 64-bit elements of the part of the mask right of the diagonal, and one at least.
inline std::uint64_t tile_elements(std::uint64_t n) {
    const std::uint64_t tiles = (n + 63) / 64;
    return std::max<std::uint64_t>(64 * (tiles * (tiles - 1) / 2), 1);
}

inline void plan_tiles(Plan& plan, const Inputs& inputs, bool by_class) {
    const Sorted sorted = plan_order(plan, inputs);
    const auto tiles = static_cast<std::uint32_t>((inputs.n + 63) / 64), warps = std::max(1u, inputs.block / 32);
    const auto classes = plan.input("classes", sorted.boxes.classes);
    const auto diagonal = plan.scratch<std::uint64_t>("diagonal", inputs.n);
    const auto mask = plan.scratch<std::uint64_t>("mask", tile_elements(inputs.n));
    const auto kept = plan.output<int>("kept", inputs.n);
    const auto count = plan.output<int>("count", 1);
    plan.launch("overlap_tiles", std::to_string(inputs.block) + (by_class ? ", true" : ", false"),
                Grid{(tiles + warps - 1) / warps, tiles}, Block{inputs.block}, sorted.corners, sorted.order, classes,
                diagonal, mask, sorted.n, kThreshold);
    plan.launch("keep_tiles", std::to_string(inputs.block), Grid{1}, Block{inputs.block, 1, 1, 8 * tiles}, diagonal,
                mask, sorted.order, kept, count, sorted.n);
    const std::vector<int> reference = kept_boxes(sorted.boxes.corners, sorted.boxes.scores, kThreshold,
                                                  by_class ? sorted.boxes.classes : std::vector<int>());
    std::vector<double> numbers(reference.begin(), reference.end());
    numbers.resize(inputs.n, -1);
    plan.expect(count, {static_cast<double>(reference.size())}, 0, "a count");
    plan.expect(kept, std::move(numbers), 0, "kept or not");
    expect_order(plan, sorted);
}

}  // namespace nms_lesson
