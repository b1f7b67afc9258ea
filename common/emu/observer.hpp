// What the emulator announces. An observer takes what it needs and leaves the rest; the emulator knows none by name.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/trace/trace.hpp"

namespace lanewise::emu {

// Lanes of one warp met: a shuffle, a reduction, a vote, __syncwarp or __activemask. The pointers give a value for each
// of the warp's 32 lanes; only those in `lanes` mean something.
struct CollectiveSeen {
    std::uint32_t warp = 0;
    trace::Op op = trace::Op::sync_warp;
    Element type = Element::u32;
    std::uint32_t mask = 0;
    std::uint32_t lanes = 0;       // those that were there
    std::uint32_t undefined = 0;   // those whose source took no part
    const std::uint64_t* offered = nullptr;
    const std::uint64_t* received = nullptr;
    const std::int32_t* arg = nullptr;
    const std::int32_t* width = nullptr;
    const std::int32_t* line = nullptr;
};

// A lane came to a block barrier. `thread`, here and below: the lane's slot (lanewise_emulated::Board).
struct BarrierSeen {
    std::uint32_t thread = 0;
    int line = 0;
    trace::Op op = trace::Op::sync_block;
    bool predicate = false;        // of those that vote
};

struct FenceSeen {
    std::uint32_t thread = 0;
    int line = 0;
    int scope = 0;                 // 0 block, 1 device, 2 system
};

// A load or store is about to happen.
struct AccessSeen {
    std::uint32_t thread = 0;
    const void* address = nullptr;
    std::uint32_t bytes = 0;
    bool is_store = false;
    const void* pc = nullptr;      // return address into the kernel
};

// An atomic was done.
struct AtomicSeen {
    std::uint32_t thread = 0;
    int line = 0;
    trace::Op op = trace::Op::atomic_add;
    Element type = Element::f32;
    int elements = 1;              // neighbours it touched: 2 for a pair of halves
    const void* address = nullptr;
    trace::Bytes16 operand{};
    std::uint64_t old = 0;         // the first eight bytes
};

struct AfterSeen {
    std::uint32_t thread = 0;
    int first_line = 0;
    int last_line = 0;
    int effect = 0;                // as the annotated text gives it; see prelude
    Element type = Element::f32;
    std::uint64_t bits = 0;
};

// A statement joined what was read to a variable.
struct JoinedSeen {
    std::uint32_t thread = 0;
    unsigned variable = 0;         // tells the file's variables apart
    Element type = Element::f32;
    std::uint64_t bits = 0;        // what it holds now
};

struct SharedArraySeen {
    unsigned id = 0;
    const void* address = nullptr;
    std::size_t bytes = 0;
    Element type = Element::f32;
};

class Observer {
public:
    virtual ~Observer() = default;
    virtual void block_begins(std::uint64_t /*block*/, std::uint32_t /*slots*/) {}
    virtual void block_ends() {}
    virtual void collective(const CollectiveSeen&) {}
    virtual void at_barrier(const BarrierSeen&) {}                      // each lane as it arrives
    // Before any of them goes on; `received`, by slot, is what those that vote take away.
    virtual void barrier_complete(const std::uint64_t* /*received*/) {}
    virtual void fence(const FenceSeen&) {}
    virtual void thread_ends(std::uint32_t /*thread*/) {}
    virtual void access(const AccessSeen&) {}
    virtual void atomic(const AtomicSeen&) {}
    virtual void after(const AfterSeen&) {}
    virtual void joined(const JoinedSeen&) {}
    virtual void took(std::uint32_t /*thread*/, int /*first_line*/, int /*last_line*/) {}
    virtual void shared_array(const SharedArraySeen&) {}
};

}  // namespace lanewise::emu
