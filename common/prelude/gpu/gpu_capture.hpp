// What a traced kernel writes on the GPU and the host reads back: raw events of lanes, shared memory at barriers, and
// where shared arrays lie. Plain data, the same for nvcc and the host compiler.
#pragma once

#include <cstdint>

namespace lanewise::prelude {

// One entry of one lane's list. A meaning for each kind of event:
//   shuffle   mask, argument, width, collective; first = offered, second = received
//   reduction, match   mask, collective; first = offered, second = received
//   vote      mask, argument = predicate, collective; second = result
//   barrier   mask (0 for a block), collective; of a block: first = which snapshot, and where it votes argument =
//             predicate, second = result
//   active mask        second = the lanes
//   fence     argument = scope (0 block, 1 device, 2 system)
//   atomic    first = old value (eight bytes of it), second and more = operand (of an atomicCAS the new value),
//             elements, address, in_shared
//   after     line to last_line = the shuffle's statement; first = the variable's bits, effect
//   took      line to last_line = the shuffle's statement
struct GpuEvent {
    enum Kind : std::uint8_t { instruction, after, took };

    std::uint8_t kind = instruction;
    std::uint8_t op = 0;       // trace::Op
    std::uint8_t element = 0;  // lanewise::Element
    std::uint8_t width = 32;
    std::uint8_t effect = 0;
    bool in_shared = false;
    std::uint8_t elements = 1; // atomics: neighbours touched
    std::int32_t line = 0;
    std::int32_t last_line = 0;
    std::uint32_t mask = 0;
    std::int32_t argument = 0;
    std::uint64_t collective = ~std::uint64_t{0};
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    std::uint64_t more = 0;    // bytes 8 to 15 of an atomic's operand
    std::uint64_t address = 0;
};

// A shared array as a lane announced it. `key` is 0 in a free place of the table.
struct GpuSharedArray {
    std::uint64_t key = 0;      // (id + 1) << 32 | address in the shared window
    std::uint64_t count = 0;    // elements
    std::uint8_t element = 0;

    std::uint32_t id() const { return static_cast<std::uint32_t>(key >> 32) - 1; }
    std::uint32_t address() const { return static_cast<std::uint32_t>(key); }
};

// A part of a buffer in global memory that each block works in: copied at its barriers.
struct GpuWatched {
    const unsigned char* begin = nullptr;   // of the buffer
    std::uint64_t bytes = 0;                // of the buffer
    std::uint64_t per_block = 0;            // bytes of each block's part
};
inline constexpr std::uint32_t kMaxWatched = 4;

// What one recorded block used; more than there was room for means: give more room and run again.
struct GpuBlockUse {
    std::uint32_t barriers = 0;       // block barriers passed, each a snapshot
    std::uint32_t shared_bytes = 0;   // of a snapshot
    std::uint32_t shared_arrays = 0;
};

// Where the blocks of one launch write. "slot" is a recorded block's place in `blocks`. Every lane has a list of its
// own, so that recording needs no order between lanes and comes out the same each time.
struct GpuCapture {
    const std::uint32_t* blocks = nullptr;  // linear numbers of the blocks to record
    std::uint32_t block_count = 0;          // 0: nothing is recorded
    std::uint32_t threads = 0;              // of a block

    GpuEvent* events = nullptr;             // [slot][thread][event_room]
    std::uint32_t* event_counts = nullptr;  // [slot][thread], counted on past the room
    std::uint32_t event_room = 0;

    unsigned char* images = nullptr;        // [slot][image_room][image_bytes]
    std::uint32_t image_room = 0;
    std::uint32_t image_bytes = 0;
    std::uint32_t shared_begin = 0;         // where a block's own shared memory begins in its shared window

    GpuWatched watched[kMaxWatched];
    std::uint32_t watched_count = 0;
    unsigned char* watched_images = nullptr;  // [slot][image_room][watched_bytes], the parts one after the other
    std::uint64_t watched_bytes = 0;

    GpuSharedArray* shared = nullptr;       // [slot][shared_room]
    std::uint32_t shared_room = 0;
    GpuBlockUse* use = nullptr;             // [slot]
};

}  // namespace lanewise::prelude
