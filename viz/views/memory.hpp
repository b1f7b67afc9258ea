// Shared memory of one block at a step, told from the records: what each word holds, and who touches it now.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/steps/steps.hpp"

namespace lanewise::viz {

struct SharedWord {
    std::uint64_t bits = 0;
    bool written = false;   // in this block so far
    bool known = false;     // its value is told by a record (an atomic's result is not)
    bool read_now = false;
    bool written_now = false;
    steps::WarpRef by;      // who touches it now: the last of them
    int lane = -1;
};

struct SharedArray {
    std::string name;
    Element element = Element::f32;
    std::vector<SharedWord> words;   // one for each element
};

// The block's shared arrays after step `step`.
std::vector<SharedArray> shared_memory(const steps::Steps& steps, std::size_t step, const steps::WarpRef& block);

// Does the run use shared memory at all?
bool has_shared_memory(const steps::Steps& steps);

}  // namespace lanewise::viz
