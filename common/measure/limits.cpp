// What no kernel can be faster than: reading the bytes once, and copying them. Tried in several shapes, because a limit
// that is slow by its shape would be none.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "common/base/error.hpp"
#include "common/gpu/buffer.hpp"
#include "common/gpu/device.hpp"
#include "common/gpu/cuda_error.hpp"
#include "common/timing/compare.hpp"
#include "common/measure/limit_kernels.hpp"
#include "common/measure/measure.hpp"
#include "common/measure/sampler.hpp"

namespace lanewise::timing {
namespace {

constexpr std::array<LimitShape, 10> kShapes{{{1024, 1, 2}, {1024, 1, 4}, {1024, 2, 2}, {1024, 2, 4}, {512, 4, 4},
                                  {512, 4, 8},  {256, 8, 4},  {256, 8, 8},  {256, 0, 4},  {512, 0, 2}}};

// Tries of a shape before the fastest is timed in full: of all shapes in the first place, of the best few in the
// others.
constexpr std::size_t kBestShapes = 3;
constexpr int kTrySamples = 7;
constexpr double kTrySeconds = 0.05, kTryWarmSeconds = 0.002;

std::vector<std::byte> inputs_of(const launch::Plan& plan) {
    std::vector<std::byte> contents;
    for (const launch::BufferSpec& buffer : plan.buffers)
        if (buffer.role == launch::BufferRole::input)
            contents.insert(contents.end(), buffer.contents.begin(), buffer.contents.end());
    if (contents.empty()) throw Error("A plain read needs an input, and this plan has none.");
    return contents;
}

// The bytes on the GPU, and where they go to. Keeps a reference to `contents`.
class Limit {
public:
    Limit(const std::vector<std::byte>& contents, bool copies)
        : copies_(copies),
          sms_(static_cast<unsigned>(gpu::device().multiprocessors)),
          contents_(contents),
          in_(contents.size()),
          out_(copies ? contents.size() : sizeof(unsigned)) {
        in_.upload(contents);
    }

    void launch(const LimitShape& shape, unsigned guard, cudaStream_t stream) const {
        if (copies_) CUDA_CHECK(launch_plain_copy(shape, sms_, in_.data(), in_.bytes(), out_.data(), stream));
        else CUDA_CHECK(launch_plain_read(shape, sms_, in_.data(), in_.bytes(), guard, out_.as<unsigned>(), stream));
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
    const std::vector<std::byte>& contents_;
    gpu::Buffer in_, out_;
};

// The fastest first.
void sort_shapes(std::vector<LimitShape>& shapes, const Limit& limit, const std::string& name, MeasureOptions options) {
    options.samples = kTrySamples;
    options.max_seconds = kTrySeconds;
    options.warm_seconds = kTryWarmSeconds;
    std::vector<std::pair<double, LimitShape>> tries;
    for (const LimitShape& shape : shapes) {
        Timing tried;
        sample([&](cudaStream_t stream) { limit.launch(shape, 0, stream); }, name, options, tried);
        tries.emplace_back(tried.median_us, shape);
    }
    std::sort(tries.begin(), tries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::transform(tries.begin(), tries.end(), shapes.begin(), [](const auto& tried) { return tried.second; });
}

}  // namespace

Timing measure_limit(const std::string& name, const launch::Plan& plan, const MeasureOptions& options) {
    const bool copies = name == kPlainCopy;
    if (!copies && name != kPlainRead && name != kEmptyKernel)
        throw Error(
            fmt::format("There is no limit '{}'; there are: {}, {}, {}.", name, kPlainRead, kPlainCopy, kEmptyKernel));
    require_gpu();
    if (name == kEmptyKernel) {
        Timing timing;
        timing.variant = name;
        timing.baseline = timing.limit = true;
        sample([](cudaStream_t stream) { CUDA_CHECK(launch_empty(stream)); }, name, options, timing);
        return timing;
    }
    const std::vector<std::byte> contents = inputs_of(plan);
    auto first = std::make_shared<Limit>(contents, copies);
    Timing timing;
    timing.variant = name;
    timing.baseline = timing.limit = true;
    timing.bytes = contents.size() * (copies ? 2u : 1u);
    std::vector<LimitShape> shapes(kShapes.begin(), kShapes.end());
    sort_shapes(shapes, *first, name, options);
    shapes.resize(kBestShapes);
    for (const LimitShape& shape : shapes) timing.within_bound &= first->is_right(shape);
    if (!timing.within_bound) return timing;
    const auto place = [&]() -> Work {
        auto limit = std::move(first);
        if (!limit) {
            limit = std::make_shared<Limit>(contents, copies);
            sort_shapes(shapes, *limit, name, options);
        }
        return [limit = std::move(limit), shape = shapes.front()](cudaStream_t stream) {
            limit->launch(shape, 0, stream);
        };
    };
    sample_in_places(timing.bytes, place, name, options, timing);
    return timing;
}

}  // namespace lanewise::timing
