#include "common/measure/serial.hpp"

#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "common/base/error.hpp"

namespace lanewise::measure {

using timing::Timing;

namespace {

// Not inlined, so that the compiler cannot keep a sum from one pass to the next.
[[gnu::noinline]] float serial_sum(std::span<const float> values) {
    float sum = 0;
    for (const float value : values) sum += value;
    return sum;
}

}  // namespace

std::string cpu_name() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        const auto colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
    }
    return "unknown";
}

Timing measure_serial_sum(const launch::Plan& plan, const MeasureOptions& options) {
    const launch::BufferSpec& input = first_floats(plan, kSerialSum);
    if (input.element != Element::f32) throw Error(fmt::format("{} needs an input of f32.", kSerialSum));
    std::vector<float> values(input.count);
    std::memcpy(values.data(), input.contents.data(), input.contents.size());
    Timing timing;
    timing.variant = kSerialSum;
    timing.baseline = timing.on_cpu = true;
    timing.n = values.size();
    timing.bytes = values.size() * sizeof(float);

    double sum = 0, magnitude = 0;
    for (const float value : values) {
        sum += value;
        magnitude += std::abs(double{value});
    }
    timing.value = double{serial_sum(values)};
    timing.error = std::abs(timing.value - sum);
    timing.within_bound =
        timing.error <= static_cast<double>(values.size()) * double{std::numeric_limits<float>::epsilon()} * magnitude;

    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    std::vector<double> samples;
    volatile float kept = 0;
    while (static_cast<int>(samples.size()) < options.samples) {
        const auto before = Clock::now();
        kept = serial_sum(values);
        const auto after = Clock::now();
        samples.push_back(std::chrono::duration<double, std::micro>(after - before).count());
        if (static_cast<int>(samples.size()) >= kMinSamples &&
            std::chrono::duration<double>(after - begin).count() > options.max_seconds)
            break;
    }
    static_cast<void>(kept);
    timing::set_times(timing, std::move(samples));
    return timing;
}

}  // namespace lanewise::measure
