#include "common/timing/measure.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "common/base/error.hpp"
#include "common/gpu/buffer.hpp"
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

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void wait(const gpu::Stream& stream, const std::string& what) {
    const cudaError_t status = cudaStreamSynchronize(stream.get());
    if (status == cudaSuccess) return;
    (void)cudaGetLastError();
    throw Error(fmt::format("{} failed while it was timed: {}.", what, gpu::cuda_words(status)), kExitFailed);
}

// Calls `once`, which gives the microseconds of one sample: for a while uncounted, then as often as the options say.
void collect(const std::function<double()>& once, const MeasureOptions& options, Timing& timing) {
    const auto warm_start = Clock::now();
    do once();
    while (seconds_since(warm_start) < options.warm_seconds);
    std::vector<double> samples;
    const auto start = Clock::now();
    for (int i = 0; i < std::max(options.samples, 1); ++i) {
        if (i >= kMinSamples && seconds_since(start) > options.max_seconds) break;
        samples.push_back(once());
    }
    set_times(timing, std::move(samples));
}

// Runs that follow each other as the nodes of one graph: what a launch costs the host does not count.
class Replays {
public:
    Replays(const gpu::Stream& stream, const std::function<void(CUstream_st*)>& work, const std::string& what, int runs)
        : stream_(stream), what_(what), runs_(runs), graph_(stream, [&] {
              for (int i = 0; i < runs; ++i) work(stream.get());
          }) {}

    // Microseconds of one run.
    double once() {
        start_.record(stream_);
        graph_.launch(stream_);
        stop_.record(stream_);
        wait(stream_, what_);
        return stop_.microseconds_since(start_) / runs_;
    }

private:
    const gpu::Stream& stream_;
    const std::string& what_;
    int runs_;
    gpu::Graph graph_;
    gpu::Event start_, stop_;
};

void sample_warm(const gpu::Stream& stream, const std::function<void(CUstream_st*)>& work, const std::string& what,
                 const MeasureOptions& options, Timing& timing) {
    const int least = std::max(options.replays, 1);
    double us = 0;
    {
        Replays few(stream, work, what, least);
        few.once();
        us = few.once();
    }
    const double wanted = us > 0 ? std::ceil(options.graph_us / us) : least;
    Replays replays(stream, work, what, static_cast<int>(std::clamp<double>(wanted, least, std::max(options.most_replays, least))));
    collect([&] { return replays.once(); }, options, timing);
}

// While the cache is overwritten, which takes the GPU longer than the host needs to queue what follows, the run is queued
// behind it: the GPU does not wait for the host between the two events.
void sample_flushed(const gpu::Stream& stream, const std::function<void(CUstream_st*)>& work, const std::string& what,
                    const MeasureOptions& options, Timing& timing) {
    gpu::Buffer other(2 * gpu::device().l2_bytes);
    gpu::Event start, stop;
    int fill = 0;
    const auto once = [&] {
        other.fill(++fill & 0xff, stream.get());
        start.record(stream);
        work(stream.get());
        stop.record(stream);
        wait(stream, what);
        return stop.microseconds_since(start);
    };
    collect(once, options, timing);
}

// Only the buffers that something is expected of: an input of many gigabytes stays where it is.
std::vector<std::vector<std::byte>> checked_buffers(const launch::Plan& plan, const gpu::PreparedPlan& prepared) {
    std::vector<std::vector<std::byte>> contents(plan.buffers.size());
    for (const launch::Expectation& expected : plan.expectations) {
        const gpu::DeviceRange& range = prepared.ranges()[expected.buffer];
        std::vector<std::byte>& bytes = contents.at(expected.buffer);
        bytes.resize(range.bytes);
        CUDA_CHECK(cudaMemcpy(bytes.data(), reinterpret_cast<const void*>(range.address), range.bytes, cudaMemcpyDeviceToHost));
    }
    return contents;
}

}  // namespace

void require_gpu() {
    std::string why;
    if (!gpu::available(&why)) throw Error(why);
}

void sample(const std::function<void(CUstream_st*)>& work, const std::string& what, const MeasureOptions& options,
            Timing& timing) {
    const gpu::Stream stream;
    // What an earlier kernel told L2 to keep would else stay there through this one's runs. A GPU that keeps nothing refuses.
    if (cudaCtxResetPersistingL2Cache() != cudaSuccess) (void)cudaGetLastError();
    if (options.l2 == L2::warm) sample_warm(stream, work, what, options, timing);
    else sample_flushed(stream, work, what, options, timing);
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
    const std::vector<launch::Verdict> verdicts = launch::verify(plan, {checked_buffers(plan, prepared), {}, std::nullopt});
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
