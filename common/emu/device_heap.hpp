// What kernels allocate by themselves (malloc and new in device code) in one run. As on a GPU there are 8 MB of it, and
// a kernel that asks for more gets a null pointer. Memory that was freed is not given out again while there is other
// room, so that a use of it is seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace lanewise::emu {

class DeviceHeap {
public:
    static constexpr std::size_t kMostBytes = std::size_t{8} << 20;
    static constexpr std::size_t kArenaBytes = std::size_t{32} << 20;
    static constexpr std::size_t kApart = 64;   // bytes of no allocation, after each block

    struct Block {
        std::byte* begin = nullptr;
        std::size_t bytes = 0;
        bool freed = false;
    };
    enum class Freed : std::uint8_t { now, before, no_block };

    DeviceHeap() = default;
    ~DeviceHeap();
    DeviceHeap(const DeviceHeap&) = delete;
    DeviceHeap& operator=(const DeviceHeap&) = delete;

    // Null where there is no room. Safe from any thread, as all here.
    void* allocate(std::size_t bytes);
    Freed free(void* address);

    // The last block that begins at or before the address; `begin` null: none does.
    Block block_before(const void* address) const;
    // Where blocks lie; null before the first.
    std::byte* arena() const;

private:
    mutable std::mutex mutex_;
    std::byte* arena_ = nullptr;
    std::size_t used_ = 0;        // of the arena, from its beginning
    std::size_t live_ = 0;
    std::map<const std::byte*, Block> blocks_;
};

}  // namespace lanewise::emu
