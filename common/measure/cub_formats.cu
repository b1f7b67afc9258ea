// Sums of the number formats beside f32.
#include "common/measure/cub_reduce.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/transform_iterator.h>

#include "common/measure/cub_count.cuh"

namespace lanewise::measure {
namespace {

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

constexpr Baseline sum_of(Element element, CubReduce run) {
    return {"CUB DeviceReduce::Sum", element, "CUB DeviceReduce::Reduce", run, Reduction::sum};
}

constexpr Baseline kBaselines[] = {
    sum_of(Element::f16, sum_in_float<__half>),
    sum_of(Element::bf16, sum_in_float<__nv_bfloat16>),
    sum_of(Element::e4m3, sum_converted<__nv_fp8_e4m3, float>),
    sum_of(Element::e5m2, sum_converted<__nv_fp8_e5m2, float>),
    sum_of(Element::i8, sum_converted<signed char, int>),
};

}  // namespace

std::span<const Baseline> cub_of_formats() { return kBaselines; }

}  // namespace lanewise::measure
