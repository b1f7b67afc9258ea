// Who reads and writes a word of memory, in the whole run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/warp.hpp"
#include "common/scene/handles.hpp"

namespace lanewise::scene {

// An element of one of the run's arrays.
struct WordRef {
    std::uint32_t array = 0;    // in Outline::arrays
    std::int64_t index = -1;    // -1: none

    explicit operator bool() const { return index >= 0; }
    bool operator==(const WordRef&) const = default;
};

// What one warp does to a word in one step.
struct WordUse {
    std::size_t step = 0;
    WarpRef warp;
    std::uint32_t lanes = 0;
    bool reads = false;
    bool writes = false;     // atomics do both
};

// By step, then as in the step's warps: of `warp`'s block where the word is shared, of all recorded blocks where it is
// global. A wide access uses all of its elements.
std::vector<WordUse> uses_of(const steps::Steps& steps, const WordRef& word, const WarpRef& warp);

// "written in step 3 by warp 0 lane 5; read in step 4 by warp 0 lanes 5, 21", the nearest to `step` where there are
// many.
std::string use_text(const std::vector<WordUse>& uses, std::size_t step);

}  // namespace lanewise::scene
