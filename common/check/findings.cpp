#include "common/check/findings.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "common/base/lanes.hpp"

namespace lanewise::check {

namespace {

using trace::Severity;

constexpr char kLine = emu::Found::kLineMark, kOtherLine = emu::Found::kOtherLineMark;

struct Kind {
    const char* kind;
    Severity severity;
};

Kind kind_of(Problem problem) {
    switch (problem) {
        case Problem::race: return {"race", Severity::wrong};
        case Problem::atomic_race: return {"atomic_race", Severity::wrong};
        case Problem::scope_race: return {"atomic_scope", Severity::wrong};
        case Problem::lockstep: return {"assumes_lockstep", Severity::wrong};
        case Problem::same_value: return {"same_value_stores", Severity::note};
        case Problem::missing_fence: return {"missing_fence", Severity::note};
        case Problem::unfenced: return {"unfenced_volatile", Severity::wrong};
        case Problem::lost_update: return {"lost_update", Severity::wrong};
        case Problem::not_locked: return {"lock_not_taken", Severity::wrong};
        case Problem::out_of_bounds: return {"out_of_bounds", Severity::wrong};
        case Problem::use_after_free: return {"use_after_free", Severity::wrong};
        case Problem::foreign_pointer: return {"foreign_pointer", Severity::wrong};
        case Problem::other_lanes_local: return {"local_of_another_lane", Severity::wrong};
        case Problem::read_only: return {"write_to_constant", Severity::wrong};
        case Problem::uninitialised: return {"uninitialised_read", Severity::wrong};
    }
    return {"", Severity::wrong};
}

const char* verb(Action action) {
    switch (action) {
        case Action::read: return "reads";
        case Action::write: return "writes";
        case Action::atomic: return "does an atomic on";
        case Action::volatile_read: return "reads (volatile)";
        case Action::volatile_write: return "writes (volatile)";
        case Action::atomic_read: return "reads (atomic)";
        case Action::atomic_write: return "writes (atomic)";
    }
    return "";
}

std::string who(const Party& party) {
    return fmt::format("{} of warp {} in block {}", lane_list(1u << party.lane), party.warp, party.block);
}

std::string with_value(const std::string& value) { return value.empty() ? "" : fmt::format(" ({})", value); }

std::string element_of(const Noticed& noticed) { return fmt::format("{}[{}]", noticed.array, noticed.index); }

std::string both(const Noticed& noticed) {
    return fmt::format("{} {} {}{} on line {}, and {} {} it{} on line {}", who(noticed.here), verb(noticed.here.action),
                       element_of(noticed), with_value(noticed.here.value), kLine, who(noticed.there),
                       verb(noticed.there.action), with_value(noticed.there.value), kOtherLine);
}

// In blocks of so many threads.
std::string how_to_order(const Noticed& noticed, std::uint64_t threads) {
    if (noticed.here.block != noticed.there.block)
        return "Blocks run in any order: give each block words of its own, use atomics on both sides, pass the word on "
               "with __threadfence() and an atomic, or read it in the next launch.";
    // That these two are of one warp says nothing of the block's other lanes.
    if (noticed.here.warp == noticed.there.warp && threads > 32)
        return "Put a __syncthreads() between the two that all threads of the block reach; where only lanes of one warp "
               "share such words, a __syncwarp() is enough. Lanes of a warp do not run in lockstep, and a shuffle or a "
               "vote orders no memory.";
    if (noticed.here.warp == noticed.there.warp)
        return "Put a __syncwarp() between the two, or a __syncthreads(): lanes of a warp do not run in lockstep, and a "
               "shuffle or a vote orders no memory.";
    return "Put a __syncthreads() between the two that all threads of the block reach.";
}

std::string sentence_of(const Noticed& noticed) {
    switch (noticed.problem) {
        case Problem::race: return both(noticed) + "; nothing orders the two.";
        case Problem::atomic_race:
            return both(noticed) + "; nothing orders the two, and only one of them is atomic.";
        case Problem::scope_race:
            return both(noticed) + ", with an atomic of block scope, which is none to other blocks.";
        case Problem::lockstep:
            return both(noticed) + "; volatile orders nothing, and lanes of a warp do not run in lockstep.";
        case Problem::same_value:
            return both(noticed) + "; nothing orders the two, but both write the same value.";
        case Problem::missing_fence:
            return both(noticed) +
                   "; only an atomic orders them, and no fence follows it on the reader's side.";
        case Problem::unfenced:
            return both(noticed) + "; an atomic passes the word on, but without a fence of this scope on both sides.";
        case Problem::lost_update:
            return both(noticed) + "; it read the word before, and nothing orders the two: one update can be lost.";
        case Problem::not_locked:
            return both(noticed) + "; only one of them holds a lock, and nothing orders the two.";
        case Problem::out_of_bounds:
            if (noticed.count == 0)
                return fmt::format("{} {} {} on line {}, but the launch asks for no dynamic shared memory.",
                                   who(noticed.here), verb(noticed.here.action), element_of(noticed), kLine);
            return fmt::format("{} {} {} on line {}, but {} has {} element{}.", who(noticed.here),
                               verb(noticed.here.action), element_of(noticed), kLine, noticed.array, noticed.count,
                               noticed.count == 1 ? "" : "s");
        case Problem::use_after_free:
        case Problem::foreign_pointer:
        case Problem::other_lanes_local:
        case Problem::read_only:
            return fmt::format("{} {} {} on line {}.", who(noticed.here), verb(noticed.here.action), noticed.detail,
                               kLine);
        case Problem::uninitialised:
            return fmt::format("{} {} {} on line {}, which {}.", who(noticed.here), verb(noticed.here.action),
                               element_of(noticed), kLine,
                               noticed.shared ? "no thread of the block has written yet" : "no kernel has written yet");
    }
    return {};
}

std::string advice_of(const Noticed& noticed, std::uint64_t threads) {
    switch (noticed.problem) {
        case Problem::race:
        case Problem::lockstep: return how_to_order(noticed, threads);
        case Problem::atomic_race: return "Make both atomic, or order them. " + how_to_order(noticed, threads);
        case Problem::scope_race:
            return "Give it the scope of the whole GPU: the form without _block, or cuda::thread_scope_device.";
        case Problem::same_value: return "Let one thread write it, so that no reader has to wonder.";
        case Problem::missing_fence:
            return "Put a __threadfence() after the atomic, before what it guards is read.";
        case Problem::unfenced:
            return noticed.here.block == noticed.there.block
                       ? "Put a __threadfence_block() before the atomic that passes the word on, and one after the "
                         "atomic that waits for it or takes the lock: volatile orders nothing."
                       : "Put a __threadfence() before the atomic that passes the word on, and one after the atomic "
                         "that waits for it or takes the lock: volatile orders nothing.";
        case Problem::lost_update:
            return "Use an atomic: volatile does not make a read and a store one step.";
        case Problem::not_locked: return "Take the lock around both.";
        case Problem::out_of_bounds:
            return noticed.count == 0 ? "Give the bytes as the launch's third argument, <<<grid, block, bytes>>>."
                                      : "Guard the access by the array's size, or make the array larger.";
        case Problem::use_after_free: return "Free it when the last thread that uses it is done.";
        case Problem::foreign_pointer: return "Pass the kernel a pointer to an array that lives during the launch.";
        case Problem::other_lanes_local:
            return "A local variable is its own lane's: pass the value by a shuffle or by shared memory.";
        case Problem::read_only: return "Write to an array in global or shared memory.";
        case Problem::uninitialised:
            return noticed.shared ? "Write it first: what shared memory holds at a block's start is undefined."
                                  : "Write it first, or clear the buffer before the launch.";
    }
    return {};
}

bool same(const Noticed& a, const Noticed& b) {
    return a.problem == b.problem && a.here.site == b.here.site && a.has_other == b.has_other &&
           a.there.site == b.there.site && a.array == b.array && a.here.action == b.here.action &&
           a.there.action == b.there.action;
}

}  // namespace

std::string shown(Element element, const void* at) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, at, static_cast<std::size_t>(element_size(element)));
    return fmt::format("{:.9g}", element_to_double(element, bits));
}

void Findings::launch_begins(const emu::CheckedLaunch& launch) {
    launch_ = launch;
    all_.clear();
}

void Findings::add(const Noticed& noticed) {
    for (Known& known : all_) {
        if (!same(known.noticed, noticed)) continue;
        if (!known.entry) return;
        ++known.entry->count;
        if (known.noticed.here.block == noticed.here.block && known.noticed.here.warp == noticed.here.warp)
            known.entry->here.lanes |= noticed.here.lanes;
        return;
    }
    if (all_.size() == kMost) return;
    Known& first = all_.emplace_back(Known{noticed, nullptr});
    first.noticed.here.lane = std::countr_zero(noticed.here.lanes);
    if (noticed.has_other) first.noticed.there.lane = std::countr_zero(noticed.there.lanes);
    first.entry = launch_.journal.add(found_of(first.noticed));
}

bool Findings::again(Problem problem, Site here, Site there, const std::string& array, std::uint32_t block,
                     std::uint32_t slot) {
    const auto is_same = [&](const Known& known) {
        const Noticed& noticed = known.noticed;
        return noticed.here.site == here && noticed.has_other && noticed.there.site == there &&
               noticed.problem == problem && noticed.array == array;
    };
    if (last_ >= all_.size() || !is_same(all_[last_])) {
        const auto found = std::find_if(all_.begin(), all_.end(), is_same);
        if (found == all_.end()) return false;
        last_ = static_cast<std::size_t>(found - all_.begin());
    }
    Known& known = all_[last_];
    if (!known.entry) return true;
    ++known.entry->count;
    const Party& first = known.noticed.here;
    if (first.block == block && first.warp == slot / 32) known.entry->here.lanes |= 1u << slot % 32;
    return true;
}

const void* Findings::pc_of(Site site) const {
    if (site == 0 || site & kLineBit) return nullptr;
    return static_cast<const char*>(launch_.code) + (static_cast<std::int64_t>(site) - kCodeRoom);
}

emu::Found Findings::found_of(const Noticed& noticed) const {
    const auto line_of = [](Site site) { return site & kLineBit ? static_cast<int>(site & ~kLineBit) : 0; };
    const auto [kind, severity] = kind_of(noticed.problem);
    emu::Found found;
    trace::Finding& finding = found.finding;
    finding.kind = kind;
    finding.severity = severity;
    finding.kernel = launch_.kernel;
    finding.launch = launch_.number;
    finding.line = line_of(noticed.here.site);
    finding.block = noticed.here.block;
    finding.warp = noticed.here.warp;
    finding.lanes = noticed.here.lanes;
    finding.array = noticed.array;
    finding.index = noticed.index;
    finding.value = noticed.here.value;
    found.pc = pc_of(noticed.here.site);
    found.same_line_pc = pc_of(noticed.same_line);
    found.lane = noticed.here.lane;
    found.events = noticed.here.events;
    if (noticed.has_other) {
        finding.other = trace::FindingPlace{line_of(noticed.there.site), noticed.there.block, noticed.there.warp,
                                            noticed.there.lanes, -1, noticed.there.value};
        found.other_pc = pc_of(noticed.there.site);
        found.other_lane = noticed.there.lane;
        found.other_events = noticed.there.events;
    }
    finding.sentence = sentence_of(noticed);
    finding.advice = advice_of(noticed, launch_.block.count());
    return found;
}

}  // namespace lanewise::check
