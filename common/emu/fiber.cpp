#include "common/emu/fiber.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>

#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#if !LANEWISE_OWN_SWITCH
#include <boost/context/detail/fcontext.hpp>
#endif

#include "common/base/error.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace lanewise::emu {

#if LANEWISE_OWN_SWITCH

// System V x86-64: the callee-saved registers and nothing else. Boost.Context's jump also saves the floating-point
// control registers, which kernels never change.
// `call` and `ret` stay paired across lanes that run the same code, so the return predictor keeps guessing right.
asm(R"(
.text
.p2align 4
.globl lanewise_switch_stacks
.type lanewise_switch_stacks, @function
lanewise_switch_stacks:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size lanewise_switch_stacks, .-lanewise_switch_stacks

.p2align 4
.globl lanewise_fiber_start
.type lanewise_fiber_start, @function
lanewise_fiber_start:
    movq %rbx, %rdi
    callq *%r12
    ud2
.size lanewise_fiber_start, .-lanewise_fiber_start
)");

extern "C" void lanewise_fiber_start();

void prepare(Fiber& fiber, [[maybe_unused]] void* bottom, void* top, FiberMain main, void* argument) {
    auto* sp = reinterpret_cast<std::uint64_t*>(top);
    *--sp = 0;                                                   // keeps the stack aligned at the call
    *--sp = 0;
    *--sp = reinterpret_cast<std::uint64_t>(&lanewise_fiber_start);
    *--sp = 0;                                                   // rbp
    *--sp = reinterpret_cast<std::uint64_t>(argument);           // rbx
    *--sp = reinterpret_cast<std::uint64_t>(main);               // r12
    *--sp = 0;                                                   // r13
    *--sp = 0;                                                   // r14
    *--sp = 0;                                                   // r15
    fiber.sp = sp;
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(bottom,
                                  static_cast<std::size_t>(static_cast<char*>(top) - static_cast<char*>(bottom)));
    fiber.stack_bottom = bottom;
    fiber.stack_size = static_cast<std::size_t>(static_cast<char*>(top) - static_cast<char*>(bottom));
#endif
}

#if defined(__SANITIZE_ADDRESS__)
void jump(Fiber& from, Fiber& to) {
    __sanitizer_start_switch_fiber(&from.fake_stack, to.stack_bottom, to.stack_size);
    lanewise_switch_stacks(&from.sp, to.sp);
    __sanitizer_finish_switch_fiber(from.fake_stack, nullptr, nullptr);
}
#endif

#else  // other machines: Boost.Context

namespace ctx = boost::context::detail;

namespace {

struct Start {
    FiberMain main;
    void* argument;
};

// A jump carries the fiber that was left behind, so that it can be found again.
void note(ctx::transfer_t from) { static_cast<Fiber*>(from.data)->sp = from.fctx; }

}  // namespace

void prepare(Fiber& fiber, void* bottom, void* top, FiberMain main, void* argument) {
    const auto size = static_cast<std::size_t>(static_cast<char*>(top) - static_cast<char*>(bottom));
    fiber.sp = ctx::make_fcontext(top, size, [](ctx::transfer_t setup) {
        Start start = *static_cast<Start*>(setup.data);
        ctx::transfer_t from = ctx::jump_fcontext(setup.fctx, nullptr);
        note(from);
        start.main(start.argument);
    });
    Start start{main, argument};
    fiber.sp = ctx::jump_fcontext(fiber.sp, &start).fctx;
}

void jump(Fiber& from, Fiber& to) { note(ctx::jump_fcontext(to.sp, &from)); }

#endif

void adopt([[maybe_unused]] Fiber& host) {
#if defined(__SANITIZE_ADDRESS__)
    pthread_attr_t attributes;
    void* bottom = nullptr;
    std::size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &bottom, &size);
        pthread_attr_destroy(&attributes);
    }
    host.stack_bottom = bottom;
    host.stack_size = size;
#endif
}

void arrived([[maybe_unused]] Fiber& self) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
}

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
