// A plan made ready on the GPU: its buffers filled, its kernels found, its arguments in place. What the backend runs
// once and the clock replays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/gpu/buffer.hpp"
#include "common/gpu/convert.hpp"
#include "common/gpu/launch.hpp"
#include "common/launch/kernel.hpp"
#include "common/launch/plan.hpp"

namespace lanewise::gpu {

class PreparedPlan {
public:
    // `build` is gpu_plain or gpu_traced. Keeps a reference to `plan` and `kernels`. Throws Error where a kernel, an
    // instance or a build is missing or arguments do not fit.
    PreparedPlan(const launch::Plan& plan, const launch::KernelSet& kernels, launch::Build build);

    std::size_t launch_count() const { return launches_.size(); }
    const launch::Kernel& kernel(std::size_t i) const { return *launches_[i].kernel; }

    void launch(std::size_t i, CUstream_st* stream = nullptr);
    void finish(std::size_t i, CUstream_st* stream = nullptr) const;
    // What launches add to.
    void zero_totals(CUstream_st* stream = nullptr);

    // Static and dynamic shared memory of a block of launch `i`.
    std::uint32_t shared_bytes(std::size_t i) const;

    // Where the plan's buffers lie, in its order.
    std::span<const DeviceRange> ranges() const { return ranges_; }
    std::vector<std::vector<std::byte>> download() const;

private:
    struct Launch {
        const launch::Kernel* kernel = nullptr;
        const void* stub = nullptr;
        LaunchShape shape;
        std::vector<launch::Argument> values;
    };

    const launch::Plan& plan_;
    std::vector<Buffer> buffers_;
    std::vector<DeviceRange> ranges_;
    std::vector<Launch> launches_;
};

}  // namespace lanewise::gpu
