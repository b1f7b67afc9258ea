// One warp's part in one step: everything that any front end shows of it, as plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/warp.hpp"
#include "common/scene/lane_facts.hpp"

namespace lanewise::scene {

// From the lane that is read to the lane that reads it.
struct Arc {
    int source = 0;
    int reader = 0;
    bool used = true;        // false: received, and not used
    bool undefined = false;
};

// One instruction of the warp that reads or writes memory.
struct MemoryAccess {
    std::string_view op = "load";
    Touch touch = Touch::read;
    std::string array;
    std::uint32_t array_id = 0;        // in Outline::arrays
    Space space = Space::global;
    Element type = Element::f32;
    std::uint32_t lanes = 0;           // that take part
    int elements = 1;                  // of each lane
    PerLane<std::int64_t> index{};     // its first element
    std::vector<std::uint64_t> bits;   // `elements` for each of the 32 lanes: read, written, an atomic's operand
    PerLane<std::uint64_t> found{};    // atomics: what the word held before

    std::uint64_t value(int lane, int element = 0) const {
        return bits[static_cast<std::size_t>(lane * elements + element)];
    }
};

// What an array holds at a block barrier.
struct BarrierImage {
    std::string array;
    Space space = Space::shared;
    Element type = Element::f32;
    std::uint64_t first = 0;           // the element that bits[0] is
    std::vector<std::uint64_t> bits;
    std::vector<bool> known;           // of each: false where it was never written
};

// One instruction of the warp, and the lanes that take part in it.
struct Instruction {
    std::string_view op;
    std::uint32_t lanes = 0;
};

// Lanes that found one active mask.
struct MaskFound {
    std::uint64_t mask = 0;
    std::uint32_t lanes = 0;
};

struct Part {
    WarpRef warp;
    std::size_t step = 0;
    StepKind kind = StepKind::load;
    bool takes_part = false;           // false: nothing of what follows means anything
    std::string_view op;               // of its first record: "shfl_xor"
    Element type = Element::f32;       // of the values that lanes offer
    std::uint32_t active = 0;
    int lanes = kWarpSize;             // that the warp has
    bool says = false;                 // lanes say yes or no: votes, block barriers that vote
    bool compares = false;             // lanes with equal values are one group: matches
    bool ballots = false;              // the answer is the mask of the lanes that say yes
    std::uint32_t waiting = 0;         // a block barrier: threads of the block that came to it
    std::uint32_t threads = 0;         // that the block has
    std::vector<int> groups;           // of matches: lanes with one number offered equal values; -1: no part
    std::vector<Arc> arcs;             // of shuffles
    std::vector<MaskFound> masks;      // of active masks
    std::vector<Instruction> instructions;
    std::vector<LaneFacts> facts;      // of each lane that the warp has
    std::vector<MemoryAccess> accesses;
    std::vector<BarrierImage> images;
};

// Throws std::out_of_range where there is no such step.
Part part_of(const steps::Steps& steps, std::size_t step, const WarpRef& warp);

// What is said under the lanes: "all threads of the block wait here for each other". `lane`: the one that is looked at,
// where the caption speaks of it; -1: none. Empty for shuffles and memory, which need no caption.
std::string caption_of(const Part& part, int lane = -1);
// Continues where there is room; empty where the caption says all.
std::string caption_goes_on(const Part& part);
// "A" for group 0.
std::string group_name(int group);
// The value that a lane's row shows before the part, where its record has it: a kernel may change a value between two
// records.
bool records_offers(const Part& part);

// The arcs of a shuffle: what is seen of a part from afar.
std::vector<Arc> arcs_of(const steps::Steps& steps, std::size_t step, const WarpRef& warp);

}  // namespace lanewise::scene
