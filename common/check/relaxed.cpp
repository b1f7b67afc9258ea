#include "common/check/relaxed.hpp"

#include <algorithm>

namespace lanewise::check {

void Relaxed::launch_begins() {
    active_ = false;
    threads_.fill({});
    polled_.fill({});
    words_.clear();
    changes_.clear();
    held_.clear();
    locks_.clear();
}

// A lane that waited for another by an atomic reads what that one fenced before: nothing moves a volatile read up.
bool Relaxed::ordered(const Access& before, std::uint32_t slot) const {
    const auto block = static_cast<std::uint32_t>((before.lane >> 10) - 1);
    const auto then = static_cast<std::uint32_t>(before.lane & 1023);
    return order_.before(block, then, before.time, slot) != Coverage::unordered ||
           order_.before_if_fenced(block, then, before.time, slot);
}

void Relaxed::looks_at(const Region& region, std::uint32_t slot, const std::byte* address, bool is_store, Site site) {
    active_ = true;
    if (words_.size() >= kMostWords) return;
    const Lane lane = lane_of(slot);
    if (const auto change = changes_.empty() ? changes_.end() : changes_.find(address); change != changes_.end()) {
        // A word of atomics passes others on: a lock that is given back by a store.
        if (!is_store) return;
        if (held_by(lane) == address) {
            held_.erase(lane);
            locks_.insert(address);
        }
        change->second = {lane, ++number_};
        return;
    }
    Thread& thread = thread_of(slot);
    const void* lock = held_by(lane);
    const Access here{lane, ++number_, order_.time(slot), site, is_store, lock};
    auto read = std::find_if(thread.reads.begin(), thread.reads.end(),
                             [&](const Read& one) { return one.word == address; });
    if (!is_store) {
        if (read == thread.reads.end()) {
            read = thread.reads.begin() + thread.next++ % thread.reads.size();
            *read = {address, site, number_, number_};
        } else {
            if (read->site == site) {
                words_[address].polled = true;
                polled_[slot] = {address, polls_};
            }
            read->site = site;
            read->last = number_;
        }
        if (thread.met.lane == 0 && !lock) return;
    }

    Word& word = words_[address];
    const auto another = [&](const Access& before) {
        return before.lane != 0 && before.lane != lane && (!region.shared() || before.lane >> 10 == lane >> 10);
    };
    if (another(word.write) && !word.polled && !ordered(word.write, slot)) {
        if (thread.met.lane == word.write.lane && thread.met.number > word.write.number)
            report(Problem::unfenced, region, address, word.write, here);
        else if (is_store && read != thread.reads.end() && read->first == read->last && read->last > word.write.number)
            report(Problem::lost_update, region, address, word.write, here, read->site);
        else if (lock && !word.write.lock && word.locked.lane == word.write.lane && word.locked.lock == lock)
            report(Problem::not_locked, region, address, word.write, here);
    }
    if (is_store && !lock && held_.size() < kMostLocks && another(word.locked) && locks_.contains(word.locked.lock) &&
        !ordered(word.locked, slot))
        report(Problem::not_locked, region, address, word.locked, here);

    if (lock) word.locked = here;
    if (!is_store) return;
    word.write = here;
    if (word.polled) ++polls_;
    word.polled = false;
    if (read != thread.reads.end()) *read = {};
}

void Relaxed::locks(const emu::AtomicSeen& seen) {
    using trace::Op;
    const Lane lane = lane_of(seen.thread);
    if (held_by(lane) == seen.address) {
        const bool sets = seen.op == Op::atomic_exch || seen.op == Op::atomic_cas;
        if (sets && seen.operand[0] == held_[lane].free) locks_.insert(seen.address);
        held_.erase(lane);
    } else if (seen.op == Op::atomic_cas && held_.size() < kMostLocks) {
        held_[lane] = {seen.address, seen.old};
    }
}

void Relaxed::passes_on(const emu::AtomicSeen& seen, bool changes) {
    using trace::Op;
    if (changes_.size() >= kMostWords) return;
    const Lane lane = lane_of(seen.thread);
    Change& change = changes_[seen.address];
    const bool waits = seen.op == Op::atomic_cas || emu::waits_for_word(seen, changes);
    if (waits && change.lane != 0 && change.lane != lane) thread_of(seen.thread).met = change;
    if (changes) change = {lane, ++number_};
}

void Relaxed::report(Problem problem, const Region& region, const std::byte* address, const Access& before,
                     const Access& here, Site same_line) {
    const auto party = [&](const Access& access) {
        const auto slot = static_cast<std::uint32_t>(access.lane & 1023);
        const auto block = static_cast<std::uint32_t>((access.lane >> 10) - 1);
        return Party{access.is_store ? Action::volatile_write : Action::volatile_read,
                     block,
                     slot / 32,
                     1u << slot % 32,
                     access.site,
                     {},
                     block == order_.block() ? findings_.events_of(slot) : emu::Found::kLast};
    };
    Noticed noticed;
    noticed.problem = problem;
    noticed.array = region.name();
    noticed.index = region.index_of(address);
    noticed.count = region.count();
    noticed.shared = region.shared();
    noticed.here = party(here);
    noticed.there = party(before);
    noticed.has_other = true;
    noticed.same_line = same_line;
    findings_.add(noticed);
}

}  // namespace lanewise::check
