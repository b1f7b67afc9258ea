// The arrays that a lane may touch, and beside each what the checks keep of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "common/base/element.hpp"
#include "common/emu/checks.hpp"

namespace lanewise::check {

// What is kept of a few bytes of memory: the last plain write, and the lanes of one warp that read since. All else
// is in entries that races.cpp chains. 32 bytes for 4, so that checks take 9 times the memory that kernels touch.
// A block is kept as its number + 1; 0: none.
struct Cell {
    std::uint32_t write_block = 0;
    std::uint32_t write_when = 0;   // time << 10 | slot
    std::uint32_t write_site = 0;
    std::uint32_t read_block = 0;
    std::uint32_t read_when = 0;    // time << 5 | warp
    std::uint32_t read_lanes = 0;
    std::uint32_t read_site = 0;
    std::uint32_t more = 0;         // the first entry; 0: none
};

// Pages of zeros that take memory when they are first touched.
class Pages {
public:
    Pages() = default;
    explicit Pages(std::size_t bytes);
    ~Pages();
    Pages(Pages&& other) noexcept;
    Pages& operator=(Pages&& other) noexcept;

    std::byte* data() const { return data_; }
    void clear();   // zeros again

private:
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
};

// One array.
class Region {
public:
    Region(std::string name, const std::byte* begin, std::uint64_t bytes, Element element, bool shared);

    // Does [address, address + bytes) begin in it?
    bool has(const void* address) const { return offset(address) < bytes_; }
    std::uint64_t offset(const void* address) const {
        return static_cast<std::uint64_t>(static_cast<const std::byte*>(address) - begin_);
    }
    const std::byte* begin() const { return begin_; }
    std::uint64_t bytes() const { return bytes_; }
    Element element() const { return element_; }
    bool shared() const { return shared_; }
    const std::string& name() const { return name_; }
    std::int64_t count() const { return static_cast<std::int64_t>(bytes_) / element_size(element_); }
    // The element at an address, which may lie outside.
    std::int64_t index_of(const void* address) const;

    // A cell for each 1 << shift() bytes.
    Cell* cells() { return reinterpret_cast<Cell*>(cells_.data()); }
    unsigned shift() const { return shift_; }
    // Makes cells small enough for an access of so many bytes at that offset.
    void refine(std::uint64_t offset, std::uint32_t bytes);

    // For each 4 bytes a bit for each that was written; null where all of them mean something from the start.
    std::uint8_t* written() { return tracks_writes_ ? reinterpret_cast<std::uint8_t*>(written_.data()) : nullptr; }
    void track_writes();
    void forget_writes();
    void forget_writes(std::uint64_t offset, std::uint64_t bytes);   // `offset`: a multiple of 4
    void clear_cells() { cells_.clear(); }

    // A __constant__ variable, which kernels may only read.
    bool read_only() const { return read_only_; }
    void set_read_only(bool read_only) { read_only_ = read_only; }

private:
    std::size_t cells_bytes() const;

    std::string name_;
    const std::byte* begin_;
    std::uint64_t bytes_;
    Element element_;
    bool shared_;
    unsigned shift_ = 2;
    bool tracks_writes_ = false;
    bool read_only_ = false;
    Pages cells_;
    Pages written_;
};

// All arrays of a run. Shared arrays are those that the present block has come to.
class Memory {
public:
    void run_begins(std::span<const emu::CheckedBuffer> buffers);
    void launch_begins(const emu::CheckedLaunch& launch);
    void block_memory(const emu::BlockMemory& memory) { dynamic_shared_ = memory.dynamic_shared; }
    void block_begins();
    // The shared arrays of the present block, which waits for others; and of one that continues.
    std::vector<Region*> put_aside() { return std::move(shared_); }
    void take_up(std::vector<Region*> shared) {
        block_begins();
        shared_ = std::move(shared);
    }
    void add_shared(const emu::SharedArraySeen& seen);

    // The kernel allocated or freed memory of its heap, all of which is one array.
    void heap_changes(const emu::HeapSeen& seen);
    bool is_heap(const Region& region) const { return &region == heap_; }

    // The array that holds the address; null where none does.
    Region* find(const void* address) {
        if (recent_[0]->has(address)) return recent_[0];
        if (recent_[1]->has(address)) {
            std::swap(recent_[0], recent_[1]);
            return recent_[0];
        }
        return find_slowly(address);
    }
    // The array that an address outside all of them is nearest to; null where none is near.
    Region* nearest(const void* address);

private:
    Region* find_slowly(const void* address);
    Region* variable_at(const void* address);

    std::deque<Region> regions_;         // they stay where they are
    std::vector<Region*> global_;        // buffers, variables and the heap
    Region* heap_ = nullptr;
    std::vector<Region*> all_shared_;    // of the launch
    std::vector<Region*> shared_;        // of the present block
    Region nothing_{"", nullptr, 0, Element::u8, false};
    Region* recent_[2] = {&nothing_, &nothing_};
    emu::CheckedLaunch launch_;
    const std::byte* dynamic_shared_ = nullptr;   // of the present block
};

}  // namespace lanewise::check
