#include "common/gpu/prepared.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/base/error.hpp"
#include "common/gpu/device.hpp"
#include "common/gpu/cuda_error.hpp"
#include "common/launch/backend.hpp"

namespace lanewise::gpu {
namespace {

// What undefined memory holds: a NaN in every float type, so that a kernel which reads it is found out.
constexpr int kUndefinedByte = 0xff;

Buffer make_buffer(const launch::BufferSpec& spec) {
    Buffer buffer(spec.bytes());
    switch (spec.role) {
        case launch::BufferRole::input:
            if (spec.contents.size() != spec.bytes())
                throw Error(fmt::format("The input '{}' of {} elements takes {} bytes and was given {}.", spec.name,
                                        spec.count, spec.bytes(), spec.contents.size()));
            buffer.upload(spec.contents);
            break;
        case launch::BufferRole::output:
        case launch::BufferRole::kept: buffer.fill(0); break;
        case launch::BufferRole::scratch: buffer.fill(kUndefinedByte); break;
    }
    return buffer;
}

}  // namespace

PreparedPlan::PreparedPlan(const launch::Plan& plan, const launch::KernelSet& kernels, launch::Build build)
    : plan_(plan) {
    // Kernels first: a launch that cannot be costs no memory.
    const std::uint32_t gpu_architecture = architecture();
    for (const launch::LaunchSpec& spec : plan.launches) {
        const launch::Kernel& kernel = kernels.find(spec.kernel, spec.arguments);
        if (kernel.warp_size != trace::kWarpSize)
            throw Error(
                fmt::format("{} is made for teaching warps of {} lanes, and a GPU's have {}: use --backend cpu, or "
                            "leave out --warp.",
                            kernel.full_name(), kernel.warp_size, trace::kWarpSize));
        const launch::EntryPoint entry = build == launch::Build::gpu_traced ? kernel.gpu_traced : kernel.gpu_plain;
        if (!entry)
            throw Error(launch::why_no_gpu_build(kernel, kernels));
        if (const std::string why = launch::why_not_on(kernel, gpu_architecture); !why.empty()) throw Error(why);
        launch::check_arguments(kernel, spec);
        LaunchShape shape{kernel.full_name(), spec.grid, spec.block, spec.cooperative, spec.overlaps};
        if (const std::uint32_t cluster = spec.cluster_in_turns)
            shape.grid.x = std::min(shape.grid.x, clusters_at_once(entry.address, shape, cluster) * cluster);
        launches_.push_back({&kernel, entry.address, std::move(shape), spec.values});
    }
    for (const launch::BufferSpec& spec : plan.buffers) {
        buffers_.push_back(make_buffer(spec));
        ranges_.push_back({reinterpret_cast<std::uint64_t>(buffers_.back().data()), spec.bytes(), spec.element});
    }
    for (Launch& launch : launches_)
        for (launch::Argument& argument : launch.values) {
            const auto point_to = [&](std::size_t buffer, std::uint64_t offset, std::size_t at) {
                if (buffer >= buffers_.size())
                    throw Error(fmt::format("{} is launched with buffer {}, but the plan has {} buffers.",
                                            launch.shape.kernel, buffer, buffers_.size()));
                void* const address = static_cast<std::byte*>(buffers_[buffer].data()) + offset;
                std::memcpy(argument.value.data() + at, &address, sizeof(address));
            };
            if (argument.is_buffer) point_to(argument.buffer, argument.offset_bytes, 0);
            for (const auto& within : argument.pointers) point_to(within.buffer, within.offset_bytes, within.at);
        }
    // Other streams may use the buffers from here on.
    CUDA_CHECK(cudaDeviceSynchronize());
}

void PreparedPlan::launch(std::size_t i, CUstream_st* stream) {
    Launch& launch = launches_[i];
    std::vector<void*> arguments;
    for (launch::Argument& argument : launch.values) arguments.push_back(argument.value.data());
    launch_kernel(launch.stub, launch.shape, arguments.data(), stream);
}

void PreparedPlan::finish(std::size_t i, CUstream_st* stream) const { finish_kernel(launches_[i].shape, stream); }

void PreparedPlan::zero_totals(CUstream_st* stream) {
    for (std::size_t i = 0; i < buffers_.size(); ++i)
        if (plan_.buffers[i].added_to) buffers_[i].fill(0, stream);
}

std::uint32_t PreparedPlan::shared_bytes(std::size_t i) const {
    cudaFuncAttributes attributes{};
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, launches_[i].stub));
    return static_cast<std::uint32_t>(attributes.sharedSizeBytes) + launches_[i].shape.block.dynamic_shared_bytes;
}

std::vector<std::vector<std::byte>> PreparedPlan::download() const {
    std::vector<std::vector<std::byte>> contents;
    for (const Buffer& buffer : buffers_) contents.push_back(buffer.download());
    return contents;
}

}  // namespace lanewise::gpu
