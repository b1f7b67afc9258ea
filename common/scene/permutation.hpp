// A shuffle as a map of lanes: which lane each one reads, and how the bits of its number lead there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/warp.hpp"
#include "common/scene/handles.hpp"

namespace lanewise::scene {

// What a lane's source lane is to it.
enum class LaneSource : std::uint8_t {
    inactive,    // the lane does not take part
    read,        // the lane that the rule names
    clamped,     // the rule leads out of its lanes: it keeps its own value
    undefined,   // the lane that the rule names does not take part
};

struct PermutationRow {
    int lane = 0;
    LaneSource kind = LaneSource::inactive;
    int source = -1;        // as recorded; -1: none
    std::string bits;       // "00101 ^ 00101 = 00000", "11110 + 00100 > 11111"; idx: first lane of the group and the
                            // place in it, "10000 + 0110 = 10110"
};

// A row for each lane of the warp; empty where the warp's part in the step is no shuffle.
std::vector<PermutationRow> permutation_of(const steps::Steps& steps, std::size_t step, const WarpRef& warp);

// What follows from the source lanes that were recorded, a sentence each: is every lane read once, how often must it be
// done until all is as before, who is read by many, who keeps its own value, who gets what is undefined.
std::vector<std::string> permutation_facts(const std::vector<PermutationRow>& rows);

}  // namespace lanewise::scene
