// The host's side of a traced launch: room on the GPU for what its lanes write, and reading it back.
#pragma once

#include <cstdint>
#include <vector>

#include "common/gpu/buffer.hpp"
#include "common/gpu/convert.hpp"
#include "common/prelude/gpu/gpu_capture.hpp"

namespace lanewise::gpu {

// How much room a launch is given for each recorded block.
struct CaptureRoom {
    std::uint32_t events = 64;         // of one lane
    std::uint32_t snapshots = 8;
    std::uint32_t snapshot_bytes = 0;  // a multiple of 16
    std::uint32_t shared_arrays = 16;

    // Grows to hold `other` as well, by powers of two. True when that changed anything.
    bool grow_to(const CaptureRoom& other);
};

// One traced launch. Attach, launch, wait, read.
class Capture {
public:
    // `blocks` are linear numbers, ascending; `watched` are the plan's snapshots where its buffers lie. Throws Error
    // when it would take too much memory or more is watched than a launch can.
    Capture(std::vector<std::uint32_t> blocks, std::uint32_t threads, std::uint32_t shared_begin,
            const CaptureRoom& room, std::vector<prelude::GpuWatched> watched);

    // Points the prelude's variable here. `symbol` is KernelFile::capture_symbol.
    void attach(const void* symbol) const;
    // Nothing is recorded from here on.
    static void detach(const void* symbol);

    // The room the launch would have needed.
    CaptureRoom used() const;

    // What was recorded; only valid when the room was enough.
    std::vector<CapturedBlock> read(std::uint32_t launch) const;

private:
    std::vector<std::uint32_t> event_counts() const;
    std::vector<prelude::GpuBlockUse> block_use() const;

    std::vector<std::uint32_t> blocks_;
    std::uint32_t threads_ = 0;
    std::uint32_t shared_begin_ = 0;
    CaptureRoom room_;
    std::vector<prelude::GpuWatched> watched_;
    std::uint64_t watched_bytes_ = 0;  // of one snapshot
    Buffer block_list_, events_, event_counts_, images_, watched_images_, shared_, use_;
};

}  // namespace lanewise::gpu
