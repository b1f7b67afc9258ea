// What the library does with the same input.
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "common/base/error.hpp"
#include "common/gpu/buffer.hpp"
#include "common/gpu/error.hpp"
#include "common/timing/cub_reduce.hpp"
#include "common/timing/measure.hpp"
#include "common/timing/sampler.hpp"

namespace lanewise::timing {
namespace {

// The reference in double, and how far a float result may be from it.
struct Reference {
    double value = 0;
    double bound = 0;
};

Reference sum_of(const std::vector<float>& values) {
    double total = 0, magnitude = 0;
    for (const float v : values) {
        total += double{v};
        magnitude += std::abs(double{v});
    }
    // n eps sum|x|: what any order of float additions keeps to.
    return {total, static_cast<double>(values.size()) * double{std::numeric_limits<float>::epsilon()} * magnitude};
}
Reference largest_of(const std::vector<float>& values) {
    return {double{*std::max_element(values.begin(), values.end())}, 0};
}
Reference smallest_of(const std::vector<float>& values) {
    return {double{*std::min_element(values.begin(), values.end())}, 0};
}

struct Baseline {
    const char* name;
    CubReduce run;
    Reference (*reference)(const std::vector<float>&);
};

constexpr Baseline kBaselines[] = {
    {"CUB DeviceReduce::Sum", cub_sum, sum_of},
    {"CUB DeviceReduce::Max", cub_max, largest_of},
    {"CUB DeviceReduce::Min", cub_min, smallest_of},
};

const Baseline& find(const std::string& name) {
    for (const Baseline& baseline : kBaselines)
        if (name == baseline.name) return baseline;
    throw Error(fmt::format("There is no baseline '{}'; there are: {}.", name, fmt::join(baselines(), ", ")));
}

}  // namespace

std::vector<std::string> baselines() {
    std::vector<std::string> names;
    for (const Baseline& baseline : kBaselines) names.emplace_back(baseline.name);
    return names;
}

Timing measure_baseline(const std::string& name, const launch::Plan& plan, const MeasureOptions& options) {
    const Baseline& baseline = find(name);
    require_gpu();
    const std::vector<float> values = first_floats(plan, name);
    if (values.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        throw Error(fmt::format("{} takes at most {} values and was given {}: choose a smaller --n.", name,
                                std::numeric_limits<int>::max(), values.size()));
    const int n = static_cast<int>(values.size());
    gpu::Buffer in(values.size() * sizeof(float));
    const gpu::Buffer out(sizeof(float));
    in.upload(std::as_bytes(std::span(values)));
    std::size_t bytes = 0;
    CUDA_CHECK(baseline.run(nullptr, bytes, in.as<const float>(), out.as<float>(), n, nullptr));
    const gpu::Buffer memory(bytes);
    const auto work = [&](cudaStream_t stream) {
        CUDA_CHECK(baseline.run(memory.data(), bytes, in.as<const float>(), out.as<float>(), n, stream));
    };
    work(nullptr);
    CUDA_CHECK(cudaDeviceSynchronize());
    float result = 0;
    out.download(0, std::as_writable_bytes(std::span(&result, 1)));

    Timing timing;
    timing.variant = name;
    timing.baseline = true;
    timing.n = values.size();
    timing.bytes = in.bytes() + out.bytes();
    const Reference reference = baseline.reference(values);
    timing.value = double{result};
    timing.error = std::abs(timing.value - reference.value);
    timing.within_bound = timing.error <= reference.bound;
    if (timing.within_bound) sample(work, name, options, timing);
    return timing;
}

}  // namespace lanewise::timing
