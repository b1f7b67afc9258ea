#include "common/gpu/device.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/gpu/cuda_error.hpp"

namespace lanewise::gpu {
namespace {

constexpr const char* kWithout = "Use --backend cpu (the emulator) or --backend recorded instead.";

std::string why_not() {
    int driver = 0, runtime = 0, count = 0;
    CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
        return fmt::format("No NVIDIA driver was found on this machine. {}", kWithout);
    const cudaError_t status = cudaGetDeviceCount(&count);
    cudaGetLastError();
    if (status == cudaErrorInsufficientDriver)
        return fmt::format(
            "The NVIDIA driver is for CUDA {}, older than this program's CUDA {}: install a newer driver, "
            "or build with a toolkit of {} or older. {}",
            version_text(driver), version_text(runtime), version_text(driver), kWithout);
    if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0))
        return fmt::format("The NVIDIA driver is here, but no GPU that it can use. {}", kWithout);
    if (status != cudaSuccess)
        return fmt::format("CUDA cannot use the GPU: {}. {}", cuda_message(status), kWithout);
    return "";
}

std::size_t attribute(cudaDeviceAttr which) {
    int value = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return static_cast<std::size_t>(value);
}

}  // namespace

bool available(std::string* why) {
    const std::string reason = why_not();
    if (why) *why = reason;
    return reason.empty();
}

Device device() {
    std::string why;
    if (!available(&why)) throw Error(why);
    int driver = 0;
    CUDA_CHECK(cudaDriverGetVersion(&driver));
    cudaDeviceProp properties{};
    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    Device result;
    result.name = properties.name;
    result.driver = version_text(driver);
    result.compute_capability = fmt::format("{}.{}", properties.major, properties.minor);
    result.multiprocessors = properties.multiProcessorCount;
    result.threads_per_multiprocessor = properties.maxThreadsPerMultiProcessor;
    result.max_threads_per_block = properties.maxThreadsPerBlock;
    result.shared_bytes_per_block = properties.sharedMemPerBlock;
    result.shared_bytes_per_block_optin = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    result.reserved_shared_bytes = attribute(cudaDevAttrReservedSharedMemoryPerBlock);
    result.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
    // Two bits a line of the bus for each clock.
    result.memory_gb_per_s = static_cast<int>(std::int64_t{attribute(cudaDevAttrMemoryClockRate)} * 2 *
                                              attribute(cudaDevAttrGlobalMemoryBusWidth) / 8 / 1'000'000);
    return result;
}

std::uint32_t architecture() {
    std::string why;
    if (!available(&why)) throw Error(why);
    return static_cast<std::uint32_t>(attribute(cudaDevAttrComputeCapabilityMajor) * 10 +
                                      attribute(cudaDevAttrComputeCapabilityMinor));
}

}  // namespace lanewise::gpu
