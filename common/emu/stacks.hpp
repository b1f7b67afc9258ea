// Stacks for lanes.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace lanewise::emu {

// The stacks of a block's lanes, of one launch on one OS thread: a lane's local memory. Address space is reserved, pages
// are committed as a lane comes to them. Below each stack lies a guard.
class StackPool {
public:
    // Local memory of a lane, as on a GPU; and room beside it for what a lane calls of the emulator and for a signal.
    static constexpr std::size_t kLocalBytes = 512 * 1024;
    static constexpr std::size_t kStackBytes = kLocalBytes + 64 * 1024;
    // One page more than 64 KB, so that a stride is an odd number of pages: lanes' stacks then share no set of the
    // processor's table of pages. A tree of 256 lanes takes 97 ms in place of 114.
    static constexpr std::size_t kGuardBytes = 68 * 1024;
    static constexpr std::size_t kStride = kStackBytes + kGuardBytes;

    // Guards are part of the mapping where the kernel can do that (Linux 6.13), else they cut it into pieces, of which
    // a process has some 65000: see most_pools(). Throws Error where there is no room.
    explicit StackPool(std::size_t stacks);
    ~StackPool();
    StackPool(const StackPool&) = delete;
    StackPool& operator=(const StackPool&) = delete;

    const std::byte* begin() const { return base_; }   // of the first one's guard
    void* bottom(std::size_t stack) const;
    void* top(std::size_t stack) const;
    std::size_t size() const { return bytes_ / kStride; }
    // Is this address in a guard?
    bool is_guard(const void* address) const;

    // The first `stacks` hold zeros again, as new ones do. Pages stay committed, unless there are many.
    void clear(std::size_t stacks);

    // How many pools of `stacks` guarded stacks a process can have.
    static int most_pools(std::size_t stacks);

private:
    std::byte* base_ = nullptr;
    std::size_t bytes_ = 0;
};

// Stacks that a launch has done with, for the next one: to commit their pages anew takes most of the time of a small
// run. For any number of threads.
class SpareStacks {
public:
    // A pool of so many stacks, or more; they hold zeros. Throws Error as StackPool does.
    std::unique_ptr<StackPool> take(std::size_t stacks);
    // Of the pool's stacks the first `used` were used. Keeps some two thousand stacks; more are let go of.
    void give_back(std::unique_ptr<StackPool> pool, std::size_t used) noexcept;

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<StackPool>> pools_;   // with clear stacks, the smallest first
    std::size_t stacks_ = 0;                          // in all of them
};

}  // namespace lanewise::emu
