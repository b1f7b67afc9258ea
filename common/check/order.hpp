// Which accesses are ordered before which, as CUDA's memory model has it: barriers among those that take part; fences,
// atomics and volatile accesses that pass something on. Shuffles, votes, matches and reductions order nothing. A
// launch's blocks may have run in any order: what is asked is what orders two accesses, not which came first here.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace lanewise::check {

// A lane's time counts on where it releases something to others: what it did at earlier times they may know of.
using Time = std::uint32_t;

enum class Coverage : std::uint8_t {
    ordered,
    by_counter,   // only by an atomic counter that the reader followed by no fence of its own
    unordered,
};

// What is known of the lanes of one block. Several blocks may be under way: each has its own.
struct OrderOfBlock {
    static constexpr std::uint32_t kMaxSlots = 1024;

    struct Log;
    // What came to a word up to the length-th write.
    struct Received {
        std::shared_ptr<const Log> log;   // null: the log that this is in
        std::size_t length = 0;
        int scope = 0;
        // From what follows it: a fence; an atomic counter; an atomic that waited, and no fence.
        enum class By : std::uint8_t { fence, counter, waiting } by = By::fence;
    };
    using Receipts = std::vector<Received>;
    // What a lane made known by a fence and a write after it.
    struct Release {
        std::uint32_t block = 0, slot = 0;
        int scope = 0;
        Time time = 0;                                          // of the lane itself
        Time written = 0;                                       // the write itself, by which it is known
        Time warp_time = 0;                                     // of its warp: all lanes' earlier accesses
        std::vector<Time> floors;                               // of every warp of its block
        std::vector<Time> known;                                // of the lanes of its warp, by syncs of some lanes
        std::shared_ptr<const std::vector<Time>> fenced;        // lanes that fenced before the last barrier
        Receipts received;
    };
    struct Log {
        // Places in `releases`, in order. What a lane releases later covers all that it released before.
        struct OfLane {
            std::uint32_t block = 0, slot = 0;
            std::vector<std::uint32_t> places;
            std::vector<std::uint32_t> passing_on;              // those that received from another word
        };
        std::vector<Release> releases;
        std::vector<OfLane> lanes;
        std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> of_block;   // places in lanes
        std::vector<std::uint32_t> passing_on;                  // lanes that have such
        bool any_of_block = false;                              // a release of block scope
        // What a search has been through.
        mutable std::uint64_t searched = 0;
        mutable std::size_t searched_length = 0;
        mutable std::uint32_t searched_to = 0;
        mutable int searched_scope = 0;
    };

    std::uint32_t block_ = 0;
    std::uint32_t slots_ = 0;
    std::array<Time, 32> warp_time_{};      // accesses before it are ordered before all lanes of the warp
    std::array<Time, 32> barrier_time_{};   // … of the block
    std::array<Time, kMaxSlots> late_{};    // how much further a lane's own time is
    std::array<bool, 32> uneven_{};         // are there lanes of the warp that are?
    std::vector<Time> known_;               // by slot and lane: what a lane knows of its warp's; empty: nothing yet
    bool knows_lanes_ = false;              // … in this block

    struct Fence {
        Time device = 0, any = 0;           // the time before the last one, + 1; 0: none in this interval
        int any_scope = 0;
    };
    std::array<Fence, kMaxSlots> fences_{};
    bool any_fence_ = false;
    std::shared_ptr<const std::vector<Time>> fenced_;   // see Release::fenced
    std::shared_ptr<const std::vector<Time>> fenced_floors_;

    bool any_received_ = false;
    std::vector<Receipts> lane_received_, lane_pending_;
    std::array<Receipts, 32> warp_received_;
    Receipts block_received_, block_pending_;
};

class Order : OrderOfBlock {
public:
    using OrderOfBlock::kMaxSlots;
    static constexpr Time kMaxTime = (Time{1} << 22) - 1;

    void launch_begins();
    void block_begins(std::uint32_t block, std::uint32_t slots);
    // The present block waits for others, and comes to be the present one again.
    std::unique_ptr<OrderOfBlock> put_aside() {
        return std::make_unique<OrderOfBlock>(static_cast<OrderOfBlock&>(*this));
    }
    void take_up(const OrderOfBlock& block) { static_cast<OrderOfBlock&>(*this) = block; }

    void block_barrier();
    // A __syncwarp that names `lanes`; `exist`: those that the warp has.
    void warp_barrier(std::uint32_t warp, std::uint32_t lanes, std::uint32_t exist);
    // scope, here and below: 0 block, 1 device, 2 system.
    void fence(std::uint32_t slot, int scope) { fence(slot, scope, true, true); }
    void fence(std::uint32_t slot, int scope, bool acquires, bool releases);
    // An atomic or volatile access of a word that others read or write so too. `counts`: an atomic that takes a ticket.
    // `acquires`, `releases`: its memory order, of itself.
    // `waits`: an atomic that leaves the word as it is, or takes a message from it.
    void reads_word(std::uint32_t slot, const void* word, int scope, bool counts, bool acquires = false,
                    bool waits = false);
    // `joins`: it read the word as well, and passes on what came with it.
    void writes_word(std::uint32_t slot, const void* word, int scope, bool joins, bool releases = false);

    std::uint32_t block() const { return block_; }
    Time time(std::uint32_t slot) const { return warp_time_[slot / 32] + late_[slot]; }
    // Of an access of the present block.
    Coverage before(std::uint32_t then, Time when, std::uint32_t slot) const {
        const std::uint32_t warp = slot / 32, other = then / 32;
        if (then == slot || when < (other == warp ? warp_time_[warp] : barrier_time_[other])) return Coverage::ordered;
        return before_slowly(block_, then, when, slot);
    }
    // Of accesses of several lanes of one warp.
    bool all_before(std::uint32_t warp, Time when, std::uint32_t slot) const {
        return when < (warp == slot / 32 ? warp_time_[warp] : barrier_time_[warp]);
    }
    // Of an access of another one.
    Coverage before(std::uint32_t block, std::uint32_t then, Time when, std::uint32_t slot) const {
        return block == block_ ? before(then, when, slot) : before_slowly(block, then, when, slot);
    }
    // The same of an atomic on `word` and what follows from having read its value there, whatever was fenced before it.
    Coverage before_on_word(const void* word, std::uint32_t block, std::uint32_t then, Time when,
                            std::uint32_t slot) const;
    // Would it be ordered if lanes had fenced after the atomics by which they waited for others?
    bool before_if_fenced(std::uint32_t block, std::uint32_t then, Time when, std::uint32_t slot) const;
    // Did a block come to more barriers than can be counted?
    bool overflowed() const { return overflowed_; }

private:
    Coverage before_slowly(std::uint32_t block, std::uint32_t then, Time when, std::uint32_t slot) const;
    // What is left of a search: receipts by lanes of a block.
    struct Search {
        const Receipts* receipts = nullptr;
        std::uint32_t to = 0;
        const Log* in = nullptr;
    };
    bool knows(const Receipts& receipts, std::uint32_t block, std::uint32_t then, Time when, Received::By most) const;
    bool knows_of(std::uint32_t block, std::uint32_t then, Time when, std::uint32_t slot, Received::By most) const;
    bool knows_directly(const Received& received, const Log& log, std::uint32_t to, std::uint32_t block,
                        std::uint32_t then, Time when, std::vector<Search>& rest) const;
    bool holds_all_of(std::uint32_t slot, const Log& log) const;
    static bool releases(const Release& release, std::uint32_t block, std::uint32_t then, Time when);
    void advance(std::uint32_t warp);
    void pass_up(Receipts& from, Receipts& to);
    void fenced_before_barrier();
    Release release_of(std::uint32_t slot, Time time, int scope) const;
    void add(Log& log, Release release);
    static void receive(Receipts& receipts, const Received& more);

    bool overflowed_ = false;
    std::unordered_map<const void*, std::shared_ptr<Log>> words_;
    mutable std::vector<Search> search_;
    mutable std::uint64_t searches_ = 0;
};

}  // namespace lanewise::check
