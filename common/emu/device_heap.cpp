#include "common/emu/device_heap.hpp"

#include <algorithm>

#include <sys/mman.h>

namespace lanewise::emu {

DeviceHeap::~DeviceHeap() {
    if (arena_) munmap(arena_, kArenaBytes);
}

void* DeviceHeap::allocate(std::size_t bytes) {
    constexpr std::size_t kAlignment = 16;
    const std::lock_guard lock(mutex_);
    if (bytes == 0 || bytes > kMostBytes - live_) return nullptr;
    if (!arena_) {
        void* mapped =
            mmap(nullptr, kArenaBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapped == MAP_FAILED) return nullptr;
        arena_ = static_cast<std::byte*>(mapped);
    }
    const std::size_t room = (bytes + kApart + kAlignment - 1) / kAlignment * kAlignment;
    if (used_ + room <= kArenaBytes) {
        std::byte* begin = arena_ + used_;
        used_ += room;
        blocks_[begin] = {begin, bytes, false};
        live_ += bytes;
        return begin;
    }
    const auto again = std::find_if(blocks_.begin(), blocks_.end(),
                                    [&](const auto& at) { return at.second.freed && at.second.bytes >= bytes; });
    if (again == blocks_.end()) return nullptr;
    again->second.freed = false;
    live_ += again->second.bytes;
    return again->second.begin;
}

DeviceHeap::Freed DeviceHeap::free(void* address) {
    const std::lock_guard lock(mutex_);
    const auto at = blocks_.find(static_cast<const std::byte*>(address));
    if (at == blocks_.end()) return Freed::no_block;
    if (at->second.freed) return Freed::before;
    at->second.freed = true;
    live_ -= at->second.bytes;
    return Freed::now;
}

DeviceHeap::Block DeviceHeap::block_before(const void* address) const {
    const std::lock_guard lock(mutex_);
    const auto after = blocks_.upper_bound(static_cast<const std::byte*>(address));
    return after == blocks_.begin() ? Block{} : std::prev(after)->second;
}

std::byte* DeviceHeap::arena() const {
    const std::lock_guard lock(mutex_);
    return arena_;
}

}  // namespace lanewise::emu
