#include "common/gpu/launch.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/base/error.hpp"
#include "common/gpu/device.hpp"
#include "common/gpu/cuda_error.hpp"

namespace lanewise::gpu {
namespace {

// More than this, of a kernel's own and of the launch's together, must be asked for by an attribute of the kernel, on
// every architecture.
constexpr std::uint32_t kSharedWithoutAsking = 48u << 10;

std::string describe(const LaunchShape& s) {
    return fmt::format(
        "{} with a grid of {} x {} x {} blocks of {} x {} x {} threads and {} bytes of dynamic shared memory", s.kernel,
        s.grid.x, s.grid.y, s.grid.z, s.block.x, s.block.y, s.block.z, s.block.dynamic_shared_bytes);
}

[[noreturn]] void refuse(const LaunchShape& shape, int status) {
    (void)cudaGetLastError();
    const Device gpu = device();
    throw Error(fmt::format("The GPU cannot launch {}: {}. A block of this {} has at most {} threads and {} bytes of "
                            "shared memory.",
                            describe(shape), cuda_message(status), gpu.name, gpu.max_threads_per_block,
                            gpu.shared_bytes_per_block_optin),
                kExitFailed);
}

void ask_for_shared(const void* stub, const LaunchShape& shape) {
    if (shape.block.dynamic_shared_bytes == 0) return;
    cudaFuncAttributes attributes{};
    cudaError_t status = cudaFuncGetAttributes(&attributes, stub);
    if (status != cudaSuccess) refuse(shape, status);
    if (attributes.sharedSizeBytes + shape.block.dynamic_shared_bytes <= kSharedWithoutAsking) return;
    status = cudaFuncSetAttribute(stub, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(shape.block.dynamic_shared_bytes));
    if (status != cudaSuccess) refuse(shape, status);
}

// Of clusters of one block cudaOccupancyMaxActiveClusters counts fewer than run: 8 a multiprocessor, on an H200.
std::uint32_t blocks_at_once(const void* stub, const LaunchShape& shape) {
    const auto threads = static_cast<int>(shape.block.x * shape.block.y * shape.block.z);
    int device = 0, multiprocessors = 0, blocks = 0;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (status == cudaSuccess)
        status =
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, stub, threads, shape.block.dynamic_shared_bytes);
    if (status != cudaSuccess) refuse(shape, status);
    return static_cast<std::uint32_t>(std::max(blocks * multiprocessors, 1));
}

}  // namespace

std::uint32_t clusters_at_once(const void* stub, const LaunchShape& shape, std::uint32_t cluster) {
    ask_for_shared(stub, shape);
    if (cluster == 1) return blocks_at_once(stub, shape);
    cudaLaunchAttribute size{};
    size.id = cudaLaunchAttributeClusterDimension;
    size.val.clusterDim = {cluster, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = cluster;
    config.blockDim = dim3(shape.block.x, shape.block.y, shape.block.z);
    config.dynamicSmemBytes = shape.block.dynamic_shared_bytes;
    config.attrs = &size;
    config.numAttrs = 1;
    int clusters = 0;
    const cudaError_t status = cudaOccupancyMaxActiveClusters(&clusters, stub, &config);
    if (status != cudaSuccess) refuse(shape, status);
    return static_cast<std::uint32_t>(std::max(clusters, 1));
}

void launch_kernel(const void* stub, const LaunchShape& shape, void** arguments, CUstream_st* stream) {
    const launch::Block& block = shape.block;
    ask_for_shared(stub, shape);
    std::array<cudaLaunchAttribute, 2> how{};
    unsigned count = 0;
    if (shape.cooperative) {
        how[count].id = cudaLaunchAttributeCooperative;
        how[count++].val.cooperative = 1;
    }
    if (shape.overlaps) {
        how[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        how[count++].val.programmaticStreamSerializationAllowed = 1;
    }
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(shape.grid.x, shape.grid.y, shape.grid.z);
    config.blockDim = dim3(block.x, block.y, block.z);
    config.dynamicSmemBytes = block.dynamic_shared_bytes;
    config.stream = stream;
    config.attrs = how.data();
    config.numAttrs = count;
    const cudaError_t status = cudaLaunchKernelExC(&config, stub, arguments);
    if (status != cudaSuccess) refuse(shape, status);
}

void finish_kernel(const LaunchShape& shape, CUstream_st* stream) {
    const cudaError_t status = cudaStreamSynchronize(stream);
    if (status == cudaSuccess) return;
    (void)cudaGetLastError();
    throw Error(fmt::format("{} failed while it ran: {}. Run the emulator (--backend cpu --check) to see where.",
                            describe(shape), cuda_message(status)),
                kExitFailed);
}

}  // namespace lanewise::gpu
