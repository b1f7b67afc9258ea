#include "common/measure/sampler.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <vector>

#include "common/base/error.hpp"
#include "common/gpu/buffer.hpp"
#include "common/gpu/device.hpp"
#include "common/gpu/cuda_error.hpp"
#include "common/gpu/event.hpp"
#include "common/gpu/graph.hpp"

namespace lanewise::measure {

using timing::Timing;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void wait(const gpu::Stream& stream, const std::string& what) {
    const cudaError_t status = cudaStreamSynchronize(stream.get());
    if (status == cudaSuccess) return;
    (void)cudaGetLastError();
    throw Error(fmt::format("{} failed while it was timed: {}.", what, gpu::cuda_message(status)), kExitFailed);
}

// How long one place is warmed and sampled for.
struct Share {
    int least = kMinSamples, most = 0;   // samples
    double warm_seconds = 0, max_seconds = 0;
};

// Calls `once`, which gives the microseconds of one sample: for a while uncounted, then as often as its share is.
template <class Once>
std::vector<double> collect(const Once& once, const Share& share) {
    const auto warm_start = Clock::now();
    do once();
    while (seconds_since(warm_start) < share.warm_seconds);
    std::vector<double> samples;
    const auto start = Clock::now();
    for (int i = 0; i < std::max(share.most, 1); ++i) {
        if (i >= share.least && seconds_since(start) > share.max_seconds) break;
        samples.push_back(once());
    }
    return samples;
}

// Runs that follow each other as the nodes of one graph: what a launch costs the host does not count.
class Replays {
public:
    Replays(const gpu::Stream& stream, const Work& work, const std::string& what, int runs)
        : stream_(stream), what_(what), runs_(runs), graph_(stream, [&] {
              for (int i = 0; i < runs; ++i) work(stream.get());
          }) {}

    // Microseconds of all its runs.
    double once() {
        start_.record(stream_);
        graph_.launch(stream_);
        stop_.record(stream_);
        wait(stream_, what_);
        return stop_.microseconds_since(start_);
    }

private:
    const gpu::Stream& stream_;
    const std::string& what_;
    int runs_;
    gpu::Graph graph_;
    gpu::Event start_, stop_;
};

// From so many runs on, what surrounds a graph counts less than its runs: how long they take is known.
constexpr int kTellingRuns = 32;

// How many runs a graph needs to last as long as the options ask.
int runs_of_a_graph(const gpu::Stream& stream, const Work& work, const std::string& what,
                    const MeasureOptions& options) {
    const int least = std::max(options.least_replays, 1), most = std::max(options.most_replays, least);
    int runs = 1;
    for (;;) {
        Replays replays(stream, work, what, runs);
        replays.once();
        const double us = replays.once();
        const int wanted =
            us > 0 ? static_cast<int>(std::min<double>(std::ceil(options.graph_us / us * runs), most)) : most;
        if (runs >= kTellingRuns || wanted <= 2 * runs) return std::max({wanted, runs, least});
        runs = std::min(wanted, kTellingRuns);   // a single run, and what surrounds it, say too long
    }
}

// `runs` of a graph, 0 until they are known.
std::vector<double> sample_warm(const gpu::Stream& stream, const Work& work, const std::string& what,
                                const MeasureOptions& options, const Share& share, int& runs) {
    if (runs == 0) runs = runs_of_a_graph(stream, work, what, options);
    Replays replays(stream, work, what, runs);
    return collect([&] { return replays.once() / runs; }, share);
}

// While the cache is overwritten, which takes the GPU longer than the host needs to queue what follows, the run is
// queued after it: the GPU does not wait for the host between the two events.
std::vector<double> sample_flushed(const gpu::Stream& stream, const Work& work, const std::string& what,
                                   const Share& share) {
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
    return collect(once, share);
}

std::vector<double> samples_of(const Work& work, const std::string& what, const MeasureOptions& options,
                               const Share& share, int& runs) {
    const gpu::Stream stream;
    // What an earlier kernel made L2 keep would else stay there through this one's runs. A GPU that keeps nothing
    // refuses.
    if (cudaCtxResetPersistingL2Cache() != cudaSuccess) (void)cudaGetLastError();
    return options.l2 == L2::warm ? sample_warm(stream, work, what, options, share, runs)
                                  : sample_flushed(stream, work, what, share);
}

std::uint64_t free_bytes() {
    std::size_t free = 0, all = 0;
    CUDA_CHECK(cudaMemGetInfo(&free, &all));
    return free;
}

}  // namespace

void require_gpu() {
    std::string why;
    if (!gpu::available(&why)) throw Error(why);
}

void sample(const Work& work, const std::string& what, const MeasureOptions& options, Timing& timing, int& runs) {
    timing::set_times(timing,
                      samples_of(work, what, options,
                                 {kMinSamples, options.samples, options.warm_seconds, options.max_seconds}, runs));
}

void sample_in_places(std::uint64_t bytes, const std::function<Work()>& place, const std::string& what,
                      const MeasureOptions& options, Timing& timing) {
    const int places = bytes <= 2 * gpu::device().l2_bytes ? std::max(options.places, 1) : 1;
    const auto share_of = [&](int whole) { return (whole + places - 1) / places; };
    Share share{share_of(kMinSamples), share_of(options.samples), options.warm_seconds, options.max_seconds / places};
    std::vector<Work> works;   // each keeps its memory, so that the next lies elsewhere
    std::vector<double> samples;
    double medians = 0;
    int runs = 0;
    for (int i = 0; i < places; ++i) {
        if (i > 0 && free_bytes() < 2 * bytes) break;
        works.push_back(place());
        const auto more = samples_of(works.back(), what, options, share, runs);
        samples.insert(samples.end(), more.begin(), more.end());
        medians += timing::spread_of(more).median;
        share.warm_seconds = options.warm_seconds / places;   // the clocks have risen
    }
    timing::set_times(timing, std::move(samples));
    timing.median_us = medians / static_cast<double>(works.size());
}

}  // namespace lanewise::measure
