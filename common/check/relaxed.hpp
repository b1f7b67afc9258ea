// What goes wrong among volatile accesses. They are relaxed: no race among themselves, and no order either. So a word
// that is handed over by an atomic without the fences may still be old, `x += 1` may lose what another lane added, and
// a lock protects nothing from a lane that does not take it.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "common/check/findings.hpp"
#include "common/check/order.hpp"

namespace lanewise::check {

class Relaxed {
public:
    Relaxed(const Order& order, Findings& findings) : order_(order), findings_(findings) {}

    void launch_begins();
    // A volatile access that is about to happen.
    void access(const Region& region, std::uint32_t slot, const std::byte* address, bool is_store, Site site) {
        const Polled& polled = polled_[slot];
        if (is_store || polled.word != address || polled.until != polls_)
            looks_at(region, slot, address, is_store, site);
    }
    // An atomic that has happened. Of those before the launch's first volatile access only locks are kept.
    void atomic(const emu::AtomicSeen& seen, bool changes) {
        if (changes) locks(seen);
        if (active_) passes_on(seen, changes);
    }

private:
    // A lane of the launch, as one number; 0: none.
    using Lane = std::uint64_t;
    Lane lane_of(std::uint32_t slot) const { return (std::uint64_t{order_.block()} + 1) << 10 | slot; }

    struct Access {
        Lane lane = 0;
        std::uint64_t number = 0;        // in the order of this run
        Time time = 0;                   // Order's
        Site site = 0;
        bool is_store = false;
        const void* lock = nullptr;      // that the lane held
    };
    struct Word {
        Access write, locked;            // the last one; the last of a lane that held a lock
        bool polled = false;             // a lane read it again at one place: it waits for the word itself
    };
    // The last lane that changed a word by an atomic.
    struct Change {
        Lane lane = 0;
        std::uint64_t number = 0;
    };
    struct Read {
        const void* word = nullptr;
        Site site = 0;
        std::uint64_t first = 0, last = 0;
    };
    struct Thread {
        Lane lane = 0;
        Change met{};                    // by an atomic that waits or locks: what it found there
        std::array<Read, 4> reads{};     // the last words it read, each since it last wrote that word
        unsigned next = 0;               // of `reads`, the one that the next word takes
    };

    // A lock that a lane took by an atomicCAS, which is given back by what it held before.
    struct Held {
        const void* lock = nullptr;
        std::uint64_t free = 0;
    };

    // The word that a lane waits for, while no polled word is stored to.
    struct Polled {
        const void* word = nullptr;
        std::uint64_t until = 0;
    };

    void looks_at(const Region& region, std::uint32_t slot, const std::byte* address, bool is_store, Site site);
    // Of the lane that has the slot now.
    Thread& thread_of(std::uint32_t slot) {
        Thread& thread = threads_[slot];
        if (thread.lane != lane_of(slot)) thread = {.lane = lane_of(slot)};
        return thread;
    }
    void locks(const emu::AtomicSeen& seen);
    void passes_on(const emu::AtomicSeen& seen, bool changes);
    const void* held_by(Lane lane) const {
        const auto held = held_.empty() ? held_.end() : held_.find(lane);
        return held == held_.end() ? nullptr : held->second.lock;
    }
    bool ordered(const Access& before, std::uint32_t slot) const;
    void report(Problem problem, const Region& region, const std::byte* address, const Access& before,
                const Access& here, Site same_line = 0);

    static constexpr std::size_t kMostWords = std::size_t{1} << 17, kMostLocks = std::size_t{1} << 16;

    const Order& order_;
    Findings& findings_;
    bool active_ = false;
    std::uint64_t number_ = 0;
    std::uint64_t polls_ = 1;                            // counts the stores to polled words
    std::array<Polled, Order::kMaxSlots> polled_{};
    std::array<Thread, Order::kMaxSlots> threads_{};
    std::unordered_map<const void*, Word> words_;
    std::unordered_map<const void*, Change> changes_;
    std::unordered_map<Lane, Held> held_;
    std::unordered_set<const void*> locks_;              // taken and given back
};

}  // namespace lanewise::check
