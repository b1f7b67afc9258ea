#include "common/timing/cub_reduce.hpp"

#include <cub/device/device_reduce.cuh>

namespace lanewise::timing {

int cub_sum(void* memory, std::size_t& bytes, const float* in, float* out, int n, CUstream_st* stream) {
    return cub::DeviceReduce::Sum(memory, bytes, in, out, n, stream);
}

int cub_max(void* memory, std::size_t& bytes, const float* in, float* out, int n, CUstream_st* stream) {
    return cub::DeviceReduce::Max(memory, bytes, in, out, n, stream);
}

int cub_min(void* memory, std::size_t& bytes, const float* in, float* out, int n, CUstream_st* stream) {
    return cub::DeviceReduce::Min(memory, bytes, in, out, n, stream);
}

}  // namespace lanewise::timing
