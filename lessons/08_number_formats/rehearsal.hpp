// The kernels' sums on the CPU, addition by addition in their order, each rounded to its type: what IEEE arithmetic
// gives, also where it leaves the range of a format.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/element.hpp"
#include "lessons/08_number_formats/list.hpp"

namespace number_formats {

// As the format has it: rounded to nearest even; integers and fp8 saturate.
inline double rounded(Element element, double value) {
    if (element == f32) return static_cast<double>(static_cast<float>(value));
    return lanewise::element_to_double(element, lanewise::element_from_double(element, value));
}

// Both are of the format, so that the double is rounded once more only where that does no harm. An int wraps.
inline double added(Element element, double a, double b) {
    if (element == i32) return static_cast<double>(static_cast<std::int32_t>(static_cast<std::int64_t>(a + b)));
    return rounded(element, a + b);
}

// What lane 0 holds after the rounds of a xor tree over all of `lanes`; their number is a power of two (of another, for
// which no kernel has an instance, it leaves some out).
inline double tree(Element element, std::vector<double> lanes) {
    for (std::size_t offset = lanes.size() / 2; offset > 0; offset /= 2) {
        const std::vector<double> before = lanes;
        for (std::size_t lane = 0; lane < lanes.size(); ++lane)
            if ((lane ^ offset) < lanes.size()) lanes[lane] = added(element, before[lane], before[lane ^ offset]);
    }
    return lanes[0];
}

// What thread number `thread` of the grid brings to its warp.
inline double thread_sum(const Kernel& kernel, const Shape& shape, const std::vector<double>& values,
                         std::uint64_t thread) {
    double sum = 0;
    const std::uint64_t stride = kernel.runs ? std::uint64_t{shape.blocks} * shape.threads : shape.packs;
    for (std::uint64_t load = thread; load < shape.packs; load += stride) {
        const double* pack = values.data() + shape.head + load * kernel.wide;
        if (kernel.wide == 4) {
            const double first = added(kernel.pair, pack[0], pack[1]), second = added(kernel.pair, pack[2], pack[3]);
            sum = added(kernel.accumulator, sum, added(kernel.pair, first, second));
        } else {
            for (std::uint32_t i = 0; i < kernel.wide; ++i) sum = added(kernel.pair, sum, pack[i]);
        }
    }
    if (thread < shape.head) sum = added(kernel.accumulator, sum, values[thread]);
    if (thread < shape.tail) sum = added(kernel.accumulator, sum, values[shape.n - shape.tail + thread]);
    return sum;
}

// What one block adds to the total.
inline double block_sum(const Kernel& kernel, const Shape& shape, const std::vector<double>& values,
                        std::uint32_t block) {
    std::vector<double> warp_sums;
    for (std::uint32_t warp = 0; warp < shape.warps(); ++warp) {
        std::vector<double> lanes;
        for (std::uint32_t lane = 0; lane < shape.lanes(); ++lane)
            lanes.push_back(thread_sum(kernel, shape, values, std::uint64_t{block} * shape.threads + warp * 32 + lane));
        warp_sums.push_back(tree(kernel.accumulator, std::move(lanes)));
    }
    return tree(kernel.second, std::move(warp_sums));
}

// The total, blocks in ascending order. `values` are of the kernel's input format.
inline double rehearse(const Kernel& kernel, const Shape& shape, const std::vector<double>& values) {
    double total = 0;
    for (std::uint32_t block = 0; block < shape.blocks; ++block)
        total = added(kernel.in == i8 ? i32 : f32, total, block_sum(kernel, shape, values, block));
    return total;
}

}  // namespace number_formats
