#include "common/timing/cub_reduce.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>
#include <cuda/std/functional>
#include <limits>

namespace lanewise::timing {
namespace {

constexpr std::uint64_t kIntMax = std::numeric_limits<int>::max();
// Since CUB 2.2 the count's type is the caller's; before, it was an int.
constexpr bool kWideCounts = CUB_VERSION >= 200200;

// Calls `reduce` with n as an int where it is one.
template <class Reduce>
int with_count(std::uint64_t n, Reduce reduce) {
    if (n <= kIntMax) return reduce(static_cast<int>(n));
    if constexpr (kWideCounts) return reduce(static_cast<std::int64_t>(n));
    else return cudaErrorInvalidValue;
}

template <class T>
int sum_in_float(void* memory, std::size_t& bytes, const void* in, float* out, std::uint64_t n, CUstream_st* stream) {
    return with_count(n, [&](auto count) {
        return cub::DeviceReduce::Reduce(memory, bytes, static_cast<const T*>(in), out, count, cuda::std::plus<float>{}, 0.0f,
                                         stream);
    });
}

}  // namespace

int cub_sum(void* memory, std::size_t& bytes, const void* in, float* out, std::uint64_t n, CUstream_st* stream) {
    return with_count(n, [&](auto count) {
        return cub::DeviceReduce::Sum(memory, bytes, static_cast<const float*>(in), out, count, stream);
    });
}

int cub_max(void* memory, std::size_t& bytes, const void* in, float* out, std::uint64_t n, CUstream_st* stream) {
    return with_count(n, [&](auto count) {
        return cub::DeviceReduce::Max(memory, bytes, static_cast<const float*>(in), out, count, stream);
    });
}

int cub_min(void* memory, std::size_t& bytes, const void* in, float* out, std::uint64_t n, CUstream_st* stream) {
    return with_count(n, [&](auto count) {
        return cub::DeviceReduce::Min(memory, bytes, static_cast<const float*>(in), out, count, stream);
    });
}

int cub_sum_f16(void* memory, std::size_t& bytes, const void* in, float* out, std::uint64_t n, CUstream_st* stream) {
    return sum_in_float<__half>(memory, bytes, in, out, n, stream);
}

int cub_sum_bf16(void* memory, std::size_t& bytes, const void* in, float* out, std::uint64_t n, CUstream_st* stream) {
    return sum_in_float<__nv_bfloat16>(memory, bytes, in, out, n, stream);
}

std::uint64_t cub_most_values() {
    return kWideCounts ? static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) : kIntMax;
}

}  // namespace lanewise::timing
