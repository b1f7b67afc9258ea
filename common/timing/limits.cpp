// What no kernel can be faster than: reading the bytes once, and copying them. Tried in several shapes, because a limit
// that is slow by its shape would be none.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "common/base/error.hpp"
#include "common/gpu/buffer.hpp"
#include "common/gpu/device.hpp"
#include "common/gpu/error.hpp"
#include "common/timing/compare.hpp"
#include "common/timing/limit_kernels.hpp"
#include "common/timing/measure.hpp"
#include "common/timing/sampler.hpp"

namespace lanewise::timing {
namespace {

constexpr LimitShape kShapes[] = {{1024, 1, 2}, {1024, 1, 4}, {1024, 2, 2}, {1024, 2, 4}, {512, 4, 4},
                                  {512, 4, 8},  {256, 8, 4},  {256, 8, 8},  {256, 0, 4},  {512, 0, 2}};

// Tries of a shape before the fastest is timed in full.
constexpr int kTrySamples = 7;
constexpr double kTrySeconds = 0.05, kTryWarmSeconds = 0.002;

class Limit {
public:
    Limit(const launch::Plan& plan, bool copies) : copies_(copies), sms_(static_cast<unsigned>(gpu::device().multiprocessors)) {
        for (const launch::BufferSpec& buffer : plan.buffers)
            if (buffer.role == launch::BufferRole::input)
                contents_.insert(contents_.end(), buffer.contents.begin(), buffer.contents.end());
        if (contents_.empty()) throw Error("A plain read needs an input, and this plan has none.");
        in_ = gpu::Buffer(contents_.size());
        in_.upload(contents_);
        out_ = gpu::Buffer(copies ? contents_.size() : sizeof(unsigned));
    }

    std::uint64_t bytes_moved() const { return contents_.size() * (copies_ ? 2u : 1u); }

    void launch(const LimitShape& shape, unsigned guard, cudaStream_t stream) const {
        if (copies_) CUDA_CHECK(launch_plain_copy(shape, sms_, in_.data(), contents_.size(), out_.data(), stream));
        else CUDA_CHECK(launch_plain_read(shape, sms_, in_.data(), contents_.size(), guard, out_.as<unsigned>(), stream));
    }

    bool is_right(const LimitShape& shape) {
        out_.fill(0);
        launch(shape, ~0u, nullptr);
        CUDA_CHECK(cudaDeviceSynchronize());
        const std::vector<std::byte> got = out_.download();
        if (copies_) return got == contents_;
        unsigned word = 0;
        std::memcpy(&word, got.data(), sizeof(word));
        return word == joined();
    }

private:
    // What plain_read must give.
    unsigned joined() const {
        unsigned all = 0;
        for (std::size_t at = 0; at < contents_.size(); at += 4) {
            unsigned word = 0;
            std::memcpy(&word, contents_.data() + at, std::min<std::size_t>(4, contents_.size() - at));
            all ^= word;
        }
        return all;
    }

    bool copies_;
    unsigned sms_;
    std::vector<std::byte> contents_;
    gpu::Buffer in_, out_;
};

}  // namespace

Timing measure_limit(const std::string& name, const launch::Plan& plan, const MeasureOptions& options) {
    const bool copies = name == kPlainCopy;
    if (!copies && name != kPlainRead && name != kEmptyKernel)
        throw Error(fmt::format("There is no limit '{}'; there are: {}, {}, {}.", name, kPlainRead, kPlainCopy, kEmptyKernel));
    require_gpu();
    if (name == kEmptyKernel) {
        Timing timing;
        timing.variant = name;
        timing.baseline = timing.limit = true;
        sample([](cudaStream_t stream) { CUDA_CHECK(launch_empty(stream)); }, name, options, timing);
        return timing;
    }
    Limit limit(plan, copies);
    Timing timing;
    timing.variant = name;
    timing.baseline = timing.limit = true;
    timing.bytes = limit.bytes_moved();
    const auto work = [&](const LimitShape& shape) {
        return [&limit, &shape](cudaStream_t stream) { limit.launch(shape, 0, stream); };
    };
    const LimitShape* fastest = nullptr;
    double least = 0;
    MeasureOptions brief = options;
    brief.samples = kTrySamples;
    brief.max_seconds = kTrySeconds;
    brief.warm_seconds = kTryWarmSeconds;
    for (const LimitShape& shape : kShapes) {
        Timing tried;
        sample(work(shape), name, brief, tried);
        if (fastest && tried.median_us >= least) continue;
        fastest = &shape;
        least = tried.median_us;
    }
    timing.within_bound = limit.is_right(*fastest);
    if (timing.within_bound) sample(work(*fastest), name, options, timing);
    return timing;
}

}  // namespace lanewise::timing
