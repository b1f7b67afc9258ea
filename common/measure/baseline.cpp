// What the library does with the same input.
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "common/base/error.hpp"
#include "common/gpu/buffer.hpp"
#include "common/gpu/cuda_error.hpp"
#include "common/measure/cub_reduce.hpp"
#include "common/measure/measure.hpp"
#include "common/measure/sampler.hpp"

namespace lanewise::measure {

using timing::Timing;

namespace {

// The reference in double, and how far a float result may be from it.
struct Reference {
    double value = 0;
    double bound = 0;
};

// `value_of(i)` is the i-th of n values, n > 0.
template <class ValueOf>
Reference reference_of(Reduction reduction, std::uint64_t n, const ValueOf& value_of) {
    double total = 0, magnitude = 0, largest = value_of(0), smallest = largest;
    for (std::uint64_t i = 0; i < n; ++i) {
        const double value = value_of(i);
        total += value;
        magnitude += std::abs(value);
        largest = std::max(largest, value);
        smallest = std::min(smallest, value);
    }
    if (reduction == Reduction::max) return {largest, 0};
    if (reduction == Reduction::min) return {smallest, 0};
    // n eps sum|x|: what any order of float additions keeps to.
    return {total, static_cast<double>(n) * double{std::numeric_limits<float>::epsilon()} * magnitude};
}

template <class Bits>
Bits bits_at(const std::byte* values, std::uint64_t i) {
    Bits bits;
    std::memcpy(&bits, values + i * sizeof(Bits), sizeof(Bits));
    return bits;
}

// By what each pattern of bits means: converting values one by one takes ten times longer.
template <class Bits>
Reference reference_by_code(Reduction reduction, Element element, const std::byte* values, std::uint64_t n) {
    std::vector<double> meaning(std::size_t{std::numeric_limits<Bits>::max()} + 1);
    for (std::size_t bits = 0; bits < meaning.size(); ++bits) meaning[bits] = element_to_double(element, bits);
    return reference_of(reduction, n, [&](std::uint64_t i) { return meaning[bits_at<Bits>(values, i)]; });
}

Reference reference_of(Reduction reduction, Element element, const std::byte* values, std::uint64_t n) {
    if (element == Element::f32)
        return reference_of(reduction, n, [&](std::uint64_t i) { return double{bits_at<float>(values, i)}; });
    Reference reference = element_size(element) == 2 ? reference_by_code<std::uint16_t>(reduction, element, values, n)
                                                     : reference_by_code<std::uint8_t>(reduction, element, values, n);
    if (!is_float(element)) reference.bound = 0;
    return reference;
}

std::vector<Baseline> all_baselines() {
    const auto floats = cub_of_floats();
    std::vector<Baseline> all(floats.begin(), floats.end());
    if (cub_of_formats != nullptr)
        for (const Baseline& baseline : cub_of_formats()) all.push_back(baseline);
    return all;
}

Baseline find(const std::string& name, Element element) {
    bool known = false;
    for (const Baseline& baseline : all_baselines()) {
        if (name != baseline.name) continue;
        known = true;
        if (baseline.element == element) return baseline;
    }
    if (known)
        throw Error(fmt::format("The baseline {} is not measured on inputs of {}{}.", name, element_name(element),
                                cub_of_formats != nullptr
                                    ? ""
                                    : " in this program: add_lesson(FORMATS) adds those of number formats beside f32"));
    throw Error(fmt::format("There is no baseline '{}'; there are: {}.", name, fmt::join(baselines(), ", ")));
}

// A baseline on buffers of its own: `n` values after `before` bytes of the contents.
class Library {
public:
    Library(const Baseline& baseline, std::span<const std::byte> contents, std::size_t before, std::uint64_t n)
        : baseline_(baseline), n_(n), before_(before), in_(contents.size()), out_(sizeof(std::uint32_t)) {
        in_.upload(contents);
        CUDA_CHECK(baseline_.run(nullptr, bytes_, values(), out_.data(), n_, nullptr));
        memory_ = gpu::Buffer(bytes_);
    }

    void run(cudaStream_t stream) {
        CUDA_CHECK(baseline_.run(memory_.data(), bytes_, values(), out_.data(), n_, stream));
    }

    // The bits of a float or an int.
    std::uint32_t result() const {
        std::uint32_t bits = 0;
        out_.download(0, std::as_writable_bytes(std::span(&bits, 1)));
        return bits;
    }

private:
    const void* values() const { return in_.as<const std::byte>() + before_; }

    Baseline baseline_;
    std::uint64_t n_;
    std::size_t before_, bytes_ = 0;
    gpu::Buffer in_, out_, memory_;
};

bool is_of_a_baseline(Element element) {
    return element == Element::f32 || element == Element::f16 || element == Element::bf16 || element == Element::e4m3 ||
           element == Element::e5m2 || element == Element::i8;
}

// The first input that some baseline takes.
const launch::BufferSpec& first_values(const launch::Plan& plan, const std::string& what) {
    for (const launch::BufferSpec& buffer : plan.buffers) {
        if (buffer.role == launch::BufferRole::input && buffer.count > 0 && is_of_a_baseline(buffer.element))
            return buffer;
    }
    throw Error(fmt::format("{} needs an input of f32, f16, bf16, fp8 or i8, and this plan has none.", what));
}

}  // namespace

std::vector<std::string> baselines() {
    std::vector<std::string> names;
    for (const Baseline& baseline : all_baselines())
        if (std::find(names.begin(), names.end(), baseline.name) == names.end()) names.emplace_back(baseline.name);
    return names;
}

Timing measure_baseline(const std::string& name, const launch::Plan& plan, std::uint64_t n,
                        const MeasureOptions& options) {
    require_gpu();
    const launch::BufferSpec& input = first_values(plan, name);
    const Baseline baseline = find(name, input.element);
    n = std::clamp(n, std::uint64_t{1}, input.count);
    if (n > cub_most_values())
        throw Error(fmt::format("This toolkit's CUB takes at most {} values and was given {}: not measured.",
                                cub_most_values(), n));
    const std::size_t size = static_cast<std::size_t>(element_size(input.element));
    const std::size_t before = (input.count - n) * size;
    auto first = std::make_shared<Library>(baseline, input.contents, before, n);
    first->run(nullptr);
    CUDA_CHECK(cudaDeviceSynchronize());
    const std::uint32_t result = first->result();

    Timing timing;
    timing.variant = baseline.row;
    timing.baseline = true;
    timing.n = n;
    timing.bytes = n * size + sizeof(result);
    const Reference reference = reference_of(baseline.reduction, input.element, input.contents.data() + before, n);
    timing.value = element_to_double(is_float(input.element) ? Element::f32 : Element::i32, result);
    timing.error = std::abs(timing.value - reference.value);
    timing.within_bound = timing.error <= reference.bound;
    if (!timing.within_bound) return timing;
    const auto place = [&]() -> Work {
        auto library = first ? std::move(first) : std::make_shared<Library>(baseline, input.contents, before, n);
        return [library = std::move(library)](cudaStream_t stream) { library->run(stream); };
    };
    sample_in_places(input.bytes(), place, name, options, timing);
    return timing;
}

}  // namespace lanewise::measure
