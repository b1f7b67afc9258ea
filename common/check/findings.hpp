// What the checks of one launch find goes into the run's journal as it is noticed, before lines are looked up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/check/shadow_memory.hpp"
#include "common/emu/checks.hpp"

namespace lanewise::check {

// Where in the kernel something was done: a place in its code, or a line where the prelude knows it.
using Site = std::uint32_t;
inline constexpr Site kLineBit = 0x80000000u;
inline Site site_of_line(int line) { return kLineBit | static_cast<std::uint32_t>(line); }

enum class Problem : std::uint8_t {
    race, atomic_race, scope_race, lockstep, same_value, missing_fence, unfenced, lost_update, not_locked,
    out_of_bounds, use_after_free, foreign_pointer, other_lanes_local, read_only,
    uninitialised,
};

enum class Action : std::uint8_t { read, write, atomic, volatile_read, volatile_write, atomic_read, atomic_write };

inline bool is_read(Action action) {
    return action == Action::read || action == Action::volatile_read || action == Action::atomic_read;
}
inline bool is_plain(Action action) { return action == Action::read || action == Action::write; }
inline bool is_atomic(Action action) { return action == Action::atomic || action >= Action::atomic_read; }

// One of the lanes that a finding is about.
struct Party {
    Action action = Action::read;
    std::uint32_t block = 0;
    std::uint32_t warp = 0;
    std::uint32_t lanes = 0;
    Site site = 0;
    std::string value;
    std::int64_t events = -1;
    int lane = 0;               // the one that the rest is about: `lanes` gathers those of which the same is true
};

struct Noticed {
    Problem problem = Problem::race;
    std::string array;
    std::int64_t index = 0;
    std::int64_t count = 0;          // elements of the array
    bool shared = false;
    std::string detail;              // of a pointer: what it points to
    Party here;
    bool has_other = false;
    Party there;
    Site same_line = 0;              // it is one only if this is on the line of `here`; 0: in any case
};

// Gathers what was noticed; the same again is counted.
class Findings {
public:
    void launch_begins(const emu::CheckedLaunch& launch);
    void block_memory(const emu::BlockMemory& memory) { memory_ = memory; }
    const emu::BlockMemory& memory() const { return memory_; }
    Site site_of(const void* pc) const {
        return static_cast<Site>(static_cast<const char*>(pc) - static_cast<const char*>(launch_.code) + kCodeRoom);
    }
    const emu::CheckedLaunch& launch() const { return launch_; }
    void add(const Noticed& noticed);
    // Counts the same problem of two lanes, at the same places and in the same array, once more; false where there is
    // none yet. Kernels that race do so a million times.
    bool again(Problem problem, Site here, Site there, const std::string& array, std::uint32_t block,
               std::uint32_t slot);
    // The recorded events of a lane so far; -1 where it is not recorded.
    std::int64_t events_of(std::uint32_t slot) const { return launch_.events_of(slot); }

private:
    static constexpr std::int64_t kCodeRoom = std::int64_t{1} << 30;
    static constexpr std::size_t kMost = 1000;
    struct Known {
        Noticed noticed;
        emu::FindingEntry* entry = nullptr;
    };
    const void* pc_of(Site site) const;
    emu::Found found_of(const Noticed& noticed) const;

    emu::CheckedLaunch launch_;
    emu::BlockMemory memory_;   // of the present block
    std::vector<Known> all_;
    std::size_t last_ = 0;   // the one that was counted last
};

// The bits of one element as people read it: "1.5", "-3".
std::string shown(Element element, const void* at);

}  // namespace lanewise::check
