#include "common/emu/stacks.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include <fmt/format.h>
#include <sys/mman.h>

#include "common/base/error.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace lanewise::emu {

namespace {

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

// Guards that do not cut the mapping into pieces, where there are any.
bool guard_within(void* at, std::size_t bytes) {
    static const bool possible = [] {
        void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        const bool works = page != MAP_FAILED && madvise(page, 4096, MADV_GUARD_INSTALL) == 0;
        if (page != MAP_FAILED) munmap(page, 4096);
        return works;
    }();
    return possible && madvise(at, bytes, MADV_GUARD_INSTALL) == 0;
}

}  // namespace

StackPool::StackPool(std::size_t stacks) : bytes_(stacks * kStride) {
    void* mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED)
        throw Error(fmt::format("the emulator could not reserve {} MB for the stacks of {} lanes: {}.", bytes_ >> 20,
                                stacks, std::strerror(errno)));
    base_ = static_cast<std::byte*>(mapped);
    for (std::size_t stack = 0; stack < stacks; ++stack) {
        std::byte* at = base_ + stack * kStride;
        if (guard_within(at, kGuardBytes) || mprotect(at, kGuardBytes, PROT_NONE) == 0) continue;
        const int reason = errno;
        munmap(base_, bytes_);
        throw Error(fmt::format("the emulator could not guard the stacks of {} lanes: {}.", stacks,
                                std::strerror(reason)));
    }
}

StackPool::~StackPool() {
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(base_, bytes_);
#endif
    munmap(base_, bytes_);
}

void* StackPool::bottom(std::size_t stack) const { return base_ + stack * kStride + kGuardBytes; }

void* StackPool::top(std::size_t stack) const {
    // Every stack's busy end would fall into the same few cache sets; 192 bytes apart they spread over all of them.
    const std::size_t colour = (stack * 192) % 4096;
    return base_ + (stack + 1) * kStride - colour;
}

bool StackPool::is_guard(const void* address) const {
    const auto* at = static_cast<const std::byte*>(address);
    return at >= base_ && at < base_ + bytes_ &&
           static_cast<std::size_t>(at - base_) % kStride < kGuardBytes;
}

void StackPool::clear(std::size_t stacks) {
    constexpr std::size_t kPage = 4096, kMostToKeep = 4096;   // 16 MB
    const std::size_t pages = std::min(stacks * kStride, bytes_) / kPage;
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(base_, pages * kPage);
#endif
    std::vector<unsigned char> committed(pages);
    constexpr unsigned char kCommitted = 1;
    const bool known = mincore(base_, pages * kPage, committed.data()) == 0;
    const auto is_committed = [](unsigned char page) { return (page & kCommitted) != 0; };
    const auto many = [&] {
        return std::count_if(committed.begin(), committed.end(), is_committed) > std::ptrdiff_t{kMostToKeep};
    };
    if (!known || many()) std::fill(committed.begin(), committed.end(), 0);
    // Runs of pages alike. Those that are not in memory may be in swap: they are let go of. Guards stay.
    for (auto first = committed.begin(); first != committed.end();) {
        const bool here = is_committed(*first);
        const auto last =
            std::find_if(first, committed.end(), [&](unsigned char page) { return is_committed(page) != here; });
        std::byte* const at = base_ + static_cast<std::size_t>(first - committed.begin()) * kPage;
        const std::size_t bytes = static_cast<std::size_t>(last - first) * kPage;
        if (here) std::memset(at, 0, bytes);
        else madvise(at, bytes, MADV_DONTNEED);
        first = last;
    }
}

std::unique_ptr<StackPool> SpareStacks::take(std::size_t stacks) {
    {
        const std::lock_guard lock(mutex_);
        const auto fits = [&](const auto& pool) { return pool->size() >= stacks; };
        if (const auto found = std::find_if(pools_.begin(), pools_.end(), fits); found != pools_.end()) {
            auto pool = std::move(*found);
            pools_.erase(found);
            stacks_ -= pool->size();
            return pool;
        }
    }
    return std::make_unique<StackPool>(stacks);
}

void SpareStacks::give_back(std::unique_ptr<StackPool> pool, std::size_t used) noexcept {
    constexpr std::size_t kMostStacks = 2048;   // of 0.6 MB of address space each
    try {
        pool->clear(used);
        const std::lock_guard lock(mutex_);
        const std::size_t size = pool->size();
        if (stacks_ + size > kMostStacks) return;
        const auto smaller = [](const auto& a, const auto& b) { return a->size() < b->size(); };
        pools_.insert(std::upper_bound(pools_.begin(), pools_.end(), pool, smaller), std::move(pool));
        stacks_ += size;
    } catch (const std::bad_alloc&) {
        // Then they are not kept.
    }
}

int StackPool::most_pools(std::size_t stacks) {
    static const bool in_pieces = [] {
        void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        const bool within = page != MAP_FAILED && guard_within(page, 4096);
        if (page != MAP_FAILED) munmap(page, 4096);
        return !within;
    }();
    constexpr std::size_t kPieces = 30000;   // of vm.max_map_count's 65530
    return in_pieces ? static_cast<int>(std::max<std::size_t>(1, kPieces / (2 * stacks))) : 1 << 20;
}

}  // namespace lanewise::emu
