// Greedy non-maximum suppression on the CPU, in double: the lesson's reference. It shares nothing with the kernels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace nms_lesson {

struct BoxCorners {
    float x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};

// Intersection over union; 0 where there is no intersection, whatever the areas.
inline double overlap(const BoxCorners& a, const BoxCorners& b) {
    const auto wide = [](float v) { return static_cast<double>(v); };
    const double width = wide(std::min(a.x2, b.x2)) - wide(std::max(a.x1, b.x1));
    const double height = wide(std::min(a.y2, b.y2)) - wide(std::max(a.y1, b.y1));
    if (width <= 0 || height <= 0) return 0;
    const auto area = [&](const BoxCorners& c) { return (wide(c.x2) - wide(c.x1)) * (wide(c.y2) - wide(c.y1)); };
    return width * height / (area(a) + area(b) - width * height);
}

// Box numbers in order of score; equal scores: the lower number first.
inline std::vector<int> order_of(const std::vector<float>& scores) {
    std::vector<int> order(scores.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
    });
    return order;
}

// The numbers of the kept boxes, in order of score. With `classes`, only boxes of one class suppress each other.
inline std::vector<int> kept_boxes(const std::vector<BoxCorners>& boxes, const std::vector<float>& scores,
                                   float threshold, const std::vector<int>& classes = {}) {
    std::vector<int> kept;
    for (const int box : order_of(scores)) {
        const auto at = static_cast<std::size_t>(box);
        const bool lives = std::none_of(kept.begin(), kept.end(), [&](int other) {
            const auto first = static_cast<std::size_t>(other);
            if (!classes.empty() && classes[first] != classes[at]) return false;
            return overlap(boxes[first], boxes[at]) > static_cast<double>(threshold);
        });
        if (lives) kept.push_back(box);
    }
    return kept;
}

}  // namespace nms_lesson
