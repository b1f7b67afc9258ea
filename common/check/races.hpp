// Accesses of one word by several lanes that nothing orders, at least one of which writes it.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "common/check/findings.hpp"
#include "common/check/shadow_memory.hpp"
#include "common/check/order.hpp"

namespace lanewise::check {

class Races {
public:
    Races(Order& order, Findings& findings) : order_(order), findings_(findings) {}

    void launch_begins();
    void block_begins(std::uint32_t block) {
        block_ = block + 1;
        if (any_volatile_) volatile_reads_.fill({});
        any_volatile_ = false;
    }

    // An access that is about to happen, of bytes that lie within the array.
    void plain(Region& region, std::uint32_t slot, const std::byte* address, std::uint32_t bytes, bool is_store,
               Site site) {
        if (pending_ && !(is_store && continues(slot, address, bytes, site))) settle_slowly();
        const std::uint64_t offset = region.offset(address);
        const unsigned shift = region.shift();
        if ((offset | bytes) & ((1u << shift) - 1)) region.refine(offset, bytes);
        Cell* cell = region.cells() + (offset >> region.shift());
        Cell* const end = region.cells() + ((offset + bytes) >> region.shift());
        here_ = {&region, slot, address, bytes, site, is_store ? Action::write : Action::read, 0};
        if (is_store)
            for (; cell != end; ++cell) write(*cell);
        else
            for (; cell != end; ++cell) read(*cell);
    }
    // An access by an atomic (which reads and writes) or through volatile; scope as Order's. An atomic has happened.
    // `changes`: an atomic that may leave another value.
    void strong(Region& region, std::uint32_t slot, const std::byte* address, std::uint32_t bytes, Action action,
                int scope, Site site, bool changes = false);

    // A volatile access: words that a lane reads and then writes one of, as a sum in shared memory does, are no flags.
    void volatile_access(const Region& region, std::uint32_t slot, const std::byte* address, bool is_store, Site site);
    void forget_volatile_reads(std::uint32_t slot) {
        if (any_volatile_) volatile_reads_[slot] = {};
    }

    // Before anything else can change memory: what a store left there is compared with what was there before.
    void settle() {
        if (pending_) settle_slowly();
    }
    std::string undecided() const;

private:
    // A group of lanes of one warp, at one time, that did not fit into a cell.
    enum class Kind : std::uint8_t { plain_read, strong_read, strong_write };
    struct Entry {
        std::uint32_t next = 0;
        std::uint32_t block = 0;
        Time time = 0;
        std::uint32_t lanes = 0;
        Site site = 0;
        std::uint8_t warp = 0;
        Kind kind = Kind::plain_read;
        std::uint8_t scope = 0;
        bool atomic = false;
        bool changes = false;    // an atomic that left another value
    };
    struct Here {
        Region* region = nullptr;
        std::uint32_t slot = 0;
        const std::byte* address = nullptr;
        std::uint32_t bytes = 0;
        Site site = 0;
        Action action = Action::read;
        int scope = 0;
    };

    bool stale(std::uint32_t block) const { return here_.region->shared() && block != block_; }
    Coverage of(std::uint32_t block, std::uint32_t warp, Time time, std::uint32_t lanes,
                std::uint32_t* unordered) const;
    Coverage of_write(const Cell& cell) const;
    void read(Cell& cell) {
        if (cell.write_block) after_write(cell);
        if (cell.more) after_entries(cell);
        note_read(cell);
    }
    void write(Cell& cell);
    void note_read(Cell& cell);
    void after_write(Cell& cell);
    // Compares with the chained entries that the present access conflicts with.
    void after_entries(Cell& cell);
    const std::byte* word_of(const Cell& cell) const;
    bool conflicts(const Entry& entry) const;
    void note(Cell& cell, Kind kind, std::uint32_t lanes, std::uint32_t block, std::uint32_t warp, Time time, Site site,
              int scope, bool atomic, bool changes = false);
    void drop_entries(Cell& cell);
    void report(const Cell& cell, const Party& there, Coverage coverage, Problem problem);
    void settle_slowly();
    bool continues(std::uint32_t slot, const std::byte* address, std::uint32_t bytes, Site site);
    bool is_lockstep(const Entry& entry) const;
    bool overwrites(const Cell& cell, const Entry& entry) const;

    struct VolatileReads {
        const Region* region = nullptr;
        std::array<Site, 4> sites{};     // the last ones
        std::array<const std::byte*, 4> words{};
    };
    std::array<VolatileReads, Order::kMaxSlots> volatile_reads_{};   // by each lane, since it wrote or passed a barrier
    bool any_volatile_ = false;
    std::set<Site> update_reads_, update_writes_;                    // a lane read a word, then wrote one beside it

    Order& order_;
    Findings& findings_;
    std::uint32_t block_ = 0;       // + 1
    Here here_;
    std::vector<Entry> entries_;
    std::uint32_t free_ = 0;
    bool out_of_entries_ = false;

    // A store to a word that another lane stored to: is it the same value?
    bool pending_ = false;
    Noticed pending_race_;
    const std::byte* pending_address_ = nullptr;     // of the element that the race is about
    const std::byte* pending_begin_ = nullptr;       // of all that the store changes
    Element pending_element_ = Element::u8;
    std::vector<std::byte> pending_before_;
};

}  // namespace lanewise::check
