// What the emulator announces. An observer takes what it needs and leaves the rest; the emulator knows none by name.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/trace/trace.hpp"

namespace lanewise::emu {

// A warp collective: a shuffle, a reduction, a vote, __syncwarp or __activemask. The pointers give a value for each
// of the warp's 32 lanes; only those in `lanes` mean something.
struct CollectiveSeen {
    std::uint32_t warp = 0;
    trace::Op op = trace::Op::sync_warp;
    Element type = Element::u32;
    std::uint32_t mask = 0;
    std::uint32_t lanes = 0;       // the participating lanes
    std::uint32_t exists = 0;      // those that the warp has, whether they have returned or not
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
    bool acquires = true;
    bool releases = true;
};

// A load or store is about to happen.
struct AccessSeen {
    std::uint32_t thread = 0;
    const void* address = nullptr;
    std::uint32_t bytes = 0;
    bool is_store = false;
    const void* pc = nullptr;      // return address into the kernel
    bool is_volatile = false;
    bool is_atomic = false;        // libcu++'s load and store; the rest is about these
    bool acquires = false;
    bool releases = false;
    int scope = 2;                 // as a fence's; -1: of the thread alone
};

// An atomic is about to be done, or was: then `old` and `wrote` are known.
struct AtomicSeen {
    std::uint32_t thread = 0;
    int line = 0;
    trace::Op op = trace::Op::atomic_add;
    Element type = Element::f32;
    int elements = 1;              // neighbours it touched: 2 for a pair of halves
    const void* address = nullptr;
    trace::Bytes16 operand{};
    std::uint64_t old = 0;         // the first eight bytes
    int scope = 1;                 // as a fence's: 0 for atomicAdd_block, 2 for atomicAdd_system
    bool wrote = true;             // false: an atomicCAS that found another value
    bool acquires = false;         // libcu++'s memory orders
    bool releases = false;
    const void* pc = nullptr;      // where the line is not known (0): a return address into the kernel
};

// Does it leave another value than it found? An atomicAdd of 0 or an atomicExch of what is there is how a word is read,
// often again and again.
inline bool changes_word(const AtomicSeen& seen) {
    const std::uint64_t operand = seen.operand[0];
    if (!seen.wrote) return false;
    switch (seen.op) {
        case trace::Op::atomic_add:
        case trace::Op::atomic_sub:
        case trace::Op::atomic_xor:
        case trace::Op::atomic_max: return operand != 0 || seen.operand[1] != 0;
        case trace::Op::atomic_or: return (seen.old | operand) != seen.old;
        case trace::Op::atomic_and: return (seen.old & operand) != seen.old;
        case trace::Op::atomic_exch:
        case trace::Op::atomic_cas: return operand != seen.old;
        default: return true;
    }
}

// Does it look at a word, as one that waits for it does, or take a message from it?
inline bool waits_for_word(const AtomicSeen& seen, bool changes) {
    switch (seen.op) {
        case trace::Op::atomic_exch: return true;
        case trace::Op::atomic_add:
        case trace::Op::atomic_sub:
        case trace::Op::atomic_or:
        case trace::Op::atomic_xor:
        case trace::Op::atomic_and:
        case trace::Op::atomic_cas: return !changes;
        default: return false;
    }
}

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
    unsigned variable = 0;         // distinguishes the file's variables
    Element type = Element::f32;
    std::uint64_t bits = 0;        // what it holds now
};

struct SharedArraySeen {
    unsigned id = 0;
    const void* address = nullptr;
    std::size_t bytes = 0;
    Element type = Element::f32;
};

// An index is outside the extent that its array's type says. The access, if one follows, is announced after it.
struct IndexSeen {
    std::uint32_t thread = 0;
    std::int64_t index = 0;
    std::int64_t extent = 0;
};

// A kernel's own malloc or free of `bytes` at `address`.
struct HeapSeen {
    const void* address = nullptr;
    std::size_t bytes = 0;
    bool freed = false;
};

class Observer {
public:
    virtual ~Observer() = default;
    // Which of the frequent events it takes; where none does, the emulator goes a shorter way.
    virtual bool takes_arrivals() const { return true; }    // at_barrier
    virtual bool takes_statements() const { return true; }  // after, joined, took
    virtual void block_begins(std::uint64_t /*block*/, std::uint32_t /*slots*/) {}
    virtual void block_ends() {}
    // A block that began before and has waited for others runs on; the events from here on are of it.
    virtual void block_goes_on(std::uint64_t /*block*/) {}
    virtual void collective(const CollectiveSeen&) {}
    virtual void at_barrier(const BarrierSeen&) {}                      // each lane as it arrives
    // Before any of them continues; `received`, by slot, is what those that vote are given.
    virtual void barrier_complete(const std::uint64_t* /*received*/) {}
    virtual void fence(const FenceSeen&) {}
    virtual void thread_ends(std::uint32_t /*thread*/) {}
    // Both are asked before it happens: false where it must not. The emulator then ends the launch.
    virtual bool access(const AccessSeen&) { return true; }
    virtual bool atomic_begins(const AtomicSeen&) { return true; }
    virtual void atomic(const AtomicSeen&) {}
    virtual void index_outside(const IndexSeen&) {}
    virtual void heap_changes(const HeapSeen&) {}
    virtual void after(const AfterSeen&) {}
    virtual void joined(const JoinedSeen&) {}
    virtual void took(std::uint32_t /*thread*/, int /*first_line*/, int /*last_line*/) {}
    virtual void shared_array(const SharedArraySeen&) {}   // once in each block
};

// Two observers, called in this order. What the first does not let happen is not passed to the second.
class BothObservers : public Observer {
public:
    BothObservers(Observer& first, Observer& second) : first_(first), second_(second) {}

    bool takes_arrivals() const override { return first_.takes_arrivals() || second_.takes_arrivals(); }
    bool takes_statements() const override { return first_.takes_statements() || second_.takes_statements(); }
    void block_begins(std::uint64_t block, std::uint32_t slots) override {
        each([&](Observer& o) { o.block_begins(block, slots); });
    }
    void block_ends() override {
        each([](Observer& o) { o.block_ends(); });
    }
    void block_goes_on(std::uint64_t block) override {
        each([&](Observer& o) { o.block_goes_on(block); });
    }
    void collective(const CollectiveSeen& seen) override {
        each([&](Observer& o) { o.collective(seen); });
    }
    void at_barrier(const BarrierSeen& seen) override {
        each([&](Observer& o) { o.at_barrier(seen); });
    }
    void barrier_complete(const std::uint64_t* received) override {
        each([&](Observer& o) { o.barrier_complete(received); });
    }
    void fence(const FenceSeen& seen) override {
        each([&](Observer& o) { o.fence(seen); });
    }
    void thread_ends(std::uint32_t thread) override {
        each([&](Observer& o) { o.thread_ends(thread); });
    }
    bool access(const AccessSeen& seen) override { return first_.access(seen) && second_.access(seen); }
    bool atomic_begins(const AtomicSeen& seen) override {
        return first_.atomic_begins(seen) && second_.atomic_begins(seen);
    }
    void atomic(const AtomicSeen& seen) override {
        each([&](Observer& o) { o.atomic(seen); });
    }
    void index_outside(const IndexSeen& seen) override {
        each([&](Observer& o) { o.index_outside(seen); });
    }
    void heap_changes(const HeapSeen& seen) override {
        each([&](Observer& o) { o.heap_changes(seen); });
    }
    void after(const AfterSeen& seen) override {
        each([&](Observer& o) { o.after(seen); });
    }
    void joined(const JoinedSeen& seen) override {
        each([&](Observer& o) { o.joined(seen); });
    }
    void took(std::uint32_t thread, int first_line, int last_line) override {
        each([&](Observer& o) { o.took(thread, first_line, last_line); });
    }
    void shared_array(const SharedArraySeen& seen) override {
        each([&](Observer& o) { o.shared_array(seen); });
    }

private:
    template <class Act>
    void each(Act act) {
        act(first_);
        act(second_);
    }
    Observer& first_;
    Observer& second_;
};

}  // namespace lanewise::emu
