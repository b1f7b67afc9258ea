#include "common/measure/cub_reduce.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/transform_iterator.h>

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
int sum_in_float(void* memory, std::size_t& bytes, const void* in, void* out, std::uint64_t n, CUstream_st* stream) {
    return with_count(n, [&](auto count) {
        return cub::DeviceReduce::Reduce(memory, bytes, static_cast<const T*>(in), static_cast<float*>(out), count,
                                         cuda::std::plus<float>{}, 0.0f, stream);
    });
}

template <class To>
struct Converted {
    template <class T>
    __host__ __device__ To operator()(const T& value) const {
        return static_cast<To>(value);
    }
};

// What has no implicit conversion, or would be added in its own 8 bits.
template <class T, class Sum>
int sum_converted(void* memory, std::size_t& bytes, const void* in, void* out, std::uint64_t n, CUstream_st* stream) {
    const auto values = thrust::make_transform_iterator(static_cast<const T*>(in), Converted<Sum>{});
    return with_count(n, [&](auto count) {
        return cub::DeviceReduce::Reduce(memory, bytes, values, static_cast<Sum*>(out), count, cuda::std::plus<Sum>{},
                                         Sum{}, stream);
    });
}

}  // namespace

int cub_sum(void* memory, std::size_t& bytes, const void* in, void* out, std::uint64_t n, CUstream_st* stream) {
    return with_count(n, [&](auto count) {
        return cub::DeviceReduce::Sum(memory, bytes, static_cast<const float*>(in), static_cast<float*>(out), count,
                                      stream);
    });
}

int cub_max(void* memory, std::size_t& bytes, const void* in, void* out, std::uint64_t n, CUstream_st* stream) {
    return with_count(n, [&](auto count) {
        return cub::DeviceReduce::Max(memory, bytes, static_cast<const float*>(in), static_cast<float*>(out), count,
                                      stream);
    });
}

int cub_min(void* memory, std::size_t& bytes, const void* in, void* out, std::uint64_t n, CUstream_st* stream) {
    return with_count(n, [&](auto count) {
        return cub::DeviceReduce::Min(memory, bytes, static_cast<const float*>(in), static_cast<float*>(out), count,
                                      stream);
    });
}

int cub_sum_f16(void* memory, std::size_t& bytes, const void* in, void* out, std::uint64_t n, CUstream_st* stream) {
    return sum_in_float<__half>(memory, bytes, in, out, n, stream);
}

int cub_sum_bf16(void* memory, std::size_t& bytes, const void* in, void* out, std::uint64_t n, CUstream_st* stream) {
    return sum_in_float<__nv_bfloat16>(memory, bytes, in, out, n, stream);
}

int cub_sum_e4m3(void* memory, std::size_t& bytes, const void* in, void* out, std::uint64_t n, CUstream_st* stream) {
    return sum_converted<__nv_fp8_e4m3, float>(memory, bytes, in, out, n, stream);
}

int cub_sum_e5m2(void* memory, std::size_t& bytes, const void* in, void* out, std::uint64_t n, CUstream_st* stream) {
    return sum_converted<__nv_fp8_e5m2, float>(memory, bytes, in, out, n, stream);
}

int cub_sum_i8(void* memory, std::size_t& bytes, const void* in, void* out, std::uint64_t n, CUstream_st* stream) {
    return sum_converted<signed char, int>(memory, bytes, in, out, n, stream);
}

std::uint64_t cub_most_values() {
    return kWideCounts ? static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) : kIntMax;
}

}  // namespace lanewise::timing
