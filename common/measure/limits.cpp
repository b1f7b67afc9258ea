// What no kernel can be faster than: reading the bytes once, and copying them. Tried in several shapes, because a limit
// that is slow by its shape would be none.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <memory>
#include <span>
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

namespace lanewise::measure {

using timing::Timing;

namespace {

constexpr std::array<LimitShape, 14> kShapes{{{1024, 1, 2}, {1024, 1, 4}, {1024, 2, 2}, {1024, 2, 4}, {512, 4, 4},
                                  {512, 4, 8},  {256, 8, 4},  {256, 8, 8},  {256, 0, 4},  {512, 0, 2},
                                  {1024, 0, 1, true}, {256, 0, 4, true}, {512, 0, 2, true}, {128, 0, 1, true}}};

// The last of them, which a copy tries with hints as well.
constexpr std::size_t kHintedShapes = 3;

// Tries of a shape before the fastest is timed in full: of all shapes in the first place, of the best few in the
// others.
constexpr std::size_t kBestShapes = 3;
constexpr int kTrySamples = 7;
constexpr double kTrySeconds = 0.05, kTryWarmSeconds = 0.002;

// The bytes of all inputs in a row. One input, which may be of gigabytes, is not copied; several are joined in
// `joined`.
std::span<const std::byte> inputs_of(const launch::Plan& plan, std::vector<std::byte>& joined) {
    std::vector<std::span<const std::byte>> inputs;
    for (const launch::BufferSpec& buffer : plan.buffers)
        if (buffer.role == launch::BufferRole::input && !buffer.contents.empty()) inputs.emplace_back(buffer.contents);
    if (inputs.empty()) throw Error("A plain read needs an input, and this plan has none.");
    if (inputs.size() == 1) return inputs.front();
    std::size_t bytes = 0;
    for (const std::span<const std::byte> input : inputs) bytes += input.size();
    joined.reserve(bytes);
    for (const std::span<const std::byte> input : inputs) joined.insert(joined.end(), input.begin(), input.end());
    return joined;
}

// The bytes on the GPU, and where they go to. `contents` must outlive it.
class Limit {
public:
    Limit(std::span<const std::byte> contents, bool copies)
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

    // Does each of the shapes give what it must?
    bool are_right(std::span<const LimitShape> shapes) {
        gpu::Buffer differences(sizeof(unsigned));
        const unsigned expected = copies_ ? 0 : joined();
        return std::all_of(shapes.begin(), shapes.end(), [&](const LimitShape& shape) {
            out_.fill(copies_ ? 0xff : 0);
            launch(shape, ~0u, nullptr);
            CUDA_CHECK(cudaDeviceSynchronize());
            if (!copies_) return word_in(out_) == expected;
            // On the GPU: a copy may be of gigabytes.
            differences.fill(0);
            CUDA_CHECK(
                launch_count_differences(in_.data(), out_.data(), in_.bytes(), differences.as<unsigned>(), nullptr));
            CUDA_CHECK(cudaDeviceSynchronize());
            return word_in(differences) == 0;
        });
    }

private:
    static unsigned word_in(const gpu::Buffer& buffer) {
        unsigned word = 0;
        buffer.download(0, std::as_writable_bytes(std::span(&word, 1)));
        return word;
    }

    // What plain_read must give.
    unsigned joined() const {
        unsigned all = 0, word = 0;
        const std::size_t whole = contents_.size() / sizeof(word) * sizeof(word);
        for (std::size_t at = 0; at < whole; at += sizeof(word)) {
            std::memcpy(&word, contents_.data() + at, sizeof(word));
            all ^= word;
        }
        word = 0;
        std::memcpy(&word, contents_.data() + whole, contents_.size() - whole);
        return all ^ word;
    }

    bool copies_;
    unsigned sms_;
    std::span<const std::byte> contents_;
    gpu::Buffer in_, out_;
};

// The fastest first.
void sort_shapes(std::vector<LimitShape>& shapes, const Limit& limit, const std::string& name, MeasureOptions options) {
    options.samples = kTrySamples;
    options.max_seconds = kTrySeconds;
    options.warm_seconds = kTryWarmSeconds;
    std::vector<std::pair<double, LimitShape>> tries;
    int runs = 0;   // of the first shape: the others take about as long
    for (const LimitShape& shape : shapes) {
        Timing tried;
        sample([&](cudaStream_t stream) { limit.launch(shape, 0, stream); }, name, options, tried, runs);
        tries.emplace_back(tried.median_us, shape);
    }
    std::sort(tries.begin(), tries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::transform(tries.begin(), tries.end(), shapes.begin(), [](const auto& tried) { return tried.second; });
}

}  // namespace

Timing measure_limit(const std::string& name, const launch::Plan& plan, const MeasureOptions& options) {
    const bool copies = name == timing::kPlainCopy;
    if (!copies && name != timing::kPlainRead && name != timing::kEmptyKernel)
        throw Error(fmt::format("There is no limit '{}'; there are: {}, {}, {}.", name, timing::kPlainRead,
                                timing::kPlainCopy, timing::kEmptyKernel));
    require_gpu();
    if (name == timing::kEmptyKernel) {
        Timing timing;
        timing.variant = name;
        timing.baseline = timing.limit = true;
        int runs = 0;
        sample([](cudaStream_t stream) { CUDA_CHECK(launch_empty(stream)); }, name, options, timing, runs);
        return timing;
    }
    std::vector<std::byte> several;
    const std::span<const std::byte> contents = inputs_of(plan, several);
    auto first = std::make_shared<Limit>(contents, copies);
    Timing timing;
    timing.variant = name;
    timing.baseline = timing.limit = true;
    timing.bytes = contents.size() * (copies ? 2u : 1u);
    std::vector<LimitShape> shapes(kShapes.begin(), kShapes.end());
    if (copies) {
        for (const CacheHint hint : {CacheHint::evict_first, CacheHint::evict_last}) {
            for (LimitShape shape : std::span(kShapes).last(kHintedShapes)) {
                shape.hint = hint;
                shapes.push_back(shape);
            }
        }
    }
    sort_shapes(shapes, *first, name, options);
    shapes.resize(kBestShapes);
    timing.within_bound = first->are_right(shapes);
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

}  // namespace lanewise::measure
