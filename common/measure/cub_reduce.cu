#include "common/measure/cub_reduce.hpp"

#include <cub/device/device_reduce.cuh>

#include "common/measure/cub_count.cuh"

namespace lanewise::measure {
namespace {

int sum(void* memory, std::size_t& bytes, const void* in, void* out, std::uint64_t n, CUstream_st* stream) {
    return with_count(n, [&](auto count) {
        return cub::DeviceReduce::Sum(memory, bytes, static_cast<const float*>(in), static_cast<float*>(out), count,
                                      stream);
    });
}

int max(void* memory, std::size_t& bytes, const void* in, void* out, std::uint64_t n, CUstream_st* stream) {
    return with_count(n, [&](auto count) {
        return cub::DeviceReduce::Max(memory, bytes, static_cast<const float*>(in), static_cast<float*>(out), count,
                                      stream);
    });
}

int min(void* memory, std::size_t& bytes, const void* in, void* out, std::uint64_t n, CUstream_st* stream) {
    return with_count(n, [&](auto count) {
        return cub::DeviceReduce::Min(memory, bytes, static_cast<const float*>(in), static_cast<float*>(out), count,
                                      stream);
    });
}

constexpr Baseline kBaselines[] = {
    {"CUB DeviceReduce::Sum", Element::f32, "CUB DeviceReduce::Sum", sum, Reduction::sum},
    {"CUB DeviceReduce::Max", Element::f32, "CUB DeviceReduce::Max", max, Reduction::max},
    {"CUB DeviceReduce::Min", Element::f32, "CUB DeviceReduce::Min", min, Reduction::min},
};

}  // namespace

std::span<const Baseline> cub_of_floats() { return kBaselines; }

std::uint64_t cub_most_values() {
    return kWideCounts ? static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) : kIntMax;
}

}  // namespace lanewise::measure
