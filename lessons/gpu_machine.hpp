// What a lesson's plans may know of the GPU that is here.
#pragma once

#include <cstdint>

#include "common/gpu/device.hpp"
#include "common/lesson/inputs.hpp"

namespace lanewise {

// The first GPU, as plans see it. Throws Error where there is none.
inline lesson::Machine gpu_machine() {
    const gpu::Device device = gpu::device();
    return {static_cast<std::uint32_t>(device.multiprocessors),
            static_cast<std::uint32_t>(device.threads_per_multiprocessor), gpu::architecture(), device.l2_bytes,
            static_cast<std::uint32_t>(device.memory_gb_per_s)};
}

}  // namespace lanewise
