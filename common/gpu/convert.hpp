// From the raw events that a traced kernel left on the GPU to the events of lanes that traces are made of. Pure: needs
// neither CUDA nor a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/launch/arrays.hpp"
#include "common/launch/plan.hpp"
#include "common/prelude/gpu/gpu_capture.hpp"
#include "common/trace/lane_events.hpp"

namespace lanewise::gpu {

// One recorded block as it came from the GPU.
struct CapturedBlock {
    std::uint32_t launch = 0;
    std::uint32_t block = 0;                                    // linear number
    std::vector<std::vector<prelude::GpuEvent>> threads;        // by linear thread
    std::vector<std::vector<std::byte>> images;                 // shared memory, one for each block barrier
    std::vector<std::vector<std::byte>> watched_images;  // its parts of the plan's snapshots, at the same barriers
    std::uint64_t shared_begin = 0;                             // address of an image's first byte
    std::vector<launch::SharedArray> shared;                    // as reported, not yet numbered
};

// Where one of the plan's buffers lies on the GPU.
struct DeviceRange {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    Element element = Element::f32;
};

// `buffers` are the plan's, in its order, `snapshots` the parts of them that watched_images holds; `shared` are the
// launch's shared arrays, numbered; `numbering` gives the number of the array that stands for all other memory.
trace::BlockEvents to_block_events(const CapturedBlock& block, std::span<const DeviceRange> buffers,
                                   std::span<const launch::Plan::Snapshot> snapshots,
                                   std::span<const launch::SharedArray> shared, launch::ArrayNumbering& numbering);

}  // namespace lanewise::gpu
