#include "common/check/order.hpp"

#include <algorithm>
#include <bit>

namespace lanewise::check {

void Order::launch_begins() { words_.clear(); }

void Order::block_begins(std::uint32_t block, std::uint32_t slots) {
    block_ = block;
    slots_ = slots;
    for (std::uint32_t warp = 0; warp < 32; ++warp) {
        warp_time_[warp] = barrier_time_[warp] = 1;
        if (uneven_[warp]) std::fill_n(late_.begin() + warp * 32, 32, 0);
        uneven_[warp] = false;
    }
    if (knows_lanes_) std::fill(known_.begin(), known_.end(), 0);
    knows_lanes_ = false;
    if (any_fence_) fences_.fill({});
    any_fence_ = false;
    fenced_ = fenced_floors_ = nullptr;
    if (!any_received_) return;
    for (auto* lists : {&lane_received_, &lane_pending_})
        for (Receipts& list : *lists) list.clear();
    for (Receipts& list : warp_received_) list.clear();
    block_received_.clear();
    block_pending_.clear();
    any_received_ = false;
}

// All that the warp's lanes did so far is known to them.
void Order::advance(std::uint32_t warp) {
    Time most = 0;
    if (uneven_[warp]) {
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
            most = std::max(most, late_[warp * 32 + lane]);
            late_[warp * 32 + lane] = 0;
        }
        uneven_[warp] = false;
    }
    warp_time_[warp] += most + 1;
    overflowed_ = overflowed_ || warp_time_[warp] >= kMaxTime;
}

void Order::receive(Receipts& receipts, const Received& more) {
    for (Received& known : receipts)
        if (known.log == more.log && known.by == more.by && known.scope == more.scope) {
            known.length = std::max(known.length, more.length);
            return;
        }
    receipts.push_back(more);
}

void Order::pass_up(Receipts& from, Receipts& to) {
    for (const Received& received : from) receive(to, received);
    from.clear();
}

// Lanes that fenced, then came to a barrier with the others: a lane that writes a flag after it passes on what they did
// before their fences, and what was ordered before any of them.
void Order::fenced_before_barrier() {
    auto times = std::make_shared<std::vector<Time>>(fenced_ ? *fenced_ : std::vector<Time>(slots_, 0));
    bool any_device = false;
    for (std::uint32_t slot = 0; slot < slots_; ++slot) {
        if (fences_[slot].device) (*times)[slot] = fences_[slot].device;
        any_device = any_device || fences_[slot].device;
    }
    fences_.fill({});
    any_fence_ = false;
    if (!any_device) return;
    fenced_ = std::move(times);
    fenced_floors_ = std::make_shared<std::vector<Time>>(barrier_time_.begin(), barrier_time_.end());
}

void Order::block_barrier() {
    if (any_fence_) fenced_before_barrier();
    for (std::uint32_t warp = 0; warp * 32 < slots_; ++warp) {
        advance(warp);
        barrier_time_[warp] = warp_time_[warp];
    }
    if (!any_received_) return;
    for (Receipts& list : lane_received_) pass_up(list, block_received_);
    for (Receipts& list : warp_received_) pass_up(list, block_received_);
    for (Receipts& list : lane_pending_) pass_up(list, block_pending_);
}

void Order::warp_barrier(std::uint32_t warp, std::uint32_t lanes, std::uint32_t exist) {
    const std::uint32_t base = warp * 32;
    const auto each_lane = [&](auto&& seen) {
        for (std::uint32_t rest = lanes; rest; rest &= rest - 1)
            seen(base + static_cast<std::uint32_t>(std::countr_zero(rest)));
    };
    if ((exist & ~lanes) == 0) {
        advance(warp);
        if (any_received_) each_lane([&](std::uint32_t slot) { pass_up(lane_received_[slot], warp_received_[warp]); });
        return;
    }
    if (std::has_single_bit(lanes)) return;
    if (known_.empty()) known_.assign(kMaxSlots * 32, 0);
    knows_lanes_ = true;
    std::array<Time, 32> together{};
    Receipts received;
    each_lane([&](std::uint32_t slot) {
        for (std::uint32_t lane = 0; lane < 32; ++lane)
            together[lane] = std::max(together[lane], known_[slot * 32 + lane]);
        if (any_received_)
            for (const Received& one : lane_received_[slot]) receive(received, one);
    });
    each_lane([&](std::uint32_t slot) { together[slot % 32] = std::max(together[slot % 32], time(slot)); });
    each_lane([&](std::uint32_t slot) {
        std::copy(together.begin(), together.end(), known_.begin() + slot * 32);
        if (any_received_) lane_received_[slot] = received;
        ++late_[slot];
    });
    uneven_[warp] = true;
}

void Order::fence(std::uint32_t slot, int scope, bool acquires, bool releases) {
    if (releases) {
        Fence& fence = fences_[slot];
        fence.any = time(slot);
        fence.any_scope = scope;
        if (scope > 0) fence.device = fence.any;
        any_fence_ = true;
        ++late_[slot];
        uneven_[slot / 32] = true;
    }
    if (!any_received_ || !acquires) return;
    const auto take = [&](const Receipts& pending) {
        for (Received received : pending) {
            received.scope = std::min(received.scope, scope);
            receive(lane_received_[slot], received);
        }
    };
    take(lane_pending_[slot]);
    take(block_pending_);
    lane_pending_[slot].clear();
}

void Order::reads_word(std::uint32_t slot, const void* word, int scope, bool counts, bool acquires, bool waits) {
    if (words_.empty()) return;
    const auto found = words_.find(word);
    if (found == words_.end() || found->second->releases.empty()) return;
    if (lane_received_.empty()) {
        lane_received_.resize(kMaxSlots);
        lane_pending_.resize(kMaxSlots);
    }
    any_received_ = true;
    const std::size_t length = found->second->releases.size();
    using By = Received::By;
    const auto received = [&](By by) { return Received{found->second, length, scope, by}; };
    receive(lane_pending_[slot], received(By::fence));
    if (acquires) receive(lane_received_[slot], received(By::fence));
    if (counts) receive(lane_received_[slot], received(By::counter));
    else if (waits && !acquires) receive(lane_received_[slot], received(By::waiting));
}

Order::Release Order::release_of(std::uint32_t slot, Time time, int scope) const {
    Release release;
    release.block = block_;
    release.slot = slot;
    release.scope = scope;
    release.time = time;
    release.written = this->time(slot);
    release.warp_time = time ? warp_time_[slot / 32] : 0;
    if (time) release.floors.assign(barrier_time_.begin(), barrier_time_.begin() + (slots_ + 31) / 32);
    else if (fenced_floors_) release.floors = *fenced_floors_;
    if (time && knows_lanes_)
        release.known.assign(known_.begin() + slot * 32, known_.begin() + slot * 32 + 32);
    release.fenced = fenced_;
    if (any_received_) {
        release.received = lane_received_[slot];
        for (const Received& one : warp_received_[slot / 32]) receive(release.received, one);
        for (const Received& one : block_received_) receive(release.received, one);
    }
    return release;
}

void Order::add(Log& log, Release release) {
    const auto place = static_cast<std::uint32_t>(log.releases.size());
    // What came with the word's own earlier writes is in the log already, unless it came as far as the block only.
    log.any_of_block = log.any_of_block || release.scope == 0;
    if (log.any_of_block) {
        for (Received& received : release.received)
            if (received.log.get() == &log) received.log = nullptr;
    } else {
        std::erase_if(release.received, [&](const Received& received) { return received.log.get() == &log; });
    }
    std::vector<std::uint32_t>& of_block = log.of_block[release.block];
    auto lane = std::find_if(of_block.begin(), of_block.end(),
                             [&](std::uint32_t at) { return log.lanes[at].slot == release.slot; });
    if (lane == of_block.end()) {
        of_block.push_back(static_cast<std::uint32_t>(log.lanes.size()));
        lane = std::prev(of_block.end());
        log.lanes.push_back({release.block, release.slot, {}, {}});
    }
    Log::OfLane& of_lane = log.lanes[*lane];
    of_lane.places.push_back(place);
    if (!release.received.empty()) {
        if (of_lane.passing_on.empty()) log.passing_on.push_back(*lane);
        of_lane.passing_on.push_back(place);
    }
    log.releases.push_back(std::move(release));
}

// Does the lane know of all that was released to a word: because it was the only one, or has received it?
bool Order::holds_all_of(std::uint32_t slot, const Log& log) const {
    if (log.lanes.size() == 1 && log.lanes[0].block == block_ && log.lanes[0].slot == slot) return true;
    if (!any_received_) return false;
    for (const Receipts* receipts : {&lane_received_[slot], &warp_received_[slot / 32], &block_received_})
        for (const Received& received : *receipts)
            if (received.log.get() == &log && received.length == log.releases.size() &&
                received.by == Received::By::fence &&
                received.scope > 0)
                return true;
    return false;
}

void Order::writes_word(std::uint32_t slot, const void* word, int scope, bool joins, bool releases) {
    const Fence& fence = fences_[slot];
    const bool passes_on = fence.any || fenced_ || releases;
    if (!joins) {
        // Who received from the old log keeps it. What a lane releases that has all of it covers the old log as well.
        const auto old = words_.find(word);
        if (old != words_.end() && !(passes_on && holds_all_of(slot, *old->second))) words_.erase(old);
    }
    if (!passes_on) return;
    auto& log = words_[word];
    if (!log) log = std::make_shared<Log>();
    if (fence.device || fenced_) add(*log, release_of(slot, fence.device, std::min(scope, 1)));
    if (fence.any && fence.any_scope == 0) add(*log, release_of(slot, fence.any, 0));
    if (releases) add(*log, release_of(slot, time(slot), std::min(scope, 1)));
    // What the lane does from here on is not known by it.
    ++late_[slot];
    uneven_[slot / 32] = true;
}

bool Order::releases(const Release& release, std::uint32_t block, std::uint32_t then, Time when) {
    if (release.block != block) return false;
    if (release.fenced && then < release.fenced->size() && when <= (*release.fenced)[then]) return true;
    if (then == release.slot && when <= release.time) return true;
    if (then / 32 == release.slot / 32) {
        if (when < release.warp_time) return true;
        if (!release.known.empty() && when <= release.known[then % 32]) return true;
    }
    return then / 32 < release.floors.size() && when < release.floors[then / 32];
}

// What one receipt shows, by a lane of block `to`; what the lanes that released to it had received is left in `rest`.
bool Order::knows_directly(const Received& received, const Log& log, std::uint32_t to, std::uint32_t block,
                           std::uint32_t then, Time when, std::vector<Search>& rest) const {
    const int scope = std::min(received.scope, 1);
    if (log.searched == searches_ && log.searched_to == to && log.searched_length >= received.length &&
        log.searched_scope >= scope)
        return false;
    log.searched = searches_;
    log.searched_to = to;
    log.searched_length = received.length;
    log.searched_scope = scope;
    const auto reaches = [&](const Release& release) {
        return release.block == to || (release.scope > 0 && scope > 0);
    };
    // The last of a lane cover what it did before them, as far as they reach.
    constexpr int kLast = 8;
    const auto last_of = [&](const std::vector<std::uint32_t>& places, int most, auto&& seen) {
        auto at = std::lower_bound(places.begin(), places.end(), received.length);
        while (at != places.begin() && most > 0) {
            const Release& release = log.releases[*--at];
            if (!reaches(release)) continue;
            --most;
            if (seen(release)) return true;
        }
        return false;
    };
    if (const auto lanes = log.of_block.find(block); lanes != log.of_block.end())
        for (const std::uint32_t lane : lanes->second)
            if (last_of(log.lanes[lane].places, kLast,
                        [&](const Release& release) { return releases(release, block, then, when); }))
                return true;
    for (const std::uint32_t lane : log.passing_on)
        last_of(log.lanes[lane].passing_on, 1, [&](const Release& release) {
            rest.push_back({&release.received, release.block, &log});
            return true;
        });
    return false;
}

// Does what a lane of the present block received cover the access, also by way of others?
bool Order::knows(const Receipts& receipts, std::uint32_t block, std::uint32_t then, Time when,
                  Received::By most) const {
    ++searches_;
    search_.assign(1, {&receipts, block_, nullptr});
    for (std::size_t at = 0; at < search_.size(); ++at) {
        const Search search = search_[at];
        for (const Received& received : *search.receipts)
            if (received.by <= most && knows_directly(received, received.log ? *received.log : *search.in, search.to,
                                                      block, then, when, search_))
                return true;
    }
    return false;
}

bool Order::knows_of(std::uint32_t block, std::uint32_t then, Time when, std::uint32_t slot, Received::By most) const {
    for (const Receipts* receipts : {&lane_received_[slot], &warp_received_[slot / 32], &block_received_})
        if (knows(*receipts, block, then, when, most)) return true;
    return false;
}

Coverage Order::before_slowly(std::uint32_t block, std::uint32_t then, Time when, std::uint32_t slot) const {
    if (block == block_ && knows_lanes_ && then / 32 == slot / 32 && when <= known_[slot * 32 + then % 32])
        return Coverage::ordered;
    if (!any_received_) return Coverage::unordered;
    if (knows_of(block, then, when, slot, Received::By::fence)) return Coverage::ordered;
    if (knows_of(block, then, when, slot, Received::By::counter)) return Coverage::by_counter;
    return Coverage::unordered;
}

bool Order::before_if_fenced(std::uint32_t block, std::uint32_t then, Time when, std::uint32_t slot) const {
    return any_received_ && knows_of(block, then, when, slot, Received::By::waiting);
}

Coverage Order::before_on_word(const void* word, std::uint32_t block, std::uint32_t then, Time when,
                               std::uint32_t slot) const {
    const auto found = words_.find(word);
    if (!any_received_ || found == words_.end()) return Coverage::unordered;
    Coverage best = Coverage::unordered;
    for (const Receipts* receipts : {&lane_received_[slot], &warp_received_[slot / 32], &block_received_})
        for (const Received& received : *receipts) {
            if (received.log != found->second || received.by == Received::By::waiting) continue;
            for (const Log::OfLane& lane : received.log->lanes)
                if (lane.block == block && lane.slot == then)
                    for (const std::uint32_t place : lane.places) {
                        const Release& release = received.log->releases[place];
                        const bool reaches = release.block == block_ || (release.scope > 0 && received.scope > 0);
                        if (place < received.length && reaches && when <= release.written)
                            best = std::min(best, received.by == Received::By::counter ? Coverage::by_counter
                                                                                       : Coverage::ordered);
                    }
        }
    return best;
}

}  // namespace lanewise::check
