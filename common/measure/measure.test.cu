// Measuring on a real GPU.
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/gpu/device.hpp"
#include "common/launch/kernel_exports.hpp"
#include "common/measure/meter.hpp"

namespace lanewise::measure {

using timing::Timing;

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
        const Timing timing = measure_baseline(baselines()[i], p, 1000, options);
        EXPECT_TRUE(timing.baseline);
        EXPECT_EQ(timing.variant, baselines()[i]);
        EXPECT_EQ(timing.n, 1000u);
        EXPECT_EQ(timing.value, expected[i]);
        EXPECT_TRUE(timing.within_bound);
        EXPECT_GT(timing.median_us, 0);
    }
}

TEST_F(Measured, TheLibraryAddsHalvesInFloat) {
    MeasureOptions options;
    options.samples = 5;
    for (const Element element : {Element::f16, Element::bf16}) {
        // Ones: a sum in the input's own format would stop at 2048 (bf16: 256).
        std::vector<double> values(5000, 1);
        values[0] = 1000;   // is before the values
        values[7] = -3.5;
        launch::Plan plan;
        plan.input_as("in", element, values);
        const Timing timing = measure_baseline("CUB DeviceReduce::Sum", plan, 4999, options);
        EXPECT_EQ(timing.variant, "CUB DeviceReduce::Reduce");
        EXPECT_EQ(timing.value, 4998 - 3.5);
        EXPECT_EQ(timing.bytes, 2u * 4999 + 4);
        EXPECT_TRUE(timing.within_bound);
        EXPECT_GT(timing.median_us, 0);
        EXPECT_THROW(measure_baseline("CUB DeviceReduce::Max", plan, 4999, options), Error);
    }
}

// Each value is converted as it is read: 5000 ones would stop at 16 in e4m3, at 8 in e5m2, and wrap in int8.
TEST_F(Measured, TheLibraryAddsBytesInFloatOrInt) {
    MeasureOptions options;
    options.samples = 5;
    for (const Element element : {Element::e4m3, Element::e5m2, Element::i8}) {
        std::vector<double> values(5000, 1);
        values[0] = 100;   // is before the values
        values[7] = -3;
        launch::Plan plan;
        plan.input_as("in", element, values);
        const Timing timing = measure_baseline("CUB DeviceReduce::Sum", plan, 4999, options);
        EXPECT_EQ(timing.variant, "CUB DeviceReduce::Reduce");
        EXPECT_EQ(timing.value, 4998 - 3);
        EXPECT_EQ(timing.bytes, 4999u + 4);
        EXPECT_TRUE(timing.within_bound);
        EXPECT_GT(timing.median_us, 0);
    }
}

TEST_F(Measured, LimitsReadAndCopyEveryByte) {
    MeasureOptions options;
    options.samples = 5;
    // With and without bytes after the last whole vector of 16.
    for (const std::size_t n : {1u, 3u, 8u, 1001u, 65536u, 300007u}) {
        launch::Plan plan;
        std::vector<double> values(n);
        for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<double>(i * 37 % 1013) - 300;
        plan.input_as("in", Element::f16, values);
        const Timing read = measure_limit("plain read", plan, options);
        const Timing copy = measure_limit("plain copy", plan, options);
        const Timing launch = measure_limit("empty kernel", plan, options);
        EXPECT_EQ(launch.bytes, 0u);
        EXPECT_GT(launch.median_us, 0);
        if (n > 100000) {
            EXPECT_LT(launch.median_us, copy.median_us);
        }
        for (const Timing& timing : {read, copy}) {
            EXPECT_TRUE(timing.within_bound) << timing.variant << ' ' << n;
            EXPECT_TRUE(timing.baseline && timing.limit);
            EXPECT_GE(timing.samples, kMinSamples);
            EXPECT_GT(timing.min_us, 0);
        }
        EXPECT_EQ(read.bytes, 2 * n);
        EXPECT_EQ(copy.bytes, 4 * n);
    }
    EXPECT_THROW(measure_limit("plain write", plan(10, 45), options), Error);
}

TEST_F(Measured, AFlushedCacheCostsTime) {
    MeasureOptions options;
    options.samples = 20;
    // 8 MiB: fits into the L2 of most GPUs, and then comes from memory when that was overwritten.
    std::vector<float> values(std::size_t{1} << 21);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7);
    launch::Plan plan;
    plan.input("in", values);
    const Timing warm = measure_limit("plain read", plan, options);
    options.l2 = L2::flushed;
    const Timing flushed = measure_limit("plain read", plan, options);
    EXPECT_GT(flushed.median_us, warm.median_us);
}

TEST_F(Measured, TheMeterDescribesItsGpu) {
    const auto meter = make_gpu_meter(kernels_);
    EXPECT_EQ(meter->machine().gpu, gpu::device().name);
    EXPECT_GT(meter->free_bytes(), 1u << 20);
    const timing::GpuState state = meter->state();
    if (state.known()) {
        EXPECT_GT(state.sm_mhz, 0);
        EXPECT_LT(state.temperature_c, 150);
    } else {
        EXPECT_NE(state.why_not, "");
    }
}

TEST_F(Measured, AnUnknownBaselineOrInputIsASentence) {
    EXPECT_THROW(measure_baseline("CUB DeviceReduce::Product", plan(10, 45), 10), Error);
    launch::Plan integers;
    integers.input<int>("in", {1, 2});
    EXPECT_THROW(measure_baseline("CUB DeviceReduce::Sum", integers, 2), Error);
}

}  // namespace
}  // namespace lanewise::measure
