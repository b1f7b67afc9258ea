#include "common/timing/measure.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "common/base/error.hpp"
#include "common/gpu/device.hpp"
#include "common/gpu/error.hpp"
#include "common/gpu/event.hpp"
#include "common/gpu/graph.hpp"
#include "common/gpu/prepared.hpp"
#include "common/launch/verify.hpp"
#include "common/timing/sampler.hpp"

namespace lanewise::timing {
namespace {

using Clock = std::chrono::steady_clock;

// Long enough for the clocks to rise from idle.
constexpr double kWarmSeconds = 0.05;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void wait(const gpu::Stream& stream, const std::string& what) {
    const cudaError_t status = cudaStreamSynchronize(stream.get());
    if (status == cudaSuccess) return;
    (void)cudaGetLastError();
    throw Error(fmt::format("{} failed while it was timed: {}.", what, gpu::cuda_words(status)), kExitFailed);
}

}  // namespace

void require_gpu() {
    std::string why;
    if (!gpu::available(&why)) throw Error(why);
}

void sample(const std::function<void(CUstream_st*)>& work, const std::string& what, const MeasureOptions& options,
            Timing& timing) {
    const int replays = std::max(options.replays, 1);
    const gpu::Stream stream;
    const gpu::Graph graph(stream, [&] {
        for (int i = 0; i < replays; ++i) work(stream.get());
    });
    const auto warm_start = Clock::now();
    do {
        graph.launch(stream);
        wait(stream, what);
    } while (seconds_since(warm_start) < kWarmSeconds);

    gpu::Event start, stop;
    std::vector<double> samples;
    const auto sampling_start = Clock::now();
    for (int i = 0; i < std::max(options.samples, 1); ++i) {
        if (i >= kMinSamples && seconds_since(sampling_start) > options.max_seconds) break;
        start.record(stream);
        graph.launch(stream);
        stop.record(stream);
        wait(stream, what);
        samples.push_back(stop.microseconds_since(start) / replays);
    }
    timing.samples = static_cast<int>(samples.size());
    const Spread spread = spread_of(std::move(samples));
    timing.median_us = spread.median;
    timing.low_us = spread.low;
    timing.high_us = spread.high;
}

Timing measure(const launch::Plan& plan, const launch::KernelSet& kernels, const MeasureOptions& options) {
    require_gpu();
    gpu::PreparedPlan prepared(plan, kernels, launch::Build::gpu_plain);
    for (std::size_t i = 0; i < prepared.launch_count(); ++i) {
        prepared.launch(i);
        prepared.finish(i);
    }
    Timing timing;
    timing.bytes = bytes_of(plan);
    const std::vector<launch::Verdict> verdicts = launch::verify(plan, {prepared.download(), {}, std::nullopt});
    for (const launch::Verdict& verdict : verdicts) timing.within_bound &= verdict.ok;
    if (!verdicts.empty()) {
        timing.value = verdicts.front().value;
        timing.error = verdicts.front().error;
    }
    if (!timing.within_bound || plan.launches.empty()) return timing;
    sample(
        [&](CUstream_st* stream) {
            prepared.zero_outputs(stream);
            for (std::size_t i = 0; i < prepared.launch_count(); ++i) prepared.launch(i, stream);
        },
        plan.launches.front().kernel, options, timing);
    return timing;
}

}  // namespace lanewise::timing
