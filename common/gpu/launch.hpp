// A checked launch.
#pragma once

#include <string>

#include "common/launch/plan.hpp"

struct CUstream_st;

namespace lanewise::gpu {

// A kernel and its shape, for sentences as well.
struct LaunchShape {
    std::string kernel;  // full name
    launch::Grid grid;
    launch::Block block;
    bool cooperative = false;  // all blocks run together, or the launch is refused
    bool overlaps = false;     // as LaunchSpec's
};

// Puts a kernel on `stream`. `stub` is its host stub, `arguments` the addresses of its arguments. Throws Error with
// the kernel, its shape and CUDA's message where the GPU refuses it.
void launch_kernel(const void* stub, const LaunchShape& shape, void** arguments, CUstream_st* stream = nullptr);

// How many clusters of `cluster` blocks run at once on this GPU; 1 at least. Throws Error where the GPU refuses the
// shape.
std::uint32_t clusters_at_once(const void* stub, const LaunchShape& shape, std::uint32_t cluster);

// Waits for `stream` and throws Error with the kernel, its shape and CUDA's message where it failed while running.
void finish_kernel(const LaunchShape& shape, CUstream_st* stream = nullptr);

}  // namespace lanewise::gpu
