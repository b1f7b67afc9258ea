// The same random cases on every machine there is: the emulator's two copies and a GPU's two builds.
#pragma once

#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "common/emu/emulator.hpp"
#include "common/gpu/gpu_backend.hpp"
#include "common/gpu/device.hpp"

namespace lanewise::generated {

launch::KernelSet conformance_intrinsics();
launch::KernelSet conformance_atomics();
launch::KernelSet conformance_groups();

}  // namespace lanewise::generated

namespace lanewise::conformance {

using launch::Plan;

// A machine and a build of the kernels on it.
struct Where {
    bool gpu = false;
    bool traced = false;
};

inline std::string where_name(const ::testing::TestParamInfo<Where>& where) {
    return where.param.traced ? "Traced" : "Plain";
}

// A launch's threads: their number, and which lanes each warp has.
struct Shape {
    launch::Grid grid;
    launch::Block block;

    std::uint32_t threads() const { return block.count(); }
    std::uint32_t blocks() const { return static_cast<std::uint32_t>(grid.count()); }
    std::uint32_t all() const { return threads() * blocks(); }
    std::uint32_t warps() const { return (threads() + 31) / 32; }
    std::uint32_t lanes(std::uint32_t warp) const {
        const std::uint32_t left = threads() - 32 * warp;
        return left >= 32 ? ~0u : (1u << left) - 1;
    }
};

template <class T>
std::vector<T> bytes_as(const std::vector<std::byte>& bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
}

class Sweep : public ::testing::TestWithParam<Where> {
protected:
    void SetUp() override {
        std::string why;
        if (GetParam().gpu && !gpu::available(&why)) GTEST_SKIP() << why;
        backend_ = GetParam().gpu ? gpu::make_gpu_backend() : emu::make_emulator();
    }

    // Runs the plan where this test runs, on lanes in a random order; there must be no findings.
    launch::Outcome run(const Plan& plan, const launch::KernelSet& kernels) {
        launch::Request request;
        request.record = GetParam().traced;
        request.blocks = {0, 1};
        const launch::Order orders[] = {{launch::Order::Kind::ascending, 0},
                                        {launch::Order::Kind::descending, 0},
                                        {launch::Order::Kind::seeded, random_()}};
        request.order = orders[random_() % 3];
        launch::Outcome outcome = backend_->run(plan, kernels, request);
        for (const trace::Finding& finding : outcome.findings) ADD_FAILURE() << finding.sentence;
        return outcome;
    }

    // May kernels use what needs this compute capability? The emulator has all of it; on a GPU it is what the program
    // was compiled for that counts. Asked of a kernel.
    bool has_architecture(int wanted) {
        if (!GetParam().gpu) return true;
        Plan plan;
        plan.launch("architecture", "", {1}, {32}, plan.output<int>("out", 1));
        return bytes_as<int>(backend_->run(plan, generated::conformance_atomics(), {}).buffers[0])[0] >= wanted;
    }

    std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
    int between(int low, int high) { return low + static_cast<int>(below(static_cast<std::uint32_t>(high - low + 1))); }

    // One, two or three dimensions; whole warps where asked for, else mostly not.
    Shape shape(bool whole_warps = false) {
        Shape made;
        made.grid = {1 + below(3), 1 + below(2), 1 + below(2)};
        const launch::Block whole[] = {{32}, {64}, {8, 4}, {4, 4, 8}, {16, 2, 3}, {256}};
        const launch::Block any[] = {{33}, {7}, {100}, {5, 3}, {6, 7, 2}, {3, 3, 11}, {1}, {48}};
        made.block = whole_warps || below(3) == 0 ? whole[below(6)] : any[below(8)];
        return made;
    }

    // Any bits that are an ordinary T: for floats, numbers of moderate size with full mantissas.
    template <class T>
    T value() {
        if constexpr (std::is_floating_point_v<T>) {
            const double unit = static_cast<double>(random_() >> 11) / 9007199254740992.0;
            return static_cast<T>((unit - 0.5) * std::ldexp(1.0, between(-6, 10)));
        } else {
            return static_cast<T>(random_());
        }
    }
    template <class T>
    std::vector<T> values(std::size_t count) {
        std::vector<T> made(count);
        for (T& v : made) v = value<T>();
        return made;
    }

    std::mt19937_64 random_{20261121};

private:
    std::unique_ptr<launch::Backend> backend_;
};

// Instances of a sweep: Emulator/… and Gpu/….
#define LANEWISE_SWEEP(NAME)                                                                                          \
    INSTANTIATE_TEST_SUITE_P(Emulator, NAME, ::testing::Values(Where{false, false}, Where{false, true}), where_name); \
    INSTANTIATE_TEST_SUITE_P(Gpu, NAME, ::testing::Values(Where{true, false}, Where{true, true}), where_name)

}  // namespace lanewise::conformance
