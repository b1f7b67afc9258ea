#include "common/check/races.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace lanewise::check {

namespace {

constexpr std::size_t kMaxEntries = std::size_t{1} << 23;
// Of lanes of other blocks, so many groups of each kind are kept for a word.
constexpr int kMaxOthers = 6;

std::uint32_t bit(std::uint32_t slot) { return 1u << slot % 32; }

}  // namespace

void Races::launch_begins() {
    entries_.assign(1, {});   // 0 stands for none
    update_reads_.clear();
    update_writes_.clear();
    free_ = 0;
    pending_ = false;
}

std::string Races::undecided() const {
    if (out_of_entries_)
        return fmt::format(
            "More than {} groups of lanes share words of memory: the rest was not judged for races. Give "
            "a smaller --n.",
            kMaxEntries);
    if (order_.overflowed())
        return fmt::format("A warp came to more than {} barriers: what came later was not judged for races.",
                           Order::kMaxTime);
    return {};
}

// How lanes of a warp that did something at `time` stand to what the present lane does now; `unordered`: those that are
// not ordered.
Coverage Races::of(std::uint32_t block, std::uint32_t warp, Time time, std::uint32_t lanes,
                   std::uint32_t* unordered) const {
    const std::uint32_t slot = here_.slot;
    if (block == block_ && warp == slot / 32) lanes &= ~bit(slot);
    *unordered = 0;
    if (!lanes || (block == block_ && order_.all_before(warp, time, slot))) return Coverage::ordered;
    Coverage worst = Coverage::ordered;
    for (std::uint32_t rest = lanes; rest; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
        const Coverage coverage = order_.before(block - 1, warp * 32 + lane, time, slot);
        if (coverage > worst) {
            worst = coverage;
            *unordered = 1u << lane;
        }
        if (worst == Coverage::unordered) break;
    }
    return worst;
}

Coverage Races::of_write(const Cell& cell) const {
    if (stale(cell.write_block)) return Coverage::ordered;
    const std::uint32_t then = cell.write_when & 1023;
    const Time when = cell.write_when >> 10;
    if (cell.write_block == block_) return order_.before(then, when, here_.slot);
    return order_.before(cell.write_block - 1, then, when, here_.slot);
}

void Races::after_write(Cell& cell) {
    const Coverage coverage = of_write(cell);
    if (coverage == Coverage::ordered) return;
    const std::uint32_t then = cell.write_when & 1023;
    report(cell, {Action::write, cell.write_block - 1, then / 32, bit(then), cell.write_site, {}, -1}, coverage,
           is_atomic(here_.action) ? Problem::atomic_race : Problem::race);
}

void Races::note_read(Cell& cell) {
    const std::uint32_t slot = here_.slot, warp = slot / 32;
    const std::uint32_t when = order_.time(slot) << 5 | warp;
    if (cell.read_block == block_ && cell.read_when == when) {
        cell.read_lanes |= bit(slot);
        return;
    }
    if (cell.read_block && !stale(cell.read_block)) {
        // A reader that all of the readers kept are ordered before stands for them.
        std::uint32_t unordered = 0;
        const std::uint32_t then = cell.read_when & 31;
        const Time time = cell.read_when >> 5;
        if (of(cell.read_block, then, time, cell.read_lanes, &unordered) != Coverage::ordered)
            note(cell, Kind::plain_read, cell.read_lanes, cell.read_block, then, time, cell.read_site, 0, false);
    }
    cell.read_block = block_;
    cell.read_when = when;
    cell.read_lanes = bit(slot);
    cell.read_site = here_.site;
}

void Races::write(Cell& cell) {
    if (cell.write_block) after_write(cell);
    if (cell.read_block && !stale(cell.read_block)) {
        std::uint32_t unordered = 0;
        const std::uint32_t warp = cell.read_when & 31;
        const Coverage coverage = of(cell.read_block, warp, cell.read_when >> 5, cell.read_lanes, &unordered);
        if (coverage != Coverage::ordered)
            report(cell, {Action::read, cell.read_block - 1, warp, unordered, cell.read_site, {}, -1}, coverage,
                   Problem::race);
    }
    if (cell.more) {
        after_entries(cell);
        drop_entries(cell);
    }
    cell.read_block = 0;
    cell.write_block = block_;
    cell.write_when = order_.time(here_.slot) << 10 | here_.slot;
    cell.write_site = here_.site;
}

// Plain accesses conflict with all writes, and plain writes with all; two strong accesses only where one of them is
// none to the other's block.
bool Races::conflicts(const Entry& entry) const {
    const bool plain = is_plain(here_.action);
    if (is_read(here_.action) && entry.kind != Kind::strong_write) return false;
    if (plain || entry.kind == Kind::plain_read) return true;
    return entry.block != block_ && (entry.scope == 0 || here_.scope == 0);
}

void Races::after_entries(Cell& cell) {
    for (std::uint32_t at = cell.more; at; at = entries_[at].next) {
        const Entry& entry = entries_[at];
        const bool lockstep = is_lockstep(entry);
        const bool overwriting = overwrites(cell, entry);
        if (stale(entry.block) || (!lockstep && !overwriting && !conflicts(entry))) continue;
        std::uint32_t unordered = 0;
        Coverage coverage = of(entry.block, entry.warp, entry.time, entry.lanes, &unordered);
        if (coverage == Coverage::unordered && entry.atomic && std::has_single_bit(entry.lanes))
            coverage = order_.before_on_word(
                word_of(cell), entry.block - 1,
                entry.warp * 32 + static_cast<std::uint32_t>(std::countr_zero(entry.lanes)), entry.time, here_.slot);
        const bool both_strong = !is_plain(here_.action) && entry.kind != Kind::plain_read;
        if (coverage == Coverage::unordered && both_strong && !lockstep && std::has_single_bit(entry.lanes) &&
            order_.before_if_fenced(entry.block - 1,
                                    entry.warp * 32 + static_cast<std::uint32_t>(std::countr_zero(entry.lanes)),
                                    entry.time, here_.slot))
            coverage = Coverage::by_counter;
        if (coverage == Coverage::ordered || (overwriting && coverage == Coverage::by_counter)) continue;
        const Action action = entry.atomic && entry.kind == Kind::strong_read ? Action::atomic_read
                              : entry.atomic                     ? Action::atomic
                              : entry.kind == Kind::strong_write ? Action::volatile_write
                              : entry.kind == Kind::strong_read  ? Action::volatile_read
                                                                 : Action::read;
        const bool any_atomic = entry.atomic || is_atomic(here_.action);
        const Problem problem = lockstep                       ? Problem::lockstep
                                : overwriting                 ? Problem::atomic_race
                                : both_strong                 ? Problem::scope_race
                                : any_atomic                ? Problem::atomic_race
                                                            : Problem::race;
        report(cell, {action, entry.block - 1, entry.warp, unordered, entry.site, {}, -1}, coverage, problem);
        return;
    }
}

void Races::volatile_access(const Region& region, std::uint32_t slot, const std::byte* address, bool is_store,
                            Site site) {
    VolatileReads& reads = volatile_reads_[slot];
    if (is_store) {
        // A flag is read and written itself; an update reads what another lane writes.
        const bool another = std::any_of(reads.words.begin(), reads.words.end(),
                                         [&](const std::byte* word) { return word && word != address; });
        if (reads.region == &region && another)
            for (const Site read : reads.sites)
                if (read) {
                    update_reads_.insert(read);
                    update_writes_.insert(site);
                }
        reads = {};
        return;
    }
    any_volatile_ = true;
    if (reads.region != &region) reads = {&region, {}, {}};
    std::shift_right(reads.sites.begin(), reads.sites.end(), 1);
    std::shift_right(reads.words.begin(), reads.words.end(), 1);
    reads.sites[0] = site;
    reads.words[0] = address;
}

// Lanes of one warp that update words of which others read: each reads what another is about to write, or has written.
bool Races::is_lockstep(const Entry& entry) const {
    if (entry.atomic || entry.block != block_ || entry.warp != here_.slot / 32) return false;
    if (here_.action == Action::volatile_write && entry.kind == Kind::strong_read)
        return update_reads_.contains(entry.site) && update_writes_.contains(here_.site);
    if (here_.action == Action::volatile_read && entry.kind == Kind::strong_write)
        return update_reads_.contains(here_.site) && update_writes_.contains(entry.site);
    return false;
}

// A volatile store over what another lane's atomic left there, by a lane that has not looked at the word, nor any that
// is ordered before it in its block.
bool Races::overwrites(const Cell& cell, const Entry& entry) const {
    if (here_.action != Action::volatile_write || !entry.atomic || !entry.changes) return false;
    for (std::uint32_t at = cell.more; at; at = entries_[at].next) {
        const Entry& other = entries_[at];
        if (other.block != block_ || other.kind == Kind::plain_read || &other == &entry) continue;
        for (std::uint32_t rest = other.lanes; rest; rest &= rest - 1) {
            const std::uint32_t slot = other.warp * 32 + static_cast<std::uint32_t>(std::countr_zero(rest));
            if (order_.before(slot, other.time, here_.slot) == Coverage::ordered) return false;
        }
    }
    return !(entry.block == block_ && entry.warp == here_.slot / 32 && entry.lanes & bit(here_.slot));
}

void Races::note(Cell& cell, Kind kind, std::uint32_t lanes, std::uint32_t block, std::uint32_t warp, Time time,
                 Site site, int scope, bool atomic, bool changes) {
    int others = 0;
    for (std::uint32_t at = cell.more; at; at = entries_[at].next) {
        Entry& entry = entries_[at];
        if (entry.kind != kind || entry.scope != scope || entry.atomic != atomic || entry.changes != changes)
            continue;
        const bool same_warp = entry.block == block && entry.warp == warp;
        if (same_warp && entry.time == time && (entry.site == site || kind == Kind::plain_read)) {
            entry.lanes |= lanes;
            return;
        }
        // What is ordered before the present access, which is of the same kind, that one stands for.
        std::uint32_t unordered = 0;
        const bool replaced = stale(entry.block) || of(entry.block, entry.warp, entry.time, entry.lanes, &unordered) ==
                                                        Coverage::ordered;
        others += entry.block != block;
        if (replaced || (entry.block != block && others >= kMaxOthers)) {
            entry = {entry.next, block, time, lanes, site, static_cast<std::uint8_t>(warp), kind,
                     static_cast<std::uint8_t>(scope), atomic, changes};
            return;
        }
    }
    std::uint32_t place = free_;
    if (place) {
        free_ = entries_[place].next;
    } else if (entries_.size() < kMaxEntries) {
        place = static_cast<std::uint32_t>(entries_.size());
        entries_.emplace_back();
    } else {
        out_of_entries_ = true;
        return;
    }
    entries_[place] = {cell.more, block, time, lanes, site, static_cast<std::uint8_t>(warp), kind,
                       static_cast<std::uint8_t>(scope), atomic, changes};
    cell.more = place;
}

void Races::drop_entries(Cell& cell) {
    std::uint32_t last = cell.more;
    while (entries_[last].next) last = entries_[last].next;
    entries_[last].next = free_;
    free_ = cell.more;
    cell.more = 0;
}

void Races::strong(Region& region, std::uint32_t slot, const std::byte* address, std::uint32_t bytes, Action action,
                   int scope, Site site, bool changes) {
    settle();
    const std::uint64_t offset = region.offset(address);
    region.refine(offset, bytes);
    Cell* cell = region.cells() + (offset >> region.shift());
    Cell* const end = region.cells() + ((offset + bytes) >> region.shift());
    here_ = {&region, slot, address, bytes, site, action, scope};
    const bool writes = !is_read(action);
    for (; cell != end; ++cell) {
        if (cell->write_block) after_write(*cell);
        if (writes && cell->read_block && !stale(cell->read_block)) {
            std::uint32_t unordered = 0;
            const std::uint32_t warp = cell->read_when & 31;
            const Coverage coverage = of(cell->read_block, warp, cell->read_when >> 5, cell->read_lanes, &unordered);
            if (coverage != Coverage::ordered)
                report(*cell, {Action::read, cell->read_block - 1, warp, unordered, cell->read_site, {}, -1}, coverage,
                       is_atomic(action) ? Problem::atomic_race : Problem::race);
        }
        const Kind kind = writes ? Kind::strong_write : Kind::strong_read;
        if (cell->more) after_entries(*cell);
        note(*cell, kind, bit(slot), block_, slot / 32, order_.time(slot), site, scope, is_atomic(action), changes);
    }
}

const std::byte* Races::word_of(const Cell& cell) const {
    Region& region = *here_.region;
    return region.begin() + (static_cast<std::size_t>(&cell - region.cells()) << region.shift());
}

void Races::report(const Cell& cell, const Party& there, Coverage coverage, Problem problem) {
    const Region& region = *here_.region;
    const Problem known = coverage == Coverage::by_counter ? Problem::missing_fence : problem;
    if (findings_.again(known, here_.site, there.site, region.name(), block_ - 1, here_.slot)) return;
    const std::byte* word = word_of(cell);
    const auto size = static_cast<std::size_t>(element_size(region.element()));
    const std::int64_t index = region.index_of(word);
    const std::byte* element = region.begin() + static_cast<std::size_t>(index) * size;
    Noticed race;
    race.problem = known;
    race.array = region.name();
    race.index = index;
    race.count = region.count();
    race.shared = region.shared();
    const std::uint32_t slot = here_.slot;
    race.here = {here_.action, block_ - 1, slot / 32, bit(slot), here_.site, {}, findings_.events_of(slot)};
    race.has_other = true;
    race.there = there;
    const bool same_block = there.block == block_ - 1;
    const auto then = there.warp * 32 + static_cast<std::uint32_t>(std::countr_zero(there.lanes));
    race.there.events = same_block ? findings_.events_of(then) : emu::Found::kLast;
    const bool whole = static_cast<std::uint64_t>(index + 1) * size <= region.bytes();
    if (whole && here_.action != Action::atomic) race.there.value = shown(region.element(), element);
    if (is_read(here_.action)) race.here.value = race.there.value;
    // What a store leaves is known when it has happened. Two stores may be of the same value; a read beside a store is
    // wrong in any case.
    if (here_.action == Action::write && pending_ &&
        (there.action == Action::write || pending_race_.there.action != Action::write))
        return;
    if (here_.action == Action::write && whole) {
        pending_ = true;
        pending_race_ = std::move(race);
        pending_address_ = element;
        pending_element_ = region.element();
        pending_begin_ = here_.address;
        pending_before_.assign(here_.address, here_.address + here_.bytes);
        return;
    }
    findings_.add(race);
}

// A structure is stored 16 bytes at a time, and has changed when all of them have been announced.
bool Races::continues(std::uint32_t slot, const std::byte* address, std::uint32_t bytes, Site site) {
    constexpr std::size_t kMost = 4096;
    if (here_.slot != slot || here_.site != site || here_.bytes != 16 || here_.address + 16 != address ||
        pending_begin_ + pending_before_.size() != address || pending_before_.size() > kMost)
        return false;
    pending_before_.insert(pending_before_.end(), address, address + bytes);
    return true;
}

void Races::settle_slowly() {
    pending_ = false;
    Noticed& race = pending_race_;
    const auto changed = static_cast<std::size_t>(
        std::mismatch(pending_before_.begin(), pending_before_.end(), pending_begin_).first - pending_before_.begin());
    const bool same = changed == pending_before_.size();
    const auto size = static_cast<std::size_t>(element_size(pending_element_));
    const auto first = static_cast<std::size_t>(pending_address_ - pending_begin_);
    // The element that the two differ in, not the first that both wrote.
    if (const std::size_t further = (changed - std::min(changed, first)) / size; !same && further > 0) {
        race.index += static_cast<std::int64_t>(further);
        pending_address_ += further * size;
        if (first + (further + 1) * size <= pending_before_.size())
            race.there.value = shown(pending_element_, pending_before_.data() + first + further * size);
    }
    race.here.value = shown(pending_element_, pending_address_);
    if (same && race.problem == Problem::race && race.there.action == Action::write) race.problem = Problem::same_value;
    findings_.add(race);
}

}  // namespace lanewise::check
