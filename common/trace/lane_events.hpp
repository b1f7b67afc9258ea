// What one lane did, in its own order, before lanes are put together into records. The GPU's debug buffers and the
// emulator's observer both end here, and one function makes records of either.
#pragma once

#include <cstdint>
#include <vector>

#include "common/trace/trace.hpp"

namespace lanewise::trace {

inline constexpr std::uint64_t kNoCollective = ~std::uint64_t{0};

// One instruction of one lane. Fields as in Record.
struct LaneEvent {
    Op op = Op::load;
    Element type = Element::f32;
    int line = 0;
    std::uint32_t site = 0;            // distinguishes two accesses on one line; 0 where that is not known
    std::uint32_t mask = 0;
    std::int32_t arg = 0;
    int width = kWarpSize;
    std::uint64_t collective = kNoCollective;  // equal for its participating lanes
    std::int8_t source = -1;
    std::uint64_t before = 0;
    std::uint64_t received = 0;
    std::uint64_t after = 0;
    bool has_after = false;
    Element after_type = Element::f32;  // loads
    std::uint32_t after_variable = 0;   // loads: which of the file's variables `after` is of
    bool undefined = false;
    Effect effect = Effect::unknown;
    std::uint32_t array = 0;
    int elements = 1;
    std::int64_t element_index = 0;
    Bytes16 value{};
    std::int32_t snapshot = -1;        // block barriers: place in BlockEvents::snapshots, -1: none
};

struct WarpEvents {
    PerLane<std::vector<LaneEvent>> lanes;
};

// All that was recorded of one block.
struct BlockEvents {
    std::uint32_t launch = 0;
    std::uint32_t block = 0;
    std::vector<WarpEvents> warps;
    std::vector<std::vector<ArrayImage>> snapshots;
};

// Called by both recorders where the kernel announced the value of a variable after a statement with a shuffle or a
// reduction (see prelude): fills in `after` and `effect` of the lane's last one between `first_line` and `last_line`,
// the statement's lines. Does nothing where that one has its `after` already or there is none (`c ? shfl(…) : 0` on the
// lanes without). A variable of another type than what was offered (double += float) cannot be given in the record's
// type: its `after` stays unrecorded, its effect does not.
void attach_after(std::vector<LaneEvent>& lane, int first_line, int last_line, Element type, std::uint64_t bits,
                  Effect effect);
// The same in two parts, for lists of another kind: may this event be the one, and what it is given then.
bool takes_after(const LaneEvent& event, int first_line, int last_line);
void set_after(LaneEvent& event, Element type, std::uint64_t bits, Effect effect);

// Puts the lanes of each warp together into records, appended to `records`.
//
// The order is a function of the lanes' own sequences alone, so that a GPU and the emulator, which saw different
// interleavings, give the same: first the collectives, atomics, fences and barriers (what both hold) are ordered,
// always taking what is ready at the lowest line, then the lowest lane; then each lane's accesses and active masks
// (which answer differently from run to run, and so must order nothing else) are placed before the
// event that follows them, lanes at the same line and site in one record. First comes what no lane of these comes to
// only later: the lanes past n wait at the store of `tree[t] = t < n ? in[t] : 0` for those that load, and a lane that
// has left a loop for those that still turn in it; else the lowest line. A lane that has the same access next, but an
// event later on, joins the record of those that need it now: one load of a whole warp stays one record though half of
// the warp has a collective next.
// Lanes that came with different masks or intrinsics are kept apart: a record for each. A __syncthreads without a
// collective number is known by its turn. A collective that some of its lanes never reached in their lists (cannot
// happen in a sound recording) is emitted with those that are there.
//
// False where `records` would become more than `most`: those that fit are there.
bool assemble(const BlockEvents& events, std::vector<Record>& records, std::size_t most = ~std::size_t{0});

}  // namespace lanewise::trace
