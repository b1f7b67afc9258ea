// Measuring on a real GPU.
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/gpu/device.hpp"
#include "common/prelude/export.hpp"
#include "common/timing/measure.hpp"

namespace lanewise::timing {
namespace {

__global__ void add_all(const float* in, float* out, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}

class Measured : public ::testing::Test {
protected:
    void SetUp() override {
        std::string why;
        if (!gpu::available(&why)) GTEST_SKIP() << why;
        using Signature = prelude::Signature<decltype(&add_all)>;
        const prelude::RawEntry entry{"add_all", "", reinterpret_cast<const void*>(&add_all), Signature::parameters,
                                      Signature::count};
        kernels_.add(launch::import_file(launch::Build::gpu_plain, {&entry, 1, nullptr, 0, nullptr, 0, nullptr}));
    }

    // The sum of 0…n-1, expected to be `reference`.
    static launch::Plan plan(unsigned n, double reference) {
        launch::Plan plan;
        std::vector<float> values(n);
        for (unsigned i = 0; i < n; ++i) values[i] = static_cast<float>(i);
        const auto in = plan.input("in", values);
        const auto out = plan.output<float>("out", 1);
        plan.launch("add_all", "", {(n + 127) / 128}, {128}, in, out, n);
        plan.expect(out, {reference}, 0, "small integers add exactly");
        return plan;
    }

    launch::KernelSet kernels_;
};

TEST_F(Measured, TimesWhatIsRight) {
    MeasureOptions options;
    options.samples = 10;
    const Timing timing = measure(plan(1000, 499500), kernels_, options);
    EXPECT_TRUE(timing.within_bound);
    EXPECT_EQ(timing.value, 499500);
    EXPECT_EQ(timing.error, 0);
    EXPECT_EQ(timing.bytes, 4004u);
    EXPECT_GE(timing.samples, kMinSamples);
    EXPECT_GT(timing.low_us, 0);
    EXPECT_LE(timing.low_us, timing.median_us);
    EXPECT_LE(timing.median_us, timing.high_us);
    EXPECT_LT(timing.median_us, 10000);
}

TEST_F(Measured, DoesNotTimeWhatIsWrong) {
    const Timing timing = measure(plan(1000, 1), kernels_);
    EXPECT_FALSE(timing.within_bound);
    EXPECT_EQ(timing.value, 499500);
    EXPECT_EQ(timing.samples, 0);
    EXPECT_EQ(timing.median_us, 0);
}

TEST_F(Measured, TheLibraryAgrees) {
    MeasureOptions options;
    options.samples = 5;
    const auto p = plan(1000, 499500);
    const double expected[] = {499500, 999, 0};
    ASSERT_EQ(baselines().size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
        const Timing timing = measure_baseline(baselines()[i], p, options);
        EXPECT_TRUE(timing.baseline);
        EXPECT_EQ(timing.variant, baselines()[i]);
        EXPECT_EQ(timing.n, 1000u);
        EXPECT_EQ(timing.value, expected[i]);
        EXPECT_TRUE(timing.within_bound);
        EXPECT_GT(timing.median_us, 0);
    }
}

TEST_F(Measured, AnUnknownBaselineOrInputIsASentence) {
    EXPECT_THROW(measure_baseline("CUB DeviceReduce::Product", plan(10, 45)), Error);
    launch::Plan integers;
    integers.input<int>("in", {1, 2});
    EXPECT_THROW(measure_baseline("CUB DeviceReduce::Sum", integers), Error);
}

}  // namespace
}  // namespace lanewise::timing
