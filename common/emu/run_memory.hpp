// The memory of one run: the plan's buffers, each between guards, and the journal. Either this process's own, or shared
// with the worker that runs.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/emu/journal.hpp"
#include "common/launch/backend.hpp"

namespace lanewise::emu {

// How far a run is, for a watcher. Lies in the run's memory.
struct RunState {
    std::atomic<std::uint32_t> launch;        // which of the plan's is running
    std::atomic<std::uint32_t> done;          // all of it ran, or was ended by a finding
    std::atomic<std::uint32_t> ended_early;   // … by a finding
    std::atomic<std::uint64_t> blocks_done;   // of all launches
    std::uint64_t memory_base;                // where the runner sees RunMemory::base()
    std::uint64_t library_base;               // where it loaded the kernels' library; 0: it did not
    std::byte room[4096 - 40];                // for the process that runs it: see worker/crash_report.hpp
};
static_assert(sizeof(RunState) == 4096);

class RunMemory {
public:
    // How much of it a run needs.
    struct Kind {
        bool records = false;   // its journal holds events
        bool checked = false;   // buffers lie so far apart that no index of 32 bits leads from one into another
    };
    static Kind kind_of(const launch::Request& request) { return {request.record, request.checks}; }

    // Makes the buffers and fills them as BufferRole says. `shared`: a worker can be given fd().
    // Throws Error where there is not enough memory.
    RunMemory(const launch::Plan& plan, Kind kind, bool shared);
    // In the worker: the same memory. `plan` needs no contents.
    RunMemory(const launch::Plan& plan, Kind kind, int fd);
    ~RunMemory();
    RunMemory(const RunMemory&) = delete;
    RunMemory& operator=(const RunMemory&) = delete;

    // Address of a buffer: a multiple of 256, as cudaMalloc's; its last bytes are the last before the guard, but for
    // what that multiple leaves.
    std::byte* buffer(std::size_t index) const { return base_ + buffers_[index].address; }
    RunState& state() const { return *reinterpret_cast<RunState*>(base_); }
    Journal journal() const { return {base_ + sizeof(RunState), journal_bytes_}; }

    // Where an address of the runner's, or one near it, lies: the buffer and the byte in it, which may be outside.
    struct Place {
        std::size_t buffer = 0;
        std::int64_t byte = 0;
    };
    bool find(std::uint64_t address, Place& place) const;

    int fd() const { return fd_; }
    std::size_t mapped_bytes() const { return total_; }
    std::byte* base() const { return base_; }

private:
    struct Piece {
        std::uint64_t address = 0;    // from the base on
        std::uint64_t bytes = 0;
        std::uint64_t pages_at = 0;   // of its first page, from the base on
        std::uint64_t pages = 0;      // bytes
        std::uint64_t in_file = 0;
    };
    void lay_out(const launch::Plan& plan, Kind kind);
    void map(int fd);

    std::vector<Piece> buffers_;
    std::size_t journal_bytes_ = 0;
    std::size_t total_ = 0;        // address space
    std::size_t file_bytes_ = 0;
    std::byte* base_ = nullptr;
    int fd_ = -1;
};

}  // namespace lanewise::emu
