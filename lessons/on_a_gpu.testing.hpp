// What the tests of the lessons on operators ask of their kernels on a GPU.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "common/gpu/gpu_backend.hpp"
#include "common/lesson/lesson.testing.hpp"
#include "lessons/gpu_machine.hpp"

namespace lanewise::lesson::testing {

// Runs a variant on the GPU at every size to 520 and every odd one to 4100, from each of four beginnings; where it works
// on rows, on one to three of that length. The values are of these kinds in turn, so that each kind meets each beginning.
// A failure for each result outside its bound.
inline void expect_small_and_odd_sizes_are_right(launch::Backend& gpu, const Machine& machine, const Variant& variant,
                                                 const std::vector<std::string>& kinds) {
    for (std::uint64_t size = 1; size <= 4100; size += size < 520 ? 1 : 2)
        for (std::uint32_t offset = 0; offset < 4; ++offset) {
            Inputs inputs = inputs_of(variant.name);
            inputs.columns = variant.takes_rows() ? size : 0;
            inputs.n = variant.takes_rows() ? size * (1 + size / 2 % 3) : size;
            inputs.kind = kinds[(size / 2 + offset) % kinds.size()];
            inputs.offset = offset;
            inputs.machine = machine;
            const launch::Plan plan = plan_of(variant.name, inputs);
            const std::string what = fmt::format("{} {} {} offset {}", variant.name, inputs.kind, size, offset);
            expect_verified(plan, run(gpu, plan), what);
        }
}

// Calls does(backend, machine, variant) for every right variant, as many at a time as the machine has cores. Skips where
// there is no GPU.
template <class Does>
void on_a_gpu_with_each_variant(const Does& does) {
    std::string why;
    if (!gpu::available(&why)) GTEST_SKIP() << why;
    const Machine machine = gpu_machine();
    const std::vector<Variant>& variants = the_lesson().variants();
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        const auto backend = gpu::make_gpu_backend();
        for (std::size_t k = next++; k < variants.size(); k = next++) {
            if (!variants[k].declared_wrong.empty()) continue;
            EXPECT_NO_THROW(does(*backend, machine, variants[k])) << variants[k].name;
        }
    };
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(std::thread::hardware_concurrency(), 1u); ++i) threads.emplace_back(work);
}

// … every right variant, on random values, on values with a large mean, and on values with a huge one among them; that
// named `overflows` on random ones alone.
inline void expect_small_and_odd_sizes_are_right_on_a_gpu(const std::string& overflows = "") {
    on_a_gpu_with_each_variant([&](launch::Backend& gpu, const Machine& machine, const Variant& variant) {
        std::vector<std::string> kinds{"random", "mean", "huge"};
        if (variant.name == overflows) kinds.resize(1);
        expect_small_and_odd_sizes_are_right(gpu, machine, variant, kinds);
    });
}

// Runs the best variants on a GPU on so many rows that they go by kernels of their own: of these lengths, 16 MB of them, or
// as many as take such a part of L2 with their results. They do not quite fill the last block. The values are of three kinds
// in turn.
inline void expect_many_rows_are_right_on_a_gpu(const std::vector<std::uint64_t>& lengths, double part_of_l2 = 0) {
    on_a_gpu_with_each_variant([&](launch::Backend& gpu, const Machine& machine, const Variant& variant) {
        if (variant.name.find("_best_") == std::string::npos) return;
        const std::vector<std::string> kinds{"random", "mean", "huge"};
        const std::uint64_t size = variant.name.ends_with("f32") ? 4 : 2;
        const std::uint64_t bytes =
            part_of_l2 > 0 ? static_cast<std::uint64_t>(part_of_l2 * static_cast<double>(machine.l2_bytes) / 2) : 16u << 20;
        std::size_t k = 0;
        for (const std::uint64_t columns : lengths) {
            Inputs inputs = inputs_of(variant.name);
            inputs.columns = columns;
            inputs.n = (bytes / (columns * size) + 1) * columns;
            inputs.kind = kinds[k++ % kinds.size()];
            inputs.machine = machine;
            const launch::Plan plan = plan_of(variant.name, inputs);
            expect_verified(plan, run(gpu, plan), fmt::format("{} {} {}", variant.name, inputs.kind, columns));
        }
    });
}
// Of lengths from each of the kernels for many short rows, and for many long ones that L2 holds.
inline void expect_many_short_rows_are_right_on_a_gpu() {
    expect_many_rows_are_right_on_a_gpu({1,   3,   8,   13,  20,  31,  33,  41,  50,  75,  82,  105,
                                         121, 150, 177, 193, 201, 270, 301, 302, 447, 602, 830});
}
inline void expect_many_long_rows_are_right_on_a_gpu() {
    expect_many_rows_are_right_on_a_gpu({2501,  3001,  4096,  5000,  6000,  7001,  8200,  9216,  10001, 10240,
                                         12000, 12001, 15000, 16001, 16384, 18432, 20001, 20480, 24576, 25001,
                                         28672, 32768, 40001, 40960, 45000, 45001, 50000, 65536, 80001, 98304, 128000});
}
// Of those that go by others where rows and results take more than six tenths of L2, and more than seven.
inline void expect_many_long_rows_that_nearly_fill_l2_are_right_on_a_gpu() {
    for (const double part_of_l2 : {0.65, 0.75})
        expect_many_rows_are_right_on_a_gpu({3001, 5001, 8001, 9001, 10001, 12001, 13000, 14336, 15000, 18432, 20001,
                                             20480, 24576, 25000, 28672, 30720, 32768, 50000, 57344},
                                            part_of_l2);
}

}  // namespace lanewise::lesson::testing
