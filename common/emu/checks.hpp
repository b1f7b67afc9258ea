// What judges a run while it happens. The emulator knows checks by this alone: common/check has them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/emu/device_heap.hpp"
#include "common/emu/journal.hpp"
#include "common/emu/observer.hpp"
#include "common/emu/program_objects.hpp"
#include "common/launch/plan.hpp"

namespace lanewise::emu {

struct CheckedBuffer {
    std::string name;
    const std::byte* begin = nullptr;
    std::uint64_t bytes = 0;
    Element element = Element::f32;
    bool initialised = true;               // false: nothing it holds means anything until a kernel writes it
};

// The memory that a block's lanes have to themselves. Blocks that run at the same time have each its own.
struct BlockMemory {
    const std::byte* stacks = nullptr;     // local memory of the lanes, slot by slot
    std::size_t stack_bytes = 0;           // from one to the next
    std::size_t stack_count = 0;
    const std::byte* dynamic_shared = nullptr;
};

struct CheckedLaunch {
    std::uint32_t number = 0;
    std::string kernel;                    // "block_sum<256>"
    launch::Block block;
    const void* code = nullptr;            // of the kernel
    std::span<const std::string> shared_names;   // by SharedArraySeen::id
    std::span<const std::string> constant_names; // __constant__ variables of the kernel's file
    std::shared_ptr<const ProgramObjects> program;   // that the kernel is part of
    Journal journal = {};                  // findings go there as they are made
    const DeviceHeap* heap = nullptr;      // of the run
    // Events recorded so far of a lane of the present block; empty where it is not recorded.
    std::function<std::int64_t(std::uint32_t thread)> events_of;
};

class Checker : public Observer {
public:
    virtual void run_begins(std::span<const CheckedBuffer> buffers) = 0;
    virtual void launch_begins(const CheckedLaunch& launch) = 0;
    // Before a block begins or continues.
    virtual void block_memory(const BlockMemory& memory) = 0;
    // Which limit kept the run from being decided, a sentence; empty: none.
    virtual std::string undecided() const = 0;
};

using MakeChecker = std::function<std::unique_ptr<Checker>()>;

// Fills in Finding::record of both places from the launch's records.
void locate_records(std::vector<Found>& found, std::span<const trace::Record> records,
                    std::span<const trace::Array> arrays);

}  // namespace lanewise::emu
